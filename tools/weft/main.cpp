#include "tools/weft/Program.h"

int main(int argumentCount, char **arguments) {
  weft::cli::Program program;
#define WEFT_COMMAND(Name) weft::cli::add##Name##Command(program);
#ifdef WEFT_WITH_COMPILER
#define WEFT_COMPILER_COMMAND(Name) weft::cli::add##Name##Command(program);
#endif
#include "tools/weft/Commands.def"
  return program.run(argumentCount, arguments);
}
