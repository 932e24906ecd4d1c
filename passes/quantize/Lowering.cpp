//===- Lowering.cpp - what the lowering of every family shares ------------===//

#include "passes/quantize/Lowering.h"
#include "runtime/numeric/SmallFloats.h"

#include "dialects/top/Binary.h"
#include "dialects/top/Cast.h"
#include "dialects/top/Constant.h"
#include "dialects/top/Conv.h"
#include "dialects/top/Exact.h"
#include "dialects/top/MatMul.h"
#include "dialects/top/Move.h"
#include "dialects/top/Part.h"
#include "dialects/top/Pool.h"
#include "dialects/top/Quantization.h"
#include "dialects/top/Reduce.h"
#include "dialects/top/Softmax.h"
#include "dialects/top/Unary.h"
#include "dialects/tpu/Cast.h"
#include "dialects/tpu/Constant.h"
#include "dialects/tpu/Move.h"
#include "passes/quantize/Elements.h"
#include "passes/quantize/Magnitudes.h"
#include "passes/quantize/NamedSource.h"
#include "passes/quantize/QuantScale.h"
#include "runtime/numeric/Float16.h"
#include "runtime/numeric/TensorValues.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

SmallVector<int64_t, 4> weft::quantize::foldShape(ArrayRef<int64_t> shape) {
  SmallVector<int64_t, 4> folded{1, 1, 1, 1};
  if (shape.size() > 4) {
    folded = {shape[0], shape[1], 1, shape.back()};
    for (int64_t size : shape.drop_front(2).drop_back())
      folded[2] *= size;
    return folded;
  }
  for (auto [axis, size] : llvm::enumerate(shape))
    folded[foldAxis(axis, shape.size())] = size;
  return folded;
}

Type weft::quantize::storedElement(Type onnx) {
  if (onnx.isF64())
    return Float32Type::get(onnx.getContext());
  auto integer = dyn_cast<IntegerType>(onnx);
  bool isNarrowFloat = !integer && (!mlir::isa<FloatType>(onnx) ||
                                    onnx.getIntOrFloatBitWidth() == 8);
  if (isNarrowFloat || onnx.isInteger(1))
    return IntegerType::get(onnx.getContext(), 8, IntegerType::Unsigned);
  if (integer && integer.getWidth() < 8)
    return IntegerType::get(onnx.getContext(), 8, integer.getSignedness());
  if (integer && integer.getWidth() == 64)
    return IntegerType::get(onnx.getContext(), 32, integer.getSignedness());
  if (std::optional<numeric::ElementType> type = hostElementType(onnx);
      type && numeric::isSmallFloat(*type)) // as bits
    return IntegerType::get(onnx.getContext(), 8, IntegerType::Unsigned);
  return onnx;
}

int64_t weft::quantize::foldAxis(int64_t axis, int64_t rank) {
  if (rank == 1)
    return 1;
  return rank == 3 && axis == 2 ? 3 : axis;
}

Type weft::quantize::topElement(Value topValue) {
  return getElementTypeOrSelf(topValue.getType());
}

std::string weft::quantize::valueName(Value topValue) {
  if (auto argument = dyn_cast<BlockArgument>(topValue)) {
    auto func = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    auto name = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                  top::kNameAttr);
    return name ? name.str() : "?";
  }
  Attribute attr = topValue.getDefiningOp()->getAttr(top::kValueAttr);
  if (auto names = dyn_cast_or_null<ArrayAttr>(attr)) {
    unsigned index = cast<OpResult>(topValue).getResultNumber();
    attr = index < names.size() ? names[index] : Attribute();
  }
  auto name = dyn_cast_or_null<StringAttr>(attr);
  return name ? name.str() : "?";
}

