//===- OrderChannelsTest.cpp - ordered channels give the same numbers -----===//
//
// Last layers of all forms of convolutions run on the emulator as they are and
// as --tpu-order-channels makes them.
//
//===----------------------------------------------------------------------===//

#include "tests/unit/codegen/emit/ProgramRunner.h"

#include "passes/tpu/Passes.h"

#include "gtest/gtest.h"

#include <functional>
#include <random>

using namespace weft;
using namespace weft::test;

namespace {
/// How the sums of a convolution become its result.
struct Form {
  const char *name, *input, *filter, *output;
  const char *bias; ///< its element, or null
  std::vector<std::string> lists;
};

class LastLayer {
public:
  LastLayer(const Form &form, int64_t channels, uint32_t seed)
      : form(form), channels(channels), generator(seed) {}

  std::string text() {
    std::string input = tensor({1, kInputs, 3, 3}, form.input),
                filter = tensor({channels, kInputs, 1, 1}, form.filter),
                wide = tensor({1, channels, 3, 3}, form.output),
                output = tensor({1, channels, 1, 1}, form.output);
    bool isFloat = form.filter[0] == 'f';
    std::string body =
        "%w = tpu.weight dense<[" +
        list(channels,
             [&] {
               return "[" +
                      list(kInputs,
                           [&] { return "[[" + number(isFloat, 100) + "]]"; }) +
                      "]";
             }) +
        "]> : " + filter + "\n";
    std::string operands = "%x, %w", types = input + ", " + filter;
    if (form.bias) {
      std::string bias = tensor({1, channels, 1, 1}, form.bias);
      bool isWhole = form.bias[0] == 'i';
      body +=
          "%b = tpu.weight dense<[[" +
          list(channels, [&] { return "[[" + number(!isWhole, 1000) + "]]"; }) +
          "]]> : " + bias + "\n";
      operands += ", %b";
      types += ", " + bias;
    }
    std::string attributes;
    for (const std::string &name : form.lists)
      attributes += (attributes.empty() ? "" : ", ") + name + " = array<" +
                    elements(name) + ">";
    body += "%s = tpu.conv " + operands +
            " strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 {" +
            attributes + "} : " + types + " -> " + wide +
            "\n%y = tpu.pool max %s kernel [3, 3] strides [1, 1] pads [0, 0, "
            "0, 0] : " +
            wide + " -> " + output + "\n";
    return "module attributes {tpu.chip = \"bm1684x\", tpu.precision = "
           "\"f32\"} {\nfunc.func @main(%x: " +
           input + " {tpu.io = {name = \"x\", type = " +
           tensor({1, kInputs, 3, 3}, "f32") + "}}) -> (" + output +
           " {tpu.io = {name = \"y\", type = " +
           tensor({1, channels, 1, 1}, "f32") + "}}) {\n" + body +
           "return %y : " + output + "\n}\n}\n";
  }

  /// Codes, or small f32.
  std::vector<uint8_t> input() {
    bool isFloat = form.filter[0] == 'f';
    std::vector<uint8_t> bytes;
    for (int64_t i = 0; i < kInputs * 9; ++i) {
      auto value = static_cast<float>(pick(200) - 100) / 16;
      const auto *raw = reinterpret_cast<const uint8_t *>(&value);
      if (isFloat)
        bytes.insert(bytes.end(), raw, raw + sizeof(value));
      else
        bytes.push_back(static_cast<uint8_t>(pick(255)));
    }
    return bytes;
  }

private:
  static constexpr int64_t kInputs = 5;

  int64_t pick(int64_t most) {
    return std::uniform_int_distribution<int64_t>(1, most)(generator);
  }
  static std::string tensor(const std::vector<int64_t> &sizes,
                            const std::string &element) {
    std::string text = "tensor<";
    for (int64_t size : sizes)
      text += std::to_string(size) + "x";
    return text + element + ">";
  }
  static std::string list(int64_t count,
                          const std::function<std::string()> &element) {
    std::string text;
    for (int64_t i = 0; i < count; ++i)
      text += (i ? ", " : "") + element();
    return text;
  }
  std::string number(bool isFloat, int64_t most) {
    return std::to_string(pick(most) - most / 2) + (isFloat ? ".0" : "");
  }
  /// A number a channel of this attribute.
  std::string elements(const std::string &name) {
    if (name == "scales")
      return "f32: " +
             list(channels, [&] { return "0.00" + std::to_string(pick(9)); });
    if (name == "multipliers")
      return "i32: " +
             list(channels, [&] { return std::to_string(pick(1000)); });
    if (name == "rshifts")
      return "i32: " +
             list(channels, [&] { return std::to_string(8 + pick(3)); });
    return "i32: " + list(channels, [&] {
             return std::to_string(pick(255) - 128); // filter_zero_points
           });
  }

