//===- PlanInputs.cpp - --ascend-plan-inputs ------------------------------===//

#include "dialects/ascend/Function.h"
#include "passes/ascend/LayerInputs.h"
#include "passes/ascend/Passes.h"
#include "runtime/chips/Chips.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace weft;

namespace weft::ascend {
#define GEN_PASS_DEF_ASCENDPLANINPUTS
#include "passes/ascend/Passes.h.inc"
} // namespace weft::ascend

using namespace weft::ascend;

namespace {

/// Writes one plan as a function.
struct PlanWriter {
  OpBuilder &builder;
  Type element;
  const CubeMemory &memory;

  func::FuncOp write(const LayerInput &input, Location loc) const;

private:
  void describe(const LayerInput &input, func::FuncOp function) const;
  void writeTile(const InputPlan &plan, const Tile &tile, Location loc,
                 Value global, Value l1) const;
};

} // namespace

void PlanWriter::describe(const LayerInput &input,
                          func::FuncOp function) const {
  const InputPlan &plan = input.plan;
  auto text = [&](StringRef name, StringRef value) {
    if (!value.empty())
      function->setAttr(("ascend." + name).str(), builder.getStringAttr(value));
  };
  auto number = [&](StringRef name, int64_t value) {
    function->setAttr(("ascend." + name).str(),
                      builder.getI64IntegerAttr(value));
  };
  std::string_view layout = spelling(plan.layout);
  text("layer", input.layerName);
  text("role", input.role);
  text("value", input.valueName);
  text("layout", {layout.data(), layout.size()});
  SmallVector<StringRef> axes(plan.axes.begin(), plan.axes.end());
  function->setAttr("ascend.axes", builder.getStrArrayAttr(axes));
  if (input.joinedGroups > 1)
    number("joined_groups", input.joinedGroups);
  number("moves", plan.moveCount());
  number("bytes", plan.readBytes());
  number("cycles", plan.cycles(memory));
}

void PlanWriter::writeTile(const InputPlan &plan, const Tile &tile,
                           Location loc, Value global, Value l1) const {
  auto op =
      builder.create<TileOp>(loc, builder.getDenseI64ArrayAttr(tile.origin),
                             builder.getDenseI64ArrayAttr(tile.sizes),
                             builder.getI64IntegerAttr(tile.readBytes()),
                             builder.getI64IntegerAttr(tile.cycles(memory)));
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&op.getBody());
  if (tile.clears) {
    Value part = viewAt(builder, loc, {l1, tile.address},
                        tile.bytes / plan.elementBytes, element);
    builder.create<ClearOp>(loc, part);
  }
  for (const Nd2Nz &move : tile.moves)
    createMove(builder, loc, move, l1, global, element);
}

/// The array in GM as it lies there: groups are parts of its channels.
static MemRefType sourceType(const InputPlan &plan, Type element) {
  SmallVector<int64_t> shape;
  const std::vector<int64_t> &sizes = plan.sizes;
  if (plan.layout == Layout::Nc1hwc0) // g, n, d, h, w, c
    shape = {sizes[1], sizes[2], sizes[3], sizes[4], sizes[0] * sizes[5]};
  else if (plan.layout == Layout::FractalZ) // g, d, m, h, w, c
    shape = {sizes[0] * sizes[2], sizes[1], sizes[3], sizes[4], sizes[5]};
  else
    shape.assign(sizes.begin(), sizes.end());
  return MemRefType::get(shape, element, MemRefLayoutAttrInterface(),
                         StringAttr::get(element.getContext(), kGlobalSpace));
}

func::FuncOp PlanWriter::write(const LayerInput &input, Location loc) const {
  OpBuilder::InsertionGuard guard(builder);
  Type byte = builder.getIntegerType(8, /*isSigned=*/false);
  SmallVector<Type> arguments = {
      sourceType(input.plan, element),
      memoryType(memory.l1Bytes, byte, /*inL1=*/true)};
  std::string name =
      "layer" + std::to_string(input.layerIndex) + "_" + input.role;
  auto function = builder.create<func::FuncOp>(
      loc, name, builder.getFunctionType(arguments, {}));
  function.setPrivate();
  describe(input, function);
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  for (const Tile &tile : input.plan.tiles)
    writeTile(input.plan, tile, loc, body->getArgument(0),
              body->getArgument(1));
  builder.create<func::ReturnOp>(loc);
  return function;
}

namespace {
struct PlanInputsPass
    : weft::ascend::impl::AscendPlanInputsBase<PlanInputsPass> {
  using AscendPlanInputsBase::AscendPlanInputsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    const Chip *chip = chips::findCubeTarget(target.getValue());
    const InputType *inputType = findInputType(type.getValue());
    if (!chip || !inputType) {
      if (!chip)
        module.emitError() << "target is '" << target.getValue()
                           << "', moves are planned for "
                           << chips::cubeTargets[0]->targetName;
      else
        module.emitError() << "type is '" << type.getValue() << "', must be "
                           << inputTypeNames();
      return signalPassFailure();
    }
    FailureOr<std::vector<LayerInput>> inputs =
        planLayerInputs(module, *inputType, chip->cube,
                        separateGroups ? Groups::Separate : Groups::Joined);
    if (failed(inputs))
      return signalPassFailure();
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    PlanWriter writer{builder, inputType->type(&getContext()), chip->cube};
    SymbolTable symbols(module);
    for (size_t i = 0; i < inputs->size(); i += 2) {
      SmallVector<Attribute> names;
      Operation *layer = (*inputs)[i].layer;
      for (size_t side = 0; side < 2; ++side) {
        func::FuncOp function =
            writer.write((*inputs)[i + side], layer->getLoc());
        function->remove();
        symbols.insert(function, module.getBody()->end());
        names.push_back(FlatSymbolRefAttr::get(function));
      }
      layer->setAttr(kInputsAttr, builder.getArrayAttr(names));
    }
    module->setAttr(kTargetAttr,
                    builder.getStringAttr(std::string(chip->targetName)));
  }
};
} // namespace
