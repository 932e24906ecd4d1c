//===- Conv.cpp - the Conv family on vectors ------------------------------===//
//
// The windows of an image become columns of a patch matrix (im2col), weights
// are laid out to match when the program is made, and Patches.h multiplies.
//
//===----------------------------------------------------------------------===//

#include "dialects/tpu/Conv.h"

#include "dialects/tpu/Constant.h"
#include "dialects/tpu/evaluate/Numbers.h"
#include "passes/zhouyi/ConvPatches.h"
#include "passes/zhouyi/Requantize.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft;
using namespace weft::zhouyi;

/// The numbers of a constant operand.
static FailureOr<std::vector<double>> numbersOf(tpu::ConvOp op, Value operand) {
  FailureOr<numeric::HostTensor> tensor = toHostTensor(
      operand.getDefiningOp<tpu::WeightOp>().getValue(), op.getLoc());
  if (failed(tensor))
    return failure();
  return loadDoubles(*tensor);
}

//===----------------------------------------------------------------------===//
// From sums to results
//===----------------------------------------------------------------------===//

namespace {
/// What becomes of the sums of a channel.
class Finish {
public:
  /// `base` holds what to add to integer sums; empty: nothing.
  Finish(tpu::ConvOp op, Emitter &emitter, ArrayRef<double> biases,
         ArrayRef<int32_t> base)
      : op(op), result(emitter.stored(op.getOutput())) {
    int64_t channels = op.getOutput().getType().getShape()[1];
    if (!base.empty())
      offset = ChannelRow(emitter, emitter.code.s32(), bitsOf(base), "base");
    if (op.getMultipliers()) {
      std::vector<int32_t> integers(channels, 0);
      if (!biases.empty())
        integers.assign(biases.begin(), biases.end());
      bias = ChannelRow(emitter, emitter.code.s32(), bitsOf(integers), "bias");
      fixed.emplace(emitter, *op.getMultipliers(), *op.getRshifts(), INT32_MAX,
                    false);
      return;
    }
    if (op.getScales())
      scale = ChannelRow::ofFloats(emitter, *op.getScales(), "scale");
    if (!biases.empty())
      bias = ChannelRow::ofFloats(
          emitter, std::vector<float>(biases.begin(), biases.end()), "bias");
  }

  /// Reads the numbers of the channels at the place of the loops.
  void read(Code &code, ArrayRef<Stride> at, int64_t add, bool lanesAre) {
    auto one = [&](const ChannelRow &row) {
      return row ? row.read(code, at, add, lanesAre) : Value();
    };
    theOffset = one(offset);
    theScale = one(scale);
    theBias = one(bias);
    if (fixed)
      parameters = fixed->read(code, at, add, lanesAre);
  }

  /// The stored result for the sums of eight lanes.
  Value operator()(Code &code, Value sum) {
    if (theOffset)
      sum = code.vadd(sum, theOffset);
    bool isQuantized = tpu::isQuantized(op.getOutput());
    tpu::IntegerRange range{0, 0};
    if (isQuantized)
      range = tpu::rangeOf(tpu::elementOf(op.getOutput()));
    if (fixed) {
      Value value =
          Requantizer::requantize(code, code.vadd(sum, theBias), parameters);
      return code.cast(code.clip(value, range.low, range.high), result);
    }
    Value value = code.cast(sum, code.f32());
    if (theScale)
      value = code.vmul(value, theScale);
    if (theBias)
      value = code.vadd(value, theBias);
    if (op.getRelu())
      value = code.relu(value);
    return code.cast(isQuantized ? code.vrint(value) : value, result);
  }

private:
  static std::vector<uint32_t> bitsOf(ArrayRef<int32_t> integers) {
    return {integers.begin(), integers.end()};
  }

  tpu::ConvOp op;
  Type result;
  ChannelRow offset, scale, bias;
  std::optional<Requantizer> fixed;
  Value theOffset, theScale, theBias;
  Requantizer::Parameters parameters;
};

//===----------------------------------------------------------------------===//
// The loops
//===----------------------------------------------------------------------===//

/// The convolution of one op.
class ConvLoops {
public:
  ConvLoops(tpu::ConvOp op, Emitter &emitter, const ConvPatches &patches,
            Value weights, Finish &finish)
      : emitter(emitter), code(emitter.code), patches(patches),
        shape(patches.shape), weights(weights), finish(finish),
        result(emitter.result(op.getOutput())),
        perWord(elementsOfWord(elementOf(patches.pointer))) {}

