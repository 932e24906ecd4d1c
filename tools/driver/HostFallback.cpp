//===- HostFallback.cpp - to the host what later passes refuse ------------===//

#include "tools/driver/HostFallback.h"

#include "dialects/top/Top.h"
#include "passes/quantize/HostPlacement.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace weft;
using namespace weft::driver;

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

namespace {
/// The ops of a module that the host can compute, by the places of errors.
class HostMarks {
public:
  explicit HostMarks(ModuleOp module) : module(module) {}

  /// Marks the ops at `location` for the host; false if there is none that the
  /// host can compute and that was not on the host already. Several errors of
  /// one attempt may be at the place of one op.
  bool mark(Location location, StringRef reason) {
    bool found = false;
    walk(location, [&](Operation *op) {
      found = true;
      if (fresh.insert(op).second)
        op->setAttr(quantize::kHostReasonAttr,
                    StringAttr::get(op->getContext(), reason));
    });
    return found;
  }

private:
  void walk(Location location, llvm::function_ref<void(Operation *)> function) {
    llvm::DenseSet<Location> places = partsOf(location);
    module.walk([&](Operation *op) {
      bool isMarked = op->hasAttr(quantize::kHostReasonAttr);
      if (!isa_and_nonnull<top::TopDialect>(op->getDialect()) ||
          (isMarked && !fresh.contains(op)) || !quantize::hasHostKernel(op))
        return;
      if (llvm::any_of(partsOf(op->getLoc()),
                       [&](Location part) { return places.contains(part); }))
        function(op);
    });
  }

  ModuleOp module;
  llvm::DenseSet<Operation *> fresh; ///< marked by this object
};
} // namespace

/// Of what a failed attempt said, what the user must know: nothing of the ops
/// that the next attempt places on the host (all are marked), unless
/// `isFinal`. The steps that one op became may all be refused: the first
/// refusal stands for all, and any other message is said once.
static std::vector<Diagnostic> markAndKeep(std::vector<Diagnostic> errors,
                                           HostMarks marks, bool isFinal) {
  static constexpr StringLiteral kRefusal = "unsupported: ";
  static constexpr StringLiteral kHint =
      "; the host can compute it, convert without --no-host";
  std::vector<Diagnostic> kept;
  llvm::DenseSet<std::pair<Location, StringAttr>> said;
  for (Diagnostic &error : errors) {
    Location place = error.getLocation();
    std::string text = error.str();
    StringRef reason = text;
    bool isForHost =
        reason.consume_front(kRefusal) && marks.mark(place, reason);
    auto what = StringAttr::get(place.getContext(), isForHost ? "" : text);
    if ((isForHost && !isFinal) || !said.insert({place, what}).second)
      continue;
    if (isForHost && !reason.ends_with(kHint))
      error << kHint;
    kept.push_back(std::move(error));
  }
  return kept;
}

LogicalResult driver::lowerWithHostFallback(
    OwningOpRef<ModuleOp> &module, bool noHost,
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
    bool hasErrors = !errors.empty();
    if (failed(result))
      errors = markAndKeep(std::move(errors), HostMarks(*module), noHost);
    if (failed(result) && hasErrors && errors.empty())
      continue;
    for (Diagnostic &error : errors)
      module->getContext()->getDiagEngine().emit(std::move(error));
    module = std::move(lowered);
    return result;
  }
}
