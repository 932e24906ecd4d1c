#include "runtime/emulator/tiu/Tiu.h"

#include "runtime/emulator/FloatMode.h"
#include "runtime/emulator/Workers.h"
#include "runtime/isa/Accesses.h"

namespace weft::emulator {

Status tiu::unsupported(const Decoded &command, const char *what) {
  return failf(Code::Unsupported,
               "unsupported: the emulator has no model of %.*s with %s",
               int(command.mnemonic.size()), command.mnemonic.data(), what);
}

namespace {

Status linearArith(Machine &, const Decoded &command) {
  // The vendor's emulator takes the command and leaves all memory as it is,
  // whatever its fields say; bit 0 it reads as that of a short form.
  if (command.bytes[0] & 1)
    return failf(Code::BadCommand,
                 "%.*s with opd0_w_str 1; the machine knows no short form",
                 int(command.mnemonic.size()), command.mnemonic.data());
  return Status::ok();
}

/// Barriers, messages and register writes: none of them reaches a memory.
Status system(Machine &, const Decoded &) { return Status::ok(); }

Status unknown(Machine &, const Decoded &command) {
  return failf(Code::Unsupported,
               "unsupported: the emulator has no model of %.*s",
               int(command.mnemonic.size()), command.mnemonic.data());
}

CommandKernel::Function functionOf(const Decoded &command) {
  using isa::TiuType;
  switch (static_cast<TiuType>(command.type)) {
  case TiuType::MatMul:
    return command.func >= isa::mm::NN ? tiu::matMul2 : tiu::matMul;
  case TiuType::Quant:
    return tiu::quant;
  case TiuType::TransposeBroadcast:
    return tiu::transposeBroadcast;
  case TiuType::Gather:
    return tiu::gather;
  case TiuType::Special:
    return tiu::special;
  case TiuType::Linear:
    return tiu::linear;
  case TiuType::Compare:
    return tiu::compare;
  case TiuType::OuterProduct:
    return tiu::outerProduct;
  case TiuType::LinearArith:
    return linearArith;
  case TiuType::System:
    return system;
  default:
    return unknown;
  }
}

Status prepare(Machine &machine, const Decoded &command, KernelPtr &kernel) {
  using isa::TiuType;
  switch (static_cast<TiuType>(command.type)) {
  case TiuType::Conv:
    return tiu::prepareConv(machine, command, kernel);
  case TiuType::PoolOrDepthwise:
    return tiu::preparePool(machine, command, kernel);
  case TiuType::Arith:
    return tiu::prepareArith(machine, command, kernel);
  default:
    kernel = std::make_unique<CommandKernel>(functionOf(command), command);
    return Status::ok();
  }
}

/// Lanes that a long form masks: they are read, and counted as channels, but
/// keep their contents. No compiler masks lanes, so copies of them will do.
class MaskedLanes {
public:
  MaskedLanes(const Machine &machine, uint64_t enabled) : machine(machine) {
    for (unsigned lane = 0; lane < machine.lanes().count; ++lane)
      if ((enabled >> lane & 1) == 0)
        lanes.push_back(lane);
    bytes.resize(machine.lanes().start(uint32_t(lanes.size())));
    for (size_t i = 0; i < lanes.size(); ++i)
      std::memcpy(saved(i), lane(i), machine.lanes().bytes);
  }
  ~MaskedLanes() {
    for (size_t i = 0; i < lanes.size(); ++i)
      std::memcpy(lane(i), saved(i), machine.lanes().bytes);
  }
  MaskedLanes(const MaskedLanes &) = delete;
  MaskedLanes &operator=(const MaskedLanes &) = delete;

private:
  uint8_t *saved(size_t i) {
    return bytes.data() + machine.lanes().start(uint32_t(i));
  }
  uint8_t *lane(size_t i) {
    return machine.local() + machine.lanes().start(lanes[i]);
  }

  const Machine &machine;
  std::vector<unsigned> lanes;
  std::vector<uint8_t> bytes;
};

/// True if a result may lie over an operand that other outputs still need: the
/// window and matrix units read all of their operands for many outputs. The old
/// result of an adding command belongs to one output each.
bool readsWhatItWrites(const Machine &machine, const Decoded &command) {
  using isa::TiuType;
  TiuType type = static_cast<TiuType>(command.type);
  if (type != TiuType::Conv && type != TiuType::PoolOrDepthwise &&
      type != TiuType::MatMul)
    return false;
  std::vector<isa::Access> accesses = isa::accessesOf(command, machine.chip());
  for (const isa::Access &write : accesses)
    for (const isa::Access &read : accesses)
      if (write.isWrite && !read.isWrite && read.operand != write.operand &&
          read.memory == write.memory && read.begin < write.end &&
          write.begin < read.end)
        return true;
  return false;
}

/// A kernel under the machine's float mode and the command's lane mask.
class TiuKernel final : public Kernel {
public:
  TiuKernel(Machine &machine, const Decoded &command)
      : enabled(command.get(Field::tsk_lane_num, kAll)),
        isSerial(readsWhatItWrites(machine, command)),
        prepared(prepare(machine, command, kernel)) {}

  Status run(Machine &machine) override {
    WEFT_TRY(prepared);
    FlushSubnormals flush;
    Workers::Serial serial(machine.workers(), isSerial);
    if (enabled == kAll)
      return kernel->run(machine);
    MaskedLanes masked(machine, enabled);
    return kernel->run(machine);
  }

private:
  static constexpr uint64_t kAll = ~uint64_t(0);
  uint64_t enabled;
  bool
      isSerial; ///< one thread, so that the order of outputs is always the same
  KernelPtr kernel;
  Status prepared;
};

} // namespace

KernelPtr prepareTiu(Machine &machine, const Decoded &command) {
  return std::make_unique<TiuKernel>(machine, command);
}

} // namespace weft::emulator
