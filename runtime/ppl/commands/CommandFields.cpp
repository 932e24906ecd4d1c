//===- CommandFields.cpp - one command while it is made -------------------===//

#include "runtime/ppl/commands/CommandFields.h"
#include "runtime/ppl/Window.h"

using namespace weft;
using namespace weft::commands;

const OperandFields commands::kOperandFields[4] = {
    {Field::opd0_addr, Field::opd0_const},
    {Field::opd1_addr, Field::opd1_const},
    {Field::opd2_addr, Field::opd2_const},
    {Field::opd3_addr, Field::opd3_const}};

const GdmaSide commands::kSource = {
    Field::src_start_addr_l32,
    Field::src_start_addr_h8,
    {Field::src_nsize, Field::src_csize, Field::src_hsize, Field::src_wsize},
    {Field::src_nstride, Field::src_cstride, Field::src_hstride,
     Field::src_wstride}};
const GdmaSide commands::kDestination = {
    Field::dst_start_addr_l32,
    Field::dst_start_addr_h8,
    {Field::dst_nsize, Field::dst_csize, Field::dst_hsize, Field::dst_wsize},
    {Field::dst_nstride, Field::dst_cstride, Field::dst_hstride,
     Field::dst_wstride}};

bool commands::isSignedOperand(const Expansion &e, std::string_view slot) {
  return catalog::isSignedOperand(e.call, slot);
}

Operand commands::accumulatorOf(const Expansion &e, std::string_view dst) {
  const catalog::Operation &function = *e.call.operation;
  if (!function.accumulator)
    return {};
  std::optional<catalog::Tensor> type = function.accumulator(e.call);
  if (!type)
    return {};
  return e.named(Expansion::as(e.tensor(dst), type->type), AlignMode::Aligned);
}

/// Sets the fields of a command; the first one that does not fit is reported.
static std::optional<isa::CommandBuilder>
build(Expansion &e, isa::Engine engine, unsigned type, unsigned func,
      const std::vector<std::pair<Field, uint64_t>> &fields) {
  assert(e.chip.instructions && "asked for chips with commands only");
  rt::Result<isa::CommandBuilder> made =
      isa::CommandBuilder::make(*e.chip.instructions, engine, type, func);
  if (!made) {
    e.fail(made.status());
    return std::nullopt;
  }
  for (auto [field, value] : fields)
    if (Status status = made->set(field, value); !status) {
      bool isTooLarge = status.code() == rt::Code::OutOfRange;
      e.fail(rt::fail(status.code(),
                      status.message() +
                          (isTooLarge ? "; split the operation" : "")));
      return std::nullopt;
    }
  return *std::move(made);
}

/// A tensor with its layout named starts where the layout allows.
static void checkStart(Expansion &e, const Operand &tensor) {
  unsigned alignment = catalog::startAlignment(tensor, e.chip);
  if (*tensor.address % alignment)
    e.fail(rt::fail(
        rt::Code::InvalidArgument,
        "a tensor starts at byte " + std::to_string(*tensor.address) +
            ", must be a multiple of " + std::to_string(alignment) +
            " for layout " + std::string(catalog::spelling(tensor.layout)) +
            "; give it explicit strides"));
}

//===----------------------------------------------------------------------===//
// TIU
//===----------------------------------------------------------------------===//

TiuCommand &TiuCommand::bind(Field address, const Operand &tensor, bool reads,
                             bool writes) {
  accesses.push_back({tensor, reads, writes});
  checkStart(e, tensor);
  if (tensor.memory == Memory::Static)
    return set(address, int64_t(e.chip.staticMemoryBase + *tensor.address));
  return set(address, int64_t(uint64_t(tensor.lane) * e.chip.laneBytes +
                              *tensor.address));
}

TiuCommand &TiuCommand::result(const Operand &dst, bool adds,
                               const Operand &accumulator) {
  bool isOwn = adds && !accumulator;
  bind(Field::res0_addr, dst, isOwn, true);
  if (adds && accumulator)
    reads(Field::res0_addr, accumulator); // the same address
  if (adds)
    set(Field::res_add, 1);
  return set(Field::res0_prec, codeOf(dst));
}

TiuCommand &TiuCommand::resultShape(const Dims &shape) {
  return set(Field::res0_n, shape[0])
      .set(Field::res0_c, shape[1])
      .set(Field::res0_h, shape[2])
      .set(Field::res0_w, shape[3]);
}

TiuCommand &TiuCommand::operand(unsigned which, const Operand &tensor,
                                uint32_t bits) {
  const OperandFields &names = kOperandFields[which];
  if (tensor)
    return reads(names.address, tensor);
  set(names.isConstant, 1);
  return bits ? set(names.address, bits) : *this;
}

TiuCommand &TiuCommand::window(const Operand &src) {
  catalog::Window window = catalog::windowOf(e.call);
  if (window.rotates)
    set(Field::kernel_rotate, 1);
  return set(Field::opd0_h, src.shape[2])
      .set(Field::opd0_w, src.shape[3])
      .set(Field::opd1_h, window.kernel[0])
      .set(Field::opd1_w, window.kernel[1])
      .set(Field::res_op_y_str, window.stride[0])
      .set(Field::res_op_x_str, window.stride[1])
      .set(Field::opd0_up_pad, window.before[0])
      .set(Field::opd0_dn_pad, window.after[0])
      .set(Field::opd0_lf_pad, window.before[1])
      .set(Field::opd0_rt_pad, window.after[1])
      .set(Field::opd1_y_ins0, window.dilation[0] - 1)
      .set(Field::opd1_x_ins0, window.dilation[1] - 1)
      .set(Field::opd0_y_ins0, window.insert[0])
      .set(Field::opd0_x_ins0, window.insert[1]);
}

void TiuCommand::make(isa::TiuType type, unsigned func) {
  auto made = build(e, isa::Engine::Tiu, unsigned(type), func, fields);
  if (made)
    e.append({std::move(made), std::move(accesses)});
}

//===----------------------------------------------------------------------===//
// GDMA
//===----------------------------------------------------------------------===//

GdmaCommand &GdmaCommand::sizes(const GdmaSide &side, const Dims &shape) {
  for (int axis = 0; axis < 4; ++axis)
    set(side.sizes[axis], shape[axis]);
  return *this;
}

GdmaCommand &GdmaCommand::strides(const GdmaSide &side, const Dims &strides) {
  for (int axis = 0; axis < 4; ++axis)
    set(side.strides[axis], strides[axis]);
  return *this;
}

GdmaCommand &GdmaCommand::bind(Field low, Field high, const Operand &tensor,
                               bool reads, bool writes) {
  accesses.push_back({tensor, reads, writes});
  checkStart(e, tensor);
  uint64_t address = *tensor.address;
  if (tensor.memory == Memory::Local)
    address +=
        e.chip.localMemoryBase + uint64_t(tensor.lane) * e.chip.laneBytes;
  return set(low, int64_t(address & 0xffffffff))
      .set(high, int64_t(address >> 32));
}

void GdmaCommand::make(isa::GdmaType type, unsigned func) {
  auto made = build(e, isa::Engine::Gdma, unsigned(type), func, fields);
  if (made)
    e.append({std::move(made), std::move(accesses)});
}
