//===- Kernels.h - the functions of Kernels.def -----------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_HOST_KERNELS_H
#define WEFT_RUNTIME_HOST_KERNELS_H

#include "runtime/host/Host.h"

#include <functional>

namespace weft::host {
/// True if `shape` is one that `type` allows.
bool allows(const ResultType &type, const Shape &shape);

/// run() with `kernel` in place of that of the call's name: the same one, with
/// what it keeps from call to call.
rt::Status
runWith(const Call &call,
        const std::function<rt::Status(std::vector<HostTensor> &)> &kernel,
        std::vector<HostTensor> &results);
} // namespace weft::host

namespace weft::host::kernels {

/// Each appends the results of `call` (Call::addResult) or says what is wrong.
#define WEFT_HOST_KERNEL(name, required, limit, count)                         \
  rt::Status name(const Call &call, std::vector<HostTensor> &results);
#include "runtime/host/Kernels.def"

} // namespace weft::host::kernels

#endif // WEFT_RUNTIME_HOST_KERNELS_H
