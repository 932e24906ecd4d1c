//===- SlicingTest.cpp - slicing never changes a number
//--------------------===//
//
// A group is compiled once in one slice and then under many tilings; the
// emulator must give the same bytes each time. That covers tile boxes, pads,
// rotating buffers, loops and the waits between the engines at once. The chosen
// formulas are checked against plain C++ where they are short.
//
//===----------------------------------------------------------------------===//

#include "tests/unit/codegen/emit/ProgramRunner.h"

#include "runtime/isa/Decode.h"

#include "tests/unit/runtime/isa/FirstTable.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

using namespace weft;
using namespace weft::test;

static std::vector<uint8_t> randomFloats(size_t count, uint32_t seed) {
  std::mt19937 generator(seed);
  std::vector<float> values(count);
  for (float &value : values) // uniform_real_distribution differs between
                              // libraries; this does not
    value = static_cast<float>(static_cast<int32_t>(generator())) * 0x1p-30f;
  std::vector<uint8_t> bytes(count * 4);
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

static std::string module(const std::string &input, const std::string &output,
                          const std::string &body) {
  return "module attributes {tpu.chip = \"bm1684x\", tpu.precision = \"f32\"} "
         "{\n"
         "func.func @main(%x: " +
         input + " {tpu.io = {name = \"x\", type = " + input + "}}) -> (" +
         output + " {tpu.io = {name = \"y\", type = " + output + "}}) {\n" +
         body + "  return %y : " + output + "\n}\n}\n";
}

static const char *const kNet = R"(
  %w0 = tpu.weight dense<[[[[0.5, -0.25, 0.125], [1.0, 0.3, -0.7], [0.2, 0.1, -0.4]]], [[[-0.5, 0.25, 0.5], [0.75, -0.3, 0.7], [0.9, -0.1, 0.4]]]]> : tensor<2x1x3x3xf32>
  %b0 = tpu.weight dense<[[[[0.1]], [[-0.2]]]]> : tensor<1x2x1x1xf32>
  %w1 = tpu.weight dense<[[[[0.5]], [[-0.25]]], [[[0.75]], [[1.5]]], [[[-1.0]], [[0.3]]]]> : tensor<3x2x1x1xf32>
  %0 = tpu.conv %x, %w0, %b0 strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 2 {relu, top.value = "a"} : tensor<2x2x33x21xf32>, tensor<2x1x3x3xf32>, tensor<1x2x1x1xf32> -> tensor<2x2x33x21xf32>
  %1 = tpu.binary add %x, %0 : tensor<2x2x33x21xf32>, tensor<2x2x33x21xf32> -> tensor<2x2x33x21xf32>
  %2 = tpu.conv %1, %w1 strides [2, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 {top.value = "b"} : tensor<2x2x33x21xf32>, tensor<3x2x1x1xf32> -> tensor<2x3x17x21xf32>
  %3 = tpu.unary hard_swish %2 {top.value = "c"} : tensor<2x3x17x21xf32>
  %y = tpu.pool max %3 kernel [3, 3] strides [1, 1] pads [1, 1, 1, 1] {top.value = "y"} : tensor<2x3x17x21xf32> -> tensor<2x3x17x21xf32>
)";

TEST(Slicing, EveryTilingGivesTheBytesOfOneSlice) {
  std::string text =
      module("tensor<2x2x33x21xf32>", "tensor<2x3x17x21xf32>", kNet);
  auto input = randomFloats(2 * 2 * 33 * 21, 1);
  ProgramRunner whole(text);
  ASSERT_TRUE(whole.ok());
  auto expected = whole.run({input});
  const tpu::Dims tilings[] = {{2, 1, 1, 1},  {1, 1, 2, 1}, {1, 1, 5, 1},
                               {1, 1, 17, 1}, {2, 1, 9, 1}, {1, 1, 1, 4},
                               {1, 1, 3, 7},  {2, 1, 4, 3}};
  for (const tpu::Dims &counts : tilings)
    for (bool isStreamed : {false, true}) {
      const tpu::Tiling tiling{counts, isStreamed};
      ProgramRunner sliced(text, &tiling);
      ASSERT_TRUE(sliced.ok());
      EXPECT_EQ(sliced.run({input}), expected)
          << counts[0] << "x" << counts[1] << "x" << counts[2] << "x"
          << counts[3] << (isStreamed ? " streamed" : " pipelined");
    }
}

TEST(Slicing, ManyEqualSlicesBecomeOneLoop) {
  std::string text =
      module("tensor<1x8x256x16xf32>", "tensor<1x8x256x16xf32>",
             "  %y = tpu.unary relu %x : tensor<1x8x256x16xf32>\n");
  const tpu::Tiling tiling{{1, 1, 64, 1}};
  ProgramRunner sliced(text, &tiling);
  ASSERT_TRUE(sliced.ok());
  int loops = 0, computations = 0;
  sliced.module().walk([&](mlir::Operation *op) {
    loops += op->getName().getStringRef() == "scf.for";
    computations += op->getName().getStringRef() == "ppl.tiu.fmax";
  });
  EXPECT_EQ(loops, 1);
  EXPECT_LE(computations, 6); // not one a slice
  auto input = randomFloats(8 * 256 * 16, 2);
  ProgramRunner whole(text);
  EXPECT_EQ(sliced.run({input}), whole.run({input}));
}

TEST(Slicing, ChannelSlicesReloadTheirFilters) {
  std::string body = R"(
  %w = tpu.weight dense<0.01> : tensor<200x8x1x1xf32>
  %b = tpu.weight dense<1.5> : tensor<1x200x1x1xf32>
  %y = tpu.conv %x, %w, %b strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 : tensor<1x8x6x5xf32>, tensor<200x8x1x1xf32>, tensor<1x200x1x1xf32> -> tensor<1x200x6x5xf32>
)";
  std::string text =
      module("tensor<1x8x6x5xf32>", "tensor<1x200x6x5xf32>", body);
  auto input = randomFloats(8 * 30, 3);
  ProgramRunner whole(text);
  const tpu::Dims counts[] = {{1, 2, 1, 1}, {1, 4, 1, 1}, {1, 4, 3, 1}};
  auto expected = whole.run({input});
  for (const tpu::Dims &c : counts)
    for (bool isStreamed : {false, true}) {
      const tpu::Tiling tiling{c, isStreamed};
      ProgramRunner sliced(text, &tiling);
      ASSERT_TRUE(sliced.ok());
      EXPECT_EQ(sliced.run({input}), expected) << c[1] << " channel slices";
    }
}

