//===- MatMul.cpp - matrix products to tpu --------------------------------===//

#include "dialects/top/MatMul.h"

#include "dialects/top/Binary.h"
#include "dialects/top/Move.h"
#include "dialects/top/Unary.h"
#include "dialects/tpu/MatMul.h"
#include "passes/quantize/LineView.h"
#include "passes/quantize/Lowering.h"
#include "runtime/chips/Chip.h"
#include "runtime/numeric/MatrixTranspose.h"

#include <array>
#include <numeric>

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

/// Of the matrix, or of all matrices one below the other.
static int64_t rowsOf(Value lhs) {
  auto shape = cast<RankedTensorType>(lhs.getType()).getShape();
  return std::accumulate(shape.begin(), std::prev(shape.end()), int64_t(1),
                         std::multiplies<>());
}

/// Takes along the sum with a constant row that alone follows (the bias of a
/// fully connected layer).
static void takeBias(Product &product, Lowering &lowering) {
  if (!product.output.hasOneUse())
    return;
  auto sum = dyn_cast<top::BinaryOp>(*product.output.user_begin());
  if (!sum || sum.getKind() != top::BinaryKind::Add ||
      sum.getOutput().getType() != product.output.getType())
    return;
  std::optional<FloatConstant> bias = lowering.constantOf(
      sum.getLhs() == product.output ? sum.getRhs() : sum.getLhs());
  int64_t columns = product.filter.shape[0];
  if (!bias || static_cast<int64_t>(bias->values.size()) != columns ||
      bias->shape.empty() || bias->shape.back() != columns)
    return;
  product.bias = bias->values.vector();
  product.output = sum.getOutput();
  product.location =
      FusedLoc::get(sum.getContext(), {product.location, sum.getLoc()});
  lowering.markTaken(sum);
}

/// Whether `op`, which makes or reads the rows of a product, has them and their
/// images where they are: neither a border of the network, where they come from
/// and go to DRAM, nor a change of their order.
static bool keepsRows(Operation *op) {
  if (!op || llvm::isa<top::TransposeOp>(op) ||
      op->hasTrait<OpTrait::IsTerminator>())
    return false;
  if (!llvm::isa<top::ReshapeOp>(op))
    return true;
  auto leading = [](Value value) {
    auto shape = foldShape(cast<RankedTensorType>(value.getType()).getShape());
    return std::pair(shape[0], shape[1]);
  };
  return leading(op->getOperand(0)) == leading(op->getResult(0));
}

/// In how many images the rows of `product` stay: in those of its input, unless
/// lanes that each image leaves idle cost more than rows that are joined on
/// their way through DRAM.
static int64_t imagesOfRows(const Product &product, Lowering &lowering) {
  SmallVector<int64_t, 4> shape = lowering.shapeOf(product.input);
  const Chip &chip = lowering.chip();
  int64_t images = shape[0], rows = shape[1], inner = product.filter.shape[1],
          columns = product.filter.shape[0];
  // A matrix has its rows along n.
  if (shape[2] != 1 || images * rows != product.turnedRows)
    return 1;
  int64_t bytes = lowering.multipliesCodes ? 1 : 2, moved = 0;
  if (keepsRows(product.input.getDefiningOp()))
    moved += product.turnedRows * inner * bytes;
  if (llvm::any_of(product.output.getUsers(), keepsRows))
    moved += product.turnedRows * columns * bytes;
  int64_t lanes = chip.lanes;
  auto rounds = [&](int64_t rows) { return llvm::divideCeil(rows, lanes); };
  // Of MM2 for the rows that the lanes hold.
  int64_t round = llvm::divideCeil(columns, chip.rates.packedResults) *
                  llvm::divideCeil(inner * bytes, chip.euBytes);
  int64_t idle = (images * rounds(rows) - rounds(images * rows)) * round;
  return moved > 0 && idle <= roundTripCycles(moved, chip) ? images : 1;
}

