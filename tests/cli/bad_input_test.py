#!/usr/bin/env python3
"""Every kind of bad input gives one clear line, exit code 2 and leaves no file behind.

  bad_input_test.py WEFT TEST_DATA_FOLDER [--group onnx|calibration|bmodel|npz|options|control] [--only NAME]

A case is a function of CASES: it gets a fresh folder, writes its broken files and returns the arguments of weft. `says`
is a regular expression that the message must match: it has to name what is wrong, not only that something is.
"""
import argparse
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

import numpy as np

import bad_files as bad

CASES = []  # (group, name, regular expression, function)


def case(group, says):
    def register(function):
        CASES.append((group, function.__name__, says, function))
        return function
    return register


def add(group, name, says, function):
    CASES.append((group, name, says, function))


class Place:
    """The folder of one case: `input` for its broken files, `out` must be empty afterwards."""

    def __init__(self, folder, test_data):
        self.input, self.out = folder / "input", folder / "out"
        self.input.mkdir()
        self.out.mkdir()
        self.data = test_data / "vendor-bmodels"
        self.max_file_bytes = None  # writes beyond it fail, as on a full disk
        self.max_memory = None  # bytes of address space

    def convert(self, content, *options, name="model.onnx"):
        path = bad.write(self.input, content, name)
        return ["convert", path, "-o", self.out / "y.bmodel", *options]

    def npz(self, name="in.npz", **arrays):
        np.savez(self.input / name, **arrays)
        return self.input / name

    def run(self, bmodel=None, npz=None, *options):
        return ["run", bmodel or self.data / "tiny_f32.bmodel", "--input", npz or self.data / "tiny_input.npz",
                "--output", self.out / "y.npz", *options]


def onnx_case(name, says, make, *options):
    add("onnx", name, says, lambda place: place.convert(make(), *options))


