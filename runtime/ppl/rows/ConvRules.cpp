//===- ConvRules.cpp - rules of the convolutions --------------------------===//

#include "runtime/ppl/rows/ConvRules.h"
#include "runtime/ppl/Window.h"

#include <algorithm>

using namespace weft;
using namespace weft::catalog;

static std::string str(std::string_view text) { return std::string(text); }

/// A compact tensor of `words` elements a channel of dst, [1, oc, 1, words].
std::vector<Rule> convolution::perChannel(std::string_view name,
                                          int64_t words) {
  return {shapeIs(name, {1, -1, 1, words}), sameAxis(name, 'c', "dst", 'c'),
          layoutIs(name, {AlignMode::Compact}), sameLanes({"dst", name})};
}

Rule convolution::outputChannels() {
  return rule("oc must be the c of dst", [](const Call &call) {
    const Tensor *dst = call.tensor("dst");
    int64_t oc = call.integer("oc");
    if (!dst || dst->shape[1] == oc)
      return std::string();
    return "oc is " + std::to_string(oc) + ", dst has " +
           std::to_string(dst->shape[1]) + " channels";
  });
}

/// [1, oc, ceil(ic/NIC)*kh*kw, NIC], or the same elements split otherwise.
Rule convolution::packedWeight() {
  return rule(
      "weight must be compact [1, oc, ceil(ic / NIC) * kh * kw, NIC] with NIC "
      "= get_nic of its type",
      [](const Call &call) {
        const Tensor *weight = call.tensor("weight"), *src = call.tensor("src"),
                     *dst = call.tensor("dst");
        if (!weight || !src || !dst)
          return std::string();
        int64_t each = packedElements(src->type, src->shape[1],
                                      windowOf(call).taps(), *call.chip);
        const Dims &shape = weight->shape;
        if (shape[0] == 1 && shape[1] == dst->shape[1] &&
            shape[2] * shape[3] == each)
          return std::string();
        return "weight has shape " + std::to_string(shape[0]) + "x" +
               std::to_string(shape[1]) + "x" + std::to_string(shape[2]) + "x" +
               std::to_string(shape[3]) + ", " + std::to_string(src->shape[1]) +
               " input channels take 1x" + std::to_string(dst->shape[1]) + "x" +
               std::to_string(each /
                              int64_t(channelPack(src->type, *call.chip))) +
               "x" + std::to_string(channelPack(src->type, *call.chip));
      });
}

/// Every lane of the dot unit reads all channels of src, so these begin where
/// the unit does; fp32 is done by the vector unit.
Rule convolution::sourceLane() {
  return rule("src must start in lane 0 (fp32: there or in the lane of dst)",
              [](const Call &call) {
                const Tensor *src = call.tensor("src"),
                             *dst = call.tensor("dst");
                if (!src || !dst || src->lane == 0 ||
                    (src->type == DataType::Fp32 && src->lane == dst->lane))
                  return std::string();
                return "src starts in lane " + std::to_string(src->lane);
              });
}

Rule convolution::sourceStrides() {
  return rule(
      "every stride of src that is not N-byte aligned must be below 65536 "
      "elements",
      [](const Call &call) {
        const Tensor *src = call.tensor("src");
        if (src && src->layout == AlignMode::Aligned) // has a code of its own
          return std::string();
        for (int axis = 0; src && axis < 4; ++axis)
          if (src->strides[axis] > 65535)
            return "src has stride " + std::to_string(src->strides[axis]) +
                   " on axis " + "nchw"[axis];
        return std::string();
      });
}

/// The type of dst follows from those of the operands (manual 4.6.4).
Rule convolution::signOfResult(Names sources) {
  return rule(
      "dst must be unsigned with result_relu, else signed exactly if src, "
      "weight or bias is",
      [sources](const Call &call) {
        const Tensor *dst = call.tensor("dst");
        if (!dst)
          return std::string();
        bool relu = call.integer("result_relu") != 0;
        bool some = std::any_of(
            sources.begin(), sources.end(),
            [&](std::string_view name) { return isSignedOperand(call, name); });
        bool want = some && !relu;
        if (isSigned(dst->type) == want)
          return std::string();
        return "dst is " + str(spelling(dst->type)) +
               (relu   ? " and result_relu is set"
                : some ? " and an operand is signed"
                       : " and no operand is signed");
      });
}

