//===- Chips.h - look up a chip by name -----------------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_CHIPS_CHIPS_H
#define WEFT_RUNTIME_CHIPS_CHIPS_H

#include "runtime/chips/ascend_a2.h"
#include "runtime/chips/bm1684x.h"
#include "runtime/chips/bm1688.h"
#include "runtime/chips/bm1690.h"
#include "runtime/chips/sg2380.h"
#include "runtime/chips/zhouyi.h"

#include <vector>

namespace weft::chips {

/// The chips of Chips.def that commands are made for. The first is the one that
/// is compiled for if none is named.
inline constexpr const Chip *all[] = {
#define WEFT_CHIP(identifier) &identifier,
#include "runtime/chips/Chips.def"
};

/// The chips that kernels can be written for: those above and the ones that
/// are only described.
inline constexpr const Chip *kernelTargets[] = {
#define WEFT_CHIP(identifier) &identifier,
#define WEFT_KERNEL_CHIP(identifier) &identifier,
#include "runtime/chips/Chips.def"
};

/// The chips that vector programs are made for.
inline constexpr const Chip *vectorTargets[] = {
#define WEFT_VECTOR_CHIP(identifier) &identifier,
#include "runtime/chips/Chips.def"
};

/// The chips whose moves into L1 are planned.
inline constexpr const Chip *cubeTargets[] = {
#define WEFT_CUBE_CHIP(identifier) &identifier,
#include "runtime/chips/Chips.def"
};

/// Makes a chip known by its names for the rest of the process, beside those of
/// Chips.def: commands are made and emulated for it. It must have instructions,
/// rules and costs, and outlive all that uses it. For tests, and for chips of
/// other people's programs; call it before anything compiles or runs.
void add(const Chip &chip);

/// Chips that commands are made for: `all`, then those added.
std::vector<const Chip *> withCommands();

/// The chips that models are compiled for: those, and to a vector program.
std::vector<const Chip *> modelTargets();

/// The largest size of one axis that any chip takes: what a type, which belongs
/// to no chip, may have.
unsigned largestShape();

/// The chip of that name that commands are made for, spelt as in a bmodel
/// ("BM1684X") or on the command line ("bm1684x"); nullptr if Weft does not
/// know it.
const Chip *find(std::string_view name);

/// The same among the chips of kernels.
const Chip *findKernelTarget(std::string_view name);

/// The same among the chips of vector programs, and of moves.
const Chip *findVectorTarget(std::string_view name);
const Chip *findCubeTarget(std::string_view name);

} // namespace weft::chips

#endif // WEFT_RUNTIME_CHIPS_CHIPS_H
