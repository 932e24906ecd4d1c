//===- RowTiles.cpp - rows of a result from fewer products ----------------===//

#include "dialects/tpu/recipe/RowTiles.h"

#include "dialects/tpu/Constant.h"
#include "dialects/tpu/recipe/Bounds.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace weft;
using namespace weft::tpu;
using catalog::AlignMode;
using catalog::DataType;

// Points at +p and -p beside 0 and infinity. Of fractions with few digits these
// lose the least: on normal numbers 1.5 to 1.8 times the error of a sum in
// order with two pairs, less than it with one.
static constexpr double kOnePair[] = {1.0}, kTwoPairs[] = {0.75, 1.5};

static ArrayRef<double> pointsFor(int64_t products) {
  switch (products) {
  case 4:
    return kOnePair;
  case 6:
    return kTwoPairs;
  default:
    return {};
  }
}

static int64_t productsOf(ConvOp op, int64_t rows) {
  return rows + dimsOf(op.getFilter())[kAxisH] - 1;
}

bool weft::tpu::canTileRows(ConvOp op, int64_t rows) {
  bool isF32 =
      llvm::all_of(ValueRange{op.getInput(), op.getFilter(), op.getOutput()},
                   [](Value value) { return elementOf(value).isF32(); });
  return isF32 && !op.getExactSums() && !op.isDepthwise() &&
         op.getGroup() == 1 && op.getStrides()[0] == 1 &&
         op.getDilations()[0] == 1 && dimsOf(op.getFilter())[kAxisH] > 1 &&
         !pointsFor(productsOf(op, rows)).empty() &&
         op.getFilter().getDefiningOp<WeightOp>();
}

int64_t weft::tpu::tiledRowsOf(ConvOp op) {
  auto name = op->getAttrOfType<StringAttr>(kRecipeAttr);
  for (const RowTiles &tiles : kRowTiles)
    if (name && name.getValue() == tiles.name)
      return tiles.rows;
  return 1;
}

//===----------------------------------------------------------------------===//
// Values at points
//===----------------------------------------------------------------------===//

/// Coefficients, that of x^0 first.
using Polynomial = SmallVector<double, 8>;

/// `polynomial` * (x - root).
static Polynomial timesRoot(const Polynomial &polynomial, double root) {
  Polynomial product(polynomial.size() + 1, 0.0);
  for (auto [i, coefficient] : llvm::enumerate(polynomial)) {
    product[i + 1] += coefficient;
    product[i] -= coefficient * root;
  }
  return product;
}

std::vector<std::vector<double>>
weft::tpu::inputTransform(ArrayRef<double> points) {
  SmallVector<double, 8> roots{0.0};
  for (double point : points)
    roots.append({point, -point});
  std::vector<std::vector<double>> matrix;
  for (size_t k = 0; k <= roots.size(); ++k) { // the last at infinity
    Polynomial row{1.0};
    double scale = 1;
    for (auto [j, root] : llvm::enumerate(roots))
      if (j != k) {
        row = timesRoot(row, root);
        if (k < roots.size())
          scale *= roots[k] - root;
      }
    matrix.emplace_back();
    for (double coefficient : row)
      matrix.back().push_back(coefficient / scale);
  }
  return matrix;
}

//===----------------------------------------------------------------------===//
// The recipe
//===----------------------------------------------------------------------===//

namespace {
class RowTileBuilder {
public:
  RowTileBuilder(ConvOp op, RecipeBuilder &r, int64_t rows);
  void build();

private:
  void addConstants();
  void multiply(size_t k, const Tile &filter, const Tile &bias,
                const Tile &product);
  std::pair<Tile, Tile> filterAt(double point);
  void add(int64_t row, double factor, const Tile &part, bool isFirst);
  int64_t tilesWith(int64_t row) const;

  ConvOp op;
  RecipeBuilder &r;
  const int64_t rows; ///< of a tile
  const ArrayRef<double> points;
  const std::vector<std::vector<double>> transform;
  const Pads pads;
  Tile result, input, bias;
  int64_t tiles;                ///< along h, the last of which may be cut off
  int64_t rounds;               ///< of the input's channels over the lanes
  SmallVector<Tile, 8> filters; ///< a row of the window each
  Tile coefficients;            ///< of all `transform`, behind each other
  Tile value;                   ///< of the input, at one point
  Tile plus, spare, sum;        ///< products and their sums
  Tile even, odd, evaluated;    ///< of the filter
};
} // namespace

