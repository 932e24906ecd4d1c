//===- TiuConvRulesTest.cpp - rules of the convolutions -------------------===//

#include "tests/unit/runtime/ppl/Calls.h"

using namespace weft;
using namespace weft::catalog;
using namespace weft::catalog::testing;

/// 2 images of 70 channels of 7x5, 66 results of 4x5: kernel 3x2, stride 2x1.
static Arguments bytes(DataType dst, DataType bias) {
  return {{"dst", local(dst, {2, 66, 4, 5})},
          {"src", local(kI8, {2, 70, 7, 5})},
          {"weight", local(kI8, {1, 66, 2 * 6, 64}, kCompact)},
          {"bias", local(bias, {1, 66, 1, 1}, kCompact)},
          {"oc", number(66)},
          {"k_shape", list({3, 2})},
          {"stride", list({2, 1})},
          {"dilation", list({1, 1})},
          {"pad", list({1, 1, 0, 1})}};
}

static Arguments floats(DataType type, DataType dst) {
  int64_t pack = type == kF32 ? 1 : 32;
  Arguments a = bytes(kI8, kF32);
  a["dst"] = local(dst, {2, 66, 4, 5});
  a["src"] = local(type, {2, 70, 7, 5});
  a["weight"] =
      local(type, {1, 66, (70 + pack - 1) / pack * 6, pack}, kCompact);
  return a;
}

/// The deconvolution of 4x4 to 8x8: 2x2 kernel, one element inserted.
static Arguments turned(Arguments a, std::string_view insert, int64_t pack) {
  DataType src = a["src"].tensor.type, dst = a["dst"].tensor.type;
  a.erase("stride");
  a["dst"] = local(dst, {1, 66, 7, 7});
  a["src"] = local(src, {1, 70, 4, 4});
  a["weight"] = local(src, {1, 66, (70 + pack - 1) / pack * 4, pack}, kCompact);
  a["k_shape"] = list({2, 2});
  a["pad"] = list({1, 0, 0, 1});
  a[insert] = list({1, 1});
  return a;
}

TEST(TiuConvRules, acceptsFloats) {
  for (DataType type : {kF32, kF16, kBf16})
    for (DataType dst : {type, kF32}) {
      EXPECT_EQ(problemNamed("tiu.fconv", floats(type, dst)), "");
      EXPECT_EQ(problemNamed("tiu.fconv", with(with(floats(type, dst), "weight",
                                                    number(1.5)),
                                               "bias", number(0))),
                "");
      EXPECT_EQ(problemNamed("tiu.fdeconv", turned(floats(type, dst), "insert",
                                                   type == kF32 ? 1 : 32)),
                "");
    }
  // fp32 weights by kernel position, and a strided input.
  EXPECT_EQ(
      problemNamed("tiu.fconv", with(floats(kF32, kF32), "weight",
                                     local(kF32, {1, 66, 70, 6}, kCompact))),
      "");
  EXPECT_EQ(problemNamed("tiu.fconv",
                         with(floats(kF16, kF16), "src",
                              strided(kF16, {2, 70, 7, 5}, {400, 200, 20, 3}))),
            "");
  EXPECT_EQ(problemNamed("tiu.fconv",
                         with(floats(kF16, kF16), "do_relu", number(1)),
                         chips::bm1688)
                .substr(0, 6),
            "weight") // 16 channels a group there
      << "the packing of BM1688";
}

