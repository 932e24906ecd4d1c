//===- Spawn.h - starts and ends of other programs --------------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_SPAWN_H
#define WEFT_TOOLS_WEFT_SPAWN_H

#include "tools/files/Leftovers.h"

#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace weft::cli {

/// The exit code of what could not be started, as shells have it.
constexpr int kNoProgram = 127;

/// Descriptors that a program gets; -1: that of this process.
struct Streams {
  int input = -1, output = -1, errors = -1;
};

/// Starts `command`, a program that is looked for in PATH and its arguments, in
/// a process group of its own: a signal to the group of this process (Ctrl-C)
/// does not end it in the middle, and whatever it starts can be killed with it.
/// Below 0 with errno set if there can be no process. With `entry` a signal
/// that ends this program ends the group, too: there is no moment in which
/// `command` runs and is not entered.
pid_t spawn(const std::vector<std::string> &command, const Streams &streams,
            std::optional<tools::Leftover> *entry = nullptr);

/// Waits for the end of what spawn() started, and gives its state as waitpid()
/// does. After `seconds` it is killed with its group; below 0: never.
int awaitEnd(pid_t child, double seconds = -1);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_SPAWN_H
