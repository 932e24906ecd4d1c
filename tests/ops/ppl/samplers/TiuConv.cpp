//===- TiuConv.cpp - random convolutions ----------------------------------===//

#include "tests/ops/ppl/samplers/Arguments.h"

using namespace weft;
using namespace weft::catalog;
using namespace weft::cases;

namespace {
/// Geometry of a window and the sizes around it.
struct Geometry {
  int64_t n, inputs, outputs, h, w;
  Window window;
  unsigned lane; ///< of the result

  int64_t height() const { return window.positions(h, 0); }
  int64_t width() const { return window.positions(w, 1); }
  Dims source() const { return {n, inputs, h, w}; }
  Dims result() const { return {n, outputs, height(), width()}; }
};
} // namespace

/// `insert` and `strides`: whether the function has them; `mostInserted` is its
/// limit.
static Geometry geometry(Drawn &d, bool hasStride, int64_t mostInserted,
                         bool isDepthwise) {
  Geometry g;
  g.n = d.between(1, 3);
  g.inputs = d.oneOf({d.between(1, 8), d.between(20, 70), d.between(60, 140)});
  g.outputs =
      isDepthwise ? g.inputs : d.oneOf({d.between(1, 6), d.between(60, 80)});
  g.lane = d.chance(0.3) ? unsigned(d.between(1, 63)) : 0;
  bool isLarge = d.chance(0.2); // limits of the fields
  g.window.kernel = {d.between(1, isLarge ? 7 : 3), d.between(1, 3)};
  for (int axis = 0; axis < 2; ++axis) {
    (axis ? g.w : g.h) = d.between(1, 9);
    g.window.dilation[axis] = d.between(1, isLarge ? 15 : 3);
    g.window.before[axis] = d.between(0, isLarge ? 15 : 3);
    g.window.after[axis] = d.between(0, isLarge ? 15 : 3);
    if (hasStride)
      g.window.stride[axis] = d.between(1, isLarge ? 15 : 3);
    if (d.chance(hasStride ? 0.2 : 0.8))
      g.window.insert[axis] = d.between(0, isLarge ? mostInserted : 2);
    // A window that fits.
    if (g.window.positions(axis ? g.w : g.h, axis) == 0)
      g.window.after[axis] = 15, g.window.dilation[axis] = 1;
  }
  return g;
}

static void setWindow(Drawn &d, const Geometry &g, std::string_view insert,
                      bool hasStride) {
  const Window &w = g.window;
  d.list("k_shape", {w.kernel[0], w.kernel[1]});
  d.list("dilation", {w.dilation[0], w.dilation[1]});
  d.list("pad", {w.before[0], w.after[0], w.before[1], w.after[1]});
  d.list(insert, {w.insert[0], w.insert[1]});
  if (hasStride)
    d.list("stride", {w.stride[0], w.stride[1]});
}

static void setWeight(Drawn &d, const Geometry &g, DataType type) {
  int64_t pack = channelPack(type, d.chip());
  int64_t each =
      packedElements(type, g.inputs, g.window.taps(), d.chip()) / pack;
  Dims shape = {1, g.outputs, each, pack};
  if (type == kF32)
    shape = {1, g.outputs, g.inputs, g.window.taps()};
  d.tensor("weight", type, shape, kCompact, g.lane);
}

static void setSource(Drawn &d, std::string_view slot, const Geometry &g,
                      DataType type, unsigned lane) {
  if (d.chance(0.25))
    d.strided(slot, type, g.source(), lane);
  else
    d.tensor(slot, type, g.source(), AlignMode::Aligned, lane);
}

