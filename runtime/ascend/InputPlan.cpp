//===- InputPlan.cpp - inputs of layers, tile by tile ---------------------===//

#include "runtime/ascend/InputPlan.h"

#include <algorithm>
#include <functional>

using namespace weft;
using namespace weft::ascend;
using rt::Code;
using rt::Result;
using rt::Status;

using Sizes = std::vector<int64_t>;

static int64_t dividedUp(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit;
}
static int64_t roundedUp(int64_t value, int64_t unit) {
  return dividedUp(value, unit) * unit;
}

std::string_view ascend::spelling(Layout layout) {
  switch (layout) {
  case Layout::Nc1hwc0:
    return "NC1HWC0";
  case Layout::FractalZ:
    return "FRACTAL_Z";
  case Layout::Nz:
    return "NZ";
  case Layout::Zz:
    return "ZZ";
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

int64_t Tile::readBytes() const {
  int64_t bytes = 0;
  for (const Nd2Nz &move : moves)
    bytes += move.readBytes();
  return bytes;
}

int64_t Tile::cycles(const CubeMemory &memory) const {
  int64_t cycles = clears ? clearCycles(bytes, memory) : 0;
  for (const Nd2Nz &move : moves)
    cycles += costOf(move, memory).cycles;
  return cycles;
}

int64_t InputPlan::readBytes() const {
  int64_t bytes = 0;
  for (const Tile &tile : tiles)
    bytes += tile.readBytes();
  return bytes;
}

int64_t InputPlan::moveCount() const {
  int64_t count = 0;
  for (const Tile &tile : tiles)
    count += int64_t(tile.moves.size());
  return count;
}

int64_t InputPlan::cycles(const CubeMemory &memory) const {
  int64_t cycles = 0;
  for (const Tile &tile : tiles)
    cycles += tile.cycles(memory);
  return cycles;
}

//===----------------------------------------------------------------------===//
// Tiling
//===----------------------------------------------------------------------===//

/// Both inputs of a layer are in L1, each in two buffers: one is filled while
/// the matrix unit reads the other.
static int64_t bufferBytes(const CubeMemory &memory) {
  return (memory.l1Bytes - memory.reservedL1Bytes) / 4 / kBlockBytes *
         kBlockBytes;
}

namespace {
/// An axis that may be cut into pieces of a multiple of `unit`.
struct Cut {
  size_t axis;
  int64_t unit = 1;
};
} // namespace

/// The largest pieces that fit into `most` bytes: the axes of `cuts` are made
/// smaller in turn, each only as far as it must, then the pieces of an axis are
/// made equal. False if the smallest pieces do not fit.
static bool fit(const Sizes &totals, const std::vector<Cut> &cuts,
                const std::function<int64_t(const Sizes &)> &bytesOf,
                int64_t most, Sizes &sizes) {
  for (const Cut &cut : cuts) {
    if (bytesOf(sizes) <= most)
      break;
    int64_t &size = sizes[cut.axis];
    int64_t low = 1, high = dividedUp(size, cut.unit); // units, bisected
    while (low < high) {
      int64_t middle = (low + high + 1) / 2;
      size = middle * cut.unit;
      (bytesOf(sizes) <= most ? low : high) =
          bytesOf(sizes) <= most ? middle : middle - 1;
    }
    int64_t total = totals[cut.axis];
    size = std::min(low * cut.unit, total);
    size = roundedUp(dividedUp(total, dividedUp(total, size)), cut.unit);
    size = std::min(size, total);
  }
  return bytesOf(sizes) <= most;
}

/// Calls visit(origin, sizes) for every piece, the last axis fastest. Stops
/// when it fails.
static Status
forEachPiece(const Sizes &totals, const Sizes &sizes,
             const std::function<Status(const Sizes &, const Sizes &)> &visit) {
  Sizes origin(totals.size());
  while (true) {
    Sizes piece(totals.size());
    for (size_t a = 0; a < totals.size(); ++a)
      piece[a] = std::min(sizes[a], totals[a] - origin[a]);
    WEFT_TRY(visit(origin, piece));
    size_t axis = totals.size();
    while (axis > 0 &&
           (origin[axis - 1] += sizes[axis - 1]) >= totals[axis - 1])
      origin[--axis] = 0;
    if (axis == 0)
      return Status::ok();
  }
}

static Status doesNotFit(std::string_view what, int64_t most) {
  return rt::fail(Code::Unsupported,
                  "unsupported: the smallest piece of the " +
                      std::string(what) + " takes more than the " +
                      std::to_string(most) + " bytes of a buffer in L1");
}

namespace {
/// Takes the tiles of an input in turn.
struct TileSink {
  InputPlan &plan;
  int64_t firstAddress, buffer; ///< the input's two buffers in L1
  int64_t moves = 0;

  /// Gives a tile its buffer and its moves.
  Status add(Tile tile);
};
} // namespace

Status TileSink::add(Tile tile) {
  tile.address = firstAddress + int64_t(plan.tiles.size() % 2) * buffer;
  for (BlockedCopy &copy : tile.copies) {
    copy.dst += tile.address;
    Result<std::vector<Nd2Nz>> some = ascend::plan(copy);
    if (!some)
      return some.status().withContext("unsupported");
    tile.moves.insert(tile.moves.end(), some->begin(), some->end());
  }
  tile.moves = merged(tile.moves);
  moves += int64_t(tile.moves.size());
  plan.tiles.push_back(std::move(tile));
  if (moves > kMostMoves)
    return rt::fail(Code::Unsupported,
                    "unsupported: the input takes more than " +
                        std::to_string(kMostMoves) + " moves");
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {

/// Plans the inputs of one convolution.
struct ConvPlanner {
  ConvPlanner(const ConvShape &shape, int64_t elementBytes,
              const CubeMemory &memory)
      : shape(shape), es(elementBytes), buffer(bufferBytes(memory)),
        c0(kBlockBytes / elementBytes), groupC(shape.c / shape.group),
        groupM(shape.m / shape.group) {}

  Status planFeatureMap(int64_t mostChannels, InputPlan &plan);
  Status planFilter(InputPlan &plan);
  int64_t filterChannels = 0; ///< of a piece of the filter

private:
  /// Input elements of axis `s` that `count` outputs from `first` on need.
  std::pair<int64_t, int64_t> window(int s, int64_t first, int64_t count) const;
  Tile featureTile(const Sizes &origin, const Sizes &piece) const;
  Tile filterTile(const Sizes &origin, const Sizes &piece) const;

  const ConvShape &shape;
  int64_t es, buffer, c0, groupC, groupM;
};

} // namespace

std::pair<int64_t, int64_t> ConvPlanner::window(int s, int64_t first,
                                                int64_t count) const {
  int64_t start = first * shape.strides[s] - shape.padsBegin[s];
  int64_t end = start + (count - 1) * shape.strides[s] +
                (shape.kernel[s] - 1) * shape.dilations[s] + 1;
  start = std::clamp<int64_t>(start, 0, shape.in[s]);
  return {start, std::clamp<int64_t>(end, start, shape.in[s])};
}

/// The piece is in outputs: g, n, od, oh, ow, c.
Tile ConvPlanner::featureTile(const Sizes &origin, const Sizes &piece) const {
  Tile tile;
  tile.origin = origin;
  tile.sizes = piece;
  for (int s = 0; s < 3; ++s) {
    auto [start, end] = window(s, origin[2 + s], piece[2 + s]);
    tile.origin[2 + s] = start;
    tile.sizes[2 + s] = end - start;
  }
  const Sizes &at = tile.origin, &size = tile.sizes;
  int64_t c1 = dividedUp(size[5], c0), plane = size[3] * size[4];
  int64_t w = shape.c, h = shape.in[2] * w, d = shape.in[1] * h,
          n = shape.in[0] * d;
  BlockedCopy copy;
  copy.elementBytes = es;
  copy.src =
      (at[0] * groupC + at[1] * n + at[2] * d + at[3] * h + at[4] * w + at[5]) *
      es;
  copy.axes = {{size[0], groupC, size[1] * size[2] * c1 * plane},
               {size[1], n, size[2] * c1 * plane},
               {size[2], d, c1 * plane},
               {size[3], h, size[4]},
               {size[4], w, 1}};
  copy.columns = size[5];
  copy.columnStride = plane;
  tile.bytes = size[0] * size[1] * size[2] * c1 * plane * kBlockBytes;
  tile.copies = {copy};
  return tile;
}

Status ConvPlanner::planFeatureMap(int64_t mostChannels, InputPlan &plan) {
  plan.layout = Layout::Nc1hwc0;
  plan.elementBytes = es;
  plan.axes = {"g", "n", "d", "h", "w", "c"};
  plan.sizes = {shape.group, shape.n,     shape.in[0],
                shape.in[1], shape.in[2], groupC};
  Sizes totals = {shape.group,  shape.n,      shape.out[0],
                  shape.out[1], shape.out[2], groupC};
  Sizes sizes = totals;
  sizes[5] = mostChannels;
  auto bytesOf = [&](const Sizes &piece) {
    int64_t bytes = piece[0] * piece[1] * dividedUp(piece[5], c0) * kBlockBytes;
    for (int s = 0; s < 3; ++s)
      bytes *= std::min(shape.in[s],
                        (piece[2 + s] - 1) * shape.strides[s] +
                            (shape.kernel[s] - 1) * shape.dilations[s] + 1);
    return bytes;
  };
  // Images, then groups, then output rows: the order in which neighbours share
  // least.
  if (!fit(totals, {{1}, {0}, {2}, {3}, {4}, {5, c0}}, bytesOf, buffer, sizes))
    return doesNotFit("feature map", buffer);
  TileSink sink{plan, 0, buffer};
  return forEachPiece(totals, sizes,
                      [&](const Sizes &origin, const Sizes &piece) {
                        Tile tile = featureTile(origin, piece);
                        if (tile.bytes == 0) // only padding
                          return Status::ok();
                        return sink.add(std::move(tile));
                      });
}

/// The piece is g, d, m, h, w, c.
Tile ConvPlanner::filterTile(const Sizes &origin, const Sizes &piece) const {
  Tile tile;
  tile.origin = origin;
  tile.sizes = piece;
  int64_t reserved = roundedUp(piece[2], 16), c1 = dividedUp(piece[5], c0),
          plane = piece[3] * piece[4] * reserved;
  int64_t w = groupC, h = shape.kernel[2] * w, d = shape.kernel[1] * h,
          m = shape.kernel[0] * d;
  BlockedCopy copy;
  copy.elementBytes = es;
  copy.src = ((origin[0] * groupM + origin[2]) * m + origin[1] * d +
              origin[3] * h + origin[4] * w + origin[5]) *
             es;
  copy.axes = {{piece[0], groupM * m, piece[1] * c1 * plane},
               {piece[1], d, c1 * plane},
               {piece[2], m, 1},
               {piece[3], h, piece[4] * reserved},
               {piece[4], w, reserved}};
  copy.columns = piece[5];
  copy.columnStride = plane;
  tile.bytes = piece[0] * piece[1] * c1 * plane * kBlockBytes;
  tile.clears = reserved != piece[2];
  tile.copies = {copy};
  return tile;
}

Status ConvPlanner::planFilter(InputPlan &plan) {
  plan.layout = Layout::FractalZ;
  plan.elementBytes = es;
  plan.axes = {"g", "d", "m", "h", "w", "c"};
  plan.sizes = {shape.group,     shape.kernel[0], groupM,
                shape.kernel[1], shape.kernel[2], groupC};
  Sizes sizes = plan.sizes;
  auto bytesOf = [&](const Sizes &piece) {
    return piece[0] * piece[1] * roundedUp(piece[2], 16) * piece[3] * piece[4] *
           dividedUp(piece[5], c0) * kBlockBytes;
  };
  // Groups, then output channels, then the sum over channels and the window.
  if (!fit(plan.sizes, {{0}, {2, 16}, {5, c0}, {1}, {3}, {4}}, bytesOf, buffer,
           sizes))
    return doesNotFit("filter", buffer);
  filterChannels = sizes[5];
  TileSink sink{plan, 2 * buffer, buffer};
  return forEachPiece(plan.sizes, sizes,
                      [&](const Sizes &origin, const Sizes &piece) {
                        return sink.add(filterTile(origin, piece));
                      });
}

/// Bytes of an array; 0 if they are more than a memory holds.
static int64_t arrayBytes(std::initializer_list<int64_t> sizes) {
  int64_t bytes = 1;
  for (int64_t size : sizes) {
    if (size < 1 || size > kMostBytes / bytes)
      return 0;
    bytes *= size;
  }
  return bytes;
}

static Status tooLarge() {
  return rt::fail(Code::Unsupported,
                  "unsupported: an input is empty or has more than 2^40 bytes");
}

static Result<InputPlans> planGroups(const ConvShape &shape,
                                     int64_t elementBytes,
                                     const CubeMemory &memory) {
  InputPlans plans;
  plans.first.sourceBytes = arrayBytes(
      {shape.n, shape.in[0], shape.in[1], shape.in[2], shape.c, elementBytes});
  plans.second.sourceBytes =
      arrayBytes({shape.m, shape.kernel[0], shape.kernel[1], shape.kernel[2],
                  shape.c / shape.group, elementBytes});
  if (plans.first.sourceBytes == 0 || plans.second.sourceBytes == 0)
    return tooLarge();
  ConvPlanner planner(shape, elementBytes, memory);
  WEFT_TRY(planner.planFilter(plans.second));
  WEFT_TRY(planner.planFeatureMap(planner.filterChannels, plans.first));
  return plans;
}

/// The most groups that together have no more channels than a block, and divide
/// all groups.
static int64_t groupsOfABlock(const ConvShape &shape, int64_t elementBytes) {
  int64_t joined = kBlockBytes / elementBytes / (shape.c / shape.group);
  while (joined > 1 && shape.group % joined != 0)
    --joined;
  return std::max<int64_t>(joined, 1);
}

Result<InputPlans> ascend::planConv(const ConvShape &shape,
                                    int64_t elementBytes,
                                    const CubeMemory &memory, Groups groups) {
  Result<InputPlans> separate = planGroups(shape, elementBytes, memory);
  int64_t count =
      groups == Groups::Joined ? groupsOfABlock(shape, elementBytes) : 1;
  if (count == 1)
    return separate;
  ConvShape together = shape;
  together.group /= count;
  Result<InputPlans> joined = planGroups(together, elementBytes, memory);
  if (!joined ||
      (separate && separate->cycles(memory) <= joined->cycles(memory)))
    return separate;
  joined->joinedGroups = count;
  return joined;
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

namespace {

/// Plans one factor: [batch][rows][columns], of which one axis is summed over.
struct FactorPlanner {
  int64_t es, buffer, firstAddress;
  Sizes totals; ///< batch, rows, columns
  bool sumsRows;
  Layout layout;

  /// Rows that a piece takes in L1. The transposing load of a right factor of 8
  /// bits works on squares of 32.
  int64_t reservedRows(int64_t rows) const {
    return roundedUp(rows, sumsRows && es == 1 ? 32 : 16);
  }
  int64_t bytesOf(const Sizes &piece) const {
    int64_t columns = layout == Layout::Zz ? roundedUp(piece[2], 16) : piece[2];
    return piece[0] * reservedRows(piece[1]) *
           dividedUp(columns * es, kBlockBytes) * kBlockBytes;
  }
  /// As `fit`.
  bool makeFit(const std::vector<Cut> &cuts, Sizes &sizes) const {
    return fit(
        totals, cuts, [&](const Sizes &s) { return bytesOf(s); }, buffer,
        sizes);
  }
  Tile tileOf(const Sizes &origin, const Sizes &piece) const;
  Status planInto(const Sizes &sizes, InputPlan &plan) const;
};

} // namespace

Tile FactorPlanner::tileOf(const Sizes &origin, const Sizes &piece) const {
  Matrices source;
  source.elementBytes = es;
  source.src =
      ((origin[0] * totals[1] + origin[1]) * totals[2] + origin[2]) * es;
  source.count = piece[0];
  source.rows = piece[1];
  source.columns = piece[2];
  source.rowStride = totals[2];
  source.matrixStride = totals[1] * totals[2];
  Tile tile;
  tile.origin = origin;
  tile.sizes = piece;
  tile.bytes = bytesOf(piece);
  tile.clears = sumsRows && reservedRows(piece[1]) != piece[1];
  if (layout == Layout::Zz)
    tile.copies = ndToZz(source);
  else
    tile.copies = {ndToNz(source, reservedRows(piece[1]))};
  return tile;
}

Status FactorPlanner::planInto(const Sizes &sizes, InputPlan &plan) const {
  plan.layout = layout;
  plan.elementBytes = es;
  plan.sizes = totals;
  TileSink sink{plan, firstAddress, buffer};
  return forEachPiece(totals, sizes,
                      [&](const Sizes &origin, const Sizes &piece) {
                        return sink.add(tileOf(origin, piece));
                      });
}

Result<InputPlans> ascend::planMatMul(const MatMulShape &shape,
                                      int64_t elementBytes,
                                      const CubeMemory &memory) {
  int64_t es = elementBytes, buffer = bufferBytes(memory);
  // Wide elements are joined from two fractals by the transposing load, which
  // wants bands of 16 rows.
  Layout right = es == 4 ? Layout::Zz : Layout::Nz;
  FactorPlanner lhs{es,    buffer,    0, {shape.lhsBatch, shape.m, shape.k},
                    false, Layout::Nz},
      rhs{es,   buffer, 2 * buffer, {shape.rhsBatch, shape.k, shape.n},
          true, right};
  InputPlans plans;
  plans.first.axes = {"b", "m", "k"};
  plans.second.axes = {"b", "k", "n"};
  plans.first.sourceBytes = arrayBytes({shape.lhsBatch, shape.m, shape.k, es});
  plans.second.sourceBytes = arrayBytes({shape.rhsBatch, shape.k, shape.n, es});
  if (plans.first.sourceBytes == 0 || plans.second.sourceBytes == 0)
    return tooLarge();
  // The sum is cut where 128 rows or columns of the result would not fit else;
  // both factors are cut alike.
  int64_t unit = es == 1 ? 32 : 16;
  Sizes left = {1, std::min<int64_t>(shape.m, 128), shape.k};
  lhs.makeFit({{2, unit}}, left);
  Sizes below = {1, left[2], std::min<int64_t>(shape.n, 128)};
  rhs.makeFit({{1, unit}}, below);
  left = {shape.lhsBatch, shape.m, below[1]};
  below = {shape.rhsBatch, below[1], shape.n};
  bool fits =
      lhs.makeFit({{0}, {1, 16}}, left) && rhs.makeFit({{0}, {2, unit}}, below);
  if (!fits)
    return doesNotFit("factors", buffer);
  WEFT_TRY(lhs.planInto(left, plans.first));
  WEFT_TRY(rhs.planInto(below, plans.second));
  return plans;
}