static int countOf(mlir::ModuleOp module, llvm::StringRef name) {
  int count = 0;
  module.walk([&](mlir::Operation *op) {
    count += op->getName().getStringRef() == name;
  });
  return count;
}

/// What a group puts together slice by slice is what the group behind would
/// have loaded. Rows, columns, images and rounds of channels are pieces of it.
TEST(Slicing, WhatIsHandedOnIsWhatIsStored) {
  std::string body = R"(
  %w = tpu.weight dense<0.01> : tensor<200x8x3x3xf32>
  %0 = tpu.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 1 : tensor<2x8x12x10xf32>, tensor<200x8x3x3xf32> -> tensor<2x200x12x10xf32>
  %1 = tpu.unary hard_swish %0 : tensor<2x200x12x10xf32>
  %2 = tpu.pool max %1 kernel [3, 3] strides [1, 1] pads [1, 1, 1, 1] {tpu.begins_group} : tensor<2x200x12x10xf32> -> tensor<2x200x12x10xf32>
  %y = tpu.unary abs %2 : tensor<2x200x12x10xf32>
)";
  std::string text =
      module("tensor<2x8x12x10xf32>", "tensor<2x200x12x10xf32>", body);
  auto input = randomFloats(2 * 8 * 120, 6);
  ProgramRunner stored(text);
  ASSERT_TRUE(stored.ok());
  auto expected = stored.run({input});
  const tpu::Dims tilings[] = {{1, 1, 1, 1},  {2, 1, 1, 1}, {1, 1, 5, 1},
                               {1, 1, 12, 1}, {1, 1, 1, 4}, {1, 2, 1, 1},
                               {1, 4, 1, 1},  {2, 2, 3, 1}, {2, 1, 4, 3}};
  for (const tpu::Dims &counts : tilings)
    for (bool isStreamed : {false, true}) {
      const tpu::Tiling tiling{counts, isStreamed};
      ProgramRunner handed(text, &tiling, /*isHandedOn=*/true);
      ASSERT_TRUE(handed.ok());
      std::string name =
          std::to_string(counts[0]) + "x" + std::to_string(counts[1]) + "x" +
          std::to_string(counts[2]) + "x" + std::to_string(counts[3]) +
          (isStreamed ? " streamed" : " pipelined");
      EXPECT_EQ(countOf(handed.module(), "ppl.dma.store"), 1) << name;
      EXPECT_EQ(handed.run({input}), expected) << name;
    }
}

