//===- Microsoft.cpp - ONNX rows of ONNX Runtime's own operators ----------===//
//
// Operators of the domain com.microsoft that optimised and exported models
// carry, as ONNX Runtime's ContribOperators.md describes them.
//
//===----------------------------------------------------------------------===//

#include "frontend/onnx/Microsoft.h"

#include "dialects/top/Softmax.h"
#include "dialects/top/Unary.h"
#include "frontend/onnx/Import.h"

#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::onnx;
using top::UnaryKind;

Value weft::onnx::standardOp(NodeImporter &n, StringRef name, int64_t opset,
                             ArrayRef<Value> operands,
                             std::vector<NodeAttribute> more) {
  if (llvm::is_contained(operands.take_front(1), Value()))
    return {};
  Node node = n.node;
  node.domain.clear();
  node.opType = name.str();
  node.attributes.insert(node.attributes.begin(), more.begin(), more.end());
  node.inputs.resize(operands.size());
  for (size_t i = 0; i < operands.size(); ++i)
    if (!operands[i])
      node.inputs[i].clear();
    else if (node.inputs[i].empty())
      node.inputs[i] = n.node.name;
  node.outputs.resize(1);
  const OpRow *row = OpRegistry::get().find("", name, opset);
  NodeImporter inner(node, opset, n.builder, n.location, operands, n.budget);
  if (!row || !row->import || failed(row->import(inner)))
    return {};
  return inner.output(0);
}

//===----------------------------------------------------------------------===//
// Activations and products
//===----------------------------------------------------------------------===//

static Value withParameters(Compose &c, UnaryKind kind, Value value,
                            ArrayRef<double> parameters) {
  if (!value)
    return {};
  const top::UnaryKindRow &row = top::unaryKindRow(kind);
  auto attribute = [&](bool has, size_t i) {
    return has && i < parameters.size()
               ? c.n.builder.getF64FloatAttr(parameters[i])
               : FloatAttr();
  };
  return Compose::orNull(
      c.n.create<top::UnaryOp>(kind, value, attribute(row.alpha.has_value(), 0),
                               attribute(row.beta.has_value(), 1)));
}

/// Gelu, BiasGelu, FastGelu: of a value and, if there is one, a bias.
template <UnaryKind Kind>
static LogicalResult importGelu(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  if (failed(input))
    return failure();
  Compose c(n);
  Value bias = n.optionalOperand(1);
  return c.finish(c.unary(Kind, bias ? c.add(*input, bias) : *input));
}

static LogicalResult importQuickGelu(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  FailureOr<double> alpha = n.floatAttribute("alpha", double(1.702f));
  if (failed(input) || failed(alpha))
    return failure();
  Compose c(n);
  return c.finish(withParameters(c, UnaryKind::Swish, *input, *alpha));
}

/// Conv, then the addition of operand 3, then an activation.
static LogicalResult importFusedConv(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0), filter = n.operand(1);
  auto activation = n.wordAttribute(
      "activation", "",
      {"", "Relu", "Sigmoid", "Tanh", "LeakyRelu", "Clip", "HardSigmoid"});
  if (failed(input) || failed(filter) || failed(activation))
    return failure();
  Compose c(n);
  Value result =
      standardOp(n, "Conv", 11, {*input, *filter, n.optionalOperand(2)});
  if (Value sum = n.optionalOperand(3))
    result = c.add(result, sum);
  std::vector<double> parameters;
  if (const NodeAttribute *list = n.node.find("activation_params"))
    parameters.assign(list->floats.begin(), list->floats.end());
  const std::pair<StringRef, UnaryKind> kinds[] = {
      {"Relu", UnaryKind::Relu}, {"Sigmoid", UnaryKind::Sigmoid},
      {"Tanh", UnaryKind::Tanh}, {"LeakyRelu", UnaryKind::LeakyRelu},
      {"Clip", UnaryKind::Clip}, {"HardSigmoid", UnaryKind::HardSigmoid}};
  for (auto [name, kind] : kinds)
    if (*activation == name)
      result = withParameters(c, kind, result, parameters);
  return c.finish(result);
}

