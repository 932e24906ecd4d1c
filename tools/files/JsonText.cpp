#include "tools/files/JsonText.h"
#include "runtime/status/Format.h"
#include "runtime/status/Quote.h"

#include <nlohmann/json.hpp>

using namespace weft;
using namespace weft::tools;
using Json = nlohmann::ordered_json;

/// `json` with every string and key replaced by `change` of it.
template <class Change>
static Json mapped(const Json &json, const Change &change) {
  if (json.is_string())
    return change(json.get_ref<const std::string &>());
  if (!json.is_structured())
    return json;
  Json result = json.is_array() ? Json::array() : Json::object();
  for (auto at = json.begin(); at != json.end(); ++at)
    if (json.is_array())
      result.push_back(mapped(*at, change));
    else
      result[change(at.key())] = mapped(*at, change);
  return result;
}

static bool isAllUtf8(const Json &json) {
  if (json.is_string())
    return rt::isUtf8(json.get_ref<const std::string &>());
  if (json.is_structured())
    for (auto at = json.begin(); at != json.end(); ++at)
      if ((json.is_object() && !rt::isUtf8(at.key())) || !isAllUtf8(*at))
        return false;
  return true;
}

/// \uNNNN, or two of them.
static std::string escapeOf(uint32_t codePoint) {
  if (codePoint < 0x10000)
    return rt::format("\\u%04x", codePoint);
  codePoint -= 0x10000;
  return rt::format("\\u%04x\\u%04x", 0xD800 | codePoint >> 10,
                    0xDC00 | (codePoint & 0x3FF));
}

std::string tools::jsonText(const Json &json, int indent) {
  if (!isAllUtf8(json)) // seldom, so that the copy does not matter
    return jsonText(mapped(json,
                           [](const std::string &text) {
                             return rt::isUtf8(text) ? text
                                                     : rt::printable(text);
                           }),
                    indent);
  std::string text = json.dump(indent), safe;
  safe.reserve(text.size());
  for (std::string_view rest = text; !rest.empty();) {
    rt::CodePoint point = rt::firstCodePoint(rest);
    // What is below is escaped already, or stands between the values.
    if (point.value >= 0x7F && rt::isHidden(point.value))
      safe += escapeOf(point.value);
    else
      safe += rest.substr(0, point.bytes);
    rest.remove_prefix(point.bytes);
  }
  return safe;
}

Json tools::printableJson(const Json &json) {
  return mapped(json, rt::printableLines);
}
