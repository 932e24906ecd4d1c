//===- Layout.cpp - where elements of a PPL tensor lie -------------------===//

#include "runtime/catalog/Catalog.h"

#include <algorithm>
#include <numeric>

using namespace weft;
using namespace weft::catalog;

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
static int64_t roundUp(int64_t a, int64_t b) { return ceilDiv(a, b) * b; }

Dims catalog::stridesOf(AlignMode mode, DataType type, const Dims &shape,
                        unsigned lane, const Chip &chip) {
  auto [n, c, h, w] = shape;
  int64_t perEu = int64_t(chip.euBytes) * 8 / bitsOf(type);
  int64_t rows = ceilDiv(int64_t(lane) + c, chip.lanes);
  switch (mode) {
  case AlignMode::Aligned: {
    int64_t channel = roundUp(h * w, perEu);
    return {rows * channel, channel, w, 1};
  }
  case AlignMode::Compact:
    return {rows * h * w, h * w, w, 1};
  case AlignMode::RowAligned: {
    int64_t row = roundUp(w, perEu);
    return {rows * h * row, h * row, row, 1};
  }
  case AlignMode::Continuous:
  case AlignMode::Free:
    return {c * h * w, h * w, w, 1};
  }
  return {};
}

bool catalog::liesAs(const Tensor &tensor, AlignMode mode, const Chip &chip) {
  if (tensor.layout != AlignMode::Free || mode == AlignMode::Free)
    return tensor.layout == mode;
  Dims wanted = stridesOf(mode, tensor.type, tensor.shape, tensor.lane, chip);
  Dims steps = tensor.shape;
  if (tensor.memory == Memory::Local)
    steps[1] = ceilDiv(int64_t(tensor.lane) + steps[1], chip.lanes);
  for (int axis = 0; axis < 4; ++axis)
    if (steps[axis] > 1 && tensor.strides[axis] != wanted[axis])
      return false;
  return true;
}

uint64_t catalog::extentBytes(const Tensor &tensor, const Chip &chip) {
  auto [n, c, h, w] = tensor.shape;
  if (tensor.memory == Memory::Local)
    c = ceilDiv(int64_t(tensor.lane) + c, chip.lanes);
  const Dims &s = tensor.strides;
  uint64_t last =
      (n - 1) * s[0] + (c - 1) * s[1] + (h - 1) * s[2] + (w - 1) * s[3];
  if (tensor.type == DataType::Fp20) // 51 elements a 128-byte block
    return (last / 51 + 1) * 128;
  return (last * bitsOf(tensor.type) + bitsOf(tensor.type) + 7) / 8;
}

unsigned catalog::startAlignment(const Tensor &tensor, const Chip &chip) {
  if (tensor.type == DataType::Fp20)
    return 128;
  switch (tensor.layout) {
  case AlignMode::Aligned:
  case AlignMode::RowAligned:
    return chip.euBytes;
  case AlignMode::Compact:
    return 4;
  case AlignMode::Continuous:
  case AlignMode::Free:
    return bytesOf(tensor.type);
  }
  return 1;
}

//===----------------------------------------------------------------------===//
// Bytes in common
//===----------------------------------------------------------------------===//

bool catalog::isSamePlace(const Tensor &a, const Tensor &b, const Chip &chip) {
  if (a.memory != b.memory || a.address != b.address || a.lane != b.lane ||
      a.shape != b.shape || bitsOf(a.type) != bitsOf(b.type))
    return false;
  Dims steps = a.shape;
  if (a.memory == Memory::Local)
    steps[1] = ceilDiv(int64_t(a.lane) + steps[1], chip.lanes);
  for (int axis = 0; axis < 4; ++axis)
    if (steps[axis] > 1 && a.strides[axis] != b.strides[axis])
      return false;
  return true;
}

namespace {
/// `bytes` bytes from `start` on, again after each combination of steps.
struct Part {
  int64_t start, bytes;
  Dims steps, counts;
};

/// step * t, for any t from `low` to `high`.
struct Term {
  int64_t step, low, high;
};

/// Whether a sum of terms, each with a t of its own, can lie in a window. The
/// strides of two tensors make such a sum: how far an element of the one is
/// from one of the other.
class Sum {
public:
  Sum(const Part &a, const Part &b);
  Sharing reachesWindow();

private:
  void add(Term term);
  void simplify();
  bool search(size_t index, int64_t from, int64_t to);

  std::vector<Term> terms; ///< simplified: the largest step first
  /// What the terms from one on can reach, and what divides their sum.
  std::vector<int64_t> least, most, divisor;
  int64_t windowLow, windowHigh;
  /// Enough for matrices of 65535 rows with row strides that differ.
  int64_t triesLeft = int64_t(1) << 18;
};
} // namespace

