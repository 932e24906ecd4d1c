//===- PriceTest.cpp - a recipe costs what its program costs --------------===//
//
// The price of every recipe on random pieces, sliced or not, is the cycles of
// the commands of the program that emission makes of it.
//
//===----------------------------------------------------------------------===//

#include "tests/unit/codegen/emit/ProgramRunner.h"

#include "codegen/emit/SliceRuns.h"
#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/recipe/Price.h"
#include "runtime/chips/Chips.h"
#include "runtime/cycles/Cycles.h"

#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace weft;
using namespace weft::test;

namespace {
/// A body of @main with `%y` from `%x`; placeholders: $N, $C, $H, $W sizes,
/// $2H, $2W twice, $2C half of the channels. Types of input and result, and the
/// recipe to take ("" for the first).
struct Case {
  const char *name, *input, *output, *body, *recipe;
};
void PrintTo(const Case &row, std::ostream *stream) { *stream << row.name; }
} // namespace

static const Case kCases[] = {
    {"relu", "$Txf32", "$Txf32", "%y = tpu.unary relu %x {} : $O", ""},
    {"hard_swish", "$Txf16", "$Txf16", "%y = tpu.unary hard_swish %x {} : $O",
     ""},
    {"sigmoid", "$Txf32", "$Txf32", "%y = tpu.unary sigmoid %x {} : $O", ""},
    {"gelu_f16", "$Txf16", "$Txf16", "%y = tpu.unary gelu %x {} : $O", ""},
    {"floor_f16", "$Txf16", "$Txf16", "%y = tpu.unary floor %x {} : $O", ""},
    {"lut", "$Tx$Q", "$Tx$Q",
     "%t = tpu.weight dense<1> : tensor<1x1x1x256xi8>\n"
     "%y = tpu.lut %x, %t {} : $I, tensor<1x1x1x256xi8> -> $O",
     ""},
    {"add", "$Txf32", "$Txf32",
     "%y = tpu.binary add %x, %x {relu} : $I, $I -> $O", ""},
    {"divide", "$Txf32", "$Txf32",
     "%y = tpu.binary div %x, %x {} : $I, $I -> $O", ""},
    {"pow", "$Txf32", "$Txf32", "%y = tpu.binary pow %x, %x {} : $I, $I -> $O",
     ""},
    {"add_int8", "$Tx$Q", "$Tx$Q",
     "%y = tpu.binary add %x, %x {multipliers = array<i32: 1500000000, "
     "1200000000>, rshifts = array<i32: 31, 31>} : $I, $I -> $O",
     "elements"},
    {"add_int8", "$Tx$Q", "$Tx$Q",
     "%y = tpu.binary add %x, %x {multipliers = array<i32: 1500000000, "
     "1200000000>, rshifts = array<i32: 31, 31>} : $I, $I -> $O",
     "products"},
    {"mul_int8", "$Tx$Q", "$Tx$Q",
     "%y = tpu.binary mul %x, %x {multipliers = array<i32: 1500000000>, "
     "rshifts "
     "= array<i32: 36>} : $I, $I -> $O",
     ""},
    {"widen", "$Txf16", "$Txf32", "%y = tpu.cast %x {} : $I -> $O", ""},
    {"quantize", "$Txf32", "$Tx$Q", "%y = tpu.cast %x {} : $I -> $O", ""},
    {"dequantize", "$Tx$Q", "$Txf16", "%y = tpu.cast %x {} : $I -> $O", ""},
    {"requantize", "$Tx$Q", "$Tx$Q",
     "%y = tpu.cast %x {multiplier = 1500000000 : i32, rshift = 31 : i32} : $I "
     "-> $O",
     "cast"},
    {"requantize", "$Tx$Q", "$Tx$Q",
     "%y = tpu.cast %x {multiplier = 1500000000 : i32, rshift = 31 : i32} : $I "
     "-> $O",
     "product"},
    {"max_pool", "$Txf16", "$Txf16",
     "%y = tpu.pool max %x kernel [3, 3] strides [1, 1] pads [1, 1, 1, 1] {} : "
     "$I -> $O",
     ""},
    {"scale", "$Txf32", "$Txf32",
     "%w = tpu.weight dense<2.0> : tensor<1x$Cx1x1xf32>\n"
     "%y = tpu.scale %x, %w, %w {relu} : $I, tensor<1x$Cx1x1xf32>",
     ""},
    {"reduce", "$Txf32", "tensor<$Nx$Cx$Hx1xf32>",
     "%y = tpu.reduce sum %x axis 3 {} : $I -> $O", ""},
    {"cumulative", "$Txf32", "$Txf32",
     "%y = tpu.cumulative sum %x axis 3 {} : $O", ""},
    {"softmax_f16", "$Txf16", "$Txf16",
     "%y = tpu.softmax %x {axis = 3 : i64} : $O", ""},
    {"compare", "$Txf32", "$Txui8",
     "%y = tpu.compare greater %x, %x {} : $I, $I -> $O", ""},
    {"conv_f32", "$Txf32", "tensor<$Nx24x$Hx$Wxf32>",
     "%w = tpu.weight dense<0.5> : tensor<24x$Cx3x3xf32>\n"
     "%b = tpu.weight dense<0.5> : tensor<1x24x1x1xf32>\n"
     "%y = tpu.conv %x, %w, %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, "
     "1] group 1 {relu} : $I, tensor<24x$Cx3x3xf32>, tensor<1x24x1x1xf32> -> "
     "$O",
     ""},
    {"depthwise_f16", "$Txf16", "$Txf16",
     "%w = tpu.weight dense<0.5> : tensor<$Cx1x3x3xf16>\n"
     "%y = tpu.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] "
     "group $C {} : $I, tensor<$Cx1x3x3xf16> -> $O",
     ""},
    {"depthwise_int8", "$Tx$Q", "$Tx$Q",
     "%w = tpu.weight dense<3> : tensor<$Cx1x3x3xi8>\n"
     "%b = tpu.weight dense<7> : tensor<1x$Cx1x1xi32>\n"
     "%y = tpu.conv %x, %w, %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, "
     "1] group $C {multipliers = array<i32: $M>, rshifts = array<i32: $R>} : "
     "$I, tensor<$Cx1x3x3xi8>, tensor<1x$Cx1x1xi32> -> $O",
     "window"},
    {"depthwise_int8", "$Tx$Q", "$Tx$Q",
     "%w = tpu.weight dense<3> : tensor<$Cx1x3x3xi8>\n"
     "%b = tpu.weight dense<7> : tensor<1x$Cx1x1xi32>\n"
     "%y = tpu.conv %x, %w, %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, "
     "1] group $C {multipliers = array<i32: $M>, rshifts = array<i32: $R>} : "
     "$I, tensor<$Cx1x3x3xi8>, tensor<1x$Cx1x1xi32> -> $O",
     "window_bias"},
    {"conv_int8_f16", "$Tx$Q", "tensor<$Nx4x$Hx$Wxf16>",
     "%w = tpu.weight dense<3> : tensor<4x$Cx1x1xi8>\n"
     "%y = tpu.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] "
     "group 1 {relu, scales = array<f32: 0.1, 0.2, 0.3, 0.4>} : $I, "
     "tensor<4x$Cx1x1xi8> -> $O",
     ""},
    {"interleave", "$Txf32", "tensor<$Nx$Cx$2Hx$2Wxf32>",
     "%y = tpu.interleave %x factors [2, 2] {} : ($I) -> $O", ""},
};

