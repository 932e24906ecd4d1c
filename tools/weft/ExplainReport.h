//===- ExplainReport.h - decisions as text and JSON -------------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_EXPLAINREPORT_H
#define WEFT_TOOLS_WEFT_EXPLAINREPORT_H

#include "runtime/bmodel/Decisions.h"

#include <nlohmann/json.hpp>
#include <string>

namespace weft::cli {

/// What is explained.
struct ExplainSubject {
  const rt::Bmodel &model;
  const rt::NetSpec &net;
  size_t stage;
};

/// The fields that docs/cli.md lists.
nlohmann::ordered_json describeDecisions(const ExplainSubject &subject,
                                         const rt::Decisions &decisions);

/// Tables for the terminal.
std::string decisionsText(const ExplainSubject &subject,
                          const rt::Decisions &decisions);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_EXPLAINREPORT_H
