//===- TrafficTest.cpp - the bytes that host operations move --------------===//

#include "runtime/host/Traffic.h"

#include <gtest/gtest.h>

using namespace weft;
using namespace weft::host;

static CallStep call(std::string node, std::vector<ValueId> operands,
                     std::vector<ValueId> results) {
  CallStep step;
  step.node = std::move(node);
  step.operands = std::move(operands);
  step.results = std::move(results);
  return step;
}

static Place floats(int64_t count) { return {0, ElementType::F32, count}; }

TEST(HostTraffic, ATensorCountsAtItsFirstReaderAndAtItsMaker) {
  Program first, second;
  first.steps = {LoadStep{0, floats(4), ElementType::F32, {4}},
                 ConstantStep{1, HostTensor(ElementType::F32, {100})},
                 InputStep{2, 0},
                 call("a", {0, 1, kAbsent}, {3}),
                 call("b", {0, 3, 2}, {4, 5}),
                 StoreStep{4, floats(8)}};
  second.steps = {LoadStep{6, {0, ElementType::I8, 3}, ElementType::I8, {3}},
                  call("c", {6, 5}, {7}), OutputStep{7, 0},
                  StoreStep{5, floats(1)}};
  std::vector<CallTraffic> traffic = trafficOf({&first, &second});
  ASSERT_EQ(traffic.size(), 3u);
  EXPECT_EQ(traffic[0].call->node, "a");
  EXPECT_EQ(traffic[0].fromChipBytes, 16u);
  EXPECT_EQ(traffic[0].toChipBytes, 0u);
  EXPECT_EQ(traffic[1].fromChipBytes, 0u);
  EXPECT_EQ(traffic[1].toChipBytes, 36u);
  EXPECT_EQ(traffic[2].fromChipBytes, 3u);
  EXPECT_EQ(traffic[2].bytes(), 3u);
}

TEST(HostTraffic, WhatNoCallReadsBelongsToNone) {
  Program program;
  program.steps = {LoadStep{0, floats(4), ElementType::F32, {4}},
                   StoreStep{0, floats(4)}};
  EXPECT_TRUE(trafficOf({&program}).empty());
}
