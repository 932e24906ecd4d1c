//===- Hau.cpp - functions of ppl::hau as commands -----------------------===//
//
// A bmodel holds commands of the TIU and the GDMA engine only, so what the
// sorting engine does is made of theirs.

#include "runtime/ppl/commands/DmaParts.h"

#include <algorithm>

using namespace weft;
using namespace weft::commands;

/// Elements `start` and on of a tensor without gaps in system memory, as this
/// shape and type.
static Operand slice(const Expansion &e, const Operand &tensor, int64_t start,
                     const Dims &shape, DataType type) {
  Dims dense = {shape[1] * shape[2] * shape[3], shape[2] * shape[3], shape[3],
                1};
  return Expansion::as(
      e.part(tensor, {}, shape, dense, start * catalog::bytesOf(tensor.type)),
      type);
}
static Operand slice(const Expansion &e, const Operand &tensor, int64_t start,
                     const Dims &shape) {
  return slice(e, tensor, start, shape, tensor.type);
}

/// 0, 1, .. in L2: the engine lists the elements of a tensor of ones.
static Operand ramp(Expansion &e, int64_t count) {
  Operand ones = e.systemTemporary({1, 1, 1, count}, DataType::Uint8),
          numbers = e.systemTemporary({1, 1, 1, count}, DataType::Int32);
  e.function("dma.fill", {ones, int64_t(1)});
  listNonzero(e, numbers, ones, 0);
  return numbers;
}

//===----------------------------------------------------------------------===//
// topk
//===----------------------------------------------------------------------===//

namespace {
/// Ranks every element by comparing it with every other one: the element that
/// rank - 1 others precede goes to place rank - 1. Element i lies in lane i /
/// rows, row i % rows; the others pass by in pieces along w.
class Ranking {
public:
  Ranking(Expansion &e, int64_t length)
      : e(e), length(length), channels(std::min<int64_t>(length, e.chip.lanes)),
        rows((length + channels - 1) / channels) {}

  /// uint32 ranks in L2, element by element.
  Operand ranks();

private:
  /// Elements of the compared piece, and of a block of comparisons.
  static constexpr int64_t kPiece = 2048, kBlock = 8192;

  Operand own(const Operand &system);
  Operand passing(const Operand &system, int64_t start, int64_t count);
  Operand keys(const Operand &bits);
  void compare(const Operand &own, const Operand &passing,
               const Operand &ownTie, const Operand &passingTie,
               Operand ownPlace, const Operand &passingPlace,
               const Operand &ranks);
  void addUp(const Operand &counts, int64_t width, const Operand &ranks);
  Operand rowsOf(const Operand &tensor, int64_t first, int64_t count,
                 int64_t width);

  Expansion &e;
  int64_t length, channels, rows;
};
} // namespace

/// A tensor of the row, each element in its lane.
Operand Ranking::own(const Operand &system) {
  Operand all = e.temporary({1, channels, rows, 1}, system.type);
  int64_t full = length / rows, rest = length % rows;
  e.function("dma.zero", {all});
  auto load = [&](int64_t lane, int64_t lanes, int64_t count) {
    Operand to =
        e.part(all, {0, lane, 0, 0}, {1, lanes, count, 1}, all.strides);
    e.function("dma.load",
               {to, slice(e, system, lane * rows, {1, lanes, count, 1})});
  };
  load(0, full, rows);
  if (rest)
    load(full, 1, rest);
  return all;
}

/// A piece of the row, the same in every lane.
Operand Ranking::passing(const Operand &system, int64_t start, int64_t count) {
  Operand piece = e.temporary({1, channels, 1, count}, system.type);
  e.function("dma.load_broadcast",
             {piece, slice(e, system, start, {1, 1, 1, count})});
  return piece;
}

/// Integers in the order of fp32 numbers, subnormals and both zeros as 0.
Operand Ranking::keys(const Operand &bits) {
  auto words = [&] { return e.temporary(bits.shape, DataType::Int32); };
  Operand magnitude = words(), normal = words(), negative = words(),
          key = words();
  e.function("tiu.bitwise_and", {magnitude, bits, int64_t(0x7fffffff)});
  e.function("tiu.gt_select",
             {normal, magnitude, int64_t(0x7fffff), magnitude, int64_t(0)});
  e.function("tiu.sub", {negative, int64_t(0), normal});
  e.function("tiu.lt_select", {key, bits, int64_t(0), negative, normal});
  return key;
}

