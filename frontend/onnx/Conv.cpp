//===- Conv.cpp - ONNX rows of the Conv family ----------------------------===//

#include "dialects/top/Conv.h"

#include "frontend/onnx/Convolve.h"
#include "frontend/onnx/OpRows.h"
#include "frontend/onnx/Window.h"

#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::onnx;
using top::UnaryKind;

/// Operands `input` and `filter` of a convolution node; the filter is
/// O,C/group,kernel.., or C,O/group,kernel.. of a transposed one.
static LogicalResult readOperands(NodeImporter &n, unsigned input,
                                  unsigned filter, Convolution &conv) {
  FailureOr<Value> first = n.operand(input), second = n.operand(filter);
  if (failed(first) || failed(second))
    return failure();
  ArrayRef<int64_t> shape = n.typeOf(*first).getShape();
  ArrayRef<int64_t> filterShape = n.typeOf(*second).getShape();
  if (shape.size() < 3 || shape.size() != filterShape.size())
    return n.error() << "the input has the shape " << formatShape(shape)
                     << " and the filter " << formatShape(filterShape)
                     << "; both must have the same rank of 3 or more";
  ArrayRef<int64_t> kernel = filterShape.drop_front(2);
  auto named = n.intsAttribute("kernel_shape", kernel.size(), 0, 1);
  FailureOr<int64_t> group = n.intAttribute("group", 1, 1);
  if (failed(named) || failed(group))
    return failure();
  if (n.hasAttribute("kernel_shape") && ArrayRef<int64_t>(*named) != kernel)
    return n.error() << "kernel_shape is " << formatShape(*named)
                     << ", the filter has " << formatShape(kernel);
  conv.input = *first;
  conv.filter = *second;
  conv.group = *group;
  return success();
}

static LogicalResult readConvolution(NodeImporter &n, unsigned input,
                                     unsigned filter, Convolution &conv) {
  if (failed(readOperands(n, input, filter, conv)))
    return failure();
  FailureOr<Window> window =
      readWindow(n, Compose::shapeOf(conv.input).drop_front(2),
                 Compose::shapeOf(conv.filter).drop_front(2));
  if (failed(window))
    return failure();
  conv.window = *window;
  return success();
}

/// Conv-1..22.
static LogicalResult importConv(NodeImporter &n) {
  Convolution conv;
  if (failed(readConvolution(n, 0, 1, conv)))
    return failure();
  conv.bias = n.optionalOperand(2);
  Compose c(n);
  return c.finish(convolve(c, conv));
}

//===----------------------------------------------------------------------===//
// Transposed
//===----------------------------------------------------------------------===//

