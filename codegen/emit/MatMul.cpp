//===- MatMul.cpp - emission of the MatMul family -------------------------===//
//
// y(M,N) = lhs(M,K) * rhs(K,N) from DRAM to DRAM. All matrices lie in local
// memory with one row per channel, so row-major DRAM needs no rearranging:
//
// * f32: a 1x1 convolution of the "image" rhs (K channels, N pixels) with the
//   filter lhs (M output channels, K input channels);
// * f16, bf16, 8-bit integers: MM2.
//
// Both fill the lanes with rows and the EUs with columns.
//
//===----------------------------------------------------------------------===//

#include "dialects/tpu/MatMul.h"

#include "codegen/emit/Emit.h"
#include "dialects/ppl/Memory.h"
#include "dialects/tpu/LocalBuffer.h"
#include "runtime/chips/Chip.h"

#include <array>

using namespace mlir;
using namespace weft;
using namespace weft::emit;

/// What a command costs beside its work, in cycles.
constexpr int64_t kCommandCycles = 300;

namespace {
/// Sizes of one product, of a whole one or of a piece: matrices along the inner
/// batch axis, rows and columns of the result, and the summed axis.
struct Sizes {
  int64_t batch = 1, rows = 1, columns = 1, inner = 1;
};

/// A piece of the product: where it starts and how large it is.
struct Piece {
  int64_t outer = 0; ///< index along the outer batch axis
  Sizes start, size;
  bool isFirstInner = true, isLastInner = true;
};

/// A tensor in DRAM seen as batch x rows x 1 x columns.
struct Matrix {
  Value tensor;
  std::array<int64_t, 4> shape;
  unsigned bytes;

  explicit Matrix(Value tensor) : tensor(tensor) {
    auto type = llvm::cast<ppl::TensorViewType>(tensor.getType());
    llvm::copy(type.getShape(), shape.begin());
    bytes = type.getElementType().getIntOrFloatBitWidth() / 8;
  }
  Type element() const {
    return llvm::cast<ppl::TensorViewType>(tensor.getType()).getElementType();
  }
  bool repeatsOuter() const { return shape[0] == 1; }
  bool repeatsBatch() const { return shape[1] == 1; }
};

/// One of the two places of an operand or the result: contents alternate.
struct Slots {
  int64_t address = 0, bytes = 0;
  int64_t turn = 0; ///< how often the contents have changed
  std::array<int64_t, 4> contents{-1, -1, -1, -1};

  int64_t current(bool rotate) const {
    return address + (rotate ? turn % 2 * bytes : 0);
  }
};

class ProductEmitter {
public:
  ProductEmitter(tpu::MatMulOp op, OpBuilder &builder, Value lhs, Value rhs,
                 Value result)
      : op(op), builder(builder), chip(ppl::chipOf(result.getDefiningOp())),
        left(lhs), right(rhs), product(result) {
    isF32 = left.element().isF32();
    whole.batch = product.shape[1];
    whole.rows = product.shape[2];
    whole.columns = product.shape[3];
    whole.inner = left.shape[3];
  }

  LogicalResult emit();

private:
  std::array<int64_t, 4> laneBytes(const Sizes &size) const;
  bool fits(const Sizes &size) const;
  int64_t productCycles(const Sizes &size) const;
  int64_t cost(const Sizes &size) const;
  int64_t pieces(const Sizes &size) const;
  Sizes chooseSizes() const;
  std::vector<Piece> cut(const Sizes &size) const;
  Value local(int64_t address, ArrayRef<int64_t> shape, Type element,
              bool isFilter);
  Value matrixOf(Value tensor, int64_t index, ArrayRef<int64_t> shape);
  void load(const Piece &piece);
  void loadMatrix(const Matrix &matrix, Slots &slots, const Piece &piece,
                  int64_t row, int64_t rows, int64_t column, int64_t columns,
                  bool isFilter, Value &tile);
  void compute(const Piece &piece);
  void store(const Piece &piece);
  Value globalPiece(const Matrix &matrix, const Piece &piece, int64_t batches,
                    int64_t row, int64_t rows, int64_t column, int64_t columns);

