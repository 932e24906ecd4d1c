//===- Commands.h - the commands of PPL functions ---------------*- C++ -*-===//
//
// What a call becomes on a chip that has commands: the one place that knows.
// Models and kernels are encoded by it, local memory is reserved and time is
// foretold by it.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_PPL_COMMANDS_H
#define WEFT_RUNTIME_PPL_COMMANDS_H

#include "runtime/catalog/Catalog.h"
#include "runtime/isa/CommandBuilder.h"

namespace weft::catalog {

/// The machine's code of an element type. Types without one have that of the
/// bytes they take.
isa::Precision precisionOf(DataType type);

/// An integer type by width: 8, 16 or 32 bits.
DataType integerType(unsigned bits, bool isSigned);

/// A tensor as a command names it: an argument of the call, scratch memory, a
/// table of static memory, or a part of one of them.
struct Operand : Tensor {
  static constexpr int kNothing = INT32_MIN, kStaticTable = INT32_MAX;
  /// The slot of the argument, or ~i for scratch buffer i.
  int origin = kNothing;

  Operand() = default;
  Operand(const Tensor &tensor, int origin) : Tensor(tensor), origin(origin) {}
  /// False if there is no tensor.
  explicit operator bool() const { return origin != kNothing; }
  bool isScratch() const { return origin < 0 && origin != kNothing; }
  unsigned scratch() const { return unsigned(~origin); }
};

/// A tensor that a command touches.
struct OperandAccess {
  Operand tensor;
  bool reads = false, writes = false;
};

/// One command, or a copy, which the DMA planner makes into commands.
struct CommandStep {
  /// Without ids. Empty for a copy: accesses[0] from accesses[1], both of one
  /// shape and element size.
  std::optional<isa::CommandBuilder> command;
  std::vector<OperandAccess> accesses;

  isa::Engine engine() const {
    return command ? command->engine() : isa::Engine::Gdma;
  }
};

/// Memory that a function needs beside its arguments.
struct ScratchBuffer {
  Memory memory = Memory::Local; ///< or L2
  uint64_t bytes = 0;            ///< of each lane, or in all
};

/// What a call becomes.
struct CommandList {
  std::vector<CommandStep> steps;
  std::vector<ScratchBuffer> scratch;
};

/// The commands of a legal call. Every tensor has an address, and `scratch`
/// holds that of each scratch buffer (as in Tensor::address); without
/// `scratch`, all addresses count as 0: the steps then tell sizes and times,
/// and which memory is wanted. Errors: Unsupported if the function has no
/// commands on the chip (or not in this form), with what to do; OutOfRange if a
/// number does not fit its field.
rt::Result<CommandList>
commandsOf(const Call &call, const std::vector<uint64_t> *scratch = nullptr);

/// Whether commandsOf has a row for the function. A function without one is
/// interpreted only.
bool hasCommands(const Operation &operation);

} // namespace weft::catalog

#endif // WEFT_RUNTIME_PPL_COMMANDS_H
