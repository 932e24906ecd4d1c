//===- Strings.cpp - nodes that read or give strings ----------------------===//
//
// A tensor of strings is one of bytes with an axis more (runtime/host/Texts.h);
// kernels of the host compute on it. Only the importer knows which values are
// strings, and the interface of the finished program.
//
//===----------------------------------------------------------------------===//

#include "frontend/onnx/Strings.h"

#include "dialects/HostCall.h"
#include "frontend/onnx/Compose.h"
#include "frontend/onnx/DataDependent.h"
#include "frontend/onnx/StringPadding.h"
#include "runtime/host/RegularExpression.h"
#include "runtime/host/Texts.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft;
using namespace weft::onnx;
using numeric::HostTensor;

std::optional<int64_t> onnx::takeStringBytes(const ValueInfo &input,
                                             bool isGiven,
                                             SmallVectorImpl<int64_t> &shape) {
  if (input.type != kString)
    return std::nullopt;
  size_t rank = input.dims ? input.dims->size() : 0;
  if (!isGiven || shape.size() == rank)
    return kStringBytes;
  return shape.pop_back_val();
}

Type onnx::stringByteType(MLIRContext *context) {
  return IntegerType::get(context, 8, IntegerType::Unsigned);
}

bool onnx::concernsStrings(const Node &node, ArrayRef<Entity> operands) {
  return llvm::any_of(operands,
                      [](const Entity &e) { return e.isStrings(); }) ||
         llvm::any_of(node.attributes, [&](const NodeAttribute &attribute) {
           return (attribute.tensor && attribute.tensor->type == kString) ||
                  (node.domain.empty() && node.opType == "Constant" &&
                   StringRef(attribute.name).starts_with("value_string"));
         });
}

//===----------------------------------------------------------------------===//
// Types and constants
//===----------------------------------------------------------------------===//

namespace {
/// Sizes that may depend on data, and the largest of each.
struct StringSizes {
  SmallVector<int64_t> shape, largest;

  static StringSizes of(RankedTensorType type) {
    StringSizes sizes{SmallVector<int64_t>(type.getShape()),
                      *largestShape(type)};
    for (int64_t &size : sizes.shape)
      if (ShapedType::isDynamic(size))
        size = host::kUnknownSize;
    return sizes;
  }
  /// Those of strings, without their bytes.
  static StringSizes ofStrings(Value bytes) {
    StringSizes sizes = of(NodeImporter::typeOf(bytes));
    sizes.shape.pop_back();
    sizes.largest.pop_back();
    return sizes;
  }
  void add(int64_t size, int64_t most) {
    shape.push_back(size);
    largest.push_back(most);
  }
  RankedTensorType type(Type element) const {
    return boundedType(shape, largest, element);
  }
  RankedTensorType strings(int64_t bytes, MLIRContext *context) const {
    StringSizes all = *this;
    all.add(bytes, bytes);
    return all.type(stringByteType(context));
  }
};
} // namespace

/// The bytes of each string.
static int64_t stringWidth(Value bytes) {
  return NodeImporter::typeOf(bytes).getShape().back();
}

/// Fails if `texts` are refused; `what` they are begins the message.
static LogicalResult checkPadding(NodeImporter &n, const Twine &what,
                                  ArrayRef<std::string> texts) {
  StringPadding padding;
  for (const std::string &text : texts)
    padding.add(text);
  std::string why = padding.problem();
  return why.empty() ? success()
                     : LogicalResult(n.unsupported() << what << " " << why);
}

/// The same of all lists of strings that a node has.
static LogicalResult checkLists(NodeImporter &n) {
  for (const NodeAttribute &attribute : n.node.attributes)
    if (failed(checkPadding(n, "attribute '" + Twine(attribute.name) + "'",
                            attribute.strings)))
      return failure();
  return success();
}

/// Of strings that have been checked.
static HostTensor makeTexts(ArrayRef<std::string> texts) {
  size_t longest = 1;
  for (const std::string &text : texts)
    longest = std::max(longest, text.size());
  HostTensor tensor(numeric::ElementType::U8,
                    {int64_t(texts.size()), int64_t(longest)});
  for (auto [i, text] : llvm::enumerate(texts))
    host::setText(tensor, int64_t(i), text);
  return tensor;
}

