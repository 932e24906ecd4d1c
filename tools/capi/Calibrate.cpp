//===- Calibrate.cpp - value ranges from samples in memory ----------------===//

#include "tools/capi/Calibration.h"
#include "tools/capi/ModelPart.h"
#include "tools/capi/Status.h"
#include "tools/capi/Texts.h"
#include "tools/driver/MatrixProducts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <thread>

using namespace weft;
using capi::guarded;
using capi::toC;
using numeric::HostTensor;
using rt::Code;
using rt::Result;

/// Samples come one by one, and nobody says how many: when there are too many,
/// every second one goes.
void weft_calibration::keep(NamedTensors sample) {
  constexpr size_t kSpare = 4;
  if (!searchSamples || samples % keepEvery != 0)
    return;
  kept.push_back(std::move(sample));
  if (kept.size() <= kSpare * searchSamples)
    return;
  std::vector<NamedTensors> left;
  for (size_t i = 0; i < kept.size(); i += 2)
    left.push_back(std::move(kept[i]));
  kept = std::move(left);
  keepEvery *= 2;
}

rt::Status weft_calibration::checkKept() const {
  if (kept.empty())
    return rt::fail(Code::InvalidArgument,
                    "no samples are kept: set search_samples of "
                    "weft_calibrate_open() and add some");
  return {};
}

rt::Status weft_calibration::checkRanges() const {
  if (onlyKeeps)
    return rt::fail(Code::InvalidArgument,
                    "no ranges are collected: leave keep_only of "
                    "weft_calibrate_open() 0");
  return {};
}

quantize::CalibrationTable weft_calibration::tableSoFar() {
  return calibrator->finish(options, driver::multiplyByOneDnn,
                            std::max(1U, std::thread::hardware_concurrency()));
}

static rt::Status readCalibrateOptions(const weft_calibrate_options &given,
                                       quantize::CalibrationOptions &options) {
  if (given.method) {
    auto method = quantize::symbolizeMethod(given.method);
    if (!method)
      return rt::fail(Code::InvalidArgument,
                      "the method is '" + std::string(given.method) +
                          "'; weft calibrate --help names them");
    options.method = *method;
  }
  std::string recover = given.recover ? given.recover : "weights";
  if (recover != "weights" && recover != "off")
    return rt::fail(Code::InvalidArgument,
                    "recover is '" + recover + "', must be weights or off");
  options.recoversWeights = recover == "weights";
  if (given.percentile != 0)
    if (llvm::Error error = options.setPercentile(given.percentile))
      return rt::fail(Code::InvalidArgument, llvm::toString(std::move(error)));
  return {};
}

/// The only set of shapes.
static Result<driver::InputShapes>
shapesOf(const weft_calibrate_options &options) {
  Result<driver::ShapeRanges> ranges =
      driver::parseShapeRanges(capi::texts(options.shapes, options.shape_count),
                               options.batch ? options.batch : "");
  if (!ranges)
    return ranges.status();
  Result<std::vector<driver::InputShapes>> all = driver::shapesOf(*ranges);
  if (!all)
    return all.status();
  if (all->size() != 1)
    return rt::fail(Code::InvalidArgument,
                    "there are " + std::to_string(all->size()) +
                        " shapes, samples have one; give one size for every "
                        "axis");
  return all->front();
}

static std::vector<weft_calibration::Input> inputsOf(mlir::ModuleOp module) {
  auto function = module.lookupSymbol<mlir::func::FuncOp>("main");
  std::vector<weft_calibration::Input> inputs;
  for (mlir::BlockArgument argument : function.getArguments()) {
    auto type = mlir::cast<mlir::RankedTensorType>(argument.getType());
    inputs.push_back(
        {function
             .getArgAttrOfType<mlir::StringAttr>(argument.getArgNumber(),
                                                 kNameAttr)
             .str(),
         *hostElementType(type.getElementType()), type.getShape().vec()});
  }
  return inputs;
}

static weft_compiler_status *
openCalibration(const char *model, const weft_calibrate_options *given,
                weft_calibration **calibration) {
  weft_calibrate_options options;
  if (!model || !calibration || !capi::copyKnown(given, options))
    return toC(rt::fail(Code::InvalidArgument,
                        "model and calibration must not be NULL and "
                        "options->struct_bytes must be "
                        "sizeof(weft_calibrate_options)"));
  auto opened = std::make_unique<weft_calibration>();
  if (rt::Status status = readCalibrateOptions(options, opened->options);
      !status)
    return toC(status);
  Result<driver::InputShapes> shapes = shapesOf(options);
  if (!shapes)
    return toC(shapes.status());
  if (rt::Status status = opened->plugins.load(
          capi::texts(options.plugins, options.plugin_count));
      !status)
    return toC(status);
  Result<capi::ModelPart> part = capi::partOf(options);
  if (!part)
    return toC(part.status());
  opened->part = *std::move(part);
  opened->compilation.emplace(opened->stream);
  opened->compilation->use(opened->plugins);
  opened->compilation->selectsBranches = true; // the values of all branches
  if (failed(opened->compilation->import(model, *shapes, opened->part.bindings,
                                         opened->part.cut)))
    return opened->why();
  opened->model = model;
  opened->shapes = *std::move(shapes);
  opened->searchSamples = options.search_samples;
  opened->onlyKeeps = options.keep_only != 0;
  opened->inputs = inputsOf(opened->compilation->module());
  opened->calibrator.emplace(opened->compilation->module(),
                             &opened->accelerator);
  if (opened->options.needsRows())
    opened->calibrator->keepRows();
  *calibration = opened.release();
  return nullptr;
}

