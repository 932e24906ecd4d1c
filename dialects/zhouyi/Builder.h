//===- Builder.h - programs of Zhouyi from C++ ------------------*- C++ -*-===//
//
// The functions of the vendor's document by name, and what is beside them:
//
//   zhouyi::Builder b(opBuilder, loc);
//   Value m = b.tailMask(5, 8);
//   Value z = b.vadd(x, 3, {m});
//   Value s = b.vsub(x, y, {"3T5F", /*saturate=*/true, "u", z});
//   Value a = b.vqdpa(b.int32x8(0), u, v);
//
// A call that the catalog refuses gives one error at the builder's location and
// a null value; a call with a null argument gives null and no further error. So
// a caller may check once, at the end: failed().
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_DIALECTS_ZHOUYI_BUILDER_H
#define WEFT_DIALECTS_ZHOUYI_BUILDER_H

#include "dialects/catalog/FunctionOps.h"
#include "dialects/zhouyi/Program.h"

#include <initializer_list>
#include <type_traits>

namespace weft::zhouyi {

/// Which lanes are active: all, a text ("3T5F"), a list of bool, or a value
/// (vector of i1). Texts and lists that are shorter than the vector are
/// completed with false.
class Mask {
public:
  Mask() = default;
  Mask(std::nullptr_t) {}
  Mask(mlir::Value value) : value(value), isValue(true), isGiven(true) {}
  Mask(const char *text) : Mask(llvm::StringRef(text)) {}
  Mask(llvm::StringRef text) : text(text.str()), isGiven(true) {}
  Mask(llvm::ArrayRef<bool> list)
      : lanes(list.begin(), list.end()), isList(true), isGiven(true) {}
  Mask(std::initializer_list<bool> list)
      : lanes(list.begin(), list.end()), isList(true), isGiven(true) {}

private:
  friend class Builder;
  mlir::Value value;
  std::string text;
  llvm::SmallVector<bool> lanes;
  bool isValue = false, isList = false, isGiven = false;
};

/// A vector, a scalar variable (vector<1xT>), a number, or nothing.
class VectorOrNumber {
public:
  VectorOrNumber() = default;
  VectorOrNumber(mlir::Value value) : value(value), isGiven(true) {}
  template <class Number,
            std::enable_if_t<std::is_arithmetic_v<Number>, int> = 0>
  VectorOrNumber(Number number)
      : integer(std::is_integral_v<Number> ? int64_t(number) : 0),
        real(double(number)), isInteger(std::is_integral_v<Number>),
        isNumber(true), isGiven(true) {}

private:
  friend class Builder;
  mlir::Value value;
  int64_t integer = 0;
  double real = 0;
  bool isInteger = false, isNumber = false, isGiven = false;
};

/// The optional parameters of a function, in the document's order. Some
/// functions have fewer: setting one that a function lacks is an error.
struct Options {
  Mask mask;
  bool saturate = false;
  llvm::StringRef outSign = {}; ///< "u", "s" or, as the operands, ""
  VectorOrNumber r = {};        ///< of inactive lanes; left out: undefined

  Options masked(Mask with) && {
    mask = std::move(with);
    return std::move(*this);
  }
  Options saturated() && {
    saturate = true;
    return std::move(*this);
  }
  Options signedAs(llvm::StringRef sign) && {
    outSign = sign;
    return std::move(*this);
  }
  Options inactive(VectorOrNumber value) && {
    r = value;
    return std::move(*this);
  }
};

class Builder {
public:
  using Value = mlir::Value;

  /// Ops are put where `builder` stands, with the location `loc`, which
  /// must be inside a zhouyi.program (else the rules of the first vector
  /// machine hold).
  Builder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  mlir::Location location() const { return loc; }
  void setLocation(mlir::Location newLoc) { loc = newLoc; }
  mlir::OpBuilder &ops() { return builder; }
  /// True after an error.
  bool failed() const { return hasFailed; }

  // Functions of the document, in its order.
  Value vadd(VectorOrNumber x, VectorOrNumber y, Options options = {});
  Value vaddh(VectorOrNumber x, VectorOrNumber y);
  Value vabs(VectorOrNumber x, Mask mask = {}, bool saturate = false);
  Value vsub(VectorOrNumber x, VectorOrNumber y, Options options = {});
  Value vsubh(VectorOrNumber x, VectorOrNumber y);
  Value vmul(VectorOrNumber x, VectorOrNumber y, Options options = {});
  Value vmull(VectorOrNumber x, VectorOrNumber y, Options options = {});
  Value vmulh(VectorOrNumber x, VectorOrNumber y, Options options = {});
  Value vdiv(VectorOrNumber x, VectorOrNumber y, Mask mask = {});
  Value vmod(VectorOrNumber x, VectorOrNumber y, Mask mask = {});
  Value vdot(VectorOrNumber x, VectorOrNumber y, Mask mask = {});
  Value vqdot(VectorOrNumber x, VectorOrNumber y, Mask mask = {});
  Value vdpa(VectorOrNumber acc, VectorOrNumber x, VectorOrNumber y,
             Mask mask = {});
  Value vqdpa(VectorOrNumber acc, VectorOrNumber x, VectorOrNumber y,
              Mask mask = {});
  Value vrpadd(VectorOrNumber x, Mask mask = {});
  mlir::LogicalResult vmml(Value ptr, VectorOrNumber x, VectorOrNumber y);
  mlir::LogicalResult vmma(Value accPtr, VectorOrNumber x, VectorOrNumber y);
  Value fma(VectorOrNumber acc, VectorOrNumber x, VectorOrNumber y,
            Mask mask = {});
  Value vfmae(VectorOrNumber acc, VectorOrNumber x, VectorOrNumber y,
              Mask mask = {});
  Value vfmao(VectorOrNumber acc, VectorOrNumber x, VectorOrNumber y,
              Mask mask = {});
  Value vrint(VectorOrNumber x, Mask mask = {});
  Value clip(VectorOrNumber x, VectorOrNumber minVal, VectorOrNumber maxVal,
             Mask mask = {});

