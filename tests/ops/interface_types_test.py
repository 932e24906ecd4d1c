#!/usr/bin/env python3
"""Models whose inputs and outputs a bmodel stores in another type: doubles, integers of all widths, bools.

  interface_types_test.py WEFT FOLDER

Integers and bools: y = cast(x) * 0.5 + 0.25 as floats and z = cast(y) back, with |x| <= 100: every step is exact in 8 bits of
mantissa, so at every precision the result equals ONNX Runtime's, bit for bit, in ONNX's own types, on the emulator and, at one
precision each, on the vendor's runtime. Doubles: a chain with a product of 24 terms, computed as floats: 2^-18 relative in F32 (24 terms of half an
ulp each and a softmax), else cosine 0.999. Values that the stored type does not hold are refused.
"""
import pathlib
import re
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

SHAPE = (2, 5, 3, 7)
INTEGERS = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]
rng = np.random.default_rng(1684)
problems, checks = [], 0


def check(holds, text):
    global checks
    checks += 1
    if not holds:
        problems.append(text)


def onnx_type(dtype):
    return helper.np_dtype_to_tensor_dtype(np.dtype(dtype))


def save(path, nodes, inputs, outputs, constants=()):
    infos = [[helper.make_tensor_value_info(name, onnx_type(dtype), shape) for name, dtype, shape in side] for side in (inputs, outputs)]
    graph = helper.make_graph(nodes, "types", *infos, [numpy_helper.from_array(np.asarray(value), name) for name, value in constants])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9), path)


def call(*arguments):
    return subprocess.run([*map(str, arguments)], capture_output=True, text=True, timeout=120)


def convert(weft, path, precision, feeds):
    options = ["--precision", precision]
    if precision == "int8":
        samples = path.with_suffix(".samples")
        samples.mkdir(exist_ok=True)
        np.savez(samples / "0.npz", **feeds)
        options += ["--calibration-data", samples]
    return call(weft, "convert", path, "-o", path.with_suffix(".bmodel"), *options)


def run(weft, path, feeds, *options):
    np.savez(path.with_suffix(".in.npz"), **feeds)
    result = call(weft, "run", path.with_suffix(".bmodel"), "--input", path.with_suffix(".in.npz"),
                  "--output", path.with_suffix(".out.npz"), *options)
    if result.returncode:
        return result, None
    with np.load(path.with_suffix(".out.npz")) as archive:
        return result, dict(archive)


def same(want, got):
    return got is not None and all(name in got and got[name].dtype == array.dtype and np.array_equal(got[name], array)
                                   for name, array in want.items())


def integer_model(path, dtype):
    outputs = [("y", np.float32, SHAPE)]
    nodes = [helper.make_node("Cast", ["x"], ["f"], to=TensorProto.FLOAT), helper.make_node("Mul", ["f", "half"], ["m"]),
             helper.make_node("Add", ["m", "quarter"], ["y"])]
    if dtype != np.bool_:
        nodes.append(helper.make_node("Cast", ["y"], ["z"], to=onnx_type(dtype)))
        outputs.append(("z", dtype, SHAPE))
    save(path, nodes, [("x", dtype, SHAPE)], outputs, [("half", np.float32(0.5)), ("quarter", np.float32(0.25))])


