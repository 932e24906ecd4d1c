#!/usr/bin/env python3
"""64-bit integers are exact: on the chip, which has 32 bits, where that is proven to be enough, else on the host.

  wide_integers_test.py WEFT
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
import onnx.reference
from onnx import TensorProto, helper, numpy_helper

WEFT = sys.argv[1]
# The ends of 32 bits, which inputs may have, and numbers within.
ENDS = np.array([2**31 - 1, -2**31, 5, 2**30, -7, 0, 123456789, -2**16], np.int64)
TYPES = {np.dtype(np.int64): TensorProto.INT64, np.dtype(np.uint64): TensorProto.UINT64, np.dtype(np.float32): TensorProto.FLOAT}
TABLE = np.random.default_rng(0).standard_normal((50, 8)).astype(np.float32)


class WideIntegers(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def check(self, nodes, feeds, outputs, constants=None, on_host=()):
        """The numbers of ONNX's reference, all bits of them (those of ONNX Runtime's Max, Min and Clip have 32); `on_host` are the nodes that the
        host computes, None: any."""
        value = helper.make_tensor_value_info
        outputs = outputs if isinstance(outputs, dict) else {"z": outputs}
        graph = helper.make_graph([helper.make_node(op, ins, outs, name=f"{op}_{i}", **more) for i, (op, ins, outs, more) in enumerate(nodes)], "wide",
                                  [value(name, TYPES[array.dtype], array.shape) for name, array in feeds.items()], [value(name, kind, None) for name, kind in outputs.items()],
                                  [numpy_helper.from_array(np.asarray(array), name) for name, array in (constants or {}).items()])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
        path, bmodel = self.folder / "m.onnx", self.folder / "m.bmodel"
        onnx.save(model, path)
        done = subprocess.run([WEFT, "convert", path, "-o", bmodel], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        remarks = [line for line in done.stderr.splitlines() if "stays on the host" in line]
        on_host is None or self.assertEqual([node for i, (op, *_) in enumerate(nodes) for node in [f"{op}_{i}"] if any(f"'{node}'" in line for line in remarks)],
                         list(on_host), done.stderr)
        for line in remarks:
            if on_host is not None and "MatMul" not in line:
                self.assertIn("may need more than the 32 bits that the machine has for ONNX's 64; cast to int32 in the model if 32 bits are enough", line)
        np.savez(self.folder / "in.npz", **feeds)
        done = subprocess.run([WEFT, "run", bmodel, "-i", self.folder / "in.npz", "-o", self.folder / "out.npz"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        got = np.load(self.folder / "out.npz")
        for name, want in zip(outputs, onnx.reference.ReferenceEvaluator(model).run(None, feeds)):
            np.testing.assert_array_equal(got[name], want, err_msg=name)

    def test_sums_and_products_of_any_numbers(self):
        for op in ("Add", "Sub", "Mul"):
            self.check([(op, ["x", "y"], ["z"], {})], {"x": ENDS, "y": ENDS[::-1].copy()}, TensorProto.INT64, on_host=[f"{op}_0"])
        self.check([("Neg", ["x"], ["z"], {})], {"x": ENDS}, TensorProto.INT64, on_host=["Neg_0"])
        self.check([("Abs", ["x"], ["z"], {})], {"x": ENDS}, TensorProto.INT64, on_host=["Abs_0"])
        self.check([("ReduceSum", ["x"], ["z"], {"keepdims": 0})], {"x": ENDS}, TensorProto.INT64, on_host=["ReduceSum_0"])
        self.check([("CumSum", ["x", "axis"], ["z"], {})], {"x": ENDS}, TensorProto.INT64, {"axis": np.int64(0)}, on_host=["CumSum_0"])
        large = np.array([2**32 - 1, 3], np.uint64)
        self.check([("Mul", ["x", "x"], ["z"], {})], {"x": large}, TensorProto.UINT64, on_host=["Mul_0"])

    def test_what_is_made_of_them(self):
        """What reads more than 32 bits is on the host, too; what is small again goes back to the chip."""
        self.check([("Mul", ["x", "x"], ["m"], {}), ("Add", ["m", "one"], ["a"], {}), ("Mod", ["a", "k"], ["r"], {}), ("Mul", ["r", "r"], ["z"], {})],
                   {"x": ENDS}, TensorProto.INT64, {"one": np.int64(1), "k": np.int64(1000)}, on_host=["Mul_0", "Add_1", "Mod_2"])
        self.check([("Add", ["x", "x"], ["a"], {}), ("Less", ["a", "k"], ["l"], {}), ("Where", ["l", "k", "x"], ["z"], {})],
                   {"x": ENDS}, TensorProto.INT64, {"k": np.int64(7)}, on_host=["Add_0", "Less_1"])

    def test_ranges_that_are_proven(self):
        number = np.int64
        self.check([("Clip", ["x", "low", "high"], ["c"], {}), ("Mul", ["c", "k"], ["z"], {})], {"x": ENDS}, TensorProto.INT64,
                   {"low": number(-100), "high": number(1000), "k": number(7)})
        self.check([("ArgMax", ["f"], ["i"], {"axis": 1, "keepdims": 0}), ("Mul", ["i", "k"], ["m"], {}), ("Add", ["m", "k"], ["z"], {})],
                   {"f": TABLE}, TensorProto.INT64, {"k": number(1000)})
        self.check([("Greater", ["f", "zero"], ["g"], {}), ("Cast", ["g"], ["c"], {"to": TensorProto.INT64}), ("CumSum", ["c", "axis"], ["z"], {})],
                   {"f": TABLE}, TensorProto.INT64, {"zero": np.float32(0), "axis": number(0)})
        self.check([("Mod", ["x", "k"], ["m"], {}), ("Mul", ["m", "m"], ["z"], {})], {"x": ENDS}, TensorProto.INT64, {"k": number(46000)})
        self.check([("Div", ["x", "k"], ["z"], {})], {"x": ENDS}, TensorProto.INT64, {"k": number(3)})
        self.check([("Max", ["x", "k"], ["a"], {}), ("Min", ["a", "x"], ["z"], {})], {"x": ENDS}, TensorProto.INT64, {"k": number(3)})

    def test_lower_bits_are_enough(self):
        """Positions, and what is cast to 32 bits: the sums before may wrap."""
        number = np.int64
        ids = np.array([1, 2, 3, 40], number)
        self.check([("Add", ["x", "two"], ["j"], {}), ("Gather", ["t", "j"], ["z"], {})], {"x": ids}, TensorProto.FLOAT,
                   {"two": number(2), "t": TABLE})
        self.check([("Sub", ["x", "far"], ["j"], {}), ("Gather", ["t", "j"], ["z"], {})], {"x": ids}, TensorProto.FLOAT,
                   {"far": number(42), "t": TABLE})  # from the end
        mask = np.array([[1, 1, 1, 0, 0]], number)
        self.check([("CumSum", ["x", "axis"], ["s"], {}), ("Mul", ["s", "x"], ["m"], {}), ("Add", ["m", "one"], ["j"], {}),
                    ("Gather", ["t", "j"], ["z"], {})], {"x": mask}, TensorProto.FLOAT, {"axis": number(1), "one": number(1), "t": TABLE})
        self.check([("Mul", ["x", "k"], ["m"], {}), ("Cast", ["m"], ["z"], {"to": TensorProto.INT32})], {"x": ENDS}, TensorProto.INT32, {"k": number(3)})

    def test_what_the_host_makes_for_another_reason(self):
        """A matrix product of wide integers is the host's anyway; a reader of its lower bits then is, too."""
        x = np.random.default_rng(1).integers(-2**31, 2**31, (4, 30))
        self.check([("MatMul", ["x", "y"], ["m"], {}), ("Cast", ["m"], ["z"], {"to": TensorProto.INT32})], {"x": x}, TensorProto.INT32,
                   {"y": x.T.copy()}, on_host=["MatMul_0", "Cast_1"])

    def test_positions_that_are_none(self):
        """A OneHot gives rows of zeros for them: 2^32 is not 0."""
        self.check([("Mul", ["x", "x"], ["j"], {}), ("OneHot", ["j", "depth", "values"], ["z"], {})], {"x": np.array([2**16, 2, 2**17, 3], np.int64)},
                   TensorProto.FLOAT, {"depth": np.int64(10), "values": np.array([0, 1], np.float32)}, on_host=["Mul_0", "OneHot_1"])

    def test_large_constants(self):
        self.check([("Add", ["x", "k"], ["z"], {})], {"x": ENDS}, TensorProto.INT64, {"k": np.int64(2**40)}, on_host=["Add_0"])
        self.check([("Less", ["x", "k"], ["l"], {}), ("Cast", ["l"], ["z"], {"to": TensorProto.INT64})], {"x": ENDS}, TensorProto.INT64,
                   {"k": np.int64(2**40)}, on_host=["Less_0"])
        self.check([("Mul", ["x", "k"], ["m"], {}), ("Cast", ["m"], ["z"], {"to": TensorProto.INT32})], {"x": ENDS}, TensorProto.INT32,
                   {"k": np.int64(2**40 + 3)}, on_host=["Mul_0", "Cast_1"])

    def test_scattered_sums(self):
        self.check([("ScatterElements", ["x", "places", "x"], ["z"], {"reduction": "add"})], {"x": ENDS}, TensorProto.INT64,
                   {"places": np.array([0, 0, 0, 1, 2, 3, 3, 0])}, on_host=["ScatterElements_0"])

    def test_what_looks_like_a_position(self):
        """The way in which positions from the end are made is one only where a Gather reads them."""
        constants = {"one": np.int64(1), "n": np.int64(10), "low": np.int64(-1), "zero": np.int64(0)}
        self.check([("Add", ["x", "one"], ["i"], {}), ("Max", ["i", "low"], ["a"], {}), ("Min", ["a", "zero"], ["b"], {}),
                    ("Mul", ["b", "n"], ["o"], {}), ("Sub", ["i", "o"], ["q"], {}), ("Cast", ["q"], ["z"], {"to": TensorProto.INT32})],
                   {"x": ENDS}, TensorProto.INT32, constants, on_host=None)

    def test_what_loops_add_up(self):
        """Within a graph of the host nobody counts bits; what reads its results is the host's, too."""
        graph = helper.make_graph([helper.make_node("Mul", ["a", "a"], ["b"]), helper.make_node("Identity", ["c"], ["d"])], "body",
                                  [helper.make_tensor_value_info("i", TensorProto.INT64, []), helper.make_tensor_value_info("c", TensorProto.BOOL, []),
                                   helper.make_tensor_value_info("a", TensorProto.INT64, [2])],
                                  [helper.make_tensor_value_info("d", TensorProto.BOOL, []), helper.make_tensor_value_info("b", TensorProto.INT64, [2])])
        self.check([("Loop", ["m", "go", "x"], ["y"], {"body": graph}), ("Mod", ["y", "k"], ["z"], {})], {"m": np.array(2), "x": np.array([3000, -3])},
                   TensorProto.INT64, {"k": np.array(1000007), "go": np.array(True)}, on_host=None)

    def test_casts_of_floats(self):
        """The machine ends at the ends of 32 bits; what is proven to lie between them, or names a position, stays there."""
        floats = np.array([3e9, -3e9, 1e15, 5.7, -5.7, 2.0**31, -(2.0**31)], np.float32)
        to_int64 = {"to": TensorProto.INT64}
        self.check([("Cast", ["f"], ["z"], to_int64)], {"f": floats}, TensorProto.INT64, on_host=["Cast_0"])
        self.check([("Relu", ["f"], ["r"], {}), ("Cast", ["r"], ["z"], to_int64)], {"f": floats}, TensorProto.INT64, on_host=["Cast_1"])
        self.check([("Cast", ["f"], ["z"], {"to": TensorProto.UINT64})], {"f": np.abs(floats)}, TensorProto.UINT64, on_host=["Cast_0"])
        self.check([("Cast", ["f"], ["c"], to_int64), ("Cast", ["c"], ["z"], {"to": TensorProto.INT32})], {"f": floats}, TensorProto.INT32,
                   on_host=["Cast_0", "Cast_1"])
        self.check([("Clip", ["f", "low", "high"], ["c"], {}), ("Cast", ["c"], ["z"], to_int64)], {"f": floats}, TensorProto.INT64,
                   {"low": np.float32(-1e6), "high": np.float32(2e9)})
        self.check([("Max", ["f", "low"], ["m"], {}), ("Min", ["m", "high"], ["c"], {}), ("Cast", ["c"], ["z"], to_int64)], {"f": floats}, TensorProto.INT64,
                   {"low": np.float32(-1e6), "high": np.float32(2e9)})
        self.check([("Sigmoid", ["f"], ["s"], {}), ("Mul", ["s", "k"], ["m"], {}), ("Cast", ["m"], ["z"], to_int64)], {"f": floats}, TensorProto.INT64,
                   {"k": np.float32(3.5)})
        self.check([("Cast", ["i"], ["f"], {"to": TensorProto.FLOAT}), ("Div", ["f", "k"], ["q"], {}), ("Floor", ["q"], ["l"], {}), ("Cast", ["l"], ["z"], to_int64)],
                   {"i": ENDS}, TensorProto.INT64, {"k": np.float32(4)})
        self.check([("Cast", ["i"], ["f"], {"to": TensorProto.FLOAT}), ("Cast", ["f"], ["z"], to_int64)], {"i": ENDS}, TensorProto.INT64, on_host=["Cast_1"])
        self.check([("Cast", ["f"], ["j"], to_int64), ("Gather", ["t", "j"], ["z"], {})], {"f": np.array([3.9, 0, -2.5], np.float32)}, TensorProto.FLOAT,
                   {"t": TABLE})

    def test_quotients_and_roots_that_are_rounded(self):
        """Positions are computed so: what IEEE rounds to a whole number, or not, is not rounded to the one before, or up to it."""
        to_int32 = {"to": TensorProto.INT32}
        numbers = np.random.default_rng(2)

        def check(nodes, feeds, constants=None):
            for rounds in ("Floor", "Ceil"):
                self.check([*nodes, (rounds, ["q"], ["l"], {}), ("Cast", ["l"], ["z"], to_int32)], feeds, TensorProto.INT32, constants)

        x = np.arange(1, 2001, dtype=np.float32)
        check([("Div", ["x", "y"], ["q"], {})], {"x": 7 * x, "y": x})
        # Whole multiples that were rounded: their quotients are whole, or just below or above.
        y = (10 * numbers.random(2000) + 0.01).astype(np.float32)
        multiples = (x * y).astype(np.float32)
        for dividend in (multiples, -multiples, np.nextafter(multiples, np.float32(0)), np.nextafter(multiples, np.float32(1e9))):
            check([("Div", ["x", "y"], ["q"], {})], {"x": dividend, "y": y})
        for divisor in (3, 7, 10, 49, 97, 0.7, 0.05, 0.1, -1 / 3):
            check([("Div", ["x", "k"], ["q"], {})], {"x": np.concatenate([(x * np.float32(divisor)), x / np.float32(10)])}, {"k": np.float32(divisor)})
        check([("Sqrt", ["x"], ["q"], {})], {"x": np.concatenate([x * x, x * x - 1, x * x + 1])})
        check([("Reciprocal", ["x"], ["q"], {})], {"x": np.concatenate([x, 1 / x])})
        # A few steps between.
        check([("Div", ["x", "k"], ["d"], {}), ("Relu", ["d"], ["r"], {}), ("Unsqueeze", ["r", "axis"], ["u"], {}), ("Mul", ["u", "two"], ["q"], {})], {"x": x},
              {"k": np.float32(12), "axis": np.array([0]), "two": np.float32(2)})

    def test_limits_in_the_wrong_order(self):
        self.check([("Clip", ["x", "low", "high"], ["c"], {}), ("Mul", ["c", "c"], ["z"], {})], {"x": ENDS}, TensorProto.INT64,
                   {"low": np.int64(1), "high": np.int64(-10**6)}, on_host=["Mul_1"])

    def test_an_output_of_the_host_that_the_chip_reads(self):
        """It is given to the user as it is, and written for the chip, too."""
        self.check([("Add", ["x", "five"], ["a"], {}), ("Sign", ["a"], ["s"], {}), ("Cast", ["s"], ["c"], {"to": TensorProto.INT32}),
                    ("Cast", ["c"], ["w"], {"to": TensorProto.INT64}), ("Mul", ["w", "k"], ["m"], {}), ("Cast", ["m"], ["z"], {"to": TensorProto.INT32})],
                   {"x": ENDS}, {"z": TensorProto.INT32, "w": TensorProto.INT64}, {"five": np.int64(5), "k": np.int64(-1)}, on_host=["Add_0", "Sign_1"])

    def test_random_graphs(self):
        for seed in range(200):
            with self.subTest(seed=seed):
                self.check_random(np.random.default_rng([64, seed]))

    def check_random(self, rng):
        """Two to seven operations on eight numbers of 64 bits."""
        nodes, constants, values = [], {}, ["x", "y"]

        def pick(list_):
            return list_[rng.integers(len(list_))]

        def constant(number):
            constants[f"k{len(constants)}"] = np.array(number, np.int64)
            return f"k{len(constants) - 1}"

        def operand():
            return pick(values[-4:]) if rng.random() < 0.75 else constant(pick([1, -1, 2, 3, 7, -5, 100, 65536, 2**20, 2**31 - 1, -2**31, 2**40]))

        for index in range(rng.integers(2, 8)):
            out, value = f"v{index}", pick(values[-4:])
            kind = pick(["binary", "binary", "unary", "divide", "clip", "running", "reduce", "choose", "narrow", "gather", "position"])
            if kind == "binary":
                nodes.append((pick(["Add", "Sub", "Mul", "Max", "Min", "BitwiseAnd", "BitwiseOr", "BitwiseXor"]), [value, operand()], [out], {}))
            elif kind == "unary":
                nodes.append((pick(["Neg", "Abs", "Sign", "BitwiseNot"]), [value], [out], {}))
            elif kind == "divide":  # the reference rounds quotients of negative numbers down, so none
                nodes.append(("Mod", [value, constant(pick([1, 2, 3, 1000, 65536, 46000, 2**31 - 1]))], [out], {}))
            elif kind == "clip":
                low, high = sorted(pick([-100, 0, 5, 1000, -2**20, 2**20, 2**31 - 1]) for _ in range(2))
                nodes.append(("Clip", [value, constant(low), constant(high)], [out], {}))
            elif kind == "running":
                nodes.append(("CumSum", [value, constant(0)], [out], {"reverse": int(rng.integers(2)), "exclusive": int(rng.integers(2))}))
            elif kind == "reduce":
                nodes.append((pick(["ReduceMax", "ReduceMin", "ReduceSum"]), [value], [out + "r"], {"keepdims": 1}))
                nodes.append(("Add", [out + "r", pick(values[-3:])], [out], {}))
            elif kind == "choose":
                nodes.append((pick(["Less", "Greater", "Equal"]), [value, operand()], [out + "c"], {}))
                nodes.append(("Where", [out + "c", pick(values[-3:]), value], [out], {}))
            elif kind == "narrow":
                nodes.append(("Cast", [value], [out + "c"], {"to": pick([TensorProto.INT32, TensorProto.UINT32, TensorProto.INT16])}))
                nodes.append(("Cast", [out + "c"], [out], {"to": TensorProto.INT64}))
            elif kind == "gather":
                nodes.append(("Mod", [pick(values[-3:]), constant(8)], [out + "m"], {}))
                nodes.append(("Gather", [value, out + "m"], [out], {}))
            else:
                nodes.append(("ArgMax", [value], [out + "a"], {"axis": 0, "keepdims": 1}))
                nodes.append(("Mul", [out + "a", value], [out], {}))
            values.append(out)
        outputs = {"z": pick([TensorProto.INT32, TensorProto.INT64])}
        nodes.append(("Cast", [values[-1]], ["z"], {"to": outputs["z"]}))
        if rng.random() < 0.3:
            outputs["w"] = TensorProto.INT64
            nodes.append(("Identity", [values[-2]], ["w"], {}))
        read = {name for _, operands, _, _ in nodes for name in operands}
        feeds = {name: array for name, array in (("x", ENDS), ("y", np.roll(ENDS, 3))) if name in read}
        self.check(nodes, feeds, outputs, {name: array for name, array in constants.items() if name in read}, on_host=None)

    def test_shifts_and_bits(self):
        small = np.array([1, 2, 2**32 - 1, 7], np.uint64)
        amount = np.array([1, 31, 20, 0], np.uint64)
        self.check([("BitShift", ["x", "y"], ["z"], {"direction": "LEFT"})], {"x": small}, TensorProto.UINT64, {"y": amount}, on_host=["BitShift_0"])
        self.check([("BitShift", ["x", "y"], ["z"], {"direction": "RIGHT"})], {"x": small}, TensorProto.UINT64, {"y": amount})
        for op in ("BitwiseAnd", "BitwiseOr", "BitwiseXor"):
            self.check([(op, ["x", "y"], ["z"], {})], {"x": ENDS, "y": ENDS[::-1].copy()}, TensorProto.INT64)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
