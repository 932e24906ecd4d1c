#!/usr/bin/env python3
"""Networks that ONNX Runtime quantized, against ONNX Runtime: how many codes differ.

  quantized.py WEFT DIR [--models REGEX] [--variants REGEX] [--precisions int8,f16] [--whole] [--list N] [--check] [--json FILE]

PP-OCR cls and rec and a ResNet with seeded weights, quantized by onnxruntime.quantization: QDQ and QOperator by calibration, and
dynamic; per tensor and per channel; weights and activations signed and unsigned. Each is converted and run on the emulator. Two references:

  optimized   ONNX Runtime as it comes: QDQ graphs become its integer operators. Products of bytes are exact (`session.x64quantprecision`: on
              CPUs without VNNI its kernels saturate sums of two products at 16 bits else).
  as written  the same graph with its optimizations off: products of dequantized floats, whose sums are rounded in the order of its kernels.

Every operator is given ONNX Runtime's integers: a code that differs would otherwise make others differ behind it, as it does between the two
references. The table has the integers that differ from either, the most that one does, the same of the better of both operator by operator
(operators of ONNX Runtime that are fused are not those of the graph), and the cosine of the whole network's first output. --whole runs the
network in one piece instead. --list N names tensors that differ from both. --check fails if an integer differs by more than 1, or more of them
differ from the nearer reference than were counted (RECORDED), give or take what another CPU may turn. rec has counts at --width 64 and 320.
"""
import argparse
import hashlib
import json
import pathlib
import re
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

import measure

U8, I8, I16 = QuantType.QUInt8, QuantType.QInt8, QuantType.QInt16
# Name: format, by channel, activations, weights. The first of each format are the defaults of ONNX Runtime's documentation.
VARIANTS = {
    "qdq": (QuantFormat.QDQ, False, U8, I8),
    "qdq_channel": (QuantFormat.QDQ, True, U8, I8),
    "qdq_signed": (QuantFormat.QDQ, True, I8, I8),
    "qdq_unsigned": (QuantFormat.QDQ, False, U8, U8),
    "qdq_16": (QuantFormat.QDQ, True, I16, I8),
    "qop": (QuantFormat.QOperator, False, U8, I8),
    "qop_channel": (QuantFormat.QOperator, True, U8, I8),
    "qop_unsigned": (QuantFormat.QOperator, False, U8, U8),
    "dynamic": (None, False, U8, U8),
    "dynamic_channel": (None, True, U8, I8),
}
SAMPLES = 4
# Integers that differ from the nearer reference, of 50 thousand to 45 million; none in variants that are not named. An AMD EPYC with AVX-512.
RECORDED = {
    "resnet": {"qdq_signed": 1, "qdq_16": 99, "qop_channel": 1},
    "ppocr_cls": {"qdq_16": 424, "dynamic": 1},
    "ppocr_rec_64": {"qdq": 20, "qdq_channel": 2, "qdq_signed": 4, "qdq_unsigned": 2, "qdq_16": 1519, "qop_channel": 1, "qop_unsigned": 1},
    "ppocr_rec_320": {"qdq": 84, "qdq_channel": 84, "qdq_signed": 90, "qdq_unsigned": 89, "qdq_16": 6752, "qop": 2, "qop_channel": 1,
                      "qop_unsigned": 1, "dynamic": 3, "dynamic_channel": 1},
}


