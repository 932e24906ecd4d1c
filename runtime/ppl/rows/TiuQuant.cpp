//===- TiuQuant.cpp - requantization and dequantization -------------------===//

#include "runtime/catalog/Slots.h"
#include "runtime/ppl/Rows.h"

using namespace weft;
using namespace weft::catalog;

static bool isOn(const Call &call, std::string_view chip) {
  return call.chip->kernelName() == chip;
}
static bool hasTensor(const Call &call) { return call.tensor("quant"); }

/// Either the tensor or all of the numbers.
static Rule tensorOrNumbers(Names numbers) {
  std::string text = "either quant or ";
  for (size_t i = 0; i < numbers.size(); ++i)
    text += (i == 0                    ? ""
             : i + 1 == numbers.size() ? " and "
                                       : ", ") +
            std::string(numbers[i]);
  return rule(text + " must be given, not both", [numbers](const Call &call) {
    for (std::string_view name : numbers) {
      bool isGiven = call[name].kind != Argument::Kind::None;
      if (isGiven && hasTensor(call))
        return std::string(name) + " and quant are given";
      if (!isGiven && !hasTensor(call))
        return std::string(name) + " and quant are missing";
    }
    return std::string();
  });
}

/// The tensor of a channel's numbers: `words` on BM1684X, `packed` elsewhere.
static Rule quantShape(int64_t words, int64_t packed) {
  std::string text = "quant must have shape 1xcx1x" + std::to_string(words) +
                     " and be N-byte aligned on bm1684x, 1xcx1x" +
                     std::to_string(packed) +
                     " and compact on other chips, c that of dst";
  return rule(text, [words, packed](const Call &call) {
    const Tensor *quant = call.tensor("quant"), *dst = call.tensor("dst");
    if (!quant)
      return std::string();
    bool isFirst = isOn(call, "bm1684x");
    Dims wanted = {1, dst->shape[1], 1, isFirst ? words : packed};
    for (int axis = 0; axis < 4; ++axis)
      if (quant->shape[axis] != wanted[axis])
        return "quant has " + std::to_string(quant->shape[axis]) + " on axis " +
               "nchw"[axis] + ", must have " + std::to_string(wanted[axis]);
    AlignMode mode = isFirst ? AlignMode::Aligned : AlignMode::Compact;
    return layoutIs("quant", {mode}).check(call);
  });
}

/// A zero point has 16 bits with the sign of `side`; BM1688 reads it as signed
/// always.
static Rule offsetFits(std::string_view side) {
  return rule("offset must be -32768 to 32767, 0 to 65535 if " +
                  std::string(side) + " is unsigned (not on bm1688)",
              [side](const Call &call) {
                if (call["offset"].kind == Argument::Kind::None)
                  return std::string();
                bool isSignedOffset =
                    isSigned(call.tensor(side)->type) || isOn(call, "bm1688");
                int64_t low = isSignedOffset ? -32768 : 0, high = low + 65535;
                int64_t value = call.integer("offset");
                if (value >= low && value <= high)
                  return std::string();
                return "offset is " + std::to_string(value) + ", " +
                       std::string(side) + " is " +
                       std::string(spelling(call.tensor(side)->type));
              });
}

/// `quant` is on the lanes of the others, and every tensor on whole EU rows.
static std::vector<Rule> withShared(const std::vector<Rule> &rules) {
  return joined<Rule>(
      {{sameShapes({"dst", "src"}), layoutIs("dst", {AlignMode::Aligned}),
        layoutIs("src", {AlignMode::Aligned})},
       rules,
       {sameLanes({"dst", "src", "quant"}), noPartialOverlap("dst", {"src"}),
        apart("dst", {"quant"})}});
}

static const ChipNames &allButSg2262() {
  static const ChipNames names = {"bm1684x", "bm1688", "bm1690",
                                  "sg2380",  "mars3",  "sg2260e"};
  return names;
}

