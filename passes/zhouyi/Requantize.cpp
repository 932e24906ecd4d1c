//===- Requantize.cpp - shifts of 64-bit products -------------------------===//

#include "passes/zhouyi/Requantize.h"

#include "runtime/numeric/BitCast.h"

using namespace mlir;
using namespace weft;
using namespace weft::zhouyi;

ChannelRow::ChannelRow(Emitter &emitter, Type element,
                       ArrayRef<uint32_t> numbers, StringRef name) {
  if (llvm::all_equal(numbers)) {
    if (element.isF32())
      uniform = emitter.code.number(element, kWordLanes,
                                    numeric::floatFromBits(numbers[0]));
    else
      uniform = emitter.code.integerNumber(element, kWordLanes,
                                           int64_t(int32_t(numbers[0])));
    return;
  }
  std::vector<uint32_t> padded(numbers);
  padded.resize(numbers.size() + kWordLanes, 0);
  buffer = emitter.weight(element, ArrayRef<uint32_t>(padded), name);
}

ChannelRow ChannelRow::ofFloats(Emitter &emitter, ArrayRef<float> numbers,
                                StringRef name) {
  std::vector<uint32_t> bits;
  for (float number : numbers)
    bits.push_back(numeric::floatBits(number));
  return ChannelRow(emitter, emitter.code.f32(), bits, name);
}

Value ChannelRow::read(Code &code, ArrayRef<Stride> at, int64_t add,
                       bool lanesAreChannels) const {
  if (uniform)
    return uniform;
  return code.load(code.offset(buffer, at, add), kWordLanes,
                   lanesAreChannels ? 1 : 0);
}

namespace {
/// What one channel multiplies and adds.
struct Channel {
  int64_t bound = INT32_MAX; ///< the value is clipped to +-bound
  int64_t power = 1;         ///< and then multiplied by this
  int64_t multiplier = 0;
  int64_t shift = 1; ///< of the high word, 1 to 31
};
} // namespace

/// The shift becomes 33 to 63 by doubling: first of the multiplier until it
/// fills 32 bits, then of the value. A value beyond `bound` gives a product
/// beyond 16 bits whatever it is.
static Channel normalized(int64_t multiplier, int64_t shift, bool isExact) {
  Channel channel;
  if (multiplier == 0)
    return channel;
  if (multiplier == INT32_MIN) { // a product of 2^62 would be one too many
    multiplier /= 2;
    --shift;
  }
  while (std::abs(multiplier) < int64_t(1) << 30) {
    multiplier *= 2;
    ++shift;
  }
  if (shift > 63) // less than one half, whatever the value is
    return channel;
  channel.multiplier = multiplier;
  if (shift >= 33) {
    channel.shift = shift - 32;
    return channel;
  }
  if (!isExact)
    shift = std::max<int64_t>(shift, 3); // beyond 16 bits then and now
  channel.power = int64_t(1) << (33 - shift);
  channel.bound = (int64_t(1) << std::max<int64_t>(shift - 2, 0)) - 1;
  return channel;
}

bool Requantizer::isExact(int32_t multiplier, int32_t shift, int64_t bound) {
  return normalized(multiplier, shift, /*isExact=*/true).bound >= bound;
}

Requantizer::Requantizer(Emitter &emitter, ArrayRef<int32_t> multipliers,
                         ArrayRef<int32_t> shifts, int64_t bound,
                         bool isExact) {
  std::vector<uint32_t> lows, highs, powers, factors, offsets, divisors,
      centers;
  bool clips = false;
  for (auto [multiplier, shift] : llvm::zip(multipliers, shifts)) {
    Channel channel = normalized(multiplier, shift, isExact);
    moves = moves || channel.power != 1;
    clips = clips || channel.bound < bound;
    // Beside channels that clip, the others keep all of 32 bits.
    bool isWhole = channel.bound == INT32_MAX;
    lows.push_back(uint32_t(isWhole ? int64_t(INT32_MIN) : -channel.bound));
    highs.push_back(uint32_t(channel.bound));
    powers.push_back(uint32_t(channel.power));
    factors.push_back(uint32_t(channel.multiplier));
    offsets.push_back((uint32_t(1) << 31) +
                      (uint32_t(1) << (channel.shift - 1)));
    divisors.push_back(uint32_t(1) << channel.shift);
    centers.push_back(uint32_t(1) << (31 - channel.shift));
  }
  Type s32 = emitter.code.s32(), u32 = emitter.code.u32();
  if (clips) {
    low = ChannelRow(emitter, s32, lows, "low");
    high = ChannelRow(emitter, s32, highs, "high");
  }
  if (moves)
    power = ChannelRow(emitter, s32, powers, "power");
  multiplier = ChannelRow(emitter, s32, factors, "multiplier");
  offset = ChannelRow(emitter, u32, offsets, "offset");
  divisor = ChannelRow(emitter, u32, divisors, "divisor");
  center = ChannelRow(emitter, u32, centers, "center");
}

Requantizer::Parameters Requantizer::read(Code &code, ArrayRef<Stride> at,
                                          int64_t add,
                                          bool lanesAreChannels) const {
  auto one = [&](const ChannelRow &row) {
    return row ? row.read(code, at, add, lanesAreChannels) : Value();
  };
  return {one(low),    one(high),    one(power), one(multiplier),
          one(offset), one(divisor), one(center)};
}

Value Requantizer::requantize(Code &code, Value value, const Parameters &p) {
  if (p.low)
    value = code.clip(value, p.low, p.high);
  if (p.power)
    value = code.vmul(value, p.power);
  Value high = code.bits(code.highProduct(value, p.multiplier), code.u32());
  // As unsigned numbers, so that the division rounds down.
  Value quotient = code.vdiv(code.vadd(high, p.offset), p.divisor);
  return code.bits(code.vsub(quotient, p.center), code.s32());
}
