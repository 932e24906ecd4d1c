//===- ProgramTest.cpp - host programs: bytes, checks, runs ---------------===//

#include "runtime/host/Program.h"

#include <algorithm>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace weft;
using namespace weft::host;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// One input x (i64 of 2x2) and one output of unknown size; 64 bytes of DRAM at
/// 0x1000.
class HostProgram : public testing::Test {
protected:
  HostProgram() {
    stage.inputs = {staticResult(ElementType::I64, {2, 2})};
    stage.outputs = {{ElementType::F32, {kUnknownSize}, {8}}};
    stage.mayRead = stage.mayWrite = [](const Place &place) {
      return place.address >= 0x1000 && place.bytes() <= 64 &&
             place.address - 0x1000 <= 64 - place.bytes();
    };
  }

  /// Loads 4 floats, turns them into a row, stores them and gives them out.
  Program example() {
    Place place{0x1000, ElementType::F32, 4};
    CallStep call;
    call.kernel = "reshape";
    call.node = "row";
    call.reason = "for the test";
    call.attributes.set("text", std::string("t"));
    call.attributes.set("number", 0.5);
    call.attributes.set("list", std::vector<int64_t>{1, -2});
    call.attributes.set("tensor", HostTensor(ElementType::I8, {3}));
    call.operands = {0};
    call.results = {1};
    call.types = {{ElementType::F32, {kUnknownSize}, {8}}};
    Program program;
    program.steps = {LoadStep{0, place, ElementType::F32, {2, 2}},
                     call,
                     StoreStep{1, {0x1010, ElementType::F32, 8}},
                     OutputStep{1, 0},
                     InputStep{2, 0},
                     ConstantStep{3, HostTensor(ElementType::F64, {2, 0})}};
    return program;
  }

  rt::Status check(const Program &program) {
    ProgramState state;
    return checkProgram(program, stage, state);
  }

  StageView stage;
};

TEST_F(HostProgram, comesBackFromItsBytes) {
  std::vector<uint8_t> bytes = serialize(example());
  rt::Result<Program> read = parseProgram(bytes.data(), bytes.size());
  ASSERT_TRUE(read.isOk()) << read.status().message();
  EXPECT_EQ(serialize(*read), bytes);
  const auto &call = std::get<CallStep>(read->steps[1]);
  EXPECT_TRUE(call.attributes ==
              std::get<CallStep>(example().steps[1]).attributes);
}

TEST_F(HostProgram, isRefusedWithTwoAttributesOfOneName) {
  std::vector<uint8_t> bytes = serialize(example());
  const std::string name = "list", other = "text";
  auto at = std::search(bytes.begin(), bytes.end(), name.begin(), name.end());
  ASSERT_NE(at, bytes.end());
  std::copy(other.begin(), other.end(), at);
  EXPECT_EQ(parseProgram(bytes.data(), bytes.size()).status().code(),
            rt::Code::BadFile);
}

/// What a program runs in: DRAM from 0x1000 on, one input, one output.
struct Surroundings {
  explicit Surroundings(std::vector<uint8_t> bytes) : dram(std::move(bytes)) {
    context.read = context.write = [this](const Place &place) {
      return dram.data() + (place.address - 0x1000);
    };
    context.inputs = &inputs;
    context.outputs = &outputs;
  }
  std::vector<uint8_t> dram;
  std::vector<HostTensor> inputs = {HostTensor(ElementType::I64, {2, 2})};
  std::vector<HostTensor> outputs = std::vector<HostTensor>(1);
  RunContext context;
};

TEST_F(HostProgram, isRefusedWhenCutAnywhereOrContinued) {
  std::vector<uint8_t> bytes = serialize(example());
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(parseProgram(bytes.data(), size).isOk()) << size;
  bytes.push_back(0);
  EXPECT_FALSE(parseProgram(bytes.data(), bytes.size()).isOk());
}

TEST_F(HostProgram, withAnyByteChangedIsRefusedOrRuns) {
  std::vector<uint8_t> bytes = serialize(example());
  for (size_t at = 0; at < bytes.size(); ++at)
    for (uint8_t change : {0x01, 0x80, 0xff}) {
      std::vector<uint8_t> changed = bytes;
      changed[at] ^= change;
      rt::Result<Program> read = parseProgram(changed.data(), changed.size());
      if (!read || !check(*read))
        continue;
      Surroundings around(std::vector<uint8_t>(64));
      // Must only stay inside.
      (void)runProgram(*read, around.context).isOk();
    }
}

TEST_F(HostProgram, runs) {
  ASSERT_TRUE(check(example()).isOk());
  Surroundings around(std::vector<uint8_t>(64, 0xee));
  std::vector<uint8_t> &dram = around.dram;
  std::vector<HostTensor> &outputs = around.outputs;
  float values[4] = {1, 2, 3, 4};
  std::memcpy(dram.data(), values, sizeof(values));
  rt::Status status = runProgram(example(), around.context);
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_THAT(outputs[0].shape(), ElementsAre(4));
  EXPECT_EQ(std::memcmp(outputs[0].bytes(), values, sizeof(values)), 0);
  EXPECT_EQ(std::memcmp(dram.data() + 16, values, sizeof(values)), 0);
  EXPECT_EQ(dram[32], 0xee); // a value of unknown size leaves the rest
}

TEST_F(HostProgram, isCheckedAgainstItsStage) {
  auto message = [&](size_t step, Step wrong) {
    Program program = example();
    program.steps[step] = std::move(wrong);
    return check(program).message();
  };
  Place outside{0x1034, ElementType::F32, 4};
  EXPECT_THAT(message(0, LoadStep{0, outside, ElementType::F32, {2, 2}}),
              HasSubstr("step 0 of the host program: loads 4 elements"));
  EXPECT_THAT(
      message(
          0,
          LoadStep{0, {0x1000, ElementType::F32, 4}, ElementType::F32, {2, 3}}),
      HasSubstr("as a tensor of 6"));
  EXPECT_THAT(message(2, StoreStep{1, {0x1010, ElementType::F32, 4}}),
              HasSubstr("stores a tensor of 8 elements into 4"));
  EXPECT_THAT(message(2, StoreStep{7, {0x1010, ElementType::F32, 8}}),
              HasSubstr("stores value 7, which is not made"));
  EXPECT_THAT(message(3, OutputStep{0, 0}), HasSubstr("does not fit"));
  EXPECT_THAT(message(4, InputStep{2, 1}), HasSubstr("reads input 1 of 1"));
  EXPECT_THAT(message(4, InputStep{1, 0}), HasSubstr("is there already"));
  CallStep unknown = std::get<CallStep>(example().steps[1]);
  unknown.kernel = "no_such";
  EXPECT_THAT(message(1, unknown), HasSubstr("host kernel 'no_such'"));
  CallStep early = std::get<CallStep>(example().steps[1]);
  early.operands = {5};
  EXPECT_THAT(message(1, early), HasSubstr("uses value 5 before"));
}

} // namespace
