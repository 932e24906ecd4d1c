//===- Sequence.h - emission of sequences -----------------------*- C++ -*-===//

#ifndef WEFT_CODEGEN_EMIT_SEQUENCE_H
#define WEFT_CODEGEN_EMIT_SEQUENCE_H

#include "codegen/emit/Emit.h"
#include "dialects/tpu/sequence/Sequence.h"

namespace weft::emit {

/// The commands of `sequence` on the operands and the result of the op. Its
/// buffers are those of `tpu::addSequenceBuffers`, which are the op's only
/// ones.
void emitSequence(OpEmitter &emitter, const tpu::Sequence &sequence);

/// The constant of the op: the coefficients, if there are any.
void packSequence(const tpu::Sequence &sequence, std::vector<PackedBytes> &out);

} // namespace weft::emit

#endif // WEFT_CODEGEN_EMIT_SEQUENCE_H
