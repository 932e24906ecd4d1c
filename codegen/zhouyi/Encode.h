//===- Encode.h - zhouyi ops to programs of vector operations ---*- C++ -*-===//

#ifndef WEFT_CODEGEN_ZHOUYI_ENCODE_H
#define WEFT_CODEGEN_ZHOUYI_ENCODE_H

#include "dialects/zhouyi/Program.h"
#include "runtime/zhouyi/Program.h"

namespace weft::codegen {

/// The program of a `zhouyi.program`: loops and addresses with their numbers,
/// registers by live range, buffers in one flat memory: weights first, then the
/// others in the order of their ops, those that no op uses left out unless they
/// hold a value of the model. Equal constants are one register, filled once,
/// before all else. The names of locations become those of ONNX nodes.
///
/// Reports and fails at an op that a program cannot hold: loops whose bounds
/// are no constants, indices that are no sums of loop indices times constants,
/// pointers that no buffer is behind, ops of other dialects. What it gives has
/// passed zhouyi::verify.
mlir::FailureOr<zhouyi::Program> encodeVectorProgram(zhouyi::ProgramOp program);

} // namespace weft::codegen

#endif // WEFT_CODEGEN_ZHOUYI_ENCODE_H
