//===- Reduce.cpp - recipes of the Reduce family --------------------------===//

#include "dialects/tpu/Reduce.h"

#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/recipe/AxisReduction.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;
using catalog::DataType;

bool ReduceOp::readsStrided(unsigned) { return true; }

InputNeed ReduceOp::inputNeed(unsigned, const Box &result) {
  return {withWholeAxis(result, getInput(), getAxis()), {}};
}

bool ArgReduceOp::isPackedOperand(unsigned operand) { return operand == 1; }

InputNeed ArgReduceOp::inputNeed(unsigned, const Box &result) {
  Box box = withWholeAxis(result, getInput(), getAxis());
  return {getOverLanes() ? withWholeAxis(box, getInput(), kAxisC) : box, {}};
}

Box CumulativeOp::computedBox(const Box &wanted) {
  return withWholeAxis(wanted, getInput(), getAxis());
}

bool CumulativeOp::readsStrided(unsigned) { return true; }

static void buildReduce(Operation *operation, RecipeBuilder &r) {
  auto op = llvm::cast<ReduceOp>(operation);
  Tile input = r.operand(0), half = addHalf(r, input, op.getAxis());
  combineAxis(r, op.getKind(), r.result(), input, half, op.getAxis());
}

ArrayRef<Alternative> ReduceOp::recipes() {
  static const Alternative list[] = {{"tree", buildReduce}};
  return list;
}

InputNeed ChannelSumOp::inputNeed(unsigned, const Box &result) {
  return {withWholeAxis(result, getInput(), kAxisC), {}};
}

/// A convolution whose weights are the number 1; one for each term.
static void buildChannelSum(Operation *operation, RecipeBuilder &r) {
  auto op = llvm::cast<ChannelSumOp>(operation);
  Tile input = r.operand(0);
  auto addUp = [&](const Tile &terms, bool adds) {
    int64_t ones[] = {1, 1}, none[] = {0, 0, 0, 0};
    r.call("tiu.fconv", {{"dst", r.result()},
                         {"src", terms},
                         {"weight", 1.0},
                         {"bias", 0.0},
                         {"has_bias", false},
                         {"oc", int64_t(1)},
                         {"k_shape", ArrayRef<int64_t>(ones)},
                         {"stride", ArrayRef<int64_t>(ones)},
                         {"dilation", ArrayRef<int64_t>(ones)},
                         {"pad", ArrayRef<int64_t>(none)},
                         {"result_add", adds}});
  };
  if (!op.getTerms())
    return addUp(input, false);
  Tile terms = r.scratch("terms", input.shape, DataType::Bf16);
  r.cast(terms, input);
  addUp(terms, false);
  if (*op.getTerms() == 1)
    return;
  Tile wide = r.scratch("wide", input.shape, DataType::Fp32),
       rest = r.apart("rest", wide);
  r.cast(wide, terms);
  r.binary("tiu.fsub", rest, input, wide);
  r.cast(terms, rest);
  addUp(terms, true);
}

ArrayRef<Alternative> ChannelSumOp::recipes() {
  static const Alternative list[] = {{"convolution", buildChannelSum}};
  return list;
}

/// How much more the codes of each channel are than those of the operand where
/// a line lies over the lanes, in the type of `input`.
static Tile addFirstCodes(RecipeBuilder &r, const Tile &input, bool isLast) {
  int64_t channels = input.shape[kAxisC], piece = input.shape[kAxisW];
  bool isFloat = catalog::isFloat(input.type);
  return r.perChannel(
      "first codes", {1, channels, 1, 1}, input.type, LocalLayout::Compact,
      [=] {
        SmallVector<float> reals;
        SmallVector<int32_t> integers;
        for (int64_t c = 0; c < channels; ++c) {
          integers.push_back(int32_t(isLast ? c : channels - 1 - c) * piece);
          reals.push_back(float(integers.back()));
        }
        return isFloat ? bytesOf<float>(reals) : bytesOf<int32_t>(integers);
      });
}

