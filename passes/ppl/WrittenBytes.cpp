//===- WrittenBytes.cpp - which bytes of a memory were written -----------===//

#include "passes/ppl/WrittenBytes.h"

#include <algorithm>

using namespace weft;
using namespace weft::ppl;

namespace {
/// Elements that lie one behind the other in one lane.
struct Run {
  unsigned lane;
  uint64_t begin, end; ///< bytes
  catalog::Dims first; ///< n, c, h, w of the first element
};
} // namespace

static std::pair<uint64_t, uint64_t> bytesOfRun(catalog::DataType type,
                                                int64_t at, int64_t elements) {
  if (type == catalog::DataType::Fp20) { // 51 in 128 bytes, see Dense
    uint64_t begin = uint64_t(at / 51) * 128 + uint64_t(at % 51) * 20 / 8;
    return {begin, begin + 3};
  }
  unsigned bits = catalog::bitsOf(type);
  return {uint64_t(at) * bits / 8, (uint64_t(at + elements) * bits + 7) / 8};
}

/// Calls `visit` for runs that are all of the tensor; it says whether to go on.
template <class Visit>
static void eachRun(const catalog::Tensor &tensor, const Chip &chip,
                    bool byElement, Visit visit) {
  const auto &[n, c, h, w] = tensor.shape;
  const catalog::Dims &s = tensor.strides;
  bool isDense = !byElement && tensor.type != catalog::DataType::Fp20;
  int64_t columns = isDense && (w == 1 || s[3] == 1) ? w : 1;
  int64_t rows = columns == w && isDense && (h == 1 || s[2] == w) ? h : 1;
  bool isLocal = tensor.memory == catalog::Memory::Local;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < c; ++j) {
      int64_t channel = isLocal ? int64_t(tensor.lane) + j : j;
      unsigned lane = isLocal ? unsigned(channel % chip.lanes) : 0;
      int64_t row = isLocal ? channel / chip.lanes : channel;
      for (int64_t y = 0; y < h; y += rows)
        for (int64_t x = 0; x < w; x += columns) {
          int64_t at = i * s[0] + row * s[1] + y * s[2] + x * s[3];
          auto [begin, end] = bytesOfRun(tensor.type, at, rows * columns);
          if (!visit(Run{lane,
                         *tensor.address + begin,
                         *tensor.address + end,
                         {i, j, y, x}}))
            return;
        }
    }
}

void WrittenBytes::add(const catalog::Tensor &tensor, const Chip &chip) {
  eachRun(tensor, chip, false, [&](const Run &run) {
    uint64_t start = run.lane * bytes - base;
    if (isInside(run.end))
      bits.set(unsigned(start + run.begin), unsigned(start + run.end));
    return true;
  });
}

std::optional<Unwritten> WrittenBytes::missingOf(const catalog::Tensor &tensor,
                                                 const Chip &chip) const {
  auto lacks = [&](const Run &run) {
    uint64_t start = run.lane * bytes - base;
    return !isInside(run.end) ||
           bits.find_first_unset_in(unsigned(start + run.begin),
                                    unsigned(start + run.end)) >= 0;
  };
  bool isMissing = false;
  eachRun(tensor, chip, false, [&](const Run &run) {
    isMissing = lacks(run);
    return !isMissing;
  });
  if (!isMissing)
    return std::nullopt;
  Unwritten missing;
  eachRun(tensor, chip, true, [&](const Run &run) {
    if (lacks(run) && missing.elements++ == 0)
      missing.first = run.first;
    return true;
  });
  return missing;
}
