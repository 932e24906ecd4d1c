#include "tools/weft/Reference.h"

std::optional<std::map<std::string, std::vector<int64_t>>>
weft::cli::inOtherLayout(const NamedTensors &inputs) {
  if (inputs.size() != 1)
    return std::nullopt;
  const auto &[name, codes] = *inputs.begin();
  const std::vector<int64_t> &shape = codes.shape();
  if (codes.type() != weft::numeric::ElementType::U8 || shape.size() != 4)
    return std::nullopt;
  bool isNchw = shape[1] == 1 || shape[1] == 3;
  return {
      {{name, isNchw ? std::vector{shape[0], shape[2], shape[3], shape[1]}
                     : std::vector{shape[0], shape[3], shape[1], shape[2]}}}};
}

#ifdef WEFT_WITH_COMPILER
#include "dialects/Evaluate.h"
#include "dialects/top/Top.h"
#include "frontend/onnx/Import.h"
#include "frontend/onnx/OnnxModel.h"
#include "runtime/numeric/CarrierTypes.h"
#include "runtime/numeric/TensorValues.h"
#include "runtime/status/Quote.h"
#include "tools/driver/ConversionRecord.h"
#include "tools/driver/Diagnostics.h"
#include "tools/driver/FusePreprocess.h"
#include "tools/driver/GraphOutline.h"
#include "tools/driver/OutputParts.h"
#include "tools/driver/Plugins.h"
#include "tools/driver/RangeEnds.h"
#include "tools/driver/Registration.h"
#include "tools/weft/ComparisonRows.h"
#include "tools/weft/Version.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace weft;
using namespace weft::cli;
using rt::Code;
using rt::Result;
/// Of inputs by name.
using Shapes = std::map<std::string, std::vector<int64_t>>;

std::string cli::evaluatorVersion() {
  return "weft " WEFT_VERSION ", ONNX library " + onnx::libraryVersion().str();
}

/// Diagnostics as a Status: the lines as printed, the first without its prefix.
static rt::Status failureFrom(std::string printed, const std::string &path) {
  const std::string prefix = "weft: error: ";
  if (printed.compare(0, prefix.size(), prefix) == 0)
    printed.erase(0, prefix.size());
  while (!printed.empty() && printed.back() == '\n')
    printed.pop_back();
  if (printed.empty())
    return rt::fail(Code::Internal, path + ": evaluation failed silently");
  return rt::fail(Code::BadFile, printed);
}

/// `inputs` in the element types of `function`: npz lacks some of them.
static NamedTensors inOwnTypes(mlir::func::FuncOp function,
                               NamedTensors inputs) {
  for (mlir::BlockArgument argument : function.getArguments()) {
    auto name = function.getArgAttrOfType<mlir::StringAttr>(
        argument.getArgNumber(), top::kNameAttr);
    auto type = mlir::cast<mlir::RankedTensorType>(argument.getType());
    auto found = name ? inputs.find(name.str()) : inputs.end();
    if (found != inputs.end())
      (void)numeric::fromCarrier(found->second,
                                 *hostElementType(type.getElementType()));
  }
  return inputs;
}

namespace {
/// Imports a model for inputs, and keeps what is printed about it.
class Importer {
public:
  static Result<std::unique_ptr<Importer>> open(const ReferenceModel &model) {
    auto importer = std::make_unique<Importer>(model);
    WEFT_TRY(importer->operators.load(model.plugins));
    importer->operators.attach(importer->context);
    return importer;
  }

  /// Use open().
  explicit Importer(const ReferenceModel &model) : model(model) {}