static void replaceAll(std::string &text, StringRef from,
                       const std::string &to) {
  for (size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

/// `value` as often as there are channels.
static std::string repeated(const char *value, int64_t count) {
  std::string list;
  for (int64_t i = 0; i < count; ++i)
    list += (i ? std::string(", ") : std::string()) + value;
  return list;
}

/// The tensor type as the ONNX graph has it: floats.
static std::string asFloats(const std::string &type) {
  return type.substr(0, type.rfind('x')) + "xf32>";
}

static std::string moduleOf(const Case &row, const tpu::Dims &dims) {
  std::string input = row.input, output = row.output, body = row.body;
  // Tensors are written as "$Txf32" in the rows.
  for (std::string *type : {&input, &output})
    if (type->find("$T") == 0)
      *type = "tensor<$Nx$Cx$Hx$Wx" + type->substr(3) + ">";
  std::string recipe = row.recipe;
  if (!recipe.empty()) {
    bool isEmpty = body.find("{}") != std::string::npos;
    size_t brace = body.rfind('{') + 1;
    body.insert(brace,
                "tpu.recipe = \"" + recipe + "\"" + (isEmpty ? "" : ", "));
  }
  replaceAll(body, "$I", input);
  replaceAll(body, "$O", output);
  std::string text =
      "module attributes {tpu.chip = \"bm1684x\", tpu.precision = \"f32\"} {\n"
      "func.func @main(%x: " +
      input + " {tpu.io = {name = \"x\", type = " + asFloats(input) +
      "}}) -> (" + output +
      " {tpu.io = {name = \"y\", type = " + asFloats(output) + "}}) {\n" +
      body + "\nreturn %y : " + output + "\n}\n}\n";
  replaceAll(text, "$Q", "!quant.uniform<i8:f32, 0.05>");
  replaceAll(text, "$M", repeated("1500000000", dims[1]));
  replaceAll(text, "$R", repeated("38", dims[1]));
  const char *const names[] = {"$N", "$C", "$H", "$W"}, *const twice[] = {
                                                            "$2N", "$2C", "$2H",
                                                            "$2W"};
  for (unsigned axis = 0; axis < 4; ++axis) {
    replaceAll(text, twice[axis], std::to_string(2 * dims[axis]));
    replaceAll(text, names[axis], std::to_string(dims[axis]));
  }
  return text;
}

/// Cycles and number of the TIU commands of a program, without its end.
static tpu::Price priceOf(const codegen::EncodedProgram &program,
                          const Chip &chip) {
  tpu::Price price;
  for (const codegen::CommandGroup &group : program.groups) {
    isa::DecodedStream stream =
        isa::decodeStream(*chip.instructions, isa::Engine::Tiu,
                          group.tiu.data(), group.tiu.size());
    for (const isa::Decoded &command : stream.commands)
      if (uint64_t cycles = cycles::estimate(command, chip).cycles) {
        price.cycles += int64_t(cycles);
        ++price.commands;
      }
  }
  return price;
}

/// Where local memory has a tile of the only op in a slice.
static uint64_t addressOf(const emit::GroupSchedule &schedule,
                          const emit::SliceState &slice,
                          const tpu::Tile &tile) {
  auto kind = tile.kind == tpu::Tile::Operand    ? tpu::GroupBuffer::Input
              : tile.kind == tpu::Tile::Result   ? tpu::GroupBuffer::Result
              : tile.kind == tpu::Tile::Constant ? tpu::GroupBuffer::Constant
                                                 : tpu::GroupBuffer::Scratch;
  unsigned scratch = 0;
  for (auto [number, buffer] : llvm::enumerate(slice.buffers)) {
    if (buffer.kind != kind)
      continue;
    tpu::BufferAttr place = schedule.places[number];
    uint64_t address =
        place.getLocal() + slice.versions[number] % 2 * place.getRotate();
    if (kind == tpu::GroupBuffer::Constant) {
      for (const tpu::ConstantPart &part : buffer.parts)
        if (part.index == tile.index)
          return address + part.offset;
    } else if (kind != tpu::GroupBuffer::Scratch || scratch++ == tile.index) {
      return address; // of operands there is but one tensor
    }
  }
  ADD_FAILURE() << "no buffer for a tile";
  return 0;
}

/// The prices of the slices of the only group with one op, as it is placed.
static tpu::Price foretold(const std::string &text, const tpu::Dims &counts,
                           const Chip &chip) {
  MLIRContext context;
  OwningOpRef<ModuleOp> module = parsePlaced(text, &counts, context);
  tpu::Price total;
  if (!module)
    return total;
  module->walk([&](tpu::GroupOp group) {
    auto schedule = emit::scheduleGroup(chip, group);
    ASSERT_TRUE(schedule);
    for (const emit::SliceState &slice : schedule->slices) {
      int result = schedule->view.resultOf(0);
      tpu::Recipe recipe = tpu::recipeOf(schedule->view.ops.front().op, chip,
                                         slice.plan.tiles[result]);
      std::optional<tpu::Price> price =
          tpu::priceOf(recipe, chip, [&](const tpu::Tile &tile) {
            return addressOf(*schedule, slice, tile);
          });
      ASSERT_TRUE(price);
      total.cycles += price->cycles;
      total.commands += price->commands;
    }
  });
  return total;
}

class RecipePrice : public testing::TestWithParam<Case> {};

TEST_P(RecipePrice, IsThatOfItsProgram) {
  const Chip &chip = *chips::find("bm1684x");
  std::mt19937 generator(15);
  auto pick = [&](int64_t most) { return int64_t(1 + generator() % most); };
  for (int tile = 0; tile < 50; ++tile) {
    tpu::Dims dims{pick(2), pick(130), pick(20), 1 + pick(40)};
    tpu::Dims counts{1, 1, 1, 1};
    if (tile % 2)
      counts = {dims[0], 1, std::min<int64_t>(dims[2], pick(3)), 1};
    std::string text = moduleOf(GetParam(), dims);
    SCOPED_TRACE(text);
    ProgramRunner program(text, &counts);
    ASSERT_TRUE(program.ok());
    tpu::Price want = priceOf(program.program(), chip),
               found = foretold(text, counts, chip);
    ASSERT_GT(want.cycles, 0);
    EXPECT_EQ(found.cycles, want.cycles);
    EXPECT_EQ(found.commands, want.commands);
  }
}

/// Bytes of every kind, all codes of an 8-bit type among them.
static std::vector<uint8_t> randomBytes(size_t count, std::mt19937 &generator) {
  std::vector<uint8_t> bytes(count);
  for (size_t i = 0; i < count; ++i)
    bytes[i] = uint8_t(i < 256 ? i : generator());
  return bytes;
}

/// Compiles `body` with each of two recipes and compares the outputs.
static void expectEqualWays(const std::string &type, const std::string &body,
                            const tpu::Dims &dims, const char *first,
                            const char *second, std::mt19937 &generator) {
  size_t count = dims[0] * dims[1] * dims[2] * dims[3];
  std::vector<uint8_t> input = randomBytes(count, generator);
  std::vector<std::vector<uint8_t>> outputs[2];
  for (int way = 0; way < 2; ++way) {
    Case row{"", "$Tx$Q", type.c_str(), body.c_str(), way ? second : first};
    std::string text = moduleOf(row, dims);
    SCOPED_TRACE(text);
    ProgramRunner program(text);
    ASSERT_TRUE(program.ok());
    outputs[way] = program.run({input});
  }
  EXPECT_EQ(outputs[0], outputs[1]) << body;
}

TEST(Recipes, RequantizeToTheSameCodes) {
  std::mt19937 generator(8);
  for (int round = 0; round < 60; ++round) {
    // Multipliers as QuantScale makes them, and small ones, which a byte holds.
    int32_t multiplier = round % 3
                             ? int32_t(generator() % (1u << 30) + (1u << 30))
                             : int32_t(generator() % 100 + 1) << 24;
    int rshift = int(generator() % 10) + 27;
    std::string attributes = "multiplier = " + std::to_string(multiplier) +
                             " : i32, rshift = " + std::to_string(rshift) +
                             " : i32";
    expectEqualWays("$Tx$Q", "%y = tpu.cast %x {" + attributes + "} : $I -> $O",
                    {1, 3, 10, 10}, "cast", "product", generator);
    std::string pair = std::to_string(multiplier);
    expectEqualWays(
        "$Tx$Q",
        "%y = tpu.binary add %x, %x {multipliers = array<i32: " + pair +
            ", 1200000001>, rshifts = array<i32: " + std::to_string(rshift) +
            ", 30>} : $I, $I -> $O",
        {1, 3, 10, 10}, "elements", "products", generator);
  }
}

TEST(Recipes, ABiasInTheUnitIsABiasAfterIt) {
  std::mt19937 generator(9);
  for (const Case &row : kCases)
    if (StringRef(row.name) == "depthwise_int8")
      for (int round = 0; round < 5; ++round)
        expectEqualWays(row.output, row.body,
                        {1, int64_t(1 + generator() % 90), 7, 9}, "window",
                        "window_bias", generator);
}

INSTANTIATE_TEST_SUITE_P(Recipes, RecipePrice, testing::ValuesIn(kCases),
                         [](const testing::TestParamInfo<Case> &info) {
                           std::string recipe = info.param.recipe;
                           return info.param.name +
                                  (recipe.empty() ? "" : "_as_" + recipe);
                         });
