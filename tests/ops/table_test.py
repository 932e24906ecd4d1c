#!/usr/bin/env python3
"""What `weft ops` says of the TPU is what `weft convert` does, for every row of the table.

  table_test.py WEFT FOLDER

`yes`: a model of this one node on floats converts. `not yet`: it is refused by a line that says `unsupported:` and names the node or
a value. `folded only`: its value, added to an input, converts. Every row must have a model here.
"""
import json
import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT, INT, BOOL = TensorProto.FLOAT, TensorProto.INT32, TensorProto.BOOL
SHAPE = [1, 3, 4, 6]
ONNX_IR = 10  # what onnxruntime and every opset here can read


def ints(*values):
    return np.int64(values)


def weights(*shape):
    return np.linspace(0.25, 1.75, int(np.prod(shape)), dtype=np.float32).reshape(shape)


# Inputs (element types, all of SHAPE), constants and attributes of operators that are no function of one float tensor.
TWO, LOGIC, WHOLE = [FLOAT] * 2, [BOOL] * 2, [INT] * 2
MODELS = {
    **{name: (TWO, [], {}) for name in "Add Sub Mul Div Max Min Sum Mean Pow Equal Less LessOrEqual Greater GreaterOrEqual".split()},
    **{name: (LOGIC, [], {}) for name in "And Or Xor".split()},
    **{name: (WHOLE, [], {}) for name in "BitwiseAnd BitwiseOr BitwiseXor".split()},
    "BitShift": ([TensorProto.UINT32] * 2, [], {"direction": "LEFT"}), "BitwiseNot": ([INT], [], {}), "Not": ([BOOL], [], {}),
    "Mod": (TWO, [], {"fmod": 1}), "PRelu": ([FLOAT], [weights(3, 1, 1)], {}),
    "AveragePool": ([FLOAT], [], {"kernel_shape": [2, 2]}), "MaxPool": ([FLOAT], [], {"kernel_shape": [2, 2]}),
    "BatchNormalization": ([FLOAT], [weights(3)] * 4, {}), "Conv": ([FLOAT], [weights(2, 3, 3, 3)], {}),
    "Cast": ([FLOAT], [], {"to": TensorProto.FLOAT16}), "CastLike": ([FLOAT], [np.float16(1)], {}),
    "Concat": (TWO, [], {"axis": 1}), "Gather": ([FLOAT], [ints(0, 2)], {"axis": 1}),
    "MatMul": ([FLOAT], [weights(6, 5)], {}), "Gemm": ([(2, 6)], [weights(6, 5)], {}),
    "ReduceMax": ([FLOAT], [ints(2, 3)], {}), "ReduceMean": ([FLOAT], [ints(2, 3)], {}),
    "Reshape": ([FLOAT], [ints(1, 12, 6)], {}), "Squeeze": ([FLOAT], [ints(0)], {}), "Transpose": ([FLOAT], [], {"perm": [0, 2, 1, 3]}),
    "Unsqueeze": ([(3, 4)], [ints(0)], {}), "Slice": ([FLOAT], [ints(1), ints(3), ints(2), ints(1)], {}),
    "Split": ([FLOAT], [ints(1, 2)], {"axis": 1}),
    # Functions of the shape, and constants: four values.
    "Constant": ([], [], {"value": numpy_helper.from_array(weights(4))}),
    "ConstantOfShape": ([], [ints(4)], {"value": numpy_helper.from_array(np.float32([0.5]))}),
    "Range": ([], [np.float32(0), np.float32(4), np.float32(1)], {}), "Shape": ([FLOAT], [], {}), "Size": ([FLOAT], [], {}),
}


def model_of(row):
    op, opset = row["name"], min(max(row["first_opset"], 20), row["last_opset"])
    inputs, constants, attributes = MODELS.get(op, ([FLOAT], [], {}))
    infos = [helper.make_tensor_value_info(f"x{i}", *((FLOAT, item) if isinstance(item, tuple) else (item, SHAPE)))
             for i, item in enumerate(inputs)]
    names = [f"c{i}" for i in range(len(constants))]
    outputs = ["y", "rest"] if op == "Split" else ["y"]
    nodes = [helper.make_node(op, [info.name for info in infos] + names, outputs, name=f"the_{op}", **attributes)]
    if row["tpu"] == "folded only":
        infos = [helper.make_tensor_value_info("x0", FLOAT, [1, 1, 1, 4])]
        nodes += [helper.make_node("Cast", ["y"], ["number"], to=FLOAT), helper.make_node("Add", ["x0", "number"], ["sum"])]
        outputs = ["sum"]
    graph = helper.make_graph(nodes, op, infos, [helper.make_empty_tensor_value_info(name) for name in outputs],
                              [numpy_helper.from_array(np.asarray(value), name) for name, value in zip(names, constants)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=ONNX_IR)


def problem(weft, folder, row):
    path = folder / f"{row['name']}-{row['first_opset']}.onnx"
    onnx.save(onnx.shape_inference.infer_shapes(model_of(row)), path)
    result = subprocess.run([weft, "convert", path, "-o", path.with_suffix(".bmodel")], capture_output=True, text=True, timeout=60)
    refused = result.returncode == 2 and "unsupported: " in result.stderr and (f"'the_{row['name']}'" in result.stderr or "'x0'" in result.stderr)
    if result.returncode == 0 if row["tpu"] in ("yes", "folded only") else row["tpu"] == "not yet" and refused:
        return None
    return f"{row['name']} (opset {row['first_opset']}) is '{row['tpu']}', but convert gives {result.returncode}: {result.stderr.strip()}"


def main():
    weft, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    rows = json.loads(subprocess.run([weft, "ops", "--json"], capture_output=True, text=True, check=True, timeout=60).stdout)["ops"]
    problems = [text for row in rows if (text := problem(weft, folder, row))]
    for name in set(MODELS) - {row["name"] for row in rows}:
        problems.append(f"{name} has a model here but no row")
    counts = {word: sum(row["tpu"] == word for row in rows) for word in ("yes", "folded only", "not yet")}
    print(f"{len(rows)} rows, {counts}, {len(problems)} problems")
    print("\n".join(problems))
    return 1 if problems or min(counts.values()) == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
