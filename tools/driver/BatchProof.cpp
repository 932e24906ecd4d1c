//===- BatchProof.cpp - which batches a stage may be padded to ------------===//

#include "tools/driver/BatchProof.h"

#include "dialects/top/Top.h"
#include "passes/top/BatchAxis.h"
#include "tools/driver/Registration.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

#include <set>

using namespace mlir;
using namespace weft;
using namespace weft::driver;

/// Imports that a proof may take. They are much faster than compilations.
static constexpr size_t kMaxImports = 256;

namespace {
/// The float graph for one set of shapes. Problems of the model are not
/// printed: it may be wrong for sizes that nobody asked for.
class Graph {
public:
  Graph(const std::string &path, const InputShapes &shapes,
        const InputBindings &bindings, const Plugins &plugins,
        const onnx::GraphCut &cut)
      : context(registry(), MLIRContext::Threading::DISABLED) {
    ScopedDiagnosticHandler silence(&context,
                                    [](Diagnostic &) { return success(); });
    onnx::ImportOptions options;
    options.shapes = shapes;
    options.bindings = bindings;
    options.plugins = plugins.importOperators();
    options.cut = cut;
    plugins.attach(context);
    module = onnx::importOnnxFile(path, options, context);
    PassManager passes(&context);
    buildTopPipeline(passes);
    if (module && failed(passes.run(*module)))
      module = nullptr;
  }

  func::FuncOp main() {
    return module ? module->lookupSymbol<func::FuncOp>("main") : func::FuncOp();
  }
  static std::string name(DictionaryAttr attributes) {
    auto name = attributes ? attributes.getAs<StringAttr>(top::kNameAttr)
                           : StringAttr();
    return name ? name.str() : "";
  }

private:
  static DialectRegistry registry() {
    DialectRegistry all;
    registerAllDialects(all);
    return all;
  }
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

/// The proof for one combination of all sizes but the batch's.
class Prover {
public:
  Prover(const std::string &path, const InputBindings &bindings,
         const Plugins &plugins, const onnx::GraphCut &cut,
         const std::set<std::string> &batched)
      : path(path), bindings(bindings), plugins(plugins), cut(cut),
        batched(batched) {}

  /// False with `proof.obstacle` if it fails.
  bool prove(InputShapes shapes, int64_t largest, BatchProof &proof) {
    setBatch(shapes, largest);
    Graph big(path, shapes, bindings, plugins, cut);
    func::FuncOp main = big.main();
    std::vector<bool> isBatched;
    for (unsigned i = 0; main && i < main.getNumArguments(); ++i)
      isBatched.push_back(batched.count(Graph::name(main.getArgAttrDict(i))));
    auto axes = main ? top::findBatchAxes(main, isBatched, proof.obstacle)
                     : std::nullopt;
    auto digest = axes ? top::graphDigest(main, *axes, largest) : std::nullopt;
    if (!digest) {
      if (proof.obstacle.empty())
        proof.obstacle = "the sizes do not follow the batch";
      return false;
    }
    for (int64_t size = 1; size < largest; ++size) {
      setBatch(shapes, size);
      Graph small(path, shapes, bindings, plugins, cut);
      if (!small.main() || small.main().getNumArguments() != isBatched.size() ||
          top::graphDigest(small.main(), *axes, size) != digest) {
        proof.obstacle = "the model computes something else for a batch of " +
                         std::to_string(size) + " than for one of " +
                         std::to_string(largest);
        return false;
      }
    }
    for (const std::string &name : batched)
      proof.axes[name] = 0;
    for (auto [i, axis] : llvm::enumerate(top::resultAxes(main, *axes)))
      proof.axes[Graph::name(main.getResultAttrDict(i))] = axis;
    return true;
  }

private:
  void setBatch(InputShapes &shapes, int64_t size) const {
    for (const std::string &name : batched)
      shapes[name][0] = size;
  }
  const std::string &path;
  const InputBindings &bindings;
  const Plugins &plugins;
  const onnx::GraphCut &cut;
  const std::set<std::string> &batched;
};
} // namespace

/// Inputs whose first axis differs between the stages.
static std::set<std::string>
batchedInputs(const std::vector<InputShapes> &shapes) {
  std::set<std::string> names;
  for (const InputShapes &stage : shapes)
    for (const auto &[name, shape] : stage)
      if (!shape.empty() && shape[0] != shapes.front().at(name)[0])
        names.insert(name);
  return names;
}

BatchProof driver::proveBatch(const std::string &path,
                              const std::vector<InputShapes> &shapes,
                              const InputBindings &bindings,
                              const Plugins &plugins,
                              const onnx::GraphCut &cut) {
  BatchProof proof;
  std::set<std::string> batched = batchedInputs(shapes);
  if (batched.empty())
    return proof;
  // The largest batch for every combination of the other sizes.
  std::map<InputShapes, int64_t> largest;
  size_t imports = 0;
  for (InputShapes stage : shapes) {
    int64_t size = stage.at(*batched.begin())[0];
    for (const std::string &name : batched) {
      if (stage.at(name)[0] != size) {
        proof.obstacle = "the inputs' first axes have different sizes";
        return proof;
      }
      stage.at(name)[0] = 0;
    }
    int64_t &most = largest[stage];
    imports += size > most ? size - most : 0;
    most = std::max(most, size);
  }
  if (imports > kMaxImports) {
    proof.obstacle = "there are more than " + std::to_string(kMaxImports) +
                     " sizes to look at";
    return proof;
  }
  Prover prover(path, bindings, plugins, cut, batched);
  for (const auto &[stage, size] : largest) {
    if (!prover.prove(stage, size, proof)) {
      proof.axes.clear();
      proof.largest = 0;
      return proof;
    }
    proof.largest = std::max(proof.largest, size);
  }
  return proof;
}
