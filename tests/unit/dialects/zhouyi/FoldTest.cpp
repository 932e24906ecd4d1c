//===- FoldTest.cpp - what is folded is what the machine computes --------===//

#include "dialects/zhouyi/Fold.h"
#include "dialects/zhouyi/Constants.h"
#include "dialects/zhouyi/Vector.h"
#include "runtime/catalog/Dense.h"
#include "runtime/chips/Chips.h"
#include "runtime/chips/zhouyi.h"
#include "tests/unit/runtime/zhouyi/VectorTypes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <gtest/gtest.h>

#include <map>
#include <random>

using namespace weft;
using catalog::DataType;
using catalog::FunctionArgument;
using zhouyi::test::kVectorTypes;

static constexpr uint64_t kSeed = 20261122;
static constexpr int kAttempts = 4000;

namespace {
/// Calls of constants, as ops.
class RandomCalls {
public:
  RandomCalls()
      : context(mlir::MLIRContext::Threading::DISABLED), builder(&context),
        random(kSeed) {
    context.loadDialect<zhouyi::ZhouyiDialect>();
    module = mlir::ModuleOp::create(builder.getUnknownLoc());
    builder.setInsertionPointToEnd(module->getBody());
    dialect = context.getLoadedDialect<zhouyi::ZhouyiDialect>()
                  ->getRegisteredInterface<catalog::FunctionDialect>();
  }

  size_t pick(size_t count) { return size_t(random() % count); }
  /// Null if the call that was drawn is not legal.
  mlir::Operation *make(const catalog::Operation &function);
  /// Whether the op folds; if so, checks the numbers against the evaluator,
  /// else that the evaluator leaves a lane undefined too.
  bool check(mlir::Operation *op);

private:
  mlir::Value constant(catalog::VectorType type);
  mlir::Value mask(unsigned lanes);

  mlir::MLIRContext context;
  mlir::OpBuilder builder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  const catalog::FunctionDialect *dialect;
  std::mt19937_64 random;
};
} // namespace

mlir::Value RandomCalls::constant(catalog::VectorType type) {
  std::vector<uint8_t> bytes(type.bytes());
  bool isSmall = pick(2) == 0;
  unsigned size = catalog::bytesOf(type.type);
  catalog::Dense lanes(type.type, {1, 1, 1, int64_t(type.lanes)});
  for (unsigned lane = 0; lane < type.lanes; ++lane)
    if (isSmall && catalog::isFloat(type.type))
      lanes.setValue(lane, double(int64_t(pick(64)) - 32) / 4);
    else
      lanes.setBits(lane, isSmall ? pick(8) : random());
  EXPECT_EQ(lanes.bytes.size(), size_t(size) * type.lanes);
  return builder.create<zhouyi::ConstantOp>(
      builder.getUnknownLoc(),
      zhouyi::denseVector(zhouyi::typeOf(type, &context), lanes.bytes));
}

mlir::Value RandomCalls::mask(unsigned lanes) {
  std::vector<uint8_t> bits(lanes);
  for (uint8_t &bit : bits)
    bit = pick(4) != 0;
  return builder.create<zhouyi::ConstantOp>(builder.getUnknownLoc(),
                                            zhouyi::denseMask(bits, &context));
}

