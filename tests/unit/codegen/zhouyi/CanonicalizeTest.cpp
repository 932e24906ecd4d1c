//===- CanonicalizeTest.cpp - canonical programs compute the same --------===//

#include "dialects/zhouyi/Constants.h"
#include "dialects/zhouyi/Function.h"
#include "dialects/zhouyi/Vector.h"
#include "runtime/chips/Chips.h"
#include "runtime/chips/zhouyi.h"
#include "tests/unit/codegen/zhouyi/ParsedProgram.h"
#include "tests/unit/runtime/zhouyi/VectorTypes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include <random>
#include <set>

using namespace weft;
using catalog::DataType;
using catalog::FunctionArgument;
using catalog::SlotKind;
using mlir::Value;
using zhouyi::Builder;
using zhouyi::test::kVectorTypes;

static constexpr unsigned kSeed = 1122;
static constexpr int kPrograms = 500;
static constexpr int kResults = 8; ///< registers of 32 bytes in y

namespace {
/// Calls that canonicalization is after: of numbers, of constants of one
/// number, with masks of all and of no lanes, with parameters that do nothing.
class RandomCalls {
public:
  RandomCalls(Builder &b, Value x, Value y, unsigned seed)
      : b(b), x(x), y(y), random(seed) {}

  void fill();
  std::set<std::string> called;

private:
  size_t pick(size_t count) { return random() % count; }
  mlir::Type elementOf(DataType type) {
    return catalog::mlirTypeOf(type, b.ops().getContext());
  }
  unsigned lanesOf(DataType type) {
    return chips::zhouyi.vector.registerBytes / catalog::bytesOf(type);
  }
  Value loaded(DataType type, unsigned lanes);
  FunctionArgument number(DataType type);
  FunctionArgument vectorOf(DataType type, bool mayBeNumber);
  FunctionArgument maskOf(llvm::ArrayRef<bool> lanes);
  llvm::SmallVector<bool> lanes(unsigned count);
  bool call(const catalog::Operation &function, int place);

  Builder &b;
  Value x, y;
  std::mt19937 random;
};
} // namespace

Value RandomCalls::loaded(DataType type, unsigned lanes) {
  Value pointer = b.reinterpret(x, elementOf(type));
  int64_t last = int64_t(256 / catalog::bytesOf(type) - lanes);
  return b.load(b.offset(pointer, int64_t(pick(size_t(last) + 1))), lanes);
}

FunctionArgument RandomCalls::number(DataType type) {
  static constexpr int64_t kNumbers[] = {0, 0, 1, 1, 2, 7, -1, 255};
  int64_t value = kNumbers[pick(std::size(kNumbers))];
  if (catalog::isFloat(type) && pick(2)) // else an integer beside floats
    return {{}, b.ops().getF64FloatAttr(pick(4) ? double(value) : -0.0)};
  return {{}, b.ops().getI64IntegerAttr(value)};
}

FunctionArgument RandomCalls::vectorOf(DataType type, bool mayBeNumber) {
  switch (pick(mayBeNumber ? 5 : 2)) {
  case 1: { // one number in all lanes
    int64_t value = int64_t(pick(3));
    return {catalog::isFloat(type)
                ? b.splat(elementOf(type), lanesOf(type), double(value))
                : b.splat(elementOf(type), lanesOf(type), value),
            {}};
  }
  case 2:
  case 3:
    return number(type);
  case 4: // a scalar
    return {loaded(type, 1), {}};
  default:
    return {loaded(type, lanesOf(type)), {}};
  }
}

llvm::SmallVector<bool> RandomCalls::lanes(unsigned count) {
  size_t form = pick(4); // all, none, some
  llvm::SmallVector<bool> list;
  for (unsigned lane = 0; lane < count; ++lane)
    list.push_back(form == 0 || (form > 1 && pick(2)));
  return list;
}

FunctionArgument RandomCalls::maskOf(llvm::ArrayRef<bool> lanes) {
  std::string text;
  for (bool lane : lanes)
    text += lane ? 'T' : 'F';
  switch (pick(3)) {
  case 0:
    return {{}, b.ops().getStringAttr(text)};
  case 1:
    return {{}, b.ops().getDenseBoolArrayAttr(lanes)};
  default:
    return {b.constMask(lanes, unsigned(lanes.size())), {}};
  }
}

