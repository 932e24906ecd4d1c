//===- LayerInputs.cpp - plans for the layers of a graph ------------------===//

#include "passes/ascend/LayerInputs.h"

#include "dialects/top/Binary.h"
#include "dialects/top/Cast.h"
#include "dialects/top/Constant.h"
#include "dialects/top/Conv.h"
#include "dialects/top/MatMul.h"
#include "dialects/top/Move.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace weft;
using namespace weft::ascend;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static constexpr InputType kInputTypes[] = {
    {"f16", 2}, {"bf16", 2}, {"int8", 1}, {"f32", 4}};

Type InputType::type(MLIRContext *context) const {
  if (name == "f16")
    return Float16Type::get(context);
  if (name == "bf16")
    return BFloat16Type::get(context);
  if (name == "f32")
    return Float32Type::get(context);
  return IntegerType::get(context, 8, IntegerType::Signed);
}

const InputType *ascend::findInputType(StringRef name) {
  for (const InputType &type : kInputTypes)
    if (type.name == name)
      return &type;
  return nullptr;
}

std::string ascend::inputTypeNames() {
  std::string text;
  for (const InputType &type : kInputTypes)
    text += (text.empty() ? "" : ", ") + type.name.str();
  return text;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// The name in the location of an ONNX node or value; empty if there is none.
/// A name without a place is the file's.
static std::string nameIn(Location location) {
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (Location part : fused.getLocations())
      if (std::string name = nameIn(part); !name.empty())
        return name;
    return {};
  }
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return nameIn(call.getCallee());
  auto name = dyn_cast<NameLoc>(location);
  if (!name || mlir::isa<UnknownLoc>(name.getChildLoc()))
    return {};
  return name.getName().str();
}

/// The ONNX value that a value of the graph stands for; empty if not known.
static std::string nameOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function =
        dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
    if (!function)
      return {};
    auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                      top::kNameAttr);
    return name ? name.str() : std::string();
  }
  Attribute attribute = value.getDefiningOp()->getAttr(top::kValueAttr);
  if (auto list = dyn_cast_or_null<ArrayAttr>(attribute))
    attribute = list[cast<OpResult>(value).getResultNumber()];
  auto name = dyn_cast_or_null<StringAttr>(attribute);
  return name ? name.str() : std::string();
}

/// The value that `value` has its elements from, one for one or in another
/// order or number: moved, cast, or scaled and shifted by an array that is
/// constant or smaller. Null for any other value.
static Value sourceOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  if (mlir::isa<top::CastOp, top::ReshapeOp, top::TransposeOp, top::SliceOp,
                top::PadOp>(op))
    return op->getOperand(0);
  auto binary = dyn_cast<top::BinaryOp>(op);
  if (!binary)
    return {};
  auto shapeOf = [](Value of) {
    return cast<RankedTensorType>(of.getType()).getShape();
  };
  for (unsigned side = 0; side < 2; ++side) {
    Value from = op->getOperand(side), by = op->getOperand(1 - side);
    bool isScaling = by.getDefiningOp<top::ConstantOp>() != nullptr ||
                     shapeOf(by) != shapeOf(value);
    if (isScaling && shapeOf(from) == shapeOf(value))
      return from;
  }
  return {};
}

/// The name of the value or of the nearest one that it is made of.
static std::string originOf(Value value) {
  for (Value from = value; from; from = sourceOf(from))
    if (std::string name = nameOf(from); !name.empty())
      return name;
  return nameIn(value.getLoc());
}

static bool isFromInt8(Value value) {
  for (Value from = value; from; from = sourceOf(from))
    if (getElementTypeOrSelf(from).isInteger(8))
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// Spatial sizes as the last of three, those in front of them 1 (or 0).
static void spread(ArrayRef<int64_t> from, ConvShape::Spatial &to) {
  std::copy(from.begin(), from.end(), to.end() - int64_t(from.size()));
}

static ConvShape shapeOf(top::ConvOp op) {
  auto sizes = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  };
  ArrayRef<int64_t> input = sizes(op.getInput()),
                    filter = sizes(op.getFilter());
  ConvShape shape;
  shape.n = input[0];
  shape.c = input[1];
  shape.m = filter[0];
  shape.group = op.getGroupAttr().getInt();
  spread(input.drop_front(2), shape.in);
  spread(sizes(op.getOutput()).drop_front(2), shape.out);
  spread(filter.drop_front(2), shape.kernel);
  spread(op.getStrides(), shape.strides);
  spread(op.getDilations(), shape.dilations);
  spread(op.getPads().take_front(input.size() - 2), shape.padsBegin);
  return shape;
}

