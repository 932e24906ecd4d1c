//===- Symbols.cpp - named dimensions of inputs and outputs ---------------===//

#include "frontend/onnx/Symbols.h"
#include "dialects/top/Symbols.h"
#include "dialects/top/Top.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace mlir;
using namespace weft;
using namespace weft::onnx;

/// The name of a dimension, "" if it has none or its size is fixed.
static StringRef symbolOf(const Dimension &dim) {
  return dim.value || dim.symbol == "?" ? StringRef() : StringRef(dim.symbol);
}

std::optional<int64_t> onnx::sizeOfSymbol(const Model &model,
                                          const ImportOptions &options,
                                          const Dimension &dim) {
  auto given = options.shapes.find(symbolOf(dim).str());
  if (given == options.shapes.end() || given->second.size() != 1 ||
      llvm::any_of(model.inputs, [&](const ValueInfo &input) {
        return input.name == dim.symbol;
      }))
    return std::nullopt;
  return given->second.front();
}

/// "x[0]".
static std::string axisKey(const ValueInfo &input, size_t axis) {
  return input.name + "[" + std::to_string(axis) + "]";
}

/// Whether --batch is meant for the first axis of `input`.
static bool hasBatch(const ValueInfo &input) {
  if (!input.dims || input.dims->empty())
    return false;
  const std::optional<int64_t> &size = input.dims->front().value;
  return !size || *size == 1 || *size == -1;
}

std::vector<GivenSize> onnx::givenSizes(const Model &model,
                                        const ImportOptions &options,
                                        const ValueInfo &input, size_t axis) {
  std::vector<GivenSize> sizes;
  const Dimension &dim = (*input.dims)[axis];
  if (auto size = sizeOfSymbol(model, options, dim))
    sizes.push_back({"--shape " + dim.symbol, *size});
  auto add = [&](const std::string &key, const std::string &option) {
    auto given = options.shapes.find(key);
    if (given != options.shapes.end() && given->second.size() == 1)
      sizes.push_back({option, given->second.front()});
  };
  add(axisKey(input, axis), "--shape " + axisKey(input, axis));
  if (axis == 0 && hasBatch(input))
    add(kBatchKey, "--batch");
  return sizes;
}

std::optional<int64_t> onnx::sizeOfAxis(const Model &model,
                                        const ImportOptions &options,
                                        const ValueInfo &input, size_t axis) {
  std::vector<GivenSize> sizes = givenSizes(model, options, input, axis);
  return sizes.empty() ? std::nullopt : std::optional(sizes.front().size);
}

bool onnx::namesAxis(const Model &model, StringRef key) {
  if (llvm::is_contained(symbolsOf(model), key))
    return true;
  return llvm::any_of(model.inputs, [&](const ValueInfo &input) {
    if (key == kBatchKey)
      return hasBatch(input);
    for (size_t axis = 0; input.dims && axis < input.dims->size(); ++axis)
      if (key == axisKey(input, axis))
        return true;
    return false;
  });
}

std::vector<std::string> onnx::symbolsOf(const Model &model) {
  std::vector<std::string> symbols;
  for (const ValueInfo &input : model.inputs) {
    if (!input.dims)
      continue;
    for (const Dimension &dim : *input.dims)
      if (StringRef symbol = symbolOf(dim);
          !symbol.empty() && !llvm::is_contained(symbols, symbol))
        symbols.push_back(symbol.str());
  }
  return symbols;
}

DictionaryAttr onnx::interfaceAttributes(MLIRContext *context,
                                         const ValueInfo &value, size_t rank) {
  Builder builder(context);
  SmallVector<NamedAttribute> list = {
      builder.getNamedAttr(top::kNameAttr, builder.getStringAttr(value.name))};
  SmallVector<StringRef> symbols;
  if (value.dims)
    for (const Dimension &dim : *value.dims)
      symbols.push_back(symbolOf(dim));
  bool isNamed = llvm::any_of(symbols, [](StringRef s) { return !s.empty(); });
  if (isNamed && symbols.size() == rank)
    list.push_back(builder.getNamedAttr(top::kSymbolsAttr,
                                        builder.getStrArrayAttr(symbols)));
  return builder.getDictionaryAttr(list);
}
