#include "runtime/isa/AccessCollector.h"

using namespace weft;
using namespace weft::isa;
using namespace weft::isa::accesses;

static uint64_t address40(const Decoded &command, Field low, Field high) {
  return (command.get(high) & 0xff) << 32 | (command.get(low) & 0xffffffff);
}

// In DMA_matrix the names of the halves are exchanged (isa section 6).
uint64_t isa::sourceAddress(const Decoded &command) {
  if (command.has(Field::src_start_addr_h32))
    return address40(command, Field::src_start_addr_h32,
                     Field::src_start_addr_l8);
  return address40(command, Field::src_start_addr_l32,
                   Field::src_start_addr_h8);
}

uint64_t isa::targetAddress(const Decoded &command) {
  if (command.has(Field::dst_start_addr_h32))
    return address40(command, Field::dst_start_addr_h32,
                     Field::dst_start_addr_l8);
  return address40(command, Field::dst_start_addr_l32,
                   Field::dst_start_addr_h8);
}

uint64_t isa::thirdAddress(const Decoded &command) {
  if (command.has(Field::mask_start_addr_l32))
    return address40(command, Field::mask_start_addr_l32,
                     Field::mask_start_addr_h8);
  return address40(command, Field::index_start_addr_l32,
                   Field::index_start_addr_h8);
}

namespace {

class GdmaCollector : public Collector {
public:
  GdmaCollector(const Decoded &command, const Chip &chip)
      : Collector(command, chip) {}

  uint64_t sourceAddress() const { return isa::sourceAddress(command); }
  uint64_t targetAddress() const { return isa::targetAddress(command); }

  /// One side of a transfer. Without strides: continuous in flat memory,
  /// aligned in local memory.
  void addSide(std::string_view operand, bool isWrite, uint64_t address,
               Precision kind, const Shape &shape, const Strides *strides,
               uint64_t movedElements) {
    unsigned bits = bitsOf(kind);
    uint64_t moved = cappedProduct(movedElements, bits) / 8;
    if (memoryOf(address, chip) == Memory::Local) {
      uint64_t at = address - chip.localMemoryBase;
      uint32_t lane = uint32_t(at / chip.laneBytes);
      return addLocal(operand, isWrite, at % chip.laneBytes, lane, bits, shape,
                      strides
                          ? *strides
                          : layoutStrides(Layout::Aligned, shape, bits, lane),
                      moved);
    }
    uint64_t elements = shape.count();
    if (strides && elements != 0)
      elements = 1 + cappedProduct(shape.n - 1, strides->n) +
                 cappedProduct(shape.c - 1, strides->c) +
                 cappedProduct(shape.h - 1, strides->h) +
                 cappedProduct(shape.w - 1, strides->w);
    addFlat(operand, isWrite, address, cappedProduct(elements, bits) / 8,
            moved);
  }

  Shape sourceShape() const {
    return {get(Field::src_nsize), get(Field::src_csize), get(Field::src_hsize),
            get(Field::src_wsize)};
  }
  Strides sourceStrides() const {
    return freeStrides(Field::src_nstride, Field::src_cstride,
                       Field::src_hstride, Field::src_wstride);
  }
  Strides targetStrides() const {
    return freeStrides(Field::dst_nstride, Field::dst_cstride,
                       Field::dst_hstride, Field::dst_wstride);
  }
  Precision format() const { return precision(Field::src_data_format); }
  bool fills() const { return get(Field::fill_constant_en); }

  void gdma() {
    switch (GdmaType(command.type)) {
    case GdmaType::Tensor:
      return tensor();
    case GdmaType::Matrix:
      return matrix();
    case GdmaType::MaskedSelect:
    case GdmaType::NonZero:
      return packed();
    case GdmaType::General:
      return general();
    case GdmaType::CwTranspose:
      return transposeCw();
    case GdmaType::Gather:
    case GdmaType::Scatter:
      return rows();
    case GdmaType::System:
      return;
    }
  }

  void transfer(const Shape &from, const Shape &to, const Strides &fromStrides,
                const Strides &toStrides) {
    bool strided = get(Field::stride_enable);
    if (!fills())
      addSide("src", false, sourceAddress(), format(), from,
              strided ? &fromStrides : nullptr, from.count());
    addSide("dst", true, targetAddress(), format(), to,
            strided ? &toStrides : nullptr, to.count());
  }

  void transposeCw() {
    Shape from = sourceShape();
    Strides fromStrides = sourceStrides(), toStrides = targetStrides();
    fromStrides.w = toStrides.w = 1;
    transfer(from, {from.n, from.w, from.h, from.c}, fromStrides, toStrides);
  }

  void tensor() {
    Shape from = sourceShape(), to = from;
    Shape given = {get(Field::dst_nsize), get(Field::dst_csize),
                   get(Field::dst_hsize), get(Field::dst_wsize)};
    Strides fromStrides = sourceStrides(), toStrides = targetStrides();
    bool banks = command.func == gdma::TensorFourBankCopy ||
                 command.func == gdma::TensorFourBankBroadcast;
    switch (command.func) {
    case gdma::TensorCopy:
    case gdma::TensorFourBankCopy:
      if (!get(Field::nchw_copy))
        to = given;
      break;
    case gdma::TensorNcTranspose:
      std::swap(to.n, to.c);
      break;
    case gdma::TensorCollect:
    case gdma::TensorDistribute:
      return transposeCw();
    case gdma::TensorBroadcast:
    case gdma::TensorFourBankBroadcast:
      to = given; // the engine goes by these
      from = {given.n, 1, given.h, given.w};
      break;
    default:
      return;
    }
    if (command.func != gdma::TensorCopy) // only the plain copy has w strides
      fromStrides.w = toStrides.w = 1;
    transfer(from, to, fromStrides, toStrides);
    if (!banks || accesses.empty())
      return;
    // Three more copies, two banks apart.
    const uint64_t step = chip.laneBytes / chip.banks * 2;
    for (uint64_t bank = 1; bank < 4; ++bank) {
      Access copy = accesses.back();
      copy.begin = std::min<uint64_t>(copy.begin + step, chip.laneBytes);
      copy.end = std::min<uint64_t>(copy.end + step, chip.laneBytes);
      copy.place.offset += step;
      accesses.push_back(copy);
    }
  }

