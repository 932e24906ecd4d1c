//===- Interpret.h - the numbers of a sequence ------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_SEQUENCE_INTERPRET_H
#define WEFT_DIALECTS_TPU_SEQUENCE_INTERPRET_H

#include "dialects/tpu/sequence/Sequence.h"

namespace weft::tpu {

/// What the machine computes, bit for bit. `inputs`: per operand of the op one
/// word an element of the result: f32 bits (16-bit floats widened) or si32, of
/// a sequence of halves f16 bits. Gives f32 bits, si32 or f16 bits; a final
/// Narrow is left to the caller, which knows the type.
std::vector<uint32_t>
interpret(const Sequence &sequence,
          const std::vector<std::vector<uint32_t>> &inputs);

} // namespace weft::tpu

#endif // WEFT_DIALECTS_TPU_SEQUENCE_INTERPRET_H
