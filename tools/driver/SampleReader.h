//===- SampleReader.h - the samples of a calibration ------------*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_SAMPLEREADER_H
#define WEFT_TOOLS_DRIVER_SAMPLEREADER_H

#include "dialects/Evaluate.h"
#include "tools/driver/Calibrate.h"
#include "tools/driver/FusePreprocess.h"
#include "tools/samples/SampleFiles.h"

namespace weft::driver {

/// The samples that a run names, for the inputs of a float graph, one after the
/// other; those of one entry are stacked for a graph of a larger batch.
/// Problems are reported at the first folder of the run; their messages name
/// the file.
class SampleReader {
public:
  /// Lists the samples for @main of `module`, which outlives the reader.
  static mlir::FailureOr<SampleReader> open(mlir::ModuleOp module,
                                            const CalibrationRun &run);

  size_t count() const { return files.size(); }
  /// The tensors of a sample by input name.
  mlir::FailureOr<NamedTensors> read(size_t sample) const;
  /// The path of its first file.
  const std::string &name(size_t sample) const {
    return files[sample].front().path;
  }
  /// Of the first file of a sample, for reports.
  mlir::Location location(size_t sample) const;
  /// Of all samples.
  mlir::Location location() const { return folder; }

private:
  SampleReader(mlir::func::FuncOp function, mlir::Location folder)
      : function(function), folder(folder) {}

  std::vector<samples::Input> wantedInputs() const;
  size_t entriesOf(const samples::SampleFiles &sample) const;

  mlir::func::FuncOp function;
  mlir::Location folder;
  preprocess::Options options;
  std::string wayToInputs;             ///< CalibrationRun
  std::optional<UnfusedInput> unfused; ///< where samples are for other inputs
  std::vector<samples::SampleFiles> files;
};

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_SAMPLEREADER_H
