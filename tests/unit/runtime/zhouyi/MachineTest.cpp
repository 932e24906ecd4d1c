#include "runtime/zhouyi/Machine.h"
#include "runtime/zhouyi/Cast.h"
#include "runtime/zhouyi/Session.h"
#include "tests/unit/runtime/zhouyi/SmallProgram.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>

using namespace weft;
using namespace weft::zhouyi;
using catalog::DataType;
using numeric::ElementType;

namespace {

Operand reg(RegisterId id) { return Operand::ofRegister(id); }

/// A program with one output `out` of `count` elements, run once.
class Bench {
public:
  Bench(ElementType type, int64_t count)
      : out(maker.tensor(BufferRole::Output, "out", type, {count})) {}

  rt::Status run() {
    rt::Result<Machine> machine =
        Machine::make(std::make_shared<Program>(maker.program));
    if (!machine)
      return machine.status();
    rt::Status status = machine->run();
    const Buffer &buffer = machine->program().buffers[out];
    const uint8_t *from = machine->memory(buffer);
    bytes.assign(from, from + buffer.bytes);
    return status;
  }
  template <typename T>
  std::vector<T> values() {
    rt::Status status = run();
    EXPECT_TRUE(status.isOk()) << status.message();
    std::vector<T> list(bytes.size() / sizeof(T));
    std::memcpy(list.data(), bytes.data(), bytes.size());
    return list;
  }
  /// Lane by lane.
  template <typename T>
  RegisterId constant(DataType type, std::vector<T> lanes) {
    RegisterId id = maker.vector(type, uint32_t(lanes.size()));
    std::vector<uint8_t> content(lanes.size() * sizeof(T));
    std::memcpy(content.data(), lanes.data(), content.size());
    maker.add(Constant{id, content});
    return id;
  }
  RegisterId mask(std::vector<uint8_t> lanes) {
    RegisterId id = maker.mask(uint32_t(lanes.size()));
    maker.add(Constant{id, lanes});
    return id;
  }
  RegisterId apply(const char *name, std::vector<Operand> operands,
                   DataType type, uint32_t lanes) {
    RegisterId id = maker.vector(type, lanes);
    maker.add(Apply{name, std::move(operands), id}, node);
    return id;
  }
  void store(RegisterId id, int64_t offset = 0, RegisterId mask = kNoRegister,
             int64_t stride = 1) {
    maker.add(Store{id, {out, offset, {}}, stride, mask}, node);
  }

