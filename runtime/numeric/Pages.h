//===- Pages.h - pages of mapped files --------------------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_NUMERIC_PAGES_H
#define WEFT_RUNTIME_NUMERIC_PAGES_H

#include <cstddef>

namespace weft::numeric {

/// Takes the whole pages of these bytes out of the process's memory where they
/// can be read back from their file. Never changes what is read later.
void pageOut(const void *bytes, size_t size);

/// Gives the whole pages of these bytes of the heap back before they are freed;
/// what is read there later is anything.
void discard(void *bytes, size_t size);

} // namespace weft::numeric

#endif // WEFT_RUNTIME_NUMERIC_PAGES_H
