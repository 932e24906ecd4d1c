#!/usr/bin/env python3
"""Models as programs of vectors, bit for bit.

  zhouyi_test.py WEFT LADDER FOLDER

mlp      a quantized 784-256-128-10 perceptron of QGemm: equal to ONNX Runtime in every bit; of QLinearMatMul and
         QLinearAdd: but for sums next to a half
dynamic  the same, quantized at run time (DynamicQuantizeLinear, MatMulInteger)
cnn      a small quantized CNN (QLinearConv, padding, strides, depthwise): equal to ONNX Runtime in every bit
int8     float models that Weft quantizes: every value equal to the evaluators', the output equal to BM1684X's
cls      PP-OCR cls in INT8: every value equal to the evaluators', what goes into the softmax equal to BM1684X's on its emulator
qdq      PP-OCR cls as a QDQ graph, which ONNX Runtime fuses into other numbers: how far, and the same class
"""
import argparse
import pathlib
import subprocess
import sys

import numpy as np
import onnx
import onnx.version_converter
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "models" / "ppocr_cls"), str(ROOT / "scripts")]
import measure  # noqa: E402: the folder above must come first
import model_registry  # noqa: E402


def exact_session(path):
    """On CPUs without VNNI ONNX Runtime saturates sums of two products of bytes at 16 bits, unless its optimizations avoid it."""
    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.x64quantprecision", "1")
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


class Samples(CalibrationDataReader):
    """A few arrays of one input."""

    def __init__(self, name, arrays):
        self.arrays = iter([{name: array} for array in arrays])

    def get_next(self):
        return next(self.arrays, None)


class Bench:
    def __init__(self, weft, ladder, folder):
        self.weft, self.ladder, self.folder = weft, ladder, folder
        self.problems = []

    def check(self, holds, text):
        if not holds:
            self.problems.append(text)

    def command(self, *arguments, code=0):
        done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True, timeout=600)
        if done.returncode != code:
            sys.exit(f"{' '.join(map(str, arguments))}: exit code {done.returncode}, must be {code}\n{done.stdout}{done.stderr}")
        return done

    def run(self, program, inputs):
        """The outputs of a program or a bmodel."""
        np.savez(self.folder / "in.npz", **inputs)
        self.command(self.weft, "run", program, "--input", self.folder / "in.npz", "--output", self.folder / "out.npz")
        return dict(np.load(self.folder / "out.npz"))

    def convert(self, model, *options):
        program = model.with_suffix(".zyp")
        self.command(self.weft, "convert", model, "--target", "zhouyi", "-o", program, *options)
        return program

    def climb(self, name, model, precision, table, shape, inputs):
        """The ladder: every value of the program against the evaluators'."""
        np.savez(self.folder / "in.npz", **inputs)
        done = subprocess.run([self.ladder, model, precision, table, shape, self.folder / "in.npz"], capture_output=True, text=True, timeout=600)
        print(f"{name}: {done.stdout.strip()}")
        self.check(done.returncode == 0, f"{name}: {done.stdout}{done.stderr}")

    def against_ort(self, name, model, inputs):
        """Largest difference and number of differing elements of the outputs."""
        session = exact_session(model)
        program = self.convert(model)
        worst, differing = 0.0, 0
        for sample in inputs:
            wanted = dict(zip([o.name for o in session.get_outputs()], session.run(None, sample)))
            for output, array in self.run(program, sample).items():
                worst = np.maximum(worst, np.abs(array.astype(np.float64) - wanted[output]).max())  # max() would leave out a NaN
                differing += int((array != wanted[output]).sum())
        print(f"{name}: {len(inputs)} samples, {differing} elements differ from ONNX Runtime, by at most {worst:.6g}")
        return worst, differing


def save(path, nodes, inits, shapes):
    """A float model x -> y."""
    graph = helper.make_graph(nodes, "model", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shapes[0])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, shapes[1])], inits)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)


