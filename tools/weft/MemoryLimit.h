//===- MemoryLimit.h - how much memory a command may take -------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_MEMORYLIMIT_H
#define WEFT_TOOLS_WEFT_MEMORYLIMIT_H

#include "runtime/status/Status.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace weft::cli {

/// Adds --memory-limit. `text` stays empty without it.
void addMemoryLimitFlag(CLI::App &command, std::string &text);

/// Bytes of "1500000000", "1500M" or "1.5G" (powers of 1000); 0 of "none".
/// Code::InvalidArgument.
rt::Result<uint64_t> parseMemory(const std::string &text);

/// What the machine has, or the least that a control group of this process
/// (of version 2, as far as they are seen here) or its container may take of
/// it; 0: unknown.
uint64_t memoryOfMachine();

/// --memory-limit where it is not given: half of memoryOfMachine(), but 1 GB
/// where that is less and the machine has it.
uint64_t memoryByDefault();

/// From now on memory that is the process's own (no pages of files) ends at the
/// limit of --memory-limit, by default memoryByDefault(), with one line and the
/// exit code of a user's error. Children that spawn() starts are free of
/// it.
rt::Status limitMemory(const std::string &text);

/// In such a child: the limit that was before limitMemory(), if that lowered
/// it. Only what may be called behind fork().
void restoreMemoryLimit();

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_MEMORYLIMIT_H
