//===- Hau.cpp - functions of ppl::hau as commands -----------------------===//
//
// A bmodel holds commands of the TIU and the GDMA engine only, so what the
// sorting engine of BM1684X does is made of theirs.

#include "passes/ppl/expand/DmaParts.h"

using namespace mlir;
using namespace weft;
using namespace weft::ppl;

namespace {
/// Words for types and calls that both functions use.
class Parts {
public:
  explicit Parts(Expansion &e)
      : e(e),
        s32(IntegerType::get(e.builder.getContext(), 32, IntegerType::Signed)),
        u32(IntegerType::get(e.builder.getContext(), 32,
                             IntegerType::Unsigned)),
        u16(IntegerType::get(e.builder.getContext(), 16,
                             IntegerType::Unsigned)),
        u8(IntegerType::get(e.builder.getContext(), 8, IntegerType::Unsigned)) {
  }

  void call(StringRef name, ArrayRef<FunctionArgument> arguments) {
    e.call(name, arguments);
  }
  FunctionArgument arg(Value tensor) { return e.argument(tensor); }
  FunctionArgument arg(int64_t number) { return e.argument(number); }

  /// Elements `start` to `start + count` of a tensor without gaps in system
  /// memory, as this shape.
  Value slice(Value tensor, int64_t start, const catalog::Dims &shape,
              Type element = {}) {
    auto type = cast<TensorViewType>(tensor.getType());
    Type as = element ? element : type.getElementType();
    catalog::Dims dense = {shape[1] * shape[2] * shape[3], shape[2] * shape[3],
                           shape[3], 1};
    return e.view(tensor,
                  TensorViewType::get(shape, as, type.getMemory(), dense),
                  {0, 0, 0, 0}, start * elementBytesOf(type));
  }
  /// 0, 1, .. in L2: the engine lists the elements of a tensor of ones.
  Value ramp(int64_t count) {
    Value ones = scratch(e, {1, 1, 1, count}, u8),
          numbers = scratch(e, {1, 1, 1, count}, s32);
    call("dma.fill", {arg(ones), arg(int64_t(1))});
    list(numbers, ones, 0);
    return numbers;
  }
  void list(Value dst, Value src, int64_t base) {
    listNonzero(e, dst, src, base);
  }

  Expansion &e;
  IntegerType s32, u32, u16, u8;
};
} // namespace

//===----------------------------------------------------------------------===//
// topk
//===----------------------------------------------------------------------===//

namespace {
/// Ranks every element by comparing it with every other one: the element that
/// rank - 1 others precede goes to place rank - 1. Element i lies in lane i /
/// rows, row i % rows; the others pass by in pieces along w.
class Ranking : public Parts {
public:
  Ranking(Expansion &e, int64_t length)
      : Parts(e), length(length),
        channels(std::min<int64_t>(length, e.chip.lanes)),
        rows((length + channels - 1) / channels) {}

  /// uint32 ranks in L2, element by element.
  Value ranks();

private:
  /// Elements of the compared piece, and of a block of comparisons.
  static constexpr int64_t kPiece = 2048, kBlock = 8192;

  Value own(Value system);
  Value passing(Value system, int64_t start, int64_t count);
  Value keys(Value bits);
  void compare(Value own, Value passing, Value ownTie, Value passingTie,
               Value ownPlace, Value passingPlace, Value ranks);
  void addUp(Value counts, int64_t width, Value ranks);
  Value rowsOf(Value tensor, int64_t first, int64_t count, int64_t width);

  int64_t length, channels, rows;
};
} // namespace

/// A tensor of the row, each element in its lane.
Value Ranking::own(Value system) {
  Type element = cast<TensorViewType>(system.getType()).getElementType();
  Value all = e.temporary({1, channels, rows, 1}, element);
  int64_t full = length / rows, rest = length % rows;
  call("dma.zero", {arg(all)});
  auto load = [&](int64_t lane, int64_t lanes, int64_t count) {
    auto type = cast<TensorViewType>(all.getType());
    catalog::Tensor t = describe(all, e.chip);
    Value to = e.view(all,
                      TensorViewType::get({1, lanes, count, 1}, element,
                                          type.getMemory(), t.strides),
                      {0, lane, 0, 0});
    call("dma.load",
         {arg(to), arg(slice(system, lane * rows, {1, lanes, count, 1}))});
  };
  load(0, full, rows);
  if (rest)
    load(full, 1, rest);
  return all;
}

/// A piece of the row, the same in every lane.
Value Ranking::passing(Value system, int64_t start, int64_t count) {
  Type element = cast<TensorViewType>(system.getType()).getElementType();
  Value piece = e.temporary({1, channels, 1, count}, element);
  call("dma.load_broadcast",
       {arg(piece), arg(slice(system, start, {1, 1, 1, count}))});
  return piece;
}