static Value stringTable(NodeImporter &n, HostTensor tensor) {
  auto type = RankedTensorType::get(
      tensor.shape(),
      top::elementTypeFor(tensor.type(), n.builder.getContext()));
  return n.constant(
      toElementsAttr(std::move(tensor), type, n.node.outputs.front()));
}

/// Operand `i`, which must be of strings.
static FailureOr<Value> stringsOf(StructureNode &s, unsigned i) {
  Entity entity = s.operand(i);
  if (entity.isStrings())
    return entity.bytes;
  if (entity.isUnknown())
    s.n.error() << "input " << i << " is left out; " << s.n.node.opType
                << " needs it";
  else
    s.n.error() << "input " << i << " ('" << s.n.node.inputs[i] << "') is "
                << describe(entity) << "; it must be a tensor of strings";
  return failure();
}

/// The results of a host kernel; empty if a problem has been reported.
static SmallVector<Value> callHost(StructureNode &s, StringRef kernel,
                                   ArrayRef<Value> operands,
                                   NamedAttrList parameters,
                                   ArrayRef<Type> results) {
  for (Type type : results)
    if (!countElements(*largestShape(cast<RankedTensorType>(type)))) {
      s.n.error() << "the result has more than " << kMaxElements
                  << " bytes of strings; give shorter ones, with their bytes "
                     "as the last size of --shape";
      return {};
    }
  return Compose(s.n).host(kernel, operands, parameters, results);
}

static LogicalResult finishStrings(StructureNode &s, ArrayRef<Value> results) {
  return results.empty() ? failure()
                         : s.setOutput(Entity::strings(results.front()));
}

static LogicalResult finishNumbers(StructureNode &s, ArrayRef<Value> results) {
  return results.empty() ? failure() : s.setOutput(results.front());
}

//===----------------------------------------------------------------------===//
// Two tensors of strings
//===----------------------------------------------------------------------===//

/// The sizes of what operands 0 and 1 are broadcast to.
static FailureOr<StringSizes> broadcastStrings(StructureNode &s, Value lhs,
                                               Value rhs) {
  StringSizes left = StringSizes::ofStrings(lhs),
              right = StringSizes::ofStrings(rhs);
  auto largest = top::broadcastShapes(left.largest, right.largest);
  if (!largest) {
    s.n.error() << "strings of shape " << formatShape(left.largest) << " and "
                << formatShape(right.largest)
                << " do not broadcast; aligned at the last axis, sizes must be "
                   "equal or 1";
    return failure();
  }
  StringSizes both{*largest, *largest};
  for (const StringSizes *one : {&left, &right})
    for (size_t i = 1; i <= one->shape.size(); ++i)
      if (one->shape[one->shape.size() - i] == host::kUnknownSize)
        both.shape[both.shape.size() - i] = host::kUnknownSize;
  return both;
}

namespace {
/// Two operands, and the sizes of what is made of each pair of strings.
struct StringPair {
  Value lhs, rhs;
  StringSizes sizes;
};
} // namespace

static FailureOr<StringPair> twoStrings(StructureNode &s) {
  FailureOr<Value> lhs = stringsOf(s, 0), rhs = stringsOf(s, 1);
  if (failed(lhs) || failed(rhs))
    return failure();
  FailureOr<StringSizes> sizes = broadcastStrings(s, *lhs, *rhs);
  if (failed(sizes))
    return failure();
  return StringPair{*lhs, *rhs, *sizes};
}

static LogicalResult importStringEqual(StructureNode &s) {
  FailureOr<StringPair> pair = twoStrings(s);
  if (failed(pair))
    return failure();
  return finishNumbers(s,
                       callHost(s, "string_equal", {pair->lhs, pair->rhs}, {},
                                pair->sizes.type(s.n.builder.getI1Type())));
}

/// StringConcat-20.
static LogicalResult importStringConcat(StructureNode &s) {
  FailureOr<StringPair> pair = twoStrings(s);
  if (failed(pair))
    return failure();
  return finishStrings(s,
                       callHost(s, "string_concat", {pair->lhs, pair->rhs}, {},
                                pair->sizes.strings(stringWidth(pair->lhs) +
                                                        stringWidth(pair->rhs),
                                                    s.n.builder.getContext())));
}

