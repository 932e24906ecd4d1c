//===- ModelPart.cpp - constants in place of inputs -----------------------===//

#include "tools/capi/ModelPart.h"

#include "runtime/status/Quote.h"

#include <cstring>

using namespace weft;
using numeric::HostTensor;
using rt::Code;
using rt::Result;

static Result<HostTensor> tensorOf(const weft_constant &constant) {
  auto bad = [&](const std::string &why) {
    return rt::fail(Code::InvalidArgument,
                    "constant " + rt::quoteName(constant.name) + ": " + why);
  };
  std::optional<numeric::ElementType> type =
      numeric::fromOnnxDataType(constant.type);
  if (!type)
    return bad("ONNX's type " + std::to_string(constant.type) +
               " is none of arrays");
  if (!constant.shape && constant.rank)
    return bad("its shape is NULL");
  std::vector<int64_t> shape(constant.shape, constant.shape + constant.rank);
  std::optional<int64_t> elements = numeric::elementCount(shape);
  if (!elements)
    return bad("its sizes are negative or too large");
  HostTensor tensor(*type, shape);
  if (!constant.data && tensor.sizeBytes())
    return bad("its data is NULL");
  if (tensor.sizeBytes())
    std::memcpy(tensor.bytes(), constant.data, tensor.sizeBytes());
  return tensor;
}

Result<driver::InputBindings> capi::constantsOf(const weft_constant *constants,
                                                size_t count) {
  driver::InputBindings bindings;
  for (size_t i = 0; constants && i < count; ++i) {
    if (!constants[i].name)
      return rt::fail(Code::InvalidArgument, "a constant has no name");
    Result<HostTensor> tensor = tensorOf(constants[i]);
    if (!tensor)
      return tensor.status();
    if (!bindings.emplace(constants[i].name, *std::move(tensor)).second)
      return rt::fail(Code::InvalidArgument,
                      "constant " + rt::quoteName(constants[i].name) +
                          " is there twice");
  }
  return bindings;
}
