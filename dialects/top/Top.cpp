//===- Top.cpp - the top dialect -----------------------------------------===//

#include "dialects/top/Top.h"

#include "dialects/top/Constant.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weft::top;

#include "dialects/top/TopDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/top/TopAttrs.cpp.inc"

void TopDialect::initialize() {
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

bool weft::top::isTopElementType(Type type) {
  if (isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type))
    return true;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.isSigned())
    return false;
  unsigned width = integer.getWidth();
  if (width == 1)
    return integer.isSignless();
  return width == 8 || width == 16 || width == 32 || width == 64;
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
