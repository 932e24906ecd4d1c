//===- InputPlan.h - inputs of layers, tile by tile -----------*- C++ -*-===//

#ifndef WEFT_RUNTIME_ASCEND_INPUTPLAN_H
#define WEFT_RUNTIME_ASCEND_INPUTPLAN_H

#include "runtime/ascend/Cost.h"
#include "runtime/ascend/Layouts.h"

/// Which pieces of the inputs of a convolution or a matrix product go to L1, in
/// which layout and with which moves. The rules of tiling are those of
/// docs/ascend/planning.md.
namespace weft::ascend {

enum class Layout : uint8_t { Nc1hwc0, FractalZ, Nz, Zz };
/// "NC1HWC0", "FRACTAL_Z", "NZ", "ZZ".
std::string_view spelling(Layout layout);

/// A piece of an input that is in L1 at one time.
struct Tile {
  /// Where the piece starts and how large it is, one entry an axis of
  /// InputPlan::axes.
  std::vector<int64_t> origin, sizes;
  int64_t address = 0; ///< in L1
  int64_t bytes = 0;   ///< of L1
  /// [address, address + bytes) is filled with zeros before the moves: rows
  /// that are computed with are not all written by them.
  bool clears = false;
  std::vector<BlockedCopy> copies; ///< what must lie where
  std::vector<Nd2Nz> moves;        ///< what brings it there

  int64_t readBytes() const;
  /// Of the moves and of clearing, one after the other.
  int64_t cycles(const CubeMemory &memory) const;
};

/// One input of a layer.
struct InputPlan {
  Layout layout = Layout::Nz;
  int64_t elementBytes = 2;
  /// The names of the axes of the array in GM, the last of them dense:
  /// {"g", "n", "d", "h", "w", "c"} of feature maps (c of one group),
  /// {"g", "d", "m", "h", "w", "c"} of filters (m and c of one group),
  /// {"b", "m", "k"} and {"b", "k", "n"} of the factors of a product.
  std::vector<std::string> axes;
  std::vector<int64_t> sizes; ///< of the whole array
  int64_t sourceBytes = 0;    ///< of the array in GM, at byte 0
  std::vector<Tile> tiles;

  int64_t readBytes() const;
  int64_t moveCount() const;
  int64_t cycles(const CubeMemory &memory) const;
};

/// A convolution of three spatial axes (1 where there are fewer). The feature
/// map lies in GM as N,D,H,W,C, the filter as M,D,H,W,C/group.
struct ConvShape {
  using Spatial = std::array<int64_t, 3>;
  int64_t n = 1, c = 1, m = 1, group = 1;
  Spatial in = {1, 1, 1}, out = {1, 1, 1}, kernel = {1, 1, 1},
          strides = {1, 1, 1}, padsBegin = {0, 0, 0}, dilations = {1, 1, 1};
};
/// Matrices [batch][m][k] times [batch][k][n]; a factor may have a batch of its
/// own, of 1 where it is one matrix for all.
struct MatMulShape {
  int64_t lhsBatch = 1, rhsBatch = 1, m = 1, k = 1, n = 1;
};

struct InputPlans {
  InputPlan first, second; ///< feature map and filter, left and right factor
  /// Groups of the convolution that are one group of the plan; see Groups.
  int64_t joinedGroups = 1;

  int64_t cycles(const CubeMemory &memory) const {
    return first.cycles(memory) + second.cycles(memory);
  }
};

/// What becomes of groups with fewer channels than a block has.
enum class Groups : uint8_t {
  Separate, ///< each is moved on its own and padded to a block
  /// As many as a block holds are moved as one group where that costs fewer
  /// cycles. The filter must lie in GM as that of so many groups together: with
  /// zeros for the products of one group's channels with another's.
  Joined,
};

/// Plans both inputs in elements of 1, 2 or 4 bytes. Fails if no moves can do
/// it: `unsupported: ...`.
rt::Result<InputPlans> planConv(const ConvShape &shape, int64_t elementBytes,
                                const CubeMemory &memory,
                                Groups groups = Groups::Separate);
rt::Result<InputPlans> planMatMul(const MatMulShape &shape,
                                  int64_t elementBytes,
                                  const CubeMemory &memory);

/// Runs a plan on the emulator with data in which every element is another and
/// compares each tile with its layout, element by element, zeros and gaps
/// included; then brings everything back through the inverse and compares it
/// with the source. Elements too narrow to be all different are run several
/// times, one digit of the element's number each. Empty if all is equal, else
/// the first difference in words.
std::string differenceOf(const InputPlan &plan, const CubeMemory &memory);
/// Elements that some tile moves.
int64_t movedElements(const InputPlan &plan);

} // namespace weft::ascend

#endif // WEFT_RUNTIME_ASCEND_INPUTPLAN_H
