// The functions that --ascend-plan-inputs writes are the plans: their moves,
// read back from IR, bring every tile where its layout wants it.

#include "dialects/ascend/Function.h"
#include "passes/ascend/LayerInputs.h"
#include "passes/ascend/Passes.h"
#include "runtime/chips/Chips.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace weft;
using namespace weft::ascend;

static constexpr char kGraph[] = R"(
func.func @main(%x: tensor<2x20x30x40xf32> {top.name = "x"}, %w: tensor<36x10x3x3xf32>, %l: tensor<1x36x90xf32>, %v: tensor<7x36x5xf32>,
                %a: tensor<3x40x300xf32>, %b: tensor<300x70xf32>, %r: tensor<70xf32>) -> tensor<3x40xf32> {
  %0 = top.conv %x, %w {strides = array<i64: 2, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, group = 2 : i64, top.value = "y"}
    : (tensor<2x20x30x40xf32>, tensor<36x10x3x3xf32>) -> tensor<2x36x15x40xf32>
  %1 = top.conv %l, %v {strides = array<i64: 3>, pads = array<i64: 2, 2>, dilations = array<i64: 2>, group = 1 : i64, top.value = "z"}
    : (tensor<1x36x90xf32>, tensor<7x36x5xf32>) -> tensor<1x7x29xf32>
  %2 = top.matmul %a, %b : tensor<3x40x300xf32>, tensor<300x70xf32>
  %3 = top.matmul %2, %r : tensor<3x40x70xf32>, tensor<70xf32>
  return %3 : tensor<3x40xf32>
}
)";

namespace {

struct Planned {
  explicit Planned(const std::string &type) {
    context.loadDialect<AscendDialect, func::FuncDialect, top::TopDialect>();
    module = parseSourceString<ModuleOp>(kGraph, &context);
    if (!module)
      return;
    FailureOr<std::vector<LayerInput>> plans =
        planLayerInputs(*module, *findInputType(type), chips::ascend_a2.cube);
    if (succeeded(plans))
      inputs = std::move(*plans);
    AscendPlanInputsOptions options;
    options.type = type;
    PassManager passes(&context);
    passes.addPass(createAscendPlanInputs(options));
    isPlanned = succeeded(passes.run(*module));
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::vector<LayerInput> inputs; ///< without the pass
  bool isPlanned = false;
};

} // namespace

/// The plan with tiles as the function has them.
static InputPlan readBack(const InputPlan &plan, func::FuncOp function) {
  InputPlan read = plan;
  size_t index = 0;
  for (TileOp op : function.getOps<TileOp>()) {
    if (index == read.tiles.size()) {
      ADD_FAILURE() << "more tiles than the plan has";
      break;
    }
    Tile &tile = read.tiles[index++];
    EXPECT_EQ(op.getOrigin(), ArrayRef(tile.origin));
    EXPECT_EQ(op.getSizes(), ArrayRef(tile.sizes));
    EXPECT_EQ(int64_t(op.getBytes()), tile.readBytes());
    tile.moves.clear();
    tile.clears = false;
    for (Operation &inner : op.getBody().front()) {
      if (auto clear = dyn_cast<ClearOp>(inner)) {
        auto type = cast<MemRefType>(clear.getTarget().getType());
        EXPECT_EQ(placeOf(clear.getTarget()).address, tile.address);
        EXPECT_EQ(bytesOf(type), tile.bytes);
        EXPECT_TRUE(tile.moves.empty());
        tile.clears = true;
      } else if (std::optional<Nd2Nz> move = moveOf(&inner)) {
        tile.moves.push_back(*move);
      }
    }
  }
  EXPECT_EQ(index, plan.tiles.size());
  return read;
}

TEST(PlanInputs, FunctionsAreThePlans) {
  for (const char *type : {"f16", "bf16", "int8", "f32"}) {
    Planned planned(type);
    ASSERT_TRUE(planned.module);
    ASSERT_TRUE(planned.isPlanned);
    ASSERT_EQ(planned.inputs.size(), 8u);
    const char *roles[] = {"input", "filter", "lhs", "rhs"};
    for (const LayerInput &input : planned.inputs) {
      bool isConv = input.layerIndex < 2;
      EXPECT_EQ(input.role, roles[input.operand + (isConv ? 0 : 2)]);
      auto function = planned.module->lookupSymbol<func::FuncOp>(
          "layer" + std::to_string(input.layerIndex) + "_" + input.role);
      ASSERT_TRUE(function);
      InputPlan read = readBack(input.plan, function);
      EXPECT_EQ(read.moveCount(), input.plan.moveCount());
      EXPECT_EQ(differenceOf(read, chips::ascend_a2.cube), "");
      EXPECT_EQ(function->getAttrOfType<IntegerAttr>("ascend.bytes").getInt(),
                input.plan.readBytes());
      EXPECT_EQ(function->getAttrOfType<IntegerAttr>("ascend.cycles").getInt(),
                input.plan.cycles(chips::ascend_a2.cube));
    }
  }
}

TEST(PlanInputs, NamesOfValues) {
  Planned planned("f16");
  ASSERT_EQ(planned.inputs.size(), 8u);
  EXPECT_EQ(planned.inputs[0].layerName, "y");
  EXPECT_EQ(planned.inputs[0].valueName, "x");
  EXPECT_EQ(planned.inputs[1].valueName, "");
  EXPECT_EQ(planned.inputs[2].layerName, "z");
  EXPECT_FALSE(planned.inputs[1].isConstant); // an argument
}

TEST(PlanInputs, ShapesOfFactors) {
  Planned planned("f16");
  ASSERT_EQ(planned.inputs.size(), 8u);
  EXPECT_EQ(planned.inputs[4].plan.sizes, (std::vector<int64_t>{3, 40, 300}));
  EXPECT_EQ(planned.inputs[5].plan.sizes, (std::vector<int64_t>{1, 300, 70}));
  EXPECT_EQ(planned.inputs[7].plan.sizes, (std::vector<int64_t>{1, 70, 1}));
  // One spatial axis is the last of three.
  EXPECT_EQ(planned.inputs[2].plan.sizes,
            (std::vector<int64_t>{1, 1, 1, 1, 90, 36}));
}
