#!/usr/bin/env python3
"""Small models and files that ask for gigabytes: nothing of them takes more than a gigabyte or ten seconds.

  memory_test.py WEFT
"""
import pathlib
import resource
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

WEFT = sys.argv[1]
MOST_BYTES = 1_000_000_000
MOST_SECONDS = 10  # of CPU time, which does not depend on what else the machine does


def measured(arguments):
    """Runs in a process of its own, whose children's peak is that of weft."""
    script = ("import resource, subprocess, sys\n"
              "run = subprocess.run(sys.argv[1:], capture_output=True, text=True)\n"
              "usage = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
              "sys.stderr.write(run.stderr)\n"
              "print(run.returncode, usage.ru_maxrss * 1024, usage.ru_utime + usage.ru_stime)\n")
    run = subprocess.run([sys.executable, "-c", script, WEFT, *map(str, arguments)], capture_output=True, text=True, timeout=280)
    code, peak, seconds = run.stdout.split()
    return int(code), int(peak), float(seconds), run.stderr


def floats(name, *shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def ints(name, values):
    return numpy_helper.from_array(np.array(values, np.int64), name)


ONE = numpy_helper.from_array(np.ones(1, np.float32), "one")


class Memory(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def model(self, nodes, initializers, inputs=None, outputs=None):
        graph = helper.make_graph([helper.make_node(op, ins, outs, **more) for op, ins, outs, more in nodes], "small",
                                  inputs or [floats("x", 1)], outputs or [floats("y", 1)], initializers)
        content = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()
        self.assertLess(len(content), 4000)
        path = self.folder / "small.onnx"
        path.write_bytes(content)
        return path

    def convert(self, path, *options):
        output = self.folder / "y.bmodel"
        code, peak, seconds, error = measured(["convert", path, "-o", output, *options])
        self.assertLess(peak, MOST_BYTES)
        self.assertLess(seconds, MOST_SECONDS)
        self.assertEqual(output.exists(), code == 0)
        return code, error

    def sum_of(self, nodes, initializers):
        """Adds up what the nodes make of constants (`big`) and adds it to x."""
        return self.convert(self.model([*nodes, ("ReduceSum", ["big"], ["sum"], {"keepdims": 0}), ("Add", ["x", "sum"], ["y"], {})],
                                       initializers))

    def test_a_range(self):
        code, error = self.sum_of([("Range", ["from", "to", "by"], ["r"], {}), ("Mul", ["r", "r"], ["q"], {}),
                                   ("Cast", ["q"], ["big"], {"to": 1})], [ints("from", 0), ints("to", 2**28), ints("by", 1)])
        self.assertEqual(code, 2)
        self.assertRegex(error, r"^weft: error: \S+: node 0 'Range_0' \(Range, opset 17\): the result has the shape 268435456, 8 bytes for each "
                                r"element; constants that are made from a few numbers may take 256 MB and 32 times the model's own; make it an "
                                r"initializer or an input")

    def test_a_filled_tensor(self):
        code, error = self.sum_of([("ConstantOfShape", ["shape"], ["big"], {})], [ints("shape", [2**29])])
        self.assertEqual(code, 2)
        self.assertRegex(error, r"ConstantOfShape_0.*the result has the shape 536870912, 4 bytes for each element")

    def test_a_number_of_many_channels(self):
        """One number that is added to 2^31 - 2 channels stays one."""
        path = self.model([("Add", ["x", "one"], ["y"], {})], [ONE], [floats("x", 1, 2**31 - 2)], [floats("y", 1, 2**31 - 2)])
        code, error = self.convert(path)
        self.assertEqual(code, 2)
        self.assertRegex(error, r"(?m)^weft: error: \S+: unsupported: input 'x' has type")

    def test_a_chain_of_concat(self):
        names = ["one"] + [f"t{i}" for i in range(26)] + ["big"]
        nodes = [("Concat", [a, a], [b], {"axis": 0}) for a, b in zip(names, names[1:])]
        self.assertEqual(self.sum_of(nodes, [ONE])[0], 0)

    def test_an_expansion(self):
        nodes = [("Expand", ["one", "shape"], ["wide"], {}), ("Exp", ["wide"], ["big"], {})]
        self.assertEqual(self.sum_of(nodes, [ONE, ints("shape", [2**14, 2**15])])[0], 0)

    def test_no_program_that_loaders_refuse(self):
        """What the chip does not take goes to the host, unless that would not load: values of more than 2^30 elements there."""
        path = self.model([("Expand", ["row", "shape"], ["e"], {}), ("Sigmoid", ["e"], ["f"], {}), ("ReduceSum", ["f", "axes"], ["y"], {})],
                          [ints("shape", [100000, 4000, 4]), ints("axes", [0, 1])], [floats("row", 1, 4)], [floats("y", 1, 1, 4)])
        code, error = self.convert(path)
        self.assertEqual(code, 2)
        self.assertRegex(error, r"node 1 'Sigmoid_1' \(Sigmoid, opset 17\): unsupported: one slice of this layer does not fit")

    def test_a_limit_that_is_too_low(self):
        names = ["one"] + [f"t{i}" for i in range(26)] + ["big"]
        nodes = [("Concat", [a, a], [b], {"axis": 0}) for a, b in zip(names, names[1:])]
        nodes += [("ReduceSum", ["big"], ["sum"], {"keepdims": 0}), ("Add", ["x", "sum"], ["y"], {})]
        path = self.model(nodes, [ONE])
        code, error = self.convert(path, "--memory-limit", "200M")
        self.assertEqual(code, 2)
        self.assertEqual(error, "weft: error: out of memory: it takes more than --memory-limit 200M; give more, or a smaller model\n")
        code, error = self.convert(path, "--memory-limit", "lots")
        self.assertEqual(code, 2)
        self.assertIn("--memory-limit is 'lots', must be a number of bytes, as 800M or 1.5G, or none", error)
        self.assertEqual(self.convert(path, "--memory-limit", "none")[0], 0)

    def test_a_tile(self):
        nodes = [("Tile", ["one", "times"], ["wide"], {}), ("Exp", ["wide"], ["big"], {})]
        self.assertEqual(self.sum_of(nodes, [ONE, ints("times", [2**29])])[0], 0)

    def test_a_product(self):
        nodes = [("Expand", ["one", "shape"], ["square"], {}), ("MatMul", ["square", "square"], ["big"], {})]
        self.assertEqual(self.sum_of(nodes, [ONE, ints("shape", [4096, 4096])])[0], 0)

    def test_what_is_small_is_folded(self):
        """A sum over a range that a graph may well have becomes a number: no node is left but the addition."""
        path = self.model([("Range", ["from", "to", "by"], ["r"], {}), ("Cast", ["r"], ["f"], {"to": 1}),
                           ("ReduceSum", ["f"], ["sum"], {"keepdims": 0}), ("Add", ["x", "sum"], ["y"], {})],
                          [ints("from", 0), ints("to", 1000), ints("by", 1)])
        run = subprocess.run([WEFT, "convert", path, "--emit", "top", "-o", "-"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("dense<4.995", run.stdout)
        self.assertNotIn("top.reduce", run.stdout)

    def test_a_run_takes_little_more_than_inputs_and_outputs(self):
        path, bmodel = self.model([("Relu", ["x"], ["y"], {})], [], [floats("x", 1, 64, 512, 512)], [floats("y", 1, 64, 512, 512)]), \
            self.folder / "y.bmodel"
        self.assertEqual(self.convert(path)[0], 0)
        values = np.linspace(-1, 1, 2**24, dtype=np.float32).reshape(1, 64, 512, 512)
        np.savez(self.folder / "in.npz", x=values)
        code, peak, _, error = measured(["run", bmodel, "--input", self.folder / "in.npz", "--output", self.folder / "out.npz"])
        self.assertEqual(code, 0, error)
        # The program itself, the 64 MB of each, and some room; it was 400 MB.
        self.assertLess(peak, 2.2 * values.nbytes + 40e6)
        self.assertTrue(np.array_equal(np.load(self.folder / "out.npz")["y"], np.maximum(values, 0)))

    def test_an_archive_that_unpacks_to_gigabytes(self):
        path = self.model([("Reshape", ["x", "shape"], ["y"], {})], [], outputs=[floats("y", 2, 3)],
                          inputs=[floats("x", 6), helper.make_tensor_value_info("shape", TensorProto.INT64, [2])])
        elements, bomb = 2**27, self.folder / "bomb.npz"
        with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive, archive.open("shape.npy", "w") as array:
            np.lib.format.write_array_header_1_0(array, {"descr": "<i8", "fortran_order": False, "shape": (elements,)})
            for _ in range(elements * 8 >> 24):
                array.write(bytes(1 << 24))
        code, error = self.convert(path, "--bind", f"shape={bomb}")
        self.assertEqual(code, 2)
        self.assertEqual(error, f"weft: error: --bind: {path}: --bind gives input 'shape' the shape {elements}, the model expects 2; give an "
                                "array of that shape\n")
        code, error = self.convert(path, "--bind", f"other={bomb}")
        self.assertEqual(code, 2)
        self.assertIn("--bind names 'other', which is not an input of the model; inputs: 'x', 'shape'", error)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