/// Whether the one row of `op` is one of images and computed with on both sides
/// (a step of a sequence): as a pixel, each of its numbers would change lanes.
static bool isRowAmongRows(top::MatMulOp op) {
  return rowsOf(op.getLhs()) == 1 && op.getLhs().getType().getRank() == 3 &&
         keepsRows(op.getLhs().getDefiningOp()) &&
         llvm::any_of(op.getOutput().getUsers(), keepsRows);
}

/// lhs (.., m, k) times constant rhs (k, n): rows in lanes where the matrix
/// unit does it, else a 1x1 convolution of k channels to n, whose pixels are
/// the rows. So the matrices are transposed on their way; as images of one
/// pixel their elements would be loaded and stored one by one. `needsCodes`: in
/// lanes, and refused if there is no room for it.
static Answer<> planConstant(top::MatMulOp op, const FloatConstant &rhs,
                             bool inLanes, bool needsCodes,
                             Lowering &lowering) {
  int64_t inner = rhs.shape[0], columns = rhs.shape[1],
          rows = rowsOf(op.getLhs());
  bool isRow = rows > 1 || isRowAmongRows(op);
  std::vector<float> turned(rhs.values.size());
  numeric::transposeMatrix<sizeof(float)>(rhs.values.bytes(), turned.data(),
                                          inner, columns);
  FloatConstant filter{{columns, inner, 1, 1}, FloatValues(std::move(turned))};
  Product product{op,
                  op.getLhs(),
                  op.getOutput(),
                  std::move(filter),
                  {},
                  {1, 1},
                  {1, 1},
                  {0, 0, 0, 0},
                  1,
                  false,
                  {1, inner, rows, 1},
                  {1, columns, rows, 1},
                  op.getLoc(),
                  isRow ? rows : 0,
                  isRow && inLanes};
  product.needsCodes = needsCodes;
  takeBias(product, lowering);
  if (top::UnaryOp relu = lowering.followingRelu(product.output)) {
    product.relu = true;
    product.output = relu.getOutput();
    product.location =
        FusedLoc::get(op.getContext(), {product.location, relu.getLoc()});
    lowering.markTaken(relu);
  }
  product.rowImages = imagesOfRows(product, lowering);
  if (Answer<> answer = planProduct(product, lowering); !answer)
    return answer;
  Value result = lowering.firstForm(product.output);
  lowering.define(product.output,
                  lowering.reshaped(product.location, result,
                                    lowering.shapeOf(product.output)));
  return Yes();
}

namespace {
/// A batched product as n,c,h,w: two batch axes, rows and columns.
struct BatchedShapes {
  SmallVector<int64_t, 4> lhs, rhs, result;
};
} // namespace

/// Leading axes merged where both sides repeat together, and with `mergesAll`
/// where both step. At most two are left, else std::nullopt. An axis along
/// which only lhs steps while rhs repeats to the end becomes rows: one large
/// product is better than many.
static std::optional<BatchedShapes>
foldBatches(ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs, bool mergesAll) {
  size_t rank = std::max(lhs.size(), rhs.size());
  SmallVector<int64_t> left(rank - lhs.size(), 1), right(rank - rhs.size(), 1);
  left.append(lhs.begin(), lhs.end());
  right.append(rhs.begin(), rhs.end());
  SmallVector<std::pair<int64_t, int64_t>> axes; // sizes of lhs and rhs
  for (size_t axis = 0; axis + 2 < rank; ++axis) {
    auto sizes = std::pair(left[axis], right[axis]);
    if (sizes == std::pair<int64_t, int64_t>(1, 1))
      continue;
    bool merges = !axes.empty() &&
                  (axes.back().first == 1) == (sizes.first == 1) &&
                  (axes.back().second == 1) == (sizes.second == 1) &&
                  (mergesAll || sizes.first == 1 || sizes.second == 1);
    if (merges)
      axes.back() = {axes.back().first * sizes.first,
                     axes.back().second * sizes.second};
    else
      axes.push_back(sizes);
  }
  int64_t rows = left[rank - 2], inner = left[rank - 1],
          columns = right[rank - 1];
  if (!axes.empty() && axes.back().second == 1) {
    rows *= axes.back().first;
    axes.pop_back();
  }
  if (axes.size() > 2)
    return std::nullopt;
  // One head of each image is one all the same.
  if (axes.size() == 1 && rank > 3 && left[rank - 3] == 1 &&
      right[rank - 3] == 1)
    axes.push_back({1, 1});
  while (axes.size() < 2)
    axes.insert(axes.begin(), {1, 1});
  auto [a, b] = std::pair(axes[0], axes[1]);
  return BatchedShapes{{a.first, b.first, rows, inner},
                       {a.second, b.second, inner, columns},
                       {std::max(a.first, a.second),
                        std::max(b.first, b.second), rows, columns}};
}