//===----------------------------------------------------------------------===//
// One tensor of strings
//===----------------------------------------------------------------------===//

/// A text attribute, "" if absent.
static FailureOr<std::string> textAttribute(NodeImporter &n, StringRef name) {
  const NodeAttribute *attribute = n.node.find(name);
  if (!attribute)
    return std::string();
  if (attribute->kind == NodeAttribute::Kind::String)
    return attribute->stringValue;
  n.error() << "attribute '" << name << "' is of type " << attribute->kindName
            << "; it must be STRING";
  return failure();
}

/// StringSplit-20: at most as many parts as there is room for in a string.
static LogicalResult importStringSplit(StructureNode &s) {
  FailureOr<Value> input = stringsOf(s, 0);
  FailureOr<std::string> delimiter = textAttribute(s.n, "delimiter");
  FailureOr<int64_t> splits = s.n.intAttribute("maxsplit", -1);
  if (failed(input) || failed(delimiter) || failed(splits))
    return failure();
  int64_t width = stringWidth(*input);
  // White space is left out at both ends, a delimiter is not.
  int64_t most = delimiter->empty() ? llvm::divideCeil(uint64_t(width), 2)
                                    : width / int64_t(delimiter->size()) + 1;
  if (*splits >= 0 && *splits < most)
    most = *splits + 1;
  StringSizes sizes = StringSizes::ofStrings(*input), parts = sizes;
  parts.add(host::kUnknownSize, most);
  OpBuilder &b = s.n.builder;
  NamedAttrList parameters;
  parameters.append("delimiter", b.getStringAttr(*delimiter));
  parameters.append("maxsplit", b.getI64IntegerAttr(*splits));
  SmallVector<Value> results = callHost(
      s, "string_split", *input, parameters,
      {parts.strings(width, b.getContext()), sizes.type(b.getI64Type())});
  if (failed(finishStrings(s, results)))
    return failure();
  return s.setOutput(results[1]);
}

/// A pattern in messages, of which long ones show the beginning.
static std::string shownPattern(StringRef pattern) {
  constexpr size_t kShown = 80;
  if (pattern.size() <= kShown)
    return ("'" + pattern + "'").str();
  size_t end = kShown; // not within a letter of UTF-8
  while (end > 0 && (pattern[end] & 0xC0) == 0x80)
    --end;
  return ("'" + pattern.take_front(end) + "..' (" +
          llvm::Twine(pattern.size()) + " bytes)")
      .str();
}

/// RegexFullMatch-20.
static LogicalResult importRegexFullMatch(StructureNode &s) {
  FailureOr<Value> input = stringsOf(s, 0);
  FailureOr<std::string> pattern = textAttribute(s.n, "pattern");
  if (failed(input) || failed(pattern))
    return failure();
  if (auto compiled = host::RegularExpression::compile(*pattern); !compiled) {
    if (compiled.status().code() == rt::Code::Unsupported)
      return s.n.unsupported() << "pattern " << shownPattern(*pattern) << ": "
                               << compiled.status().message();
    return s.n.error() << "pattern " << shownPattern(*pattern)
                       << " cannot be read: " << compiled.status().message();
  }
  OpBuilder &b = s.n.builder;
  NamedAttrList parameters;
  parameters.append("pattern", b.getStringAttr(*pattern));
  return finishNumbers(
      s, callHost(s, "string_match", *input, parameters,
                  StringSizes::ofStrings(*input).type(b.getI1Type())));
}

