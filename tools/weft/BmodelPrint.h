//===- BmodelPrint.h - all tables of a bmodel as text and JSON --*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_BMODELPRINT_H
#define WEFT_TOOLS_WEFT_BMODELPRINT_H

#include "runtime/bmodel/Bmodel.h"

#include <nlohmann/json.hpp>
#include <string>

namespace weft::cli {

/// The container and every field that the tables have, as docs/cli.md says.
/// Fails as rt::checkCopyable() does.
rt::Result<nlohmann::ordered_json> describeTables(const rt::Bmodel &model);

/// The same as indented lines, long lists of numbers cut.
std::string tablesText(const nlohmann::ordered_json &json);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_BMODELPRINT_H