/// A factor with rank 1 is a row on the left and a column on the right.
static MatMulShape shapeOf(top::MatMulOp op) {
  ArrayRef<int64_t>
      lhs = cast<RankedTensorType>(op.getLhs().getType()).getShape(),
      rhs = cast<RankedTensorType>(op.getRhs().getType()).getShape();
  MatMulShape shape;
  shape.k = lhs.back();
  if (lhs.size() > 1) {
    shape.m = lhs[lhs.size() - 2];
    shape.lhsBatch = ShapedType::getNumElements(lhs.drop_back(2));
  }
  if (rhs.size() > 1) {
    shape.n = rhs.back();
    shape.rhsBatch = ShapedType::getNumElements(rhs.drop_back(2));
  }
  return shape;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// The factors of a product of matrices with more than 2^40 elements are
/// refused by the plan; the sum of their sizes must not overflow before.
static bool hasKnownSize(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape())
    return false;
  double elements = 1;
  for (int64_t size : type.getShape())
    elements *= double(size);
  return elements <= double(int64_t(1) << 40);
}

static bool isConstant(Value value) {
  return value.getDefiningOp<top::ConstantOp>() != nullptr;
}

static FailureOr<InputPlans> planOf(Operation *op, const InputType &type,
                                    const CubeMemory &memory, Groups groups) {
  for (Value value : op->getOperands().take_front(2))
    if (!hasKnownSize(value)) {
      op->emitError() << "unsupported: an input has the type "
                      << value.getType()
                      << "; moves are planned for known sizes of at most 2^40 "
                         "elements";
      return failure();
    }
  if (!isConstant(op->getOperand(1)))
    groups = Groups::Separate;
  rt::Result<InputPlans> plans =
      mlir::isa<top::ConvOp>(op)
          ? planConv(shapeOf(cast<top::ConvOp>(op)), type.bytes, memory, groups)
          : planMatMul(shapeOf(cast<top::MatMulOp>(op)), type.bytes, memory);
  if (!plans) {
    op->emitError() << plans.status().message();
    return failure();
  }
  return std::move(*plans);
}

FailureOr<std::vector<LayerInput>>
ascend::planLayerInputs(ModuleOp module, const InputType &type,
                        const CubeMemory &memory, Groups groups) {
  std::vector<LayerInput> inputs;
  size_t layerIndex = 0;
  WalkResult walked = module.walk([&](Operation *op) {
    if (!mlir::isa<top::ConvOp, top::MatMulOp>(op))
      return WalkResult::advance();
    FailureOr<InputPlans> plans = planOf(op, type, memory, groups);
    if (failed(plans))
      return WalkResult::interrupt();
    bool isConv = mlir::isa<top::ConvOp>(op);
    for (unsigned i = 0; i < 2; ++i) {
      LayerInput input;
      input.layer = op;
      input.operand = i;
      input.layerIndex = layerIndex;
      input.role = isConv ? (i ? "filter" : "input") : (i ? "rhs" : "lhs");
      input.layerName = nameOf(op->getResult(0));
      if (input.layerName.empty())
        input.layerName = nameIn(op->getLoc());
      input.valueName = originOf(op->getOperand(i));
      input.isFromInt8 = isFromInt8(op->getOperand(i));
      input.isConstant = isConstant(op->getOperand(i));
      input.joinedGroups = plans->joinedGroups;
      input.plan = std::move(i ? plans->second : plans->first);
      inputs.push_back(std::move(input));
    }
    ++layerIndex;
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  return inputs;
}