  tpu::MatMulOp op;
  OpBuilder &builder;
  const Chip &chip;
  Matrix left, right, product;
  bool isF32;
  Sizes whole;
  bool rotate = false; ///< there is more than one piece: two slots each
  bool widens = false; ///< 16-bit result summed over pieces: in f32 first
  Slots leftSlots, rightSlots, resultSlots;
  int64_t sumAddress = 0; ///< of the f32 sums if `widens`
  Value leftTile, rightTile, resultTile;
  Value nextLeft, nextRight;
};
} // namespace

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Bytes a lane of lhs, rhs, result and f32 sums for a piece.
std::array<int64_t, 4> ProductEmitter::laneBytes(const Sizes &size) const {
  auto bytes = [&](int64_t n, int64_t c, int64_t w, unsigned elementBytes,
                   tpu::LocalLayout layout) {
    return tpu::bytesPerLane(chip, {{n, c, 1, w}, elementBytes * 8, layout});
  };
  int64_t batch = size.batch;
  int64_t lhs =
      bytes(left.repeatsBatch() ? 1 : batch, size.rows, size.inner, left.bytes,
            isF32 ? tpu::LocalLayout::Compact : tpu::LocalLayout::Aligned);
  int64_t rhs = bytes(right.repeatsBatch() ? 1 : batch, size.inner,
                      size.columns, right.bytes, tpu::LocalLayout::Aligned);
  int64_t result = bytes(batch, size.rows, size.columns, product.bytes,
                         tpu::LocalLayout::Aligned);
  bool sums = product.bytes == 2 && size.inner < whole.inner;
  return {lhs, rhs, result,
          sums ? bytes(1, size.rows, size.columns, 4, tpu::LocalLayout::Aligned)
               : 0};
}

int64_t ProductEmitter::pieces(const Sizes &size) const {
  return product.shape[0] * ceilDiv(whole.batch, size.batch) *
         ceilDiv(whole.rows, size.rows) * ceilDiv(whole.columns, size.columns) *
         ceilDiv(whole.inner, size.inner);
}

bool ProductEmitter::fits(const Sizes &size) const {
  std::array<int64_t, 4> bytes = laneBytes(size);
  int64_t slots = pieces(size) > 1 ? 2 : 1;
  return slots * (bytes[0] + bytes[1] + bytes[2]) + bytes[3] <=
         static_cast<int64_t>(chip.laneBytes);
}

/// Cycles of the commands that multiply, for all pieces of this size.
int64_t ProductEmitter::productCycles(const Sizes &size) const {
  int64_t lanes = chip.lanes, floatsOfRow = chip.euBytes / 4,
          pack = isF32 ? 1 : chip.euBytes / left.bytes,
          results = isF32 ? floatsOfRow : chip.rates.packedResults;
  auto steps = [](int64_t whole, int64_t size, int64_t unit) {
    return whole / size * ceilDiv(size, unit) + ceilDiv(whole % size, unit);
  };
  return product.shape[0] * whole.batch * steps(whole.rows, size.rows, lanes) *
         steps(whole.columns, size.columns, results) *
         steps(whole.inner, size.inner, pack);
}

/// Cycles of transfers, products and commands. Pieces run over the inner axis
/// first, then columns, then rows: an operand stays where the next piece wants
/// it too. Of transfers and products the shorter hides behind the longer, but
/// for what the first or last piece has of it.
int64_t ProductEmitter::cost(const Sizes &size) const {
  int64_t matrices = product.shape[0] * whole.batch;
  int64_t rowCuts = ceilDiv(whole.rows, size.rows),
          columnCuts = ceilDiv(whole.columns, size.columns),
          innerCuts = ceilDiv(whole.inner, size.inner);
  int64_t leftTimes = innerCuts > 1 ? columnCuts : 1;
  int64_t rightTimes = innerCuts * columnCuts > 1 ? rowCuts : 1;
  int64_t traffic =
      matrices * (whole.rows * whole.inner * left.bytes * leftTimes +
                  whole.inner * whole.columns * right.bytes * rightTimes +
                  whole.rows * whole.columns * product.bytes);
  int64_t transfers = traffic / chip.rates.loadBytes,
          products = productCycles(size), count = pieces(size);
  return std::max(transfers, products) + std::min(transfers, products) / count +
         count * (3 + size.batch) * kCommandCycles;
}

