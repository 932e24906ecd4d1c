//===- ProgramSearch.h - groups as the whole program wants them -*- C++ -*-===//
//
// The search for groups prices each by itself. Which ends, slices and places
// are best depends on the groups around it as well: what one keeps, the next
// cannot load. So -O3 makes programs with one group changed, predicts the
// cycles of each and keeps what takes fewer
// (docs/rationale/0018-program-search.md).
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_TOOLS_DRIVER_PROGRAMSEARCH_H
#define WEFT_TOOLS_DRIVER_PROGRAMSEARCH_H

#include "runtime/chips/Chip.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <string>

namespace weft::driver {

/// What a search may take and where it keeps what it found.
struct ProgramSearchOptions {
  /// About so many seconds. Counted in commands of the programs that are made,
  /// so that each machine finds the same.
  double seconds = 10;
  /// File of what earlier searches found, made if need be; empty: none.
  std::string cache;
};

/// What a search came to.
struct FoundProgram {
  mlir::OwningOpRef<mlir::ModuleOp> program; ///< a ppl.net
  uint64_t firstCycles = 0, cycles = 0;      ///< without a change, and of it
  size_t programs = 0;                       ///< that were made
  bool isComplete = false;                   ///< no change is left to try
  bool isKnown = false;                      ///< all of it was in the cache
};

/// A step of the compilation, in place.
using LowerGroups = llvm::function_ref<mlir::LogicalResult(mlir::ModuleOp)>;

/// Looks for groups of `graph` (what buildRecipePipeline gives, for `chip`),
/// slices and places of them with which the program takes fewer cycles. `group`
/// makes groups, `place` makes a ppl.net of them. Fails as they do for the
/// graph as it is, and with a reported error for a cache that cannot be read or
/// written.
mlir::FailureOr<FoundProgram>
searchProgram(mlir::ModuleOp graph, const Chip &chip, LowerGroups group,
              LowerGroups place, const ProgramSearchOptions &options);

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_PROGRAMSEARCH_H
