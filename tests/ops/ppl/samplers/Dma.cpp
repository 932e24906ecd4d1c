//===- Dma.cpp - random calls of dma, sdma and hau -----------------------===//

#include "tests/ops/ppl/Samplers.h"

using namespace weft;
using namespace weft::cases;
using namespace weft::catalog;

namespace {
enum class Where { Local, Global, Any };

/// Fills a case slot by slot with tensors of any layout.
class Moves {
public:
  Moves(Numbers &numbers, Case &drawn) : numbers(numbers), drawn(drawn) {
    drawn.call.arguments.assign(drawn.call.operation->slots.size(), Argument());
    type = numbers.among(kAnyElement.members());
  }

  int64_t between(int64_t low, int64_t high) {
    return numbers.between(low, high);
  }
  bool chance(double p) { return numbers.chance(p); }
  const Chip &chip() const { return *drawn.call.chip; }
  /// A shape of at most some 20000 elements.
  Dims shape() {
    return {between(1, 3), between(1, chance(0.5) ? 12 : 140), between(1, 7),
            between(1, 20)};
  }
  Argument &argument(std::string_view slot) {
    return drawn.call.arguments[size_t(drawn.call.operation->slotIndex(slot))];
  }
  void number(std::string_view slot, int64_t value) {
    argument(slot) = cases::number(value);
  }
  void real(std::string_view slot, double value) {
    argument(slot) = cases::number(value);
  }
  Tensor &tensor(std::string_view slot) { return argument(slot).tensor; }

  /// A tensor in its default layout.
  void plain(std::string_view slot, DataType elements, const Dims &shape,
             Where where, unsigned lane = 0) {
    bool isLocal = isInLocal(where);
    argument(slot) =
        isLocal ? localTensor(elements, shape, AlignMode::Aligned, lane, chip())
                : globalTensor(elements, shape, chip());
    fillWithBits(slot);
  }
  /// A tensor in any layout from any lane on; `steps`: w strides other than 1.
  void any(std::string_view slot, DataType elements, const Dims &shape,
           Where where, bool steps = true) {
    plain(slot, elements, shape, where,
          chance(0.4) ? unsigned(between(0, 63)) : 0);
    Tensor &t = tensor(slot);
    bool isLocal = t.memory == Memory::Local;
    if (chance(0.3))
      spread(t, steps);
    else if (isLocal && chance(0.4)) {
      t.layout = chance(0.5) ? AlignMode::Compact : AlignMode::RowAligned;
      t.strides = stridesOf(t.layout, t.type, t.shape, t.lane, chip());
    }
  }
  /// Gaps between the elements.
  void spread(Tensor &t, bool steps) {
    int64_t w = steps && chance(0.4) ? between(2, 9) : 1;
    int64_t h = t.shape[3] * w + between(0, 3);
    int64_t c = t.shape[2] * h + between(0, 9);
    bool isLocal = t.memory == Memory::Local;
    int64_t rows = isLocal
                       ? (t.lane + t.shape[1] + chip().lanes - 1) / chip().lanes
                       : t.shape[1];
    t.layout = AlignMode::Free;
    t.strides = {rows * c + between(0, 5), c, h, w};
  }
  /// Any bits, NaNs too: what only moves must keep them.
  void fillWithBits(std::string_view slot) {
    const Tensor &t = tensor(slot);
    Dense values(t.type, t.shape);
    for (int64_t i = 0; i < values.elements(); ++i)
      values.setBits(i, numbers.next());
    drawn.values[slotName(slot)] = std::move(values);
  }
  /// Integers low to high.
  void fillWith(std::string_view slot, int64_t low, int64_t high) {
    const Tensor &t = tensor(slot);
    Dense values(t.type, t.shape);
    for (int64_t i = 0; i < values.elements(); ++i)
      values.setBits(i, uint64_t(between(low, high)));
    drawn.values[slotName(slot)] = std::move(values);
  }
  /// Zeros among any bits.
  void fillSparsely(std::string_view slot) {
    fillWithBits(slot);
    Dense &values = drawn.values[slotName(slot)];
    double share = numbers.real(0, 1);
    for (int64_t i = 0; i < values.elements(); ++i)
      if (chance(share))
        values.setBits(i, 0);
  }
  Dense &values(std::string_view slot) { return drawn.values[slotName(slot)]; }

