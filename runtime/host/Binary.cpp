//===- Binary.cpp - host kernels of the Binary family ---------------------===//

#include "runtime/host/Kinds.h"
#include "runtime/host/Strides.h"
#include "runtime/numeric/TensorValues.h"

using namespace weft;
using namespace weft::host;
using rt::Status;

/// Calls row(output offset, lhs offset, rhs offset) for each innermost row of
/// the result, which has an element.
template <typename Row>
static void forEachRow(const Shape &shape, const Shape &lhsSteps,
                       const Shape &rhsSteps, Row row) {
  int64_t rows = 1, width = shape.empty() ? 1 : shape.back();
  for (size_t axis = 0; axis + 1 < shape.size(); ++axis)
    rows *= shape[axis];
  for (int64_t i = 0; i < rows; ++i) {
    int64_t rest = i, lhs = 0, rhs = 0;
    for (int64_t axis = int64_t(shape.size()) - 2; axis >= 0; --axis) {
      int64_t index = rest % shape[axis];
      rest /= shape[axis];
      lhs += index * lhsSteps[axis];
      rhs += index * rhsSteps[axis];
    }
    row(i * width, lhs, rhs);
  }
}

/// Calls row(output offset, lhs offset, its step, rhs offset, its step, width)
/// for each innermost row of `result`, the broadcast of the two shapes.
template <typename Row>
static void forEachPairOfRows(const Shape &lhsShape, const Shape &rhsShape,
                              const HostTensor &result, Row row) {
  if (result.elements() == 0)
    return;
  const Shape &shape = result.shape();
  Shape lhsSteps = broadcastSteps(lhsShape, shape);
  Shape rhsSteps = broadcastSteps(rhsShape, shape);
  int64_t width = shape.empty() ? 1 : shape.back();
  int64_t lhsStep = shape.empty() ? 0 : lhsSteps.back();
  int64_t rhsStep = shape.empty() ? 0 : rhsSteps.back();
  forEachRow(shape, lhsSteps, rhsSteps,
             [&](int64_t to, int64_t left, int64_t right) {
               row(to, left, lhsStep, right, rhsStep, width);
             });
}

/// output[i] = function(lhs[i], rhs[i]) with broadcasting of the two shapes.
template <typename Out, typename T, typename Function>
static std::vector<Out>
applyBroadcast(const std::vector<T> &lhs, const Shape &lhsShape,
               const std::vector<T> &rhs, const Shape &rhsShape,
               const HostTensor &result, Function function) {
  std::vector<Out> output(result.elements());
  forEachPairOfRows(lhsShape, rhsShape, result,
                    [&](int64_t to, int64_t left, int64_t lhsStep,
                        int64_t right, int64_t rhsStep, int64_t width) {
                      for (int64_t x = 0; x < width; ++x)
                        output[to + x] = function(lhs[left + x * lhsStep],
                                                  rhs[right + x * rhsStep]);
                    });
  return output;
}

/// The same of f32, without a detour through tensors of doubles.
static void applyToFloats(const HostTensor &lhs, const HostTensor &rhs,
                          HostTensor &result, BinaryFloats function) {
  const float *left = lhs.as<float>(), *right = rhs.as<float>();
  float *output = result.as<float>();
  forEachPairOfRows(lhs.shape(), rhs.shape(), result,
                    [&](int64_t to, int64_t l, int64_t lhsStep, int64_t r,
                        int64_t rhsStep, int64_t width) {
                      function(left + l, lhsStep, right + r, rhsStep,
                               output + to, width);
                    });
}

Status host::kernels::binary(const Call &call,
                             std::vector<HostTensor> &results) {
  const HostTensor &lhs = call.operand(0), &rhs = call.operand(1);
  std::optional<BinaryKind> kind = findBinaryKind(call.attributes.text("kind"));
  if (!kind)
    return call.fail("there is no function '%s'",
                     call.attributes.text("kind").c_str());
  std::optional<Shape> shape = broadcastShapes(lhs.shape(), rhs.shape());
  if (!shape)
    return call.fail("shapes %s and %s do not broadcast; aligned at the last "
                     "axis, sizes must be equal or 1",
                     numeric::shapeText(lhs.shape()).c_str(),
                     numeric::shapeText(rhs.shape()).c_str());
  WEFT_TRY(call.addResult(std::move(*shape), results));
  HostTensor &output = results.back();
  if (lhs.type() == ElementType::F32 && rhs.type() == ElementType::F32 &&
      output.type() == ElementType::F32) {
    applyToFloats(lhs, rhs, output, binaryFloats(*kind));
    return Status::ok();
  }
  // A power may mix types; one float operand makes it a float computation.
  if (numeric::isFloatType(lhs.type()) || numeric::isFloatType(rhs.type())) {
    numeric::storeDoubles(
        applyBroadcast<double>(numeric::loadDoubles(lhs), lhs.shape(),
                               numeric::loadDoubles(rhs), rhs.shape(), output,
                               binaryFunction(*kind)),
        output);
    return Status::ok();
  }
  auto function = [&](int64_t x, int64_t y) {
    return binaryInteger(*kind, lhs.type(), x, y);
  };
  numeric::storeIntegers(applyBroadcast<int64_t>(numeric::loadIntegers(lhs),
                                                 lhs.shape(),
                                                 numeric::loadIntegers(rhs),
                                                 rhs.shape(), output, function),
                         output);
  return Status::ok();
}
