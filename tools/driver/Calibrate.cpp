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