/// Window of a ConvTranspose node and the spatial sizes of its result
/// (`output_shape`, or by auto_pad, or by pads; ONNX ConvTranspose-11).
static LogicalResult readTransposed(NodeImporter &n, Convolution &conv,
                                    SmallVectorImpl<int64_t> &output) {
  ArrayRef<int64_t> input = Compose::shapeOf(conv.input).drop_front(2);
  ArrayRef<int64_t> kernel = Compose::shapeOf(conv.filter).drop_front(2);
  size_t axes = input.size();
  auto strides = n.intsAttribute("strides", axes, 1, 1);
  auto dilations = n.intsAttribute("dilations", axes, 1, 1);
  auto pads = n.intsAttribute("pads", 2 * axes, 0);
  auto more = n.intsAttribute("output_padding", axes, 0, 0);
  auto sizes = n.intsAttribute("output_shape", -1, 0, 1);
  auto autoPad = n.wordAttribute(
      "auto_pad", "NOTSET", {"NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"});
  if (failed(strides) || failed(dilations) || failed(pads) || failed(more) ||
      failed(sizes) || failed(autoPad))
    return failure();
  if (n.hasAttribute("output_shape")) {
    if (sizes->size() == axes + 2) // some exporters name N and C, too
      sizes->erase(sizes->begin(), sizes->begin() + 2);
    if (sizes->size() != axes)
      return n.error() << "output_shape has " << sizes->size()
                       << " values, must have one for each of the " << axes
                       << " spatial axes";
  }
  conv.window.kernel.assign(kernel.begin(), kernel.end());
  conv.window.strides = *strides;
  conv.window.dilations = *dilations;
  bool same = StringRef(*autoPad).starts_with("SAME");
  for (size_t s = 0; s < axes; ++s) {
    for (int64_t value : {(*strides)[s], (*dilations)[s], (*more)[s],
                          (*pads)[s], (*pads)[axes + s]})
      if (value >= int64_t(1) << 31 || value <= -(int64_t(1) << 31))
        return n.error() << "an attribute has the value " << value
                         << ", must be below 2^31";
    int64_t whole = (*strides)[s] * (input[s] - 1) + (*more)[s] +
                    (*dilations)[s] * (kernel[s] - 1) + 1;
    if (!n.hasAttribute("output_shape") && !same) {
      output.push_back(whole - (*pads)[s] - (*pads)[axes + s]);
    } else {
      output.push_back(n.hasAttribute("output_shape")
                           ? (*sizes)[s]
                           : input[s] * (*strides)[s]);
      int64_t total = whole - output.back();
      int64_t half = total / 2;
      (*pads)[s] = *autoPad == "SAME_UPPER" ? half : total - half;
      if (total < 0) // nothing is cut, the end gets zeros
        (*pads)[s] = 0;
    }
    if (output.back() < 1)
      return n.error() << "the result has " << output.back()
                       << " values on spatial axis " << s
                       << ", must have at least 1; use smaller pads";
  }
  conv.window.pads = *pads;
  return success();
}

/// ConvTranspose-1..22.
/// Every phase of the strides is a convolution of its own.
static LogicalResult checkPhases(NodeImporter &n, ArrayRef<int64_t> strides) {
  constexpr int64_t kMostPhases = 1024;
  int64_t phases = 1;
  for (int64_t stride : strides)
    if (stride > kMostPhases || (phases *= stride) > kMostPhases)
      return n.unsupported()
             << "strides " << formatShape(strides) << "; their product may be "
             << "at most " << kMostPhases << ", upsample in two steps";
  return success();
}

static LogicalResult importConvTranspose(NodeImporter &n) {
  Convolution conv;
  SmallVector<int64_t> output;
  if (failed(readOperands(n, 0, 1, conv)) ||
      failed(readTransposed(n, conv, output)))
    return failure();
  conv.bias = n.optionalOperand(2);
  Compose c(n);
  ArrayRef<int64_t> input = c.shapeOf(conv.input),
                    filter = c.shapeOf(conv.filter);
  if (filter[0] != input[1] || input[1] % conv.group)
    return n.error() << "the input has " << input[1]
                     << " channels, the filter is of shape "
                     << formatShape(filter) << " and group is " << conv.group
                     << "; filter axis 0 must be the input channels, which "
                        "group divides";
  if (failed(checkPhases(n, conv.window.strides)))
    return failure();
  return c.finish(convolveTransposed(c, conv, output));
}