/// The cheapest sizes that fit: whole axes where possible, halved in units of
/// full lanes and EU rows where not.
Sizes ProductEmitter::chooseSizes() const {
  auto choices = [](int64_t size, int64_t unit) {
    std::vector<int64_t> list{size};
    for (int64_t cuts = 2; list.back() > unit;
         cuts += std::max<int64_t>(1, cuts / 2))
      if (int64_t part = ceilDiv(ceilDiv(size, cuts), unit) * unit;
          part < list.back())
        list.push_back(part);
    return list;
  };
  int64_t lanes = chip.lanes, perRow = chip.euBytes / product.bytes;
  Sizes best;
  int64_t lowest = -1;
  for (int64_t inner : choices(whole.inner, lanes)) {
    if (isF32 && lowest >= 0 && whole.inner <= tpu::kWholeInnerF32)
      break;
    for (int64_t rows : choices(whole.rows, lanes))
      for (int64_t columns : choices(whole.columns, perRow)) {
        Sizes size{1, rows, columns, inner};
        if (!fits(size))
          continue;
        if (int64_t price = cost(size); lowest < 0 || price < lowest) {
          lowest = price;
          best = size;
        }
      }
  }
  // Whole matrices: as many at a time as there is room for, but at least four
  // turns, so that loads, products and stores overlap.
  if (pieces(best) == product.shape[0] * whole.batch)
    while (best.batch < ceilDiv(whole.batch, 4)) {
      Sizes more = best;
      more.batch = std::min(best.batch * 2, ceilDiv(whole.batch, 4));
      if (!fits(more))
        break;
      best = more;
    }
  return best;
}

std::vector<Piece> ProductEmitter::cut(const Sizes &size) const {
  std::vector<Piece> list;
  Piece piece;
  for (piece.outer = 0; piece.outer < product.shape[0]; ++piece.outer)
    for (int64_t b = 0; b < whole.batch; b += size.batch)
      for (int64_t m = 0; m < whole.rows; m += size.rows)
        for (int64_t n = 0; n < whole.columns; n += size.columns)
          for (int64_t k = 0; k < whole.inner; k += size.inner) {
            piece.start = {b, m, n, k};
            piece.size = {std::min(size.batch, whole.batch - b),
                          std::min(size.rows, whole.rows - m),
                          std::min(size.columns, whole.columns - n),
                          std::min(size.inner, whole.inner - k)};
            piece.isFirstInner = k == 0;
            piece.isLastInner = k + size.inner >= whole.inner;
            list.push_back(piece);
          }
  return list;
}

Value ProductEmitter::local(int64_t address, ArrayRef<int64_t> shape,
                            Type element, bool isFilter) {
  auto type = ppl::TensorViewType::get(shape, element, ppl::Memory::Local,
                                       isFilter ? ppl::Layout::Compact
                                                : ppl::Layout::Aligned);
  return builder.create<ppl::LocalOp>(op.getLoc(), type, address);
}

/// Matrix `index` of a tile of several, under the shape that its command wants.
Value ProductEmitter::matrixOf(Value tensor, int64_t index,
                               ArrayRef<int64_t> shape) {
  auto type = llvm::cast<ppl::TensorViewType>(tensor.getType());
  if (type.getN() == 1)
    index = 0;
  auto view = ppl::TensorViewType::get(shape, type.getElementType(),
                                       ppl::Memory::Local, type.getLayout());
  if (index == 0 && view == type)
    return tensor;
  return builder.create<ppl::ViewOp>(op.getLoc(), view, tensor,
                                     ArrayRef<int64_t>{index, 0, 0, 0}, 0);
}

Value ProductEmitter::globalPiece(const Matrix &matrix, const Piece &piece,
                                  int64_t batches, int64_t row, int64_t rows,
                                  int64_t column, int64_t columns) {
  int64_t lineLength = matrix.shape[3], size = matrix.shape[2] * lineLength;
  int64_t outer = matrix.repeatsOuter() ? 0 : piece.outer,
          batch = matrix.repeatsBatch() ? 0 : piece.start.batch;
  int64_t offset =
      (outer * matrix.shape[1] + batch) * size + row * lineLength + column;
  auto type = ppl::TensorViewType::get(
      {batches, rows, 1, columns}, matrix.element(), ppl::Memory::Global,
      ArrayRef<int64_t>{size, lineLength, lineLength, 1});
  return builder.create<ppl::ViewOp>(op.getLoc(), type, matrix.tensor,
                                     ArrayRef<int64_t>{0, 0, 0, 0},
                                     offset * matrix.bytes);
}

