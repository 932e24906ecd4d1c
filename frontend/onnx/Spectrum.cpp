//===- Spectrum.cpp - Fourier transforms and mel weights ------------------===//
//
// A transform of fixed length is a product with a constant matrix, which is
// what the chip is best at.
//
//===----------------------------------------------------------------------===//

#include "frontend/onnx/Compose.h"
#include "frontend/onnx/OpRows.h"
#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::onnx;

namespace {

struct Root {
  double cosine, sine;
};

/// What a transform does with the axis it works on.
struct Transform {
  int64_t length = 0;  ///< of the complete transform
  int64_t inputs = 0;  ///< elements of the axis that take part
  int64_t outputs = 0; ///< elements of the axis in the result
  int64_t inputParts = 1, outputParts = 2; ///< 1: real, 2: complex
  bool inverse = false;
  /// The inputs are the first half of a symmetric spectrum.
  bool fromHalf = false;
};

} // namespace

/// exp(2 pi i * step / length), exact where it is 0, 1 or -1: sums of signals
/// that cancel must cancel here, too.
static Root rootOfUnity(int64_t step, int64_t length) {
  // To the first octant, by symmetry.
  int64_t eighths = 8 * (step % length); // in units of a turn / (8 * length)
  int64_t octant = eighths / length, rest = eighths % length;
  bool mirrored = octant & 1;
  double angle = M_PI / 4 * double(mirrored ? length - rest : rest) / length;
  double cosine = std::cos(angle), sine = std::sin(angle);
  if (mirrored)
    std::swap(cosine, sine);
  switch (octant / 2) { // quarter turns
  case 0:
    return {cosine, sine};
  case 1:
    return {-sine, cosine};
  case 2:
    return {-cosine, -sine};
  default:
    return {sine, -cosine};
  }
}

/// The matrix from [inputs, inputParts] to [outputs, outputParts], row-major.
static std::vector<double> transformMatrix(const Transform &t) {
  std::vector<double> matrix;
  matrix.reserve(t.inputs * t.inputParts * t.outputs * t.outputParts);
  double scale = t.inverse ? 1.0 / double(t.length) : 1.0;
  for (int64_t from = 0; from < t.inputs; ++from)
    for (int64_t part = 0; part < t.inputParts; ++part)
      for (int64_t to = 0; to < t.outputs; ++to) {
        Root root = rootOfUnity(from * to % t.length, t.length);
        if (!t.inverse)
          root.sine = -root.sine;
        double weight = scale;
        // The other half of the spectrum adds the conjugate.
        if (t.fromHalf && from != 0 && 2 * from != t.length)
          weight *= 2;
        // (a + ib)(cos + i sin), part by part.
        matrix.push_back(weight * (part ? -root.sine : root.cosine));
        if (t.outputParts == 2)
          matrix.push_back(weight * (part ? root.cosine : root.sine));
      }
  return matrix;
}

/// Applies `t` to `axis` of `value`, whose last axis holds the parts of the
/// numbers. Null, with a message, if it is too large.
static Value applyTransform(Compose &c, Value value, int64_t axis,
                            const Transform &t) {
  if (!value)
    return {};
  int64_t rows = t.inputs * t.inputParts, columns = t.outputs * t.outputParts;
  if (failed(c.n.checkTable({rows, columns})))
    return {};
  int64_t rank = c.shapeOf(value).size();
  value = c.sliceAxis(value, axis, 0, t.inputs);
  // The axis to the place before the last one, and back.
  SmallVector<int64_t> there;
  for (int64_t i = 0; i < rank - 1; ++i)
    if (i != axis)
      there.push_back(i);
  there.append({axis, rank - 1});
  SmallVector<int64_t> back(rank);
  for (int64_t i = 0; i < rank; ++i)
    back[there[i]] = i;
  value = c.transpose(value, there);
  if (!value)
    return {};
  SmallVector<int64_t> shape(c.shapeOf(value));
  int64_t batch = 1;
  for (int64_t size : ArrayRef(shape).drop_back(2))
    batch *= size;
  Type element = c.elementOf(value);
  Value matrix = c.numbers(transformMatrix(t), {rows, columns}, element);
  value = c.matmul(c.reshape(value, {batch, rows}), matrix);
  shape[rank - 2] = t.outputs;
  shape[rank - 1] = t.outputParts;
  return c.transpose(c.reshape(value, shape), back);
}