/// Of conv_asym: the zero point makes the weights signed.
Rule convolution::signOfAsymmetric() {
  return rule("dst must be unsigned exactly if src, weight and kzp are and kzp "
              "is the number 0",
              [](const Call &call) {
                const Tensor *dst = call.tensor("dst");
                if (!dst)
                  return std::string();
                bool zero = !call.tensor("kzp") && call["kzp"].number() == 0;
                bool want = !zero || isSignedOperand(call, "src") ||
                            isSignedOperand(call, "weight") ||
                            isSignedOperand(call, "bias");
                if (isSigned(dst->type) == want)
                  return std::string();
                return "dst is " + str(spelling(dst->type)) +
                       (want ? ", the sums are signed" : "");
              });
}

/// Numbers that stand for bytes. `slot` must lie between the limits.
Rule convolution::byteNumbers(Names slots) {
  return rule("a number in place of a tensor of bytes must be whole and -128 "
              "to 255",
              [slots](const Call &call) {
                for (std::string_view slot : slots) {
                  const Argument &argument = call[slot];
                  if (argument.kind == Argument::Kind::None ||
                      argument.isTensor())
                    continue;
                  double value = argument.number();
                  if (!(value >= -128 && value <= 255) ||
                      value != double(int64_t(value)))
                    return str(slot) + " is " + std::to_string(value);
                }
                return std::string();
              });
}

/// Padding and inserted values are elements of src.
Rule convolution::valuesFitSource(Names slots) {
  return rule("pad_val and insert_val must be in the range of the type of src",
              [slots](const Call &call) {
                const Tensor *src = call.tensor("src");
                for (std::string_view slot : slots) {
                  if (!src || call.tensor(slot))
                    continue;
                  int64_t value = call.integer(slot);
                  bool isSource = isSigned(src->type)
                                      ? value >= -128 && value <= 127
                                      : value >= 0 && value <= 255;
                  if (!isSource)
                    return str(slot) + " is " + std::to_string(value) +
                           ", src is " + str(spelling(src->type));
                }
                return std::string();
              });
}

Rule convolution::sums32(std::string_view slot) {
  return rule("sums are kept in 32 bits: dst must be int32, uint32 or fp32 "
              "with " +
                  str(slot),
              [slot](const Call &call) {
                const Tensor *dst = call.tensor("dst");
                if (!dst || !call.integer(slot) || bitsOf(dst->type) == 32)
                  return std::string();
                return "dst is " + str(spelling(dst->type));
              });
}

/// fp8 exists behind BM1688 and not on MARS3.
Rule convolution::smallFloats(Names names) {
  return rule("fp8 needs bm1690, sg2380, sg2260e or sg2262",
              [names](const Call &call) {
                std::string_view chip = call.chip->kernelName();
                if (chip != "bm1684x" && chip != "bm1688" && chip != "mars3")
                  return std::string();
                for (std::string_view name : names)
                  if (const Tensor *tensor = call.tensor(name);
                      tensor && kFp8.contains(tensor->type))
                    return str(name) + " is " + str(spelling(tensor->type)) +
                           " on " + str(chip);
                return std::string();
              });
}

Rule convolution::floatResult() {
  return rule("dst must have the type of src or be fp32 (of fp8: or fp16)",
              [](const Call &call) {
                const Tensor *dst = call.tensor("dst"),
                             *src = call.tensor("src");
                if (!dst || !src || dst->type == src->type ||
                    dst->type == DataType::Fp32 ||
                    (kFp8.contains(src->type) && dst->type == DataType::Fp16))
                  return std::string();
                return "dst is " + str(spelling(dst->type)) + ", src is " +
                       str(spelling(src->type));
              });
}

