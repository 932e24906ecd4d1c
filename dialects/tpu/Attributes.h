//===- Attributes.h - attributes of the tpu dialect -------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_ATTRIBUTES_H
#define WEFT_DIALECTS_TPU_ATTRIBUTES_H

#include "dialects/tpu/Tpu.h"
#include "runtime/bmodel/DecisionKinds.h"

#include "mlir/IR/DialectImplementation.h"

// In the namespace of the kinds, where an unqualified name is looked up.
namespace weft::rt {
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, Cause cause);
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, DramReason reason);
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, Question question);
} // namespace weft::rt

namespace mlir {
template <>
struct FieldParser<weft::rt::Cause> {
  static FailureOr<weft::rt::Cause> parse(AsmParser &parser);
};
template <>
struct FieldParser<weft::rt::DramReason> {
  static FailureOr<weft::rt::DramReason> parse(AsmParser &parser);
};
template <>
struct FieldParser<weft::rt::Question> {
  static FailureOr<weft::rt::Question> parse(AsmParser &parser);
};
} // namespace mlir

#define GET_ATTRDEF_CLASSES
#include "dialects/tpu/TpuAttrs.h.inc"

#endif // WEFT_DIALECTS_TPU_ATTRIBUTES_H