/// StringNormalizer-10. The `locale` is not looked at: letters have the same
/// case everywhere.
static LogicalResult importStringNormalizer(StructureNode &s) {
  FailureOr<Value> input = stringsOf(s, 0);
  FailureOr<std::string> action = s.n.wordAttribute(
      "case_change_action", "NONE", {"NONE", "LOWER", "UPPER"});
  FailureOr<bool> sensitive = s.n.flagAttribute("is_case_sensitive", false);
  if (failed(input) || failed(action) || failed(sensitive))
    return failure();
  StringSizes sizes = StringSizes::ofStrings(*input);
  size_t rank = sizes.shape.size();
  if (rank != 1 && (rank != 2 || sizes.shape[0] != 1))
    return s.n.error() << "the strings have the shape "
                       << formatShape(sizes.largest) << ", must be C or 1 x C";
  OpBuilder &b = s.n.builder;
  NamedAttrList parameters;
  parameters.append("case_change_action", b.getStringAttr(*action));
  parameters.append("is_case_sensitive", b.getI64IntegerAttr(*sensitive));
  const NodeAttribute *words = s.n.node.find("stopwords");
  if (words && !words->strings.empty()) {
    SmallVector<StringRef> list(words->strings.begin(), words->strings.end());
    parameters.append("stopwords", b.getStrArrayAttr(list));
    sizes.shape.back() = host::kUnknownSize;
  }
  return finishStrings(
      s, callHost(s, "string_normalize", *input, parameters,
                  sizes.strings(stringWidth(*input), b.getContext())));
}

//===----------------------------------------------------------------------===//
// LabelEncoder
//===----------------------------------------------------------------------===//

namespace {
/// The keys, values or default of a LabelEncoder: numbers, or K x bytes.
struct Labels {
  HostTensor tensor;
  bool areStrings = false;

  int64_t count() const { return tensor.shape().front(); }
};
} // namespace

template <typename T>
static Labels labelsOf(ArrayRef<T> values, numeric::ElementType type) {
  Labels labels{HostTensor(type, {int64_t(values.size())}), false};
  if (!values.empty())
    std::memcpy(labels.tensor.bytes(), values.data(),
                labels.tensor.sizeBytes());
  return labels;
}

/// The list in one of the attributes `prefix`_tensor, _strings, _int64s and
/// _floats (for the default _string, _int64 and _float); nullopt if the node
/// has none of them.
static std::optional<Labels> readLabels(NodeImporter &n,
                                        const std::string &prefix) {
  using Kind = NodeAttribute::Kind;
  for (const NodeAttribute &attribute : n.node.attributes) {
    StringRef suffix = attribute.name;
    if (!suffix.consume_front(prefix + "_"))
      continue;
    suffix.consume_back("s");
    if (suffix == "tensor" && attribute.tensor) {
      const Tensor &tensor = *attribute.tensor;
      Labels labels;
      labels.areStrings = tensor.type == kString;
      std::vector<int64_t> shape = {*countElements(tensor.dims)};
      if (labels.areStrings)
        shape = {shape[0] / tensor.dims.back(), tensor.dims.back()};
      labels.tensor = HostTensor(labels.areStrings
                                     ? numeric::ElementType::U8
                                     : *numeric::fromOnnxDataType(tensor.type),
                                 shape);
      if (!tensor.bytes.empty())
        std::memcpy(labels.tensor.bytes(), tensor.bytes.data(),
                    tensor.bytes.size());
      return labels;
    }
    if (suffix == "string" && attribute.kind == Kind::Strings)
      return Labels{makeTexts(attribute.strings), true};
    if (suffix == "string" && attribute.kind == Kind::String)
      return Labels{makeTexts(attribute.stringValue), true};
    if (suffix == "int64" && attribute.kind == Kind::Ints)
      return labelsOf<int64_t>(attribute.ints, numeric::ElementType::I64);
    if (suffix == "int64" && attribute.kind == Kind::Int)
      return labelsOf<int64_t>(attribute.intValue, numeric::ElementType::I64);
    if (suffix == "float" && attribute.kind == Kind::Floats)
      return labelsOf<float>(attribute.floats, numeric::ElementType::F32);
    if (suffix == "float" && attribute.kind == Kind::Float)
      return labelsOf<float>(attribute.floatValue, numeric::ElementType::F32);
  }
  return std::nullopt;
}

