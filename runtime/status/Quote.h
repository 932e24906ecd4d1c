//===- Quote.h - names from files inside messages ---------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_STATUS_QUOTE_H
#define WEFT_RUNTIME_STATUS_QUOTE_H

#include <string>
#include <string_view>

namespace weft::rt {

/// `name` in single quotes, fit for a one-line message: control characters as
/// \xNN, cut after 120 bytes with "...". Bytes above 0x7f (UTF-8) stay.
std::string quoteName(std::string_view name);

} // namespace weft::rt

#endif // WEFT_RUNTIME_STATUS_QUOTE_H