static Operation dq0() {
  Operation op = function(
      "tiu.dq0", "4.6.7.1",
      "dequantizes integers to fp32, with one offset and scale or "
      "those of each channel",
      "dst = fp32(float(src - offset) * scale), the difference exact. offset "
      "has 16 bits with the sign of src (BM1688: always signed). Per channel: "
      "offset = quant(0,c,0,0) as an integer, scale = quant(0,c,0,1) as fp32. "
      "round_mode changes nothing",
      {result("dst", DataType::Fp32), source("src", k16 | k8 | k4),
       optionalSource("quant", TypeSet(DataType::Int32) | DataType::Fp32 |
                                   DataType::Uint32),
       omissible(integer("offset", -32768, 65535)), omissible(real("scale")),
       rounding("round_mode", 5, 0)},
      withShared({typesOnChip("bm1684x", "src", k16 | k8),
                  tensorOrNumbers({"offset", "scale"}), quantShape(2, 2),
                  offsetFits("src")}),
      "tensor<fp32> dst({1, 64, 8, 8});\n"
      "tensor<int8> src({1, 64, 8, 8});\n"
      "tiu::dq0(dst, src, 3, 0.5f, RM_HALF_TO_EVEN);");
  op.spellings = {{"dst src offset scale round_mode"},
                  {"dst src quant& round_mode"}};
  return op;
}

static Operation dq1() {
  Operation op = function(
      "tiu.dq1", "4.6.7.3",
      "dequantizes integers to wider ones, with one set of numbers or "
      "those of each channel",
      "dst = saturate((src - offset) * multiplier * 2^shift), the product "
      "exact, a right shift (shift < 0) rounded by round_mode. offset has 16 "
      "bits with the sign of src (BM1688: always signed). Per channel on "
      "BM1684X: quant(0,c,0,0..2) = offset, multiplier, shift; elsewhere "
      "quant(0,c,0,0) = multiplier, quant(0,c,0,1) = shift in bits 7..0 and "
      "offset (signed) in bits 31..16",
      {result("dst", TypeSet(DataType::Int32) | k16 | k8),
       source("src", k16 | k8 | k4), optionalSource("quant", DataType::Int32),
       omissible(integer("offset", -32768, 65535)),
       omissible(integer("multiplier", INT32_MIN, INT32_MAX)),
       omissible(integer("shift", -64, 31)), rounding("round_mode", 5, 0)},
      withShared({typesOnChip("bm1684x", "src", k16 | k8),
                  typesOnChip("bm1684x", "dst", TypeSet(DataType::Int32) | k16),
                  tensorOrNumbers({"offset", "multiplier", "shift"}),
                  quantShape(3, 2), offsetFits("src")}),
      "tensor<int32> dst({1, 64, 8, 8});\n"
      "tensor<int8> src({1, 64, 8, 8});\n"
      "tiu::dq1(dst, src, 3, 10, -2, RM_HALF_AWAY_FROM_ZERO);");
  op.spellings = {{"dst src offset multiplier shift round_mode"},
                  {"dst src quant& round_mode"}};
  op.chips = allButSg2262();
  return op;
}

static Operation dq2() {
  Operation op = function(
      "tiu.dq2", "4.6.7.5",
      "dequantizes groups of elements along w to a 16-bit float, each "
      "group with its offset and scale",
      "dst(n,c,h,w) = D(D(src(n,c,h,w) - offset) * scale), D the type of dst, "
      "each D a rounding to the nearest, ties to even; offset = bits 15..0 and "
      "scale = bits 31..16 of offset_scale(n,c,h,w / gsize), both of type D",
      {result("dst", TypeSet(DataType::Fp16) | DataType::Bf16),
       source("src", k8 | k4), source("offset_scale", DataType::Uint32),
       integer("gsize", 32, 256)},
      {
          typesOnChip("bm1684x", "src", k8),
          sameShapes({"dst", "src"}),
          rule("gsize must be 32, 64, 128 or 256",
               [](const Call &call) {
                 int64_t size = call.integer("gsize");
                 bool isPower = (size & (size - 1)) == 0;
                 return isPower ? std::string()
                                : "gsize is " + std::to_string(size);
               }),
          rule("gsize must divide w of src",
               [](const Call &call) {
                 int64_t w = call.tensor("src")->shape[3];
                 if (w % call.integer("gsize") == 0)
                   return std::string();
                 return "w is " + std::to_string(w) + ", gsize is " +
                        std::to_string(call.integer("gsize"));
               }),
          rule("offset_scale must have shape nxcxhx(w / gsize)",
               [](const Call &call) {
                 Dims wanted = call.tensor("src")->shape;
                 wanted[3] /= call.integer("gsize");
                 const Dims &found = call.tensor("offset_scale")->shape;
                 for (int axis = 0; axis < 4; ++axis)
                   if (found[axis] != wanted[axis])
                     return "offset_scale has " + std::to_string(found[axis]) +
                            " on axis " + "nchw"[axis] + " instead of " +
                            std::to_string(wanted[axis]);
                 return std::string();
               }),
          layoutIs("dst", {AlignMode::Aligned}),
          layoutIs("src", {AlignMode::Aligned}),
          layoutIs("offset_scale", {AlignMode::Compact}),
          sameLanes({"dst", "src", "offset_scale"}),
          apart("dst", {"src", "offset_scale"}),
      },
      "tensor<fp16> dst({1, 64, 2, 64});\n"
      "tensor<int8> src({1, 64, 2, 64});\n"
      "tensor<uint32> offset_scale({1, 64, 2, 2}, TPU_COMPACT);\n"
      "tiu::dq2(dst, src, offset_scale, 32);");
  op.chipNote = "one instruction of SG2262; other chips take a cast, a "
                "subtraction and a multiplication, with the same result";
  return op;
}

