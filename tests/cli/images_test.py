#!/usr/bin/env python3
"""Images and arrays as inputs of run, compare, calibrate and convert.

  images_test.py WEFT DOCS_CLI_MD

The network is -x, so that `weft run` shows the input tensor. Pixels are judged by Pillow, interpolation by formulas in numpy
and, where an image grows, by Pillow; calibration by tables of arrays that are preprocessed here.
"""
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

import numpy as np
import onnx
from onnx import TensorProto, helper
from PIL import Image, ImageOps

WEFT, DOCS = sys.argv[1], pathlib.Path(sys.argv[2])
TYPES = {"float32": TensorProto.FLOAT, "float16": TensorProto.FLOAT16, "uint8": TensorProto.UINT8}


def photo(height, width, seed=1):
    """Smooth like a photo, with edges: random waves and a box."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width]
    image = np.zeros((height, width, 3))
    for c in range(3):
        for _ in range(4):
            fy, fx, phase = rng.uniform(-0.4, 0.4), rng.uniform(-0.4, 0.4), rng.uniform(0, 6)
            image[..., c] += np.sin(fy * y + fx * x + phase)
    image = 127 + 30 * image
    image[height // 4:height // 2, width // 3:width // 2] += 60
    return np.clip(image, 0, 255).astype(np.uint8)


def network(shapes, kind="float32"):
    """y = -x of one input, or the sum of several."""
    names = ["x", "z"][:len(shapes)]
    op = "Neg" if len(shapes) == 1 else "Add"
    infos = [helper.make_tensor_value_info(n, TYPES[kind], s) for n, s in zip(names, shapes)]
    graph = helper.make_graph([helper.make_node(op, names, ["y"])], "net", infos,
                              [helper.make_tensor_value_info("y", TYPES[kind], None)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def product(shape, filters=4):
    """A convolution, which int8 is about."""
    weights = np.random.default_rng(3).uniform(-1, 1, (filters, shape[1], 3, 3)).astype(np.float32)
    graph = helper.make_graph([helper.make_node("Conv", ["x", "w"], ["y"])], "net",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
                              [onnx.numpy_helper.from_array(weights, "w")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def bilinear(image, height, width):
    """Half-pixel centres, no antialiasing: reals, before they are rounded."""
    def points(size, count):
        at = np.clip((np.arange(count) + 0.5) * size / count - 0.5, 0, size - 1)
        first = np.floor(at).astype(int)
        return first, np.minimum(first + 1, size - 1), at - first
    image = image.astype(np.float64)
    a, b, weight = points(image.shape[0], height)
    rows = image[a] * (1 - weight)[:, None, None] + image[b] * weight[:, None, None]
    a, b, weight = points(image.shape[1], width)
    return rows[:, a] * (1 - weight)[None, :, None] + rows[:, b] * weight[None, :, None]


def rounded(image, height, width):
    """The same to whole codes, halves up: as fractions, since halves are frequent."""
    def weights(size, count):
        matrix = np.zeros((count, size), np.int64)  # in 1 / (2 count)
        for i in range(count):
            at = min(max((2 * i + 1) * size - count, 0), 2 * count * (size - 1))
            first, rest = divmod(at, 2 * count)
            matrix[i, first] += 2 * count - rest
            matrix[i, min(first + 1, size - 1)] += rest
        return matrix
    whole = 4 * height * width
    sums = np.einsum("yi,xj,ijc->yxc", weights(image.shape[0], height), weights(image.shape[1], width), image.astype(np.int64))
    return (2 * sums + whole) // (2 * whole)


def png(width, height, depth, color, passes, *extra):
    """A PNG file. `passes` are lists of rows of bytes, filtered by nothing."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    data = b"".join(b"\0" + row for rows in passes for row in rows)
    header = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, 1 if len(passes) > 1 else 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + b"".join(chunk(*one) for one in extra) + \
        chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b"")


