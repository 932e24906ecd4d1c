//===- GroupEmitter.h - one group as loads, computation, stores -*- C++ -*-===//

#ifndef WEFT_CODEGEN_EMIT_GROUPEMITTER_H
#define WEFT_CODEGEN_EMIT_GROUPEMITTER_H

#include "codegen/emit/ConstantImages.h"
#include "dialects/ConstantBlobs.h"
#include "llvm/ADT/DenseMap.h"

namespace weft::emit {

/// Emits one `tpu.group`.
class GroupEmitter {
public:
  GroupEmitter(mlir::OpBuilder &builder, const Chip &chip, tpu::GroupOp group,
               const llvm::DenseMap<mlir::Value, int64_t> &addresses,
               BlobReleaser &releaser)
      : builder(builder), chip(chip), group(group), addresses(addresses),
        releaser(releaser) {}

  mlir::LogicalResult emit();
  /// First byte after the packed constants of the group.
  int64_t weightEnd() const { return lastWeight; }

private:
  mlir::LogicalResult packConstants();
  void emitRun(const StepRun &run);
  void emitStep(int64_t step, mlir::Value iteration);
  void emitPipelined(int64_t step, mlir::Value iteration);
  void emitStreamed(int64_t step, mlir::Value iteration);
  void loadBefore(int64_t op, int64_t slice, mlir::Value iteration);
  void compute(const SlicePoint &point, size_t op);
  int64_t imageAddress(const SlicePoint &point, size_t buffer) const;
  SlicePoint pointAt(int64_t slice, mlir::Value iteration) const;
  void load(const SlicePoint &point, size_t buffer);
  llvm::SmallVector<size_t> loadsInOrder() const;
  void loadInput(const SlicePoint &point, size_t buffer);
  void loadConstant(const SlicePoint &point, size_t buffer);
  void store(const SlicePoint &point, size_t output);
  void handOver(const SlicePoint &point, size_t output);
  void emitArranged(mlir::Location loc, tpu::ArrangeOp arrange,
                    mlir::Value whole, mlir::Value local, const tpu::Box &tile,
                    const tpu::Box *next, mlir::Value iteration, bool isLoad);
  void loadRowPhases(mlir::Location loc, tpu::RowPhasesOp phases,
                     mlir::Value image, mlir::Value local, const tpu::Box &tile,
                     const tpu::Box *next, mlir::Value iteration);
  void emitBands(mlir::Location loc, tpu::BandsAttr bands, mlir::Value image,
                 mlir::Value local, const tpu::Box &tile, const tpu::Box *next,
                 mlir::Value iteration, bool isLoad);
  void observeMoved(mlir::Operation *move, mlir::Value output);
  mlir::Value globalPiece(mlir::Location loc, mlir::Value whole,
                          const tpu::Dims &steps, const tpu::Box &piece,
                          const tpu::Box *nextPiece, mlir::Value iteration);
  /// The part of `whole` of sizes `size` that begins at element `offset`, in
  /// the second turn of a loop at element `next`.
  mlir::Value globalPart(mlir::Location loc, mlir::Value whole,
                         const tpu::Dims &steps, const tpu::Dims &size,
                         int64_t offset, int64_t next, mlir::Value iteration);

  mlir::OpBuilder &builder;
  const Chip &chip;
  tpu::GroupOp group;
  const llvm::DenseMap<mlir::Value, int64_t> &addresses;
  BlobReleaser &releaser;
  GroupSchedule schedule;
  llvm::SmallVector<size_t> loads; ///< buffers, by the first op that reads
  /// Streamed: by the op that they come before, those of the slice before
  /// first.
  std::vector<llvm::SmallVector<size_t>> loadsBefore;
  std::vector<std::vector<tpu::ConstantImage>> images; ///< per buffer
  int64_t lastWeight = 0;
};

/// Notes that `tensor` now holds `piece` of the ONNX value that `op` stands for
/// (attribute top.value); nothing if it stands for none. In a loop `next` is
/// the piece of the second turn.
void observe(mlir::OpBuilder &builder, const Chip &chip, mlir::Operation &op,
             mlir::Value tensor, const tpu::Box &piece, const tpu::Box *next,
             mlir::Value iteration);

} // namespace weft::emit

#endif // WEFT_CODEGEN_EMIT_GROUPEMITTER_H
