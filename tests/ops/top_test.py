"""ONNX Runtime against the evaluator of the top dialect, one-node models and odd sizes.

    top_test.py TOP_EVAL WORK_DIR

Every case runs twice: as imported, and after constant folding and canonicalization. Tolerances: top computes in
double and rounds once (half an ulp, EPS/2); ONNX Runtime computes in the element type. An element-wise function of
Runtime is good to a few ulp of the largest intermediate: 16 * EPS * max(|result|, |operands|, 1). A sum of n products
in another order differs by at most n * EPS * sum |products|, which each case with sums states as `terms` (with |operands| <= 2:
n * 4 * EPS). f16 kernels of Runtime compute in f32 and round once, so both differ by at most one f16 ulp plus that.
Integers, bools and moves must be equal.
"""
import os
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

SEED = 20240607
OPSET = 20
EPS = {np.dtype(np.float32): 2.0**-23, np.dtype(np.float64): 2.0**-52, np.dtype(np.float16): 2.0**-10}
rng = np.random.default_rng(SEED)


def real(*shape, low=-2.0, high=2.0, dtype=np.float32):
    return rng.uniform(low, high, shape).astype(dtype)


def whole(*shape, low=-9, high=9, dtype=np.int32):
    return rng.integers(low, high, shape).astype(dtype)


class Case:
    def __init__(self, op, inputs, constants=(), terms=0, opset=OPSET, **attributes):
        self.op, self.inputs, self.constants = op, list(inputs), list(constants)
        self.terms, self.opset, self.attributes = terms, opset, attributes

    def model(self, index):
        names = [f"x{i}" for i in range(len(self.inputs))]
        constants = [f"c{i}" for i in range(len(self.constants))]
        node = helper.make_node(self.op, names + constants, ["y"], name=f"{self.op}_{index}", **self.attributes)
        graph = helper.make_graph(
            [node], f"case{index}",
            [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape)
             for n, v in zip(names, self.inputs)],
            [helper.make_empty_tensor_value_info("y")],
            [numpy_helper.from_array(v, n) for n, v in zip(constants, self.constants)])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=9)
        return onnx.shape_inference.infer_shapes(model)

    def tolerance(self, want):
        eps = EPS.get(want.dtype)
        if eps is None or self.op in ("Reshape", "Transpose", "Slice", "Concat", "Identity"):
            return 0.0
        largest = max([np.abs(v.astype(np.float64)).max() for v in self.inputs if v.size and v.dtype.kind == "f"] + [1.0])
        finite = np.abs(np.where(np.isfinite(want), want, 0).astype(np.float64))
        return 16 * eps * np.maximum(finite, largest) + self.terms * 4 * eps


def unary_cases():
    domains = {"Log": (0.01, 9), "Sqrt": (0, 9), "Asin": (-1, 1), "Acos": (-1, 1), "Atanh": (-0.99, 0.99), "Acosh": (1, 9),
               "Reciprocal": (0.1, 4)}
    names = """Identity Abs Neg Sign Exp Log Sqrt Reciprocal Erf Floor Ceil Round Sin Cos Tan Asin Acos Atan Sinh Cosh Tanh Asinh
        Acosh Atanh Relu LeakyRelu ThresholdedRelu Elu Celu Selu Sigmoid HardSigmoid HardSwish Softplus Softsign Mish Gelu
        Shrink IsNaN IsInf""".split()
    for name in names:
        low, high = domains.get(name, (-4, 4))
        if name == "Tan":
            low, high = -1.4, 1.4
        yield Case(name, [real(2, 3, 5, 7, low=low, high=high)])
    yield Case("LeakyRelu", [real(1, 3, 5)], alpha=0.3)
    yield Case("HardSigmoid", [real(1, 3, 5)], alpha=1 / 6, beta=0.5)
    yield Case("Gelu", [real(1, 3, 5)], approximate="tanh")
    yield Case("Clip", [real(3, 5, 7)], [np.float32(-0.5), np.float32(1.25)])
    yield Case("Not", [real(3, 5) > 0])
    yield Case("Abs", [whole(3, 5)])
    yield Case("Abs", [whole(3, 5, dtype=np.int64)])
    yield Case("Neg", [whole(3, 5, dtype=np.int64)])


