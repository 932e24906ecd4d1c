//===- Top.cpp - the top dialect -----------------------------------------===//

#include "dialects/top/Top.h"

#include "dialects/top/Constant.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weft::top;

#include "dialects/top/TopDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/top/TopTypes.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/top/TopAttrs.cpp.inc"

void TopDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/top/TopTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/top/TopAttrs.cpp.inc"
      >();
#define WEFT_FAMILY(name) register##name();
#include "OpFamilies.inc"
#undef WEFT_FAMILY
}

Operation *TopDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                           Type type, Location location) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type || !isTopTensor(type))
    return nullptr;
  return builder.create<ConstantOp>(location, type, elements);
}

/// The host types that need a NarrowFloatType.
static bool isNarrowFloat(std::optional<weft::numeric::ElementType> type) {
  using weft::numeric::ElementType;
  return type &&
         (*type == ElementType::F4E2M1 || *type == ElementType::F6E2M3 ||
          *type == ElementType::F6E3M2 || *type == ElementType::F8E8M0);
}

LogicalResult
NarrowFloatType::verify(function_ref<InFlightDiagnostic()> emitError,
                        StringRef name) {
  if (isNarrowFloat(weft::numeric::parseElementType(name)))
    return success();
  return emitError() << "'" << name
                     << "' is no narrow float; use f4e2m1, f6e2m3, f6e3m2 or "
                        "f8e8m0";
}

weft::numeric::ElementType NarrowFloatType::getHostType() const {
  return *weft::numeric::parseElementType(getName());
}

bool weft::top::isTopElementType(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (integer &&
      (integer.isSigned() || (integer.isUnsigned() && integer.getWidth() == 1)))
    return false;
  return !isa<IndexType, ComplexType>(type) &&
         weft::hostElementType(type).has_value();
}

Type weft::top::elementTypeFor(weft::numeric::ElementType type,
                               MLIRContext *context) {
  using weft::numeric::ElementType;
  Builder builder(context);
  auto integer = [&](unsigned width) -> Type {
    return builder.getIntegerType(width);
  };
  auto natural = [&](unsigned width) -> Type {
    return builder.getIntegerType(width, /*isSigned=*/false);
  };
  switch (type) {
  case ElementType::F32:
    return builder.getF32Type();
  case ElementType::F64:
    return builder.getF64Type();
  case ElementType::F16:
    return builder.getF16Type();
  case ElementType::BF16:
    return builder.getBF16Type();
  case ElementType::F8E4M3FN:
    return builder.getFloat8E4M3FNType();
  case ElementType::F8E4M3FNUZ:
    return builder.getFloat8E4M3FNUZType();
  case ElementType::F8E5M2:
    return builder.getFloat8E5M2Type();
  case ElementType::F8E5M2FNUZ:
    return builder.getFloat8E5M2FNUZType();
  case ElementType::Bool:
    return integer(1);
  case ElementType::I2:
    return integer(2);
  case ElementType::I4:
    return integer(4);
  case ElementType::I8:
    return integer(8);
  case ElementType::I16:
    return integer(16);
  case ElementType::I32:
    return integer(32);
  case ElementType::I64:
    return integer(64);
  case ElementType::U2:
    return natural(2);
  case ElementType::U4:
    return natural(4);
  case ElementType::U8:
    return natural(8);
  case ElementType::U16:
    return natural(16);
  case ElementType::U32:
    return natural(32);
  case ElementType::U64:
    return natural(64);
  default:
    break;
  }
  if (!isNarrowFloat(type))
    return nullptr; // complex numbers
  return NarrowFloatType::get(context, weft::numeric::elementTypeName(type));
}

bool weft::top::isTopTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() &&
         isTopElementType(tensor.getElementType());
}

bool weft::top::isBoundedTopTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isTopElementType(tensor.getElementType()) &&
         largestShape(tensor);
}

std::optional<SmallVector<int64_t>>
weft::top::broadcastShapes(ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs) {
  SmallVector<int64_t> shape(std::max(lhs.size(), rhs.size()));
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t left = i < lhs.size() ? lhs[lhs.size() - 1 - i] : 1;
    int64_t right = i < rhs.size() ? rhs[rhs.size() - 1 - i] : 1;
    if (left != right && left != 1 && right != 1)
      return std::nullopt;
    shape[shape.size() - 1 - i] = left == 1 ? right : left;
  }
  return shape;
}

std::string weft::top::shapeText(ArrayRef<int64_t> shape) {
  if (shape.empty())
    return "scalar";
  return llvm::join(
      llvm::map_range(shape, [](int64_t size) { return std::to_string(size); }),
      "x");
}
