//===- TensorValues.h - moved to runtime/numeric ----------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TENSORVALUES_H
#define WEFT_DIALECTS_TENSORVALUES_H

#include "runtime/numeric/TensorValues.h"

namespace weft {
using numeric::loadDoubles;
using numeric::loadIntegers;
using numeric::storeDoubles;
using numeric::storeIntegers;
} // namespace weft

#endif // WEFT_DIALECTS_TENSORVALUES_H