def binary_cases():
    shapes = [((2, 3, 5, 7), (2, 3, 5, 7)), ((2, 3, 5, 7), (3, 1, 1)), ((1, 3, 1, 7), (2, 1, 5, 1)), ((5,), ()), ((4, 1), (1, 3))]
    for name in "Add Sub Mul Div Max Min".split():
        for left, right in shapes:
            yield Case(name, [real(*left), real(*right, low=0.5)])
        for dtype in (np.int32, np.int64):
            yield Case(name, [whole(3, 5, dtype=dtype), whole(5, low=1, dtype=dtype)])
    yield Case("Pow", [real(3, 5, low=0.1), real(5)])
    yield Case("Pow", [real(3, 5), np.float32([2, 3, 2, 1, 0])])
    yield Case("Mod", [whole(3, 5), whole(3, 5, low=1)])
    yield Case("Mod", [real(3, 5), real(3, 5, low=0.5)], fmod=1)
    yield Case("PRelu", [real(2, 3, 5), real(3, 1)])
    for name in "Equal Less LessOrEqual Greater GreaterOrEqual".split():
        yield Case(name, [whole(3, 5, low=-2, high=2), whole(3, 1, low=-2, high=2)])
    for name in "And Or Xor".split():
        yield Case(name, [real(3, 5) > 0, real(5) > 0])


def window_cases():
    def conv(x, w, bias=True, **attributes):
        constants = [w, real(w.shape[0])] if bias else [w]
        return Case("Conv", [x], constants, terms=int(np.prod(w.shape[1:])), **attributes)
    yield conv(real(1, 3, 9, 13), real(5, 3, 3, 3), pads=[1, 1, 1, 1], strides=[2, 2])
    yield conv(real(2, 4, 7, 5), real(4, 1, 3, 3), group=4, pads=[0, 1, 2, 1])
    yield conv(real(1, 4, 7, 9), real(6, 2, 3, 2), bias=False, group=2, dilations=[2, 3])
    yield conv(real(2, 5, 3, 7), real(3, 5, 1, 1))
    yield conv(real(1, 3, 11), real(2, 3, 4), strides=[3], pads=[3, 2])
    yield conv(real(1, 2, 4, 5, 6), real(3, 2, 2, 3, 2), pads=[1, 0, 1, 0, 1, 1], strides=[1, 2, 2])
    yield Case("MaxPool", [real(1, 3, 7, 9)], kernel_shape=[3, 2], strides=[2, 2], pads=[1, 0, 1, 1])
    for include in (0, 1):
        yield Case("AveragePool", [real(1, 3, 7, 9)], terms=6, kernel_shape=[3, 2], strides=[2, 2], pads=[1, 0, 1, 1],
                   count_include_pad=include)
    yield Case("GlobalAveragePool", [real(2, 3, 5, 7)], terms=35)
    # Composed forms: long strides and dilations, three axes, computed filters, phases of a transposed convolution.
    yield conv(real(1, 2, 37, 40), real(3, 2, 19, 4), strides=[17, 2])
    yield conv(real(1, 2, 40), real(3, 2, 2), dilations=[18], pads=[20, 1])
    # Patches: rows and columns beyond the last, in front of the first, and between them.
    yield conv(real(2, 3, 53, 70), real(5, 3, 16, 16), strides=[16, 16])
    yield conv(real(1, 4, 60, 33), real(6, 2, 13, 32), strides=[16, 32], pads=[3, 1, 2, 40], group=2)
    yield Case("Conv", [real(2, 4, 6, 7), real(6, 2, 3, 2)], terms=12, group=2, strides=[2, 1])
    yield Case("ConvTranspose", [real(1, 4, 5, 4)], [real(4, 3, 4, 3), real(6)], terms=24, group=2, strides=[2, 3],
               pads=[1, 0, 2, 1], output_padding=[1, 0])
    yield Case("ConvTranspose", [real(1, 2, 3, 4, 3)], [real(2, 3, 2, 3, 2)], terms=24, strides=[2, 1, 3], dilations=[1, 2, 1])
    yield Case("MaxPool", [real(1, 2, 5, 6, 7)], kernel_shape=[2, 3, 2], strides=[2, 2, 1], dilations=[2, 1, 3])
    yield Case("AveragePool", [real(1, 2, 33, 7)], terms=6, kernel_shape=[3, 2], strides=[16, 1], pads=[1, 0, 1, 1])
    # Regions: as many samples as pixels, and windows that only the data knows, on the host.
    regions = np.float32([[0, 0, 6, 4], [2.5, 1, 8.25, 6.5]])
    yield Case("RoiAlign", [real(2, 3, 8, 9), regions], [np.int64([1, 0])], terms=16, output_height=2, output_width=3)
    yield Case("MaxRoiPool", [real(2, 3, 8, 9), np.float32([[1, 0, 0, 6, 4], [0, 2, 1, 8, 6]])], pooled_shape=[2, 3])
    for mode in ("linear", "nearest", "cubic"):
        for padding in ("zeros", "border", "reflection"):
            yield Case("GridSample", [real(2, 3, 5, 6), real(2, 4, 3, 2, low=-1.5, high=1.5)], terms=64, mode=mode,
                       padding_mode=padding, align_corners=int(padding == "border"))
    channels = [real(3), real(3), real(3), real(3, low=0.1)]
    yield Case("BatchNormalization", [real(2, 3, 5, 7)], channels, terms=8, epsilon=1e-5)
    for axis in (-1, 1):
        yield Case("Softmax", [real(2, 3, 5)], axis=axis)


