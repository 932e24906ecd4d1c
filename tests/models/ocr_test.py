#!/usr/bin/env python3
"""examples/ocr: what both programs read, that they read the same, and what they say of wrong input.

  ocr_test.py CMAKE BUILD ROOT FOLDER

BUILD is the build folder of Weft, which is installed into FOLDER; FOLDER keeps the program and the bmodels.
"""
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import unittest
import zlib

CMAKE, BUILD, ROOT, FOLDER = sys.argv[1], *map(pathlib.Path, sys.argv[2:5])
del sys.argv[1:5]
EXAMPLE, PHOTOS = ROOT / "examples/ocr", ROOT / "tests/data/ocr"
sys.path[:0] = [str(ROOT / "python"), str(EXAMPLE)]
os.environ |= {"WEFT_NATIVE_DIR": str(BUILD / "lib"), "PYTHONPATH": str(ROOT / "python")}
import cv2  # noqa: E402  (after the paths)
import numpy as np  # noqa: E402
import weft  # noqa: E402
import convert  # noqa: E402
import pages  # noqa: E402
import scoring  # noqa: E402


def run(*command):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=600)


def succeed(*command):
    result = run(*command)
    assert result.returncode == 0, f"{command}: {result.stdout}{result.stderr}"
    return result.stdout


def lines_of(printed):
    """[(text, box)] of what a program printed."""
    columns = [line.split("\t") for line in printed.splitlines()]
    return [(text, [[int(v) for v in corner.split(",")] for corner in box.split(" ")]) for _, box, text in columns]


def rendered_part():
    """The middle of a page with two columns, one of them upside down: (image, [(text, box)])."""
    image, lines = pages.page(2, "upside down")
    top, bottom = pages.HEIGHT // 3, 2 * pages.HEIGHT // 3
    inside = [(text, box - [0, top]) for text, box in lines if box[:, 1].min() > top + 5 and box[:, 1].max() < bottom - 5]
    for text, box in lines:
        if not any(text is kept for kept, _ in inside):  # cut in two: painted over
            low, high = np.clip(box.min(0) - 3, 0, None).astype(int), box.max(0).astype(int) + 4
            image[low[1]:high[1], low[0]:high[0]] = image[2, 2]
    return np.ascontiguousarray(image[top:bottom, :, ::-1]), inside


