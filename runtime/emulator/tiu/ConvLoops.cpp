/// The loops of sCONV: planes, then rows of outputs shared among the threads.
#include "runtime/emulator/FloatOrder.h"
#include "runtime/emulator/kernels/Pairs.h"
#include "runtime/emulator/tiu/Conv.h"

namespace weft::emulator::tiu {

namespace {

void makePixelTerms(const ConvCommand &conv, ConvPlan &plan) {
  uint32_t positions = conv.window.positions();
  size_t stride = plan.layout.channelStride();
  TermList &terms = plan.pixelTerms;
  terms.step = stride;
  if (conv.pack == 1) {
    for (uint32_t ch = 0; ch < conv.inputChannels; ++ch)
      for (uint32_t p = 0; p < positions; ++p)
        terms.offsets.push_back(uint32_t(ch * stride) +
                                plan.layout.positionOffset(p));
    return;
  }
  // Integers go in pairs of channels.
  unsigned together = conv.input.isFloat() ? 1 : 2;
  for (uint32_t block = 0; block < conv.blocks(); ++block) {
    uint32_t used = std::min(conv.pack, conv.inputChannels - block * conv.pack);
    for (uint32_t p = 0; p < positions; ++p) {
      Segment segment;
      segment.scalar = (block * positions + p) * conv.pack / together;
      segment.vector = uint32_t(block * (conv.pack / together) * stride) +
                       plan.layout.positionOffset(p);
      segment.count = (used + together - 1) / together;
      terms.segments.push_back(segment);
    }
  }
}

void makeChannelTerms(ConvPlan &plan) {
  TermList &terms = plan.channelTerms;
  terms.step = kLaneBlock;
  for (size_t k = 0; k < plan.pixelTerms.offsets.size(); ++k)
    terms.offsets.push_back(uint32_t(k * kLaneBlock));
  for (Segment segment : plan.pixelTerms.segments) {
    segment.vector = segment.scalar * kLaneBlock;
    terms.segments.push_back(segment);
  }
}

} // namespace

Status ConvPlan::make(const ConvCommand &conv) {
  WEFT_TRY(layout.make(conv.window, conv.inputChannels));
  makePixelTerms(conv, *this);
  byChannels = conv.window.pixels() < kLaneBlock / 2 &&
               conv.outputChannels > conv.window.pixels();
  if (byChannels)
    makeChannelTerms(*this);
  return Status::ok();
}

namespace {

/// Lanes of one task: their sums stay in the first-level cache.
constexpr size_t kChunk = 1024;
/// Output channels of one task.
constexpr unsigned kRows = 4;
/// Terms of one int32 sum: products of 8-bit numbers less their zero points
/// stay below 255 * 510.
constexpr size_t kTermsOfOneSum = (size_t(1) << 31) / (255 * 510) - 64;

const uint8_t *bytesOf(const uint32_t &bits) {
  return reinterpret_cast<const uint8_t *>(&bits);
}

/// Number of a pad, or insert, value in the input's type.
uint32_t padBitsOf(const ConvCommand &conv, uint32_t ch, bool inserted) {
  if (conv.func != isa::conv::Normal) // operand 3 is the shift
    return 0;
  if (conv.padIsConstant)
    return inserted ? conv.insertBits : conv.padBits;
  uint32_t bits = 0;
  std::memcpy(&bits, conv.pads.at(0, ch) + (inserted ? conv.pads.bytes : 0),
              conv.pads.bytes);
  return bits;
}

/// Input, arranged for the terms. T: float, or int32_t for pairs of channels.
template <class T>
class ConvPlanes {
public:
  ConvPlanes(const ConvCommand &conv, const PlaneLayout &layout)
      : conv(conv), layout(layout),
        planeCount(sizeof(T) == 4 && conv.input.isFloat()
                       ? conv.inputChannels
                       : (conv.inputChannels + 1) / 2),
        values(layout.samples(planeCount)) {}

