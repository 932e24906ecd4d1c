//===- Conversions.h - passes of codegen/emit -------------------*- C++ -*-===//

#ifndef WEFT_CODEGEN_EMIT_CONVERSIONS_H
#define WEFT_CODEGEN_EMIT_CONVERSIONS_H

#include <memory>

namespace mlir {
class Pass;
}

namespace weft::emit {

/// --convert-tpu-to-ppl: replaces every placed tpu function of a module by a
/// `ppl.net`.
std::unique_ptr<mlir::Pass> createConvertTpuToPplPass();

/// Makes the passes of this folder known by their flags.
void registerEmitPasses();

} // namespace weft::emit

#endif // WEFT_CODEGEN_EMIT_CONVERSIONS_H
