//===- ProgramPrecision.h - what a program computes with --------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_PROGRAMPRECISION_H
#define WEFT_TOOLS_WEFT_PROGRAMPRECISION_H

#include "runtime/bmodel/Bmodel.h"
#include "runtime/zhouyi/Program.h"
#include "tools/comparison/Limits.h"

namespace weft::cli {

/// Int8 if a tensor or value of the stage is quantized or a product takes
/// 8-bit codes; else Bf16 or F16 if a command of the TIU takes or gives
/// such numbers.
/// From the commands, so that it holds for files of every compiler.
comparison::Precision precisionOf(const rt::StageSpec &stage, const Chip &chip);
/// The same by its registers and the values of its buffers.
comparison::Precision precisionOf(const zhouyi::Program &program);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_PROGRAMPRECISION_H