/// `values` and behind them the default.
static FailureOr<Labels> withDefault(NodeImporter &n, const Labels &values,
                                     const std::optional<Labels> &fallback) {
  if (fallback && (fallback->areStrings != values.areStrings ||
                   fallback->tensor.type() != values.tensor.type() ||
                   fallback->count() != 1)) {
    n.error() << "the default is no single value of the type of the values; it "
                 "must be";
    return failure();
  }
  if (values.areStrings) {
    host::Texts texts(values.tensor);
    std::vector<std::string> all;
    for (int64_t i = 0; i < texts.size(); ++i)
      all.emplace_back(texts[i]);
    all.emplace_back(fallback ? std::string(host::Texts(fallback->tensor)[0])
                              : "_Unused");
    if (failed(checkPadding(n, "the list of values and the default", all)))
      return failure();
    return Labels{makeTexts(all), true};
  }
  numeric::ElementType type = values.tensor.type();
  Labels all{HostTensor(type, {values.count() + 1}), false};
  if (values.tensor.sizeBytes())
    std::memcpy(all.tensor.bytes(), values.tensor.bytes(),
                values.tensor.sizeBytes());
  if (!fallback) {
    all.tensor.setFromDouble(values.count(),
                             numeric::isFloatType(type) ? -0.0 : -1.0);
    return all;
  }
  std::memcpy(all.tensor.bytes() + values.tensor.sizeBytes(),
              fallback->tensor.bytes(), fallback->tensor.sizeBytes());
  return all;
}

/// The default of a type may stand beside those of others, which mean nothing.
static std::optional<Labels> defaultOf(NodeImporter &n, const Labels &values) {
  if (n.hasAttribute("default_tensor"))
    return readLabels(n, "default");
  Node one = n.node;
  llvm::erase_if(one.attributes, [&](const NodeAttribute &attribute) {
    StringRef wanted =
        values.areStrings                                   ? "default_string"
        : values.tensor.type() == numeric::ElementType::I64 ? "default_int64"
        : values.tensor.type() == numeric::ElementType::F32 ? "default_float"
                                                            : "";
    return attribute.name != wanted;
  });
  NodeImporter reader(one, n.opset, n.builder, n.location, {}, n.budget);
  return readLabels(reader, "default");
}

/// LabelEncoder-1: the strings in `classes_strings` and their numbers.
static LogicalResult readClasses(StructureNode &s, Labels &keys,
                                 Labels &values) {
  const NodeAttribute *classes = s.n.node.find("classes_strings");
  if (!classes)
    return s.n.error() << "attribute 'classes_strings' is missing; "
                          "LabelEncoder needs it";
  std::vector<int64_t> numbers(classes->strings.size());
  for (auto [i, number] : llvm::enumerate(numbers))
    number = int64_t(i);
  keys = {makeTexts(classes->strings), true};
  values = labelsOf<int64_t>(numbers, numeric::ElementType::I64);
  if (!s.operand(0).isStrings())
    std::swap(keys, values);
  return success();
}

static LogicalResult readMap(StructureNode &s, Labels &keys, Labels &values) {
  if (s.n.opset < 2)
    return readClasses(s, keys, values);
  std::optional<Labels> from = readLabels(s.n, "keys"),
                        to = readLabels(s.n, "values");
  if (!from || !to)
    return s.n.error() << "there are no " << (from ? "values" : "keys")
                       << "; LabelEncoder needs one of the attributes "
                       << (from ? "values" : "keys")
                       << "_tensor, _strings, _int64s and _floats";
  if (from->count() != to->count())
    return s.n.error() << "there are " << from->count() << " keys and "
                       << to->count() << " values; both must be as many";
  keys = std::move(*from);
  values = std::move(*to);
  return success();
}

/// LabelEncoder-1..4 of ai.onnx.ml.
static LogicalResult importLabelEncoder(StructureNode &s) {
  NodeImporter &n = s.n;
  Labels keys, values;
  if (failed(checkLists(n)) || failed(readMap(s, keys, values)))
    return failure();
  FailureOr<Labels> rows = withDefault(n, values, defaultOf(n, values));
  if (failed(rows))
    return failure();
  FailureOr<Value> input = keys.areStrings ? stringsOf(s, 0) : s.tensor(0);
  if (failed(input))
    return failure();
  Type element = n.typeOf(*input).getElementType();
  if (hostElementType(element) != keys.tensor.type())
    return n.error() << "the input has elements of "
                     << dataTypeName(onnxTypeOf(element)) << ", the keys are "
                     << dataTypeName(numeric::onnxDataType(keys.tensor.type()))
                     << "; both must be the same";
  StringSizes sizes = keys.areStrings ? StringSizes::ofStrings(*input)
                                      : StringSizes::of(n.typeOf(*input));
  NamedAttrList parameters;
  parameters.append("strings", n.builder.getI64IntegerAttr(keys.areStrings));
  Value keyList = stringTable(n, std::move(keys.tensor)),
        rowList = stringTable(n, std::move(rows->tensor));
  Type type = rows->areStrings
                  ? sizes.strings(stringWidth(rowList), n.builder.getContext())
                  : sizes.type(n.typeOf(rowList).getElementType());
  SmallVector<Value> results = callHost(
      s, "label_encoder", {*input, keyList, rowList}, parameters, type);
  return rows->areStrings ? finishStrings(s, results)
                          : finishNumbers(s, results);
}

