//===- FewDigits.h - numbers for pages --------------------------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_FEWDIGITS_H
#define WEFT_TOOLS_WEFT_FEWDIGITS_H

#include <nlohmann/json.hpp>

namespace weft::cli {

/// `value` in four digits, which is what a page shows: a third of the bytes.
/// null for NaN and infinities, which JSON lacks.
nlohmann::ordered_json fewDigits(double value);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_FEWDIGITS_H
