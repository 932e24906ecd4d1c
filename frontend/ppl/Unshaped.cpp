//===- Unshaped.cpp - shapes and layouts that calls decide ---------------===//
//
// A tensor without a shape (PPL 3.7) is a name for a tensor with one: the call
// that gives it its first values makes that, and so does a later one that gives
// it another shape, or all its values in another round of a pipelined loop.
// Then rounds share nothing and may overlap. A tensor without a layout of its
// own is aligned until a call takes another layout only.
//
//===----------------------------------------------------------------------===//

#include "dialects/ppl/Round.h"
#include "frontend/ppl/Recorder.h"
#include "frontend/ppl/TensorChecks.h"
#include "runtime/ppl/ResultShape.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft;
using namespace weft::frontend;
using catalog::AlignMode;

static constexpr AlignMode kLayouts[] = {AlignMode::Aligned, AlignMode::Compact,
                                         AlignMode::RowAligned};
static constexpr const char *kGiveShape =
    "give it a shape, as in tensor<fp16> x(shape)";

int64_t Recorder::makeUnshaped(int32_t typeCode, int32_t layout,
                               uint64_t address, weft_ppl_line at) {
  std::optional<catalog::DataType> type = typeOf(typeCode, at);
  if (!type)
    return 0;
  Tensor tensor;
  tensor.isUnshaped = true;
  tensor.layout = layout;
  tensor.description.type = *type;
  tensor.description.shape = {0, 0, 0, 0};
  if (address != WEFT_PPL_NO_ADDRESS)
    tensor.description.address = address;
  return add(std::move(tensor));
}

bool Recorder::isShaped(const Tensor &tensor, const char *what,
                        weft_ppl_line at) {
  if (tensor.isPoisoned)
    return false;
  if (tensor.isUnshaped) {
    error(at) << what << ": the tensor has no shape yet, nothing has written "
              << "to it; write it as a whole first, or " << kGiveShape;
    return false;
  }
  if (tensor.unshaped &&
      tensors[tensor.unshaped - 1].shaping != tensor.shaping) {
    error(at) << what << ": this view is of a tensor without a shape of its "
              << "own, which has been shaped anew since; take the view again "
              << "behind that, or " << kGiveShape;
    return false;
  }
  return true;
}

