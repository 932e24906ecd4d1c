//===- RegistersTest.cpp - registers by live range -----------------------===//

#include "dialects/zhouyi/Constants.h"
#include "dialects/zhouyi/Function.h"
#include "dialects/zhouyi/Memory.h"
#include "dialects/zhouyi/Vector.h"
#include "tests/unit/codegen/zhouyi/ParsedProgram.h"

#include "mlir/IR/Verifier.h"
#include <gmock/gmock.h>

#include <array>
#include <map>
#include <random>

using namespace weft;
using mlir::Value;
using zhouyi::Builder;

/// Copies in a program.
static size_t copiesOf(const zhouyi::Program &program) {
  size_t count = 0;
  EXPECT_TRUE(bool(zhouyi::visitInstructions(
      program, [&](const zhouyi::ListedInstruction &listed) {
        if (auto *copy = std::get_if<zhouyi::Copy>(&listed.instruction->what))
          count += copy->moves.size();
        return rt::Status::ok();
      })));
  return count;
}

TEST(ZhouyiRegisters, AreUsedAgain) {
  ParsedProgram parsed;
  std::string body =
      "%v0 = zhouyi.load %x : !zhouyi.ptr<si32> -> vector<8xsi32>\n";
  for (int i = 0; i < 100; ++i) {
    std::string from = "%v" + std::to_string(i);
    body += "%v" + std::to_string(i + 1) + " = zhouyi.vadd x = " + from +
            ", y = " + from +
            " : vector<8xsi32>, vector<8xsi32> -> vector<8xsi32>\n"
            "%unused" +
            std::to_string(i) + " = zhouyi.vsub x = " + from +
            ", y = 1 : vector<8xsi32> -> vector<8xsi32>\n";
  }
  auto program = parsed.encode(
      body + "zhouyi.store %v100, %y : vector<8xsi32>, !zhouyi.ptr<si32>\n");
  ASSERT_TRUE(mlir::succeeded(program)) << parsed.message;
  EXPECT_LE(program->registers.size(), 3u);
}

TEST(ZhouyiRegisters, OfAccumulatorsNeedNoCopies) {
  ParsedProgram parsed;
  // The sum of 3 * 4 rounds of x; the first copy fills the accumulator from
  // the constant.
  auto program = parsed.encode(R"(
    %z = zhouyi.constant dense<0> : vector<8xsi32>
    %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %z) -> (vector<8xsi32>) {
      %s = scf.for %j = %c0 to %c4 step %c1 iter_args(%b = %a) -> (vector<8xsi32>) {
        %v = zhouyi.load %x : !zhouyi.ptr<si32> -> vector<8xsi32>
        %c = zhouyi.vadd x = %b, y = %v : vector<8xsi32>, vector<8xsi32> -> vector<8xsi32>
        scf.yield %c : vector<8xsi32>
      }
      scf.yield %s : vector<8xsi32>
    }
    zhouyi.store %r, %y : vector<8xsi32>, !zhouyi.ptr<si32>
  )");
  ASSERT_TRUE(mlir::succeeded(program)) << parsed.message;
  EXPECT_EQ(copiesOf(*program), 1u) << listing(*program);
  EXPECT_EQ(run(*program, std::vector<int32_t>(64, 5))[7], 60);
}

TEST(ZhouyiRegisters, OfValuesThatTradePlacesAreCopiedAtOnce) {
  ParsedProgram parsed;
  // Fibonacci: (a, b) becomes (b, a + b), 4 * 4 times.
  auto program = parsed.encode(R"(
    %z = zhouyi.constant dense<0> : vector<8xsi32>
    %one = zhouyi.constant dense<1> : vector<8xsi32>
    %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %z, %b = %one) -> (vector<8xsi32>, vector<8xsi32>) {
      %q:2 = scf.for %j = %c0 to %c4 step %c1 iter_args(%c = %a, %d = %b) -> (vector<8xsi32>, vector<8xsi32>) {
        %s = zhouyi.vadd x = %c, y = %d : vector<8xsi32>, vector<8xsi32> -> vector<8xsi32>
        scf.yield %d, %s : vector<8xsi32>, vector<8xsi32>
      }
      scf.yield %q#0, %q#1 : vector<8xsi32>, vector<8xsi32>
    }
    zhouyi.store %r#0, %y : vector<8xsi32>, !zhouyi.ptr<si32>
    %p = zhouyi.offset %y add 8 : !zhouyi.ptr<si32>
    zhouyi.store %r#1, %p : vector<8xsi32>, !zhouyi.ptr<si32>
  )");
  ASSERT_TRUE(mlir::succeeded(program)) << parsed.message;
  std::vector<int32_t> y = run(*program, std::vector<int32_t>(64));
  EXPECT_EQ(y[0], 987);
  EXPECT_EQ(y[8], 1597);
}

//===----------------------------------------------------------------------===//
// Random programs
//===----------------------------------------------------------------------===//

static constexpr unsigned kSeed = 7;
static constexpr int kPrograms = 400;
using Lanes = std::array<int32_t, 8>;

namespace {
/// Nested loops that carry several values, add them and store some.
class RandomProgram {
public:
  RandomProgram(Builder &b, Value x, Value y, unsigned seed)
      : b(b), x(x), y(y), random(seed) {}

  void fill() {
    std::vector<Value> scope{b.int32x8(0), b.int32x8(3), b.load(x, 8)};
    block(scope, 0);
    for (int slot = 0; slot < 3; ++slot)
      EXPECT_TRUE(
          mlir::succeeded(b.store(any(scope), b.offset(y, 8 * (5 + slot)))));
  }

private:
  size_t pick(size_t count) { return random() % count; }
  /// Mostly something young.
  Value any(const std::vector<Value> &scope) {
    size_t back = std::min(pick(scope.size()), pick(scope.size()));
    return scope[scope.size() - 1 - back];
  }
  void block(std::vector<Value> &scope, unsigned depth);
  void loop(std::vector<Value> &scope, unsigned depth);

