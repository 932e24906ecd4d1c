//===- Texts.h - lists of strings of the C interface ------------*- C++ -*-===//

#ifndef WEFT_TOOLS_CAPI_TEXTS_H
#define WEFT_TOOLS_CAPI_TEXTS_H

#include <cstddef>
#include <string>
#include <vector>

namespace weft::capi {

/// Copies of the `count` strings of `list`, none if it is NULL.
inline std::vector<std::string> texts(const char *const *list, size_t count) {
  return list ? std::vector<std::string>(list, list + count)
              : std::vector<std::string>();
}

} // namespace weft::capi

#endif // WEFT_TOOLS_CAPI_TEXTS_H
