//===- Layout.cpp - where elements of a PPL tensor lie -------------------===//

#include "runtime/ppl/Catalog.h"

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
