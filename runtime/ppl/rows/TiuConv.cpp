//===- TiuConv.cpp - rows of the convolutions ----------------------------===//

#include "runtime/ppl/Rows.h"
#include "runtime/ppl/Window.h"
#include "runtime/ppl/rows/ConvRules.h"

using namespace weft;
using namespace weft::catalog;
using namespace weft::catalog::convolution;

static constexpr std::string_view kFloatOrder =
    R"(acc(n,o,y,x) = [result_add] dst(n,o,y,x) + [bias] bias(o) + sum_{i,p,q} X(n, i, y*sh + p*dh - top, x*sw + q*dw - left) * K(o,i,p,q)
dst = acc rounded to nearest even
X(n,i,u,v) = src(n, i, u/(ih+1), v/(iw+1)) where both divide evenly and lie inside, else 0; K is weight, turned by 180 degrees with kernel_rotate.
Order, fp32: two accumulators. even = 0, odd = bias or dst alone (with both: even = bias, odd = dst). Product j (order i, p, q), rounded, goes to even if j is even, else to odd; the result is even + odd.
Order, 16 bits and fp8: acc starts from dst, adds the bias, then one term for each group of NIC channels and tap (order group, p, q): the exact products, each cut toward zero to 24 fraction bits below the largest one's exponent, added exactly, rounded to fp32.
With result_add the old dst is read as fp32, aligned, whatever its type.)";

static std::vector<Slot> floatSlots(TypeSet weights) {
  return {updated("dst", kFloats | kFp8),
          source("src", kFloats | kFp8),
          sourceOrScalar("weight", weights),
          optionalSourceOrScalar("bias", kFloats | kFp8, 0),
          integer("oc", 1, 65535),
          kernelSlot("k_shape")};
}

static std::vector<Rule> floatRules() {
  return joined<Rule>(
      joined<Rule>({sameTypes({"src", "weight"}), floatResult(), floatBias(),
                    smallFloats({"src"}), typeNumberOf("out_dtype", "dst")},
                   cubeRules()),
      {onlyOnChips({"bm1688", "mars3"}, "do_relu",
                   "do_relu exists on bm1688 and mars3; use "
                   "tiu::fmax afterwards")});
}

static Operation fconvRow() {
  Operation op = function(
      "tiu.fconv", "4.6.4.1",
      "2-D float convolution with bias and accumulation in fp32", kFloatOrder,
      joined(floatSlots(kFloats | kFp8),
             {strideSlot(), dilationSlot(), padSlot(), flag("result_add"),
              typeNumber("out_dtype"), flag("has_bias", true),
              insertSlot("ins", 14), flag("do_relu"), flag("kernel_rotate")}),
      floatRules(), R"(tensor<fp32> dst({1, 16, 6, 6});
tensor<fp16> src({1, 32, 6, 6}), weight({1, 16, 9, 32}, TPU_COMPACT);
tensor<fp32> bias({1, 16, 1, 1}, TPU_COMPACT);
dim2 kernel = {3, 3}, stride = {1, 1}, dilation = {1, 1};
padding_t pad = {1, 1, 1, 1};
tiu::fconv(dst, src, weight, bias, 16, &kernel, &stride, &dilation, &pad, false, DT_FP32);)");
  op.spellings = {
      {"dst src weight bias oc k_shape stride dilation pad result_add? "
       "out_dtype? has_bias?"},
      {"dst src weight oc k_shape pad stride dilation result_add? out_dtype?"},
      {"dst src weight oc k_shape stride dilation pad result_add? out_dtype?"}};
  op.accumulator = accumulatesAs("dst", DataType::Fp32);
  op.chipNote = "fp8 on bm1690 and later; do_relu on bm1688 and mars3";
  return op;
}

