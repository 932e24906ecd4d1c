//===- ExplainReport.h - decisions as text and JSON -------------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_EXPLAINREPORT_H
#define WEFT_TOOLS_WEFT_EXPLAINREPORT_H

#include "runtime/bmodel/Decisions.h"
#include "tools/weft/StageFlags.h"

#include <nlohmann/json.hpp>
#include <string>

namespace weft::cli {

/// The fields that docs/cli.md lists. `cycles` are those of the program.
nlohmann::ordered_json describeDecisions(const NamedStage &subject,
                                         const rt::Decisions &decisions,
                                         uint64_t cycles);

/// Tables for the terminal.
std::string decisionsText(const NamedStage &subject,
                          const rt::Decisions &decisions, uint64_t cycles);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_EXPLAINREPORT_H