weft_compiler_status *weft_calibrate_open(const char *model,
                                          const weft_calibrate_options *options,
                                          weft_calibration **calibration) {
  return guarded([&] { return openCalibration(model, options, calibration); });
}

size_t weft_calibrate_input_count(const weft_calibration *calibration) {
  return calibration ? calibration->inputs.size() : 0;
}

weft_compiler_status *weft_calibrate_input(const weft_calibration *calibration,
                                           size_t index,
                                           weft_calibrate_input_facts *facts) {
  if (!calibration || !facts ||
      facts->struct_bytes < sizeof(weft_calibrate_input_facts) ||
      index >= calibration->inputs.size())
    return toC(rt::fail(Code::InvalidArgument,
                        "calibration must not be NULL, index be that of an "
                        "input and facts->struct_bytes "
                        "sizeof(weft_calibrate_input_facts)"));
  const weft_calibration::Input &input = calibration->inputs[index];
  facts->name = input.name.c_str();
  facts->type = numeric::onnxDataType(input.type);
  facts->rank = input.shape.size();
  facts->shape = input.shape.data();
  facts->bytes = size_t(*numeric::elementCount(input.shape)) *
                 numeric::elementBytes(input.type);
  return nullptr;
}

static weft_compiler_status *addSample(weft_calibration *calibration,
                                       const void *const *data) {
  if (!calibration || (!data && !calibration->inputs.empty()))
    return toC(rt::fail(Code::InvalidArgument,
                        "calibration and data must not be NULL"));
  NamedTensors sample;
  for (size_t i = 0; i < calibration->inputs.size(); ++i) {
    const weft_calibration::Input &input = calibration->inputs[i];
    HostTensor tensor(input.type, input.shape);
    if (!data[i] && tensor.sizeBytes())
      return toC(rt::fail(Code::InvalidArgument,
                          "the data of input '" + input.name + "' is NULL"));
    if (tensor.sizeBytes())
      std::memcpy(tensor.bytes(), data[i], tensor.sizeBytes());
    sample.emplace(input.name, std::move(tensor));
  }
  driver::Compilation &compilation = *calibration->compilation;
  std::string name = "sample " + std::to_string(calibration->samples + 1);
  mlir::MLIRContext *context = compilation.module().getContext();
  mlir::Location origin =
      mlir::NameLoc::get(mlir::StringAttr::get(context, name));
  if (!calibration->onlyKeeps &&
      failed(calibration->calibrator->addSample(sample, origin)))
    return calibration->why();
  calibration->references.reset();
  calibration->keep(std::move(sample));
  ++calibration->samples;
  return nullptr;
}

weft_compiler_status *weft_calibrate_add(weft_calibration *calibration,
                                         const void *const *data) {
  return guarded([&] { return addSample(calibration, data); });
}

static weft_compiler_status *giveTable(weft_calibration *calibration,
                                       const char **text) {
  if (!calibration || !text)
    return toC(rt::fail(Code::InvalidArgument,
                        "calibration and text must not be NULL"));
  if (rt::Status status = calibration->checkRanges(); !status)
    return toC(status);
  if (!calibration->samples)
    return toC(rt::fail(Code::InvalidArgument,
                        "no samples: add one for each set of inputs first"));
  calibration->finished = calibration->tableSoFar();
  calibration->table = calibration->finished->str();
  *text = calibration->table.c_str();
  return nullptr;
}

weft_compiler_status *weft_calibrate_table(weft_calibration *calibration,
                                           const char **text) {
  return guarded([&] { return giveTable(calibration, text); });
}

static weft_compiler_status *giveWarnings(weft_calibration *calibration,
                                          const char **text) {
  if (!calibration || !text || !calibration->finished)
    return toC(rt::fail(Code::InvalidArgument,
                        "calibration and text must not be NULL, and "
                        "weft_calibrate_table() comes first"));
  calibration->warnings.clear();
  for (const std::string &line :
       calibration->calibrator->warnings(*calibration->finished))
    calibration->warnings += (calibration->warnings.empty() ? "" : "\n") + line;
  *text = calibration->warnings.c_str();
  return nullptr;
}

weft_compiler_status *weft_calibrate_warnings(weft_calibration *calibration,
                                              const char **text) {
  return guarded([&] { return giveWarnings(calibration, text); });
}

void weft_calibrate_close(weft_calibration *calibration) { delete calibration; }