Operand Ranking::rowsOf(const Operand &tensor, int64_t first, int64_t count,
                        int64_t width) {
  return partOf(e, tensor, {0, 0, first, 0}, {1, channels, count, width});
}

/// Adds to `ranks` how many of the passing elements precede each own one.
/// Equal ones go by the tie-breaker if there is one, then by their place.
void Ranking::compare(const Operand &own, const Operand &passing,
                      const Operand &ownTie, const Operand &passingTie,
                      Operand ownPlace, const Operand &passingPlace,
                      const Operand &ranks) {
  int64_t width = passing.shape[3];
  int64_t most = std::max<int64_t>(1, kBlock / width);
  bool isDescending = e.integer("descended");
  for (int64_t first = 0; first < rows; first += most) {
    int64_t count = std::min(most, rows - first);
    auto block = [&] {
      return e.temporary({1, channels, count, width}, DataType::Uint16);
    };
    auto mine = [&](const Operand &tensor) {
      return rowsOf(tensor, first, count, 1);
    };
    auto test = [&](std::string_view name, const Operand &a, const Operand &b) {
      Operand result = block();
      e.function(name, {result, a, b, int64_t(1)});
      return result;
    };
    auto both = [&](std::string_view name, const Operand &a, const Operand &b) {
      e.function(name, {a, a, b});
    };
    Operand before = isDescending ? test("tiu.gt", passing, mine(own))
                                  : test("tiu.gt", mine(own), passing);
    Operand equal = test("tiu.eq", passing, mine(own));
    Operand earlier = test("tiu.gt", mine(ownPlace), passingPlace);
    if (ownTie) {
      Operand same = test("tiu.eq", passingTie, mine(ownTie));
      both("tiu.bitwise_and", earlier, same);
      both("tiu.bitwise_or", earlier, test("tiu.gt", mine(ownTie), passingTie));
    }
    both("tiu.bitwise_and", equal, earlier);
    both("tiu.bitwise_or", before, equal);
    addUp(before, width, mine(ranks));
  }
}

/// ranks += sum of counts along w, by halves.
void Ranking::addUp(const Operand &counts, int64_t width,
                    const Operand &ranks) {
  int64_t height = counts.shape[2];
  auto columns = [&](int64_t start, int64_t count) {
    return partOf(e, counts, {0, 0, 0, start}, {1, channels, height, count});
  };
  while (width > 1) {
    int64_t half = (width + 1) / 2;
    Operand low = columns(0, width - half);
    e.function("tiu.add", {low, low, columns(half, width - half)});
    width = half;
  }
  e.function("tiu.add", {ranks, ranks, columns(0, 1)});
}

Operand Ranking::ranks() {
  bool isFloat = catalog::isFloat(e.tensor("src").type);
  DataType compared = e.tensor("src").type;
  Operand src = slice(e, e.tensor("src"), 0, {1, 1, 1, length},
                      isFloat ? DataType::Int32 : compared);
  Operand tie = e.tensor("src_idx");
  if (tie) // compared as unsigned numbers
    tie = slice(e, tie, 0, {1, 1, 1, length}, DataType::Uint32);
  Operand places = ramp(e, length);
  Operand mine = own(src), myTie = tie ? own(tie) : Operand(),
          myPlace = own(places);
  if (isFloat)
    mine = keys(mine);
  Operand counts = e.temporary({1, channels, rows, 1}, DataType::Uint16);
  e.function("dma.zero", {counts});
  for (int64_t start = 0; start < length; start += kPiece) {
    int64_t count = std::min(kPiece, length - start);
    Operand piece = passing(src, start, count);
    compare(mine, isFloat ? keys(piece) : piece, myTie,
            tie ? passing(tie, start, count) : Operand(), myPlace,
            passing(places, start, count), counts);
  }
  Operand wide = e.temporary({1, channels, rows, 1}, DataType::Uint32);
  e.function("tiu.cast", {wide, counts});
  Operand result =
      e.systemTemporary({1, 1, 1, channels * rows}, DataType::Uint32);
  e.function("dma.store", {slice(e, result, 0, {1, channels, rows, 1}), wide});
  return result;
}

