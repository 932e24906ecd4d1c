//===- Instructions.cpp - the instructions of BM1684X ---------------------===//

#include "runtime/chips/bm1684x.h"
#include "runtime/isa/MakeInstructionSet.h"

namespace weft::isa::bm1684x {
namespace {
#define WEFT_ISA_TABLE "runtime/chips/bm1684x/Instructions.def"
#include "runtime/isa/MakeInstructionSet.inc"
} // namespace
} // namespace weft::isa::bm1684x

const weft::isa::InstructionSet weft::chips::bm1684xInstructions =
    isa::bm1684x::instructionSet;
