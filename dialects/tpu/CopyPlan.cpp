//===- CopyPlan.cpp - strided copies as DMA commands ----------------------===//

#include "dialects/tpu/CopyPlan.h"

#include "runtime/chips/Alignment.h"
#include "runtime/chips/Chip.h"

#include <algorithm>
#include <cstdlib>

using namespace weft;
using namespace weft::tpu;

namespace {
/// What a copy becomes: one command for each step along all of `walked`.
struct Plan {
  llvm::SmallVector<CopyAxis, 4> kernel, walked;
};
} // namespace

/// The axes without those of size 1, from the widest steps of the result to the
/// narrowest, with neighbours merged that are one run on both sides.
static llvm::SmallVector<CopyAxis, 4>
mergeAxes(llvm::ArrayRef<CopyAxis> given) {
  llvm::SmallVector<CopyAxis, 4> axes, merged;
  for (const CopyAxis &axis : given)
    if (axis.size != 1)
      axes.push_back(axis);
  std::stable_sort(
      axes.begin(), axes.end(),
      [](const CopyAxis &a, const CopyAxis &b) { return a.to > b.to; });
  for (const CopyAxis &axis : axes) {
    bool joins = !merged.empty() &&
                 merged.back().from == axis.from * axis.size &&
                 merged.back().to == axis.to * axis.size;
    if (joins)
      merged.back() = {merged.back().size * axis.size, axis.from, axis.to};
    else
      merged.push_back(axis);
  }
  return merged;
}

/// An axis is only cut into pieces of at least so many elements.
static constexpr int64_t kShortestRun = 64;

/// Cuts `copy` until every axis fits a command: into an outer and an inner axis
/// where the size has a fitting divisor, else into two copies.
static void eachFitting(const Chip &chip, StridedCopy copy,
                        llvm::function_ref<void(const StridedCopy &)> visit) {
  int64_t limit = chip.maxShape;
  for (size_t i = 0; i < copy.axes.size(); ++i) {
    CopyAxis axis = copy.axes[i];
    // Walked axes may be of any size.
    if (axis.size <= limit || axis.from < 0)
      continue;
    int64_t inner = largestDivisor(axis.size, limit);
    if (inner < kShortestRun || axis.size / inner > limit)
      inner = limit;
    if (int64_t left = axis.size % inner) {
      StridedCopy rest = copy;
      rest.axes[i].size = left;
      rest.source += (axis.size - left) * axis.from;
      rest.result += (axis.size - left) * axis.to;
      copy.axes[i].size -= left;
      eachFitting(chip, copy, visit);
      eachFitting(chip, rest, visit);
      return;
    }
    copy.axes[i] = {inner, axis.from, axis.to};
    copy.axes.insert(copy.axes.begin() + i,
                     {axis.size / inner, axis.from * inner, axis.to * inner});
  }
  visit(copy);
}

/// Up to four axes go into the command. An innermost axis whose neighbours lie
/// too far apart goes one place outwards: behind it stands an axis of size 1.
static Plan planOf(const Chip &chip, unsigned elementBytes,
                   llvm::ArrayRef<CopyAxis> axes) {
  Plan plan;
  for (const CopyAxis &axis : axes)
    (axis.from < 0 ? plan.walked : plan.kernel).push_back(axis);
  int64_t limit = chip.maxDmaStepBytes;
  bool wide = plan.kernel.empty() || plan.kernel.back().from == 0 ||
              std::max(plan.kernel.back().from, plan.kernel.back().to) *
                      int64_t(elementBytes) >
                  limit;
  if (wide)
    plan.kernel.push_back({1, 1, 1});
  while (plan.kernel.size() > 4) {
    auto shortest = std::min_element(
        plan.kernel.begin(), plan.kernel.end() - 1,
        [](const CopyAxis &a, const CopyAxis &b) { return a.size < b.size; });
    plan.walked.push_back(*shortest);
    plan.kernel.erase(shortest);
  }
  // Outer axes of size 1 are never stepped; a stride of 1 suits every size.
  while (plan.kernel.size() < 4)
    plan.kernel.insert(plan.kernel.begin(), {1, 1, 1});
  return plan;
}

int64_t weft::tpu::copyCommands(const Chip &chip, unsigned elementBytes,
                                const StridedCopy &copy) {
  constexpr int64_t kTooMany = kMaxCopyCommands + 1;
  int64_t all = 0;
  StridedCopy merged{copy.source, copy.result, mergeAxes(copy.axes)};
  eachFitting(chip, merged, [&](const StridedCopy &part) {
    int64_t count = 1;
    Plan plan = planOf(chip, elementBytes, part.axes);
    for (const CopyAxis &axis : plan.walked)
      count = axis.size > kTooMany ? kTooMany
                                   : std::min(kTooMany, count * axis.size);
    for (const CopyAxis &axis : plan.kernel)
      if (axis.from > INT32_MAX || axis.to > INT32_MAX) // not in a command
        count = kTooMany;
    all = std::min(kTooMany, all + count);
  });
  return all;
}

/// Steps along the axes from `depth` on.
static void walk(const Plan &plan, size_t depth, int64_t source, int64_t result,
                 llvm::function_ref<void(const StridedCopy &)> emit) {
  if (depth == plan.walked.size()) {
    emit({source, result, plan.kernel});
    return;
  }
  const CopyAxis &axis = plan.walked[depth];
  for (int64_t i = 0; i < axis.size; ++i)
    walk(plan, depth + 1, source + i * axis.from, result + i * axis.to, emit);
}

void weft::tpu::eachCopyCommand(
    const Chip &chip, unsigned elementBytes, const StridedCopy &copy,
    llvm::function_ref<void(const StridedCopy &)> emit) {
  StridedCopy merged{copy.source, copy.result, mergeAxes(copy.axes)};
  eachFitting(chip, merged, [&](const StridedCopy &part) {
    walk(planOf(chip, elementBytes, part.axes), 0, part.source, part.result,
         emit);
  });
}