  Builder &b;
  Value x, y;
  std::mt19937 random;
};
} // namespace

void RandomProgram::block(std::vector<Value> &scope, unsigned depth) {
  for (size_t left = 2 + pick(5); left > 0; --left)
    switch (pick(depth < 3 ? 6 : 4)) {
    case 0:
      scope.push_back(b.load(b.offset(x, int64_t(pick(56))), 8));
      break;
    case 1:
      scope.push_back(b.vadd(any(scope), any(scope)));
      break;
    case 2:
      scope.push_back(b.vsub(any(scope), any(scope)));
      break;
    case 3:
      EXPECT_TRUE(mlir::succeeded(
          b.store(any(scope), b.offset(y, 8 * int64_t(pick(5))))));
      break;
    default:
      loop(scope, depth);
    }
}

void RandomProgram::loop(std::vector<Value> &scope, unsigned depth) {
  std::vector<Value> initial;
  for (size_t left = pick(4); left > 0; --left)
    initial.push_back(any(scope));
  auto results = b.loop(
      int64_t(1 + pick(3)), initial, [&](Value, mlir::ValueRange carried) {
        std::vector<Value> inner = scope;
        inner.insert(inner.end(), carried.begin(), carried.end());
        block(inner, depth + 1);
        llvm::SmallVector<Value> yielded;
        for (size_t i = 0; i < initial.size(); ++i)
          yielded.push_back(pick(4) == 0 ? Value(carried[pick(carried.size())])
                                         : any(inner));
        return yielded;
      });
  scope.insert(scope.end(), results.begin(), results.end());
}

namespace {
/// The ops of such a program, one after the other.
class Interpreter {
public:
  std::vector<int32_t> x, y = std::vector<int32_t>(64);

  void run(mlir::Block &block) {
    for (mlir::Operation &op : block)
      run(op);
  }

private:
  void run(mlir::Operation &op);
  std::pair<std::string, int64_t> placeOf(Value pointer) {
    int64_t add = 0;
    if (auto offset = pointer.getDefiningOp<zhouyi::OffsetOp>()) {
      add = offset.getAddAttr().getInt();
      pointer = offset.getSource();
    }
    return {pointer.getDefiningOp<zhouyi::BufferOp>().getName().str(), add};
  }
  std::map<void *, Lanes> values;
};
} // namespace

void Interpreter::run(mlir::Operation &op) {
  auto get = [&](Value value) { return values.at(value.getAsOpaquePointer()); };
  auto set = [&](Value value, const Lanes &lanes) {
    values[value.getAsOpaquePointer()] = lanes;
  };
  if (auto constant = mlir::dyn_cast<zhouyi::ConstantOp>(op)) {
    std::vector<uint8_t> bytes = zhouyi::bytesOf(
        mlir::cast<mlir::DenseElementsAttr>(constant.getValue()));
    Lanes lanes;
    std::memcpy(lanes.data(), bytes.data(), bytes.size());
    set(constant.getResult(), lanes);
  } else if (auto load = mlir::dyn_cast<zhouyi::LoadOp>(op)) {
    Lanes lanes;
    std::copy_n(x.begin() + placeOf(load.getPointer()).second, 8,
                lanes.begin());
    set(load.getResult(), lanes);
  } else if (auto store = mlir::dyn_cast<zhouyi::StoreOp>(op)) {
    Lanes lanes = get(store.getValue());
    std::copy_n(lanes.begin(), 8,
                y.begin() + placeOf(store.getPointer()).second);
  } else if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(op)) {
    int64_t count = *mlir::getConstantIntValue(loop.getUpperBound());
    std::vector<Lanes> carried;
    for (Value initial : loop.getInitArgs())
      carried.push_back(get(initial));
    for (int64_t i = 0; i < count; ++i) {
      for (size_t k = 0; k < carried.size(); ++k)
        set(loop.getRegionIterArg(unsigned(k)), carried[k]);
      run(*loop.getBody());
      for (size_t k = 0; k < carried.size(); ++k)
        carried[k] =
            get(loop.getBody()->getTerminator()->getOperand(unsigned(k)));
    }
    for (size_t k = 0; k < carried.size(); ++k)
      set(loop.getResult(unsigned(k)), carried[k]);
  } else if (zhouyi::FunctionOp function{&op}) {
    Lanes a = get(function.value("x")), c = get(function.value("y")), out;
    for (size_t i = 0; i < 8; ++i)
      out[i] = int32_t(function.function().name == "vadd"
                           ? uint32_t(a[i]) + uint32_t(c[i])
                           : uint32_t(a[i]) - uint32_t(c[i]));
    set(op.getResult(0), out);
  }
}

TEST(ZhouyiRegisters, OfRandomProgramsKeepEveryValue) {
  for (unsigned seed = kSeed; seed < kSeed + kPrograms; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    BuiltProgram built;
    RandomProgram(built.b, built.x, built.y, seed).fill();
    ASSERT_FALSE(built.b.failed()) << built.message;
    auto encoded = codegen::encodeVectorProgram(built.program);
    ASSERT_TRUE(mlir::succeeded(encoded)) << built.message;
    Interpreter wanted;
    std::mt19937 random(seed);
    for (int i = 0; i < 64; ++i)
      wanted.x.push_back(int32_t(random()));
    wanted.run(built.program.getBody().front());
    ASSERT_EQ(run(*encoded, wanted.x), wanted.y) << listing(*encoded);
  }
}