/// Row `row` of the window of each filter: (oc, ic, 1, kw).
static ConstantBytes filterRow(ConvOp op, int64_t row) {
  return [op, row]() mutable -> FailureOr<std::vector<char>> {
    FailureOr<WeightBytes> raw = weightView(op, op.getFilter());
    if (failed(raw))
      return failure();
    Dims filter = dimsOf(op.getFilter());
    int64_t bytes = filter[kAxisW] * int64_t(sizeof(float)),
            count = filter[kAxisN] * filter[kAxisC];
    std::vector<char> result(count * bytes);
    PagesBehind read(raw->bytes);
    for (int64_t i = 0; i < count; ++i) {
      int64_t from = (i * filter[kAxisH] + row) * bytes;
      read.reach(from);
      std::memcpy(result.data() + i * bytes, raw->bytes.data() + from, bytes);
    }
    return result;
  };
}

RowTileBuilder::RowTileBuilder(ConvOp op, RecipeBuilder &r, int64_t rows)
    : op(op), r(r), rows(rows), points(pointsFor(productsOf(op, rows))),
      transform(inputTransform(points)), pads(op.inputNeed(0, r.box).pads),
      result(r.result()), input(r.operand(0)),
      tiles(llvm::divideCeil(result.shape[kAxisH], rows)),
      rounds(llvm::divideCeil(input.shape[kAxisC], r.chip.lanes)) {
  assert(r.box.offset[kAxisH] % rows == 0 && "tiles lie where they always do");
  addConstants();
  auto tilesOf = [&](const Tile &like) {
    Dims dims = like.shape;
    dims[kAxisH] = tiles;
    return dims;
  };
  value = r.scratch("value", tilesOf(input), DataType::Fp32);
  plus = r.scratch("plus", tilesOf(result), DataType::Fp32);
  spare = r.scratch("spare", tilesOf(result), DataType::Fp32);
  sum = r.scratch("sum", tilesOf(result), DataType::Fp32);
  const Tile &filter = filters.front();
  even = r.scratch("even", filter.shape, filter.type, LocalLayout::Compact);
  odd = r.scratch("odd", filter.shape, filter.type, LocalLayout::Compact);
  evaluated =
      r.scratch("filter", filter.shape, filter.type, LocalLayout::Compact);
}

void RowTileBuilder::addConstants() {
  Dims filter = dimsOf(op.getFilter());
  Dims dims{1, r.box.size[kAxisC], filter[kAxisC], filter[kAxisW]};
  static constexpr StringLiteral kNames[] = {"filter row 0", "filter row 1",
                                             "filter row 2", "filter row 3",
                                             "filter row 4"};
  assert(filter[kAxisH] <= int64_t(std::size(kNames)) && "so many points");
  for (int64_t row = 0; row < filter[kAxisH]; ++row)
    filters.push_back(r.perChannel(kNames[row], dims, DataType::Fp32,
                                   LocalLayout::Compact, filterRow(op, row)));
  // The depthwise unit reads the kernels of each round of channels.
  std::vector<float> numbers;
  for (const std::vector<double> &row : transform)
    for (int64_t round = 0; round < rounds; ++round)
      numbers.insert(numbers.end(), row.begin(), row.end());
  auto count = static_cast<int64_t>(numbers.size());
  coefficients = r.table(
      "coefficients", count, DataType::Fp32,
      [numbers = std::move(numbers)] { return bytesOf<float>(numbers); });
  if (op.getBias())
    bias = r.numberPerChannel("bias", 2);
}

/// Tiles that have their row `row`: the last may not.
int64_t RowTileBuilder::tilesWith(int64_t row) const {
  return (result.shape[kAxisH] - row + rows - 1) / rows;
}