static Status expandTopk(Expansion &e) {
  int64_t length = e.tensor("src").shape[3], count = e.integer("K");
  constexpr int64_t kLongest = 16384; // commands grow with its square
  if (length > kLongest)
    return e.unsupported("a row of " + std::to_string(length) +
                         " elements is sorted by comparing all pairs, which "
                         "is made for at most " +
                         std::to_string(kLongest) +
                         "; take the topk of pieces, then that of their "
                         "results");
  Ranking ranking(e, length);
  Operand ranks = slice(e, ranking.ranks(), 0, {1, 1, length, 1});
  auto scatter = [&](const Operand &dst, const Operand &values) {
    e.function("dma.scatter_h",
               {slice(e, dst, 0, {1, 1, count, 1}),
                slice(e, values, 0, {1, 1, length, 1}, dst.type), ranks});
  };
  scatter(e.tensor("dst"), e.tensor("src"));
  if (const Operand &indices = e.tensor("dst_idx"))
    scatter(indices,
            e.tensor("src_idx") ? e.tensor("src_idx") : ramp(e, length));
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// gather_line
//===----------------------------------------------------------------------===//

/// A piece of the list, less `start`: what lies before becomes huge.
static Operand shiftedIndex(Expansion &e, int64_t first, int64_t count) {
  int64_t start = e.integer("start");
  Operand list =
      slice(e, e.tensor("index"), first, {1, 1, 1, count}, DataType::Int32);
  if (start == 0)
    return list;
  Operand local = e.temporary({1, 1, 1, count}, DataType::Int32);
  e.function("dma.load", {local, list});
  e.function("tiu.sub", {local, local, start});
  Operand shifted = e.systemTemporary({1, 1, 1, count}, DataType::Int32);
  e.function("dma.store", {shifted, local});
  return shifted;
}

/// Lines whose index is outside of the window stay: gather the others behind
/// each other, then scatter them to where they belong.
static void gatherSomeLines(Expansion &e, const Operand &dst,
                            const Operand &param, const Operand &index,
                            int64_t lines) {
  int64_t count = index.shape[3];
  Operand ones = e.systemTemporary({1, 1, lines, 1}, DataType::Uint8),
          isInside = e.systemTemporary({1, 1, 1, count}, DataType::Uint8),
          wanted = e.systemTemporary({1, 1, 1, count}, DataType::Int32),
          places = e.systemTemporary({1, 1, 1, count}, DataType::Int32),
          taken = e.systemTemporary({1, 1, count, dst.shape[3]}, dst.type);
  auto asRows = [&](const Operand &list) {
    return slice(e, list, 0, {1, 1, count, 1},
                 list.type == DataType::Int32 ? DataType::Uint32 : list.type);
  };
  e.function("dma.fill", {ones, int64_t(1)});
  e.function("dma.gather_h",
             {asRows(isInside), ones, asRows(index), int64_t(0)});
  e.function("dma.fill", {wanted, int64_t(-1)});
  e.function("dma.fill", {places, int64_t(-1)});
  selectMasked(e, wanted, index, isInside);
  listNonzero(e, places, isInside, 0);
  e.function("dma.gather_h", {taken, param, asRows(wanted), int64_t(0)});
  e.function("dma.scatter_h", {dst, taken, asRows(places)});
}

static Status expandGatherLine(Expansion &e) {
  Operand dst = e.tensor("dst");
  int64_t width = dst.shape[3], all = dst.shape[2];
  int64_t lines = e.integer("end") - e.integer("start") + 1;
  // L2 holds the lines of a piece where some stay.
  int64_t lineBytes = width * catalog::bytesOf(dst.type);
  int64_t most = std::clamp<int64_t>((1 << 20) / (lineBytes + 16), 1, 16384);
  Operand param = slice(e, e.tensor("param"), 0, {1, 1, lines, width});
  for (int64_t first = 0; first < all; first += most) {
    int64_t count = std::min(most, all - first);
    Operand index = shiftedIndex(e, first, count);
    Operand to = slice(e, e.tensor("dst"), first * width, {1, 1, count, width});
    if (e.integer("fill_const"))
      e.function("dma.gather_h",
                 {to, param,
                  slice(e, index, 0, {1, 1, count, 1}, DataType::Uint32),
                  e.real("C")});
    else
      gatherSomeLines(e, to, param, index, lines);
  }
  return Status::ok();
}

std::vector<ExpandRow> weft::commands::hauExpansions() {
  return {
      {"hau.topk", expandTopk},
      {"hau.gather_line", expandGatherLine},
  };
}