static Operation rq0() {
  Operation op = function(
      "tiu.rq0", "4.6.7.6",
      "requantizes integers by a float scale and offset, one or those "
      "of each channel",
      "dst = saturate(round(fp32(fp32(float(src) * scale) + offset))): "
      "float() rounds by src_round_mode, product and sum to the nearest, the "
      "result by dst_round_mode; NaN gives 0. Per channel: scale = "
      "quant(0,c,0,0), offset = quant(0,c,0,1)",
      {result("dst", k16 | k8 | k4),
       source("src", TypeSet(DataType::Int32) | k16 | k8),
       optionalSource("quant", DataType::Fp32), omissible(real("scale")),
       omissible(real("offset")), rounding("dst_round_mode", 5, 0),
       rounding("src_round_mode", 5, 0)},
      withShared({typesOnChip("bm1684x", "src", TypeSet(DataType::Int32) | k16),
                  typesOnChip("bm1684x", "dst", k16 | k8),
                  tensorOrNumbers({"scale", "offset"}), quantShape(2, 2)}),
      "tensor<int8> dst({1, 64, 8, 8});\n"
      "tensor<int16> src({1, 64, 8, 8});\n"
      "tiu::rq0(dst, src, 0.5f, 0.0f, RM_HALF_TO_EVEN, "
      "RM_HALF_TO_EVEN);");
  op.spellings = {{"dst src scale offset dst_round_mode src_round_mode"},
                  {"dst src quant& dst_round_mode src_round_mode"}};
  op.chips = allButSg2262();
  return op;
}

static Operation rq1() {
  Operation op = function(
      "tiu.rq1", "4.6.7.8",
      "requantizes integers by a multiplier, a shift and an offset, "
      "one set or that of each channel",
      "dst = saturate(clip32(src * multiplier * 2^shift) + offset), the "
      "product exact, a right shift (shift < 0) rounded by round_mode. offset "
      "has 16 bits with the sign of dst (BM1688: always signed). Per channel "
      "on BM1684X: quant(0,c,0,0..2) = multiplier, shift, offset; elsewhere "
      "quant(0,c,0,0) = multiplier, quant(0,c,0,1) = shift in bits 7..0 and "
      "offset (signed) in bits 31..16",
      {result("dst", k16 | k8 | k4),
       source("src", TypeSet(DataType::Int32) | k16 | k8),
       optionalSource("quant", DataType::Int32),
       omissible(integer("multiplier", INT32_MIN, INT32_MAX)),
       omissible(integer("shift", -64, 31)),
       omissible(integer("offset", -32768, 65535)),
       rounding("round_mode", 7, 0)},
      withShared({typesOnChip("bm1684x", "src", TypeSet(DataType::Int32) | k16),
                  typesOnChip("bm1684x", "dst", k16 | k8),
                  tensorOrNumbers({"multiplier", "shift", "offset"}),
                  quantShape(3, 2), offsetFits("dst")}),
      "tensor<int8> dst({1, 64, 8, 8});\n"
      "tensor<int32> src({1, 64, 8, 8});\n"
      "tiu::rq1(dst, src, 10, -5, 10, RM_HALF_UP);");
  op.spellings = {{"dst src multiplier shift offset round_mode"},
                  {"dst src quant& round_mode"}};
  return op;
}

std::vector<Operation> catalog::tiuQuantOperations() {
  return {dq0(), dq1(), dq2(), rq0(), rq1()};
}
