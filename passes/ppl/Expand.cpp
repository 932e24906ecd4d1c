//===- Expand.cpp - functions of PPL become commands ---------------------===//

#include "dialects/ppl/Net.h"
#include "passes/ppl/Expansion.h"
#include "passes/ppl/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace weft;
using namespace weft::ppl;

//===----------------------------------------------------------------------===//
// Expansion
//===----------------------------------------------------------------------===//

TensorViewType Expansion::type(StringRef slot) const {
  Value value = tensor(slot);
  return value ? cast<TensorViewType>(value.getType()) : TensorViewType();
}

bool Expansion::has(StringRef slot) const {
  return tensor(slot) || function.number(slot);
}

static double fallbackOf(const FunctionOp &function, StringRef name) {
  const catalog::Slot *slot =
      function.function().slot({name.data(), name.size()});
  return slot ? slot->fallback : 0;
}

int64_t Expansion::integer(StringRef slot) const {
  Attribute number = function.number(slot);
  if (auto integer = dyn_cast_or_null<IntegerAttr>(number))
    return integer.getValue().getSExtValue();
  if (auto real = dyn_cast_or_null<FloatAttr>(number))
    return int64_t(real.getValueAsDouble());
  return int64_t(fallbackOf(function, slot));
}

double Expansion::real(StringRef slot) const {
  Attribute number = function.number(slot);
  if (auto real = dyn_cast_or_null<FloatAttr>(number))
    return real.getValueAsDouble();
  if (auto integer = dyn_cast_or_null<IntegerAttr>(number))
    return double(integer.getValue().getSExtValue());
  return fallbackOf(function, slot);
}

ArrayRef<int64_t> Expansion::integers(StringRef slot) const {
  auto array = dyn_cast_or_null<DenseI64ArrayAttr>(function.number(slot));
  return array ? array.asArrayRef() : ArrayRef<int64_t>();
}

catalog::Tensor Expansion::described(StringRef slot) const {
  return describe(tensor(slot), chip);
}

Value Expansion::operand(StringRef slot, TensorViewType like) {
  if (Value value = tensor(slot))
    return value;
  return like.isFloat() ? f32(real(slot)) : i32(integer(slot));
}

Value Expansion::f32(double value) {
  return builder.create<arith::ConstantOp>(
      loc, builder.getF32FloatAttr(float(value)));
}

Value Expansion::i32(int64_t value) {
  return builder.create<arith::ConstantOp>(
      loc, builder.getI32IntegerAttr(int32_t(uint32_t(uint64_t(value)))));
}

Value Expansion::temporary(ArrayRef<int64_t> shape, Type element,
                           Layout layout) {
  auto type = TensorViewType::get(shape, element, Memory::Local, layout);
  return builder.create<AllocOp>(loc, type, UnitAttr());
}

Value Expansion::temporary(ArrayRef<int64_t> shape, Type element, Layout layout,
                           unsigned lane) {
  if (lane == 0)
    return temporary(shape, element, layout);
  SmallVector<int64_t> whole(shape);
  whole[1] += lane;
  return view(temporary(whole, element, layout),
              TensorViewType::get(shape, element, Memory::Local, layout),
              {0, int64_t(lane), 0, 0});
}

Value Expansion::bits(Value tensor) {
  auto type = cast<TensorViewType>(tensor.getType());
  Type element = builder.getIntegerType(elementBitsOf(type.getElementType()),
                                        /*isSigned=*/false);
  return element == type.getElementType()
             ? tensor
             : view(tensor, withElement(type, element));
}

Value Expansion::named(Value tensor, Layout layout) {
  auto type = cast<TensorViewType>(tensor.getType());
  return type.getLayout() == layout
             ? tensor
             : view(tensor,
                    TensorViewType::get(type.getShape(), type.getElementType(),
                                        type.getMemory(), layout));
}

Value Expansion::view(Value source, TensorViewType type,
                      ArrayRef<int64_t> offset, int64_t bytes) {
  return builder.create<ViewOp>(loc, type, source, offset, bytes);
}

TensorViewType Expansion::withShape(TensorViewType type,
                                    ArrayRef<int64_t> shape) {
  return TensorViewType::get(type.getContext(), shape, type.getElementType(),
                             type.getMemory(), type.getLayout(),
                             type.getStrides());
}

TensorViewType Expansion::withElement(TensorViewType type, Type element) {
  return TensorViewType::get(type.getContext(), type.getShape(), element,
                             type.getMemory(), type.getLayout(),
                             type.getStrides());
}

namespace {
/// Which axes eachPart must walk.
struct FarStrides {
  bool images = false, rows = false, any = false;

  void add(TensorViewType type, unsigned lane, const Chip &chip) {
    constexpr int64_t kMost = 65535;
    if (type.getLayout() == Layout::Aligned ||
        type.getLayout() == Layout::Compact) // named, not written out
      return;
    Strides strides = stridesOf(type, lane, chip);
    any |= strides.n > kMost || strides.c > kMost;
    images |= type.getN() > 1 && strides.n > kMost;
    rows |= lane + type.getC() > chip.lanes && strides.c > kMost;
  }
};
} // namespace

