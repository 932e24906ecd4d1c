//===- GroupPlan.h - slices and buffers of a layer group --------*- C++ -*-===//
//
// The one definition of "what does slice i of these ops compute" and "which
// buffers does that take". The grouping pass asks it for candidates, the
// placement pass for the chosen groups, emission for the numbers of every
// command.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_DIALECTS_TPU_GROUPPLAN_H
#define WEFT_DIALECTS_TPU_GROUPPLAN_H

#include "dialects/tpu/Group.h"
#include "dialects/tpu/LanePlan.h"
#include "dialects/tpu/Move.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <vector>

namespace weft::tpu {

/// `op`, which may be null, as one that runs on pieces in local memory; null if
/// it does not.
TilingInterface asTileable(mlir::Operation *op);

/// Whether every element of the result is a function of the one element of
/// operand 0 at its place.
bool isElementFunction(mlir::Operation *op);

/// Whether `op` only says where values lie (TilingInterface::channelInResult).
bool isPlacement(mlir::Operation *op);
/// Whether a tileable op needs no group, since DRAM does it as well.
bool staysInDram(mlir::Operation *op);

/// Whether the tiles of `op` may begin in another lane than 0, all in the same.
/// Constants of which there is one for all lanes forbid it.
bool canLeaveFirstLane(const Chip &chip, TilingInterface op);

/// What an op asks of the lane of an operand.
struct LaneNeed {
  /// InAllLanes: one channel, in each lane from 0 on.
  enum Kind : uint8_t { Inside, FirstLane, WithResult, InAllLanes };
  unsigned operand;
  Kind kind;
  int64_t channel = 0; ///< of the result, of an operand inside of that
};
/// Of every operand that lies in the lanes and may not begin in any.
llvm::SmallVector<LaneNeed, 2> laneNeedsOf(TilingInterface op);

/// Tells `plan` what an op asks of the lanes of its operands and result.
/// `numberOf` gives their numbers in the plan; it is not asked for operands
/// that the op packs.
void addToLanePlan(TilingInterface op, llvm::ArrayRef<LaneNeed> needs,
                   bool canLeaveFirstLane,
                   llvm::function_ref<int(mlir::Value)> numberOf,
                   LanePlan &plan);

/// A run of tileable ops seen as a group, whether or not a `tpu.group` exists
/// yet. Values are numbered: inputs (DRAM tensors) first, then the result of
/// each op.
struct GroupView {
  struct OpView {
    mlir::Operation *op = nullptr;
    TilingInterface tiling;
    /// Value number of each operand; -1 for constants that the op packs itself.
    llvm::SmallVector<int, 3> operands;
  };
  std::vector<OpView> ops;
  llvm::SmallVector<mlir::Value> inputs;
  /// Per input the turn, the order of rows or the cut into bands or phases that
  /// its load does, null of others: DRAM holds the operand of that.
  llvm::SmallVector<mlir::Operation *> loadMoves;
  /// Per input whether its one channel is loaded into every lane
  /// (TilingInterface::repeatsChannel).
  llvm::SmallVector<bool> repeated;
  /// Value numbers of the results that are stored.
  llvm::SmallVector<int> outputs;
  /// Per output the turn that its store does or the image that it makes of
  /// bands, null of others: DRAM gets the result of that.
  llvm::SmallVector<mlir::Operation *> storeMoves;
  /// Per output what only an image is made of: its own rows are stored alone.
  llvm::SmallVector<BandsAttr> storedBands;
  /// Per output whether it goes to DRAM, and whether the group behind finds it
  /// whole in local memory.
  llvm::SmallVector<bool> stored, handed;
  /// Per input where the group before has left it in local memory; no address
  /// where a load brings it.
  llvm::SmallVector<std::optional<int64_t>> keptAt;
  /// Where each value lies; none if they cannot all lie where they have to.
  std::vector<LanePlace> places;

