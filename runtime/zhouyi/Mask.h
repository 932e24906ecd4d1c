//===- Mask.h - which lanes of a vector are active --------------*- C++ -*-===//
//
// Every form in which a predicate is written becomes one byte a lane, 0 or 1,
// lane 0 first. A known mask may have fewer lanes than the vector: the high
// lanes are inactive. One with more lanes is refused.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_ZHOUYI_MASK_H
#define WEFT_RUNTIME_ZHOUYI_MASK_H

#include "runtime/catalog/Catalog.h"
#include "runtime/status/Status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::zhouyi {

/// Lanes of the widest vector.
inline constexpr uint32_t kMaxLanes = 4096;

/// One byte a lane, 0 or 1.
using MaskLanes = std::vector<uint8_t>;

/// The lanes of a mask string: groups of an optional count and a pattern of T
/// (active) and F, each pattern repeated count times. "3T5F", "2FT" (FTFT).
/// '_' separates for the eye; before a letter it begins a new group. Completed
/// to `lanes`.
rt::Result<MaskLanes> parseMask(std::string_view text, unsigned lanes);

/// A list of bools, completed to `lanes`.
rt::Result<MaskLanes> listMask(const MaskLanes &list, unsigned lanes);

/// The `count` lowest of `lanes` lanes; 0 <= count <= lanes, lanes > 1.
rt::Result<MaskLanes> tailMask(int64_t count, int64_t lanes);

/// The shortest text of counts and single letters: "3T5F".
std::string maskText(const MaskLanes &mask);

/// Whether the lanes of a mask argument are known (a list or a string), not a
/// value that a program computes.
bool isKnown(const catalog::Argument &mask);

/// The lanes of a known mask, completed to `lanes`.
rt::Result<MaskLanes> knownMask(const catalog::Argument &mask, unsigned lanes);

/// What is wrong with a mask argument for a vector of `lanes`; empty if it is
/// legal. A computed mask has exactly that many lanes; one without lanes stands
/// for an empty string.
std::string maskProblem(const catalog::Argument &mask, unsigned lanes);

} // namespace weft::zhouyi

#endif // WEFT_RUNTIME_ZHOUYI_MASK_H
