//===- TensorListing.h - inputs and outputs for a reader --------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_TENSORLISTING_H
#define WEFT_TOOLS_WEFT_TENSORLISTING_H

#include "runtime/bmodel/Bmodel.h"

#include <nlohmann/json.hpp>

namespace weft::cli {

/// Every fact of an input or output, as `weft info --json` prints it.
nlohmann::ordered_json describeTensor(const rt::TensorSpec &tensor);

/// The element type as the model's user sees it: "f32", "string".
const char *userTypeName(const rt::TensorSpec &tensor);

/// "    input  'x' f32 1x3x48x192, stored as i8 ..." with a line break.
std::string tensorLine(const char *kind, const rt::TensorSpec &tensor);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_TENSORLISTING_H
