//===- FusePreprocess.cpp - normalization as part of a graph --------------===//

#include "tools/driver/FusePreprocess.h"

#include "dialects/Evaluate.h"
#include "dialects/top/Binary.h"
#include "dialects/top/Cast.h"
#include "dialects/top/Constant.h"
#include "dialects/top/Move.h"
#include "dialects/top/Symbols.h"
#include "dialects/top/Top.h"
#include "runtime/status/Format.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace weft;
using preprocess::Color;
using preprocess::Geometry;
using preprocess::Layout;
using preprocess::Options;

/// Axis of the channels in four axes.
static int64_t channelAxis(Layout layout) {
  return layout == Layout::Nchw ? 1 : 3;
}

/// The permutation from the axes of `from` to those of `to`, which differ.
static SmallVector<int64_t> permutation(Layout to) {
  return to == Layout::Nchw ? SmallVector<int64_t>{0, 3, 1, 2}
                            : SmallVector<int64_t>{0, 2, 3, 1};
}

namespace {

/// Builds the ops of one input, each on what the last one gave.
class Chain {
public:
  Chain(OpBuilder &builder, Location location, Value codes, Layout given,
        const Geometry &wanted)
      : builder(builder), location(location), value(codes), given(given),
        wanted(wanted) {}

  /// Layout, and the channels the other way round if `isReversed`.
  void arrange(bool isReversed) {
    if (isReversed)
      reverse();
    else if (given != wanted.layout)
      value = builder.create<top::TransposeOp>(location, value,
                                               permutation(wanted.layout));
  }
  void castTo(Type element) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getElementType() != element)
      value = builder.create<top::CastOp>(location, type.clone(element), value);
  }
  /// With one number a channel, unless all are `neutral`.
  void compute(top::BinaryKind kind, ArrayRef<float> numbers, float neutral) {
    if (llvm::all_of(numbers, [&](float n) { return n == neutral; }))
      return;
    SmallVector<int64_t> shape(4, 1);
    shape[channelAxis(wanted.layout)] = wanted.channels;
    auto type = RankedTensorType::get(shape, builder.getF32Type());
    Value constant = builder.create<top::ConstantOp>(
        location, DenseElementsAttr::get(type, numbers));
    value = builder.create<top::BinaryOp>(location, value.getType(), kind,
                                          value, constant);
  }
  Value result() const { return value; }

private:
  /// Plane by plane, which also changes the layout: pixels of all channels in
  /// the other order would be moves of single bytes.
  void reverse() {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> plane(type.getShape());
    plane[channelAxis(given)] = 1;
    SmallVector<int64_t> image = {plane[0], 1, wanted.size.height,
                                  wanted.size.width};
    if (wanted.layout == Layout::Nhwc)
      image = {plane[0], wanted.size.height, wanted.size.width, 1};
    SmallVector<Value> planes;
    for (int64_t c = wanted.channels; c-- > 0;) {
      SmallVector<int64_t> starts(4, 0), steps(4, 1);
      starts[channelAxis(given)] = c;
      Value one = builder.create<top::SliceOp>(location, type.clone(plane),
                                               value, starts, steps);
      if (given != wanted.layout)
        one = builder.create<top::ReshapeOp>(location, type.clone(image), one);
      planes.push_back(one);
    }
    image[channelAxis(wanted.layout)] = wanted.channels;
    value = builder.create<top::ConcatOp>(location, type.clone(image), planes,
                                          channelAxis(wanted.layout));
  }

  OpBuilder &builder;
  Location location;
  Value value;
  Layout given;
  Geometry wanted;
};

} // namespace

/// What the options and the model's input have to do with each other.
static rt::Status checkFused(const Options &options, const Geometry &geometry) {
  WEFT_TRY(preprocess::checkChannels(options, geometry.channels));
  if (options.dtype && *options.dtype != numeric::ElementType::U8)
    return rt::fail(rt::Code::InvalidArgument,
                    "dtype is float32, fused preprocessing reads uint8; leave "
                    "it out");
  if (options.size && !(*options.size == geometry.size))
    return rt::fail(rt::Code::ShapeMismatch,
                    "size is not that of the model's input, which fused "
                    "preprocessing reads; leave it out");
  bool isGray = options.color && *options.color == Color::Gray;
  if (options.color && isGray != (geometry.channels == 1))
    return rt::fail(rt::Code::ShapeMismatch,
                    "color gray is for inputs of one channel, rgb and bgr for "
                    "three");
  return rt::Status::ok();
}