  void emit() {
    patches.fill(code);
    code.loop(shape.images, [&](Value image) {
      code.loop(shape.groups, [&](Value group) {
        patches.gather(code, image, group);
        if (patches.lanesAreChannels)
          emitChannelLanes(image, group);
        else
          emitPixelLanes(image, group);
      });
    });
  }

private:
  /// Registers hold eight pixels of a channel; several channels share them.
  void emitPixelLanes(Value image, Value group) {
    int64_t together = shape.outPerGroup % 4 == 0   ? 4
                       : shape.outPerGroup % 2 == 0 ? 2
                                                    : 1;
    int64_t ofChannel = patches.words * perWord, pixels = shape.pixels();
    code.loop(shape.outPerGroup / together, [&](Value block) {
      Strides channel{{group, shape.outPerGroup}, {block, together}};
      std::vector<Finish> finishes(together, finish);
      SmallVector<Side> rights;
      for (int64_t i = 0; i < together; ++i) {
        finishes[i].read(code, channel, i, false);
        Strides strides{{group, shape.outPerGroup * ofChannel},
                        {block, together * ofChannel}};
        rights.push_back(
            {code.offset(weights, strides, i * ofChannel), perWord, false});
      }
      code.loop(llvm::divideCeil(pixels, kWordLanes), [&](Value run) {
        Side left{code.offset(patches.pointer, {{run, kWordLanes * perWord}}),
                  patches.wordStep(), true};
        SmallVector<Value> sums =
            sumOfProducts(code, patches.words, left, rights);
        Value mask = pixels % kWordLanes
                         ? code.tail({{run, kWordLanes}}, pixels, kWordLanes)
                         : Value();
        for (int64_t i = 0; i < together; ++i)
          code.store(finishes[i](code, sums[i]),
                     code.offset(result,
                                 {{image, shape.out * pixels},
                                  {group, shape.outPerGroup * pixels},
                                  {block, together * pixels},
                                  {run, kWordLanes}},
                                 i * pixels),
                     1, mask);
      });
    });
  }

  /// Registers hold eight channels of a pixel.
  void emitChannelLanes(Value image, Value group) {
    int64_t pixels = shape.pixels(), out = shape.outPerGroup;
    int64_t blocks = llvm::divideCeil(out, kWordLanes);
    int64_t ofWord = kWordLanes * perWord, ofBlock = patches.words * ofWord;
    code.loop(blocks, [&](Value block) {
      finish.read(code, {{group, out}, {block, kWordLanes}}, 0, true);
      Side right{
          code.offset(weights, {{group, blocks * ofBlock}, {block, ofBlock}}),
          ofWord, true};
      Value mask = out % kWordLanes
                       ? code.tail({{block, kWordLanes}}, out, kWordLanes)
                       : Value();
      code.loop(pixels, [&](Value pixel) {
        Side left{
            code.offset(patches.pointer, {{pixel, patches.words * perWord}}),
            perWord, false};
        Value sum = sumOfProducts(code, patches.words, left, right)[0];
        code.store(finish(code, sum),
                   code.offset(result, {{image, shape.out * pixels},
                                        {group, out * pixels},
                                        {block, kWordLanes * pixels},
                                        {pixel, 1}}),
                   pixels, mask);
      });
    });
  }

  Emitter &emitter;
  Code &code;
  const ConvPatches &patches;
  const ConvShape &shape;
  Value weights;
  Finish &finish;
  Value result;
  int64_t perWord;
};
} // namespace

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

/// The filter in the order in which the loops read it: [channel][word][k], or
/// with channels in lanes [block of 8][word][channel][k]. What fills up is 0.
template <typename T>
static std::vector<T> laidOut(const ConvPatches &patches, ArrayRef<T> filter,
                              int64_t perWord) {
  const ConvShape &shape = patches.shape;
  int64_t taps = shape.taps(), out = shape.outPerGroup;
  int64_t blocks = llvm::divideCeil(out, kWordLanes);
  int64_t words = patches.words;
  int64_t rows =
      patches.lanesAreChannels ? shape.groups * blocks * kWordLanes : shape.out;
  std::vector<T> result(rows * words * perWord, T(0));
  for (int64_t channel = 0; channel < shape.out; ++channel)
    for (int64_t ic = 0; ic < shape.inPerGroup; ++ic)
      for (int64_t tap = 0; tap < taps; ++tap) {
        int64_t k = patches.place(tap, ic), word = k / perWord;
        int64_t local = channel % out;
        int64_t at =
            patches.lanesAreChannels
                ? (((channel / out * blocks + local / kWordLanes) * words +
                    word) *
                       kWordLanes +
                   local % kWordLanes) *
                      perWord
                : (channel * words + word) * perWord;
        result[at + k % perWord] =
            filter[(channel * shape.inPerGroup + ic) * taps + tap];
      }
  return result;
}

