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
  view->dims.assign(type.getShape().begin(), type.getShape().end());
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
