//===- Host.cpp - ONNX rows of the Host family ----------------------------===//
//
// Operators that sort, or whose results have as many values as the data say:
// kernels of runtime/host compute them.
//
//===----------------------------------------------------------------------===//

#include "dialects/top/Host.h"

#include "dialects/HostCall.h"
#include "frontend/onnx/Compose.h"
#include "frontend/onnx/NGrams.h"
#include "frontend/onnx/OpRows.h"

using namespace mlir;
using namespace weft;
using namespace weft::onnx;

static Type i64(NodeImporter &n) { return n.builder.getI64Type(); }

/// The axes of a tensor of rank `rank` with `axis` last, and back.
static std::pair<SmallVector<int64_t>, SmallVector<int64_t>>
axisLast(int64_t rank, int64_t axis) {
  SmallVector<int64_t> perm, back;
  for (int64_t i = 0; i < rank; ++i) {
    if (i != axis)
      perm.push_back(i);
    back.push_back(i < axis ? i : i == axis ? rank - 1 : i - 1);
  }
  perm.push_back(axis);
  return {perm, back};
}

/// TopK-1..24: `k` is an attribute before 10, then an operand.
static LogicalResult importTopK(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  FailureOr<int64_t> attribute = n.intAttribute("axis", -1);
  FailureOr<bool> largest = n.flagAttribute("largest", true);
  if (failed(input) || failed(attribute) || failed(largest))
    return failure();
  RankedTensorType type = n.typeOf(*input);
  FailureOr<int64_t> axis = n.normalizeAxis(*attribute, type.getRank());
  if (failed(axis))
    return failure();
  FailureOr<int64_t> k;
  if (n.opset < 10) {
    k = n.intAttribute("k", 0, 1);
  } else {
    FailureOr<double> number = n.constantNumber(1, "k");
    if (succeeded(number))
      k = static_cast<int64_t>(*number);
  }
  if (failed(k))
    return failure();
  if (*k < 0 || *k > type.getDimSize(*axis))
    return n.error() << "k is " << *k << ", must be 0 to the size "
                     << type.getDimSize(*axis) << " of axis " << *axis;
  // Lines lie together: kernels of the chip take them so.
  Compose c(n);
  auto [perm, back] = axisLast(type.getRank(), *axis);
  Value lines = c.transpose(*input, perm);
  if (!lines)
    return failure();
  SmallVector<int64_t> shape(Compose::shapeOf(lines));
  shape.back() = *k;
  NamedAttrList parameters;
  parameters.append("axis", n.builder.getI64IntegerAttr(type.getRank() - 1));
  parameters.append("k", n.builder.getI64IntegerAttr(*k));
  parameters.append("largest", n.builder.getI64IntegerAttr(*largest));
  SmallVector<Type> types{type.clone(shape), type.clone(shape, i64(n))};
  if (*axis == type.getRank() - 1)
    return c.finishHost("top_k", lines, parameters, types);
  SmallVector<Value> results = c.host("top_k", lines, parameters, types);
  if (results.empty())
    return failure();
  for (auto [i, result] : llvm::enumerate(results)) {
    if (!n.wantsOutput(i))
      continue;
    n.selectOutput(i);
    if (failed(c.finish(c.transpose(result, back), i)))
      return failure();
  }
  return success();
}

/// NonZero-9..13.
static LogicalResult importNonZero(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  if (failed(input))
    return failure();
  RankedTensorType type = n.typeOf(*input);
  Compose c(n);
  return c.finishHost("non_zero", *input, {},
                      boundedType({type.getRank(), host::kUnknownSize},
                                  {type.getRank(), type.getNumElements()},
                                  i64(n)));
}

/// Unique-11: of all elements, or of slices of one axis.
static LogicalResult importUnique(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  FailureOr<bool> sorted = n.flagAttribute("sorted", true);
  if (failed(input) || failed(sorted))
    return failure();
  RankedTensorType type = n.typeOf(*input);
  SmallVector<int64_t> shape{type.getNumElements()};
  NamedAttrList parameters;
  parameters.append("sorted", n.builder.getI64IntegerAttr(*sorted));
  int64_t along = 0;
  if (n.hasAttribute("axis")) {
    FailureOr<int64_t> attribute = n.intAttribute("axis", 0);
    if (failed(attribute))
      return failure();
    FailureOr<int64_t> axis = n.normalizeAxis(*attribute, type.getRank());
    if (failed(axis))
      return failure();
    along = *axis;
    parameters.append("axis", n.builder.getI64IntegerAttr(along));
    shape.assign(type.getShape().begin(), type.getShape().end());
  }
  int64_t size = shape[along];
  SmallVector<int64_t> largest(shape);
  shape[along] = host::kUnknownSize;
  Type count = boundedType({host::kUnknownSize}, {size}, i64(n));
  Compose c(n);
  return c.finishHost("unique", *input, parameters,
                      {boundedType(shape, largest, type.getElementType()),
                       count, RankedTensorType::get({size}, i64(n)), count});
}