TEST(TiuConvRules, fconvRejects) {
  Arguments good = floats(kF16, kF16);
  auto problemWith = [&](std::string_view slot, Argument value) {
    return problemNamed("tiu.fconv", with(good, slot, std::move(value)));
  };
  EXPECT_EQ(problemWith("dst", local(kBf16, {2, 66, 4, 5})),
            "dst is bf16, src is fp16; dst must have the type of src or be "
            "fp32 (of fp8: or fp16)");
  EXPECT_EQ(problemWith("dst", local(kF16, {2, 66, 4, 6})),
            "dst has w 6, the window gives 5; n must agree, h and w must be "
            "((size - 1) * (insert + 1) + 1 + pads - ((kernel - 1) * dilation "
            "+ 1)) / stride + 1");
  EXPECT_EQ(problemWith("oc", number(65)),
            "oc is 65, dst has 66 channels; oc must be the c of dst");
  EXPECT_EQ(problemWith("weight", local(kF16, {1, 66, 6, 64}, kCompact)),
            "weight has shape 1x66x6x64, 70 input channels take 1x66x18x32; "
            "weight must be compact [1, oc, ceil(ic / NIC) * kh * kw, NIC] "
            "with NIC = get_nic of its type");
  EXPECT_EQ(problemWith("weight", local(kF16, {1, 66, 18, 31}, kCompact))
                .substr(0, 32),
            "weight has shape 1x66x18x31, 70 ");
  EXPECT_EQ(problemWith("weight", local(kF16, {1, 66, 18, 33})).substr(0, 6),
            "weight");
  EXPECT_EQ(
      problemWith("src", local(kF16, {2, 70, 7, 5}, AlignMode::Aligned, 3)),
      "src starts in lane 3; src must start in lane 0 (fp32: there or in "
      "the lane of dst)");
  EXPECT_EQ(
      problemWith("src", strided(kF16, {2, 70, 7, 5}, {70000, 200, 20, 3})),
      "src has stride 70000 on axis n; every stride of src that is not N-byte "
      "aligned must be below 65536 elements");
  EXPECT_EQ(problemWith("bias", local(kF16, {1, 66, 1, 1}, kCompact)),
            "bias is fp16; bias must be fp32; chips other than bm1684x also "
            "take the type of src");
  EXPECT_EQ(problemWith("bias", local(kF32, {1, 66, 1, 1})),
            "bias is N-byte aligned; the layout of bias must be compact");
  EXPECT_EQ(problemWith("pad", list({16, 0, 0, 0})),
            "pad is 16, must be 0 to 15");
  EXPECT_EQ(problemWith("stride", list({0, 1})),
            "stride is 0, must be 1 to 15");
  EXPECT_EQ(problemWith("k_shape", list({13, 2})).substr(0, 52),
            "the kernel covers 13 elements along h, src has 9 wit");
  EXPECT_EQ(problemWith("ins", list({15, 0})), "ins is 15, must be 0 to 14");
  EXPECT_EQ(problemWith("do_relu", number(1)),
            "do_relu is given on bm1684x; do_relu exists on bm1688 and mars3; "
            "use tiu::fmax afterwards");
  EXPECT_EQ(problemWith("out_dtype", number(int64_t(kF32))),
            "out_dtype is fp32, dst is fp16; out_dtype must be DT_NONE or the "
            "type of dst");
  EXPECT_EQ(
      problemNamed("tiu.fconv", floats(DataType::Fp8e4m3, DataType::Fp8e4m3))
          .substr(0, 29),
      "src is fp8e4m3 on bm1684x; fp");
  EXPECT_EQ(
      problemNamed("tiu.fdeconv", with(turned(floats(kF16, kF16), "insert", 32),
                                       "insert", list({2, 1})))
          .substr(0, 32),
      "dst has h 7, the window gives 10");
}

