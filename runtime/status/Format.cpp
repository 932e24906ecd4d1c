#include "runtime/status/Format.h"

#include <cstdarg>
#include <cstdio>

using namespace weft;

std::string rt::format(const char *pattern, ...) {
  char text[256];
  va_list values;
  va_start(values, pattern);
  std::vsnprintf(text, sizeof text, pattern, values);
  va_end(values);
  return text;
}