/// Col2Im-18: every column is added where im2col took it from. That is the
/// transposed convolution with a filter that has a single 1 for each column.
static LogicalResult importCol2Im(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  auto image = n.constantInts(1, "image_shape");
  auto block = n.constantInts(2, "block_shape");
  if (failed(input) || failed(image) || failed(block))
    return failure();
  size_t axes = image->size();
  ArrayRef<int64_t> shape = n.typeOf(*input).getShape();
  auto strides = n.intsAttribute("strides", axes, 1, 1);
  auto dilations = n.intsAttribute("dilations", axes, 1, 1);
  auto pads = n.intsAttribute("pads", 2 * axes, 0, 0);
  if (failed(strides) || failed(dilations) || failed(pads))
    return failure();
  SmallVector<int64_t> grid;
  int64_t cells = 1, places = 1;
  for (size_t s = 0; s < axes && block->size() == axes; ++s) {
    int64_t span = (*image)[s] + (*pads)[s] + (*pads)[axes + s] -
                   (*dilations)[s] * ((*block)[s] - 1) - 1;
    grid.push_back(span < 0 ? 0 : span / (*strides)[s] + 1);
    cells *= (*block)[s];
    places *= grid.back();
  }
  if (block->size() != axes || shape.size() != 3 || cells < 1 ||
      shape[1] % cells || shape[2] != places)
    return n.error() << "the input has the shape " << formatShape(shape)
                     << ", image_shape is " << formatShape(*image)
                     << " and block_shape " << formatShape(*block)
                     << "; the input must be N x C*" << cells << " x "
                     << places;
  Compose c(n);
  int64_t channels = shape[1] / cells;
  if (failed(n.checkTable({shape[1], cells})))
    return failure();
  std::vector<double> ones(shape[1] * cells, 0.0);
  for (int64_t column = 0; column < shape[1]; ++column)
    ones[column * cells + column % cells] = 1;
  SmallVector<int64_t> filter{shape[1], 1}, folded{shape[0], shape[1]};
  filter.append(*block);
  folded.append(grid);
  Convolution conv;
  conv.input = c.reshape(*input, folded);
  conv.filter = c.numbers(ones, filter, c.elementOf(*input));
  conv.group = channels;
  conv.window.kernel = *block;
  conv.window.strides = *strides;
  conv.window.dilations = *dilations;
  conv.window.pads = *pads;
  if (!conv.input)
    return failure();
  if (failed(checkPhases(n, conv.window.strides)))
    return failure();
  return c.finish(convolveTransposed(c, conv, *image));
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// 8-bit values minus their zero point (null: 0) as f32; `axis` is the one a
/// list of zero points belongs to.
static Value centered(Compose &c, Value value, Value zero, int64_t axis) {
  Type f32 = c.n.builder.getF32Type();
  Value wide = c.cast(value, f32);
  if (!zero)
    return wide;
  SmallVector<int64_t> shape(c.shapeOf(value).size(), 1);
  int64_t count = NodeImporter::typeOf(zero).getNumElements();
  if (count != 1 && count == c.shapeOf(value)[axis])
    shape[axis] = count;
  else if (count != 1) {
    c.n.error() << "a zero point has " << count << " values, must have 1 or "
                << c.shapeOf(value)[axis];
    return {};
  }
  return c.sub(wide, c.reshape(c.cast(zero, f32), shape));
}

/// Largest number of products of two centered 8-bit values whose sum every f32
/// partial sum holds exactly: 258 * 255 * 255 < 2^24.
constexpr int64_t kExactProducts = 258;

/// Of how many channels an f32 sum is exact, whatever the integers of the
/// input: the magnitudes of all filters are added up where they are known.
static int64_t exactChannels(Compose &c, Value filter, int64_t cells) {
  ArrayRef<int64_t> shape = c.shapeOf(filter);
  int64_t channels = shape[1],
          safe = std::max<int64_t>(1, kExactProducts / cells);
  if (channels <= safe)
    return safe;
  std::optional<SmallVector<double>> weights = constantNumbersOf(filter);
  if (!weights)
    return safe;
  constexpr double kLargestSum = (1 << 24) / UINT8_MAX;
  auto isExact = [&](int64_t count) {
    for (int64_t row = 0; row < shape[0]; ++row)
      for (int64_t first = 0; first < channels; first += count) {
        double sum = 0;
        for (int64_t
                 i = (row * channels + first) * cells,
                 end = (row * channels + std::min(channels, first + count)) *
                       cells;
             i < end; ++i)
          sum += std::fabs((*weights)[i]);
        if (sum > kLargestSum)
          return false;
      }
    return true;
  };
  int64_t count = channels;
  while (count > safe && !isExact(count))
    count = std::max(safe, (count + 1) / 2);
  return count;
}

/// The sums of `conv`, whose input is that of the node, less `zero` (null: 0),
/// as integers: f32 where one product fits it (`narrow`), else i32 added up
/// from slices of the channels. With `isRounded` they become f32 anyway: one
/// product of a constant filter, whose sums the machine rounds once.
static Value integerSums(Compose &c, Convolution conv, Value zero,
                         bool isRounded, bool &narrow) {
  ArrayRef<int64_t> filter = c.shapeOf(conv.filter);
  int64_t cells = 1, channels = filter[1];
  for (int64_t size : conv.window.kernel)
    cells *= size;
  if (int64_t given = c.shapeOf(conv.input)[1];
      given != conv.group * channels) {
    c.n.error() << "the input has " << given << " channels, the filters take "
                << conv.group * channels;
    return {};
  }
  if (cells < 1) // says why
    return convolve(c, conv);
  int64_t most = exactChannels(c, conv.filter, cells);
  narrow = (channels <= most && cells <= kExactProducts) ||
           (isRounded && constantNumbersOf(conv.filter));
  // One number is taken away where the integers are read: so each product is
  // one of integers. A list has one for each channel.
  bool isNumber = !zero || NodeImporter::typeOf(zero).getNumElements() == 1;
  if ((narrow || !isNumber) && !(conv.input = centered(c, conv.input, zero, 1)))
    return {};
  if (narrow)
    return convolve(c, conv);
  if (cells > kExactProducts) {
    c.n.unsupported() << "an integer convolution with " << cells
                      << " kernel values; there may be " << kExactProducts;
    return {};
  }
  SmallVector<int64_t> shape(c.shapeOf(conv.input)), grouped(shape);
  grouped[1] = channels;
  grouped.insert(grouped.begin() + 1, conv.group);
  Value input = c.reshape(conv.input, grouped), sum;
  for (int64_t first = 0; first < channels; first += most) {
    int64_t count = std::min(most, channels - first);
    Convolution part = conv;
    shape[1] = conv.group * count;
    part.input = c.reshape(c.sliceAxis(input, 2, first, count), shape);
    if (isNumber)
      part.input = centered(c, part.input, zero, 1);
    part.filter = c.sliceAxis(conv.filter, 1, first, count);
    Value sums = c.cast(convolve(c, part), c.n.builder.getI32Type());
    sum = first ? c.add(sum, sums) : sums;
  }
  return sum;
}

/// ConvInteger-10.
static LogicalResult importConvInteger(NodeImporter &n) {
  Convolution conv;
  if (failed(readConvolution(n, 0, 1, conv)))
    return failure();
  Compose c(n);
  conv.filter = centered(c, conv.filter, n.optionalOperand(3), 0);
  if (!conv.filter)
    return failure();
  bool narrow = false;
  return c.finish(c.cast(integerSums(c, conv, n.optionalOperand(2),
                                     /*isRounded=*/false, narrow),
                         n.builder.getI32Type()));
}

/// QLinearConv-10: y = sat(round(sums * xs * ws / ys) + yz).
static LogicalResult importQLinearConv(NodeImporter &n) {
  Convolution conv;
  if (failed(readConvolution(n, 0, 3, conv)))
    return failure();
  Value operands[9];
  for (unsigned i = 0; i < 8; ++i) {
    FailureOr<Value> operand = n.operand(i);
    if (failed(operand))
      return failure();
    operands[i] = *operand;
  }
  operands[8] = n.optionalOperand(8);
  Compose c(n);
  SmallVector<int64_t> perChannel(c.shapeOf(conv.input).size(), 1);
  auto channelList = [&](Value value) {
    SmallVector<int64_t> shape(perChannel);
    shape[1] = NodeImporter::typeOf(value).getNumElements();
    return c.reshape(value, shape);
  };
  conv.filter = centered(c, conv.filter, operands[5], 0);
  if (!conv.filter)
    return failure();
  bool narrow = false;
  // f32 has all whole numbers of a bias up to 2^24.
  std::optional<SmallVector<int64_t>> bias =
      operands[8] ? constantIntsOf(operands[8]) : SmallVector<int64_t>();
  bool hasShortBias = bias && llvm::all_of(*bias, [](int64_t number) {
                        return std::abs(number) <= 1 << 24;
                      });
  Value sums = integerSums(c, conv, operands[2], hasShortBias, narrow);
  Type f32 = n.builder.getF32Type(), element = c.elementOf(operands[7]);
  if (operands[8])
    sums = c.add(sums, c.cast(channelList(operands[8]),
                              narrow ? f32 : n.builder.getI32Type()));
  Value factor =
      c.binary(top::BinaryKind::Div,
               c.mul(channelList(operands[1]), channelList(operands[4])),
               channelList(operands[6]));
  Value scaled = c.unary(UnaryKind::Round, c.mul(c.cast(sums, f32), factor));
  Value moved = c.add(scaled, c.cast(channelList(operands[7]), f32));
  bool isUnsigned = element.isUnsignedInteger();
  return c.finish(c.cast(
      c.clamp(moved, isUnsigned ? 0 : -128, isUnsigned ? 255 : 127), element));
}

/// CausalConvWithState-27: a depthwise convolution over time that sees only the
/// past, whose last values it hands on.
static LogicalResult importCausalConv(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0), filter = n.operand(1);
  auto activation =
      n.wordAttribute("activation", "none", {"none", "silu", "swish"});
  if (failed(input) || failed(filter) || failed(activation))
    return failure();
  ArrayRef<int64_t> shape = n.typeOf(*input).getShape(),
                    weights = n.typeOf(*filter).getShape();
  if (shape.size() != 3 || weights.size() != 3 || weights[0] != shape[1] ||
      weights[1] != 1 || weights[2] < 1)
    return n.error() << "the input has the shape " << formatShape(shape)
                     << " and the weight " << formatShape(weights)
                     << "; they must be N x C x L and C x 1 x k";
  Compose c(n);
  int64_t kept = weights[2] - 1;
  Value past = n.optionalOperand(3), whole = *input;
  if (kept && past)
    whole = c.concat({past, whole}, 2);
  else if (kept)
    whole = c.pad(whole, {0, 0, kept}, {0, 0, 0}, 0);
  Convolution conv{whole, *filter, n.optionalOperand(2), {}, shape[1]};
  conv.window.kernel = {weights[2]};
  conv.window.strides = {1};
  conv.window.dilations = {1};
  conv.window.pads = {0, 0};
  Value result = convolve(c, conv);
  if (*activation != "none")
    result = c.unary(UnaryKind::Swish, result);
  if (whole && n.wantsOutput(1)) {
    n.selectOutput(1);
    int64_t length = c.shapeOf(whole)[2];
    if (failed(c.finish(c.sliceAxis(whole, 2, length - kept, kept), 1)))
      return failure();
  }
  return c.finish(result);
}

void weft::onnx::registerConvRows(OpRegistry &registry) {
  registry.add("Conv",
               {{"CausalConvWithState", 27, kLastOpset, importCausalConv},
                {"Col2Im", 18, kLastOpset, importCol2Im},
                {"Conv", 1, kLastOpset, importConv},
                {"ConvInteger", 10, kLastOpset,
                 [](NodeImporter &n) { return inSingle(n, importConvInteger); },
                 "at most 258 kernel values"},
                {"ConvTranspose", 1, kLastOpset, importConvTranspose},
                {"QLinearConv", 10, kLastOpset,
                 [](NodeImporter &n) { return inSingle(n, importQLinearConv); },
                 "constant filters and biases, or at most 258 kernel values"}});
}
