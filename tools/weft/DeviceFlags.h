//===- DeviceFlags.h - options that choose a device -------------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_DEVICEFLAGS_H
#define WEFT_TOOLS_WEFT_DEVICEFLAGS_H

#include "runtime/device/Device.h"

#include <CLI/CLI.hpp>

namespace weft::cli {

/// Adds --device, --bmrt-lib, --time-limit, --threads, --order and
/// --order-seed; `options` must outlive parsing.
void addDeviceFlags(CLI::App &command, rt::DeviceOptions &options);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_DEVICEFLAGS_H