/// The model's input as it is; fails for what is no image.
static rt::Result<Geometry> modelGeometry(func::FuncOp function,
                                          const Options &options) {
  if (function.getNumArguments() != 1)
    return rt::fail(rt::Code::Unsupported,
                    "unsupported: fused preprocessing of a model with " +
                        std::to_string(function.getNumArguments()) +
                        " inputs; preprocess before the run");
  auto type = cast<RankedTensorType>(function.getArgument(0).getType());
  if (!mlir::isa<FloatType>(type.getElementType()) || type.getRank() != 4)
    return rt::fail(rt::Code::Unsupported,
                    "unsupported: fused preprocessing of an input that is not "
                    "of floats n,c,h,w or n,h,w,c; preprocess before the run");
  Options shapeOnly = options;
  shapeOnly.layout.reset();
  auto name = function.getArgAttrOfType<StringAttr>(0, kNameAttr);
  return preprocess::geometryOf(
      shapeOnly,
      {name.str(), numeric::ElementType::F32, type.getShape().vec()});
}

/// The shape of the model's input in the layout that images are given in.
static SmallVector<int64_t> shapeOfCodes(ArrayRef<int64_t> shape, Layout given,
                                         Layout wanted) {
  SmallVector<int64_t> result(shape);
  if (given != wanted)
    for (auto [axis, from] : llvm::enumerate(permutation(given)))
      result[axis] = shape[from];
  return result;
}

namespace {
struct PixelRange {
  double low, high;

  double width() const { return high - low; }
  /// How far `other` is outside.
  double missed(PixelRange other) const {
    return std::max(other.high - high, low - other.low);
  }
  std::string str() const {
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format("%.4g to %.4g", low, high);
    return text;
  }
};
} // namespace

static double factorOf(const Options &options, size_t channel) {
  return options.stdDev.empty()
             ? preprocess::ofChannel(options.scale, channel)
             : 1 / preprocess::ofChannel(options.stdDev, channel);
}

/// What codes of 0 to 255 become, in any channel.
static PixelRange fusedRange(const Options &options) {
  PixelRange range{HUGE_VAL, -HUGE_VAL};
  size_t channels = std::max(
      {options.mean.size(), options.scale.size(), options.stdDev.size()});
  for (size_t c = 0; c < channels; ++c)
    for (double code : {0.0, 255.0}) {
      double value = (code - preprocess::ofChannel(options.mean, c)) *
                     factorOf(options, c);
      range = {std::min(range.low, value), std::max(range.high, value)};
    }
  return range;
}

/// What is probably wrong if steps give `given` and a table saw `seen`; "" if
/// the two may be of the same pictures.
static std::string mismatch(const Options &options, PixelRange given,
                            PixelRange seen) {
  // Photos need not be black or white anywhere, but no pixel is outside of what
  // the steps give; enlarged by cubic functions it is by a little.
  constexpr double kDull = 8, kOvershoot = 0.1;
  bool isScaled = options.isScaleGiven || !options.stdDev.empty();
  if (seen.missed(given) > kDull * seen.width())
    return isScaled ? "check scale, std and mean"
                    : "--scale or --std is probably missing";
  if (!(given.missed(seen) > kOvershoot * given.width()))
    return "";
  if (seen.width() > 2 * given.width())
    return "the samples of the table were probably not scaled; calibrate with "
           "the same settings";
  bool hasMean = llvm::any_of(options.mean, [](double m) { return m != 0; });
  return hasMean ? "check mean, scale and std" : "--mean is probably missing";
}

std::string driver::oddFusedRange(const Options &options, llvm::StringRef input,
                                  const quantize::CalibrationTable *table,
                                  bool isHalf) {
  constexpr double kMostHalf = 65504, kLeastHalf = 0x1p-14;
  PixelRange given = fusedRange(options);
  std::string text =
      "fused preprocessing makes input '" + input.str() + "' " + given.str();
  if (const auto *entry = table ? table->find(input) : nullptr) {
    PixelRange seen{entry->min, entry->max};
    if (std::string wrong = mismatch(options, given, seen); !wrong.empty())
      return text + ", " + table->title() + " saw " + seen.str() + "; " + wrong;
  }
  double most = std::max(std::fabs(given.low), std::fabs(given.high));
  if (!isHalf || (most <= kMostHalf && most >= kLeastHalf))
    return "";
  return text + ", " + (most > kMostHalf ? "beyond" : "below") + " f16 (" +
         (most > kMostHalf ? "65504" : "6e-5") + "); check scale and std";
}