  /// Any of them by name, with one argument a slot; null if it has no result,
  /// too. For tables of functions.
  Value call(llvm::StringRef function,
             llvm::ArrayRef<catalog::FunctionArgument> arguments);

  // Constants. Numbers must fit the type; floats are rounded half to even.
  Value splat(mlir::Type element, unsigned lanes, VectorOrNumber number);
  Value int8x32(int64_t number) { return splat(si(8), 32, number); }
  Value uint8x32(int64_t number) { return splat(ui(8), 32, number); }
  Value int16x16(int64_t number) { return splat(si(16), 16, number); }
  Value uint16x16(int64_t number) { return splat(ui(16), 16, number); }
  Value int32x8(int64_t number) { return splat(si(32), 8, number); }
  Value uint32x8(int64_t number) { return splat(ui(32), 8, number); }
  Value float16x16(double number) {
    return splat(builder.getF16Type(), 16, number);
  }
  Value float32x8(double number) {
    return splat(builder.getF32Type(), 8, number);
  }
  /// One number a lane.
  Value vector(mlir::Type element, llvm::ArrayRef<int64_t> numbers);
  Value vector(mlir::Type element, llvm::ArrayRef<double> numbers);
  /// The n lowest of `lanes` lanes; n is 0 to lanes, or an index that is
  /// clamped.
  Value tailMask(int64_t n, unsigned lanes);
  Value tailMask(Value n, unsigned lanes);
  /// The clamp(limit - sum indices[k] * steps[k], 0, lanes) lowest lanes.
  Value tailMask(mlir::ValueRange indices, llvm::ArrayRef<int64_t> steps,
                 int64_t limit, unsigned lanes);
  /// The lanes that a text or list names, of `lanes`.
  Value constMask(Mask mask, unsigned lanes);

  // Memory. Offsets and strides count elements of the pointer's type.
  Value offset(Value pointer, int64_t add);
  Value offset(Value pointer, mlir::ValueRange indices,
               llvm::ArrayRef<int64_t> steps, int64_t add = 0);
  /// Inactive lanes are 0.
  Value load(Value pointer, unsigned lanes, Mask mask = {}, int64_t stride = 1);
  mlir::LogicalResult store(Value vector, Value pointer, Mask mask = {},
                            int64_t stride = 1);
  /// The bits of a vector, or the address of a pointer, as another type. For a
  /// vector `element` is that of the lanes, whose number follows.
  Value reinterpret(Value source, mlir::Type element);
  /// The numbers of a vector in another type, see zhouyi.cast.
  Value cast(Value source, mlir::Type element);

  /// Runs `body` with the index 0 to count - 1. It gets what the pass before
  /// gave (first `initial`) and returns as many values; the last pass's are
  /// loop's. count >= 1.
  using Body = llvm::function_ref<llvm::SmallVector<Value>(
      Value index, mlir::ValueRange carried)>;
  llvm::SmallVector<Value> loop(int64_t count, mlir::ValueRange initial,
                                Body body);
  /// The same without carried values.
  void loop(int64_t count, llvm::function_ref<void(Value index)> body);

  // Buffers of the program.
  Value input(llvm::StringRef name, mlir::RankedTensorType onnx,
              mlir::RankedTensorType stored, double scale = 1,
              int64_t zeroPoint = 0);
  Value output(llvm::StringRef name, mlir::RankedTensorType onnx,
               mlir::RankedTensorType stored, double scale = 1,
               int64_t zeroPoint = 0);
  Value weight(llvm::StringRef name, mlir::ElementsAttr contents);
  Value scratch(llvm::StringRef name, mlir::Type element, int64_t elements);
  /// Scratch that holds the ONNX value `value`.
  Value scratch(llvm::StringRef name, llvm::StringRef value,
                mlir::RankedTensorType onnx, mlir::RankedTensorType stored,
                double scale = 1, int64_t zeroPoint = 0);

  mlir::IntegerType si(unsigned bits) {
    return builder.getIntegerType(bits, /*isSigned=*/true);
  }
  mlir::IntegerType ui(unsigned bits) {
    return builder.getIntegerType(bits, /*isSigned=*/false);
  }

private:
  Value fail(const llvm::Twine &message);
  /// False if it is a value that is null, after an error.
  bool isThere(const VectorOrNumber &operand) const {
    return !operand.isGiven || operand.isNumber || operand.value;
  }
  catalog::FunctionArgument argument(const VectorOrNumber &operand);
  catalog::FunctionArgument argument(const Mask &mask);
  /// The mask as a value; null for none. False after an error.
  bool maskValue(const Mask &mask, unsigned lanes, Value &value);
  Value callWith(llvm::StringRef function,
                 llvm::ArrayRef<VectorOrNumber> operands,
                 const Options &options);
  mlir::LogicalResult callIntoMemory(llvm::StringRef function, Value pointer,
                                     VectorOrNumber x, VectorOrNumber y);
  Value makeVector(mlir::Type element, size_t lanes,
                   llvm::function_ref<VectorOrNumber(size_t lane)> numberAt);
  Value buffer(BufferKind kind, llvm::StringRef name,
               mlir::RankedTensorType onnx, mlir::RankedTensorType stored,
               double scale, int64_t zeroPoint, llvm::StringRef value);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  bool hasFailed = false;
};

} // namespace weft::zhouyi

#endif // WEFT_DIALECTS_ZHOUYI_BUILDER_H
