//===- ExactGraph.cpp - what a program must compute, bit by bit -----------===//

#include "tools/driver/ExactGraph.h"

#include "dialects/Evaluate.h"
#include "dialects/tpu/Cast.h"
#include "dialects/tpu/Tpu.h"
#include "runtime/numeric/TensorValues.h"
#include "runtime/status/Quote.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/QuantTypes.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace mlir;
using namespace weft;
using namespace weft::driver;
using numeric::ElementType;
using numeric::HostTensor;
using rt::Code;
using rt::Result;

static func::FuncOp mainOf(Compilation &compilation) {
  return compilation.module().lookupSymbol<func::FuncOp>("main");
}

/// The name in a `tpu.io` dictionary.
static std::string ioName(DictionaryAttr attributes) {
  auto io = attributes ? attributes.getAs<DictionaryAttr>(tpu::kIoAttr)
                       : DictionaryAttr();
  auto name = io ? io.getAs<StringAttr>("name") : StringAttr();
  return name ? name.str() : "";
}

/// Whether the ONNX value that `op` stands for has its channels last, where the
/// graph has n, c, h, w.
static bool hasChannelsLast(Operation &op) {
  auto type = op.getAttrOfType<TypeAttr>(tpu::kOnnxTypeAttr);
  auto onnx = type ? dyn_cast<RankedTensorType>(type.getValue()) : nullptr;
  auto order =
      onnx ? dyn_cast_or_null<StringAttr>(onnx.getEncoding()) : nullptr;
  return order && order.getValue() == tpu::kChannelsLast;
}

void driver::convertStored(const HostTensor &from, HostTensor &to) {
  if (from.type() == to.type())
    std::memcpy(to.bytes(), from.bytes(), to.sizeBytes());
  else if (numeric::isFloatType(from.type()) || numeric::isFloatType(to.type()))
    numeric::storeDoubles(numeric::loadDoubles(from), to);
  else
    numeric::storeIntegers(numeric::loadIntegers(from), to);
}

/// n,c,h,w of `shape`, row-major, as n,h,w,c; or back.
static HostTensor withChannelsMoved(const HostTensor &tensor,
                                    const std::vector<int64_t> &shape,
                                    bool isBack) {
  HostTensor result(tensor.type(), tensor.shape());
  size_t bytes = numeric::elementBytes(tensor.type());
  int64_t channels = shape[1], pixels = shape[2] * shape[3];
  for (int64_t n = 0; n < shape[0]; ++n)
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t pixel = 0; pixel < pixels; ++pixel) {
        int64_t first = (n * channels + c) * pixels + pixel,
                last = (n * pixels + pixel) * channels + c;
        std::memcpy(result.bytes() + size_t(isBack ? first : last) * bytes,
                    tensor.bytes() + size_t(isBack ? last : first) * bytes,
                    bytes);
      }
  return result;
}

rt::Status ExactGraph::failure() {
  rt::Status cause = compilation->failureCause();
  llvm::StringRef text(problems);
  text.consume_front("weft: error: ");
  return rt::fail(cause ? Code::Internal : cause.code(),
                  text.empty() ? cause.message() : text.rtrim().str());
}

Result<std::unique_ptr<ExactGraph>>
ExactGraph::open(const CompilationSource &source,
                 const CompileOptions &options) {
  std::unique_ptr<ExactGraph> graph(new ExactGraph());
  graph->stream = std::make_unique<llvm::raw_string_ostream>(graph->problems);
  graph->compilation = std::make_unique<Compilation>(*graph->stream);
  Compilation &compilation = *graph->compilation;
  compilation.use(source.plugins);
  compilation.selectsBranches = options.noHost;
  if (failed(compilation.import(source.model, source.shapes, source.bindings,
                                source.cut, source.fused)) ||
      failed(compilation.lower(options, Stage::Numbers)))
    return graph->failure();
  mainOf(compilation).walk([&](Operation *op) {
    if (auto name = op->getAttrOfType<StringAttr>(kValueAttr))
      graph->channelsLast[name.str()] = hasChannelsLast(*op);
  });
  return graph;
}

std::map<std::string, ExactGraph::CodeRange> ExactGraph::codesOfFloats() {
  std::map<std::string, CodeRange> ranges;
  mainOf(*compilation).walk([&](tpu::CastOp cast) {
    auto codes = dyn_cast<quant::UniformQuantizedType>(
        getElementTypeOrSelf(cast.getOutput().getType()));
    Operation *source = cast.getInput().getDefiningOp();
    auto name =
        source ? source->getAttrOfType<StringAttr>(kValueAttr) : nullptr;
    if (!codes || !name ||
        !llvm::isa<FloatType>(getElementTypeOrSelf(cast.getInput().getType())))
      return;
    auto real = [&](int64_t code) {
      return codes.getScale() * double(code - codes.getZeroPoint());
    };
    ranges[name.str()] = {real(codes.getStorageTypeMin()),
                          real(codes.getStorageTypeMax())};
  });
  return ranges;
}

Result<ExactGraph::Tensors> ExactGraph::run(const Tensors &inputs,
                                            const EvaluationAids &aids) {
  problems.clear();
  func::FuncOp main = mainOf(*compilation);
  SmallVector<HostTensor> arguments, results;
  for (BlockArgument argument : main.getArguments()) {
    std::string name = ioName(main.getArgAttrDict(argument.getArgNumber()));
    auto given = inputs.find(name);
    FailureOr<HostTensor> tensor = makeHostTensor(argument.getType());
    if (given == inputs.end() || failed(tensor) ||
        tensor->elements() != given->second.elements())
      return rt::fail(Code::ShapeMismatch, "the program has no input " +
                                               rt::quoteName(name) +
                                               " as the model has it");
    convertStored(given->second, *tensor);
    arguments.push_back(std::move(*tensor));
  }
  if (failed(evaluateFunction(main, arguments, results, nullptr, aids)))
    return failure();
  Tensors outputs;
  for (auto [index, result] : llvm::enumerate(results))
    outputs[ioName(main.getResultAttrDict(index))] = std::move(result);
  return outputs;
}

Result<ExactGraph::OwnValues>
ExactGraph::evaluateOnOwnInputs(const Tensors &inputs, const Tensors &values) {
  OwnValues found;
  EvaluationAids aids;
  aids.replace = [&](llvm::StringRef name, HostTensor &tensor) {
    auto own = values.find(name.str());
    if (own == values.end() || own->second.elements() != tensor.elements() ||
        numeric::isFloatType(own->second.type()) !=
            numeric::isFloatType(tensor.type()))
      return;
    bool isTurned = channelsLast[name.str()];
    HostTensor given(own->second.type(), tensor.shape());
    convertStored(tensor, given);
    if (isTurned)
      given = withChannelsMoved(given, tensor.shape(), /*isBack=*/false);
    if (found.layers.emplace(name.str(), std::move(given)).second)
      found.order.push_back(name.str());
    if (own->second.type() != tensor.type())
      return; // its readers have the unrounded one, too
    HostTensor flat(tensor.type(), tensor.shape());
    std::memcpy(flat.bytes(), own->second.bytes(), flat.sizeBytes());
    if (isTurned)
      flat = withChannelsMoved(flat, tensor.shape(), /*isBack=*/true);
    std::memcpy(tensor.bytes(), flat.bytes(), flat.sizeBytes());
  };
  Result<Tensors> outputs = run(inputs, aids);
  if (!outputs)
    return outputs.status();
  found.outputs = *std::move(outputs);
  return found;
}