def check_integers(weft, folder):
    precisions = ("f32", "f16", "bf16", "int8")
    for index, dtype in enumerate([*INTEGERS, np.bool_]):
        name = np.dtype(dtype).name
        path = folder / f"{name}.onnx"
        integer_model(path, dtype)
        low, high = (0, 2) if dtype == np.bool_ else (-100 if np.dtype(dtype).kind == "i" else 0, 101)
        feeds = {"x": rng.integers(low, high, SHAPE).astype(dtype)}
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        want = dict(zip([output.name for output in session.get_outputs()], session.run(None, feeds)))
        for precision in precisions:
            made = convert(weft, path, precision, feeds)
            check(made.returncode == 0 and not made.stderr, f"{name} {precision}: convert says {made.stderr!r}")
            for options in ([], ["--device", "bmrt"])[:1 + (precision == precisions[index % 4])]:
                result, got = run(weft, path, feeds, *options)
                check(same(want, got), f"{name} {precision} {options}: {result.stderr} {got} instead of {want}")
        compared = call(weft, "compare", path, path.with_suffix(".bmodel"), "--input", path.with_suffix(".in.npz"), "--per-layer")
        check(compared.returncode == 0, f"{name}: compare gives {compared.returncode}: {compared.stderr} {compared.stdout}")


def check_doubles(weft, folder):
    path = folder / "double.onnx"
    save(path, [helper.make_node("MatMul", ["x", "w"], ["p"]), helper.make_node("Add", ["p", "b"], ["s"]),
                helper.make_node("Relu", ["s"], ["r"]), helper.make_node("Softmax", ["r"], ["y"])],
         [("x", np.float64, (3, 24))], [("r", np.float64, (3, 9)), ("y", np.float64, (3, 9))],
         [("w", rng.uniform(-1, 1, (24, 9))), ("b", rng.uniform(-1, 1, 9))])
    feeds = {"x": rng.uniform(-1, 1, (3, 24))}
    want = dict(zip("ry", onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]).run(None, feeds)))
    for precision in ("f32", "f16", "bf16", "int8"):
        made = convert(weft, path, precision, feeds)
        remarks = re.findall("weft: remark: .*value 'x' is of type f64; the chip computes it as f32", made.stderr)
        check(made.returncode == 0 and len(remarks) == 1 and made.stderr.count("\n") == 1, f"double {precision}: convert says {made.stderr!r}")
        _, first = run(weft, path, feeds)
        result, second = run(weft, path, feeds, "--device", "bmrt")
        check(first is not None and same(first, second), f"double {precision}: emulator and libbmrt differ: {result.stderr}")
        for name, array in want.items():
            got = (first or {}).get(name, np.zeros(1))
            check(got.dtype == np.float64 and got.shape == array.shape, f"double {precision}: {name} is {got.dtype} {got.shape}")
            if precision == "f32":
                close = np.abs(got - array).max() <= 2**-18 * np.abs(array).max()
            else:
                close = (got * array).sum() >= 0.999 * np.linalg.norm(got) * np.linalg.norm(array)
            check(close, f"double {precision}: {name} is {got}, must be {array}")


def check_refusals(weft, folder):
    path = folder / "int64.onnx"
    for value, fits in ((2**31 - 1, True), (2**31, False), (-2**31, True), (-2**31 - 1, False)):
        feeds = {"x": np.zeros(SHAPE, np.int64)}
        feeds["x"][1, 2, 1, 3] = value
        result, _ = run(weft, path, feeds)
        check((result.returncode == 0) == fits and (fits or "'x'" in result.stderr and str(value) in result.stderr),
              f"int64 {value}: run gives {result.returncode}: {result.stderr}")
    path = folder / "large.onnx"
    save(path, [helper.make_node("Mul", ["x", "c"], ["y"])], [("x", np.float64, SHAPE)], [("y", np.float64, SHAPE)], [("c", np.float64(1e300))])
    refused = subprocess.run([weft, "convert", path, "-o", folder / "large.bmodel", "--no-host"], capture_output=True, text=True)
    check(refused.returncode == 2 and "unsupported: the constant" in refused.stderr, f"large double: convert says {refused.stderr!r}")
    made = convert(weft, path, "f32", {})  # the host computes in doubles
    check(made.returncode == 0, f"large double: convert says {made.stderr!r}")


def main():
    weft, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    check_integers(weft, folder)
    check_doubles(weft, folder)
    check_refusals(weft, folder)
    print("\n".join(problems))
    print(f"{checks} checks, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