std::string weft::quantize::productName(Operation *op) {
  std::string name = valueName(op->getResult(0));
  auto whole = op->getAttrOfType<StringAttr>(top::kPartOfAttr);
  auto columns = op->getAttrOfType<DenseI64ArrayAttr>(top::kColumnsAttr);
  if (name != "?" || !whole || !columns)
    return name;
  return (whole.getValue() + "[" + Twine(columns[0]) + ":" + Twine(columns[1]) +
          "]")
      .str();
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

Lowering::~Lowering() { discard(); }

Lowering::Lowering(OpBuilder &builder, Block &graph, const Choices &choices,
                   const CalibrationTable *table, OpPrecisions opPrecisions,
                   WideSteps wideSteps)
    : builder(builder), choices(choices), opPrecisions(std::move(opPrecisions)),
      wideSteps(std::move(wideSteps)), graph(graph), table(table) {
  builder.setInsertionPointToEnd(&sheet);
}

/// Takes the notes of `from` over. The order of hash maps does not matter here.
template <typename Notes>
static void join(Notes &to, Notes &from) {
  for (const auto &note : from)
    to.insert(note);
  from.clear();
}

/// The same for maps, whose newer notes hold.
template <typename Map>
static void joinMap(Map &to, Map &from) {
  for (const auto &[key, value] : from)
    to[key] = value;
  from.clear();
}

void Lowering::accept() {
  graph.getOperations().splice(graph.end(), sheet.getOperations());
  for (auto [topValue, tpu] : definitions)
    nameAfter(topValue, tpu);
  definitions.clear();
  joinMap(known.defined, planned.defined);
  joinMap(known.otherForms, planned.otherForms);
  joinMap(known.hostForms, planned.hostForms);
  join(known.computedOnHost, planned.computedOnHost);
  join(known.taken, planned.taken);
}

void Lowering::discard() {
  while (!sheet.empty()) // what reads before what is read
    sheet.back().erase();
  definitions.clear();
  planned = Notes();
}

Value Lowering::otherForm(Value of, Type type) const {
  if (Value form = planned.otherForms.lookup({of, type}))
    return form;
  return known.otherForms.lookup({of, type});
}

//===----------------------------------------------------------------------===//
// Types and forms
//===----------------------------------------------------------------------===//

Type Lowering::computeType() {
  if (isExact)
    return f32();
  switch (choices.precision) {
  case Precision::F32:
    return builder.getF32Type();
  case Precision::BF16:
    return builder.getBF16Type();
  case Precision::F16:
  case Precision::I8:
  case Precision::W8:
  case Precision::W4:
    return builder.getF16Type();
  }
  llvm_unreachable("covered switch");
}

RankedTensorType Lowering::tensor(ArrayRef<int64_t> shape, Type element) {
  return RankedTensorType::get(shape, element);
}

SmallVector<int64_t, 4> Lowering::shapeOf(Value top) {
  return foldShape(mlir::cast<RankedTensorType>(top.getType()).getShape());
}

/// True if the reciprocal of `scale` is a normal f16 number: then one f16
/// product quantizes.
static bool reciprocalFitsHalf(double scale) {
  return 1 / scale < 65504 && 1 / scale > 6.2e-5;
}

Value Lowering::cast(Value value, Type element) {
  Type from = tpu::elementOf(value);
  if (from == element)
    return value;
  // The chip has no cast between f16 and bf16, and for integers only those from
  // and to f32; f32 holds all 16-bit floats exactly.
  bool isNarrow =
      (from.isF16() && element.isBF16()) || (from.isBF16() && element.isF16());
  bool isWhole = (mlir::isa<IntegerType>(from) && !element.isF32()) ||
                 (mlir::isa<IntegerType>(element) && !from.isF32());
  if (isNarrow || isWhole)
    value = cast(value, f32());
  if (mlir::isa<quant::UniformQuantizedType>(element) &&
      !(from.isF16() && reciprocalFitsHalf(tpu::scaleOf(element))))
    value = cast(value, f32());
  if (Value form = otherForm(value, element))
    return form;
  auto type =
      tensor(mlir::cast<RankedTensorType>(value.getType()).getShape(), element);
  Value form =
      builder.create<tpu::CastOp>(value.getLoc(), type, value, IntegerAttr(),
                                  IntegerAttr(), tpu::RoundingAttr());
  planned.otherForms[{value, element}] = form;
  return form;
}

Value Lowering::inFloat(Value topValue, Type element) {
  Value form = cast(firstForm(topValue), element);
  return reshaped(form.getLoc(), form, shapeOf(topValue));
}

Answer<Value> Lowering::value(Value topValue, Type element,
                              ArrayRef<int64_t> shape, Operation *user) {
  if (Value form = firstForm(topValue)) {
    form = cast(form, element);
    return reshaped(user->getLoc(), form, shape);
  }
  return constantValue(topValue, element, shape, user);
}

Answer<Value> Lowering::inOwnView(Value topValue, Type element,
                                  Operation *user) {
  if (Value form = firstForm(topValue))
    return cast(form, element);
  return value(topValue, element, user);
}

Type Lowering::formType(Value topValue) {
  if (Value form = firstForm(topValue))
    return tpu::elementOf(form);
  Type stored = storedElement(topElement(topValue));
  return mlir::isa<FloatType>(stored) ? computeType() : stored;
}

void Lowering::noteWide(Operation *op) {
  auto isHeldWide = [this](Value value) { return wideValues.contains(value); };
  auto cast = dyn_cast<top::CastOp>(op);
  auto isLong = [](Type type) {
    return type.isInteger() && type.getIntOrFloatBitWidth() >= 32;
  };
  // What a sum becomes beside its terms (a norm) needs the sum's digits: the
  // differences from a mean, their squares.
  auto reduce = dyn_cast<top::ReduceOp>(op);
  bool isWide = op->hasAttr(top::kExactAttr) ||
                (reduce && reduce.getKind() == top::ReduceKind::Sum) ||
                wideSteps.digits.contains(op) ||
                (cast && isLong(topElement(cast.getInput()))) ||
                (mlir::isa<top::BinaryOp, top::UnaryOp>(op) &&
                 llvm::any_of(op->getOperands(), isHeldWide));
  if (isWide)
    wideValues.insert(op->result_begin(), op->result_end());
}

Type Lowering::elementwiseType(ValueRange topValues) {
  Type stored = storedElement(topElement(topValues.front()));
  if (mlir::isa<IntegerType>(stored))
    return stored;
  bool wide = llvm::any_of(topValues, [this](Value value) {
    Value form = firstForm(value);
    return form && tpu::elementOf(form).isF32() &&
           (!isInt8() || isLikeHalf || wideValues.contains(value));
  });
  return wide ? f32() : computeType();
}

Type Lowering::repeatingType(ValueRange topValues) {
  constexpr int64_t kOften = 16;
  auto elements = [](Value value) {
    return mlir::cast<RankedTensorType>(value.getType()).getNumElements();
  };
  SmallVector<Value> deciding;
  for (Value value : topValues) {
    bool isRepeated = llvm::any_of(topValues, [&](Value other) {
      return elements(value) <= elements(other) / kOften;
    });
    if (!isRepeated || !wideSteps.gates.contains(value) ||
        wideValues.contains(value))
      deciding.push_back(value);
  }
  return elementwiseType(deciding.empty() ? topValues : ValueRange(deciding));
}

FailureOr<Type> Lowering::quantTypeOf(Value topValue, Operation *user) {
  if (Type type = calibratedType(topValue))
    return type;
  return emitError(user->getLoc())
         << (table ? table->title() : "the calibration table")
         << " has no entry for tensor '" << valueName(namedSource(topValue))
         << "'; calibrate this model again";
}

int64_t weft::quantize::inputChannelsOf(Operation *product) {
  auto weights =
      mlir::cast<RankedTensorType>(product->getOperand(1).getType()).getShape();
  return weights[mlir::isa<top::ConvOp>(product) ? 1 : 0];
}

const RecoveredProduct *Lowering::factoredProduct(Operation *op) const {
  if (!table || !choices.calibratesZeroPoints ||
      precisionOf(op) != Precision::I8 || !hasCalibratedName(op->getOperand(0)))
    return nullptr;
  const RecoveredProduct *found = recoveredNamed(productName(op));
  auto weights = mlir::cast<RankedTensorType>(op->getOperand(1).getType());
  ArrayRef<int64_t> input =
      mlir::cast<RankedTensorType>(op->getOperand(0).getType()).getShape();
  // Of a group, or of more axes than the machine has, no factor is a channel's.
  return found && !found->inputFactors.empty() && input.size() <= 4 &&
                 int64_t(found->inputFactors.size()) == inputChannelsOf(op) &&
                 (mlir::isa<top::ConvOp>(op) ? input[1] : input.back()) ==
                     inputChannelsOf(op) &&
                 int64_t(found->codes.size()) == weights.getNumElements()
             ? found
             : nullptr;
}

Value Lowering::inFactoredQuant(Operation *op, const RecoveredProduct &own) {
  Value topValue = op->getOperand(0);
  int64_t rank = mlir::cast<RankedTensorType>(topValue.getType()).getRank();
  Type element = tpu::elementOf(firstForm(topValue)).isF16()
                     ? builder.getF16Type()
                     : f32();
  SmallVector<int64_t, 4> shape(4, 1);
  shape[mlir::isa<top::ConvOp>(op) ? 1 : foldAxis(rank - 1, rank)] =
      own.inputFactors.size();
  Elements e(*this, op->getLoc());
  Value factors = *floatWeight(op->getLoc(), shape, element, own.inputFactors);
  Value product =
      e.binary(tpu::BinaryKind::Mul, {inFloat(topValue, element)}, {factors});
  return cast(product,
              tpu::quantElement(builder.getContext(), own.inputScale,
                                own.inputIsSigned, own.inputZeroPoint));
}

Answer<Value> Lowering::inQuant(Value topValue, Operation *user) {
  Value form = firstForm(topValue);
  if (tpu::isQuantized(form))
    return form;
  FailureOr<Type> element = quantTypeOf(topValue, user);
  if (failed(element))
    return failure();
  return cast(form, *element);
}

Type Lowering::floatResultType(Value topValue) {
  bool wantsF32 = llvm::all_of(topValue.getUsers(), [](Operation *user) {
    auto pool = dyn_cast<top::PoolOp>(user);
    return mlir::isa<func::ReturnOp, top::SoftmaxOp>(user) ||
           (pool && pool.getKind() == top::PoolKind::Avg);
  });
  return wantsF32 ? f32() : computeType();
}

void Lowering::define(Value topValue, Value tpu) {
  planned.defined[topValue] = tpu;
  definitions.emplace_back(topValue, tpu);
}

/// Whether codes of type `element`, the range of a reader, may lack numbers of
/// a value that was calibrated as `own`; such are not to be compared with
/// ONNX's.
static bool mayBeClipped(Type own, Type element) {
  auto wanted = dyn_cast_or_null<quant::UniformQuantizedType>(own),
       held = dyn_cast<quant::UniformQuantizedType>(element);
  if (!wanted || !held || wanted == held)
    return false;
  auto least = [](quant::UniformQuantizedType type) {
    return type.getScale() * (type.getStorageTypeMin() - type.getZeroPoint());
  };
  auto most = [](quant::UniformQuantizedType type) {
    return type.getScale() * (type.getStorageTypeMax() - type.getZeroPoint());
  };
  return least(held) > least(wanted) || most(held) < most(wanted);
}

/// The type that the model has for `topValue`.
static RankedTensorType onnxTypeOf(Value topValue) {
  auto type = cast<RankedTensorType>(topValue.getType());
  if (!topValue.getDefiningOp()->hasAttr(top::kTurnedAttr))
    return type;
  ArrayRef<int64_t> dims = type.getShape();
  return RankedTensorType::get(
      {dims[0], dims[2], dims[3], dims[1]}, type.getElementType(),
      StringAttr::get(type.getContext(), tpu::kChannelsLast));
}

void Lowering::nameAfter(Value topValue, Value tpu) {
  Operation *op = tpu.getDefiningOp();
  Operation *topOp = topValue.getDefiningOp();
  if (!op || !topOp || !topOp->hasAttr(top::kValueAttr) ||
      (topOp->hasAttr(top::kTurnedAttr) && !choices.hasMatrixUnit) ||
      mayBeClipped(calibratedType(topValue), tpu::elementOf(tpu)))
    return;
  // A value that only changed its rank shares the op, and keeps the name that
  // the op has; parts of one ONNX node share the name too, and the last of them
  // has its shape.
  StringAttr name = builder.getStringAttr(valueName(topValue));
  if (!op->hasAttr(top::kValueAttr))
    op->setAttr(top::kValueAttr, name);
  if (op->getAttr(top::kValueAttr) == name)
    op->setAttr(tpu::kOnnxTypeAttr, TypeAttr::get(onnxTypeOf(topValue)));
}

top::UnaryOp Lowering::followingRelu(Value topValue) {
  if (!topValue.hasOneUse())
    return {};
  auto unary = dyn_cast<top::UnaryOp>(*topValue.user_begin());
  return unary && unary.getKind() == top::UnaryKind::Relu ? unary
                                                          : top::UnaryOp();
}

//===----------------------------------------------------------------------===//
// Quantizations
//===----------------------------------------------------------------------===//

/// Whether only `steps`, but for the last, read what they give, and whether
/// the chip holds it all.
static bool isClosed(ArrayRef<Operation *> steps) {
  for (Operation *step : steps) {
    auto type = mlir::cast<RankedTensorType>(step->getResult(0).getType());
    if (!type.hasStaticShape() || type.getNumElements() == 0)
      return false;
    if (step != steps.back() &&
        !llvm::all_of(step->getUsers(), [&](Operation *user) {
          return llvm::is_contained(steps, user);
        }))
      return false;
  }
  return true;
}

void Lowering::noteQuantizations(Block &block) {
  if (!choices.hasZeroPoints)
    return;
  Magnitudes magnitudes;
  for (auto cast : block.getOps<top::CastOp>()) {
    std::optional<top::Quantization> found = top::quantizationOf(cast);
    if (!found || !isClosed(found->steps) ||
        topElement(cast.getOutput()).getIntOrFloatBitWidth() < 8)
      continue;
    auto kept = std::make_unique<top::Quantization>(std::move(*found));
    bool isAlone = llvm::all_of(kept->input.getUsers(), [&](Operation *user) {
      return llvm::is_contained(kept->steps, user);
    });
    if (isAlone)
      soleReaders[kept->input] = kept.get();
    if (kept->isScalar()) {
      known.taken.insert(kept->steps.begin(), std::prev(kept->steps.end()));
      if (magnitudes.isFarFromEnd(kept->input, kept->scale.front()))
        boundedQuotients.insert(cast);
    }
    quantizations[cast] = std::move(kept);
  }
}

const top::Quantization *Lowering::quantizationReading(Value topValue) const {
  return soleReaders.lookup(topValue);
}

const top::Quantization *Lowering::quantizationOf(top::CastOp op) const {
  auto found = quantizations.find(op);
  return found == quantizations.end() ? nullptr : found->second.get();
}

bool Lowering::isBoundedQuotient(top::CastOp op) const {
  return boundedQuotients.contains(op);
}

Value Lowering::bits(Value value, Type element) {
  auto before = value.getDefiningOp<tpu::CastOp>();
  if (before && before.getBits() &&
      tpu::elementOf(before.getInput()) == element)
    return before.getInput();
  if (tpu::elementOf(value) == element)
    return value;
  if (Value form = otherForm(value, element))
    return form;
  Value form = builder.create<tpu::CastOp>(
      value.getLoc(),
      tensor(mlir::cast<RankedTensorType>(value.getType()).getShape(), element),
      value, IntegerAttr(), IntegerAttr(), tpu::RoundingAttr(),
      builder.getUnitAttr());
  planned.otherForms[{value, element}] = form;
  return form;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

std::optional<FloatConstant> Lowering::constantOf(Value topValue) {
  auto op = topValue.getDefiningOp<top::ConstantOp>();
  if (!op)
    return std::nullopt;
  ElementsAttr attr = op.getValue();
  Type element = attr.getElementType();
  if (!element.isF32() && !element.isF16() && !element.isBF16() &&
      !element.isF64())
    return std::nullopt;
  FloatConstant constant;
  constant.shape.assign(attr.getShapedType().getShape().begin(),
                        attr.getShapedType().getShape().end());
  if (auto view = tpu::constantView(attr); view && element.isF32()) {
    constant.values = FloatValues(*view, attr);
    return constant;
  }
  size_t bytes = element.getIntOrFloatBitWidth() / 8;
  std::optional<std::vector<char>> raw = tpu::constantBytes(attr);
  if (!raw)
    return std::nullopt;
  std::vector<float> values(attr.getNumElements());
  for (size_t i = 0; i < values.size(); ++i) {
    const char *at = raw->data() + i * bytes;
    uint16_t half;
    double wide;
    if (element.isF32()) {
      std::memcpy(&values[i], at, 4);
    } else if (element.isF64()) {
      std::memcpy(&wide, at, 8);
      values[i] = static_cast<float>(wide);
    } else {
      std::memcpy(&half, at, 2);
      values[i] = element.isF16() ? numeric::halfToFloat(half)
                                  : numeric::bf16ToFloat(half);
    }
  }
  constant.values = FloatValues(std::move(values));
  return constant;
}

template <typename T>
static Value makeWeight(Lowering &lowering, Location location,
                        ArrayRef<int64_t> shape, Type element,
                        std::vector<T> values) {
  auto type = lowering.tensor(shape, element);
  return lowering.builder.create<tpu::WeightOp>(
      location, tpu::weightAttr(type, std::move(values)));
}

Answer<Value> Lowering::floatWeight(Location location, ArrayRef<int64_t> shape,
                                    Type element, ArrayRef<float> values) {
  return floatWeight(location, shape, element, FloatValues(values.vec()));
}

Answer<Value> Lowering::floatWeight(Location location, ArrayRef<int64_t> shape,
                                    Type element, const FloatValues &values) {
  if (element.isF32()) {
    if (mlir::isa_and_nonnull<DenseResourceElementsAttr>(values.source()) &&
        values.size() * sizeof(float) > tpu::kDenseWeightBytes)
      return Value(builder.create<tpu::WeightOp>(
          location,
          tpu::reshapedWeight(values.source(), tensor(shape, element))));
    return makeWeight(*this, location, shape, element, values.vector());
  }
  std::vector<uint16_t> narrow(values.size());
  PagesBehind read = values.pagesBehind();
  for (size_t i = 0; i < values.size(); ++i) {
    read.reach(i * sizeof(float));
    narrow[i] = element.isF16() ? numeric::floatToHalf(values[i])
                                : numeric::floatToBf16(values[i]);
    float back = element.isF16() ? numeric::halfToFloat(narrow[i])
                                 : numeric::bf16ToFloat(narrow[i]);
    if (std::isinf(back) && !std::isinf(values[i]))
      return emitError(location)
             << "weight " << values[i] << " is beyond the range of " << element
             << "; convert with --precision f32 or bf16";
  }
  return makeWeight(*this, location, shape, element, std::move(narrow));
}

Value Lowering::i8Weight(Location location, ArrayRef<int64_t> shape,
                         std::vector<int8_t> values) {
  return makeWeight(*this, location, shape, builder.getI8Type(),
                    std::move(values));
}

Value Lowering::i32Weight(Location location, ArrayRef<int64_t> shape,
                          ArrayRef<int32_t> values) {
  return makeWeight(*this, location, shape, builder.getI32Type(), values.vec());
}

Answer<Value> Lowering::integerWeight(Location location,
                                      ArrayRef<int64_t> shape, Type element,
                                      ArrayRef<int64_t> values) {
  auto type = mlir::dyn_cast<IntegerType>(element);
  if (!type)
    return floatWeight(location, shape, element,
                       std::vector<float>(values.begin(), values.end()));
  unsigned width = type.getWidth(), bytes = width / 8;
  bool isUnsigned = type.isUnsigned();
  int64_t low = isUnsigned ? 0 : -(int64_t(1) << (width - 1));
  int64_t high = (int64_t(1) << (isUnsigned ? width : width - 1)) - 1;
  std::vector<char> raw(values.size() * bytes);
  for (auto [i, value] : llvm::enumerate(values)) {
    if (value < low || value > high)
      return Refusal(location,
                     inWords("the integer constant ", value,
                             ", the chip computes with ", width, " bits, ", low,
                             " to ", high),
                     "use a smaller one");
    std::memcpy(raw.data() + i * bytes, &value, bytes); // little-endian
  }
  return Value(builder.create<tpu::WeightOp>(
      location, tpu::weightAttr(tensor(shape, element), raw)));
}

std::optional<std::vector<int64_t>> Lowering::integersOf(Value topValue) {
  auto op = topValue.getDefiningOp<top::ConstantOp>();
  if (!op || !mlir::isa<IntegerType>(storedElement(topElement(topValue))))
    return std::nullopt;
  FailureOr<numeric::HostTensor> tensor =
      toHostTensor(op.getValue(), op.getLoc());
  if (failed(tensor))
    return std::nullopt;
  if (numeric::isSmallFloat(tensor->type()))
    return std::vector<int64_t>(tensor->bytes(),
                                tensor->bytes() + tensor->sizeBytes());
  return loadIntegers(*tensor);
}

Answer<Value> Lowering::constantValue(Value topValue, Type element,
                                      ArrayRef<int64_t> shape,
                                      Operation *user) {
  Type type = tensor(shape, element);
  if (Value made = otherForm(topValue, type))
    return made;
  Answer<Value> weight = failure();
  if (std::optional<std::vector<int64_t>> integers = integersOf(topValue)) {
    weight = integerWeight(user->getLoc(), shape, element, *integers);
  } else if (std::optional<FloatConstant> floats = constantOf(topValue)) {
    weight = floatWeight(user->getLoc(), shape, element, floats->values);
  } else {
    return emitError(user->getLoc())
           << "the constant '" << valueName(topValue) << "' has no bytes";
  }
  if (weight)
    planned.otherForms[{topValue, type}] = *weight;
  return weight;
}

Value Lowering::permuted(Location location, Value value,
                         ArrayRef<int64_t> order) {
  tpu::Dims dims = tpu::dimsOf(value);
  SmallVector<int64_t, 4> shape;
  for (int64_t axis : order)
    shape.push_back(dims[axis]);
  return builder.create<tpu::PermuteOp>(
      location, tensor(shape, tpu::elementOf(value)), value, order);
}

Value Lowering::reshaped(Location location, Value value,
                         ArrayRef<int64_t> shape) {
  auto type = mlir::cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  auto wanted = tensor(shape, type.getElementType());
  if (Value form = otherForm(value, wanted))
    return form;
  // A constant has no place in DRAM that another view could share.
  Value form;
  if (auto weight = value.getDefiningOp<tpu::WeightOp>())
    form = builder.create<tpu::WeightOp>(
        location, tpu::reshapedWeight(weight.getValue(), wanted));
  else
    form = builder.create<tpu::ReshapeOp>(location, wanted, value);
  planned.otherForms[{value, wanted}] = form;
  return form;
}
