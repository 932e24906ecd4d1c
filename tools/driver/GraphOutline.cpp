#include "tools/driver/GraphOutline.h"

#include "dialects/Evaluate.h"
#include "dialects/top/Constant.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace weft;
using comparison::GraphNode;

static std::vector<int64_t> shapeOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getShape().vec() : std::vector<int64_t>();
}

/// The names in its attribute: one, or one a result.
static std::vector<std::string> valueNames(Operation &op) {
  std::vector<std::string> names;
  Attribute given = op.getAttr(kValueAttr);
  if (auto name = dyn_cast_if_present<StringAttr>(given))
    names.push_back(name.str());
  if (auto list = dyn_cast_if_present<ArrayAttr>(given))
    for (Attribute each : list)
      if (auto name = dyn_cast<StringAttr>(each))
        names.push_back(name.str());
  return names;
}

/// ONNX's operator, by the position of the node in the file.
static std::string opTypeOf(Location location, const onnx::NodeTitles &titles) {
  std::string type;
  location->walk([&](Location inner) {
    auto place = dyn_cast<FileLineColLoc>(inner);
    if (!place || place.getLine() >= titles.size())
      return WalkResult::advance();
    type = titles[place.getLine()].opType;
    return WalkResult::interrupt();
  });
  return type;
}

/// What `op` reads, also inside of its regions.
static llvm::SetVector<Value> operandsOf(Operation &op) {
  llvm::SetVector<Value> operands(op.operand_begin(), op.operand_end());
  getUsedValuesDefinedAbove(op.getRegions(), operands);
  return operands;
}

std::vector<GraphNode> driver::graphOutline(ModuleOp module,
                                            const onnx::NodeTitles &titles) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  std::vector<GraphNode> nodes;
  llvm::DenseMap<Value, uint32_t> places;
  for (BlockArgument argument : main.getArguments()) {
    auto name =
        main.getArgAttrOfType<StringAttr>(argument.getArgNumber(), kNameAttr);
    places[argument] = uint32_t(nodes.size());
    nodes.push_back({{name ? name.str() : ""}, "", "", shapeOf(argument), {}});
  }
  for (Operation &op : main.getBody().front().without_terminator()) {
    if (llvm::isa<top::ConstantOp>(op) || op.getNumResults() == 0)
      continue;
    GraphNode node{valueNames(op),
                   nodeNameOf(op.getLoc()),
                   opTypeOf(op.getLoc(), titles),
                   shapeOf(op.getResult(0)),
                   {}};
    for (Value operand : operandsOf(op)) {
      auto found = places.find(operand);
      if (found != places.end() &&
          !llvm::is_contained(node.inputs, found->second))
        node.inputs.push_back(found->second);
    }
    for (Value result : op.getResults())
      places[result] = uint32_t(nodes.size());
    nodes.push_back(std::move(node));
  }
  return nodes;
}
