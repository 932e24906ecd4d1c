//===- KernelOutputs.h - what a kernel wrote, as arrays ---------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_KERNELOUTPUTS_H
#define WEFT_TOOLS_WEFT_KERNELOUTPUTS_H

#include "tools/driver/KernelProgram.h"

#include <string>

namespace weft::cli {

/// Writes the outputs of a program that was run as an npz file, by their names
/// in the bmodel: integers as they are, floats as f32.
rt::Status saveOutputs(driver::KernelProgram &program,
                       const driver::MemoryImage &memory,
                       const std::string &path);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_KERNELOUTPUTS_H