  DataType type;

private:
  bool isInLocal(Where where) {
    return where == Where::Local || (where == Where::Any && chance(0.5));
  }
  std::string_view slotName(std::string_view slot) {
    return drawn.call.operation->slot(slot)->name; // lives as long as the row
  }
  Numbers &numbers;
  Case &drawn;
};
} // namespace

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

static Where sideOf(std::string_view name, bool isDst) {
  auto has = [&](std::string_view word) {
    return name.find(word) != std::string_view::npos;
  };
  if (has("load"))
    return isDst ? Where::Local : Where::Global;
  if (has("store"))
    return isDst ? Where::Global : Where::Local;
  return Where::Any;
}

static void sampleCopy(Numbers &numbers, Case &drawn) {
  Moves moves(numbers, drawn);
  std::string_view name = drawn.call.operation->name;
  Dims shape = moves.shape();
  Where to = sideOf(name, true), from = sideOf(name, false);
  if (to == Where::Any)
    to = from = moves.chance(0.5) ? Where::Local : Where::Global;
  moves.any("dst", moves.type, shape, to);
  moves.any("src", moves.type, shape, from);
}

static void sampleCompactCopy(Numbers &numbers, Case &drawn) {
  Moves moves(numbers, drawn);
  std::string_view name = drawn.call.operation->name;
  Dims shape = moves.shape();
  for (bool isDst : {true, false}) {
    std::string_view slot = isDst ? "dst" : "src";
    moves.plain(slot, moves.type, shape, sideOf(name, isDst),
                moves.chance(0.4) ? unsigned(moves.between(0, 63)) : 0);
    Tensor &t = moves.tensor(slot);
    if (t.memory != Memory::Local)
      continue;
    t.layout = AlignMode::Compact;
    t.strides = stridesOf(t.layout, t.type, t.shape, t.lane, moves.chip());
  }
}

static void sampleTranspose(Numbers &numbers, Case &drawn) {
  Moves moves(numbers, drawn);
  std::string_view name = drawn.call.operation->name;
  Dims shape = moves.shape(), turned = shape;
  bool hasMode = drawn.call.operation->slot("trans_mode");
  bool isCw =
      hasMode ? moves.chance(0.5) : name.find("_cw") != std::string_view::npos;
  std::swap(turned[1], turned[isCw ? 3 : 0]);
  Where to = sideOf(name, true), from = sideOf(name, false);
  if (to == Where::Any)
    to = from = moves.chance(0.5) ? Where::Local : Where::Global;
  moves.any("dst", moves.type, turned, to, !isCw);
  moves.any("src", moves.type, shape, from, !isCw);
  if (hasMode)
    moves.number("trans_mode", isCw);
}

//===----------------------------------------------------------------------===//
// Constants and channels
//===----------------------------------------------------------------------===//

static double anyConstant(Moves &moves, DataType type) {
  if (isFloat(type))
    return moves.chance(0.2) ? double(moves.between(-8, 8))
                             : double(moves.between(-(1 << 30), 1 << 30)) /
                                   double(moves.between(1 << 15, 1 << 30));
  int64_t half = int64_t(1) << (bitsOf(type) - 1);
  return isSigned(type) ? double(moves.between(-half, half - 1))
                        : double(moves.between(0, 2 * half - 1));
}

static void sampleFill(Numbers &numbers, Case &drawn) {
  Moves moves(numbers, drawn);
  moves.any("dst", moves.type, moves.shape(), Where::Any);
  if (drawn.call.operation->slot("C"))
    moves.real("C", anyConstant(moves, moves.type));
}

static void sampleBroadcast(Numbers &numbers, Case &drawn) {
  Moves moves(numbers, drawn);
  Dims shape = moves.shape(), one = shape;
  one[1] = 1;
  moves.any("dst", moves.type, shape, Where::Local, /*steps=*/false);
  moves.any("src", moves.type, one,
            drawn.call.operation->name == "dma.broadcast" ? Where::Local
                                                          : Where::Global,
            /*steps=*/false);
  if (moves.chance(0.5))
    moves.number("num", moves.between(0, shape[1]));
}

//===----------------------------------------------------------------------===//
// By index
//===----------------------------------------------------------------------===//

