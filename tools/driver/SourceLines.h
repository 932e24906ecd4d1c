//===- SourceLines.h - commands of a kernel by line of source ---*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_SOURCELINES_H
#define WEFT_TOOLS_DRIVER_SOURCELINES_H

#include "codegen/encode/Encode.h"

#include <string>
#include <vector>

namespace weft::driver {

/// Names the lines that the commands of a kernel come from, so that a debug map
/// (codegen::StageProgram) holds them as it holds the nodes of a model: every
/// location of a file and line becomes that of a node named "silu.cpp:12", the
/// file without its folder unless that is ambiguous. Gives the nodes' texts by
/// position: the lines of source, empty where a file cannot be read.
std::vector<std::string> nameSourceLines(codegen::EncodedProgram &program);

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_SOURCELINES_H