static Operation fdeconvRow() {
  Operation op = function(
      "tiu.fdeconv", "4.6.4.2",
      "float convolution of an input with zeros inserted, kernel "
      "turned: transposed convolution",
      kFloatOrder,
      joined(floatSlots(kFloats | kFp8),
             {insertSlot("insert", 14), padSlot(), dilationSlot(),
              flag("result_add"), typeNumber("out_dtype"),
              flag("has_bias", true), flag("do_relu"),
              flag("kernel_rotate", true)}),
      floatRules(),
      R"(tensor<fp16> dst({1, 8, 8, 8}), src({1, 32, 4, 4}), weight({1, 8, 4, 32}, TPU_COMPACT);
dim2 kernel = {2, 2}, insert = {1, 1}, dilation = {1, 1};
padding_t pad = {1, 1, 1, 1};
tiu::fdeconv(dst, src, weight, None, 8, &kernel, &insert, &pad, &dilation, false, false);)");
  op.spellings = {{"dst src weight bias oc k_shape insert pad dilation "
                   "result_add out_dtype has_bias?"}};
  op.accumulator = accumulatesAs("dst", DataType::Fp32);
  op.chipNote = "fp8 on bm1690 and later; do_relu on bm1688 and mars3";
  return op;
}

static constexpr std::string_view kFloatDepthwise =
    R"(dst(n,c,y,x) = bias(c) + sum_{p,q} X(n, c, y*sh + p*dh - top, x*sw + q*dw - left) * K(c,p,q)
X is src with zeros for padding and insertion; K is weight, turned by 180 degrees with kernel_rotate.
Order: even = 0, odd = bias. Product j (order p, q) rounded to the type goes to even if j is even, else to odd; every addition rounds to the type; the result is even + odd.)";

static std::vector<Rule> floatDepthwise(std::string_view dst,
                                        std::string_view src) {
  return joined<Rule>({sameTypes({dst, src, "weight", "bias"})},
                      depthwiseRules(dst, src));
}

static Operation fdwConvRow() {
  Operation op = function(
      "tiu.fdw_conv", "4.6.4.3",
      "float depthwise convolution with a bias per channel", kFloatDepthwise,
      {result("output", kFloats), source("input", kFloats),
       sourceOrScalar("weight", kFloats),
       optionalSourceOrScalar("bias", kFloats, 0), kernelSlot("k_shape"),
       padSlot(), strideSlot(), dilationSlot(), insertSlot("ins", 7),
       flag("kernel_rotate")},
      floatDepthwise("output", "input"),
      R"(tensor<fp16> output({1, 64, 6, 6}), input({1, 64, 6, 6});
tensor<fp16> weight({1, 64, 3, 3}, TPU_COMPACT), bias({1, 64, 1, 1}, TPU_COMPACT);
dim2 kernel = {3, 3}, stride = {1, 1}, dilation = {1, 1};
padding_t pad = {1, 1, 1, 1};
tiu::fdw_conv(output, input, weight, bias, &kernel, &pad, &stride, &dilation);)");
  op.spellings = {{"output input weight bias k_shape pad stride dilation"}};
  return op;
}

static Operation fdwDeconvRow() {
  Operation op =
      function("tiu.fdw_deconv", "4.6.4.4",
               "float depthwise convolution of an input with zeros inserted, "
               "kernel turned",
               kFloatDepthwise,
               {result("dst", kFloats), source("src", kFloats),
                sourceOrScalar("weight", kFloats),
                optionalSourceOrScalar("bias", kFloats, 0),
                kernelSlot("k_shape"), insertSlot("insert", 7), padSlot(),
                dilationSlot(), flag("kernel_rotate", true)},
               floatDepthwise("dst", "src"),
               R"(tensor<fp32> dst({1, 64, 8, 8}), src({1, 64, 4, 4});
tensor<fp32> weight({1, 64, 2, 2}, TPU_COMPACT), bias({1, 64, 1, 1}, TPU_COMPACT);
dim2 kernel = {2, 2}, insert = {1, 1}, dilation = {1, 1};
padding_t pad = {1, 1, 1, 1};
tiu::fdw_deconv(dst, src, weight, bias, &kernel, &insert, &pad, &dilation, false);)");
  op.spellings = {{"dst src weight bias k_shape insert pad dilation"}};
  return op;
}

static constexpr std::string_view kDepthwise =
    R"(a = bias(c) + sum_{p,q} X(n, c, y*sh + p*dh - top, x*sw + q*dw - left) * K(c,p,q), exact modulo 2^32
if result_relu: a = max(a, 0)
dst(n,c,y,x) = a * 2^-rshift, rounded by round_mode, saturated to the type of dst
X is src with pad_val for padding and 0 for insertion; K is weight, turned by 180 degrees with kernel_rotate.)";

static std::vector<Slot> depthwiseSlots() {
  return {result("dst", kIntegers),
          source("src", k8),
          sourceOrScalar("weight", k8),
          optionalSourceOrScalar("bias", k32, 0),
          integer("pad_val", -128, 255, 0),
          kernelSlot("k_shape"),
          padSlot()};
}