/// Finds the extreme, marks its places with their codes, takes the largest
/// code.
static void buildArgReduce(Operation *operation, RecipeBuilder &r) {
  auto op = llvm::cast<ArgReduceOp>(operation);
  unsigned axis = op.getAxis();
  Tile input = r.operand(0), result = r.result();
  bool isFloat = catalog::isFloat(input.type);
  Tile codes = r.rowForEach(
      r.table("codes", dimsOf(op.getCodes()), input.type, r.weight(1)),
      input.shape[kAxisC]);
  Dims places = input.shape; // one number a channel
  places[axis] = 1;
  Tile hits = r.scratch("hits", input.shape, input.type),
       extreme = r.scratch("extreme", places, input.type);
  LineReduction reduction(r, input, axis, op.getOverLanes());
  reduction.combine(op.getKind(), extreme, input);
  // Equality is one of bits, and two zeros are equal: the other places are
  // those that the extreme is beyond. They lose more than any code.
  bool isMax = op.getKind() == ReduceKind::Max;
  r.binary("tiu.gt", hits, isMax ? extreme : input, isMax ? input : extreme,
           Given{"true_val", int64_t(1) << 24});
  r.binary(isFloat ? "tiu.fsub" : "tiu.sub", hits, codes, hits);
  reduction.combineInLanes(ReduceKind::Max, extreme, hits);
  int64_t size = input.shape[axis];
  if (op.getOverLanes()) {
    // Where a channel has a place, more of those before it or behind it.
    Tile first = addFirstCodes(r, input, op.getLast()),
         found = r.scratch("found", places, input.type),
         more = r.scratch("more", places, input.type),
         whole = r.scratch("code", result.shape, input.type);
    auto number = [&](int value) {
      return isFloat ? RecipeArgument(double(value)) : RecipeArgument(value);
    };
    r.binary(isFloat ? "tiu.fmax" : "tiu.max", more, extreme, number(0));
    r.binary(isFloat ? "tiu.fmin" : "tiu.min", found, more, number(1));
    combine(r, ReduceKind::Prod, more, found, first);
    combine(r, ReduceKind::Sum, found, extreme, more);
    reduction.combineLanes(ReduceKind::Max, whole, found);
    extreme = whole;
    size *= input.shape[kAxisC];
  }
  int64_t first = op.getLast() ? 1 : size;
  RecipeArgument code = extreme, count = isFloat
                                             ? RecipeArgument(asFloat(first))
                                             : RecipeArgument(first);
  if (!op.getLast())
    std::swap(code, count);
  if (!isFloat)
    return r.binary("tiu.sub", result, code, count);
  r.binary("tiu.fsub", extreme, code, count);
  r.cast(result, extreme);
}

ArrayRef<Alternative> ArgReduceOp::recipes() {
  static const Alternative list[] = {{"tree", buildArgReduce}};
  return list;
}

/// One step: target[i] = source[i] <kind> source[i - distance]; the first
/// `distance` elements stay. With distance 0 the elements move one place up and
/// the first becomes the neutral one.
static void buildStep(CumulativeOp op, RecipeBuilder &r, const Tile &target,
                      const Tile &source, int64_t distance) {
  unsigned axis = op.getAxis();
  bool reverse = op.getReverse();
  bool shifts = distance == 0;
  int64_t reach = shifts ? 1 : distance, count = source.shape[axis] - reach;
  // Walking up or down: where the results and what lies before them start.
  int64_t to = reverse ? 0 : reach, from = reverse ? reach : 0,
          border = reverse ? count : 0;
  if (count > 0) {
    Tile place = r.part(target, axis, to, count),
         before = r.part(source, axis, from, count);
    if (shifts)
      r.copy(place, before);
    else
      combine(r, op.getKind(), place, r.part(source, axis, to, count), before);
  }
  Tile edge = r.part(target, axis, border, reach);
  int64_t neutral = op.getKind() == ReduceKind::Prod;
  if (!shifts)
    r.copy(edge, r.part(source, axis, border, reach));
  else
    r.copy(edge, neutral);
}

static void buildCumulative(Operation *operation, RecipeBuilder &r) {
  auto op = llvm::cast<CumulativeOp>(operation);
  Tile source = r.operand(0), result = r.result();
  SmallVector<int64_t> distances;
  if (op.getExclusive())
    distances.push_back(0);
  for (int64_t distance = 1; distance < source.shape[op.getAxis()];
       distance *= 2)
    distances.push_back(distance);
  // Two places take turns so that the last step fills the result. Strides
  // count elements, in 16 bits: narrow ones take room as if they were wide.
  Tile other = r.as(r.scratch("turn", result.shape, DataType::Fp32),
                    result.type, result.shape);
  if (distances.empty())
    r.copy(result, source);
  for (auto [i, distance] : llvm::enumerate(distances)) {
    Tile target = (distances.size() - i) % 2 ? result : other;
    buildStep(op, r, target, source, distance);
    source = target;
  }
}

ArrayRef<Alternative> CumulativeOp::recipes() {
  static const Alternative list[] = {{"doubling", buildCumulative}};
  return list;
}
