//===- Split.cpp - moves in pieces and together ---------------------------===//

#include "runtime/ascend/Move.h"

#include <algorithm>

using namespace weft;
using namespace weft::ascend;
using rt::Code;
using rt::Result;
using rt::Status;

//===----------------------------------------------------------------------===//
// Apart
//===----------------------------------------------------------------------===//

static int64_t mostOf(int64_t Nd2Nz::*parameter) {
  for (const Parameter &row : parameters())
    if (row.value == parameter)
      return row.high;
  return 0;
}

static bool exceeds(const Nd2Nz &move, int64_t Nd2Nz::*parameter) {
  return move.*parameter > mostOf(parameter);
}

/// Matrices i to i + count of the move; those of one lose their strides.
static Nd2Nz matricesOf(const Nd2Nz &move, int64_t i, int64_t count) {
  Nd2Nz part = move;
  part.src = move.sourceOf(i, 0, 0);
  part.dst = move.placeOf(i, 0, 0);
  part.ndNum = count;
  return normalized(part);
}

/// Rows j to j + count of every matrix.
static Nd2Nz rowsOf(const Nd2Nz &move, int64_t j, int64_t count) {
  Nd2Nz part = move;
  part.src = move.sourceOf(0, j, 0);
  part.dst = move.placeOf(0, j, 0);
  part.nValue = count;
  if (count == 1)
    part.srcDValue = part.dstNzNStride = 1;
  return part;
}

/// Blocks k to k + count of every row, as far as the row goes.
static Nd2Nz columnsOf(const Nd2Nz &move, int64_t k, int64_t count) {
  Nd2Nz part = move;
  part.src = move.sourceOf(0, 0, k);
  part.dst = move.placeOf(0, 0, k);
  part.dValue = std::min(count * move.blockElements(),
                         move.dValue - k * move.blockElements());
  if (count == 1)
    part.dstNzC0Stride = 1;
  return part;
}

/// Appends the legal moves of a wish. False if they are too many.
static bool splitInto(const Nd2Nz &wish, std::vector<Nd2Nz> &moves) {
  /// Cuts `total` into pieces of at most `most`.
  auto cut = [&](int64_t total, int64_t most, auto part) {
    for (int64_t at = 0; at < total; at += most) {
      if (int64_t(moves.size()) >= kMostMoves ||
          !splitInto(part(wish, at, std::min(most, total - at)), moves))
        return false;
    }
    return true;
  };
  if (wish.ndNum > 1 && (exceeds(wish, &Nd2Nz::srcNdMatrixStride) ||
                         exceeds(wish, &Nd2Nz::dstNzMatrixStride)))
    return cut(wish.ndNum, 1, matricesOf);
  if (exceeds(wish, &Nd2Nz::ndNum))
    return cut(wish.ndNum, mostOf(&Nd2Nz::ndNum), matricesOf);
  if (wish.nValue > 1 &&
      (exceeds(wish, &Nd2Nz::srcDValue) || exceeds(wish, &Nd2Nz::dstNzNStride)))
    return cut(wish.nValue, 1, rowsOf);
  if (exceeds(wish, &Nd2Nz::nValue))
    return cut(wish.nValue, mostOf(&Nd2Nz::nValue), rowsOf);
  if (wish.rowBlocks() > 1 && exceeds(wish, &Nd2Nz::dstNzC0Stride))
    return cut(wish.rowBlocks(), 1, columnsOf);
  if (exceeds(wish, &Nd2Nz::dValue))
    return cut(wish.rowBlocks(), mostOf(&Nd2Nz::dValue) / wish.blockElements(),
               columnsOf);
  moves.push_back(wish);
  return true;
}

/// Parameters of one matrix, row or block mean nothing but must be legal.
static Nd2Nz withoutIdleStrides(Nd2Nz move) {
  if (move.nValue == 1)
    move.srcDValue = move.dstNzNStride = 1;
  if (move.rowBlocks() == 1)
    move.dstNzC0Stride = 1;
  return normalized(move);
}

Result<std::vector<Nd2Nz>> ascend::split(const Nd2Nz &wish) {
  auto refuse = [](std::string problem) {
    return rt::fail(Code::InvalidArgument, std::move(problem));
  };
  if (functionOf(wish.elementBytes).empty())
    return refuse(problemOf(wish));
  if (wish.isEmpty())
    return std::vector<Nd2Nz>();
  // Numbers below 2^31 keep every product of two of them in 64 bits.
  for (const Parameter &parameter : parameters())
    if (int64_t value = wish.*parameter.value;
        value < parameter.low || value > INT32_MAX)
      return refuse(std::string(parameter.name) + " is " +
                    std::to_string(value) + ", must be in [" +
                    std::to_string(parameter.low) + ", 2147483647]");
  // No cut mends these: pieces start where the move's own rows do.
  Nd2Nz start = wish;
  start.ndNum = start.nValue = start.dValue = 1;
  start.srcDValue = start.dstNzC0Stride = start.dstNzNStride = 1;
  if (std::string problem = problemOf(normalized(start)); !problem.empty())
    return refuse(std::move(problem));
  std::vector<Nd2Nz> moves;
  if (!splitInto(withoutIdleStrides(wish), moves))
    return refuse("the layout takes more than " + std::to_string(kMostMoves) +
                  " moves; move a smaller piece");
  for (const Nd2Nz &move : moves)
    if (std::string problem = problemOf(move); !problem.empty())
      return refuse(std::move(problem));
  return moves;
}

