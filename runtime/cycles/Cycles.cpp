//===- Cycles.cpp - what one command costs --------------------------------===//

#include "runtime/cycles/Cycles.h"

#include "runtime/cycles/CostRows.h"
#include "runtime/isa/Symbols.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace weft;
using namespace weft::cycles;
using namespace weft::cycles::detail;
using isa::Engine;
using isa::Field;
using isa::Precision;

const CostConstants &detail::constantsOf(const Chip &chip) {
  return chip.costs->constants;
}

static const CostRow *findRow(const CostTable &table, Engine engine,
                              unsigned type, unsigned func) {
  for (const CostRow &row : table)
    if (row.engine == engine && row.type == type && row.func == func)
      return &row;
  return nullptr;
}

/// The kin of types that the timelines do not show: element-wise
/// multiplication, the tensor copy.
static const CostRow *commonest(const CostTable &table, Engine engine) {
  return engine == Engine::Tiu
             ? findRow(table, engine,
                       static_cast<unsigned>(isa::TiuType::Arith),
                       isa::arith::Mul)
             : findRow(table, engine,
                       static_cast<unsigned>(isa::GdmaType::Tensor),
                       isa::gdma::TensorCopy);
}

/// The row of the nearest kin that the timelines show: a row's own if they
/// show it at all.
static const CostRow *kinOf(const CostTable &table, const CostRow &row) {
  const CostRow *kin = row.kinFunc == kOtherType
                           ? commonest(table, row.engine)
                           : findRow(table, row.engine, row.type,
                                     static_cast<unsigned>(row.kinFunc));
  return row.measured.precisions != 0 || kin == nullptr ? &row : kin;
}

/// The precision among `shown` that is most like `precision`.
static Precision nearestPrecision(unsigned shown, Precision precision) {
  // Same width first, then wider, then narrower.
  static constexpr Precision order[][6] = {
      {Precision::Int8, Precision::Int16, Precision::Fp16, Precision::Int32,
       Precision::Fp32, Precision::Bf16},
      {Precision::Fp16, Precision::Int16, Precision::Fp32, Precision::Int32,
       Precision::Int8, Precision::Bf16},
      {Precision::Fp32, Precision::Int32, Precision::Fp16, Precision::Int16,
       Precision::Int8, Precision::Bf16},
      {Precision::Int16, Precision::Fp16, Precision::Int8, Precision::Int32,
       Precision::Fp32, Precision::Bf16},
      {Precision::Int32, Precision::Fp32, Precision::Int16, Precision::Int8,
       Precision::Fp16, Precision::Bf16},
      {Precision::Fp16, Precision::Int16, Precision::Fp32, Precision::Int32,
       Precision::Int8, Precision::Bf16},
      {Precision::Int8, Precision::Int16, Precision::Fp16, Precision::Int32,
       Precision::Fp32, Precision::Bf16},
  };
  if (shown & bit(precision))
    return precision;
  unsigned index = std::min(static_cast<unsigned>(precision), 6u);
  for (Precision candidate : order[index])
    if (shown & bit(candidate))
      return candidate;
  return precision;
}

static Precision costPrecision(const isa::Decoded &command) {
  uint64_t code = command.get(
      Field::opd0_prec,
      command.get(Field::res0_prec, command.get(Field::src_data_format)));
  return static_cast<Precision>(
      std::min<uint64_t>(code, static_cast<uint64_t>(Precision::Int4)));
}

std::vector<std::string>
detail::kinNamesOf(const CostTable &table,
                   const isa::InstructionSet &instructions) {
  std::vector<std::string> all;
  for (const CostRow &row : table)
    for (unsigned code = 0; code < kPrecisions; ++code) {
      std::string_view word = isa::precisionName(Precision(code));
      const isa::Opcode *opcode =
          instructions.find(row.engine, row.type, row.func);
      all.push_back(opcode ? std::string(opcode->mnemonic) + " " +
                                 std::string(word)
                           : std::string());
    }
  return all;
}

/// Whether `claim` speaks for the command. The DMA engine only moves: types of
/// one width are one to it.
static bool covers(const Claim &claim, Engine engine, const CommandCost &cost) {
  // Neither the timelines nor the encoder library have it in any command.
  if (cost.precision == Precision::Int4)
    return false;
  if (engine == Engine::Tiu)
    return (claim.precisions & bit(cost.precision)) != 0;
  Precision nearest = nearestPrecision(claim.precisions, cost.precision);
  return (claim.precisions & bit(nearest)) != 0 &&
         isa::elementBytes(nearest) == isa::elementBytes(cost.precision) &&
         (claim.directions & bit(cost.direction)) != 0;
}

/// Whether a timeline shows the command of `row`.
static bool isMeasured(const CostTable &table, const CostRow &row,
                       const CommandCost &cost) {
  if (covers(row.measured, row.engine, cost))
    return true;
  if (row.engine == Engine::Tiu)
    return false;
  for (size_t i = 0; i < table.claimCount; ++i) {
    const FurtherClaim &further = table.furtherClaims[i];
    if (further.type == row.type && further.func == row.func &&
        covers(further.measured, row.engine, cost))
      return true;
  }
  return false;
}

