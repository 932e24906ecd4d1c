//===- ProgramPrecision.h - what a program computes with --------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_PROGRAMPRECISION_H
#define WEFT_TOOLS_WEFT_PROGRAMPRECISION_H

#include "runtime/bmodel/Bmodel.h"
#include "runtime/zhouyi/Program.h"
#include "tools/comparison/Limits.h"

namespace weft::cli {

/// Of stage `index`: Int8 if a tensor or value is quantized or a product takes
/// 8-bit codes; else Bf16 or F16 if a command of the TIU takes or gives such
/// numbers. From the commands, so that it holds for files of every compiler.
/// Int8 also if the file says that its weights are codes of 8 or 4 bits, and at
/// most F16 if it says that it was converted at that precision.
comparison::Precision precisionOf(const rt::NetSpec &net, size_t index,
                                  const Chip &chip);
/// The same by its registers and the values of its buffers.
comparison::Precision precisionOf(const zhouyi::Program &program);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_PROGRAMPRECISION_H
