//===- PageTemplate.h - pages that stand alone ------------------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_PAGETEMPLATE_H
#define WEFT_TOOLS_WEFT_PAGETEMPLATE_H

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>

namespace weft::cli {

/// The file `name` of page/ with the files that it names put in for
/// "<!-- FILE -->" and "/* FILE */", and `content` for "{/* content */}". Needs
/// no other file and no network. Names in `content` may be anything. Files of
/// `without` are left out.
std::string fillPage(std::string_view name,
                     const nlohmann::ordered_json &content,
                     const std::set<std::string_view> &without = {});

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_PAGETEMPLATE_H
