#include "tools/weft/CipherLibrary.h"

#include <cstdlib>
#include <dlfcn.h>
#include <memory>

using namespace weft;
using namespace weft::cli;
using rt::Code;
using rt::Result;

Result<rt::Cipher> cli::loadCipher(const std::string &path,
                                   const char *symbol) {
  // A name without a folder would be looked for in those of the system.
  std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void *library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = ::dlerror();
    return rt::fail(Code::NotFound,
                    path + ": cannot be loaded as a library: " +
                        std::string(reason ? reason : "no reason given"));
  }
  using Function = uint8_t *(*)(const uint8_t *, uint64_t, uint64_t *);
  auto function = reinterpret_cast<Function>(::dlsym(library, symbol));
  if (!function)
    return rt::fail(Code::NotFound,
                    path + ": has no function " + symbol +
                        "(); it needs uint8_t *" + symbol +
                        "(const uint8_t *, uint64_t, uint64_t *) as a symbol "
                        "of C");
  return rt::Cipher([function, path, symbol](
                        rt::ByteSpan bytes) -> Result<std::vector<uint8_t>> {
    uint64_t size = 0;
    std::unique_ptr<uint8_t, decltype(&std::free)> made(
        function(bytes.data, bytes.size, &size), &std::free);
    if (!made || size == 0)
      return rt::failf(Code::BadFile, "%s() of %s makes nothing of %zu bytes",
                       symbol, path.c_str(), bytes.size);
    return std::vector<uint8_t>(made.get(), made.get() + size);
  });
}

Result<std::vector<uint8_t>> cli::decryptModel(const std::string &path,
                                               const std::string &library) {
  Result<rt::FileBytes> file = rt::FileBytes::map(path);
  if (!file)
    return file.status().withContext(path);
  if (rt::parseContainer(file->span()))
    return rt::fail(Code::InvalidArgument,
                    path + ": is not encrypted; use it as it is");
  Result<rt::Cipher> cipher = loadCipher(library, "decrypt");
  if (!cipher)
    return cipher.status();
  Result<std::vector<uint8_t>> plain = rt::decryptFile(file->span(), *cipher);
  return plain ? std::move(plain) : plain.status().withContext(path);
}
