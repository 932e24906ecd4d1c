//===- GroupedConvTest.cpp - groups of a convolution, in every way --------===//
//
// Random grouped convolutions by every recipe that is open to them, sliced or
// not: the bytes are those of one command over all channels, with filters that
// are zero outside their groups.
//
//===----------------------------------------------------------------------===//

#include "tests/unit/codegen/emit/ProgramRunner.h"

#include "dialects/tpu/Conv.h"
#include "dialects/tpu/recipe/Recipe.h"

#include "gtest/gtest.h"

#include <cstring>
#include <random>
#include <set>

using namespace mlir;
using namespace weft;
using namespace weft::test;

namespace {
/// Element types of a convolution, and what stands for requantization: $S a
/// list of scales, $M of multipliers, $R of shifts.
struct Types {
  const char *name, *input, *filter, *bias, *output, *attributes;
};
void PrintTo(const Types &types, std::ostream *stream) {
  *stream << types.name;
}

class GroupedConv : public testing::TestWithParam<Types> {
protected:
  std::mt19937 generator{11};

  int64_t pick(int64_t least, int64_t most) {
    return least + int64_t(generator() % uint32_t(most - least + 1));
  }
};

/// A convolution with groups, as text.
struct Conv {
  tpu::Dims input, filter, output;
  int64_t group, stride, pad, dilation;
  bool hasBias;
  std::vector<uint8_t> filterBytes, biasBytes;
  bool isInterleaved = false;

  /// The same of one group, with zeros.
  Conv asOneGroup() const;
  std::string text(const Types &types, llvm::StringRef recipe) const;
};
} // namespace

static const Types kTypes[] = {
    {"f32", "f32", "f32", "f32", "f32", "relu"},
    {"f16", "f16", "f16", "f32", "f16", ""},
    {"f16_f32", "f16", "f16", "f32", "f32", "relu"},
    {"bf16", "bf16", "bf16", "f32", "bf16", "relu"},
    {"multipliers", "!quant.uniform<i8:f32, 0.05>", "i8", "i32",
     "!quant.uniform<i8:f32, 0.05>",
     "multipliers = array<i32: $M>, rshifts = array<i32: $R>"},
    {"scales", "!quant.uniform<u8:f32, 0.05>", "i8", "f32",
     "!quant.uniform<i8:f32, 0.05>", "scales = array<f32: $S>"},
    {"dequantized", "!quant.uniform<i8:f32, 0.05>", "i8", "f32", "f16",
     "scales = array<f32: $S>, relu"},
};

static std::string tensor(const tpu::Dims &dims, const char *element) {
  std::string text = "tensor<";
  for (int64_t size : dims)
    text += std::to_string(size) + "x";
  return text + element + ">";
}

static std::string timesOver(const char *value, int64_t count) {
  std::string list = value;
  for (int64_t i = 1; i < count; ++i)
    list += std::string(", ") + value;
  return list;
}

