#!/usr/bin/env python3
"""Puts the decoding of boxes behind a detector: PicoDet's raw distributions become boxes.

  append.py MODEL.onnx OUTPUT.onnx --size 800x608 --strides 8,16,32,64

The outputs of 4R values an anchor, one for each stride, are decoded by the operator DflDecode (dfl_decode.cpp) and joined to one
output `boxes`, 1 x N x 4, in pixels of the image.
"""
import argparse

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def centers(height, width, stride):
    """x and y of the anchors of a feature map, in pixels: the middles of its cells."""
    y, x = np.mgrid[:-(-height // stride), :-(-width // stride)]
    return ((np.stack([x, y], -1).reshape(-1, 2) + 0.5) * stride).astype(np.float32)


def append_decoding(model, height, width, strides):
    """The model with `boxes` in place of the distributions."""
    graph = model.graph
    by_anchors = {len(centers(height, width, stride)): stride for stride in strides}
    sizes = {output.name: [d.dim_value for d in output.type.tensor_type.shape.dim] for output in graph.output}
    channels = {shape[2] for shape in sizes.values() if len(shape) == 3}
    decoded = []
    for output in list(graph.output):
        shape = sizes[output.name]
        if len(shape) != 3 or shape[2] != max(channels) or shape[2] % 4:
            continue
        stride = by_anchors[shape[1]]
        graph.initializer.append(numpy_helper.from_array(centers(height, width, stride), f"centers_{stride}"))
        graph.node.append(helper.make_node("DflDecode", [output.name, f"centers_{stride}"], [f"boxes_{stride}"],
                                           name=f"decode_{stride}", domain="weft.examples", stride=float(stride)))
        graph.output.remove(output)
        decoded.append((stride, f"boxes_{stride}", shape[1]))
    decoded.sort()
    graph.node.append(helper.make_node("Concat", [name for _, name, _ in decoded], ["boxes"], name="boxes", axis=1))
    graph.output.append(helper.make_tensor_value_info("boxes", TensorProto.FLOAT, [1, sum(n for _, _, n in decoded), 4]))
    model.opset_import.append(helper.make_opsetid("weft.examples", 1))
    return model


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("output")
    parser.add_argument("--size", default="800x608")
    parser.add_argument("--strides", default="8,16,32,64")
    args = parser.parse_args()
    height, width = map(int, args.size.split("x"))
    onnx.save(append_decoding(onnx.load(args.model), height, width, [int(s) for s in args.strides.split(",")]), args.output)
