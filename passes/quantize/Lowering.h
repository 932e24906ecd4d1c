//===- Lowering.h - what the lowering of every family shares --*- C++ -*-===//

#ifndef WEFT_PASSES_QUANTIZE_LOWERING_H
#define WEFT_PASSES_QUANTIZE_LOWERING_H

#include "dialects/ConstantBlobs.h"
#include "dialects/Refusal.h"
#include "dialects/top/Top.h"
#include "dialects/tpu/Tpu.h"
#include "passes/quantize/Calibration.h"
#include "passes/quantize/PrecisionTable.h"
#include "passes/quantize/TpuSupport.h"
#include "passes/quantize/WideSteps.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <cstring>
#include <functional>
#include <memory>
#include <vector>

namespace weft {
struct Chip;
}
namespace weft::top {
class CastOp;
class CustomOp;
class UnaryOp;
struct Quantization;
} // namespace weft::top

namespace weft::quantize {

/// The standard 4-D view n,c,h,w of a top tensor: rank 0 1,1,1,1; rank 1
/// 1,k,1,1; rank 2 n,k,1,1; rank 3 n,c,1,w; rank 4 itself; above, h is the
/// product of the axes between the second and the last. The row-major order of
/// the elements is kept. Any lowering may pick another view of as many elements
/// (`Lowering::value`).
llvm::SmallVector<int64_t, 4> foldShape(llvm::ArrayRef<int64_t> shape);

/// The element type in which the bmodel and the chip hold what ONNX has as
/// `onnx`: f64 as f32, i64 and ui64 in 32 bits, bool as ui8, narrower integers
/// in 8 bits, floats of 8 bits and less as the bits of an ui8, others as they
/// are. The runtime converts at its interface and reports what does not fit.
mlir::Type storedElement(mlir::Type onnx);

/// The axis of n,c,h,w on which axis `axis` of a tensor of rank `rank` <= 4
/// lies after `foldShape`.
int64_t foldAxis(int64_t axis, int64_t rank);

/// The numbers of a float constant. Those of a large one are read where the
/// constant has them, perhaps in the model's file, which aligns nothing; so
/// they are good as long as the constant is.
class FloatValues {
public:
  FloatValues() = default;
  explicit FloatValues(std::vector<float> own)
      : owner(std::make_shared<const std::vector<float>>(std::move(own))),
        begin(reinterpret_cast<const char *>(owner->data())),
        count(owner->size()) {}
  /// f32 elements of `source`.
  FloatValues(llvm::ArrayRef<char> bytes, mlir::ElementsAttr source)
      : begin(bytes.data()), count(bytes.size() / sizeof(float)),
        sourceAttr(source) {}

  size_t size() const { return count; }
  float operator[](size_t i) const {
    float value;
    std::memcpy(&value, begin + i * sizeof(float), sizeof(float));
    return value;
  }
  std::vector<float> vector() const {
    std::vector<float> copy(count);
    if (count)
      std::memcpy(copy.data(), begin, count * sizeof(float));
    return copy;
  }
  const char *bytes() const { return begin; }
  /// For who reads them in their order; none of those that were computed.
  PagesBehind pagesBehind() const {
    return PagesBehind(llvm::ArrayRef<char>(begin, owner ? 0 : count * 4));
  }
  /// The constant whose elements these are, all in their order; null if they
  /// have been computed.
  mlir::ElementsAttr source() const { return sourceAttr; }

private:
  std::shared_ptr<const std::vector<float>> owner;
  const char *begin = nullptr;
  size_t count = 0;
  mlir::ElementsAttr sourceAttr;
};

/// A folded float constant in row-major order.
struct FloatConstant {
  llvm::SmallVector<int64_t, 4> shape; ///< as in the top dialect, any rank
  FloatValues values;                  ///< all elements, also of a splat

