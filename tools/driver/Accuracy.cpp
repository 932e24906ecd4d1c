//===- Accuracy.cpp - how close a program is to its float model -----------===//

#include "tools/driver/Accuracy.h"

#include "runtime/device/Session.h"
#include "runtime/device/StageChoice.h"
#include "runtime/numeric/TensorValues.h"

#include "dialects/top/Softmax.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace weft;
using namespace weft::driver;
using numeric::HostTensor;
using rt::Result;

std::vector<size_t> driver::spread(size_t count, size_t most) {
  std::vector<size_t> places(std::min(count, most));
  for (size_t i = 0; i < places.size(); ++i)
    places[i] = i * count / places.size();
  return places;
}

std::vector<size_t> driver::spreadBeside(size_t count,
                                         const std::vector<size_t> &taken) {
  std::vector<size_t> others;
  for (size_t i = 0; i < count; ++i)
    if (!std::binary_search(taken.begin(), taken.end(), i))
      others.push_back(i);
  if (others.size() < taken.size())
    return {};
  std::vector<size_t> places = spread(others.size(), taken.size());
  for (size_t &place : places)
    place = others[place];
  return places;
}

double OutputAccuracy::sqnr() const {
  return errorRatio > 0 ? -10 * std::log10(errorRatio)
                        : std::numeric_limits<double>::infinity();
}

double Accuracy::cosine() const {
  double worst = 1;
  for (const OutputAccuracy &output : outputs)
    worst = std::min(worst, output.cosine);
  return worst;
}

double Accuracy::sqnr() const {
  double worst = std::numeric_limits<double>::infinity();
  for (const OutputAccuracy &output : outputs)
    worst = std::min(worst, output.sqnr());
  return worst;
}

namespace {
/// What two tensors have in common.
struct Likeness {
  ErrorPower power;
  double cosine = 1;
};
} // namespace

/// Of an output that is no answer: however large the outputs of other samples
/// are, it counts.
static constexpr ErrorPower kUnbounded{1,
                                       std::numeric_limits<double>::infinity()};
static constexpr Likeness kNothingInCommon{kUnbounded, 0};

/// The numbers that an output stands for: codes of a quantized one are not the
/// model's numbers.
static HostTensor inReals(HostTensor stored, const rt::TensorSpec &spec) {
  if (spec.scale == 1 && spec.zeroPoint == 0)
    return stored;
  std::vector<double> values = numeric::loadDoubles(stored);
  for (double &value : values)
    value = (value - spec.zeroPoint) * double(spec.scale);
  HostTensor reals(numeric::ElementType::F32, stored.shape());
  numeric::storeDoubles(values, reals);
  return reals;
}

static double powerAroundMean(const std::vector<double> &numbers) {
  double mean = 0, power = 0;
  for (double number : numbers)
    mean += number / double(numbers.size());
  for (double number : numbers)
    power += (number - mean) * (number - mean);
  return power;
}

static double shareOfEqual(const HostTensor &want, const HostTensor &got) {
  std::vector<int64_t> a = numeric::loadIntegers(want),
                       b = numeric::loadIntegers(got);
  size_t equal = 0;
  for (size_t i = 0; i < a.size(); ++i)
    equal += a[i] == b[i];
  return a.empty() ? 1 : double(equal) / double(a.size());
}

/// Where the float model gives no number, the program must give the same none;
/// else nothing of it counts.
static Likeness compare(const HostTensor &want, const HostTensor &got) {
  Likeness found;
  ErrorPower &sums = found.power;
  if (want.elements() != got.elements())
    return kNothingInCommon;
  if (!numeric::isFloatType(want.type())) {
    found.cosine = shareOfEqual(want, got);
    found.power = {1, 1 - found.cosine};
    return found;
  }
  std::vector<double> a = numeric::loadDoubles(want),
                      b = numeric::loadDoubles(got);
  double product = 0, power = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!std::isfinite(a[i]) || !std::isfinite(b[i])) {
      bool isSame = a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]));
      if (isSame)
        continue;
      return kNothingInCommon;
    }
    product += a[i] * b[i];
    power += b[i] * b[i];
    sums.power += a[i] * a[i];
    sums.error += (a[i] - b[i]) * (a[i] - b[i]);
  }
  if (sums.error > 0)
    found.cosine = sums.power > 0 && power > 0
                       ? product / std::sqrt(sums.power * power)
                       : 0;
  return found;
}

