//===- GdmaFormulas.cpp - cycles of the DMA engine ------------------------===//

#include "runtime/chips/Alignment.h"
#include "runtime/cycles/Formulas.h"

#include <algorithm>
#include <bitset>

using namespace weft;
using namespace weft::cycles;
using namespace weft::cycles::detail;
using isa::Field;

namespace {

/// Bytes that follow each other on both sides, as one run each.
struct Runs {
  uint64_t count = 0;
  uint64_t bytes = 0;
};

} // namespace

static DmaBox sourceBox(const isa::Decoded &command) {
  return {command.get(Field::src_nsize, 1), command.get(Field::src_csize, 1),
          command.get(Field::src_hsize, 1), command.get(Field::src_wsize, 1),
          command.get(Field::src_nstride),  command.get(Field::src_cstride),
          command.get(Field::src_hstride),  command.get(Field::src_wstride, 1)};
}

static DmaBox resultBox(const isa::Decoded &command) {
  return {command.get(Field::dst_nsize, 1), command.get(Field::dst_csize, 1),
          command.get(Field::dst_hsize, 1), command.get(Field::dst_wsize, 1),
          command.get(Field::dst_nstride),  command.get(Field::dst_cstride),
          command.get(Field::dst_hstride),  command.get(Field::dst_wstride, 1)};
}

static uint64_t elementBytes(const isa::Decoded &command) {
  return costBytes(command.get(Field::src_data_format));
}

static double runBytes(const Runs &runs, const ChipRates &rates) {
  return double(runs.count) *
         double(std::max<uint64_t>(runs.bytes, rates.shortestDmaRun));
}

/// The cost model computes in single precision and drops the fraction.
static uint64_t wholeCycles(double cycles) {
  float rounded = static_cast<float>(cycles);
  if (!(rounded < double(kMostCycles)))
    return kMostCycles;
  return static_cast<uint64_t>(rounded);
}

/// The DRAM channels (bit i: page i of the first dramChannels) that the (n, c)
/// planes of a box lie in, each plane h * hStride elements long.
static unsigned channelsOf(const DmaBox &box, uint64_t elementSize,
                           const ChipRates &rates) {
  constexpr uint64_t kWindow = kMostDramWindowBytes;
  const uint64_t pageBytes = rates.dramPageBytes;
  using Bytes = std::bitset<kWindow>;
  const Bytes firstPage = ~Bytes() >> (kWindow - pageBytes);
  Bytes starts;
  starts.set(0);
  auto repeat = [&](uint64_t count, uint64_t stride) {
    // After the round with `reach` copies there are 2 * reach of them.
    stride *= elementSize;
    if (stride == 0)
      return;
    count = std::min(count, ceilDiv(kWindow, stride));
    for (uint64_t reach = 1; reach < count;) {
      uint64_t more = std::min(reach, count - reach);
      starts |= starts << (more * stride);
      reach += more;
    }
  };
  repeat(box.n, box.nStride);
  repeat(box.c, box.cStride);
  uint64_t pages = std::clamp<uint64_t>(
      ceilDiv(product({box.h, box.hStride, elementSize}), pageBytes), 1,
      rates.dramChannels);
  unsigned channels = 0;
  for (uint64_t page = 0; page < rates.dramChannels; ++page) {
    bool isStart = (starts & firstPage << page * pageBytes).any();
    for (uint64_t i = 0; isStart && i < pages; ++i)
      channels |= 1u << (page + i) % rates.dramChannels;
  }
  return channels;
}

static uint64_t bytesPerCycle(Direction direction, const ChipRates &rates) {
  switch (direction) {
  case Direction::GlobalToLocal:
    return rates.loadBytes;
  case Direction::LocalToGlobal:
    return rates.storeBytes;
  default:
    return rates.copyBytes;
  }
}

/// A constant into memory, run by run.
static uint64_t fillCycles(const isa::Decoded &command,
                           const ChipRates &rates) {
  DmaBox to = resultBox(command);
  uint64_t size = elementBytes(command);
  Runs runs;
  if (to.wStride > 1)
    runs = {product({to.n, to.c, to.h, to.w}), size};
  else if (to.hStride == to.w)
    runs = {product({to.n, to.c}), product({to.h, to.w, size})};
  else
    runs = {product({to.n, to.c, to.h}), product({to.w, size})};
  return wholeCycles(runBytes(runs, rates) / rates.fillBytes);
}

