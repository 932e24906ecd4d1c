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
/// A body of @main with `%y` from `%x`, their types, and the recipe to take (""
/// for the first). Placeholders: $N, $C, $H, $W sizes, $2C, $2H and $2W
/// twice as much, $P height times width, $T a tensor of these sizes, $Q a
/// quantized element, $Z one with a zero point, $I and $O the types of %x and
/// %y, $M multipliers and $R shifts for all channels.
struct Case {
  const char *name, *input, *output, *body, *recipe;
};
void PrintTo(const Case &row, std::ostream *stream) { *stream << row.name; }
} // namespace

// Bodies with two recipes.
static const char *const kScaledSum =
    "%y = tpu.binary add %x, %x {multipliers = array<i32: 1500000000, "
    "1200000000>, rshifts = array<i32: 31, 31>} : $I, $I -> $O";
static const char *const kCodedRows =
    "%w = tpu.weight dense<3> : tensor<70x64x1x1xi8>\n"
    "%s = tpu.weight dense<0.5> : tensor<70x2x1x1xf16>\n"
    "%b = tpu.weight dense<0.5> : tensor<1x70x1x1xf32>\n"
    "%y = tpu.coded_linear %x, %w, %s bias %b bits 4 {rows_in_lanes, relu} : "
    "($I, tensor<70x64x1x1xi8>, tensor<70x2x1x1xf16>, tensor<1x70x1x1xf32>) -> "
    "$O";
static const char *const kCodedPixels =
    "%w = tpu.weight dense<3> : tensor<150x64x1x1xui8>\n"
    "%s = tpu.weight dense<0.5> : tensor<150x4x1x1xf16>\n"
    "%z = tpu.weight dense<7> : tensor<150x4x1x1xui8>\n"
    "%y = tpu.coded_linear %x, %w, %s zero_points %z bits 8 {relu} : ($I, "
    "tensor<150x64x1x1xui8>, tensor<150x4x1x1xf16>, tensor<150x4x1x1xui8>) -> "
    "$O";
static const char *const kFloatConv =
    "%w = tpu.weight dense<0.5> : tensor<24x$Cx3x3xf32>\n"
    "%b = tpu.weight dense<0.5> : tensor<1x24x1x1xf32>\n"
    "%y = tpu.conv %x, %w, %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, "
    "1] group 1 {relu} : $I, tensor<24x$Cx3x3xf32>, tensor<1x24x1x1xf32> -> "
    "$O";
static const char *const kRequantize =
    "%y = tpu.cast %x {multiplier = 1500000000 : i32, rshift = 31 : i32} : $I "
    "-> $O";
static const char *const kDepthwise =
    "%w = tpu.weight dense<3> : tensor<$Cx1x3x3xi8>\n"
    "%b = tpu.weight dense<7> : tensor<1x$Cx1x1xi32>\n"
    "%y = tpu.conv %x, %w, %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, "
    "1] group $C {multipliers = array<i32: $M>, rshifts = array<i32: $R>} : "
    "$I, tensor<$Cx1x3x3xi8>, tensor<1x$Cx1x1xi32> -> $O";

// 18 groups, whose channels lie across the lanes.
static const char *const kGrouped =
    "%w = tpu.weight dense<0.5> : tensor<108x5x1x3xf16>\n"
    "%b = tpu.weight dense<0.5> : tensor<1x108x1x1xf32>\n"
    "%y = tpu.conv %x, %w, %b strides [1, 1] pads [0, 1, 0, 1] dilations [1, "
    "1] group 18 {relu} : $I, tensor<108x5x1x3xf16>, tensor<1x108x1x1xf32> -> "
    "$O";
#define GROUPED(RECIPE)                                                        \
  {"grouped_f16", "tensor<$Nx90x$Hx$Wxf16>", "tensor<$Nx108x$Hx$Wxf16>",       \
   kGrouped, RECIPE}

