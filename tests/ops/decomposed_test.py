#!/usr/bin/env python3
"""Operators that the importer decomposes, whole bmodels on the emulator against ONNX Runtime.

  decomposed_test.py WEFT FOLDER [--seed N] [--recurrent N] [--windows N] [-k PATTERN] [--bmrt LIB]

Recurrent operators with random attributes and optional operands (directions, activations and their parameters, clip, sequence
lengths, initial states, peepholes), convolutions and pools of three spatial axes, resizes, paddings and GridSample, also of random
attributes, and the operators of com.microsoft.

Tolerances, relative to the largest magnitude of the output: F32 functions are within 2^-20 and a recurrent op chains up to 6 steps of
a few of them: 2^-14. Quantized results may differ by one where a sum lies near the middle of two integers. DynamicQuantizeLSTM keeps
the input and the states in f32, which ONNX Runtime rounds to 8 bits: 2^-4.
"""
import argparse
import pathlib
import random
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

FLOAT = 2**-14
ACTIVATIONS = {  # name: how many of activation_alpha and activation_beta
    "Relu": (0, 0), "Tanh": (0, 0), "Sigmoid": (0, 0), "Affine": (1, 1), "LeakyRelu": (1, 0), "ThresholdedRelu": (1, 0),
    "ScaledTanh": (1, 1), "HardSigmoid": (1, 1), "Elu": (1, 0), "Softsign": (0, 0), "Softplus": (0, 0)}


class Case:
    def __init__(self, name, node, feeds, constants=(), tolerance=FLOAT, steps=0, outputs=None, options=()):
        self.name, self.feeds, self.tolerance, self.steps, self.options = name, feeds, tolerance, steps, options
        infos = [helper.make_tensor_value_info(key, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape) for key, value in feeds.items()]
        results = [helper.make_tensor_value_info(key, element, None)
                   for key, element in (outputs or {key: TensorProto.FLOAT for key in node.output if key}).items()]
        graph = helper.make_graph([node], name, infos, results, [numpy_helper.from_array(value, key) for key, value in dict(constants).items()])
        self.model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)], ir_version=8)


def normal(rng, *shape):
    return rng.normal(size=shape).astype(np.float32)


def recurrent(index, rng, choose):
    kind = choose.choice(["RNN", "GRU", "LSTM"])
    gates, functions = {"RNN": (1, 1), "GRU": (3, 2), "LSTM": (4, 3)}[kind]
    steps, batch, inputs, hidden = choose.randint(1, 6), choose.randint(1, 3), choose.randint(1, 6), choose.randint(1, 9)
    direction = choose.choice(["forward", "reverse", "bidirectional"])
    directions = 2 if direction == "bidirectional" else 1
    feeds = {"X": normal(rng, steps, batch, inputs)}
    constants = {"W": normal(rng, directions, gates * hidden, inputs), "R": normal(rng, directions, gates * hidden, hidden)}
    names = ["X", "W", "R"]

    def optional(name, value, constant):
        if choose.random() < 0.6:
            names.append(name)
            (constants if constant else feeds)[name] = value
        else:
            names.append("")

    optional("B", normal(rng, directions, 2 * gates * hidden), True)
    optional("L", rng.integers(1, steps + 1, size=batch).astype(np.int32), choose.random() < 0.5)
    optional("H", normal(rng, directions, batch, hidden), choose.random() < 0.3)
    if kind == "LSTM":
        optional("C", normal(rng, directions, batch, hidden), choose.random() < 0.3)
        optional("P", normal(rng, directions, 3 * hidden), True)
    attributes = {"hidden_size": hidden, "direction": direction}
    if choose.random() < 0.5:
        chosen = [choose.choice(list(ACTIVATIONS)) for _ in range(functions * directions)]
        attributes["activations"] = chosen
        if choose.random() < 0.7:
            for i, key in enumerate(["activation_alpha", "activation_beta"]):
                values = [choose.uniform(0.1, 0.9) for name in chosen if ACTIVATIONS[name][i]]
                if values:
                    attributes[key] = values
    if choose.random() < 0.3:
        attributes["clip"] = choose.uniform(0.3, 2)
    if kind == "GRU":
        attributes["linear_before_reset"] = choose.randint(0, 1)
    if kind == "LSTM" and choose.random() < 0.3:
        attributes["input_forget"] = 1
    outputs = ["Y", "Y_h"] + (["Y_c"] if kind == "LSTM" else [])
    return Case(f"{kind}_{index}", helper.make_node(kind, names, outputs, **attributes), feeds, constants)


