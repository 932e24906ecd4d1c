//===- WeightCodes.h - weights in 4 or 8 bits for f16 products --*- C++ -*-===//

#ifndef WEFT_PASSES_QUANTIZE_WEIGHTCODES_H
#define WEFT_PASSES_QUANTIZE_WEIGHTCODES_H

#include "passes/quantize/Lowering.h"

namespace weft::quantize {

/// Numbers of a matrix, N columns of K each, as codes that are scaled in groups
/// of neighbours along K: number = (code - zero point) * scale.
struct WeightCodes {
  int64_t bits = 8;
  int64_t groups = 1; ///< of a column; divides K into even parts
  /// N x K: signed, or the bits of unsigned ones if there are zero points.
  std::vector<int8_t> codes;
  std::vector<float> scales;  ///< N x groups, numbers of f16
  std::vector<uint8_t> zeros; ///< as many, or none
};

/// The codes of a filter (N, K, 1, 1) that a graph made of integers of 4 or 8
/// bits: no number differs by more than the rounding of scales and products to
/// f16. std::nullopt if it has no such codes.
std::optional<WeightCodes> ownCodes(const FloatConstant &filter);

/// Codes of `bits` bits near any filter, in groups of `groupSize` numbers (0:
/// of a whole column), which is halved until it divides K. Every scale is that
/// of the least squared error among some; zero points are there where they make
/// that of the matrix a fifth smaller. std::nullopt if f16 has no scales for so
/// large or small numbers, unless those are next to nothing beside the others.
std::optional<WeightCodes> nearestCodes(const FloatConstant &filter,
                                        int64_t bits, int64_t groupSize);

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_WEIGHTCODES_H
