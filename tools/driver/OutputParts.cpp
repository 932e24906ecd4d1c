//===- OutputParts.cpp - what an output joins -----------------------------===//

#include "tools/driver/OutputParts.h"

#include "dialects/top/Cast.h"
#include "dialects/top/Constant.h"
#include "dialects/top/Move.h"
#include "dialects/top/Top.h"
#include "passes/quantize/Lowering.h"
#include "passes/quantize/NamedSource.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace weft;
using namespace weft::driver;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Whether a concatenation gives `value`, perhaps moved.
static bool isJoined(Value value) {
  Operation *op = value.getDefiningOp();
  while (isa_and_nonnull<top::ReshapeOp, top::TransposeOp, top::CastOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return isa_and_nonnull<top::ConcatOp>(op);
}

/// `elements` of a tensor of `shape` with its axes in the order `perm`.
static std::vector<Value> transposed(const std::vector<Value> &elements,
                                     ArrayRef<int64_t> shape,
                                     ArrayRef<int64_t> perm) {
  size_t rank = shape.size();
  SmallVector<int64_t> strides(rank, 1), index(rank, 0);
  for (size_t axis = rank; axis-- > 1;)
    strides[axis - 1] = strides[axis] * shape[axis];
  std::vector<Value> result;
  result.reserve(elements.size());
  while (result.size() < elements.size()) {
    int64_t from = 0;
    for (size_t axis = 0; axis < rank; ++axis)
      from += index[axis] * strides[perm[axis]];
    result.push_back(elements[from]);
    for (size_t axis = rank; axis-- > 0;) {
      if (++index[axis] < shape[perm[axis]])
        break;
      index[axis] = 0;
    }
  }
  return result;
}

/// For each element of `value`, what it comes from.
static std::vector<Value> sourcesOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (!isJoined(value))
    return std::vector<Value>(ShapedType::getNumElements(shapeOf(value)),
                              value);
  if (auto transpose = dyn_cast<top::TransposeOp>(op))
    return transposed(sourcesOf(transpose.getInput()),
                      shapeOf(transpose.getInput()), transpose.getPerm());
  auto concat = dyn_cast<top::ConcatOp>(op);
  if (!concat)
    return sourcesOf(op->getOperand(0));
  auto axis = static_cast<size_t>(concat.getAxis());
  std::vector<std::vector<Value>> inputs;
  SmallVector<int64_t> rows; // elements of an input behind each outer index
  int64_t outer = ShapedType::getNumElements(shapeOf(value).take_front(axis));
  for (Value input : concat.getInputs()) {
    inputs.push_back(sourcesOf(input));
    rows.push_back(ShapedType::getNumElements(shapeOf(input).drop_front(axis)));
  }
  std::vector<Value> result;
  for (int64_t i = 0; i < outer; ++i)
    for (size_t k = 0; k < inputs.size(); ++k)
      result.insert(result.end(), inputs[k].begin() + i * rows[k],
                    inputs[k].begin() + (i + 1) * rows[k]);
  return result;
}

static std::vector<OutputPart> partsOf(Value output) {
  constexpr size_t kMostParts = 16;
  llvm::MapVector<Value, std::vector<int64_t>> places;
  int64_t place = 0;
  for (Value source : sourcesOf(output)) {
    if (!isa_and_nonnull<top::ConstantOp>(source.getDefiningOp()))
      places[source].push_back(place);
    ++place;
  }
  if (places.size() > kMostParts)
    return {};
  std::vector<OutputPart> parts;
  for (auto &[source, elements] : places) {
    std::string name = quantize::valueName(quantize::namedSource(source));
    if (name == "?")
      name = "part " + std::to_string(parts.size() + 1);
    if (static_cast<int64_t>(elements.size()) < place)
      parts.push_back({std::move(name), std::move(elements)});
  }
  return parts;
}

OutputParts driver::outputPartsOf(ModuleOp module) {
  OutputParts parts;
  auto main = module.lookupSymbol<func::FuncOp>("main");
  Operation *results = main.getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(results->getOperands())) {
    auto name = main.getResultAttrOfType<StringAttr>(index, top::kNameAttr);
    if (!name || !isJoined(value))
      continue;
    if (std::vector<OutputPart> found = partsOf(value); !found.empty())
      parts[name.str()] = std::move(found);
  }
  return parts;
}
