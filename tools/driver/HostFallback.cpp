//===- HostFallback.cpp - to the host what later passes refuse ------------===//

#include "tools/driver/HostFallback.h"

#include "dialects/top/Top.h"
#include "passes/quantize/HostPlacement.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace weft;
using namespace weft::driver;

/// Attempts after which the refusal stands: each marks all that it can.
static constexpr int kMaxAttempts = 8;

/// The places that a location is made of.
static llvm::DenseSet<Location> partsOf(Location location) {
  llvm::DenseSet<Location> parts;
  location->walk([&](Location part) {
    if (isa<NameLoc>(part))
      parts.insert(part);
    return WalkResult::advance();
  });
  return parts;
}

/// Marks the ops of `module` at the place of an error for the host; false if
/// there is none that the host can compute and that is not marked yet.
static bool markForHost(ModuleOp module, Location location, StringRef reason) {
  llvm::DenseSet<Location> places = partsOf(location);
  bool marked = false;
  module.walk([&](Operation *op) {
    if (!isa_and_nonnull<top::TopDialect>(op->getDialect()) ||
        op->hasAttr(quantize::kHostReasonAttr) || !quantize::hasHostKernel(op))
      return;
    for (Location part : partsOf(op->getLoc()))
      if (places.contains(part)) {
        op->setAttr(quantize::kHostReasonAttr,
                    StringAttr::get(op->getContext(), reason));
        marked = true;
        return;
      }
  });
  return marked;
}

LogicalResult driver::lowerWithHostFallback(
    OwningOpRef<ModuleOp> &module,
    llvm::function_ref<LogicalResult(ModuleOp)> lower) {
  for (int attempt = 1;; ++attempt) {
    OwningOpRef<ModuleOp> lowered = module->clone();
    std::vector<Diagnostic> errors;
    LogicalResult result = failure();
    {
      ScopedDiagnosticHandler handler(
          module->getContext(), [&](Diagnostic &diagnostic) {
            if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
              return success(attempt > 1); // said once already
            errors.push_back(std::move(diagnostic));
            return success();
          });
      result = lower(*lowered);
    }
    bool again = failed(result) && !errors.empty() && attempt < kMaxAttempts;
    for (const Diagnostic &error : errors) {
      std::string text = error.str();
      StringRef reason = text;
      again = again && reason.consume_front("unsupported: ") &&
              markForHost(*module, error.getLocation(), reason);
    }
    if (again)
      continue;
    for (Diagnostic &error : errors)
      module->getContext()->getDiagEngine().emit(std::move(error));
    module = std::move(lowered);
    return result;
  }
}