def microsoft(rng):
    def node(op, inputs, outputs=("Y",), **attributes):
        return helper.make_node(op, inputs, list(outputs), domain="com.microsoft", **attributes)

    x = normal(rng, 2, 5, 16)
    yield Case("Gelu", node("Gelu", ["X"]), {"X": x})
    yield Case("BiasGelu", node("BiasGelu", ["X", "B"]), {"X": x, "B": normal(rng, 16)})
    yield Case("FastGelu", node("FastGelu", ["X"]), {"X": x})
    yield Case("FastGeluBias", node("FastGelu", ["X", "B"]), {"X": x}, {"B": normal(rng, 16)})
    yield Case("QuickGelu", node("QuickGelu", ["X"], alpha=1.5), {"X": x})
    for activation, parameters in [("Relu", []), ("Sigmoid", []), ("Tanh", []), ("LeakyRelu", [0.3]), ("Clip", [-0.5, 0.75]), ("HardSigmoid", [0.3, 0.4])]:
        attributes = {"activation_params": parameters} if parameters else {}
        yield Case(f"FusedConv{activation}", node("FusedConv", ["X", "W", "B"], activation=activation, pads=[1, 1, 1, 1], **attributes),
                   {"X": normal(rng, 1, 3, 8, 9)}, {"W": normal(rng, 4, 3, 3, 3) / 4, "B": normal(rng, 4)})
    yield Case("FusedConvSum", node("FusedConv", ["X", "W", "B", "Z"], activation="Relu"), {"X": normal(rng, 1, 3, 8, 9), "Z": normal(rng, 1, 4, 6, 7)},
               {"W": normal(rng, 4, 3, 3, 3) / 4, "B": normal(rng, 4)})
    yield Case("FusedMatMul", node("FusedMatMul", ["A", "B"], alpha=0.25, transA=1, transB=1), {"A": normal(rng, 3, 6, 5), "B": normal(rng, 3, 7, 6)})
    yield Case("SkipLayerNorm", node("SkipLayerNormalization", ["X", "S", "G", "B", "C"], ["Y", "", "", "Z"], epsilon=1e-5),
               {"X": x, "S": normal(rng, 2, 5, 16)}, {"G": normal(rng, 16), "B": normal(rng, 16), "C": normal(rng, 16)})
    yield Case("SkipLayerNormNoBias", node("SkipLayerNormalization", ["X", "S", "G"], epsilon=1e-5), {"X": x, "S": normal(rng, 2, 5, 16)}, {"G": normal(rng, 16)})
    yield Case("SkipRmsNorm", node("SkipSimplifiedLayerNormalization", ["X", "S", "G"], epsilon=1e-5), {"X": x, "S": normal(rng, 2, 5, 16)}, {"G": normal(rng, 16)})
    yield Case("RmsNorm", helper.make_node("SimplifiedLayerNormalization", ["X", "G"], ["Y"], axis=-1, epsilon=1e-5), {"X": x}, {"G": normal(rng, 16)})
    yield from attention(rng, node)
    yield from quantized(rng, node)


def attention(rng, node):
    q, k, v = normal(rng, 2, 5, 16), normal(rng, 2, 7, 16), normal(rng, 2, 7, 16)
    yield Case("MultiHead", node("MultiHeadAttention", ["Q", "K", "V"], num_heads=4), {"Q": q, "K": k, "V": v})
    yield Case("MultiHeadBias", node("MultiHeadAttention", ["Q", "K", "V", "B", "", "A"], num_heads=2, scale=0.3),
               {"Q": q, "K": k, "V": v, "A": normal(rng, 2, 2, 5, 7)}, {"B": normal(rng, 48)})
    mask = (np.arange(7) < np.array([[5], [7]])).astype(np.int32)
    yield Case("MultiHeadMask", node("MultiHeadAttention", ["Q", "K", "V", "", "M"], num_heads=4), {"Q": q, "K": k, "V": v}, {"M": mask})
    past = {"PK": normal(rng, 2, 4, 3, 4), "PV": normal(rng, 2, 4, 3, 4)}
    yield Case("MultiHeadPast", node("MultiHeadAttention", ["Q", "K", "V", "", "", "", "PK", "PV"], ["Y", "NK", "NV"], num_heads=4),
               {"Q": q, "K": normal(rng, 2, 5, 16), "V": normal(rng, 2, 5, 16), **past})
    weights = {"W": normal(rng, 16, 48) / 4, "B": normal(rng, 48)}
    yield Case("Attention", node("Attention", ["X", "W", "B"], num_heads=4), {"X": q}, weights)
    yield Case("AttentionCausal", node("Attention", ["X", "W", "B"], num_heads=4, unidirectional=1), {"X": q}, weights)
    yield Case("AttentionMask", node("Attention", ["X", "W", "B", "M"], num_heads=2), {"X": q}, {**weights, "M": mask[:, 2:]})


