//===- weft-narrow.cpp - the program `weft`, which knows a chip more ------===//

#include "tests/chips/NarrowChip.h"
#include "tools/weft/Program.h"

int main(int argumentCount, char **arguments) {
  weft::test::narrowChip();
  weft::cli::Program program;
#define WEFT_COMMAND(Name) weft::cli::add##Name##Command(program);
#define WEFT_COMPILER_COMMAND(Name) weft::cli::add##Name##Command(program);
#include "tools/weft/Commands.def"
  return program.run(argumentCount, arguments);
}
