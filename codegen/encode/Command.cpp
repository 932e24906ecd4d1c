//===- Command.cpp - one command while it is being made ------------------===//

#include "codegen/encode/Command.h"

using namespace weft;
using namespace weft::codegen;
using weft::isa::Field;

Command Command::tiu(mlir::Operation *op, isa::TiuType type, unsigned func) {
  const isa::Opcode *opcode =
      isa::findOpcode(isa::Engine::Tiu, unsigned(type), func);
  assert(opcode && "the opcode table has every function that the encoder uses");
  Command command(op, isa::Engine::Tiu, opcode->shortForm);
  command.set(Field::cmd_short, 1)
      .set(Field::tsk_typ, unsigned(type))
      .set(Field::tsk_eu_typ, func);
  return command;
}

Command Command::gdma(mlir::Operation *op, isa::GdmaType type, unsigned func) {
  const isa::Opcode *opcode =
      isa::findOpcode(isa::Engine::Gdma, unsigned(type), func);
  assert(opcode && "the opcode table has every function that the encoder uses");
  Command command(op, isa::Engine::Gdma, opcode->longForm);
  command.set(Field::cmd_type, unsigned(type))
      .set(Field::cmd_special_function, func);
  command.set(Field::localmem_mask_l32, 0xffffffff)
      .set(Field::localmem_mask_h32, 0xffffffff);
  return command;
}

Command &Command::set(Field field, uint64_t value) {
  if (failed || isa::set(form, field, word.data(), value))
    return *this;
  failed = true;
  std::string_view name = isa::fieldName(field);
  if (!isa::hasField(form, field))
    op->emitError() << "this command has no field "
                    << llvm::StringRef(name.data(), name.size());
  else
    op->emitError() << "field " << llvm::StringRef(name.data(), name.size())
                    << " of the command is " << value << ", must be at most "
                    << isa::fieldMax(form, field) << "; split the operation";
  return *this;
}

Command &Command::setSigned(Field field, int64_t value) {
  uint64_t mask = isa::fieldMax(form, field);
  int64_t half = int64_t(mask / 2);
  if (value < -half - 1 || value > int64_t(mask))
    return set(field, uint64_t(value)); // reports
  return set(field, uint64_t(value) & mask);
}

void weft::codegen::appendLaneRanges(std::vector<ByteRange> &ranges,
                                     const Placed &tensor) {
  const Chip &chip = *tensor.chip;
  ppl::TensorViewType type = tensor.type;
  unsigned bytes = ppl::elementBytesOf(type);
  const ppl::Strides &s = tensor.strides;
  int64_t rows = (tensor.lane + type.getC() + chip.lanes - 1) / chip.lanes;
  uint64_t plane =
      uint64_t((type.getH() - 1) * s.h + (type.getW() - 1) * s.w + 1) * bytes;
  // A tensor of few planes is tracked plane by plane, so that slices of one
  // tensor that interleave do not wait for each other.
  constexpr int64_t kMaxPlanes = 16;
  bool isDense = uint64_t(s.c) * bytes <=
                 ((plane + chip.euBytes - 1) / chip.euBytes) * chip.euBytes;
  if (isDense || type.getN() * rows > kMaxPlanes) {
    uint64_t extent = ppl::extentBytes(type, tensor.lane, chip);
    ranges.push_back({tensor.address, tensor.address + extent});
    return;
  }
  for (int64_t n = 0; n < type.getN(); ++n)
    for (int64_t row = 0; row < rows; ++row) {
      uint64_t begin = tensor.address + uint64_t(n * s.n + row * s.c) * bytes;
      ranges.push_back({begin, begin + plane});
    }
}

void Command::touch(std::vector<ByteRange> &ranges, const Placed &tensor) {
  if (tensor.type.isLocal())
    appendLaneRanges(ranges, tensor);
}
