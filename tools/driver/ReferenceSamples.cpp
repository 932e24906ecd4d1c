//===- ReferenceSamples.cpp - what the float graph gives ------------------===//

#include "tools/driver/ReferenceSamples.h"

#include "tools/onednn/OneDnn.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace weft;
using namespace weft::driver;

namespace {
/// The graph with its constants, which are evaluated once.
class ReferenceEvaluator {
public:
  explicit ReferenceEvaluator(ModuleOp module)
      : function(module.lookupSymbol<func::FuncOp>("main")),
        parts(outputPartsOf(module)) {}

  LogicalResult prepare() {
    return evaluateConstants(function.getBody().front(), constants);
  }

  FailureOr<ReferenceSamples> evaluate(const SampleSource &samples,
                                       const std::vector<size_t> &places) {
    ReferenceSamples references;
    references.parts = parts;
    for (size_t place : places) {
      FailureOr<NamedTensors> inputs = samples.read(place);
      NamedTensors outputs;
      if (failed(inputs) ||
          failed(evaluateNamed(function, *inputs, outputs, nullptr,
                               {&accelerator, &constants})))
        return failure();
      references.names.push_back(samples.name ? samples.name(place) : "");
      references.inputs.push_back(*std::move(inputs));
      references.outputs.push_back(std::move(outputs));
    }
    return references;
  }

private:
  func::FuncOp function;
  OutputParts parts;
  ValueTensors constants;
  tools::OneDnn accelerator;
};
} // namespace

FailureOr<ReferenceSamples> driver::evaluateSpread(ModuleOp module,
                                                   const SampleSource &samples,
                                                   size_t most) {
  ReferenceEvaluator evaluator(module);
  if (failed(evaluator.prepare()))
    return failure();
  return evaluator.evaluate(samples, spread(samples.count, most));
}

FailureOr<SplitSamples> driver::evaluateSplit(ModuleOp module,
                                              const SampleSource &samples,
                                              size_t most) {
  ReferenceEvaluator evaluator(module);
  if (failed(evaluator.prepare()))
    return failure();
  std::vector<size_t> search = spread(samples.count, most);
  FailureOr<ReferenceSamples> first = evaluator.evaluate(samples, search);
  if (failed(first))
    return failure();
  FailureOr<ReferenceSamples> second =
      evaluator.evaluate(samples, spreadBeside(samples.count, search));
  if (failed(second))
    return failure();
  return SplitSamples{*std::move(first), *std::move(second)};
}
