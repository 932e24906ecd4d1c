//===- Targets.h - chips as named on the command line ---------*- C++ -*-===//

#ifndef WEFT_RUNTIME_CHIPS_TARGETS_H
#define WEFT_RUNTIME_CHIPS_TARGETS_H

#include "runtime/chips/Chips.h"

#include <string>
#include <vector>

namespace weft::chips {

/// The chip that is compiled for if none is named: the first of Chips.def.
inline std::string defaultTarget() { return std::string(all[0]->targetName); }

/// The chips of one of the lists of Chips.h, as named on the command line; by
/// default those that bmodels are made for.
template <typename List>
std::vector<std::string> targets(const List &chips) {
  std::vector<std::string> names;
  for (const Chip *chip : chips)
    names.emplace_back(chip->targetName);
  return names;
}
inline std::vector<std::string> targets() { return targets(withCommands()); }

/// The same for a message: "bm1684x, bm1688".
template <typename List>
std::string joinedTargets(const List &chips) {
  std::string text;
  for (const std::string &name : targets(chips))
    text += (text.empty() ? "" : ", ") + name;
  return text;
}
inline std::string joinedTargets() { return joinedTargets(withCommands()); }

} // namespace weft::chips

#endif // WEFT_RUNTIME_CHIPS_TARGETS_H