void Expansion::eachPart(ArrayRef<Value> tensors, unsigned lane,
                         llvm::function_ref<void(ArrayRef<Value>)> emit) {
  FarStrides far;
  for (Value tensor : tensors)
    far.add(cast<TensorViewType>(tensor.getType()), lane, chip);
  if (!far.any)
    return emit(tensors);
  auto first = cast<TensorViewType>(tensors[0].getType());
  int64_t images = far.images ? 1 : first.getN(), lanes = chip.lanes;
  for (int64_t n = 0; n < first.getN(); n += images)
    for (int64_t c = 0, next; c < first.getC(); c = next) {
      next = first.getC();
      if (far.rows)
        next = std::min(next, (lane + c) / lanes * lanes + lanes - lane);
      bool isOneRow = far.rows || lane + first.getC() <= lanes;
      SmallVector<Value> parts;
      for (Value tensor : tensors) {
        auto whole = cast<TensorViewType>(tensor.getType());
        Strides own = stridesOf(whole, lane, chip);
        SmallVector<int64_t> shape = {images, next - c, whole.getH(),
                                      whole.getW()},
                             strides = {images > 1 ? own.n : 0,
                                        isOneRow ? 1 : own.c, own.h, own.w};
        parts.push_back(view(tensor,
                             TensorViewType::get(shape, whole.getElementType(),
                                                 Memory::Local, strides),
                             {n, c, 0, 0}));
      }
      emit(parts);
    }
}

Operation *Expansion::call(StringRef name,
                           ArrayRef<FunctionArgument> arguments) {
  const catalog::Operation *callee = catalog::find({name.data(), name.size()});
  assert(callee && "an expansion calls functions of the catalog");
  return createFunction(builder, loc, *callee, arguments);
}

void Expansion::command(Engine engine, int32_t type, int32_t func,
                        ArrayRef<Field> fields, ArrayRef<Binding> bindings) {
  NamedAttrList values;
  for (const Field &field : fields)
    values.set(field.name, builder.getI64IntegerAttr(field.value));
  SmallVector<Value> tensors;
  SmallVector<StringRef> names;
  SmallVector<int32_t> access;
  for (const Binding &binding : bindings) {
    tensors.push_back(binding.tensor);
    names.push_back(binding.name);
    access.push_back(binding.access);
  }
  builder.create<CommandOp>(loc, engine, type, func,
                            values.getDictionary(builder.getContext()),
                            builder.getStrArrayAttr(names), access, tensors);
}

LogicalResult Expansion::unsupported(const Twine &why) {
  return function.operation()->emitError() << "unsupported: " << why;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

Expand weft::ppl::expansionOf(const catalog::Operation &function) {
  static const llvm::StringMap<Expand> table = [] {
    llvm::StringMap<Expand> map;
    for (auto group :
         {dmaExpansions, sdmaExpansions, hauExpansions, tiuPointwiseExpansions,
          tiuComparisonExpansions, tiuIndexExpansions, tiuConvExpansions,
          tiuMatMulExpansions, tiuPoolExpansions, tiuQuantExpansions,
          tiuSpecialExpansions, tiuMoveExpansions})
      for (const ExpandRow &row : group())
        map[row.name] = row.expand;
    return map;
  }();
  return table.lookup({function.name.data(), function.name.size()});
}

namespace {
/// `--ppl-expand`. Each function op of a net becomes the commands of its row;
/// functions that an expansion calls are expanded in turn.
struct ExpandPass : PassWrapper<ExpandPass, OperationPass<NetOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandPass)
  StringRef getArgument() const override { return "ppl-expand"; }
  StringRef getDescription() const override {
    return "turns the functions of PPL into commands";
  }

  void runOnOperation() override {
    NetOp net = getOperation();
    const Chip &chip = chipOf(net);
    bool hasFailed = false;
    // An expansion's own calls are inserted before the call and so visited
    // next: walk by hand.
    SmallVector<Operation *> work;
    net.getBody().walk([&](Operation *op) {
      if (FunctionOp(op))
        work.push_back(op);
    });
    std::reverse(work.begin(), work.end());
    while (!work.empty()) {
      Operation *op = work.pop_back_val();
      hasFailed |= failed(expand(op, chip, work));
    }
    if (hasFailed)
      signalPassFailure();
  }

  LogicalResult expand(Operation *op, const Chip &chip,
                       SmallVectorImpl<Operation *> &work) {
    FunctionOp function(op);
    Expand row = expansionOf(function.function());
    if (!row)
      return op->emitError() << "unsupported: ppl::" << function.function().name
                             << " has no commands on " << chip.targetName
                             << "; weft ppl run and test take --interpret";
    Operation *before = op->getPrevNode();
    OpBuilder builder(op);
    Expansion expansion(function, builder, chip);
    if (failed(row(expansion)))
      return failure();
    // What it made lies between `before` and `op`, last first on the stack.
    for (Operation *made = op->getPrevNode(); made != before;
         made = made->getPrevNode())
      if (FunctionOp(made))
        work.push_back(made);
    op->erase();
    return success();
  }
};
} // namespace

std::unique_ptr<Pass> weft::ppl::createExpandPass() {
  return std::make_unique<ExpandPass>();
}

void weft::ppl::registerPplPasses() {
  registerPass([] { return createPipelinePass(); });
  registerPass([] { return createExpandPass(); });
  registerPass([] { return createAllocatePass(); });
}