/// NonMaxSuppression-10..11: at most as many boxes a class as operand 2 says.
static LogicalResult importNonMaxSuppression(NodeImporter &n) {
  FailureOr<Value> boxes = n.operand(0), scores = n.operand(1);
  FailureOr<bool> centre = n.flagAttribute("center_point_box", false);
  if (failed(boxes) || failed(scores) || failed(centre))
    return failure();
  ArrayRef<int64_t> shape = n.typeOf(*scores).getShape();
  if (shape.size() != 3 ||
      n.typeOf(*boxes).getShape() != ArrayRef<int64_t>{shape[0], shape[2], 4})
    return n.error() << "the boxes have the shape "
                     << formatShape(n.typeOf(*boxes).getShape())
                     << ", the scores " << formatShape(shape)
                     << "; they must be N x B x 4 and N x C x B";
  Value given = n.optionalOperand(2); // without it no box is wanted
  int64_t most = given ? shape[2] : 0;
  if (given)
    if (auto numbers = constantIntsOf(given); numbers && !numbers->empty())
      most = std::clamp<int64_t>(numbers->front(), 0, most);
  NamedAttrList parameters;
  parameters.append("center_point_box", n.builder.getI64IntegerAttr(*centre));
  SmallVector<Value> operands{*boxes, *scores};
  for (unsigned i = 2; i < 5; ++i)
    operands.push_back(n.optionalOperand(i));
  Compose c(n);
  return c.finishHost("non_max_suppression", operands, parameters,
                      boundedType({host::kUnknownSize, 3},
                                  {shape[0] * shape[1] * most, 3}, i64(n)));
}

/// The attributes of a TfIdfVectorizer; reports what is wrong.
static FailureOr<NGrams> readNGrams(NodeImporter &n) {
  NGrams grams;
  FailureOr<std::string> mode =
      n.wordAttribute("mode", "", {"TF", "IDF", "TFIDF"});
  auto counts = n.intsAttribute("ngram_counts", -1, 0, 0),
       places = n.intsAttribute("ngram_indexes", -1, 0, 0),
       words = n.intsAttribute("pool_int64s", -1, 0);
  auto shortest = n.intAttribute("min_gram_length", 1, 1),
       longest = n.intAttribute("max_gram_length", 1, 1),
       skips = n.intAttribute("max_skip_count", 0, 0);
  if (failed(mode) || failed(counts) || failed(places) || failed(words) ||
      failed(shortest) || failed(longest) || failed(skips))
    return failure();
  if (n.hasAttribute("pool_strings")) {
    n.unsupported() << "a pool of strings; use pool_int64s";
    return failure();
  }
  if (const NodeAttribute *attribute = n.node.find("weights"))
    grams.weights.assign(attribute->floats.begin(), attribute->floats.end());
  for (int64_t place : *places) {
    if (place >= kMaxElements) {
      n.error() << "ngram_indexes has " << place << ", must be less than "
                << kMaxElements;
      return failure();
    }
    grams.width = std::max(grams.width, place + 1);
  }
  grams.mode = *mode;
  grams.counts = *counts;
  grams.places = *places;
  grams.words = *words;
  grams.shortest = *shortest;
  grams.longest = *longest;
  grams.skips = *skips;
  return grams;
}

/// TfIdfVectorizer-9 of integers.
static LogicalResult importTfIdfVectorizer(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  FailureOr<NGrams> grams = readNGrams(n);
  if (failed(input) || failed(grams))
    return failure();
  SmallVector<int64_t> shape(n.typeOf(*input).getShape());
  if (shape.empty() || shape.size() > 2)
    return n.error() << "the input has the shape " << formatShape(shape)
                     << ", must be C or N x C";
  Compose c(n);
  if (isa<IntegerType>(Compose::elementOf(*input)) &&
      areFewNGrams(*grams, shape))
    return c.finish(countNGrams(c, *grams, *input));
  shape.back() = grams->width;
  OpBuilder &b = n.builder;
  NamedAttrList parameters;
  parameters.append("mode", b.getStringAttr(grams->mode));
  parameters.append("min_gram_length", b.getI64IntegerAttr(grams->shortest));
  parameters.append("max_gram_length", b.getI64IntegerAttr(grams->longest));
  parameters.append("max_skip_count", b.getI64IntegerAttr(grams->skips));
  parameters.append("ngram_counts", b.getDenseI64ArrayAttr(grams->counts));
  parameters.append("ngram_indexes", b.getDenseI64ArrayAttr(grams->places));
  parameters.append("pool_int64s", b.getDenseI64ArrayAttr(grams->words));
  parameters.append("weights", b.getDenseF64ArrayAttr(grams->weights));
  return c.finishHost("tf_idf", *input, parameters,
                      RankedTensorType::get(shape, b.getF32Type()));
}

void weft::onnx::registerHostRows(OpRegistry &registry) {
  registry.add("Host", {
                           {"NonMaxSuppression", 10, kLastOpset,
                            importNonMaxSuppression},
                           {"NonZero", 9, kLastOpset, importNonZero},
                           {"TfIdfVectorizer", 9, kLastOpset,
                            importTfIdfVectorizer, "integers and strings"},
                           {"TopK", 1, kLastOpset, importTopK, "constant k"},
                           {"Unique", 11, kLastOpset, importUnique},
                       });
}
