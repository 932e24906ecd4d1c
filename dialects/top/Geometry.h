//===- Geometry.h - attributes of windows -----------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TOP_GEOMETRY_H
#define WEFT_DIALECTS_TOP_GEOMETRY_H

#include "mlir/IR/Diagnostics.h"

namespace weft::top {

/// Values beyond this would overflow the index arithmetic of a size.
inline constexpr int64_t kLargestGeometry = int64_t(1) << 31;

/// Checks that attribute `name` has `perAxis` values for each of `spatial` axes
/// and that all are in `smallest` .. kLargestGeometry.
inline mlir::LogicalResult checkGeometry(std::optional<mlir::Location> location,
                                         llvm::StringRef name,
                                         llvm::ArrayRef<int64_t> values,
                                         size_t perAxis, size_t spatial,
                                         int64_t smallest) {
  size_t count = perAxis * spatial;
  if (values.size() != count)
    return mlir::emitOptionalError(location, name, " has ", values.size(),
                                   " values; ", count, " are needed for ",
                                   spatial, " spatial axes");
  for (size_t i = 0; i < count; ++i)
    if (values[i] < smallest || values[i] > kLargestGeometry)
      return mlir::emitOptionalError(location, name, "[", i, "] is ", values[i],
                                     "; it must be in ", smallest, " .. 2^31");
  return mlir::success();
}

} // namespace weft::top

#endif // WEFT_DIALECTS_TOP_GEOMETRY_H