  bool isScalar() const { return values.size() == 1; }
};

/// What the caller of the conversion decides (options of --convert-top-to-tpu).
struct Choices {
  Precision precision = Precision::F32;
  /// Inputs and outputs are in the types computed with, not in ONNX's.
  bool quantizedIo = false;
  /// An op that the chip does not compute is an error, not a host op.
  bool noHost = false;
  /// A product of a 16-bit program stays in f32 up to so many weights and
  /// multiplications.
  int64_t wideWeights = 0, wideProducts = 0;
  /// So does a depthwise convolution of up to so many multiplications.
  int64_t wideDepthwise = 0;
  bool keepsWide(int64_t weights, int64_t products) const {
    return weights <= wideWeights && products <= wideProducts;
  }
  const Chip *chip = nullptr; ///< never null in a conversion
  /// The machine multiplies matrices a row a lane.
  bool hasMatrixUnit = true;
  /// The machine has zero points: those of the graph's own integers are kept.
  bool hasZeroPoints = true;
  /// 8-bit values whose calibrated range is finer with a zero point have one.
  bool calibratesZeroPoints = true;
  /// Weights of a scale in products of W8 and W4; 0: all of an output channel.
  int64_t groupSize = 64;
};

/// State of one conversion: the block being built and which tpu value stands
/// for which top value. The same ONNX value may be wanted in several element
/// types; each is made once, right where it is first wanted.
///
/// One top op at a time is planned: `builder` writes the plan, the tpu ops that
/// would compute it, on a sheet beside the graph. The graph changes only by
/// `accept()`; a plan that is refused is discarded and leaves no trace.
class Lowering {
public:
  /// `graph`: the block that accepted plans are appended to.
  Lowering(mlir::OpBuilder &builder, mlir::Block &graph, const Choices &choices,
           const CalibrationTable *table, OpPrecisions opPrecisions,
           WideSteps wideSteps);
  ~Lowering();

  mlir::OpBuilder &builder; ///< appends to the plan
  const Choices choices;
  const OpPrecisions opPrecisions; ///< of ops that differ from the program
  const WideSteps wideSteps;       ///< of the graph that is lowered

  const Chip &chip() const { return *choices.chip; }
  bool isInt8() const { return choices.precision == Precision::I8; }
  /// The precision of one op of the graph that is lowered.
  Precision precisionOf(mlir::Operation *op) const {
    auto found = opPrecisions.find(op);
    return found == opPrecisions.end() ? choices.precision : found->second;
  }
  /// Whether f16 commands are fine enough for a function: among codes of 8
  /// bits, unless the precision table says otherwise.
  bool takesNarrowSteps(mlir::Operation *op) const {
    return isInt8() && precisionOf(op) == Precision::I8 && !isExact;
  }
  /// Whether what is fine enough for results of 16 bits is so for a function
  /// that is computed in f32: where 16 bits were asked for.
  bool takesShortSteps(mlir::Operation *op) const {
    return precisionOf(op) != Precision::F32 && !isExact;
  }
  /// The op that is lowered multiplies codes of 8 bits if it has constant
  /// weights.
  bool multipliesCodes = false;
  /// The op that is lowered is computed as an f16 program does it
  /// (`top.floats`).
  bool isLikeHalf = false;
  /// Bits of its constant weights if they are few (W8, W4), else 0.
  int64_t weightBits = 0;
  /// Products whose weights are codes behind a float product.
  llvm::DenseSet<mlir::Operation *> codedProducts;
  /// Products that wait for their weights (`findLoadBound`).
  llvm::DenseSet<mlir::Operation *> loadBound;
  /// The op that is lowered is one of those that only f32 computes right
  /// (`top.exact`, WideSteps).
  bool isExact = false;
  /// Float element type between products: f32, f16 or bf16; f16 with I8.
  mlir::Type computeType();
  mlir::Type f32() { return builder.getF32Type(); }

  /// `shape` (4-D) as a tensor type.
  mlir::RankedTensorType tensor(llvm::ArrayRef<int64_t> shape,
                                mlir::Type element);
  /// The standard 4-D view (`foldShape`) of a top value.
  llvm::SmallVector<int64_t, 4> shapeOf(mlir::Value top);