static std::vector<Rule> integerDepthwise() {
  return joined<Rule>({signOfResult({"src", "weight", "bias"}),
                       byteNumbers({"weight"}), valuesFitSource({"pad_val"})},
                      depthwiseRules("dst", "src"));
}

static Operation dwConvRow() {
  Operation op = function(
      "tiu.dw_conv", "4.6.4.5",
      "int8 depthwise convolution with bias, relu, rounded right "
      "shift and saturation",
      kDepthwise,
      joined(depthwiseSlots(),
             {strideSlot(), dilationSlot(), integer("rshift", 0, 31, 0),
              flag("result_relu"), rounding("round_mode", 7, 5),
              insertSlot("ins", 7), flag("kernel_rotate")}),
      integerDepthwise(),
      R"(tensor<int8> dst({1, 64, 6, 6}), src({1, 64, 6, 6}), weight({1, 64, 3, 3}, TPU_COMPACT);
tensor<int32> bias({1, 64, 1, 1}, TPU_COMPACT);
dim2 kernel = {3, 3}, stride = {1, 1}, dilation = {1, 1};
padding_t pad = {1, 1, 1, 1};
tiu::dw_conv(dst, src, weight, bias, 0, &kernel, &pad, &stride, &dilation, 7, false, RM_HALF_UP);)");
  op.spellings = {{"dst src weight bias pad_val k_shape pad stride dilation "
                   "rshift? result_relu? round_mode?"},
                  {"dst src weight bias pad_val k_shape stride dilation pad "
                   "rshift? result_relu? round_mode?"}};
  return op;
}

static Operation dwDeconvRow() {
  Operation op = function(
      "tiu.dw_deconv", "4.6.4.7",
      "int8 depthwise convolution of an input with zeros inserted, "
      "kernel turned",
      kDepthwise,
      joined(depthwiseSlots(),
             {insertSlot("insert", 7), dilationSlot(),
              integer("rshift", 0, 31, 0), flag("result_relu"),
              rounding("round_mode", 7, 5), flag("kernel_rotate", true)}),
      integerDepthwise(), R"(tensor<uint8> dst({1, 64, 8, 8});
tensor<int8> src({1, 64, 4, 4}), weight({1, 64, 2, 2}, TPU_COMPACT);
tensor<int32> bias({1, 64, 1, 1}, TPU_COMPACT);
dim2 kernel = {2, 2}, insert = {1, 1}, dilation = {1, 1};
padding_t pad = {1, 1, 1, 1};
tiu::dw_deconv(dst, src, weight, bias, 0, &kernel, &pad, &insert, &dilation, 7, true, RM_HALF_UP);)");
  op.spellings = {{"dst src weight bias pad_val k_shape pad insert dilation "
                   "rshift? result_relu? round_mode?"}};
  return op;
}

static constexpr std::string_view kSymmetric =
    R"(a(n,o,y,x) = bias(o) + sum_{i,p,q} X(n, i, y*sh + p*dh - top, x*sw + q*dw - left) * K(o,i,p,q), exact in 32 bits
if result_relu: a = max(a, 0)
dst = floor((a + 2^(rshift-1)) / 2^rshift), saturated to the type of dst
X is src with zeros for padding and insertion; K is weight, turned by 180 degrees with kernel_rotate.)";

static std::vector<Slot> cubeSlots(TypeSet results, TypeSet biases) {
  return {
      result("dst", results),       source("src", k8),
      sourceOrScalar("weight", k8), optionalSourceOrScalar("bias", biases, 0),
      integer("oc", 1, 65535),      kernelSlot("k_shape")};
}

static const ChipNames kNotSg2380 = {"bm1684x", "bm1688",  "bm1690",
                                     "mars3",   "sg2260e", "sg2262"};

