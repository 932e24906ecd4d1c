//===- Guarded.h - the boundary that no exception crosses -------*- C++ -*-===//

#ifndef WEFT_RUNTIME_CAPI_GUARDED_H
#define WEFT_RUNTIME_CAPI_GUARDED_H

#include <new>
#include <stdexcept>

namespace weft::capi {

/// What `body` returns, a pointer to a status of one of the two C interfaces;
/// in place of an exception, one of the two given.
template <typename StatusT, typename Body>
StatusT *guardedBy(StatusT &outOfMemory, StatusT &unexpected,
                   Body body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return &outOfMemory;
  } catch (const std::length_error &) { // more than any allocation can have
    return &outOfMemory;
  } catch (...) {
    return &unexpected;
  }
}

} // namespace weft::capi

#endif // WEFT_RUNTIME_CAPI_GUARDED_H