  /// The graph, in front of it what is fused; null if there is none, or none of
  /// an input of `shapes`.
  mlir::OwningOpRef<mlir::ModuleOp> import(const Shapes &shapes) {
    printed.clear();
    names.clear();
    onnx::ImportOptions options;
    options.inputs = &names;
    options.titles = &printer.titles;
    options.cut = model.cut;
    options.selectsBranches = true; // values of all that a program may compute
    options.bindings = model.bindings;
    options.plugins = operators.importOperators();
    options.shapes = shapes;
    options.shapes.insert(model.emptyInputs.begin(), model.emptyInputs.end());
    if (!digest)
      options.digest = &digest;
    mlir::OwningOpRef<mlir::ModuleOp> module =
        onnx::importOnnxFile(model.onnx, options, context);
    if (module && model.fused &&
        failed(driver::fusePreprocessing(*module, *model.fused)))
      return {};
    return module;
  }

  /// Of a program with these inputs; fails if it is another model's.
  rt::Status checkInputs(const NamedTensors &inputs) const {
    std::vector<std::string> own, given;
    for (const std::string &name : names)
      if (!model.bindings.count(name))
        own.push_back(name);
    for (const auto &[name, tensor] : inputs)
      given.push_back(name);
    std::sort(own.begin(), own.end());
    if (names.empty() || own == given)
      return {};
    return rt::fail(Code::InvalidArgument,
                    model.program + " was not made from " + model.onnx +
                        " (inputs: " + llvm::join(given, ", ") + " / " +
                        llvm::join(own, ", ") + ")");
  }

  const onnx::NodeTitles &titles() const { return printer.titles; }
  std::optional<rt::Digest> digest; ///< once the model was read
  rt::Status why() const { return failureFrom(printed, model.onnx); }

private:
  const ReferenceModel &model;
  driver::Plugins operators; // outlives the context
  // The evaluator computes op after op; threads would only cost their start.
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  std::vector<std::string> names; ///< of the inputs
  std::string printed;
  llvm::raw_string_ostream stream{printed};
  driver::DiagnosticPrinter printer{context, stream};
};
} // namespace

static mlir::func::FuncOp mainOf(mlir::ModuleOp module) {
  return module.lookupSymbol<mlir::func::FuncOp>("main");
}

/// Images as bytes where the model has floats are those of a program that was
/// converted with --fuse-preprocess; there the layout must be the program's.
static rt::Status checkFused(const ReferenceModel &model,
                             const NamedTensors &inputs,
                             mlir::func::FuncOp function) {
  if (inputs.size() != 1 || function.getNumArguments() != 1)
    return {};
  const auto &[name, codes] = *inputs.begin();
  auto type =
      mlir::cast<mlir::RankedTensorType>(function.getArgument(0).getType());
  if (model.fused && type.getShape() != llvm::ArrayRef(codes.shape()))
    return rt::fail(Code::ShapeMismatch,
                    model.onnx +
                        ": with --fuse-preprocess and these settings "
                        "the program would take " +
                        numeric::shapeText(type.getShape().vec()) +
                        ", it takes " + numeric::shapeText(codes.shape()) +
                        "; give the layout that it was converted with");
  if (model.fused)
    return {};
  if (codes.type() != numeric::ElementType::U8 || type.getRank() != 4 ||
      !mlir::isa<mlir::FloatType>(type.getElementType()))
    return {};
  return rt::fail(
      Code::TypeMismatch,
      model.onnx + ": input " + rt::quoteName(name) +
          " is of floats, the program takes images as bytes; give "
          "--fuse-preprocess with the mean, scale, std, color and layout that "
          "it was converted with, or --reference");
}

namespace {
class Evaluation : public OnnxReference {
public:
  Evaluation(const ReferenceModel &model, std::unique_ptr<Importer> importer)
      : model(model), importer(std::move(importer)) {}

