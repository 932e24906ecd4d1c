//===- Conv.cpp - emission of the Conv family -----------------------------===//

#include "dialects/tpu/Conv.h"

#include "codegen/emit/Emit.h"
#include "codegen/emit/RawBytes.h"

using namespace mlir;
using namespace weft;
using namespace weft::emit;
using tpu::ConvOp;
using tpu::Dims;

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

/// Filter (oc, ic/group, kh, kw) to lane order (isa section 4): per oc
/// [ceil(ic/P)][kh][kw][P], zeros beyond ic. A grouped filter is widened to all
/// input channels, zero outside its group.
static PackedBytes packFilter(ConvOp op, const Chip &chip, ArrayRef<char> raw) {
  Dims filter = tpu::dimsOf(op.getFilter());
  if (op.isDepthwise())
    return PackedBytes(raw.begin(), raw.end());
  int64_t bytes = tpu::elementBits(tpu::elementOf(op.getFilter())) / 8;
  int64_t pack = bytes == 4 ? 1 : chip.euBytes / bytes;
  int64_t window = filter[2] * filter[3], ownChannels = filter[1];
  int64_t channels = tpu::dimsOf(op.getInput())[tpu::kAxisC];
  int64_t packs = (channels + pack - 1) / pack;
  int64_t filtersPerGroup = filter[0] / static_cast<int64_t>(op.getGroup());
  PackedBytes result(filter[0] * packs * window * pack * bytes, 0);
  for (int64_t oc = 0; oc < filter[0]; ++oc) {
    int64_t firstChannel = oc / filtersPerGroup * ownChannels;
    for (int64_t own = 0; own < ownChannels; ++own) {
      int64_t ic = firstChannel + own;
      for (int64_t k = 0; k < window; ++k) {
        int64_t to = ((oc * packs + ic / pack) * window + k) * pack + ic % pack;
        int64_t from = (oc * ownChannels + own) * window + k;
        std::memcpy(result.data() + to * bytes, raw.data() + from * bytes,
                    bytes);
      }
    }
  }
  return result;
}

/// Bias as f32 or i32 per channel; zeros if the op has none.
static FailureOr<PackedBytes> biasBytes(ConvOp op) {
  if (!op.getBias())
    return PackedBytes(tpu::dimsOf(op.getOutput())[tpu::kAxisC] * 4, 0);
  return weightBytes(op, op.getBias());
}

/// Rows of (multiplier, shift, zero point): rq1 per channel, shift negative =
/// right.
static PackedBytes requantRows(ConvOp op) {
  std::vector<int32_t> rows;
  for (auto [multiplier, rshift] :
       llvm::zip(*op.getMultipliers(), *op.getRshifts()))
    rows.insert(rows.end(), {multiplier, -rshift, 0});
  return toBytes<int32_t>(rows);
}