  ProgramMaker maker;
  uint32_t out;
  NodeId node = kNoNode;
  std::vector<uint8_t> bytes;
};

/// A weight of the bytes 0, 1, 2, ...
uint32_t countingWeight(ProgramMaker &maker, size_t bytes) {
  std::vector<uint8_t> contents(bytes);
  std::iota(contents.begin(), contents.end(), uint8_t(0));
  return maker.weight("numbers", contents);
}

std::vector<int32_t> expectedDot(const std::vector<int8_t> &x) {
  std::vector<int32_t> sums;
  for (int64_t row = 0; row < kDotRows; ++row) {
    int32_t sum = 0;
    for (int64_t column = 0; column < kDotColumns; ++column)
      sum += x[size_t(column)] * dotWeight(row, column);
    sums.push_back(sum);
  }
  return sums;
}

//===----------------------------------------------------------------------===//
// Whole programs
//===----------------------------------------------------------------------===//

TEST(Session, RunsLoopsWithTailsAndTheHost) {
  rt::Result<Session> session =
      Session::open(std::make_shared<Program>(makeDotProgram()));
  ASSERT_TRUE(session.isOk()) << session.status().message();
  ASSERT_EQ(session->inputs().size(), 1u);
  ASSERT_EQ(session->outputs().size(), 1u);
  for (int round = 0; round < 3; ++round) {
    std::vector<int8_t> x;
    for (int64_t i = 0; i < kDotColumns; ++i)
      x.push_back(int8_t((i * 29 + round * 71) % 255 - 127));
    std::vector<rt::CapturedValue> layers;
    auto outputs = session->run(
        {{ElementType::I8, reinterpret_cast<const uint8_t *>(x.data())}},
        &layers);
    ASSERT_TRUE(outputs.isOk()) << outputs.status().message();
    std::vector<int32_t> sums = expectedDot(x);
    ASSERT_EQ(layers.size(), 1u);
    EXPECT_EQ(layers[0].name, "y");
    EXPECT_EQ(layers[0].tensor.shape(), (std::vector<int64_t>{1, kDotRows}));
    bool someNegative = false;
    for (size_t i = 0; i < sums.size(); ++i) {
      EXPECT_EQ(layers[0].tensor.as<int32_t>()[i], sums[i]);
      EXPECT_EQ(outputs->front().as<int32_t>()[i], std::max(sums[i], 0));
      someNegative |= sums[i] < 0;
    }
    EXPECT_TRUE(someNegative);
  }
}

TEST(Session, QuantizesFloatsWithTheScaleOfTheInput) {
  rt::Result<Session> session =
      Session::open(std::make_shared<Program>(makeDotProgram()));
  ASSERT_TRUE(session.isOk());
  std::vector<float> x;
  std::vector<int8_t> stored;
  for (int64_t i = 0; i < kDotColumns; ++i) {
    x.push_back(float(i) - 30.25f);
    stored.push_back(int8_t(std::nearbyint(x.back() * 2)));
  }
  auto outputs = session->run(
      {{ElementType::F32, reinterpret_cast<const uint8_t *>(x.data())}});
  ASSERT_TRUE(outputs.isOk()) << outputs.status().message();
  std::vector<int32_t> sums = expectedDot(stored);
  for (size_t i = 0; i < sums.size(); ++i)
    EXPECT_EQ(outputs->front().as<int32_t>()[i], std::max(sums[i], 0));
  x[3] = std::nanf("");
  auto refused = session->run(
      {{ElementType::F32, reinterpret_cast<const uint8_t *>(x.data())}});
  EXPECT_EQ(refused.status().message(),
            "input 'x': element 3 is nan; it cannot be quantized to i8");
}

TEST(Session, TakesValuesBeforeTheirMemoryIsUsedAgain) {
  ProgramMaker maker;
  uint32_t out = maker.tensor(BufferRole::Output, "out", ElementType::I8, {4});
  uint32_t first =
      maker.tensor(BufferRole::Scratch, "first", ElementType::I8, {2, 2}, 0.5f);
  // In columns, one byte free between elements.
  maker.program.buffers[first].bytes = 7;
  maker.program.buffers[first].strides = {2, 4};
  uint32_t second =
      maker.tensor(BufferRole::Scratch, "second", ElementType::I8, {4});
  maker.program.buffers[second].address =
      maker.program.buffers[second].value->address =
          maker.program.buffers[first].address;
  RegisterId lanes = maker.vector(DataType::Int8, 4);
  maker.add(Constant{lanes, {2, 4, 6, 8}});
  maker.beginLoop(2);
  maker.add(Store{lanes, {first, 0, {}}, 2});
  maker.endLoop();
  RegisterId seven = maker.splat(DataType::Int8, 4, 7);
  maker.add(Store{seven, {second, 0, {}}});
  maker.add(Store{seven, {out, 0, {}}});
  rt::Result<Session> session =
      Session::open(std::make_shared<Program>(maker.program));
  ASSERT_TRUE(session.isOk()) << session.status().message();
  std::vector<rt::CapturedValue> layers;
  ASSERT_TRUE(session->run({}, &layers).isOk());
  ASSERT_EQ(layers.size(), 2u);
  EXPECT_EQ(layers[0].name, "first");
  EXPECT_EQ(layers[0].storedType, ElementType::I8);
  ASSERT_EQ(layers[0].tensor.type(), ElementType::F32);
  const float *reals = layers[0].tensor.as<float>();
  EXPECT_EQ(std::vector<float>(reals, reals + 4),
            (std::vector<float>{1, 3, 2, 4}));
  EXPECT_EQ(layers[1].name, "second");
  EXPECT_EQ(layers[1].tensor.as<int8_t>()[3], 7);
}

TEST(Machine, RunsTheHostInLoops) {
  Program program = makeDotProgram();
  Loop loop{3, {program.body.back()}};
  program.body.back() = {kNoNode, loop};
  ASSERT_EQ(verify(program).message(), "");
  rt::Result<Machine> machine =
      Machine::make(std::make_shared<Program>(program));
  ASSERT_TRUE(machine.isOk());
  EXPECT_TRUE(machine->run().isOk());
}

TEST(Session, EndsAtTheTimeLimit) {
  Program program = makeDotProgram();
  // 2^38 steps at most: hours.
  program.body.insert(program.body.begin(),
                      {kNoNode, Loop{1 << 19, {{kNoNode, Loop{1 << 19, {}}}}}});
  rt::Result<Session> session =
      Session::open(std::make_shared<Program>(program));
  ASSERT_TRUE(session.isOk()) << session.status().message();
  session->setTimeLimit(0.1);
  std::vector<int8_t> x(kDotColumns);
  rt::Status status =
      session->run({{ElementType::I8, reinterpret_cast<uint8_t *>(x.data())}})
          .status();
  EXPECT_EQ(status.code(), rt::Code::Timeout);
  EXPECT_EQ(status.message().substr(0, 23), "instruction 0.0 (loop):")
      << status.message();
  session->setCancelled(true);
  EXPECT_EQ(
      session->run({{ElementType::I8, reinterpret_cast<uint8_t *>(x.data())}})
          .status()
          .code(),
      rt::Code::Cancelled);
}

TEST(Machine, CountsInstructions) {
  rt::Result<Machine> machine =
      Machine::make(std::make_shared<Program>(makeDotProgram()));
  ASSERT_TRUE(machine.isOk());
  // Once: the mask, the outer loop, the host. 5 times: constant, inner loop,
  // vrpadd, store. 15 times: the four of the inner loop.
  EXPECT_EQ(machine->instructionsPerRun(), 83u);
}

TEST(Machine, RefusesWhatVerifyRefuses) {
  Program program = makeDotProgram();
  program.registers[0].lanes = 0;
  EXPECT_EQ(
      Machine::make(std::make_shared<Program>(program)).status().message(),
      "register 0 has 0 lanes, must be 1 to 4096");
}

TEST(Machine, ClearsScratchBetweenRuns) {
  ProgramMaker maker;
  uint32_t out = maker.tensor(BufferRole::Output, "out", ElementType::U8, {1});
  uint32_t room = maker.scratch("room", 1);
  RegisterId value = maker.vector(DataType::Uint8, 1);
  maker.add(Load{value, {room, 0, {}}});
  maker.add(Store{value, {out, 0, {}}});
  RegisterId seven = maker.splat(DataType::Uint8, 1, 7);
  maker.add(Store{seven, {room, 0, {}}});
  rt::Result<Machine> machine =
      Machine::make(std::make_shared<Program>(maker.program));
  ASSERT_TRUE(machine.isOk()) << machine.status().message();
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(machine->run().isOk());
    EXPECT_EQ(machine->memory(machine->program().buffers[out])[0], 0);
  }
}