  Form form;
  int64_t channels;
  std::mt19937 generator;
};
} // namespace

static const char *const kCodes = "!quant.uniform<i8:f32, 0.05>";

TEST(OrderChannels, EveryFormGivesTheSame) {
  const Form forms[] = {
      {"floats", "f32", "f32", "f32", nullptr, {}},
      {"floats with a bias", "f32", "f32", "f32", "f32", {}},
      {"rq1", kCodes, "i8", kCodes, "i32", {"multipliers", "rshifts"}},
      {"rq0", kCodes, "i8", kCodes, "f32", {"scales"}},
      {"rq0 of a rounded sum", kCodes, "i8", kCodes, "i32", {"scales"}},
      {"to floats", kCodes, "i8", "f32", "f32", {"scales"}},
      {"weights of 9 bits",
       kCodes,
       "i8",
       "f32",
       "f32",
       {"scales", "filter_zero_points"}}};
  uint32_t seed = 0;
  for (const Form &form : forms)
    for (int64_t channels : {300, 1000, 1024}) {
      SCOPED_TRACE(std::string(form.name) + ", " + std::to_string(channels));
      LastLayer layer(form, channels, seed++);
      std::string text = layer.text(),
                  ordered = afterPass(text, tpu::createTpuOrderChannels(),
                                      "tpu.join_rounds");
      ASSERT_FALSE(ordered.empty());
      std::vector<uint8_t> input = layer.input();
      ProgramRunner direct(text), program(ordered);
      ASSERT_TRUE(direct.ok() && program.ok());
      auto expected = direct.run({input});
      EXPECT_EQ(program.run({input}), expected);
    }
}

TEST(OrderChannels, CodesOfFewBitsGiveTheSame) {
  std::mt19937 generator(7);
  auto list = [&](int rows, int columns, auto number) {
    std::string text = "[";
    for (int row = 0; row < rows; ++row) {
      text += row ? ", [" : "[";
      for (int column = 0; column < columns; ++column)
        text += (column ? ", [[" : "[[") + number() + "]]";
      text += "]";
    }
    return text + "]";
  };
  auto code = [&] { return std::to_string(generator() % 16); };
  auto scale = [&] { return "0." + std::to_string(1 + generator() % 9); };
  auto whole = [&] { return std::to_string(generator() % 100) + ".0"; };
  std::string text =
      "module attributes {tpu.chip = \"bm1684x\", tpu.precision = \"f32\"} {\n"
      "func.func @main(%x: tensor<1x32x1x1xf16> {tpu.io = {name = \"x\", type "
      "= tensor<1x32x1x1xf32>}}) -> (tensor<1x300x1x1xf32> {tpu.io = {name = "
      "\"y\", type = tensor<1x300x1x1xf32>}}) {\n"
      "%c = tpu.weight dense<" +
      list(300, 32, code) +
      "> : tensor<300x32x1x1xui8>\n%s = tpu.weight dense<" +
      list(300, 2, scale) +
      "> : tensor<300x2x1x1xf16>\n%z = tpu.weight dense<" + list(300, 2, code) +
      "> : tensor<300x2x1x1xui8>\n%b = tpu.weight dense<" +
      list(1, 300, whole) +
      "> : tensor<1x300x1x1xf32>\n%y = tpu.coded_linear %x, %c, %s zero_points "
      "%z bias %b bits 4 {relu} : (tensor<1x32x1x1xf16>, "
      "tensor<300x32x1x1xui8>, tensor<300x2x1x1xf16>, tensor<300x2x1x1xui8>, "
      "tensor<1x300x1x1xf32>) -> tensor<1x300x1x1xf32>\nreturn %y : "
      "tensor<1x300x1x1xf32>\n}\n}\n";
  std::string ordered =
      afterPass(text, tpu::createTpuOrderChannels(), "tpu.join_rounds");
  ASSERT_FALSE(ordered.empty());
  std::vector<uint8_t> input(64);
  for (size_t i = 0; i < input.size(); i += 2)
    input[i + 1] = 0x38 + generator() % 8; // f16 from 0.5 to 2
  ProgramRunner direct(text), program(ordered);
  ASSERT_TRUE(direct.ok() && program.ok());
  auto expected = direct.run({input});
  EXPECT_EQ(program.run({input}), expected);
}