driver::UnfusedInput::UnfusedInput(ModuleOp module, const Options &options)
    : options(options) {
  auto function = module.lookupSymbol<func::FuncOp>("main");
  auto argument = cast<RankedTensorType>(function.getArgument(0).getType());
  // Accepted, so it is one for images.
  wanted = modelGeometry(function, options)->layout;
  given = options.layout.value_or(wanted);
  type = *hostElementType(argument.getElementType());
  theCodes.name = function.getArgAttrOfType<StringAttr>(0, kNameAttr).str();
  theCodes.type = numeric::ElementType::U8;
  SmallVector<int64_t> shape = shapeOfCodes(argument.getShape(), given, wanted);
  theCodes.shapes = {{shape.begin(), shape.end()}};
}

numeric::HostTensor
driver::UnfusedInput::from(const numeric::HostTensor &codes) const {
  return preprocess::normalizedCodes(codes, given, options, wanted, type);
}

/// The names of dimensions in another layout.
static void permuteSymbols(func::FuncOp function, ArrayRef<int64_t> order) {
  auto symbols = function.getArgAttrOfType<ArrayAttr>(0, top::kSymbolsAttr);
  if (!symbols)
    return;
  SmallVector<Attribute> permuted;
  for (int64_t axis : order)
    permuted.push_back(symbols[axis]);
  function.setArgAttr(0, top::kSymbolsAttr,
                      ArrayAttr::get(function.getContext(), permuted));
}

/// Factors as a graph has them: a division costs more than a product.
static void normalize(Chain &chain, const Options &options, int64_t channels) {
  SmallVector<float> means, factors;
  for (size_t c = 0; c < size_t(channels); ++c) {
    means.push_back(float(preprocess::ofChannel(options.mean, c)));
    factors.push_back(float(factorOf(options, c)));
  }
  chain.compute(top::BinaryKind::Sub, means, 0);
  chain.compute(top::BinaryKind::Mul, factors, 1);
}

std::string driver::fusedSettings(const Options &options) {
  const size_t channels = std::max(
      {options.mean.size(), options.scale.size(), options.stdDev.size()});
  auto list = [&](auto number) {
    std::vector<std::string> numbers;
    for (size_t channel = 0; channel < channels; ++channel)
      numbers.push_back(rt::format("%.17g", number(channel)));
    bool isOne = std::all_of(numbers.begin(), numbers.end(),
                             [&](const auto &n) { return n == numbers[0]; });
    return isOne ? numbers[0] : llvm::join(numbers, ",");
  };
  std::string text = "mean=" + list([&](size_t channel) {
                       return preprocess::ofChannel(options.mean, channel);
                     }) +
                     " scale=" + list([&](size_t channel) {
                       return factorOf(options, channel);
                     });
  return options.color == Color::Bgr ? text + " color=bgr" : text;
}

LogicalResult driver::fusePreprocessing(ModuleOp module,
                                        const Options &options) {
  auto function = module.lookupSymbol<func::FuncOp>("main");
  rt::Result<Geometry> geometry = modelGeometry(function, options);
  rt::Status status =
      geometry ? checkFused(options, *geometry) : geometry.status();
  if (!status)
    return emitError(module.getLoc()) << status.message();
  BlockArgument argument = function.getArgument(0);
  auto type = cast<RankedTensorType>(argument.getType());
  Layout given = options.layout.value_or(geometry->layout);
  SmallVector<int64_t> shape =
      shapeOfCodes(type.getShape(), given, geometry->layout);
  if (given != geometry->layout)
    permuteSymbols(function, permutation(given));
  OpBuilder builder(module.getContext());
  builder.setInsertionPointToStart(&function.front());
  auto codes = RankedTensorType::get(
      shape, builder.getIntegerType(8, /*isSigned=*/false));
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : argument.getUses())
    uses.push_back(&use);
  argument.setType(codes);
  function.setFunctionType(
      builder.getFunctionType(codes, function.getFunctionType().getResults()));
  Chain chain(builder, argument.getLoc(), argument, given, *geometry);
  chain.arrange(options.color && *options.color == Color::Bgr);
  chain.castTo(builder.getF32Type());
  normalize(chain, options, geometry->channels);
  chain.castTo(type.getElementType());
  for (OpOperand *use : uses)
    use->set(chain.result());
  chain.result().getDefiningOp()->setAttr(
      kValueAttr, function.getArgAttrOfType<StringAttr>(0, kNameAttr));
  return success();
}