/// The real or complex parts in the last axis; 0, with a message, if `value`
/// is no signal.
static int64_t partsOf(NodeImporter &n, Value value) {
  ArrayRef<int64_t> shape = n.typeOf(value).getShape();
  if (shape.size() >= 2 && (shape.back() == 1 || shape.back() == 2))
    return shape.back();
  n.error() << "the signal is " << formatShape(shape)
            << "; its last axis must have 1 (real) or 2 (complex) elements";
  return 0;
}

/// DFT-17..19: `axis` is an attribute; DFT-20..: an input.
static LogicalResult importDft(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  FailureOr<bool> inverse = n.flagAttribute("inverse", false);
  FailureOr<bool> onesided = n.flagAttribute("onesided", false);
  if (failed(input) || failed(inverse) || failed(onesided))
    return failure();
  int64_t rank = n.typeOf(*input).getRank();
  FailureOr<int64_t> axis = n.intAttribute("axis", 1);
  if (n.opset >= 20) {
    axis = -2;
    if (n.optionalOperand(2)) {
      FailureOr<double> given = n.constantNumber(2, "the axis");
      if (failed(given))
        return failure();
      axis = int64_t(*given);
    }
  }
  if (failed(axis))
    return failure();
  int64_t parts = partsOf(n, *input);
  axis = n.normalizeAxis(*axis, rank);
  if (!parts || failed(axis))
    return failure();
  if (*axis == rank - 1)
    return n.error() << "axis is " << *axis
                     << ", the last one, which holds the parts of the numbers";
  int64_t size = n.typeOf(*input).getDimSize(*axis);
  Transform t;
  t.inverse = *inverse;
  t.fromHalf = *inverse && *onesided;
  t.length = t.fromHalf ? 2 * (size - 1) : size;
  if (n.optionalOperand(1)) {
    FailureOr<double> length = n.constantNumber(1, "dft_length");
    if (failed(length))
      return failure();
    t.length = int64_t(*length);
  }
  if (t.length < 1)
    return n.error() << "dft_length is " << t.length << ", must be >= 1";
  int64_t half = t.length / 2 + 1;
  t.inputParts = parts;
  t.inputs = std::min(size, t.fromHalf ? half : t.length);
  t.outputs = *onesided && !*inverse ? half : t.length;
  t.outputParts = t.fromHalf ? 1 : 2;
  Compose c(n);
  return c.finish(applyTransform(c, *input, *axis, t));
}

/// [batch, frames, frame, parts]: windows of `frame` elements of [batch, size,
/// parts], `step` apart. Cut as blocks of `step` elements, so that a frame is
/// a few neighbouring blocks.
static Value cutFrames(Compose &c, Value signal, int64_t frames, int64_t frame,
                       int64_t step) {
  SmallVector<int64_t> shape(c.shapeOf(signal));
  int64_t perFrame = (frame + step - 1) / step;
  int64_t blocks = frames - 1 + perFrame;
  // The last block may lack elements, which no frame uses.
  Value padded = signal;
  if (blocks * step > shape[1])
    padded = c.pad(signal, {0, 0, 0}, {0, blocks * step - shape[1], 0}, 0);
  else
    padded = c.sliceAxis(signal, 1, 0, blocks * step);
  padded = c.reshape(padded, {shape[0], blocks, step, shape[2]});
  SmallVector<Value> parts;
  for (int64_t i = 0; i < perFrame; ++i)
    parts.push_back(padded ? c.sliceAxis(padded, 1, i, frames) : Value());
  Value joined = c.concat(parts, 2);
  return joined ? c.sliceAxis(joined, 2, 0, frame) : Value();
}

/// STFT-17..
static LogicalResult importStft(NodeImporter &n) {
  FailureOr<Value> signal = n.operand(0);
  FailureOr<double> step = n.constantNumber(1, "frame_step");
  FailureOr<bool> onesided = n.flagAttribute("onesided", true);
  if (failed(signal) || failed(step) || failed(onesided))
    return failure();
  Compose c(n);
  Value input = *signal;
  if (c.shapeOf(input).size() == 2) // real without an axis for the parts
    input = c.reshape(input, {c.shapeOf(input)[0], c.shapeOf(input)[1], 1});
  int64_t parts = input ? partsOf(n, input) : 0;
  if (!parts)
    return failure();
  if (c.shapeOf(input).size() != 3)
    return n.error() << "the signal is " << formatShape(c.shapeOf(input))
                     << "; it must be batch, length, parts";
  Value window = n.optionalOperand(2);
  int64_t size = c.shapeOf(input)[1];
  Transform t;
  t.length = window ? n.typeOf(window).getNumElements() : size;
  if (n.optionalOperand(3)) {
    FailureOr<double> length = n.constantNumber(3, "frame_length");
    if (failed(length))
      return failure();
    if (window && int64_t(*length) != t.length)
      return n.error() << "frame_length is " << int64_t(*length)
                       << ", the window has " << t.length
                       << " elements; both must be the same";
    t.length = int64_t(*length);
  }
  if (*step < 1 || t.length < 1 || t.length > size)
    return n.error() << "frame_step is " << int64_t(*step)
                     << " and frame_length " << t.length
                     << "; both must be >= 1 and a frame must fit the " << size
                     << " elements of the signal";
  int64_t frames = 1 + (size - t.length) / int64_t(*step);
  t.inputs = t.length;
  t.inputParts = parts;
  t.outputs = *onesided ? t.length / 2 + 1 : t.length;
  Value cut = cutFrames(c, input, frames, t.length, int64_t(*step));
  if (window)
    cut = c.mul(cut, c.reshape(window, {1, 1, t.length, 1}));
  return c.finish(applyTransform(c, cut, 2, t));
}

