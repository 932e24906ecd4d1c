//===- Cycles.cpp - what one command costs --------------------------------===//

#include "runtime/cycles/Cycles.h"
#include <algorithm>

using namespace weft;
using namespace weft::cycles;
using isa::Engine;
using isa::Field;
using isa::Precision;
using isa::TiuType;

static uint64_t ceilDiv(uint64_t value, uint64_t by) {
  return (value + by - 1) / by;
}

/// Waves of 64 lanes that a tensor of the result's shape takes.
static uint64_t resultSteps(const isa::Decoded &command, const Chip &chip) {
  auto precision = static_cast<Precision>(command.get(Field::res0_prec, 2));
  unsigned bytes = std::max(1u, isa::elementBytes(precision));
  uint64_t plane =
      command.get(Field::res0_h, 1) * command.get(Field::res0_w, 1);
  return std::max<uint64_t>(command.get(Field::res0_n, 1), 1) *
         std::max<uint64_t>(ceilDiv(command.get(Field::res0_c, 1), chip.lanes),
                            1) *
         std::max<uint64_t>(ceilDiv(plane, chip.euBytes / bytes), 1);
}

static CommandCost tiuCost(const isa::Decoded &command, const Chip &chip) {
  CommandCost cost;
  cost.kin = command.mnemonic;
  auto type = static_cast<TiuType>(command.type);
  if (type == TiuType::System)
    return cost;
  cost.cycles = resultSteps(command, chip);
  uint64_t window =
      command.get(Field::opd1_h, 1) * command.get(Field::opd1_w, 1);
  uint64_t outputs =
      command.get(Field::res0_n, 1) * command.get(Field::res0_c, 1) *
      command.get(Field::res0_h, 1) * command.get(Field::res0_w, 1);
  if (type == TiuType::Conv) {
    uint64_t channels = command.get(Field::opd0_c, 1);
    auto precision = static_cast<Precision>(command.get(Field::opd0_prec));
    cost.macs = outputs * channels * window;
    uint64_t plane =
        command.get(Field::res0_h, 1) * command.get(Field::res0_w, 1);
    cost.cycles = command.get(Field::res0_n, 1) *
                  ceilDiv(command.get(Field::res0_c, 1), chip.lanes) *
                  ceilDiv(plane, 4) * window *
                  ceilDiv(channels, chip.channelPack(precision));
  } else if (type == TiuType::PoolOrDepthwise) {
    cost.cycles *= std::max<uint64_t>(window, 1);
    if (command.func == isa::pord::Depthwise)
      cost.macs = outputs * window;
  }
  cost.cycles = std::max<uint64_t>(cost.cycles, 1);
  return cost;
}

static CommandCost gdmaCost(const isa::Decoded &command, const Chip &chip) {
  CommandCost cost;
  cost.kin = command.mnemonic;
  if (static_cast<isa::GdmaType>(command.type) == isa::GdmaType::System)
    return cost;
  auto precision =
      static_cast<Precision>(command.get(Field::src_data_format, 2));
  cost.bytes = std::max<uint64_t>(command.get(Field::src_nsize, 1), 1) *
               std::max<uint64_t>(command.get(Field::src_csize, 1), 1) *
               std::max<uint64_t>(command.get(Field::src_hsize, 1), 1) *
               std::max<uint64_t>(command.get(Field::src_wsize, 1), 1) *
               std::max(1u, isa::elementBytes(precision));
  auto isLocal = [&](Field low, Field high) {
    uint64_t address = command.get(low) | command.get(high) << 32;
    return address >= chip.localMemoryBase &&
           address < chip.localMemoryBase + chip.localMemoryBytes();
  };
  bool from = isLocal(Field::src_start_addr_l32, Field::src_start_addr_h8);
  bool to = isLocal(Field::dst_start_addr_l32, Field::dst_start_addr_h8);
  cost.direction =
      from ? (to ? Direction::LocalToLocal : Direction::LocalToGlobal)
           : (to ? Direction::GlobalToLocal : Direction::GlobalToGlobal);
  cost.cycles = std::max<uint64_t>(
      static_cast<uint64_t>(cost.bytes / dmaBytesPerCycle(chip)), 37);
  return cost;
}

CommandCost cycles::estimate(const isa::Decoded &command, const Chip &chip) {
  return command.engine == Engine::Tiu ? tiuCost(command, chip)
                                       : gdmaCost(command, chip);
}

uint64_t cycles::macsPerCycle(Precision precision, const Chip &chip) {
  switch (precision) {
  case Precision::Int8:
    return uint64_t(chip.lanes) * chip.euBytes * 4;
  case Precision::Fp16:
  case Precision::Bf16:
    return uint64_t(chip.lanes) * chip.euBytes / 2 * 4;
  case Precision::Fp32:
    return uint64_t(chip.lanes) * chip.euBytes / 4;
  default:
    return 0;
  }
}

// 2048 bytes in 417/11 cycles.
double cycles::dmaBytesPerCycle(const Chip &) { return 54.02; }

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
