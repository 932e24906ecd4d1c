#include "runtime/emulator/gdma/Gdma.h"

#include <algorithm>

namespace weft::emulator {

using isa::GdmaType;

static CommandKernel::Function functionOf(const Decoded &c) {
  switch (static_cast<GdmaType>(c.type)) {
  case GdmaType::Tensor:
    return gdma::copy;
  case GdmaType::Matrix:
    return gdma::matrix;
  case GdmaType::MaskedSelect:
    return gdma::maskedSelect;
  case GdmaType::General:
    return gdma::general;
  case GdmaType::CwTranspose:
    return gdma::cwTranspose;
  case GdmaType::NonZero:
    return gdma::nonZero;
  case GdmaType::System:
    return [](Machine &, const Decoded &) { return Status::ok(); };
  case GdmaType::Gather:
  case GdmaType::Scatter:
    return gdma::gatherScatter;
  }
  return [](Machine &, const Decoded &command) {
    return failf(Code::Unsupported,
                 "unsupported: the emulator has no model of %.*s",
                 int(command.mnemonic.size()), command.mnemonic.data());
  };
}

/// Places depend on what global memory is mapped, so they are resolved at every
/// run; that costs little beside moving their bytes.
KernelPtr prepareGdma(Machine &, const Decoded &c) {
  return std::make_unique<CommandKernel>(functionOf(c), c);
}

static uint64_t cappedBytes(uint64_t elements, uint64_t bytes) {
  uint64_t product;
  return __builtin_mul_overflow(elements, bytes, &product)
             ? kMostTraffic
             : std::min(product, kMostTraffic);
}

Traffic gdmaTraffic(const Chip &chip, const Decoded &c) {
  auto type = static_cast<GdmaType>(c.type);
  Traffic traffic;
  if (type == GdmaType::System)
    return traffic;
  uint64_t bytes = gdma::formatBytes(c), read = 0, write = 0, third = 0,
           thirdAt = 0;
  Shape4 from = gdma::sourceShape(c);
  switch (type) {
  case GdmaType::Tensor: {
    // A copy of other sizes and every transpose move as many as they read;
    // fills read nothing.
    bool ownSizes = c.get(Field::nchw_copy) ||
                    c.func == isa::gdma::TensorNcTranspose ||
                    c.func == isa::gdma::TensorCollect ||
                    c.func == isa::gdma::TensorDistribute;
    read = gdma::count(from);
    write = ownSizes ? read : gdma::count(gdma::targetShape(c));
    if (c.func == isa::gdma::TensorBroadcast ||
        c.func == isa::gdma::TensorFourBankBroadcast)
      read = uint64_t(from.n) * from.h * from.w;
    break;
  }
  case GdmaType::Matrix: {
    bool load = gdma::isLocal(chip, gdma::targetAddress(c));
    if (c.has(Field::src_hsize_or_dst_hsize))
      read = c.get(Field::src_hsize_or_dst_hsize) *
             c.get(Field::src_wsize_or_dst_wsize);
    else
      read = load ? uint64_t(from.h) * from.w
                  : c.get(Field::dst_hsize) * c.get(Field::dst_wsize);
    write = read;
    break;
  }
  case GdmaType::General:
    read = c.get(Field::move_length);
    write = c.func == isa::gdma::GeneralBroadcast
                ? read * c.get(Field::dst_csize)
                : read;
    break;
  case GdmaType::MaskedSelect:
    read = gdma::count(from);
    third = cappedBytes(read, gdma::formatBytes(c, Field::mask_data_format));
    thirdAt = gdma::thirdAddress(c);
    break;
  case GdmaType::Gather:
  case GdmaType::Scatter: {
    uint64_t rows =
        c.get(type == GdmaType::Gather ? Field::dst_hsize : Field::src_hsize);
    uint64_t channels =
        std::max(c.get(Field::src_csize), c.get(Field::index_csize));
    read = write = channels * rows * from.w;
    third = c.get(Field::index_csize) * rows * 4;
    thirdAt = gdma::thirdAddress(c);
    break;
  }
  default:
    read = write = gdma::count(from);
    if (type == GdmaType::NonZero)
      write = 0;
    break;
  }
  bool fills = c.get(Field::fill_constant_en);
  if (!fills && gdma::sourceAddress(c) >= chip.globalMemoryBase)
    traffic.readBytes += cappedBytes(read, bytes);
  if (third && thirdAt >= chip.globalMemoryBase)
    traffic.readBytes += third;
  if (gdma::targetAddress(c) >= chip.globalMemoryBase)
    traffic.writeBytes += cappedBytes(write, bytes);
  return traffic;
}

} // namespace weft::emulator
