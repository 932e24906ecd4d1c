//===- MoveRules.cpp - what a move must obey ------------------------------===//

#include "runtime/ascend/Move.h"

#include <algorithm>
#include <numeric>
#include <tuple>

using namespace weft;
using namespace weft::ascend;

static std::string str(int64_t value) { return std::to_string(value); }

//===----------------------------------------------------------------------===//
// Overlap
//===----------------------------------------------------------------------===//

namespace {
/// Block (matrix, row, block of the row).
struct BlockIndex {
  int64_t i, j, k;

  std::string text() const {
    return "(" + str(i) + ", " + str(j) + ", " + str(k) + ")";
  }
};
} // namespace

/// Floor of a / b, b > 0.
static int64_t floorDiv(int64_t a, int64_t b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

/// x with a * x = 1 modulo b, in [0, b); a and b have no common divisor.
static int64_t inverseModulo(int64_t a, int64_t b) {
  int64_t r0 = b, r1 = a % b, x0 = 0, x1 = 1;
  while (r1 != 0) {
    int64_t q = r0 / r1;
    std::tie(r0, r1) = std::pair(r1, r0 - q * r1);
    std::tie(x0, x1) = std::pair(x1, x0 - q * x1);
  }
  return ((x0 % b) + b) % b;
}

/// The smallest row step of at least `least` with which a step over
/// (matrices, rows, blocks) leads back to the same place, if there is one:
/// dj * row + dk * block = -offset, |dj| < rows, |dk| < blocks.
static std::optional<std::pair<int64_t, int64_t>>
stepsBack(const Nd2Nz &move, int64_t offset, int64_t least) {
  int64_t g = std::gcd(move.dstNzNStride, move.dstNzC0Stride);
  if (offset % g != 0)
    return std::nullopt;
  int64_t a = move.dstNzNStride / g, b = move.dstNzC0Stride / g,
          c = -offset / g, blocks = move.rowBlocks();
  // dk = (c - dj * a) / b must stay in (-blocks, blocks).
  int64_t low = std::max(least, -floorDiv((blocks - 1) * b - c, a)),
          high = std::min(move.nValue - 1, floorDiv(c + (blocks - 1) * b, a));
  int64_t residue = ((c % b + b) % b) * inverseModulo(a, b) % b;
  int64_t dj = low + ((residue - low) % b + b) % b;
  if (dj > high)
    return std::nullopt;
  return std::pair(dj, (c - dj * a) / b);
}

/// Two blocks on one place, the one that is written first in front; nullopt if
/// there are none. The move obeys the rules before this one. Two blocks meet if
/// a difference of indices other than 0 has the offset 0 in L1, so only the
/// differences of matrices are tried one by one.
static std::optional<std::pair<BlockIndex, BlockIndex>>
collision(const Nd2Nz &move) {
  if (move.isEmpty())
    return std::nullopt;
  int64_t matrix = move.ndNum == 1 ? 0
                                   : move.dstNzMatrixStride *
                                         move.elementBytes / kBlockBytes;
  for (int64_t di = 0; di < move.ndNum; ++di)
    if (auto steps =
            stepsBack(move, di * matrix, di == 0 ? 1 : 1 - move.nValue)) {
      auto [dj, dk] = *steps;
      BlockIndex first{0, std::max<int64_t>(0, -dj), std::max<int64_t>(0, -dk)};
      return std::pair(first, BlockIndex{di, first.j + dj, first.k + dk});
    }
  return std::nullopt;
}

bool ascend::blocksAreApart(const Nd2Nz &move) { return !collision(move); }

static std::string overlapFound(const Nd2Nz &move, const Room &) {
  auto both = collision(move);
  if (!both)
    return {};
  const BlockIndex &second = both->second;
  return "blocks " + both->first.text() + " and " + second.text() +
         " (matrix, row, block) both lie " +
         str(move.placeOf(second.i, second.j, second.k) - move.dst) +
         " bytes behind dst";
}

//===----------------------------------------------------------------------===//
// The other rules
//===----------------------------------------------------------------------===//

static std::string rangeFound(const Nd2Nz &move, const Room &) {
  for (const Parameter &parameter : parameters()) {
    int64_t value = move.*parameter.value;
    if (value < parameter.low || value > parameter.high)
      return std::string(parameter.name) + " is " + str(value) +
             ", must be in [" + str(parameter.low) + ", " +
             str(parameter.high) + "]";
  }
  return {};
}

/// Choice MatrixStrideNeedsMatrices.
static std::string missingStrideFound(const Nd2Nz &move, const Room &) {
  if (move.ndNum == 1 || move.dstNzMatrixStride > 0)
    return {};
  return "dstNzMatrixStride is 0 with " + str(move.ndNum) + " matrices";
}

/// Choice MatricesStartOnBlocks.
static std::string brokenStrideFound(const Nd2Nz &move, const Room &) {
  int64_t bytes = move.dstNzMatrixStride * move.elementBytes;
  if (move.ndNum == 1 || bytes % kBlockBytes == 0)
    return {};
  return "dstNzMatrixStride is " + str(move.dstNzMatrixStride) + " elements, " +
         str(bytes) + " bytes";
}

static std::string dstAlignmentFound(const Nd2Nz &move, const Room &) {
  if (move.dst % kBlockBytes == 0)
    return {};
  return "dst is at byte " + str(move.dst) + " of L1";
}

/// Choice SourceIsElementAligned.
static std::string srcAlignmentFound(const Nd2Nz &move, const Room &) {
  if (move.src % move.elementBytes == 0)
    return {};
  return "src is at byte " + str(move.src) + " with elements of " +
         str(move.elementBytes) + " bytes";
}

/// Choice BeyondL1IsRefused, for both memories: "the blocks end at byte 480,
/// the buffer in L1 at byte 256".
static std::string endFound(const char *pieces, const char *buffer,
                            int64_t start, int64_t bytes,
                            std::optional<int64_t> size) {
  if (!size || (start >= 0 && bytes <= *size && start <= *size - bytes))
    return {};
  if (start < 0)
    return std::string(pieces) + " start at byte " + str(start);
  return std::string(pieces) + " end at byte " + str(start + bytes) + ", " +
         buffer + " at byte " + str(*size);
}

static std::string l1EndFound(const Nd2Nz &move, const Room &room) {
  return endFound("the blocks", "the buffer in L1", move.dst, move.spanBytes(),
                  room.l1Bytes);
}

static std::string globalEndFound(const Nd2Nz &move, const Room &room) {
  return endFound("the rows", "the source", move.src,
                  move.sourceElements() * move.elementBytes, room.globalBytes);
}

const std::vector<MoveRule> &ascend::moveRules() {
  static const std::vector<MoveRule> rules = {
      {"the document gives no other numbers", rangeFound},
      {"dstNzMatrixStride must be in [1, 65535] if ndNum > 1",
       missingStrideFound},
      {"with ndNum > 1 dstNzMatrixStride must be a multiple of 32 bytes, so "
       "that matrices start on blocks",
       brokenStrideFound},
      {"dst must be aligned to 32 bytes", dstAlignmentFound},
      {"src must be aligned to its element", srcAlignmentFound},
      {"every block must lie in L1", l1EndFound},
      {"every element that is read must lie in the source", globalEndFound},
      {"the blocks of one move must not overlap, since the order of writes is "
       "not determined",
       overlapFound},
  };
  return rules;
}

std::string ascend::problemOf(const Nd2Nz &move, const Room &room) {
  if (functionOf(move.elementBytes).empty())
    return "an element has " + str(move.elementBytes) +
           " bytes; there are moves for 1, 2 and 4";
  if (move.isEmpty())
    return {};
  for (const MoveRule &rule : moveRules())
    if (std::string found = rule.found(move, room); !found.empty())
      return found + "; " + std::string(rule.text);
  return {};
}

std::string ascend::warningOf(const Nd2Nz &move) {
  for (auto [name, value] : {std::pair("ndNum", move.ndNum),
                             {"nValue", move.nValue},
                             {"dValue", move.dValue}})
    if (value == 0)
      return std::string(name) + " is 0: nothing is moved";
  return {};
}
