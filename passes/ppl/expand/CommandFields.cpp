//===- CommandFields.cpp - one command while it is expanded ---------------===//

#include "passes/ppl/expand/CommandFields.h"
#include "runtime/numeric/Float16.h"
#include "runtime/ppl/Window.h"

using namespace mlir;
using namespace weft;
using namespace weft::ppl;

int64_t weft::ppl::precisionCode(TensorViewType type) {
  return int64_t(*precisionOf(type.getElementType()));
}

uint32_t weft::ppl::floatElement(Type type, double value) {
  if (type.isF16())
    return numeric::doubleToHalf(value);
  if (type.isBF16())
    return numeric::doubleToBf16(value);
  return numeric::floatBits(float(value));
}

bool weft::ppl::isSignedOperand(const Expansion &e, StringRef slot) {
  return catalog::isSignedOperand(e.function.call(e.chip),
                                  {slot.data(), slot.size()});
}

CommandFields &CommandFields::result(Value dst, bool adds, Value accumulator) {
  auto type = cast<TensorViewType>(dst.getType());
  bindings.push_back(
      {"res0_addr", dst,
       adds && !accumulator ? Expansion::Updates : Expansion::Writes});
  if (adds && accumulator)
    reads("res0_addr", accumulator); // the same address
  if (adds)
    set("res_add", 1);
  return set("res0_prec", precisionCode(type));
}

CommandFields &CommandFields::resultShape(TensorViewType type) {
  return set("res0_n", type.getN())
      .set("res0_c", type.getC())
      .set("res0_h", type.getH())
      .set("res0_w", type.getW());
}

CommandFields &CommandFields::operand(unsigned which, Value tensor,
                                      uint32_t bits) {
  static constexpr StringLiteral addresses[] = {"opd0_addr", "opd1_addr",
                                                "opd2_addr", "opd3_addr"},
                                 constants[] = {"opd0_const", "opd1_const",
                                                "opd2_const", "opd3_const"};
  if (tensor)
    return reads(addresses[which], tensor);
  set(constants[which], 1);
  return bits ? set(addresses[which], bits) : *this;
}

CommandFields &CommandFields::window(TensorViewType src) {
  catalog::Window window = catalog::windowOf(e.function.call(e.chip));
  if (window.rotates)
    set("kernel_rotate", 1);
  return set("opd0_h", src.getH())
      .set("opd0_w", src.getW())
      .set("opd1_h", window.kernel[0])
      .set("opd1_w", window.kernel[1])
      .set("res_op_y_str", window.stride[0])
      .set("res_op_x_str", window.stride[1])
      .set("opd0_up_pad", window.before[0])
      .set("opd0_dn_pad", window.after[0])
      .set("opd0_lf_pad", window.before[1])
      .set("opd0_rt_pad", window.after[1])
      .set("opd1_y_ins0", window.dilation[0] - 1)
      .set("opd1_x_ins0", window.dilation[1] - 1)
      .set("opd0_y_ins0", window.insert[0])
      .set("opd0_x_ins0", window.insert[1]);
}

Value weft::ppl::scratch(Expansion &e, ArrayRef<int64_t> shape, Type element,
                         Layout layout, unsigned lane) {
  if (lane == 0)
    return e.temporary(shape, element, layout);
  SmallVector<int64_t> wider(shape);
  wider[1] += lane;
  auto type = TensorViewType::get(shape, element, Memory::Local, layout);
  return e.view(e.temporary(wider, element, layout), type, {0, lane, 0, 0});
}

Value weft::ppl::accumulatorOf(Expansion &e, StringRef dst) {
  const catalog::Operation &function = e.function.function();
  if (!function.accumulator)
    return {};
  std::optional<catalog::Tensor> tensor =
      function.accumulator(e.function.call(e.chip));
  if (!tensor)
    return {};
  auto type =
      TensorViewType::get(e.type(dst).getShape(),
                          elementTypeOf(tensor->type, e.builder.getContext()),
                          Memory::Local, Layout::Aligned);
  return e.view(e.tensor(dst), type);
}
