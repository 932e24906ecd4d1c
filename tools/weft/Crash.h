//===- Crash.h - the last line of a program that breaks ---------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_CRASH_H
#define WEFT_TOOLS_WEFT_CRASH_H

namespace weft::cli {

/// From now on a failed assertion or a wild pointer ends the program with one
/// line that asks for a report with this command line, exit code 70, and no
/// temporary file left.
void handleCrashes(int argumentCount, char **arguments);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_CRASH_H