  void load(Workers &workers, uint32_t n) {
    size_t samples = conv.window.samples();
    workers.reserveScratch(samples * (sizeof(T) + 2));
    workers.forEach(planeCount, double(values.size()) * 2,
                    [&](size_t plane, unsigned worker) {
                      loadPlane(n, uint32_t(plane), workers.scratch(worker));
                    });
  }
  const T *data() const { return values.data(); }

private:
  void loadPlane(uint32_t n, uint32_t plane, uint8_t *scratch);

  const ConvCommand &conv;
  const PlaneLayout &layout;
  uint32_t planeCount;
  std::vector<T> values;
};

/// Calls read(address, step, first sample, count) for the rows of a channel.
template <class Read>
void readRows(const ConvCommand &conv, uint32_t n, uint32_t ch, Read read) {
  const LocalView &view = conv.inputView;
  bool whole = view.planeIsOneRow();
  uint32_t rows = whole ? 1 : conv.window.inputH;
  size_t length = whole ? conv.window.samples() : conv.window.inputW;
  for (uint32_t h = 0; h < rows; ++h)
    read(view.at(n, ch, h), view.stride.w, h * length, length);
}

template <>
void ConvPlanes<float>::loadPlane(uint32_t n, uint32_t ch, uint8_t *scratch) {
  float *to = values.data() + ch * layout.channelStride();
  float *input = layout.isInput() ? to : reinterpret_cast<float *>(scratch);
  readRows(conv, n, ch,
           [&](const uint8_t *from, uint64_t step, size_t at, size_t count) {
             loadFloats(from, step, conv.input.precision, input + at,
                        unsigned(count));
           });
  if (!layout.isInput())
    layout.fill(
        input, floatConstant(padBitsOf(conv, ch, false), conv.input.precision),
        floatConstant(padBitsOf(conv, ch, true), conv.input.precision), to);
}

template <>
void ConvPlanes<int32_t>::loadPlane(uint32_t n, uint32_t pair,
                                    uint8_t *scratch) {
  int32_t *to = values.data() + pair * layout.channelStride();
  int32_t *input = layout.isInput() ? to : reinterpret_cast<int32_t *>(scratch);
  bool isSigned = conv.input.isSigned;
  uint32_t ch = pair * 2;
  int32_t pad[2] = {}, inserted[2] = {};
  bool hasSecond = ch + 1 < conv.inputChannels;
  for (unsigned i = 0; i < 1u + hasSecond; ++i) {
    pad[i] = int32_t(integerConstant(padBitsOf(conv, ch + i, false),
                                     {Precision::Int8, isSigned}));
    inserted[i] = int32_t(integerConstant(padBitsOf(conv, ch + i, true),
                                          {Precision::Int8, isSigned}));
  }
  readRows(conv, n, ch,
           [&](const uint8_t *from, uint64_t step, size_t at, size_t count) {
             // Channels lie in different lanes, at the same place otherwise.
             const uint8_t *second = hasSecond
                                         ? conv.inputView.at(n, ch + 1) +
                                               (from - conv.inputView.at(n, ch))
                                         : nullptr;
             pairBytes(from, second, step, isSigned, input + at, count);
           });
  if (!layout.isInput())
    layout.fill(input, pairOf(pad[0], pad[1]), pairOf(inserted[0], inserted[1]),
                to);
}

/// Weights of output channel `oc` as floats in the order of the terms; where
/// they can be used as they lie, those.
const float *weightRow(const ConvCommand &conv, uint32_t oc, float *room) {
  if (conv.weightIsConstant) {
    std::fill_n(room, conv.terms,
                floatConstant(conv.weightBits, conv.weight.precision));
    return room;
  }
  const uint8_t *from = conv.weightView.at(0, oc);
  if (conv.weight.precision == Precision::Fp32 && !conv.rotates &&
      reinterpret_cast<uintptr_t>(from) % alignof(float) == 0)
    return reinterpret_cast<const float *>(from);
  loadFloats(from, conv.weightView.bytes, conv.weight.precision, room,
             unsigned(conv.terms));
  return room;
}

/// The same less their zero point, in pairs.
const int32_t *weightRow(const ConvCommand &conv, uint32_t oc, int32_t *room) {
  ElementKind kind = {Precision::Int8, conv.weight.isSigned};
  int64_t zeroPoint = 0;
  if (conv.func == isa::conv::Normal)
    loadIntegers(conv.thirdIsConstant ? bytesOf(conv.thirdBits)
                                      : conv.third.at(0, oc),
                 0, {Precision::Int8, conv.thirdIsSigned}, &zeroPoint, 1);
  int16_t *to = reinterpret_cast<int16_t *>(room);
  widenBytes(conv.weightIsConstant ? bytesOf(conv.weightBits)
                                   : conv.weightView.at(0, oc),
             conv.weightIsConstant ? 0 : 1, kind.isSigned, int16_t(zeroPoint),
             to, conv.terms);
  return room;
}

/// Turns the kernel by 180 degrees. `pack` elements of T are one position.
template <class T>
void rotate(const ConvCommand &conv, T *row, unsigned pack) {
  uint32_t positions = conv.window.positions();
  for (uint32_t block = 0; block < conv.blocks(); ++block)
    for (uint32_t p = 0; p < positions / 2; ++p) {
      T *first = row + (size_t(block) * positions + p) * pack;
      T *last = row + (size_t(block) * positions + positions - 1 - p) * pack;
      std::swap_ranges(first, first + pack, last);
    }
}

template <class T>
const T *rotatedRow(const ConvCommand &conv, uint32_t oc, T *room) {
  const T *row = weightRow(conv, oc, room);
  if (conv.rotates)
    rotate(conv, room, conv.input.isFloat() ? conv.pack : conv.pack / 2);
  return row;
}

float biasOf(const ConvCommand &conv, uint32_t oc) {
  float bias = conv.thirdIsConstant ? numeric::floatFromBits(conv.thirdBits)
                                    : loadAs<float>(conv.third.at(0, oc));
  return bias;
}

/// The rows of one task and the kernels that compute them.
template <class T>
struct RowTask {
  const T *rows[kLaneBlock] = {};
  T *sums[kLaneBlock] = {};
  T *old[kLaneBlock] = {};
  unsigned count = 0;
  const T *vectors = nullptr;
  size_t lanes = 0;
  const TermList *terms = nullptr;
};

void multiply(const ConvCommand &conv, const RowTask<float> &t,
              bool isByChannels) {
  if (conv.pack == 1) {
    FloatProducts task;
    task.rows = t.rows;
    task.rowCount = t.count;
    task.vectors = t.vectors;
    task.offsets = t.terms->offsets.data();
    task.terms = t.terms->offsets.size();
    task.sums = t.sums;
    task.old = conv.addsResult ? t.old : nullptr;
    task.oddIsFirst = conv.addsResult;
    task.rowsAreWeights = !isByChannels;
    task.lanes = t.lanes;
    return floatProducts(task);
  }
  for (unsigned r = 0; r < t.count && conv.addsResult; ++r)
    for (size_t f = 0; f < t.lanes; ++f)
      t.sums[r][f] = addOrdered(t.sums[r][f], t.old[r][f]);
  HalfProducts task;
  task.rows = t.rows;
  task.rowCount = t.count;
  task.vectors = t.vectors;
  task.step = t.terms->step;
  task.segments = t.terms->segments.data();
  task.segmentCount = t.terms->segments.size();
  task.sums = t.sums;
  task.lanes = t.lanes;
  halfProducts(task);
}

/// Sums that may leave 32 bits go to `wide` (one row after the other, `lanes`
/// each) in parts; otherwise all at once.
void multiply(const ConvCommand &conv, const RowTask<int32_t> &t,
              int64_t *wide) {
  PairProducts task;
  task.rows = t.rows;
  task.rowCount = t.count;
  task.vectors = t.vectors;
  task.step = t.terms->step;
  task.sums = t.sums;
  task.lanes = t.lanes;
  size_t perSum = std::max<size_t>(1, kTermsOfOneSum / conv.pack); // segments
  std::fill_n(wide, t.count * t.lanes, 0);
  for (size_t i = 0; i < t.terms->segments.size(); i += perSum) {
    task.segments = t.terms->segments.data() + i;
    task.segmentCount = std::min(perSum, t.terms->segments.size() - i);
    for (unsigned r = 0; r < t.count; ++r)
      std::fill_n(t.sums[r], t.lanes, 0);
    pairProducts(task);
    for (unsigned r = 0; r < t.count; ++r)
      for (size_t f = 0; f < t.lanes; ++f)
        wide[r * t.lanes + f] += t.sums[r][f];
  }
}

/// Computes the outputs of one image.
template <class T>
class ConvImage {
public:
  ConvImage(Workers &workers, const ConvCommand &conv, const ConvPlan &plan,
            uint32_t n, const T *planes)
      : workers(workers), conv(conv), plan(plan), layout(plan.layout), n(n),
        planes(planes) {}