mlir::Operation *RandomCalls::make(const catalog::Operation &function) {
  std::vector<FunctionArgument> arguments;
  DataType like = kVectorTypes[pick(std::size(kVectorTypes))];
  for (const catalog::Slot &slot : function.slots) {
    FunctionArgument argument;
    DataType type =
        pick(3) == 0 || slot.name == "acc" ? kVectorTypes[pick(8)] : like;
    unsigned lanes =
        chips::zhouyi.vector.registerBytes / catalog::bytesOf(type);
    bool isGiven = !slot.optional || pick(2) == 0;
    if (isGiven && (slot.kind == catalog::SlotKind::Vector ||
                    slot.kind == catalog::SlotKind::VectorOrScalar))
      argument.value = constant({type, lanes});
    else if (isGiven && slot.kind == catalog::SlotKind::Mask)
      argument.value = mask(pick(4) == 0 ? 8
                                         : chips::zhouyi.vector.registerBytes /
                                               catalog::bytesOf(like));
    else if (isGiven && slot.kind == catalog::SlotKind::Choice)
      argument.attribute = builder.getStringAttr(pick(2) ? "u" : "s");
    else if (isGiven && slot.kind == catalog::SlotKind::Flag)
      argument.attribute = builder.getI64IntegerAttr(int64_t(pick(2)));
    arguments.push_back(argument);
  }
  catalog::Call call =
      catalog::callOf(*dialect, function, arguments, chips::zhouyi);
  if (!catalog::problemOf(call).empty())
    return nullptr;
  return catalog::createFunction(
      builder, builder.getUnknownLoc(), function, arguments,
      zhouyi::typeOf(function.result(call), &context));
}

static catalog::Dense denseOf(mlir::DenseElementsAttr value) {
  catalog::VectorType type = *zhouyi::vectorTypeOf(value.getType());
  catalog::Dense dense(type.type, {1, 1, 1, int64_t(type.lanes)});
  dense.bytes = zhouyi::bytesOf(value);
  return dense;
}

bool RandomCalls::check(mlir::Operation *op) {
  zhouyi::FunctionOp function(op);
  catalog::Call call = function.call();
  catalog::Values values;
  std::vector<mlir::Attribute> constants;
  for (mlir::Value operand : op->getOperands())
    constants.push_back(zhouyi::constantOf(operand));
  unsigned maskLanes = zhouyi::maskLanesOf(call);
  catalog::Dense mask(DataType::Uint8, {1, 1, 1, int64_t(maskLanes)});
  std::fill(mask.bytes.begin(), mask.bytes.end(), uint8_t(1));
  for (const catalog::Slot &slot : function.function().slots) {
    mlir::Value value = function.value({slot.name.data(), slot.name.size()});
    if (!value)
      continue;
    mlir::DenseElementsAttr constant = zhouyi::constantOf(value);
    if (slot.kind == catalog::SlotKind::Mask)
      mask.bytes = zhouyi::lanesOf(constant);
    else
      values[slot.name] = denseOf(constant);
  }
  if (values.count("r")) // bits of the other sign are read as the result's
    values["r"].type = function.function().result(call).type;
  values["mask"] = mask;
  rt::Status status = catalog::evaluatorOf(function.function())(call, values);
  llvm::SmallVector<mlir::OpFoldResult> results;
  bool isFolded = mlir::succeeded(op->fold(constants, results));
  bool isDefined =
      bool(status) && (!values.count("defined") ||
                       !llvm::is_contained(values["defined"].bytes, 0));
  EXPECT_EQ(isFolded, isDefined) << status.message();
  if (!isFolded || !isDefined)
    return false;
  auto attribute = llvm::dyn_cast<mlir::Attribute>(results[0]);
  auto folded = attribute
                    ? mlir::cast<mlir::DenseElementsAttr>(attribute)
                    : zhouyi::constantOf(llvm::cast<mlir::Value>(results[0]));
  EXPECT_EQ(folded.getType(), op->getResult(0).getType());
  EXPECT_EQ(zhouyi::bytesOf(folded), values["out"].bytes);
  return true;
}

TEST(ZhouyiFold, EqualsTheEvaluators) {
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  RandomCalls calls;
  for (const catalog::Operation &function :
       catalog::operations(catalog::Language::Zhouyi)) {
    if (!function.result) // vmml and vmma write to memory
      continue;
    SCOPED_TRACE(std::string(function.name));
    int folded = 0, legal = 0;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      mlir::Operation *op = calls.make(function);
      if (!op)
        continue;
      ++legal;
      folded += calls.check(op);
      if (testing::Test::HasFailure())
        return;
    }
    EXPECT_GE(legal, 10);
    // All lanes but the first are undefined.
    if (function.name == "vrpadd")
      EXPECT_EQ(folded, 0);
    else
      EXPECT_GE(folded, 5);
  }
}
