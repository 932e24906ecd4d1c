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