//===----------------------------------------------------------------------===//
// Loads, stores, masks
//===----------------------------------------------------------------------===//

TEST(Machine, LoadsAndStoresWithSteps) {
  Bench bench(ElementType::U8, 64);
  uint32_t numbers = countingWeight(bench.maker, 64);
  auto move = [&](int64_t from, int64_t stride, int64_t to, int64_t step) {
    RegisterId lanes = bench.maker.vector(DataType::Uint8, 4);
    bench.maker.add(Load{lanes, {numbers, from, {}}, stride});
    bench.store(lanes, to, kNoRegister, step);
  };
  move(1, 1, 0, 1);
  move(10, 0, 8, 1);
  move(3, 7, 16, 3);
  move(9, -2, 35, -1);
  std::vector<uint8_t> wanted(64);
  for (size_t i = 0; i < 4; ++i) {
    wanted[i] = uint8_t(1 + i);
    wanted[8 + i] = 10;
    wanted[16 + 3 * i] = uint8_t(3 + 7 * i);
    wanted[35 - i] = uint8_t(9 - 2 * i);
  }
  EXPECT_EQ(bench.values<uint8_t>(), wanted);
}

TEST(Machine, StepsCountElements) {
  Bench bench(ElementType::U32, 16);
  uint32_t numbers = countingWeight(bench.maker, 64);
  RegisterId half = bench.maker.vector(DataType::Uint16, 4);
  bench.maker.add(Load{half, {numbers, 2, {}}, 3});
  RegisterId halfSplat = bench.maker.vector(DataType::Uint16, 4);
  bench.maker.add(Load{halfSplat, {numbers, 4, {}}, 0});
  RegisterId wide = bench.maker.vector(DataType::Uint32, 4);
  bench.maker.add(Load{wide, {numbers, 4, {}}, 2});
  bench.store(wide, 0, kNoRegister, 2);
  bench.store(half, 32);
  bench.store(halfSplat, 40, kNoRegister, 2);
  std::vector<uint32_t> got = bench.values<uint32_t>();
  EXPECT_EQ(got[0], 0x07060504u);
  EXPECT_EQ(got[1], 0u);
  EXPECT_EQ(got[2], 0x0f0e0d0cu);
  EXPECT_EQ(got[6], 0x1f1e1d1cu);
  EXPECT_EQ(got[8], 0x09080302u);
  EXPECT_EQ(got[9], 0x15140f0eu);
  EXPECT_EQ(got[10], 0x00000504u);
  EXPECT_EQ(got[13], 0x00000504u);
}

