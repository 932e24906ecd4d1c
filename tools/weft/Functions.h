//===- Functions.h - the functions of the operation sets listed -*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_FUNCTIONS_H
#define WEFT_TOOLS_WEFT_FUNCTIONS_H

#include "runtime/catalog/Catalog.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace weft::cli {

/// One object a function with all that the catalog says of it, `name` with its
/// set ("ppl.tiu.fadd"); of PPL also `state`: what the tests measured on
/// the first chip, "native", "sequence" or "interpreted" ("untested" before).
nlohmann::ordered_json functionsJson(catalog::Language language);
/// The same as a Markdown table.
std::string functionsTable(catalog::Language language);
/// PPL: a kernel source with one __TEST__ a function: the examples of the
/// manual's pages that are run on `chip`, the first that has the function.
std::string pplExamples(const Chip &chip);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_FUNCTIONS_H