# --- ONNX files -------------------------------------------------------------------------------------------------------
SMALL = bad.small().SerializeToString()
SYMBOLIC = bad.small(x_shape=("batch", 3, 8, 8))
onnx_case("empty_file", r"model\.onnx.*empty|empty.*model\.onnx", lambda: b"")
onnx_case("not_onnx", r"model\.onnx", lambda: b"this is not a model\n" * 20)
onnx_case("random_bytes", r"model\.onnx", lambda: np.random.default_rng(1).bytes(5000))
onnx_case("truncated_in_the_middle", r"model\.onnx", lambda: SMALL[:len(SMALL) // 2])
onnx_case("truncated_last_byte", r"model\.onnx", lambda: SMALL[:-1])
onnx_case("no_graph", r"graph|node", bad.no_graph)
onnx_case("no_opset", r"opset", bad.no_opset)
onnx_case("opset_too_new", r"opset.*99|99.*opset", lambda: bad.small(opset=99))
onnx_case("opset_too_old", r"opset.*0|0.*opset", lambda: bad.small(opset=0))
onnx_case("wrong_op", r"relu_0|Rellu", lambda: bad.one_node("Rellu", ["x"]))
onnx_case("foreign_domain", r"com\.example", lambda: bad.one_node("Relu", ["x"], domain="com.example"))
onnx_case("random_op", r"unsupported.*RandomNormalLike.*random", lambda: bad.one_node("RandomNormalLike", ["x"]))
onnx_case("host_op_without_host", r"'maxroipool_0'.*unsupported:.*--no-host", bad.only_on_the_host, "--no-host")
onnx_case("unknown_dtype", r"'?x'?.*(type|99)", bad.unknown_dtype)
onnx_case("sorted_strings", r"'unique_0'.*string", bad.sorted_strings)
onnx_case("missing_shape", r"'?x'?.*shape", bad.no_shape)
onnx_case("symbolic_dim_without_shape_option", r"x.*batch.*--shape|x.*--shape.*batch|batch.*x", lambda: SYMBOLIC)
onnx_case("shape_of_unknown_input", r"nope", lambda: SYMBOLIC, "--shape", "nope=1x3x8x8")
onnx_case("shape_of_wrong_rank", r"x\b.*(rank|dim)", lambda: SYMBOLIC, "--shape", "x=1x3x8")
onnx_case("shape_that_contradicts", r"x\b.*(3|5)", lambda: SYMBOLIC, "--shape", "x=1x5x8x8")
onnx_case("shape_syntax", r"--shape", lambda: SYMBOLIC, "--shape", "x=1x3xfoo")
onnx_case("shape_zero", r"x\b.*0|0.*x\b", lambda: SYMBOLIC, "--shape", "x=0x3x8x8")
onnx_case("shape_twice", r"x\b", lambda: SYMBOLIC, "--shape", "x=1x3x8x8", "--shape", "x=2x3x8x8")
onnx_case("cyclic_graph", r"cycl|relu_b|add_a|'b'", bad.cyclic)
onnx_case("input_that_nobody_makes", r"nobody_makes_this", bad.dangling_input)
onnx_case("output_that_nobody_makes", r"never_made", bad.dangling_output)
onnx_case("value_made_twice", r"'?c'?", bad.made_twice)
onnx_case("huge_input", r"x\b.*(large|big|bytes|element|limit|memory|overflow)", bad.huge_input)
onnx_case("huge_weights", r"'?f'?", bad.huge_weights)
onnx_case("negative_weight_dim", r"'?f'?.*-3", bad.negative_weights)
onnx_case("weights_too_short", r"'?f'?.*(428|432|107|108)", bad.short_weights)
onnx_case("nan_weights", r"(?i)nan", lambda: bad.small(value=np.nan))
onnx_case("infinite_weights", r"(?i)inf", lambda: bad.small(value=np.inf))
onnx_case("external_data_missing", r"gone\.bin", lambda: bad.external("gone.bin"))
onnx_case("external_data_outside_the_folder", r"\.\./", lambda: bad.external("../../secret.bin"))
onnx_case("external_data_too_short", r"model\.onnx", lambda: bad.external("model.onnx", offset=1 << 40))
onnx_case("conv_channels", r"conv_0.*(3|5)", lambda: bad.small(x_shape=(1, 5, 8, 8)))
onnx_case("conv_group", r"conv_0", lambda: bad.one_node(
    "Conv", ["x", "f"], initializers=[bad.weights("f", 4, 3, 3, 3)], group=2))
onnx_case("conv_negative_stride", r"conv_0.*(stride|-1)", lambda: bad.one_node(
    "Conv", ["x", "f"], initializers=[bad.weights("f", 4, 3, 3, 3)], strides=[-1, 1]))
onnx_case("conv_window_larger_than_input", r"conv_0", lambda: bad.one_node(
    "Conv", ["x", "f"], x_shape=(1, 3, 2, 2), initializers=[bad.weights("f", 4, 3, 3, 3)]))
onnx_case("attribute_of_wrong_type", r"conv_0.*pads", bad.wrong_attribute_type)
onnx_case("reshape_to_other_size", r"reshape_0", lambda: bad.one_node(
    "Reshape", ["x", "s"], initializers=[bad.numpy_helper.from_array(np.array([5, 5]), "s")], y_shape=[5, 5]))
onnx_case("shapes_that_do_not_broadcast", r"add_0", lambda: bad.one_node(
    "Add", ["x", "f"], initializers=[bad.weights("f", 7)]))
onnx_case("matmul_sizes", r"matmul_0", lambda: bad.one_node(
    "MatMul", ["x", "f"], initializers=[bad.weights("f", 7, 5)]))
onnx_case("transpose_permutation", r"transpose_0.*perm", lambda: bad.one_node("Transpose", ["x"], perm=[0, 0, 1, 2]))
onnx_case("softmax_axis", r"softmax_0.*axis", lambda: bad.one_node("Softmax", ["x"], axis=9))
onnx_case("too_few_operands", r"add_0", lambda: bad.one_node("Add", ["x"]))


@case("onnx", r"no_such\.onnx")
def missing_model(place):
    return ["convert", place.input / "no_such.onnx", "-o", place.out / "y.bmodel"]


@case("onnx", r"input: .*(directory|folder)")
def directory_as_model(place):
    return ["convert", place.input, "-o", place.out / "y.bmodel"]


# --- calibration ------------------------------------------------------------------------------------------------------
HEADER = "# weft calibration table {}\n"


def int8_case(name, says, table, version=1):
    """`table`: text of the calibration table, or None for no table at all."""
    def arguments(place):
        if table is None:
            return place.convert(SMALL, "--precision", "int8")
        (place.input / "table.txt").write_text(HEADER.format(version) + table)
        return place.convert(SMALL, "--precision", "int8", "--calibration", place.input / "table.txt")
    add("calibration", name, says, arguments)


int8_case("int8_without_calibration", r"--calibration", None)
int8_case("table_without_entries", r"'?x'?", "")
int8_case("table_line_too_short", r"table\.txt:3", "x 1 -1 1\ny\n")
int8_case("table_not_a_number", r"table\.txt:2.*wide", "x wide -1 1\nc 1 -1 1\ny 1 0 1\n")
int8_case("table_nan", r"(?i)^weft: error: [^: ]*table\.txt:3.*nan", "x 1 -1 1\nc nan -1 1\ny 1 0 1\n")
int8_case("table_negative_threshold", r"table\.txt:3.*-1", "x 1 -1 1\nc -1 -1 1\ny 1 0 1\n")
int8_case("table_value_twice", r"table\.txt:4.*x", "x 1 -1 1\ny 1 0 1\nx 2 -2 2\n")
int8_case("table_lacks_the_input", r"'?x'?", "c 1 -1 1\ny 1 0 1\n")
int8_case("table_of_version_2_line_too_short", r"table\.txt:2.*low high", "x 1 -1 1\n", version=2)
int8_case("table_of_version_2_without_range", r"table\.txt:3.*low", "x 1 -1 1 -1 1\ny 1 0 1 0.5 1\n", version=2)
int8_case("table_of_an_unknown_version", r"table\.txt:1", "x 1 -1 1 -1 1\n", version=0)
int8_case("table_of_a_newer_version", r"^weft: error: [^: ]*table\.txt:1: the table is of version 9, made by a newer weft; .* up to 2: take", "x 1 -1 1 -1 1\n", version=9)
int8_case("table_has_binary_entries", r"table\.txt:2", "\x00\x01\x02" * 50)
for name, content in ("table_empty", b""), ("table_is_binary", b"\x00\x01\x02" * 50), ("table_without_header", b"x 1 -1 1 -1 1\n"):
    add("calibration", name, r"table\.txt:1", lambda place, content=content: place.convert(
        SMALL, "--precision", "int8", "--calibration", bad.write(place.input, content, "table.txt")))


@case("calibration", r"no_table")
def missing_table(place):
    return place.convert(SMALL, "--precision", "int8", "--calibration", place.input / "no_table")


def calibrate(place, *options, **arrays):
    samples = place.input / "samples"
    samples.mkdir()
    if arrays:
        np.savez(samples / "a.npz", **arrays)
    path = bad.write(place.input, SMALL)
    return ["calibrate", path, "--data", samples, "-o", place.out / "table", *options]


GOOD_X = np.linspace(-1, 1, 192, dtype=np.float32).reshape(1, 3, 8, 8)
add("calibration", "no_samples", r"samples.*npz|npz.*samples", lambda place: calibrate(place))
add("calibration", "sample_lacks_the_input", r"a\.npz.*x|x.*a\.npz", lambda place: calibrate(place, z=GOOD_X))
add("calibration", "sample_misshapen", r"a\.npz.*8x8|8x8.*a\.npz", lambda place: calibrate(place, x=GOOD_X[:, :2]))
add("calibration", "sample_with_nan", r"(?i)a\.npz.*nan|nan.*a\.npz", lambda place: calibrate(place, x=GOOD_X * np.nan))
add("calibration", "sample_of_text", r"a\.npz", lambda place: calibrate(place, x=np.full((1, 3, 8, 8), "a")))
add("calibration", "unknown_method", r"guess", lambda place: calibrate(place, "--method", "guess", x=GOOD_X))
add("calibration", "percentile_beyond_100", r"--percentile is 101, must be", lambda place: calibrate(place, "--percentile", "101", x=GOOD_X))
add("calibration", "percentile_of_another_method", r"--percentile is for the methods percentile and auto, the method is kl", lambda place: calibrate(place, "--method", "kl", "--percentile", "99", x=GOOD_X))
add("calibration", "zero_samples", r"--samples", lambda place: calibrate(place, "--samples", "0", x=GOOD_X))


@case("calibration", r"no_folder")
def missing_sample_folder(place):
    path = bad.write(place.input, SMALL)
    return ["calibrate", path, "--data", place.input / "no_folder", "-o", place.out / "table"]


@case("calibration", r"a\.npz")
def sample_not_npz(place):
    arguments = calibrate(place)
    (place.input / "samples" / "a.npz").write_bytes(b"PK\x03\x04 nothing else")
    return arguments


# --- bmodels ----------------------------------------------------------------------------------------------------------
def bmodel_case(name, says, change):
    """Runs the vendor's tiny_f32.bmodel after `change` of its bytes."""
    def arguments(place):
        content = change((place.data / "tiny_f32.bmodel").read_bytes())
        return place.run(bad.write(place.input, content, "broken.bmodel"))
    add("bmodel", name, says, arguments)


bmodel_case("bmodel_empty", r"broken\.bmodel", lambda content: b"")
bmodel_case("bmodel_of_text", r"broken\.bmodel", lambda content: b"hello " * 100)
bmodel_case("bmodel_header_only", r"broken\.bmodel", lambda content: content[:64])
bmodel_case("bmodel_truncated_table", r"broken\.bmodel", lambda content: content[:300])
bmodel_case("bmodel_truncated_weights", r"broken\.bmodel", lambda content: content[:-4096])
bmodel_case("bmodel_wrong_magic", r"broken\.bmodel.*magic|broken\.bmodel.*bmodel", lambda content: bad.flip(content, 0))
bmodel_case("bmodel_header_size", r"broken\.bmodel", lambda content: bad.flip(content, 4))
bmodel_case("bmodel_root_offset", r"broken\.bmodel", lambda content: bad.flip(content, 64 + 1))
bmodel_case("bmodel_table_zeroed", r"broken\.bmodel", lambda content: content[:64] + bytes(1000) + content[1064:])
bmodel_case("bmodel_table_ones", r"broken\.bmodel", lambda content: content[:64] + b"\xff" * 1000 + content[1064:])


@case("bmodel", r"tiny\.onnx|bmodel")
def onnx_instead_of_bmodel(place):
    return place.run(place.data / "tiny.onnx")


@case("bmodel", r"no_such\.bmodel")
def missing_bmodel(place):
    return place.run(place.input / "no_such.bmodel")


@case("bmodel", r"directory|regular file")
def directory_as_bmodel(place):
    return place.run(place.input)


@case("bmodel", r"broken\.bmodel")
def info_of_broken_bmodel(place):
    return ["info", bad.write(place.input, b"\x00" * 4096, "broken.bmodel")]


@case("bmodel", r"broken\.bmodel")
def disasm_of_broken_bmodel(place):
    return ["disasm", bad.write(place.input, b"\x11" * 4096, "broken.bmodel")]


# --- npz files --------------------------------------------------------------------------------------------------------
def npz_case(name, says, **arrays):
    add("npz", name, says, lambda place: place.run(None, place.npz(**arrays)))


X = np.zeros((1, 3, 16, 16), np.float32)
npz_case("npz_lacks_the_input", r"'?x'?.*z|z.*x", z=X)
npz_case("npz_has_more", r"extra", x=X, extra=X)
npz_case("npz_misshapen", r"1x3x16x16.*1x3x16x15|1x3x16x15.*1x3x16x16", x=X[..., :15])
npz_case("npz_of_other_rank", r"x\b.*3x16x16", x=X[0])
npz_case("npz_of_inexact_integers", r"x\b.*is 16777217 at \[0, 0, 0, 0\], which f32 does not have; give values of f32", x=X.astype(np.int64) + 2**24 + 1)
npz_case("npz_beyond_f32", r"x\b.*is 1e\+39 at \[0, 0, 0, 0\], which f32 does not have", x=X.astype(np.float64) + 1e39)
npz_case("npz_of_text", r"in\.npz|x\b", x=np.full(X.shape, "a"))
npz_case("npz_of_objects", r"in\.npz|x\b", x=np.full(X.shape, None, object))
npz_case("npz_of_complex", r"in\.npz|x\b", x=X.astype(np.complex64))


def npz_bytes_case(name, change):
    def arguments(place):
        path = place.npz(x=X)
        path.write_bytes(change(path.read_bytes()))
        return place.run(None, path)
    add("npz", name, r"in\.npz", arguments)


npz_bytes_case("npz_empty", lambda content: b"")
npz_bytes_case("npz_not_zip", lambda content: b"not a zip archive " * 40)
npz_bytes_case("npz_truncated", lambda content: content[:len(content) // 2])
npz_bytes_case("npz_without_directory", lambda content: content[:-30])
npz_bytes_case("npz_damaged_array", lambda content: bad.flip(content, len(content) // 2))
npz_bytes_case("npz_damaged_npy_header", lambda content: content.replace(b"'shape': (1, 3", b"'shape': (1, Z"))
npz_bytes_case("npz_huge_shape", lambda content: content.replace(b"(1, 3, 16, 16), }", b"(99999999999,), }"))


@case("npz", r"no_such\.npz")
def missing_npz(place):
    return place.run(None, place.input / "no_such.npz")


@case("npz", r"directory|regular file")
def directory_as_npz(place):
    return place.run(None, place.input)


@case("npz", r"out of memory$")
def npz_beyond_the_memory(place):
    place.max_memory = 256 << 20
    np.savez_compressed(place.input / "in.npz", x=np.zeros((1, 3, 4000, 4000), np.float32))  # 192 MB, and results
    model = bad.write(place.input, bad.small(x_shape=(1, 3, 4000, 4000), y_shape=(1, 4, 4000, 4000)))
    return ["calibrate", model, "--data", place.input, "-o", place.out / "table"]


# --- options and outputs ----------------------------------------------------------------------------------------------
def option_case(name, says, *options):
    add("options", name, says, lambda place: place.convert(SMALL, *options))


option_case("unknown_precision", r"f17", "--precision", "f17")
option_case("unknown_target", r"bm9999", "--target", "bm9999")
option_case("unknown_emit", r"prose", "--emit", "prose")
option_case("unknown_option", r"--frobnicate", "--frobnicate")
option_case("option_without_value", r"--precision", "--precision")
option_case("two_models", r"second\.onnx", "second.onnx")


@case("options", r"-o|--output")
def no_output_named(place):
    return ["convert", bad.write(place.input, SMALL)]


@case("options", r"trnsmogrify")
def unknown_command(place):
    return ["trnsmogrify", place.input]


@case("options", r"command|subcommand|--help")
def no_command(place):
    return []


@case("options", r"no_folder")
def output_in_missing_folder(place):
    return ["convert", bad.write(place.input, SMALL), "-o", place.out / "no_folder" / "y.bmodel"]


@case("options", r"input")
def output_is_a_directory(place):
    return ["convert", bad.write(place.input, SMALL), "-o", place.input]


@case("options", r"model\.onnx")
def output_below_a_file(place):
    path = bad.write(place.input, SMALL)
    return ["convert", path, "-o", path / "y.bmodel"]


@case("options", r"y\.bmodel")
def output_disk_full(place):
    place.max_file_bytes = 512
    return ["convert", bad.write(place.input, SMALL), "-o", place.out / "y.bmodel"]


@case("options", r"y\.npz")
def run_output_disk_full(place):
    place.max_file_bytes = 512
    return place.run()


add("options", "run_unknown_net", r"nope.*|net", lambda place: place.run(None, None, "--net", "nope"))
add("options", "run_unknown_device", r"abacus", lambda place: place.run(None, None, "--device", "abacus"))
add("options", "run_missing_bmrt", r"no_such_lib\.so", lambda place: place.run(
    None, None, "--device", "bmrt", "--bmrt-lib", place.input / "no_such_lib.so"))


@case("options", r"garbage\.so")
def run_broken_bmrt(place):
    return place.run(None, None, "--device", "bmrt", "--bmrt-lib",
                     bad.write(place.input, b"\x7fELF garbage", "garbage.so"))


@case("options", r"no_folder")
def run_output_in_missing_folder(place):
    return ["run", place.data / "tiny_f32.bmodel", "--input", place.data / "tiny_input.npz", "--output",
            place.out / "no_folder" / "y.npz"]


def compare(place, *options):
    return ["compare", place.data / "tiny.onnx", place.data / "tiny_f32.bmodel", "--input",
            place.data / "tiny_input.npz", *options]


add("options", "compare_cosine_not_a_number", r"--min-cosine.*much", lambda place: compare(place, "--min-cosine", "much"))
add("options", "compare_cosine_nan", r"--min-cosine.*'nan' is no finite number", lambda place: compare(place, "--min-cosine", "nan"))
add("options", "compare_sqnr_nan", r"--min-sqnr.*'nan' is no finite number", lambda place: compare(place, "--min-sqnr", "nan"))
add("options", "compare_reference_missing", r"no_ref\.npz",
    lambda place: compare(place, "--reference", place.input / "no_ref.npz"))


# --- the same without the fault: these must work, or the cases above would prove nothing --------------------------------
GOOD_TABLE = HEADER.format(1) + "x 1 -1 1\nc 20 -20 20\ny 20 0 20\n"
def compare_layers(place, content):
    """compare --per-layer of a bmodel that is made here first."""
    convert = place.convert(content)
    subprocess.run([place.weft, *convert], check=True, capture_output=True, timeout=60)
    return ["compare", convert[1], convert[3], "--input", place.npz(x=GOOD_X), "--per-layer"]


CONTROLS = [
    ("convert", lambda place: place.convert(SMALL)),
    ("convert_with_shape", lambda place: place.convert(SYMBOLIC, "--shape", "x=1x3x8x8")),
    ("convert_int8", lambda place: place.convert(
        SMALL, "--precision", "int8", "--calibration", bad.write(place.input, GOOD_TABLE.encode(), "table.txt"))),
    ("calibrate", lambda place: calibrate(place, x=GOOD_X)),
    ("run", lambda place: place.run(None, place.npz(x=X))),
    ("compare", compare),
    ("compare_without_layers", lambda place: compare_layers(place, bad.one_node("Identity", ["x"]))),
    ("info", lambda place: ["info", place.data / "tiny_f32.bmodel"]),
    ("disasm", lambda place: ["disasm", place.data / "tiny_f32.bmodel"]),
]


# --- runner -----------------------------------------------------------------------------------------------------------
def start(weft, place, arguments, seconds=60):
    """Runs weft; None if it gave no answer in time."""
    limits = [(kind, most) for kind, most in ((resource.RLIMIT_FSIZE, place.max_file_bytes),
                                              (resource.RLIMIT_AS, place.max_memory)) if most is not None]

    def set_limits():
        for kind, most in limits:
            resource.setrlimit(kind, (most, most))

    try:  # Python ignores SIGXFSZ; not restoring signals lets weft see the failed write instead of dying of it.
        return subprocess.run([weft, *map(str, arguments)], capture_output=True, stdin=subprocess.DEVNULL,
                              timeout=seconds, restore_signals=not limits,
                              preexec_fn=set_limits if limits else None)
    except subprocess.TimeoutExpired:
        return None


def message_problems(errors, says):
    if len(errors) != 1 or not errors[0].startswith("weft: error: "):
        return ["standard error must be one line 'weft: error: ..'"]
    found = []
    if not re.search(says, errors[0]):
        found.append(f"the message must match /{says}/")
    if errors[0].endswith("."):
        found.append("the message ends with a full stop")
    return found


def problems(weft, says, function, test_data):
    """What is wrong with weft's answer to one case; an empty list if nothing is."""
    with tempfile.TemporaryDirectory() as folder:
        place = Place(pathlib.Path(folder), test_data)
        arguments = function(place)
        before = set(place.input.rglob("*"))
        result = start(weft, place, arguments)
        left = [path.name for path in place.out.rglob("*")]
        left += [path.name for path in place.input.rglob("*") if path not in before]
    if result is None:
        return ["no answer in time"]
    errors = result.stderr.decode(errors="replace").strip().split("\n")
    found = message_problems(errors, says)
    if result.returncode != 2:
        found.insert(0, f"exit code {result.returncode}, must be 2")
    if left:
        found.append(f"files left behind: {', '.join(left)}")
    return found + ["stderr: " + " | ".join(errors)[:600]] if found else []


def control_problems(weft, function, test_data):
    with tempfile.TemporaryDirectory() as folder:
        place = Place(pathlib.Path(folder), test_data)
        place.weft = weft
        result = start(weft, place, function(place))
    if result is None:
        return ["no answer in time"]
    text = " | ".join(result.stderr.decode(errors="replace").strip().split("\n"))
    return [f"exit code {result.returncode}, must be 0", "stderr: " + text[:600]] if result.returncode else []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weft")
    parser.add_argument("test_data", type=pathlib.Path)
    parser.add_argument("--group", choices=sorted({group for group, *_ in CASES} | {"control"}))
    parser.add_argument("--only", help="name of one case")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    chosen = [(f"{group}/{name}", problems(args.weft, says, function, args.test_data))
              for group, name, says, function in CASES if args.group in (None, group) and args.only in (None, name)]
    if args.group in (None, "control"):
        chosen += [(f"control/{name}", control_problems(args.weft, function, args.test_data))
                   for name, function in CONTROLS if args.only in (None, name)]
    failed = sum(bool(found) for _, found in chosen)
    for name, found in chosen:
        if found or args.verbose:
            print(f"{'FAILED' if found else 'ok    '} {name}" + "".join(f"\n    {text}" for text in found))
    print(f"{len(chosen)} kinds of input, {failed} answered wrongly")
    sys.exit(1 if failed or not chosen else 0)


if __name__ == "__main__":
    main()
