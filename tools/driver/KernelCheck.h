//===- KernelCheck.h - faults of kernels that results hide -----*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_KERNELCHECK_H
#define WEFT_TOOLS_DRIVER_KERNELCHECK_H

#include "tools/driver/KernelProgram.h"

namespace weft::driver {

/// Looks for what a recorded program does wrong although it may give the
/// expected values (docs/rationale/0032-faults-in-kernels.md). Errors: reads of
/// bytes that nothing has written and that change what the program gives; bytes
/// that engines between parallel_start and parallel_end, or blocks between two
/// sync(), touch in no order. Warnings: results that nobody reads, expected
/// memory that nothing writes. All are printed at the kernel's line; failure
/// after an error.
mlir::LogicalResult checkKernel(KernelProgram &program);

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_KERNELCHECK_H
