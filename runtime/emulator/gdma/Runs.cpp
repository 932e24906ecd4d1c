#include "runtime/emulator/gdma/Runs.h"

#include "runtime/emulator/Rows.h"
#include "runtime/status/Stop.h"

#include <algorithm>
#include <vector>

namespace weft::emulator::gdma {
namespace {

bool planeIsOneRun(const Place &place) {
  return place.shape.h == 1 || place.stride.h == place.shape.w * place.stride.w;
}

/// The rows of a plane follow each other: w takes over h.
void mergeRows(Place &place) {
  place.shape.w *= place.shape.h; // at most 2^32 - 2^17 + 1
  place.shape.h = 1;
}

/// The planes of a flat place follow each other: w takes over c, then n.
bool channelsAreOneRun(const Place &place) {
  const Shape4 &shape = place.shape;
  return !place.isLocal && shape.h == 1 &&
         (shape.c == 1 || place.stride.c == shape.w * place.stride.w) &&
         (shape.n == 1 ||
          place.stride.n == uint64_t(shape.c) * shape.w * place.stride.w) &&
         count(shape) <= UINT32_MAX;
}

void mergeChannels(Place &place) {
  place.shape.w = uint32_t(count(place.shape));
  place.shape.c = place.shape.n = 1;
}

/// Walks a place in n, c, h, w order, a piece of a row at a time.
class Cursor {
public:
  /// At element `index` of the place.
  Cursor(const Place &place, uint64_t index) : place(place) {
    const Shape4 &shape = place.shape;
    w = uint32_t(index % shape.w);
    index /= shape.w;
    h = uint32_t(index % shape.h);
    index /= shape.h;
    c = uint32_t(index % shape.c);
    n = uint32_t(index / shape.c);
    enterRow();
  }
  uint32_t left() const { return place.shape.w - w; }
  /// nullptr in a lane that the mask leaves out.
  uint8_t *here() const { return row ? row + w * place.stride.w : nullptr; }
  void advance(uint32_t elements) {
    w += elements;
    if (w < place.shape.w)
      return;
    w = 0;
    if (++h == place.shape.h) {
      h = 0;
      if (++c == place.shape.c) {
        c = 0;
        if (++n == place.shape.n)
          return;
      }
    }
    enterRow();
  }

private:
  void enterRow() { row = place.at(n, c, h); }

  const Place &place;
  uint32_t n = 0, c = 0, h = 0, w = 0;
  uint8_t *row = nullptr;
};

/// Bytes from the start of memory on that a place may touch; local memory as a
/// whole counts for a local one.
bool mayMeet(const Place &a, const Place &b) {
  if (a.isLocal || b.isLocal)
    return a.isLocal && b.isLocal;
  return a.base < b.base + b.reach && b.base < a.base + a.reach;
}

/// Elements that are copied without asking whether to go on.
constexpr uint32_t kLongestRun = 1 << 20;

/// Asks whether to go on once for about kLongestRun elements, short rows
/// counted as more than they are.
class StopCheck {
public:
  bool isRequestedAfter(uint64_t elements) {
    done += elements + 16;
    if (done < kLongestRun)
      return false;
    done = 0;
    return rt::stopRequested();
  }

private:
  uint64_t done = 0;
};

/// No two elements share a byte: each axis steps over the ones inside it.
bool isNested(const Place &place) {
  const Shape4 &shape = place.shape;
  uint64_t extent = place.bytes;
  auto holds = [&](uint64_t size, uint64_t stride) {
    if (size > 1 && stride < extent)
      return false;
    if (size > 1)
      extent = stride * size;
    return true;
  };
  uint64_t rows =
      place.isLocal ? place.lanes.rows(place.lane0, shape.c) : shape.c;
  return holds(shape.w, place.stride.w) && holds(shape.h, place.stride.h) &&
         holds(rows, place.stride.c) && holds(shape.n, place.stride.n);
}

void copyPiece(const Place &in, const Place &out, uint64_t begin,
               uint64_t end) {
  Cursor source(in, begin), target(out, begin);
  StopCheck stop;
  for (uint64_t left = end - begin; left > 0;) {
    uint32_t run =
        uint32_t(std::min<uint64_t>(std::min<uint64_t>(left, kLongestRun),
                                    std::min(source.left(), target.left())));
    if (stop.isRequestedAfter(run))
      return;
    const uint8_t *value = source.here();
    uint8_t *place = target.here();
    if (value && place)
      copyElements(place, out.stride.w, value, in.stride.w, out.bytes, run);
    left -= run;
    if (left == 0)
      return;
    source.advance(run);
    target.advance(run);
  }
}

template <class T>
void copyColumn(uint8_t *const *to, uint64_t offset, const uint8_t *from,
                uint64_t step, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i, from += step)
    if (to[i])
      storeAs(to[i] + offset, loadAs<T>(from));
}

/// Rows of c in a place: base pointers per w would cost a division each.
void copyChannelsToColumns(const Place &from, const Place &to) {
  std::vector<uint8_t *> targets(to.shape.c);
  StopCheck stop;
  auto copyRow = from.bytes == 1   ? copyColumn<uint8_t>
                 : from.bytes == 2 ? copyColumn<uint16_t>
                                   : copyColumn<uint32_t>;
  for (uint32_t n = 0; n < from.shape.n; ++n)
    for (uint32_t h = 0; h < from.shape.h; ++h) {
      for (uint32_t w = 0; w < to.shape.c; ++w)
        targets[w] = to.at(n, w, h);
      if (stop.isRequestedAfter(uint64_t(from.shape.c) * from.shape.w))
        return;
      for (uint32_t c = 0; c < from.shape.c; ++c)
        if (const uint8_t *row = from.at(n, c, h))
          copyRow(targets.data(), c * to.stride.w, row, from.stride.w,
                  from.shape.w);
    }
}

} // namespace