def matrix_and_move_cases():
    for left, right in [((3, 5), (5, 4)), ((2, 3, 5), (5, 4)), ((2, 1, 3, 5), (4, 5, 2)), ((5,), (5, 2)), ((3, 5), (5,))]:
        yield Case("MatMul", [real(*left), real(*right)], terms=5)
        yield Case("MatMul", [real(*left)], [real(*right)], terms=5)
    for dtype in (np.float32, np.int64, np.uint8, np.float16):
        x = whole(2, 3, 4, low=0, dtype=dtype)
        yield Case("Reshape", [x], [np.int64([0, -1])])
        yield Case("Transpose", [x], perm=[2, 0, 1])
        yield Case("Slice", [x], [np.int64([3, 0]), np.int64([-9, 2]), np.int64([2, 0]), np.int64([-2, 1])])
        yield Case("Concat", [x, whole(2, 5, 4, low=0, dtype=dtype)], axis=1)
    kinds = [np.float32, np.float64, np.float16, np.int8, np.int32, np.int64, np.uint8, np.bool_]
    for source in kinds:
        for target in kinds:
            value = whole(3, 5, low=0, high=100, dtype=source)
            yield Case("Cast", [value], to=helper.np_dtype_to_tensor_dtype(np.dtype(target)))


def line_cases():
    """Reductions, running sums, norms and Einstein sums: (5, 7) lines, any axis."""
    x, n = real(2, 5, 1, 7), whole(2, 5, 3, low=-9, dtype=np.int32)
    for kind in "Sum Mean Max Min Prod L1 L2 SumSquare LogSumExp".split():
        for axes in ([1], [0, 2, 3], [-1]):
            yield Case("Reduce" + kind, [x], [np.int64(axes)], terms=70, keepdims=int(len(axes) == 3))
        if kind not in ("Mean", "LogSumExp", "L2"):
            yield Case("Reduce" + kind, [n], [np.int64([0, 2])], keepdims=0)
    yield Case("ReduceLogSum", [real(2, 5, low=0.1)], [np.int64([1])], terms=5)
    for name in ("ArgMax", "ArgMin"):
        for last in (0, 1):
            yield Case(name, [whole(3, 7, 2, low=0, high=3, dtype=np.float32)], axis=1, select_last_index=last)
    for reverse in (0, 1):
        yield Case("CumSum", [real(3, 7)], [np.int64(1)], terms=7, reverse=reverse, exclusive=reverse)
        yield Case("CumSum", [n], [np.int64(-2)], reverse=reverse, exclusive=1 - reverse)
    yield Case("LogSoftmax", [real(3, 7, 2)], terms=7, axis=1)
    yield Case("Hardmax", [real(3, 7, 2)], axis=1)
    yield Case("LayerNormalization", [real(3, 4, 7), real(4, 7), real(7)], terms=28, axis=1)
    yield Case("InstanceNormalization", [real(2, 3, 5, 4), real(3), real(3)], terms=20)
    yield Case("LpNormalization", [real(2, 3, 5)], terms=3, axis=1)
    yield Case("LRN", [real(2, 7, 3, 2)], terms=5, size=5, alpha=0.1, beta=0.6, bias=1.5)
    for equation, *shapes in [("ij,jk->ki", (3, 4), (4, 5)), ("bij,bjk", (2, 3, 4), (2, 4, 5)), ("...ij,...jk", (2, 5, 3, 4), (2, 5, 4, 2)),
                              ("ii->i", (4, 4)), ("i,i", (5,), (5,)), ("ijk->k", (2, 3, 4)), ("i,j->ij", (3,), (4,)),
                              ("bn,anm,bm->ba", (2, 3), (4, 3, 5), (2, 5))]:
        yield Case("Einsum", [real(*shape) for shape in shapes], terms=30, equation=equation)
    # Seven bits: on CPUs without VNNI ONNX Runtime saturates sums of two products at 16.
    a, b = whole(2, 3, 300, low=0, high=255, dtype=np.uint8), whole(300, 4, low=-64, high=64, dtype=np.int8)
    yield Case("MatMulInteger", [a, b])
    yield Case("MatMulInteger", [a, b], [np.uint8(130), np.int8(3)])
    yield Case("Gemm", [real(5, 3), real(4, 5), real(3, 1)], terms=5, transA=1, transB=1, alpha=0.5, beta=2.0)