def quantized(rng, node):
    def parameters(**scales):
        return {key: np.asarray(value, np.float32 if key[-1] == "s" else np.uint8) for key, value in scales.items()}

    def codes(*shape):
        return rng.integers(0, 256, size=shape).astype(np.uint8)

    whole = {"Y": TensorProto.UINT8}
    a, b = codes(2, 3, 6, 8), codes(2, 3, 6, 8)
    five = parameters(xs=0.05, xz=120, ys=0.03, yz=100)
    for op in ["QLinearAdd", "QLinearMul"]:
        yield Case(op, node(op, ["A", "as", "az", "B", "bs", "bz", "cs", "cz"]), {"A": a, "B": b},
                   parameters(**{"as": 0.02, "az": 100, "bs": 0.03, "bz": 140, "cs": 0.06, "cz": 128}), steps=1, outputs=whole)
    for op, attributes in [("QLinearSigmoid", {}), ("QLinearLeakyRelu", {"alpha": 0.2})]:
        constants = dict(five, **parameters(ys=1 / 256, yz=0)) if op == "QLinearSigmoid" else five
        yield Case(op, node(op, ["A", "xs", "xz", "ys", "yz"], **attributes), {"A": a}, constants, steps=1, outputs=whole)
    pool = ["A", "xs", "xz", "ys", "yz"]
    yield Case("QLinearAveragePool", node("QLinearAveragePool", pool, kernel_shape=[2, 3], strides=[2, 1]), {"A": a}, five, steps=1, outputs=whole)
    yield Case("QLinearGlobalAveragePool", node("QLinearGlobalAveragePool", pool, channels_last=0), {"A": a}, five, steps=1, outputs=whole)
    yield Case("QLinearGlobalAveragePoolLast", node("QLinearGlobalAveragePool", pool, channels_last=1), {"A": a}, five, steps=1, outputs=whole)
    yield Case("QLinearConcat", node("QLinearConcat", ["ys", "yz", "A", "xs", "xz", "B", "bs", "bz"], axis=1), {"A": a, "B": b},
               {**five, **parameters(bs=0.02, bz=90)}, steps=1, outputs=whole)
    weights = rng.integers(-127, 128, size=(8, 5)).astype(np.int8)
    yield Case("MatMulIntegerToFloat", node("MatMulIntegerToFloat", ["A", "W", "as", "ws", "az", "wz", "B"]), {"A": a},
               {"W": weights, "wz": np.zeros((), np.int8), "B": normal(rng, 5), **parameters(**{"as": 0.02, "ws": 0.01, "az": 130})})
    lstm = {"W": rng.integers(-127, 128, size=(1, 4, 24)).astype(np.int8), "R": rng.integers(-127, 128, size=(1, 6, 24)).astype(np.int8), "B": normal(rng, 1, 48),
            "ws": np.full(1, 0.008, np.float32), "wz": np.zeros(1, np.int8), "rs": np.full(1, 0.008, np.float32), "rz": np.zeros(1, np.int8)}
    yield Case("DynamicQuantizeLSTM", node("DynamicQuantizeLSTM", ["X", "W", "R", "B", "", "", "", "", "ws", "wz", "rs", "rz"], ["Y", "Y_h", "Y_c"],
                                           hidden_size=6), {"X": normal(rng, 4, 2, 4)}, lstm, tolerance=2**-4)


def weft(program, *arguments):
    result = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    return result.stderr.strip()[:400] if result.returncode else None