static FailureOr<Value> layOutWeights(tpu::ConvOp op, Emitter &emitter,
                                      const ConvPatches &patches,
                                      const IntegerConv *integers) {
  Type element =
      integers ? emitter.code.integer(8, true) : emitter.stored(op.getFilter());
  int64_t perWord = elementsOfWord(element);
  std::vector<char> raw;
  if (integers) {
    raw.assign(integers->filter.begin(), integers->filter.end());
  } else {
    auto weight = op.getFilter().getDefiningOp<tpu::WeightOp>();
    auto bytes = tpu::constantBytes(weight.getValue());
    if (!bytes)
      return op.emitError("the bytes of a constant are missing");
    raw = std::move(*bytes);
  }
  auto as = [&](auto zero) {
    using T = decltype(zero);
    ArrayRef<T> filter(reinterpret_cast<const T *>(raw.data()),
                       raw.size() / sizeof(T));
    std::vector<T> laid = laidOut<T>(patches, filter, perWord);
    return emitter.weight(element, ArrayRef<T>(laid), "filter");
  };
  return perWord == 4   ? as(int8_t())
         : perWord == 2 ? as(uint16_t())
                        : as(uint32_t());
}

/// What the zero point takes from the sums: -zeroPoint * sum of the weights.
static std::vector<int32_t> zeroPointBase(const IntegerConv &integers,
                                          int64_t channels) {
  std::vector<int32_t> base;
  if (integers.zeroPoint == 0)
    return base;
  int64_t each = integers.filter.size() / channels;
  for (int64_t channel = 0; channel < channels; ++channel) {
    int64_t sum = 0;
    for (int64_t k = 0; k < each; ++k)
      sum += integers.filter[channel * each + k];
    base.push_back(int32_t(-integers.zeroPoint * sum));
  }
  return base;
}

//===----------------------------------------------------------------------===//
// The op
//===----------------------------------------------------------------------===//

/// Most bytes of a patch matrix.
static constexpr int64_t kMaxPatchBytes = int64_t(1) << 28;

/// Elements that the dot products read.
static Type elementOfProducts(tpu::ConvOp op, const IntegerConv *integers) {
  return storedElement(integers ? integers->source : op.getInput());
}

static std::optional<Refusal> refuseConv(tpu::ConvOp op) {
  std::optional<IntegerConv> integers = integerConvOf(op);
  Type element = elementOfProducts(op, integers ? &*integers : nullptr);
  ConvPatches patches(op, elementsOfWord(element));
  if (op.getMultipliers() && op.getRounding() != tpu::Rounding::HalfUp)
    return Refusal(op,
                   inWords("a convolution that rounds '",
                           tpu::stringifyRounding(op.getRounding()), "'"),
                   "");
  // 255 * 128 * k must stay inside 32 bits: the dot products clamp.
  int64_t terms = patches.shape.inPerGroup * patches.shape.taps();
  if (llvm::isa<IntegerType>(element) && terms > INT32_MAX / (255 * 128))
    return Refusal(op,
                   inWords("sums of ", terms,
                           " 8-bit products, which 32 bits do not hold"),
                   "");
  if (patches.bytes(element) > kMaxPatchBytes)
    return Refusal(
        op, inWords("a patch matrix of ", patches.bytes(element), " bytes"),
        inWords("there may be ", kMaxPatchBytes));
  for (Value operand : llvm::drop_begin(op->getOperands()))
    if (!operand.getDefiningOp<tpu::WeightOp>())
      return Refusal(op,
                     inWords("a convolution whose ",
                             operand == op.getFilter() ? "filter" : "bias",
                             " is no constant"),
                     "");
  return std::nullopt;
}

static LogicalResult emitConv(tpu::ConvOp op, Emitter &emitter) {
  auto found = emitter.integerConvs.find(op);
  const IntegerConv *integers =
      found == emitter.integerConvs.end() ? nullptr : &found->second;
  Type element = elementOfProducts(op, integers);
  ConvPatches patches(op, elementsOfWord(element));
  std::vector<double> biases;
  if (op.getBias()) {
    FailureOr<std::vector<double>> numbers = numbersOf(op, op.getBias());
    if (failed(numbers))
      return failure();
    biases = std::move(*numbers);
  }
  FailureOr<Value> weights = layOutWeights(op, emitter, patches, integers);
  if (failed(weights))
    return failure();
  std::vector<int32_t> base;
  if (integers)
    base = zeroPointBase(*integers, patches.shape.out);
  Finish finish(op, emitter, biases, base);
  patches.source = emitter.pointer(integers ? integers->source : op.getInput());
  patches.filler = integers ? integers->zeroPoint : 0;
  patches.pointer = emitter.patches(element, patches.bytes(element));
  ConvLoops(op, emitter, patches, *weights, finish).emit();
  return success();
}

void zhouyi::addConv(EmitTable &table) {
  table.add<tpu::ConvOp>(emitConv, refuseConv);
}