/// Integers in the order of fp32 numbers, subnormals and both zeros as 0.
Value Ranking::keys(Value bits) {
  auto shape = cast<TensorViewType>(bits.getType()).getShape();
  Value magnitude = e.temporary(shape, s32), normal = e.temporary(shape, s32),
        negative = e.temporary(shape, s32), key = e.temporary(shape, s32);
  call("tiu.bitwise_and",
       {arg(magnitude), arg(bits), arg(int64_t(0x7fffffff))});
  call("tiu.gt_select", {arg(normal), arg(magnitude), arg(int64_t(0x7fffff)),
                         arg(magnitude), arg(int64_t(0))});
  call("tiu.sub", {arg(negative), arg(int64_t(0)), arg(normal)});
  call("tiu.lt_select",
       {arg(key), arg(bits), arg(int64_t(0)), arg(negative), arg(normal)});
  return key;
}

Value Ranking::rowsOf(Value tensor, int64_t first, int64_t count,
                      int64_t width) {
  return part(e, tensor, {0, 0, first, 0}, {1, channels, count, width});
}

/// Adds to `ranks` how many of the passing elements precede each own one.
/// Equal ones go by the tie-breaker if there is one, then by their place.
void Ranking::compare(Value own, Value passing, Value ownTie, Value passingTie,
                      Value ownPlace, Value passingPlace, Value ranks) {
  int64_t width = cast<TensorViewType>(passing.getType()).getW();
  int64_t most = std::max<int64_t>(1, kBlock / width);
  bool isDescending = e.integer("descended");
  for (int64_t first = 0; first < rows; first += most) {
    int64_t count = std::min(most, rows - first);
    auto block = [&] { return e.temporary({1, channels, count, width}, u16); };
    auto mine = [&](Value tensor) { return rowsOf(tensor, first, count, 1); };
    auto test = [&](StringRef name, Value a, Value b) {
      Value result = block();
      call(name, {arg(result), arg(a), arg(b), arg(int64_t(1))});
      return result;
    };
    auto both = [&](StringRef name, Value a, Value b) {
      call(name, {arg(a), arg(a), arg(b)});
    };
    Value before = isDescending ? test("tiu.gt", passing, mine(own))
                                : test("tiu.gt", mine(own), passing);
    Value equal = test("tiu.eq", passing, mine(own));
    Value earlier = test("tiu.gt", mine(ownPlace), passingPlace);
    if (ownTie) {
      Value same = test("tiu.eq", passingTie, mine(ownTie));
      both("tiu.bitwise_and", earlier, same);
      both("tiu.bitwise_or", earlier, test("tiu.gt", mine(ownTie), passingTie));
    }
    both("tiu.bitwise_and", equal, earlier);
    both("tiu.bitwise_or", before, equal);
    addUp(before, width, mine(ranks));
  }
}

/// ranks += sum of counts along w, by halves.
void Ranking::addUp(Value counts, int64_t width, Value ranks) {
  int64_t height = cast<TensorViewType>(counts.getType()).getH();
  auto columns = [&](int64_t start, int64_t count) {
    return part(e, counts, {0, 0, 0, start}, {1, channels, height, count});
  };
  while (width > 1) {
    int64_t half = (width + 1) / 2;
    Value low = columns(0, width - half);
    call("tiu.add", {arg(low), arg(low), arg(columns(half, width - half))});
    width = half;
  }
  call("tiu.add", {arg(ranks), arg(ranks), arg(columns(0, 1))});
}

Value Ranking::ranks() {
  bool isFloat = e.type("src").isFloat();
  Type compared = e.type("src").getElementType();
  Value src = slice(e.tensor("src"), 0, {1, 1, 1, length},
                    isFloat ? Type(s32) : compared);
  Value tie = e.tensor("src_idx");
  if (tie) // compared as unsigned numbers
    tie = slice(tie, 0, {1, 1, 1, length}, u32);
  Value places = ramp(length);
  Value mine = own(src), myTie = tie ? own(tie) : Value(),
        myPlace = own(places);
  if (isFloat)
    mine = keys(mine);
  Value counts = e.temporary({1, channels, rows, 1}, u16);
  call("dma.zero", {arg(counts)});
  for (int64_t start = 0; start < length; start += kPiece) {
    int64_t count = std::min(kPiece, length - start);
    Value piece = passing(src, start, count);
    compare(mine, isFloat ? keys(piece) : piece, myTie,
            tie ? passing(tie, start, count) : Value(), myPlace,
            passing(places, start, count), counts);
  }
  Value wide = e.temporary({1, channels, rows, 1}, u32);
  call("tiu.cast", {arg(wide), arg(counts)});
  Value result = scratch(e, {1, 1, 1, channels * rows}, u32);
  call("dma.store", {arg(slice(result, 0, {1, channels, rows, 1})), arg(wide)});
  return result;
}

