"""The kernel library (examples/kernels): every C++ file gives what its tests expect, and every folder is complete.

library_test.py WEFT BUILT [--device bmrt] [--only NAME] [--figures]: runs `weft ppl test` on every kernel, compiled by CMake in folder BUILT: values against the
float references beside the kernels, bytes of the pipelined program against those of the serial one and of the interpreter.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

LIBRARY = pathlib.Path(__file__).resolve().parents[2] / "examples" / "kernels"


def run_tests(source):
    """Exit code, what was printed and how many tests were asked for."""
    written = re.findall(r"^__TEST__ void (\w+)\(", source.read_text(), re.M)
    command = [OPTIONS.weft, "ppl", "test", OPTIONS.built / f"{source.stem}.so", "--device", OPTIONS.device]
    large = [figure["test"] for figure in json.loads((source.parent / "figures.json").read_text())]
    if OPTIONS.device == "emulator" or OPTIONS.figures or any(name not in written for name in large):
        runs = [command]
    else:
        # The vendor's emulator takes minutes for the sizes of the figures.
        written = [name for name in written if name not in large]
        runs = [[*command, "--test", name] for name in written]
    done = [subprocess.run(one, capture_output=True, text=True) for one in runs]
    return max(run.returncode for run in done), "".join(run.stdout + run.stderr for run in done), len(written)


class LibraryTest(unittest.TestCase):

    def test_values(self):
        sources = sorted(LIBRARY.glob("*/*.cpp"))
        self.assertTrue(sources)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            runs = [(source, pool.submit(run_tests, source)) for source in sources if OPTIONS.only in ("", source.stem)]
            for source, run in runs:
                with self.subTest(source.stem):
                    code, text, wanted = run.result()
                    self.assertEqual(code, 0, text)
                    # So that a test that did not run is missed; those of a macro have no such line.
                    self.assertGreaterEqual(text.count("PASS "), max(wanted, 1), text)

    def test_other_chips(self):
        """Tiles follow the local memory and the lanes of the target, of both of which sg2380 has half."""
        if OPTIONS.device != "emulator":
            self.skipTest("the interpreter stands for other chips")
        for source in [path for path in sorted(LIBRARY.glob("*/*.cpp")) if OPTIONS.only in ("", path.stem)]:
            large = [figure["test"] for figure in json.loads((source.parent / "figures.json").read_text())]
            for name in re.findall(r"^__TEST__ void (\w+)\(", source.read_text(), re.M):
                if name not in large:
                    with self.subTest(name):
                        ran = subprocess.run([OPTIONS.weft, "ppl", "test", OPTIONS.built / f"{source.stem}.so", "--test", name, "--interpret",
                                              "--target", "sg2380"], capture_output=True, text=True)
                        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)

    def test_refused(self):
        """Sizes that a kernel does not take end with its own assertion, at once."""
        for name, kernel, words, wanted in (
                ("matmul", "matmul_f16", ["out=out:[64]", "left=rand:[64]", "right=rand:[64]", "M=1", "K=0", "N=64"], "assert(M >= 1 && K >= 1 && N >= 1) does not hold"),
                ("reduce", "reduce_fp16", ["out=out:[64]", "in=rand:[64]", "outer=64", "axis=1", "inner=1", "kind=7"],
                 "assert(kind == Sum || kind == Mean || kind == Max) does not hold"),
                ("attention", "attention", ["out=out:[16384]", "q=rand:[16384]", "k=rand:[16384]", "v=rand:[16384]", "heads=1", "kvHeads=1", "rows=1", "keys=1",
                                            "d=16384"], "d is too large for local memory"),
                ("top_k", "top_k_fp32", ["values=out:[20000]", "indices=out:[20000]", "in=rand:[20000]", "rows=1", "columns=20000", "k=20000", "largest=true"],
                 "k is too large for local memory")):
            with self.subTest(name):
                arguments = [word for given in words for word in ("--arg", given)]
                ran = subprocess.run([OPTIONS.weft, "ppl", "check", LIBRARY / name / f"{name}.cpp", "--kernel", kernel, *arguments], capture_output=True,
                                     text=True, timeout=300)
                self.assertEqual(ran.returncode, 2)
                self.assertIn(wanted, ran.stderr)
                self.assertEqual(ran.stderr.count("weft: error:"), 1, ran.stderr)

    def test_folders(self):
        """A kernel's files have its name; a figure belongs to a test of its file; each page is in the table of contents."""
        for folder in sorted(path for path in LIBRARY.iterdir() if path.is_dir()):
            with self.subTest(folder.name):
                for name in (f"{folder.name}.cpp", f"{folder.name}.py", "README.md", "figures.json"):
                    self.assertTrue((folder / name).is_file(), f"{folder.name}/{name} is missing")
                source = (folder / f"{folder.name}.cpp").read_text()
                for figure in json.loads((folder / "figures.json").read_text()):
                    self.assertRegex(source, rf"\b{figure['test']}\b")
                self.assertIn(f"({folder.name}/README.md)", (LIBRARY / "README.md").read_text())

    def test_copied(self):
        """A folder is all that a user has to copy: its kernel includes its own headers and the language's."""
        installed = pathlib.Path(OPTIONS.weft).resolve().parents[1] / "include" / "weft"
        for source in sorted(LIBRARY.glob("*/*")):
            for name in re.findall(r'^#include "(.+)"', source.read_text(), re.M):
                with self.subTest(f"{source.name} includes {name}"):
                    self.assertTrue(any((place / name).is_file() for place in (source.parent, installed)) and ".." not in name)
        with tempfile.TemporaryDirectory() as folder:
            copy = shutil.copytree(LIBRARY / "top_k", pathlib.Path(folder, "mine")) / "top_k.cpp"
            ran = subprocess.run([OPTIONS.weft, "ppl", "run", copy, "--test", "top_k_short"], capture_output=True, text=True)
            self.assertEqual(ran.returncode, 0, ran.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weft")
    parser.add_argument("built", type=pathlib.Path)
    parser.add_argument("--device", default="emulator", choices=["emulator", "bmrt"])
    parser.add_argument("--only", default="", help="one kernel")
    parser.add_argument("--figures", action="store_true", help="on bmrt, too, the tests of large sizes that figures are of")
    OPTIONS = parser.parse_args()
    unittest.main(argv=sys.argv[:1])
