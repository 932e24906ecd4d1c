/// Random windows of convolution and pooling.
#ifndef WEFT_TESTS_ORACLE_EMULATOR_WINDOWFIELDS_H
#define WEFT_TESTS_ORACLE_EMULATOR_WINDOWFIELDS_H

#include "tests/oracle/emulator/CommandKinds.h"

namespace weft::oracle {

struct Window {
  unsigned inputH, inputW, outputH, outputW, kernelH, kernelW;
};

/// Sets sizes, paddings, strides, dilation, insertion and the pad mode; an
/// operand of 70 channels of 4 bytes stays within 16 KiB a lane.
Window setWindow(Command &command, Random &random);

/// Random values in the fields of a long form that its short form lacks and the
/// machine does not read. Nothing for a short form.
void setUnreadFields(Command &command, Random &random);

/// Now and then moves operands to lanes of their own, which the hardware's
/// rules do not allow but the vendor's emulator takes.
void scatterOperands(Command &command, Random &random,
                     std::initializer_list<unsigned> operands);

/// Random bits of a number of this type for an address field: plain numbers
/// mostly, special ones now and then.
uint32_t constantBits(Random &random, Precision precision);

/// "int8", "bf16" ..
const char *precisionName(Precision precision);

} // namespace weft::oracle

#endif
