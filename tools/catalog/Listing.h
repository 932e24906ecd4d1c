//===- Listing.h - the functions of an operation set listed ---*- C++ -*-===//

#ifndef WEFT_TOOLS_CATALOG_LISTING_H
#define WEFT_TOOLS_CATALOG_LISTING_H

#include "runtime/catalog/Catalog.h"

#include <nlohmann/json.hpp>

/// The catalog as JSON and as tables: what `weft ops`, the compiler's C
/// interface, the pages of docs and Python's functions are made from.
namespace weft::catalog {

/// The targets that have a function, in the order of Chips.def.
std::vector<std::string> targetsOf(const Operation &operation);

/// All that the catalog says of a function; weft-compiler.h has the keys.
nlohmann::ordered_json describe(const Operation &operation);
/// An array of them.
nlohmann::ordered_json describe(Language language);

/// A Markdown table of a set's functions.
std::string functionTable(Language language);

} // namespace weft::catalog

#endif // WEFT_TOOLS_CATALOG_LISTING_H
