#!/usr/bin/env python3
"""weft npz: files of arrays shown, compared, changed and drawn; numpy judges.

  npz_test.py WEFT TEST_DATA_FOLDER MANUAL
"""
import io
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import unittest

import numpy as np
from PIL import Image

from json_schema import COUNT, FLAG, REAL, TEXT, keys, mismatches

WEFT, DATA = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve() / "vendor-bmodels"
MANUAL = pathlib.Path(sys.argv[3]).read_text()

SHOW = {"file": TEXT, "arrays": [{"name": TEXT, "type": TEXT, "shape": [COUNT], "min": REAL, "max": REAL, "mean": REAL, "std": REAL, "nan": COUNT, "infinite": COUNT,
                                  "zeros": COUNT}]}
COMPARE = {"file": TEXT, "reference": TEXT, "passed": FLAG,
           "arrays": [{"name": TEXT, "reference_name": TEXT, "passed": FLAG, "failures": [TEXT], "cosine": REAL, "euclidean": REAL, "sqnr_db": REAL, "max_error": REAL,
                       "mean_error": REAL}],
           "only_in_file": [TEXT], "only_in_reference": [TEXT], "failures": [TEXT]}


class Npz(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        rng = np.random.default_rng(8)
        self.arrays = {"x": rng.normal(size=(2, 3, 5, 4)).astype(np.float32), "i": rng.integers(-9, 9, (6,)), "b=c": rng.normal(size=(3, 2)),
                       "flag": np.array([[True, False]]), "one": np.array(7, np.int8), "none": np.zeros((0, 3), np.float32)}
        np.savez(self.folder / "a.npz", **self.arrays)

    def weft(self, *arguments, code=0, **options):
        done = subprocess.run([WEFT, "npz", *map(str, arguments)], cwd=self.folder, capture_output=True, **options)
        self.assertEqual(done.returncode, code, done.stderr.decode())
        return done.stdout

    def refuses(self, says, *arguments, code=2, **options):
        before = sorted(os.listdir(self.folder))
        done = subprocess.run([WEFT, "npz", *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, **options)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertRegex(done.stderr, r"\Aweft: error: [^\n]+\n\Z")
        self.assertRegex(done.stderr, says)
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def edited(self, *arguments):
        """What the verb makes of a.npz."""
        self.weft(arguments[0], "a.npz", *arguments[1:], "-o", "out.npz")
        with np.load(self.folder / "out.npz") as out:
            return {name: out[name] for name in out.files}

    def assert_arrays(self, got, want):
        self.assertEqual(list(got), list(want))
        for name in want:
            self.assertEqual((got[name].dtype, got[name].shape), (want[name].dtype, want[name].shape), name)
            np.testing.assert_array_equal(got[name], want[name], name)

    def test_show_has_the_figures_of_numpy(self):
        self.arrays["x"][0, 0, 0, :3] = [np.nan, np.inf, -np.inf]
        self.arrays["x"][1, 1, 1] = 0
        self.arrays["offset"] = np.array([1e8, 1e8 + 1])
        np.savez(self.folder / "a.npz", **self.arrays)
        facts = json.loads(self.weft("show", "a.npz", "--json"))
        plain = json.loads(json.dumps(facts))
        for entry in plain["arrays"]:  # the schema has no negative numbers
            entry.update({key: abs(entry[key]) for key in ("min", "max", "mean") if entry[key] is not None})
        self.assertEqual(mismatches(SHOW, plain, "show", nullable=("min", "max", "mean", "std")), [])
        self.assertEqual({key for key in keys(SHOW) | keys(COMPARE) if f"`{key}`" not in MANUAL}, set())
        self.assertEqual([entry["name"] for entry in facts["arrays"]], list(self.arrays))
        for entry in facts["arrays"]:
            array = self.arrays[entry["name"]].astype(np.float64)
            finite = array[np.isfinite(array)]
            self.assertEqual(entry["shape"], list(array.shape))
            self.assertEqual((entry["nan"], entry["infinite"], entry["zeros"]), (np.isnan(array).sum(), np.isinf(array).sum(), (array == 0).sum()))
            want = [finite.min(), finite.max(), finite.mean(), finite.std()] if finite.size else [None] * 4
            for key, number in zip(("min", "max", "mean", "std"), want):
                self.assertEqual(entry[key], number) if number is None else self.assertAlmostEqual(entry[key], number, places=7)
        text = self.weft("show", "a.npz").decode()
        for name, array in self.arrays.items():
            self.assertRegex(text, re.escape(f"'{name}'") + r"\s+\w+\s+" + ("x".join(map(str, array.shape)) or "scalar"))
        self.refuses("a.npz: not all is finite in 'x'", "show", "a.npz", "--check-finite", code=1)
        self.weft("remove", "a.npz", "x", "-o", "b.npz")
        self.weft("show", "b.npz", "--check-finite")

    def test_show_prints_values(self):
        self.arrays["big"] = np.array([2**63 - 1, -2**63])
        np.savez(self.folder / "a.npz", **self.arrays)
        text = self.weft("show", "a.npz", "--values", "x", "--count", 3).decode().splitlines()[2:]
        x = self.arrays["x"]
        self.assertEqual([np.float32(line.split("] ")[1]) for line in text[:3]], list(x.ravel()[:3]))
        self.assertEqual(text[2].split("]")[0], "[0, 0, 0, 2")
        self.assertEqual(text[3:], [f"and {x.size - 3} more"])
        values = json.loads(self.weft("show", "a.npz", "--values", "big", "--json"))["arrays"][0]["values"]
        self.assertEqual(values, [2**63 - 1, -2**63])

    def test_npy_files_and_stdin(self):
        np.save(self.folder / "one array.npy", self.arrays["x"])
        self.assertIn(b"'one array'", self.weft("show", "one array.npy"))
        done = self.weft("cast", "-", "x", "--dtype", "f64", "-o", "-", input=(self.folder / "a.npz").read_bytes())
        with np.load(io.BytesIO(done)) as out:
            np.testing.assert_array_equal(out["x"], self.arrays["x"].astype(np.float64))

    def test_casts_are_those_of_numpy(self):
        for dtype, want in (("f16", np.float16), ("f64", np.float64)):
            got = self.edited("cast", "--dtype", dtype)
            self.assert_arrays(got, {name: array.astype(want) for name, array in self.arrays.items()})
        self.assert_arrays(self.edited("cast", "i", "flag", "--dtype", "i32"), {**self.arrays, "i": self.arrays["i"].astype(np.int32), "flag": self.arrays["flag"].astype(np.int32)})
        bits = self.arrays["x"].view(np.uint32)
        brain = ((bits + 0x7fff + (bits >> 16 & 1)) >> 16).astype(np.uint16)  # to nearest even
        values = (brain.astype(np.uint32) << 16).view(np.float32)
        self.assert_arrays(self.edited("cast", "x", "--dtype", "bf16"), {**self.arrays, "x": values})
        self.assert_arrays(self.edited("cast", "x", "--dtype", "bf16", "--bits"), {**self.arrays, "x": brain})
        self.weft("cast", "out.npz", "x", "--from", "bf16", "--dtype", "f32", "-o", "back.npz")
        np.testing.assert_array_equal(np.load(self.folder / "back.npz")["x"], values)
        self.refuses(r"a\.npz: array 'i' is -\d at \[\d\], which u8 does not have", "cast", "a.npz", "i", "--dtype", "u8", "-o", "o.npz")
        self.refuses("array 'x' is f32, which cannot stand for f16", "cast", "a.npz", "x", "--from", "f16", "--dtype", "f32", "-o", "o.npz")
        self.refuses("'float' is no type", "cast", "a.npz", "--dtype", "float", "-o", "o.npz")

    def test_names_and_shapes_change(self):
        a = self.arrays
        self.assert_arrays(self.edited("rename", "x=y", "b=c=x"), {"y": a["x"], "i": a["i"], "x": a["b=c"], "flag": a["flag"], "one": a["one"], "none": a["none"]})
        self.assert_arrays(self.edited("extract", "i", "x"), {"i": a["i"], "x": a["x"]})
        self.assert_arrays(self.edited("remove", "i", "x"), {name: a[name] for name in ("b=c", "flag", "one", "none")})
        self.assert_arrays(self.edited("reshape", "x=6x-1", "one=1x1", "flag=2", "i=2x3"),
                           {**a, "x": a["x"].reshape(6, 20), "one": a["one"].reshape(1, 1), "flag": a["flag"].reshape(2), "i": a["i"].reshape(2, 3)})
        self.assert_arrays(self.edited("permute", "x=0,2,3,1", "b=c=1,0", "none=1,0"),
                           {**a, "x": a["x"].transpose(0, 2, 3, 1), "b=c": a["b=c"].T, "none": a["none"].T})
        self.refuses("a.npz: there is no array 'z'", "extract", "a.npz", "z", "-o", "o.npz")
        self.refuses("there is no array 'flga'; perhaps 'flag'", "remove", "a.npz", "flga", "-o", "o.npz")
        self.refuses("'x' stands for two arrays", "rename", "a.npz", "i=x", "-o", "o.npz")
        self.refuses("'x' is renamed twice", "rename", "a.npz", "x=y", "x=z", "-o", "o.npz")
        self.refuses("'x' is no OLD=NEW", "rename", "a.npz", "x", "-o", "o.npz")
        for shape in ("7", "7x-1", "0x-1", "2x2"):
            self.refuses(f"array 'x' is 2x3x5x4, {shape} has other elements", "reshape", "a.npz", f"x={shape}", "-o", "o.npz")
        for shape in ("-2", "2x", "a", "99999999999"):
            self.refuses("is no NAME=2x3x-1", "reshape", "a.npz", f"x={shape}", "-o", "o.npz")
        for axes in ("0,1,2", "0,1,2,2", "0,1,2,4", "0,1,2,-1", "a"):
            self.refuses("name each of its axes", "permute", "a.npz", f"x={axes}", "-o", "o.npz")

    def test_files_are_merged(self):
        np.save(self.folder / "y.npy", self.arrays["i"])
        np.savez(self.folder / "b.npz", x=self.arrays["one"], z=self.arrays["x"])
        self.weft("merge", "a.npz", "y.npy", "-o", "both.npz")
        with np.load(self.folder / "both.npz") as both:
            self.assert_arrays(dict(both), {**self.arrays, "y": self.arrays["i"]})
        self.refuses("b.npz: array 'x' is in a file before it, too", "merge", "a.npz", "b.npz", "-o", "o.npz")
        self.weft("merge", "a.npz", "b.npz", "--replace", "-o", "last.npz")
        with np.load(self.folder / "last.npz") as last:
            self.assert_arrays(dict(last), {**self.arrays, "x": self.arrays["one"], "z": self.arrays["x"]})

    def test_arrays_leave_the_archive(self):
        self.weft("to-npy", "a.npz", "b=c", "-o", "c.npy")
        np.testing.assert_array_equal(np.load(self.folder / "c.npy"), self.arrays["b=c"])
        self.assertEqual(self.weft("to-bin", "a.npz", "i", "x", "-o", "-"), self.arrays["i"].tobytes() + self.arrays["x"].tobytes())
        self.assertEqual(self.weft("to-bin", "a.npz", "-o", "-"), b"".join(array.tobytes() for array in self.arrays.values()))
        brain = self.weft("to-bin", "a.npz", "x", "--dtype", "bf16", "-o", "-")
        np.testing.assert_allclose((np.frombuffer(brain, np.uint16).astype(np.uint32) << 16).view(np.float32), self.arrays["x"].ravel(), rtol=2**-8)
        self.refuses("6 arrays, a .npy file has one", "to-npy", "a.npz", "-o", "c2.npy")

    def test_compare_by_the_measures_of_weft_and_of_the_vendor(self):
        x = self.arrays["x"]
        noisy = {**self.arrays, "x": x * np.float32(1.002)}
        np.savez(self.folder / "b.npz", **noisy)
        facts = json.loads(self.weft("compare", "b.npz", "a.npz", "--precision", "f16", "--json"))
        plain = {**facts, "arrays": facts["arrays"]}
        self.assertEqual(mismatches(COMPARE, plain, "compare", nullable=("sqnr_db",)), [])
        row = facts["arrays"][0]
        a, b = noisy["x"].astype(np.float64), x.astype(np.float64)
        self.assertAlmostEqual(row["cosine"], (a * b).sum() / np.sqrt((a * a).sum() * (b * b).sum()))
        self.assertAlmostEqual(row["euclidean"], 1 - np.linalg.norm(a - b) / np.linalg.norm((a + b) / 2), places=6)
        self.assertAlmostEqual(row["sqnr_db"], 10 * np.log10((b * b).sum() / ((a - b)**2).sum()), places=6)
        self.assertAlmostEqual(row["max_error"], np.abs(a - b).max())
        self.assertTrue(facts["passed"])
        self.assertIn(b"FAIL", self.weft("compare", "b.npz", "a.npz", "--limit", "cosine=1", "--limit", "sqnr=60", code=1))
        self.weft("compare", "b.npz", "a.npz", "--tolerance", "0.99,0.99")
        self.assertIn(b"euclidean similarity is 0.998", self.weft("compare", "b.npz", "a.npz", "--tolerance", "0.99,0.999", code=1))
        np.savez(self.folder / "inf.npz", a=np.array([np.inf, -np.inf, 1, 2], np.float32))
        self.weft("compare", "inf.npz", "inf.npz", "--tolerance", "0.99,0.99")
        self.refuses("--tolerance is given beside --limit", "compare", "b.npz", "a.npz", "--tolerance", "0.99,0.9", "--limit", "cosine=1")
        for text in ("0.9", "a,b", "2,0.9", "nan,0.9", "0.9,nan"):
            self.refuses("is no COSINE,EUCLIDEAN", "compare", "b.npz", "a.npz", "--tolerance", text)

    def test_compare_finds_the_vendors_names(self):
        with np.load(DATA / "rich_F32_output.npz") as vendor:
            self.assertIn("sm_Softmax", vendor.files)
            np.savez(self.folder / "ours.npz", sm=vendor["sm_Softmax"], extra=vendor["sm_Softmax"])
        facts = json.loads(self.weft("compare", "ours.npz", DATA / "rich_F32_output.npz", "--json"))
        self.assertEqual([(row["name"], row["reference_name"]) for row in facts["arrays"]], [("sm", "sm_Softmax")])
        self.assertEqual((facts["only_in_file"], facts["only_in_reference"]), (["extra"], ["sl_Slice"]))
        self.weft("compare", "ours.npz", DATA / "rich_F32_output.npz", "--same-names", code=1)
        self.weft("compare", DATA / "rich_F32_output.npz", "ours.npz", "--name", "sm_Softmax")
        self.weft("compare", "ours.npz", DATA / "rich_F32_output.npz", "--name", "extra", code=1)
        self.assertIn(b"no array has a name that both files have", self.weft("compare", "a.npz", "ours.npz", code=1))

    def test_compare_says_what_cannot_be_compared(self):
        x = self.arrays["x"].copy()
        np.savez(self.folder / "flat.npz", x=x.reshape(1, 2, 3, 20))
        self.weft("compare", "flat.npz", "a.npz", "--name", "x")
        np.savez(self.folder / "short.npz", x=x[:1])
        self.assertIn(b"FAIL", self.weft("compare", "short.npz", "a.npz", code=1))
        x[0, 0, 0, 0] = np.nan
        np.savez(self.folder / "nan.npz", x=x)
        self.assertIn(b"FAIL", self.weft("compare", "nan.npz", "a.npz", code=1))

    def picture(self, *arguments):
        return np.asarray(Image.open(io.BytesIO(self.weft("picture", *arguments, "-o", "-"))))

    def shades(self, array):
        return np.floor((array.astype(np.float64) - array.min()) / (float(array.max()) - float(array.min())) * 255 + .5).astype(np.uint8)

    def test_pictures_have_the_planes_in_a_grid(self):
        x = np.arange(3 * 5 * 4, dtype=np.float32).reshape(1, 3, 5, 4)
        np.savez(self.folder / "p.npz", x=x, hwc=x.transpose(0, 2, 3, 1), list=np.arange(3), flat=np.full((2, 2), 5), nan=np.array([[0, np.nan], [np.inf, 1]]), one=np.array(3.))
        shades = self.shades(x)[0]
        grid = self.picture("p.npz", "x")
        self.assertEqual(grid.shape, (11, 9))
        for i, (top, left) in enumerate(((0, 0), (0, 5), (6, 0))):
            np.testing.assert_array_equal(grid[top:top + 5, left:left + 4], shades[i])
        self.assertEqual((grid[5].max(), grid[:, 4].max(), grid[6:, 5:].max()), (0, 0, 0))
        np.testing.assert_array_equal(self.picture("p.npz", "hwc", "--layout", "nhwc"), grid)
        np.testing.assert_array_equal(self.picture("p.npz", "x", "--color"), shades.transpose(1, 2, 0))
        np.testing.assert_array_equal(self.picture("p.npz", "hwc", "--layout", "nhwc", "--color"), shades.transpose(1, 2, 0))
        np.testing.assert_array_equal(self.picture("p.npz", "list"), [[0, 128, 255]])
        np.testing.assert_array_equal(self.picture("p.npz", "flat"), np.full((2, 2), 128))
        np.testing.assert_array_equal(self.picture("p.npz", "nan"), [[0, 0], [255, 255]])
        np.testing.assert_array_equal(self.picture("p.npz", "one"), [[128]])
        self.refuses("has no elements to show", "picture", "a.npz", "none", "-o", "p.png")
        self.refuses("has 6 planes; --color takes three", "picture", "a.npz", "x", "--color", "-o", "p.png")
        np.save(self.folder / "wide.npy", np.zeros((60_000_000, 1), np.int8))
        self.refuses("more than 100 million pixels", "picture", "wide.npy", "wide", "-o", "p.png")

    def test_files_that_are_no_arrays(self):
        whole = (self.folder / "a.npz").read_bytes()
        damaged = bytearray(whole)
        at = whole.index(self.arrays["x"].tobytes()) + 20
        damaged[at] ^= 1
        for name, content in (("text.npz", b"no archive"), ("empty.npz", b""), ("cut.npz", whole[:-40]), ("damaged.npz", bytes(damaged))):
            (self.folder / name).write_bytes(content)
            self.refuses(re.escape(name), "show", name)
            self.refuses(re.escape(name), "cast", name, "--dtype", "f64", "-o", "o.npz")
            self.refuses(re.escape(name), "compare", name, "a.npz")
            self.refuses(re.escape(name), "to-bin", name, "-o", "o.bin")
        self.refuses("missing.npz", "show", "missing.npz")
        np.savez(self.folder / "complex.npz", x=np.array([1j]))
        self.refuses("is c64|is c128", "cast", "complex.npz", "--dtype", "f32", "-o", "o.npz")

    def test_outputs_keep_the_rules(self):
        self.refuses("a.npz: --output would overwrite the arrays", "cast", "a.npz", "--dtype", "f16", "-o", "a.npz")
        self.refuses("a.npz: --output would overwrite the arrays", "merge", "a.npz", "-o", "a.npz")
        self.refuses("no/o.npz", "extract", "a.npz", "x", "-o", "no/o.npz")
        self.refuses("o.npz", "extract", "a.npz", "x", "-o", "o.npz", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300)))
        self.refuses("--output is required; see weft npz cast --help", "cast", "a.npz", "--dtype", "f16")
        self.refuses("no verb given; see weft npz --help")
        self.refuses("unknown verb or option 'shwo', perhaps 'show'; see weft npz --help", "shwo", "a.npz")
        self.refuses("unknown option '--jsn', perhaps '--json'; see weft npz show --help", "show", "a.npz", "--jsn")
        self.refuses("stdin is given for two files", "compare", "-", "-", stdin=subprocess.DEVNULL)

    def test_an_archive_larger_than_the_memory_is_read_array_by_array(self):
        # 8 arrays of 64 MB, compressed; less memory than two of them beside the program.
        np.savez_compressed(self.folder / "large.npz", **{f"x{i}": np.zeros(16 << 20, np.float32) for i in range(8)})
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        self.weft("cast", "large.npz", "--dtype", "f16", "-o", "half.npz")
        self.weft("show", "large.npz")
        self.assertLess(max(before, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss), 300_000)
        self.assertEqual(os.path.getsize(self.folder / "half.npz") >> 20, 256)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
