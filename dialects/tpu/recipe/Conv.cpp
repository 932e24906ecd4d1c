//===- Conv.cpp - recipes of the Conv family ------------------------------===//

#include "dialects/tpu/Conv.h"

#include "dialects/tpu/Constant.h"
#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/ModuleChip.h"
#include "dialects/tpu/recipe/AxisReduction.h"
#include "dialects/tpu/recipe/Bounds.h"
#include "dialects/tpu/recipe/CubeFilter.h"
#include "dialects/tpu/recipe/Recipe.h"
#include "dialects/tpu/recipe/RowTiles.h"
#include "dialects/tpu/recipe/Window.h"
#include "runtime/ppl/Window.h"

#include <cstring>

using namespace mlir;
using namespace weft;
using namespace weft::tpu;
using catalog::DataType;

bool ConvOp::isPackedOperand(unsigned operand) { return operand > 0; }

namespace {
/// A recipe for filters that DRAM holds as the model does.
struct DenseRecipe {
  llvm::StringLiteral name;
  CubeWay way;
};
} // namespace

static constexpr int64_t kAllGroups = INT64_MAX;

// Commands for fewer groups read fewer channels, but each leaves lanes idle.
static constexpr DenseRecipe kDenseRecipes[] = {
    {"dense", {CubeWay::Dense, kAllGroups, false}},
    {"groups", {CubeWay::Dense, 1, false}},
    {"groups_2", {CubeWay::Dense, 2, false}},
    {"groups_4", {CubeWay::Dense, 4, false}},
    {"groups_8", {CubeWay::Dense, 8, false}},
    {"groups_16", {CubeWay::Dense, 16, false}},
    {"moved_groups", {CubeWay::Dense, 1, true}},
    {"moved_groups_2", {CubeWay::Dense, 2, true}},
    {"moved_groups_4", {CubeWay::Dense, 4, true}},
    {"moved_groups_8", {CubeWay::Dense, 8, true}},
    {"moved_groups_16", {CubeWay::Dense, 16, true}}};

/// The one that was chosen, or null.
static const DenseRecipe *denseRecipeOf(ConvOp op) {
  auto name = op->getAttrOfType<StringAttr>(kRecipeAttr);
  const DenseRecipe *found =
      llvm::find_if(kDenseRecipes, [&](const DenseRecipe &recipe) {
        return name && name.getValue() == recipe.name;
      });
  return found == std::end(kDenseRecipes) ? nullptr : found;
}

// The cube reads its input with explicit strides (isa CONV.opd0_str 3); the
// depthwise unit and copies between lanes have no strides.
bool ConvOp::readsStrided(unsigned operand) {
  const DenseRecipe *dense = denseRecipeOf(*this);
  return operand == 0 && !isDepthwise() && !(dense && dense->way.movesInput) &&
         tiledRowsOf(*this) == 1;
}

/// Whether commands are made for groups by the lanes that these lie in.
static bool takesGroupsApart(ConvOp op) {
  return op.getGroup() > 1 && denseRecipeOf(op);
}

bool ConvOp::differsByChannel() { return takesGroupsApart(*this); }

// The result lies in the lanes of its filters; the cube reads its input from
// lane 0 on.
bool ConvOp::runsInAnyLane() {
  return !takesGroupsApart(*this) && tiledRowsOf(*this) == 1;
}
bool ConvOp::readsFirstLane(unsigned operand) {
  return operand == 0 && !isDepthwise();
}

Box ConvOp::computedBox(const Box &wanted) {
  int64_t rows = tiledRowsOf(*this), height = dimsOf(getOutput())[kAxisH],
          end = std::min((wanted.end(kAxisH) + rows - 1) / rows * rows, height);
  Box box = wanted;
  box.offset[kAxisH] = wanted.offset[kAxisH] / rows * rows;
  box.size[kAxisH] = end - box.offset[kAxisH];
  return box;
}