static Operation convSymRow() {
  constexpr std::string_view all =
      "dst src weight bias oc k_shape stride dilation pad result_relu rshift";
  constexpr std::string_view noBias =
      "dst src weight oc k_shape stride dilation pad result_relu rshift";
  Operation op = function(
      "tiu.conv_sym", "4.6.4.8",
      "int8 convolution with bias, relu, right shift half up and saturation",
      kSymmetric,
      joined(cubeSlots(k8 | k16, k16 | k32),
             {strideSlot(), dilationSlot(), padSlot(), flag("result_relu"),
              integer("rshift", 0, 31, 0), insertSlot("ins", 14),
              flag("kernel_rotate"), flag("has_bias", true)}),
      joined<Rule>({wideBias(), byteNumbers({"weight"}),
                    signOfResult({"src", "weight", "bias"})},
                   cubeRules()),
      R"(tensor<int8> dst({1, 16, 6, 6}), src({1, 64, 6, 6}), weight({1, 16, 9, 64}, TPU_COMPACT);
tensor<int32> bias({1, 16, 1, 1}, TPU_COMPACT);
dim2 kernel = {3, 3}, stride = {1, 1}, dilation = {1, 1};
padding_t pad = {1, 1, 1, 1};
tiu::conv_sym(dst, src, weight, bias, 16, &kernel, &stride, &dilation, &pad, false, 8);)");
  op.spellings = {{all}, {noBias}, {all, "conv"}, {noBias, "conv"}};
  op.chips = kNotSg2380;
  op.chipNote = "bm1684x adds a bias of 16 bits in the command; one of 32 bits "
                "takes a sequence";
  return op;
}

static constexpr std::string_view kRequantised =
    R"(a(n,o,y,x) = [result_add] dst (as 32 bits, aligned) + bias(o) + sum_{i,p,q} X(n, i, y*sh + p*dh - top, x*sw + q*dw - left) * (K(o,i,p,q) - kzp(o)), exact in 32 bits
if result_relu: a = max(a, 0)
s = a * multiplier(o) * 2^rshift(o) (to the left if rshift is positive, else rounded), saturated to int32
dst = s + out_zp(o), saturated to the type of dst (with saturate a signed type begins at its minimum + 1)
X is src with pad_val for padding and for insertion 0, or the second number of a pad_val tensor; K is weight, turned by 180 degrees with kernel_rotate.
A tensor requant holds for every channel multiplier, then shift in bits 7..0 and zero point in bits 31..16; it replaces the three numbers.)";

static std::vector<Slot> requantSlots() {
  return {optionalSource("requant", k32),
          integer("multiplier", INT32_MIN, INT32_MAX, 1),
          integer("rshift", -128, 127, 0),
          integer("out_zp", -32768, 32767, 0),
          flag("saturate"),
          rounding("round", 7, 5)};
}

static Rule shiftRange() {
  return rule("rshift must be -64 to 31: negative is right, positive left",
              [](const Call &call) {
                int64_t shift = call.integer("rshift");
                if (shift >= -64 && shift <= 31)
                  return std::string();
                return "rshift is " + std::to_string(shift);
              });
}

static Operation convSymRqRow() {
  Operation op = function(
      "tiu.conv_sym_rq", "4.6.4.9",
      "int8 convolution with bias, relu and requantisation, for all "
      "channels or for each",
      kRequantised,
      joined(
          joined(cubeSlots(k8 | k16, k32), {strideSlot(), dilationSlot(),
                                            padSlot(), flag("result_relu")}),
          joined(requantSlots(), {flag("kernel_rotate"), insertSlot("ins", 14),
                                  flag("has_bias", true)})),
      joined<Rule>({byteNumbers({"weight"}), shiftRange()},
                   joined(cubeRules(), perChannel("requant", 2))),
      R"(tensor<int8> dst({1, 16, 6, 6}), src({1, 64, 6, 6}), weight({1, 16, 9, 64}, TPU_COMPACT);
tensor<int32> bias({1, 16, 1, 1}, TPU_COMPACT), requant({1, 16, 1, 2}, TPU_COMPACT);
dim2 kernel = {3, 3}, stride = {1, 1}, dilation = {1, 1};
padding_t pad = {1, 1, 1, 1};
tiu::conv_sym_rq(dst, src, weight, bias, 16, &kernel, &stride, &dilation, &pad, false, requant, false);)");
  op.spellings = {
      {"dst src weight bias oc k_shape stride dilation pad result_relu "
       "multiplier rshift out_zp saturate? round? kernel_rotate?"},
      {"dst src weight bias oc k_shape stride dilation pad result_relu "
       "requant& saturate? round? kernel_rotate?"}};
  op.chips = kNotSg2380;
  op.chipNote = "bm1684x has no such instruction: convolution to 32 bits, "
                "bias, relu and requantisation follow each other";
  return op;
}