static void perChannel(Drawn &d, std::string_view slot, const Geometry &g,
                       DataType type, int64_t words = 1) {
  d.tensor(slot, type, {1, g.outputs, 1, words}, kCompact, g.lane);
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

template <bool turns>
static void sampleFconv(Numbers &numbers, Case &drawn) {
  Drawn d(numbers, drawn);
  Geometry g = geometry(d, !turns, 14, false);
  DataType type = d.oneOf({kF32, kF16, kBf16}),
           dst = d.chance(0.5) ? kF32 : type;
  setWindow(d, g, turns ? "insert" : "ins", !turns);
  d.tensor("dst", dst, g.result(), AlignMode::Aligned, g.lane);
  setSource(d, "src", g, type, type == kF32 && d.chance(0.5) ? g.lane : 0);
  if (d.chance(0.15))
    d.real("weight", double(d.between(-40, 40)) / 8);
  else
    setWeight(d, g, type);
  d.number("oc", g.outputs);
  if (d.chance(0.6))
    perChannel(d, "bias", g, kF32);
  else if (d.chance(0.2))
    d.real("bias", double(d.between(-40, 40)) / 8);
  d.number("has_bias", d.chance(0.9));
  d.number("result_add", d.chance(0.4));
  if (!turns)
    d.number("kernel_rotate", d.chance(0.2));
  for (std::string_view slot : {"dst", "src", "weight", "bias"})
    d.finite(slot);
}

template <bool turns>
static void sampleFdwConv(Numbers &numbers, Case &drawn) {
  Drawn d(numbers, drawn);
  Geometry g = geometry(d, !turns, 7, true);
  DataType type = d.oneOf({kF32, kF16, kBf16});
  std::string_view dst = turns ? "dst" : "output",
                   src = turns ? "src" : "input";
  setWindow(d, g, turns ? "insert" : "ins", !turns);
  d.tensor(dst, type, g.result(), AlignMode::Aligned, g.lane);
  d.tensor(src, type, g.source(), AlignMode::Aligned, g.lane);
  if (d.chance(0.15))
    d.real("weight", double(d.between(-40, 40)) / 8);
  else
    d.tensor("weight", type,
             {1, g.inputs, g.window.kernel[0], g.window.kernel[1]}, kCompact,
             g.lane);
  if (d.chance(0.7))
    perChannel(d, "bias", g, type);
  if (!turns)
    d.number("kernel_rotate", d.chance(0.2));
  for (std::string_view slot :
       {src, std::string_view("weight"), std::string_view("bias")})
    d.finite(slot);
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

static DataType byteType(Drawn &d) { return d.oneOf({kI8, kU8}); }

/// A number in place of bytes, unsigned unless negative.
static int64_t byteNumber(Drawn &d) { return d.between(-128, 255); }

/// An element of src.
static int64_t elementOf(Drawn &d, DataType src) {
  return src == kI8 ? d.between(-128, 127) : d.between(0, 255);
}

/// The type that the sums have with these bits.
static DataType resultType(bool hasSign, unsigned bits) {
  switch (bits) {
  case 8:
    return hasSign ? kI8 : kU8;
  case 16:
    return hasSign ? kI16 : kU16;
  default:
    return hasSign ? kI32 : kU32;
  }
}

template <bool turns>
static void sampleDwConv(Numbers &numbers, Case &drawn) {
  Drawn d(numbers, drawn);
  Geometry g = geometry(d, !turns, 7, true);
  DataType src = byteType(d);
  setWindow(d, g, turns ? "insert" : "ins", !turns);
  d.tensor("src", src, g.source(), AlignMode::Aligned, g.lane);
  if (d.chance(0.15))
    d.number("weight", byteNumber(d));
  else
    d.tensor("weight", byteType(d),
             {1, g.inputs, g.window.kernel[0], g.window.kernel[1]}, kCompact,
             g.lane);
  if (d.chance(0.7)) {
    perChannel(d, "bias", g, d.oneOf({kI32, kU32}));
    Dense &bias = d.values("bias");
    for (int64_t i = 0; i < bias.elements(); ++i)
      bias.setBits(
          i, uint64_t(d.between(bias.type == kI32 ? -100000 : 0, 100000)));
  }
  bool relu = d.chance(0.4);
  bool hasSign = isSignedOperand(drawn.call, "src") ||
                 isSignedOperand(drawn.call, "weight") ||
                 isSignedOperand(drawn.call, "bias");
  d.tensor("dst", resultType(hasSign && !relu, d.oneOf({8u, 16u, 32u})),
           g.result(), AlignMode::Aligned, g.lane);
  d.number("pad_val", elementOf(d, src));
  d.number("rshift", d.oneOf({d.between(0, 12), d.between(0, 31)}));
  d.number("result_relu", relu);
  d.number("round_mode", d.between(0, 6));
  if (!turns)
    d.number("kernel_rotate", d.chance(0.2));
}

/// Window, src and weight of a convolution over all channels.
static Geometry byteConvolution(Drawn &d, bool turns) {
  Geometry g = geometry(d, !turns, 14, false);
  setWindow(d, g, "ins", !turns);
  setSource(d, "src", g, byteType(d), 0);
  if (d.chance(0.1))
    d.number("weight", byteNumber(d));
  else {
    setWeight(d, g, byteType(d));
  }
  d.number("oc", g.outputs);
  if (!turns)
    d.number("kernel_rotate", d.chance(0.2));
  return g;
}

static void setBias(Drawn &d, const Geometry &g, bool narrow, bool wide) {
  if (d.chance(0.3))
    return;
  DataType type = narrow && (!wide || d.chance(0.5)) ? d.oneOf({kI16, kU16})
                                                     : d.oneOf({kI32, kU32});
  perChannel(d, "bias", g, type);
  Dense &bias = d.values("bias");
  int64_t most = bitsOf(type) == 16 ? 30000 : 1000000;
  for (int64_t i = 0; i < bias.elements(); ++i)
    bias.setBits(i, uint64_t(d.between(isSigned(type) ? -most : 0, most)) &
                        (bitsOf(type) == 16 ? 0xffff : 0xffffffff));
}

template <bool turns>
static void sampleConvSym(Numbers &numbers, Case &drawn) {
  Drawn d(numbers, drawn);
  Geometry g = byteConvolution(d, turns);
  setBias(d, g, true, true);
  bool relu = d.chance(0.4);
  bool hasSign = isSignedOperand(drawn.call, "src") ||
                 isSignedOperand(drawn.call, "weight") ||
                 isSignedOperand(drawn.call, "bias");
  d.tensor("dst", resultType(hasSign && !relu, d.oneOf({8u, 16u})), g.result(),
           AlignMode::Aligned, g.lane);
  d.number("result_relu", relu);
  d.number("rshift", d.oneOf({d.between(4, 14), d.between(0, 31)}));
}

/// Words of the channels, or three numbers.
static void setRequant(Drawn &d, const Geometry &g) {
  d.number("saturate", d.chance(0.4));
  d.number("round", d.between(0, 6));
  auto multiplier = [&] {
    return d.oneOf({d.between(-2000, 2000), d.between(INT32_MIN, INT32_MAX)});
  };
  auto shift = [&](int64_t m) {
    bool isLarge = m > 2000 || m < -2000;
    return isLarge ? d.between(-45, -30) : d.between(-20, 3);
  };
  if (d.chance(0.5)) {
    int64_t m = multiplier();
    d.number("multiplier", m);
    d.number("rshift", shift(m));
    d.number("out_zp", d.between(-200, 200));
    return;
  }
  perChannel(d, "requant", g, kI32, 2);
  Dense &words = d.values("requant");
  for (int64_t o = 0; o < g.outputs; ++o) {
    int64_t m = multiplier();
    words.setBits(2 * o, uint32_t(m));
    words.setBits(2 * o + 1, uint64_t(d.between(-200, 200) & 0xffff) << 16 |
                                 uint64_t(d.between(0, 255)) << 8 |
                                 uint64_t(shift(m) & 0xff));
  }
}

static void sampleConvSymRq(Numbers &numbers, Case &drawn) {
  Drawn d(numbers, drawn);
  Geometry g = byteConvolution(d, false);
  setBias(d, g, false, true);
  d.tensor("dst", d.oneOf({kI8, kU8, kI16, kU16}), g.result(),
           AlignMode::Aligned, g.lane);
  d.number("result_relu", d.chance(0.4));
  setRequant(d, g);
}

/// Zero point and pad values.
static void setAsymmetric(Drawn &d, const Geometry &g, Case &drawn,
                          bool hasPairs) {
  DataType src = drawn.call.tensor("src")->type;
  if (d.chance(0.4))
    perChannel(d, "kzp", g, byteType(d));
  else if (d.chance(0.7))
    d.number("kzp", byteNumber(d));
  if (hasPairs && d.chance(0.3))
    d.tensor("pad_val", src, {1, g.inputs, 1, 2}, kCompact, 0);
  else
    d.number("pad_val", elementOf(d, src));
}

template <bool turns>
static void sampleConvAsym(Numbers &numbers, Case &drawn) {
  Drawn d(numbers, drawn);
  Geometry g = byteConvolution(d, turns);
  setAsymmetric(d, g, drawn, !turns);
  d.number("insert_val", elementOf(d, drawn.call.tensor("src")->type));
  bool hasZero = drawn.call.tensor("kzp") || drawn.call.integer("kzp") != 0;
  bool hasSign = hasZero || isSignedOperand(drawn.call, "src") ||
                 isSignedOperand(drawn.call, "weight");
  bool adds = d.chance(0.4);
  d.tensor("dst", resultType(hasSign, adds ? 32 : d.oneOf({16u, 32u})),
           g.result(), AlignMode::Aligned, g.lane);
  d.number("result_add", adds);
  if (!turns)
    d.number("saturate", d.chance(0.4));
}

static void sampleConvAsymRq(Numbers &numbers, Case &drawn) {
  Drawn d(numbers, drawn);
  Geometry g = byteConvolution(d, false);
  setBias(d, g, false, true);
  setAsymmetric(d, g, drawn, true);
  bool adds = d.chance(0.3);
  d.tensor("dst", d.oneOf({kI8, kU8, kI16, kU16, kI32, kU32}), g.result(),
           AlignMode::Aligned, g.lane);
  d.number("result_add", adds);
  setRequant(d, g);
}

std::vector<SampleRow> cases::tiuConvSamplers() {
  return {{"tiu.fconv", sampleFconv<false>},
          {"tiu.fdeconv", sampleFconv<true>},
          {"tiu.fdw_conv", sampleFdwConv<false>},
          {"tiu.fdw_deconv", sampleFdwConv<true>},
          {"tiu.dw_conv", sampleDwConv<false>},
          {"tiu.dw_deconv", sampleDwConv<true>},
          {"tiu.conv_sym", sampleConvSym<false>},
          {"tiu.conv_sym_rq", sampleConvSymRq},
          {"tiu.conv_asym", sampleConvAsym<false>},
          {"tiu.conv_asym_rq", sampleConvAsymRq},
          {"tiu.deconv_sym", sampleConvSym<true>},
          {"tiu.deconv_asym", sampleConvAsym<true>}};
}
