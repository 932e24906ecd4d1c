//===- Reproducer.h - the nodes at fault as a model -------------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_REPRODUCER_H
#define WEFT_TOOLS_WEFT_REPRODUCER_H

#include "tools/weft/Bisection.h"

namespace weft::cli {

/// Writes the nodes of `found` to `path` as a model of their own, whose inputs
/// have the shapes that they had in `run`, and says so in `found`.
/// Code::BadFile if the model cannot be cut, Code::IoError.
rt::Status writeReproducer(const std::string &onnx, const std::string &path,
                           const ModelRun &run, Bisection &found);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_REPRODUCER_H