void copyElementwise(Workers &workers, const Place &from, const Place &to) {
  Place in = from, out = to;
  bool same = sameShape(in.shape, out.shape);
  bool rowsIn = planeIsOneRun(in), rowsOut = planeIsOneRun(out);
  if (rowsIn && (rowsOut || !same))
    mergeRows(in);
  if (rowsOut && (rowsIn || !same))
    mergeRows(out);
  bool flatIn = channelsAreOneRun(in), flatOut = channelsAreOneRun(out);
  if (flatIn && (flatOut || !same))
    mergeChannels(in);
  if (flatOut && (flatIn || !same))
    mergeChannels(out);
  uint64_t total = count(out.shape);
  constexpr uint64_t pieceBytes = 64 * 1024;
  uint64_t pieces =
      std::min<uint64_t>(total * out.bytes / pieceBytes, 8 * workers.count());
  if (pieces < 2 || mayMeet(in, out) || !isNested(out))
    return copyPiece(in, out, 0, total);
  workers.forEach(pieces, [&](size_t piece, unsigned) {
    copyPiece(in, out, total * piece / pieces, total * (piece + 1) / pieces);
  });
}

void copySwapped(const Place &from, const Place &to, AxisSwap swap) {
  if (swap == AxisSwap::CW)
    return copyChannelsToColumns(from, to);
  Place in = from, out = to;
  if (planeIsOneRun(in) && planeIsOneRun(out)) {
    mergeRows(in);
    mergeRows(out);
  }
  StopCheck stop;
  for (uint32_t n = 0; n < in.shape.n; ++n)
    for (uint32_t c = 0; c < in.shape.c; ++c)
      for (uint32_t h = 0; h < in.shape.h; ++h) {
        if (stop.isRequestedAfter(in.shape.w))
          return;
        const uint8_t *row = in.at(n, c, h);
        uint8_t *place = out.at(c, n, h);
        if (row && place)
          copyElements(place, out.stride.w, row, in.stride.w, in.bytes,
                       in.shape.w);
      }
}

void copyToAllChannels(const Place &from, const Place &to) {
  Place in = from, out = to;
  if (planeIsOneRun(in) && planeIsOneRun(out)) {
    mergeRows(in);
    mergeRows(out);
  }
  StopCheck stop;
  for (uint32_t n = 0; n < out.shape.n; ++n)
    for (uint32_t c = 0; c < out.shape.c; ++c)
      for (uint32_t h = 0; h < out.shape.h; ++h) {
        if (stop.isRequestedAfter(out.shape.w))
          return;
        const uint8_t *row = in.at(n, 0, h);
        uint8_t *place = out.at(n, c, h);
        if (row && place)
          copyElements(place, out.stride.w, row, in.stride.w, in.bytes,
                       out.shape.w);
      }
}

void fillElements(const Place &to, uint32_t bits) {
  Place out = to;
  if (planeIsOneRun(out))
    mergeRows(out);
  const auto *value = reinterpret_cast<const uint8_t *>(&bits);
  StopCheck stop;
  for (uint32_t n = 0; n < out.shape.n; ++n)
    for (uint32_t c = 0; c < out.shape.c; ++c)
      for (uint32_t h = 0; h < out.shape.h; ++h)
        if (stop.isRequestedAfter(out.shape.w))
          return;
        else if (uint8_t *place = out.at(n, c, h))
          copyElements(place, out.stride.w, value, 0, out.bytes, out.shape.w);
}

} // namespace weft::emulator::gdma
