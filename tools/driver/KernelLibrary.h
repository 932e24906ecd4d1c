//===- KernelLibrary.h - kernels compiled by the host's compiler -*- C++
//-*-===//

#ifndef WEFT_TOOLS_DRIVER_KERNELLIBRARY_H
#define WEFT_TOOLS_DRIVER_KERNELLIBRARY_H

#include "frontend/ppl/include/ppl/recorder.h"
#include "runtime/status/Status.h"

#include <memory>
#include <string>
#include <vector>

namespace weft::driver {

/// A parameter of a kernel as its source has it: "fp16 *" and "ptr_res".
struct KernelParameter {
  std::string type, name; ///< the name may be empty
  bool isPointer() const { return !type.empty() && type.back() == '*'; }
};
struct KernelSignature {
  std::string name;
  std::vector<KernelParameter> parameters;
};

/// A shared library that ppl.h was compiled into.
class KernelLibrary {
public:
  /// Compiles a kernel source with the C++ compiler of the host (`CXX`, else
  /// c++) and loads the result. The compiler's messages go to stderr.
  /// `arguments` are passed on to it. `driver`, if not empty, is C++ behind the
  /// source: a test of its kernels.
  static rt::Result<KernelLibrary>
  compile(const std::string &source, const std::vector<std::string> &arguments,
          const std::string &driver = {});
  /// The functions marked __KERNEL__ in a source, by its preprocessed text.
  static rt::Result<std::vector<KernelSignature>>
  signatures(const std::string &source,
             const std::vector<std::string> &arguments);
  /// Whether the file is a library already, whatever its name.
  static bool isLibrary(const std::string &path);
  /// Loads a library. Its static initializers run. `source`: the file that it
  /// has been made of, which messages name.
  static rt::Result<KernelLibrary> load(const std::string &path,
                                        const std::string &source = {});

  KernelLibrary(KernelLibrary &&other) noexcept;
  KernelLibrary &operator=(KernelLibrary &&) = delete;
  ~KernelLibrary();

  /// Names of the functions marked __TEST__, in the order of the file.
  const std::vector<std::string> &tests() const { return theTests; }
  const std::vector<std::string> &kernels() const { return theKernels; }

  /// Calls a test while `recorder` is bound. A test that throws gives an error;
  /// one that ends the process ends it with exit code 2 and a message. Messages
  /// say "test NAME", or the text that the library exports as NAME_runs.
  rt::Status callTest(const std::string &name,
                      const weft_ppl_recorder &recorder) const;
  /// The address of an exported symbol; null if there is none.
  void *symbol(const std::string &name) const;

  /// Where ppl/ppl.h is found: the environment variable WEFT_PPL_INCLUDE, else
  /// beside the program.
  static rt::Result<std::string> includeFolder();

private:
  explicit KernelLibrary(void *handle) : handle(handle) {}

  void *handle;
  std::vector<std::string> theTests, theKernels;
  std::string theSource; ///< empty: it came as a library
};

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_KERNELLIBRARY_H
