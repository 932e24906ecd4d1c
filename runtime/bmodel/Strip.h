//===- Strip.h - a bmodel without what is not needed to run it --*- C++ -*-===//

#ifndef WEFT_RUNTIME_BMODEL_STRIP_H
#define WEFT_RUNTIME_BMODEL_STRIP_H

#include "runtime/bmodel/FileParts.h"

namespace weft::rt {

/// Something that was taken out of a file.
struct StrippedPart {
  const char *name; ///< "debug map"
  uint64_t bytes = 0;
};

/// Takes out of `parts`, those of one file, what no runtime needs: the debug
/// map with decisions and conversion record, names of weights, and the blobs in
/// which other compilers keep such things. Commands, weights, programs of the
/// host and the interface stay. The result says how many bytes each took; 0: it
/// was not there. A file of the compiler becomes the one of its --strip.
std::vector<StrippedPart> strip(FileParts &parts);

} // namespace weft::rt

#endif // WEFT_RUNTIME_BMODEL_STRIP_H
