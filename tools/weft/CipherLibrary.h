//===- CipherLibrary.h - a user's library that hides bmodels ----*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_CIPHERLIBRARY_H
#define WEFT_TOOLS_WEFT_CIPHERLIBRARY_H

#include "runtime/bmodel/Encryption.h"

#include <string>
#include <vector>

namespace weft::cli {

/// Function `symbol` of the library `path`, of the vendor's form
/// `uint8_t *f(const uint8_t *bytes, uint64_t size, uint64_t *newSize)`: it
/// returns memory of malloc(), null if it fails. The library stays loaded; its
/// code is trusted. Code::NotFound if there is no such library or function.
rt::Result<rt::Cipher> loadCipher(const std::string &path, const char *symbol);

/// The plain bytes of the encrypted file `path`, by decrypt() of `library`.
/// Errors begin with the path. A plain file is Code::InvalidArgument.
rt::Result<std::vector<uint8_t>> decryptModel(const std::string &path,
                                              const std::string &library);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_CIPHERLIBRARY_H
