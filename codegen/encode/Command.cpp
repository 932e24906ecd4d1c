//===- Command.cpp - one command while it is being made ------------------===//

#include "codegen/encode/Command.h"

using namespace weft;
using namespace weft::codegen;
using weft::isa::Field;

Command::Command(mlir::Operation *op, isa::Engine engine, unsigned type,
                 unsigned func)
    : op(op) {
  auto made = isa::CommandBuilder::make(engine, type, func);
  assert(made && "the opcode table has every function that the encoder uses");
  builder = *made;
}

Command Command::tiu(mlir::Operation *op, isa::TiuType type, unsigned func) {
  return Command(op, isa::Engine::Tiu, unsigned(type), func);
}

Command Command::gdma(mlir::Operation *op, isa::GdmaType type, unsigned func) {
  return Command(op, isa::Engine::Gdma, unsigned(type), func);
}

Command &Command::report(const rt::Status &status) {
  if (failed || status.isOk())
    return *this;
  failed = true;
  bool tooLarge = status.code() == rt::Code::OutOfRange;
  op->emitError() << status.message()
                  << (tooLarge ? "; split the operation" : "");
  return *this;
}

Command &Command::set(Field field, uint64_t value) {
  return failed ? *this : report(builder.set(field, value));
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