static Runs runsOf(const DmaShape &shape) {
  const DmaBox &from = shape.from, &to = shape.to;
  uint64_t size = shape.elementBytes;
  bool isDense = from.hStride == from.w && to.hStride == from.w &&
                 from.wStride == 1 && to.wStride == 1;
  if (isDense)
    return {product({from.n, from.c}), product({from.h, from.w, size})};
  if (from.wStride <= 1 && to.wStride <= 1)
    return {product({from.n, from.c, from.h}), product({from.w, size})};
  return {product({from.n, from.c, from.h, from.w}), size};
}

/// The channels that the source reaches, and those that either side does; 0
/// for local memory.
static std::pair<unsigned, unsigned> channelsOf(const DmaShape &shape,
                                                const ChipRates &rates) {
  unsigned first = 0, both = 0;
  if (shape.direction == Direction::GlobalToLocal ||
      shape.direction == Direction::GlobalToGlobal)
    first = both = channelsOf(shape.from, shape.elementBytes, rates);
  if (shape.direction == Direction::LocalToGlobal ||
      shape.direction == Direction::GlobalToGlobal)
    both |= channelsOf(shape.to, shape.elementBytes, rates);
  return {first, both};
}

/// Of a copy or a transpose of n and c, whose boxes say all of it.
static uint64_t tensorCycles(const DmaShape &shape, const ChipRates &rates) {
  // 2^30 bytes count as 10^9.
  double numerator = runBytes(runsOf(shape), rates) * double(uint64_t(1) << 30);
  double denominator = 1e9 * double(bytesPerCycle(shape.direction, rates));
  auto [first, both] = channelsOf(shape, rates);
  auto share = [&](unsigned channels) {
    numerator *= double(rates.dramChannels);
    denominator *= __builtin_popcount(channels);
  };
  if (first)
    share(first);
  // A copy's second side adds to the first.
  if (both && shape.direction != Direction::GlobalToLocal)
    share(both);
  return wholeCycles(numerator / denominator);
}

/// The boxes of a tensor command as the vendor's model sees them.
static DmaShape tensorShape(const isa::Decoded &command, Direction direction,
                            const Chip &chip) {
  bool swaps = command.func == isa::gdma::TensorNcTranspose;
  DmaShape shape{swaps ? DmaFunction::NcTranspose : DmaFunction::Copy,
                 direction, unsigned(elementBytes(command)), sourceBox(command),
                 resultBox(command)};
  DmaBox &from = shape.from, &to = shape.to;
  // The result has the source's shape here; with n and c swapped if
  // transposed.
  to.n = from.n, to.c = from.c, to.h = from.h, to.w = from.w;
  if (swaps)
    std::swap(to.n, to.c);
  if (command.get(Field::stride_enable, 1))
    return shape;
  uint64_t size = shape.elementBytes;
  for (DmaBox *box : {&from, &to}) {
    box->nStride = 0; // as the vendor's model has it
    box->cStride = from.h * from.w;
    if (swaps)
      box->cStride =
          alignUp(box->cStride * size, constantsOf(chip).transposedPlaneBytes) /
          size;
    box->hStride = from.w;
    box->wStride = 1;
  }
  return shape;
}

static uint64_t broadcastCycles(const isa::Decoded &command,
                                const ChipRates &rates) {
  DmaBox from = sourceBox(command);
  uint64_t size = elementBytes(command);
  bool isDense =
      from.hStride == from.w && command.get(Field::dst_hstride) == from.w;
  Runs runs = isDense
                  ? Runs{from.n, product({from.h, from.w, size})}
                  : Runs{product({from.n, from.h}), product({from.w, size})};
  return wholeCycles(runBytes(runs, rates) / rates.loadBytes);
}

static uint64_t matrixCycles(const DmaShape &shape, const Chip &chip) {
  const ChipRates &rates = chip.rates;
  // The side in DRAM has rows (h) of w elements; in local memory each row is
  // cut into channels of w elements.
  bool isStore = shape.direction == Direction::LocalToGlobal;
  const DmaBox &matrix = isStore ? shape.to : shape.from;
  uint64_t localW = isStore ? shape.from.w : shape.to.w;
  uint64_t size = shape.elementBytes;
  double numerator = double(product({matrix.h, matrix.w, size}));
  double denominator = double(bytesPerCycle(
      isStore ? Direction::LocalToGlobal : Direction::GlobalToLocal, rates));
  uint64_t run = localW * size;
  if (run > 0 && run < rates.shortestDmaRun) {
    numerator *= double(rates.shortestDmaRun);
    denominator *= double(run);
  }
  if (shape.function == DmaFunction::MatrixTranspose) {
    numerator *= double(constantsOf(chip).transposeNumerator);
    denominator *= double(constantsOf(chip).transposeDenominator);
  }
  return wholeCycles(numerator / denominator);
}

