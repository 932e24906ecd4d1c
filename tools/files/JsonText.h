//===- JsonText.h - JSON of names that others chose -------------*- C++ -*-===//

#ifndef WEFT_TOOLS_FILES_JSONTEXT_H
#define WEFT_TOOLS_FILES_JSONTEXT_H

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace weft::tools {

/// `json` as text in UTF-8, with `indent` spaces for each level; -1: on one
/// line. Hidden characters (rt::isHidden) are JSON's escapes, so that nothing
/// moves on a terminal and a reader gets them back. JSON has no way to say
/// bytes that are no UTF-8: they become \xNN, as in messages.
std::string jsonText(const nlohmann::ordered_json &json, int indent = -1);

/// `json` with the strings and keys as rt::printableLines() has them, for what
/// shows them to a person.
nlohmann::ordered_json printableJson(const nlohmann::ordered_json &json);

} // namespace weft::tools

#endif // WEFT_TOOLS_FILES_JSONTEXT_H
