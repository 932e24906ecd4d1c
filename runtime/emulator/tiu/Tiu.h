/// Execution of TIU commands. One function per `tsk_typ`; each checks the whole
/// command before it writes anything.
#ifndef WEFT_RUNTIME_EMULATOR_TIU_TIU_H
#define WEFT_RUNTIME_EMULATOR_TIU_TIU_H

#include "runtime/emulator/Kernel.h"
#include "runtime/emulator/Rows.h"
#include "runtime/isa/Decode.h"

namespace weft::emulator {

using isa::Decoded;
using isa::Field;

namespace tiu {

/// Commands that are worth settling once. They set `kernel` or fail.
Status prepareArith(Machine &machine, const Decoded &command,
                    KernelPtr &kernel);
Status prepareConv(Machine &machine, const Decoded &command, KernelPtr &kernel);
Status preparePool(Machine &machine, const Decoded &command, KernelPtr &kernel);

/// The others: each checks the whole command before it writes anything.
Status compare(Machine &machine, const Decoded &command);
Status matMul(Machine &machine, const Decoded &command);
Status matMul2(Machine &machine, const Decoded &command);
Status quant(Machine &machine, const Decoded &command);
Status special(Machine &machine, const Decoded &command);
Status linear(Machine &machine, const Decoded &command);
Status outerProduct(Machine &machine, const Decoded &command);
Status transposeBroadcast(Machine &machine, const Decoded &command);
Status gather(Machine &machine, const Decoded &command);

inline uint32_t get32(const Decoded &command, Field field,
                      uint32_t otherwise = 0) {
  return static_cast<uint32_t>(command.get(field, otherwise));
}
inline Precision precisionOf(const Decoded &command, Field field) {
  return static_cast<Precision>(command.get(field));
}
/// False for the codes that have no execution model (int4 and 7).
inline bool isKnown(Precision precision) {
  return static_cast<unsigned>(precision) <= 5;
}
inline Shape4 resultShape(const Decoded &command) {
  return {get32(command, Field::res0_n), get32(command, Field::res0_c),
          get32(command, Field::res0_h), get32(command, Field::res0_w)};
}
/// "unsupported ..." for a combination that the emulator has no model of.
Status unsupported(const Decoded &command, const char *what);

/// Reciprocal square root of the machine: integer seed and `steps` Newton
/// steps, every operation rounded to fp32.
float reciprocalRoot(float x, unsigned steps);
/// a / b of the machine, a * rsqrt(b)^2 with the sign of b.
float quotient(float a, float b, unsigned steps);

} // namespace tiu
} // namespace weft::emulator

#endif
