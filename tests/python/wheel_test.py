#!/usr/bin/env python3
"""The wheel in a fresh virtual environment: it installs, and the examples of its README run there.

  wheel_test.py PYTHON_FOLDER BUILD

No network: numpy is that of the tests' own environment, by a .pth file.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

import numpy

FOLDER, BUILD = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
del sys.argv[1:3]


def run(*command, **options):
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=240, **options)
    assert result.returncode == 0, f"{command}: {result.stdout}{result.stderr}"
    return result.stdout


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        name = run(sys.executable, FOLDER / "weft_wheel.py", BUILD, cls.folder / "dist").strip()
        cls.wheel = cls.folder / "dist" / name
        run(sys.executable, "-m", "venv", cls.folder / "env")
        cls.python = cls.folder / "env/bin/python"
        site = pathlib.Path(run(cls.python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
        numpy_only = cls.folder / "numpy-only"
        numpy_only.mkdir()
        home = pathlib.Path(numpy.__file__).parent
        for path in home.parent.glob("numpy*"):
            (numpy_only / path.name).symlink_to(path)
        (site / "numpy.pth").write_text(f"{numpy_only}\n")
        run(cls.python, "-m", "pip", "install", "--no-index", "--no-deps", cls.wheel)

    def test_it_is_for_every_python_3(self):
        self.assertRegex(self.wheel.name, r"^weft-[\d.]+-py3-none-linux_\w+\.whl$")

    def test_a_wheel_that_fails_leaves_nothing(self):
        for built in ((), ("lib/libweft.so",)):
            with tempfile.TemporaryDirectory() as build, tempfile.TemporaryDirectory() as output:
                for name in built:
                    (pathlib.Path(build) / name).parent.mkdir()
                    (pathlib.Path(build) / name).write_bytes((BUILD / name).read_bytes())
                done = subprocess.run([sys.executable, FOLDER / "weft_wheel.py", build, output], capture_output=True, text=True)
                self.assertEqual(done.returncode, 1)
                self.assertRegex(done.stderr, r"^weft_wheel: \S+ is missing; run scripts/build, or build the targets weft, ")
                self.assertEqual(list(pathlib.Path(output).iterdir()), [])

    def test_it_carries_what_it_needs(self):
        names = zipfile.ZipFile(self.wheel).namelist()
        for name in ("weft/native/lib/libweft.so", "weft/native/lib/libweft-compiler.so", "weft/native/bin/weft",
                     "weft/native/include/weft/ppl/ppl.h", "weft/native/include/weft/ppl/tiu_pool.h", "weft/native/include/weft/ppl/plugin.h",
                     "weft/native/include/weft-compiler.h", "weft/py.typed", "weft/__init__.pyi", "ppl/__init__.py", "ppl/language/__init__.py"):
            self.assertIn(name, names)
        site = next((self.folder / "env").glob("lib/python3*/site-packages/weft"))
        for binary in ("bin/weft", "lib/libweft-compiler.so", "lib/libweft.so"):
            self.assertNotIn("not found", run("ldd", site / "native" / binary))
            # Beside the libraries of every Linux only the wheel's own.
            for line in run("ldd", site / "native" / binary).splitlines():
                if re.search(r"protobuf|zip|crypto|png|jpeg", line):
                    self.assertIn(str(site), line)

    def test_examples_of_the_readme_run(self):
        text = (FOLDER / "README.md").read_text()
        example = self.folder / "example.py"
        example.write_text("\n".join(re.findall(r"```python\n(.*?)```", text, re.S)))
        # Away from the sources, without what the tests' environment sets.
        shown = run(self.python, example, cwd=self.folder, env={"PATH": "/usr/bin:/bin"})
        self.assertIn("cycles", shown)
        self.assertIn("ppl::tiu::fadd: src1 has 8 on axis w", shown)
        self.assertTrue((self.folder / "gelu.bmodel").exists())
        for line in ("2 4 6 8 4 3 14 16", "4 5 ? ? ? ? ? ?", "vmul: x is int8x32, must be of", "dtype('uint8'), (1000,)",
                     "copy_gm_to_cbuf_multi_nd2nz_b16(l1 + 0, gm + 0, sid=0, ndNum=2, nValue=20"):
            self.assertIn(line, shown)
        self.assertTrue((self.folder / "average.zyp").exists())

    def test_example_kernels_run(self):
        examples = sorted(path for folder in ("python", "kernels/*") for path in (FOLDER.parent / "examples").glob(f"{folder}/*.py"))
        self.assertGreaterEqual(len(examples), 5)
        for example in examples:  # each compares with numpy
            shown = run(self.python, example, cwd=self.folder, env={"PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"})
            self.assertRegex(shown, rf"^{example.stem}: (\d+ cycles|fine)$")

    def test_code_of_the_vendors_manual_runs(self):
        """All of the Python chapter in one file, as one pastes it: nothing tells Python where Weft lies."""
        lines = (FOLDER.parent / "tests/python/manual_test.py").read_text().splitlines(keepends=True)
        telling = [line for line in lines if re.match(r"sys\.path|os\.environ\[|del sys\.argv", line)]
        self.assertEqual(len(telling), 3)
        pasted = self.folder / "pasted.py"
        pasted.write_text("".join(line for line in lines if line not in telling))
        # The vendor's runtime, one of the manual's three modes there, is not ours to carry.
        environment = {"PATH": "/usr/bin:/bin", "WEFT_BMRT_LIB": os.environ["WEFT_BMRT_LIB"]}
        done = subprocess.run([self.python, pasted, "-v"], cwd=self.folder, env=environment, capture_output=True, text=True, timeout=240)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"test_examples_give_the_numbers_of_numpy.* ok\n")
        self.assertRegex(done.stderr, r"\nOK\n$")

    def test_program_runs(self):
        weft = self.folder / "env/bin/weft"
        self.assertIn("weft", run(weft, "--version", env={"PATH": "/usr/bin:/bin"}))
        kernel = self.folder / "kernel.cpp"
        kernel.write_text('#include "ppl/ppl.h"\nusing namespace ppl;\n'
                          "__TEST__ void twice() {\n"
                          "  dim4 shape{1, 64, 1, 16};\n"
                          "  float *x = rand<float>(&shape, -1.f, 1.f), *y = malloc<float>(&shape);\n"
                          "  tensor<float> t(shape);\n"
                          "  dma::load(t, gtensor<float>(shape, GLOBAL, x));\n"
                          "  tiu::fadd(t, t, t);\n"
                          "  dma::store(gtensor<float>(shape, GLOBAL, y), t);\n"
                          "  expect(y, &shape, [x](int i) { return 2 * x[i]; });\n"
                          "}\n")
        run(weft, "ppl", "test", kernel, cwd=self.folder, env={"PATH": "/usr/bin:/bin", "HOME": str(self.folder)})


if __name__ == "__main__":
    unittest.main()