static const Case kCases[] = {
    {"interleaved_f32", "tensor<$Nx90x$Hx$Wxf32>", "tensor<$Nx108x$Hx$Wxf32>",
     "%w = tpu.weight dense<0.5> : tensor<108x15x1x3xf32>\n"
     "%y = tpu.conv %x, %w strides [1, 1] pads [0, 1, 0, 1] dilations [1, 1] "
     "group 6 {interleaved} : $I, tensor<108x15x1x3xf32> -> $O",
     "dense"},
    GROUPED("dense"),
    GROUPED("groups"),
    GROUPED("groups_2"),
    GROUPED("groups_4"),
    GROUPED("groups_8"),
    GROUPED("groups_16"),
    GROUPED("moved_groups"),
    GROUPED("moved_groups_2"),
    GROUPED("moved_groups_4"),
    GROUPED("moved_groups_8"),
    GROUPED("moved_groups_16"),
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
    {"multiply_per_channel", "$Txf16", "$Txf16",
     "%w = tpu.weight dense<2.0> : tensor<1x$Cx1x1xf16>\n"
     "%y = tpu.binary mul %x, %w {} : $I, tensor<1x$Cx1x1xf16> -> $O",
     ""},
    {"multiply_by_map", "$Txf16", "$Txf16",
     "%w = tpu.weight dense<2.0> : tensor<1x1x$Hx$Wxf16>\n"
     "%y = tpu.binary mul %x, %w {} : $I, tensor<1x1x$Hx$Wxf16> -> $O",
     ""},
    {"divide", "$Txf32", "$Txf32",
     "%y = tpu.binary div %x, %x {} : $I, $I -> $O", ""},
    {"pow", "$Txf32", "$Txf32", "%y = tpu.binary pow %x, %x {} : $I, $I -> $O",
     ""},
    {"add_int8", "$Tx$Q", "$Tx$Q", kScaledSum, "elements"},
    {"add_int8", "$Tx$Q", "$Tx$Q", kScaledSum, "products"},
    {"mul_int8", "$Tx$Q", "$Tx$Q",
     "%y = tpu.binary mul %x, %x {multipliers = array<i32: 1500000000>, "
     "rshifts "
     "= array<i32: 36>} : $I, $I -> $O",
     ""},
    {"widen", "$Txf16", "$Txf32", "%y = tpu.cast %x {} : $I -> $O", ""},
    {"quantize", "$Txf32", "$Tx$Q", "%y = tpu.cast %x {} : $I -> $O", ""},
    {"dequantize", "$Tx$Q", "$Txf16", "%y = tpu.cast %x {} : $I -> $O", ""},
    {"requantize", "$Tx$Q", "$Tx$Q", kRequantize, "cast"},
    {"requantize", "$Tx$Q", "$Tx$Q", kRequantize, "product"},
    {"quantize_zero_point", "$Txf16", "$Tx$Z", "%y = tpu.cast %x {} : $I -> $O",
     ""},
    {"dequantize_zero_point", "$Tx$Z", "$Txf16",
     "%y = tpu.cast %x {} : $I -> $O", ""},
    {"requantize_zero_point", "$Tx$Z", "$Tx$Z", kRequantize, "cast"},
    {"depthwise_zero_point", "$Tx$Z", "$Tx$Z", kDepthwise, "window_bias"},
    {"max_pool", "$Txf16", "$Txf16",
     "%y = tpu.pool max %x kernel [3, 3] strides [1, 1] pads [1, 1, 1, 1] {} : "
     "$I -> $O",
     "window"},
    {"max_pool", "$Txf16", "$Txf16",
     "%y = tpu.pool max %x kernel [3, 3] strides [1, 1] pads [1, 1, 1, 1] {} : "
     "$I -> $O",
     "columns_first"},
    {"average_pool", "$Txf32", "$Txf32",
     "%y = tpu.pool avg %x kernel [3, 3] strides [1, 1] pads [1, 1, 1, 1] "
     "{count_include_pad} : $I -> $O",
     "columns_first"},
    {"scale", "$Txf32", "$Txf32",
     "%w = tpu.weight dense<2.0> : tensor<1x$Cx1x1xf32>\n"
     "%y = tpu.scale %x, %w, %w {relu} : $I, tensor<1x$Cx1x1xf32>",
     ""},
    {"reduce", "$Txf32", "tensor<$Nx$Cx$Hx1xf32>",
     "%y = tpu.reduce sum %x axis 3 {} : $I -> $O", ""},
    {"channel_sum", "$Txf32", "tensor<$Nx1x$Hx$Wxf32>",
     "%y = tpu.channel_sum %x {} : $I -> $O", ""},
    {"channel_sum_f16", "$Txf16", "tensor<$Nx1x$Hx$Wxf32>",
     "%y = tpu.channel_sum %x {} : $I -> $O", ""},
    {"channel_sum_terms", "$Txf32", "tensor<$Nx1x$Hx$Wxf32>",
     "%y = tpu.channel_sum %x {terms = 2 : i64} : $I -> $O", ""},
    {"repeat_channel", "tensor<$Nx1x$Hx$Wxf32>", "$Txf32",
     "%y = tpu.repeat_channel %x {} : $I -> $O", ""},
    {"cumulative", "$Txf32", "$Txf32",
     "%y = tpu.cumulative sum %x axis 3 {} : $O", ""},
    {"softmax_f16", "$Txf16", "$Txf16",
     "%y = tpu.softmax %x {axis = 3 : i64} : $O", ""},
    {"compare", "$Txf32", "$Txui8",
     "%y = tpu.compare greater %x, %x {} : $I, $I -> $O", ""},
    {"conv_f32", "$Txf32", "tensor<$Nx24x$Hx$Wxf32>", kFloatConv, ""},
    {"conv_f32", "$Txf32", "tensor<$Nx24x$Hx$Wxf32>", kFloatConv,
     "row_tiles_2"},
    {"conv_f32", "$Txf32", "tensor<$Nx24x$Hx$Wxf32>", kFloatConv,
     "row_tiles_4"},
    {"depthwise_f16", "$Txf16", "$Txf16",
     "%w = tpu.weight dense<0.5> : tensor<$Cx1x3x3xf16>\n"
     "%y = tpu.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] "
     "group $C {} : $I, tensor<$Cx1x3x3xf16> -> $O",
     ""},
    {"depthwise_int8", "$Tx$Q", "$Tx$Q", kDepthwise, "window"},
    {"depthwise_int8", "$Tx$Q", "$Tx$Q", kDepthwise, "window_bias"},
    {"conv_int8_f16", "$Tx$Q", "tensor<$Nx4x$Hx$Wxf16>",
     "%w = tpu.weight dense<3> : tensor<4x$Cx1x1xi8>\n"
     "%y = tpu.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] "
     "group 1 {relu, scales = array<f32: 0.1, 0.2, 0.3, 0.4>} : $I, "
     "tensor<4x$Cx1x1xi8> -> $O",
     ""},
    {"linear_f16", "tensor<$Nx$Cx1x$Wxf16>", "tensor<$Nx$Cx1x9xf16>",
     "%w = tpu.weight dense<0.5> : tensor<9x$Wx1x1xf16>\n"
     "%b = tpu.weight dense<0.5> : tensor<1x9x1x1xf32>\n"
     "%y = tpu.linear %x, %w, %b {relu} : $I, tensor<9x$Wx1x1xf16>, "
     "tensor<1x9x1x1xf32> -> $O",
     ""},
    {"linear_f32", "tensor<$Nx$Cx1x$Wxf32>", "tensor<$Nx$Cx1x9xf32>",
     "%w = tpu.weight dense<0.5> : tensor<9x$Wx1x1xf32>\n"
     "%y = tpu.linear %x, %w {} : $I, tensor<9x$Wx1x1xf32> -> $O",
     ""},
    {"linear_int8", "tensor<$Nx$Cx1x$Wx$Q>", "tensor<$Nx$Cx1x4x$Q>",
     "%w = tpu.weight dense<3> : tensor<4x$Wx1x1xi8>\n"
     "%y = tpu.linear %x, %w {scales = array<f32: 0.1, 0.2, 0.3, 0.4>} : $I, "
     "tensor<4x$Wx1x1xi8> -> $O",
     ""},
    {"coded_rows", "tensor<$Nx$Cx1x64xf16>", "tensor<$Nx$Cx1x70xf16>",
     kCodedRows, "codes"},
    {"coded_rows_numbers", "tensor<$Nx$Cx1x64xf16>", "tensor<$Nx$Cx1x70xf16>",
     kCodedRows, "numbers"},
    {"coded_pixels", "tensor<$Nx64x$Hx$Wxf16>", "tensor<$Nx150x$Hx$Wxf16>",
     kCodedPixels, "codes"},
    {"coded_pixels_numbers", "tensor<$Nx64x$Hx$Wxf16>",
     "tensor<$Nx150x$Hx$Wxf16>", kCodedPixels, "numbers"},
    // Alone these are no group.
    {"slice", "tensor<$Nx$Cx$2Hx$Wxf16>", "$Txf16",
     "%z = tpu.unary relu %x : $I\n"
     "%y = tpu.slice %z [0, 0, 1, 0] steps [1, 1, 2, 1] {} : $I -> $O",
     ""},
    {"pad", "$Txf16", "tensor<$Nx$Cx$2Hx$Wxf16>",
     "%y = tpu.pad %x [0, 0, $H, 0] fill 0 {} : $I -> $O", ""},
    {"concat", "$Txf16", "tensor<$Nx$Cx$2Hx$Wxf16>",
     "%z = tpu.unary relu %x : $I\n"
     "%y = tpu.concat %x, %z axis 2 {} : ($I, $I) -> $O",
     ""},
    // A value cannot lie at two places of one tensor.
    {"move_lanes", "tensor<1x$Cx$Hx$Wxf16>", "tensor<1x$2Cx$Hx$Wxf16>",
     "%z = tpu.unary relu %x : $I\n"
     "%m = tpu.move_lanes %z : $I\n"
     "%y = tpu.concat %z, %m axis 1 {} : ($I, $I) -> $O",
     ""},
    // At the border of a group a transfer does these.
    {"to_bands", "tensor<1x$Cx$2Hx$Wxf16>", "tensor<1x$2Cx$2Hx$Wxf16>",
     "%z = tpu.unary relu %x : $I\n"
     "%b = tpu.to_bands %z in <count = 2, rows = $H, above = 0, height = "
     "$2H> : $I -> $O\n"
     "%y = tpu.unary relu %b {} : $O",
     ""},
    {"from_bands", "tensor<1x$2Cx$2Hx$Wxf16>", "tensor<1x$Cx$2Hx$Wxf16>",
     "%z = tpu.unary relu %x : $I\n"
     "%b = tpu.from_bands %z in <count = 2, rows = $H, above = 0, height "
     "= $2H> : $I -> $O\n"
     "%y = tpu.unary relu %b {} : $O",
     ""},
    {"clear_rows", "tensor<1x$2Cx$2Hx$Wxf16>", "tensor<1x$2Cx$2Hx$Wxf16>",
     "%z = tpu.unary relu %x : $I\n"
     "%y = tpu.clear_rows %z in <count = 2, rows = $H, above = 1, height "
     "= $2H> top 1 bottom 1 {} : $I",
     ""},
    {"join_rounds", "tensor<1x200x1x1xf32>", "tensor<1x64x1x3xf32>",
     "%y = tpu.join_rounds %x {} : $I -> $O", ""},
    {"row_matmul", "tensor<$Nx$Cx1x$Wxf16>", "tensor<$Nx$Cx1x$Cxf16>",
     "%y = tpu.row_matmul %x, %x {transposed} : $I, $I -> $O", ""},
    {"row_matmul_f32", "tensor<$Nx$Cx$Hx$Cxf32>", "tensor<$Nx$Cx$Hx$Cxf32>",
     "%y = tpu.row_matmul %x, %x {} : $I, $I -> $O", ""},
    {"unfold_f16", "tensor<$Nx5x$Hx$Wxf16>", "tensor<$Nx15x$Hx$Wxf16>",
     "%y = tpu.unfold %x kernel [3, 1] strides [1, 1] pads [1, 0, 1, 0] "
     "dilations [1, 1] {} : $I -> $O",
     ""},
    {"unfold_int8", "$Tx$Q", "tensor<$Nx$2Cx$Hx$Wx$Q>",
     "%y = tpu.unfold %x kernel [1, 2] strides [1, 1] pads [0, 0, 0, 1] "
     "dilations [1, 1] {} : $I -> $O",
     ""},
    {"select", "$Txui8", "$Txf32",
     "%y = tpu.select %x, {true_constant = 2.0 : f64, false_constant = 1.0 : "
     "f64} : ($I) -> $O",
     ""},
    {"average_pool_int8", "$Tx$Q", "$Tx$Q",
     "%y = tpu.pool avg %x kernel [3, 3] strides [1, 1] pads [1, 1, 1, 1] "
     "{count_include_pad, multiplier = 57 : i32, rshift = 9 : i32} : $I -> $O",
     ""},
    {"shift", "$Txi32", "$Txi32",
     "%y = tpu.binary shift_right %x {constant = 3.0 : f64} : $I -> $O", ""},
    {"subtract_reversed", "$Txi16", "$Txi16",
     "%y = tpu.binary sub %x {constant = 3.0 : f64, reversed} : $I -> $O", ""},
    {"whole_numbers", "$Txi32", "$Txi8", "%y = tpu.cast %x {} : $I -> $O", ""},
    {"conv_int8", "$Tx$Q", "tensor<$Nx4x$Hx$Wx$Q>",
     "%w = tpu.weight dense<3> : tensor<4x$Cx1x1xi8>\n"
     "%b = tpu.weight dense<7> : tensor<1x4x1x1xi32>\n"
     "%y = tpu.conv %x, %w, %b strides [1, 1] pads [0, 0, 0, 0] dilations [1, "
     "1] group 1 {multipliers = array<i32: 15, 16, 17, 18>, rshifts = "
     "array<i32: 9, 9, 9, 9>} : $I, tensor<4x$Cx1x1xi8>, tensor<1x4x1x1xi32> "
     "-> $O",
     ""},
    {"conv_int8_scales", "$Tx$Q", "tensor<$Nx4x$Hx$Wx$Q>",
     "%w = tpu.weight dense<3> : tensor<4x$Cx1x1xi8>\n"
     "%y = tpu.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] "
     "group 1 {scales = array<f32: 0.1, 0.2, 0.3, 0.4>} : $I, "
     "tensor<4x$Cx1x1xi8> -> $O",
     ""},
    {"reshape", "$Txf32", "tensor<$Nx$Cx$Px1xf32>",
     "%a = tpu.unary relu %x : $I\n%b = tpu.reshape %a : $I -> $O\n"
     "%y = tpu.unary abs %b {} : $O",
     ""},
    {"arg_reduce", "tensor<$Nx$Cx$Hx3xf32>", "tensor<$Nx$Cx$Hx1xi32>",
     "%c = tpu.weight dense<[[[[3.0, 2.0, 1.0]]]]> : tensor<1x1x1x3xf32>\n"
     "%y = tpu.arg_reduce max %x, %c axis 3 {} : $I, tensor<1x1x1x3xf32> -> $O",
     ""},
    {"softmax_over_lanes", "tensor<$Nx$Cx1x7xf32>", "tensor<$Nx$Cx1x7xf32>",
     "%y = tpu.softmax %x {axis = 3 : i64, over_lanes} : $O", ""},
    {"arg_reduce_over_lanes", "tensor<$Nx$Cx1x3xf32>", "tensor<$Nx1x1x1xi32>",
     "%c = tpu.weight dense<[[[[3.0, 2.0, 1.0]]]]> : tensor<1x1x1x3xf32>\n"
     "%y = tpu.arg_reduce max %x, %c axis 3 {over_lanes} : $I, "
     "tensor<1x1x1x3xf32> -> $O",
     ""},
    {"interleave", "$Txf32", "tensor<$Nx$Cx$2Hx$2Wxf32>",
     "%y = tpu.interleave %x factors [2, 2] {} : ($I) -> $O", ""},
    {"channels_to_rows", "tensor<1x48x$Hx$Wxf16>", "tensor<1x24x$2Hx$Wxf16>",
     "%y = tpu.channels_to_rows %x {} : $I -> $O", ""},
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
  replaceAll(text, "$Z", "!quant.uniform<i8:f32, 0.05:-118>");
  replaceAll(text, "$M", repeated("1500000000", dims[1]));
  replaceAll(text, "$R", repeated("38", dims[1]));
  replaceAll(text, "$P", std::to_string(dims[2] * dims[3]));
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

/// Where local memory has a tile of op `op` in a slice.
static uint64_t addressOf(const emit::GroupSchedule &schedule,
                          const emit::SliceState &slice, size_t op,
                          const tpu::Tile &tile) {
  const tpu::GroupView &view = schedule.view;
  auto kind = tile.kind == tpu::Tile::Constant ? tpu::GroupBuffer::Constant
                                               : tpu::GroupBuffer::Scratch;
  int owner = int(op);
  if (tile.kind == tpu::Tile::Operand || tile.kind == tpu::Tile::Result) {
    int value = tile.kind == tpu::Tile::Result
                    ? view.resultOf(op)
                    : view.ops[op].operands[tile.index];
    bool isInput = value < int(view.inputs.size());
    kind = isInput ? tpu::GroupBuffer::Input : tpu::GroupBuffer::Result;
    owner = isInput ? value : value - int(view.inputs.size());
  }
  unsigned scratch = 0;
  for (auto [number, buffer] : llvm::enumerate(slice.buffers)) {
    if (buffer.kind != kind || buffer.owner != owner)
      continue;
    tpu::BufferAttr place = schedule.places[number];
    uint64_t address =
        place.getLocal() + slice.versions[number] % 2 * place.getRotate();
    if (kind == tpu::GroupBuffer::Constant) {
      for (const tpu::ConstantPart &part : buffer.parts)
        if (part.index == tile.index)
          return address + part.offset;
    } else if (kind != tpu::GroupBuffer::Scratch || scratch++ == tile.index) {
      return address;
    }
  }
  ADD_FAILURE() << "no buffer for a tile";
  return 0;
}

/// The prices of the slices of the only group, as it is placed.
static tpu::Price foretold(const std::string &text, const tpu::Tiling &tiling,
                           const Chip &chip) {
  MLIRContext context;
  OwningOpRef<ModuleOp> module =
      parsePlaced(text, &tiling, /*isHandedOn=*/false, context);
  tpu::Price total;
  if (!module)
    return total;
  module->walk([&](tpu::GroupOp group) {
    auto schedule = emit::scheduleGroup(chip, group);
    ASSERT_TRUE(schedule);
    for (const emit::SliceState &slice : schedule->slices)
      for (size_t op = 0; op < schedule->view.ops.size(); ++op) {
        int result = schedule->view.resultOf(op);
        tpu::Recipe recipe = tpu::recipeOf(schedule->view.ops[op].op, chip,
                                           slice.plan.tiles[result]);
        std::optional<tpu::Price> price =
            tpu::priceOf(recipe, chip, [&](const tpu::Tile &tile) {
              return addressOf(*schedule, slice, op, tile);
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
    StringRef input = GetParam().input;
    if (input.starts_with("tensor<1x")) // a matrix
      dims[0] = 1;
    if ((input.starts_with("tensor<1x") && !input.contains("$2H")) ||
        input.contains("$Cx1x"))
      dims[2] = 1;
    tpu::Dims counts{1, 1, 1, 1};
    if (tile % 2)
      counts = {dims[0], 1, std::min<int64_t>(dims[2], pick(3)), 1};
    std::string text = moduleOf(GetParam(), dims);
    SCOPED_TRACE(text);
    const tpu::Tiling tiling{counts};
    ProgramRunner program(text, &tiling);
    ASSERT_TRUE(program.ok());
    tpu::Price want = priceOf(program.program(), chip),
               found = foretold(text, tiling, chip);
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

/// The commands of the TIU.
static std::vector<uint8_t> commandsOf(const ProgramRunner &program) {
  std::vector<uint8_t> all;
  for (const codegen::CommandGroup &group : program.program().groups)
    all.insert(all.end(), group.tiu.begin(), group.tiu.end());
  return all;
}

/// Compiles `row` with each of two recipes: the programs differ, their outputs
/// do not.
static void expectEqualWays(Case row, const tpu::Dims &dims, const char *first,
                            const char *second, std::mt19937 &generator) {
  size_t count = dims[0] * dims[1] * dims[2] * dims[3];
  bool isWide = StringRef(row.input).contains("16");
  std::vector<uint8_t> input = randomBytes(count * (isWide ? 2 : 1), generator);
  std::vector<std::vector<uint8_t>> outputs[2];
  std::vector<uint8_t> commands[2];
  for (int way = 0; way < 2; ++way) {
    row.recipe = way ? second : first;
    std::string text = moduleOf(row, dims);
    SCOPED_TRACE(text);
    ProgramRunner program(text);
    ASSERT_TRUE(program.ok());
    commands[way] = commandsOf(program);
    outputs[way] = program.run({input});
  }
  EXPECT_NE(commands[0], commands[1]) << row.body;
  EXPECT_EQ(outputs[0], outputs[1]) << row.body;
}

namespace {
/// Random multipliers and shifts, the extremes among them.
class Requantizations {
public:
  explicit Requantizations(uint32_t seed) : generator(seed) {}

  std::mt19937 generator;

  int32_t multiplier(int round) {
    switch (round % 4) {
    case 0: // of few bits
      return int32_t(generator() % 100 + 1) << generator() % 25;
    case 1:
      return int32_t(generator() % 3000 + 1);
    default: // as QuantScale makes them
      return int32_t(generator() % (1u << 30) + (1u << 30));
    }
  }
  int rshift(int round) {
    const int extremes[] = {0, 1, 63};
    return round % 8 == 7 ? extremes[generator() % 3]
                          : int(generator() % 30) + 8;
  }
  unsigned rounding() { return generator() % 7; }
};
} // namespace

TEST(Recipes, RequantizeToTheSameCodes) {
  Requantizations random(8);
  const char *const elements[] = {
      "$Tx!quant.uniform<i8:f32, 0.05>", "$Tx!quant.uniform<u8:f32, 0.05>",
      "$Tx!quant.uniform<i16:f32, 0.05>", "$Tx!quant.uniform<u16:f32, 0.05>"};
  for (int round = 0; round < 160; ++round) {
    bool isSigned = round % 2;
    const char *input = elements[(random.generator() % 2) * 2 + !isSigned],
               *output = elements[(random.generator() % 2) * 2 + !isSigned];
    int32_t multiplier = random.multiplier(round);
    if (isSigned && round % 5 == 0)
      multiplier = -multiplier;
    std::string body =
        "%y = tpu.cast %x {multiplier = " + std::to_string(multiplier) +
        " : i32, rshift = " + std::to_string(random.rshift(round)) +
        " : i32, rounding = " + std::to_string(random.rounding()) +
        " : i32} : $I -> $O";
    expectEqualWays({"", input, output, body.c_str(), ""}, {1, 3, 10, 10},
                    "cast", "product", random.generator);
  }
}

TEST(Recipes, SumsOfScaledTermsAreTheSame) {
  Requantizations random(9);
  for (int round = 0; round < 80; ++round) {
    bool isUnsigned = round % 3 == 0;
    std::string body =
        std::string("%y = tpu.binary ") + (round % 2 ? "add" : "sub") +
        " %x, %x {multipliers = array<i32: " +
        std::to_string(random.multiplier(round)) + ", " +
        std::to_string(random.multiplier(round + 1)) +
        ">, rshifts = array<i32: " + std::to_string(random.rshift(round)) +
        ", " + std::to_string(random.rshift(round + 3)) + ">" +
        (isUnsigned ? ", relu" : "") + "} : $I, $I -> $O";
    expectEqualWays({"", "$Tx$Q",
                     isUnsigned ? "$Tx!quant.uniform<u8:f32, 0.05>" : "$Tx$Q",
                     body.c_str(), ""},
                    {1, 3, 10, 10}, "elements", "products", random.generator);
  }
}

TEST(Recipes, ABiasInTheUnitIsABiasAfterIt) {
  std::mt19937 generator(9);
  for (const Case &row : kCases)
    if (StringRef(row.name) == "depthwise_int8")
      for (const char *bias : {"7", "-1000", "2147483647", "-2147483648"})
        for (int round = 0; round < 3; ++round) {
          std::string body = row.body;
          replaceAll(body, "dense<7>", std::string("dense<") + bias + ">");
          replaceAll(body, "dense<3>",
                     "dense<" + std::to_string(int(generator() % 256) - 128) +
                         ">");
          Case biased = row;
          biased.body = body.c_str();
          expectEqualWays(biased, {1, int64_t(1 + generator() % 90), 7, 9},
                          "window", "window_bias", generator);
        }
}

/// Of floats -0 and 0 or NaN and another could change places.
TEST(Recipes, TheLargestOfColumnsIsTheLargestOfAll) {
  std::mt19937 generator(11);
  for (const char *type : {"$Q", "!quant.uniform<u8:f32, 0.05>"})
    for (const char *window :
         {"kernel [3, 3] strides [1, 1] pads [1, 1, 1, 1]",
          "kernel [3, 2] strides [1, 1] pads [2, 1, 0, 0]"})
      for (int round = 0; round < 4; ++round) {
        std::string body =
            std::string("%y = tpu.pool max %x ") + window + " {} : $I -> $O";
        std::string element = std::string("$Tx") + type;
        expectEqualWays(
            {"", element.c_str(), element.c_str(), body.c_str(), ""},
            {1, int64_t(1 + generator() % 90), 17, 23}, "window",
            "columns_first", generator);
      }
}

TEST(Recipes, AllHaveACase) {
  MLIRContext context;
  context.loadDialect<tpu::TpuDialect>();
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    auto *tiling = name.getInterface<tpu::TilingInterface>();
    if (!tiling)
      continue;
    ArrayRef<tpu::Alternative> ways = tiling->recipes();
    for (const tpu::Alternative &way : ways) {
      bool isFirst = &way == &ways.front();
      EXPECT_TRUE(llvm::any_of(
          kCases,
          [&](const Case &row) {
            return StringRef(row.body).contains(
                       ("= " + name.getStringRef() + " ").str()) &&
                   (row.recipe == way.name || (isFirst && !*row.recipe));
          }))
          << name.getStringRef().str() << " as " << way.name.str();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Recipes, RecipePrice, testing::ValuesIn(kCases),
                         [](const testing::TestParamInfo<Case> &info) {
                           std::string recipe = info.param.recipe;
                           return info.param.name +
                                  (recipe.empty() ? "" : "_as_" + recipe);
                         });