//===----------------------------------------------------------------------===//
// Together
//===----------------------------------------------------------------------===//

Nd2Nz ascend::normalized(Nd2Nz move) {
  if (move.ndNum == 1)
    move.srcNdMatrixStride = move.dstNzMatrixStride = 0;
  return move;
}

/// The same parameters but those of the axis that is merged.
static bool agree(const Nd2Nz &first, const Nd2Nz &second,
                  std::initializer_list<int64_t Nd2Nz::*> free) {
  Nd2Nz other = second;
  for (int64_t Nd2Nz::*parameter : free)
    other.*parameter = first.*parameter;
  other.dst = first.dst;
  other.src = first.src;
  return first == other;
}

/// The step from `first` to `second` in `unit` bytes as a stride of an axis on
/// which they have `counts` entries; nullopt if it is another one than theirs.
static std::optional<int64_t>
strideBetween(int64_t bytes, int64_t unit, int64_t firstCount,
              int64_t firstStride, int64_t secondCount, int64_t secondStride) {
  if (bytes < 0 || bytes % (firstCount * unit) != 0)
    return std::nullopt;
  int64_t stride = bytes / (firstCount * unit);
  if ((firstCount > 1 && stride != firstStride) ||
      (secondCount > 1 && stride != secondStride))
    return std::nullopt;
  return stride;
}

/// The parameters of an axis.
struct Axis {
  int64_t Nd2Nz::*count, Nd2Nz::*srcStride, Nd2Nz::*dstStride;
};

/// `b` behind `a` on an axis; its stride at dst counts `dstUnit` bytes.
static std::optional<Nd2Nz> moreOf(Axis axis, int64_t dstUnit, const Nd2Nz &a,
                                   const Nd2Nz &b) {
  if (!agree(a, b, {axis.count, axis.srcStride, axis.dstStride}))
    return std::nullopt;
  auto stride = [&](int64_t bytes, int64_t unit, int64_t Nd2Nz::*parameter) {
    return strideBetween(bytes, unit, a.*axis.count, a.*parameter,
                         b.*axis.count, b.*parameter);
  };
  auto src = stride(b.src - a.src, a.elementBytes, axis.srcStride),
       dst = stride(b.dst - a.dst, dstUnit, axis.dstStride);
  if (!src || !dst)
    return std::nullopt;
  Nd2Nz both = a;
  both.*axis.count += b.*axis.count;
  both.*axis.srcStride = *src;
  both.*axis.dstStride = *dst;
  return both;
}

static std::optional<Nd2Nz> moreMatrices(const Nd2Nz &a, const Nd2Nz &b) {
  return moreOf(
      {&Nd2Nz::ndNum, &Nd2Nz::srcNdMatrixStride, &Nd2Nz::dstNzMatrixStride},
      a.elementBytes, a, b);
}

static std::optional<Nd2Nz> moreRows(const Nd2Nz &a, const Nd2Nz &b) {
  return moreOf({&Nd2Nz::nValue, &Nd2Nz::srcDValue, &Nd2Nz::dstNzNStride},
                kBlockBytes, a, b);
}

static std::optional<Nd2Nz> moreBlocks(const Nd2Nz &a, const Nd2Nz &b) {
  // The rows of `a` must end with a whole block, where those of `b` go on.
  if (!agree(a, b, {&Nd2Nz::dValue, &Nd2Nz::dstNzC0Stride}) ||
      a.dValue % a.blockElements() != 0 ||
      b.src - a.src != a.dValue * a.elementBytes)
    return std::nullopt;
  auto dst = strideBetween(b.dst - a.dst, kBlockBytes, a.rowBlocks(),
                           a.dstNzC0Stride, b.rowBlocks(), b.dstNzC0Stride);
  if (!dst)
    return std::nullopt;
  Nd2Nz both = a;
  both.dValue += b.dValue;
  both.dstNzC0Stride = *dst;
  return both;
}

std::optional<Nd2Nz> ascend::merged(const Nd2Nz &first, const Nd2Nz &second) {
  if (first.isEmpty() || second.isEmpty() ||
      functionOf(first.elementBytes).empty())
    return std::nullopt;
  // Strides over nothing must not keep moves apart.
  Nd2Nz a = withoutIdleStrides(first), b = withoutIdleStrides(second);
  for (auto merge : {moreBlocks, moreRows, moreMatrices})
    if (std::optional<Nd2Nz> both = merge(a, b);
        both && problemOf(*both).empty())
      return both;
  return std::nullopt;
}

std::vector<Nd2Nz> ascend::merged(const std::vector<Nd2Nz> &moves) {
  std::vector<Nd2Nz> result;
  for (const Nd2Nz &move : moves) {
    result.push_back(move);
    // What has grown may fit to what stands before it.
    while (result.size() > 1) {
      auto both = merged(result[result.size() - 2], result.back());
      if (!both)
        break;
      result.pop_back();
      result.back() = *both;
    }
  }
  return result;
}
