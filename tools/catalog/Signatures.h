//===- Signatures.h - the types that a function takes ----------*- C++ -*-===//

#ifndef WEFT_TOOLS_CATALOG_SIGNATURES_H
#define WEFT_TOOLS_CATALOG_SIGNATURES_H

#include "runtime/catalog/Catalog.h"

/// Found by asking the catalog about calls with every combination of types, so
/// that a listing cannot say another thing than the verifier.
namespace weft::catalog {

/// One legal combination of types of the operands that must be given.
struct Signature {
  /// One a vector that must be given, in the order of the slots.
  std::vector<VectorType> operands;
  /// "u" or "s" if the call is legal with it only, else empty.
  std::string_view outSign;
  std::optional<VectorType> result; ///< empty: the function returns nothing
};

/// The legal combinations for vectors of one register each.
std::vector<Signature> signaturesOf(const Operation &operation,
                                    const Chip &chip);

/// What a function offers besides its operands: "mask", "r", "saturate",
/// "out_sign" (parameters), "scalar" (numbers are broadcast), "flexible_width"
/// (any number of lanes), "multiple_width" (several whole registers).
std::vector<std::string_view> featuresOf(const Operation &operation);

} // namespace weft::catalog

#endif // WEFT_TOOLS_CATALOG_SIGNATURES_H