TEST(TiuConvRules, depthwise) {
  Arguments a = {{"output", local(kF16, {2, 70, 4, 5})},
                 {"input", local(kF16, {2, 70, 7, 5})},
                 {"weight", local(kF16, {1, 70, 3, 2}, kCompact)},
                 {"bias", local(kF16, {1, 70, 1, 1}, kCompact)},
                 {"k_shape", list({3, 2})},
                 {"stride", list({2, 1})},
                 {"pad", list({1, 1, 0, 1})}};
  EXPECT_EQ(problemNamed("tiu.fdw_conv", a), "");
  EXPECT_EQ(
      problemNamed("tiu.fdw_conv",
                   with(a, "weight", local(kF16, {1, 70, 2, 3}, kCompact))),
      "weight has n 1 and window 2x3, the kernel is 3x2; weight must be "
      "[1, c, kh, kw]");
  EXPECT_EQ(problemNamed("tiu.fdw_conv",
                         with(a, "bias", local(kF32, {1, 70, 1, 1}, kCompact))),
            "output is fp16, bias is fp32; output, input, weight and bias must "
            "have one element type");
  EXPECT_EQ(problemNamed("tiu.fdw_conv", with(a, "ins", list({8, 0}))),
            "ins is 8, must be 0 to 7");
  Arguments turned = {{"dst", local(kF32, {1, 70, 7, 7})},
                      {"src", local(kF32, {1, 70, 4, 4})},
                      {"weight", number(0.5)},
                      {"k_shape", list({2, 2})},
                      {"insert", list({1, 1})},
                      {"pad", list({1, 0, 0, 1})}};
  EXPECT_EQ(problemNamed("tiu.fdw_deconv", turned), "");
  EXPECT_EQ(problemNamed("tiu.fdw_deconv", with(turned, "src",
                                                local(kF32, {1, 70, 4, 4},
                                                      AlignMode::Aligned, 1))),
            "dst starts in lane 0, src in lane 1; dst, src, weight and bias "
            "must start in one lane");
  Arguments bytes = {{"dst", local(kI16, {2, 70, 4, 5})},
                     {"src", local(kU8, {2, 70, 7, 5})},
                     {"weight", local(kI8, {1, 70, 3, 2}, kCompact)},
                     {"bias", local(kI32, {1, 70, 1, 1}, kCompact)},
                     {"k_shape", list({3, 2})},
                     {"stride", list({2, 1})},
                     {"pad", list({1, 1, 0, 1})},
                     {"pad_val", number(200)},
                     {"rshift", number(5)}};
  EXPECT_EQ(problemNamed("tiu.dw_conv", bytes), "");
  EXPECT_EQ(
      problemNamed("tiu.dw_conv", with(bytes, "pad_val", number(-1))),
      "pad_val is -1, src is uint8; pad_val and insert_val must be in the "
      "range of the type of src");
  EXPECT_EQ(problemNamed("tiu.dw_conv",
                         with(bytes, "dst", local(kU16, {2, 70, 4, 5}))),
            "dst is uint16 and an operand is signed; dst must be unsigned with "
            "result_relu, else signed exactly if src, weight or bias is");
  EXPECT_EQ(problemNamed("tiu.dw_conv", with(bytes, "result_relu", number(1)))
                .substr(0, 35),
            "dst is int16 and result_relu is set");
  EXPECT_EQ(problemNamed("tiu.dw_conv", with(bytes, "rshift", number(32))),
            "rshift is 32, must be 0 to 31");
  Arguments back = with(bytes, "dst", local(kI8, {1, 70, 7, 7}));
  back.erase("stride");
  back["src"] = local(kU8, {1, 70, 4, 4});
  back["weight"] = number(-3);
  back["k_shape"] = list({2, 2});
  back["insert"] = list({1, 1});
  back["pad"] = list({1, 0, 0, 1});
  EXPECT_EQ(problemNamed("tiu.dw_deconv", back), "");
  EXPECT_EQ(problemNamed("tiu.dw_deconv", with(back, "weight", number(256))),
            "weight is 256.000000; a number in place of a tensor of bytes must "
            "be whole and -128 to 255");
}

