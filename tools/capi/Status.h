//===- Status.h - statuses of the compiler's C interface --------*- C++ -*-===//

#ifndef WEFT_TOOLS_CAPI_STATUS_H
#define WEFT_TOOLS_CAPI_STATUS_H

#include "runtime/capi/Guarded.h"
#include "runtime/status/Status.h"
#include "tools/capi/weft-compiler.h"

struct weft_compiler_status {
  weft::rt::Status status;
  int pplCode = 0;
};

namespace weft::capi {

/// Exist when nothing can be allocated any more; never freed.
extern weft_compiler_status outOfMemory, unexpected;

/// NULL for success.
weft_compiler_status *toC(rt::Status status, int pplCode = 0);

/// Printed lines "weft: error: ..." as the text of a status: without prefix and
/// what is no error. `cause` is Code::Internal if it is Weft's own fault.
weft_compiler_status *fromPrinted(const std::string &printed,
                                  const rt::Status &cause, int pplCode);

/// The lines "weft: warning: ..." without their prefix.
std::string warningsOf(const std::string &printed);

/// The boundary that no exception crosses: `body` returns a status.
template <typename Body>
weft_compiler_status *guarded(Body body) noexcept {
  return guardedBy(outOfMemory, unexpected, body);
}

/// What the caller knows of a struct that begins with struct_bytes; the rest
/// is 0. False if there is too little.
template <typename Struct>
bool copyKnown(const Struct *given, Struct &full) {
  full = {};
  full.struct_bytes = sizeof(Struct);
  if (!given)
    return true;
  if (given->struct_bytes < sizeof(size_t))
    return false;
  size_t known = given->struct_bytes < sizeof(Struct) ? given->struct_bytes
                                                      : sizeof(Struct);
  __builtin_memcpy(static_cast<void *>(&full), given, known);
  return true;
}

} // namespace weft::capi

#endif // WEFT_TOOLS_CAPI_STATUS_H
