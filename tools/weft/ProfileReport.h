//===- ProfileReport.h - a profile as text and as JSON ----------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_PROFILEREPORT_H
#define WEFT_TOOLS_WEFT_PROFILEREPORT_H

#include "runtime/profile/Profile.h"
#include "tools/weft/StageFlags.h"

#include <nlohmann/json.hpp>
#include <string>

namespace weft::cli {

/// The fields that docs/cli.md lists.
nlohmann::ordered_json describeProfile(const NamedStage &subject,
                                       const profile::Profile &profile);

/// Tables for the terminal; of instructions and nodes the `rows` that cost
/// most.
std::string profileText(const NamedStage &subject,
                        const profile::Profile &profile, size_t rows = 20);

/// "54.1 us", four digits in the unit that fits.
std::string timeText(double seconds);

/// "Conv_84", several joined by " + "; `nothing` if there is none.
std::string nodeNames(const profile::NodeRow &row, std::string_view nothing);

/// "(no ONNX node)", or of a kernel "(no line)".
std::string_view nameOfNoOrigin(const profile::Profile &profile);

/// "f16"; "type 7" for a code without meaning.
std::string precisionName(isa::Precision precision);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_PROFILEREPORT_H
