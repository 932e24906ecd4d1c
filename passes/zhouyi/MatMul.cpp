//===- MatMul.cpp - the MatMul family on vectors --------------------------===//
//
// Lanes are columns of the product. A word of a row of the left matrix goes to
// all lanes, a register of eight columns of the right one is read beside it.
//
//===----------------------------------------------------------------------===//

#include "dialects/tpu/MatMul.h"

#include "dialects/tpu/Constant.h"
#include "passes/zhouyi/Patches.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft;
using namespace weft::zhouyi;

namespace {
/// One batched product.
class Product {
public:
  Product(tpu::MatMulOp op, Emitter &emitter)
      : op(op), emitter(emitter), code(emitter.code),
        left(op.getLhs().getType().getShape()),
        right(op.getRhs().getType().getShape()),
        output(op.getOutput().getType().getShape()), rows(left[2]),
        inner(left[3]), columns(right[3]), element(emitter.stored(op.getRhs())),
        perWord(elementsOfWord(element)),
        words(llvm::divideCeil(inner, perWord)),
        blocks(llvm::divideCeil(columns, kWordLanes)) {}

  void emit() {
    Value result = emitter.result(op.getOutput());
    Value packed = packRight();
    int64_t leftRow = inner;
    Value leftRows = alignLeft(leftRow);
    int64_t ofBlock = words * perWord * kWordLanes;
    code.loop(output[0], [&](Value a) {
      code.loop(output[1], [&](Value b) {
        Strides from = batch(left, a, b, rows * leftRow);
        Strides with = batch(right, a, b, blocks * ofBlock);
        Strides to{{a, output[1] * rows * columns}, {b, rows * columns}};
        code.loop(blocks, [&](Value block) {
          Strides ofColumns(with);
          ofColumns.push_back({block, ofBlock});
          Side rightSide{code.offset(packed, ofColumns), perWord * kWordLanes,
                         true};
          Value mask = columns % kWordLanes ? code.tail({{block, kWordLanes}},
                                                        columns, kWordLanes)
                                            : Value();
          code.loop(rows, [&](Value row) {
            Strides ofRow(from), place(to);
            ofRow.push_back({row, leftRow});
            place.append({{row, columns}, {block, kWordLanes}});
            Side leftSide{code.offset(leftRows, ofRow), perWord, false};
            Value sum = sumOfProducts(code, words, leftSide, rightSide)[0];
            code.store(code.cast(sum, emitter.stored(op.getOutput())),
                       code.offset(result, place), 1, mask);
          });
        });
      });
    });
  }

private:
  /// How the batch loops move an operand whose matrices have `size` elements.
  static Strides batch(ArrayRef<int64_t> shape, Value a, Value b,
                       int64_t size) {
    return {{a, shape[0] == 1 ? 0 : shape[1] * size},
            {b, shape[1] == 1 ? 0 : size}};
  }

  /// The left matrix with rows of whole words.
  Value alignLeft(int64_t &row) {
    Value source = emitter.pointer(op.getLhs());
    if (inner % perWord == 0)
      return source;
    row = words * perWord;
    int64_t count = left[0] * left[1] * rows;
    Type own = elementOf(source);
    Value copy = emitter.scratch(own, count * row, "rows");
    fillZero(copy, count * row);
    overElements(code, {count, inner}, {dense(source, {count, inner})},
                 Stream{copy, {row, 1}}, kByteLanes,
                 [](ArrayRef<Value> values) { return values[0]; });
    return copy;
  }

  void fillZero(Value pointer, int64_t count) {
    Type own = elementOf(pointer);
    Type plain = llvm::isa<IntegerType>(own)
                     ? own
                     : code.integer(own.getIntOrFloatBitWidth(), false);
    fillDense(code, code.pointerTo(pointer, plain), count, 0);
  }

  /// The right matrices as [matrix][block of 8 columns][word][column][k].
  Value packRight() {
    int64_t matrices = right[0] * right[1];
    int64_t size = blocks * words * perWord * kWordLanes;
    if (auto weight = op.getRhs().getDefiningOp<tpu::WeightOp>())
      if (auto raw = tpu::constantBytes(weight.getValue()))
        return packConstant(*raw, matrices, size);
    Value packed = emitter.scratch(element, matrices * size, "columns");
    fillZero(packed, matrices * size);
    int64_t whole = columns / kWordLanes, ofBlock = size / blocks;
    int64_t rest = columns % kWordLanes;
    if (whole)
      packColumns(packed, matrices, size, whole, kWordLanes, 0, 0);
    if (rest)
      packColumns(packed, matrices, size, 1, rest, whole * kWordLanes,
                  whole * ofBlock);
    return packed;
  }

  /// `count` blocks of `width` columns from column `first` on.
  void packColumns(Value packed, int64_t matrices, int64_t size, int64_t count,
                   int64_t width, int64_t first, int64_t to) {
    int64_t ofBlock = size / blocks, ofWord = perWord * kWordLanes;
    int64_t whole = inner / perWord, rest = inner % perWord;
    auto copy = [&](int64_t parts, int64_t deep, int64_t from, int64_t word) {
      Stream source{
          emitter.pointer(op.getRhs()),
          {inner * columns, kWordLanes, 1, perWord * columns, columns},
          first + from * columns};
      Stream target{
          packed, {size, ofBlock, perWord, ofWord, 1}, to + word * ofWord};
      overElements(code, {matrices, count, width, parts, deep}, {source},
                   target, kByteLanes,
                   [](ArrayRef<Value> values) { return values[0]; });
    };
    if (whole)
      copy(whole, perWord, 0, 0);
    if (rest)
      copy(1, rest, whole * perWord, whole);
  }

  Value packConstant(ArrayRef<char> raw, int64_t matrices, int64_t size) {
    int64_t bytes = element.getIntOrFloatBitWidth() / 8;
    std::vector<char> packed(matrices * size * bytes, 0);
    for (int64_t m = 0; m < matrices; ++m)
      for (int64_t k = 0; k < inner; ++k)
        for (int64_t column = 0; column < columns; ++column) {
          int64_t to =
              m * size +
              ((column / kWordLanes * words + k / perWord) * kWordLanes +
               column % kWordLanes) *
                  perWord +
              k % perWord;
          int64_t from = (m * inner + k) * columns + column;
          std::copy_n(raw.data() + from * bytes, bytes,
                      packed.data() + to * bytes);
        }
    return emitter.weight(element, ArrayRef<char>(packed), "columns");
  }

  tpu::MatMulOp op;
  Emitter &emitter;
  Code &code;
  ArrayRef<int64_t> left, right, output;
  int64_t rows, inner, columns;
  Type element;
  int64_t perWord, words, blocks;
};
} // namespace

static std::optional<Refusal> refuseMatMul(tpu::MatMulOp op) {
  int64_t inner = op.getLhs().getType().getShape()[3];
  Type element = tpu::elementOf(op.getRhs());
  // The dot products clamp; the definition wraps. No sum may reach the limit.
  if (llvm::isa<IntegerType>(element) && inner > INT32_MAX / (255 * 255))
    return Refusal(op,
                   inWords("sums of ", inner,
                           " 8-bit products, which 32 bits do not hold"),
                   "");
  return std::nullopt;
}

static LogicalResult emitMatMul(tpu::MatMulOp op, Emitter &emitter) {
  Product(op, emitter).emit();
  return success();
}

void zhouyi::addMatMul(EmitTable &table) {
  table.add<tpu::MatMulOp>(emitMatMul, refuseMatMul);
}