def compare(case, expected, got):
    if got.shape != expected.shape or got.dtype != expected.dtype:
        return f"{got.dtype} {got.shape}, not {expected.dtype} {expected.shape}"
    difference = np.abs(got.astype(np.float64) - expected.astype(np.float64)).max(initial=0)
    allowed = case.steps or case.tolerance * max(1, np.abs(expected).max(initial=0))
    return None if difference <= allowed else f"differs by {difference:.3g}, allowed {allowed:.3g}"


def check(program, folder, case, bmrt):
    options = onnxruntime.SessionOptions()
    # On CPUs without VNNI ONNX Runtime saturates sums of two products of bytes at 16 bits, unless its optimizations avoid it.
    options.add_session_config_entry("session.x64quantprecision", "1")
    session = onnxruntime.InferenceSession(case.model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    expected = session.run(None, case.feeds)
    model, bmodel, inputs, outputs = (folder / f"{case.name}{suffix}" for suffix in [".onnx", ".bmodel", ".in.npz", ".out.npz"])
    onnx.save(case.model, model)
    np.savez(inputs, **case.feeds)
    problem = weft(program, "convert", model, "-o", bmodel, "--precision", "f32", *case.options)
    problem = problem or weft(program, "run", bmodel, "--input", inputs, "--output", outputs)
    if problem:
        return problem
    with np.load(outputs) as archive:
        results = dict(archive)
    for info, value in zip(session.get_outputs(), expected):
        if difference := compare(case, value, results[info.name]):
            return f"output {info.name} {difference}"
    if bmrt:
        again = folder / f"{case.name}.bmrt.npz"
        if problem := weft(program, "run", bmodel, "--input", inputs, "--output", again, "--device", "bmrt", "--bmrt-lib", bmrt):
            return problem
        with np.load(again) as archive:
            if any(archive[key].tobytes() != value.tobytes() for key, value in results.items()):
                return "libbmrt gives other bytes"
    return None


def windows(index, rng, choose):
    """A convolution or pool of three spatial axes, or a tensor of as many that is resized, padded, cut, joined or read at computed places."""
    kind = choose.choice(["Conv", "Conv", "ConvTranspose", "MaxPool", "AveragePool", "Resize", "Pad", "GridSample", "Slice", "Concat"])
    images, channels = choose.randint(1, 3), choose.choice([1, 2, 4, 6])
    sizes = [choose.randint(5, 9) for _ in range(3)]  # no shorter than any kernel
    name = f"{kind}{index}"
    three = lambda low, high: [choose.randint(low, high) for _ in range(3)]
    x = normal(rng, images, channels, *sizes)
    if kind in ("Resize", "Pad") and choose.random() < 0.7:
        x = x[:, :, 0]
    if kind == "Resize":
        grown = [choose.randint(1, 3 * size) for size in x.shape[2:]]
        attributes = {"mode": "nearest", "coordinate_transformation_mode": choose.choice(["asymmetric", "half_pixel", "align_corners"]),
                      "nearest_mode": choose.choice(["floor", "ceil", "round_prefer_floor"])}
        return Case(name, helper.make_node("Resize", ["X", "", "", "S"], ["Y"], **attributes), {"X": x},
                    {"S": np.array([*x.shape[:2], *grown], np.int64)})
    if kind == "Pad":
        pads = [choose.choice([0, 0, 1, 2, 5]) if axis % x.ndim >= choose.choice([0, 2]) else 0 for axis in range(2 * x.ndim)]
        mode = choose.choice(["constant", "constant", "edge", "reflect"])
        if mode == "reflect":  # no longer than the axis
            pads = [min(pad, x.shape[axis % x.ndim] - 1) for axis, pad in enumerate(pads)]
        return Case(name, helper.make_node("Pad", ["X", "P", "V"], ["Y"], mode=mode), {"X": x},
                    {"P": np.array(pads, np.int64), "V": np.array(choose.choice([0.0, -1.5]), np.float32)})
    if kind in ("Slice", "Concat"):
        axis = choose.randint(0, x.ndim - 1)
        if kind == "Concat":
            other = normal(rng, *(choose.randint(1, 4) if i == axis else size for i, size in enumerate(x.shape)))
            return Case(name, helper.make_node("Concat", ["X", "Z"], ["Y"], axis=axis), {"X": x, "Z": other})
        first = choose.randint(0, x.shape[axis] - 1)
        limits = {"S": first, "E": choose.randint(first + 1, x.shape[axis]), "A": axis, "T": choose.randint(1, 3)}
        return Case(name, helper.make_node("Slice", ["X", *limits], ["Y"]), {"X": x}, {key: np.array([value], np.int64) for key, value in limits.items()})
    if kind == "GridSample":
        x = normal(rng, images, choose.choice([1, 3, 15, 20]), *sizes[:2])
        grid = rng.uniform(-1.2, 1.2, size=(images, *three(1, 12)[:2], 2)).astype(np.float32)
        attributes = {"mode": choose.choice(["bilinear", "nearest", "bicubic"]), "align_corners": choose.randint(0, 1),
                      "padding_mode": choose.choice(["zeros", "border", "reflection"])}
        return Case(name, helper.make_node("GridSample", ["X", "G"], ["Y"], **attributes), {"X": x, "G": grid})
    kernel, dilations = three(1, 3), three(1, 2) if kind == "Conv" else [1, 1, 1]
    attributes = {"kernel_shape": kernel, "strides": three(1, 3), "pads": [choose.randint(0, extent - 1) for extent in 2 * kernel]}
    if kind.endswith("Pool"):
        if choose.random() < 0.2:
            attributes = {"kernel_shape": sizes}
        if kind == "AveragePool":
            attributes["count_include_pad"] = choose.randint(0, 1)
        return Case(name, helper.make_node(kind, ["X"], ["Y"], **attributes), {"X": x})
    group = choose.choice([1, 1, channels, 2 if channels % 2 == 0 else 1])
    made = choose.choice([2, 5]) * group
    shape = [made, channels // group] if kind == "Conv" else [channels, made // group]
    attributes.update(group=group, dilations=dilations)
    return Case(name, helper.make_node(kind, ["X", "W", "B"], ["Y"], **attributes), {"X": x},
                {"W": normal(rng, *shape, *kernel), "B": normal(rng, made)})


def large(rng):
    """What is cut into slices, some of padding alone, or too large for a lane."""
    def pad(name, shape, *pads):
        return Case(name, helper.make_node("Pad", ["X", "P", "V"], ["Y"]), {"X": normal(rng, *shape)},
                    {"P": np.array(pads, np.int64), "V": np.array(2.5, np.float32)}, options=["--no-host"])

    yield pad("PadAbove", (1, 128, 1, 100), 0, 0, 900, 0, 0, 0, 0, 0)
    yield pad("PadBelow", (1, 70, 2, 100), 0, 0, 0, 0, 0, 0, 900, 0)
    yield pad("PadLeft", (1, 70, 100, 2), 0, 0, 0, 900, 0, 0, 0, 0)
    yield pad("PadRight", (1, 70, 100, 2), 0, 0, 0, 0, 0, 0, 0, 900)
    yield pad("PadAround", (2, 33, 60, 60), 0, 0, 150, 80, 0, 0, 90, 60)
    for kind in ("GlobalAveragePool", "GlobalMaxPool"):
        yield Case(kind + "Volume", helper.make_node(kind, ["X"], ["Y"]), {"X": normal(rng, 1, 12, 24, 48, 48)}, options=["--no-host"])
        yield Case(kind + "Planes", helper.make_node(kind, ["X"], ["Y"]), {"X": normal(rng, 2, 3, 192, 192)}, options=["--no-host"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weft")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--recurrent", type=int, default=24)
    parser.add_argument("--windows", type=int, default=60)
    parser.add_argument("-k", dest="pattern", default="")
    parser.add_argument("--bmrt", default="")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    rng, choose = np.random.default_rng(options.seed), random.Random(options.seed)
    cases = [recurrent(i, rng, choose) for i in range(options.recurrent)] + list(microsoft(rng))
    cases += [windows(i, rng, choose) for i in range(options.windows)] + list(large(rng))
    failures = 0
    cases = [case for case in cases if options.pattern in case.name]
    for case in cases:
        if problem := check(options.weft, options.folder, case, options.bmrt):
            print(f"FAIL {case.name}: {problem}")
            failures += 1
    print(f"{len(cases) - failures} of {len(cases)} passed, seed {options.seed}")
    return 1 if failures or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
