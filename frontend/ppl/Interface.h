//===- Interface.h - inputs and outputs of a recorded program ---*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INTERFACE_H
#define WEFT_FRONTEND_PPL_INTERFACE_H

#include "dialects/ppl/Net.h"
#include "frontend/ppl/DeviceMemory.h"
#include "runtime/chips/Chip.h"

#include <map>

namespace weft::frontend {

/// Sets the inputs and outputs of `net` and its memory map from what its
/// functions read and write of `memory`: a piece of which bytes are read before
/// they are written is an input, one that is written an output. A piece that
/// is both, or written only in part, gets an input of its own in `memory`,
/// which the program copies there first. A program that reads nothing gets one
/// input all the same. Returns where the bytes of each input
/// come from.
std::map<std::string, uint64_t>
describeInterface(ppl::NetOp net, DeviceMemory &memory, const Chip &chip);

/// Sets the outputs only, under the names that describeInterface gives them.
void describeOutputs(ppl::NetOp net, DeviceMemory &memory, const Chip &chip);

} // namespace weft::frontend

#endif // WEFT_FRONTEND_PPL_INTERFACE_H
