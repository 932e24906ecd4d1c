//===- PplFunctions.h - the functions of PPL as a listing -------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_PPLFUNCTIONS_H
#define WEFT_TOOLS_WEFT_PPLFUNCTIONS_H

#include "runtime/catalog/Catalog.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace weft::cli {

/// One object a function: `name` ("ppl.tiu.fadd"), `state` (what the tests
/// measured on BM1684X: "native", "sequence" or "interpreted"; "untested"
/// before), `chips`, and all that the catalog says of it.
nlohmann::ordered_json pplFunctionsJson();
/// The same as a Markdown table.
std::string pplFunctionsTable();
/// A kernel source with one __TEST__ a function: the examples of the manual's
/// pages that are run on `chip`, the first that has the function.
std::string pplExamples(const Chip &chip);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_PPLFUNCTIONS_H