TEST(Machine, InactiveLanesAreZeroAndTouchNothing) {
  Bench bench(ElementType::U8, 6);
  uint32_t numbers = countingWeight(bench.maker, 6);
  // Lanes 6 and 7 lie behind both buffers.
  RegisterId active = bench.mask({0, 1, 1, 0, 1, 1, 0, 0});
  RegisterId lanes = bench.maker.vector(DataType::Uint8, 8);
  bench.maker.add(Load{lanes, {numbers, 0, {}}, 1, active});
  RegisterId first = bench.maker.tailMask(8, 5);
  bench.store(lanes, 0, first);
  EXPECT_EQ(bench.values<uint8_t>(), (std::vector<uint8_t>{0, 1, 2, 0, 4, 0}));
}

TEST(Machine, StopsWhenAnActiveLaneLeavesItsBuffer) {
  for (bool stores : {false, true}) {
    Bench bench(ElementType::U8, 6);
    uint32_t numbers = countingWeight(bench.maker, 6);
    bench.node = bench.maker.node("Gather_3");
    RegisterId active = bench.maker.tailMask(8, stores ? 7 : 9);
    RegisterId lanes = bench.maker.splat(DataType::Uint8, 8, 1);
    if (stores)
      bench.store(lanes, 0, active);
    else
      bench.maker.add(Load{lanes, {numbers, -1, {}}, 1, active}, bench.node);
    EXPECT_EQ(bench.run().message(),
              stores ? "instruction 2 (store) of node 'Gather_3': active lane "
                       "6 touches byte 6 of a buffer of 6; mask the lanes "
                       "outside"
                     : "instruction 2 (load) of node 'Gather_3': active lane 0 "
                       "touches byte -1 of a buffer of 6; mask the lanes "
                       "outside");
  }
}