static void sampleRows(Numbers &numbers, Case &drawn) {
  Moves moves(numbers, drawn);
  bool isScatter = !drawn.call.operation->slot("C");
  int64_t channels = moves.between(1, moves.chance(0.5) ? 8 : 130),
          width = moves.between(1, 20), few = moves.between(1, 12),
          many = moves.between(1, 12);
  Dims listed = {1, channels, few, width}, other = {1, channels, many, width};
  moves.any("dst", moves.type, isScatter ? other : listed, Where::Any, false);
  moves.any("param", moves.type, isScatter ? listed : other, Where::Any, false);
  bool isShared = moves.chance(0.3);
  Dims index = {1, isShared ? 1 : channels, few, 1};
  moves.plain("index", DataType::Uint32, index,
              isShared ? Where::Global : Where::Any,
              moves.chance(0.3) ? unsigned(moves.between(0, 63)) : 0);
  Dense &values = moves.values("index");
  for (int64_t i = 0; i < values.elements(); ++i)
    values.setBits(i, moves.chance(0.1) ? numbers.next()
                                        : uint64_t(moves.between(0, many + 2)));
  if (!isScatter)
    moves.real("C", anyConstant(moves, moves.type));
}

static void sampleChannels(Numbers &numbers, Case &drawn) {
  Moves moves(numbers, drawn);
  bool isScatter = !drawn.call.operation->slot("C");
  int64_t height = moves.between(1, 5), width = moves.between(1, 12),
          few = moves.between(1, 40), many = moves.between(1, 90);
  Dims listed = {1, few, height, width}, other = {1, many, height, width};
  moves.plain("dst", moves.type, isScatter ? other : listed, Where::Any,
              moves.chance(0.3) ? unsigned(moves.between(0, 63)) : 0);
  moves.plain("param", moves.type, isScatter ? listed : other, Where::Any,
              moves.chance(0.3) ? unsigned(moves.between(0, 63)) : 0);
  moves.plain("index", DataType::Uint32,
              moves.chance(0.5) ? Dims{1, few, 1, 1} : Dims{1, 1, 1, few},
              Where::Any);
  moves.fillWith("index", 0, many + 2);
  if (!isScatter)
    moves.real("C", anyConstant(moves, moves.type));
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

static const std::vector<DataType> &integers() {
  static const std::vector<DataType> all = kIntegers.members();
  return all;
}

static void sampleSelection(Numbers &numbers, Case &drawn) {
  Moves moves(numbers, drawn);
  bool isList = drawn.call.operation->slot("base_idx");
  Dims shape = {moves.between(1, 2), moves.between(1, 70), moves.between(1, 4),
                moves.between(1, 9)};
  int64_t count = shape[0] * shape[1] * shape[2] * shape[3];
  DataType tested = numbers.among(integers());
  DataType written =
      isList ? numbers.among(std::vector<DataType>{
                   DataType::Int32, DataType::Int16, DataType::Int8})
             : moves.type;
  moves.plain("dst", written, {1, 1, 1, count + moves.between(0, 5)},
              Where::Global);
  auto lane = [&] {
    return moves.chance(0.3) ? unsigned(moves.between(0, 63)) : 0;
  };
  moves.plain("src", isList ? tested : moves.type, shape, Where::Any, lane());
  if (isList)
    moves.number("base_idx",
                 moves.chance(0.5) ? 0 : moves.between(-100000, 100000));
  else
    moves.plain("mask", tested, shape, Where::Any, lane());
  moves.fillSparsely(isList ? "src" : "mask");
  if (moves.chance(0.5))
    moves.plain("count", DataType::Uint32, {1, 1, 1, 1}, Where::Global);
}

static void sampleBatches(Numbers &numbers, Case &drawn) {
  Moves moves(numbers, drawn);
  Dims shape = {moves.between(1, 3), moves.between(1, 140), 1,
                moves.between(1, 40)};
  bool isRepeat = moves.chance(0.5);
  unsigned lane = moves.chance(0.4) ? unsigned(moves.between(0, 63)) : 0;
  Dims src = {1, shape[1], 1, shape[3]};
  if (isRepeat)
    src[1] = std::min<int64_t>(shape[1], int64_t(moves.chip().lanes));
  moves.plain("dst", moves.type, shape, Where::Local, lane);
  moves.plain("src", moves.type, src, Where::Local, lane);
  moves.plain("mask", numbers.among(kUnsigned.members()), shape, Where::Local,
              lane);
  moves.fillSparsely("mask");
  moves.plain("count", DataType::Uint16, {shape[0], shape[1], 1, 1},
              Where::Local, lane);
  Tensor &count = moves.tensor("count");
  count.layout = AlignMode::Compact;
  count.strides = stridesOf(count.layout, count.type, count.shape, count.lane,
                            moves.chip());
  moves.number("is_repeat", isRepeat);
}

//===----------------------------------------------------------------------===//
// Sorting
//===----------------------------------------------------------------------===//

static void sampleTopk(Numbers &numbers, Case &drawn) {
  Moves moves(numbers, drawn);
  moves.type = numbers.among(
      std::vector<DataType>{DataType::Fp32, DataType::Int32, DataType::Uint32});
  int64_t length = moves.between(1, moves.chance(0.7) ? 100 : 600);
  int64_t count = moves.chance(0.3) ? length : moves.between(1, length);
  Dims row = {1, 1, 1, length};
  Dims written = {1, 1, 1, count + (moves.chance(0.2) ? 3 : 0)};
  moves.plain("dst", moves.type, written, Where::Global);
  moves.plain("src", moves.type, row, Where::Global);
  Dense &values = moves.values("src");
  bool isDense = moves.chance(0.5); // many equal values
  for (int64_t i = 0; i < length; ++i)
    if (isFloat(moves.type)) {
      double value =
          isDense ? double(moves.between(-3, 3)) : numbers.real(-100, 100);
      values.setValue(i, value);
      if (moves.chance(0.1)) // zeros and subnormals of both signs, infinities
        values.setBits(i, numbers.among(std::vector<uint64_t>{
                              0x80000000, 0, 1, 0x80000001, 0x7fffff,
                              0x7f800000, 0xff800000, 0x800000}));
    } else {
      values.setBits(i,
                     isDense ? uint64_t(moves.between(-3, 3)) : numbers.next());
    }
  if (moves.chance(0.7)) {
    moves.plain("dst_idx", DataType::Int32, written, Where::Global);
    if (moves.chance(0.5)) {
      moves.plain("src_idx", DataType::Int32, row, Where::Global);
      moves.fillWith("src_idx", moves.chance(0.5) ? -4 : INT32_MIN,
                     moves.chance(0.5) ? 4 : INT32_MAX);
    }
  }
  moves.number("K", count);
  moves.number("descended", moves.chance(0.5));
}

static void sampleLines(Numbers &numbers, Case &drawn) {
  Moves moves(numbers, drawn);
  int64_t lines = moves.between(1, 20), width = moves.between(1, 40),
          count = moves.between(1, 30);
  moves.plain("dst", moves.type, {1, 1, count, width}, Where::Global);
  moves.plain("param", moves.type, {1, 1, lines, width}, Where::Global);
  moves.plain("index", DataType::Uint32, {1, 1, 1, count}, Where::Global);
  moves.fillWith("index", 0, lines + 2);
  int64_t start = moves.chance(0.4) ? 0 : moves.between(0, lines - 1);
  moves.number("start", start);
  moves.number("end", moves.between(start, lines - 1));
  moves.real("C", anyConstant(moves, moves.type));
  moves.number("fill_const", moves.chance(0.5));
}

std::vector<SampleRow> cases::dmaSamplers() {
  return {{"dma.load", sampleCopy},
          {"dma.store", sampleCopy},
          {"dma.move", sampleCopy},
          {"dma.load_compact", sampleCompactCopy},
          {"dma.store_compact", sampleCompactCopy},
          {"dma.load_transpose", sampleTranspose},
          {"dma.store_transpose", sampleTranspose},
          {"dma.transpose", sampleTranspose},
          {"dma.load_transpose_cw", sampleTranspose},
          {"dma.load_transpose_nc", sampleTranspose},
          {"dma.store_transpose_cw", sampleTranspose},
          {"dma.store_transpose_nc", sampleTranspose},
          {"dma.transpose_cw", sampleTranspose},
          {"dma.transpose_nc", sampleTranspose},
          {"dma.fill", sampleFill},
          {"dma.zero", sampleFill},
          {"dma.load_broadcast", sampleBroadcast},
          {"dma.broadcast", sampleBroadcast},
          {"dma.gather_h", sampleRows},
          {"dma.scatter_h", sampleRows},
          {"dma.gather_c", sampleChannels},
          {"dma.scatter_c", sampleChannels},
          {"dma.mask_select", sampleSelection},
          {"dma.nonzero", sampleSelection},
          {"dma.mask_batch_bcast", sampleBatches},
          {"hau.topk", sampleTopk},
          {"hau.gather_line", sampleLines}};
}
