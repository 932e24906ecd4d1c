/// Fields that the element-wise commands have in common, drawn at random.
#ifndef WEFT_TESTS_ORACLE_EMULATOR_ELEMENTFIELDS_H
#define WEFT_TESTS_ORACLE_EMULATOR_ELEMENTFIELDS_H

#include "tests/oracle/emulator/CommandKinds.h"

namespace weft::oracle {

constexpr Precision kAllTypes[] = {Precision::Int8,  Precision::Fp16,
                                   Precision::Fp32,  Precision::Int16,
                                   Precision::Int32, Precision::Bf16};
constexpr Precision kFloatTypes[] = {Precision::Fp32, Precision::Fp16,
                                     Precision::Bf16};
const char *nameOf(Precision precision);

struct ElementShape {
  unsigned n, c, h, w;
};
ElementShape randomElementShape(Random &random);
void setShape(Command &command, const ElementShape &shape);

/// The long form one time in four.
Form formFor(Random &random, Form shortForm, Form longForm);
Precision randomInteger(Random &random);
/// An integer type of at most `bytes` bytes.
Precision randomIntegerUpTo(Random &random, unsigned bytes);
/// Bits for a constant of that type, special ones among them.
uint32_t randomConstant(Random &random, Precision precision);

/// The fields of one operand of AR.
struct OperandFields {
  Field address, constant, layout, n, c, h, w;
};
extern const OperandFields kResultFields, kFirstFields, kSecondFields;

/// A random layout; explicit strides reach less than 16 KiB. Operands may
/// repeat elements (strides of 0), results may not.
void setLayout(Command &command, Random &random, const OperandFields &fields,
               const ElementShape &shape, bool isResult);

} // namespace weft::oracle

#endif
