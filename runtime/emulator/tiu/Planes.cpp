#include "runtime/emulator/tiu/Planes.h"

namespace weft::emulator::tiu {
namespace {

/// The phases that the kernel positions of an axis fall into, ascending.
std::vector<uint32_t> phasesOf(uint32_t kernel, uint32_t dilation,
                               uint32_t stride) {
  std::vector<uint32_t> phases;
  for (uint32_t k = 0; k < kernel; ++k)
    phases.push_back(uint32_t(uint64_t(k) * dilation % stride));
  std::sort(phases.begin(), phases.end());
  phases.erase(std::unique(phases.begin(), phases.end()), phases.end());
  return phases;
}

uint32_t indexOf(const std::vector<uint32_t> &phases, uint32_t phase) {
  return uint32_t(std::lower_bound(phases.begin(), phases.end(), phase) -
                  phases.begin());
}

/// Samples of a row or column of one phase: what the last output reads at the
/// last kernel position, and all before.
uint64_t extentOf(uint32_t output, uint32_t kernel, uint32_t dilation,
                  uint32_t stride) {
  return uint64_t(output) + uint64_t(kernel - 1) * dilation / stride;
}

/// map[i * stride + phase], where the map ends: pad, which no output reads.
std::vector<int32_t> sourcesOf(const std::vector<int32_t> &map, uint32_t phase,
                               uint32_t stride, uint64_t extent) {
  std::vector<int32_t> sources(extent, Window::kPad);
  for (uint64_t i = 0; i < extent && i * stride + phase < map.size(); ++i)
    sources[i] = map[i * stride + phase];
  return sources;
}

} // namespace

Status PlaneLayout::make(const Window &window, uint32_t channels) {
  std::vector<uint32_t> rowPhases = phasesOf(window.kernelH, window.dilationH,
                                             window.strideH),
                        columnPhases = phasesOf(
                            window.kernelW, window.dilationW, window.strideW);
  uint64_t height = extentOf(window.outputH, window.kernelH, window.dilationH,
                             window.strideH),
           width = extentOf(window.outputW, window.kernelW, window.dilationW,
                            window.strideW);
  uint64_t phases = uint64_t(rowPhases.size()) * columnPhases.size();
  constexpr uint64_t most = uint64_t(1) << 27;
  if (height > most || width > most / height ||
      phases > most / (height * width) ||
      channels > most / (height * width * phases))
    return failf(Code::BadCommand,
                 "a padded input of %llu x %llu in %llu phases and %u channels "
                 "is more than the emulator takes",
                 (unsigned long long)height, (unsigned long long)width,
                 (unsigned long long)phases, channels);
  inputW = window.inputW;
  outputH = window.outputH;
  outputW = window.outputW;
  rows = uint32_t(height);
  pitch = uint32_t(width);
  stride = size_t(phases) * height * width;
  makeAxes(window, rowPhases, columnPhases);
  offsets.clear();
  for (uint32_t kh = 0; kh < window.kernelH; ++kh)
    for (uint32_t kw = 0; kw < window.kernelW; ++kw) {
      uint32_t y = kh * window.dilationH, x = kw * window.dilationW;
      uint32_t phase = indexOf(rowPhases, y % window.strideH) *
                           uint32_t(columnPhases.size()) +
                       indexOf(columnPhases, x % window.strideW);
      offsets.push_back((phase * rows + y / window.strideH) * pitch +
                        x / window.strideW);
    }
  return Status::ok();
}

void PlaneLayout::makeAxes(const Window &window,
                           const std::vector<uint32_t> &rowPhases,
                           const std::vector<uint32_t> &columnPhases) {
  rowSources.clear();
  columns.clear();
  for (uint32_t phase : rowPhases)
    rowSources.push_back(sourcesOf(window.rowAt, phase, window.strideH, rows));
  for (uint32_t phase : columnPhases) {
    Columns axis;
    axis.source = sourcesOf(window.columnAt, phase, window.strideW, pitch);
    const std::vector<int32_t> &source = axis.source;
    while (axis.runBegin < pitch && source[axis.runBegin] < 0)
      ++axis.runBegin;
    axis.runEnd = axis.runBegin;
    while (axis.runEnd < pitch && source[axis.runEnd] >= 0 &&
           uint32_t(source[axis.runEnd]) ==
               uint32_t(source[axis.runBegin]) + axis.runEnd - axis.runBegin)
      ++axis.runEnd;
    columns.push_back(std::move(axis));
  }
  auto counts = [](const std::vector<int32_t> &source) {
    for (size_t i = 0; i < source.size(); ++i)
      if (source[i] != int32_t(i))
        return false;
    return true;
  };
  identical = rowSources.size() == 1 && columns.size() == 1 &&
              rows == window.inputH && pitch == window.inputW &&
              counts(rowSources[0]) && counts(columns[0].source);
}

} // namespace weft::emulator::tiu
