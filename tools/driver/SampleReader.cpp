//===- SampleReader.cpp - the samples of a calibration --------------------===//

#include "tools/driver/SampleReader.h"

#include "tools/driver/NamedInputs.h"

using namespace mlir;
using namespace weft;
using namespace weft::driver;
using rt::Result;

FailureOr<SampleReader> SampleReader::open(ModuleOp module,
                                           const CalibrationRun &run) {
  auto function = module.lookupSymbol<func::FuncOp>("main");
  assert(function && "imported modules have @main");
  Location folder =
      NameLoc::get(StringAttr::get(module.getContext(), run.data.front()));
  SampleReader reader(function, folder);
  Result<std::vector<samples::SampleFiles>> files =
      samples::listSamples(run.data, run.samples);
  if (!files)
    return emitError(folder) << files.status().message();
  if (run.preprocessing && !run.mayBeArrays)
    if (rt::Status status = samples::checkAnyImage(*files); !status)
      return emitError(folder) << status.message();
  reader.wayToInputs = run.wayToInputs;
  reader.options = run.preprocessing.value_or(preprocess::Options());
  if (run.fused)
    reader.unfused.emplace(module, *run.fused);
  reader.files = samples::stacked(*files, reader.entriesOf(files->front()));
  return reader;
}

std::vector<samples::Input> SampleReader::wantedInputs() const {
  return unfused ? std::vector<samples::Input>{unfused->codes()}
                 : namedInputsOf(function);
}

/// How many samples like this one make a batch. What is wrong with it is told
/// when it is read.
size_t SampleReader::entriesOf(const samples::SampleFiles &sample) const {
  std::vector<samples::Input> inputs = wantedInputs();
  Result<samples::Sample> opened =
      samples::Sample::open(sample, inputs, options);
  return opened ? samples::entriesOf(*opened, inputs) : 1;
}

FailureOr<NamedTensors> SampleReader::read(size_t sample) const {
  Result<NamedTensors> inputs =
      readNamedInputs(wantedInputs(), files[sample], options);
  if (!inputs)
    return emitError(folder)
           << inputs.status().message()
           << (inputs.status().code() == rt::Code::NotFound ? wayToInputs : "");
  if (unfused)
    for (auto &[name, tensor] : *inputs)
      tensor = unfused->from(tensor);
  return *std::move(inputs);
}

Location SampleReader::location(size_t sample) const {
  return NameLoc::get(
      StringAttr::get(folder.getContext(), files[sample].front().path));
}
