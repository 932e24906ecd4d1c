//===- Mask.cpp - which lanes of a vector are active ----------------------===//

#include "runtime/zhouyi/Mask.h"
#include "runtime/status/Quote.h"

#include <algorithm>

using namespace weft;
using namespace weft::zhouyi;

static rt::Status tooLong(uint64_t found, unsigned lanes) {
  return rt::fail(rt::Code::InvalidArgument,
                  "mask has " +
                      (found > kMaxLanes
                           ? "more than " + std::to_string(kMaxLanes)
                           : std::to_string(found)) +
                      " lanes, the vector has " + std::to_string(lanes));
}

static rt::Status malformed(std::string_view text, const std::string &reason) {
  return rt::fail(rt::Code::InvalidArgument,
                  "mask " + (text.empty() ? "" : rt::quoteName(text) + " ") +
                      reason +
                      "; write groups of a count and letters T or F, as in "
                      "3T5F");
}

namespace {
/// Reads a mask string from left to right.
class MaskReader {
public:
  MaskReader(std::string_view text, unsigned lanes)
      : text(text), lanes(lanes) {}

  rt::Result<MaskLanes> read() {
    if (text.empty())
      return malformed(text, "is an empty string");
    if (text.size() < 2)
      return malformed(text, "has fewer than two characters");
    // Two underscores, or one at an end or behind a digit, separate nothing.
    for (at = 0; at < text.size(); ++at)
      if (rt::Status status = characterProblem(); !status)
        return status;
    at = 0;
    while (at < text.size()) {
      if (text[at] == '_')
        ++at;
      if (rt::Status status = readGroup(); !status)
        return status;
    }
    if (found > lanes)
      return tooLong(found, lanes);
    mask.resize(lanes);
    return mask;
  }

private:
  static bool isDigit(char c) { return c >= '0' && c <= '9'; }
  static bool isLetter(char c) { return c == 'T' || c == 'F'; }

  rt::Status characterProblem() const {
    char c = text[at];
    if (c == '_' && (at == 0 || !isLetter(text[at - 1])))
      return malformed(text, "has '_' where no letter is before it");
    if (!isDigit(c) && !isLetter(c) && c != '_')
      return malformed(text, "has " + rt::quoteName(text.substr(at, 1)));
    if (at + 1 == text.size() && !isLetter(c))
      return malformed(text, "does not end in T or F");
    return {};
  }

  rt::Status readGroup() {
    uint64_t count = 1;
    if (isDigit(text[at])) {
      // A longer mask is refused anyway: more digits do not make it legal.
      for (count = 0; isDigit(text[at]); ++at)
        count = std::min<uint64_t>(count * 10 + uint64_t(text[at] - '0'),
                                   uint64_t(1) << 32);
      if (count == 0)
        return malformed(text, "has a group of count 0");
    }
    size_t end = at;
    while (end < text.size() && isLetter(text[end]))
      ++end;
    std::string_view pattern = text.substr(at, end - at);
    at = end;
    found += count * pattern.size();
    for (uint64_t i = 0; found <= lanes && i < count; ++i)
      for (char letter : pattern)
        mask.push_back(letter == 'T');
    return {};
  }

  std::string_view text;
  unsigned lanes;
  size_t at = 0;
  uint64_t found = 0; ///< lanes that the groups so far have
  MaskLanes mask;
};
} // namespace

rt::Result<MaskLanes> zhouyi::parseMask(std::string_view text, unsigned lanes) {
  // No legal string is longer than its lanes, their counts and separators.
  if (text.size() > size_t(lanes) * 12 + 64)
    return rt::fail(rt::Code::InvalidArgument,
                    "mask string has " + std::to_string(text.size()) +
                        " characters, the vector has " + std::to_string(lanes) +
                        " lanes");
  return MaskReader(text, lanes).read();
}

rt::Result<MaskLanes> zhouyi::listMask(const MaskLanes &list, unsigned lanes) {
  if (list.size() > lanes)
    return tooLong(list.size(), lanes);
  MaskLanes mask(lanes);
  std::transform(list.begin(), list.end(), mask.begin(),
                 [](uint8_t lane) { return uint8_t(lane != 0); });
  return mask;
}

rt::Result<MaskLanes> zhouyi::tailMask(int64_t count, int64_t lanes) {
  if (lanes < 2 || lanes > int64_t(kMaxLanes))
    return rt::fail(rt::Code::InvalidArgument,
                    "tail mask has " + std::to_string(lanes) +
                        " lanes, must have 2 to " + std::to_string(kMaxLanes));
  if (count < 0 || count > lanes)
    return rt::fail(rt::Code::InvalidArgument,
                    "n of the tail mask is " + std::to_string(count) +
                        ", must be 0 to " + std::to_string(lanes));
  MaskLanes mask(size_t(lanes), 0);
  std::fill_n(mask.begin(), size_t(count), uint8_t(1));
  return mask;
}

std::string zhouyi::maskText(const MaskLanes &mask) {
  std::string text;
  for (size_t at = 0; at < mask.size();) {
    size_t end = at;
    while (end < mask.size() && !mask[end] == !mask[at])
      ++end;
    text += std::to_string(end - at) + (mask[at] ? "T" : "F");
    at = end;
  }
  return text;
}

bool zhouyi::isKnown(const catalog::Argument &mask) {
  return !mask.lanes.empty() || !mask.text.empty();
}

rt::Result<MaskLanes> zhouyi::knownMask(const catalog::Argument &mask,
                                        unsigned lanes) {
  return mask.text.empty() ? listMask(mask.lanes, lanes)
                           : parseMask(mask.text, lanes);
}

std::string zhouyi::maskProblem(const catalog::Argument &mask, unsigned lanes) {
  if (isKnown(mask))
    return knownMask(mask, lanes).status().message();
  if (mask.vector.lanes == 0) // a string that is empty
    return parseMask(mask.text, lanes).status().message();
  if (mask.vector.lanes == lanes)
    return {};
  return "mask has " + std::to_string(mask.vector.lanes) +
         " lanes, the vector has " + std::to_string(lanes);
}
