//===- KernelArguments.h - what --arg gives a kernel ------------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_KERNELARGUMENTS_H
#define WEFT_TOOLS_WEFT_KERNELARGUMENTS_H

#include "frontend/ppl/DeviceMemory.h"
#include "runtime/numeric/HostTensor.h"
#include "tools/driver/KernelLibrary.h"

#include <map>
#include <string>
#include <vector>

namespace weft::cli {

/// The arguments of one call of a kernel: "W=4096", "ptr_inp=x.npz:inp",
/// "ptr_res=out:fp16[1x64x1x4096]".
class KernelArguments {
public:
  /// One word for each parameter of the kernel, in any order; reads the arrays.
  static rt::Result<KernelArguments>
  parse(const driver::KernelSignature &kernel,
        const std::vector<std::string> &words);

  /// C++ behind the kernel's source: the test kDriverName, which calls it, with
  /// the text that messages have for it (KernelLibrary::callTest).
  std::string driver() const;
  /// Puts the arrays into the memory that the driver has taken, converted to
  /// the elements of its pointers.
  rt::Status fill(frontend::DeviceMemory &memory) const;

  static constexpr const char *kDriverName = "weft_ppl_driver";

private:
  struct Given {
    std::string name, text;
    bool isMemory = false, isRandom = false, isWhole = false;
    std::string type;
    std::vector<int64_t> shape;
    long long whole = 0;
    double real = 0;
  };
  static rt::Status parseArray(Given &given, KernelArguments &all);

  std::string kernel;
  std::vector<Given> given; ///< by parameter
  std::map<std::string, numeric::HostTensor> arrays;
};

/// "add(fp16 *ptr_res, int W)"
std::string textOf(const driver::KernelSignature &kernel);
/// Whether --arg can give all of its parameters.
bool canBeCalled(const driver::KernelSignature &kernel);
/// How the kernel can be called, for a message: "--kernel add --arg ptr_res=
/// out:[1x64x1x128] --arg W=NUMBER".
std::string exampleOf(const driver::KernelSignature &kernel);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_KERNELARGUMENTS_H
