//===- Function.cpp - the functions of Zhouyi as ops ---------------------===//

#include "dialects/zhouyi/Function.h"
#include "dialects/zhouyi/Fold.h"
#include "dialects/zhouyi/Program.h"
#include "runtime/chips/Chips.h"

using namespace mlir;
using namespace weft;
using namespace weft::zhouyi;

const Chip &weft::zhouyi::chipOf(Operation *op) {
  auto program = dyn_cast_or_null<ProgramOp>(op);
  if (op && !program)
    program = op->getParentOfType<ProgramOp>();
  const Chip *chip =
      program ? chips::findVectorTarget(program.getTarget().str()) : nullptr;
  return chip ? *chip : *chips::vectorTargets[0];
}

zhouyi::FunctionOp::FunctionOp(Operation *op)
    : catalog::FunctionOp(
          mlir::isa_and_nonnull<ZhouyiDialect>(op ? op->getDialect() : nullptr)
              ? op
              : nullptr) {}

std::optional<catalog::VectorType> weft::zhouyi::vectorTypeOf(Type type) {
  if (!isVector(type))
    return std::nullopt;
  auto vector = cast<mlir::VectorType>(type);
  std::optional<catalog::DataType> element =
      catalog::dataTypeOf(vector.getElementType());
  return catalog::VectorType{*element, unsigned(vector.getDimSize(0))};
}

mlir::VectorType weft::zhouyi::typeOf(const catalog::VectorType &type,
                                      MLIRContext *context) {
  return mlir::VectorType::get(int64_t(type.lanes),
                               catalog::mlirTypeOf(type.type, context));
}

unsigned weft::zhouyi::maskLanesOf(const catalog::Call &call) {
  std::string_view name = call.operation->name;
  if (name == "vfmae" || name == "vfmao")
    return call["acc"].vector.lanes;
  // fma with scalars x and y has its lanes in acc; acc of vdpa and vqdpa has
  // fewer than x and y.
  unsigned lanes = 1;
  for (std::string_view slot : {"x", "y", "acc"})
    if (call[slot].isVector())
      lanes = std::max(lanes, call[slot].vector.lanes);
  return lanes;
}

//===----------------------------------------------------------------------===//
// The dialect's side of the catalog
//===----------------------------------------------------------------------===//

namespace {
class ZhouyiFunctions : public catalog::FunctionDialect {
public:
  explicit ZhouyiFunctions(Dialect *dialect)
      : FunctionDialect(dialect, catalog::Language::Zhouyi) {}

  const Chip &chipOf(Operation *op) const override {
    return zhouyi::chipOf(op);
  }
  bool isArgument(Type type) const override {
    return isVector(type) || isMask(type) || mlir::isa<PtrType>(type);
  }
  StringRef argumentWords() const override {
    return "a vector of 1 to 4096 lanes of si8, ui8, si16, ui16, si32, ui32, "
           "f16, bf16, f32 or i1, or a pointer";
  }
  catalog::Argument argumentOf(Value value, const catalog::Slot &,
                               const Chip &) const override;
  Type typeOf(const catalog::VectorType &result) const override {
    return zhouyi::typeOf(result, getContext());
  }
  LogicalResult fold(const catalog::FunctionOp &function,
                     ArrayRef<Attribute> operands,
                     SmallVectorImpl<OpFoldResult> &results) const override {
    return foldFunction(function, operands, results);
  }
  void addCanonicalizationPatterns(const catalog::Operation &function,
                                   RewritePatternSet &patterns) const override {
    addFunctionPatterns(function, patterns);
  }
};
} // namespace

catalog::Argument ZhouyiFunctions::argumentOf(Value value,
                                              const catalog::Slot &,
                                              const Chip &) const {
  catalog::Argument argument;
  using Kind = catalog::Argument::Kind;
  Type type = value.getType();
  if (auto pointer = dyn_cast<PtrType>(type)) {
    // 64-bit elements are for the host only: no function takes them.
    argument.kind = Kind::Pointer;
    argument.vector.type = *catalog::dataTypeOf(pointer.getElementType());
  } else if (std::optional<catalog::VectorType> vector = vectorTypeOf(type)) {
    argument.kind = Kind::Vector;
    argument.vector = *vector;
  } else {
    argument.kind = Kind::Mask;
    argument.vector.lanes =
        unsigned(cast<mlir::VectorType>(type).getDimSize(0));
  }
  return argument;
}

void ZhouyiDialect::registerFunctions() {
  addInterfaces<ZhouyiFunctions>();
  catalog::registerFunctions(*this);
}
