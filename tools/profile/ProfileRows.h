//===- ProfileRows.h - rows of a profile as JSON ----------------*- C++ -*-===//

#ifndef WEFT_TOOLS_PROFILE_PROFILEROWS_H
#define WEFT_TOOLS_PROFILE_PROFILEROWS_H

#include "runtime/profile/Profile.h"

#include <nlohmann/json.hpp>

namespace weft::profile {

/// What a row of `profile` costs and what bounds it, with the keys that
/// docs/cli.md has of `nodes`; what the row stands for is the caller's to add.
nlohmann::ordered_json describeRow(const NodeRow &row, const Profile &profile);

} // namespace weft::profile

#endif // WEFT_TOOLS_PROFILE_PROFILEROWS_H