def compare(case, got, want):
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"{got.dtype}{got.shape} instead of {want.dtype}{want.shape}"
    if want.dtype.kind != "f":
        return "" if np.array_equal(got, want) else "values differ"
    difference = np.abs(got.astype(np.float64) - want.astype(np.float64))
    bad = ~(difference <= case.tolerance(want)) & (got != want) & ~(np.isnan(got) & np.isnan(want))
    return f"differs by {difference[bad].max():g}, allowed {np.max(case.tolerance(want)):g}" if bad.any() else ""


def main():
    top_eval, work = sys.argv[1:]
    os.makedirs(work, exist_ok=True)
    cases = [*unary_cases(), *binary_cases(), *window_cases(), *matrix_and_move_cases(), *line_cases()]
    wants = []
    for index, case in enumerate(cases):
        model = case.model(index)
        onnx.save(model, f"{work}/{index}.onnx")
        feeds = {f"x{i}": value for i, value in enumerate(case.inputs)}
        np.savez(f"{work}/{index}.in.npz", **feeds)
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        wants.append(session.run(None, feeds)[0])
    problems = 0
    for flags in ([], ["--rewrite"]):
        triples = [f"{work}/{i}.{kind}" for i in range(len(cases)) for kind in ("onnx", "in.npz", "out.npz")]
        run = subprocess.run([top_eval, *flags, *triples], capture_output=True, text=True, timeout=240)
        print(run.stderr, end="")
        problems += run.returncode != 0
        for index, (case, want) in enumerate(zip(cases, wants)):
            path = f"{work}/{index}.out.npz"
            if not os.path.exists(path):
                message = "no result"
            else:
                message = compare(case, np.load(path)["y"], want)
                os.remove(path)
            if message:
                problems += 1
                print(f"case {index} {case.op} {[(str(v.dtype), v.shape) for v in case.inputs]} {case.attributes} {flags}: {message}")
    print(f"{2 * len(cases)} comparisons, seed {SEED}, {problems} problems")
    return 1 if problems or len(cases) < 150 else 0


if __name__ == "__main__":
    sys.exit(main())