/// What a single batch axis of `size` that `value` steps along counts, if the
/// model made it: images, and heads of each.
static std::optional<std::pair<int64_t, int64_t>> madeBatchOf(Value value,
                                                              int64_t size) {
  constexpr int kMostSteps = 8;
  for (int step = 0; step < kMostSteps; ++step) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumOperands() == 0)
      return std::nullopt;
    Value source = op->getOperand(0);
    auto from = cast<RankedTensorType>(source.getType()).getShape();
    if (auto transpose = dyn_cast<top::TransposeOp>(op)) {
      if (transpose.getPerm().front() != 0)
        return std::pair<int64_t, int64_t>(1, size);
    } else if (llvm::isa<top::ReshapeOp>(op)) {
      if (from.size() == 4 && from[0] * from[1] == size)
        return std::pair(from[0], from[1]);
    } else if (from !=
               cast<RankedTensorType>(op->getResult(0).getType()).getShape()) {
      return std::nullopt;
    }
    if (from.size() != 3 || from[0] != size)
      return std::nullopt;
    value = source;
  }
  return std::nullopt;
}

/// Images and heads of the single batch axis of a product; images if the model
/// does not say otherwise, for these lie as everything else does.
static std::pair<int64_t, int64_t> batchOf(top::MatMulOp op, int64_t size) {
  for (Value side : {op.getRhs(), op.getLhs()})
    if (auto made = madeBatchOf(side, size))
      return *made;
  return {size, 1};
}

/// Whether rows x inner times inner x columns costs the matrix unit less than
/// half of what it costs as a 1x1 convolution, where every row is an image of
/// one pixel: the gain must pay for leaving the group (and a fused bias).
static bool isBetterAsProduct(int64_t rows, int64_t columns, Type element,
                              const Chip &chip) {
  // Of rows of a product, of channels of a convolution.
  const int64_t lanes = chip.lanes;
  // Of a lane in a cycle.
  int64_t results =
      element.isF32() ? chip.euBytes / 4 : chip.rates.packedResults;
  auto ceilDiv = [](int64_t a, int64_t b) { return (a + b - 1) / b; };
  int64_t asProduct = ceilDiv(rows, lanes) * ceilDiv(columns, results);
  int64_t asConv = rows * ceilDiv(columns, lanes);
  return asProduct * 2 < asConv;
}

/// Element types of the operands and of the result on the chip; a refusal if
/// it has no such product.
static Answer<std::array<Type, 3>> elementsOf(top::MatMulOp op,
                                              Lowering &lowering) {
  Type left = storedElement(topElement(op.getLhs())),
       right = storedElement(topElement(op.getRhs()));
  Type element = lowering.computeType();
  if (mlir::isa<FloatType>(left))
    return std::array<Type, 3>{element, element, element};
  if (left.getIntOrFloatBitWidth() == 8 && right.getIntOrFloatBitWidth() == 8)
    return std::array<Type, 3>{left, right, lowering.builder.getI32Type()};
  return Refusal(op, "a matrix product of integers of more than 8 bits",
                 "cast them to floats");
}

