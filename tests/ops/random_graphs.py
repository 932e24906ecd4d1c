"""Random ONNX graphs of the operators that `weft ops` lists, for random_graphs_test.py. One seed, one graph."""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 20
MAX_ELEMENTS = 60_000  # of a value, so that a test of many graphs stays short
SMOOTH = "Relu LeakyRelu Sigmoid HardSigmoid HardSwish Abs Neg Exp".split()
RARE = "Tanh Elu Softplus Softsign Mish Gelu Erf Sin Cos".split()  # refused until the chip computes them
POSITIVE = "Log Sqrt Reciprocal Reciprocal".split()


class Graph:
    """Grows by one operator a call of `grow`; a value is a name with its shape."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.nodes, self.initializers, self.inputs, self.values = [], [], [], []
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

    def new_input(self, shape):
        self.inputs.append((f"x{len(self.inputs)}", tuple(shape)))
        self.values.append(self.inputs[-1])
        return self.inputs[-1]

    def constant(self, array, dtype=np.float32):
        name = f"w{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(np.asarray(array, dtype), name))
        return name

    def weights(self, *shape, low=-1.0, high=1.0):
        return self.constant(self.rng.uniform(low, high, shape))

    def value(self, accept=lambda shape: True):
        """A value whose shape is acceptable, one of the last where there is a choice; a new input where there is none."""
        found = [value for value in self.values if accept(value[1])]
        return self.pick(found[-3:]) if found else None

    def image(self):
        return self.value(lambda shape: len(shape) == 4) or self.new_input((1, self.number(1, 40), self.number(3, 12), self.number(3, 12)))

    def node(self, op, operands, shape, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(operands), [name], name=f"{op}_{len(self.nodes)}", **attributes))
        self.values.append((name, tuple(int(size) for size in shape)))
        return name

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
        self.node(self.pick(["ReduceMean", "ReduceMax"]), [name, self.constant(axes, np.int64)], out, keepdims=keep)

    def unary(self):
        name, shape = self.value()
        op = self.pick(SMOOTH * 2 + POSITIVE + ["Clip", "Clip", "PRelu", "BatchNormalization", "BatchNormalization", self.pick(RARE)])
        if op in POSITIVE:
            name = self.node("Abs", [name], shape)
            name = self.node("Add", [name, self.constant(0.5)], shape)
        elif op == "Exp":
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
        same = [value for value in self.values if value[1] == other]
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
        fits = [value for value in self.values if len(value[1]) == len(shape) and
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
        steps = [self.conv] * 4 + [self.pool, self.reduce] + [self.unary] * 4 + [self.binary] * 4 + [
            self.softmax, self.reshape, self.transpose, self.slice, self.concat, self.matmul, self.matmul, self.shape_only]
        known = len(self.values), len(self.nodes), len(self.initializers), len(self.inputs)
        self.pick(steps)()
        if any(np.prod(shape) > MAX_ELEMENTS or 0 in shape for _, shape in self.values[known[0]:]):
            for items, length in zip((self.values, self.nodes, self.initializers, self.inputs), known):
                del items[length:]

    def model(self):
        made = {output for node in self.nodes for output in node.output}
        used = {name for node in self.nodes for name in node.input}
        outputs = [value for value in self.values if value[0] in made and (value[0] not in used or self.rng.random() < 0.1)]
        inputs = [value for value in self.inputs if value[0] in used]
        infos = [[helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in values]
                 for values in (inputs, outputs)]
        graph = helper.make_graph(self.nodes, "random", *infos, self.initializers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)
        onnx.checker.check_model(model)
        feeds = {name: self.rng.uniform(-2, 2, shape).astype(np.float32) for name, shape in inputs}
        return model, feeds


def random_graph(seed, operators):
    """(model, inputs by name) of `seed` with at least `operators` nodes."""
    graph = Graph(seed)
    while len(graph.nodes) < operators:
        graph.grow()
    return graph.model()