static std::string replaced(std::string text, const std::string &from,
                            const std::string &to) {
  size_t at = text.find(from);
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// Random weights: integers, or floats about 1 in size.
static std::vector<uint8_t>
randomWeights(int64_t count, llvm::StringRef element, std::mt19937 &generator) {
  std::vector<uint8_t> bytes;
  auto add = [&](uint32_t value, int size) {
    for (int byte = 0; byte < size; ++byte, value >>= 8)
      bytes.push_back(uint8_t(value));
  };
  for (int64_t i = 0; i < count; ++i) {
    uint32_t bits = generator();
    float number = float(int32_t(bits)) * 0x1p-30f;
    uint32_t word;
    std::memcpy(&word, &number, 4);
    if (element == "f32")
      add(word, 4);
    else if (element == "f16") // 0.5 to 2, both signs
      add(0x3800 | (bits & 0x87ff), 2);
    else if (element == "bf16")
      add(word >> 16, 2);
    else
      add(element == "i32" ? bits % 4096 : bits, element == "i32" ? 4 : 1);
  }
  return bytes;
}

/// "dense<"0x..">"
static std::string attribute(const std::vector<uint8_t> &bytes) {
  static const char kDigits[] = "0123456789ABCDEF";
  std::string hex = "dense<\"0x";
  for (uint8_t byte : bytes) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex + "\">";
}

Conv Conv::asOneGroup() const {
  Conv whole = *this;
  whole.group = 1;
  whole.isInterleaved = false;
  whole.filter[1] = input[1];
  size_t ownBytes = filterBytes.size() / filter[0];
  whole.filterBytes.assign(filterBytes.size() * group, 0);
  for (int64_t result = 0; result < filter[0]; ++result) {
    int64_t number =
        isInterleaved ? result % group : result / (filter[0] / group);
    std::copy_n(filterBytes.begin() + result * ownBytes, ownBytes,
                whole.filterBytes.begin() +
                    (result * group + number) * ownBytes);
  }
  return whole;
}

std::string Conv::text(const Types &types, llvm::StringRef recipe) const {
  std::string in = tensor(input, types.input),
              out = tensor(output, types.output),
              weights = tensor(filter, types.filter),
              biases = tensor({1, filter[0], 1, 1}, types.bias),
              attributes = types.attributes;
  attributes = replaced(attributes, "$M", timesOver("1500000000", filter[0]));
  attributes = replaced(attributes, "$R", timesOver("41", filter[0]));
  attributes = replaced(attributes, "$S", timesOver("0.0003", filter[0]));
  auto floats = [&](const tpu::Dims &dims) { return tensor(dims, "f32"); };
  auto twice = [](int64_t value) {
    return "[" + std::to_string(value) + ", " + std::to_string(value) + "]";
  };
  std::string pads = std::to_string(pad);
  pads = "[" + pads + ", " + pads + ", " + pads + ", " + pads + "]";
  return "module attributes {tpu.chip = \"bm1684x\", tpu.precision = \"f32\"} "
         "{\nfunc.func @main(%x: " +
         in + " {tpu.io = {name = \"x\", type = " + floats(input) + "}}) -> (" +
         out + " {tpu.io = {name = \"y\", type = " + floats(output) +
         "}}) {\n%w = tpu.weight " + attribute(filterBytes) + " : " + weights +
         "\n" +
         (hasBias ? "%b = tpu.weight " + attribute(biasBytes) + " : " + biases +
                        "\n"
                  : "") +
         "%y = tpu.conv %x, %w" + (hasBias ? ", %b" : "") + " strides " +
         twice(stride) + " pads " + pads + " dilations " + twice(dilation) +
         " group " + std::to_string(group) + " {tpu.recipe = \"" +
         recipe.str() + "\"" + (isInterleaved ? ", interleaved" : "") +
         (attributes.empty() ? "" : ", ") + attributes + "} : " + in + ", " +
         weights + (hasBias ? ", " + biases : "") + " -> " + out +
         "\nreturn %y : " + out + "\n}\n}\n";
}

/// Groups with channels that lie across the lanes in every way.
static Conv randomConv(std::mt19937 &generator, const Types &types) {
  auto pick = [&](int64_t least, int64_t most) {
    return least + int64_t(generator() % uint32_t(most - least + 1));
  };
  Conv conv;
  conv.group = pick(2, 9);
  int64_t inputs = pick(1, 200 / conv.group),
          results = pick(1, 400 / conv.group),
          kernel[] = {pick(1, 3), pick(1, 3)};
  if (pick(0, 2) == 0) // filters that are in lane order as they are
    inputs = 32 * pick(1, 2);
  inputs += inputs == 1 && results == 1; // else depthwise
  conv.stride = pick(1, 2);
  conv.pad = pick(0, 1);
  conv.dilation = pick(1, 2);
  conv.hasBias = pick(0, 1);
  conv.isInterleaved = pick(0, 2) == 0;
  conv.input = {pick(1, 2), inputs * conv.group, pick(5, 11), pick(5, 9)};
  conv.filter = {results * conv.group, inputs, kernel[0], kernel[1]};
  conv.output = {conv.input[0], conv.filter[0], 0, 0};
  for (int axis : {2, 3})
    conv.output[axis] = (conv.input[axis] + 2 * conv.pad -
                         (kernel[axis - 2] - 1) * conv.dilation - 1) /
                            conv.stride +
                        1;
  conv.filterBytes = randomWeights(
      conv.filter[0] * inputs * kernel[0] * kernel[1], types.filter, generator);
  conv.biasBytes = randomWeights(conv.filter[0], types.bias, generator);
  return conv;
}

/// Finite numbers of the element type.
static std::vector<uint8_t> randomInput(int64_t count, llvm::StringRef element,
                                        std::mt19937 &generator) {
  unsigned size = element == "f32" ? 4 : element.ends_with("f16") ? 2 : 1;
  std::vector<uint8_t> bytes(count * size);
  for (int64_t i = 0; i < count; ++i) {
    uint32_t bits = generator();
    if (size == 4) {
      float number = float(int32_t(bits)) * 0x1p-29f;
      std::memcpy(&bits, &number, 4);
    } else if (size == 2) { // 2^-7 to 2^8 and more, both signs
      bits = element == "f16" ? 0x2000 + (bits & 0x8000) + bits % 0x3c00
                              : 0x3c00 + (bits & 0x8000) + bits % 0x0800;
    }
    std::memcpy(&bytes[i * size], &bits, size);
  }
  return bytes;
}

TEST_P(GroupedConv, IsTheSameInEveryWay) {
  const Types &types = GetParam();
  std::set<std::string> taken;
  for (int round = 0; round < 24; ++round) {
    Conv conv = randomConv(generator, types);
    std::vector<uint8_t> input = randomInput(conv.input[0] * conv.input[1] *
                                                 conv.input[2] * conv.input[3],
                                             types.input, generator);
    std::string text = conv.text(types, "window");
    SCOPED_TRACE(text.substr(text.find("%y = ")));
    ProgramRunner window(conv.asOneGroup().text(types, "window"));
    ASSERT_TRUE(window.ok());
    auto expected = window.run({input});
    ProgramRunner grouped(text);
    ASSERT_TRUE(grouped.ok());
    EXPECT_EQ(grouped.run({input}), expected);
    tpu::Dims counts{1, pick(1, (conv.output[1] + 63) / 64), 1, 1};
    if (round % 2)
      counts[2] = std::min<int64_t>(2, conv.output[2]);
    for (const tpu::Alternative &way : tpu::ConvOp::recipes()) {
      llvm::StringRef name = way.name, number = name.rsplit('_').second;
      int64_t groups = name.contains("groups") ? 1 : 0;
      number.getAsInteger(10, groups);
      if (name.starts_with("window") || way.addsInAnotherOrder ||
          groups >= conv.group || (conv.isInterleaved && groups > 0))
        continue;
      const tpu::Tiling tiling{counts};
      ProgramRunner other(conv.text(types, name), &tiling);
      ASSERT_TRUE(other.ok()) << name.str();
      EXPECT_EQ(other.run({input}), expected)
          << name.str() << " in " << counts[1] << " pieces of the channels";
      taken.insert(name.str());
    }
  }
  EXPECT_GE(taken.size(), 9u);
}

INSTANTIATE_TEST_SUITE_P(Recipes, GroupedConv, testing::ValuesIn(kTypes),
                         [](const testing::TestParamInfo<Types> &info) {
                           return std::string(info.param.name);
                         });