/// The last two axes exchanged; with `batch` the first axis of the matrix comes
/// before them (transBatchA: the batch axes are rotated by one).
static Value turned(Compose &c, Value value, bool last, bool batch) {
  int64_t rank = c.shapeOf(value).size();
  SmallVector<int64_t> perm;
  for (int64_t axis = 0; axis < rank; ++axis)
    perm.push_back(axis);
  if (batch && rank > 2) // 1, .., rank-2, 0, rank-1
    std::rotate(perm.begin(), perm.begin() + 1, perm.end() - 1);
  if (last && rank > 1)
    std::swap(perm[rank - 1], perm[rank - 2]);
  return c.transpose(value, perm);
}

/// alpha * A * B.
static LogicalResult importFusedMatMul(NodeImporter &n) {
  FailureOr<Value> a = n.operand(0), b = n.operand(1);
  FailureOr<double> alpha = n.floatAttribute("alpha", 1);
  FailureOr<bool> transA = n.flagAttribute("transA", false),
                  transB = n.flagAttribute("transB", false),
                  batchA = n.flagAttribute("transBatchA", false),
                  batchB = n.flagAttribute("transBatchB", false);
  if (failed(a) || failed(b) || failed(alpha) || failed(transA) ||
      failed(transB) || failed(batchA) || failed(batchB))
    return failure();
  Compose c(n);
  Value product = c.matmul(turned(c, *a, *transA, *batchA),
                           turned(c, *b, *transB, *batchB));
  return c.finish(*alpha == 1 ? product : c.mul(product, *alpha));
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

static NodeAttribute floatAttribute(StringRef name, double value) {
  NodeAttribute attribute;
  attribute.name = name.str();
  attribute.kind = NodeAttribute::Kind::Float;
  attribute.floatValue = static_cast<float>(value);
  return attribute;
}

/// Skip[Simplified]LayerNormalization: input + skip (+ bias), normalised along
/// the last axis; output 3 is the sum. Operands input, skip, gamma, [beta,]
/// bias.
static LogicalResult importSkipNorm(NodeImporter &n, bool simplified) {
  FailureOr<Value> input = n.operand(0), skip = n.operand(1),
                   gamma = n.operand(2);
  FailureOr<double> epsilon = n.floatAttribute("epsilon", double(1e-12f));
  if (failed(input) || failed(skip) || failed(gamma) || failed(epsilon))
    return failure();
  for (unsigned i = 1; i < 3; ++i)
    if (n.wantsOutput(i))
      return n.unsupported() << "output " << i << " of " << n.node.opType
                             << ", a training result; export for inference";
  Compose c(n);
  Value sum = c.add(*input, *skip);
  if (Value bias = n.optionalOperand(simplified ? 3 : 4))
    sum = c.add(sum, bias);
  SmallVector<Value> operands{sum, *gamma};
  if (!simplified)
    operands.push_back(n.optionalOperand(3));
  Value result = standardOp(
      n, simplified ? "RMSNormalization" : "LayerNormalization",
      simplified ? 23 : 17, operands, {floatAttribute("epsilon", *epsilon)});
  if (failed(c.finish(result)))
    return failure();
  if (!n.wantsOutput(3))
    return success();
  n.selectOutput(3);
  return c.finish(sum, 3);
}

static LogicalResult importSkipLayerNorm(NodeImporter &n) {
  return importSkipNorm(n, false);
}
static LogicalResult importSkipRmsNorm(NodeImporter &n) {
  return importSkipNorm(n, true);
}

/// SimplifiedLayerNormalization-1 of ai.onnx: RMSNormalization.
static LogicalResult importSimplifiedNorm(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0), scale = n.operand(1);
  if (failed(input) || failed(scale))
    return failure();
  return Compose(n).finish(
      standardOp(n, "RMSNormalization", 23, {*input, *scale}));
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

namespace {
/// Scaled dot-product attention of B sequences and H heads.
struct HeadsAttention {
  Value query, key, value; ///< B x H x S, K, K x D
  Value mask;              ///< B x K of 1 (seen) and 0, or null
  Value bias;              ///< broadcasts to B x H x S x K, or null
  double scale = 0;        ///< 0: 1 / sqrt(D)
  double filter = -10000;  ///< added where the mask is 0
  bool causal = false;
};
} // namespace

/// B x S x (H*D) as B x H x S x D.
static Value splitHeads(Compose &c, Value value, int64_t heads) {
  if (!value)
    return {};
  ArrayRef<int64_t> shape = c.shapeOf(value);
  return c.transpose(
      c.reshape(value, {shape[0], shape[1], heads, shape[2] / heads}),
      {0, 2, 1, 3});
}

static Value attend(Compose &c, const HeadsAttention &a) {
  if (!a.query || !a.key || !a.value)
    return {};
  ArrayRef<int64_t> query = c.shapeOf(a.query), key = c.shapeOf(a.key),
                    value = c.shapeOf(a.value);
  int64_t length = query[2], keys = key[2];
  double scale = a.scale ? a.scale : 1 / std::sqrt(double(query[3]));
  Value scores =
      c.matmul(c.mul(a.query, scale), c.transpose(a.key, {0, 1, 3, 2}));
  if (a.mask) {
    Value hidden =
        c.sub(c.number(1, a.query), c.cast(a.mask, c.elementOf(a.query)));
    scores = c.add(scores,
                   c.reshape(c.mul(hidden, a.filter), {query[0], 1, 1, keys}));
  }
  if (a.bias)
    scores = c.add(scores, a.bias);
  if (a.causal && length > 1) { // a query sees keys up to its own place
    if (failed(c.n.checkTable({length, keys})))
      return {};
    std::vector<double> later;
    for (int64_t q = 0; q < length; ++q)
      for (int64_t k = 0; k < keys; ++k)
        later.push_back(k > q + keys - length ? a.filter : 0);
    scores = c.add(
        scores, c.numbers(later, {1, 1, length, keys}, c.elementOf(a.query)));
  }
  if (!scores)
    return {};
  Value weights =
      Compose::orNull(c.n.create<top::SoftmaxOp>(scores, int64_t(3)));
  Value result = c.transpose(c.matmul(weights, a.value), {0, 2, 1, 3});
  return c.reshape(result, {query[0], length, query[1] * value[3]});
}

/// Attributes and checks that the attention operators share. `mask` is the
/// index of the padding mask among the operands.
static LogicalResult readAttention(NodeImporter &n, HeadsAttention &a,
                                   unsigned mask, int64_t &heads) {
  FailureOr<int64_t> number = n.intAttribute("num_heads", 0, 1);
  FailureOr<double> scale = n.floatAttribute("scale", 0),
                    filter = n.floatAttribute("mask_filter_value", -10000);
  FailureOr<bool> causal = n.flagAttribute("unidirectional", false);
  FailureOr<bool> rotary = n.flagAttribute("do_rotary", false);
  if (failed(number) || failed(scale) || failed(filter) || failed(causal) ||
      failed(rotary))
    return failure();
  if (*rotary)
    return n.unsupported() << "rotary embedding inside " << n.node.opType
                           << "; use RotaryEmbedding before it";
  heads = *number;
  a.scale = *scale;
  a.filter = *filter;
  a.causal = *causal;
  a.mask = n.optionalOperand(mask);
  if (a.mask && n.typeOf(a.mask).getRank() != 2)
    return n.unsupported() << "a mask of shape "
                           << formatShape(n.typeOf(a.mask).getShape())
                           << "; use one of 1 and 0 for each sequence and key";
  return success();
}

/// The keys and values of the past before those of this call; outputs
/// `key` and `value` of the node are the whole.
static LogicalResult prependPast(Compose &c, HeadsAttention &a, Value pastKey,
                                 Value pastValue) {
  if (pastKey)
    a.key = c.concat({pastKey, a.key}, 2);
  if (pastValue)
    a.value = c.concat({pastValue, a.value}, 2);
  return a.key && a.value ? success() : failure();
}

/// MultiHeadAttention: query, key, value (B x S x H*D each), bias (of all
/// three), padding mask, attention bias, past key and value.
static LogicalResult importMultiHead(NodeImporter &n) {
  FailureOr<Value> query = n.operand(0);
  HeadsAttention a;
  int64_t heads = 0;
  if (failed(query) || failed(readAttention(n, a, 4, heads)))
    return failure();
  Value key = n.optionalOperand(1), value = n.optionalOperand(2);
  if (!key || !value || n.typeOf(*query).getRank() != 3 ||
      n.typeOf(key).getRank() != 3 || n.typeOf(value).getRank() != 3)
    return n.unsupported() << "packed query, key and value; give each its own "
                              "tensor of batch x length x size";
  Compose c(n);
  SmallVector<Value> parts{*query, key, value};
  int64_t first = 0;
  for (Value &part : parts) {
    int64_t size = c.shapeOf(part)[2];
    if (size % heads)
      return n.error() << "num_heads is " << heads << ", must divide " << size;
    if (Value bias = n.optionalOperand(3))
      part = c.add(part, c.sliceAxis(bias, 0, first, size));
    first += size;
    part = splitHeads(c, part, heads);
  }
  a.query = parts[0];
  a.key = parts[1];
  a.value = parts[2];
  a.bias = n.optionalOperand(5);
  if (failed(prependPast(c, a, n.optionalOperand(6), n.optionalOperand(7))) ||
      failed(c.finish(attend(c, a))))
    return failure();
  if (n.wantsOutput(1)) {
    n.selectOutput(1);
    if (failed(c.finish(a.key, 1)))
      return failure();
  }
  if (!n.wantsOutput(2))
    return success();
  n.selectOutput(2);
  return c.finish(a.value, 2);
}

/// Attention: input (B x S x I), weights (I x 3H*D), bias, mask, past
/// (2 x B x H x P x D), attention bias.
static LogicalResult importAttention(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0), weights = n.operand(1);
  HeadsAttention a;
  int64_t heads = 0;
  if (failed(input) || failed(weights) || failed(readAttention(n, a, 3, heads)))
    return failure();
  Compose c(n);
  int64_t columns = c.shapeOf(*weights).back();
  SmallVector<int64_t> sizes(3, columns / 3);
  if (n.hasAttribute("qkv_hidden_sizes")) {
    auto list = n.intsAttribute("qkv_hidden_sizes", 3, 0, 1);
    if (failed(list))
      return failure();
    sizes = *list;
  }
  if (sizes[0] + sizes[1] + sizes[2] != columns ||
      llvm::any_of(sizes, [&](int64_t size) { return size % heads; }))
    return n.error() << "the weights have " << columns
                     << " columns, must be those of query, key and value for "
                     << heads << " heads";
  Value all = c.matmul(*input, *weights);
  if (Value bias = n.optionalOperand(2))
    all = c.add(all, bias);
  int64_t first = 0;
  auto take = [&](int64_t size) {
    first += size;
    return splitHeads(c, c.sliceAxis(all, 2, first - size, size), heads);
  };
  a.query = take(sizes[0]);
  a.key = take(sizes[1]);
  a.value = take(sizes[2]);
  a.bias = n.optionalOperand(5);
  auto half = [&](int64_t i) {
    Value past = n.optionalOperand(4);
    return past ? c.reshape(c.sliceAxis(past, 0, i, 1),
                            c.shapeOf(past).drop_front())
                : Value();
  };
  if (failed(prependPast(c, a, half(0), half(1))) ||
      failed(c.finish(attend(c, a))))
    return failure();
  if (!n.wantsOutput(1))
    return success();
  n.selectOutput(1);
  auto raised = [&](Value value) {
    SmallVector<int64_t> shape(c.shapeOf(value));
    shape.insert(shape.begin(), 1);
    return c.reshape(value, shape);
  };
  return c.finish(c.concat({raised(a.key), raised(a.value)}, 0), 1);
}

void weft::onnx::registerMicrosoftRows(OpRegistry &registry) {
  registry.add(
      "MatMul",
      {
          {"Gelu", 1, kLastOpset, importGelu<UnaryKind::Gelu>},
          {"BiasGelu", 1, kLastOpset, importGelu<UnaryKind::Gelu>},
          {"FastGelu", 1, kLastOpset, importGelu<UnaryKind::GeluTanh>},
          {"QuickGelu", 1, kLastOpset, importQuickGelu},
          {"FusedConv", 1, kLastOpset, importFusedConv},
          {"FusedMatMul", 1, kLastOpset, importFusedMatMul},
          {"SkipLayerNormalization", 1, kLastOpset, importSkipLayerNorm},
          {"SkipSimplifiedLayerNormalization", 1, kLastOpset,
           importSkipRmsNorm},
          {"MultiHeadAttention", 1, kLastOpset, importMultiHead,
           "query, key and value of rank 3; masks of 1 and 0"},
          {"Attention", 1, kLastOpset, importAttention, "masks of 1 and 0"},
      },
      kMicrosoftDomain);
  registry.add("Norm", {{"SimplifiedLayerNormalization", 1, kLastOpset,
                         importSimplifiedNorm}});
}
