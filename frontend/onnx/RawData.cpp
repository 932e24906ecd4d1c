//===- RawData.cpp - the weights of a mapped model stay there -------------===//

#include "frontend/onnx/RawData.h"

using namespace weft::onnx;
using llvm::ArrayRef;

/// Smaller ones are not worth an entry.
static constexpr size_t kLargeBytes = 4096;

namespace {
/// Wire types of protobuf's encoding; groups are older than ONNX.
enum WireType : unsigned {
  kVarint = 0,
  kFixed64 = 1,
  kDelimited = 2,
  kFixed32 = 5
};

/// The next field of a message.
struct WireField {
  uint64_t number = 0;
  unsigned type = 0;
  ArrayRef<char> whole;   ///< with its tag
  ArrayRef<char> content; ///< of a delimited one
};
} // namespace

static bool takeVarint(ArrayRef<char> &bytes, uint64_t &value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    auto byte = static_cast<uint8_t>(bytes.front());
    bytes = bytes.drop_front();
    value |= uint64_t(byte & 0x7f) << shift;
    if (byte < 0x80)
      return true;
  }
  return false;
}

/// False if `bytes` do not begin with a field.
static bool takeField(ArrayRef<char> &bytes, WireField &field) {
  ArrayRef<char> rest = bytes;
  uint64_t tag = 0, size = 0;
  if (!takeVarint(rest, tag))
    return false;
  field.number = tag >> 3;
  field.type = tag & 7;
  switch (field.type) {
  case kVarint:
    if (!takeVarint(rest, size))
      return false;
    size = 0;
    break;
  case kFixed64:
    size = 8;
    break;
  case kFixed32:
    size = 4;
    break;
  case kDelimited:
    if (!takeVarint(rest, size))
      return false;
    break;
  default:
    return false;
  }
  if (size > rest.size())
    return false;
  field.content = rest.take_front(size);
  rest = rest.drop_front(size);
  field.whole = bytes.drop_back(rest.size());
  bytes = rest;
  return true;
}

static void putVarint(std::string &out, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

static void putDelimited(std::string &out, unsigned number,
                         llvm::StringRef content) {
  putVarint(out, number << 3 | kDelimited);
  putVarint(out, content.size());
  out += content;
}

namespace {
/// Walks ModelProto.graph, GraphProto.initializer, TensorProto.raw_data.
class Remover {
public:
  explicit Remover(ArrayRef<char> model) : model(model) {}

  /// Appends what is left of the message `bytes`, which stands `level` steps
  /// down, to `out` if there is one. False if it is not well-formed.
  bool walk(ArrayRef<char> bytes, unsigned level, std::string *out) {
    bool isTensor = level == kTensor;
    if (isTensor && countRawData(bytes) != 1)
      isTensor = false; // the last one counts: protobuf's business
    while (!bytes.empty()) {
      WireField field;
      if (!takeField(bytes, field))
        return false;
      bool isNext = field.type == kDelimited && level <= kTensor &&
                    field.number == kPath[level];
      if (isNext && level < kTensor) {
        std::string inner;
        if (!walk(field.content, level + 1, out ? &inner : nullptr))
          return false;
        if (out)
          putDelimited(*out, kPath[level], inner);
      } else if (isNext && isTensor && field.content.size() >= kLargeBytes) {
        removed += field.content.size();
        if (out)
          putPlace(*out, field.content);
      } else if (out) {
        out->append(field.whole.data(), field.whole.size());
      }
    }
    return true;
  }

  uint64_t removed = 0;

private:
  static constexpr unsigned kPath[] = {7, 5, 9}, kTensor = 2;

  static unsigned countRawData(ArrayRef<char> tensor) {
    unsigned count = 0;
    for (WireField field; !tensor.empty() && takeField(tensor, field);)
      count += field.number == kPath[kTensor];
    return count;
  }

  /// TensorProto.external_data: StringStringEntryProto{key, value}.
  void putPlace(std::string &out, ArrayRef<char> content) const {
    std::string entry;
    putDelimited(entry, 1, kRawDataKey);
    putDelimited(entry, 2,
                 std::to_string(content.data() - model.data()) + " " +
                     std::to_string(content.size()));
    putDelimited(out, 13, entry);
  }

  ArrayRef<char> model;
};
} // namespace

std::optional<std::string> weft::onnx::leaveOutRawData(ArrayRef<char> model) {
  Remover measured(model);
  if (!measured.walk(model, 0, nullptr) || measured.removed == 0 ||
      measured.removed < model.size() / 2)
    return std::nullopt;
  std::string rest;
  Remover(model).walk(model, 0, &rest);
  return rest;
}
