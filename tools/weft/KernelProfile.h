//===- KernelProfile.h - what a kernel's program costs ----------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_KERNELPROFILE_H
#define WEFT_TOOLS_WEFT_KERNELPROFILE_H

#include "tools/driver/KernelProgram.h"
#include "tools/weft/ProfileReport.h"

#include <string>
#include <vector>

namespace weft::cli {

/// The predicted run of one program of a kernel file, by line of source where a
/// model's is by ONNX node.
struct KernelProfile {
  std::string test; ///< or the kernel that was called
  NamedStage stage;
  profile::Profile profile;
  uint64_t serialCycles = 0; ///< with the rounds of loops one after the other
};

/// An error without message has been printed.
rt::Result<KernelProfile> profileKernel(const std::string &file,
                                        const std::string &test,
                                        driver::KernelProgram &program);

nlohmann::ordered_json describeKernel(const KernelProfile &kernel);

/// A row for each.
std::string kernelTable(const std::vector<KernelProfile> &kernels);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_KERNELPROFILE_H
