//===- ParseFailure.cpp - why bytes are no ONNX model ---------------------===//

#include "frontend/onnx/ParseFailure.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <algorithm>
#include <cstdint>

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;
using llvm::formatv;
using llvm::StringRef;
using weft::onnx::kMaxNesting;

/// Depth of graphs within graphs on the path ModelProto.graph, GraphProto.node,
/// NodeProto.attribute, AttributeProto.g / graphs; stops counting at the limit.
static int measureNesting(CodedInputStream &input, int level, int budget) {
  // Field number that leads one level down, by position in the cycle.
  static constexpr int kNode = 1, kAttribute = 5, kGraph = 6, kGraphs = 11;
  if (budget == 0)
    return 0;
  int deepest = 0;
  while (uint32_t tag = input.ReadTag()) {
    int field = WireFormatLite::GetTagFieldNumber(tag);
    bool isMessage = WireFormatLite::GetTagWireType(tag) ==
                     WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
    bool down = level == 0       ? field == 7
                : level % 3 == 1 ? field == kNode
                : level % 3 == 2 ? field == kAttribute
                                 : field == kGraph || field == kGraphs;
    if (!isMessage || !down) {
      if (!WireFormatLite::SkipField(&input, tag))
        break;
      continue;
    }
    int length = 0;
    if (!input.ReadVarintSizeAsInt(&length))
      break;
    CodedInputStream::Limit limit = input.PushLimit(length);
    deepest = std::max(deepest, measureNesting(input, level + 1, budget - 1));
    int rest = input.BytesUntilLimit();
    if (rest > 0 && !input.Skip(rest))
      break;
    input.PopLimit(limit);
  }
  return deepest + 1;
}

/// Field names of ModelProto (onnx.proto); the lite runtime keeps none.
static StringRef modelFieldName(int field) {
  switch (field) {
  case 1:
    return "ir_version";
  case 2:
    return "producer_name";
  case 3:
    return "producer_version";
  case 4:
    return "domain";
  case 5:
    return "model_version";
  case 6:
    return "doc_string";
  case 7:
    return "graph";
  case 8:
    return "opset_import";
  case 14:
    return "metadata_props";
  case 20:
    return "training_info";
  case 25:
    return "functions";
  case 26:
    return "configuration";
  default:
    return "";
  }
}

std::string weft::onnx::explainParseFailure(llvm::ArrayRef<char> bytes) {
  const auto *start = reinterpret_cast<const uint8_t *>(bytes.data());
  int size = static_cast<int>(bytes.size());
  CodedInputStream input(start, size);
  bool first = true;
  while (input.CurrentPosition() < size) {
    int offset = input.CurrentPosition();
    uint32_t tag = input.ReadTag();
    int field = WireFormatLite::GetTagFieldNumber(tag);
    StringRef known = modelFieldName(field);
    if (tag == 0 || (first && known.empty()))
      return first ? "is not an ONNX model (no protobuf message ModelProto)"
                   : formatv("is broken at byte {0}", offset).str();
    first = false;
    if (WireFormatLite::GetTagWireType(tag) ==
        WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      uint64_t length = 0;
      uint64_t rest = 0;
      if (input.ReadVarint64(&length))
        rest = size - input.CurrentPosition();
      if (length > rest)
        return formatv("is truncated: field '{0}' at byte {1} needs {2} bytes, "
                       "the file has {3} left",
                       known.empty() ? std::to_string(field) : known.str(),
                       offset, length, rest)
            .str();
      input.Skip(static_cast<int>(length));
    } else if (!WireFormatLite::SkipField(&input, tag)) {
      return formatv("is truncated or broken at byte {0}", offset).str();
    }
  }
  CodedInputStream again(start, size);
  if (measureNesting(again, 0, kMaxNesting + 1) > kMaxNesting - 2)
    return formatv("nests graphs too deeply: more than {0} messages within "
                   "each other",
                   kMaxNesting)
        .str();
  return "is broken inside: its parts are no valid protobuf messages";
}
