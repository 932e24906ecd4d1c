//===- Function.cpp - the functions of PPL as ops ------------------------===//

#include "dialects/ppl/Function.h"
#include "dialects/Refusal.h"
#include "dialects/ppl/Memory.h"

using namespace mlir;
using namespace weft;
using namespace weft::ppl;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Type weft::ppl::elementTypeOf(catalog::DataType type, MLIRContext *context) {
  if (type == catalog::DataType::Fp20)
    return Fp20Type::get(context);
  return catalog::mlirTypeOf(type, context);
}

std::optional<catalog::DataType> weft::ppl::dataTypeOf(Type type) {
  if (mlir::isa<Fp20Type>(type))
    return catalog::DataType::Fp20;
  return catalog::dataTypeOf(type);
}

catalog::AlignMode weft::ppl::alignModeOf(Layout layout) {
  switch (layout) {
  case Layout::Aligned:
    return catalog::AlignMode::Aligned;
  case Layout::Compact:
    return catalog::AlignMode::Compact;
  case Layout::LineAligned:
    return catalog::AlignMode::RowAligned;
  case Layout::Continuous:
    return catalog::AlignMode::Continuous;
  case Layout::Channel:
  case Layout::Strided:
    return catalog::AlignMode::Free;
  }
  llvm_unreachable("covered switch");
}

std::optional<Layout> weft::ppl::layoutOf(catalog::AlignMode mode,
                                          Memory memory) {
  bool isLocal = memory == Memory::Local;
  switch (mode) {
  case catalog::AlignMode::Continuous:
    return isLocal ? std::nullopt : std::optional(Layout::Continuous);
  case catalog::AlignMode::Aligned:
    return isLocal ? std::optional(Layout::Aligned) : std::nullopt;
  case catalog::AlignMode::Compact:
    return isLocal ? std::optional(Layout::Compact) : std::nullopt;
  case catalog::AlignMode::RowAligned:
    return isLocal ? std::optional(Layout::LineAligned) : std::nullopt;
  case catalog::AlignMode::Free:
    return std::nullopt;
  }
  llvm_unreachable("covered switch");
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// Sets lane and address from the op that makes the tensor.
static void locate(Value tensor, const Chip &chip,
                   std::optional<uint64_t> rootAddress, catalog::Tensor &out) {
  Operation *op = tensor.getDefiningOp();
  if (auto local = dyn_cast_or_null<LocalOp>(op)) {
    out.lane = unsigned(local.getLane());
    if (local.getIndices().empty())
      out.address = local.getAddress();
  } else if (auto global = dyn_cast_or_null<GlobalOp>(op)) {
    if (global.getIndices().empty())
      out.address = global.getAddress();
  } else if (auto fixed = dyn_cast_or_null<StaticOp>(op)) {
    out.address = fixed.getAddress();
  } else if (auto view = dyn_cast_or_null<ViewOp>(op)) {
    catalog::Tensor source = describe(view.getSource(), chip, rootAddress);
    ArrayRef<int64_t> offset = view.getOffset();
    int64_t row = offset[1];
    if (source.memory == catalog::Memory::Local) {
      row = (source.lane + offset[1]) / chip.lanes;
      out.lane = unsigned((source.lane + offset[1]) % chip.lanes);
    }
    int64_t elements = offset[0] * source.strides[0] + row * source.strides[1] +
                       offset[2] * source.strides[2] +
                       offset[3] * source.strides[3];
    if (source.address)
      out.address = *source.address +
                    uint64_t(elements) * catalog::bitsOf(source.type) / 8 +
                    view.getBytes();
    return;
  }
  if (!out.address)
    out.address = rootAddress;
}

catalog::Tensor weft::ppl::describe(Value tensor, const Chip &chip,
                                    std::optional<uint64_t> rootAddress) {
  auto type = cast<TensorViewType>(tensor.getType());
  catalog::Tensor out;
  out.type =
      dataTypeOf(type.getElementType()).value_or(catalog::DataType::Int8);
  out.memory = catalog::Memory(unsigned(type.getMemory()));
  out.layout = alignModeOf(type.getLayout());
  llvm::copy(type.getShape(), out.shape.begin());
  locate(tensor, chip, rootAddress, out);
  Strides s = stridesOf(type, out.lane, chip);
  out.strides = {s.n, s.c, s.h, s.w};
  return out;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

FunctionOp::FunctionOp(Operation *op)
    : catalog::FunctionOp(
          mlir::isa_and_nonnull<PplDialect>(op ? op->getDialect() : nullptr)
              ? op
              : nullptr) {}

static bool isUnread(Value result) {
  mlir::Operation *made = result.getDefiningOp();
  return made && made->hasAttr(kScratchAttribute) && result.hasOneUse();
}

catalog::Call weft::ppl::FunctionOp::encodedCall(const Chip &chip) const {
  catalog::Call call = this->call(chip);
  // Only counts: what a transfer is for is made whether it is read or not.
  Value count = function().slot("count") ? tensor("count") : Value();
  if (count && isUnread(count))
    call.arguments[function().slotIndex("count")] = {};
  return call;
}

LogicalResult weft::ppl::reportRefusal(mlir::Operation *op,
                                       const rt::Status &why) {
  bool isRefusal = why.code() == rt::Code::Unsupported;
  return (isRefusal ? unsupported(op->getLoc()) : op->emitError())
         << why.message();
}

namespace {
class PplFunctions : public catalog::FunctionDialect {
public:
  explicit PplFunctions(Dialect *dialect)
      : FunctionDialect(dialect, catalog::Language::Ppl) {}

  const Chip &chipOf(Operation *op) const override { return ppl::chipOf(op); }
  bool isArgument(Type type) const override {
    return mlir::isa<TensorViewType>(type);
  }
  StringRef argumentWords() const override { return "a tensor"; }
  catalog::Argument argumentOf(Value value, const catalog::Slot &,
                               const Chip &chip) const override {
    catalog::Argument argument;
    argument.kind = catalog::Argument::Kind::Tensor;
    argument.tensor = describe(value, chip);
    return argument;
  }
  bool typesNumbers() const override { return true; }
};
} // namespace

void PplDialect::registerFunctions() {
  addInterfaces<PplFunctions>();
  catalog::registerFunctions(*this);
}