  /// The form of `topValue` that its op gives, whatever its element type and
  /// 4-D view; null for a constant. A value that the host computed is brought
  /// to the chip where this is first asked for.
  mlir::Value firstForm(mlir::Value topValue);
  /// `topValue`, computed or constant, as a tpu value of element type `element`
  /// in the 4-D view `shape` (the standard one by default). Computed values are
  /// cast or dequantized, and reshaped, which is free in DRAM; constants become
  /// weights: 64-bit integers in 32 bits, bools as ui8. Refused or reported at
  /// `user` if a constant does not fit the element type.
  Answer<mlir::Value> value(mlir::Value topValue, mlir::Type element,
                            llvm::ArrayRef<int64_t> shape,
                            mlir::Operation *user);
  Answer<mlir::Value> value(mlir::Value topValue, mlir::Type element,
                            mlir::Operation *user) {
    return value(topValue, element, shapeOf(topValue), user);
  }
  /// The same in the view of its first form, of a constant in the standard one:
  /// for functions of single elements, which care for no axis.
  Answer<mlir::Value> inOwnView(mlir::Value topValue, mlir::Type element,
                                mlir::Operation *user);
  /// `topValue`, which is computed, in the float element type and the standard
  /// 4-D view: cast or dequantized where it is in another form.
  mlir::Value inFloat(mlir::Value topValue, mlir::Type element);
  /// Notes the results of `op`, which has been lowered, if f16 does not have
  /// their digits: those of exact steps, floats of integers beyond 16 bits, and
  /// elementwise functions of these.
  void noteWide(mlir::Operation *op);
  /// Element type for a function of `topValues` that is not a product. Integers
  /// and bools: the stored type of the first. Floats: f32 if a 16-bit program
  /// holds one of them in f32 (the result of a small product, a mean, an
  /// input), else the compute type. f32 is never rounded early. With I8 only
  /// what noteWide() knows stays f32, but for ops that are as in f16 programs.
  mlir::Type elementwiseType(mlir::ValueRange topValues);
  /// The same of an op that repeats operands along axes that others have: gates
  /// (WideSteps.h) that are repeated often do not make it wide.
  mlir::Type repeatingType(mlir::ValueRange topValues);
  /// Element type in which `topValue` is moved: that of its first form; of a
  /// constant the stored one, floats in the compute type.
  mlir::Type formType(mlir::Value topValue);
  /// `topValue` quantized with its calibrated range. Reports at `user` if the
  /// table lacks it.
  Answer<mlir::Value> inQuant(mlir::Value topValue, mlir::Operation *user);
  /// The element type `!quant` of a value by its calibrated range; null if the
  /// table lacks it.
  mlir::Type calibratedType(mlir::Value topValue);
  /// The same. Reports at
  /// `user` if the table lacks it.
  mlir::FailureOr<mlir::Type> quantTypeOf(mlir::Value topValue,
                                          mlir::Operation *user);

  /// The weights that the table has for the product that gives the ONNX value
  /// `name`, whatever they are meant for; or null.
  const RecoveredProduct *recoveredNamed(llvm::StringRef name) const;
  /// The recovered weights of a product with constant weights in 8 bits whose
  /// input has factors, which no other reader of the input shares; or null.
  const RecoveredProduct *factoredProduct(mlir::Operation *op) const;
  /// The input of such a product `op`, times the factors, in the codes of
  /// `own`.
  mlir::Value inFactoredQuant(mlir::Operation *op, const RecoveredProduct &own);

  /// The weights that the table has for the product that gives the ONNX value
  /// `name`, if they are meant for an input of codes `input`; or null.
  const RecoveredProduct *recoveredOf(llvm::StringRef name,
                                      mlir::Type input) const;

  /// True if every use of `topValue` is the input of a product with constant
  /// weights, which wants it in 8 bits, or with `quantizedIo` a result of the
  /// graph.
  bool isWantedQuantizedOnly(mlir::Value topValue);
  /// The one type !quant in which all that read `topValue` want it: products
  /// with constant weights, also of what is moved or chosen from it. Null if
  /// one reads it as a float or they differ.
  mlir::Type wantedType(mlir::Value topValue);
  /// Element type of several `topValues` joined to `result`: the one that its
  /// readers want, if all can be quantized, else as elementwiseType().
  mlir::Type joinedType(mlir::ValueRange topValues, mlir::Value result);
  /// Element type in which a product with a float result should give
  /// `topValue`: f32 if only the graph's results and ops computed in f32 read
  /// it, else the compute type.
  mlir::Type floatResultType(mlir::Value topValue);

