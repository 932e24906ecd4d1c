//===- Command.h - one command, field by field ----------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_PPL_COMMAND_H
#define WEFT_DIALECTS_PPL_COMMAND_H

#include "dialects/ppl/Ppl.h"

#define GET_OP_CLASSES
#include "dialects/ppl/Command.h.inc"

#endif // WEFT_DIALECTS_PPL_COMMAND_H
