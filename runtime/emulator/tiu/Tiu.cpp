#include "runtime/emulator/tiu/Tiu.h"

#include "runtime/emulator/FloatMode.h"

namespace weft::emulator {

Status tiu::unsupported(const Decoded &command, const char *what) {
  return failf(Code::Unsupported,
               "unsupported: the emulator has no model of %.*s with %s",
               int(command.mnemonic.size()), command.mnemonic.data(), what);
}

namespace {

Status execute(Machine &machine, const Decoded &command) {
  using isa::TiuType;
  switch (static_cast<TiuType>(command.type)) {
  case TiuType::Conv:
    return tiu::conv(machine, command);
  case TiuType::PoolOrDepthwise:
    return tiu::poolOrDepthwise(machine, command);
  case TiuType::MatMul:
    return command.func >= isa::mm::NN ? tiu::matMul2(machine, command)
                                       : tiu::matMul(machine, command);
  case TiuType::Arith:
    return tiu::arith(machine, command);
  case TiuType::Quant:
    return tiu::quant(machine, command);
  case TiuType::TransposeBroadcast:
    return tiu::transposeBroadcast(machine, command);
  case TiuType::Gather:
    return tiu::gather(machine, command);
  case TiuType::Special:
    return tiu::special(machine, command);
  case TiuType::Linear:
    return tiu::linear(machine, command);
  case TiuType::Compare:
    return tiu::compare(machine, command);
  case TiuType::OuterProduct:
    return tiu::outerProduct(machine, command);
  case TiuType::LinearArith:
    // The vendor's emulator takes the command and leaves all memory as it is,
    // whatever its fields say; bit 0 it reads as that of a short form.
    if (command.bytes[0] & 1)
      return failf(Code::BadCommand,
                   "%.*s with opd0_w_str 1; the machine knows no short form",
                   int(command.mnemonic.size()), command.mnemonic.data());
    return Status::ok();
  case TiuType::System:
    // Barriers, messages and register writes: none of them reaches a memory.
    return Status::ok();
  default:
    break;
  }
  return failf(Code::Unsupported,
               "unsupported: the emulator has no model of %.*s",
               int(command.mnemonic.size()), command.mnemonic.data());
}

/// Lanes that a long form masks: they are read, and counted as channels, but
/// keep their contents. No compiler masks lanes, so copies of them will do.
class MaskedLanes {
public:
  MaskedLanes(const Machine &machine, uint64_t enabled) : machine(machine) {
    for (unsigned lane = 0; lane < kLanes; ++lane)
      if ((enabled >> lane & 1) == 0)
        lanes.push_back(lane);
    bytes.resize(lanes.size() * kLaneBytes);
    for (size_t i = 0; i < lanes.size(); ++i)
      std::memcpy(saved(i), lane(i), kLaneBytes);
  }
  ~MaskedLanes() {
    for (size_t i = 0; i < lanes.size(); ++i)
      std::memcpy(lane(i), saved(i), kLaneBytes);
  }
  MaskedLanes(const MaskedLanes &) = delete;
  MaskedLanes &operator=(const MaskedLanes &) = delete;

private:
  uint8_t *saved(size_t i) { return bytes.data() + i * kLaneBytes; }
  uint8_t *lane(size_t i) {
    return machine.local() + size_t(lanes[i]) * kLaneBytes;
  }

  const Machine &machine;
  std::vector<unsigned> lanes;
  std::vector<uint8_t> bytes;
};

} // namespace

Status executeTiu(Machine &machine, const Decoded &command) {
  FlushSubnormals flush;
  constexpr uint64_t all = ~uint64_t(0);
  uint64_t enabled = command.get(Field::tsk_lane_num, all);
  if (enabled == all)
    return execute(machine, command);
  MaskedLanes masked(machine, enabled);
  return execute(machine, command);
}

} // namespace weft::emulator
