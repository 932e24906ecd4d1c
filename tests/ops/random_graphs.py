"""Random ONNX graphs, valid by construction, for random_graphs_test.py. One seed, one graph.

Values have a shape and an element type. Operators that jump (comparisons, rounding, positions of maxima) read inputs of the graph
only: a computed value may differ in its last bit from ONNX Runtime's, and would then be on the other side of the jump.
"""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 20
MAX_ELEMENTS = 60_000  # of a value, so that a test of many graphs stays short
MOST_OF_BRANCHES = 600_000  # enough to need slices
SMOOTH = "Relu LeakyRelu Sigmoid HardSigmoid HardSwish Abs Neg Exp".split()
FUNCTIONS = "Tanh Elu Selu Celu Softplus Softsign Mish Gelu Erf Sin Cos Atan Asinh ThresholdedRelu Sinh Cosh".split()
ROUNDING = "Floor Ceil Round Sign IsNaN".split()
POSITIVE = "Log Sqrt Reciprocal Reciprocal".split()


class Graph:
    """Grows by one operator a call of `grow`; a value is a name with its shape."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.nodes, self.initializers, self.inputs, self.values = [], [], [], []
        self.types = {}  # of values that are not float32
        for _ in range(self.pick([1, 1, 1, 2, 3])):
            self.new_input(self.random_shape())

    # Small things.
    def pick(self, choices):
        return choices[int(self.rng.integers(len(choices)))]

    def number(self, low, high):
        return int(self.rng.integers(low, high + 1))

    def random_shape(self):
        rank = self.pick([1, 2, 2, 3, 3] + [4] * 10 + [5])
        if rank == 4:
            return (self.pick([1, 1, 1, 2, 3]), self.pick([1, 2, 3, 8, 17, 64, 65, 130]), self.number(1, 14), self.number(1, 20))
        return tuple(self.pick([1, 2, 3, 5, 8, 13]) for _ in range(rank))

    def new_input(self, shape, dtype=np.float32):
        self.inputs.append((f"x{len(self.inputs)}", tuple(shape)))
        self.values.append(self.inputs[-1])
        self.set_type(self.inputs[-1][0], dtype)
        return self.inputs[-1]

    def set_type(self, name, dtype):
        if dtype != np.float32:
            self.types[name] = np.dtype(dtype)

    def type_of(self, name):
        return self.types.get(name, np.dtype(np.float32))

    def constant(self, array, dtype=np.float32):
        name = f"w{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(np.asarray(array, dtype), name))
        return name

    def weights(self, *shape, low=-1.0, high=1.0):
        return self.constant(self.rng.uniform(low, high, shape))

    def value(self, accept=lambda shape: True, dtype=np.float32):
        """A value whose shape is acceptable, one of the last where there is a choice; None where there is none."""
        found = [value for value in self.values if accept(value[1]) and self.type_of(value[0]) == dtype]
        return self.pick(found[-3:]) if found else None

    def integer(self):
        dtype = self.pick([np.int32, np.int64])
        return self.value(dtype=dtype) or self.new_input(self.random_shape(), dtype)

    def ranked(self, low=1):
        return self.value(lambda shape: len(shape) >= low) or self.image()

    def image(self):
        return self.value(lambda shape: len(shape) == 4) or self.new_input((1, self.number(1, 40), self.number(3, 12), self.number(3, 12)))

    def node(self, op, operands, shape, dtype=np.float32, **attributes):
        return self.nodes_of(op, operands, [(shape, dtype)], **attributes)[0]

    def nodes_of(self, op, operands, results, **attributes):
        """The same with several results, each (shape, type)."""
        names = [f"v{len(self.nodes)}" + (f"_{i}" if i else "") for i in range(len(results))]
        self.nodes.append(helper.make_node(op, list(operands), names, name=f"{op}_{len(self.nodes)}", **attributes))
        for name, (shape, dtype) in zip(names, results):
            self.values.append((name, tuple(int(size) for size in shape)))
            self.set_type(name, dtype)
        return names

    # Operators. Each returns without a node where its random choice makes no sense.
    def window(self, size):
        """Kernel, stride, dilation and pads of one axis with room for one window at least."""
        kernel = min(self.pick([1, 1, 2, 3, 3, 3, 5, 7]), size)
        dilation = self.pick([1, 1, 1, 2, 3]) if kernel > 1 else 1
        if (kernel - 1) * dilation + 1 > size:
            dilation = 1
        stride = self.pick([1, 1, 1, 2, 2, 3])
        before, after = (self.number(0, kernel - 1) for _ in range(2))
        return kernel, stride, dilation, before, after

    def conv(self):
        name, (n, c, *sizes) = self.value(lambda shape: len(shape) in (3, 4)) or self.image()
        windows = [self.window(size) for size in sizes]
        group = self.pick([1, 1, 1, c] + [g for g in (2, 3, 4) if c % g == 0])
        channels = group * self.pick([1, 1, 2, 3, 5]) if group > 1 else self.pick([1, 2, 7, 16, 33, 64, 100])
        scale = (c / group * np.prod([k for k, *_ in windows])) ** -0.5
        operands = [name, self.weights(channels, c // group, *[k for k, *_ in windows], low=-scale * 2, high=scale * 2)]
        if self.rng.random() < 0.7:
            operands.append(self.weights(channels))
        out = [(size + b + a - ((k - 1) * d + 1)) // s + 1 for size, (k, s, d, b, a) in zip(sizes, windows)]
        self.node("Conv", operands, (n, channels, *out), group=group, kernel_shape=[w[0] for w in windows],
                  strides=[w[1] for w in windows], dilations=[w[2] for w in windows],
                  pads=[w[3] for w in windows] + [w[4] for w in windows])

    def pool(self):
        name, (n, c, *sizes) = self.image()
        op = self.pick(["MaxPool", "AveragePool"])
        windows = [self.window(size) for size in sizes]
        out = [(size + b + a - k) // s + 1 for size, (k, s, _, b, a) in zip(sizes, windows)]
        more = {"count_include_pad": self.number(0, 1)} if op == "AveragePool" else {}
        self.node(op, [name], (n, c, *out), kernel_shape=[w[0] for w in windows], strides=[w[1] for w in windows],
                  pads=[w[3] for w in windows] + [w[4] for w in windows], **more)

    def reduce(self):
        if self.rng.random() < 0.4:
            name, shape = self.image()
            return self.node(self.pick(["GlobalAveragePool", "GlobalMaxPool"]), [name], (*shape[:2], 1, 1))
        name, shape = self.value(lambda shape: len(shape) > 1) or self.image()
        first = self.number(0, len(shape) - 1)
        axes = list(range(first, self.number(first, len(shape) - 1) + 1))
        keep = self.number(0, 1)
        out = [1 if axis in axes else size for axis, size in enumerate(shape) if keep or axis not in axes]
        kind = self.pick("Mean Max Min Sum L1 L2 SumSquare LogSumExp".split())
        self.node(f"Reduce{kind}", [name, self.constant(axes, np.int64)], out, keepdims=keep)

    def compare(self):
        """Inputs only, see above."""
        shape = self.random_shape()
        dtype = self.pick([np.float32, np.int32])
        left, right = self.new_input(shape, dtype)[0], self.new_input(shape[self.pick([0, 0, 1]):], dtype)[0]
        test = self.node(self.pick("Greater Less Equal GreaterOrEqual LessOrEqual".split()), [left, right], shape, np.bool_)
        if self.rng.random() < 0.3:
            test = self.node("Not", [test], shape, np.bool_)
        if self.rng.random() < 0.3:
            test = self.node(self.pick(["And", "Or", "Xor"]), [test, self.new_input(shape, np.bool_)[0]], shape, np.bool_)
        if self.rng.random() < 0.6:
            self.node("Where", [test, self.new_input(shape)[0], self.weights(*shape[-1:])], shape)
        elif self.rng.random() < 0.5:
            self.node("Cast", [test], shape, to=TensorProto.FLOAT)

    def integers(self):
        """Small numbers, so that nothing overflows."""
        name, shape = self.integer()
        dtype = self.type_of(name)
        kind = self.pick(["Add", "Sub", "Max", "Min", "Mul", "Mod", "Abs", "Neg", "Cast", "ReduceSum", "ReduceMax", "BitShift"])
        if kind in ("Abs", "Neg"):
            self.node(kind, [name], shape, dtype)
        elif kind == "Cast":
            to = self.pick([np.float32, np.int32, np.int64])
            self.node("Cast", [name], shape, to, to=helper.np_dtype_to_tensor_dtype(np.dtype(to)))
        elif kind.startswith("Reduce"):
            if shape:
                axis = self.number(0, len(shape) - 1)
                self.node(kind, [name, self.constant([axis], np.int64)], shape[:axis] + (1,) + shape[axis + 1:], dtype)
        elif kind == "BitShift":
            source = self.new_input(shape, np.uint32)[0]
            self.node("BitShift", [source, self.constant(self.rng.integers(0, 5, shape), np.uint32)], shape, np.uint32,
                      direction=self.pick(["LEFT", "RIGHT"]))
        else:
            low = 1 if kind == "Mod" else -3
            self.node(kind, [name, self.constant(self.rng.integers(low, 4, shape), dtype)], shape, dtype)

    def rounding(self):
        name, shape = self.new_input(self.random_shape())
        op = self.pick(ROUNDING)
        self.node(op, [name], shape, np.bool_ if op == "IsNaN" else np.float32)

    def positions(self):
        name, shape = self.new_input(self.pick([(3, 7), (2, 3, 5), (1, 4, 6, 9), (11,)]))
        axis = self.number(0, len(shape) - 1)
        if self.rng.random() < 0.4:
            k = self.number(1, shape[axis])
            out = shape[:axis] + (k,) + shape[axis + 1:]
            self.nodes_of("TopK", [name, self.constant([k], np.int64)], [(out, np.float32), (out, np.int64)], axis=axis,
                          largest=self.number(0, 1))
            return
        keep = self.number(0, 1)
        out = shape[:axis] + ((1,) if keep else ()) + shape[axis + 1:]
        self.node(self.pick(["ArgMax", "ArgMin"]), [name], out, np.int64, axis=axis, keepdims=keep)

    def gather(self):
        name, shape = self.ranked()
        axis = self.number(0, len(shape) - 1)
        places = self.pick([(), (3,), (2, 2), (1,)])
        array = self.rng.integers(-shape[axis], shape[axis], places)
        if self.rng.random() < 0.4 and places:
            self.node("GatherElements", [name, self.constant(self.rng.integers(0, shape[axis], shape), np.int64)], shape, axis=axis)
        else:
            self.node("Gather", [name, self.constant(array, np.int64)], shape[:axis] + places + shape[axis + 1:], axis=axis)

    def scatter(self):
        name, shape = self.ranked()
        axis = self.number(0, len(shape) - 1)
        # One update a place, or the order would matter.
        places = np.argsort(self.rng.random(shape), axis=axis)
        self.node("ScatterElements", [name, self.constant(places, np.int64), self.weights(*shape)], shape, axis=axis,
                  **({} if self.rng.random() < 0.6 else {"reduction": "add"}))

    def pad(self):
        name, shape = self.ranked()
        mode = self.pick(["constant", "constant", "reflect", "edge", "wrap"])
        most = [min(3, size - 1) if mode in ("reflect", "wrap") else 3 for size in shape]
        before, after = ([self.number(0, m) if axis >= len(shape) - 2 else 0 for axis, m in enumerate(most)] for _ in range(2))
        value = [self.constant(0.25)] if mode == "constant" else []
        self.node("Pad", [name, self.constant(before + after, np.int64), *value],
                  [size + b + a for size, b, a in zip(shape, before, after)], mode=mode)

    def repeat(self):
        name, shape = self.ranked()
        if self.rng.random() < 0.5:
            times = [self.pick([1, 1, 2, 3]) for _ in shape]
            return self.node("Tile", [name, self.constant(times, np.int64)], [size * t for size, t in zip(shape, times)])
        out = [self.number(1, 4) if size == 1 else size for size in shape]
        self.node("Expand", [name, self.constant([2] * self.number(0, 1) + out, np.int64)], [])
        self.values[-1] = (self.values[-1][0], tuple([2] * (len(self.initializers[-1].dims) and self.initializers[-1].dims[0] > len(out)) + out))

    def split(self):
        name, shape = self.value(lambda shape: len(shape) > 0 and max(shape) > 1) or self.image()
        axis = max(range(len(shape)), key=lambda i: shape[i])
        first = self.number(1, shape[axis] - 1)
        sizes = [first, shape[axis] - first]
        self.nodes_of("Split", [name, self.constant(sizes, np.int64)],
                      [(shape[:axis] + (size,) + shape[axis + 1:], np.float32) for size in sizes], axis=axis)

    def normalize(self):
        kind = self.pick(["LayerNormalization", "InstanceNormalization", "LpNormalization", "GroupNormalization", "LogSoftmax", "CumSum"])
        name, shape = self.image() if kind in ("InstanceNormalization", "GroupNormalization") else self.ranked()
        axis = self.number(0, len(shape) - 1)
        if kind == "LayerNormalization":
            self.node(kind, [name, self.weights(*shape[axis:]), self.weights(*shape[axis:])], shape, axis=axis, epsilon=1e-3)
        elif kind == "InstanceNormalization":
            self.node(kind, [name, self.weights(shape[1]), self.weights(shape[1])], shape, epsilon=1e-3)
        elif kind == "LogSoftmax":
            self.node(kind, [name], shape, axis=axis)
        elif kind == "LpNormalization":
            other = self.node("Add", [name, self.constant(3.0)], shape)  # away from a norm of zero
            self.node(kind, [other], shape, axis=axis, p=self.pick([1, 2]))
        elif kind == "CumSum":
            self.node(kind, [name, self.constant(axis, np.int64)], shape, exclusive=self.number(0, 1), reverse=self.number(0, 1))

    def resize(self):
        name, shape = self.image()
        out = [*shape[:2], shape[2] * self.pick([1, 2, 3]), shape[3] * self.pick([1, 2])]
        mode = self.pick(["nearest", "linear"])
        how = {"coordinate_transformation_mode": self.pick(["asymmetric", "half_pixel", "align_corners"])} if mode == "linear" else \
            {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
        self.node("Resize", [name, "", "", self.constant(out, np.int64)], out, mode=mode, **how)

    def depth(self):
        name, (n, c, h, w) = self.image()
        if c % 4 == 0:
            self.node("DepthToSpace", [name], (n, c // 4, h * 2, w * 2), blocksize=2, mode=self.pick(["DCR", "CRD"]))
        elif h % 2 == 0 and w % 2 == 0:
            self.node("SpaceToDepth", [name], (n, c * 4, h // 2, w // 2), blocksize=2)

    def conv_transpose(self):
        name, (n, c, h, w) = self.image()
        channels, k, stride = self.number(1, 9), self.number(1, 4), self.number(1, 3)
        scale = (c * k * k) ** -0.5
        self.node("ConvTranspose", [name, self.weights(c, channels, k, k, low=-scale, high=scale)],
                  (n, channels, (h - 1) * stride + k, (w - 1) * stride + k), strides=[stride, stride])

    def power(self):
        name, shape = self.value()
        name = self.node("Abs", [name], shape)
        name = self.node("Add", [name, self.constant(0.5)], shape)
        name = self.node("Min", [name, self.constant(4.0)], shape)
        self.node("Pow", [name, self.constant(self.pick([2.0, 0.5, -1.0, 1.5, 3.0]))], shape)

    def unary(self):
        name, shape = self.value()
        op = self.pick(SMOOTH * 2 + POSITIVE + ["Clip", "Clip", "PRelu", "BatchNormalization", "BatchNormalization", self.pick(FUNCTIONS), self.pick(FUNCTIONS)])
        if op in POSITIVE:
            name = self.node("Abs", [name], shape)
            name = self.node("Add", [name, self.constant(0.5)], shape)
        elif op in ("Exp", "Sinh", "Cosh"):
            name = self.node("Clip", [name, self.constant(-6), self.constant(3)], shape)
        if op == "Clip":
            limits = [[self.constant(-0.5), self.constant(0.75)], ["", self.constant(6)], [self.constant(0)]]
            self.node(op, [name, *self.pick(limits)], shape)
        elif op == "PRelu":
            self.node(op, [name, self.weights(*shape[1:2], *[1] * (len(shape) - 2))], shape)
        elif op == "BatchNormalization":
            if len(shape) >= 2:
                c = shape[1]
                self.node(op, [name, self.weights(c), self.weights(c), self.weights(c), self.weights(c, low=0.3)], shape)
        else:
            self.node(op, [name], shape)

    def binary(self):
        name, shape = self.value()
        op = self.pick(["Add", "Sub", "Mul", "Div", "Max", "Min", "Add", "Mul"])
        other = tuple(size if self.rng.random() < 0.6 else 1 for size in shape)[self.pick([0, 0, 0, 1]):]
        same = [value for value in self.values if value[1] == other and self.type_of(value[0]) == np.float32]
        kind = self.pick(["constant", "value", "value", "input"])
        if op == "Div":
            second = self.weights(*other, low=0.5, high=2)
        elif kind == "value" and same:
            second = self.pick(same)[0]
        elif kind == "input":
            second = self.new_input(other)[0]
        else:
            second = self.weights(*other)
        swap = op != "Div" and self.rng.random() < 0.4
        self.node(op, [second, name] if swap else [name, second], shape)

    def softmax(self):
        name, shape = self.value(lambda shape: len(shape) > 0) or self.image()
        self.node("Softmax", [name], shape, axis=self.number(-len(shape), len(shape) - 1))

    def reshape(self):
        name, shape = self.value()
        left, out = int(np.prod(shape)), []
        for _ in range(self.number(0, 3)):
            factor = self.pick([d for d in range(1, left + 1) if left % d == 0][:12])
            out.append(factor)
            left //= factor
        self.node("Reshape", [name, self.constant(out + [left], np.int64)], out + [left])

    def transpose(self):
        name, shape = self.value(lambda shape: len(shape) > 1) or self.image()
        perm = [int(axis) for axis in self.rng.permutation(len(shape))]
        self.node("Transpose", [name], [shape[axis] for axis in perm], perm=perm)

    def slice(self):
        name, shape = self.value(lambda shape: len(shape) > 0) or self.image()
        axis = self.number(0, len(shape) - 1)
        size, step = shape[axis], self.pick([1, 1, 1, 2, 3])
        begin = self.number(0, size - 1)
        end = self.number(begin + 1, size)
        rows = [self.constant([item], np.int64) for item in (begin, end, axis, step)]
        self.node("Slice", [name, *rows], shape[:axis] + (-(-(end - begin) // step),) + shape[axis + 1:])

    def concat(self):
        name, shape = self.value(lambda shape: len(shape) > 0) or self.image()
        axis = self.number(0, len(shape) - 1)
        fits = [value for value in self.values if len(value[1]) == len(shape) and self.type_of(value[0]) == np.float32 and
                all(a == b or i == axis for i, (a, b) in enumerate(zip(value[1], shape)))]
        parts = [(name, shape)] + [self.pick(fits) for _ in range(self.number(1, 2))]
        if self.rng.random() < 0.2:
            parts.append((self.weights(*shape), shape))
        self.node("Concat", [part[0] for part in parts],
                  shape[:axis] + (sum(part[1][axis] for part in parts),) + shape[axis + 1:], axis=axis)

    def matmul(self):
        name, shape = self.value(lambda shape: len(shape) >= 1) or self.image()
        k, n = shape[-1], self.pick([1, 3, 8, 65, 130])
        if len(shape) == 2 and self.rng.random() < 0.4:
            trans = self.number(0, 1)
            bias = self.pick([[], [self.weights(n)], [self.weights(1, n)], [self.weights(shape[0], n)]])
            return self.node("Gemm", [name, self.weights(*((n, k) if trans else (k, n))), *bias], (shape[0], n), transB=trans,
                             alpha=self.pick([1.0, 0.5]), beta=self.pick([1.0, 2.0]))
        if self.rng.random() < 0.3 and len(shape) > 1:
            other = self.new_input((*shape[:-2], k, n))[0]
        else:
            other = self.weights(k, n)
        self.node("MatMul", [name, other], shape[:-1] + (n,))

    def shape_only(self):
        name, shape = self.value()
        op = self.pick(["Flatten", "Unsqueeze", "Identity", "Dropout"])
        if op == "Flatten" and len(shape) >= 1:
            axis = self.number(0, len(shape))
            self.node(op, [name], (int(np.prod(shape[:axis])), int(np.prod(shape[axis:]))), axis=axis)
        elif op == "Unsqueeze":
            axis = self.number(0, len(shape))
            self.node(op, [name, self.constant([axis], np.int64)], shape[:axis] + (1,) + shape[axis:])
        else:
            self.node("Identity" if op == "Flatten" else op, [name], shape)

    def grow(self):
        steps = [self.conv] * 3 + [self.pool, self.reduce, self.reduce] + [self.unary] * 5 + [self.binary] * 4 + [
            self.softmax, self.reshape, self.transpose, self.slice, self.concat, self.matmul, self.matmul, self.shape_only,
            self.compare, self.integers, self.integers, self.rounding, self.positions, self.gather, self.scatter, self.pad,
            self.repeat, self.split, self.normalize, self.normalize, self.resize, self.depth, self.conv_transpose, self.power]
        known = len(self.values), len(self.nodes), len(self.initializers), len(self.inputs)
        if not any(self.type_of(name) == np.float32 for name, _ in self.values):
            self.new_input(self.random_shape())
        self.pick(steps)()
        if any(np.prod(shape) > MAX_ELEMENTS or 0 in shape for _, shape in self.values[known[0]:]):
            for items, length in zip((self.values, self.nodes, self.initializers, self.inputs), known):
                del items[length:]

    def model(self):
        made = {output for node in self.nodes for output in node.output}
        used = {name for node in self.nodes for name in node.input}
        outputs = [value for value in self.values if value[0] in made and (value[0] not in used or self.rng.random() < 0.1)]
        inputs = [value for value in self.inputs if value[0] in used]
        infos = [[helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(self.type_of(name)), shape)
                  for name, shape in values] for values in (inputs, outputs)]
        graph = helper.make_graph(self.nodes, "random", *infos, self.initializers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)
        onnx.checker.check_model(model)
        return model, {name: self.feed(name, shape) for name, shape in inputs}

    def feed(self, name, shape):
        dtype = self.type_of(name)
        if dtype == np.bool_:
            return self.rng.random(shape) < 0.5
        if dtype.kind in "iu":
            return self.rng.integers(0 if dtype.kind == "u" else -9, 10, shape).astype(dtype)
        return self.rng.uniform(-2, 2, shape).astype(np.float32)


class Branches(Graph):
    """What convolutional networks are made of: one image, convolutions, branches that are joined or added, channels that are split,
    shuffled and left out, long skips. Layer groups put such values side by side in local memory."""

    def __init__(self, seed):
        super().__init__(seed)
        self.inputs.clear()
        self.values.clear()
        size = self.pick([4, 7, 14, 14, 20, 28, 56, 90])
        self.widths = [8, 16, 24, 32, 64, 96, 130] if size < 50 else [8, 16, 32, 70]
        self.new_input((1, self.pick([3, 16, 64]), size, size + self.number(0, 3)))

    def any_image(self, recent=4):
        """One of the last values, at times any."""
        return self.pick(self.values if self.rng.random() < 0.2 else self.values[-recent:])

    def convolution(self):
        name, (n, c, h, w) = self.any_image()
        depthwise = self.rng.random() < 0.2
        channels = c if depthwise else self.pick(self.widths)
        group = c if depthwise else self.pick([1, 1, 1] + [g for g in (2, 4) if c % g == 0 and channels % g == 0])
        k, stride = self.pick([1, 1, 3, 3, 5]), self.pick([1, 1, 1, 1, 1, 1, 2]) if min(h, w) > 3 else 1
        scale = (c / group * k * k) ** -0.5
        out = [(size - 1) // stride + 1 for size in (h, w)]
        self.node("Conv", [name, self.weights(channels, c // group, k, k, low=-2 * scale, high=2 * scale), self.weights(channels)],
                  (n, channels, *out), group=group, kernel_shape=[k, k], strides=[stride] * 2, pads=[k // 2] * 4)

    def function(self):
        name, shape = self.any_image()
        self.node(self.pick(["Relu", "Relu", "Sigmoid", "HardSwish", "Tanh"]), [name], shape)

    def same_pool(self):
        name, shape = self.any_image()
        kind = self.pick(["MaxPool", "AveragePool"])
        self.node(kind, [name], shape, kernel_shape=[3, 3], strides=[1, 1], pads=[1] * 4)

    def skip(self):
        name, shape = self.any_image()
        same = [value[0] for value in self.values if value[1] == shape and value[0] != name]
        self.node(self.pick(["Add", "Add", "Mul"]), [name, self.pick(same) if same else self.weights(1, shape[1], 1, 1)], shape)

    def join(self):
        name, shape = self.any_image()
        fits = [value for value in self.values if value[1][2:] == shape[2:]][-8:]
        parts = [(name, shape)] + [self.pick(fits) for _ in range(self.number(1, 3))]
        self.node("Concat", [part[0] for part in parts], (1, sum(part[1][1] for part in parts), *shape[2:]), axis=1)

    def cut(self):
        name, (_, c, h, w) = self.any_image()
        if c < 2:
            return
        first = self.pick([c // 2, self.number(1, c - 1)])
        self.nodes_of("Split", [name, self.constant([first, c - first], np.int64)],
                      [((1, size, h, w), np.float32) for size in (first, c - first)], axis=1)

    def shuffle(self):
        name, (n, c, h, w) = self.any_image()
        groups = self.pick([g for g in (2, 3, 4, 8) if c % g == 0] or [1])
        shape = (n, groups, c // groups, h, w)
        inner = self.node("Reshape", [name, self.constant(shape, np.int64)], shape)
        turned = (n, c // groups, groups, h, w)
        inner = self.node("Transpose", [inner], turned, perm=[0, 2, 1, 3, 4])
        self.node("Reshape", [inner, self.constant((n, c, h, w), np.int64)], (n, c, h, w))

    def grow(self):
        known = len(self.values), len(self.nodes), len(self.initializers)
        self.pick([self.convolution] * 5 + [self.function] * 2 + [self.same_pool, self.skip, self.skip, self.shuffle, self.cut] +
                  [self.join] * 3)()
        if any(shape[1] > 600 or np.prod(shape) > MOST_OF_BRANCHES for _, shape in self.values[known[0]:]):
            for items, length in zip((self.values, self.nodes, self.initializers), known):
                del items[length:]
        self.values = [value for value in self.values if len(value[1]) == 4]


class Wide(Branches):
    """Small images of many channels under filters of more than a megabyte, and what stands behind such layers."""

    def wide(self):
        name, (n, c, h, w) = self.values[-1]
        kernel = self.pick([(1, 1), (3, 1), (3, 3)]) if h > 2 else (1, 1)
        least = 1_100_000 // (c * kernel[0] * kernel[1])  # filters, of a byte each
        channels = self.pick([65, 100, 129, 192, 300, 512])
        channels = channels if channels >= least // 4 else least + self.number(0, 70)
        scale = (c * kernel[0] * kernel[1]) ** -0.5
        return self.node("Conv", [name, self.weights(channels, c, *kernel, low=-2 * scale, high=2 * scale), self.weights(channels)],
                         (n, channels, h, w), kernel_shape=kernel, pads=[k // 2 for k in kernel] * 2)

    def grow(self):
        layer = self.wide()
        _, shape = self.values[-1]
        if self.rng.random() < 0.5:
            layer = self.node(self.pick(["Relu", "Sigmoid", "HardSwish"]), [layer], shape)
        if self.rng.random() < 0.3:
            self.node("Mul", [layer, self.node("Sigmoid", [layer], shape)], shape)
        elif self.rng.random() < 0.5:
            name, other = self.values[0]
            operands = [layer, name] if self.rng.random() < 0.5 else [name, layer]
            self.node("Concat", operands, (shape[0], shape[1] + other[1], *shape[2:]), axis=1)


def wide_layers(seed):
    """The same for one or two layers whose filters take much of local memory."""
    graph = Wide(seed)
    graph.values.clear()
    graph.inputs.clear()
    side = graph.pick([1, 4, 7])
    graph.new_input((graph.pick([1, 1, 1, 3]), graph.pick([32, 200, 1200, 2500]), side, side))
    for _ in range(graph.number(1, 2)):
        graph.grow()
    return graph.model()


def random_branches(seed, operators):
    """The same for a network of branches."""
    graph = Branches(seed)
    while len(graph.nodes) < operators:
        graph.grow()
    return graph.model()


def random_graph(seed, operators):
    """(model, inputs by name) of `seed` with at least `operators` nodes."""
    graph = Graph(seed)
    while len(graph.nodes) < operators:
        graph.grow()
    return graph.model()
