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
  return {withWholeAxis(result, getInput(), getAxis()), {}};
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
  Tile hits = r.scratch("hits", input.shape, input.type),
       half = addHalf(r, input, axis),
       extreme = r.scratch("extreme", result.shape, input.type);
  combineAxis(r, op.getKind(), extreme, input, half, axis);
  r.binary("tiu.eq", hits, input, extreme, Given{"true_val", 1});
  combine(r, ReduceKind::Prod, hits, hits, codes);
  combineAxis(r, ReduceKind::Max, extreme, hits, half, axis);
  int64_t size = input.shape[axis], first = op.getLast() ? 1 : size;
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
