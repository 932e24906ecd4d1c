#include "runtime/status/Status.h"

#include <cstdarg>
#include <cstdio>

namespace weft::rt {

const char *codeText(Code code) {
  switch (code) {
#define WEFT_STATUS_CODE(name, value, cname, text)                             \
  case Code::name:                                                             \
    return text;
#include "runtime/status/Codes.def"
  }
  return "unknown code";
}

Status failf(Code code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  va_list again;
  va_copy(again, arguments);
  int length = std::vsnprintf(nullptr, 0, format, arguments);
  va_end(arguments);
  std::string text(length > 0 ? length : 0, '\0');
  if (length > 0)
    std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(again);
  return Status(code, std::move(text));
}

} // namespace weft::rt
