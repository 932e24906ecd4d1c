//===- top-eval.cpp - runs a batch of ONNX models in top's evaluator
//--------===//
//
//   top-eval [--rewrite] [--repeat N] MODEL.onnx IN.npz OUT.npz [MODEL.onnx
//   IN.npz OUT.npz]...
//
// Arrays "bind:<name>" of IN.npz are constants in place of that input. OUT.npz
// gets the model's outputs, and every intermediate under
// "value:<name>".
// --rewrite folds constants and canonicalizes first. A test tool: one process
// for many models, because starting one per model would take most of the time.
//
//===------------------------------------------------------------------------===//

#include "dialects/Evaluate.h"
#include "frontend/onnx/Import.h"
#include "passes/top/Passes.h"
#include "runtime/numeric/CarrierTypes.h"
#include "tools/npz/Npz.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace weft;

namespace {

struct Options {
  bool rewrite = false;
  int repeat = 1;
};

bool runModel(const Options &options, const std::string &model,
              const std::string &inPath, const std::string &outPath) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto archive = npz::Reader::open(inPath);
  if (!archive) {
    llvm::errs() << archive.status().message() << "\n";
    return false;
  }
  NamedTensors inputs, outputs, observed;
  onnx::ImportOptions importOptions;
  for (const std::string &name : archive->names()) {
    auto tensor = archive->read(name);
    if (!tensor) {
      llvm::errs() << tensor.status().message() << "\n";
      return false;
    }
    constexpr llvm::StringLiteral kBind = "bind:";
    if (llvm::StringRef(name).starts_with(kBind)) {
      importOptions.bindings[name.substr(kBind.size())] = std::move(*tensor);
      continue;
    }
    importOptions.shapes[name] = tensor->shape();
    inputs[name] = std::move(*tensor);
  }
  auto module = onnx::importOnnxFile(model, importOptions, context);
  if (!module)
    return false;
  if (options.rewrite) {
    mlir::PassManager passes(&context);
    passes.addPass(top::createTopFoldConstants());
    passes.addPass(top::createTopCanonicalize());
    if (failed(passes.run(*module)))
      return false;
  }
  auto function = module->lookupSymbol<mlir::func::FuncOp>("main");
  for (mlir::BlockArgument argument : function.getArguments()) {
    auto name = function.getArgAttrOfType<mlir::StringAttr>(
        argument.getArgNumber(), weft::kNameAttr);
    auto type = mlir::cast<mlir::RankedTensorType>(argument.getType());
    // A type that does not fit is reported by the evaluator.
    if (auto input = inputs.find(name.str()); input != inputs.end())
      (void)numeric::fromCarrier(input->second,
                                 *hostElementType(type.getElementType()));
  }
  auto observe = [&](llvm::StringRef name, const numeric::HostTensor &tensor) {
    observed["value:" + name.str()] = tensor;
  };
  for (int i = 0; i < options.repeat; ++i) {
    auto start = std::chrono::steady_clock::now();
    if (failed(evaluateNamed(function, inputs, outputs, observe)))
      return false;
    std::chrono::duration<double, std::milli> spent =
        std::chrono::steady_clock::now() - start;
    if (options.repeat > 1)
      llvm::outs() << "forward " << spent.count() << " ms\n";
  }
  std::vector<npz::NamedTensor> arrays;
  for (const auto &[name, tensor] : outputs)
    arrays.push_back({name, &tensor});
  for (const auto &[name, tensor] : observed)
    arrays.push_back({name, &tensor});
  rt::Status written = npz::writeNpz(outPath, arrays);
  if (!written.isOk())
    llvm::errs() << written.message() << "\n";
  return written.isOk();
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  int at = 1;
  for (; at < argc; ++at) {
    std::string flag = argv[at];
    if (flag == "--rewrite")
      options.rewrite = true;
    else if (flag == "--repeat" && at + 1 < argc)
      options.repeat = std::atoi(argv[++at]);
    else
      break;
  }
  if (at == argc || (argc - at) % 3 != 0) {
    llvm::errs()
        << "usage: top-eval [--rewrite] [--repeat N] {MODEL IN OUT}...\n";
    return 2;
  }
  int failures = 0;
  for (; at < argc; at += 3) {
    if (!runModel(options, argv[at], argv[at + 1], argv[at + 2])) {
      llvm::errs() << "failed: " << argv[at] << "\n";
      ++failures;
    }
  }
  return failures ? 1 : 0;
}
