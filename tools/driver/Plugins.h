//===- Plugins.h - libraries of ONNX operators ------------------*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_PLUGINS_H
#define WEFT_TOOLS_DRIVER_PLUGINS_H

#include "dialects/CustomKernels.h"
#include "frontend/onnx/Import.h"
#include "frontend/ppl/include/ppl/plugin_interface.h"
#include "frontend/ppl/include/ppl/recorder.h"
#include "runtime/status/Status.h"

#include "mlir/IR/MLIRContext.h"

#include <string>
#include <vector>

namespace weft::driver {

/// The libraries of `--plugin`, and the kernels of the library that the
/// compiler itself uses (LibraryOperators.h). They stay loaded until the
/// program ends. The code of a plugin is the user's own: it runs in this
/// process.
class Plugins {
public:
  Plugins();

  /// One operator of a library.
  struct Operator {
    std::string library; ///< path as it was given
    const weft_plugin_operator *row;
    void (*bind)(const weft_ppl_recorder *recorder);
  };

  /// Opens a library. Fails if it is none, is of another version or brings an
  /// operator that another one brought.
  rt::Status load(const std::string &path);
  rt::Status load(const std::vector<std::string> &paths);

  /// Without the library's. For ImportOptions::plugins; they refer to this
  /// object.
  std::vector<onnx::PluginOperator> importOperators() const;
  /// Lets ops of operators evaluate in `context`, for which this object must
  /// live on.
  void attach(mlir::MLIRContext &context) const;
  /// The operator of a node, of a plugin or of the library; null if there is
  /// none.
  const Operator *find(llvm::StringRef domain, llvm::StringRef name,
                       int64_t opset) const;

  /// A tensor of a node for the kernel: its type, and where it lies.
  struct Place {
    mlir::RankedTensorType type;
    uint64_t address;
  };
  /// Runs the kernel of `custom`, which calls the bound recorder. The reason
  /// if it refuses the node.
  rt::Status record(const Operator &found, const CustomOperator &custom,
                    llvm::ArrayRef<Place> inputs, llvm::ArrayRef<Place> outputs,
                    const weft_ppl_recorder &recorder) const;

  /// The operators HOST_by_WAY of the library that compute what host kernel
  /// `kernel` does.
  std::vector<const Operator *> libraryFor(llvm::StringRef kernel) const;

private:
  std::vector<Operator> operators, library;
};

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_PLUGINS_H
