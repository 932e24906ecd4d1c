//===- Targets.h - chips as named on the command line ---------*- C++ -*-===//

#ifndef WEFT_RUNTIME_CHIPS_TARGETS_H
#define WEFT_RUNTIME_CHIPS_TARGETS_H

#include "runtime/chips/Chips.h"

#include <string>
#include <vector>

namespace weft::chips {

/// The chip that is compiled for if none is named: the first of Chips.def.
inline std::string defaultTarget() { return std::string(all[0]->targetName); }

/// Every chip that can be named, in the order of Chips.def.
inline std::vector<std::string> targets() {
  std::vector<std::string> names;
  for (const Chip *chip : all)
    names.emplace_back(chip->targetName);
  return names;
}

/// The same for a message: "bm1684x, bm1688".
inline std::string joinedTargets() {
  std::string text;
  for (const std::string &name : targets())
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

} // namespace weft::chips

#endif // WEFT_RUNTIME_CHIPS_TARGETS_H
