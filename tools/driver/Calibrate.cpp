//===- Calibrate.cpp - value ranges from sample inputs --------------------===//

#include "tools/driver/Calibrate.h"

#include "passes/quantize/Calibrate.h"
#include "tools/driver/NamedInputs.h"
#include "tools/onednn/OneDnn.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace weft;
using namespace weft::driver;
using rt::Result;

FailureOr<quantize::CalibrationTable>
driver::calibrate(ModuleOp module, const CalibrationRun &run) {
  auto function = module.lookupSymbol<func::FuncOp>("main");
  assert(function && "imported modules have @main");
  MLIRContext *context = module.getContext();
  auto report = [&](const rt::Status &status) {
    // The message names the file in the folder itself.
    return emitError(NameLoc::get(StringAttr::get(context, run.data.front())))
           << status.message();
  };
  Result<std::vector<samples::SampleFiles>> files =
      samples::listSamples(run.data, run.samples);
  if (!files)
    return report(files.status());
  if (run.preprocessing)
    if (rt::Status status = samples::checkAnyImage(*files); !status)
      return report(status);
  preprocess::Options options =
      run.preprocessing.value_or(preprocess::Options());
  tools::OneDnn accelerator;
  quantize::Calibrator calibrator(module, &accelerator);
  for (size_t i = 0; i < files->size(); ++i) {
    const samples::SampleFiles &sample = (*files)[i];
    Result<NamedTensors> inputs = readNamedInputs(function, sample, options);
    if (!inputs)
      return report(inputs.status());
    Location origin =
        NameLoc::get(StringAttr::get(context, sample.front().path));
    if (failed(calibrator.addSample(*inputs, origin)))
      return failure();
    if (run.progress)
      run.progress(i + 1, files->size());
  }
  quantize::CalibrationTable table = calibrator.finish(run.options);
  Location folder = NameLoc::get(StringAttr::get(context, run.data.front()));
  for (const std::string &line : calibrator.warnings(table))
    emitWarning(folder) << line;
  return table;
}