driver::SoftmaxAxes driver::softmaxAxesOf(mlir::ModuleOp module) {
  SoftmaxAxes axes;
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  mlir::Operation *results = main.getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(results->getOperands()))
    if (auto softmax = value.getDefiningOp<top::SoftmaxOp>())
      if (auto name =
              main.getResultAttrOfType<mlir::StringAttr>(index, kNameAttr))
        axes[name.str()] = softmax.getAxis();
  return axes;
}

ErrorPower driver::logitError(const HostTensor &want, const HostTensor &got,
                              int64_t axis) {
  // Smaller ones are far from being chosen, and where a program's exp ends;
  // what both sides have there is no difference.
  constexpr double kLeast = 1e-6;
  std::vector<double> a = numeric::loadDoubles(want),
                      b = numeric::loadDoubles(got);
  if (a.size() != b.size())
    return kUnbounded;
  int64_t stride = 1, length = want.shape()[size_t(axis)];
  for (size_t i = size_t(axis) + 1; i < want.shape().size(); ++i)
    stride *= want.shape()[i];
  ErrorPower sums;
  std::vector<double> logits, errors;
  for (int64_t row = 0; row * length < want.elements(); ++row) {
    logits.clear();
    errors.clear();
    int64_t first = row / stride * stride * length + row % stride;
    for (int64_t i = 0; i < length; ++i) {
      size_t at = size_t(first + i * stride);
      if (std::isnan(a[at]) != std::isnan(b[at]))
        return kUnbounded;
      if (std::isnan(a[at]) || std::max(a[at], b[at]) < kLeast)
        continue;
      logits.push_back(std::log(std::max(a[at], kLeast)));
      errors.push_back(std::log(std::max(b[at], kLeast)) - logits.back());
    }
    sums.power += powerAroundMean(logits);
    sums.error += powerAroundMean(errors);
  }
  return sums;
}

/// These elements of `tensor`.
static HostTensor picked(const HostTensor &tensor,
                         const std::vector<int64_t> &elements) {
  HostTensor result(tensor.type(), {int64_t(elements.size())});
  size_t size = tensor.sizeBytes() / size_t(tensor.elements());
  for (size_t i = 0; i < elements.size(); ++i)
    std::memcpy(result.bytes() + i * size,
                tensor.bytes() + size_t(elements[i]) * size, size);
  return result;
}

static double meanPower(const HostTensor &tensor) {
  double power = 0;
  for (double value : numeric::loadDoubles(tensor))
    power += std::isfinite(value) ? value * value : 0;
  return power / double(std::max<int64_t>(1, tensor.elements()));
}

/// compare() of a part. What f32 cannot tell from 0 beside the rest of the
/// output (scores of a picture without objects) says nothing.
static Likeness comparePart(const HostTensor &want, const HostTensor &got,
                            const OutputPart &part) {
  constexpr double kNothing = 0x1p-48;
  if (part.elements.back() >= want.elements() ||
      want.elements() != got.elements())
    return kNothingInCommon;
  HostTensor ofPart = picked(want, part.elements);
  if (numeric::isFloatType(want.type()) &&
      meanPower(ofPart) <= kNothing * meanPower(want))
    return {};
  return compare(ofPart, picked(got, part.elements));
}

namespace {
/// An output or part while samples are added.
struct Row {
  size_t output;
  const OutputPart *part; ///< null: all of the output
  const int64_t *softmaxAxis;
  ErrorPower power, logits;
};
} // namespace

