#!/usr/bin/env python3
"""Two small transformers with seeded weights, built node by node as exporters write them.

  models/transformer/make.py encoder|decoder OUT.onnx

encoder: BERT-like, 4 layers of width 256, 4 heads, 64 tokens; inputs `ids` (int64 tokens), `mask` (1 where a token is real);
outputs `hidden` (1x64x256) and `pooled` (1x256). Embeddings by Gather, LayerNormalization spelt out with ReduceMean, Pow and Sqrt, Gelu by Erf.

decoder: GPT-like, 4 layers of width 256, 4 heads, one step of 1 token with a cache of 63; inputs `id`, `position`, and for each layer
`past_key_i`, `past_value_i` (1x4x63x64); outputs `logits` (1x1x1000) and `key_i`, `value_i` (1x4x64x64). LayerNormalization as the
ONNX operator, Gelu by Tanh, rotary-free learned positions, causal by construction (the cache is the past).
"""
import argparse

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

WIDTH, HEADS, LAYERS, VOCABULARY, TOKENS = 256, 4, 4, 1000, 64
HEAD = WIDTH // HEADS
OPSET = 17
FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


class Builder:
    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.nodes, self.weights, self.count = [], [], 0

    def op(self, kind, *inputs, output=None, **attributes):
        self.count += 1
        output = output or f"{kind.lower()}_{self.count}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], name=f"{kind}_{self.count}", **attributes))
        return output

    def constant(self, array, name=None):
        self.count += 1
        name = name or f"constant_{self.count}"
        self.weights.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def scalar(self, value):
        return self.constant(np.float32(value))

    def ints(self, *values):
        return self.constant(np.array(values, np.int64))

    def normal(self, *shape, deviation):
        return self.constant((self.random.standard_normal(shape) * deviation).astype(np.float32))

    def linear(self, x, inputs, outputs):
        product = self.op("MatMul", x, self.normal(inputs, outputs, deviation=inputs ** -0.5))
        return self.op("Add", product, self.normal(outputs, deviation=0.02))

    def norm_parts(self):
        return (self.constant((1 + 0.1 * self.random.standard_normal(WIDTH)).astype(np.float32)), self.normal(WIDTH, deviation=0.1))

    def norm_spelt_out(self, x):
        centred = self.op("Sub", x, self.op("ReduceMean", x, axes=[-1]))
        variance = self.op("ReduceMean", self.op("Pow", centred, self.scalar(2)), axes=[-1])
        scale, bias = self.norm_parts()
        normal = self.op("Div", centred, self.op("Sqrt", self.op("Add", variance, self.scalar(1e-5))))
        return self.op("Add", self.op("Mul", normal, scale), bias)

    def norm(self, x):
        scale, bias = self.norm_parts()
        return self.op("LayerNormalization", x, scale, bias, axis=-1, epsilon=1e-5)

    def gelu_erf(self, x):
        half = self.op("Mul", x, self.scalar(0.5))
        return self.op("Mul", half, self.op("Add", self.op("Erf", self.op("Div", x, self.scalar(2 ** 0.5))), self.scalar(1)))

    def gelu_tanh(self, x):
        cube = self.op("Mul", self.op("Pow", x, self.scalar(3)), self.scalar(0.044715))
        inner = self.op("Tanh", self.op("Mul", self.op("Add", x, cube), self.scalar((2 / np.pi) ** 0.5)))
        return self.op("Mul", self.op("Mul", x, self.scalar(0.5)), self.op("Add", inner, self.scalar(1)))

    def heads(self, x, tokens):
        return self.op("Transpose", self.op("Reshape", x, self.ints(1, tokens, HEADS, HEAD)), perm=[0, 2, 1, 3])

    def joined(self, x, tokens):
        return self.op("Reshape", self.op("Transpose", x, perm=[0, 2, 1, 3]), self.ints(1, tokens, WIDTH))

    def attend(self, query, key, value, mask=None):
        scores = self.op("MatMul", query, self.op("Transpose", key, perm=[0, 1, 3, 2]))
        scores = self.op("Mul", scores, self.scalar(HEAD ** -0.5))
        if mask:
            scores = self.op("Add", scores, mask)
        return self.op("MatMul", self.op("Softmax", scores, axis=-1), value)

    def model(self, name, inputs, outputs):
        graph = helper.make_graph(self.nodes, name, inputs, outputs, self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
        onnx.checker.check_model(model)
        return model


def encoder():
    b = Builder(11)
    info = helper.make_tensor_value_info
    words = b.op("Gather", b.normal(VOCABULARY, WIDTH, deviation=1.0), "ids")
    x = b.norm_spelt_out(b.op("Add", words, b.normal(1, TOKENS, WIDTH, deviation=0.3)))
    mask = b.op("Cast", b.op("Unsqueeze", "mask", b.ints(1, 2)), to=FLOAT)
    mask = b.op("Mul", b.op("Sub", b.scalar(1), mask), b.scalar(-10000))
    for _ in range(LAYERS):
        query, key, value = (b.heads(b.linear(x, WIDTH, WIDTH), TOKENS) for _ in range(3))
        joined = b.joined(b.attend(query, key, value, mask), TOKENS)
        x = b.norm_spelt_out(b.op("Add", x, b.linear(joined, WIDTH, WIDTH)))
        wide = b.gelu_erf(b.linear(x, WIDTH, 4 * WIDTH))
        x = b.norm_spelt_out(b.op("Add", x, b.linear(wide, 4 * WIDTH, WIDTH)))
    b.op("Identity", x, output="hidden")
    first = b.op("Gather", x, b.constant(np.int64(0)), axis=1)
    b.op("Tanh", b.linear(first, WIDTH, WIDTH), output="pooled")
    return b.model("encoder", [info("ids", INT64, [1, TOKENS]), info("mask", INT64, [1, TOKENS])],
                   [info("hidden", FLOAT, [1, TOKENS, WIDTH]), info("pooled", FLOAT, [1, WIDTH])])


def decoder():
    b = Builder(12)
    info = helper.make_tensor_value_info
    past, whole = [1, HEADS, TOKENS - 1, HEAD], [1, HEADS, TOKENS, HEAD]
    inputs = [info("id", INT64, [1, 1]), info("position", INT64, [1, 1])]
    outputs = [info("logits", FLOAT, [1, 1, VOCABULARY])]
    embedding = b.normal(VOCABULARY, WIDTH, deviation=1.0)
    x = b.op("Add", b.op("Gather", embedding, "id"), b.op("Gather", b.normal(TOKENS, WIDTH, deviation=0.3), "position"))
    for layer in range(LAYERS):
        inputs += [info(f"past_key_{layer}", FLOAT, past), info(f"past_value_{layer}", FLOAT, past)]
        outputs += [info(f"key_{layer}", FLOAT, whole), info(f"value_{layer}", FLOAT, whole)]
        packed = b.linear(b.norm(x), WIDTH, 3 * WIDTH)
        parts = [f"part_{layer}_{name}" for name in "qkv"]
        b.nodes.append(helper.make_node("Split", [packed, b.ints(WIDTH, WIDTH, WIDTH)], parts, name=f"Split_{layer}", axis=2))
        query, key, value = (b.heads(part, 1) for part in parts)
        key = b.op("Concat", f"past_key_{layer}", key, axis=2, output=f"key_{layer}")
        value = b.op("Concat", f"past_value_{layer}", value, axis=2, output=f"value_{layer}")
        x = b.op("Add", x, b.linear(b.joined(b.attend(query, key, value), 1), WIDTH, WIDTH))
        wide = b.gelu_tanh(b.linear(b.norm(x), WIDTH, 4 * WIDTH))
        x = b.op("Add", x, b.linear(wide, 4 * WIDTH, WIDTH))
    b.op("MatMul", b.norm(x), b.op("Transpose", embedding, perm=[1, 0]), output="logits")
    return b.model("decoder", inputs, outputs)


def make(name):
    return {"encoder": encoder, "decoder": decoder}[name]()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=["encoder", "decoder"])
    parser.add_argument("output")
    args = parser.parse_args()
    onnx.save(make(args.name), args.output)


if __name__ == "__main__":
    main()
