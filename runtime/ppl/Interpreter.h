//===- Interpreter.h - runs PPL functions on any chip ---------*- C++ -*-===//

#ifndef WEFT_RUNTIME_PPL_INTERPRETER_H
#define WEFT_RUNTIME_PPL_INTERPRETER_H

#include "runtime/ppl/Catalog.h"
#include "runtime/status/Status.h"

#include <map>
#include <memory>

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
  /// Of SG2380: 32 registers of kVectorRegisterBytes each.
  std::vector<uint8_t> vectorRegisters;

  /// The byte of a memory at an address as in `Tensor::address` (for local
  /// memory with its lane); nullptr if [address, address + bytes) leaves it.
  uint8_t *at(Memory memory, uint64_t address, uint64_t bytes,
              unsigned lane = 0);
};

/// The elements of a tensor in row-major order, `bytesOf(type)` bytes each.
struct Dense {
  DataType type = DataType::Fp32;
  Dims shape = {1, 1, 1, 1};
  std::vector<uint8_t> bytes;

  Dense() = default;
  Dense(DataType type, const Dims &shape)
      : type(type), shape(shape),
        bytes(size_t(shape[0] * shape[1] * shape[2] * shape[3]) *
              bytesOf(type)) {}
  int64_t elements() const { return shape[0] * shape[1] * shape[2] * shape[3]; }
  /// Bits of an element, zero-extended.
  uint64_t bits(int64_t index) const;
  void setBits(int64_t index, uint64_t value);
  /// The value of an element: exact for integers up to 53 bits and all floats.
  double value(int64_t index) const;
  /// A float value is rounded to the nearest, ties to even.
  void setValue(int64_t index, double value);
  /// Sign- or zero-extended integer.
  int64_t integer(int64_t index) const;
  int64_t at(int64_t n, int64_t c, int64_t h, int64_t w) const {
    return ((n * shape[1] + c) * shape[2] + h) * shape[3] + w;
  }
};

/// Reads a tensor through its address, strides and lanes.
rt::Result<Dense> read(const Tensor &tensor, const Machine &machine);
rt::Status write(const Tensor &tensor, const Dense &values, Machine &machine);

/// The values that a call reads and writes, by slot. Written ones are there
/// with their old contents before the call.
using Values = std::map<std::string_view, Dense>;
/// Computes the written values. May refuse what the formula does not define.
using Evaluate = rt::Status (*)(const Call &call, Values &values);

/// The function's meaning; nullptr if nothing is written (messages).
Evaluate evaluatorOf(const Operation &operation);

/// Runs one call: every tensor has an address and the call is legal.
rt::Status interpret(const Call &call, Machine &machine);

/// A row of a table of evaluators.
struct EvaluatorRow {
  std::string_view name;
  Evaluate evaluate;
};
// One table a group, in evaluate/<Group>.cpp.
std::vector<EvaluatorRow> dmaEvaluators();
std::vector<EvaluatorRow> sdmaEvaluators();
std::vector<EvaluatorRow> hauEvaluators();
std::vector<EvaluatorRow> tiuPointwiseEvaluators();
std::vector<EvaluatorRow> tiuComparisonEvaluators();
std::vector<EvaluatorRow> tiuIndexEvaluators();
std::vector<EvaluatorRow> tiuConvEvaluators();
std::vector<EvaluatorRow> tiuMatMulEvaluators();
std::vector<EvaluatorRow> tiuPoolEvaluators();
std::vector<EvaluatorRow> tiuQuantEvaluators();
std::vector<EvaluatorRow> tiuSpecialEvaluators();
std::vector<EvaluatorRow> tiuMoveEvaluators();

} // namespace weft::catalog

#endif // WEFT_RUNTIME_PPL_INTERPRETER_H