/// Images and rounds of channels of one value that lie further apart than a
/// command steps are handed on one by one.
TEST(Slicing, WhatIsHandedOnMayLieFarApart) {
  std::string codes = "2x70x181x182x!quant.uniform<i8:f32, 0.5>",
              few = "2x70x13x14x!quant.uniform<i8:f32, 0.5>";
  std::string body = "%0 = tpu.pool max %x kernel [3, 3] strides [1, 1] pads "
                     "[1, 1, 1, 1] : tensor<" +
                     codes + "> -> tensor<" + codes +
                     ">\n%y = tpu.pool max %0 kernel [13, 13] strides [14, 13] "
                     "pads [0, 0, 0, 0] {tpu.begins_group} : tensor<" +
                     codes + "> -> tensor<" + few + ">\n";
  std::string text =
      module("tensor<" + codes + ">", "tensor<" + few + ">", body);
  std::vector<uint8_t> input(2 * 70 * 181 * 182);
  std::mt19937 generator(7);
  for (uint8_t &byte : input)
    byte = generator() >> 8;
  ProgramRunner stored(text);
  ASSERT_TRUE(stored.ok());
  auto expected = stored.run({input});
  for (const tpu::Dims &counts :
       {tpu::Dims{1, 1, 10, 1}, tpu::Dims{2, 1, 5, 1}, tpu::Dims{2, 2, 8, 1}}) {
    const tpu::Tiling tiling{counts, /*isStreamed=*/true};
    ProgramRunner handed(text, &tiling, /*isHandedOn=*/true);
    ASSERT_TRUE(handed.ok()) << counts[0] << "x" << counts[1];
    EXPECT_EQ(handed.run({input}), expected) << counts[0] << "x" << counts[1];
  }
}

/// Slices of 512 and 488 channels: constants must lie alike in both, although
/// the last round of lanes is full in one of them only.
TEST(Slicing, UnevenChannelSlicesFindTheirConstants) {
  std::string values; // one 1x1 image a channel
  for (int channel = 0; channel < 1000; ++channel)
    values +=
        (channel ? ", [[" : "[[") + std::to_string(channel * 3 % 997) + ".0]]";
  std::string body =
      "  %w = tpu.weight dense<0.01> : tensor<1000x8x1x1xf32>\n"
      "  %b = tpu.weight dense<[[" +
      values +
      "]]> : tensor<1x1000x1x1xf32>\n"
      "  %y = tpu.conv %x, %w, %b strides [1, 1] pads [0, 0, 0, 0] dilations "
      "[1, 1] group 1 : tensor<1x8x3x5xf32>, tensor<1000x8x1x1xf32>, "
      "tensor<1x1000x1x1xf32> -> tensor<1x1000x3x5xf32>\n";
  std::string text =
      module("tensor<1x8x3x5xf32>", "tensor<1x1000x3x5xf32>", body);
  auto input = randomFloats(8 * 15, 5);
  ProgramRunner whole(text);
  ASSERT_TRUE(whole.ok());
  auto expected = whole.run({input});
  for (const tpu::Dims &c : {tpu::Dims{1, 2, 1, 1}, tpu::Dims{1, 8, 3, 1}}) {
    const tpu::Tiling tiling{c};
    ProgramRunner sliced(text, &tiling);
    ASSERT_TRUE(sliced.ok());
    EXPECT_EQ(sliced.run({input}), expected) << c[1] << " channel slices";
  }
}

TEST(Softmax, FollowsTheFormulaOverRowsAndColumns) {
  for (int axis : {2, 3}) {
    std::string text =
        module("tensor<1x5x3x7xf32>", "tensor<1x5x3x7xf32>",
               "  %y = tpu.softmax %x {axis = " + std::to_string(axis) +
                   " : i64} : tensor<1x5x3x7xf32>\n");
    ProgramRunner program(text);
    ASSERT_TRUE(program.ok());
    auto input = randomFloats(5 * 3 * 7, 4);
    auto output = program.run({input}).front();
    const float *x = reinterpret_cast<const float *>(input.data());
    const float *y = reinterpret_cast<const float *>(output.data());
    const int shape[4] = {1, 5, 3, 7}, strides[4] = {105, 21, 7, 1};
    for (int i = 0; i < 105; ++i) {
      int base = i - i / strides[axis] % shape[axis] * strides[axis];
      double sum = 0, top = -1e30;
      for (int k = 0; k < shape[axis]; ++k)
        top = std::max<double>(top, x[base + k * strides[axis]]);
      for (int k = 0; k < shape[axis]; ++k)
        sum += std::exp(x[base + k * strides[axis]] - top);
      double want = std::exp(x[i] - top) / sum;
      // exp within 2 ulp, the sum of at most 7 terms within 3, the quotient
      // within 4: 16 ulp cover them.
      EXPECT_NEAR(y[i], want, want * 16 * 0x1p-24)
          << "axis " << axis << " element " << i;
    }
  }
}