  int resultOf(size_t op) const { return static_cast<int>(inputs.size() + op); }
  size_t valueCount() const { return inputs.size() + ops.size(); }
  /// Adds an output, which a store takes to DRAM as it is.
  void addOutput(int value);
  mlir::Value value(int number) const;
};

/// View of consecutive ops (tileable ops and weights; weights are skipped).
/// Values defined outside become inputs, values used outside become outputs.
GroupView viewOps(const Chip &chip, llvm::ArrayRef<mlir::Operation *> ops);
GroupView viewGroup(const Chip &chip, GroupOp group);

/// The op that the load of this argument of a group does (`tpu.arrange`,
/// `tpu.permute`, `tpu.row_phases` or `tpu.to_bands`); null if none.
mlir::Operation *loadMoveOf(mlir::BlockArgument argument);
/// The op that the store of this operand of a group's yield does
/// (`tpu.arrange`, `tpu.permute` or `tpu.from_bands`).
mlir::Operation *storeMoveOf(mlir::Value yielded);

/// The boxes of one slice.
struct SlicePlan {
  std::vector<Box> tiles; ///< per value: what local memory holds
  llvm::SmallVector<Box>
      stores; ///< per output: what is stored to DRAM; lies inside the tile
};

/// Boxes of slice `index` (per axis, index < counts), found by walking the ops
/// backwards from the pieces to store. std::nullopt if some piece cannot be
/// computed alone or an axis is too short.
std::optional<SlicePlan> planSlice(const Chip &chip, const GroupView &view,
                                   const Dims &counts, const Dims &index);

/// That of the slice in the middle, which stands for all in prices.
std::optional<SlicePlan>
planMiddleSlice(const Chip &chip, const GroupView &view, const Dims &counts);

/// Slice number -> index per axis (n outermost, w innermost).
Dims sliceIndex(const Dims &counts, int64_t number);

/// What an operand must provide for the box `result` of an element-wise op: the
/// same box, or the one element along axes of size 1.
InputNeed broadcastNeed(mlir::Value operand, const Box &result);

/// A constant of an op inside the block that brings it: `offset` bytes into the
/// lane.
struct ConstantPart {
  unsigned index = 0; ///< among the constants of the op's recipe
  LocalTensor tensor;
  int64_t offset = 0;
};

/// One buffer of a group: what it holds and in which slices' steps it is
/// needed.
struct GroupBuffer {
  enum Kind : uint8_t { Input, Result, Whole, Constant, Scratch, OperandCopy };
  Kind kind = Scratch;
  int owner = 0;   ///< input number, or op number
  int operand = 0; ///< OperandCopy: operand number
  LocalTensor tensor;
  /// Per lane; 0 if it lies in the room of another value.
  int64_t bytes = 0;
  int64_t firstChannel = 0; ///< Constant: see LocalBuffer
  bool broadcast = false;   ///< Constant: see LocalBuffer
  /// Constant only: the constants of an op that have a value for each channel
  /// lie behind each other in every lane, and in DRAM lane after lane as they
  /// will in local memory: `tensor` is that image, a row a lane. So one
  /// transfer of long runs brings them all. If false, `tensor` is the one
  /// constant that lies here; DRAM holds it channel after channel.
  bool isImage = false;
  /// Constant only, one that is no image: two transfers bring it (roundsOf),
  /// and DRAM holds it as they do.
  bool isRounds = false;
  /// Constant only: what lies here.
  llvm::SmallVector<ConstantPart, 3> parts;
  /// Input only: the group before has left it here.
  bool isKept = false;

  bool isLoaded() const {
    return (kind == Input && !isKept) || kind == Constant;
  }
  /// Bytes the DMA moves for it (inputs and constants).
  int64_t storedBytes() const {
    return LocalBuffer{LocalBuffer::Constant, tensor, 0, broadcast}
        .storedBytes();
  }
};

/// All buffers of a slice in their fixed order: inputs; then per op its result,
/// what the group behind finds whole of it if this is not all of it, constants,
/// scratch, operand copies. Operand copies are for ops that cannot read a piece
/// out of a larger tile; 0 bytes in slices that need none.
std::vector<GroupBuffer> enumerateBuffers(const Chip &chip,
                                          const GroupView &view,
                                          const SlicePlan &slice);

/// Which of the buffers of a slice holds what the group behind finds of output
/// `output`, which is handed: the result in a group of one slice.
size_t handedBuffer(const GroupView &view, llvm::ArrayRef<GroupBuffer> buffers,
                    size_t output);

/// A constant without gaps, in two transfers: a row a lane of its whole rounds
/// over the lanes, then channel after channel what is left, `restOffset` bytes
/// into the lanes. Runs of single channels would be shorter.
struct ConstantRounds {
  LocalTensor whole, rest; ///< `rest` may have no channel
  int64_t rounds = 0;
  int64_t restOffset = 0;
};
ConstantRounds roundsOf(const Chip &chip, const LocalTensor &tensor);

/// The first op that reads what `loaded` holds.
size_t firstReaderOf(const GroupView &view, const GroupBuffer &loaded);

/// What DRAM holds of a buffer of kind Constant: an image for each slice of
/// channels.
struct ConstantImage {
  GroupBuffer buffer;
  int64_t offset = 0; ///< bytes from the first image, a multiple of an EU row
};

/// Per buffer of the tiled group, in the order of `enumerateBuffers`: the
/// images of a constant in the order in which slices want them, none of others.
/// std::nullopt if a slice cannot be planned.
std::optional<std::vector<std::vector<ConstantImage>>>
constantImages(const Chip &chip, const GroupView &view, const Dims &counts);

/// Bytes of all images.
int64_t imagesBytes(const std::vector<ConstantImage> &images);

} // namespace weft::tpu

#endif // WEFT_DIALECTS_TPU_GROUPPLAN_H