  /// Records that `tpu` stands for `topValue`; its op gets the ONNX value name
  /// and `location`'s names.
  void define(mlir::Value topValue, mlir::Value tpu);
  /// The same with `tpu` brought to the shape of `topValue`.
  void defineReshaped(mlir::Value topValue, mlir::Value tpu,
                      mlir::Location location) {
    define(topValue, reshaped(location, tpu, shapeOf(topValue)));
  }

  /// `topValue` as a tensor of the host, of ONNX type: what a host op gave, a
  /// constant, or what `tpu.to_host` brings.
  mlir::Value onHost(mlir::Value topValue);
  /// Whether a host op gives `topValue`.
  bool isOnHost(mlir::Value topValue) const {
    return planned.computedOnHost.contains(topValue) ||
           known.computedOnHost.contains(topValue);
  }
  /// Records that the host value `host` stands for `topValue`.
  void defineOnHost(mlir::Value topValue, mlir::Value host) {
    planned.hostForms[topValue] = host;
    planned.computedOnHost.insert(topValue);
  }

  /// The steps of the plan, in the order of their execution.
  mlir::Block &plan() { return sheet; }
  /// The plan becomes the end of the graph.
  void accept();
  /// The plan is dropped.
  void discard();

  /// Notes the quantizations of `block` whose steps nobody else reads. Of those
  /// with one scale the last step stands for all; the others are taken.
  void noteQuantizations(mlir::Block &block);
  /// The one quantization that alone reads `topValue`; null if there is none.
  const top::Quantization *quantizationReading(mlir::Value topValue) const;
  /// The noted quantization whose last step `op` is; null if it is none.
  const top::Quantization *quantizationOf(top::CastOp op) const;
  /// Whether what the quantization that ends in `op` divides stays far from the
  /// end of f32 (Magnitudes.h).
  bool isBoundedQuotient(top::CastOp op) const;
  /// `integers` or codes of one width as the other: the same bits. What was
  /// such bits before is taken as it was.
  mlir::Value bits(mlir::Value value, mlir::Type element);

  /// The relu that alone reads `topValue`, if any: a product or sum can take it
  /// along.
  top::UnaryOp followingRelu(mlir::Value topValue);
  /// Marks an op that another one took along.
  void markTaken(mlir::Operation *op) { planned.taken.insert(op); }
  bool isTaken(mlir::Operation *op) const { return known.taken.contains(op); }

  /// The constant that `topValue` is, as floats; std::nullopt if it is no float
  /// constant.
  std::optional<FloatConstant> constantOf(mlir::Value topValue);
  /// The elements of the integer or bool constant that `topValue` is, in
  /// row-major order (ui64 as its bits); std::nullopt if it is none.
  std::optional<std::vector<int64_t>> integersOf(mlir::Value topValue);
  /// A `tpu.weight` of the 4-D shape and a float element type. Reports if a
  /// value does not fit into it.
  Answer<mlir::Value> floatWeight(mlir::Location location,
                                  llvm::ArrayRef<int64_t> shape,
                                  mlir::Type element,
                                  llvm::ArrayRef<float> values);
  /// Shares the bytes of a constant that has them in this type.
  Answer<mlir::Value> floatWeight(mlir::Location location,
                                  llvm::ArrayRef<int64_t> shape,
                                  mlir::Type element,
                                  const FloatValues &values);
  mlir::Value i8Weight(mlir::Location location, llvm::ArrayRef<int64_t> shape,
                       std::vector<int8_t> values);
  mlir::Value i32Weight(mlir::Location location, llvm::ArrayRef<int64_t> shape,
                        llvm::ArrayRef<int32_t> values);
  /// The same of integers for any element: of 8 to 32 bits, refused if a value
  /// does not fit, or a float (Pow takes an exponent of integers).
  Answer<mlir::Value> integerWeight(mlir::Location location,
                                    llvm::ArrayRef<int64_t> shape,
                                    mlir::Type element,
                                    llvm::ArrayRef<int64_t> values);
  /// `value` under another 4-D shape with as many elements; itself if it has
  /// that shape.
  mlir::Value reshaped(mlir::Location location, mlir::Value value,
                       llvm::ArrayRef<int64_t> shape);
  /// `value` with its axes in this order, as `tpu.permute` has it.
  mlir::Value permuted(mlir::Location location, mlir::Value value,
                       llvm::ArrayRef<int64_t> order);

private:
  /// What stands for what.
  struct Notes {
    llvm::DenseMap<mlir::Value, mlir::Value> defined; ///< top -> first form
    llvm::DenseMap<std::pair<mlir::Value, mlir::Type>, mlir::Value>
        otherForms; ///< first form, element -> cast; form or constant, tensor
                    ///< type -> reshaped form or weight
    llvm::DenseMap<mlir::Value, mlir::Value> hostForms; ///< top -> host
    llvm::DenseSet<mlir::Value> computedOnHost;         ///< top values
    llvm::DenseSet<mlir::Operation *> taken;
  };

