//===- SampleLint.cpp - samples that are likely mistakes ------------------===//

#include "passes/quantize/SampleLint.h"

#include "dialects/top/Conv.h"
#include "dialects/top/MatMul.h"
#include "dialects/top/Move.h"
#include "runtime/numeric/TensorValues.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

void SampleLint::add(const NamedTensors &sample) {
  uint64_t hash = 0;
  for (const auto &[name, tensor] : sample) {
    hash = hash * 0x9e3779b97f4a7c15u + // order counts
           llvm::xxh3_64bits(ArrayRef(tensor.bytes(), tensor.sizeBytes()));
    if (!numeric::isFloatType(tensor.type()) || tensor.elements() < 2)
      continue; // a single number is a constant by nature
    std::vector<double> values = loadDoubles(tensor);
    auto [low, high] = std::minmax_element(values.begin(), values.end());
    Input &input = inputs[name];
    input.constantSamples += *low == *high;
    input.max = std::max(input.max, *high);
    input.arePixels = input.arePixels && *low >= 0 && *high <= 255 &&
                      llvm::all_of(values, [](double value) {
                        return value == std::floor(value);
                      });
  }
  hashes.insert(hash);
  ++samples;
}

/// True if products read `value` as it is, but for its place.
static bool isMultipliedAsItIs(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    if (llvm::isa<top::ReshapeOp, top::TransposeOp>(user))
      return isMultipliedAsItIs(user->getResult(0));
    return llvm::isa<top::ConvOp, top::MatMulOp>(user);
  });
}

std::vector<std::string> SampleLint::problems(func::FuncOp function) const {
  std::vector<std::string> lines;
  int64_t repeated = samples - static_cast<int64_t>(hashes.size());
  if (repeated > 0)
    lines.push_back(std::to_string(repeated) + " of " +
                    std::to_string(samples) +
                    " samples repeat another one; give different samples");
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto name = function.getArgAttrOfType<StringAttr>(i, kNameAttr);
    auto found = name ? inputs.find(name.str()) : inputs.end();
    if (found == inputs.end())
      continue;
    const Input &input = found->second;
    if (input.constantSamples > 0)
      lines.push_back("input '" + found->first +
                      "' has one value everywhere in " +
                      std::to_string(input.constantSamples) + " of " +
                      std::to_string(samples) +
                      " samples; calibrate with inputs like those of use");
    // 0 and 1, or class numbers up to 2, are no pixels.
    if (input.arePixels && input.max > 2 &&
        isMultipliedAsItIs(function.getArgument(i)))
      lines.push_back("input '" + found->first +
                      "' holds whole numbers from 0 to 255 and the model does "
                      "not scale them; scale them as for training");
  }
  return lines;
}
