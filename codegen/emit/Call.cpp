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

/// True if a command reads the operand by strides beside a result `dst`.
static bool isStrided(const Argument &operand, Value dst) {
  Value tensor = operand.tensor();
  if (!tensor)
    return false;
  auto type = llvm::cast<ppl::TensorViewType>(tensor.getType()),
       result = llvm::cast<ppl::TensorViewType>(dst.getType());
  if (type.getShape() == result.getShape())
    return type.getLayout() != ppl::Layout::Aligned &&
           type.getLayout() != ppl::Layout::Compact;
  // Repeated: one element a channel has a code of its own.
  ppl::Strides strides =
      ppl::stridesOf(type, /*lane=*/0, ppl::chipOf(dst.getDefiningOp()));
  bool isPerChannel = type.getN() == 1 && type.getH() == 1 &&
                      type.getW() == 1 && strides.c == 1;
  return !isPerChannel;
}

/// Whether the operands may change places. Float max and min may not: the order
/// decides which zero comes out.
static bool commutes(StringRef function) {
  return llvm::is_contained(
      ArrayRef<StringRef>{"tiu.fadd", "tiu.fmul", "tiu.fmac", "tiu.fsub_abs",
                          "tiu.add", "tiu.mul", "tiu.max", "tiu.min",
                          "tiu.bitwise_and", "tiu.bitwise_or",
                          "tiu.bitwise_xor", "tiu.eq"},
      function);
}

void weft::emit::emitBinary(OpBuilder &builder, Location loc,
                            StringRef function, Value dst, Argument src0,
                            Argument src1, ArrayRef<Named> more) {
  if (commutes(function) && isStrided(src1, dst) && !isStrided(src0, dst))
    std::swap(src0, src1);
  SmallVector<Named> arguments{{"dst", dst}, {"src0", src0}, {"src1", src1}};
  llvm::append_range(arguments, more);
  emitCall(builder, loc, function, arguments);
}

void weft::emit::emitCast(OpBuilder &builder, Location loc, Value dst,
                          Value src, numeric::Rounding rounding) {
  auto element = [](Value tensor) {
    return llvm::cast<ppl::TensorViewType>(tensor.getType()).getElementType();
  };
  emitCall(builder, loc,
           element(dst) == element(src) ? "tiu.round" : "tiu.cast",
           {{"dst", dst}, {"src", src}, {"round_mode", int64_t(rounding)}});
}
