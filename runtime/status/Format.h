//===- Format.h - text with figures -----------------------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_STATUS_FORMAT_H
#define WEFT_RUNTIME_STATUS_FORMAT_H

#include <string>

namespace weft::rt {

/// What printf would print; at most 255 bytes, so for figures, not for names.
[[gnu::format(printf, 1, 2)]] std::string format(const char *pattern, ...);

} // namespace weft::rt

#endif // WEFT_RUNTIME_STATUS_FORMAT_H
