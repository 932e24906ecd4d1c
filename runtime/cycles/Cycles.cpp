//===- Cycles.cpp - what one command costs --------------------------------===//

#include "runtime/cycles/Cycles.h"

#include "runtime/cycles/Formulas.h"
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

namespace {

constexpr unsigned bit(Precision precision) {
  return 1u << static_cast<unsigned>(precision);
}
constexpr unsigned bit(Direction direction) {
  return 1u << static_cast<unsigned>(direction);
}
constexpr unsigned kI8 = bit(Precision::Int8), kI16 = bit(Precision::Int16),
                   kI32 = bit(Precision::Int32), kF16 = bit(Precision::Fp16),
                   kF32 = bit(Precision::Fp32);
constexpr unsigned kLoad = bit(Direction::GlobalToLocal),
                   kStore = bit(Direction::LocalToGlobal),
                   kGlobalCopy = bit(Direction::GlobalToGlobal);

/// A row of CostRows.def.
struct Row {
  Engine engine;
  uint8_t type, func;
  Formula formula;
  uint8_t precisions, directions;
  int8_t kinFunc;
  bool probed;
};

constexpr Row rows[] = {
#define WEFT_COST_TIU(type, func, formula, precisions, kinFunc, probed)        \
  {Engine::Tiu,         type, func,    Formula::formula,                       \
   (precisions) & 0xff, 0,    kinFunc, (probed) != 0},
#define WEFT_COST_GDMA(type, func, formula, precisions, directions, kinFunc,   \
                       probed)                                                 \
  {Engine::Gdma,                                                               \
   type,                                                                       \
   func,                                                                       \
   Formula::formula,                                                           \
   (precisions) & 0xff,                                                        \
   (directions) & 0xff,                                                        \
   kinFunc,                                                                    \
   (probed) != 0},
#include "runtime/cycles/CostRows.def"
};

} // namespace

static const Row *findRow(Engine engine, unsigned type, unsigned func) {
  for (const Row &row : rows)
    if (row.engine == engine && row.type == type && row.func == func)
      return &row;
  return nullptr;
}

/// The row of the nearest kin that the timelines show: a row's own if they
/// show it at all.
static const Row *kinOf(const Row &row) {
  const Row *kin =
      row.kinFunc < 0
          ? findRow(row.engine, row.engine == Engine::Tiu ? 3 : 0, 0)
          : findRow(row.engine, row.type, row.kinFunc);
  return row.precisions != 0 || kin == nullptr ? &row : kin;
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

/// `arith.add fp16`, for every row and precision.
static std::string_view kinName(const Row &kin, Precision precision) {
  constexpr unsigned kPrecisions = unsigned(Precision::Int4) + 1;
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Row &row : rows)
      for (unsigned code = 0; code < kPrecisions; ++code) {
        std::string_view word = isa::precisionName(Precision(code));
        const isa::Opcode *opcode =
            isa::findOpcode(row.engine, row.type, row.func);
        all.push_back(opcode ? std::string(opcode->mnemonic) + " " +
                                   std::string(word)
                             : std::string());
      }
    return all;
  }();
  return names[static_cast<size_t>(&kin - rows) * kPrecisions +
               static_cast<size_t>(precision)];
}

static void nameKin(const Row &row, bool isOwnRow, const isa::Decoded &command,
                    CommandCost &cost) {
  Precision precision = costPrecision(command);
  const Row *kin = kinOf(row);
  Precision nearest = nearestPrecision(kin->precisions, precision);
  cost.kin = kinName(*kin, nearest);
  bool isShown = isOwnRow && row.precisions != 0 && nearest == precision;
  if (row.engine == Engine::Gdma) // which only moves: types of a width are one
    isShown = isOwnRow && row.precisions != 0 &&
              costBytes(static_cast<uint64_t>(nearest)) ==
                  costBytes(static_cast<uint64_t>(precision)) &&
              (row.directions & bit(cost.direction)) != 0 &&
              !command.get(Field::fill_constant_en);
  cost.evidence = isShown                  ? Evidence::Measured
                  : isOwnRow && row.probed ? Evidence::Probed
                                           : Evidence::Kin;
  cost.measured = isShown;
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
  static constexpr Row unknown = {Engine::Tiu, 3, 0,  Formula::Plain,
                                  0,           0, -1, false};
  const Row *row = findRow(command.engine, type, command.func);
  bool isOwnRow = row != nullptr && !isLinear;
  if (row == nullptr)
    row = isTiu ? &unknown : findRow(Engine::Gdma, 0, 0);
  if (isTiu) {
    cost.cycles = tiuCycles(row->formula, command, chip);
    cost.macs = tiuMacs(row->formula, command);
  } else {
    cost.direction = gdmaDirection(command, chip);
    cost.bytes = gdmaBytes(row->formula, command);
    cost.cycles = gdmaCycles(row->formula, command, cost.direction);
  }
  // The vendor's model drops commands that come out at less than a cycle.
  cost.cycles = std::max<uint64_t>(cost.cycles, 1);
  nameKin(*row, isOwnRow, command, cost);
  return cost;
}

uint64_t cycles::macsPerCycle(Precision precision, const Chip &chip) {
  switch (precision) {
  case Precision::Fp32:
    return uint64_t(chip.lanes) * chip.euBytes / 4;
  case Precision::Int8:
  case Precision::Fp16:
  case Precision::Bf16:
    return uint64_t(chip.lanes) * chip.channelPack(precision) *
           kPackedResultsPerCycle;
  default:
    return 0;
  }
}

double cycles::dmaBytesPerCycle(const Chip &chip) {
  return double(kDramBytesPerSecond) / double(cyclesPerSecond(chip));
}

uint64_t cycles::cyclesPerSecond(const Chip &) { return 1'000'000'000; }

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
