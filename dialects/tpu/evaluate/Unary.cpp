//===- Unary.cpp - evaluation of the Unary family -------------------------===//

#include "dialects/tpu/Unary.h"

#include "dialects/tpu/evaluate/Numbers.h"
#include "dialects/tpu/sequence/Functions.h"
#include "dialects/tpu/sequence/Interpret.h"
#include "runtime/numeric/BitCast.h"
#include "runtime/numeric/Float16.h"
#include "runtime/numeric/PortableMath.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

namespace {
/// One function; every step is rounded to the element type, as the commands do.
struct Function {
  UnaryKind kind;
  Type element;
  float alpha, beta;

  float round(double value) const { return roundTo(element, value); }
  /// x * factor + offset, two roundings.
  float linear(float x, float factor, float offset) const {
    return round(round(x * factor) + offset);
  }

  float operator()(float x) const {
    switch (kind) {
    case UnaryKind::Abs:
      return std::fabs(x);
    case UnaryKind::Neg:
      return 0.0f - x;
    case UnaryKind::Relu:
      return std::max(x, 0.0f);
    case UnaryKind::Clip:
      return std::min(std::max(x, alpha), beta);
    case UnaryKind::HardSigmoid:
      return std::max(std::min(linear(x, alpha, beta), 1.0f), 0.0f);
    case UnaryKind::HardSwish:
      return round(
          x * std::min(std::max(linear(x, round(1.0f / 6), 0.5f), 0.0f), 1.0f));
    case UnaryKind::LeakyRelu:
      return x < 0 ? round(x * alpha) : x;
    case UnaryKind::Reciprocal:
      return round(1.0f / x);
    case UnaryKind::Floor:
      return round(numeric::portable::floor(x));
    case UnaryKind::Ceil:
      return round(numeric::portable::ceil(x));
    default:
      llvm_unreachable("the other kinds are sequences");
    }
  }
};
} // namespace

/// The bits of a tensor in f32, as the machine widens it.
static std::vector<uint32_t> wideBits(const HostTensor &tensor) {
  std::vector<uint32_t> bits;
  for (double value : loadDoubles(tensor))
    bits.push_back(numeric::floatBits(static_cast<float>(value)));
  return bits;
}

static void evaluateSequence(const Sequence &sequence, Operands operands,
                             Value output, Results &results) {
  std::vector<float> values;
  std::vector<uint32_t> inputs = wideBits(*operands[0]);
  if (sequence.isHalf)
    for (uint32_t &bits : inputs)
      bits = numeric::floatToHalf(numeric::floatFromBits(bits));
  for (uint32_t bits : interpret(sequence, {inputs}))
    values.push_back(
        sequence.isHalf
            ? numeric::halfToFloat(static_cast<uint16_t>(bits))
            : roundTo(elementOf(output), numeric::floatFromBits(bits)));
  storeFloats(output, values, results);
}

LogicalResult UnaryOp::evaluate(Operands operands, Results &results) {
  if (std::optional<Sequence> sequence = sequenceOf(*this)) {
    evaluateSequence(*sequence, operands, getOutput(), results);
    return success();
  }
  Type element = elementOf(getOutput());
  auto parameter = [&](std::optional<APFloat> value) {
    return value ? roundTo(element, value->convertToDouble()) : 0.0f;
  };
  Function function{getKind(), element, parameter(getAlpha()),
                    parameter(getBeta())};
  std::vector<double> input = loadDoubles(*operands[0]);
  std::vector<float> output(input.size());
  std::transform(input.begin(), input.end(), output.begin(),
                 [&](double x) { return function(static_cast<float>(x)); });
  storeFloats(getOutput(), output, results);
  return success();
}

LogicalResult LutOp::evaluate(Operands operands, Results &results) {
  HostTensor &output =
      results.emplace_back(*makeHostTensor(getOutput().getType()));
  const uint8_t *input = operands[0]->bytes(), *table = operands[1]->bytes();
  for (size_t i = 0; i < output.sizeBytes(); ++i)
    output.bytes()[i] = table[input[i]];
  return success();
}
