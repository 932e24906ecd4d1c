//===- CodeProducts.cpp - products that may be codes ----------------------===//

#include "passes/quantize/CodeProducts.h"

#include "dialects/top/Constant.h"
#include "dialects/top/Conv.h"
#include "dialects/top/Exact.h"
#include "dialects/top/MatMul.h"
#include "passes/quantize/Lowering.h"
#include "passes/quantize/NamedSource.h"
#include "passes/quantize/PrecisionTable.h"
#include "passes/quantize/WideProducts.h"

#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

bool quantize::mayBeCodes(Operation *op) {
  if (!llvm::isa<top::ConvOp, top::MatMulOp>(op) ||
      !op->getOperand(1).getDefiningOp<top::ConstantOp>() ||
      op->hasAttr(top::kExactAttr))
    return false;
  auto weights = cast<RankedTensorType>(op->getOperand(1).getType());
  return llvm::isa<FloatType>(weights.getElementType()) &&
         (llvm::isa<top::ConvOp>(op) || weights.getRank() == 2) &&
         hasCalibratedName(op->getOperand(0));
}

StringRef quantize::nodeOf(Location location) {
  StringRef node = "?";
  location->walk([&](Location inner) {
    auto name = dyn_cast<NameLoc>(inner);
    if (!name || !llvm::isa<FileLineColLoc>(name.getChildLoc()))
      return WalkResult::advance();
    node = name.getName();
    return WalkResult::interrupt();
  });
  return node;
}

/// What a table can call `op` by; "?" if it has no name. A node may have
/// become more ops than this one.
static std::string nameOf(Operation *op) {
  std::string value = valueName(op->getResult(0));
  return value != "?" ? value : nodeOf(op->getLoc()).str();
}

std::vector<CodeProduct> quantize::codeProductsOf(func::FuncOp func) {
  OpsByName opsByName = nameOps(func);
  std::vector<CodeProduct> products;
  llvm::DenseMap<Operation *, size_t> first; // of what its names name
  llvm::EquivalenceClasses<size_t> together;
  for (Operation &op : func.getBody().front()) {
    if (!mayBeCodes(&op))
      continue;
    auto conv = dyn_cast<top::ConvOp>(op);
    size_t number = products.size();
    std::string name = nameOf(&op);
    together.insert(number);
    products.push_back({name, {}, {&op}, conv && isFloatAmongCodes(conv)});
    if (name == "?" || !opsByName.count(name))
      continue;
    products.back().entries.push_back(name);
    for (Operation *named : opsByName[name])
      together.unionSets(number,
                         first.try_emplace(named, number).first->second);
  }
  // Each joins the first of those that it belongs to.
  std::vector<CodeProduct> joined;
  llvm::DenseMap<size_t, size_t> placeOf; // by leader
  for (auto [number, product] : llvm::enumerate(products)) {
    auto [place, isNew] =
        placeOf.try_emplace(together.getLeaderValue(number), joined.size());
    if (isNew) {
      joined.push_back(std::move(product));
      continue;
    }
    CodeProduct &whole = joined[place->second];
    whole.ops.append(product.ops);
    for (std::string &entry : product.entries)
      if (!llvm::is_contained(whole.entries, entry))
        whole.entries.push_back(std::move(entry));
    whole.isFloatAmongCodes &= product.isFloatAmongCodes;
  }
  return joined;
}