Operation *Recorder::currentRound() const {
  Operation *parent = builder.getInsertionBlock()->getParentOp();
  return mlir::isa<ppl::RoundOp>(parent) ? parent : nullptr;
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

void Recorder::takePart(catalog::Tensor &d, const catalog::Tensor &whole,
                        const int64_t *offset) const {
  int64_t row = offset[1];
  if (d.memory == catalog::Memory::Local) {
    row = (whole.lane + offset[1]) / chip.lanes;
    d.lane = unsigned((whole.lane + offset[1]) % chip.lanes);
  }
  int64_t elements = offset[0] * d.strides[0] + row * d.strides[1] +
                     offset[2] * d.strides[2] + offset[3] * d.strides[3];
  d.address = *d.address + uint64_t(elements) * catalog::bitsOf(d.type) / 8;
  // A part that lies as a tensor of its shape would keeps the layout.
  d.layout = AlignMode::Free;
  if (whole.layout != AlignMode::Free &&
      catalog::liesAs(d, whole.layout, chip) &&
      *d.address % catalog::startAlignment(whole, chip) == 0) {
    d.layout = whole.layout;
    d.strides = catalog::stridesOf(d.layout, d.type, d.shape, d.lane, chip);
  }
}

bool Recorder::followRoot(Tensor &tensor) {
  const Tensor &source = tensors[tensor.source - 1];
  catalog::Tensor &d = tensor.description;
  tensor.rootBytes = source.rootBytes;
  d.address = source.description.address;
  d.lane = source.description.lane;
  if (tensor.offset) {
    d.strides = source.description.strides;
    takePart(d, source.description, tensor.offset->data());
    return true;
  }
  d.layout = source.description.layout;
  if (!tensor.mayRelayout || d.layout == AlignMode::Free)
    return false;
  d.strides = catalog::stridesOf(d.layout, d.type, d.shape, d.lane, chip);
  return isInside(d, tensor.start, tensor.rootBytes, chip) &&
         *d.address % catalog::startAlignment(d, chip) == 0;
}

bool Recorder::areUsersLegal(int64_t root) const {
  Value value = tensors[root - 1].value;
  for (size_t i = size_t(root - 1); i < tensors.size(); ++i) {
    if (!tensors[i].value || tensors[i].root != value)
      continue;
    for (Operation *user : tensors[i].value.getUsers())
      if (ppl::FunctionOp function(user);
          function && !catalog::problemOf(function.call(chip)).empty())
        return false;
  }
  return true;
}

rt::Status Recorder::relayValues() {
  rt::Status status;
  for (const auto &[root, before] : laidBefore) {
    LiveValues::Relaid relaid;
    for (const auto &[number, old] : before) {
      relaid.before.push_back(old.description);
      relaid.after.push_back(tensors[number].description);
    }
    const Tensor &old = before.front().second;
    relaid.rootBefore = {old.start, old.rootBytes};
    relaid.rootAfter = {old.start, tensors[before.front().first].rootBytes};
    if (status)
      status = live->relay(relaid);
  }
  laidBefore.clear();
  return status;
}

bool Recorder::setLayout(int64_t rootNumber, AlignMode layout) {
  Tensor &root = tensors[rootNumber - 1];
  std::vector<std::pair<size_t, Tensor>> before;
  catalog::Tensor &d = root.description;
  before.emplace_back(rootNumber - 1, root);
  d.layout = layout;
  d.strides = catalog::stridesOf(layout, d.type, d.shape, d.lane, chip);
  root.rootBytes = llvm::alignTo(catalog::extentBytes(d, chip), chip.euBytes);
  bool follows = true;
  for (size_t i = size_t(rootNumber); i < tensors.size() && follows; ++i)
    if (tensors[i].value && tensors[i].root == root.value) {
      before.emplace_back(i, tensors[i]);
      follows = followRoot(tensors[i]);
    }
  auto setTypes = [&] {
    for (const auto &[number, old] : before)
      tensors[number].value.setType(
          typeOfTensor(tensors[number].description, chip, context));
  };
  if (follows) {
    setTypes();
    if (areUsersLegal(rootNumber)) {
      if (live)
        laidBefore.try_emplace(rootNumber, std::move(before));
      return true;
    }
  }
  for (const auto &[number, old] : before)
    tensors[number] = old;
  setTypes();
  return false;
}

/// The arguments' descriptions follow the layouts of their roots.
static void describeAgain(catalog::Argument &argument,
                          const catalog::Tensor &description) {
  if (argument.isTensor())
    argument.tensor = description;
}

bool Recorder::tryRootLayouts(OpenCall &open, ArrayRef<int64_t> roots,
                              std::string &problem) {
  if (roots.empty()) {
    problem = catalog::problemOf(open.call);
    return problem.empty();
  }
  AlignMode old = tensors[roots.front() - 1].description.layout;
  auto describeAll = [&] {
    Value root = tensors[roots.front() - 1].value;
    for (size_t i = 0; i < open.tensors.size(); ++i)
      if (const Tensor *tensor = find(open.tensors[i]);
          tensor && tensor->root == root && !open.isNew[i])
        describeAgain(open.call.arguments[i], tensor->description);
  };
  if (tryRootLayouts(open, roots.drop_front(), problem))
    return true;
  for (AlignMode layout : kLayouts) {
    if (layout == old || !setLayout(roots.front(), layout))
      continue;
    describeAll();
    std::string other;
    if (tryRootLayouts(open, roots.drop_front(), other))
      return true;
  }
  setLayout(roots.front(), old);
  describeAll();
  return false;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

void Recorder::describeResult(OpenCall &open, const OpenResult &result,
                              const catalog::Dims &shape, AlignMode layout) {
  const Tensor &unshaped = tensors[open.tensors[result.slot] - 1];
  const Tensor *now = find(open.tensors[result.slot]);
  catalog::Tensor d = unshaped.description;
  open.isNew[result.slot] =
      !result.keepsPlace || now->description.shape != shape;
  if (!open.isNew[result.slot]) {
    d = now->description;
  } else {
    d.shape = shape;
    d.layout = layout;
    if (!d.address) // where nothing is
      d.address = (nextRoot + result.slot) << catalog::kRegionShift;
    d.strides = catalog::stridesOf(layout, d.type, shape, d.lane, chip);
  }
  open.call.arguments[result.slot].tensor = d;
}

std::string Recorder::findResults(OpenCall &open,
                                  std::vector<OpenResult> &results) {
  const catalog::Operation &function = *open.call.operation;
  Operation *round = currentRound();
  for (size_t i = 0; i < open.tensors.size(); ++i) {
    if (open.tensors[i] < 1 || size_t(open.tensors[i]) > tensors.size())
      continue;
    const Tensor &tensor = tensors[open.tensors[i] - 1];
    if (!tensor.isUnshaped)
      continue;
    std::string_view name = function.slots[i].name;
    bool gives = catalog::givesFirstValues(open.call, name);
    if (!gives && !tensor.standsFor)
      return std::string(name) +
             " is read, but nothing has been written to it, so that it has no "
             "shape; write to it first, or " +
             kGiveShape;
    if (!gives)
      continue;
    bool isNewRound = round && round != tensor.writtenIn && !tensor.isSingle &&
                      catalog::overwritesAll(open.call, name);
    results.push_back({i, {}, tensor.standsFor && !isNewRound});
  }
  // What is to be shaped does not count as a shape of a source.
  catalog::Call sources = open.call;
  for (const OpenResult &result : results)
    sources.arguments[result.slot].tensor.shape = {0, 0, 0, 0};
  for (OpenResult &result : results) {
    for (const catalog::Dims &shape :
         catalog::proposedShapes(sources, function.slots[result.slot].name))
      if (shapeProblem(shape.data(), catalog::Memory::Local, chip).empty())
        result.shapes.push_back(shape);
    // What it has is the last choice, in a new round for a new tensor.
    const catalog::Dims now = open.call.arguments[result.slot].tensor.shape;
    if (tensors[open.tensors[result.slot] - 1].standsFor &&
        !llvm::is_contained(result.shapes, now))
      result.shapes.push_back(now);
    if (result.shapes.empty())
      return std::string(function.slots[result.slot].name) +
             " has no shape, and this function gives it none; " + kGiveShape;
  }
  return {};
}

bool Recorder::tryLayouts(OpenCall &open,
                          const std::vector<OpenResult> &results,
                          std::string &problem) {
  // New results first: they have no earlier users.
  std::vector<size_t> free;
  for (const OpenResult &result : results)
    if (open.isNew[result.slot] &&
        tensors[open.tensors[result.slot] - 1].layout == WEFT_PPL_ANY_LAYOUT)
      free.push_back(result.slot);
  std::vector<int64_t> roots;
  for (size_t i = 0; i < open.tensors.size(); ++i) {
    const Tensor *tensor = open.isNew[i] ? nullptr : find(open.tensors[i]);
    if (!tensor || !tensor->root || !tensor->mayRelayout)
      continue;
    int64_t root = tensor - tensors.data() + 1;
    while (tensors[root - 1].source)
      root = tensors[root - 1].source;
    if (tensors[root - 1].mayRelayout && !llvm::is_contained(roots, root))
      roots.push_back(root);
  }
  constexpr size_t kMost = 4; // 81 layouts
  roots.resize(std::min(roots.size(), kMost));
  std::function<bool(size_t)> tryFree = [&](size_t next) {
    if (next == free.size())
      return tryRootLayouts(open, roots, problem);
    catalog::Tensor &d = open.call.arguments[free[next]].tensor;
    for (AlignMode layout : kLayouts) {
      d.layout = layout;
      d.strides = catalog::stridesOf(layout, d.type, d.shape, d.lane, chip);
      if (tryFree(next + 1))
        return true;
    }
    return false;
  };
  return tryFree(0);
}

bool Recorder::tryShapes(OpenCall &open, const std::vector<OpenResult> &results,
                         size_t next, bool layoutsToo, std::string &problem) {
  if (next == results.size()) {
    std::string found = catalog::problemOf(open.call);
    if (problem.empty()) // of the likeliest shapes
      problem = found;
    return found.empty() || (layoutsToo && tryLayouts(open, results, found));
  }
  const OpenResult &result = results[next];
  int32_t asked = tensors[open.tensors[result.slot] - 1].layout;
  AlignMode layout =
      asked == WEFT_PPL_ANY_LAYOUT ? AlignMode::Aligned : AlignMode(asked);
  for (const catalog::Dims &shape : result.shapes) {
    describeResult(open, result, shape, layout);
    if (tryShapes(open, results, next + 1, layoutsToo, problem))
      return true;
  }
  return false;
}

/// Makes the tensors that the results stand for from now on.
bool Recorder::shapeResults(OpenCall &open,
                            const std::vector<OpenResult> &results) {
  for (const OpenResult &result : results) {
    int64_t number = open.tensors[result.slot];
    const catalog::Tensor found = open.call.arguments[result.slot].tensor;
    if (open.isNew[result.slot]) {
      const Tensor &unshaped = tensors[number - 1];
      bool isFree = unshaped.layout == WEFT_PPL_ANY_LAYOUT;
      int64_t made = makeTensor(
          WEFT_PPL_LOCAL, int32_t(found.type), found.shape.data(),
          int32_t(found.layout), nullptr,
          unshaped.description.address.value_or(WEFT_PPL_NO_ADDRESS), open.at);
      if (!made)
        return false;
      Tensor &tensor = tensors[made - 1], &name = tensors[number - 1];
      name.standsFor = made;
      tensor.mayRelayout = isFree;
      tensor.unshaped = number;
      tensor.shaping = ++name.shaping;
      if (name.isSingle)
        if (auto alloc = tensor.root.getDefiningOp<ppl::AllocOp>())
          alloc.setSingle(true);
    }
    tensors[number - 1].writtenIn = currentRound();
    const Tensor *tensor = find(number);
    open.call.arguments[result.slot].tensor = tensor->description;
    open.irArguments[result.slot].value = tensor->value;
  }
  return true;
}

bool Recorder::settle(OpenCall open, std::string &problem) {
  open.isNew.resize(open.tensors.size());
  std::vector<OpenResult> results;
  problem = findResults(open, results);
  if (!problem.empty())
    return false;
  bool isLegal = tryShapes(open, results, 0, /*layoutsToo=*/false, problem) ||
                 tryShapes(open, results, 0, /*layoutsToo=*/true, problem);
  if (!isLegal)
    return false;
  problem.clear();
  return shapeResults(open, results);
}

void Recorder::poison(const weft_ppl_argument *arguments, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (const Tensor *tensor = arguments[i].kind == WEFT_PPL_TENSOR
                                   ? find(arguments[i].integer)
                                   : nullptr;
        tensor && tensor->isUnshaped)
      tensors[arguments[i].integer - 1].isPoisoned = true;
}
