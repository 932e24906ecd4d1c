//===- ErrorStream.h - the compiler's messages on stderr --------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_ERRORSTREAM_H
#define WEFT_TOOLS_WEFT_ERRORSTREAM_H

#include "llvm/Support/raw_ostream.h"

namespace weft::cli {

/// stderr, with "stdin" in place of the file that keeps it.
llvm::raw_ostream &errorStream();

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_ERRORSTREAM_H
