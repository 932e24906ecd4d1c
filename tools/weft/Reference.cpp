#include "tools/weft/Reference.h"

#ifdef WEFT_WITH_COMPILER
#include "dialects/Evaluate.h"
#include "dialects/top/Top.h"
#include "frontend/onnx/Import.h"
#include "runtime/numeric/CarrierTypes.h"
#include "tools/driver/Diagnostics.h"
#include "tools/driver/Plugins.h"
#include "tools/driver/Registration.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

using namespace weft;
using namespace weft::cli;
using rt::Code;
using rt::Result;

/// Diagnostics as a Status: the lines as printed, the first without its prefix.
static rt::Status failureFrom(std::string printed, const std::string &path) {
  const std::string prefix = "weft: error: ";
  if (printed.compare(0, prefix.size(), prefix) == 0)
    printed.erase(0, prefix.size());
  while (!printed.empty() && printed.back() == '\n')
    printed.pop_back();
  if (printed.empty())
    return rt::fail(Code::Internal, path + ": evaluation failed silently");
  return rt::fail(Code::BadFile, printed);
}

/// `inputs` in the element types of `function`: npz lacks some of them.
static NamedTensors inOwnTypes(mlir::func::FuncOp function,
                               NamedTensors inputs) {
  for (mlir::BlockArgument argument : function.getArguments()) {
    auto name = function.getArgAttrOfType<mlir::StringAttr>(
        argument.getArgNumber(), top::kNameAttr);
    auto type = mlir::cast<mlir::RankedTensorType>(argument.getType());
    auto found = name ? inputs.find(name.str()) : inputs.end();
    if (found != inputs.end())
      (void)numeric::fromCarrier(found->second,
                                 *hostElementType(type.getElementType()));
  }
  return inputs;
}

Result<ReferenceValues>
cli::evaluateOnnx(const std::string &path, const NamedTensors &inputs,
                  const NamedTensors &bindings,
                  const std::vector<std::string> &plugins, bool withLayers) {
  driver::Plugins operators;
  WEFT_TRY(operators.load(plugins));
  // The evaluator computes op after op; threads would only cost their start.
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  driver::DiagnosticPrinter printer(context, stream);
  onnx::ImportOptions options;
  options.titles = &printer.titles;
  options.bindings = bindings;
  options.plugins = operators.importOperators();
  operators.attach(context);
  for (const auto &[name, tensor] : inputs)
    options.shapes[name] = tensor.shape();
  mlir::OwningOpRef<mlir::ModuleOp> module =
      onnx::importOnnxFile(path, options, context);
  if (!module)
    return failureFrom(printed, path);
  auto function = module->lookupSymbol<mlir::func::FuncOp>("main");
  ReferenceValues values;
  auto observe = [&](llvm::StringRef name, const numeric::HostTensor &tensor) {
    if (withLayers)
      values.layers[name.str()] = tensor;
  };
  if (!function ||
      mlir::failed(weft::evaluateNamed(function, inOwnTypes(function, inputs),
                                       values.outputs, observe)))
    return failureFrom(printed, path);
  return values;
}

#else

weft::rt::Result<weft::cli::ReferenceValues>
weft::cli::evaluateOnnx(const std::string &path, const NamedTensors &,
                        const NamedTensors &, const std::vector<std::string> &,
                        bool) {
  return rt::fail(rt::Code::Unsupported,
                  "unsupported: this build has no compiler to evaluate " +
                      path + "; give the expected values with --reference");
}

#endif
