//===- Staging.h - copies within DRAM by way of the lanes -----*- C++ -*-===//
//
// The DMA engine pays 256 bytes for every run of neighbours, so a transpose or
// an interleaving costs it an element's weight many times over. Local memory
// reads any order at once: rows of DRAM are loaded as they lie, turned inside
// every lane by TIU copies with strides, and stored as they shall lie.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_TRANSFER_STAGING_H
#define WEFT_RUNTIME_TRANSFER_STAGING_H

#include "runtime/transfer/Forms.h"

namespace weft::transfer {

/// A strided copy out of one of several dense tensors in DRAM into another one.
/// All numbers are elements.
struct Piece {
  unsigned operand = 0;
  int64_t operandElements = 0; ///< how many the operand has; all may be read
  /// Where operand and result begin in DRAM, in bytes; plans depend on what
  /// these are multiples of.
  int64_t operandAddress = 0, resultAddress = 0;
  int64_t source = 0, result = 0; ///< of the first element
  /// Any number, any order. `from` is 0 where an element is repeated, else
  /// positive; `to` is positive.
  std::vector<Axis> axes;
};

/// One step of a staged copy.
struct StagedStep {
  enum Kind : uint8_t {
    Load,     ///< of `operand`
    LaneCopy, ///< by the TIU, from local to local memory, lane by lane
    Store,    ///< to the result
  };
  Kind kind = Load;
  unsigned operand = 0; ///< that is loaded or turned
  unsigned result = 0;  ///< that is turned or stored: of `stageSplit` the
                        ///< number of the piece, else 0
  Transfer transfer;
};

/// Bytes of the elements of a piece: 1, 2 or 4 on both sides; or 2 of the
/// operand and 4 of the result, where the turn makes f32 of floats of 16 bits.
struct ElementSizes {
  ElementSizes(unsigned bytes) : operand(bytes), result(bytes) {}
  ElementSizes(unsigned operand, unsigned result)
      : operand(operand), result(result) {}
  unsigned operand, result;
};

struct StagedPlan {
  std::vector<StagedStep> steps; ///< in an order in which the engines overlap
  Price price;                   ///< of the DMA engine and of what it waits for
};

/// The cheapest way found to do one piece, with all of local memory as room.
/// std::nullopt if there is none.
std::optional<StagedPlan> stagePiece(Planner &planner, const Chip &chip,
                                     ElementSizes sizes, const Piece &piece);

/// The same for pieces that together fill rows of the result, all of it or from
/// `result` of the first on: they have an outermost axis in common, whose step
/// is the length of a row. std::nullopt also if they do not.
std::optional<StagedPlan> stageRows(Planner &planner, const Chip &chip,
                                    unsigned elementBytes,
                                    const std::vector<Piece> &pieces);

/// The same for pieces that are cut out of the rows of one operand, each into a
/// result of its own: the rows are loaded once. The outermost axis of the
/// source must be common to all pieces.
std::optional<StagedPlan> stageSplit(Planner &planner, const Chip &chip,
                                     unsigned elementBytes,
                                     const std::vector<Piece> &pieces);

} // namespace weft::transfer

#endif // WEFT_RUNTIME_TRANSFER_STAGING_H