  mlir::Value cast(mlir::Value value, mlir::Type element);
  mlir::Value otherForm(mlir::Value of, mlir::Type type) const;
  mlir::Value hostForm(mlir::Value topValue) const;
  Answer<mlir::Value> constantValue(mlir::Value topValue, mlir::Type element,
                                    llvm::ArrayRef<int64_t> shape,
                                    mlir::Operation *user);
  /// Gives the op of `tpu` the ONNX name of `topValue`.
  void nameAfter(mlir::Value topValue, mlir::Value tpu);

  mlir::Block &graph;
  mlir::Block sheet;    ///< the plan
  Notes known, planned; ///< of the graph, of the plan
  /// What the plan defines, in order: its ops are named when it is accepted.
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> definitions;
  const CalibrationTable *table;
  llvm::DenseSet<mlir::Value> wideValues;
  llvm::DenseMap<mlir::Value, mlir::Type> wantedTypes;
  /// By their last step, and those that alone read a value by that.
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<top::Quantization>>
      quantizations;
  llvm::DenseSet<mlir::Operation *> boundedQuotients;
  llvm::DenseMap<mlir::Value, const top::Quantization *> soleReaders;
};

/// Element type of a top value.
mlir::Type topElement(mlir::Value topValue);

/// ONNX name of a top value: `top.value` of its op, `top.name` of an argument;
/// "?" if it has none.
std::string valueName(mlir::Value topValue);
/// Whether convolutions and matrix products alone read `topValue`, perhaps
/// turned, joined with others or cut.
bool feedsProducts(mlir::Value topValue);
/// Whether what reads `topValue` scales it, adds up products of it or is the
/// result of the graph: an error stays as small beside it as it was. Not so of
/// what takes it from 1.
bool endsInProducts(mlir::Value topValue);
/// Whether someone makes whole numbers of `topValue` by rounding down, up or
/// towards zero, perhaps some steps behind it.
bool isTruncated(mlir::Value topValue);

/// Whether `topValue` is nothing but a result of the graph, everywhere with its
/// axes in another order.
bool isReturnedTurned(mlir::Value topValue);
/// What calibration calls a product: the ONNX value that it gives, or
/// "value[begin:end]" for columns of one that no op gives; "?" for neither.
std::string productName(mlir::Operation *op);

/// From the name of a top op to the function that plans it.
class LoweringTable {
public:
  /// Writes the plan of an op: its steps, or why the chip has none.
  using Function = std::function<Answer<>(mlir::Operation *, Lowering &)>;

  /// Says of a kind of an op, as the text form spells it, whether the chip has
  /// it.
  using KindFilter = bool (*)(llvm::StringRef);

