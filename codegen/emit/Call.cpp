//===- Call.cpp - calls of PPL functions ----------------------------------===//

#include "codegen/emit/Call.h"

using namespace mlir;
using namespace weft;
using namespace weft::emit;

Value Argument::tensor() const {
  const Value *tensor = std::get_if<Value>(&value);
  return tensor ? *tensor : Value();
}

ppl::FunctionArgument Argument::given(OpBuilder &builder) const {
  if (const auto *tensor = std::get_if<Value>(&value))
    return {*tensor, {}};
  if (const auto *integer = std::get_if<int64_t>(&value))
    return {{}, builder.getI64IntegerAttr(*integer)};
  if (const auto *real = std::get_if<double>(&value))
    return {{}, builder.getF64FloatAttr(*real)};
  return {{},
          builder.getDenseI64ArrayAttr(
              std::get<llvm::SmallVector<int64_t, 4>>(value))};
}

void weft::emit::emitCall(OpBuilder &builder, Location loc, StringRef function,
                          ArrayRef<Named> arguments) {
  const catalog::Operation *row =
      catalog::find({function.data(), function.size()});
  assert(row && "emission calls functions of the catalog");
  SmallVector<ppl::FunctionArgument> given(row->slots.size());
  for (const Named &named : arguments) {
    int slot = row->slotIndex({named.slot.data(), named.slot.size()});
    assert(slot >= 0 && "emission names slots of the function");
    given[slot] = named.argument.given(builder);
  }
  ppl::createFunction(builder, loc, *row, given);
}