/// Loads the part of an operand that `piece` wants into the other slot, unless
/// the current one holds it.
void ProductEmitter::loadMatrix(const Matrix &matrix, Slots &slots,
                                const Piece &piece, int64_t row, int64_t rows,
                                int64_t column, int64_t columns, bool isFilter,
                                Value &tile) {
  std::array<int64_t, 4> contents{matrix.repeatsOuter() ? 0 : piece.outer,
                                  matrix.repeatsBatch() ? 0 : piece.start.batch,
                                  row, column};
  if (contents == slots.contents)
    return;
  if (slots.contents[0] >= 0)
    ++slots.turn;
  slots.contents = contents;
  int64_t batches = matrix.repeatsBatch() ? 1 : piece.size.batch;
  tile = local(slots.current(rotate), {batches, rows, 1, columns},
               matrix.element(), isFilter);
  emitCall(builder, op.getLoc(), "dma.load",
           {{"dst", tile},
            {"src",
             globalPiece(matrix, piece, batches, row, rows, column, columns)}});
}

void ProductEmitter::load(const Piece &piece) {
  loadMatrix(left, leftSlots, piece, piece.start.rows, piece.size.rows,
             piece.start.inner, piece.size.inner, isF32, nextLeft);
  loadMatrix(right, rightSlots, piece, piece.start.inner, piece.size.inner,
             piece.start.columns, piece.size.columns, false, nextRight);
}

void ProductEmitter::compute(const Piece &piece) {
  Location loc = op.getLoc();
  const Sizes &size = piece.size;
  if (piece.isFirstInner) {
    ++resultSlots.turn;
    resultTile = local(resultSlots.current(rotate),
                       {size.batch, size.rows, 1, size.columns},
                       product.element(), false);
  }
  for (int64_t b = 0; b < size.batch; ++b) {
    Value rhs = matrixOf(rightTile, b, {1, size.inner, 1, size.columns});
    Value result = matrixOf(resultTile, b, {1, size.rows, 1, size.columns});
    if (isF32) {
      Value filter = matrixOf(leftTile, b, {1, size.rows, size.inner, 1});
      emitCall(builder, loc, "tiu.fconv",
               {{"dst", result},
                {"src", rhs},
                {"weight", filter},
                {"has_bias", false},
                {"oc", size.rows},
                {"k_shape", ArrayRef<int64_t>{1, 1}},
                {"result_add", !piece.isFirstInner}});
      continue;
    }
    Value lhs = matrixOf(leftTile, b, {1, size.rows, 1, size.inner});
    Value sums = widens ? local(sumAddress, {1, size.rows, 1, size.columns},
                                builder.getF32Type(), false)
                        : result;
    bool isFloat = llvm::isa<FloatType>(left.element());
    emitCall(builder, loc, isFloat ? "tiu.fmm2_nn" : "tiu.mm2_nn",
             {{isFloat ? "dst" : "rst", sums},
              {"left", lhs},
              {"right", rhs},
              {"result_add", !piece.isFirstInner}});
    if (widens && piece.isLastInner)
      emitCall(builder, loc, "tiu.cast", {{"dst", result}, {"src", sums}});
  }
}

void ProductEmitter::store(const Piece &piece) {
  if (!piece.isLastInner)
    return;
  emitCall(builder, op.getLoc(), "dma.store",
           {{"dst", globalPiece(product, piece, piece.size.batch,
                                piece.start.rows, piece.size.rows,
                                piece.start.columns, piece.size.columns)},
            {"src", resultTile}});
}

LogicalResult ProductEmitter::emit() {
  Sizes size = chooseSizes();
  if (!fits(size))
    return op.emitError("no piece of it fits local memory");
  rotate = pieces(size) > 1;
  widens = product.bytes == 2 && size.inner < whole.inner;
  std::array<int64_t, 4> bytes = laneBytes(size);
  int64_t next = 0, slots = rotate ? 2 : 1;
  for (auto [place, index] :
       {std::pair(&leftSlots, 0), {&rightSlots, 1}, {&resultSlots, 2}}) {
    place->address = next;
    place->bytes = bytes[index];
    next += slots * bytes[index];
  }
  sumAddress = next;
  // The load of a piece stands before the store of its predecessor: the DMA
  // engine then loads while the product runs.
  std::vector<Piece> list = cut(size);
  load(list.front());
  for (size_t i = 0; i < list.size(); ++i) {
    leftTile = nextLeft;
    rightTile = nextRight;
    if (i + 1 < list.size())
      load(list[i + 1]);
    compute(list[i]);
    store(list[i]);
  }
  return success();
}

static LogicalResult emitMatMul(Operation *operation, OpBuilder &builder,
                                ArrayRef<Value> operands, Value result) {
  return ProductEmitter(llvm::cast<tpu::MatMulOp>(operation), builder,
                        operands[0], operands[1], result)
      .emit();
}

void weft::emit::addMatMul(GlobalEmitTable &table) {
  table["tpu.matmul"] = emitMatMul;
}
