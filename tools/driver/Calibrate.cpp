//===- Calibrate.cpp - value ranges from sample inputs --------------------===//

#include "tools/driver/Calibrate.h"

#include "passes/quantize/Calibrate.h"
#include "tools/driver/SampleReader.h"
#include "tools/onednn/OneDnn.h"

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
  for (size_t i = 0; i < samples->count(); ++i) {
    FailureOr<NamedTensors> inputs = samples->read(i);
    if (failed(inputs) ||
        failed(calibrator.addSample(*inputs, samples->location(i))))
      return failure();
    if (run.progress)
      run.progress(i + 1, samples->count());
  }
  quantize::CalibrationTable table = calibrator.finish(run.options);
  for (const std::string &line : calibrator.warnings(table))
    emitWarning(samples->location()) << line;
  return table;
}

FailureOr<ReferenceSamples> driver::evaluateSamples(ModuleOp module,
                                                    const CalibrationRun &run,
                                                    size_t most) {
  auto function = module.lookupSymbol<func::FuncOp>("main");
  FailureOr<SampleReader> samples = SampleReader::open(module, run);
  ValueTensors constants;
  if (failed(samples) ||
      failed(evaluateConstants(function.getBody().front(), constants)))
    return failure();
  tools::OneDnn accelerator;
  ReferenceSamples references;
  size_t count = std::min(most, samples->count());
  for (size_t i = 0; i < count; ++i) {
    FailureOr<NamedTensors> inputs =
        samples->read(i * samples->count() / count);
    NamedTensors outputs;
    if (failed(inputs) ||
        failed(evaluateNamed(function, *inputs, outputs, nullptr,
                             {&accelerator, &constants})))
      return failure();
    references.inputs.push_back(*std::move(inputs));
    references.outputs.push_back(std::move(outputs));
  }
  return references;
}
