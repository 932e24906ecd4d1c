//===- BandRegion.h - connected ops that compute on bands -------*- C++ -*-===//

#ifndef WEFT_PASSES_TPU_BANDREGION_H
#define WEFT_PASSES_TPU_BANDREGION_H

#include "passes/tpu/BandOps.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

namespace weft::tpu {

/// What a value of a region is in bands.
struct BandRows {
  int64_t scale = 1;            ///< rows for each of the value with the fewest
  int64_t above = 0, below = 0; ///< of other bands that readers need
};

/// Ops that are to compute on bands, in block order.
class BandRegion {
public:
  BandRegion(std::vector<mlir::Operation *> ops, int64_t count,
             const Chip &chip)
      : ops(std::move(ops)), inside(this->ops.begin(), this->ops.end()),
        count(count), chip(chip) {}

  /// False if the rows of its values do not go together.
  bool plan();
  /// Makes the ops on bands in front of the others. The longer of computing
  /// and moving, and what it costs to bring values into other lanes;
  /// std::nullopt if an op has no cycles.
  std::optional<int64_t> build(Purpose purpose);
  /// Cycles to load and store what DRAM has of the region in any case, of which
  /// bands load some rows twice.
  int64_t movingCycles(bool inBands) const;
  /// Puts what was built in the place of the others.
  void replace();
  /// Erases what was built; it can be built again.
  void erase();

  llvm::ArrayRef<mlir::Operation *> opsAsTheyAre() const { return ops; }
  int64_t bands() const { return count; }
  mlir::Operation *madeFor(mlir::Operation *op) const {
    return bandsOfImage.lookup(op->getResult(0)).getDefiningOp();
  }

private:
  bool isInside(mlir::Operation *op) const { return inside.contains(op); }
  bool findScales();
  void findHalos();
  bool isReadOutside(mlir::Value value) const {
    return llvm::any_of(value.getUsers(),
                        [&](mlir::Operation *user) { return !isInside(user); });
  }
  BandsAttr bandsOf(mlir::Value value) const;
  int64_t rowsOf(mlir::Value value) const {
    return (above + rows + below) * values.lookup(value).scale;
  }
  mlir::Value inBands(mlir::Value image, mlir::OpBuilder &builder);
  mlir::Value cleared(mlir::Value image, mlir::Operation *reader,
                      mlir::OpBuilder &builder);
  std::optional<int64_t> cyclesOfMade(mlir::Operation *op,
                                      mlir::Value image) const;

  std::vector<mlir::Operation *> ops;
  llvm::DenseSet<mlir::Operation *> inside; ///< `ops`
  int64_t count;
  const Chip &chip;
  llvm::MapVector<mlir::Value, BandRows> values;
  /// Of the value with the fewest rows: those of a band, and those of others
  /// before and behind them.
  int64_t rows = 0, above = 0, below = 0;
  llvm::DenseMap<mlir::Value, mlir::Value> bandsOfImage;
  llvm::SmallVector<mlir::Operation *> made; ///< from the first to the last
};

} // namespace weft::tpu

#endif // WEFT_PASSES_TPU_BANDREGION_H
