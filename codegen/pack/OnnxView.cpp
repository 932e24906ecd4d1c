//===- OnnxView.cpp - MLIR types in the wire's words ----------------------===//

#include "codegen/pack/OnnxView.h"
#include "dialects/Evaluate.h"
#include "runtime/bmodel/Bmodel.h"

using namespace mlir;
using namespace weft;
namespace wire = weft::rt::wire;

std::unique_ptr<wire::OnnxViewT> codegen::makeOnnxView(RankedTensorType type) {
  std::optional<numeric::ElementType> element =
      hostElementType(type.getElementType());
  if (!element)
    return nullptr;
  auto view = std::make_unique<wire::OnnxViewT>();
  view->element_type = numeric::onnxDataType(*element);
  std::optional<SmallVector<int64_t>> largest = largestShape(type);
  if (!largest)
    return nullptr;
  view->dims.assign(largest->begin(), largest->end());
  if (!type.hasStaticShape())
    for (int64_t size : type.getShape())
      view->data_dependent.push_back(ShapedType::isDynamic(size));
  return view;
}

std::optional<wire::DataType> codegen::wireType(Type type) {
  std::optional<numeric::ElementType> element = hostElementType(type);
  if (!element)
    return std::nullopt;
  std::optional<wire::DataType> stored = rt::storedAs(*element);
  if (!stored || rt::fromWire(*stored) != element)
    return std::nullopt;
  return stored;
}