//===----------------------------------------------------------------------===//
// Operators that move elements
//===----------------------------------------------------------------------===//

namespace {
/// An operator that does not look at the elements it takes, so that numbers can
/// stand for them.
struct Mover {
  /// Operands that give elements, a bit each: all of them are strings or none
  /// is. The others are places, sizes, conditions: never strings.
  uint32_t elements;
  StringRef name;
};
} // namespace

static constexpr uint32_t kAll = ~uint32_t(0);
static constexpr Mover kMovers[] = {
    {0b001, "Compress"},        {kAll, "Concat"},
    {0b001, "Expand"},          {0b001, "Flatten"},
    {0b001, "Gather"},          {0b001, "GatherElements"},
    {0b001, "GatherND"},        {0b001, "Reshape"},
    {0b101, "Scatter"}, // data, indices, updates
    {0b101, "ScatterElements"}, {0b101, "ScatterND"},
    {0b001, "Shape"},           {0b001, "Size"},
    {0b001, "Slice"},           {0b001, "Split"},
    {0b001, "Squeeze"},         {0b001, "Tile"},
    {0b001, "Transpose"},       {0b001, "Unsqueeze"},
    {0b110, "Where"}, // condition, X, Y
};

/// The row of an operator whose results have elements of its operands and no
/// others, or count them; null for others.
static const Mover *findMover(const Node &node) {
  const Mover *row = llvm::find_if(
      kMovers, [&](const Mover &mover) { return mover.name == node.opType; });
  if (!node.domain.empty() || row == std::end(kMovers))
    return nullptr;
  const NodeAttribute *reduction = node.find("reduction");
  return !reduction || reduction->stringValue == "none" ? row : nullptr;
}

/// Refuses strings that are no elements, then elements of two types.
static LogicalResult checkRoles(StructureNode &s, uint32_t elements) {
  for (bool areElements : {false, true})
    for (auto [i, entity] : llvm::enumerate(s.operands)) {
      bool isElement = elements == kAll || (i < 32 && (elements >> i & 1));
      if (isElement != areElements || entity.isUnknown() ||
          entity.isStrings() == isElement)
        continue;
      return s.n.error() << "input " << i << " ('" << s.n.node.inputs[i]
                         << "') is " << describe(entity)
                         << "; it must be a tensor of "
                         << (isElement ? "strings as well" : "numbers");
    }
  return success();
}

/// A number for each string, from `first` on; null if that has been reported.
static Value stringNumbers(NodeImporter &n, Value bytes, int64_t first) {
  SmallVector<int64_t> shape(n.typeOf(bytes).getShape().drop_back());
  HostTensor numbers(numeric::ElementType::I32,
                     std::vector<int64_t>(shape.begin(), shape.end()));
  for (int64_t i = 0; i < numbers.elements(); ++i)
    numbers.as<int32_t>()[i] = int32_t(first + i);
  return stringTable(n, std::move(numbers));
}