/// Whether a product of f32 is better off in DRAM: there pieces of the matrix
/// are loaded while others are multiplied, where rows in lanes wait for all of
/// it. That pays if nothing beside the product has its rows in the lanes.
static bool isBetterInDram(top::MatMulOp op, Lowering &lowering) {
  return lowering.computeType().isF32() &&
         !keepsRows(op.getLhs().getDefiningOp()) &&
         llvm::none_of(op.getOutput().getUsers(), keepsRows);
}

static Answer<> planMatMul(top::MatMulOp op, Lowering &lowering) {
  SmallVector<int64_t> lhs(
      cast<RankedTensorType>(op.getLhs().getType()).getShape()),
      rhs(cast<RankedTensorType>(op.getRhs().getType()).getShape());
  if (lhs.size() == 1)
    lhs.insert(lhs.begin(), 1);
  if (rhs.size() == 1)
    rhs.push_back(1);
  // Images and heads stay apart if nothing else is.
  std::optional<BatchedShapes> shapes = foldBatches(lhs, rhs, false);
  if (!shapes)
    shapes = foldBatches(lhs, rhs, /*mergesAll=*/true);
  if (int64_t size = lhs.front();
      shapes && lhs.size() == 3 && rhs.size() == 3 && rhs.front() == size) {
    auto [images, heads] = batchOf(op, size);
    for (auto *shape : {&shapes->lhs, &shapes->rhs, &shapes->result}) {
      (*shape)[0] = images;
      (*shape)[1] = heads;
    }
  }
  if (std::optional<FloatConstant> constant = lowering.constantOf(op.getRhs());
      constant && constant->shape.size() == 2) {
    int64_t inner = constant->shape[0], columns = constant->shape[1],
            rows = rowsOf(op.getLhs());
    // Too many rows for f32 as a convolution are computed in 16 bits.
    bool isBetter =
        shapes && isBetterAsProduct(shapes->lhs[2], columns,
                                    lowering.computeType(), lowering.chip());
    bool inLanes = isBetter ? canTakeRows(inner, columns, lowering) &&
                                  !isBetterInDram(op, lowering)
                            : takesRows(rows, inner, columns, lowering);
    if (lowering.multipliesCodes || !isBetter || inLanes)
      return planConstant(op, *constant, inLanes, /*needsCodes=*/false,
                          lowering);
    // Codes take less room.
    if (lowering.choices.hasMatrixUnit && lowering.computeType().isF16()) {
      Answer<> answer = planConstant(op, *constant, /*inLanes=*/true,
                                     /*needsCodes=*/true, lowering);
      if (answer || !answer.no().refusal)
        return answer;
      lowering.discard();
    }
  }
  if (!shapes)
    return Refusal(op,
                   "a matrix product whose sides repeat along more than two "
                   "groups of batch axes",
                   "expand one side first");
  for (ArrayRef<int64_t> shape : {ArrayRef(shapes->lhs), ArrayRef(shapes->rhs)})
    for (int64_t size : shape)
      if (size > kLargestAxis)
        return Refusal(op, inWords("a matrix product with an axis of ", size),
                       inWords("at most ", kLargestAxis, " fit"));
  Answer<std::array<Type, 3>> elements = elementsOf(op, lowering);
  if (!elements)
    return elements.no();
  Answer<Value> left =
      lowering.value(op.getLhs(), (*elements)[0], shapes->lhs, op);
  Answer<Value> right =
      lowering.value(op.getRhs(), (*elements)[1], shapes->rhs, op);
  if (!left)
    return left.no();
  if (!right)
    return right.no();
  lowering.define(op.getOutput(),
                  lowering.builder.create<tpu::MatMulOp>(
                      op.getLoc(),
                      lowering.tensor(shapes->result, (*elements)[2]), *left,
                      *right));
  return Yes();
}

void weft::quantize::registerMatMulLowering(LoweringTable &table) {
  table.add<top::MatMulOp>(planMatMul);
}
