//===- KernelRun.h - runs of a kernel, and their judge ----------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_KERNELRUN_H
#define WEFT_TOOLS_WEFT_KERNELRUN_H

#include "tools/driver/KernelProgram.h"

#include <string>
#include <vector>

namespace weft::cli {

/// What a kernel's program runs on.
struct KernelRun {
  bool interpret = false; ///< the functions, not the commands
  rt::DeviceOptions device;
};

/// The program as a bmodel; `serial` keeps the rounds of pipelined loops one
/// after the other. An error without message has been printed.
rt::Result<std::vector<uint8_t>> kernelBmodel(driver::KernelProgram &program,
                                              bool serial);

/// Runs once: the memory afterwards. A chip without commands is interpreted.
rt::Result<driver::MemoryImage> runKernel(driver::KernelProgram &program,
                                          const KernelRun &run, bool serial);

/// Runs the program of a test of the kernel `file` in every way that must give
/// the same bytes. What is wrong, one line each; empty: the test passes.
rt::Result<std::vector<std::string>> judgeTest(const std::string &file,
                                               const std::string &test,
                                               driver::KernelProgram &program,
                                               const KernelRun &run);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_KERNELRUN_H
