//===- Ascend.cpp - the ascend dialect ------------------------------------===//

#include "dialects/ascend/Ascend.h"
#include "dialects/catalog/FunctionOps.h"
#include "runtime/chips/Chips.h"

using namespace mlir;
using namespace weft;
using namespace weft::ascend;

#include "dialects/ascend/AscendDialect.cpp.inc"

void AscendDialect::initialize() {
  registerMemory();
  registerFunctions();
}

void *AscendDialect::getRegisteredInterfaceForOp(TypeID interface,
                                                 OperationName name) {
  return catalog::functionEffects(interface, name);
}

LogicalResult
AscendDialect::verifyOperationAttribute(Operation *op,
                                        NamedAttribute attribute) {
  if (attribute.getName() != kTargetAttr)
    return success();
  auto name = dyn_cast<StringAttr>(attribute.getValue());
  StringRef word = name ? name.getValue() : StringRef();
  if (chips::findCubeTarget({word.data(), word.size()}))
    return success();
  return op->emitError() << kTargetAttr << " is " << attribute.getValue()
                         << ", must be \""
                         << std::string(chips::cubeTargets[0]->targetName)
                         << "\"";
}

MemRefType ascend::memoryOf(Type type) {
  auto memory = dyn_cast<MemRefType>(type);
  if (!memory || !memory.hasStaticShape() || !memory.getLayout().isIdentity())
    return {};
  auto space = dyn_cast_or_null<StringAttr>(memory.getMemorySpace());
  if (!space ||
      (space.getValue() != kGlobalSpace && space.getValue() != kL1Space))
    return {};
  std::optional<catalog::DataType> element =
      catalog::dataTypeOf(memory.getElementType());
  if (!element || !catalog::kAnyElement.contains(*element))
    return {};
  // What no memory holds must not overflow the sums of the checks.
  double bytes = catalog::bytesOf(*element);
  for (int64_t size : memory.getShape())
    bytes *= double(size);
  return bytes <= double(int64_t(1) << 40) ? memory : MemRefType();
}

StringRef ascend::memoryWords() {
  return "a contiguous memref of static shape and at most 2^40 bytes in \"gm\" "
         "or \"l1\" with elements si8, ui8, si16, ui16, f16, bf16, si32, ui32 "
         "or f32";
}

bool ascend::isInL1(MemRefType type) {
  return cast<StringAttr>(type.getMemorySpace()).getValue() == kL1Space;
}

int64_t ascend::bytesOf(MemRefType type) {
  return type.getNumElements() *
         int64_t(catalog::bytesOf(*catalog::dataTypeOf(type.getElementType())));
}

MemRefType ascend::memoryType(int64_t elements, Type element, bool inL1) {
  return MemRefType::get(
      {elements}, element, MemRefLayoutAttrInterface(),
      StringAttr::get(element.getContext(), inL1 ? kL1Space : kGlobalSpace));
}
