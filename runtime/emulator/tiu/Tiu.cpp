#include "runtime/emulator/tiu/Tiu.h"

#include "runtime/emulator/FloatMode.h"

namespace weft::emulator {

Status tiu::unsupported(const Decoded &command, const char *what) {
  return failf(Code::Unsupported,
               "unsupported: the emulator has no model of %.*s with %s",
               int(command.mnemonic.size()), command.mnemonic.data(), what);
}

Status executeTiu(Machine &machine, const Decoded &command) {
  using isa::TiuType;
  FlushSubnormals flush;
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

} // namespace weft::emulator