  /// h x w with a row stride in flat memory; n rows of c channels of w columns
  /// in local memory.
  void matrix() {
    bool load = memoryOf(targetAddress(), chip) == Memory::Local &&
                memoryOf(sourceAddress(), chip) != Memory::Local;
    // The short form has one field for both directions.
    auto pick = [&](Field both, Field toLocal, Field fromLocal) {
      return command.has(both) ? get(both) : get(load ? toLocal : fromLocal);
    };
    uint64_t h =
        pick(Field::src_hsize_or_dst_hsize, Field::src_hsize, Field::dst_hsize);
    uint64_t w =
        pick(Field::src_wsize_or_dst_wsize, Field::src_wsize, Field::dst_wsize);
    uint64_t n =
        pick(Field::dst_nsize_or_src_nsize, Field::dst_nsize, Field::src_nsize);
    bool transposed = command.func == gdma::MatrixTranspose;
    Shape local = {
        n != 0       ? n
        : transposed ? w
                     : h,
        pick(Field::dst_csize_or_src_csize, Field::dst_csize, Field::src_csize),
        1,
        pick(Field::dst_wsize_or_src_wsize, Field::dst_wsize,
             Field::src_wsize)};
    Strides localStrides = {pick(Field::dst_nstride_or_src_nstride,
                                 Field::dst_nstride, Field::src_nstride),
                            pick(Field::dst_cstride_or_src_cstride,
                                 Field::dst_cstride, Field::src_cstride),
                            0, 1};
    Strides flat = {0, 0,
                    pick(Field::src_hstride_or_dst_hstride, Field::src_hstride,
                         Field::dst_hstride),
                    1};
    const Strides *localPlace =
        get(Field::stride_enable) ? &localStrides : nullptr;
    const Strides *flatPlace = get(Field::stride_enable) ? &flat : nullptr;
    uint64_t elements = h * w;
    Shape flatShape = {1, 1, h, w};
    addSide("src", false, sourceAddress(), format(), load ? flatShape : local,
            load ? flatPlace : localPlace, elements);
    addSide("dst", true, targetAddress(), format(), load ? local : flatShape,
            load ? localPlace : flatPlace, elements);
  }

  /// Masked select and nonzero: as many results as the data say.
  void packed() {
    Shape shape = sourceShape();
    uint64_t elements = shape.count();
    addSide("src", false, sourceAddress(), format(), shape, nullptr, elements);
    Precision result = precision(Field::index_data_format);
    if (GdmaType(command.type) == GdmaType::MaskedSelect) {
      addSide("mask", false, thirdAddress(command),
              precision(Field::mask_data_format), shape, nullptr, elements);
      result = format();
    }
    addFlat("dst", true, targetAddress(),
            cappedProduct(elements, bitsOf(result)) / 8, 0);
  }

  void general() {
    uint64_t length = get(Field::move_length);
    uint64_t bytes = length * bitsOf(format()) / 8;
    if (!fills())
      addFlat("src", false, sourceAddress(), bytes, bytes);
    if (command.func == gdma::GeneralCopy)
      return addFlat("dst", true, targetAddress(), bytes, bytes);
    uint64_t lanes = get(Field::dst_csize);
    Strides strides = {0, 0, 0, 1};
    addSide("dst", true, targetAddress(), format(), {1, lanes, 1, length},
            &strides, cappedProduct(lanes, length));
  }

  /// Gather and scatter of rows by a list of uint32. One of the rows and the
  /// list may have a single channel for all; the fields dst_csize, dst_wsize
  /// and index_hsize are not read.
  void rows() {
    bool scatters = GdmaType(command.type) == GdmaType::Scatter;
    Shape from = {1, get(Field::src_csize), get(Field::src_hsize),
                  get(Field::src_wsize)};
    uint64_t channels = std::max(from.c, get(Field::index_csize));
    Shape to = {1, channels, get(Field::dst_hsize), from.w};
    Shape list = {1, get(Field::index_csize), scatters ? from.h : to.h, 1};
    Strides fromStrides = sourceStrides(), toStrides = targetStrides();
    fromStrides = {0, fromStrides.c, fromStrides.h, 1};
    toStrides = {0, toStrides.c, toStrides.h, 1};
    Strides listStrides = {0, get(Field::index_cstride),
                           get(Field::index_hstride), 1};
    bool strided = get(Field::stride_enable);
    uint64_t moved = cappedProduct(channels, list.h * from.w);
    addSide("src", false, sourceAddress(), format(), from,
            strided ? &fromStrides : nullptr, moved);
    addSide("index", false, thirdAddress(command), Precision::Int32, list,
            strided ? &listStrides : nullptr, list.c * list.h);
    addSide("dst", true, targetAddress(), format(), to,
            strided ? &toStrides : nullptr, moved);
  }
};

} // namespace

std::vector<Access> accesses::gdmaAccesses(const Decoded &command,
                                           const Chip &chip) {
  GdmaCollector collector(command, chip);
  collector.gdma();
  return collector.take();
}
