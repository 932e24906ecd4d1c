/// The padded input of a sliding window, laid out so that no output needs an
/// index.
///
/// A channel's input is split by the window's strides into phases: phase
/// (py, px) holds the padded samples (r * strideH + py, c * strideW + px). All
/// phases have rows of `pitch` samples, and what output (y, x) reads at kernel
/// position p lies at positionOffset(p) + lane, lane = y * pitch + x. So the
/// outputs of an image form one row of lanes, with pitch - outputW unused ones
/// between its rows.
#ifndef WEFT_RUNTIME_EMULATOR_TIU_PLANES_H
#define WEFT_RUNTIME_EMULATOR_TIU_PLANES_H

#include "runtime/emulator/kernels/Products.h"
#include "runtime/emulator/tiu/Window.h"

#include <algorithm>

namespace weft::emulator::tiu {

class PlaneLayout {
public:
  /// Fails for planes of more samples than any command that fits local memory
  /// has in practice.
  Status make(const Window &window, uint32_t channels);

  size_t lanes() const { return size_t(outputH - 1) * pitch + outputW; }
  /// Samples between channels.
  size_t channelStride() const { return stride; }
  /// Samples of all channels and the room that whole lane blocks need behind.
  size_t samples(uint32_t channels) const {
    return channels * stride + kLaneBlock;
  }
  const std::vector<uint32_t> &positionOffsets() const { return offsets; }
  uint32_t positionOffset(uint32_t position) const { return offsets[position]; }

  /// Fills a channel's planes. `input` has its inputH * inputW samples.
  template <class T>
  void fill(const T *input, T pad, T inserted, T *planes) const;
  /// True if the planes are the input itself.
  bool isInput() const { return identical; }

  /// Moves the samples of lanes [begin, end) that are outputs together at the
  /// start of `lanes`. Returns the first output's pixel number and their count.
  template <class T>
  std::pair<uint32_t, uint32_t> gatherPixels(T *lanes, size_t begin,
                                             size_t end) const;
  /// Lane of an output pixel.
  size_t laneOf(uint32_t pixel) const {
    return size_t(pixel / outputW) * pitch + pixel % outputW;
  }
  /// First output pixel at or behind a lane.
  uint32_t pixelFrom(size_t lane) const {
    size_t y = lane / pitch, x = lane % pitch;
    return uint32_t(y * outputW + std::min<size_t>(x, outputW));
  }

private:
  /// Input columns of the samples of a row of one column phase.
  struct Columns {
    std::vector<int32_t> source;       ///< or Window::kPad, kInserted
    uint32_t runBegin = 0, runEnd = 0; ///< consecutive columns
  };
  void makeAxes(const Window &window, const std::vector<uint32_t> &rowPhases,
                const std::vector<uint32_t> &columnPhases);

  uint32_t inputW = 0, outputH = 1, outputW = 1, pitch = 1, rows = 1;
  size_t stride = 0;
  bool identical = false;
  std::vector<std::vector<int32_t>> rowSources; // by row phase
  std::vector<Columns> columns;                 // by column phase
  std::vector<uint32_t> offsets;                // by kernel position
};

template <class T>
void PlaneLayout::fill(const T *input, T pad, T inserted, T *planes) const {
  T *to = planes;
  for (const std::vector<int32_t> &rowSource : rowSources)
    for (const Columns &column : columns)
      for (int32_t row : rowSource) {
        const T *from = input + size_t(row < 0 ? 0 : row) * inputW;
        auto sample = [&](uint32_t c) {
          int32_t source = column.source[c];
          if (row == Window::kPad || source == Window::kPad)
            return pad;
          return row < 0 || source < 0 ? inserted : from[source];
        };
        uint32_t begin = row < 0 ? 0 : column.runBegin,
                 end = row < 0 ? 0 : column.runEnd;
        for (uint32_t c = 0; c < begin; ++c)
          to[c] = sample(c);
        if (begin < end)
          std::copy_n(from + column.source[begin], end - begin, to + begin);
        for (uint32_t c = end; c < pitch; ++c)
          to[c] = sample(c);
        to += pitch;
      }
}

template <class T>
std::pair<uint32_t, uint32_t> PlaneLayout::gatherPixels(T *lanes, size_t begin,
                                                        size_t end) const {
  uint32_t first = pixelFrom(begin), count = 0;
  if (pitch == outputW)
    return {first, uint32_t(end - begin)};
  for (size_t y = begin / pitch; y * pitch < end; ++y) {
    size_t from = std::max(begin, y * pitch),
           to = std::min(end, y * pitch + outputW);
    if (from >= to)
      continue;
    std::copy(lanes + (from - begin), lanes + (to - begin), lanes + count);
    count += uint32_t(to - from);
  }
  return {first, count};
}

} // namespace weft::emulator::tiu

#endif
