#!/usr/bin/env python3
"""If and Loop as data decide: random models against ONNX Runtime, at several precisions and levels of optimization.

  control_flow_test.py WEFT FOLDER [--graphs N] [--seed S]

Conditions and counts come from integers and bools of the input, so that all take the same way. Graphs nest, values take part that the graphs
capture, carried values and results change their sizes, products stand in front of, in and behind the graphs.
"""
import argparse
import pathlib
import subprocess
import sys

import numpy as np
import onnx
import onnx.parser
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
WIDTH = 8  # the last axis of all floats
LIMITS = {"f32": 1e-4, "f16": 2e-2, "int8": None}  # of the largest number; int8: what weft compare asks


class Model:
    """A model grows by graphs; a value is a name with the number of its rows, None if data decide it."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.count, self.initializers = 0, []

    def name(self, stem):
        self.count += 1
        return f"{stem}{self.count}"

    def number(self, low, high):
        return int(self.rng.integers(low, high + 1))

    def constant(self, array):
        name = self.name("k")
        self.initializers.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(self, nodes, op, inputs, **attributes):
        output = self.name(op.lower())
        nodes.append(helper.make_node(op, inputs, [output], name=output, **attributes))
        return output

    def float_step(self, nodes, value):
        """An operator on a float value: (name, rows)."""
        name, rows = value
        kind = self.number(0, 6)
        if kind == 0:
            return self.node(nodes, "Relu", [name]), rows
        if kind == 1:
            return self.node(nodes, "Tanh", [name]), rows
        if kind == 2:
            weights = self.rng.uniform(-.5, .5, (WIDTH, WIDTH)).astype(np.float32)
            return self.node(nodes, "MatMul", [name, self.constant(weights)]), rows
        if kind == 3:
            return self.node(nodes, "Add", [name, self.constant(self.rng.uniform(-1, 1, WIDTH).astype(np.float32))]), rows
        if kind == 4:
            return self.node(nodes, "Mul", [name, self.constant(np.float32(self.rng.uniform(-1, 1)))]), rows
        if kind == 5:
            return self.node(nodes, "Softmax", [name], axis=-1), rows
        return self.node(nodes, "ReduceMax", [name, self.constant(np.array([0]))], keepdims=1), 1

    def chain(self, nodes, value, low, high):
        for _ in range(self.number(low, high)):
            value = self.float_step(nodes, value)
        return value

    def float_info(self, name, rows):
        return helper.make_tensor_value_info(name, FLOAT, [rows, WIDTH])

    def branch(self, values, condition, count, depth, same_rows):
        """A graph that gives one float; of `same_rows` unless that is None."""
        nodes = []
        value = values[self.number(0, len(values) - 1)]
        if depth and self.number(0, 2) == 0:
            value = (self.if_node if self.number(0, 1) else self.loop_node)(nodes, [value], condition, count, depth - 1)
        value = self.chain(nodes, value, 0, 3)
        if self.number(0, 2) == 0 and value[1] is not None:
            value = self.node(nodes, "Concat", [value[0], value[0]], axis=0), 2 * value[1]
        if same_rows is not None and value[1] != same_rows:
            row = self.node(nodes, "ReduceMax", [value[0], self.constant(np.array([0]))], keepdims=1)
            value = self.node(nodes, "Expand", [row, self.constant(np.array([same_rows, WIDTH]))]), same_rows
        if not nodes:
            value = self.node(nodes, "Identity", [value[0]]), value[1]
        return helper.make_graph(nodes, self.name("graph"), [], [self.float_info(*value)]), value[1]

    def if_node(self, nodes, values, condition, count, depth):
        same = self.number(1, 4) if self.number(0, 1) else None
        if self.number(0, 1):
            condition = self.node(nodes, "Less", [count, self.constant(np.int64(self.number(0, 5)))])
        yes, some = self.branch(values, condition, count, depth, same)
        no, others = self.branch(values, condition, count, depth, same)
        result = self.node(nodes, "If", [condition], then_branch=yes, else_branch=no)
        return result, some if some == others else None

    def loop_node(self, nodes, values, condition, count, depth):
        """Carries a float and an integer; may end early, grow, and give a scan output, which is reduced."""
        start = values[self.number(0, len(values) - 1)]
        limit = self.node(nodes, "Min", [count, self.constant(np.int64(self.number(1, 6)))])
        iteration, go, v, k = (self.name(stem) for stem in ("i", "go", "v", "k"))
        grows = self.number(0, 3) == 0
        rows = None if grows else start[1]
        inner, value = [], (v, rows)
        if depth and not grows and self.number(0, 3) == 0:
            value = self.if_node(inner, [value], condition, iteration, depth - 1)
        value = self.chain(inner, value, 1, 3)
        if grows:
            row = self.node(inner, "ReduceMax", [value[0], self.constant(np.array([0]))], keepdims=1)
            value = self.node(inner, "Concat", [v, row], axis=0), None
        elif rows is not None and value[1] != rows:
            row = self.node(inner, "ReduceMax", [value[0], self.constant(np.array([0]))], keepdims=1)
            value = self.node(inner, "Expand", [row, self.constant(np.array([rows, WIDTH]))]), rows
        number = self.node(inner, "Mul", [k, self.constant(np.array([3], np.int64))])
        again = self.node(inner, "Less", [number, self.constant(np.array([self.number(1, 500)], np.int64))]) if self.number(0, 1) else go
        again = self.node(inner, "Squeeze", [again, self.constant(np.array([0]))]) if again != go else self.node(inner, "Identity", [go])
        outputs = [helper.make_tensor_value_info(again, BOOL, []), self.float_info(*value), helper.make_tensor_value_info(number, INT64, [1])]
        scans = not grows and self.number(0, 1)
        if scans:
            scan = self.node(inner, "ReduceSum", [value[0], self.constant(np.array([0]))], keepdims=0)
            outputs.append(helper.make_tensor_value_info(scan, FLOAT, [WIDTH]))
        body = helper.make_graph(inner, self.name("body"), [helper.make_tensor_value_info(iteration, INT64, []), helper.make_tensor_value_info(go, BOOL, []),
                                 self.float_info(v, rows), helper.make_tensor_value_info(k, INT64, [1])], outputs)
        results = [self.name("loop") for _ in outputs[1:]]
        nodes.append(helper.make_node("Loop", [limit, condition, start[0], self.constant(np.array([self.number(1, 9)], np.int64))], results,
                                      name=results[0], body=body))
        self.numbers.append(results[1])
        if depth == self.depth and scans:
            self.scans.append(results[2])
        return results[0], rows

    def build(self, depth=2):
        self.depth, self.numbers, self.scans = depth, [], []
        rows, nodes = self.number(1, 4), []
        value = self.chain(nodes, ("x", rows), 0, 2)
        make = self.if_node if self.number(0, 1) else self.loop_node
        top = [name for name in self.numbers]
        result = make(nodes, [("x", rows), value], "c", "n", depth)
        numbers = [name for name in self.numbers if name not in top and any(name in node.output for node in nodes)]
        if result[1] is not None:
            result = self.chain(nodes, result, 0, 2)
        outputs = [self.float_info(*result)] if result[0] != "x" else []
        outputs += [helper.make_tensor_value_info(name, INT64, [1]) for name in numbers]
        outputs += [helper.make_tensor_value_info(name, FLOAT, [None, WIDTH]) for name in self.scans]
        graph = helper.make_graph(nodes, "control", [self.float_info("x", rows), helper.make_tensor_value_info("c", BOOL, []),
                                  helper.make_tensor_value_info("n", INT64, [])], outputs, self.initializers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
        onnx.checker.check_model(model, full_check=False)
        feeds = [{"x": self.rng.standard_normal((rows, WIDTH)).astype(np.float32), "c": np.array(c), "n": np.array(n, np.int64)}
                 for c, n in ((True, 3), (False, self.number(0, 6)), (True, self.number(-1, 1)))]
        return model, feeds


def call(*command):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=120)


def fail(seed, what, done=None):
    sys.exit(f"control_flow_test: seed {seed}: {what}" + (f"\n{done.stderr}{done.stdout}" if done else ""))


def open_session(path):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3  # it warns of constants that are not used
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def check_outputs(seed, where, session, feeds, path, limit):
    got = np.load(path)
    for output, want in zip(session.get_outputs(), session.run(None, feeds)):
        have = got[output.name]
        if have.shape != want.shape or have.dtype != want.dtype:
            fail(seed, f"{where}: output {output.name} is {have.dtype} {have.shape}, must be {want.dtype} {want.shape}")
        if want.dtype == np.int64:
            if not np.array_equal(have, want):
                fail(seed, f"{where}: output {output.name} is {have}, must be {want}")
        elif limit and want.size and np.abs(have - want).max() > limit * max(1, np.abs(want).max()):
            fail(seed, f"{where}: output {output.name} differs by {np.abs(have - want).max()}")


def check(weft, folder, seed):
    model, feeds = Model(seed).build()
    path, bmodel, data = folder / "m.onnx", folder / "m.bmodel", folder / "samples"
    onnx.save(model, path)
    data.mkdir(exist_ok=True)
    for i, one in enumerate(feeds):
        np.savez(data / f"{i}.npz", **one)
    session = open_session(path)
    kinds = [("f32", "-O0"), ("f32", "-O2"), ("f16", "-O2"), ("int8", "-O2")]
    for precision, level in kinds[:2] + [kinds[2 + seed % 2]]:
        where = f"{precision} {level}"
        table = []
        if precision == "int8":
            done = call(weft, "calibrate", path, "--data", data, "-o", folder / "m.table")
            if done.returncode:
                fail(seed, "calibrate", done)
            table = ["--calibration", folder / "m.table"]
        done = call(weft, "convert", path, "-o", bmodel, "--precision", precision, level, *table)
        if done.returncode:
            fail(seed, f"convert {where}", done)
        for i, one in enumerate(feeds):
            done = call(weft, "run", bmodel, "-i", data / f"{i}.npz", "-o", folder / "out.npz")
            if done.returncode:
                fail(seed, f"run {where}", done)
            check_outputs(seed, where, session, one, folder / "out.npz", LIMITS[precision])
        done = call(weft, "compare", path, bmodel, "--data", data, "--constant-inputs", "--per-layer")
        if done.returncode:
            fail(seed, f"compare {where}", done)


# What follows a value whose size data decide: `z` are the places of x's elements that are not 0, 2 x K.
SIZES = {
    "shape": "s = Shape(z)", "part": "s = Shape<start=1>(z)", "size": "s = Size(z)",
    "slice": "s = Slice(z, zero, five, one)", "slice_too_far": "s = Slice(z, one, big, one)", "slice_from_end": "s = Slice(z, minus, big, one)",
    "slice_back": "s = Slice(z, minus, small, one, minus)", "slice_of_slice": "u = Slice(z, zero, five, one) s = Slice(u, one, big, one)",
    "slice_back_from_before": "s = Slice(z, back, back, one, minus)",
    "slice_by_size": "h = Shape(z) e = Slice(h, one, big, zero) s = Slice(z, one, e, one)", "slice_static": "h = Shape<start=1>(z) s = Slice(x, zero, h, one)",
    "tile": "s = Tile(z, twice)", "count": "n = Size(z) s = Loop (n, , one) <body = b (int64 i, bool g, int64[1] v) => (bool h, int64[1] w) "
    "{ h = Identity(g) w = Add(v, v) }>",
    "grow_late": "n = Size(z) k = Constant<value = int64 {20}>() m = Min(n, k) o = Slice(one, zero, zero, zero) u, s = Loop (m, , one, o) <body = b "
    "(int64 i, bool g, int64[A] v, int64[B] p) => (bool h, int64[C] w, int64[D] q) { h = Identity(g) w = Concat<axis=0>(v, one) "
    "q = Slice(w, five, big, zero) }>",
    "scan_of_slices": "n = Size(z) k = Constant<value = int64 {4}>() m = Min(n, k) c = Constant<value = bool {1}>() s = Loop (m, c) <body = b (int64 i, bool g) => (bool h, float[1,4] v) "
    "{ h = Identity(g) f = Unsqueeze(i, zero) t = Add(f, one) v = Slice(x, f, t, zero) }>",
}


def check_sizes(weft, folder):
    """Shape, Size, Slice and Tile of such a value, with many, few and no elements."""
    for name, text in SIZES.items():
        model = onnx.parser.parse_model("""<ir_version: 9, opset_import: ["": 18]> g (float[4,4] x) => (float s)
            <int64[1] zero={0}, int64[1] one={1}, int64[1] five={5}, int64[1] minus={-1}, int64[1] big={9223372036854775807},
             int64[1] small={-9223372036854775807}, int64[1] back={-8}, int64[2] twice={2,2}> { z = NonZero(x) """ + text + " }")
        model.graph.output[0].type.Clear()
        path, bmodel = folder / "sizes.onnx", folder / "sizes.bmodel"
        onnx.save(model, path)
        done = call(weft, "convert", path, "-o", bmodel)
        if done.returncode:
            fail(name, "convert", done)
        for kept in (0, 1, 4, 9, 16):
            x = np.zeros(16, np.float32)
            x[np.random.default_rng(kept).permutation(16)[:kept]] = 1
            feeds = {"x": x.reshape(4, 4)}
            np.savez(folder / "in.npz", **feeds)
            done = call(weft, "run", bmodel, "-i", folder / "in.npz", "-o", folder / "out.npz")
            if done.returncode:
                fail(name, f"run with {kept} places", done)
            check_outputs(name, f"{kept} places", open_session(path), feeds, folder / "out.npz", 0)


def check_ends(weft, folder):
    """A loop without an end stops at the limit; what is not taken is not computed; what cannot be is refused with the way out."""
    def convert(text, *options):
        onnx.save(onnx.parser.parse_model('<ir_version: 9, opset_import: ["": 18]> g ' + text), folder / "ends.onnx")
        return call(weft, "convert", folder / "ends.onnx", "-o", folder / "ends.bmodel", *options)

    endless = "y = Loop ( , t, x) <body = b (int64 i, bool g, float[2] v) => (bool h, float[2] w) { w = Add(v, v) s = ReduceMax<keepdims=0>(v) h = Less(s, m) }>"
    done = convert("(float[2] x, bool c, float m) => (float[2] z) <bool t = {1}> { z = If (c) <then_branch = yes () => (float[2] y) {" + endless
                   + "}, else_branch = no () => (float[2] n) { n = Neg(x) }> }")
    if done.returncode:
        fail("ends", "convert", done)
    for condition, code in ((True, "within the time limit"), (False, "")):
        np.savez(folder / "in.npz", x=np.zeros(2, np.float32), c=np.array(condition), m=np.float32(1))
        done = call(weft, "run", folder / "ends.bmodel", "-i", folder / "in.npz", "-o", folder / "out.npz", "--time-limit", "1")
        if bool(done.returncode) != condition or code not in done.stderr:
            fail("ends", f"run with {condition}", done)
    refusals = {
        "(float[2] x, int64 n) => (float[2] y, float[K,2] s) { y, s = Loop (n, , x) <body = b (int64 i, bool g, float[2] v) => (bool h, float[2] w, float[2] u) "
        "{ h = Identity(g) w = Add(v, v) u = Identity(w) }> }": "give M, a constant with --bind or a Min with one",
        "(float[2] x, bool c) => (float[2] y) { y = If (c) <then_branch = a () => (float[2] p) { p = Neg(x) }, else_branch = b () => (int64[2] q) "
        "{ q = Cast<to=7>(x) }> }": "both must have one element type and equally many axes",
    }
    for text, message in refusals.items():
        done = convert(text)
        if done.returncode != 2 or message not in done.stderr or done.stderr.count("error") != 1:
            fail("ends", f"no message {message}", done)
    done = convert("(float[2] x, bool c) => (float[N] y) { y = If (c) <then_branch = a () => (float[2] p) { p = Neg(x) }, "
                   "else_branch = b () => (float[4] q) { q = Concat<axis=0>(x, x) }> }", "--no-host")
    if done.returncode != 2 or "data choose its graph, and not both can be computed" not in done.stderr:
        fail("ends", "--no-host", done)


# What the chip computes on both sides and selects.
SELECTED = {
    "if": "(float[2,8] x, bool c, int64 n) => (float[2,8] y) { r = Relu(x) y = If (c) <then_branch = a () => (float[2,8] p) { p = Add(r, x) }, "
    "else_branch = b () => (float[2,8] q) { e = Exp(x) q = Mul(e, r) }> }",
    "loop": "(float[2,8] x, bool c, int64 n) => (float[2,8] y) <int64 m = {5}> { y = Loop (m, c, x) <body = b (int64 i, bool g, float[2,8] v) "
    "=> (bool h, float[2,8] w) { w = Add(v, x) h = Less(i, n) }> }",
}


def check_selected(weft, folder):
    """The same numbers with --no-host."""
    rng = np.random.default_rng(0)
    for name, text in SELECTED.items():
        path, bmodel = folder / "selected.onnx", folder / "selected.bmodel"
        onnx.save(onnx.parser.parse_model('<ir_version: 9, opset_import: ["": 18]> g ' + text), path)
        for option, remarks in (("--no-host", 0), ("-O2", 1)):
            done = call(weft, "convert", path, "-o", bmodel, option)
            if done.returncode or done.stderr.count("stays on the host") != remarks:
                fail(name, f"convert {option}", done)
            for c, n in ((True, 2), (False, 2), (True, 9), (True, -1)):
                feeds = {"x": rng.standard_normal((2, 8)).astype(np.float32), "c": np.array(c), "n": np.array(n)}
                np.savez(folder / "in.npz", **feeds)
                done = call(weft, "run", bmodel, "-i", folder / "in.npz", "-o", folder / "out.npz")
                if done.returncode:
                    fail(name, f"run {option}", done)
                check_outputs(name, option, open_session(path), feeds, folder / "out.npz", 1e-5)
                done = call(weft, "compare", path, bmodel, "-i", folder / "in.npz", "--constant-inputs", "--per-layer")
                if done.returncode:
                    fail(name, f"compare {option}", done)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weft")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--graphs", type=int, default=40)
    parser.add_argument("--seed", type=int)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    seeds = [arguments.seed] if arguments.seed is not None else range(arguments.graphs)
    for seed in seeds:
        check(arguments.weft, arguments.folder, seed)
    if arguments.seed is None:
        check_sizes(arguments.weft, arguments.folder)
        check_ends(arguments.weft, arguments.folder)
        check_selected(arguments.weft, arguments.folder)
    print(f"control_flow_test: {len(seeds)} models agree with ONNX Runtime")


main()