//===----------------------------------------------------------------------===//
// Layers four times as large as local memory (16 MiB), under the tiling that
// the compiler chooses
//===----------------------------------------------------------------------===//

static const char *const kBigType = "tensor<1x64x512x512xf32>"; // 64 MiB

TEST(BigLayer, DepthwiseAndPoolChainIsTiledCorrectly) {
  std::string type = kBigType;
  std::string body = "  %w = tpu.weight dense<0.25> : tensor<64x1x3x3xf32>\n"
                     "  %0 = tpu.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] "
                     "dilations [1, 1] group 64 : " +
                     type + ", tensor<64x1x3x3xf32> -> " + type +
                     "\n  %y = tpu.pool max %0 kernel [2, 2] strides [2, 2] "
                     "pads [0, 0, 0, 0] : " +
                     type + " -> tensor<1x64x256x256xf32>\n";
  ProgramRunner program(module(type, "tensor<1x64x256x256xf32>", body));
  ASSERT_TRUE(program.ok());
  const size_t side = 512;
  auto input = randomFloats(64 * side * side, 5);
  auto output = program.run({input}).front();
  const float *x = reinterpret_cast<const float *>(input.data());
  const float *y = reinterpret_cast<const float *>(output.data());
  auto conv = [&](size_t c, int64_t row, int64_t column) {
    // The machine's order: products rounded, even and odd terms summed apart
    // (isa section 7); term 0 is the bias.
    float sums[2] = {0.0f, 0.0f};
    for (int k = 0; k < 9; ++k) {
      int64_t h = row + k / 3 - 1, w = column + k % 3 - 1;
      bool inside = h >= 0 && h < 512 && w >= 0 && w < 512;
      sums[k % 2] += inside ? x[(c * side + h) * side + w] * 0.25f : 0.0f;
    }
    return sums[0] + sums[1];
  };
  for (size_t i = 0; i < 64 * 256 * 256;
       i += 97) { // a prime step visits every row and column class
    size_t c = i / 65536, row = i / 256 % 256 * 2, column = i % 256 * 2;
    float want = std::max(
        std::max(conv(c, row, column), conv(c, row, column + 1)),
        std::max(conv(c, row + 1, column), conv(c, row + 1, column + 1)));
    ASSERT_EQ(y[i], want) << "element " << i;
  }
  // Every input row is loaded once but for the halo: less than 10 % more than
  // the tensors themselves.
  EXPECT_LT(program.program().dramReadBytes, 64u * 512 * 512 * 4 * 11 / 10);
}

TEST(BigLayer, TheNextLoadOverlapsTheComputation) {
  std::string type = kBigType;
  ProgramRunner program(
      module(type, type, "  %y = tpu.unary relu %x : " + type + "\n"));
  ASSERT_TRUE(program.ok());
  const codegen::CommandGroup &group = program.program().groups.front();
  isa::DecodedStream gdma = isa::decodeStream(
      isa::Engine::Gdma, group.gdma.data(), group.gdma.size());
  isa::DecodedStream tiu =
      isa::decodeStream(isa::Engine::Tiu, group.tiu.data(), group.tiu.size());
  size_t slices =
      tiu.commands.size() - 1; // one command a slice, then the end command
  ASSERT_GE(slices, 4u);
  ASSERT_EQ(gdma.commands.size(), 2 * slices + 1);
  // Queue: load 0, load 1, store 0, load 2, store 1, .. Slice i is computed by
  // TIU command i + 1.
  uint64_t waited = 0;
  for (size_t i = 1; i + 1 < slices; ++i) {
    const isa::Decoded &load = gdma.commands[2 * i - 1],
                       &store = gdma.commands[2 * i];
    waited = std::max<uint64_t>(waited, load.dep());
    // The load of slice i may wait for slice i - 2, whose buffer it takes,
    // never for slice i - 1.
    EXPECT_LE(waited, i - 1) << "load of slice " << i;
    waited = std::max<uint64_t>(waited, store.dep());
    EXPECT_EQ(waited, i) << "store of slice " << i - 1
                         << " follows its computation";
  }
}
