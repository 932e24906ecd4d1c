//===- Layouts.cpp - layouts of L1 and the moves that make them -----------===//

#include "runtime/ascend/Layouts.h"

#include <algorithm>
#include <optional>

using namespace weft;
using namespace weft::ascend;
using rt::Result;
using rt::Status;

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

static int64_t roundedUp(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

static int64_t blocksOf(int64_t elements, int64_t elementBytes) {
  return (elements * elementBytes + kBlockBytes - 1) / kBlockBytes;
}

/// In doubles, which do not overflow.
static bool isTooMuch(std::initializer_list<int64_t> factors) {
  double product = 1;
  for (int64_t factor : factors)
    product *= double(factor);
  return product > double(kMostBytes);
}

static constexpr const char *kTooMuch =
    " more than 2^40 bytes; move a smaller piece";

static std::string outOfRange(std::initializer_list<int64_t> numbers) {
  for (int64_t number : numbers)
    if (number < 0 || number > kMostBytes)
      return "a number of the layout is " + std::to_string(number) +
             ", must be 0 to 2^40";
  return {};
}

std::string ascend::problemOf(const Matrices &source, int64_t reserved) {
  if (functionOf(source.elementBytes).empty())
    return problemOf(Nd2Nz{source.elementBytes});
  if (std::string text = outOfRange(
          {source.src, source.dst, source.count, source.rows, source.columns,
           source.rowStride, source.matrixStride, reserved});
      !text.empty())
    return text;
  // What is rounded up to 16 rows and 64 columns of 4 bytes at most.
  int64_t rows = std::max(source.rows, reserved) + 16,
          columns = std::max(source.columns, source.rowStride) + 64;
  if (isTooMuch({source.count, rows, columns, 4}) ||
      isTooMuch({source.count, source.matrixStride, 4}))
    return std::string("the matrices take") + kTooMuch;
  return {};
}

/// With the strides that 0 stands for.
static Matrices completed(Matrices source) {
  if (source.rowStride == 0)
    source.rowStride = source.columns;
  if (source.matrixStride == 0)
    source.matrixStride = source.rows * source.rowStride;
  return source;
}

BlockedCopy ascend::ndToNz(const Matrices &given, int64_t reserved) {
  Matrices source = completed(given);
  if (reserved == 0)
    reserved = roundedUp(source.rows, 16);
  int64_t blocks = blocksOf(source.columns, source.elementBytes);
  BlockedCopy copy;
  copy.elementBytes = source.elementBytes;
  copy.src = source.src;
  copy.dst = source.dst;
  copy.axes = {{source.count, source.matrixStride, blocks * reserved},
               {source.rows, source.rowStride, 1}};
  copy.columns = source.columns;
  copy.columnStride = reserved;
  return copy;
}

std::vector<BlockedCopy> ascend::ndToZz(const Matrices &given) {
  Matrices source = completed(given);
  int64_t bandBlocks =
              16 * blocksOf(roundedUp(source.columns, 16), source.elementBytes),
          bands = source.rows / 16, rest = source.rows % 16;
  BlockedCopy copy;
  copy.elementBytes = source.elementBytes;
  copy.src = source.src;
  copy.dst = source.dst;
  copy.columns = source.columns;
  copy.columnStride = 16;
  Axis matrices = {source.count, source.matrixStride,
                   (bands + (rest > 0)) * bandBlocks};
  std::vector<BlockedCopy> copies;
  if (bands > 0) {
    copy.axes = {matrices,
                 {bands, 16 * source.rowStride, bandBlocks},
                 {16, source.rowStride, 1}};
    copies.push_back(copy);
  }
  if (rest > 0) {
    copy.axes = {matrices, {rest, source.rowStride, 1}};
    copy.src += bands * 16 * source.rowStride * source.elementBytes;
    copy.dst += bands * bandBlocks * kBlockBytes;
    copies.push_back(copy);
  }
  return copies;
}

Box ascend::wholeOf(const Images &images) {
  return {0, 0, 0, 0, images.n, images.h, images.w, images.c};
}

std::string ascend::problemOf(const Images &images, const Box &box,
                              int64_t reserved) {
  if (functionOf(images.elementBytes).empty())
    return problemOf(Nd2Nz{images.elementBytes});
  if (std::string text =
          outOfRange({images.src, images.dst, images.n, images.h, images.w,
                      images.c, box.n, box.h, box.w, box.c, box.images,
                      box.rows, box.columns, box.channels, reserved});
      !text.empty())
    return text;
  const int64_t sizes[] = {images.n, images.h, images.w, images.c},
                ends[] = {box.n + box.images, box.h + box.rows,
                          box.w + box.columns, box.c + box.channels};
  for (int axis = 0; axis < 4; ++axis)
    if (ends[axis] > sizes[axis])
      return std::string("on axis ") + "nhwc"[axis] + " the box ends at " +
             std::to_string(ends[axis]) + ", the images at " +
             std::to_string(sizes[axis]);
  if (isTooMuch({std::max(images.n, reserved) + 16,
                 std::max<int64_t>(images.h, 1), std::max<int64_t>(images.w, 1),
                 images.c + 64, 4}))
    return std::string("the images take") + kTooMuch;
  return {};
}

/// What both layouts of images share: the box in GM.
static BlockedCopy copyOf(const Images &images, const Box &box) {
  BlockedCopy copy;
  copy.elementBytes = images.elementBytes;
  copy.src =
      images.src +
      (((box.n * images.h + box.h) * images.w + box.w) * images.c + box.c) *
          images.elementBytes;
  copy.dst = images.dst;
  copy.axes = {{box.images, images.h * images.w * images.c, 0},
               {box.rows, images.w * images.c, 0},
               {box.columns, images.c, 0}};
  copy.columns = box.channels;
  return copy;
}

BlockedCopy ascend::nhwcToNc1hwc0(const Images &images, const Box &box) {
  BlockedCopy copy = copyOf(images, box);
  copy.columnStride = box.rows * box.columns;
  copy.axes[0].dstStride =
      blocksOf(box.channels, images.elementBytes) * copy.columnStride;
  copy.axes[1].dstStride = box.columns;
  copy.axes[2].dstStride = 1;
  return copy;
}

BlockedCopy ascend::nhwcToC1hwnc0(const Images &images, const Box &box,
                                  int64_t reserved) {
  if (reserved == 0)
    reserved = box.images;
  BlockedCopy copy = copyOf(images, box);
  copy.axes[0].dstStride = 1;
  copy.axes[1].dstStride = box.columns * reserved;
  copy.axes[2].dstStride = reserved;
  copy.columnStride = box.rows * box.columns * reserved;
  return copy;
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

/// Makes one axis of neighbours that continue each other in both memories,
/// innermost first, until `least` are left.
static std::vector<Axis> fused(const std::vector<Axis> &all, size_t least) {
  std::vector<Axis> axes;
  for (const Axis &axis : all)
    if (axis.count != 1)
      axes.push_back(axis);
  for (size_t i = axes.size(); axes.size() > least && i-- > 1;) {
    Axis &outer = axes[i - 1], inner = axes[i];
    if (outer.srcStride != inner.count * inner.srcStride ||
        outer.dstStride != inner.count * inner.dstStride)
      continue;
    outer = {outer.count * inner.count, inner.srcStride, inner.dstStride};
    axes.erase(axes.begin() + int64_t(i));
  }
  return axes;
}

/// A move over some axes, -1 for none; the others are loops around it.
static Nd2Nz moveOver(const BlockedCopy &copy, const std::vector<Axis> &axes,
                      int matrices, int rows) {
  Nd2Nz move;
  move.elementBytes = copy.elementBytes;
  move.src = copy.src;
  move.dst = copy.dst;
  move.dValue = copy.columns;
  move.dstNzC0Stride = copy.columnStride;
  move.nValue = 1;
  move.srcDValue = move.dstNzNStride = 1;
  if (rows >= 0) {
    move.nValue = axes[size_t(rows)].count;
    move.srcDValue = axes[size_t(rows)].srcStride;
    move.dstNzNStride = axes[size_t(rows)].dstStride;
  }
  if (matrices >= 0) {
    move.ndNum = axes[size_t(matrices)].count;
    move.srcNdMatrixStride = axes[size_t(matrices)].srcStride;
    move.dstNzMatrixStride =
        axes[size_t(matrices)].dstStride * move.blockElements();
  }
  return move;
}

/// The moves of one choice of axes: those of the inner move, once for each
/// index of the loops around it.
static std::vector<Nd2Nz> repeated(const BlockedCopy &copy,
                                   const std::vector<Axis> &axes, int matrices,
                                   int rows, const std::vector<Nd2Nz> &inner) {
  BlockedCopy loops; // one block an index
  loops.elementBytes = copy.elementBytes;
  loops.columns = 1;
  for (int a = 0; a < int(axes.size()); ++a)
    if (a != matrices && a != rows)
      loops.axes.push_back(axes[size_t(a)]);
  std::vector<Nd2Nz> moves;
  forEachBlock(loops, [&](int64_t from, int64_t to, int64_t) {
    for (Nd2Nz move : inner) {
      move.src += from;
      move.dst += to;
      moves.push_back(move);
    }
  });
  return moves;
}

/// Takes into the rows every axis over which they continue in both memories, as
/// groups of whole blocks do: one long run is read faster than many short ones.
/// The axis that is closest in L1 stays: it is the rows of every preset.
static BlockedCopy withLongRows(BlockedCopy copy) {
  int64_t c0 = kBlockBytes / copy.elementBytes;
  auto isClosest = [&](const Axis &axis) {
    for (const Axis &other : copy.axes)
      if (other.count > 1 && other.dstStride < axis.dstStride)
        return false;
    return true;
  };
  for (size_t i = copy.axes.size(); i-- > 0 && copy.columns % c0 == 0;) {
    const Axis axis = copy.axes[i];
    int64_t blocks = copy.columns / c0;
    if (axis.count == 1 || axis.srcStride != copy.columns || isClosest(axis) ||
        copy.columns * axis.count > INT32_MAX ||
        (blocks > 1 && axis.dstStride != blocks * copy.columnStride))
      continue;
    if (blocks == 1)
      copy.columnStride = axis.dstStride;
    copy.columns *= axis.count;
    copy.axes.erase(copy.axes.begin() + int64_t(i));
    i = copy.axes.size(); // what is longer may go on over another axis
  }
  return copy;
}

namespace {
/// Which axes the moves step over, and the moves for index 0 of the others.
struct Choice {
  std::vector<Axis> axes;
  int matrices = -1, rows = -1;
  std::vector<Nd2Nz> inner;
  int64_t moves = 0;
};
} // namespace

/// The choice for these axes with the fewest moves, if it has fewer than
/// `best`. Rows are the inner axis where that costs nothing, as in the
/// document's presets.
static Status chooseAxes(const BlockedCopy &copy, std::vector<Axis> axes,
                         std::optional<Choice> &best) {
  Status problem;
  int count = int(axes.size());
  for (int rows = count - 1; rows >= (count == 0 ? -1 : 0); --rows)
    for (int matrices = count - 1; matrices >= -1; --matrices) {
      if (matrices == rows && rows >= 0)
        continue;
      Result<std::vector<Nd2Nz>> inner =
          split(moveOver(copy, axes, matrices, rows));
      if (!inner) {
        problem = inner.status();
        continue;
      }
      int64_t moves = int64_t(inner->size());
      for (int a = 0; a < count; ++a)
        if (a != matrices && a != rows)
          moves *= axes[size_t(a)].count;
      if (!best || moves < best->moves)
        best = Choice{axes, matrices, rows, std::move(*inner), moves};
    }
  return problem;
}

/// What keeps the sums of `plan` within 64 bits.
static std::string rangeProblem(const BlockedCopy &copy) {
  if (functionOf(copy.elementBytes).empty())
    return problemOf(Nd2Nz{copy.elementBytes});
  if (std::string text =
          outOfRange({copy.src, copy.dst, copy.columns, copy.columnStride});
      !text.empty())
    return text;
  double rows = 1, read = double(copy.columns),
         written = read * double(copy.columnStride) * kBlockBytes;
  for (const Axis &axis : copy.axes) {
    if (std::string text =
            outOfRange({axis.count, axis.srcStride, axis.dstStride});
        !text.empty())
      return text;
    rows *= double(axis.count);
    read += double(axis.count) * double(axis.srcStride);
    written += double(axis.count) * double(axis.dstStride) * kBlockBytes;
  }
  double most = double(kMostBytes);
  if (rows > most || read * double(copy.elementBytes) > most || written > most)
    return std::string("the layout takes") + kTooMuch;
  return {};
}

Result<std::vector<Nd2Nz>> ascend::plan(const BlockedCopy &given) {
  if (std::string problem = rangeProblem(given); !problem.empty())
    return rt::fail(rt::Code::InvalidArgument, std::move(problem));
  for (const Axis &axis : given.axes)
    if (axis.count == 0)
      return std::vector<Nd2Nz>();
  BlockedCopy copy = withLongRows(given);
  // One long axis may have more rows than a move takes, two axes not.
  std::optional<Choice> best;
  Status problem = chooseAxes(copy, fused(copy.axes, 1), best);
  if (Status again = chooseAxes(copy, fused(copy.axes, 2), best); !again)
    problem = again;
  if (!best)
    return problem;
  if (best->moves > kMostMoves)
    return rt::fail(rt::Code::InvalidArgument,
                    "the layout takes " + std::to_string(best->moves) +
                        " moves, at most " + std::to_string(kMostMoves) +
                        " are planned; move a smaller piece");
  return repeated(copy, best->axes, best->matrices, best->rows, best->inner);
}
