//===- CheapestProgram.h - int8 where it takes fewer cycles -----*- C++ -*-===//
//
// An int8 program should never take more predicted cycles than that of f16. A
// product in codes does where casts, transfers or turns around it cost more
// than it saves; only whole programs tell. So the program of codes is compared
// with the one that computes every op as an f16 program does, and with a mix of
// both: each op in the way in which it took fewer cycles, as regions that are
// worth their casts. See docs/rationale/0002-quantization.md.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_TOOLS_DRIVER_CHEAPESTPROGRAM_H
#define WEFT_TOOLS_DRIVER_CHEAPESTPROGRAM_H

#include "tools/driver/CheapestMix.h"
#include "tools/driver/ProgramCycles.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>
#include <vector>

namespace weft::driver {

/// Lowers a graph in the top dialect to a ppl.net, in place; whether what the
/// passes give is verified is up to `verifies`.
using LowerGraph =
    llvm::function_ref<mlir::LogicalResult(mlir::ModuleOp, bool verifies)>;

/// Which ops of an int8 program are floats, and its program.
struct CheapestProgram {
  /// In the top dialect those that are (`top.floats`), by their position among
  /// the ops of `@main`.
  std::vector<size_t> floats;
  /// What `lower` made of the graph with them.
  mlir::OwningOpRef<mlir::ModuleOp> program;
  /// An array of #tpu.choice; null if there was nothing to choose.
  mlir::ArrayAttr choices;
  /// Of the graph in codes and of the chosen one; 0 if they are not known.
  uint64_t codeCycles = 0, cycles = 0;
};

/// Lowers clones of `module`, a graph in the top dialect, as int8 programs for
/// `chip` and gives the one that takes the fewest cycles; at most three are
/// made. Fails as `lower` does for the graph in codes. Of what it reports, that
/// of the given program is shown. Where cycles cannot be predicted, that is the
/// program of codes.
mlir::FailureOr<CheapestProgram>
findCheapestProgram(mlir::ModuleOp module, const Chip &chip, LowerGraph lower);

/// Marks the ops at these positions of `@main` as floats.
void markFloats(mlir::ModuleOp module, llvm::ArrayRef<size_t> positions);

/// Names of the products (quantize::codeProductsOf) of which some op is marked.
std::vector<std::string> markedProducts(mlir::ModuleOp module);

/// Says in a remark which products became floats, if any did.
void remarkFloats(mlir::ModuleOp module, const CheapestProgram &cheapest);

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_CHEAPESTPROGRAM_H