  template <typename OpT>
  void add(Answer<> (*plan)(OpT, Lowering &), KindFilter hasKind = nullptr) {
    functions[OpT::getOperationName()] = [plan](mlir::Operation *op,
                                                Lowering &lowering) {
      return plan(mlir::cast<OpT>(op), lowering);
    };
    this->hasKind = hasKind;
  }
  /// An op that only holds numbers for its users: nothing is computed for it.
  template <typename OpT>
  void addFolded() {
    functions[OpT::getOperationName()] = [](mlir::Operation *, Lowering &) {
      return Answer<>(Yes());
    };
    foldsOnly = true;
  }
  /// What the family registered last does with ops of `kind`.
  TpuSupport supportOf(llvm::StringRef kind) const {
    if (foldsOnly)
      return TpuSupport::FoldedOnly;
    bool has =
        !functions.empty() && (kind.empty() || (hasKind && hasKind(kind)));
    return has ? TpuSupport::Yes : TpuSupport::NotYet;
  }
  const Function *find(mlir::Operation *op) const {
    auto found = functions.find(op->getName().getStringRef());
    return found == functions.end() ? nullptr : &found->second;
  }

private:
  llvm::StringMap<Function> functions;
  KindFilter hasKind = nullptr;
  bool foldsOnly = false;
};

/// An affine product with constant weights, ready to become a `tpu.conv`: a
/// convolution or a matrix product.
struct Product {
  mlir::Operation *op;     ///< the top op, for locations and errors
  mlir::Value input;       ///< top value
  mlir::Value output;      ///< top value that the product, with its relu, gives
  FloatConstant filter;    ///< shape oc, ic/group, kh, kw
  std::vector<float> bias; ///< empty or oc values
  llvm::SmallVector<int64_t, 2> strides{1, 1}, dilations{1, 1};
  llvm::SmallVector<int64_t, 4> pads{0, 0, 0, 0};
  int64_t group = 1;
  bool relu = false;
  llvm::SmallVector<int64_t, 4> inputShape;  ///< 4-D view of the input
  llvm::SmallVector<int64_t, 4> outputShape; ///< 4-D result
  mlir::Location location;
  /// A product of `turnedRows` rows of a matrix, if not 0: rows become pixels,
  /// columns channels, and back. The shapes above are those in between, 1 x
  /// columns x rows x 1.
  int64_t turnedRows = 0;
  /// Of these rows each in a lane, and nothing is turned: tpu.linear.
  bool hasRowsInLanes = false;
  /// Which are those of as many images; each begins in lane 0.
  int64_t rowImages = 1;
  /// Local memory has no room for the matrix as numbers: refused without codes,
  /// of which there may be products of some columns each.
  bool needsCodes = false;
  /// Its sums may be of whole numbers and then are to be exact. Set by
  /// planProduct.
  bool isExact = false;

  /// The rows of all images, `columns` elements each, as tpu.linear has them.
  llvm::SmallVector<int64_t, 4> rowsInLanes(int64_t columns) const {
    return {rowImages, turnedRows / rowImages, 1, columns};
  }
};

/// Channels that each result of `product`, a top op of one group with constant
/// weights, reads.
int64_t inputChannelsOf(mlir::Operation *product);

/// Plans a product in the precision asked for and defines `output`. (Conv.cpp)
Answer<> planProduct(Product &product, Lowering &lowering);

/// Whether a product with a constant matrix inner x columns can be computed a
/// row a lane: with room in local memory for the matrix and as much again. Then
/// rows stay where they are and the product ends no group.
bool canTakeRows(int64_t inner, int64_t columns, Lowering &lowering);

/// The same of `rows` rows, unless a product of a 16-bit program stays in f32
/// (`Choices`), or one of an f32 program takes fewer cycles with the rows as
/// pixels, their way through DRAM included.
bool takesRows(int64_t rows, int64_t inner, int64_t columns,
               Lowering &lowering);

/// An operator of a plugin becomes a `tpu.custom`. (Custom.cpp)
Answer<> planCustom(top::CustomOp op, Lowering &lowering);

// One function a family; called from the family list in cmake/OpFamilies.cmake.
#define WEFT_FAMILY(name) void register##name##Lowering(LoweringTable &table);
#include "OpFamilies.inc"
#undef WEFT_FAMILY

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_LOWERING_H
