//===- NamedInputs.h - a sample's tensors for a float graph -----*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_NAMEDINPUTS_H
#define WEFT_TOOLS_DRIVER_NAMEDINPUTS_H

#include "dialects/Evaluate.h"
#include "runtime/status/Status.h"
#include "tools/samples/Sample.h"

namespace weft::driver {

/// What the arguments of `function` take from samples.
std::vector<samples::Input> namedInputsOf(mlir::func::FuncOp function);

/// The tensors of `files` for these inputs of one shape each, by ONNX name.
/// Missing, extra, misshapen and wrongly typed arrays are errors that name the
/// file and both sides.
rt::Result<NamedTensors>
readNamedInputs(const std::vector<samples::Input> &wanted,
                const samples::SampleFiles &files,
                const preprocess::Options &options);

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_NAMEDINPUTS_H
