//===- Emitter.h - a tpu graph as a program of vectors ----------*- C++ -*-===//

#ifndef WEFT_PASSES_ZHOUYI_EMITTER_H
#define WEFT_PASSES_ZHOUYI_EMITTER_H

#include "dialects/Refusal.h"
#include "dialects/tpu/Tpu.h"
#include "passes/zhouyi/Code.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"

#include <functional>
#include <map>

namespace weft::tpu {
class ConvOp;
}

namespace weft::zhouyi {

/// A convolution of floats that is one of 8-bit integers: its input is a cast
/// of `source`, less `zeroPoint`, and the elements of its filter are integers
/// of -128 to 127. All sums are exact, so the result is the same.
struct IntegerConv {
  mlir::Value source; ///< of si8 or ui8, the elements of the input
  int64_t zeroPoint = 0;
  std::vector<int8_t> filter; ///< as the filter of the op
};

/// The elements as a program stores them: si8 for i8 and for signed 8-bit
/// quantized ones, and so on.
mlir::Type storedElement(mlir::Type element);
inline mlir::Type storedElement(mlir::Value value) {
  return storedElement(tpu::elementOf(value));
}

/// Where the values of a tpu graph lie in the memory of a program. Each is
/// row-major without gaps.
class Emitter {
public:
  Emitter(mlir::OpBuilder &builder, mlir::Block *body) : code(builder, body) {}

  Code code;

  mlir::Type stored(mlir::Value value) const { return storedElement(value); }

  /// The type under which users see a stored `value` of the ONNX type `onnx`:
  /// quantized values and floats of another width as they are, as a bmodel
  /// shows them; doubles that are stored as f32 as doubles.
  mlir::RankedTensorType seenAs(mlir::RankedTensorType onnx,
                                mlir::Value value) const;

  /// The address of the elements of a tpu value, which has been emitted.
  mlir::Value pointer(mlir::Value value) const;
  /// `value` lies at `pointer`.
  void place(mlir::Value value, mlir::Value pointer);
  /// A buffer for the result of an op: the output of the program if it is one,
  /// else scratch with the ONNX name of the op.
  mlir::Value result(mlir::Value value);
  /// Results that are outputs get their place from here.
  void reserve(mlir::Value value, mlir::Value pointer) {
    reserved[value] = pointer;
  }
  bool isReserved(mlir::Value value) const { return reserved.count(value); }

  /// Scratch for `elements` elements; what it holds is undefined.
  mlir::Value scratch(mlir::Type element, int64_t elements,
                      llvm::StringRef name);
  /// Scratch that every op may use as it likes, of at least `bytes` bytes.
  mlir::Value patches(mlir::Type element, int64_t bytes);
  /// A constant with the little-endian bytes `raw`.
  mlir::Value weight(mlir::Type element, llvm::ArrayRef<char> raw,
                     llvm::StringRef name);
  template <typename T>
  mlir::Value weight(mlir::Type element, llvm::ArrayRef<T> values,
                     llvm::StringRef name) {
    return weight(
        element,
        llvm::ArrayRef<char>(reinterpret_cast<const char *>(values.data()),
                             values.size() * sizeof(T)),
        name);
  }

  /// The integers of float convolutions, by op.
  llvm::DenseMap<mlir::Operation *, IntegerConv> integerConvs;

  /// `name`, or with a number behind it if that has been given out before.
  std::string uniqueName(llvm::StringRef name);

private:
  llvm::DenseMap<mlir::Value, mlir::Value> places, reserved;
  std::map<std::string, unsigned> names;
  std::map<std::string, mlir::Value> weights; ///< by type and bytes
  mlir::Value common;
  int64_t commonBytes = 0;
};

/// One operand of a loop over elements: where its first element is and how many
/// elements lie between neighbours on each axis.
struct Stream {
  mlir::Value pointer;
  llvm::SmallVector<int64_t, 6> strides;
  int64_t offset = 0;
};

/// For every index of `shape`: result[index] = body(operands[index]). Vectors
/// lie along one axis, as long as several registers; its end is cut off by tail
/// masks. `lanes` is the largest number of lanes that `body` can take.
void overElements(
    Code &code, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<Stream> operands,
    const Stream &result, int64_t lanes,
    llvm::function_ref<mlir::Value(llvm::ArrayRef<mlir::Value>)> body);

/// Reads operand `i` at the place of the loops, moved by `extra` and `add`
/// elements.
using Read = llvm::function_ref<mlir::Value(
    size_t i, llvm::ArrayRef<Stride> extra, int64_t add)>;
/// The same for a body that reads its operands itself, at several places, and
/// gives a vector of `lanes`.
void overPlaces(Code &code, llvm::ArrayRef<int64_t> shape,
                llvm::ArrayRef<Stream> operands, const Stream &result,
                int64_t lanes,
                llvm::function_ref<mlir::Value(Read, int64_t lanes)> body);

/// A value of the shape of a result or one that broadcasts to it.
Stream broadcast(Emitter &emitter, mlir::Value operand, mlir::Value result);
/// A row-major stream.
Stream dense(mlir::Value pointer, llvm::ArrayRef<int64_t> shape);

/// Copies `count` elements of one width; both sides are dense.
void copyDense(Code &code, mlir::Value from, mlir::Value to, int64_t count);
/// Sets `count` elements at `pointer`.
void fillDense(Code &code, mlir::Value pointer, int64_t count, int64_t value);

/// From the name of a tpu op to what the machine makes of it.
class EmitTable {
public:
  struct Row {
    /// Why the machine has no form of the op, asked before it is emitted.
    std::function<std::optional<Refusal>(mlir::Operation *)> refuse;
    /// Emits an op that was not refused.
    std::function<mlir::LogicalResult(mlir::Operation *, Emitter &)> emit;
  };

  template <typename OpT>
  void add(mlir::LogicalResult (*emit)(OpT, Emitter &),
           std::optional<Refusal> (*refuse)(OpT) = nullptr) {
    rows[OpT::getOperationName()] = {
        [refuse](mlir::Operation *op) {
          return refuse ? refuse(mlir::cast<OpT>(op)) : std::nullopt;
        },
        [emit](mlir::Operation *op, Emitter &emitter) {
          return emit(mlir::cast<OpT>(op), emitter);
        }};
  }
  /// An op that the machine has in no form.
  template <typename OpT>
  void refuse(std::optional<Refusal> (*refuse)(OpT)) {
    add<OpT>(nullptr, refuse);
  }
  const Row *find(mlir::Operation *op) const {
    auto found = rows.find(op->getName().getStringRef());
    return found == rows.end() ? nullptr : &found->second;
  }

private:
  llvm::StringMap<Row> rows;
};

/// The rows of all families.
const EmitTable &emitTable();

// One function a family.
void addBinary(EmitTable &table);
void addCast(EmitTable &table);
void addConstant(EmitTable &table);
void addConv(EmitTable &table);
void addHost(EmitTable &table);
void addMatMul(EmitTable &table);
void addMove(EmitTable &table);
void addNorm(EmitTable &table);
void addPool(EmitTable &table);
void addReduce(EmitTable &table);
void addResize(EmitTable &table);
void addSelect(EmitTable &table);
void addUnary(EmitTable &table);

/// The integers of `op` if it is a convolution of floats that is one of
/// integers.
std::optional<IntegerConv> integerConvOf(tpu::ConvOp op);

} // namespace weft::zhouyi

#endif // WEFT_PASSES_ZHOUYI_EMITTER_H