/// A row for each output and, behind it, for each of its parts.
static std::vector<Row> rowsOf(const std::vector<rt::TensorSpec> &outputs,
                               const OutputParts &parts,
                               const SoftmaxAxes &softmaxes) {
  std::vector<Row> rows;
  for (size_t o = 0; o < outputs.size(); ++o) {
    auto softmax = softmaxes.find(outputs[o].name);
    rows.push_back({o,
                    nullptr,
                    softmax == softmaxes.end() ? nullptr : &softmax->second,
                    {},
                    {}});
    if (auto found = parts.find(outputs[o].name); found != parts.end())
      for (const OutputPart &part : found->second)
        rows.push_back({o, &part, nullptr, {}, {}});
  }
  return rows;
}

static Result<std::vector<HostTensor>> runOnce(rt::Session &session,
                                               const NamedTensors &sample) {
  std::vector<rt::InputElements> inputs;
  for (const rt::TensorSpec &spec : session.stage().inputs) {
    auto found = sample.find(spec.name);
    if (found == sample.end())
      return rt::fail(rt::Code::Internal,
                      "no sample for input '" + spec.name + "'");
    inputs.push_back({found->second.type(), found->second.bytes()});
  }
  return session.run(inputs);
}

Result<Accuracy> driver::measureAccuracy(const rt::Bmodel &model,
                                         const ReferenceSamples &samples,
                                         const SoftmaxAxes &softmaxes) {
  const rt::NetSpec &net = model.nets().front();
  rt::DeviceOptions device;
  device.threads = 1; // several programs are measured at once
  Result<rt::Session> session = rt::Session::open(device, model, net, 0);
  if (!session)
    return session.status();
  const std::vector<rt::TensorSpec> &specs = session->stage().outputs;
  Accuracy accuracy;
  std::vector<Row> rows = rowsOf(specs, samples.parts, softmaxes);
  for (const Row &row : rows) {
    const std::string &output = specs[row.output].name;
    accuracy.outputs.push_back({row.part ? row.part->name : output, 0, 1, 0,
                                std::nullopt, row.part ? output : ""});
  }
  for (size_t i = 0; i < samples.inputs.size(); ++i) {
    Result<std::vector<HostTensor>> outputs =
        runOnce(*session, samples.inputs[i]);
    if (!outputs)
      return outputs.status();
    std::vector<const HostTensor *> wanted;
    for (size_t o = 0; o < specs.size(); ++o) {
      auto want = samples.outputs[i].find(specs[o].name);
      if (want == samples.outputs[i].end())
        return rt::fail(rt::Code::Internal,
                        "no reference for output '" + specs[o].name + "'");
      wanted.push_back(&want->second);
      (*outputs)[o] = inReals(std::move((*outputs)[o]), specs[o]);
    }
    for (size_t r = 0; r < rows.size(); ++r) {
      const HostTensor &want = *wanted[rows[r].output],
                       &got = (*outputs)[rows[r].output];
      Likeness here = rows[r].part ? comparePart(want, got, *rows[r].part)
                                   : compare(want, got);
      OutputAccuracy &one = accuracy.outputs[r];
      one.cosine += here.cosine / double(samples.inputs.size());
      if (here.cosine < one.worstCosine) {
        one.worstCosine = here.cosine;
        one.worstSample = i;
      }
      rows[r].power.add(here.power);
      if (rows[r].softmaxAxis)
        rows[r].logits.add(logitError(want, got, *rows[r].softmaxAxis));
    }
  }
  for (size_t r = 0; r < rows.size(); ++r) {
    accuracy.outputs[r].errorRatio = rows[r].power.ratio();
    if (rows[r].logits.power > 0)
      accuracy.outputs[r].logitErrorRatio = rows[r].logits.ratio();
  }
  return accuracy;
}
