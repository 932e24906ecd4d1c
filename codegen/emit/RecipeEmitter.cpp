//===- RecipeEmitter.cpp - recipes as ppl functions -----------------------===//

#include "codegen/emit/RecipeEmitter.h"

#include "dialects/ppl/Memory.h"
#include "dialects/tpu/recipe/Recipe.h"

using namespace mlir;
using namespace weft;
using namespace weft::emit;
using tpu::Recipe;
using tpu::Tile;

namespace {
class RecipeEmitter {
public:
  RecipeEmitter(const Recipe &recipe, OpEmitter &emitter)
      : recipe(recipe), emitter(emitter) {}

  void emit() {
    for (const tpu::RecipeCall &call : recipe.calls)
      emit(call);
  }

private:
  void emit(const tpu::RecipeCall &call);
  ppl::FunctionArgument given(const tpu::RecipeArgument &argument);
  Value tensorOf(const Tile &tile);
  Value rootOf(const Tile &tile, Type element);

  const Recipe &recipe;
  OpEmitter &emitter;
};
} // namespace

/// The tile of which `tile` is all or a part; constants and scratch with
/// elements of this type.
Value RecipeEmitter::rootOf(const Tile &tile, Type element) {
  switch (tile.kind) {
  case Tile::Operand:
    return emitter.operand(tile.index);
  case Tile::Result:
    return emitter.result();
  case Tile::Constant:
    return emitter.constant(tile.index, element);
  case Tile::Scratch:
    return emitter.scratch(tile.index, element);
  case Tile::None:
    break;
  }
  llvm_unreachable("a call is given tiles that exist");
}

Value RecipeEmitter::tensorOf(const Tile &tile) {
  OpBuilder &builder = emitter.builder;
  Type element = ppl::elementTypeOf(tile.type, builder.getContext());
  Value root = rootOf(tile, element);
  std::optional<ppl::Layout> layout =
      ppl::layoutOf(tile.layout, ppl::Memory::Local);
  auto type = layout && *layout != ppl::Layout::Strided
                  ? ppl::TensorViewType::get(tile.shape, element,
                                             ppl::Memory::Local, *layout)
                  : ppl::TensorViewType::get(tile.shape, element,
                                             ppl::Memory::Local, tile.strides);
  if (root.getType() == type && tile.byte == 0 && tile.lane == 0)
    return root;
  return builder.create<ppl::ViewOp>(emitter.loc(), type, root,
                                     ArrayRef<int64_t>{0, tile.lane, 0, 0},
                                     tile.byte);
}

ppl::FunctionArgument
RecipeEmitter::given(const tpu::RecipeArgument &argument) {
  if (const Tile *tile = argument.tile())
    return {*tile ? tensorOf(*tile) : Value(), {}};
  if (const int64_t *number = argument.integer())
    return {{}, emitter.builder.getI64IntegerAttr(*number)};
  if (const double *number = argument.real())
    return {{}, emitter.builder.getF64FloatAttr(*number)};
  return {{}, emitter.builder.getDenseI64ArrayAttr(*argument.integers())};
}

/// The lane of the first channel of a local tensor.
static int64_t firstLaneOf(Value tensor, const Chip &chip) {
  int64_t lane = 0;
  while (auto view = tensor.getDefiningOp<ppl::ViewOp>()) {
    lane += view.getOffset()[tpu::kAxisC];
    tensor = view.getSource();
  }
  if (auto local = tensor.getDefiningOp<ppl::LocalOp>())
    lane += local.getLane();
  return lane % int64_t(chip.lanes);
}

/// Whether a copy from lane to lane goes from each lane to itself.
static bool staysInLanes(ArrayRef<ppl::FunctionArgument> arguments,
                         const Chip &chip) {
  Value dst = arguments[0].value, src = arguments[1].value;
  int64_t lane = firstLaneOf(dst, chip),
          channels =
              cast<ppl::TensorViewType>(dst.getType()).getShape()[tpu::kAxisC];
  return lane == firstLaneOf(src, chip) &&
         lane + channels <= int64_t(chip.lanes);
}

void RecipeEmitter::emit(const tpu::RecipeCall &call) {
  const catalog::Operation *function = call.function;
  SmallVector<ppl::FunctionArgument> arguments(function->slots.size());
  for (const auto &[slot, argument] : call.arguments)
    arguments[slot] = given(argument);
  if (call.insideLanes && staysInLanes(arguments, emitter.chip)) {
    function = call.insideLanes;
    arguments.resize(function->slots.size());
  }
  ppl::createFunction(emitter.builder, emitter.loc(), *function, arguments);
}

void weft::emit::emitRecipe(Operation *op, OpEmitter &emitter) {
  SmallVector<catalog::Tensor, 3> operands;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    operands.push_back(emitter.describeOperand(i));
  Recipe recipe = tpu::recipeOf(op, emitter.chip, emitter.box(), operands);
  RecipeEmitter(recipe, emitter).emit();
}

LogicalResult weft::emit::packRecipe(Operation *op, const Chip &chip,
                                     std::vector<PackedBytes> &packed) {
  for (const tpu::RecipeConstant &constant : tpu::constantsOf(op, chip)) {
    FailureOr<PackedBytes> bytes = constant.bytes();
    if (failed(bytes))
      return failure();
    packed.push_back(std::move(*bytes));
  }
  return success();
}
