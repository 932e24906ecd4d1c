//===- Calibrate.cpp - value ranges from sample inputs --------------------===//

#include "tools/driver/Calibrate.h"

#include "passes/quantize/Calibrate.h"
#include "runtime/status/Stop.h"
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
  rt::Stop stop;
  rt::StopScope scope(&stop);
  for (size_t i = 0; i < samples->count(); ++i) {
    stop.begin(run.timeLimitSeconds);
    FailureOr<NamedTensors> inputs = samples->read(i);
    if (failed(inputs) ||
        failed(calibrator.addSample(*inputs, samples->location(i))))
      return failure();
    if (run.progress)
      run.progress(i + 1, samples->count());
  }
  stop.begin(0);
  quantize::CalibrationTable table =
      calibrator.finish(run.options, multiplyByOneDnn,
                        std::max(1U, std::thread::hardware_concurrency()));
  for (const std::string &line : calibrator.warnings(table))
    emitWarning(samples->location()) << line;
  return table;
}

/// The samples of `reader`, which outlives them.
static SampleSource sourceOf(const SampleReader &reader) {
  return {reader.count(), [&](size_t sample) { return reader.read(sample); },
          [&](size_t sample) { return reader.name(sample); }};
}

FailureOr<ReferenceSamples> driver::evaluateSamples(ModuleOp module,
                                                    const CalibrationRun &run,
                                                    size_t most) {
  FailureOr<SampleReader> reader = SampleReader::open(module, run);
  if (failed(reader))
    return failure();
  return evaluateSpread(module, sourceOf(*reader), most);
}

FailureOr<SplitSamples> driver::evaluateSplitSamples(ModuleOp module,
                                                     const CalibrationRun &run,
                                                     size_t most) {
  FailureOr<SampleReader> reader = SampleReader::open(module, run);
  if (failed(reader))
    return failure();
  return evaluateSplit(module, sourceOf(*reader), most);
}
