//===- LibraryOperators.h - kernels of the library ------------*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_LIBRARYOPERATORS_H
#define WEFT_TOOLS_DRIVER_LIBRARYOPERATORS_H

#include "frontend/ppl/include/ppl/plugin_interface.h"
#include "frontend/ppl/include/ppl/recorder.h"

namespace weft::driver {

/// The kernels of examples/kernels that the compiler itself uses, as operators
/// of the domain `kLibraryDomain`. HOST_by_WAY computes what host kernel HOST
/// does; of each only the function `kernel` is of use.
const weft_plugin_operator *libraryOperators();

/// Gives these kernels their recorder, null after use.
void bindLibrary(const weft_ppl_recorder *recorder);

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_LIBRARYOPERATORS_H