static constexpr std::string_view kAsymmetric =
    R"(a(n,o,y,x) = [result_add] dst(n,o,y,x) + [bias] bias(o) + sum_{i,p,q} X(n, i, y*sh + p*dh - top, x*sw + q*dw - left) * (K(o,i,p,q) - kzp(o)), exact modulo 2^32
dst = a saturated to the type of dst (with saturate an int16 begins at its minimum + 1)
X is src with pad_val for padding and for insertion insert_val, or both numbers from a pad_val tensor; K is weight, turned by 180 degrees with kernel_rotate.)";

static std::vector<Slot> asymmetricSlots(TypeSet results) {
  std::vector<Slot> slots = cubeSlots(results, k32);
  slots[0] = updated("dst", results);
  return joined(slots,
                {strideSlot(), dilationSlot(), padSlot(),
                 optionalSourceOrScalar("pad_val", k8, 0), flag("result_add"),
                 typeNumber("out_dtype"), flag("has_bias", true),
                 optionalSourceOrScalar("kzp", k8 | k16, 0)});
}

static std::vector<Rule> asymmetricRules() {
  return joined(
      joined<Rule>({byteNumbers({"weight", "kzp", "pad_val"}),
                    valuesFitSource({"pad_val", "insert_val"}),
                    zeroPointWidth(), typeNumberOf("out_dtype", "dst")},
                   cubeRules()),
      joined(perChannel("kzp", 1), padTensor()));
}

static Operation convAsymRow() {
  constexpr std::string_view noBias =
      "dst src weight oc k_shape stride dilation pad pad_val result_add "
      "out_dtype has_bias:=false kzp";
  Operation op = function(
      "tiu.conv_asym", "4.6.4.11",
      "int8 convolution with a zero point of the weights, pad values "
      "and accumulation in 32 bits",
      kAsymmetric,
      joined(asymmetricSlots(k16 | k32),
             {flag("saturate"), rounding("round", 7, 5), flag("kernel_rotate"),
              insertSlot("ins", 14), integer("insert_val", -128, 255, 0)}),
      joined<Rule>({signOfAsymmetric(), sums32("result_add"),
                    onlyOnChips({"sg2380"}, "bias",
                                "bias exists on sg2380; add it with tiu::add "
                                "elsewhere")},
                   asymmetricRules()),
      R"(tensor<int32> dst({1, 16, 6, 6});
tensor<int8> src({1, 64, 6, 6}), weight({1, 16, 9, 64}, TPU_COMPACT), kzp({1, 16, 1, 1}, TPU_COMPACT);
dim2 kernel = {3, 3}, stride = {1, 1}, dilation = {1, 1};
padding_t pad = {1, 1, 1, 1};
tiu::conv_asym(dst, src, weight, None, 16, &kernel, &stride, &dilation, &pad, 3, false, DT_INT32, false, kzp);)");
  op.spellings = {
      {"dst src weight bias oc k_shape stride dilation pad pad_val result_add "
       "out_dtype has_bias kzp saturate? round? kernel_rotate?"},
      {noBias},
      {noBias, "conv"}};
  op.chipNote = "bias on sg2380";
  return op;
}

static Operation convAsymRqRow() {
  Operation op = function(
      "tiu.conv_asym_rq", "4.6.4.12",
      "conv_asym with bias and requantisation, for all channels or for each",
      kRequantised,
      joined(joined(asymmetricSlots(kIntegers), requantSlots()),
             {flag("kernel_rotate"), insertSlot("ins", 14)}),
      joined<Rule>({shiftRange()},
                   joined(asymmetricRules(), perChannel("requant", 2))),
      R"(tensor<uint8> dst({1, 16, 6, 6}), src({1, 64, 6, 6}), weight({1, 16, 9, 64}, TPU_COMPACT);
tensor<int32> bias({1, 16, 1, 1}, TPU_COMPACT), requant({1, 16, 1, 2}, TPU_COMPACT);
dim2 kernel = {3, 3}, stride = {1, 1}, dilation = {1, 1};
padding_t pad = {1, 1, 1, 1};
tiu::conv_asym_rq(dst, src, weight, bias, 16, &kernel, &stride, &dilation, &pad, 3, false, DT_NONE, true, 5, requant, false, RM_HALF_UP, false);)");
  op.spellings = {
      {"dst src weight bias oc k_shape stride dilation pad pad_val result_add "
       "out_dtype has_bias kzp multiplier rshift out_zp saturate? round? "
       "kernel_rotate?"},
      {"dst src weight bias oc k_shape stride dilation pad pad_val result_add "
       "out_dtype has_bias kzp requant& saturate? round? kernel_rotate?"}};
  op.accumulator = accumulatesAs("dst", DataType::Int32);
  op.chips = {"bm1684x", "bm1688", "bm1690", "sg2380"};
  op.chipNote = "bm1684x has no such instruction: convolution to 32 bits, bias "
                "and requantisation follow each other";
  return op;
}

