//===- NarrowChip.h - a chip that nobody makes -----------------*- C++ -*-===//

#ifndef WEFT_TESTS_CHIPS_NARROWCHIP_H
#define WEFT_TESTS_CHIPS_NARROWCHIP_H

#include "runtime/chips/Chip.h"

namespace weft::test {

/// "narrow32": 32 lanes of 128 KB, EUs of 32 bytes, memories at other
/// addresses, fields at other places in its words. Whatever compiles for it and
/// runs asks the chip and knows no other. The first call makes it known to
/// chips::find().
const Chip &narrowChip();

} // namespace weft::test

#endif // WEFT_TESTS_CHIPS_NARROWCHIP_H