def resnet():
    """Three stages of a basic and a bottleneck block, strided, on 3x48x48; He-normal weights."""
    rng = np.random.default_rng(7)
    nodes, constants = [], []

    def constant(value):
        constants.append(numpy_helper.from_array(np.asarray(value, np.float32), f"c{len(constants)}"))
        return constants[-1].name

    def node(kind, *inputs, **attributes):
        nodes.append(helper.make_node(kind, inputs, [f"v{len(nodes)}"], name=f"{kind}_{len(nodes)}", **attributes))
        return nodes[-1].output[0]

    def conv(x, channels, results, kernel, stride=1):
        weights = rng.standard_normal((results, channels, kernel, kernel)) * np.sqrt(2 / (channels * kernel * kernel))
        return node("Conv", x, constant(weights), constant(rng.standard_normal(results) * 0.1), pads=[kernel // 2] * 4, kernel_shape=[kernel] * 2,
                    strides=[stride] * 2)

    def block(x, channels, results, stride, narrow):
        y = node("Relu", conv(x, channels, narrow, 1 if narrow < results else 3, 1 if narrow < results else stride))
        if narrow < results:
            y = node("Relu", conv(y, narrow, narrow, 3, stride))
        y = conv(y, narrow, results, 1 if narrow < results else 3)
        if stride > 1 or channels != results:
            x = conv(x, channels, results, 1, stride)
        return node("Relu", node("Add", y, x))

    x = node("MaxPool", node("Relu", conv("x", 3, 32, 7, 2)), kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    channels = 32
    for results, stride in ((32, 1), (64, 2), (128, 2)):
        x = block(x, channels, results, stride, results)
        x = block(x, results, results * 2, 1, results // 2)
        channels = results * 2
    x = node("Flatten", node("GlobalAveragePool", x))
    node("Gemm", x, constant(rng.standard_normal((100, channels)) * 0.1), constant(rng.standard_normal(100) * 0.1), transB=1)
    nodes[-1].output[0] = "y"
    given = helper.make_tensor_value_info("x", 1, [1, 3, 48, 48])
    graph = helper.make_graph(nodes, "resnet", [given], [helper.make_tensor_value_info("y", 1, [1, 100])], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


def noise(infos, seed):
    rng = np.random.default_rng(seed)
    return {name: rng.standard_normal(shape).astype(np.float32) for name, (_, shape) in infos.items()}


def fixed(path, shape):
    """The model with an input of one size, without older opsets' forms."""
    model = onnx.load(path)
    if model.opset_import[0].version < 13:
        model = onnx.version_converter.convert_version(model, 13)
    for info in model.graph.input:
        for dim, size in zip(info.type.tensor_type.shape.dim, shape):
            dim.dim_value = size
    return model


def networks(folder, width):
    """Name: file of the float model, function that makes inputs of a seed."""
    lines = measure.generators.KINDS["lines"]
    made = {"resnet": (resnet, noise)}
    for name, shape in (("ppocr_cls", (1, 3, 48, 192)), ("ppocr_rec", (1, 3, 48, width))):
        made[name] = (lambda name=name, shape=shape: fixed(measure.model_registry.fetch(name), shape), lines)
    for name, (make, inputs) in made.items():
        yield name, folder / (name if name != "ppocr_rec" else f"{name}_{width}"), make, inputs


class Samples(CalibrationDataReader):
    def __init__(self, feeds):
        self.feeds = iter(feeds)

    def get_next(self):
        return next(self.feeds, None)


def made_of(path, *parts):
    """The path with a digest of the bytes that its file is made of and of the ONNX Runtime that makes it: files of other ones stay what they are."""
    digest = hashlib.sha256(onnxruntime.__version__.encode())
    for part in parts:
        digest.update(hashlib.sha256(part).digest())
    return path.with_name(f"{path.stem}_{digest.hexdigest()[:12]}{path.suffix}")


def prepared(folder, make):
    """The float model as ONNX Runtime's documentation has it before quantization: shapes inferred, batch norms folded."""
    model = make().SerializeToString(deterministic=True)
    path = made_of(folder / "prepared.onnx", model)
    if not path.exists():
        (folder / "float.onnx").write_bytes(model)
        quant_pre_process(str(folder / "float.onnx"), str(path), skip_symbolic_shape=True)
    return path


def quantized(folder, source, variant, samples):
    arrays = [part for feeds in samples for name, array in feeds.items() for part in (name.encode(), array.tobytes())]
    path = made_of(folder / f"{variant}.onnx", source.read_bytes(), repr(VARIANTS[variant]).encode(), *arrays)
    if path.exists():
        return path
    form, by_channel, activations, weights = VARIANTS[variant]
    if form is None:
        quantize_dynamic(str(source), str(path), per_channel=by_channel, weight_type=weights)
        return path
    extra = {"UseQDQContribOps": True} if activations == I16 else {}
    quantize_static(str(source), str(path), Samples(samples), quant_format=form, per_channel=by_channel, activation_type=activations,
                    weight_type=weights, extra_options=extra)
    return path


def integers_of(model):
    """Names of the integer tensors of 8 and 16 bits that nodes give, by node, with the parameters of dynamic ones."""
    constants = {tensor.name for tensor in model.graph.initializer}
    infos = {info.name: info.type.tensor_type for info in onnx.shape_inference.infer_shapes(model).graph.value_info}
    for node in model.graph.node:
        first = node.output[0]
        quantizes = node.op_type in ("QuantizeLinear", "DynamicQuantizeLinear") or node.op_type.startswith("QLinear") or node.op_type == "QGemm"
        if first not in constants and (quantizes or (first in infos and infos[first].elem_type in (2, 3, 4, 5))):
            yield node, list(node.output) if node.op_type == "DynamicQuantizeLinear" else [first]


def with_integers(path, reference, feeds):
    """The model with its integers as outputs; unless `reference` is None every reader gets those of ONNX Runtime as inputs instead.
    Gives the file and the feeds with these inputs."""
    model = onnx.load(path)
    made = [name for _, names in integers_of(model) for name in names]
    known = {output.name for output in model.graph.output}
    model.graph.output.extend(helper.make_empty_tensor_value_info(name) for name in made if name not in known)
    target = path.with_name(path.stem + "_integers.onnx")
    onnx.save(model, target)
    if reference is None:
        return target, feeds
    values = dict(zip(made, reference(target).run(made, feeds)))
    given = {}
    for node in model.graph.node:
        for place, name in enumerate(node.input):
            if name in values:
                node.input[place] = name + "_given"
                given[name + "_given"] = values[name]
    model.graph.input.extend(helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
                             for name, value in given.items())
    target = path.with_name(path.stem + "_given.onnx")
    onnx.save(model, target)
    return target, feeds | given


def session(path, optimized, variant="qdq"):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    levels = onnxruntime.GraphOptimizationLevel
    options.graph_optimization_level = levels.ORT_ENABLE_ALL if optimized else levels.ORT_DISABLE_ALL
    if VARIANTS[variant][2:] == (U8, I8):
        options.add_session_config_entry("session.x64quantprecision", "1")
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def convert(weft, path, precision, folder, feeds):
    """The bmodel, calibrated on its input where it has to be."""
    bmodel, samples = folder / f"{path.stem}_{precision}.bmodel", folder / f"{path.stem}_samples"
    samples.mkdir(exist_ok=True)
    np.savez(samples / "in.npz", **feeds)
    measure.call(weft, "convert", path, "-o", bmodel, "--precision", precision, *(["--calibration-data", samples] if precision == "int8" else []))
    return bmodel


def run(weft, bmodel, folder, feeds):
    np.savez(folder / "in.npz", **feeds)
    measure.call(weft, "run", bmodel, "-i", folder / "in.npz", "-o", folder / "out.npz")
    with np.load(folder / "out.npz") as found:
        return {name: found[name] for name in found.files}


class Row:
    """Differences of one conversion, added up over its integer tensors."""

    def __init__(self, model, variant, precision, recorded):
        self.recorded = recorded
        self.values = {"model": model, "variant": variant, "precision": precision, "elements": 0}
        for key in ("optimized", "written", "nearer"):
            self.values[key] = [0, 0.0]
        self.names = []

    def add(self, name, found, references):
        off = [np.abs(found.astype(np.float64) - reference.astype(np.float64)) for reference in references]
        counts = [[int((values > 0).sum()), float(values.max())] for values in off]
        self.values["elements"] += found.size
        for key, new in zip(("optimized", "written", "nearer"), [*counts, min(counts)]):
            old = self.values[key]
            self.values[key] = [old[0] + new[0], max(old[1], new[1])]
        if min(counts)[0]:
            self.names.append(f"    {name}: {min(counts)[0]} of {found.size} by {min(counts)[1]:g} at most")

    def text(self):
        values = self.values
        pair = lambda key: f"{values[key][0]:,}, {values[key][1]:.4g}"  # noqa: E731
        return (f"| {values['model']} {values['variant']} | {values['precision']} | {values['elements']:,} | {pair('optimized')} | {pair('written')} | "
                f"{pair('nearer')} | {values['cosine']:.6f} | {values['cycles']:,} |")

    def problem(self):
        """What --check says of it; "" if nothing. Four times the count: 270 codes of an AveragePool of rec were counted once, 82 another time, as kernels
        that sum in the order of a CPU's vectors turn other ties."""
        (count, off), label = self.values["nearer"], " ".join(self.values[key] for key in ("model", "variant", "precision"))
        if not off <= 1:
            return f"{label}: an integer differs by {off:g}"
        if self.recorded is not None and count > 4 * self.recorded + 4:
            return f"{label}: {count} integers differ, {self.recorded} were recorded"
        return ""


def rows_of(name, folder, make, inputs, arguments):
    source = prepared(folder, make)
    infos = {info.name: (np.float32, info.shape) for info in session(source, True).get_inputs()}
    samples = [inputs(infos, 100 + index) for index in range(SAMPLES)]
    feeds = inputs(infos, 1000)
    for variant in VARIANTS:
        if not re.search(arguments.variants, variant):
            continue
        path = quantized(folder, source, variant, samples)
        cut, given = with_integers(path, None if arguments.whole else lambda model: session(model, True, variant), feeds)
        references = [session(cut, optimized, variant) for optimized in (True, False)]
        names = [output.name for output in references[0].get_outputs()]
        wanted = [dict(zip(names, reference.run(names, given))) for reference in references]
        plain = session(path, True, variant)
        first = plain.get_outputs()[0].name
        for precision in arguments.precisions.split(","):
            row = Row(name, variant, precision, RECORDED[folder.name].get(variant, 0) if folder.name in RECORDED else None)
            found = run(arguments.weft, convert(arguments.weft, cut, precision, folder, given), folder, given)
            for output in names:
                if found[output].dtype.kind in "iu":
                    row.add(output, found[output], [reference[output] for reference in wanted])
            bmodel = convert(arguments.weft, path, precision, folder, feeds)
            row.values["cycles"] = json.loads(measure.call(arguments.weft, "profile", bmodel, "--json")[0])["total_cycles"]
            row.values["cosine"] = measure.cosine(run(arguments.weft, bmodel, folder, feeds)[first], plain.run([first], feeds)[0])
            yield row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weft")
    parser.add_argument("dir", type=pathlib.Path)
    parser.add_argument("--models", default="")
    parser.add_argument("--variants", default="")
    parser.add_argument("--precisions", default="int8,f16")
    parser.add_argument("--width", type=int, default=320, help="of the line that rec reads")
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--list", type=int, default=0)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.check and arguments.whole:
        parser.error("--check is for operator by operator; leave out --whole")
    rows, failed = [], []
    print("| model, variant | precision | integers | differ from optimized, by | from as written, by | from the nearer, by | cosine | cycles |")
    print("|---|---|---|---|---|---|---|---|")
    for name, folder, make, inputs in networks(arguments.dir, arguments.width):
        if not re.search(arguments.models, name):
            continue
        folder.mkdir(parents=True, exist_ok=True)
        for row in rows_of(name, folder, make, inputs, arguments):
            rows.append(row.values)
            print("\n".join([row.text(), *row.names[:arguments.list]]), flush=True)
            if row.problem():
                failed.append(row.problem())
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1))
    if arguments.check and failed:
        print("\n".join(failed))
    return bool(failed and arguments.check) if rows else 1


if __name__ == "__main__":
    sys.exit(main())
