//===- Calibrate.cpp - value ranges from sample inputs --------------------===//

#include "tools/driver/Calibrate.h"

#include "dialects/Evaluate.h"
#include "runtime/status/Quote.h"
#include "tools/driver/NamedInputs.h"
#include "tools/npz/Npz.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>
#include <filesystem>

using namespace mlir;
using namespace weft;
using namespace weft::driver;
using numeric::HostTensor;
using rt::Result;

/// The .npz files of `folder`, sorted by name, at most `limit` of them.
static Result<std::vector<std::string>> listSamples(const std::string &folder,
                                                    int64_t limit) {
  std::error_code error;
  std::filesystem::directory_iterator entries(folder, error);
  if (error)
    return rt::fail(rt::Code::IoError, "cannot read the folder " +
                                           rt::quoteName(folder) + ": " +
                                           error.message());
  std::vector<std::string> files;
  for (const std::filesystem::directory_entry &entry : entries)
    if (entry.path().extension() == ".npz")
      files.push_back(entry.path().string());
  if (files.empty())
    return rt::fail(rt::Code::NotFound,
                    "no samples: " + rt::quoteName(folder) +
                        " holds no .npz file; put one a sample there, with an "
                        "array for each input");
  std::sort(files.begin(), files.end());
  if (limit > 0 && files.size() > size_t(limit))
    files.resize(limit);
  return files;
}

static std::vector<float> toFloats(const HostTensor &tensor) {
  if (tensor.type() == numeric::ElementType::F32)
    return {tensor.as<float>(), tensor.as<float>() + tensor.elements()};
  std::vector<float> values(tensor.elements());
  for (int64_t i = 0; i < tensor.elements(); ++i)
    values[i] = float(tensor.toDouble(i));
  return values;
}

/// One sample: inputs first, then the values of the graph in order.
static rt::Status addSample(func::FuncOp function, const std::string &file,
                            quantize::RangeCollector &ranges) {
  Result<NamedTensors> inputs = readNamedInputs(function, file);
  if (!inputs)
    return inputs.status();
  std::string problem;
  auto add = [&](llvm::StringRef name, const HostTensor &tensor) {
    if (!problem.empty() || !numeric::isFloatType(tensor.type()))
      return;
    if (llvm::Error error = ranges.add(name, toFloats(tensor)))
      problem = llvm::toString(std::move(error));
  };
  for (const auto &[name, tensor] : *inputs)
    add(name, tensor);
  NamedTensors outputs;
  if (problem.empty() &&
      failed(evaluateNamed(function, *inputs, outputs, add)) && problem.empty())
    problem = "the model cannot be evaluated on it";
  if (!problem.empty())
    return rt::fail(rt::Code::OutOfRange, file + ": " + problem);
  ranges.endSample();
  return rt::Status::ok();
}

Result<quantize::CalibrationTable>
driver::calibrate(ModuleOp module, const CalibrationRun &run) {
  auto function = module.lookupSymbol<func::FuncOp>("main");
  assert(function && "imported modules have @main");
  Result<std::vector<std::string>> files = listSamples(run.folder, run.samples);
  if (!files)
    return files.status();
  quantize::RangeCollector ranges;
  for (size_t i = 0; i < files->size(); ++i) {
    if (rt::Status status = addSample(function, (*files)[i], ranges); !status)
      return status;
    if (run.progress)
      run.progress(i + 1, files->size());
  }
  return ranges.finish(run.options);
}
