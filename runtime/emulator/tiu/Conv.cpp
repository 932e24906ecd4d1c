/// sCONV: reading and checking a command.
#include "runtime/emulator/tiu/Conv.h"
#include "runtime/numeric/Rounding.h"

namespace weft::emulator::tiu {
namespace {

Status readTypes(const Chip &chip, const Decoded &c, ConvCommand &conv) {
  conv.func = c.func;
  conv.input = {precisionOf(c, Field::opd0_prec), c.get(Field::opd0_sign) != 0};
  conv.weight = {conv.input.precision, c.get(Field::opd1_sign) != 0};
  conv.result = {precisionOf(c, Field::res0_prec), true};
  conv.thirdIsSigned = c.get(Field::opd2_sign) != 0;
  Precision in = conv.input.precision, out = conv.result.precision;
  bool known = isKnown(in) && isKnown(out);
  bool fits = false;
  if (known && in == Precision::Fp32)
    fits = out == Precision::Fp32;
  else if (known && conv.input.isFloat())
    fits = out == Precision::Fp32 || out == in;
  else if (known && in == Precision::Int8)
    fits = !conv.result.isFloat();
  if (!fits)
    return unsupported(c, "these element types");
  if (conv.func != isa::conv::Normal && conv.input.isFloat())
    return unsupported(c, "requantised floats");
  // Less a zero point, unsigned weights are signed; any bit of a constant
  // operand 2 makes it one, though only the lowest byte is subtracted.
  bool zeroPoint = conv.func == isa::conv::Normal &&
                   (!c.get(Field::opd2_const) || c.get(Field::opd2_addr) != 0);
  if (!conv.result.isFloat())
    conv.result.isSigned = conv.input.isSigned || conv.weight.isSigned ||
                           conv.thirdIsSigned || zeroPoint;
  conv.pack = chip.channelPack(8 * isa::elementBytes(in));
  return Status::ok();
}

Status readViews(const Machine &machine, const Decoded &c, ConvCommand &conv) {
  const Window &window = conv.window;
  Shape4 out = resultShape(c);
  Shape4 in = {out.n, conv.inputChannels, window.inputH, window.inputW};
  unsigned layout = get32(c, Field::opd0_str), bytes = conv.input.bytes();
  if (layout > unsigned(Layout::Free))
    return failf(Code::BadCommand,
                 "operand 0 has layout code %u; CONV takes 0 to 3", layout);
  Strides4 strides = {c.get(Field::opd0_n_str), c.get(Field::opd0_c_str),
                      c.get(Field::opd0_h_str), c.get(Field::opd0_w_str)};
  if (layout != unsigned(Layout::Free))
    strides =
        localStrides(machine.lanes(), static_cast<Layout>(layout), in, bytes,
                     machine.lanes().laneAt(get32(c, Field::opd0_addr)));
  WEFT_TRY(viewLocal(machine, "operand 0", c.get(Field::opd0_addr), bytes, in,
                     strides, conv.inputView));
  WEFT_TRY(viewLocal(machine, "result", c.get(Field::res0_addr),
                     conv.result.precision, out, Layout::Aligned,
                     conv.resultView));
  uint64_t terms = uint64_t(conv.blocks()) * window.positions() * conv.pack;
  if (terms > (1u << 20))
    return failf(Code::BadCommand,
                 "a kernel of %llu weights an output; at most 1048576",
                 (unsigned long long)terms);
  uint64_t outputs = uint64_t(out.n) * out.c * window.pixels();
  if (outputs > kMaxMacs / terms)
    return failf(
        Code::BadCommand,
        "%llu outputs of %llu products are more than the emulator takes",
        (unsigned long long)outputs, (unsigned long long)terms);
  // What exceeds local memory can only be a constant or a broadcast; keep
  // buffers small.
  uint64_t inputs =
      uint64_t(conv.inputChannels) * window.inputH * window.inputW;
  if (terms * out.c > (1u << 24) || inputs > (1u << 24))
    return failf(Code::BadCommand,
                 "weights or input are larger than local memory");
  conv.terms = terms;
  if (!conv.weightIsConstant)
    WEFT_TRY(viewLocal(machine, "operand 1", conv.weightBits, bytes,
                       {1, out.c, 1, uint32_t(terms)}, {0, terms, 0, 1},
                       conv.weightView));
  bool usesThird = conv.input.isFloat() || conv.func != isa::conv::Normal ||
                   !conv.thirdIsConstant;
  Precision third = conv.input.isFloat()             ? Precision::Fp32
                    : conv.func == isa::conv::Normal ? Precision::Int8
                                                     : Precision::Int16;
  if (usesThird && !conv.thirdIsConstant)
    WEFT_TRY(viewLocal(machine, "operand 2", conv.thirdBits, third,
                       {1, out.c, 1, 1}, Layout::Compact, conv.third));
  if (!conv.padIsConstant && conv.func == isa::conv::Normal)
    WEFT_TRY(viewLocal(machine, "operand 3", conv.padBits, conv.input.precision,
                       {1, conv.inputChannels, 1, 2}, Layout::Compact,
                       conv.pads));
  return Status::ok();
}

Status readWideAddends(const Machine &machine, const Decoded &c,
                       ConvCommand &conv) {
  LocalView view;
  WEFT_TRY(viewLocal(machine, "the result to add to", c.get(Field::res0_addr),
                     Precision::Fp32, conv.resultView.shape, Layout::Aligned,
                     view));
  const Shape4 &shape = view.shape;
  unsigned pixels = conv.window.pixels();
  conv.wideAddends.resize(size_t(shape.n) * shape.c * pixels);
  float *to = conv.wideAddends.data();
  for (uint32_t n = 0; n < shape.n; ++n)
    for (uint32_t ch = 0; ch < shape.c; ++ch, to += pixels)
      std::memcpy(to, view.at(n, ch), size_t(pixels) * sizeof(float));
  return Status::ok();
}

} // namespace

/// Sums wrap in 32 bits, signed or unsigned as the result is.
static int64_t wrappedTo32(int64_t sum, bool isSigned) {
  return isSigned ? int64_t(int32_t(uint32_t(sum))) : int64_t(uint32_t(sum));
}

/// Rule of the requantised functions or of the plain saturated result.
void finishIntegers(const ConvCommand &conv, uint32_t oc, int64_t *sums,
                    size_t count) {
  const ElementKind &kind = conv.result;
  if (conv.func == isa::conv::Normal) {
    for (size_t i = 0; i < count; ++i)
      sums[i] = numeric::saturate(wrappedTo32(sums[i], kind.isSigned),
                                  kind.bits(), kind.isSigned);
    return;
  }
  unsigned shift = conv.padBits & 0x1f; // operand 3
  uint16_t bits = conv.thirdIsConstant ? uint16_t(conv.thirdBits)
                                       : loadAs<uint16_t>(conv.third.at(0, oc));
  int64_t bias = conv.thirdIsSigned ? int64_t(int16_t(bits)) : bits;
  bool clips = conv.func == isa::conv::RequantisedRelu;
  for (size_t i = 0; i < count; ++i) {
    int64_t sum = wrappedTo32(sums[i] + bias, kind.isSigned);
    if (clips)
      sum = std::max<int64_t>(sum, 0);
    if (kind.isSigned && !clips)
      sum = numeric::shiftHalfUp(int32_t(sum), shift);
    else
      sum = numeric::shiftHalfUp(uint32_t(sum), shift);
    sums[i] = numeric::saturate(sum, kind.bits(), kind.isSigned && !clips);
  }
}

namespace {

class ConvKernel final : public Kernel {
public:
  explicit ConvKernel(const Decoded &command) : command(command) {}
  Status prepare(const Machine &machine);
  Status run(Machine &machine) override {
    if (conv.addsResult && conv.result.bytes() == 2)
      WEFT_TRY(readWideAddends(machine, command, conv));
    runConv(machine, conv, plan);
    return Status::ok();
  }

private:
  Decoded command;
  ConvCommand conv;
  ConvPlan plan;
};

Status ConvKernel::prepare(const Machine &machine) {
  const Decoded &c = command;
  WEFT_TRY(readTypes(machine.chip(), c, conv));
  WEFT_TRY(readWindow(c, conv.window));
  conv.inputChannels = get32(c, Field::opd0_c);
  conv.outputChannels = get32(c, Field::res0_c);
  conv.weightIsConstant = c.get(Field::opd1_const);
  conv.thirdIsConstant = c.get(Field::opd2_const);
  conv.padIsConstant = c.get(Field::opd3_const);
  conv.weightBits = get32(c, Field::opd1_addr);
  conv.thirdBits = get32(c, Field::opd2_addr);
  conv.padBits = get32(c, Field::opd3_addr);
  conv.insertBits = get32(c, Field::res1_addr);
  // Narrow integers ignore the old result.
  conv.addsResult =
      c.get(Field::res_add) &&
      (conv.result.isFloat() || conv.result.precision == Precision::Int32);
  conv.rotates = c.get(Field::kernel_rotate);
  WEFT_TRY(readViews(machine, c, conv));
  return plan.make(conv);
}

} // namespace

Status prepareConv(Machine &machine, const Decoded &command,
                   KernelPtr &kernel) {
  return prepareAs<ConvKernel>(machine, command, kernel);
}

} // namespace weft::emulator::tiu
