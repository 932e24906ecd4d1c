//===- Encryption.h - bmodels that a library of the user hides --*- C++ -*-===//
//
// An encrypted file, as the vendor's model_tool and libbmrt have it. E(..) is
// what the user's function makes of bytes, which may have another size:
//
//   0      u32 magic 0xFF55AAEE
//   4      u32 8 + bytes of E(header) = H
//   8      E(header): what else stands in the header of a plain file (56 bytes,
//          Container.h), but with the size F of the encrypted flatbuffer
//   H      E(flatbuffer), F bytes
//   H + F  binary section, in which weights W with encrypt_mode 1 are E(W);
//          decrypted_bytes and sha256 are those of W
//
// Commands and programs of the host stay readable.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_BMODEL_ENCRYPTION_H
#define WEFT_RUNTIME_BMODEL_ENCRYPTION_H

#include "runtime/bmodel/FileParts.h"

#include <functional>

namespace weft::rt {

/// Encrypts or decrypts bytes. What fails is told by it.
using Cipher = std::function<Result<std::vector<uint8_t>>(ByteSpan)>;

/// The encrypted file of `parts`, those of a plain file, with the weights of
/// the nets `nets`, by their places. Fails as `encrypt` does.
Result<std::vector<uint8_t>> encryptFile(FileParts &parts,
                                         const std::vector<size_t> &nets,
                                         const Cipher &encrypt);

/// The plain file of `file`. Fails as `decrypt` does, and with Code::BadFile if
/// a size or offset leads out of the file or if what comes out is not what went
/// in, by the zeros of the header, the flatbuffer and the sizes and digests of
/// the weights. What the file says beside these is to be checked by
/// Bmodel::load().
Result<std::vector<uint8_t>> decryptFile(ByteSpan file, const Cipher &decrypt);

} // namespace weft::rt

#endif // WEFT_RUNTIME_BMODEL_ENCRYPTION_H
