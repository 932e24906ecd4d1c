//===- RaceListing.h - races of a model as text and JSON --------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_RACELISTING_H
#define WEFT_TOOLS_WEFT_RACELISTING_H

#include "runtime/bmodel/Bmodel.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace weft::cli {

/// The races of all nets and stages (runtime/races): {"commands",
/// "missing_waits", "races", "cut", "found": [..]}, with the first 20 in
/// "found".
rt::Result<nlohmann::ordered_json> describeRaces(const rt::Bmodel &model);

/// "races: 2 waits are missing between 120 commands" and a line for each.
std::string raceListText(const nlohmann::ordered_json &races);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_RACELISTING_H