def perceptron(path, rng, one_node=False):
    """Layers of MatMul and Add, or of one Gemm."""
    sizes, nodes, inits, last = [784, 256, 128, 10], [], [], "x"
    for i, (rows, columns) in enumerate(zip(sizes, sizes[1:])):
        inits.append(numpy_helper.from_array((rng.standard_normal((rows, columns)) * 1.4 / np.sqrt(rows)).astype(np.float32), f"w{i}"))
        inits.append(numpy_helper.from_array((rng.standard_normal(columns) * 0.1).astype(np.float32), f"b{i}"))
        final = i == len(sizes) - 2
        result = "y" if final else f"a{i}"
        if one_node:
            nodes.append(helper.make_node("Gemm", [last, f"w{i}", f"b{i}"], [result], name=f"gemm{i}"))
        else:
            nodes.append(helper.make_node("MatMul", [last, f"w{i}"], [f"m{i}"], name=f"matmul{i}"))
            nodes.append(helper.make_node("Add", [f"m{i}", f"b{i}"], [result], name=f"add{i}"))
        if not final:
            nodes.append(helper.make_node("Relu", [f"a{i}"], [f"r{i}"], name=f"relu{i}"))
        last = f"r{i}"
    save(path, nodes, inits, ([4, 784], [4, 10]))