  /// Pixels are the lanes.
  void byPixels();
  /// Output channels are the lanes.
  void byChannels();

private:
  static constexpr bool kFloat = std::is_same<T, float>::value;
  void pixelTask(uint32_t oc, size_t begin, size_t end, uint8_t *scratch);
  void channelTask(uint32_t oc, const T *columns, uint8_t *scratch);
  void transposeWeights(uint32_t oc, unsigned count, T *row, T *vectors);
  /// Scalars of an output.
  size_t scalars() const { return kFloat ? conv.terms : conv.terms / 2; }
  double cost() const {
    return double(conv.window.pixels()) * conv.outputChannels * conv.terms / 8;
  }
  uint8_t *resultAt(uint32_t oc, uint32_t pixel) const {
    return conv.resultView.at(n, oc) + size_t(pixel) * conv.resultView.bytes;
  }
  void loadOld(uint32_t oc, uint32_t pixel, uint32_t count, float *to) const;
  void loadOldLanes(uint32_t oc, size_t begin, size_t end, float *to) const;
  void store(uint32_t oc, uint32_t pixel, const float *from,
             uint32_t count) const;
  void store(uint32_t oc, uint32_t pixel, int64_t *sums, uint32_t count) const;

  Workers &workers;
  const ConvCommand &conv;
  const ConvPlan &plan;
  const PlaneLayout &layout;
  uint32_t n;
  const T *planes;
};

template <class T>
void ConvImage<T>::store(uint32_t oc, uint32_t pixel, const float *from,
                         uint32_t count) const {
  storeSums(resultAt(oc, pixel), conv.resultView.bytes, conv.result.precision,
            from, count);
}

template <class T>
void ConvImage<T>::store(uint32_t oc, uint32_t pixel, int64_t *sums,
                         uint32_t count) const {
  unsigned bytes = conv.resultView.bytes;
  uint8_t *to = resultAt(oc, pixel);
  finishIntegers(conv, oc, sums, count);
  int64_t old[kRowElements];
  for (uint32_t i = 0; i < count && conv.addsResult; i += kRowElements) {
    unsigned part = std::min(count - i, kRowElements);
    loadIntegers(to + size_t(i) * bytes, bytes, conv.result, old, part);
    for (unsigned j = 0; j < part; ++j)
      sums[i + j] += old[j]; // wraps
  }
  storeIntegers(to, bytes, conv.result.precision, sums, count);
}

/// Old results of consecutive pixels.
template <class T>
void ConvImage<T>::loadOld(uint32_t oc, uint32_t pixel, uint32_t count,
                           float *to) const {
  if (conv.wideAddends.empty())
    return loadFloats(resultAt(oc, pixel), conv.resultView.bytes,
                      conv.result.precision, to, count);
  size_t row = size_t(n) * conv.outputChannels + oc;
  std::copy_n(conv.wideAddends.data() + row * conv.window.pixels() + pixel,
              count, to);
}

/// Old results of lanes [begin, end).
template <class T>
void ConvImage<T>::loadOldLanes(uint32_t oc, size_t begin, size_t end,
                                float *to) const {
  std::fill_n(to, roundUpLanes(end - begin), 0.0f);
  uint32_t pixel = layout.pixelFrom(begin), last = layout.pixelFrom(end);
  while (pixel < last) {
    uint32_t width = conv.window.outputW - pixel % conv.window.outputW;
    uint32_t count = std::min(width, last - pixel);
    loadOld(oc, pixel, count, to + (layout.laneOf(pixel) - begin));
    pixel += count;
  }
}

template <class T>
void ConvImage<T>::pixelTask(uint32_t oc, size_t begin, size_t end,
                             uint8_t *scratch) {
  RowTask<T> task;
  task.lanes = roundUpLanes(end - begin);
  task.count = std::min(kRows, conv.outputChannels - oc);
  task.vectors = planes + begin;
  task.terms = &plan.pixelTerms;
  int64_t *wide = reinterpret_cast<int64_t *>(scratch);
  T *room = reinterpret_cast<T *>(wide + (kFloat ? 0 : kRows * task.lanes));
  for (unsigned r = 0; r < task.count; ++r, room += task.lanes)
    task.sums[r] = room;
  for (unsigned r = 0; r < task.count && kFloat; ++r, room += task.lanes)
    task.old[r] = room;
  for (unsigned r = 0; r < task.count; ++r, room += scalars())
    task.rows[r] = rotatedRow(conv, oc + r, room);
  if constexpr (kFloat) {
    for (unsigned r = 0; r < task.count; ++r) {
      std::fill_n(task.sums[r], task.lanes, biasOf(conv, oc + r));
      if (conv.addsResult)
        loadOldLanes(oc + r, begin, end, task.old[r]);
    }
    multiply(conv, task, plan.byChannels);
  } else {
    multiply(conv, task, wide);
  }
  for (unsigned r = 0; r < task.count; ++r) {
    std::conditional_t<kFloat, float, int64_t> *sums;
    if constexpr (kFloat)
      sums = task.sums[r];
    else
      sums = wide + r * task.lanes;
    auto [pixel, count] = layout.gatherPixels(sums, begin, end);
    store(oc + r, pixel, sums, count);
  }
}

template <class T>
void ConvImage<T>::byPixels() {
  size_t lanes = layout.lanes();
  size_t groups = (conv.outputChannels + kRows - 1) / kRows;
  // A few output channels still give every thread work.
  size_t chunk = kChunk;
  while (chunk > 2 * kLaneBlock &&
         groups * ((lanes + chunk - 1) / chunk) < 2 * workers.count())
    chunk /= 2;
  size_t chunks = (lanes + chunk - 1) / chunk;
  workers.reserveScratch(kRows * (scalars() + 4 * chunk) * sizeof(T));
  workers.forEach(groups * chunks, cost(), [&](size_t item, unsigned worker) {
    size_t begin = item % chunks * chunk, end = std::min(begin + chunk, lanes);
    pixelTask(uint32_t(item / chunks) * kRows, begin, end,
              workers.scratch(worker));
  });
}

/// vectors[k * kLaneBlock + j] = scalar k of output channel oc + j.
template <class T>
void ConvImage<T>::transposeWeights(uint32_t oc, unsigned count, T *row,
                                    T *vectors) {
  for (unsigned j = 0; j < count; ++j) {
    const T *from = rotatedRow(conv, oc + j, row);
    for (size_t k = 0; k < scalars(); ++k)
      vectors[k * kLaneBlock + j] = from[k];
  }
}

template <class T>
void ConvImage<T>::channelTask(uint32_t oc, const T *columns,
                               uint8_t *scratch) {
  unsigned count = std::min(kLaneBlock, conv.outputChannels - oc);
  uint32_t pixels = conv.window.pixels();
  int64_t *wide = reinterpret_cast<int64_t *>(scratch);
  T *sums = reinterpret_cast<T *>(wide + (kFloat ? 0 : pixels * kLaneBlock)),
    *old = sums + pixels * kLaneBlock, *row = old + pixels * kLaneBlock,
    *vectors = row + scalars();
  transposeWeights(oc, count, row, vectors);
  RowTask<T> task;
  task.lanes = kLaneBlock;
  task.count = pixels;
  task.vectors = vectors;
  task.terms = &plan.channelTerms;
  for (uint32_t pixel = 0; pixel < pixels; ++pixel) {
    task.rows[pixel] = columns + pixel * scalars();
    task.sums[pixel] = sums + pixel * kLaneBlock;
    task.old[pixel] = old + pixel * kLaneBlock;
  }
  if constexpr (kFloat) {
    for (uint32_t pixel = 0; pixel < pixels; ++pixel)
      for (unsigned j = 0; j < count; ++j) {
        task.sums[pixel][j] = biasOf(conv, oc + j);
        task.old[pixel][j] = 0;
        if (conv.addsResult)
          loadOld(oc + j, pixel, 1, task.old[pixel] + j);
      }
    multiply(conv, task, plan.byChannels);
  } else {
    multiply(conv, task, wide);
  }
  for (unsigned j = 0; j < count; ++j) {
    std::conditional_t<kFloat, float, int64_t> results[kLaneBlock];
    for (uint32_t pixel = 0; pixel < pixels; ++pixel)
      if constexpr (kFloat)
        results[pixel] = task.sums[pixel][j];
      else
        results[pixel] = wide[pixel * kLaneBlock + j];
    store(oc + j, 0, results, pixels);
  }
}

template <class T>
void ConvImage<T>::byChannels() {
  uint32_t pixels = conv.window.pixels();
  std::vector<T> columns(pixels * scalars());
  for (uint32_t pixel = 0; pixel < pixels; ++pixel) {
    const T *from = planes + layout.laneOf(pixel);
    T *to = columns.data() + pixel * scalars();
    for (uint32_t offset : plan.pixelTerms.offsets)
      *to++ = from[offset];
    for (const Segment &segment : plan.pixelTerms.segments)
      for (uint32_t k = 0; k < segment.count; ++k)
        to[segment.scalar + k] =
            from[segment.vector + k * plan.pixelTerms.step];
  }
  workers.reserveScratch(
      (scalars() * (kLaneBlock + 1) + pixels * kLaneBlock * 4) * sizeof(T));
  size_t blocks = (conv.outputChannels + kLaneBlock - 1) / kLaneBlock;
  workers.forEach(blocks, cost() + double(conv.outputChannels) * conv.terms,
                  [&](size_t block, unsigned worker) {
                    channelTask(uint32_t(block) * kLaneBlock, columns.data(),
                                workers.scratch(worker));
                  });
}

template <class T>
void runImages(Workers &workers, const ConvCommand &conv,
               const ConvPlan &plan) {
  ConvPlanes<T> planes(conv, plan.layout);
  for (uint32_t n = 0; n < conv.resultView.shape.n; ++n) {
    planes.load(workers, n);
    ConvImage<T> image(workers, conv, plan, n, planes.data());
    if (plan.byChannels)
      image.byChannels();
    else
      image.byPixels();
  }
}

} // namespace

void runConv(Machine &machine, const ConvCommand &conv, const ConvPlan &plan) {
  if (conv.input.isFloat())
    runImages<float>(machine.workers(), conv, plan);
  else
    runImages<int32_t>(machine.workers(), conv, plan);
}

} // namespace weft::emulator::tiu