/// The operands with numbers in place of strings, whose tensors are appended to
/// `tables`.
static FailureOr<SmallVector<Value>>
numberedOperands(StructureNode &s, SmallVectorImpl<Value> &tables) {
  SmallVector<Value> operands;
  int64_t count = 0;
  for (auto [i, entity] : llvm::enumerate(s.operands)) {
    if (!entity.isStrings()) {
      if (!entity.isTensor() && !entity.isUnknown()) {
        s.n.error() << "input " << i << " ('" << s.n.node.inputs[i] << "') is "
                    << describe(entity) << "; " << s.n.node.opType
                    << " takes tensors";
        return failure();
      }
      operands.push_back(entity.value);
      continue;
    }
    RankedTensorType type = s.n.typeOf(entity.bytes);
    std::optional<int64_t> own =
        type.hasStaticShape() ? countElements(type.getShape().drop_back())
                              : std::nullopt;
    if (!own || !s.n.budget.takeBytes(uint64_t(*own) * sizeof(int32_t))) {
      s.n.unsupported() << s.n.node.opType << " of "
                        << (own ? "so many strings"
                                : "strings whose number "
                                  "depends on data")
                        << "; end the model before it";
      return failure();
    }
    tables.push_back(entity.bytes);
    operands.push_back(stringNumbers(s.n, entity.bytes, count));
    count += *own;
  }
  if (count <= kMaxElements)
    return operands;
  s.n.error() << "there are more than " << kMaxElements << " strings";
  return failure();
}

/// Imports a node on numbers in place of strings.
static FailureOr<SmallVector<Value>>
importOnNumbers(StructureNode &s, const OpRow &row, ArrayRef<Value> operands) {
  SmallVector<Value> results;
  if (llvm::any_of(operands, isDataDependent)) {
    if (failed(importOnHost(row, s.n.node, s.n.opset, s.n.builder, s.n.location,
                            operands, s.n.budget, results)))
      return failure();
    return results;
  }
  NodeImporter numbered(s.n.node, s.n.opset, s.n.builder, s.n.location,
                        operands, s.n.budget);
  if (failed(row.import(numbered)))
    return failure();
  for (size_t i = 0; i < s.n.node.outputs.size(); ++i)
    results.push_back(numbered.output(i));
  return results;
}

/// A node that moves strings: on their numbers, then the strings to these.
static LogicalResult importStringMove(StructureNode &s, const OpRow &row) {
  SmallVector<Value> tables;
  FailureOr<SmallVector<Value>> operands = numberedOperands(s, tables);
  if (failed(operands))
    return failure();
  int64_t width = 1;
  for (Value table : tables)
    width = std::max(width, stringWidth(table));
  FailureOr<SmallVector<Value>> numbers = importOnNumbers(s, row, *operands);
  if (failed(numbers))
    return failure();
  for (auto [i, number] : llvm::enumerate(*numbers)) {
    if (!number || !s.n.wantsOutput(i)) {
      (void)s.setOutput({});
      continue;
    }
    s.n.selectOutput(i);
    SmallVector<Value> slots{number};
    slots.append(tables);
    Type type = StringSizes::of(s.n.typeOf(number))
                    .strings(width, s.n.builder.getContext());
    if (failed(finishStrings(s, callHost(s, "string_gather", slots, {}, type))))
      return failure();
  }
  return success();
}

/// Shape and Size.
static LogicalResult importStringSizes(StructureNode &s, const OpRow &row) {
  SmallVector<Value> tables;
  FailureOr<SmallVector<Value>> operands = numberedOperands(s, tables);
  FailureOr<SmallVector<Value>> results =
      failed(operands) ? FailureOr<SmallVector<Value>>(failure())
                       : importOnNumbers(s, row, *operands);
  return failed(results) ? failure() : finishNumbers(s, *results);
}

static LogicalResult importStringConstant(StructureNode &s) {
  using Kind = NodeAttribute::Kind;
  NodeImporter &n = s.n;
  if (n.node.attributes.size() != 1)
    return n.error() << "Constant has " << n.node.attributes.size()
                     << " attributes, must have one that gives the value";
  const NodeAttribute &value = n.node.attributes.front();
  if (failed(checkLists(n)))
    return failure();
  if (value.name == "value" && value.tensor)
    return s.setOutput(Entity::strings(
        n.constant(constantAttribute(*value.tensor, n.builder.getContext()))));
  bool isList = value.name == "value_strings" && value.kind == Kind::Strings;
  if (!isList && (value.name != "value_string" || value.kind != Kind::String))
    return n.error() << "attribute '" << value.name << "' is of type "
                     << value.kindName << "; value_string must be STRING, "
                     << "value_strings STRINGS";
  HostTensor texts = makeTexts(isList ? ArrayRef<std::string>(value.strings)
                                      : ArrayRef(value.stringValue));
  if (!isList && !texts.reshape({texts.shape().back()}))
    return failure();
  return s.setOutput(Entity::strings(stringTable(n, std::move(texts))));
}

