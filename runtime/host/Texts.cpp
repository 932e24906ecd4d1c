//===- Texts.cpp - host kernels of strings --------------------------------===//

#include "runtime/host/Texts.h"
#include "runtime/host/LetterCase.h"
#include "runtime/host/RegularExpression.h"
#include "runtime/host/Strides.h"
#include "runtime/numeric/TensorValues.h"
#include "runtime/status/Quote.h"
#include "runtime/status/Stop.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <unordered_set>

using namespace weft;
using namespace weft::host;
using rt::Status;

bool host::setText(HostTensor &tensor, int64_t index, std::string_view text) {
  auto width = size_t(tensor.shape().back());
  if (text.size() > width)
    return false;
  if (!text.empty())
    std::memcpy(tensor.bytes() + size_t(index) * width, text.data(),
                text.size());
  return true;
}

std::optional<int64_t> host::fitTexts(HostTensor &tensor, int64_t width) {
  if (tensor.shape().back() == width)
    return std::nullopt;
  Texts texts(tensor);
  Shape shape = texts.shape();
  shape.push_back(width);
  HostTensor fitted(ElementType::U8, shape);
  for (int64_t i = 0; i < texts.size(); ++i)
    if (!setText(fitted, i, texts[i]))
      return i;
  tensor = std::move(fitted);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// What the kernels share
//===----------------------------------------------------------------------===//

/// Fails unless the first `count` operands hold strings.
static Status checkTexts(const Call &call, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (!Texts::isHeldBy(call.operand(i)))
      return call.fail("operand %zu is %s of %s; strings are u8 with an axis "
                       "of bytes",
                       i, numeric::shapeText(call.operand(i).shape()).c_str(),
                       numeric::elementTypeName(call.operand(i).type()));
  return Status::ok();
}

/// Fails unless result `index` is declared as `type`.
static Status checkResultType(const Call &call, size_t index,
                              ElementType type) {
  const ResultType &result = call.results[index];
  return result.type == type
             ? Status::ok()
             : call.fail("result %zu is declared as %s, must be %s", index,
                         numeric::elementTypeName(result.type),
                         numeric::elementTypeName(type));
}

/// Appends a result of strings, with the bytes that its declaration has.
static Status addTexts(const Call &call, Shape shape,
                       std::vector<HostTensor> &results) {
  size_t index = results.size();
  WEFT_TRY(checkResultType(call, index, ElementType::U8));
  const Shape &declared = call.results[index].largest;
  if (declared.empty())
    return call.fail("result %zu is a scalar; strings have an axis of bytes",
                     index);
  shape.push_back(declared.back());
  return call.addResult(std::move(shape), results);
}

static Status tooLong(const Call &call, std::string_view text,
                      const HostTensor &result) {
  return call.fail("a string of %zu bytes; the result holds up to %lld",
                   text.size(), static_cast<long long>(result.shape().back()));
}

namespace {
/// Asks whether to stop now and then: strings are small or large.
class Pace {
public:
  /// Ok, or why to end. To be called for each string.
  Status next(size_t bytes = 0) {
    done += bytes + kStringCost;
    if (done < kBetweenStops)
      return Status::ok();
    done = 0;
    return rt::stopStatus();
  }

private:
  /// In bytes: some microseconds, and what a string takes besides its own.
  static constexpr size_t kBetweenStops = 1 << 14, kStringCost = 64;
  size_t done = 0;
};
} // namespace

/// Calls visit(i, left, right) with the numbers of the result's strings and of
/// those of the two operands that are broadcast to it; stops at a failure.
template <typename Visit>
static Status eachPair(const Shape &shape, const Shape &lhs, const Shape &rhs,
                       Visit visit) {
  Shape lhsSteps = broadcastSteps(lhs, shape),
        rhsSteps = broadcastSteps(rhs, shape);
  int64_t count = numeric::elementCount(shape).value_or(0);
  Pace pace;
  for (int64_t i = 0; i < count; ++i) {
    WEFT_TRY(pace.next());
    int64_t rest = i, left = 0, right = 0;
    for (size_t axis = shape.size(); axis-- > 0; rest /= shape[axis]) {
      left += rest % shape[axis] * lhsSteps[axis];
      right += rest % shape[axis] * rhsSteps[axis];
    }
    WEFT_TRY(visit(i, left, right));
  }
  return Status::ok();
}

/// The shape that two tensors of strings are broadcast to.
static Status broadcastTexts(const Call &call, Shape &shape) {
  WEFT_TRY(checkTexts(call, 2));
  Texts lhs(call.operand(0)), rhs(call.operand(1));
  std::optional<Shape> both = broadcastShapes(lhs.shape(), rhs.shape());
  if (!both)
    return call.fail("shapes %s and %s do not broadcast; aligned at the last "
                     "axis, sizes must be equal or 1",
                     numeric::shapeText(lhs.shape()).c_str(),
                     numeric::shapeText(rhs.shape()).c_str());
  shape = *std::move(both);
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Two tensors
//===----------------------------------------------------------------------===//

Status host::kernels::string_equal(const Call &call,
                                   std::vector<HostTensor> &results) {
  Shape shape;
  WEFT_TRY(broadcastTexts(call, shape));
  WEFT_TRY(checkResultType(call, 0, ElementType::Bool));
  WEFT_TRY(call.addResult(shape, results));
  Texts lhs(call.operand(0)), rhs(call.operand(1));
  uint8_t *equal = results.back().bytes();
  return eachPair(shape, lhs.shape(), rhs.shape(),
                  [&](int64_t i, int64_t left, int64_t right) {
                    equal[i] = lhs[left] == rhs[right];
                    return Status::ok();
                  });
}

Status host::kernels::string_concat(const Call &call,
                                    std::vector<HostTensor> &results) {
  Shape shape;
  WEFT_TRY(broadcastTexts(call, shape));
  WEFT_TRY(addTexts(call, shape, results));
  Texts lhs(call.operand(0)), rhs(call.operand(1));
  HostTensor &result = results.back();
  return eachPair(shape, lhs.shape(), rhs.shape(),
                  [&](int64_t i, int64_t left, int64_t right) {
                    std::string both(lhs[left]);
                    both += rhs[right];
                    return setText(result, i, both)
                               ? Status::ok()
                               : tooLong(call, both, result);
                  });
}

//===----------------------------------------------------------------------===//
// Splitting
//===----------------------------------------------------------------------===//

/// What str.split() of Python takes for white space.
static bool isSpace(uint32_t point) {
  return (point >= 0x09 && point <= 0x0D) || (point >= 0x1C && point <= 0x20) ||
         point == 0x85 || point == 0xA0 || point == 0x1680 ||
         (point >= 0x2000 && point <= 0x200A) || point == 0x2028 ||
         point == 0x2029 || point == 0x202F || point == 0x205F ||
         point == 0x3000;
}

/// Bytes of the white space that `text` begins with; 0 if it begins with none.
static size_t spaceBytes(std::string_view text) {
  rt::CodePoint point = rt::firstCodePoint(text);
  return point.bytes && isSpace(point.value) ? point.bytes : 0;
}

static std::string_view withoutSpace(std::string_view text) {
  while (size_t bytes = spaceBytes(text))
    text.remove_prefix(bytes);
  return text;
}

/// Splits at runs of white space, those at both ends left out; the last part of
/// `most` is the rest as it is. Calls visit(part); stops at a failure.
template <typename Visit>
static Status eachPartAtSpace(std::string_view text, uint64_t most,
                              Visit visit) {
  uint64_t parts = 0;
  for (text = withoutSpace(text); !text.empty(); text = withoutSpace(text)) {
    size_t length = 0;
    if (++parts == most)
      length = text.size();
    while (length < text.size() && !spaceBytes(text.substr(length)))
      length += std::max(1u, rt::firstCodePoint(text.substr(length)).bytes);
    WEFT_TRY(visit(text.substr(0, length)));
    text.remove_prefix(length);
  }
  return Status::ok();
}

/// The same with a delimiter; an empty one is white space.
template <typename Visit>
static Status eachPart(std::string_view text, const std::string &delimiter,
                       uint64_t most, Visit visit) {
  if (delimiter.empty())
    return eachPartAtSpace(text, most, visit);
  for (uint64_t parts = 1;; ++parts) {
    size_t end = parts == most ? std::string_view::npos : text.find(delimiter);
    WEFT_TRY(visit(text.substr(0, end)));
    if (end == std::string_view::npos)
      return Status::ok();
    text.remove_prefix(end + delimiter.size());
  }
}

/// StringSplit. Attributes `delimiter` (absent or empty: white space) and
/// `maxsplit` (absent or negative: any number).
Status host::kernels::string_split(const Call &call,
                                   std::vector<HostTensor> &results) {
  WEFT_TRY(checkTexts(call, 1));
  Texts texts(call.operand(0));
  const std::string &delimiter = call.attributes.text("delimiter");
  int64_t splits = call.attributes.integer("maxsplit", -1);
  uint64_t most = splits < 0 ? UINT64_MAX : uint64_t(splits) + 1;
  const Shape &declared = call.results[0].largest;
  int64_t room = declared.size() < 2 ? 0 : declared[declared.size() - 2];
  // Split twice: the parts may take a multiple of the text's memory.
  int64_t widest = 0;
  std::vector<int64_t> counts;
  Pace pace;
  for (int64_t i = 0; i < texts.size(); ++i) {
    WEFT_TRY(pace.next(texts[i].size()));
    int64_t &count = counts.emplace_back(0);
    WEFT_TRY(eachPart(texts[i], delimiter, most, [&](std::string_view) {
      return ++count <= room
                 ? Status::ok()
                 : call.fail("a string of more than %lld parts, which are all "
                             "that the result holds",
                             static_cast<long long>(room));
    }));
    widest = std::max(widest, count);
  }
  Shape shape = texts.shape();
  shape.push_back(widest);
  WEFT_TRY(addTexts(call, shape, results));
  for (int64_t i = 0; i < texts.size(); ++i) {
    WEFT_TRY(pace.next(texts[i].size()));
    int64_t next = i * widest;
    WEFT_TRY(eachPart(texts[i], delimiter, most, [&](std::string_view part) {
      return setText(results[0], next++, part)
                 ? Status::ok()
                 : tooLong(call, part, results[0]);
    }));
  }
  if (call.results.size() == 1)
    return Status::ok();
  WEFT_TRY(checkResultType(call, 1, ElementType::I64));
  WEFT_TRY(call.addResult(texts.shape(), results));
  std::copy(counts.begin(), counts.end(), results[1].as<int64_t>());
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// One tensor
//===----------------------------------------------------------------------===//

/// RegexFullMatch with the attribute `pattern`.
Status host::kernels::string_match(const Call &call,
                                   std::vector<HostTensor> &results) {
  WEFT_TRY(checkTexts(call, 1));
  WEFT_TRY(checkResultType(call, 0, ElementType::Bool));
  rt::Result<RegularExpression> pattern =
      RegularExpression::compile(call.attributes.text("pattern"));
  if (!pattern)
    return call.fail("the pattern cannot be read: %s",
                     pattern.status().message().c_str());
  Texts texts(call.operand(0));
  WEFT_TRY(call.addResult(texts.shape(), results));
  for (int64_t i = 0; i < texts.size(); ++i) {
    results[0].bytes()[i] = pattern->matches(texts[i]);
    WEFT_TRY(rt::stopStatus()); // what was left early is no result
  }
  return Status::ok();
}

/// `text` in the case that StringNormalizer's word names.
static std::string changedCase(std::string_view text, const std::string &word) {
  return word == "LOWER"   ? inCase(text, LetterCase::Small)
         : word == "UPPER" ? inCase(text, LetterCase::Capital)
                           : std::string(text);
}

/// StringNormalizer. Attributes `case_change_action` (absent: NONE),
/// `is_case_sensitive` and `stopwords`.
Status host::kernels::string_normalize(const Call &call,
                                       std::vector<HostTensor> &results) {
  WEFT_TRY(checkTexts(call, 1));
  Texts texts(call.operand(0));
  const std::string &action = call.attributes.text("case_change_action");
  if (!action.empty() && action != "NONE" && action != "LOWER" &&
      action != "UPPER")
    return call.fail("case_change_action is '%s', must be NONE, LOWER or UPPER",
                     action.c_str());
  size_t rank = texts.shape().size();
  if (rank != 1 && (rank != 2 || texts.shape()[0] != 1))
    return call.fail("strings of shape %s; they must be C or 1 x C",
                     numeric::shapeText(texts.shape()).c_str());
  bool isSensitive = call.attributes.flag("is_case_sensitive");
  std::unordered_set<std::string> dropped;
  for (const std::string &word : call.attributes.texts("stopwords"))
    dropped.insert(isSensitive ? word : inCase(word, LetterCase::Small));
  std::vector<std::string> kept;
  Pace pace;
  for (int64_t i = 0; i < texts.size(); ++i) {
    WEFT_TRY(pace.next(texts[i].size()));
    if (!dropped.count(isSensitive ? std::string(texts[i])
                                   : inCase(texts[i], LetterCase::Small)))
      kept.push_back(changedCase(texts[i], action));
  }
  if (kept.empty() && texts.size() > 0) // ONNX wants one empty string then
    kept.emplace_back();
  Shape shape(rank, 1);
  shape.back() = int64_t(kept.size());
  WEFT_TRY(addTexts(call, shape, results));
  for (size_t i = 0; i < kept.size(); ++i)
    if (!setText(results[0], int64_t(i), kept[i]))
      return tooLong(call, kept[i], results[0]);
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// The strings with these numbers in all tables together, one after the other;
/// empty for numbers that they do not have.
Status host::kernels::string_gather(const Call &call,
                                    std::vector<HostTensor> &results) {
  const HostTensor &numbers = call.operand(0);
  if (!numeric::isIntegerType(numbers.type()))
    return call.fail("the numbers are %s, must be integers",
                     numeric::elementTypeName(numbers.type()));
  std::vector<Texts> tables;
  std::vector<int64_t> ends;
  for (size_t i = 1; i < call.operands.size(); ++i) {
    if (!call.hasOperand(i) || !Texts::isHeldBy(call.operand(i)))
      return call.fail("operand %zu is no table of strings", i);
    tables.emplace_back(call.operand(i));
    ends.push_back((ends.empty() ? 0 : ends.back()) + tables.back().size());
  }
  WEFT_TRY(addTexts(call, numbers.shape(), results));
  std::vector<int64_t> wanted = numeric::loadIntegers(numbers);
  Pace pace;
  for (size_t i = 0; i < wanted.size(); ++i) {
    WEFT_TRY(pace.next());
    if (wanted[i] < 0 || wanted[i] >= ends.back())
      continue;
    size_t table =
        std::upper_bound(ends.begin(), ends.end(), wanted[i]) - ends.begin();
    std::string_view text =
        tables[table][wanted[i] - (table ? ends[table - 1] : 0)];
    if (!setText(results[0], int64_t(i), text))
      return tooLong(call, text, results[0]);
  }
  return Status::ok();
}

/// Keys of a LabelEncoder as bytes that are equal where the keys are.
static std::string keyBytes(const HostTensor &tensor, int64_t index,
                            bool isText) {
  if (isText)
    return std::string(Texts(tensor)[index]);
  size_t unit = numeric::elementBytes(tensor.type());
  if (numeric::isFloatType(tensor.type())) {
    double value = tensor.toDouble(index);
    if (value != value) // ONNX: one NaN is as good as the other
      return "nan";
    if (value == 0) // -0, too
      return "0";
  }
  return std::string(reinterpret_cast<const char *>(tensor.bytes()) +
                         size_t(index) * unit,
                     unit);
}

/// LabelEncoder: operands are the values, K keys of the same type (K x bytes if
/// the attribute `strings` is 1), and K + 1 rows, of which the last is for
/// what is no key.
Status host::kernels::label_encoder(const Call &call,
                                    std::vector<HostTensor> &results) {
  const HostTensor &input = call.operand(0), &keys = call.operand(1),
                   &rows = call.operand(2);
  bool isText = call.attributes.flag("strings");
  if (isText)
    WEFT_TRY(checkTexts(call, 2));
  Shape shape = isText ? Texts(input).shape() : input.shape();
  Shape keyShape = isText ? Texts(keys).shape() : keys.shape();
  if (keys.type() != input.type() || keyShape.size() != 1 ||
      rows.shape().empty() || rows.shape()[0] != keyShape[0] + 1)
    return call.fail("keys %s of %s for values of %s, and rows %s; keys must "
                     "be K of the values' type, rows K + 1",
                     numeric::shapeText(keyShape).c_str(),
                     numeric::elementTypeName(keys.type()),
                     numeric::elementTypeName(input.type()),
                     numeric::shapeText(rows.shape()).c_str());
  WEFT_TRY(checkResultType(call, 0, rows.type()));
  int64_t count = numeric::elementCount(shape).value_or(0);
  Shape whole = shape;
  whole.insert(whole.end(), rows.shape().begin() + 1, rows.shape().end());
  WEFT_TRY(call.addResult(std::move(whole), results));
  std::unordered_map<std::string, int64_t> rowOf;
  Pace pace;
  for (int64_t k = 0; k < keyShape[0]; ++k) {
    WEFT_TRY(pace.next());
    rowOf.emplace(keyBytes(keys, k, isText), k);
  }
  size_t bytes = rows.sizeBytes() / size_t(keyShape[0] + 1);
  for (int64_t i = 0; bytes && i < count; ++i) {
    WEFT_TRY(pace.next(bytes));
    auto found = rowOf.find(keyBytes(input, i, isText));
    size_t row = size_t(found == rowOf.end() ? keyShape[0] : found->second);
    std::memcpy(results[0].bytes() + size_t(i) * bytes,
                rows.bytes() + row * bytes, bytes);
  }
  return Status::ok();
}
