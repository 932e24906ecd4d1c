//===- Interpreter.h - runs PPL functions on any chip ---------*- C++ -*-===//

#ifndef WEFT_RUNTIME_PPL_INTERPRETER_H
#define WEFT_RUNTIME_PPL_INTERPRETER_H

#include "runtime/catalog/Dense.h"

/// The meaning of every function of the catalog, written down a second time:
/// straight from the manual's formulas, without the commands of any chip. It
/// runs kernels for chips that Weft makes no commands for and is what the
/// commands are tested against.
namespace weft::catalog {

/// Room of a vector register: the most that its instruction set allows.
inline constexpr unsigned kVectorRegisterBytes = 65536 / 8;
/// Values of a function on vector registers hold them and static memory under
/// these names, as bytes.
inline constexpr std::string_view kVectorRegisters = "vector registers",
                                  kStaticMemory = "static memory";

/// The memories that one core sees.
class Machine {
public:
  /// `globalBytes` of DRAM from `chip.globalMemoryBase` on, zeroed.
  Machine(const Chip &chip, uint64_t globalBytes);

  const Chip &chip;
  std::vector<uint8_t> local; ///< lanes * laneBytes, lane by lane
  std::vector<uint8_t> statics;
  std::vector<uint8_t> l2;
  std::vector<uint8_t> global;
  /// Chip::tiu.vectorRegisters, of kVectorRegisterBytes each.
  std::vector<uint8_t> vectorRegisters;

  /// The byte of a memory at an address as in `Tensor::address` (for local
  /// memory with its lane); nullptr if [address, address + bytes) leaves it.
  uint8_t *at(Memory memory, uint64_t address, uint64_t bytes,
              unsigned lane = 0);
};

/// Reads a tensor through its address, strides and lanes.
rt::Result<Dense> read(const Tensor &tensor, const Machine &machine);
rt::Status write(const Tensor &tensor, const Dense &values, Machine &machine);

/// Runs one call: every tensor has an address and the call is legal.
rt::Status interpret(const Call &call, Machine &machine);

// One table a group, in evaluate/<Group>.cpp.
#define PPL_GROUP(group, engine, header)                                       \
  std::vector<EvaluatorRow> group##Evaluators();
#include "runtime/ppl/Groups.def"

} // namespace weft::catalog

#endif // WEFT_RUNTIME_PPL_INTERPRETER_H
