//===- Convert.h - between the host's types and the chip's ------*- C++ -*-===//

#ifndef WEFT_RUNTIME_HOST_CONVERT_H
#define WEFT_RUNTIME_HOST_CONVERT_H

#include "runtime/numeric/HostTensor.h"
#include "runtime/status/Status.h"

namespace weft::host {

/// True if `convert` goes from `from` to `to`: floats among each other (those
/// of 8 bits and less also as u8 bits), integers and bool among each other.
bool isConvertible(numeric::ElementType from, numeric::ElementType to);

/// The same numbers with elements of type `type`: floats are rounded to
/// nearest even, integers must fit (Code::OutOfRange names the first that does
/// not).
rt::Result<numeric::HostTensor> convert(const numeric::HostTensor &tensor,
                                        numeric::ElementType type);

} // namespace weft::host

#endif // WEFT_RUNTIME_HOST_CONVERT_H
