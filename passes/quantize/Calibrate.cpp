//===- Calibrate.cpp - measuring the value ranges of a graph --------------===//

#include "passes/quantize/Calibrate.h"

#include "passes/quantize/ProductErrors.h"

#include "runtime/numeric/TensorValues.h"

#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

llvm::Error Calibrator::count(StringRef name,
                              const numeric::HostTensor &tensor) {
  if (!numeric::isFloatType(
          tensor.type())) // indices and masks are not quantized
    return llvm::Error::success();
  if (tensor.type() == numeric::ElementType::F32)
    return ranges.add(name, ArrayRef(tensor.as<float>(), tensor.elements()));
  std::vector<double> values = loadDoubles(tensor);
  std::vector<float> floats(values.begin(), values.end());
  return ranges.add(name, floats);
}

void Calibrator::keepRows() {
  if (auto func = module.lookupSymbol<func::FuncOp>("main"))
    sampler.emplace(func, accelerator);
}

CalibrationTable Calibrator::finish(const CalibrationOptions &options,
                                    const MultiplyMatrices &multiply,
                                    unsigned threads) {
  CalibrationTable table = ranges.finish(options);
  if (!sampler)
    return table;
  const auto &rows = sampler->rows();
  if (options.method == CalibrationMethod::Auto)
    chooseRangesByProducts(ranges.histograms(), rows, options, multiply,
                           threads, table);
  if (options.recoversWeights)
    recoverProducts(rows, multiply, threads, table);
  return table;
}

/// Where infinities come from that become NaN inside; "" if from nowhere.
static std::string infiniteInput(const NamedTensors &sample) {
  for (const auto &[name, tensor] : sample) {
    if (!numeric::isFloatType(tensor.type()))
      continue;
    for (double value : loadDoubles(tensor))
      if (std::isinf(value))
        return " (input '" + name + "' holds infinities)";
  }
  return "";
}

LogicalResult Calibrator::addSample(const NamedTensors &sample,
                                    Location origin) {
  auto func = module.lookupSymbol<func::FuncOp>("main");
  if (!func)
    return emitError(module.getLoc()) << "the module has no function @main";
  std::string problem; // the first one; evaluation goes on
  auto observe = [&](StringRef name, const numeric::HostTensor &tensor) {
    if (llvm::Error error = count(name, tensor)) {
      std::string text = llvm::toString(std::move(error));
      if (problem.empty())
        problem = std::move(text);
    }
  };
  for (const auto &[name, tensor] : sample)
    observe(name, tensor);
  if (constants.empty() &&
      failed(evaluateConstants(func.getBody().front(), constants)))
    return failure();
  NamedTensors outputs;
  if (failed(evaluateNamed(func, sample, outputs, observe,
                           {sampler ? &*sampler : accelerator, &constants})))
    return failure();
  if (!problem.empty())
    return emitError(origin) << problem << infiniteInput(sample);
  ranges.endSample();
  lint.add(sample);
  return success();
}

std::vector<std::string>
Calibrator::warnings(const CalibrationTable &table) const {
  std::vector<std::string> lines;
  ModuleOp owner = module; // its methods are not const
  if (auto func = owner.lookupSymbol<func::FuncOp>("main"))
    lines = lint.problems(func);
  if (std::string clipped = ranges.muchClipped(table); !clipped.empty())
    lines.push_back(std::move(clipped));
  return lines;
}
