//===- Calibrate.cpp - value ranges from sample inputs --------------------===//

#include "tools/driver/Calibrate.h"

#include "passes/quantize/Calibrate.h"
#include "tools/driver/MatrixProducts.h"
#include "tools/driver/SampleReader.h"
#include "tools/onednn/OneDnn.h"

#include <thread>

using namespace mlir;
using namespace weft;
using namespace weft::driver;

FailureOr<quantize::CalibrationTable>
driver::calibrate(ModuleOp module, const CalibrationRun &run) {
  FailureOr<SampleReader> samples = SampleReader::open(module, run);
  if (failed(samples))
    return failure();
  tools::OneDnn accelerator;
  quantize::Calibrator calibrator(module, &accelerator);
  if (run.options.needsRows())
    calibrator.keepRows();
  for (size_t i = 0; i < samples->count(); ++i) {
    FailureOr<NamedTensors> inputs = samples->read(i);
    if (failed(inputs) ||
        failed(calibrator.addSample(*inputs, samples->location(i))))
      return failure();
    if (run.progress)
      run.progress(i + 1, samples->count());
  }
  quantize::CalibrationTable table =
      calibrator.finish(run.options, multiplyByOneDnn,
                        std::max(1U, std::thread::hardware_concurrency()));
  for (const std::string &line : calibrator.warnings(table))
    emitWarning(samples->location()) << line;
  return table;
}

namespace {
/// Samples of a run and the graph that gives their outputs.
class ReferenceEvaluator {
public:
  static FailureOr<ReferenceEvaluator> open(ModuleOp module,
                                            const CalibrationRun &run) {
    FailureOr<SampleReader> samples = SampleReader::open(module, run);
    if (failed(samples))
      return failure();
    ReferenceEvaluator evaluator(module.lookupSymbol<func::FuncOp>("main"),
                                 *std::move(samples));
    if (failed(evaluateConstants(evaluator.function.getBody().front(),
                                 evaluator.constants)))
      return failure();
    return evaluator;
  }

  size_t count() const { return samples.count(); }

  FailureOr<ReferenceSamples> evaluate(const std::vector<size_t> &places) {
    ReferenceSamples references;
    for (size_t place : places) {
      FailureOr<NamedTensors> inputs = samples.read(place);
      NamedTensors outputs;
      if (failed(inputs) ||
          failed(evaluateNamed(function, *inputs, outputs, nullptr,
                               {accelerator.get(), &constants})))
        return failure();
      references.inputs.push_back(*std::move(inputs));
      references.outputs.push_back(std::move(outputs));
    }
    return references;
  }

private:
  ReferenceEvaluator(func::FuncOp function, SampleReader samples)
      : function(function), samples(std::move(samples)),
        accelerator(std::make_unique<tools::OneDnn>()) {}

  func::FuncOp function;
  SampleReader samples;
  ValueTensors constants;
  std::unique_ptr<tools::OneDnn> accelerator;
};
} // namespace

FailureOr<ReferenceSamples> driver::evaluateSamples(ModuleOp module,
                                                    const CalibrationRun &run,
                                                    size_t most) {
  FailureOr<ReferenceEvaluator> evaluator =
      ReferenceEvaluator::open(module, run);
  if (failed(evaluator))
    return failure();
  return evaluator->evaluate(spread(evaluator->count(), most));
}

FailureOr<SplitSamples> driver::evaluateSplitSamples(ModuleOp module,
                                                     const CalibrationRun &run,
                                                     size_t most) {
  FailureOr<ReferenceEvaluator> evaluator =
      ReferenceEvaluator::open(module, run);
  if (failed(evaluator))
    return failure();
  std::vector<size_t> search = spread(evaluator->count(), most);
  FailureOr<ReferenceSamples> first = evaluator->evaluate(search),
                              second = evaluator->evaluate(
                                  spreadBeside(evaluator->count(), search));
  if (failed(first) || failed(second))
    return failure();
  return SplitSamples{*std::move(first), *std::move(second)};
}