/// `product` = the input's value `k` in each tile times a filter of one row.
void RowTileBuilder::multiply(size_t k, const Tile &filter, const Tile &bias,
                              const Tile &product) {
  ArrayRef<double> row = transform[k];
  int64_t count = row.size(), channels = input.shape[kAxisC];
  // All rows before it have as many numbers as the first.
  int64_t at = int64_t(k * transform.front().size()) * rounds;
  Tile kernels = coefficients;
  kernels.byte += at * int64_t(sizeof(float));
  kernels.shape = {1, channels, count, 1};
  kernels.layout = AlignMode::Compact;
  kernels.strides = catalog::stridesOf(kernels.layout, kernels.type,
                                       kernels.shape, kernels.lane, r.chip);
  // Rows behind the input count as 0, whether the image ends there or not: no
  // row of the result in this piece depends on them.
  int64_t below = (tiles - 1) * rows + count - pads.top - input.shape[kAxisH];
  int64_t kernel[] = {count, 1}, stride[] = {rows, 1}, ones[] = {1, 1},
          around[] = {pads.top, std::max<int64_t>(below, 0), 0, 0};
  r.call("tiu.fdw_conv", {{"output", value},
                          {"input", input},
                          {"weight", kernels},
                          {"bias", 0.0},
                          {"k_shape", ArrayRef<int64_t>(kernel)},
                          {"stride", ArrayRef<int64_t>(stride)},
                          {"dilation", ArrayRef<int64_t>(ones)},
                          {"pad", ArrayRef<int64_t>(around)}});
  int64_t window[] = {1, dimsOf(op.getFilter())[kAxisW]},
          steps[] = {1, op.getStrides()[1]},
          dilations[] = {1, op.getDilations()[1]},
          sides[] = {0, 0, pads.left, pads.right};
  r.call("tiu.fconv", {{"dst", product},
                       {"src", value},
                       {"weight", filter},
                       {"bias", bias},
                       {"has_bias", bool(bias)},
                       {"oc", product.shape[kAxisC]},
                       {"k_shape", ArrayRef<int64_t>(window)},
                       {"stride", ArrayRef<int64_t>(steps)},
                       {"dilation", ArrayRef<int64_t>(dilations)},
                       {"pad", ArrayRef<int64_t>(sides)}});
}

/// The sums of the even and of the odd terms of the filters at `point`: their
/// sum is the value there, their difference that at -`point`.
std::pair<Tile, Tile> RowTileBuilder::filterAt(double point) {
  auto termsFrom = [&](size_t first, const Tile &dst) {
    auto term = [&](size_t row, const Tile &scaled) {
      double power = std::pow(point, double(row));
      if (power == 1)
        return filters[row];
      r.binary("tiu.fmul", scaled, filters[row], power);
      return scaled;
    };
    Tile sum = term(first, dst);
    for (size_t row = first + 2; row < filters.size(); row += 2) {
      r.binary("tiu.fadd", dst, sum, term(row, evaluated));
      sum = dst;
    }
    return sum;
  };
  return {termsFrom(0, even), termsFrom(1, odd)};
}

/// Adds `factor` * `part` to row `row` of all tiles, or puts it there if it
/// `isFirst`.
void RowTileBuilder::add(int64_t row, double factor, const Tile &part,
                         bool isFirst) {
  int64_t count = tilesWith(row);
  if (count <= 0)
    return;
  Tile to = r.part(result, kAxisH, row, count, rows),
       from = r.part(part, kAxisH, 0, count);
  if (isFirst) {
    if (factor == 1)
      return r.copy(to, from);
    return r.binary("tiu.fmul", to, from, factor);
  }
  if (factor != 1) {
    Tile scaled = r.part(spare, kAxisH, 0, count);
    r.binary("tiu.fmul", scaled, from, factor);
    from = scaled;
  }
  r.binary("tiu.fadd", to, to, from);
}

void RowTileBuilder::build() {
  size_t last = transform.size() - 1;
  for (auto [pair, point] : llvm::enumerate(points)) {
    auto [evens, odds] = filterAt(point);
    r.binary("tiu.fadd", evaluated, evens, odds);
    multiply(1 + 2 * pair, evaluated, {}, plus);
    r.binary("tiu.fsub", evaluated, evens, odds);
    multiply(2 + 2 * pair, evaluated, {}, spare);
    r.binary("tiu.fadd", sum, plus, spare);
    r.binary("tiu.fsub", plus, plus, spare);
    for (int64_t row = 0; row < rows; ++row)
      add(row, std::pow(point, double(row)), row % 2 ? plus : sum, pair == 0);
  }
  // The values at 0 and at infinity are of one row each, which brings its bias.
  multiply(0, filters.front(), bias, plus);
  add(0, 1, plus, /*isFirst=*/false);
  multiply(last, filters.back(), bias, plus);
  add(rows - 1, 1, plus, /*isFirst=*/false);
  for (int64_t row = 1; bias && row < rows - 1; ++row)
    if (int64_t count = tilesWith(row); count > 0) {
      Tile to = r.part(result, kAxisH, row, count, rows);
      r.binary("tiu.fadd", to, to, bias);
    }
  if (op.getRelu())
    atLeast(r, result, result, 0.0);
}

void weft::tpu::buildRowTiles(ConvOp op, RecipeBuilder &r, int64_t rows) {
  RowTileBuilder(op, r, rows).build();
}