InputNeed ConvOp::inputNeed(unsigned, const Box &result) {
  Dims input = dimsOf(getInput());
  Dims filter = dimsOf(getFilter());
  InputNeed need = windowNeed(input, dimsOf(getOutput()), result,
                              {filter[kAxisH], filter[kAxisW]}, getStrides(),
                              getDilations(), getPads());
  if (!isDepthwise()) { // every output channel reads all input channels
    need.box.offset[kAxisC] = 0;
    need.box.size[kAxisC] = input[kAxisC];
  }
  return need;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

namespace {
/// The filter as the unit reads it: of a depthwise one a window a channel,
/// compact.
struct Filter {
  Filter(ConvOp op, RecipeBuilder &r, CubeWay way) {
    if (!op.isDepthwise()) {
      cube.emplace(op, r, way);
      type = cube->type();
      addZeroPoints(op, r);
      return;
    }
    Dims dims = dimsOf(op.getFilter());
    type = machineTypeOf(elementOf(op.getFilter()));
    window = r.perChannel("filter",
                          {1, r.box.size[kAxisC], dims[kAxisH], dims[kAxisW]},
                          type, LocalLayout::Compact, r.weight(1));
  }

  void addZeroPoints(ConvOp op, RecipeBuilder &r) {
    if (!op.getFilterZeroPoints())
      return;
    ArrayRef<int32_t> all = *op.getFilterZeroPoints();
    zero = all.front();
    if (llvm::all_equal(all))
      return;
    zeros = r.perChannel("zero points", {1, r.box.size[kAxisC], 1, 1}, type,
                         LocalLayout::Compact, [op]() mutable {
                           ArrayRef<int32_t> all = *op.getFilterZeroPoints();
                           std::vector<int8_t> numbers(all.begin(), all.end());
                           return bytesOf<int8_t>(numbers);
                         });
  }

  /// What the cube takes away from each weight, one group's.
  RecipeArgument zeroPoint() const {
    return zeros ? RecipeArgument(zeros) : RecipeArgument(zero);
  }

  DataType type;
  Tile window; ///< depthwise
  std::optional<CubeFilter> cube;
  int64_t zero = 0; ///< of all channels
  Tile zeros;       ///< one a channel, where they differ
};
} // namespace

/// A row of `count` numbers for each output channel. Where rows have
/// to begin on EU rows and a lane has several, these are loaded without gaps.
static Tile addRows(ConvOp op, RecipeBuilder &r, StringRef name, int64_t count,
                    DataType type, ConstantBytes bytes) {
  Dims dims{1, r.box.size[kAxisC], 1, count};
  bool isAligned = count > 1,
       hasGaps =
           isAligned && dimsOf(op.getOutput())[kAxisC] > int64_t(r.chip.lanes);
  Tile rows = r.perChannel(name, dims, type,
                           isAligned && !hasGaps ? LocalLayout::Aligned
                                                 : LocalLayout::Compact,
                           std::move(bytes), hasGaps);
  return rows;
}

/// The rows as functions read them, each at the begin of an EU row. Called just
/// before they are read: nothing waits for their load before.
static Tile alignedRows(RecipeBuilder &r, const Tile &rows) {
  if (rows.layout == catalog::AlignMode::Aligned)
    return rows;
  Tile aligned = r.scratch("rows", rows.shape, rows.type);
  r.copy(aligned, rows);
  return aligned;
}

/// Bias as f32 or i32 per channel; zeros if the op has none.
static FailureOr<std::vector<char>> biasBytes(ConvOp op) {
  if (!op.getBias())
    return std::vector<char>(dimsOf(op.getOutput())[kAxisC] * 4, 0);
  return weightBytes(op, op.getBias());
}

static ConstantBytes biasOf(ConvOp op) {
  return [op] { return biasBytes(op); };
}

/// Rows of (multiplier, shift, zero point): rq1 per channel, shift negative =
/// right.
static ConstantBytes multiplierRows(ConvOp op) {
  return [op]() mutable {
    auto zeroPoint =
        static_cast<int32_t>(zeroPointOf(elementOf(op.getOutput())));
    std::vector<int32_t> rows;
    for (auto [multiplier, rshift] :
         llvm::zip(*op.getMultipliers(), *op.getRshifts()))
      rows.insert(rows.end(), {multiplier, -rshift, zeroPoint});
    return bytesOf<int32_t>(rows);
  };
}

/// Rows of (scale, offset): rq0 per channel.
static ConstantBytes scaleRows(ConvOp op) {
  return [op]() mutable -> FailureOr<std::vector<char>> {
    FailureOr<std::vector<char>> bias = biasBytes(op);
    if (failed(bias))
      return failure();
    std::vector<float> rows;
    for (auto [i, scale] : llvm::enumerate(*op.getScales())) {
      float offset;
      std::memcpy(&offset, bias->data() + i * 4, 4);
      rows.insert(rows.end(), {scale, offset});
    }
    return bytesOf<float>(rows);
  };
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// A call with the window of `op` in this piece.
static void callWindow(ConvOp op, RecipeBuilder &r, StringRef function,
                       ArrayRef<Given> arguments) {
  Dims filter = dimsOf(op.getFilter());
  Pads around = op.inputNeed(0, r.box).pads;
  int64_t kernel[] = {filter[kAxisH], filter[kAxisW]};
  int64_t pads[] = {around.top, around.bottom, around.left, around.right};
  SmallVector<Given, 10> all(arguments);
  all.append({{"k_shape", ArrayRef<int64_t>(kernel)},
              {"stride", op.getStrides()},
              {"dilation", op.getDilations()},
              {"pad", ArrayRef<int64_t>(pads)}});
  r.call(function, all);
}

static void relu(RecipeBuilder &r, const Tile &tile) {
  atLeast(r, tile, tile, 0.0);
}

/// fdw_conv adds a bias or 0.
static void depthwise(ConvOp op, RecipeBuilder &r, const Tile &dst,
                      const Tile &input, const Tile &filter, const Tile &bias) {
  callWindow(op, r, "tiu.fdw_conv",
             {{"output", dst},
              {"input", input},
              {"weight", filter},
              {"bias", bias ? RecipeArgument(bias) : RecipeArgument(0.0)}});
}

static void buildFloatConv(ConvOp op, RecipeBuilder &r, CubeWay way) {
  Tile result = r.result(), input = r.operand(0), bias;
  Filter filter(op, r, way);
  if (op.getBias())
    bias = addRows(op, r, "bias", 1, machineTypeOf(elementOf(op.getBias())),
                   r.weight(2));
  if (filter.cube) {
    filter.cube->forEachCommand(result, bias, [&](const CubeTiles &tiles) {
      callWindow(op, r, "tiu.fconv",
                 {{"dst", tiles.dst},
                  {"src", tiles.src},
                  {"weight", tiles.filter},
                  {"bias", tiles.bias},
                  {"has_bias", bool(tiles.bias)},
                  {"oc", tiles.dst.shape[kAxisC]}});
    });
    if (op.getRelu())
      relu(r, result);
    return;
  }
  if (filter.type == DataType::Fp32 || op.getNarrowSums()) {
    depthwise(op, r, result, input, filter.window, bias);
    if (op.getRelu())
      relu(r, result);
    return;
  }
  // The depthwise unit rounds every step in a 16-bit type; without narrow_sums
  // the op promises one rounding, so it runs in f32.
  Tile wideFilter = r.scratch("wide filter", filter.window.shape,
                              DataType::Fp32, LocalLayout::Compact),
       wideInput = r.scratch("wide input", input.shape, DataType::Fp32);
  bool narrow = catalog::bitsOf(result.type) == 16;
  Tile wide = narrow ? r.scratch("wide", result.shape, DataType::Fp32) : result;
  r.cast(wideFilter, filter.window);
  r.cast(wideInput, input);
  depthwise(op, r, wide, wideInput, wideFilter, bias);
  if (op.getRelu())
    relu(r, wide);
  if (narrow)
    r.cast(result, wide);
}

/// The exact 32-bit accumulator of an int8 convolution in `dst`. Only the
/// depthwise unit adds a bias.
static void accumulate(ConvOp op, RecipeBuilder &r, const Tile &dst,
                       Filter &filter, const Tile &bias = {}) {
  if (!filter.cube) {
    callWindow(op, r, "tiu.dw_conv",
               {{"dst", dst},
                {"src", r.operand(0)},
                {"weight", filter.window},
                {"bias", bias ? RecipeArgument(bias) : RecipeArgument(0)},
                {"pad_val", zeroPointOf(elementOf(op.getInput()))},
                {"round_mode", int64_t(numeric::Rounding::HalfUp)}});
    return;
  }
  filter.cube->forEachCommand(dst, {}, [&](const CubeTiles &tiles) {
    callWindow(op, r, "tiu.conv_asym",
               {{"dst", tiles.dst},
                {"src", tiles.src},
                {"weight", tiles.filter},
                {"pad_val", zeroPointOf(elementOf(op.getInput()))},
                {"kzp", filter.zeroPoint()},
                {"oc", tiles.dst.shape[kAxisC]}});
  });
}

/// By integer multipliers: a pass for the bias unless the unit adds it, one for
/// rq1.
static void buildByMultipliers(ConvOp op, RecipeBuilder &r, CubeWay way,
                               bool unitAddsBias) {
  Tile result = r.result(), bias;
  Filter filter(op, r, way);
  if (op.getBias())
    bias = addRows(op, r, "bias", 1, DataType::Int32, r.weight(2));
  Tile rows =
      addRows(op, r, "requantization", 3, DataType::Int32, multiplierRows(op));
  Tile sum = r.scratch("sum", result.shape, DataType::Int32);
  accumulate(op, r, sum, filter, unitAddsBias ? bias : Tile());
  Tile biased = sum;
  if (bias && !unitAddsBias) {
    biased = r.apart("biased", sum);
    r.binary("tiu.add", biased, sum, bias);
  }
  r.call("tiu.rq1", {{"dst", result},
                     {"src", biased},
                     {"quant", alignedRows(r, rows)},
                     {"round_mode", int64_t(op.getRounding())}});
}

/// By float scales: one pass for bias and scale.
static void buildByScales(ConvOp op, RecipeBuilder &r, CubeWay way) {
  Tile result = r.result();
  Filter filter(op, r, way);
  Tile rows =
      addRows(op, r, "requantization", 2, DataType::Fp32, scaleRows(op));
  Tile sum = r.scratch("sum", result.shape, DataType::Int32);
  accumulate(op, r, sum, filter);
  r.call("tiu.rq0",
         {{"dst", result}, {"src", sum}, {"quant", alignedRows(r, rows)}});
}

/// Rounded to 16 bits, which hold what the zero point then moves into 8.
static void buildRoundedFirst(ConvOp op, RecipeBuilder &r, CubeWay way) {
  Tile result = r.result();
  Filter filter(op, r, way);
  Tile bias = addRows(op, r, "bias", 1, DataType::Int32, r.weight(2));
  Tile rows =
      addRows(op, r, "requantization", 2, DataType::Fp32, [op]() mutable {
        std::vector<float> rows;
        ArrayRef<float> scales = *op.getScales();
        for (float scale : scales)
          rows.insert(rows.end(), {scale, 0.0f});
        return bytesOf<float>(rows);
      });
  Tile sum = r.scratch("sum", result.shape, DataType::Int32);
  accumulate(op, r, sum, filter);
  r.binary("tiu.add", sum, sum, bias);
  int64_t zeroPoint = zeroPointOf(elementOf(op.getOutput()));
  Tile code = zeroPoint == 0 ? result
                             : r.scratch("code", result.shape, DataType::Int16);
  r.call("tiu.rq0",
         {{"dst", code}, {"src", sum}, {"quant", alignedRows(r, rows)}});
  if (zeroPoint == 0)
    return;
  // A sum of signed numbers is signed; the cast saturates.
  Tile moved = catalog::isSigned(result.type) ? result : code;
  r.binary("tiu.add", moved, code, zeroPoint, {{"saturation", true}});
  if (moved.type != result.type)
    r.cast(result, moved);
}

/// Int8 in, float out.
static void buildDequantized(ConvOp op, RecipeBuilder &r, CubeWay way) {
  Tile result = r.result();
  Filter filter(op, r, way);
  Tile scale = addRows(op, r, "scale", 1, DataType::Fp32, [op]() mutable {
    return bytesOf<float>(*op.getScales());
  });
  Tile bias = addRows(op, r, "bias", 1, DataType::Fp32, biasOf(op));
  bool narrow = catalog::bitsOf(result.type) == 16;
  Tile wide = narrow ? r.scratch("wide", result.shape, DataType::Fp32) : result;
  Tile other = r.apart("sum", wide);
  Tile sum = r.as(op.getRelu() ? wide : other, DataType::Int32);
  Tile scaled = op.getRelu() ? other : wide;
  accumulate(op, r, sum, filter);
  r.cast(scaled, sum);
  r.call("tiu.fscale",
         {{"dst", scaled}, {"src", scaled}, {"scale", scale}, {"bias", bias}});
  if (op.getRelu())
    atLeast(r, wide, scaled, 0.0);
  if (narrow)
    r.cast(result, wide);
}

static void build(Operation *operation, RecipeBuilder &r, CubeWay way) {
  auto op = llvm::cast<ConvOp>(operation);
  if (!isQuantized(op.getInput()))
    buildFloatConv(op, r, way);
  else if (op.getMultipliers())
    buildByMultipliers(op, r, way, /*unitAddsBias=*/false);
  else if (op.isRoundedFirst())
    buildRoundedFirst(op, r, way);
  else if (isQuantized(op.getOutput()))
    buildByScales(op, r, way);
  else
    buildDequantized(op, r, way);
}

static void buildConv(Operation *operation, RecipeBuilder &r) {
  build(operation, r, CubeWay());
}

static bool unitCanAddBias(Operation *operation) {
  auto op = llvm::cast<ConvOp>(operation);
  return op.isDepthwise() && op.getMultipliers() && op.getBias();
}

static void buildWindowBias(Operation *operation, RecipeBuilder &r) {
  buildByMultipliers(llvm::cast<ConvOp>(operation), r, CubeWay(),
                     /*unitAddsBias=*/true);
}

/// Whether a filter in lane order is wider than the model's.
static bool isNarrow(Operation *operation) {
  auto op = llvm::cast<ConvOp>(operation);
  if (op.isDepthwise())
    return false;
  const Chip *chip = findChipOf(operation);
  unsigned pack = chip ? catalog::channelPack(
                             machineTypeOf(elementOf(op.getFilter())), *chip)
                       : 1;
  return op.getGroup() > 1 || dimsOf(op.getFilter())[kAxisC] % pack != 0;
}

template <size_t number>
static void buildDense(Operation *operation, RecipeBuilder &r) {
  build(operation, r, kDenseRecipes[number].way);
}

/// Whether the filters are narrower than in lane order or, of a recipe for some
/// groups, whether there are more.
template <size_t number>
static bool isDenseOpen(Operation *operation) {
  constexpr int64_t groups = kDenseRecipes[number].way.groups;
  auto op = llvm::cast<ConvOp>(operation);
  if (groups == kAllGroups)
    return isNarrow(operation);
  return !op.isDepthwise() && !op.getInterleaved() &&
         int64_t(op.getGroup()) > groups;
}

template <size_t number>
static void buildTiledRows(Operation *operation, RecipeBuilder &r) {
  buildRowTiles(llvm::cast<ConvOp>(operation), r, kRowTiles[number].rows);
}

template <size_t number>
static bool canTake(Operation *operation) {
  return canTileRows(llvm::cast<ConvOp>(operation), kRowTiles[number].rows);
}

template <size_t... tiles, size_t... numbers>
static auto listOfRecipes(std::index_sequence<tiles...>,
                          std::index_sequence<numbers...>) {
  return std::array<Alternative, 2 + sizeof...(tiles) + sizeof...(numbers)>{
      {{"window", buildConv},
       {"window_bias", buildWindowBias, unitCanAddBias},
       {kRowTiles[tiles].name, buildTiledRows<tiles>, canTake<tiles>,
        /*addsInAnotherOrder=*/true}...,
       {kDenseRecipes[numbers].name, buildDense<numbers>,
        isDenseOpen<numbers>}...}};
}

ArrayRef<Alternative> ConvOp::recipes() {
  static const auto list =
      listOfRecipes(std::make_index_sequence<std::size(kRowTiles)>(),
                    std::make_index_sequence<std::size(kDenseRecipes)>());
  return list;
}

//===----------------------------------------------------------------------===//
// Windows as channels
//===----------------------------------------------------------------------===//

// All channels: few of them would need the whole input as well.
Box UnfoldOp::computedBox(const Box &wanted) {
  return withWholeAxis(wanted, getOutput(), kAxisC);
}

InputNeed UnfoldOp::inputNeed(unsigned, const Box &result) {
  Dims input = dimsOf(getInput());
  InputNeed need = windowNeed(input, dimsOf(getOutput()), result, getKernel(),
                              getStrides(), getDilations(), getPads());
  need.box.size[kAxisC] = input[kAxisC];
  return need;
}

/// Channel c of `source` as the channels of `copies` from c * `count` on.
static void spreadChannels(RecipeBuilder &r, const Tile &copies,
                           const Tile &source, int64_t count) {
  int64_t lanes = r.chip.lanes;
  for (int64_t c = 0; c < source.shape[kAxisC]; ++c)
    for (int64_t begin = c * count, end; begin < (c + 1) * count; begin = end) {
      end = std::min((c + 1) * count, (begin / lanes + 1) * lanes);
      r.call("tiu.broadcast", {{"dst", r.channels(copies, begin, end - begin)},
                               {"src", r.channels(source, c, 1)}});
    }
}

/// For each channel the kernel that takes one element of the window.
template <typename Number>
static ConstantBytes oneHotKernels(int64_t channels, int64_t window,
                                   Number one) {
  return [=] {
    std::vector<Number> kernels(channels * window, 0);
    for (int64_t c = 0; c < channels; ++c)
      kernels[c * window + c % window] = one;
    return bytesOf<Number>(kernels);
  };
}

/// In the types of the depthwise unit.
static ConstantBytes oneHotKernels(DataType type, int64_t channels,
                                   int64_t window) {
  switch (catalog::bitsOf(type)) {
  case 32:
    return oneHotKernels<float>(channels, window, 1.0f);
  case 16:
    return oneHotKernels<uint16_t>(channels, window,
                                   type == DataType::Fp16 ? 0x3c00 : 0x3f80);
  default:
    return oneHotKernels<int8_t>(channels, window, 1);
  }
}

/// Every channel in as many lanes as the window has elements; there a depthwise
/// convolution takes one of them.
static void buildUnfold(Operation *operation, RecipeBuilder &r) {
  auto op = llvm::cast<UnfoldOp>(operation);
  Tile result = r.result(), source = r.operand(0);
  int64_t kernel[] = {op.getKernel()[0], op.getKernel()[1]},
          window = kernel[0] * kernel[1], channels = result.shape[kAxisC];
  Tile weight = r.perChannel("kernels", {1, channels, kernel[0], kernel[1]},
                             source.type, LocalLayout::Compact,
                             oneHotKernels(source.type, channels, window));
  Dims dims = source.shape;
  dims[kAxisC] = channels;
  Tile copies = r.scratch("copies", dims, source.type);
  // A command has one distance from image to image for all its lanes.
  int64_t images = channels > int64_t(r.chip.lanes) ? 1 : dims[kAxisN];
  for (int64_t n = 0; n < dims[kAxisN]; n += images)
    spreadChannels(r, r.part(copies, kAxisN, n, images),
                   r.part(source, kAxisN, n, images), window);
  Pads around = op.inputNeed(0, r.box).pads;
  int64_t pads[] = {around.top, around.bottom, around.left, around.right};
  bool isFloat = !isQuantized(op.getInput());
  SmallVector<Given, 8> arguments{{isFloat ? "output" : "dst", result},
                                  {isFloat ? "input" : "src", copies},
                                  {"weight", weight},
                                  {"k_shape", ArrayRef<int64_t>(kernel)},
                                  {"stride", op.getStrides()},
                                  {"dilation", op.getDilations()},
                                  {"pad", ArrayRef<int64_t>(pads)}};
  if (!isFloat)
    arguments.push_back({"pad_val", zeroPointOf(elementOf(op.getInput()))});
  r.call(isFloat ? "tiu.fdw_conv" : "tiu.dw_conv", arguments);
}

ArrayRef<Alternative> UnfoldOp::recipes() {
  static const Alternative list[] = {{"windows", buildUnfold}};
  return list;
}
