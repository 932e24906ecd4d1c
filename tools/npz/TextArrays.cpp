#include "tools/npz/TextArrays.h"
#include "runtime/host/LetterCase.h"
#include "runtime/host/Texts.h"
#include "runtime/numeric/ConvertValues.h"
#include "runtime/status/Quote.h"

#include <algorithm>
#include <cstring>

using namespace weft;
using numeric::ElementType;
using numeric::HostTensor;
using rt::Code;
using rt::Status;

/// The text of UTF-32, without the zeros behind; false if that is none.
static bool fromUtf32(const uint8_t *characters, size_t count, bool isBigEndian,
                      std::string &text) {
  std::vector<uint32_t> points(count);
  for (size_t i = 0; i < count; ++i)
    for (size_t k = 0; k < 4; ++k)
      points[i] |= uint32_t(characters[4 * i + k])
                   << (8 * (isBigEndian ? 3 - k : k));
  while (!points.empty() && points.back() == 0)
    points.pop_back();
  text.clear();
  for (uint32_t point : points) {
    if (point > 0x10FFFF)
      return false;
    host::appendUtf8(text, point);
  }
  return rt::isUtf8(text); // halves of surrogate pairs are none
}

Status npz::makeUtf8(HostTensor &tensor, unsigned unit, bool isBigEndian) {
  host::Texts texts(tensor);
  HostTensor made(ElementType::U8, tensor.shape());
  auto bytes = size_t(tensor.shape().back());
  std::string text;
  for (int64_t i = 0; i < texts.size(); ++i) {
    bool isText = true;
    if (unit == 1)
      isText = rt::isUtf8(text = texts[i]);
    else
      isText = fromUtf32(tensor.bytes() + size_t(i) * bytes, bytes / 4,
                         isBigEndian, text);
    if (!isText)
      return rt::fail(Code::BadFile, "the string at " +
                                         numeric::placeText(texts.shape(), i) +
                                         " is no Unicode text; bytes must be "
                                         "UTF-8");
    host::setText(made, i, text); // at most 4 bytes a character
  }
  tensor = std::move(made);
  return Status::ok();
}

npz::TextBytes npz::textBytes(const HostTensor &tensor) {
  host::Texts texts(tensor);
  TextBytes made;
  made.shape = texts.shape();
  for (int64_t i = 0; i < texts.size(); ++i) {
    if (!rt::isUtf8(texts[i])) {
      made.unit = 1;
      made.characters = tensor.shape().back();
      made.bytes = tensor;
      return made;
    }
    auto isFirst = [](char c) { return (uint8_t(c) & 0xC0) != 0x80; };
    made.characters = std::max<int64_t>(
        made.characters,
        std::count_if(texts[i].begin(), texts[i].end(), isFirst));
  }
  std::vector<int64_t> shape = made.shape;
  shape.push_back(4 * made.characters);
  made.bytes = HostTensor(ElementType::U8, shape);
  for (int64_t i = 0; i < texts.size(); ++i) {
    uint8_t *to = made.bytes.bytes() + size_t(i * 4 * made.characters);
    for (std::string_view rest = texts[i]; !rest.empty(); to += 4) {
      rt::CodePoint point = rt::firstCodePoint(rest);
      for (size_t k = 0; k < 4; ++k)
        to[k] = uint8_t(point.value >> (8 * k));
      rest.remove_prefix(point.bytes);
    }
  }
  return made;
}