/// The spectrum bins in which the mel bins begin, peak and end; nullopt if one
/// is outside of the spectrum.
static std::optional<SmallVector<int64_t>> melEdges(ArrayRef<double> settings) {
  auto bins = int64_t(settings[0]);
  double length = settings[1], rate = settings[2];
  auto toMel = [](double hertz) {
    return 2595 * std::log1p(hertz / 700) / std::log(10.0);
  };
  double low = toMel(settings[3]), high = toMel(settings[4]);
  double step = (high - low) / double(bins + 2);
  SmallVector<int64_t> edges;
  for (int64_t i = 0; i < bins + 2; ++i) {
    double mel = double(i) * step + low;
    double hertz = 700 * std::expm1(mel / 2595 * std::log(10.0));
    double edge = std::floor((length + 1) * hertz / rate);
    if (!(edge >= 0 && edge <= std::floor(length / 2)))
      return std::nullopt;
    edges.push_back(int64_t(edge));
  }
  return edges;
}

/// MelWeightMatrix-17..
static LogicalResult importMelWeightMatrix(NodeImporter &n) {
  static constexpr StringRef kNames[] = {"num_mel_bins", "dft_length",
                                         "sample_rate", "lower_edge_hertz",
                                         "upper_edge_hertz"};
  SmallVector<double> settings;
  for (auto [i, name] : llvm::enumerate(kNames)) {
    FailureOr<double> value = n.constantNumber(i, name);
    if (failed(value))
      return failure();
    settings.push_back(*value);
  }
  FailureOr<int64_t> type = n.intAttribute("output_datatype", kFloat);
  if (failed(type))
    return failure();
  Type element = elementTypeOf(*type, n.builder.getContext());
  auto bins = int64_t(settings[0]), spectrum = int64_t(settings[1]) / 2 + 1;
  bool sane = element && bins >= 1 && bins <= 1 << 16 && settings[1] >= 1 &&
              settings[2] >= 1;
  if (sane && failed(n.checkTable({spectrum, bins})))
    return failure();
  std::optional<SmallVector<int64_t>> edges;
  if (sane)
    edges = melEdges(settings);
  if (!edges)
    return n.error() << "num_mel_bins " << settings[0] << ", dft_length "
                     << settings[1] << ", sample_rate " << settings[2]
                     << " and edges of " << settings[3] << " to " << settings[4]
                     << " Hz do not fit together; all bins must lie within "
                        "half the sample rate";
  std::vector<double> weights(spectrum * bins);
  for (int64_t bin = 0; bin < bins; ++bin) {
    int64_t left = (*edges)[bin], peak = (*edges)[bin + 1],
            right = (*edges)[bin + 2];
    if (left == peak)
      weights[peak * bins + bin] = 1;
    for (int64_t i = left; left < peak && i <= peak; ++i)
      weights[i * bins + bin] = double(i - left) / double(peak - left);
    for (int64_t i = peak; i < right; ++i)
      weights[i * bins + bin] = double(right - i) / double(right - peak);
  }
  Compose c(n);
  return c.finish(c.numbers(weights, {spectrum, bins}, element));
}

void weft::onnx::registerSpectrumRows(OpRegistry &registry) {
  registry.add("Spectrum",
               {
                   {"DFT", 17, kLastOpset, importDft, "constant length, axis"},
                   {"STFT", 17, kLastOpset, importStft,
                    "constant frame_step, frame_length"},
                   {"MelWeightMatrix", 17, kLastOpset, importMelWeightMatrix,
                    "constant operands"},
               });
}