static void nameKin(const CostTable &table, const CostRow &row, bool isOwnRow,
                    const isa::Decoded &command, CommandCost &cost) {
  cost.precision = costPrecision(command);
  const CostRow *kin = kinOf(table, row);
  Precision shown = nearestPrecision(kin->measured.precisions, cost.precision);
  cost.kin =
      table.kinNames()[static_cast<size_t>(kin - table.rows) * kPrecisions +
                       static_cast<size_t>(shown)];
  // Of the moves that can fill, the timelines show the tensor copy to DRAM, and
  // the encoder library was asked for the tensor copy alone.
  bool isFill = command.get(Field::fill_constant_en) != 0;
  bool isFillOfTensor = isFill && row.formula == Formula::Tensor &&
                        command.func == isa::gdma::TensorCopy;
  bool isFillOfDram =
      isFillOfTensor && cost.direction == Direction::GlobalToGlobal;
  if (isOwnRow && (!isFill || isFillOfDram) && isMeasured(table, row, cost))
    cost.evidence = Evidence::Measured;
  else if (isOwnRow && (!isFill || isFillOfTensor) &&
           covers(row.probed, row.engine, cost))
    cost.evidence = Evidence::Probed;
  cost.measured = cost.evidence == Evidence::Measured;
}

CommandCost cycles::estimate(const isa::Decoded &command, const Chip &chip) {
  CommandCost cost;
  bool isTiu = command.engine == Engine::Tiu;
  unsigned system = isTiu ? static_cast<unsigned>(isa::TiuType::System)
                          : static_cast<unsigned>(isa::GdmaType::System);
  if (command.type == system) // ends, nops, barriers: not in the timelines
    return cost;
  // Linear arithmetic is element arithmetic without shapes and strides.
  bool isLinear =
      isTiu && command.type == static_cast<unsigned>(isa::TiuType::LinearArith);
  unsigned type =
      isLinear ? static_cast<unsigned>(isa::TiuType::Arith) : command.type;
  static constexpr CostRow unknown = {Engine::Tiu,
                                      static_cast<uint8_t>(isa::TiuType::Arith),
                                      isa::arith::Mul,
                                      Formula::Plain,
                                      {},
                                      kOtherType,
                                      {}};
  const CostTable &table = *chip.costs;
  const CostRow *row = findRow(table, command.engine, type, command.func);
  bool isOwnRow = row != nullptr && !isLinear;
  if (row == nullptr)
    row = isTiu ? &unknown : commonest(table, Engine::Gdma);
  if (isTiu) {
    cost.cycles = tiuCycles(row->formula, command, chip);
    cost.macs = tiuMacs(row->formula, command);
  } else {
    cost.direction = gdmaDirection(command, chip);
    cost.bytes = gdmaBytes(row->formula, command);
    cost.cycles = gdmaCycles(row->formula, command, cost.direction, chip);
  }
  // The vendor's model drops commands that come out at less than a cycle.
  cost.cycles = std::max<uint64_t>(cost.cycles, 1);
  nameKin(table, *row, isOwnRow, command, cost);
  return cost;
}

DmaOpcode cycles::opcodeOf(DmaFunction function) {
  using isa::GdmaType;
  switch (function) {
  case DmaFunction::Copy:
    return {GdmaType::Tensor, unsigned(isa::gdma::TensorCopy)};
  case DmaFunction::NcTranspose:
    return {GdmaType::Tensor, unsigned(isa::gdma::TensorNcTranspose)};
  case DmaFunction::Matrix:
    return {GdmaType::Matrix, unsigned(isa::gdma::MatrixCopy)};
  case DmaFunction::MatrixTranspose:
    break;
  }
  return {GdmaType::Matrix, unsigned(isa::gdma::MatrixTranspose)};
}

Precision cycles::movedPrecision(unsigned elementBytes) {
  return elementBytes == 1   ? Precision::Int8
         : elementBytes == 2 ? Precision::Fp16
                             : Precision::Fp32;
}

Evidence cycles::dmaEvidence(const DmaShape &shape, const Chip &chip) {
  DmaOpcode opcode = opcodeOf(shape.function);
  const CostRow *row =
      findRow(*chip.costs, Engine::Gdma, unsigned(opcode.type), opcode.func);
  CommandCost cost;
  cost.direction = shape.direction;
  cost.precision = movedPrecision(shape.elementBytes);
  if (isMeasured(*chip.costs, *row, cost))
    return Evidence::Measured;
  return covers(row->probed, Engine::Gdma, cost) ? Evidence::Probed
                                                 : Evidence::Kin;
}

uint64_t cycles::macsPerCycle(Precision precision, const Chip &chip) {
  switch (precision) {
  case Precision::Fp32:
    return uint64_t(chip.lanes) * chip.euBytes / 4;
  case Precision::Int8:
  case Precision::Fp16:
  case Precision::Bf16:
    return uint64_t(chip.lanes) *
           chip.channelPack(8 * isa::elementBytes(precision)) *
           chip.rates.packedResults;
  default:
    return 0;
  }
}

double cycles::dmaBytesPerCycle(const Chip &chip) {
  return double(chip.rates.dramBytesPerSecond) / double(cyclesPerSecond(chip));
}

double cycles::loadBytesPerCycle(const Chip &chip) {
  // The formula of transfers counts GiB where the clock counts 10^9.
  return chip.rates.loadBytes * 1e9 / double(uint64_t(1) << 30);
}

uint64_t cycles::cyclesPerSecond(const Chip &chip) {
  return chip.rates.cyclesPerSecond;
}

std::string_view cycles::directionName(Direction direction) {
  switch (direction) {
  case Direction::None:
    return "none";
  case Direction::GlobalToLocal:
    return "dram to local";
  case Direction::LocalToGlobal:
    return "local to dram";
  case Direction::GlobalToGlobal:
    return "dram to dram";
  case Direction::LocalToLocal:
    return "local to local";
  }
  return "none";
}
