//===- Code.h - loops of vector operations ----------------------*- C++ -*-===//
//
// What the lowering of every family writes programs with: pointers, loops,
// loads and stores, and the functions that it uses. Numbers become vectors at
// the head of the program, so that no loop makes them again.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_PASSES_ZHOUYI_CODE_H
#define WEFT_PASSES_ZHOUYI_CODE_H

#include "dialects/zhouyi/Builder.h"
#include "runtime/chips/zhouyi.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace weft::zhouyi {

/// The index of a loop and how many elements (or lanes) one pass moves. A null
/// index is that of a loop with one pass, which is no loop.
struct Stride {
  mlir::Value index;
  int64_t step = 0;
};
using Strides = llvm::SmallVector<Stride, 4>;

/// 32-bit lanes of a register, and 8-bit ones.
inline constexpr int64_t kByteLanes = chips::zhouyi.vector.registerBytes;
inline constexpr int64_t kWordLanes = kByteLanes / 4;

/// Writes ops at one point of a program.
class Code {
public:
  /// `body` is the program's, still empty; numbers and buffers go to its start.
  Code(mlir::OpBuilder &builder, mlir::Block *body)
      : builder(builder), functions(builder, builder.getUnknownLoc()),
        body(body) {}

  mlir::MLIRContext *context() const { return builder.getContext(); }
  mlir::Type integer(unsigned bits, bool isSigned) const {
    return mlir::IntegerType::get(context(), bits,
                                  isSigned ? mlir::IntegerType::Signed
                                           : mlir::IntegerType::Unsigned);
  }
  mlir::Type s32() const { return integer(32, true); }
  mlir::Type u32() const { return integer(32, false); }
  mlir::Type f32() const { return builder.getF32Type(); }
  mlir::Type f16() const { return builder.getF16Type(); }

  // Control.
  /// `count` passes; for one pass `body` gets a null index and no loop is made.
  void loop(int64_t count, llvm::function_ref<void(mlir::Value)> body);
  /// The same with carried vectors: what `body` returns is what the next pass
  /// gets and, at the end, the result.
  llvm::SmallVector<mlir::Value>
  loop(int64_t count, llvm::ArrayRef<mlir::Value> start,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(
           mlir::Value, llvm::ArrayRef<mlir::Value>)>
           body);

  // Memory.
  mlir::Value offset(mlir::Value pointer, llvm::ArrayRef<Stride> strides,
                     int64_t add = 0);
  /// The same address with other elements; steps count those from here on.
  mlir::Value pointerTo(mlir::Value pointer, mlir::Type element);
  mlir::Value load(mlir::Value pointer, int64_t lanes, int64_t stride = 1,
                   mlir::Value mask = {});
  void store(mlir::Value value, mlir::Value pointer, int64_t stride = 1,
             mlir::Value mask = {});
  /// The lowest `limit` - strides lanes.
  mlir::Value tail(llvm::ArrayRef<Stride> strides, int64_t limit,
                   int64_t lanes);

  // Vectors.
  mlir::Value number(mlir::Type element, int64_t lanes, double value);
  mlir::Value integerNumber(mlir::Type element, int64_t lanes, int64_t value);
  /// Every lane whose number is odd.
  mlir::Value oddLanes(int64_t lanes);
  /// The same bits with other elements.
  mlir::Value bits(mlir::Value vector, mlir::Type element);
  /// The same numbers; `vector` itself if it has that type.
  mlir::Value cast(mlir::Value vector, mlir::Type element);
  /// A vector of the lanes of `like`.
  mlir::Value numberLike(mlir::Value like, double value);

  // Functions of the document.
  mlir::Value vadd(mlir::Value x, mlir::Value y, bool saturate = false);
  mlir::Value vsub(mlir::Value x, mlir::Value y, bool saturate = false);
  mlir::Value vmul(mlir::Value x, mlir::Value y);
  mlir::Value vdiv(mlir::Value x, mlir::Value y);
  mlir::Value vabs(mlir::Value x);
  mlir::Value vrint(mlir::Value x);
  mlir::Value clip(mlir::Value x, mlir::Value low, mlir::Value high);
  mlir::Value fma(mlir::Value acc, mlir::Value x, mlir::Value y);
  mlir::Value vqdpa(mlir::Value acc, mlir::Value x, mlir::Value y);
  mlir::Value vfmae(mlir::Value acc, mlir::Value x, mlir::Value y);
  mlir::Value vfmao(mlir::Value acc, mlir::Value x, mlir::Value y);
  /// The high words of the 64-bit products of si32 lanes.
  mlir::Value highProduct(mlir::Value x, mlir::Value y);

  // Short sequences.
  /// max(x, y) as std::max: y where x < y, else x.
  mlir::Value max(mlir::Value x, mlir::Value y);
  /// min(x, y) as std::min: y where y < x, else x.
  mlir::Value min(mlir::Value x, mlir::Value y);
  mlir::Value clip(mlir::Value x, double low, double high);
  /// 0 where x < 0; -0 and NaN stay.
  mlir::Value relu(mlir::Value x);

  /// Runs `make` where numbers and buffers stand, in front of all code.
  mlir::Value atHead(llvm::function_ref<mlir::Value(Builder &)> make);

  /// The place in the model that the ops to come are for.
  void at(mlir::Location place) { functions.setLocation(place); }
  mlir::Location where() const { return functions.location(); }
  /// True after a call that the rules of the functions refuse: a fault of the
  /// lowering.
  bool failed() const { return functions.failed(); }

  mlir::OpBuilder &builder;
  Builder functions;

private:
  mlir::Value constant(mlir::ElementsAttr value);

  mlir::Block *body;
  mlir::Operation *lastOfHead = nullptr;
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
};

/// Element of a vector or a pointer.
mlir::Type elementOf(mlir::Value value);
int64_t lanesOf(mlir::Value vector);

} // namespace weft::zhouyi

#endif // WEFT_PASSES_ZHOUYI_CODE_H