static Operation deconvSymRow() {
  Operation op = function(
      "tiu.deconv_sym", "4.6.4.14",
      "conv_sym of an input with zeros inserted, kernel turned: "
      "transposed convolution",
      kSymmetric,
      joined(cubeSlots(k8 | k16, k16 | k32),
             {dilationSlot(), padSlot(), insertSlot("ins", 14),
              flag("result_relu"), typeNumber("out_dtype"),
              flag("has_bias", true), integer("rshift", 0, 31, 0),
              flag("kernel_rotate", true)}),
      joined<Rule>({wideBias(), byteNumbers({"weight"}),
                    typeNumberOf("out_dtype", "dst"),
                    signOfResult({"src", "weight", "bias"})},
                   cubeRules()),
      R"(tensor<int8> dst({1, 16, 8, 8}), src({1, 64, 4, 4}), weight({1, 16, 4, 64}, TPU_COMPACT);
tensor<int16> bias({1, 16, 1, 1}, TPU_COMPACT);
dim2 kernel = {2, 2}, dilation = {1, 1}, insert = {1, 1};
padding_t pad = {1, 1, 1, 1};
tiu::deconv_sym(dst, src, weight, bias, 16, &kernel, &dilation, &pad, &insert, false, DT_NONE, true, 8);)");
  op.spellings = {{"dst src weight bias oc k_shape dilation pad ins "
                   "result_relu out_dtype? has_bias? rshift?"}};
  op.chipNote = "bm1684x adds a bias of 16 bits in the command; one of 32 bits "
                "takes a sequence";
  return op;
}

static Operation deconvAsymRow() {
  constexpr std::string_view all =
      "dst src weight oc k_shape dilation pad ins pad_val insert_val "
      "result_add out_dtype kzp";
  Operation op = function(
      "tiu.deconv_asym", "4.6.4.15",
      "conv_asym of an input with values inserted, kernel turned: "
      "transposed convolution",
      kAsymmetric,
      {updated("dst", k16 | k32), source("src", k8),
       sourceOrScalar("weight", k8), integer("oc", 1, 65535),
       kernelSlot("k_shape"), dilationSlot(), padSlot(), insertSlot("ins", 14),
       integer("pad_val", -128, 255, 0), integer("insert_val", -128, 255, 0),
       flag("result_add"), typeNumber("out_dtype"),
       optionalSourceOrScalar("kzp", k8 | k16, 0), flag("kernel_rotate", true)},
      joined(joined<Rule>({byteNumbers({"weight", "kzp"}), zeroPointWidth(),
                           valuesFitSource({"pad_val", "insert_val"}),
                           typeNumberOf("out_dtype", "dst"), signOfAsymmetric(),
                           sums32("result_add")},
                          cubeRules()),
             perChannel("kzp", 1)),
      R"(tensor<int32> dst({1, 16, 8, 8});
tensor<int8> src({1, 64, 4, 4}), weight({1, 16, 4, 64}, TPU_COMPACT);
dim2 kernel = {2, 2}, dilation = {1, 1}, insert = {1, 1};
padding_t pad = {1, 1, 1, 1};
tiu::deconv_asym(dst, src, weight, 16, &kernel, &dilation, &pad, &insert, 2, 1, false, DT_INT32, 3);)");
  op.spellings = {{all}, {all, "deconv"}};
  return op;
}

std::vector<Operation> catalog::tiuConvOperations() {
  return {fconvRow(),    fdeconvRow(),    fdwConvRow(),   fdwDeconvRow(),
          dwConvRow(),   dwDeconvRow(),   convSymRow(),   convSymRqRow(),
          convAsymRow(), convAsymRqRow(), deconvSymRow(), deconvAsymRow()};
}