def convolutions(path, rng):
    """3x3 with stride, depthwise, 1x1, 3x3: 3 to 12 channels on 17 x 23."""
    layers = [(3, 8, 3, 2, 1), (8, 8, 3, 1, 8), (8, 12, 1, 1, 1), (12, 6, 3, 2, 1)]
    nodes, inits, last = [], [], "x"
    for i, (inner, outer, kernel, stride, group) in enumerate(layers):
        weights = rng.standard_normal((outer, inner // group, kernel, kernel)) / np.sqrt(inner // group * kernel * kernel)
        inits.append(numpy_helper.from_array(weights.astype(np.float32), f"w{i}"))
        inits.append(numpy_helper.from_array((rng.standard_normal(outer) * 0.1).astype(np.float32), f"b{i}"))
        final = i == len(layers) - 1
        nodes.append(helper.make_node("Conv", [last, f"w{i}", f"b{i}"], ["y" if final else f"c{i}"], name=f"conv{i}", kernel_shape=[kernel, kernel],
                                      pads=[kernel // 2] * 4, strides=[stride, stride], group=group))
        if not final:
            nodes.append(helper.make_node("Relu", [f"c{i}"], [f"r{i}"], name=f"relu{i}"))
        last = f"r{i}"
    save(path, nodes, inits, ([2, 3, 17, 23], [2, 6, 5, 6]))


def quantized(source, target, arrays, form=QuantFormat.QOperator, **options):
    quantize_static(str(source), str(target), Samples("x", arrays), quant_format=form, activation_type=QuantType.QUInt8,
                    weight_type=QuantType.QInt8, **options)
    return target


def test_mlp(bench, rng):
    images = [rng.random((4, 784), dtype=np.float32) for _ in range(12)]
    for name, one_node in (("mlp", True), ("mlp_add", False)):
        source = bench.folder / f"{name}_float.onnx"
        perceptron(source, rng, one_node)
        model = quantized(source, bench.folder / f"{name}.onnx", images[:8])
        worst, differing = bench.against_ort(name, model, [{"x": image} for image in images])
        # ONNX Runtime fuses the products of QLinearAdd into its sums where the processor can: one next to a half may round to the other side.
        step = float(numpy_helper.to_array(next(i for i in onnx.load(model).graph.initializer if i.name == "y_scale")))
        bench.check(differing == 0 if one_node else worst <= 1.01 * step and differing <= 10,
                    f"{name}: {differing} elements differ from ONNX Runtime, by {worst}; a step is {step}")
        bench.climb(name, model, "f32", "-", "x=4x784", {"x": images[9]})
        listing = bench.command(bench.weft, "convert", model, "--target", "zhouyi", "--emit", "asm", "-o", "-").stdout
        bench.check("vqdpa" in listing and " fma " not in listing, f"{name}: the products are no dot products of integers")
    dynamic = bench.folder / "dynamic.onnx"
    quantize_dynamic(str(source), str(dynamic))
    worst, differing = bench.against_ort("dynamic", dynamic, [{"x": image} for image in images[:4]])
    bench.check(differing == 0, f"dynamic: {differing} elements differ from ONNX Runtime, by {worst}")
    bench.climb("dynamic", dynamic, "f32", "-", "x=4x784", {"x": images[9]})


def test_cnn(bench, rng):
    source = bench.folder / "cnn_float.onnx"
    images = [rng.standard_normal((2, 3, 17, 23)).astype(np.float32) for _ in range(8)]
    convolutions(source, rng)
    model = quantized(source, bench.folder / "cnn.onnx", images[:4], per_channel=True)
    _, differing = bench.against_ort("cnn", model, [{"x": image} for image in images])
    bench.check(differing == 0, f"cnn: {differing} elements differ from ONNX Runtime")
    bench.climb("cnn", model, "f32", "-", "x=2x3x17x23", {"x": images[5]})
    listing = bench.command(bench.weft, "convert", model, "--target", "zhouyi", "--emit", "asm", "-o", "-").stdout
    bench.check("vqdpa" in listing and " fma " not in listing, "cnn: the convolutions are no dot products of integers")


# The vector machine has no zero points, and adds floats in another order than the chip.
CODES = ["--precision", "int8", "--asymmetric", "off", "--no-float"]


def test_cls(bench, lines=4):
    measured = measure.Bench(bench.weft, model_registry.fetch("ppocr_cls"), bench.folder)
    table, _ = measured.calibrate()
    shape = measure.SHAPE
    options = ["--shape", shape, *CODES, "--calibration", table]
    program, bmodel = bench.folder / "cls.zyp", bench.folder / "cls.bmodel"
    model = measured.model_with_logits
    bench.command(bench.weft, "convert", model, *options, "--target", "zhouyi", "-o", program)
    bench.command(bench.weft, "convert", model, *options, "-o", bmodel)
    for index in range(lines):
        sample = {measure.INPUT: measured.samples[index]}
        ours, theirs = bench.run(program, sample), bench.run(bmodel, sample)
        logits, expected = ours[measure.LOGITS], theirs[measure.LOGITS]
        bench.check(logits.tobytes() == expected.tobytes(), f"cls: line {index}: before softmax {logits}, BM1684X gives {expected}")
        # The host's softmax rounds its exponentials and quotient once, the chip's sequence some more.
        near = np.abs(ours[measure.SOFTMAX] - theirs[measure.SOFTMAX]).max()
        bench.check(near <= 2.0 ** -21, f"cls: line {index}: the softmax differs by {near}")
        bench.climb(f"cls line {index}", model, "int8", table, shape, sample)
    # Float data for an 8-bit input: both round it by the same factor. The output of the model itself comes from the host.
    for target, file in (("zhouyi", program), ("bm1684x", bmodel)):
        bench.command(bench.weft, "convert", model, *options, "--target", target, "--quantized-io", "-o", file)
    sample = {measure.INPUT: measured.samples[0]}
    ours, theirs = bench.run(program, sample)[measure.LOGITS], bench.run(bmodel, sample)[measure.LOGITS]
    bench.check(ours.dtype == theirs.dtype and ours.tobytes() == theirs.tobytes(), f"cls: --quantized-io: {ours}, BM1684X gives {theirs}")
    refused = bench.command(bench.weft, "convert", measured.model, *options, "--target", "zhouyi", "--no-host", "-o", program, code=2).stderr
    bench.check("softmax" in refused.lower() and "unsupported: " in refused, f"cls: --no-host says {refused}")


def test_qdq(bench, lines=8):
    """ONNX Runtime multiplies the integers of a QDQ graph; we compute the floats that it spells out, as ONNX defines it."""
    measured = measure.Bench(bench.weft, model_registry.fetch("ppocr_cls"), bench.folder)
    source = bench.folder / "cls_static.onnx"
    model = onnx.load(measured.model)
    for dimension, size in zip(model.graph.input[0].type.tensor_type.shape.dim, [1, 3, 48, 192]):
        dimension.dim_value = size
    onnx.save(onnx.version_converter.convert_version(model, 13), source)
    target = bench.folder / "cls_qdq.onnx"
    quantize_static(str(source), str(target), Samples(measure.INPUT, measured.samples[:8]), quant_format=QuantFormat.QDQ,
                    activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8, per_channel=True)
    session = exact_session(target)
    program = bench.convert(target)
    worst, differing, classes = 0.0, 0, 0
    for sample in measured.samples[8:8 + lines]:
        wanted = session.run(None, {measure.INPUT: sample})[0]
        ours = next(iter(bench.run(program, {measure.INPUT: sample}).values()))
        worst, differing = np.maximum(worst, np.abs(ours - wanted).max()), differing + int((ours != wanted).sum())
        classes += int(ours.argmax() == wanted.argmax())
    print(f"qdq: {lines} lines, {differing} of {2 * lines} probabilities differ from ONNX Runtime, by at most {worst:.6g}; class equal on {classes}")
    # One step of the 8-bit softmax is 1/255; the logits before it may round to the next of their 256 values, which moves it by two.
    bench.check(classes == lines, f"qdq: the class is equal on {classes} of {lines} lines")
    bench.check(worst <= 3.0 / 255, f"qdq: a probability differs by {worst}")


def test_int8(bench, rng):
    """Float models that Weft quantizes: the values of the evaluators, the output of BM1684X's emulator in every bit."""
    for name, shape in (("mlp_float", [4, 784]), ("cnn_float", [2, 3, 17, 23])):
        model, data, table = bench.folder / f"{name}.onnx", bench.folder / f"{name}_data", bench.folder / f"{name}.table"
        data.mkdir(exist_ok=True)
        for i in range(4):
            np.savez(data / f"{i}.npz", x=rng.random(shape, dtype=np.float32))
        bench.command(bench.weft, "calibrate", model, "--data", data, "-o", table)
        options, sample = [*CODES, "--calibration", table], {"x": rng.random(shape, dtype=np.float32)}
        bench.climb(f"{name} int8", model, "int8", table, "x=" + "x".join(map(str, shape)), sample)
        for more in ([], ["--quantized-io"]):
            program, bmodel = bench.convert(model, *options, *more), bench.folder / f"{name}.bmodel"
            bench.command(bench.weft, "convert", model, "-o", bmodel, *options, *more)
            ours, theirs = bench.run(program, sample)["y"], bench.run(bmodel, sample)["y"]
            bench.check(ours.dtype == theirs.dtype and ours.tobytes() == theirs.tobytes(), f"{name} int8 {more}: {ours}, BM1684X gives {theirs}")
        program = bench.convert(model, *options)
        np.savez(bench.folder / "in.npz", **sample)
        bench.command(bench.weft, "compare", model, program, "--input", bench.folder / "in.npz", "--per-layer")


REFUSED = [  # options beside --target, what the message has
    (["--emit", "ppl"], "--emit ppl is for chips with command buffers, not --target zhouyi; use top, tpu, zhouyi, asm or zyp"),
    (["--emit", "bmodel"], "--emit bmodel is for chips with command buffers"),
    (["--strip"], "--strip is for chips with command buffers, not --target zhouyi; leave it out"),
    (["-O", "2"], "-O searches for layer groups, which --target zhouyi does not have; leave it out"),
    (["--precision", "bf16"], "unsupported: --precision bf16 with --target zhouyi, whose functions have no bf16; use f16 or f32"),
    (["--shape", "x=2|4x784"], "--shape asks for 2 shapes, a program for --target zhouyi has one; give one size for every axis"),
]


def test_refusals(bench):
    model, program = bench.folder / "mlp_float.onnx", bench.folder / "refused.zyp"
    for options, text in REFUSED:
        said = bench.command(bench.weft, "convert", model, "--target", "zhouyi", "-o", program, *options, code=2).stderr
        bench.check(text in said, f"{options}: {said!r} lacks {text!r}")
    said = bench.command(bench.weft, "convert", model, "--emit", "zyp", "-o", program, code=2).stderr
    bench.check("--emit zyp is for vector machines, not --target bm1684x; use top, tpu, ppl, asm or bmodel" in said, f"--emit zyp: {said!r}")
    bench.check(not program.exists(), "a refused conversion has written a file")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weft")
    parser.add_argument("ladder")
    parser.add_argument("folder", type=pathlib.Path)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    onnxruntime.set_default_logger_severity(3)
    bench = Bench(args.weft, args.ladder, args.folder)
    rng = np.random.default_rng(7)
    test_mlp(bench, rng)
    test_refusals(bench)
    test_cnn(bench, rng)
    test_int8(bench, rng)
    test_cls(bench)
    test_qdq(bench)
    for problem in bench.problems:
        print(f"FAILED {problem}")
    sys.exit(1 if bench.problems else 0)


if __name__ == "__main__":
    main()