static LogicalResult pack(Operation *operation, const Chip &chip,
                          std::vector<PackedBytes> &out) {
  auto op = llvm::cast<ConvOp>(operation);
  FailureOr<PackedBytes> filter = weightBytes(op, op.getFilter());
  FailureOr<PackedBytes> bias = biasBytes(op);
  if (failed(filter) || failed(bias))
    return failure();
  out.push_back(packFilter(op, chip, *filter));
  if (!tpu::isQuantized(op.getInput()) || op.getMultipliers()) {
    if (op.getBias())
      out.push_back(*bias);
    if (op.getMultipliers())
      out.push_back(requantRows(op));
    return success();
  }
  ArrayRef<float> scales = *op.getScales();
  if (!tpu::isQuantized(op.getOutput())) {
    out.push_back(toBytes<float>(scales));
    out.push_back(*bias);
    return success();
  }
  std::vector<float> rows; // rq0 per channel: scale, offset
  for (size_t i = 0; i < scales.size(); ++i) {
    float offset;
    std::memcpy(&offset, bias->data() + i * 4, 4);
    rows.insert(rows.end(), {scales[i], offset});
  }
  out.push_back(toBytes<float>(rows));
  return success();
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

/// The window of `op` in this slice, as the functions of PPL take it.
static SmallVector<Named> windowOf(ConvOp op, OpEmitter &emitter) {
  Dims filter = tpu::dimsOf(op.getFilter());
  tpu::Pads around = emitter.pads(0);
  int64_t kernel[] = {filter[2], filter[3]};
  int64_t pads[] = {around.top, around.bottom, around.left, around.right};
  return {{"k_shape", ArrayRef<int64_t>(kernel)},
          {"stride", op.getStrides()},
          {"dilation", op.getDilations()},
          {"pad", ArrayRef<int64_t>(pads)}};
}

/// A call with a window.
static void callWindow(OpEmitter &emitter, StringRef function,
                       ArrayRef<Named> window, ArrayRef<Named> arguments) {
  SmallVector<Named> all(arguments);
  llvm::append_range(all, window);
  emitter.call(function, all);
}

static void relu(OpEmitter &emitter, Value tensor) {
  emitter.binary("tiu.fmax", tensor, tensor, 0.0);
}

static int64_t channelsOf(Value tensor) {
  return llvm::cast<ppl::TensorViewType>(tensor.getType()).getC();
}

/// fdw_conv adds a bias or 0.
static void depthwise(OpEmitter &emitter, ArrayRef<Named> window, Value dst,
                      Value input, Value filter, Value bias) {
  callWindow(emitter, "tiu.fdw_conv", window,
             {{"output", dst},
              {"input", input},
              {"weight", filter},
              {"bias", bias ? Argument(bias) : Argument(0.0)}});
}

static LogicalResult emitFloat(ConvOp op, OpEmitter &emitter,
                               ArrayRef<Named> window) {
  Type element = machineType(tpu::elementOf(op.getFilter()));
  Type f32 = emitter.builder.getF32Type();
  Value input = emitter.operand(0), filter = emitter.constant(0, element),
        result = emitter.result();
  Value bias = op.getBias() ? emitter.constant(1, f32) : Value();
  if (!op.isDepthwise()) {
    callWindow(emitter, "tiu.fconv", window,
               {{"dst", result},
                {"src", input},
                {"weight", filter},
                {"bias", bias},
                {"has_bias", bool(bias)},
                {"oc", channelsOf(result)}});
    if (op.getRelu())
      relu(emitter, result);
    return success();
  }
  if (element == f32) {
    depthwise(emitter, window, result, input, filter, bias);
    if (op.getRelu())
      relu(emitter, result);
    return success();
  }
  // 16-bit depthwise would round every step: compute in f32, round once.
  Value wideFilter = emitter.scratch(0, f32),
        wideInput = emitter.scratch(1, f32);
  bool narrow = tpu::elementBits(tpu::elementOf(op.getOutput())) == 16;
  Value wideResult = narrow ? emitter.scratch(2, f32) : result;
  emitter.cast(wideFilter, filter);
  emitter.cast(wideInput, input);
  depthwise(emitter, window, wideResult, wideInput, wideFilter, bias);
  if (op.getRelu())
    relu(emitter, wideResult);
  if (narrow)
    emitter.cast(result, wideResult);
  return success();
}

/// The exact 32-bit accumulator of an int8 convolution in `dst`.
static void accumulate(ConvOp op, OpEmitter &emitter, ArrayRef<Named> window,
                       Value dst) {
  Value input = emitter.operand(0);
  Value filter =
      emitter.constant(0, emitter.builder.getIntegerType(8, /*isSigned=*/true));
  if (op.isDepthwise()) {
    callWindow(emitter, "tiu.dw_conv", window,
               {{"dst", dst},
                {"src", input},
                {"weight", filter},
                {"bias", 0},
                {"round_mode", int64_t(numeric::Rounding::HalfUp)}});
    return;
  }
  callWindow(emitter, "tiu.conv_asym", window,
             {{"dst", dst},
              {"src", input},
              {"weight", filter},
              {"kzp", 0},
              {"oc", channelsOf(dst)}});
}

static LogicalResult emitInt8(ConvOp op, OpEmitter &emitter,
                              ArrayRef<Named> window) {
  Type f32 = emitter.builder.getF32Type();
  Type si32 = emitter.builder.getIntegerType(32, /*isSigned=*/true);
  Value result = emitter.result();
  if (op.getMultipliers()) {
    Value acc = emitter.scratch(0, si32);
    accumulate(op, emitter, window, acc);
    unsigned next = 1;
    if (op.getBias())
      emitter.binary("tiu.add", acc, acc, emitter.constant(next++, si32));
    emitter.call("tiu.rq1", {{"dst", result},
                             {"src", acc},
                             {"quant", emitter.constant(next, si32)},
                             {"round_mode", int64_t(op.getRounding())}});
    return success();
  }
  if (tpu::isQuantized(op.getOutput())) {
    Value acc = emitter.scratch(0, si32);
    accumulate(op, emitter, window, acc);
    emitter.call(
        "tiu.rq0",
        {{"dst", result}, {"src", acc}, {"quant", emitter.constant(1, f32)}});
    return success();
  }
  bool narrow = tpu::elementBits(tpu::elementOf(op.getOutput())) == 16;
  Value wide = narrow ? emitter.scratch(0, f32) : result;
  accumulate(op, emitter, window, emitter.as(wide, si32));
  emitter.cast(wide, emitter.as(wide, si32));
  emitter.call("tiu.fscale", {{"dst", wide},
                              {"src", wide},
                              {"scale", emitter.constant(1, f32)},
                              {"bias", emitter.constant(2, f32)}});
  if (op.getRelu())
    relu(emitter, wide);
  if (narrow)
    emitter.cast(result, wide);
  return success();
}

static LogicalResult emitConvOp(Operation *operation, OpEmitter &emitter) {
  auto op = llvm::cast<ConvOp>(operation);
  SmallVector<Named> window = windowOf(op, emitter);
  return tpu::isQuantized(op.getInput()) ? emitInt8(op, emitter, window)
                                         : emitFloat(op, emitter, window);
}

void weft::emit::registerConv(EmitTable &table) {
  table.local["tpu.conv"] = emitConvOp;
  table.pack["tpu.conv"] = pack;
}