TEST(TiuConvRules, symmetric) {
  Arguments a = with(bytes(kI8, kI16), "rshift", number(7));
  EXPECT_EQ(problemNamed("tiu.conv_sym", a), "");
  EXPECT_EQ(problemNamed("tiu.conv_sym", with(a, "bias", number(0))), "");
  EXPECT_EQ(problemNamed("tiu.conv_sym", bytes(kI16, kU32)), "");
  EXPECT_EQ(problemNamed("tiu.conv_sym", bytes(kI32, kI16)),
            "dst is int32, must be int16, uint16, int8 or uint8");
  EXPECT_EQ(problemNamed("tiu.conv_sym", bytes(kU8, kI16)).substr(0, 36),
            "dst is uint8 and an operand is signe");
  EXPECT_EQ(problemNamed("tiu.conv_sym", a, chips::sg2380).substr(0, 9),
            "exists on");
  Arguments wide = with(bytes(kI8, kI16), "weight",
                        local(kI8, {1, 66, 3 * 6, 32}, kCompact));
  EXPECT_EQ(
      problemNamed("tiu.conv_sym", wide, chips::bm1688),
      "bias is int16 on bm1688; bias of 16 bits is for bm1684x; elsewhere "
      "it must be int32 or uint32");
  EXPECT_EQ(problemNamed("tiu.deconv_sym", turned(a, "ins", 64)).substr(0, 40),
            ""); // rshift is there as well
  EXPECT_EQ(
      problemNamed("tiu.deconv_sym", with(turned(a, "ins", 64), "weight",
                                          local(kU8, {1, 66, 4, 64}, kCompact)))
          .substr(0, 26),
      "weight has shape 1x66x4x64");
  Arguments rq =
      with(bytes(kU8, kI32), "requant", local(kI32, {1, 66, 1, 2}, kCompact));
  EXPECT_EQ(problemNamed("tiu.conv_sym_rq", rq), "");
  EXPECT_EQ(
      problemNamed("tiu.conv_sym_rq",
                   with(rq, "requant", local(kI32, {1, 66, 1, 3}, kCompact))),
      "requant has shape 1x66x1x3; requant must have shape 1x?x1x2");
  EXPECT_EQ(problemNamed("tiu.conv_sym_rq", with(rq, "rshift", number(32))),
            "rshift is 32; rshift must be -64 to 31: negative is right, "
            "positive left");
  EXPECT_EQ(problemNamed("tiu.conv_sym_rq", bytes(kI8, kI16)),
            "bias is int16, must be int32 or uint32");
}

TEST(TiuConvRules, asymmetric) {
  Arguments a = bytes(kI32, kI32);
  a.erase("bias");
  EXPECT_EQ(problemNamed("tiu.conv_asym", a), "");
  a["kzp"] = local(kI8, {1, 66, 1, 1}, kCompact);
  a["pad_val"] = local(kI8, {1, 70, 1, 2}, kCompact);
  EXPECT_EQ(problemNamed("tiu.conv_asym", a), "");
  EXPECT_EQ(
      problemNamed("tiu.conv_asym",
                   with(a, "pad_val", local(kI8, {1, 66, 1, 1}, kCompact))),
      "pad_val has shape 1x66x1x1; pad_val must have shape 1x?x1x2");
  EXPECT_EQ(
      problemNamed("tiu.conv_asym",
                   with(a, "kzp", local(kI16, {1, 66, 1, 1}, kCompact))),
      "kzp is int16; kzp must have the bits of the machine: int8 or uint8 "
      "on bm1684x, 8 or 16 elsewhere");
  EXPECT_EQ(
      problemNamed("tiu.conv_asym", with(a, "dst", local(kU32, {2, 66, 4, 5}))),
      "dst is uint32, the sums are signed; dst must be unsigned exactly if "
      "src, weight and kzp are and kzp is the number 0");
  EXPECT_EQ(problemNamed("tiu.conv_asym",
                         with(with(a, "dst", local(kI16, {2, 66, 4, 5})),
                              "result_add", number(1))),
            "dst is int16; sums are kept in 32 bits: dst must be int32, uint32 "
            "or fp32 with result_add");
  EXPECT_EQ(problemNamed("tiu.conv_asym",
                         with(a, "bias", local(kI32, {1, 66, 1, 1}, kCompact))),
            "bias is given on bm1684x; bias exists on sg2380; add it with "
            "tiu::add elsewhere");
  Arguments rq = bytes(kI8, kI32);
  rq["kzp"] = number(9);
  rq["multiplier"] = number(77);
  rq["rshift"] = number(-9);
  EXPECT_EQ(problemNamed("tiu.conv_asym_rq", rq), "");
  EXPECT_EQ(problemNamed("tiu.conv_asym_rq", with(rq, "out_zp", number(40000))),
            "out_zp is 40000, must be -32768 to 32767");
  Arguments back = turned(a, "ins", 64);
  back["pad_val"] = number(3);
  back["insert_val"] = number(-2);
  EXPECT_EQ(problemNamed("tiu.deconv_asym", back), "");
  EXPECT_EQ(
      problemNamed("tiu.deconv_asym", with(back, "insert_val", number(200))),
      "insert_val is 200, src is int8; pad_val and insert_val must be in "
      "the range of the type of src");
}
