//===- Lines.h - work along one axis in local memory ------------*- C++ -*-===//

#ifndef WEFT_CODEGEN_EMIT_LINES_H
#define WEFT_CODEGEN_EMIT_LINES_H

#include "codegen/emit/Emit.h"
#include "dialects/tpu/Tpu.h"

namespace weft::emit {

/// `count` elements of `tensor` along `axis` from `begin` on.
mlir::Value pieceAlong(OpEmitter &emitter, mlir::Value tensor, unsigned axis,
                       int64_t begin, int64_t count);

/// dst = lhs <kind> rhs: one command, floats or integers.
void emitCombine(OpEmitter &emitter, tpu::ReduceKind kind, mlir::Value dst,
                 mlir::Value lhs, mlir::Value rhs);

/// dst = all elements of `src` along `axis` (n, h or w) combined: halves by
/// halves. `half` has the shape of `src` but half of the axis, rounded up;
/// `src` is kept.
void emitTree(OpEmitter &emitter, tpu::ReduceKind kind, mlir::Value dst,
              mlir::Value src, mlir::Value half, unsigned axis);

} // namespace weft::emit

#endif // WEFT_CODEGEN_EMIT_LINES_H