/// False if the call that was drawn is not legal.
bool RandomCalls::call(const catalog::Operation &function, int place) {
  std::string name(function.name);
  DataType like = kVectorTypes[pick(std::size(kVectorTypes))];
  bool isPartDefined = name == "vdot" || name == "vqdot" || name == "vrpadd";
  bool isMasked = !isPartDefined && pick(2);
  unsigned count = name == "vfmae" || name == "vfmao" ? 8 : lanesOf(like);
  llvm::SmallVector<bool> active = lanes(count);
  std::vector<FunctionArgument> arguments;
  for (const catalog::Slot &slot : function.slots) {
    DataType type =
        slot.name == "acc" || pick(5) == 0 ? kVectorTypes[pick(8)] : like;
    FunctionArgument argument;
    if (slot.name == "min_val" || slot.name == "max_val")
      argument = {{},
                  b.ops().getI64IntegerAttr(slot.name == "min_val"
                                                ? -int64_t(pick(300))
                                                : int64_t(pick(70000)))};
    else if (slot.kind == SlotKind::Mask)
      argument = isMasked ? maskOf(active) : FunctionArgument();
    else if (slot.name == "r") // else inactive lanes are undefined
      argument = isMasked ? vectorOf(type, true) : FunctionArgument();
    else if (slot.kind == SlotKind::Choice && pick(2))
      argument.attribute = b.ops().getStringAttr(pick(2) ? "u" : "s");
    else if (slot.kind == SlotKind::Flag && pick(2))
      argument.attribute = b.ops().getI64IntegerAttr(int64_t(pick(2)));
    else if (slot.kind == SlotKind::Vector ||
             slot.kind == SlotKind::VectorOrScalar)
      argument = vectorOf(type, slot.kind == SlotKind::VectorOrScalar);
    arguments.push_back(argument);
  }
  const auto &dialect =
      *b.ops()
           .getContext()
           ->getLoadedDialect<zhouyi::ZhouyiDialect>()
           ->getRegisteredInterface<catalog::FunctionDialect>();
  if (!catalog::problemOf(
           catalog::callOf(dialect, function, arguments, chips::zhouyi))
           .empty())
    return false;
  Value result = b.call(name, arguments);
  auto type = mlir::cast<mlir::VectorType>(result.getType());
  // Only lanes that are defined may be stored.
  zhouyi::Mask defined;
  if (name == "vrpadd")
    defined = "TF";
  else if (name == "vqdot" && mlir::isa<mlir::FloatType>(type.getElementType()))
    defined = "4TF";
  else if (isMasked && (name == "vabs" || name == "vdiv" || name == "vmod" ||
                        name == "vrint"))
    defined = llvm::ArrayRef<bool>(active);
  if (type.getDimSize(0) == 1)
    defined = {};
  Value pointer = b.reinterpret(b.offset(y, 8 * place), type.getElementType());
  EXPECT_TRUE(mlir::succeeded(b.store(result, pointer, defined)));
  called.insert(name);
  return true;
}

void RandomCalls::fill() {
  std::vector<const catalog::Operation *> functions;
  for (const catalog::Operation &function :
       catalog::operations(catalog::Language::Zhouyi))
    if (function.result)
      functions.push_back(&function);
  for (int place = 0; place < kResults; ++place) {
    const catalog::Operation &function = *functions[pick(functions.size())];
    for (int attempt = 0; attempt < 200 && !call(function, place); ++attempt)
      ;
  }
}

static size_t functionsIn(zhouyi::ProgramOp program) {
  size_t count = 0;
  program.walk(
      [&](mlir::Operation *op) { count += bool(zhouyi::FunctionOp(op)); });
  return count;
}

TEST(ZhouyiCanonicalize, KeepsWhatRandomProgramsCompute) {
  std::set<std::string> called;
  size_t before = 0, after = 0;
  for (unsigned seed = kSeed; seed < kSeed + kPrograms; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    BuiltProgram built;
    RandomCalls calls(built.b, built.x, built.y, seed);
    calls.fill();
    called.insert(calls.called.begin(), calls.called.end());
    ASSERT_FALSE(built.b.failed()) << built.message;
    auto plain = codegen::encodeVectorProgram(built.program);
    ASSERT_TRUE(mlir::succeeded(plain)) << built.message;
    before += functionsIn(built.program);
    mlir::PassManager passes(&built.context);
    passes.addPass(mlir::createCanonicalizerPass());
    ASSERT_TRUE(mlir::succeeded(passes.run(*built.module))) << built.message;
    after += functionsIn(built.program);
    auto canonical = codegen::encodeVectorProgram(built.program);
    ASSERT_TRUE(mlir::succeeded(canonical)) << built.message;
    // Bits of every kind, NaN among them.
    std::mt19937 random(seed);
    std::vector<int32_t> bits;
    for (int i = 0; i < 64; ++i)
      bits.push_back(int32_t(i % 5 ? random() : 0x7f812345));
    ASSERT_EQ(run(*plain, bits), run(*canonical, bits))
        << listing(*plain) << "canonical:\n"
        << listing(*canonical);
  }
  EXPECT_EQ(called.size(), 20u); // all that return a value
  EXPECT_LT(after, before);
}