class Images(unittest.TestCase):
    def setUp(self):
        self.holder = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.holder.name)
        (self.folder / "photos").mkdir()

    def tearDown(self):
        self.holder.cleanup()

    def weft(self, *arguments, code=0):
        result = subprocess.run([WEFT, *map(str, arguments)], capture_output=True, text=True, timeout=120)
        self.assertEqual(result.returncode, code, result.stderr)
        if code:
            self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        return result.stderr if code else result.stdout

    def model(self, *shapes, kind="float32", stages=()):
        onnx.save(network(shapes, kind), self.folder / "m.onnx")
        self.weft("convert", self.folder / "m.onnx", "-o", self.folder / "m.bmodel", *stages)

    def tensor(self, *arguments, code=0):
        """The input tensor that `weft run` makes of --input and so on."""
        out = self.folder / "out.npz"
        out.unlink(missing_ok=True)
        text = self.weft("run", self.folder / "m.bmodel", "-o", out, *arguments, code=code)
        if code:
            self.assertFalse(out.exists())
            return text
        with np.load(out) as archive:
            return -archive["y"]

    def save(self, name, image, **options):
        path = self.folder / name
        (image if isinstance(image, Image.Image) else Image.fromarray(image)).save(path, **options)
        return path

    def decoded(self, path, color=None):
        """As stored: n,h,w,c of the sizes that Pillow sees upright."""
        with Image.open(path) as file:
            width, height = ImageOps.exif_transpose(file).size
        self.model([1, height, width, 1 if color == "gray" else 3])
        return self.tensor("-i", path, "--layout", "nhwc")[0]

    def test_png_is_what_pillow_reads(self):
        image = photo(37, 53)
        rgb = Image.fromarray(image)
        alpha = rgb.convert("RGBA")
        alpha.putalpha(rgb.convert("L"))
        for name, one in {"rgb": rgb, "alpha": alpha, "palette": rgb.quantize(64), "bits": rgb.quantize(4), "one": rgb.convert("1")}.items():
            path = self.save(f"{name}.png", one)
            np.testing.assert_array_equal(self.decoded(path), np.asarray(one.convert("RGB")), err_msg=name)
        gray = rgb.convert("L")
        for one in (gray, gray.convert("LA")):
            path = self.save("gray.png", one)
            np.testing.assert_array_equal(self.decoded(path, "gray")[..., 0], np.asarray(gray))
        # Pillow's formula is ours.
        np.testing.assert_array_equal(self.decoded(self.folder / "rgb.png", "gray")[..., 0], np.asarray(gray))

    def test_rare_png(self):
        image = photo(11, 13)
        adam7 = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)]
        passes = [[row.tobytes() for row in image[y::dy, x::dx]] for y, x, dy, dx in adam7]
        path = self.folder / "a.png"
        path.write_bytes(png(13, 11, 8, 2, passes))
        np.testing.assert_array_equal(self.decoded(path), image)
        # 16 bits a channel: v / 257 to the nearest. Profiles of brightness change nothing.
        wide = np.random.default_rng(2).integers(0, 65536, (11, 13, 3), np.uint16)
        gamma = (b"gAMA", struct.pack(">I", 100000))
        for extra in ((), (gamma,), (gamma, (b"cHRM", struct.pack(">8I", *range(30000, 38000, 1000))))):
            path.write_bytes(png(13, 11, 16, 2, [[row.astype(">u2").tobytes() for row in wide]], *extra))
            np.testing.assert_array_equal(self.decoded(path), (wide.astype(int) + 128) // 257)
            path.write_bytes(png(13, 11, 8, 2, [[row.tobytes() for row in image]], *extra))
            np.testing.assert_array_equal(self.decoded(path), image)

    def test_jpeg_is_what_pillow_reads(self):
        # Both decode with libjpeg-turbo, its accurate transform and its smooth spreading of halved color.
        rgb = Image.fromarray(photo(37, 53))
        for name, one, options in [("plain", rgb, {"subsampling": 0}), ("halved", rgb, {"subsampling": 2}), ("progressive", rgb, {"progressive": True}),
                                   ("gray", rgb.convert("L"), {}), ("cmyk", rgb.convert("CMYK"), {})]:
            path = self.save(f"{name}.jpg", one, quality=85, **options)
            with Image.open(path) as file:
                wanted = np.asarray(file.convert("RGB"))
            np.testing.assert_array_equal(self.decoded(path), wanted, err_msg=name)

    def test_orientation_is_applied(self):
        image = photo(10, 14)
        for orientation in range(1, 9):
            exif = Image.Exif()
            exif[0x0112] = orientation
            path = self.save("turned.png", image, exif=exif)
            with Image.open(path) as file:
                wanted = np.asarray(ImageOps.exif_transpose(file))
            np.testing.assert_array_equal(self.decoded(path), wanted)

    def test_resize_is_the_documented_formula(self):
        image = photo(37, 53)
        path = self.save("p.png", image)
        for height, width in [(37, 53), (74, 60), (20, 30), (9, 80), (1, 1), (128, 128)]:
            self.model([1, height, width, 3])
            tensor = self.tensor("-i", path, "--layout", "nhwc")[0]
            # Half a code is what rounding takes; the rest is for sums in another order.
            self.assertLessEqual(np.abs(tensor - bilinear(image, height, width)).max(), 0.5 + 1e-9)
            if height >= 37 and width >= 53:
                pillow = np.asarray(Image.fromarray(image).resize((width, height), Image.Resampling.BILINEAR)).astype(int)
                # Pillow rounds after each direction, we once: half a code each.
                self.assertLessEqual(np.abs(tensor - pillow).max(), 1)

    def test_shrinking_does_not_antialias(self):
        stripes = np.zeros((8, 8), np.uint8)
        stripes[:, 1::4] = 255  # at 0.5, 2.5, ..: the second pixel of every four counts half
        path = self.save("s.png", stripes)
        self.model([1, 1, 8, 4])
        np.testing.assert_array_equal(self.tensor("-i", path)[0, 0, 0], [128, 0, 128, 0])

    def test_all_settings_by_file_and_by_flags(self):
        image = photo(40, 60)
        path = self.save("p.png", image)
        self.model([1, 3, 32, 48])
        settings = {"crop": [4, 2, 50, 36], "color": "bgr", "resize": "letterbox", "pad-value": [114, 10, 20.5], "pad-align": "center",
                    "mean": [103.53, 116.28, 123.675], "std": [57.375, 57.12, 58.395], "layout": "nchw", "dtype": "float32", "size": "32x48"}
        flags = [f"--{k}={','.join(map(str, v)) if isinstance(v, list) else v}" for k, v in settings.items()]
        file = self.folder / "p.yaml"
        file.write_text("# as deployed\n" + "\n".join(f"{k}: {v}" for k, v in settings.items()) + "\n")
        tensor = self.tensor("-i", path, *flags)
        np.testing.assert_array_equal(self.tensor("-i", path, "--preprocess", file), tensor)
        # min(32 / 36, 48 / 50) = 8 / 9: 50 becomes 44.4, with 2 columns on each side
        part = rounded(image[2:38, 4:54, ::-1], 32, 44)
        wanted = np.tile(np.array([114, 10, 20.5]), (32, 48, 1))
        wanted[:, 2:46] = part
        wanted = ((wanted - settings["mean"]) / settings["std"]).astype(np.float32).transpose(2, 0, 1)
        np.testing.assert_array_equal(tensor[0], wanted)
        # A flag goes before the file.
        other = self.tensor("-i", path, "--preprocess", file, "--pad-align", "top-left")
        np.testing.assert_array_equal(other[0][:, :, :44], wanted[:, :, 2:46])

    def test_center_crop(self):
        image = photo(40, 60)
        path = self.save("p.png", image)
        self.model([1, 3, 24, 24])
        tensor = self.tensor("-i", path, "--resize", "center-crop", "--short-side", "28", "--scale", "0.5", "--mean", "-1")
        whole = rounded(image, 28, 42)[2:26, 9:33].transpose(2, 0, 1)
        np.testing.assert_array_equal(tensor[0], (whole + 1) * 0.5)
        tensor = self.tensor("-i", path, "--resize", "center-crop")
        np.testing.assert_array_equal(tensor[0], rounded(image, 24, 36)[:, 6:30].transpose(2, 0, 1))

    def test_types_of_inputs(self):
        path = self.save("p.png", photo(8, 8))
        exact = photo(8, 8).astype(np.float64).transpose(2, 0, 1)
        self.model([1, 3, 8, 8], kind="float16")
        tensor = self.tensor("-i", path, "--scale", "0.1")
        np.testing.assert_array_equal(tensor[0], (exact * 0.1).astype(np.float16))
        # Numbers that the input's type has become that, whatever their own type.
        np.testing.assert_array_equal(self.tensor("-i", path, "--dtype", "uint8")[0], exact)

    def test_sizes_of_several_stages(self):
        path = self.save("p.png", photo(20, 30))
        self.model(["batch", 3, 8, "width"], stages=["--shape", "x=1|4x3x8x(8|16)"])
        self.assertRegex(self.tensor("-i", path, code=2), r"p\.png: .*8x8, 8x16; choose with --size HEIGHTxWIDTH")
        self.assertRegex(self.tensor("-i", path, "--size", "9x9", code=2), "size is 9x9, .*8x8, 8x16")
        self.assertEqual(self.tensor("-i", path, "--size", "8x16").shape, (1, 3, 8, 16))

    def test_arrays(self):
        array = np.random.default_rng(4).standard_normal((1, 3, 8, 8)).astype(np.float32)
        self.model([1, 3, 8, 8])
        for name, one in {"c": array, "fortran": np.asfortranarray(array), "big": array.astype(">f4"), "both": np.asfortranarray(array.astype(">f4"))}.items():
            np.save(self.folder / f"{name}.npy", one)
            np.savez(self.folder / f"{name}.npz", x=one)
            for kind in ("npy", "npz"):
                np.testing.assert_array_equal(self.tensor("-i", self.folder / f"{name}.{kind}"), array)
        # What a file holds counts, not its name.
        (self.folder / "c.npy").rename(self.folder / "c.png")
        np.testing.assert_array_equal(self.tensor("-i", self.folder / "c.png"), array)
        np.save(self.folder / "bad.npy", array[0])
        self.assertRegex(self.tensor("-i", self.folder / "bad.npy", code=2), r"bad\.npy: .*3x8x8.*1x3x8x8")
        np.save(self.folder / "objects.npy", np.array([{}]), allow_pickle=True)
        self.assertRegex(self.tensor("-i", self.folder / "objects.npy", code=2), r"objects\.npy: unsupported: element type '\|O'")
        whole = (self.folder / "fortran.npy").read_bytes()
        for cut in (7, 9, 60, len(whole) - 1):
            (self.folder / "cut.npy").write_bytes(whole[:cut])
            self.assertRegex(self.tensor("-i", self.folder / "cut.npy", code=2), r"cut\.npy")

    def test_several_inputs(self):
        self.model([1, 3, 8, 8], [1, 3, 8, 8])
        image = photo(8, 8)
        path = self.save("p.png", image)
        array = np.ones((1, 3, 8, 8), np.float32)
        np.save(self.folder / "z.npy", array)
        tensor = -self.tensor("-i", f"x={path}", "-i", f"z={self.folder / 'z.npy'}")
        np.testing.assert_array_equal(tensor[0], image.transpose(2, 0, 1) + 1.0)
        np.savez(self.folder / "z.npz", any=array)
        np.testing.assert_array_equal(-self.tensor("-i", f"x={path}", "-i", f"z={self.folder / 'z.npz'}"), tensor)
        self.assertRegex(self.tensor("-i", path, code=2), r"p\.png: it is for one input, the model has 'x', 'z'; say NAME=PATH for each, or give \.npz")
        self.assertRegex(self.tensor("-i", f"x={path}", code=2), r"p\.png: input 'z' is missing")
        self.assertRegex(self.tensor("-i", f"x={path}", "-i", f"w={path}", code=2), "no input 'w'; the model has 'x', 'z'")
        self.assertRegex(self.tensor("-i", f"x={path}", "-i", f"x={path}", code=2), "'x' is given twice")
        self.assertRegex(self.tensor("-i", path, "-i", path, code=2), "NAME=PATH")

    def calibrated(self, data, *options, code=0):
        table = self.folder / "table.txt"
        table.unlink(missing_ok=True)
        data = data if isinstance(data, list) else [data]
        flags = [one for d in data for one in ("--data", d)]
        text = self.weft("calibrate", self.folder / "m.onnx", *flags, "-o", table, *options, code=code)
        self.assertEqual(table.exists(), code == 0)
        return text if code else table.read_text()

    def test_calibration_of_a_mixed_folder(self):
        onnx.save(product([1, 3, 16, 24]), self.folder / "m.onnx")
        mean, std = np.array([120, 110, 100.0]), np.array([60, 50, 40.0])
        arrays = self.folder / "arrays"
        arrays.mkdir()
        for index, name in enumerate(["a.png", "B.PNG", "c.jpeg", "d.npy", "e.npz"]):
            image = photo(16, 24, index)
            tensor = ((image - mean) / std).astype(np.float32).transpose(2, 0, 1)[None]
            path = self.folder / "photos" / name
            if name.endswith("npy"):
                np.save(path, tensor)
            elif name.endswith("npz"):
                np.savez(path, x=tensor)
            else:
                kind = "jpeg" if name.endswith("jpeg") else "png"
                Image.fromarray(image).save(path, kind, **({"quality": 100, "subsampling": 0} if kind == "jpeg" else {}))
            if name.endswith("jpeg"):
                with Image.open(path) as file:
                    tensor = ((np.asarray(file) - mean) / std).astype(np.float32).transpose(2, 0, 1)[None]
            np.savez(arrays / f"{index}.npz", x=tensor)
        (self.folder / "photos" / "labels.txt").write_text("not a sample")
        flags = ["--mean", "120,110,100", "--std=60,50,40"]
        table = self.calibrated(self.folder / "photos", *flags)
        self.assertEqual(table, self.calibrated(arrays))
        self.assertIn("samples: 5", table)
        self.assertIn("samples: 2", self.calibrated(self.folder / "photos", *flags, "--samples", "2"))
        # In one go, the same program.
        for flag, value in (("--calibration", self.folder / "table.txt"), ("--calibration-data", self.folder / "photos")):
            if flag == "--calibration":
                self.calibrated(self.folder / "photos", *flags)
            more = flags if flag == "--calibration-data" else []
            self.weft("convert", self.folder / "m.onnx", "--precision", "int8", flag, value, *more, "-o", self.folder / f"{flag}.bmodel")
        self.assertEqual((self.folder / "--calibration.bmodel").read_bytes(), (self.folder / "--calibration-data.bmodel").read_bytes())

    def test_calibration_by_folders_of_inputs(self):
        onnx.save(network([[1, 3, 8, 8], [1, 3, 8, 8]]), self.folder / "m.onnx")
        one, two, both = (self.folder / name for name in ("one", "two", "both"))
        for folder in (one, two, both):
            folder.mkdir()
        for index in range(3):
            image, array = photo(8, 8, index), np.full((1, 3, 8, 8), index + 1, np.float32)
            Image.fromarray(image).save(one / f"{index}.png")
            np.save(two / f"{index}.npy", array)
            np.savez(both / f"{index}.npz", x=image.transpose(2, 0, 1)[None].astype(np.float32), z=array)
        self.assertEqual(self.calibrated([f"x={one}", f"z={two}"]), self.calibrated(both))
        self.assertRegex(self.calibrated(one, code=2), r"0\.png: it is for one input, the model has 'x', 'z'; say NAME=PATH for each, or give \.npz")
        (two / "2.npy").unlink()
        self.assertRegex(self.calibrated([f"x={one}", f"z={two}"], code=2), r"2\.png' has no file of the same name in the other folders")
        np.savez(one / "1.npz", x=array)
        self.assertRegex(self.calibrated([f"x={one}", f"z={two}"], code=2), "have one name")

    def fused(self, shape, precision, settings, *more):
        """Outputs of the bmodel that takes codes, and of the one that takes what the settings make of them."""
        # 160 filters: products of fewer weights stay in f32 in F16 programs
        onnx.save(product(shape, 160), self.folder / "m.onnx")
        for name, flags in (("plain", []), ("fused", ["--fuse-preprocess", *settings])):
            self.weft("convert", self.folder / "m.onnx", "-o", self.folder / f"{name}.bmodel", "--precision", precision, *flags, *more)

    def outputs(self, name, *arguments):
        self.weft("run", self.folder / f"{name}.bmodel", "-o", self.folder / "out.npz", *arguments)
        with np.load(self.folder / "out.npz") as archive:
            return archive["y"]

    def test_fused_preprocessing(self):
        image = photo(32, 48)
        path = self.save("p.png", image)
        shape = [1, 3, 32, 48]
        numbers = ["--mean", "103.5,116.25,123.7", "--std", "57.3,57.1,58.4"]
        table = self.folder / "t.table"
        np.savez(self.folder / "photos" / "0.npz", x=((image.transpose(2, 0, 1)[None] - 115.0) / 57).astype(np.float32))
        onnx.save(product(shape, 160), self.folder / "m.onnx")
        self.weft("calibrate", self.folder / "m.onnx", "--data", self.folder / "photos", "-o", table)
        for precision, most in [("f32", 2 ** -20), ("f16", 2 ** -9), ("int8", None)]:
            more = ["--calibration", table] if precision == "int8" else []
            for color in ("rgb", "bgr"):
                wanted = None
                for layout in ("nchw", "nhwc"):
                    settings = [*numbers, "--color", color]
                    self.fused(shape, precision, [*settings, "--layout", layout], *more)
                    if wanted is None:
                        wanted = self.outputs("plain", "-i", path, *settings)
                    info = json.loads(self.weft("info", self.folder / "fused.bmodel", "--json"))["nets"][0]["stages"][0]
                    self.assertEqual((info["inputs"][0]["type"], info["inputs"][0]["shape"]), ("u8", shape if layout == "nchw" else [1, 32, 48, 3]))
                    self.assertNotIn("host", info)
                    given = self.outputs("fused", "-i", path)
                    np.save(self.folder / "a.npy", (image.transpose(2, 0, 1) if layout == "nchw" else image)[None])
                    np.testing.assert_array_equal(self.outputs("fused", "-i", self.folder / "a.npy"), given)
                    error = np.abs(given - wanted)
                    scale = np.abs(wanted).max()
                    if most:
                        # f32: the factor 1 / std and its product are rounded, 2^-23 together, and 27 products are added. f16: reals
                        # that differ so little may become neighbours among numbers of 11 bits.
                        self.assertLess(error.max(), most * scale, (precision, color, layout))
                    else:
                        # A value between two of 8 bits may be rounded the other way: one step of x (2.3 / 127) times a weight of at
                        # most 1, in some of 27 products.
                        self.assertLess(error.max(), 0.1, (precision, color, layout))
                        self.assertLess(error.mean(), 1e-3 * scale)

    def test_fused_preprocessing_calibrates_on_codes(self):
        image = photo(40, 60)
        self.save("photos/p.png", image)
        onnx.save(product([1, 3, 32, 48]), self.folder / "m.onnx")
        settings = ["--resize", "letterbox", "--pad-value", "114", "--mean", "110", "--scale", "0.017", "--color", "bgr", "--layout", "nhwc"]
        ranges = ["--method", "percentile", "--recover", "off"]
        self.weft("convert", self.folder / "m.onnx", "-o", self.folder / "at_once.bmodel", "--precision", "int8", "--fuse-preprocess", *settings,
                  "--calibration-data", self.folder / "photos", *ranges)
        # With the table of the model as it is; its layout is the model's.
        self.weft("calibrate", self.folder / "m.onnx", "--data", self.folder / "photos", *settings[:-2], "-o", self.folder / "t.table", *ranges)
        self.weft("convert", self.folder / "m.onnx", "-o", self.folder / "table.bmodel", "--precision", "int8", "--fuse-preprocess", "--mean", "110",
                  "--scale", "0.017", "--color", "bgr", "--layout", "nhwc", "--calibration", self.folder / "t.table")
        box = ["-i", self.folder / "photos" / "p.png", "--resize", "letterbox", "--pad-value", "114"]
        np.testing.assert_array_equal(self.outputs("at_once", *box), self.outputs("table", *box))
        self.assertIn("input 'x' takes pixels as they are (u8); leave out mean, scale and std, which a program of --fuse-preprocess has in it",
                      self.weft("run", self.folder / "table.bmodel", "-o", self.folder / "out.npz", *box, "--mean", "110", code=2))
        # Every program that is tried has the fused steps: else the samples, which are codes, would not run.
        text = self.weft("convert", self.folder / "m.onnx", "-o", self.folder / "auto.bmodel", "--precision", "auto", "--fuse-preprocess", *settings,
                         "--calibration-data", self.folder / "photos", *ranges, "--json")
        self.assertEqual(json.loads(text)["precision"], "auto")
        np.testing.assert_array_equal(self.outputs("auto", *box), self.outputs("table", *box))

    def test_fused_preprocessing_that_does_not_fit_the_table(self):
        onnx.save(product([1, 3, 8, 8]), self.folder / "m.onnx")
        ranges = {"unit": (0, 1), "normal": (-2.1, 2.6), "codes": (0, 255), "dull": (0.3, 0.6)}
        for name, (low, high) in ranges.items():
            (self.folder / name).write_text(f"# weft calibration table 2\nx {max(-low, high)} {low} {high} {min(low, 0)} {high}\ny 9 -9 9 -9 9\n")
        unit, usual = ["--scale", "0.00392157"], ["--mean", "123.675,116.28,103.53", "--std", "58.395,57.12,57.375"]
        for table, options, says in [("unit", [], r"makes input 'x' 0 to 255, the calibration table '.*unit' saw 0 to 1; --scale or --std is probably missing"),
                                     ("normal", [], "0 to 255, .* saw -2.1 to 2.6; --scale or --std is probably missing"),
                                     ("normal", unit, "0 to 1, .* saw -2.1 to 2.6; the samples of the table were probably not scaled"),
                                     ("codes", unit, "0 to 1, .* saw 0 to 255; the samples of the table were probably not scaled; calibrate with the same settings"),
                                     ("codes", ["--mean", "127.5"], "-127.5 to 127.5, .* saw 0 to 255; check mean"),
                                     ("unit", ["--scale", "1e30"], r"0 to 2.55e\+32, .* saw 0 to 1; check scale, std and mean"),
                                     ("unit", unit, ""), ("dull", unit, ""), ("normal", usual, ""), ("codes", [], ""), ("unit", usual, ""),
                                     (None, ["--scale", "1e30"], r"makes input 'x' 0 to 2.55e\+32, beyond f16 \(65504\); check scale and std"),
                                     (None, ["--scale", "1e-30"], r"below f16 \(6e-5\)"), (None, usual, "")]:
            done = subprocess.run([WEFT, "convert", self.folder / "m.onnx", "-o", self.folder / "o.bmodel", "--fuse-preprocess", *options, *(["--precision", "int8", "--keep-int8",
                                   "--calibration", self.folder / table] if table else ["--precision", "f16"])], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            lines = [line for line in done.stderr.splitlines() if "fused preprocessing" in line]
            self.assertEqual(len(lines), bool(says), (table, options, done.stderr))
            if says:
                self.assertRegex(lines[0], "^weft: warning: .*m.onnx: fused preprocessing .*" + says)
        self.weft("convert", self.folder / "m.onnx", "-o", self.folder / "o.bmodel", "--fuse-preprocess", "--scale", "1e30")  # f32

    def test_fused_preprocessing_has_the_weights_of_the_unfused_model(self):
        """What the fused steps make of codes differs in the last bit from what preprocessing makes of them; rows and recovered weights must not hang on that."""
        onnx.save(product([1, 3, 32, 48], 160), self.folder / "m.onnx")
        codes = self.folder / "codes"
        codes.mkdir()
        for index in range(4):
            image = photo(32, 48, index)
            self.save(f"photos/{index}.png", image)
            np.save(codes / f"{index}.npy", image[None])
        numbers = ["--mean", "103.5,116.25,123.7", "--std", "57.3,57.1,58.4", "--color", "bgr"]
        self.weft("calibrate", self.folder / "m.onnx", "--data", self.folder / "photos", *numbers, "-o", self.folder / "t.table")
        self.assertIn("# recovered:", (self.folder / "t.table").read_text())
        fused = ["convert", self.folder / "m.onnx", "--precision", "int8", "--keep-int8", "--fuse-preprocess", *numbers, "--layout", "nhwc"]
        self.weft(*fused, "--calibration", self.folder / "t.table", "-o", self.folder / "table.bmodel")
        for samples in (self.folder / "photos", codes):
            self.weft(*fused, "--calibration-data", samples, "-o", self.folder / "at_once.bmodel")
            self.assertEqual((self.folder / "at_once.bmodel").read_bytes(), (self.folder / "table.bmodel").read_bytes(), samples)

    def test_fused_preprocessing_of_several_shapes(self):
        onnx.save(product(["batch", 3, 16, "width"]), self.folder / "m.onnx")
        self.weft("convert", self.folder / "m.onnx", "-o", self.folder / "fused.bmodel", "--fuse-preprocess", "--layout", "nhwc", "--mean", "100",
                  "--shape", "x=1..4x3x16x(24|32)")
        info = json.loads(self.weft("info", self.folder / "fused.bmodel", "--json"))["nets"][0]["stages"]
        self.assertEqual(info[0]["inputs"][0]["dimension_names"], ["batch", "", "width", ""])
        images = np.stack([photo(16, 32, seed) for seed in range(3)])
        np.save(self.folder / "a.npy", images)
        all_three = self.outputs("fused", "-i", self.folder / "a.npy")
        self.assertEqual(all_three.shape[0], 3)
        np.save(self.folder / "a.npy", images[1:2])
        np.testing.assert_array_equal(self.outputs("fused", "-i", self.folder / "a.npy")[0], all_three[1])

    def test_fused_preprocessing_of_another_model_layout(self):
        # x is n,h,w,c and y = -x: gray, and three channels given in planes.
        for channels, layout, color in [(1, "nhwc", "gray"), (3, "nchw", "rgb"), (3, "nchw", "bgr"), (3, "nhwc", "bgr")]:
            onnx.save(network([[1, 8, 10, channels]]), self.folder / "m.onnx")
            self.weft("convert", self.folder / "m.onnx", "-o", self.folder / "fused.bmodel", "--fuse-preprocess", "--layout", layout, "--color", color, "--scale", "0.5")
            image = photo(8, 10)[..., :channels]
            np.save(self.folder / "a.npy", (image if layout == "nhwc" else image.transpose(2, 0, 1))[None])
            wanted = -0.5 * image[..., ::-1 if color == "bgr" else 1]
            np.testing.assert_array_equal(self.outputs("fused", "-i", self.folder / "a.npy")[0], wanted)

    def test_what_cannot_be_fused(self):
        for model, flags, says in [(network([[1, 3, 8, 8]] * 2), [], "unsupported: fused preprocessing of a model with 2 inputs"), (network([[1, 3, 8, 8]], "uint8"), [], "not of floats"),
                                   (network([[1, 128]]), [], "n,c,h,w"), (network([[1, 4, 8, 8]]), [], "images have 1 or 3 channels"),
                                   (network([[1, 3, 8, 8]]), ["--dtype", "float32"], "dtype is float32, fused"), (network([[1, 3, 8, 8]]), ["--size", "9x9"], "size is not that"),
                                   (network([[1, 1, 8, 8]]), ["--mean", "1,2,3"], "mean has 3 numbers, the input 1 channels"),
                                   (network([[1, 3, 8, 8]]), ["--scale", "0"], "--scale is '0'")]:
            if model.graph.input[0].type.tensor_type.elem_type == TensorProto.UINT8:
                model.graph.node[0].op_type = "Identity"  # bytes have no Neg
            onnx.save(model, self.folder / "m.onnx")
            text = self.weft("convert", self.folder / "m.onnx", "-o", self.folder / "no.bmodel", "--fuse-preprocess", *flags, code=2)
            self.assertIn(says, text)
            self.assertFalse((self.folder / "no.bmodel").exists())

    def test_compare_gives_both_the_same_tensor(self):
        onnx.save(product([1, 3, 16, 24]), self.folder / "m.onnx")
        self.weft("convert", self.folder / "m.onnx", "-o", self.folder / "m.bmodel")
        path = self.save("p.jpg", photo(50, 50))
        text = self.weft("compare", self.folder / "m.onnx", self.folder / "m.bmodel", "-i", path, "--mean", "127", "--std", "64", "--json")
        self.assertTrue(json.loads(text)["passed"])
        # float32 sums of 27 products on either side
        self.assertLess(json.loads(text)["outputs"][0]["max_error"], 1e-5)

    def test_compare_of_fused_preprocessing(self):
        onnx.save(product(["batch", 3, 16, 24]), self.folder / "m.onnx")
        path = self.save("p.jpg", photo(50, 50))
        np.savez(self.folder / "codes.npz", x=photo(16, 24)[None])
        box = ["--resize", "letterbox"]
        for layout in ("nchw", "nhwc"):
            settings = ["--fuse-preprocess", "--mean", "127,120,110", "--std", "64", "--color", "bgr", "--layout", layout]
            self.weft("convert", self.folder / "m.onnx", "-o", self.folder / "m.bmodel", "--shape", "batch=1", *settings)
            compare = ["compare", self.folder / "m.onnx", self.folder / "m.bmodel", "-i"]
            text = self.weft(*compare, path, *settings, *box, "--per-layer", "--json")
            self.assertTrue(json.loads(text)["passed"])
            self.assertEqual([layer["name"] for layer in json.loads(text)["layers"]], ["x", "y"])
            self.assertLess(json.loads(text)["outputs"][0]["max_error"], 1e-5)
            says = "m.onnx: input 'x' is of floats, the program takes images as bytes; give --fuse-preprocess with the mean, scale, std, color and layout"
            self.assertIn(says, self.weft(*compare, path, code=2))
        self.assertTrue(json.loads(self.weft(*compare, self.folder / "codes.npz", *settings, "--json"))["passed"])
        self.assertIn("these settings the program would take 1x3x16x24, it takes 1x16x24x3; give the layout", self.weft(*compare, path, *settings[:-2], code=2))
        self.weft("convert", self.folder / "m.onnx", "-o", self.folder / "m.bmodel", "--shape", "batch=1")
        self.assertIn("--fuse-preprocess is for a program that was converted with it", self.weft(*compare, path, *settings[:-2], code=2))

    def test_wrong_settings(self):
        self.model([1, 3, 8, 8])
        path = self.save("p.png", photo(8, 8))
        file = self.folder / "p.yaml"
        for flags, says in [(["--mean", "1,2"], "--mean is '1,2', must be one number"), (["--std", "0"], "--std is '0'"),
                            (["--scale", "2", "--std", "2"], "scale and std are both given"), (["--resize", "fit"], "--resize is 'fit', must be stretch"),
                            (["--short-side", "9"], "short-side is for resize center-crop"), (["--color", "gray"], "gray is for one channel"),
                            (["--layout", "nhwc"], "images have 1 or 3 channels"), (["--crop", "0,0,9,9"], r"p\.png: crop is 0,0,9,9"),
                            (["--resize", "letterbox", "--pad-value", "300"], "--pad-value is '300', must be one number, or one for each channel, in 0..255"),
                            (["--resize", "letterbox", "--pad-value", "0,-1,0"], "--pad-value is '0,-1,0', must be"),
                            (["--mean", "1e300"], r"mean, scale and std make -1e\+300 of the code 0, which no float of 32 bits holds"),
                            (["--mean", "1", "--std", "1e-39,1,1"], "mean, scale and std make .* which no float of 32 bits holds"),
                            (["--preprocess", file], r"p\.yaml: cannot open")]:
            self.assertRegex(self.tensor("-i", path, *flags, code=2), says)
        for text, says in [("mean: 1\nmaen: 2\n", "2: unknown key 'maen'; known: crop, color, resize"), ("resize: [a, b]", "1: resize is 'a,b', must be"),
                           ("mean: {a: 1}", "1: mean must be a value or a list"), ("mean: [1, 2\n", "error|expected|Could not|Expected"), ("", "1: the file is empty")]:
            file.write_text(text)
            self.assertRegex(self.tensor("-i", path, "--preprocess", file, code=2), rf"p\.yaml:\d+: |{says}")
            self.assertRegex(self.tensor("-i", path, "--preprocess", file, code=2), says)
        np.savez(self.folder / "a.npz", x=np.zeros((1, 3, 8, 8), np.float32))
        self.assertRegex(self.tensor("-i", self.folder / "a.npz", "--mean", "1", code=2), "no image; arrays are taken as they are")
        text = self.weft("convert", self.folder / "m.onnx", "-o", self.folder / "z.bmodel", "--mean", "1", code=2)
        self.assertIn("--calibration-data", text)

    def test_broken_images_are_named(self):
        onnx.save(network([[1, 3, 8, 8]]), self.folder / "m.onnx")
        good = self.save("photos/a.png", photo(30, 30)).read_bytes()
        jpeg = self.save("photos/b.jpg", photo(30, 30)).read_bytes()
        self.assertIn("samples: 2", self.calibrated(self.folder / "photos"))
        broken = {"cut.png": good[:len(good) // 2], "cut.jpg": jpeg[:len(jpeg) // 2], "bits.png": good[:200] + b"\xff" * 20 + good[220:],
                  "empty.png": b"", "text.jpg": b"not an image", "head.jpg": jpeg[:3],
                  "large.png": png(1 << 30, 1 << 30, 8, 2, [[b""]]), "flat.png": png(8, 0, 8, 2, [[]])}
        for kind in ("BMP", "WebP", "TIFF"):
            image = self.folder / f"image.{kind.lower()}"
            Image.fromarray(photo(8, 8)).save(image)
            broken[f"{kind}.png"] = image.read_bytes()
        says = {"cut.png": "the PNG is broken: read beyond end of data; save it again, or leave it out", "cut.jpg": "the JPEG is broken: Premature end of JPEG file; save",
                "flat.png": "the image has 8 x 0 pixels; save it again, or leave it out", "empty.png": "the file is empty; save it again, or leave it out",
                "text.jpg": "neither a PNG or JPEG image nor a .npy or .npz array; convert it", "WebP.png": "a WebP image; PNG and JPEG are read, convert it",
                "TIFF.png": "a TIFF image;", "BMP.png": "a BMP image;"}
        for name, content in broken.items():
            path = self.folder / "photos" / name
            path.write_bytes(content)
            text = self.calibrated(self.folder / "photos", code=2)
            self.assertIn(f"{self.folder / 'photos' / name}: ", text)
            self.assertIn(f"{name}: {says.get(name, '')}", text)
            path.unlink()

    def test_inputs_that_are_no_images(self):
        path = self.save("p.png", photo(8, 8))
        self.model([1, 128])
        self.assertRegex(self.tensor("-i", path, code=2), r"p\.png: input 'x' is 1x128, images are for inputs n,c,h,w or n,h,w,c; give arrays")
        self.model([1, 4, 8, 8])
        self.assertRegex(self.tensor("-i", path, code=2), "images have 1 or 3 channels; give arrays")

    def test_every_setting_is_documented(self):
        shown = self.weft("run", "--help")
        names = re.findall(r"^  --([a-z-]+)", shown.split("Preprocessing of images:")[1].split("Examples:")[0], re.MULTILINE)
        self.assertEqual(len(names), 13)
        section = DOCS.read_text().split("## Images")[1].split("\n## ")[0]
        for name in names:
            self.assertIn(f"`{name}`" if name != "preprocess" else "`--preprocess ", section)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
