//===- Strides.h - how far commands step ------------------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_CATALOG_STRIDES_H
#define WEFT_RUNTIME_CATALOG_STRIDES_H

#include <cstdint>

namespace weft::catalog {

/// The largest step in elements that commands of the TIU take along an axis.
/// PPL 4.6.1.
inline constexpr int64_t kMostStride = 65535;

} // namespace weft::catalog

#endif // WEFT_RUNTIME_CATALOG_STRIDES_H