class Ocr(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(FOLDER, ignore_errors=True)
        succeed(CMAKE, "--install", BUILD / "runtime/capi", "--prefix", FOLDER / "prefix")
        succeed(CMAKE, "-G", "Ninja", "-S", EXAMPLE, "-B", FOLDER / "build", f"-DCMAKE_PREFIX_PATH={FOLDER / 'prefix'}",
                "-DCMAKE_CXX_FLAGS=-Werror")
        succeed(CMAKE, "--build", FOLDER / "build")
        cls.programs = [[FOLDER / "build/ocr"], [sys.executable, EXAMPLE / "ocr.py"]]
        convert.convert_floats(FOLDER / "f16", "f16")
        convert.convert_int8(FOLDER / "int8", 1)
        image, cls.truth = rendered_part()
        cls.page = FOLDER / "page.png"
        cv2.imwrite(str(cls.page), image)

    def read(self, models, image, *flags):
        """What both programs print; it must be the same."""
        printed = [succeed(*program, models, image, *flags) for program in self.programs]
        self.assertEqual(*printed)
        return lines_of(printed[0])

    def test_rendered_lines_of_both_directions(self):
        self.assertGreaterEqual(len(self.truth), 6)
        for precision in ("f16", "int8"):
            wrong, characters = scoring.edits(self.truth, self.read(FOLDER / precision, self.page))
            self.assertGreater(characters, 100)
            self.assertEqual(wrong, 0, precision)

    def test_a_photo(self):
        name = "signs_paris.jpg"
        truth = [(line["text"], line["box"]) for line in json.loads((PHOTOS / "truth.json").read_text())[name]]
        for precision in ("f16", "int8"):
            wrong, characters = scoring.edits(truth, self.read(FOLDER / precision, PHOTOS / name))
            # The signs have four accents, which these networks leave out in float, too. Three for the raised, slanted "Ier", three for
            # letters of LOUVRE that are small ones of another size.
            self.assertLessEqual(wrong, 10, precision)
            self.assertEqual(characters, 76)

    def test_pictures(self):
        page = cv2.imread(str(self.page))
        pictures = []
        for place, program in enumerate(self.programs):
            path = FOLDER / f"picture{place}.png"
            succeed(*program, FOLDER / "int8", self.page, "-o", path)
            picture = cv2.imread(str(path))
            self.assertEqual(picture.shape, (page.shape[0], 2 * page.shape[1], 3))
            left, right = np.hsplit(picture, 2)
            self.assertTrue((left != page).any())
            pictures.append((left, right))
            for text, box in self.truth:
                (x0, y0), (x1, y1) = box.min(0).astype(int), box.max(0).astype(int)
                ink = (right[y0:y1, x0:x1] < 128).mean()
                self.assertTrue(0.03 < ink < 0.5, (text, ink))
        np.testing.assert_array_equal(pictures[0][0], pictures[1][0])  # the boxes; letters differ by their smoothing

    def test_the_vendors_runtime(self):
        folder, shapes = FOLDER / "small", convert.SHAPES
        convert.SHAPES = {"det": "1x3x64x160", "cls": "1x3x48x192", "rec": "1x3x48x160"}
        try:
            convert.convert_floats(folder, "f32")
        finally:
            convert.SHAPES = shapes
        line = np.full((64, 160, 3), 255, np.uint8)
        cv2.putText(line, "Weft 19", (20, 42), cv2.FONT_HERSHEY_SIMPLEX, 0.9, (0, 0, 0), 2)
        cv2.imwrite(str(FOLDER / "line.png"), line)
        read = self.read(folder, FOLDER / "line.png", "--device", "bmrt", "--bmrt-lib", os.environ["WEFT_BMRT_LIB"])
        self.assertEqual([text for text, _ in read], ["Weft 19"])
        self.assertEqual(read, self.read(folder, FOLDER / "line.png"))

    def test_wrong_input_is_one_line(self):
        swapped, short = FOLDER / "swapped", FOLDER / "short"
        for folder in (swapped, short):
            shutil.copytree(FOLDER / "f16", folder)
        shutil.copy(FOLDER / "f16/cls.bmodel", swapped / "det.bmodel")
        (short / "characters.txt").write_text("a\nb\n")
        broken = shutil.copytree(FOLDER / "f16", FOLDER / "broken")
        (broken / "rec.bmodel").write_bytes((FOLDER / "f16/rec.bmodel").read_bytes()[:1000])
        text, blank = FOLDER / "text.png", FOLDER / "blank.png"
        cv2.imwrite(str(blank), np.full((64, 200, 3), 255, np.uint8))
        text.write_text("no picture")
        header = b"IHDR" + struct.pack(">IIBBBBB", 10 ** 6, 10 ** 6, 8, 2, 0, 0, 0)
        huge = FOLDER / "huge.png"
        huge.write_bytes(b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + header + struct.pack(">I", zlib.crc32(header)))
        models = FOLDER / "f16"
        for arguments, said in (
                ((models, FOLDER / "absent.png"), "absent.png: no such file"),
                ((models, text), "text.png: not an image"),
                ((models, huge), "huge.png: not an image"),
                ((FOLDER / "absent", blank), "absent"),
                ((swapped, blank), r"det.bmodel: the output is 1x2, must be 1x1x48x192, a probability for each pixel"),
                ((short, blank), r"rec.bmodel: the output is 1x40x6625, must be 1xCOLUMNSx3: blank, and the 2 characters of characters.txt"),
                ((broken, blank), "rec.bmodel: "),
                ((models, blank, "-o", FOLDER / "picture.xyz"), "picture.xyz: '.xyz' is no format that OpenCV writes"),
                ((models, blank, "-o", FOLDER / "absent/picture.png"), "absent/picture.png: "),
                ((models, blank, "-o", FOLDER / "picture.png", "--font", text), "text.png: not a font"),
                ((models, blank, "--device", "bmrt", "--bmrt-lib", FOLDER / "absent.so"), "absent.so")):
            for program in self.programs:
                result = run(*program, *arguments)
                self.assertEqual(result.returncode, 2, (arguments, result.stderr))
                # libpng writes its own line before OpenCV hears of a broken file.
                self.assertRegex(result.stderr, r"^(libpng error: [^\n]*\n)?ocr(\.py)?: error: [^\n]*\n$")
                self.assertRegex(result.stderr, said)
        for program in self.programs:
            self.assertEqual(run(*program, models, blank, "--device", "abacus").returncode, 2)

    def test_the_score_counts_what_is_wrong(self):
        box = [[0, 0], [100, 0], [100, 10], [0, 10]]
        truth = [("Weft reads", box), ("１９", [[0, 20], [100, 20], [100, 30], [0, 30]])]
        halves = [("reads", [[50, 0], [100, 0], [100, 10], [50, 10]]), ("Weft", [[0, 0], [40, 0], [40, 10], [0, 10]])]
        for lines, wrong in (([], 11), (halves, 2), ([*halves, ("19", truth[1][1])], 0), ([("Weft", box), ("19", truth[1][1])], 5),
                             ([*halves, ("19", truth[1][1]), ("new", [[200, 0], [300, 0], [300, 10], [200, 10]])], 3),
                             ([("Wefts read", box), ("1a", truth[1][1])], 3)):
            self.assertEqual(scoring.edits(truth, lines), (wrong, 11), lines)

    def test_stages_of_a_model(self):
        model = weft.Model(FOLDER / "f16/rec.bmodel")
        self.assertEqual([stage["x"][1][3] for stage in model.stages], [320, 640, 960, 1280, 1920])
        self.assertEqual(model.stages[0], model.inputs)


if __name__ == "__main__":
    unittest.main()
