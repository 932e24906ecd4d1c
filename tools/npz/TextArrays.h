//===- TextArrays.h - strings of NumPy and of the host ----------*- C++ -*-===//

#ifndef WEFT_TOOLS_NPZ_TEXTARRAYS_H
#define WEFT_TOOLS_NPZ_TEXTARRAYS_H

#include "runtime/numeric/HostTensor.h"
#include "runtime/status/Status.h"

#include <vector>

namespace weft::npz {

/// Strings as they are in a file, characters of `unit` bytes (1 or 4) with
/// zeros behind, in UTF-8 with zeros behind; `tensor` keeps its shape, whose
/// last axis has the bytes of a string. Code::BadFile names the first that is
/// no text.
rt::Status makeUtf8(numeric::HostTensor &tensor, unsigned unit,
                    bool isBigEndian);

/// Strings as they go to a file.
struct TextBytes {
  unsigned unit = 4;          ///< bytes of a character: 4 (NumPy's U) or 1 (S)
  int64_t characters = 1;     ///< of each string
  std::vector<int64_t> shape; ///< without them
  numeric::HostTensor bytes;
};

/// UTF-32 with as many characters as the longest string of `tensor` has (1 at
/// least): what NumPy makes of a list of str. Bytes as they are if one is no
/// UTF-8, which no kernel makes of texts.
TextBytes textBytes(const numeric::HostTensor &tensor);

} // namespace weft::npz

#endif // WEFT_TOOLS_NPZ_TEXTARRAYS_H
