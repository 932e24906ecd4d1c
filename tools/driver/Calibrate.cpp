//===- Calibrate.cpp - value ranges from sample inputs --------------------===//

#include "tools/driver/Calibrate.h"

#include "passes/quantize/Calibrate.h"
#include "runtime/status/Quote.h"
#include "tools/driver/NamedInputs.h"
#include "tools/npz/Npz.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>
#include <filesystem>

using namespace mlir;
using namespace weft;
using namespace weft::driver;
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
    return rt::fail(
        rt::Code::NotFound,
        "no samples: " + rt::quoteName(folder) +
            " holds no .npz file; put one for each sample there, with an "
            "array for each input");
  std::sort(files.begin(), files.end());
  if (limit > 0 && files.size() > size_t(limit))
    files.resize(limit);
  return files;
}

FailureOr<quantize::CalibrationTable>
driver::calibrate(ModuleOp module, const CalibrationRun &run) {
  auto function = module.lookupSymbol<func::FuncOp>("main");
  assert(function && "imported modules have @main");
  MLIRContext *context = module.getContext();
  auto report = [&](const rt::Status &status) {
    // The message names the file in the folder itself.
    return emitError(NameLoc::get(StringAttr::get(context, run.folder)))
           << status.message();
  };
  Result<std::vector<std::string>> files = listSamples(run.folder, run.samples);
  if (!files)
    return report(files.status());
  quantize::Calibrator calibrator(module);
  for (size_t i = 0; i < files->size(); ++i) {
    const std::string &file = (*files)[i];
    Result<NamedTensors> inputs = readNamedInputs(function, file);
    if (!inputs)
      return report(inputs.status());
    Location origin = NameLoc::get(StringAttr::get(context, file));
    if (failed(calibrator.addSample(*inputs, origin)))
      return failure();
    if (run.progress)
      run.progress(i + 1, files->size());
  }
  return calibrator.finish(run.options);
}