  const std::optional<rt::Digest> &digest() const override {
    return importer->digest;
  }
  Result<ReferenceValues> evaluate(const NamedTensors &inputs,
                                   bool withLayers) override;
  Result<NamedTensors> evaluateOnOwnInputs(const NamedTensors &inputs,
                                           const NamedTensors &values) override;
  Result<comparison::RoundingNoise>
  roundingNoise(const NamedTensors &inputs) override;
  Result<comparison::RangeEnds> rangeEnds(const NamedTensors &inputs) override {
    WEFT_TRY(prepare(inputs));
    return driver::rangeEndsOf(*module);
  }
  Result<comparison::OutputParts>
  outputParts(const NamedTensors &inputs) override {
    WEFT_TRY(prepare(inputs));
    if (!parts)
      parts = driver::outputPartsOf(*module);
    return *parts;
  }
  Result<std::vector<comparison::GraphNode>>
  outline(const NamedTensors &inputs) override {
    WEFT_TRY(prepare(inputs));
    return driver::graphOutline(*module, importer->titles());
  }

private:
  /// Tells that one more layer was evaluated.
  void count(size_t &layer) {
    if (progress)
      progress(std::min(++layer, layers), layers);
  }
  /// Imports the graph for `shapes`, unless it is there.
  rt::Status prepare(const NamedTensors &inputs);

  const ReferenceModel &model;
  std::unique_ptr<Importer> importer;
  Shapes shapes;     ///< of `module`
  size_t layers = 0; ///< named values of it
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::optional<comparison::OutputParts> parts; ///< of `module`, once asked for
};
} // namespace

rt::Status Evaluation::prepare(const NamedTensors &inputs) {
  Shapes wanted;
  for (const auto &[name, tensor] : inputs)
    wanted[name] = tensor.shape();
  if (module && wanted == shapes)
    return {};
  parts.reset();
  module = importer->import(wanted);
  WEFT_TRY(importer->checkInputs(inputs));
  if (!module) {
    // What is fused may have changed the layout.
    rt::Status status = importer->why();
    if (std::optional<Shapes> other = inOtherLayout(inputs))
      module = importer->import(*other);
    if (!module)
      return status;
  }
  shapes = std::move(wanted);
  layers = 0;
  module->walk([&](mlir::Operation *op) { layers += op->hasAttr(kValueAttr); });
  return checkFused(model, inputs, mainOf(*module));
}

Result<ReferenceValues> Evaluation::evaluate(const NamedTensors &inputs,
                                             bool withLayers) {
  WEFT_TRY(prepare(inputs));
  ReferenceValues values;
  size_t layer = 0;
  auto observe = [&](llvm::StringRef name, const numeric::HostTensor &tensor) {
    count(layer);
    if (withLayers)
      values.layers[name.str()] = tensor;
  };
  mlir::func::FuncOp function = mainOf(*module);
  if (mlir::failed(weft::evaluateNamed(function, inOwnTypes(function, inputs),
                                       values.outputs, observe)))
    return importer->why();
  return values;
}

Result<NamedTensors>
Evaluation::evaluateOnOwnInputs(const NamedTensors &inputs,
                                const NamedTensors &values) {
  NamedTensors given, outputs;
  EvaluationAids aids;
  size_t layer = 0;
  aids.replace = [&](llvm::StringRef name, numeric::HostTensor &tensor) {
    count(layer);
    auto own = values.find(name.str());
    if (own == values.end() ||
        !isOtherView(own->second.shape(), tensor.shape()))
      return;
    given[name.str()] = tensor;
    bool isFloat = numeric::isFloatType(tensor.type());
    if (isFloat != numeric::isFloatType(own->second.type()))
      return; // reals for codes: the layer is compared, its readers go on
    if (isFloat)
      numeric::storeDoubles(numeric::loadDoubles(own->second), tensor);
    else
      numeric::storeIntegers(numeric::loadIntegers(own->second), tensor);
  };
  mlir::func::FuncOp function = mainOf(*module);
  if (mlir::failed(weft::evaluateNamed(function, inOwnTypes(function, inputs),
                                       outputs, nullptr, aids)))
    return importer->why();
  return given;
}

