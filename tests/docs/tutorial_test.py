#!/usr/bin/env python3
"""Runs docs/tutorial.md from the first block to the last, and holds what they print against the page.

  tutorial_test.py WEFT LIBRARY-FOLDER [--picture]

`sh` and `python` blocks run in one folder, each in a process of its own; a `yaml` block is saved under the name in its first line. The `text` block behind one has lines of its output in their order, others may lie between; `..` is anything. `pip
download` is answered from the cache of scripts/fetch_model, after a look at the pinned version, so that no test needs the network.
--picture draws docs/images/tutorial-timeline.png from the page that the tutorial writes (needs the Chromium of scripts/setup).
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "tutorial.md"
WEFT, LIBRARIES = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
PICTURE = "--picture" in sys.argv
del sys.argv[1:]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests" / "cli")]
import browser  # noqa: E402
import model_registry  # noqa: E402

PIP = r"pip download --no-deps (\S+)==(\S+)"


def blocks():
    """(kind, text, expected lines) of every block but those of output."""
    found = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE.read_text(), re.S | re.M)
    for (kind, text), (behind, output) in zip(found, [*found[1:], ("", "")]):
        if kind != "text":
            yield kind, text, output.splitlines() if behind == "text" else []


def pattern(line):
    return re.compile(r".*?".join(re.escape(part) for part in line.split("..")))


def missing(expected, shown):
    """The first expected line that is not there in its place; None: all are."""
    lines = iter(shown.splitlines())
    for line in expected:
        if not any(pattern(line).fullmatch(one) for one in lines):
            return line
    return None


def wheel(package, version, folder):
    """What pip would have downloaded: the pinned model in a wheel."""
    model = model_registry.registry()["ppocr_cls"]
    assert (package, version) == (model["package"], model["version"]), f"the page says {package} {version}, models/ppocr_cls another"
    with zipfile.ZipFile(folder / f"{package.replace('-', '_')}-{version}-py3-none-any.whl", "w") as archive:
        archive.write(model_registry.fetch("ppocr_cls"), model["path"])


def draw(folder):
    import io
    from PIL import Image
    with browser.Browser() as shown:
        page = shown.open((folder / "profile.html").as_uri(), width=1360, height=760)
        page.frame()
        shot = Image.open(io.BytesIO(page.screenshot()))
        shot.convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(ROOT / "docs/images/tutorial-timeline.png", optimize=True)


class Tutorial(unittest.TestCase):
    def run_block(self, kind, text, folder):
        """What a block prints."""
        if match := re.search(PIP, text):
            wheel(*match.groups(), folder)
            text = re.sub(PIP, ":", text)
        if kind == "yaml":
            (folder / re.match(r"# (\S+)\n", text)[1]).write_text(text)
            return ""
        # python3 is the one with the packages of the tests.
        environment = {**os.environ, "PATH": f"{WEFT.parent}:{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT / "python"), "WEFT_NATIVE_DIR": str(LIBRARIES),
                       "WEFT_PYTHON": sys.executable}
        command = ["bash", "-ec", text] if kind == "sh" else [sys.executable, "-c", text]
        done = subprocess.run(command, cwd=folder, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
        self.assertEqual(done.returncode, 0, f"{text}\n{done.stdout}")
        return done.stdout

    def test_every_block(self):
        with tempfile.TemporaryDirectory() as place:
            folder, count = pathlib.Path(place), 0
            for kind, text, expected in blocks():
                self.assertIn(kind, ("sh", "python", "yaml"))
                shown = self.run_block(kind, text, folder)
                self.assertIsNone(missing(expected, shown), f"{text}\nprints\n{shown}")
                count += 1
            self.assertGreater(count, 12)
            if PICTURE:
                draw(folder)


if __name__ == "__main__":
    unittest.main()