Rule convolution::floatBias() {
  return rule(
      "bias must be fp32; chips other than bm1684x also take the type "
      "of src",
      [](const Call &call) {
        const Tensor *bias = call.tensor("bias"), *src = call.tensor("src");
        if (!bias || !src || bias->type == DataType::Fp32 ||
            (bias->type == src->type && call.chip->kernelName() != "bm1684x"))
          return std::string();
        return "bias is " + str(spelling(bias->type));
      });
}

Rule convolution::wideBias() {
  return rule("bias of 16 bits is for bm1684x; elsewhere it must be int32 or "
              "uint32",
              [](const Call &call) {
                const Tensor *bias = call.tensor("bias");
                if (!bias || bitsOf(bias->type) == 32 ||
                    call.chip->kernelName() == "bm1684x")
                  return std::string();
                return "bias is " + str(spelling(bias->type)) + " on " +
                       str(call.chip->targetName);
              });
}

/// BM1684X takes bytes, the later chips widened to 16 bits.
Rule convolution::zeroPointWidth() {
  return rule("kzp must have the bits of the machine: int8 or uint8 on "
              "bm1684x, 8 or 16 elsewhere",
              [](const Call &call) {
                const Tensor *kzp = call.tensor("kzp");
                if (!kzp || bitsOf(kzp->type) == 8 ||
                    call.chip->kernelName() != "bm1684x")
                  return std::string();
                return "kzp is " + str(spelling(kzp->type));
              });
}

/// (pad, insert) of every input channel.
std::vector<Rule> convolution::padTensor() {
  return {shapeIs("pad_val", {1, -1, 1, 2}),
          sameAxis("pad_val", 'c', "src", 'c'),
          layoutIs("pad_val", {AlignMode::Compact}),
          sameTypes({"src", "pad_val"}), startsInLaneZero("pad_val")};
}

std::vector<Rule> convolution::cubeRules() {
  std::vector<Rule> rules = {
      followsWindow(),
      outputChannels(),
      packedWeight(),
      sourceLane(),
      sourceStrides(),
      layoutIs("dst", {AlignMode::Aligned}),
      layoutIs("weight", {AlignMode::Compact}),
      sameLanes({"dst", "weight"}),
      apart("dst", {"src", "weight", "bias", "kzp", "requant", "pad_val"})};
  for (Rule &rule : perChannel("bias", 1))
    rules.push_back(std::move(rule));
  return rules;
}

std::vector<Rule> convolution::depthwiseRules(std::string_view dst,
                                              std::string_view src) {
  return {followsWindow(),
          sameAxis(dst, 'c', src, 'c'),
          sameAxis("weight", 'c', dst, 'c'),
          rule("weight must be [1, c, kh, kw]",
               [](const Call &call) {
                 const Tensor *weight = call.tensor("weight");
                 Window window = windowOf(call);
                 if (!weight || (weight->shape[0] == 1 &&
                                 weight->shape[2] == window.kernel[0] &&
                                 weight->shape[3] == window.kernel[1]))
                   return std::string();
                 return "weight has n " + std::to_string(weight->shape[0]) +
                        " and window " + std::to_string(weight->shape[2]) +
                        "x" + std::to_string(weight->shape[3]) +
                        ", the kernel is " + std::to_string(window.kernel[0]) +
                        "x" + std::to_string(window.kernel[1]);
               }),
          shapeIs("bias", {1, -1, 1, 1}),
          sameAxis("bias", 'c', dst, 'c'),
          layoutIs(dst, {AlignMode::Aligned}),
          layoutIs(src, {AlignMode::Aligned}),
          layoutIs("weight", {AlignMode::Compact}),
          layoutIs("bias", {AlignMode::Compact}),
          sameLanes({dst, src, "weight", "bias"}),
          apart(dst, {src, "weight", "bias"})};
}
