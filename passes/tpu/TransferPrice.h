//===- TransferPrice.h - what loads and stores cost -------------*- C++ -*-===//

#ifndef WEFT_PASSES_TPU_TRANSFERPRICE_H
#define WEFT_PASSES_TPU_TRANSFERPRICE_H

#include "dialects/tpu/CopyPlan.h"
#include "dialects/tpu/LocalBuffer.h"

#include <map>
#include <memory>
#include <vector>

namespace weft::transfer {
class Planner; // not included: its namespace `isa` would hide llvm::isa
}

namespace weft::tpu {

/// Prices of transfers between DRAM and local memory and within DRAM, by the
/// plans that code generation will find for them. What was asked once is kept.
class TransferPrice {
public:
  explicit TransferPrice(const Chip &chip);
  ~TransferPrice();

  /// Cycles of loading or storing `tensor`, all of it, whose neighbours lie
  /// `steps` elements apart in DRAM; cycles::kMostCycles where no command does.
  int64_t cycles(const LocalTensor &tensor, const Dims &steps, bool isLoad);

  /// Cycles of a copy within DRAM from a tensor of `elements`, directly or by
  /// way of the lanes; `bits` of the operand and of the result, which may be
  /// twice as many of f32.
  int64_t copyCycles(const StridedCopy &copy, unsigned bits, int64_t elements,
                     unsigned resultBits);
  int64_t copyCycles(const StridedCopy &copy, unsigned bits, int64_t elements) {
    return copyCycles(copy, bits, elements, bits);
  }

private:
  const Chip &chip;
  std::unique_ptr<transfer::Planner> planner;
  /// Of copies by their numbers: ways through the lanes are many to try.
  std::map<std::vector<int64_t>, int64_t> copies;
};

} // namespace weft::tpu

#endif // WEFT_PASSES_TPU_TRANSFERPRICE_H
