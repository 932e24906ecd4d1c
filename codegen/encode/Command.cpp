//===- Command.cpp - one command while it is being made ------------------===//

#include "codegen/encode/Command.h"

using namespace weft;
using namespace weft::codegen;
using weft::isa::Field;

Command Command::gdma(mlir::Operation *op, const Chip &chip, isa::GdmaType type,
                      unsigned func) {
  auto made = isa::CommandBuilder::make(*chip.instructions, isa::Engine::Gdma,
                                        unsigned(type), func);
  assert(made && "the opcode table has every function that the encoder uses");
  return Command(op, *made);
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

catalog::Tensor Placed::tensor() const {
  catalog::Tensor out;
  out.type =
      ppl::dataTypeOf(type.getElementType()).value_or(catalog::DataType::Int8);
  out.memory = catalog::Memory(unsigned(type.getMemory()));
  out.layout = ppl::alignModeOf(type.getLayout());
  llvm::copy(type.getShape(), out.shape.begin());
  out.strides = {strides.n, strides.c, strides.h, strides.w};
  out.lane = lane;
  out.address = address;
  return out;
}

void weft::codegen::appendLaneRanges(std::vector<ByteRange> &ranges,
                                     const catalog::Tensor &tensor,
                                     const Chip &chip) {
  auto [images, channels, height, width] = tensor.shape;
  auto [n, c, h, w] = tensor.strides;
  uint64_t bytes = catalog::bytesOf(tensor.type), address = *tensor.address;
  int64_t rows = (tensor.lane + channels + chip.lanes - 1) / chip.lanes;
  uint64_t plane = uint64_t((height - 1) * h + (width - 1) * w + 1) * bytes;
  // A tensor of few planes is tracked plane by plane, so that slices of one
  // tensor that interleave do not wait for each other.
  constexpr int64_t kMaxPlanes = 16;
  bool isDense = uint64_t(c) * bytes <=
                 ((plane + chip.euBytes - 1) / chip.euBytes) * chip.euBytes;
  if (isDense || images * rows > kMaxPlanes) {
    ranges.push_back({address, address + catalog::extentBytes(tensor, chip)});
    return;
  }
  for (int64_t image = 0; image < images; ++image)
    for (int64_t row = 0; row < rows; ++row) {
      uint64_t begin = address + uint64_t(image * n + row * c) * bytes;
      ranges.push_back({begin, begin + plane});
    }
}

void Command::touch(std::vector<ByteRange> &ranges,
                    const catalog::Tensor &tensor, const Chip &chip) {
  if (tensor.memory == catalog::Memory::Local)
    appendLaneRanges(ranges, tensor, chip);
}
