"""The kernel library (examples/kernels): every C++ file gives what its tests expect, and every folder is complete.

library_test.py WEFT BUILT [--device bmrt] [--only NAME]: runs `weft ppl test` on every kernel, compiled by CMake in folder BUILT: values against the
float references beside the kernels, bytes of the pipelined program against those of the serial one and of the interpreter.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import unittest

LIBRARY = pathlib.Path(__file__).resolve().parents[2] / "examples" / "kernels"


class LibraryTest(unittest.TestCase):

    def test_values(self):
        sources = sorted(LIBRARY.glob("*/*.cpp"))
        self.assertTrue(sources)
        for source in sources:
            if OPTIONS.only not in ("", source.stem):
                continue
            with self.subTest(source.stem):
                ran = subprocess.run([OPTIONS.weft, "ppl", "test", OPTIONS.built / f"{source.stem}.so", "--device", OPTIONS.device],
                                     capture_output=True, text=True)
                self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
                # So that a test that did not run is missed; those of a macro have no such line.
                written = len(re.findall(r"^__TEST__ void \w+\(", source.read_text(), re.M))
                self.assertGreaterEqual(ran.stdout.count("PASS "), max(written, 1), ran.stdout)

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


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weft")
    parser.add_argument("built", type=pathlib.Path)
    parser.add_argument("--device", default="emulator", choices=["emulator", "bmrt"])
    parser.add_argument("--only", default="", help="one kernel")
    OPTIONS = parser.parse_args()
    unittest.main(argv=sys.argv[:1])