static LogicalResult expandTopk(Expansion &e) {
  int64_t length = e.type("src").getW(), count = e.integer("K");
  constexpr int64_t kLongest = 16384; // commands grow with its square
  if (length > kLongest)
    return e.unsupported("a row of " + Twine(length) +
                         " elements is sorted by comparing all pairs, which "
                         "is made for at most " +
                         Twine(kLongest) +
                         "; take the topk of pieces, then that of their "
                         "results");
  Ranking ranking(e, length);
  Value ranks = ranking.slice(ranking.ranks(), 0, {1, 1, length, 1});
  auto scatter = [&](Value dst, Value values) {
    auto type = cast<TensorViewType>(dst.getType());
    ranking.call("dma.scatter_h",
                 {ranking.arg(ranking.slice(dst, 0, {1, 1, count, 1})),
                  ranking.arg(ranking.slice(values, 0, {1, 1, length, 1},
                                            type.getElementType())),
                  ranking.arg(ranks)});
  };
  scatter(e.tensor("dst"), e.tensor("src"));
  if (Value indices = e.tensor("dst_idx"))
    scatter(indices,
            e.tensor("src_idx") ? e.tensor("src_idx") : ranking.ramp(length));
  return success();
}

//===----------------------------------------------------------------------===//
// gather_line
//===----------------------------------------------------------------------===//

/// A piece of the list, less `start`: what lies before becomes huge.
static Value shiftedIndex(Parts &parts, int64_t first, int64_t count) {
  Expansion &e = parts.e;
  int64_t start = e.integer("start");
  Value list =
      parts.slice(e.tensor("index"), first, {1, 1, 1, count}, parts.s32);
  if (start == 0)
    return list;
  Value local = e.temporary({1, 1, 1, count}, parts.s32);
  parts.call("dma.load", {parts.arg(local), parts.arg(list)});
  parts.call("tiu.sub", {parts.arg(local), parts.arg(local), parts.arg(start)});
  Value shifted = scratch(e, {1, 1, 1, count}, parts.s32);
  parts.call("dma.store", {parts.arg(shifted), parts.arg(local)});
  return shifted;
}

/// Lines whose index is outside of the window stay: gather the others behind
/// each other, then scatter them to where they belong.
static void gatherSomeLines(Parts &parts, Value dst, Value param, Value index,
                            int64_t lines) {
  Expansion &e = parts.e;
  int64_t count = cast<TensorViewType>(index.getType()).getW();
  auto type = cast<TensorViewType>(dst.getType());
  Value ones = scratch(e, {1, 1, lines, 1}, parts.u8),
        isInside = scratch(e, {1, 1, 1, count}, parts.u8),
        wanted = scratch(e, {1, 1, 1, count}, parts.s32),
        places = scratch(e, {1, 1, 1, count}, parts.s32),
        taken = scratch(e, {1, 1, count, type.getW()}, type.getElementType());
  auto asRows = [&](Value list) {
    Type element = cast<TensorViewType>(list.getType()).getElementType();
    return parts.arg(
        parts.slice(list, 0, {1, 1, count, 1},
                    element == parts.s32 ? Type(parts.u32) : element));
  };
  parts.call("dma.fill", {parts.arg(ones), parts.arg(int64_t(1))});
  parts.call("dma.gather_h", {asRows(isInside), parts.arg(ones), asRows(index),
                              parts.arg(int64_t(0))});
  parts.call("dma.fill", {parts.arg(wanted), parts.arg(int64_t(-1))});
  parts.call("dma.fill", {parts.arg(places), parts.arg(int64_t(-1))});
  selectMasked(e, wanted, index, isInside);
  parts.list(places, isInside, 0);
  parts.call("dma.gather_h", {parts.arg(taken), parts.arg(param),
                              asRows(wanted), parts.arg(int64_t(0))});
  parts.call("dma.scatter_h",
             {parts.arg(dst), parts.arg(taken), asRows(places)});
}

static LogicalResult expandGatherLine(Expansion &e) {
  Parts parts(e);
  catalog::Tensor dst = e.described("dst");
  int64_t width = dst.shape[3], all = dst.shape[2];
  int64_t lines = e.integer("end") - e.integer("start") + 1;
  // L2 holds the lines of a piece where some stay.
  int64_t lineBytes = width * catalog::bytesOf(dst.type);
  int64_t most = std::clamp<int64_t>((1 << 20) / (lineBytes + 16), 1, 16384);
  Value param = parts.slice(e.tensor("param"), 0, {1, 1, lines, width});
  for (int64_t first = 0; first < all; first += most) {
    int64_t count = std::min(most, all - first);
    Value index = shiftedIndex(parts, first, count);
    Value to =
        parts.slice(e.tensor("dst"), first * width, {1, 1, count, width});
    if (e.integer("fill_const"))
      parts.call("dma.gather_h",
                 {parts.arg(to), parts.arg(param),
                  parts.arg(parts.slice(index, 0, {1, 1, count, 1}, parts.u32)),
                  e.argument(e.real("C"))});
    else
      gatherSomeLines(parts, to, param, index, lines);
  }
  return success();
}

ArrayRef<ExpandRow> weft::ppl::hauExpansions() {
  static constexpr ExpandRow rows[] = {
      {"hau.topk", expandTopk},
      {"hau.gather_line", expandGatherLine},
  };
  return rows;
}
