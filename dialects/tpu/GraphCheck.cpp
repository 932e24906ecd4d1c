//===- GraphCheck.cpp - what every pass on a tpu graph may rely on --------===//

#include "dialects/tpu/GraphCheck.h"

#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/Host.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

static bool hasStoredElement(RankedTensorType type) {
  Type element = type.getElementType();
  if (!llvm::isa<quant::QuantizedType>(element) && !element.isIntOrFloat())
    return false;
  unsigned bits = elementBits(element);
  return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

std::optional<Refusal> weft::tpu::tensorRefusal(Location location, Value value,
                                                const Chip &chip) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t bytes = elementBits(type.getElementType()) / 8;
  bool tooLarge = false;
  for (int64_t size : type.getShape())
    tooLarge |= llvm::MulOverflow(bytes, size, bytes);
  if (!tooLarge && bytes <= static_cast<int64_t>(chip.globalMemoryBytes))
    return std::nullopt;
  return Refusal(location,
                 inWords("a tensor of type ", type, ", DRAM holds ",
                         chip.globalMemoryBytes, " bytes"),
                 "make it smaller");
}

static LogicalResult checkValue(Location location, Value value,
                                const Chip &chip) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getRank() != 4 || !type.hasStaticShape() ||
      llvm::any_of(type.getShape(), [](int64_t size) { return size < 1; }) ||
      !hasStoredElement(type))
    return emitError(location)
           << "value of type " << value.getType()
           << ", must be a tensor n x c x h x w of static sizes from 1 and of "
              "8, 16, 32 or 64-bit elements";
  if (std::optional<Refusal> refusal = tensorRefusal(location, value, chip))
    return refusal->emit();
  return success();
}

LogicalResult weft::tpu::checkGraph(FunctionOpInterface func,
                                    const Chip &chip) {
  Region &body = func.getFunctionBody();
  if (!body.hasOneBlock() || body.front().empty() ||
      !body.front().back().hasTrait<OpTrait::ReturnLike>())
    return func.emitError("function '")
           << func.getName()
           << "' must have a body of one block that ends in a return; remove "
              "declarations and branches";
  WalkResult result = func->walk([&](Block *block) {
    for (BlockArgument argument : block->getArguments())
      if (failed(checkValue(argument.getLoc(), argument, chip)))
        return WalkResult::interrupt();
    for (Operation &op : *block)
      if (!givesHostTensors(op))
        for (Value value : op.getResults())
          if (failed(checkValue(op.getLoc(), value, chip)))
            return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