namespace {
/// Gives every element a relative error of kMeasuredRounding. Its sign is
/// drawn: errors of a value and of what is made of it must not be alike.
class Rounding {
public:
  void operator()(numeric::HostTensor &tensor) {
    if (!numeric::isFloatType(tensor.type()))
      return;
    std::vector<double> values = numeric::loadDoubles(tensor);
    for (double &value : values)
      value *= 1 + (draw() & 0x4000 ? comparison::kMeasuredRounding
                                    : -comparison::kMeasuredRounding);
    numeric::storeDoubles(values, tensor);
  }

private:
  std::minstd_rand draw; // the same numbers everywhere
};
} // namespace

/// The largest difference of two elements that are finite.
static double largestChange(const numeric::HostTensor &a,
                            const numeric::HostTensor &b) {
  std::vector<double> left = numeric::loadDoubles(a),
                      right = numeric::loadDoubles(b);
  double most = 0;
  for (size_t i = 0; i < std::min(left.size(), right.size()); ++i)
    if (double change = std::fabs(left[i] - right[i]); std::isfinite(change))
      most = std::max(most, change);
  return most;
}

Result<comparison::RoundingNoise>
Evaluation::roundingNoise(const NamedTensors &inputs) {
  WEFT_TRY(prepare(inputs));
  mlir::func::FuncOp function = mainOf(*module);
  NamedTensors exact, outputs, own = inOwnTypes(function, inputs);
  auto keep = [&](llvm::StringRef name, const numeric::HostTensor &tensor) {
    if (numeric::isFloatType(tensor.type()))
      exact[name.str()] = tensor;
  };
  if (mlir::failed(weft::evaluateNamed(function, own, outputs, keep)))
    return importer->why();
  for (auto &[name, tensor] : outputs)
    keep(name, tensor);
  comparison::RoundingNoise noise;
  auto measure = [&](llvm::StringRef name, const numeric::HostTensor &tensor) {
    if (auto found = exact.find(name.str()); found != exact.end()) {
      double &most = noise[name.str()];
      most = std::max(most, largestChange(tensor, found->second));
    }
  };
  Rounding round;
  EvaluationAids aids;
  aids.replace = [&](llvm::StringRef, numeric::HostTensor &tensor) {
    round(tensor);
  };
  // Signs that cancel by chance in one round do not in another.
  for (int rounds = 0; rounds < 2; ++rounds) {
    NamedTensors rounded = own;
    for (auto &[name, tensor] : rounded)
      round(tensor);
    if (mlir::failed(
            weft::evaluateNamed(function, rounded, outputs, measure, aids)))
      return importer->why();
    for (auto &[name, tensor] : outputs)
      measure(name, tensor);
  }
  return noise;
}

Result<std::unique_ptr<OnnxReference>>
OnnxReference::open(const ReferenceModel &model) {
  Result<std::unique_ptr<Importer>> importer = Importer::open(model);
  if (!importer)
    return importer.status();
  return std::unique_ptr<OnnxReference>(
      new Evaluation(model, *std::move(importer)));
}

Result<onnx::GraphCut> cli::recordedCut(const rt::NetSpec &net,
                                        const std::string &path) {
  return driver::recordedCut(net, path);
}

Result<Shapes> cli::recordedEmptyInputs(const rt::NetSpec &net,
                                        const std::string &path) {
  return driver::recordedEmptyInputs(net, path);
}

#else

std::string weft::cli::evaluatorVersion() { return ""; }
weft::rt::Result<weft::onnx::GraphCut>
weft::cli::recordedCut(const rt::NetSpec &, const std::string &) {
  return onnx::GraphCut();
}

weft::rt::Result<std::map<std::string, std::vector<int64_t>>>
weft::cli::recordedEmptyInputs(const rt::NetSpec &, const std::string &) {
  return std::map<std::string, std::vector<int64_t>>();
}

weft::rt::Result<std::unique_ptr<weft::cli::OnnxReference>>
weft::cli::OnnxReference::open(const ReferenceModel &model) {
  return rt::fail(rt::Code::Unsupported,
                  "unsupported: this build has no compiler to evaluate " +
                      model.onnx +
                      "; give the expected values with --reference");
}

#endif
