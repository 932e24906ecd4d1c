//===- DmaParts.cpp - what expansions of dma and hau are made of ---------===//

#include "passes/ppl/expand/DmaParts.h"
#include "runtime/ppl/Interpreter.h"

using namespace mlir;
using namespace weft;
using namespace weft::ppl;

//===----------------------------------------------------------------------===//
// Command
//===----------------------------------------------------------------------===//

Command &Command::set(StringRef field, int64_t value) {
  fields.push_back({field, value});
  return *this;
}

Command &Command::format(StringRef field, TensorViewType tensor) {
  return set(field, int64_t(*precisionOf(tensor.getElementType())));
}

Command &Command::sizes(StringRef side, const catalog::Dims &shape) {
  static constexpr StringLiteral names[][4] = {
      {"src_nsize", "src_csize", "src_hsize", "src_wsize"},
      {"dst_nsize", "dst_csize", "dst_hsize", "dst_wsize"}};
  for (int axis = 0; axis < 4; ++axis)
    set(names[side == "dst"][axis], shape[axis]);
  return *this;
}

Command &Command::strides(StringRef side, const catalog::Dims &strides) {
  static constexpr StringLiteral names[][4] = {
      {"src_nstride", "src_cstride", "src_hstride", "src_wstride"},
      {"dst_nstride", "dst_cstride", "dst_hstride", "dst_wstride"}};
  for (int axis = 0; axis < 4; ++axis)
    set(names[side == "dst"][axis], strides[axis]);
  return *this;
}

Command &Command::bind(StringRef name, Value tensor, Expansion::Access access) {
  bindings.push_back({name, tensor, access});
  return *this;
}

void Command::emit() { e.command(Engine::Gdma, type, func, fields, bindings); }

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

bool weft::ppl::isGlobal(Value tensor) {
  return cast<TensorViewType>(tensor.getType()).isGlobal();
}

void weft::ppl::eachPiece(
    const catalog::Dims &shape,
    llvm::function_ref<void(ArrayRef<int64_t>, ArrayRef<int64_t>)> visit) {
  constexpr int64_t most = 65535;
  int64_t at[4], size[4];
  auto next = [&](auto &self, int axis) -> void {
    if (axis == 4)
      return visit(at, size);
    for (int64_t start = 0; start < shape[axis]; start += most) {
      at[axis] = start;
      size[axis] = std::min(most, shape[axis] - start);
      self(self, axis + 1);
    }
  };
  next(next, 0);
}

Value weft::ppl::part(Expansion &e, Value tensor, ArrayRef<int64_t> offset,
                      ArrayRef<int64_t> shape) {
  auto type = cast<TensorViewType>(tensor.getType());
  if (type.getShape() == shape)
    return tensor;
  catalog::Tensor t = describe(tensor, e.chip);
  auto strided = TensorViewType::get(shape, type.getElementType(),
                                     type.getMemory(), t.strides);
  return e.view(tensor, strided, offset);
}

Value weft::ppl::seenAs(Expansion &e, Value tensor, const catalog::Dims &shape,
                        const catalog::Dims &strides) {
  auto type = cast<TensorViewType>(tensor.getType());
  return e.view(tensor, TensorViewType::get(shape, type.getElementType(),
                                            type.getMemory(), strides));
}

Value weft::ppl::constantLike(Expansion &e, TensorViewType like, double value) {
  if (!like.isFloat())
    return e.i32(int64_t(value));
  catalog::Dense one(*dataTypeOf(like.getElementType()), {1, 1, 1, 1});
  one.setValue(0, value);
  return e.f32(one.value(0));
}

Value weft::ppl::scratch(Expansion &e, ArrayRef<int64_t> shape, Type element) {
  auto type =
      TensorViewType::get(shape, element, Memory::L2, Layout::Continuous);
  return e.create<AllocOp>(type, UnitAttr());
}

bool weft::ppl::isUnread(Value result) {
  Operation *made = result.getDefiningOp();
  return made && made->hasAttr(kScratchAttribute) && result.hasOneUse();
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

void weft::ppl::selectMasked(Expansion &e, Value dst, Value src, Value mask) {
  Command command(e, isa::GdmaType::MaskedSelect, 0);
  command.sizes("src", describe(src, e.chip).shape);
  command.format("src_data_format", cast<TensorViewType>(src.getType()));
  command.format("mask_data_format", cast<TensorViewType>(mask.getType()));
  command.bind("src_start_addr", src, Expansion::Reads);
  command.bind("mask_start_addr", mask, Expansion::Reads);
  command.bind("dst_start_addr", dst, Expansion::Updates);
  command.emit();
}

void weft::ppl::listNonzero(Expansion &e, Value dst, Value src, int64_t base) {
  Command command(e, isa::GdmaType::NonZero, 0);
  command.sizes("src", describe(src, e.chip).shape);
  command.format("src_data_format", cast<TensorViewType>(src.getType()));
  command.format("index_data_format", cast<TensorViewType>(dst.getType()));
  command.set("dst_nstride_base_i", int64_t(uint32_t(base)));
  command.bind("src_start_addr", src, Expansion::Reads);
  command.bind("dst_start_addr", dst, Expansion::Updates);
  command.emit();
}
