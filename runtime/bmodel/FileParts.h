//===- FileParts.h - bmodels taken apart and put together -------*- C++ -*-===//

#ifndef WEFT_RUNTIME_BMODEL_FILEPARTS_H
#define WEFT_RUNTIME_BMODEL_FILEPARTS_H

#include "runtime/bmodel/Bmodel.h"
#include "runtime/bmodel/PackedFile.h"

#include <map>

namespace weft::rt {

/// The tables of one or more bmodels as objects that can be changed. A blob of
/// theirs is named by its address; where it lies in the new file is known when
/// that is packed.
struct FileParts {
  wire::ModelT tables;
  std::map<const wire::Blob *, ByteSpan> bytesOf;
  std::vector<Bmodel> files; ///< which own the bytes
};

/// The parts of `model`, all of them but a certificate and bytes that no table
/// names. Code::BadFile if a blob that the loader does not need lies outside of
/// the file, or if the tables cannot be copied (TableTree.h).
Result<FileParts> takeApart(const Bmodel &model);
/// The same of tables that only verifyFlatbuffer() has seen, with the sections
/// that they lie in, whose owner lives longer.
Result<FileParts> takeApart(const wire::Model &model,
                            const Container &container);

/// The parts as a file: blobs in the order in which the tables name them, equal
/// ones once. What the compiler has packed, taken apart and packed again, is
/// the same byte for byte. The result reads the bytes that `parts` has.
PackedFile pack(FileParts &parts);

/// Bytes of the flatbuffer alone.
uint64_t tableBytes(const FileParts &parts);

} // namespace weft::rt

#endif // WEFT_RUNTIME_BMODEL_FILEPARTS_H
