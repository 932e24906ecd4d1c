//===- Function.cpp - the functions of Ascend as ops ----------------------===//

#include "dialects/ascend/Function.h"
#include "runtime/ascend/Call.h"
#include "runtime/chips/Chips.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace weft;
using namespace weft::ascend;

static catalog::FunctionOp catalogOp(Operation *op) {
  bool isOurs = isa_and_nonnull<AscendDialect>(op ? op->getDialect() : nullptr);
  return catalog::FunctionOp(isOurs ? op : nullptr);
}

const Chip &ascend::chipOf(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto name = op->getAttrOfType<StringAttr>(kTargetAttr)) {
      StringRef word = name.getValue();
      if (const Chip *chip = chips::findCubeTarget({word.data(), word.size()}))
        return *chip;
    }
  return *chips::cubeTargets[0];
}

std::optional<Nd2Nz> ascend::moveOf(Operation *op) {
  catalog::FunctionOp function = catalogOp(op);
  if (!function)
    return std::nullopt;
  return moveOf(function.call());
}

Operation *ascend::createMove(OpBuilder &builder, Location loc,
                              const Nd2Nz &move, Value l1, Value global,
                              Type element) {
  auto view = [&](Value root, int64_t address, int64_t bytes) {
    Place place = placeOf(root);
    place.address += address;
    return viewAt(builder, loc, place, bytes / move.elementBytes, element);
  };
  const catalog::Operation &row =
      *catalog::find(functionOf(move.elementBytes), catalog::Language::Ascend);
  SmallVector<catalog::FunctionArgument> arguments = {
      {view(l1, move.dst, move.spanBytes()), {}},
      {view(global, move.src, move.sourceElements() * move.elementBytes), {}}};
  for (const Parameter &parameter : parameters())
    arguments.push_back({{}, builder.getI64IntegerAttr(move.*parameter.value)});
  return catalog::createFunction(builder, loc, row, arguments);
}

//===----------------------------------------------------------------------===//
// Canonicalization
//===----------------------------------------------------------------------===//

namespace {

/// Patterns are for one function each; the op is dynamic and has no class.
struct MovePattern : RewritePattern {
  MovePattern(StringRef name, MLIRContext *context)
      : RewritePattern(name, /*benefit=*/1, context) {}
};

/// The document's NOP goes, and its warning is given once.
struct RemoveEmpty : MovePattern {
  using MovePattern::MovePattern;
  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    Nd2Nz move = *moveOf(op);
    if (!move.isEmpty())
      return failure();
    op->emitWarning() << warningOf(move) << "; the move is removed";
    rewriter.eraseOp(op);
    return success();
  }
};

struct ClearIdleStrides : MovePattern {
  using MovePattern::MovePattern;
  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    Nd2Nz move = *moveOf(op), clean = normalized(move);
    if (move.isEmpty() || move == clean)
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      for (const Parameter &parameter : parameters())
        if (move.*parameter.value != clean.*parameter.value)
          op->setAttr(StringRef(parameter.name.data(), parameter.name.size()),
                      rewriter.getI64IntegerAttr(clean.*parameter.value));
    });
    return success();
  }
};

/// The move before `op` in its block with nothing between that moves or has an
/// effect.
Operation *moveBefore(Operation *op) {
  Operation *before = op->getPrevNode();
  while (before && isPure(before))
    before = before->getPrevNode();
  return before && before->getName() == op->getName() ? before : nullptr;
}

struct MergeNeighbours : MovePattern {
  using MovePattern::MovePattern;
  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    Operation *before = moveBefore(op);
    if (!before)
      return failure();
    Value dst[2], src[2];
    for (auto [i, each] : {std::pair(0, before), {1, op}}) {
      dst[i] = catalogOp(each).value("dst");
      src[i] = catalogOp(each).value("src");
    }
    auto element = [](Value memory) {
      return cast<MemRefType>(memory.getType()).getElementType();
    };
    Value l1 = placeOf(dst[0]).root, global = placeOf(src[0]).root;
    if (placeOf(dst[1]).root != l1 || placeOf(src[1]).root != global ||
        element(dst[0]) != element(dst[1]))
      return failure();
    std::optional<Nd2Nz> both = merged(*moveOf(before), *moveOf(op));
    if (!both)
      return failure();
    rewriter.setInsertionPoint(op);
    createMove(rewriter, rewriter.getFusedLoc({before->getLoc(), op->getLoc()}),
               *both, l1, global, element(dst[0]));
    rewriter.eraseOp(op);
    rewriter.eraseOp(before);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// The dialect
//===----------------------------------------------------------------------===//

class AscendFunctions : public catalog::FunctionDialect {
public:
  explicit AscendFunctions(Dialect *dialect)
      : FunctionDialect(dialect, catalog::Language::Ascend) {}

  const Chip &chipOf(Operation *op) const override {
    return ascend::chipOf(op);
  }
  bool isArgument(Type type) const override { return bool(memoryOf(type)); }
  StringRef argumentWords() const override { return memoryWords(); }
  catalog::Argument argumentOf(Value value, const catalog::Slot &,
                               const Chip &) const override;
  void addCanonicalizationPatterns(const catalog::Operation &function,
                                   RewritePatternSet &patterns) const override {
    std::string name = "ascend." + std::string(function.name);
    patterns.add<RemoveEmpty, ClearIdleStrides, MergeNeighbours>(
        StringRef(name), patterns.getContext());
  }
};

} // namespace

catalog::Argument AscendFunctions::argumentOf(Value value,
                                              const catalog::Slot &,
                                              const Chip &) const {
  auto type = cast<MemRefType>(value.getType());
  int64_t elements = type.getNumElements();
  catalog::Argument argument;
  argument.kind = catalog::Argument::Kind::Tensor;
  argument.tensor.type = *catalog::dataTypeOf(type.getElementType());
  argument.tensor.memory =
      isInL1(type) ? catalog::Memory::L1 : catalog::Memory::Global;
  argument.tensor.shape = {1, 1, 1, elements};
  argument.tensor.strides = {elements, elements, elements, 1};
  argument.tensor.address = uint64_t(placeOf(value).address);
  return argument;
}

void AscendDialect::registerFunctions() {
  addInterfaces<AscendFunctions>();
  catalog::registerFunctions(*this);
}