TEST(Machine, TailMasksClamp) {
  Bench bench(ElementType::U8, 40);
  RegisterId one = bench.maker.splat(DataType::Uint8, 8, 1);
  bench.maker.beginLoop(5);
  // limit - 7 * i for limit 18: 18, 11, 4, -3, -10 active lanes of 8.
  RegisterId active = bench.maker.tailMask(8, 18, {{0, 7}});
  bench.maker.add(Store{one, {bench.out, 0, {{0, 8}}}, 1, active});
  bench.maker.endLoop();
  std::vector<uint8_t> wanted(40);
  std::fill_n(wanted.begin(), 20, uint8_t(1));
  EXPECT_EQ(bench.values<uint8_t>(), wanted);
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

TEST(Machine, CopiesAllAtOnce) {
  Bench bench(ElementType::I32, 16);
  // (a, b) = (b, a + b), nine times: Fibonacci.
  RegisterId a = bench.maker.splat(DataType::Int32, 8, 0);
  RegisterId b = bench.maker.splat(DataType::Int32, 8, 1);
  bench.maker.beginLoop(9);
  RegisterId sum = bench.apply("vadd", {reg(a), reg(b)}, DataType::Int32, 8);
  bench.maker.add(Copy{{{a, b}, {b, sum}}});
  bench.maker.endLoop();
  bench.maker.add(Copy{{{a, b}, {b, a}}});
  bench.store(a, 0);
  bench.store(b, 32);
  std::vector<int32_t> got = bench.values<int32_t>();
  EXPECT_EQ(got[0], 55);
  EXPECT_EQ(got[7], 55);
  EXPECT_EQ(got[8], 34);
  EXPECT_EQ(got[15], 34);
}

TEST(Machine, ReinterpretsBits) {
  Bench bench(ElementType::U8, 64);
  RegisterId words =
      bench.constant<uint32_t>(DataType::Uint32, {0x03020100, 0x3f800000});
  RegisterId bytes = bench.maker.vector(DataType::Uint8, 8);
  bench.maker.add(Reinterpret{bytes, words});
  bench.store(bytes, 0);
  RegisterId floats = bench.maker.vector(DataType::Fp32, 2);
  bench.maker.add(Reinterpret{floats, bytes});
  RegisterId integers = bench.maker.vector(DataType::Int32, 2);
  bench.maker.add(Cast{integers, floats});
  bench.store(integers, 8);
  std::vector<uint8_t> got = bench.values<uint8_t>();
  EXPECT_EQ(std::vector<uint8_t>(got.begin(), got.begin() + 16),
            (std::vector<uint8_t>{0, 1, 2, 3, 0, 0, 0x80, 0x3f, 0, 0, 0, 0, 1,
                                  0, 0, 0}));
}

TEST(Machine, WritesInPlace) {
  Bench bench(ElementType::I32, 8);
  std::vector<int32_t> lanes(8);
  std::iota(lanes.begin(), lanes.end(), 1);
  RegisterId x = bench.constant<int32_t>(DataType::Int32, lanes);
  // Pairs of neighbours of x, then again: the operand is also the result.
  bench.maker.add(Apply{"vaddh", {reg(x), reg(x)}, x});
  bench.store(x);
  EXPECT_EQ(bench.values<int32_t>(),
            (std::vector<int32_t>{3, 7, 11, 15, 3, 7, 11, 15}));
}

TEST(Machine, SpreadsScalars) {
  Bench bench(ElementType::I32, 8);
  uint32_t numbers = countingWeight(bench.maker, 8);
  RegisterId scalar = bench.maker.vector(DataType::Int32, 1);
  bench.maker.add(Load{scalar, {numbers, 0, {}}});
  RegisterId x = bench.maker.splat(DataType::Int32, 8, 5);
  RegisterId sum =
      bench.apply("vadd", {reg(x), reg(scalar)}, DataType::Int32, 8);
  bench.store(sum);
  EXPECT_EQ(bench.values<int32_t>(), std::vector<int32_t>(8, 0x03020100 + 5));
}

TEST(Machine, MultipliesMatricesInMemory) {
  Bench bench(ElementType::F32, 32);
  std::vector<uint16_t> counting; // fp16 of 0, 1, ... 15
  for (int i = 0; i < 16; ++i) {
    float value = float(i);
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    counting.push_back(i ? uint16_t((bits >> 13) - (112 << 10)) : 0);
  }
  RegisterId x = bench.constant<uint16_t>(DataType::Fp16, counting);
  Operand second = Operand::ofAddress({bench.out, 64, {}});
  bench.maker.add(Apply{"vmml", {second, reg(x), reg(x)}, kNoRegister});
  bench.maker.add(Apply{"vmma", {second, reg(x), reg(x)}, kNoRegister});
  std::vector<float> got = bench.values<float>();
  const float once[] = {14, 38,  62,  86,  38, 126, 214, 302,
                        62, 214, 366, 518, 86, 302, 518, 734};
  for (size_t i = 0; i < 16; ++i) {
    EXPECT_EQ(got[i], 0.0f);
    EXPECT_EQ(got[16 + i], 2 * once[i]) << i;
  }
}

TEST(Machine, CastsAtTheEdges) {
  auto cast = [](auto from, DataType given, DataType wanted, auto to) {
    uint8_t bytes[8] = {}, result[8] = {};
    std::memcpy(bytes, &from, sizeof from);
    castOf(given, wanted)(bytes, result, 1);
    std::memcpy(&to, result, sizeof to);
    return to;
  };
  auto fromFloat = [&](float value) {
    return cast(value, DataType::Fp32, DataType::Int8, int8_t());
  };
  EXPECT_EQ(fromFloat(-1.9f), -1);
  EXPECT_EQ(fromFloat(127.9f), 127);
  EXPECT_EQ(fromFloat(1e9f), 127);
  EXPECT_EQ(fromFloat(-HUGE_VALF), -128);
  EXPECT_EQ(fromFloat(std::nanf("")), 0);
  EXPECT_EQ(cast(-1.0f, DataType::Fp32, DataType::Uint32, uint32_t()), 0u);
  EXPECT_EQ(cast(5e9f, DataType::Fp32, DataType::Uint32, uint32_t()), ~0u);
  EXPECT_EQ(cast(2147483648.0f, DataType::Fp32, DataType::Int32, int32_t()),
            INT32_MAX);
  EXPECT_EQ(cast(int32_t(-200), DataType::Int32, DataType::Int8, int8_t()), 56);
  EXPECT_EQ(cast(int8_t(-1), DataType::Int8, DataType::Uint32, uint32_t()),
            ~0u);
  EXPECT_EQ(cast(uint8_t(255), DataType::Uint8, DataType::Int16, int16_t()),
            255);
  // 2^24 + 1 lies between two floats: the even one.
  EXPECT_EQ(cast(int32_t(16777217), DataType::Int32, DataType::Fp32, 0.0f),
            16777216.0f);
  EXPECT_EQ(cast(int32_t(16777219), DataType::Int32, DataType::Fp32, 0.0f),
            16777220.0f);
  EXPECT_EQ(cast(int32_t(70000), DataType::Int32, DataType::Fp16, uint16_t()),
            0x7c00);
  EXPECT_EQ(cast(int32_t(2049), DataType::Int32, DataType::Fp16, uint16_t()),
            0x6800);
  EXPECT_EQ(cast(std::nanf("3"), DataType::Fp32, DataType::Fp16, uint16_t()),
            0x7e00);
  EXPECT_EQ(cast(uint16_t(0x7fff), DataType::Bf16, DataType::Fp32, uint32_t()),
            0x7fc00000u);
  EXPECT_EQ(cast(uint16_t(1), DataType::Fp16, DataType::Fp32, 0.0f),
            std::ldexp(1.0f, -24));
  EXPECT_EQ(castOf(DataType::Int4, DataType::Int8), nullptr);
}

//===----------------------------------------------------------------------===//
// Undefined lanes
//===----------------------------------------------------------------------===//

/// vdot whose pair 1 has no active lane: lane 1 of 8 is undefined.
RegisterId undefinedSecondLane(Bench &bench) {
  bench.node = bench.maker.node("Dot_7");
  RegisterId x = bench.maker.splat(DataType::Int16, 16, 3);
  std::vector<uint8_t> lanes(16, 1);
  lanes[2] = lanes[3] = 0;
  RegisterId active = bench.mask(lanes);
  return bench.apply("vdot", {reg(x), reg(x), reg(active)}, DataType::Int32, 8);
}

TEST(Poison, StopsAStore) {
  Bench bench(ElementType::I32, 8);
  bench.store(undefinedSecondLane(bench));
  EXPECT_EQ(bench.run().message(),
            "instruction 3 (store) of node 'Dot_7': lane 1 is stored but has "
            "no defined value; mask it, or give the operation that made it an "
            "r");
}

TEST(Poison, DoesNotStopAMaskedStore) {
  Bench bench(ElementType::I32, 8);
  RegisterId dot = undefinedSecondLane(bench);
  bench.store(dot, 0, bench.mask({1, 0, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(bench.values<int32_t>(),
            (std::vector<int32_t>{18, 0, 18, 18, 18, 18, 18, 18}));
}

TEST(Poison, StopsASum) {
  Bench bench(ElementType::I32, 8);
  RegisterId dot = undefinedSecondLane(bench);
  bench.apply("vrpadd", {reg(dot)}, DataType::Int32, 8);
  EXPECT_EQ(bench.run().message(),
            "instruction 3 (vrpadd) of node 'Dot_7': lane 1 of x has no "
            "defined value, and vrpadd sums it; mask it out or give it a "
            "value");
}

TEST(Poison, TravelsThroughRegisters) {
  Bench bench(ElementType::U8, 32);
  RegisterId dot = undefinedSecondLane(bench);
  RegisterId copied = bench.maker.vector(DataType::Int32, 8);
  RegisterId swapped = bench.maker.splat(DataType::Int32, 8, 1);
  bench.maker.add(Copy{{{copied, dot}}});
  bench.maker.add(Copy{{{swapped, copied}, {copied, swapped}}});
  RegisterId sum =
      bench.apply("vadd", {reg(swapped), reg(copied)}, DataType::Int32, 8);
  RegisterId bytes = bench.maker.vector(DataType::Uint8, 32);
  bench.maker.add(Reinterpret{bytes, sum});
  RegisterId cast = bench.maker.vector(DataType::Int8, 32);
  bench.maker.add(Cast{cast, bytes});
  std::vector<uint8_t> others(32, 1);
  std::fill_n(others.begin() + 4, 4, uint8_t(0));
  bench.store(cast, 0, bench.mask(others));
  std::vector<uint8_t> got = bench.values<uint8_t>();
  EXPECT_EQ(got[0], 19);
  EXPECT_EQ(got[8], 19);
  // Byte 7 belongs to the undefined word.
  others[7] = 1;
  bench.store(cast, 0, bench.mask(others));
  EXPECT_EQ(bench.run().message().substr(0, 59),
            "instruction 12 (store) of node 'Dot_7': lane 7 is stored bu");
}

TEST(Poison, JoinsLanesThatAnyBitIsMissingOf) {
  Bench bench(ElementType::U32, 8);
  RegisterId dot = undefinedSecondLane(bench);
  RegisterId bytes = bench.maker.vector(DataType::Uint8, 32);
  bench.maker.add(Reinterpret{bytes, dot});
  RegisterId words = bench.maker.vector(DataType::Uint32, 8);
  bench.maker.add(Reinterpret{words, bytes});
  bench.store(words);
  EXPECT_EQ(bench.run().message().substr(0, 46),
            "instruction 5 (store) of node 'Dot_7': lane 1 ");
}

TEST(Poison, EndsWhereARegisterIsWrittenAgain) {
  Bench bench(ElementType::I32, 8);
  RegisterId dot = undefinedSecondLane(bench);
  RegisterId again = bench.maker.splat(DataType::Int32, 8, 4);
  bench.maker.add(Apply{"vadd", {reg(again), Operand::ofInteger(1)}, dot});
  bench.store(dot);
  EXPECT_EQ(bench.values<int32_t>(), std::vector<int32_t>(8, 5));
}

} // namespace