static int64_t floorDiv(int64_t a, int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

Sum::Sum(const Part &a, const Part &b)
    : windowLow(a.start - b.start - (b.bytes - 1)),
      windowHigh(a.start - b.start + (a.bytes - 1)) {
  for (int axis = 0; axis < 4; ++axis) {
    add({a.steps[axis], -(a.counts[axis] - 1), 0});
    add({b.steps[axis], 0, b.counts[axis] - 1});
  }
  simplify();
}

void Sum::add(Term term) {
  if (term.step == 0 || term.low == term.high)
    return;
  for (Term &known : terms)
    if (known.step == term.step) {
      known.low += term.low;
      known.high += term.high;
      return;
    }
  terms.push_back(term);
}

void Sum::simplify() {
  std::sort(terms.begin(), terms.end(),
            [](const Term &x, const Term &y) { return x.step < y.step; });
  // Steps no longer than the window move it without gaps.
  size_t moved = 0;
  for (;
       moved < terms.size() && terms[moved].step <= windowHigh - windowLow + 1;
       ++moved) {
    const Term &term = terms[moved];
    windowLow -= term.step * term.high;
    windowHigh -= term.step * term.low;
  }
  terms.erase(terms.begin(), terms.begin() + int64_t(moved));
  // Rows that follow each other without a gap are one longer axis.
  for (size_t i = 0; i < terms.size(); ++i)
    for (size_t j = i + 1; j < terms.size();) {
      int64_t times = terms[j].step / terms[i].step;
      if (terms[j].step % terms[i].step ||
          times > terms[i].high - terms[i].low + 1) {
        ++j;
        continue;
      }
      terms[i].low += times * terms[j].low;
      terms[i].high += times * terms[j].high;
      terms.erase(terms.begin() + int64_t(j));
    }
  std::reverse(terms.begin(), terms.end());
  least.assign(terms.size() + 1, 0);
  most = divisor = least;
  for (size_t i = terms.size(); i-- > 0;) {
    least[i] = least[i + 1] + terms[i].step * terms[i].low;
    most[i] = most[i + 1] + terms[i].step * terms[i].high;
    divisor[i] = std::gcd(divisor[i + 1], terms[i].step);
  }
}

/// Whether the terms from `index` on can sum up to `from` .. `to`; gives up
/// when there are no tries left.
bool Sum::search(size_t index, int64_t from, int64_t to) {
  if (to < least[index] || from > most[index])
    return false;
  if (index == terms.size())
    return true;
  if (floorDiv(to, divisor[index]) * divisor[index] < from)
    return false;
  auto [step, low, high] = terms[index];
  int64_t first = std::max(low, -floorDiv(most[index + 1] - from, step)),
          last = std::min(high, floorDiv(to - least[index + 1], step));
  for (int64_t t = first; t <= last && --triesLeft >= 0; ++t)
    if (search(index + 1, from - step * t, to - step * t))
      return true;
  return false;
}

Sharing Sum::reachesWindow() {
  if (search(0, windowLow, windowHigh))
    return Sharing::Shares;
  return triesLeft < 0 ? Sharing::Unknown : Sharing::Apart;
}

/// The same bytes for a part counted in half bytes.
static std::vector<Part> inBytes(const Part &halves) {
  std::vector<Part> parts = {halves};
  for (int axis = 0; axis < 4; ++axis) {
    if (halves.steps[axis] % 2 == 0)
      continue;
    // Every second one begins in the other half of a byte.
    for (size_t i = 0, end = parts.size(); i < end; ++i) {
      Part odd = parts[i];
      odd.start += odd.steps[axis];
      odd.counts[axis] /= 2;
      parts[i].counts[axis] -= odd.counts[axis];
      odd.steps[axis] = parts[i].steps[axis] *= 2;
      if (odd.counts[axis] > 0)
        parts.push_back(odd);
    }
  }
  for (Part &part : parts) {
    part.start /= 2;
    for (int64_t &step : part.steps)
      step /= 2;
  }
  return parts;
}

/// What of a tensor lies in a lane (in local memory), relative to `base`.
static std::vector<Part> partsOf(const Tensor &tensor, int64_t lane,
                                 uint64_t base, const Chip &chip) {
  Part part = {0, 1, tensor.strides, tensor.shape};
  if (tensor.memory == Memory::Local) {
    int64_t end = int64_t(tensor.lane) + tensor.shape[1];
    int64_t firstRow = lane >= int64_t(tensor.lane)
                           ? 0
                           : ceilDiv(int64_t(tensor.lane) - lane, chip.lanes);
    part.start = firstRow * tensor.strides[1];
    part.counts[1] = ceilDiv(end - lane, chip.lanes) - firstRow;
    if (end <= lane || part.counts[1] <= 0)
      return {};
  }
  std::vector<Part> parts;
  if (tensor.type == DataType::Fp20) { // blocks; legal only without gaps
    parts.push_back({0, int64_t(extentBytes(tensor, chip)), {}, {1, 1, 1, 1}});
  } else if (bitsOf(tensor.type) < 8) {
    parts = inBytes(part);
  } else {
    part.bytes = bytesOf(tensor.type);
    part.start *= part.bytes;
    for (int64_t &step : part.steps)
      step *= part.bytes;
    parts.push_back(part);
  }
  for (Part &each : parts)
    each.start += int64_t(*tensor.address - base);
  return parts;
}

Sharing catalog::shareBytes(const Tensor &a, const Tensor &b,
                            const Chip &chip) {
  if (a.memory != b.memory)
    return Sharing::Apart;
  if (!a.address || !b.address)
    return Sharing::Unknown;
  if (*a.address + extentBytes(a, chip) <= *b.address ||
      *b.address + extentBytes(b, chip) <= *a.address)
    return Sharing::Apart;
  // Between these lanes the rows of neither tensor change.
  int64_t lanes[] = {0, a.lane, b.lane, a.lane + a.shape[1],
                     b.lane + b.shape[1]};
  uint64_t base = std::min(*a.address, *b.address);
  Sharing found = Sharing::Apart;
  for (int64_t lane : lanes)
    for (const Part &x : partsOf(a, lane % chip.lanes, base, chip))
      for (const Part &y : partsOf(b, lane % chip.lanes, base, chip)) {
        Sharing here = Sum(x, y).reachesWindow();
        if (here == Sharing::Shares)
          return here;
        found = std::max(found, here);
      }
  return found;
}
