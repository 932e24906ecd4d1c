//===- Cast.cpp - host kernels that change the element type ---------------===//

#include "runtime/numeric/Cast.h"
#include "runtime/host/Kernels.h"

#include <cstring>

using namespace weft;
using namespace weft::host;
using rt::Status;

static bool isComplex(ElementType type) {
  return type == ElementType::C64 || type == ElementType::C128;
}

/// Attributes `saturate` (absent: true) and `round_mode` (absent: up).
Status host::kernels::cast(const Call &call, std::vector<HostTensor> &results) {
  const HostTensor &input = call.operand(0);
  numeric::CastOptions options;
  options.saturate = call.attributes.integer("saturate", 1) != 0;
  const std::string &word = call.attributes.text("round_mode");
  std::optional<numeric::ScaleRounding> rounding =
      numeric::parseScaleRounding(word.empty() ? "up" : word);
  if (!rounding)
    return call.fail("round_mode is '%s', must be up, down or nearest",
                     word.c_str());
  options.rounding = *rounding;
  if (isComplex(input.type()) || isComplex(call.results[0].type))
    return call.fail("complex numbers cannot be cast");
  WEFT_TRY(call.addResult(input.shape(), results));
  numeric::castElements(input, results.back(), options);
  return Status::ok();
}

Status host::kernels::bit_cast(const Call &call,
                               std::vector<HostTensor> &results) {
  const HostTensor &input = call.operand(0);
  unsigned from = numeric::elementBits(input.type()),
           to = numeric::elementBits(call.results[0].type);
  if (from != to)
    return call.fail("from %u to %u bits; a bit cast keeps the width", from,
                     to);
  WEFT_TRY(call.addResult(input.shape(), results));
  HostTensor &output = results.back();
  if (input.sizeBytes())
    std::memcpy(output.bytes(), input.bytes(), input.sizeBytes());
  // Integers below a byte are kept extended, as their type says.
  unsigned shift = 8 - std::min(to, 8u);
  for (size_t i = 0; i < output.sizeBytes() && to < 6; ++i) {
    auto bits = uint8_t(output.bytes()[i] << shift);
    output.bytes()[i] = numeric::isSignedType(output.type()) &&
                                !numeric::isFloatType(output.type())
                            ? uint8_t(int8_t(bits) >> shift)
                            : uint8_t(bits >> shift);
  }
  if (output.type() == ElementType::Bool)
    for (size_t i = 0; i < output.sizeBytes(); ++i)
      output.bytes()[i] = output.bytes()[i] != 0;
  return Status::ok();
}
