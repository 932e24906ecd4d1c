"""Kernels that must be refused: each says, before the wrong statement, what the message is.

refused_test.py WEFT [--only NAME]: runs `weft ppl test` on every file of refused/. A comment `// refused: TEXT`, which may go on in
the next lines, stands before the statement; the message must name the statement's line and contain TEXT. The exit code is 2, that
of a mistake of the user; after `// warned: TEXT` the message is a warning and the exit code 0. `// options: WORDS` are passed on.
ppl/ppl.h is compiled once before, with the options of `weft ppl`.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ONLY = sys.argv.pop() if "--only" in sys.argv else ""
if ONLY:
    sys.argv.remove("--only")
WEFT = pathlib.Path(sys.argv.pop(1)).resolve()
FOLDER = pathlib.Path(__file__).resolve().parent / "refused"
COMPILER = os.environ.get("CXX", "c++")


class RefusedTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        include, compiled = WEFT.parents[1] / "include" / "weft", pathlib.Path(folder, "ppl", "ppl.h.gch")
        compiled.parent.mkdir()
        subprocess.run([*COMPILER.split(), "-std=c++17", "-O1", "-fPIC", f"-I{include}", "-x", "c++-header", include / "ppl" / "ppl.h",
                        "-o", compiled], check=True)
        cls.environment = os.environ | {"CXX": f"{COMPILER} -Winvalid-pch -Werror=invalid-pch -I{folder}"}

    def test_files(self):
        files = sorted(FOLDER.glob("*.cpp"))
        self.assertGreaterEqual(len(files), 80)
        for path in [path for path in files if ONLY in ("", path.stem)]:
            with self.subTest(path.name):
                self.check(path)

    def check(self, path):
        line, text, code, options = None, None, 2, []
        for number, source in enumerate(path.read_text().splitlines(), 1):
            if source.startswith("// options: "):
                options = source.split()[2:]
            comment = re.match(r"\s*// (refused: |warned: )?(.*)", source)
            if comment and comment[1] == "warned: ":
                code = 0
            if comment and (comment[1] or text):
                text = f"{text} {comment[2]}" if text else comment[2]
            elif text:
                line = number
                break
        self.assertIsNotNone(line, "no line is marked")
        ran = subprocess.run([WEFT, "ppl", "test", path.name, *options], cwd=FOLDER, capture_output=True, text=True, timeout=120,
                             env=self.environment)
        self.assertEqual(ran.returncode, code, ran.stdout + ran.stderr)
        messages = [m for m in ran.stderr.splitlines() if f"{path.name}:" in m]
        self.assertTrue(messages, ran.stderr)
        self.assertIn(f"{path.name}:{line}: ", messages[0])
        self.assertIn(text, messages[0])
        self.assertIn("weft: warning: " if code == 0 else "weft: error: ", messages[0])


if __name__ == "__main__":
    unittest.main()
