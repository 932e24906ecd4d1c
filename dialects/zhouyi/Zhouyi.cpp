//===- Zhouyi.cpp - the zhouyi dialect and its types ---------------------===//

#include "dialects/zhouyi/Zhouyi.h"
#include "dialects/catalog/FunctionOps.h"
#include "dialects/zhouyi/Vector.h"
#include "runtime/zhouyi/Mask.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weft::zhouyi;

#include "dialects/zhouyi/ZhouyiDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/zhouyi/ZhouyiTypes.cpp.inc"

void ZhouyiDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/zhouyi/ZhouyiTypes.cpp.inc"
      >();
}

void ZhouyiDialect::initialize() {
  registerTypes();
  registerFunctions();
  registerMemory();
  registerProgram();
  registerVector();
}

void *ZhouyiDialect::getRegisteredInterfaceForOp(TypeID interface,
                                                 OperationName name) {
  return catalog::functionEffects(interface, name);
}

Operation *ZhouyiDialect::materializeConstant(OpBuilder &builder,
                                              Attribute value, Type type,
                                              Location loc) {
  if (type.isIndex()) // a bound or an index of a loop
    return arith::ConstantOp::materialize(builder, value, type, loc);
  auto elements = dyn_cast<DenseElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return builder.create<ConstantOp>(loc, elements);
}

/// A vector that registers can hold, whatever its elements are.
static mlir::VectorType registerVector(Type type) {
  auto vector = dyn_cast<mlir::VectorType>(type);
  if (!vector || vector.getRank() != 1 || vector.isScalable() ||
      vector.getDimSize(0) > int64_t(kMaxLanes))
    return {};
  return vector;
}

/// Elements of vectors and of memory that they are loaded from.
static bool isElement(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return type.isF16() || type.isBF16() || type.isF32() ||
         (integer && !integer.isSignless() &&
          (integer.getWidth() == 8 || integer.getWidth() == 16 ||
           integer.getWidth() == 32));
}

bool weft::zhouyi::isVector(Type type) {
  mlir::VectorType vector = registerVector(type);
  return vector && isElement(vector.getElementType());
}

bool weft::zhouyi::isMask(Type type) {
  mlir::VectorType vector = registerVector(type);
  return vector && vector.getElementType().isInteger(1);
}

LogicalResult PtrType::verify(function_ref<InFlightDiagnostic()> emitError,
                              Type elementType) {
  auto integer = mlir::dyn_cast<IntegerType>(elementType);
  bool isWide = elementType.isF64() ||
                (integer && !integer.isSignless() && integer.getWidth() == 64);
  if (isElement(elementType) || isWide)
    return success();
  return emitError() << "a pointer is to " << elementType
                     << ", must be to si8, ui8, si16, ui16, si32, ui32, f16, "
                        "bf16 or f32 (for the host also si64, ui64, f64)";
}