static DmaShape matrixShape(const isa::Decoded &command, Direction direction) {
  return {command.func == isa::gdma::MatrixTranspose
              ? DmaFunction::MatrixTranspose
              : DmaFunction::Matrix,
          direction, unsigned(elementBytes(command)), sourceBox(command),
          resultBox(command)};
}

uint64_t cycles::dmaCycles(const DmaShape &shape, const Chip &chip) {
  uint64_t cycles = shape.isMatrix() ? matrixCycles(shape, chip)
                                     : tensorCycles(shape, chip.rates);
  return std::max<uint64_t>(cycles, 1);
}

DmaLimits cycles::dmaLimits(const isa::Decoded &command, const Chip &chip) {
  using isa::GdmaType;
  Direction direction = gdmaDirection(command, chip);
  DmaLimits limits;
  DmaShape shape;
  if (command.get(Field::fill_constant_en))
    return limits;
  if (command.type == unsigned(GdmaType::Tensor) &&
      command.func <= isa::gdma::TensorNcTranspose) {
    shape = tensorShape(command, direction, chip);
    limits.runBytes = runsOf(shape).bytes;
    limits.channels = __builtin_popcount(channelsOf(shape, chip.rates).second);
  } else if (command.type == unsigned(GdmaType::Matrix)) {
    shape = matrixShape(command, direction);
    bool isStore = direction == Direction::LocalToGlobal;
    limits.runBytes =
        (isStore ? shape.from.w : shape.to.w) * shape.elementBytes;
  } else {
    return limits;
  }
  uint64_t bytes =
      gdmaBytes(command.type == unsigned(GdmaType::Matrix) ? Formula::Matrix
                                                           : Formula::Tensor,
                command);
  limits.fullRateCycles =
      wholeCycles(double(bytes) / double(bytesPerCycle(direction, chip.rates)));
  return limits;
}

Direction detail::gdmaDirection(const isa::Decoded &command, const Chip &chip) {
  auto isLocal = [&](Field low, Field high, Field matrixLow, Field matrixHigh) {
    bool isMatrix = command.has(matrixLow);
    uint64_t address = command.get(isMatrix ? matrixLow : low) |
                       command.get(isMatrix ? matrixHigh : high) << 32;
    return address >= chip.localMemoryBase &&
           address - chip.localMemoryBase < chip.localMemoryBytes();
  };
  bool from = isLocal(Field::src_start_addr_l32, Field::src_start_addr_h8,
                      Field::src_start_addr_h32, Field::src_start_addr_l8);
  bool to = isLocal(Field::dst_start_addr_l32, Field::dst_start_addr_h8,
                    Field::dst_start_addr_h32, Field::dst_start_addr_l8);
  if (command.get(Field::fill_constant_en))
    return to ? Direction::GlobalToLocal : Direction::GlobalToGlobal;
  if (from)
    return to ? Direction::LocalToLocal : Direction::LocalToGlobal;
  return to ? Direction::GlobalToLocal : Direction::GlobalToGlobal;
}

uint64_t detail::gdmaBytes(Formula formula, const isa::Decoded &command) {
  DmaBox from = sourceBox(command), to = resultBox(command);
  uint64_t size = elementBytes(command);
  switch (formula) {
  case Formula::General:
    return product({command.get(Field::move_length), size});
  case Formula::TensorBroadcast:
    return product({from.n, from.h, from.w, size});
  case Formula::Matrix: // the side in DRAM is the one with an h size
    return from.h != 0 && command.get(Field::src_hsize)
               ? product({from.h, from.w, size})
               : product({to.h, to.w, size});
  case Formula::NonZero: // writes 32-bit indices
    return product({from.n, from.c, from.h, from.w, 4});
  case Formula::Gather: // as many lines as there are indices
    return product({from.c, to.h, from.w, size});
  default:
    if (command.get(Field::fill_constant_en))
      return product({to.n, to.c, to.h, to.w, size});
    return product({from.n, from.c, from.h, from.w, size});
  }
}

uint64_t detail::gdmaCycles(Formula formula, const isa::Decoded &command,
                            Direction direction, const Chip &chip) {
  switch (formula) {
  case Formula::Tensor:
    return command.get(Field::fill_constant_en)
               ? fillCycles(command, chip.rates)
               : tensorCycles(tensorShape(command, direction, chip),
                              chip.rates);
  case Formula::TensorBroadcast:
    return broadcastCycles(command, chip.rates);
  case Formula::Matrix:
    return matrixCycles(matrixShape(command, direction), chip);
  default:
    return gdmaBytes(formula, command) / (direction == Direction::LocalToLocal
                                              ? chip.rates.simpleLocalBytes
                                              : chip.rates.simpleBytes);
  }
}
