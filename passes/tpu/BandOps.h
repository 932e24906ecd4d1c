//===- BandOps.h - ops on bands of images, and their prices -----*- C++ -*-===//

#ifndef WEFT_PASSES_TPU_BANDOPS_H
#define WEFT_PASSES_TPU_BANDOPS_H

#include "dialects/tpu/Tpu.h"
#include "runtime/chips/Chip.h"

#include "mlir/IR/Builders.h"

namespace weft::tpu {
class ConvOp;

/// How an op reads rows.
struct RowWindow {
  int64_t extent = 1, stride = 1, top = 0;

  /// Rows below an image of `height` that its `results` rows read.
  int64_t below(int64_t height, int64_t results) const {
    return std::max<int64_t>(0, (results - 1) * stride + extent - top - height);
  }
};
RowWindow rowWindowOf(mlir::Operation *op);

/// The operands that are images, by number; the others are weights.
llvm::SmallVector<unsigned, 2> imagesOf(mlir::Operation *op);

/// Whether `op` does with the rows of a band what it does with those of the
/// image, for each channel by constants of its own.
bool passesBands(mlir::Operation *op);

/// What ops are made for: prices read no weights, and bytes of constants live
/// as long as the context.
enum class Purpose { Price, Program };

/// `image` as `count` bands of `rows` rows.
mlir::RankedTensorType bandsType(mlir::Value image, int64_t count,
                                 int64_t rows);

/// The weight with its elements `count` times one after the other along `axis`,
/// the outermost that is not 1. For a price zeros. Null if it has no bytes.
mlir::Value repeatWeight(mlir::OpBuilder &builder, mlir::Value weight,
                         unsigned axis, int64_t count, Purpose purpose);

/// The numbers that `conv` has for each channel, `count` times.
void repeatPerChannel(ConvOp conv, int64_t count);

/// A clone of `op` on `images` in place of its images, with a result of `type`,
/// and constants for `count` bands. Null if a weight has no bytes.
mlir::Operation *cloneForBands(mlir::OpBuilder &builder, mlir::Operation *op,
                               llvm::ArrayRef<mlir::Value> images,
                               mlir::RankedTensorType type, int64_t count,
                               Purpose purpose);

/// Erases `op`, and its weights that nobody else reads.
void eraseWithWeights(mlir::Operation *op);

/// Cycles of `op` on `rows` rows of its result from `first` on.
std::optional<int64_t> bandCyclesOf(mlir::Operation *op, const Chip &chip,
                                    int64_t first, int64_t rows);

/// Cycles to load and to store all of `value`.
int64_t loadCyclesOf(mlir::Value value, const Chip &chip);
int64_t storeCyclesOf(mlir::Value value, const Chip &chip);

/// Whether a transfer brings `image` into the lanes, whatever they hold.
bool isLoaded(mlir::Value image);
/// Whether a transfer alone takes `image` from the lanes.
bool isOnlyStored(mlir::Value image);

/// What it costs to cut `image` into bands.
int64_t costOfCut(mlir::Value image, const Chip &chip, int64_t count);
/// What it costs to make an image of its bands.
int64_t costOfJoin(mlir::Value image, const Chip &chip, int64_t count);

} // namespace weft::tpu

#endif // WEFT_PASSES_TPU_BANDOPS_H