/// TfIdfVectorizer of strings: of their numbers in the pool.
static LogicalResult importStringTfIdf(StructureNode &s, const OpRow &row) {
  FailureOr<Value> input = stringsOf(s, 0);
  const NodeAttribute *pool = s.n.node.find("pool_strings");
  if (failed(input) || failed(checkLists(s.n)))
    return failure();
  if (!pool)
    return s.n.error() << "attribute 'pool_strings' is missing; the input is "
                          "a tensor of strings";
  std::vector<std::string> words;
  std::vector<int64_t> numbers, ownNumbers;
  llvm::StringMap<int64_t> known;
  for (const std::string &word : pool->strings) {
    auto [entry, isNew] = known.try_emplace(word, int64_t(words.size()));
    if (isNew) {
      ownNumbers.push_back(int64_t(words.size()));
      words.push_back(word);
    }
    numbers.push_back(entry->second);
  }
  Labels rows = *withDefault(
      s.n, labelsOf<int64_t>(ownNumbers, numeric::ElementType::I64),
      std::nullopt);
  OpBuilder &b = s.n.builder;
  NamedAttrList parameters;
  parameters.append("strings", b.getI64IntegerAttr(1));
  SmallVector<Value> found =
      callHost(s, "label_encoder",
               {*input, stringTable(s.n, makeTexts(words)),
                stringTable(s.n, std::move(rows.tensor))},
               parameters, StringSizes::ofStrings(*input).type(b.getI64Type()));
  if (found.empty())
    return failure();
  Node numbered = s.n.node;
  for (NodeAttribute &attribute : numbered.attributes)
    if (attribute.name == "pool_strings") {
      attribute.name = "pool_int64s";
      attribute.kind = NodeAttribute::Kind::Ints;
      attribute.ints = numbers;
    }
  NodeImporter importer(numbered, s.n.opset, b, s.n.location, found,
                        s.n.budget);
  if (failed(row.import(importer)))
    return failure();
  return s.setOutput(importer.output(0));
}

LogicalResult onnx::importStrings(StructureNode &s, const OpRow &row) {
  const Node &node = s.n.node;
  StringRef name = node.domain.empty() ? StringRef(node.opType) : "";
  if (name == "Identity" && s.operands.size() == 1)
    return s.setOutput(s.operands.front());
  if (name == "Constant")
    return importStringConstant(s);
  if (name == "Equal")
    return importStringEqual(s);
  if (name == "TfIdfVectorizer")
    return importStringTfIdf(s, row);
  if (const Mover *mover = findMover(node)) {
    if (failed(checkRoles(s, mover->elements)))
      return failure();
    return name == "Shape" || name == "Size" ? importStringSizes(s, row)
                                             : importStringMove(s, row);
  }
  for (auto [i, entity] : llvm::enumerate(s.operands))
    if (entity.isStrings())
      return s.n.unsupported()
             << node.opType << " of strings, input " << i << " ('"
             << node.inputs[i] << "') is " << describe(entity)
             << "; cut the model before it with --outputs";
  return s.n.unsupported() << node.opType
                           << " with an attribute of strings; cut the model "
                              "before it with --outputs";
}

static OpRow stringRow(StringRef name, int64_t first,
                       StructureFunction function) {
  OpRow row{name, first, kLastOpset, nullptr};
  row.structure = function;
  return row;
}

void weft::onnx::registerStringsRows(OpRegistry &registry) {
  registry.add("Strings",
               {
                   stringRow("RegexFullMatch", 20, importRegexFullMatch),
                   stringRow("StringConcat", 20, importStringConcat),
                   stringRow("StringNormalizer", 10, importStringNormalizer),
                   stringRow("StringSplit", 20, importStringSplit),
               });
  registry.add("Strings", {stringRow("LabelEncoder", 1, importLabelEncoder)},
               "ai.onnx.ml");
}
