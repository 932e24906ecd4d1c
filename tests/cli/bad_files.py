"""Makes the broken ONNX, npz, bmodel and table files of bad_input_test.py. Every function returns the path written."""
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

IMAGE = ["n", "c", "h", "w"]


def weights(name, *shape, value=None):
    array = np.linspace(-1, 1, int(np.prod(shape)), dtype=np.float32).reshape(shape)
    if value is not None:
        array.flat[0] = value
    return numpy_helper.from_array(array, name)


def tensor(name, shape, dtype=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, dtype, shape)


def model(nodes, inputs, outputs, initializers=(), opset=13, domain=""):
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(initializers))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid(domain, opset)], ir_version=8)


def small(x_shape=(1, 3, 8, 8), y_shape=(1, 4, 8, 8), opset=13, value=None):
    """x -> Conv 3x3 -> Relu -> y: what is broken below was right here."""
    nodes = [helper.make_node("Conv", ["x", "f", "b"], ["c"], name="conv_0", pads=[1, 1, 1, 1]),
             helper.make_node("Relu", ["c"], ["y"], name="relu_0")]
    return model(nodes, [tensor("x", list(x_shape))], [tensor("y", list(y_shape))],
                 [weights("f", 4, 3, 3, 3, value=value), weights("b", 4)], opset)


def one_node(op, inputs, x_shape=(1, 3, 8, 8), initializers=(), y_shape=None, domain="", outputs=("y",), **attributes):
    node = helper.make_node(op, list(inputs), list(outputs), name=f"{op.lower()}_0", domain=domain, **attributes)
    return model([node], [tensor("x", list(x_shape))], [tensor("y", y_shape or IMAGE)], initializers)


def only_on_the_host():
    rois = numpy_helper.from_array(np.array([[0, 0, 0, 5, 6]], np.float32), "rois")
    return one_node("MaxRoiPool", ["x", "rois"], initializers=[rois], y_shape=[1, 3, 2, 2], pooled_shape=[2, 2])


def write(folder, content, name="model.onnx"):
    path = pathlib.Path(folder) / name
    path.write_bytes(content if isinstance(content, bytes) else content.SerializeToString())
    return path


def unknown_dtype():
    broken = small()
    broken.graph.input[0].type.tensor_type.elem_type = 99
    return broken


def sorted_strings():
    return model([helper.make_node("Unique", ["x"], ["y"], name="unique_0")],
                 [tensor("x", [3], TensorProto.STRING)], [tensor("y", [None], TensorProto.STRING)])


def no_shape():
    broken = small()
    broken.graph.input[0].type.tensor_type.ClearField("shape")
    return broken


def cyclic():
    nodes = [helper.make_node("Add", ["x", "b"], ["a"], name="add_a"),
             helper.make_node("Relu", ["a"], ["b"], name="relu_b"),
             helper.make_node("Relu", ["b"], ["y"], name="relu_y")]
    return model(nodes, [tensor("x", [1, 4])], [tensor("y", [1, 4])])


def dangling_input():
    return one_node("Add", ["x", "nobody_makes_this"])


def dangling_output():
    broken = small()
    broken.graph.output[0].name = "never_made"
    return broken


def made_twice():
    broken = small()
    broken.graph.node[1].output[0] = "c"
    broken.graph.output[0].name = "c"
    return broken


def huge_input():
    return one_node("Relu", ["x"], x_shape=(1 << 20, 1 << 20, 1 << 12, 1))


def short_weights():
    broken = small()
    broken.graph.initializer[0].raw_data = broken.graph.initializer[0].raw_data[:-4]
    return broken


def huge_weights():
    broken = small()
    broken.graph.initializer[0].dims[:] = [1 << 40, 1 << 40]
    return broken


def negative_weights():
    broken = small()
    broken.graph.initializer[0].dims[:] = [4, -3, 3, 3]
    return broken


def external(location, offset=0, length=432):
    broken = small()
    filter_ = broken.graph.initializer[0]
    filter_.ClearField("raw_data")
    filter_.data_location = TensorProto.EXTERNAL
    for key, value in {"location": location, "offset": str(offset), "length": str(length)}.items():
        filter_.external_data.add(key=key, value=value)
    return broken


def no_opset():
    broken = small()
    del broken.opset_import[:]
    return broken


def no_graph():
    broken = small()
    broken.ClearField("graph")
    return broken


def wrong_attribute_type():
    broken = small()
    broken.graph.node[0].attribute[0].CopyFrom(helper.make_attribute("pads", 1.5))
    return broken


def flip(content, offset, value=None):
    """`content` with one byte changed; a negative offset counts from the end."""
    changed = bytearray(content)
    changed[offset] = changed[offset] ^ 0xFF if value is None else value
    return bytes(changed)
