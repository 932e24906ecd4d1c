//===- FoldConstants.cpp - compute ops on constants
//-------------------------===//

#include "passes/top/Passes.h"

#include "dialects/top/Constant.h"
#include "dialects/top/FoldBudget.h"
#include "dialects/top/LargeConstant.h"
#include "dialects/top/MatMul.h"
#include "dialects/top/Move.h"
#include "passes/top/Rewrite.h"

#include "mlir/IR/Matchers.h"

namespace weft::top {
#define GEN_PASS_DEF_TOPFOLDCONSTANTS
#include "passes/top/Passes.h.inc"
} // namespace weft::top

using namespace mlir;
using namespace weft;
using namespace weft::top;

namespace {
class FoldConstants
    : public weft::top::impl::TopFoldConstantsBase<FoldConstants> {
public:
  using TopFoldConstantsBase::TopFoldConstantsBase;

  void runOnOperation() override {
    replaceEmptyValues();
    SmallVector<EvaluateOpInterface> candidates;
    getOperation().walk([&](EvaluateOpInterface op) {
      if (isa<TopDialect>(op->getDialect()) && !isa<ConstantOp>(op))
        candidates.push_back(op);
    });
    // Most is folded when the model is imported, and would count here as its
    // own: twice of what there is now.
    FoldBudget budget(constantBytes() / 16);
    // In program order, so that a chain folds in one sweep.
    for (EvaluateOpInterface op : candidates)
      if (worthFolding(op) && !isFilterTurned(op) && budget.take(op) &&
          failed(fold(op)))
        return signalPassFailure();
    // Constants that nobody reads any more.
    SmallVector<ConstantOp> constants;
    getOperation().walk([&](ConstantOp op) { constants.push_back(op); });
    for (ConstantOp op : constants)
      if (op->use_empty())
        op.erase();
  }

private:
  uint64_t constantBytes() {
    uint64_t bytes = 0;
    getOperation().walk([&](ConstantOp op) {
      // A splat is one element.
      if (!op.getValue().isSplat())
        bytes += uint64_t(op.getType().getNumElements()) *
                 numeric::elementBytes(
                     *hostElementType(op.getType().getElementType()));
    });
    return bytes;
  }

  /// A tensor without elements is known, whoever makes it.
  void replaceEmptyValues() {
    getOperation().walk([](Block *block) {
      OpBuilder builder = OpBuilder::atBlockBegin(block);
      auto replace = [&](Value value) {
        auto type = dyn_cast<RankedTensorType>(value.getType());
        if (!type || !isTopTensor(type) || type.getNumElements() != 0 ||
            value.use_empty() || value.getDefiningOp<ConstantOp>())
          return;
        value.replaceAllUsesWith(builder.create<ConstantOp>(
            value.getLoc(),
            toElementsAttr(*makeHostTensor(type), type, "empty")));
      };
      for (BlockArgument argument : block->getArguments())
        replace(argument);
      for (Operation &op : *block)
        for (Value result : op.getResults())
          replace(result);
    });
  }

  bool worthFolding(EvaluateOpInterface op) const {
    int64_t read = 0, written = 0;
    for (Value operand : op->getOperands()) {
      if (!operand.getDefiningOp<ConstantOp>())
        return false;
      read += cast<RankedTensorType>(operand.getType()).getNumElements();
    }
    for (Value result : op->getResults()) {
      auto type = cast<RankedTensorType>(result.getType());
      if (!type.hasStaticShape()) // its users count on the unknown sizes
        return false;
      written += type.getNumElements();
    }
    return op->getNumOperands() > 0 &&
           (written <= maxElements || written <= read);
  }

  /// A large matrix turned for a product that becomes a convolution, whose
  /// filter is turned back: the bytes of the file will do.
  static bool isFilterTurned(EvaluateOpInterface op) {
    ConstantOp constant = turnedConstant(op->getResult(0));
    if (!constant || !op->getResult(0).hasOneUse())
      return false;
    RankedTensorType type = constant.getType();
    auto product = dyn_cast<MatMulOp>(*op->getUsers().begin());
    return product && product.getRhs() == op->getResult(0) &&
           becomesConv(product) && type.getNumElements() >= kLargeElements &&
           type.getDimSize(0) > 1 && type.getDimSize(1) > 1;
  }

  static LogicalResult fold(EvaluateOpInterface op) {
    SmallVector<numeric::HostTensor> operands, results;
    SmallVector<const numeric::HostTensor *> pointers;
    for (Value operand : op->getOperands()) {
      auto constant = operand.getDefiningOp<ConstantOp>();
      auto tensor = toHostTensor(constant.getValue(), constant.getLoc());
      if (failed(tensor))
        return failure();
      operands.push_back(std::move(*tensor));
    }
    for (const numeric::HostTensor &operand : operands)
      pointers.push_back(&operand);
    if (failed(op.evaluate(pointers, results)))
      return failure();
    OpBuilder builder(op);
    for (auto [result, tensor] : llvm::zip(op->getResults(), results)) {
      auto type = cast<RankedTensorType>(result.getType());
      result.replaceAllUsesWith(builder.create<ConstantOp>(
          op->getLoc(), toElementsAttr(std::move(tensor), type, "folded")));
    }
    op->erase();
    return success();
  }
};
} // namespace
