//===- Compile.h - from an ONNX file to a bmodel ----------------*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_COMPILE_H
#define WEFT_TOOLS_DRIVER_COMPILE_H

#include "runtime/chips/Targets.h"
#include "runtime/numeric/HostTensor.h"
#include "runtime/status/Status.h"
#include "tools/driver/Diagnostics.h"
#include "tools/driver/Pipelines.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace weft::driver {

/// Sizes of inputs by name (`--shape x=1x3x48x192`).
using InputShapes = std::map<std::string, std::vector<int64_t>>;

/// Constants in place of inputs by name (`--bind shape=shape.npz`).
using InputBindings = std::map<std::string, numeric::HostTensor>;

/// How far a compilation goes and what it gives.
enum class Stage { Top, Tpu, Ppl, Bmodel };

struct CompileOptions {
  InputShapes shapes;
  std::string precision = "f32"; ///< f32, f16, bf16, int8
  std::string chip = chips::defaultTarget();
  std::string calibration; ///< path of a table; for int8
  OptLevel optLevel = OptLevel::O2;
  bool quantizedIo = false;
  bool strip = false; ///< no debug map
};

/// One model on its way through the compiler. Every problem is printed as one
/// `weft: error:` line by `diagnostics`; functions then return failure.
/// Single-threaded, so the output does not depend on the machine.
class Compilation {
public:
  Compilation();
  ~Compilation();

  /// Imports a model; `module()` is its float graph, constants folded and
  /// rewritten.
  mlir::LogicalResult import(const std::string &path, const InputShapes &shapes,
                             const InputBindings &bindings = {});
  /// Runs the passes up to `stage`; from Stage::Tpu on the graph is bound.
  mlir::LogicalResult lower(const CompileOptions &options, Stage stage);
  /// The bytes of the bmodel, after `lower(.., Stage::Ppl)`.
  mlir::FailureOr<std::vector<uint8_t>> pack(const CompileOptions &options);

  /// Why the step that has just failed did: the model or an option
  /// (Code::InvalidArgument, already printed), or Weft itself (Code::Internal):
  /// nothing was printed, or an error that names no place in the model.
  rt::Status failureCause() const;

  mlir::ModuleOp module() { return *theModule; }
  /// The module as text.
  std::string text();

private:
  mlir::MLIRContext context;
  std::unique_ptr<DiagnosticPrinter> diagnostics;
  mlir::OwningOpRef<mlir::ModuleOp> theModule;
};

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_COMPILE_H
