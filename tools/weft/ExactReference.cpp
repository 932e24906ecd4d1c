#include "tools/weft/ExactReference.h"

#ifdef WEFT_WITH_COMPILER
#include "passes/quantize/Calibration.h"
#include "runtime/numeric/TensorValues.h"
#include "tools/driver/ConversionRecord.h"
#include "tools/driver/ExactGraph.h"
#include "tools/driver/FusePreprocess.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace weft;
using namespace weft::cli;
using numeric::HostTensor;
using rt::Code;
using rt::Result;

namespace {
class Exact : public ExactReference {
public:
  Exact(const ReferenceModel &model, const rt::Bmodel &program,
        const rt::NetSpec &net, driver::CompileOptions options)
      : model(model), program(program), net(net), options(std::move(options)) {}

  rt::Status load() { return plugins.load(model.plugins); }
  Result<StoredRows> compare(const ModelRun &run) override;
  Result<std::map<std::string, ClippedRange>>
  clippedRanges(const ModelRun &run) override;
  Result<std::vector<uint8_t>> convertAgain() override {
    return convert(options);
  }
  bool isOfThisVersion() const override {
    const auto *producer = net.stages.front().debugMap->producer();
    return producer && producer->string_view() == driver::kProducer;
  }
  bool isQuick() const override {
    return options.optLevel != driver::OptLevel::O3;
  }
  Result<std::vector<uint8_t>> convertPlainly() override {
    driver::CompileOptions plain = options;
    plain.optLevel = driver::OptLevel::O0;
    return convert(plain);
  }

private:
  /// The graph of the stage that ran.
  Result<driver::ExactGraph *> graphOf(const ModelRun &run);
  Result<std::vector<uint8_t>> convert(const driver::CompileOptions &with);
  driver::CompilationSource sourceOf(const driver::InputShapes &shapes) const {
    return {model.onnx, shapes,    model.bindings,
            plugins,    model.cut, model.fused ? &*model.fused : nullptr};
  }

  const ReferenceModel &model;
  rt::Bmodel program; ///< shares what `net` lies in
  const rt::NetSpec &net;
  driver::CompileOptions options;
  driver::Plugins plugins; ///< outlives the graphs
  std::map<size_t, std::unique_ptr<driver::ExactGraph>> graphs; ///< by stage
};
} // namespace

static driver::InputShapes shapesOf(const std::vector<rt::TensorSpec> &inputs,
                                    const ReferenceModel &model) {
  driver::InputShapes shapes = model.emptyInputs;
  for (const rt::TensorSpec &input : inputs)
    shapes[input.name] = input.shape;
  return shapes;
}

/// The shapes that the model may have had for these inputs: what is fused may
/// have changed the layout.
static std::vector<driver::InputShapes>
possibleShapes(const std::vector<rt::TensorSpec> &inputs,
               const ReferenceModel &model) {
  std::vector<driver::InputShapes> shapes{shapesOf(inputs, model)};
  if (!model.fused || inputs.size() != 1)
    return shapes;
  NamedTensors image{
      {inputs[0].name, HostTensor(inputs[0].type, inputs[0].shape)}};
  if (std::optional<driver::InputShapes> other = inOtherLayout(image))
    shapes.push_back(*std::move(other));
  return shapes;
}

Result<driver::ExactGraph *> Exact::graphOf(const ModelRun &run) {
  std::unique_ptr<driver::ExactGraph> &graph = graphs[run.stage];
  if (graph)
    return graph.get();
  rt::Status problem;
  for (const driver::InputShapes &shapes :
       possibleShapes(run.inputSpecs, model)) {
    auto opened = driver::ExactGraph::open(sourceOf(shapes), options);
    if (opened) {
      graph = *std::move(opened);
      return graph.get();
    }
    if (problem)
      problem = opened.status();
  }
  return problem;
}

Result<std::vector<uint8_t>>
Exact::convert(const driver::CompileOptions &with) {
  if (!isOfThisVersion())
    return rt::fail(Code::NotFound, model.program + ": another version than " +
                                        std::string(driver::kProducer) +
                                        " has converted it");
  if (options.search.cache == driver::kSomeCache)
    return rt::fail(Code::NotFound,
                    model.program + ": its search went on from a cache, "
                                    "without which it cannot be made again");
  std::vector<std::vector<driver::InputShapes>> stages;
  for (const rt::StageSpec &stage : net.stages)
    stages.push_back(possibleShapes(stage.inputs, model));
  rt::Status problem;
  auto hasFewest = [](const auto &a, const auto &b) {
    return a.size() < b.size();
  };
  size_t layouts =
      std::min_element(stages.begin(), stages.end(), hasFewest)->size();
  for (size_t layout = 0; layout < layouts; ++layout) {
    std::vector<driver::CompilationSource> sources;
    for (const std::vector<driver::InputShapes> &shapes : stages)
      sources.push_back(sourceOf(shapes[layout]));
    auto bytes = driver::compileStages(sources, with);
    if (bytes)
      return bytes;
    if (problem)
      problem = bytes.status();
  }
  return problem;
}

/// The same elements in the type of `like`.
static HostTensor inTypeOf(const HostTensor &like, const HostTensor &tensor) {
  HostTensor result(like.type(), like.shape());
  driver::convertStored(tensor, result);
  return result;
}

Result<std::map<std::string, ExactReference::ClippedRange>>
Exact::clippedRanges(const ModelRun &run) {
  std::map<std::string, ClippedRange> ranges;
  if (options.calibration.empty())
    return ranges;
  Result<driver::ExactGraph *> graph = graphOf(run);
  if (!graph)
    return graph.status();
  auto table = quantize::CalibrationTable::read(options.calibration);
  if (!table) {
    llvm::consumeError(table.takeError());
    return ranges;
  }
  for (const auto &[name, codes] : (*graph)->codesOfFloats())
    if (const quantize::CalibrationEntry *entry = table->find(name))
      ranges[name] = {codes.least, codes.most, entry->min, entry->max};
  return ranges;
}

/// The distance of the floats around 1 that such a program computes with.
static double stepOf(comparison::Precision precision) {
  switch (precision) {
  case comparison::Precision::F32:
    return 0x1p-23;
  case comparison::Precision::Bf16:
    return 0x1p-7;
  default:
    return 0x1p-10;
  }
}

/// The inputs as the program stores them: codes for reals.
static NamedTensors storedInputs(const ModelRun &run) {
  NamedTensors inputs = namedInputs(run);
  for (const rt::TensorSpec &spec : run.inputSpecs) {
    HostTensor &given = inputs[spec.name];
    if (!spec.isQuantized() || !numeric::isFloatType(given.type()))
      continue;
    std::vector<double> reals = numeric::loadDoubles(given);
    for (double &real : reals) // as rt::Session does
      real = std::nearbyint(real * double(spec.scale) + double(spec.zeroPoint));
    HostTensor codes(spec.storedType, given.shape());
    numeric::storeDoubles(reals, codes);
    given = std::move(codes);
  }
  return inputs;
}

Result<StoredRows> Exact::compare(const ModelRun &run) {
  Result<driver::ExactGraph *> graph = graphOf(run);
  if (!graph)
    return graph.status();
  driver::ExactGraph::Tensors values;
  for (const rt::CapturedValue &value : run.layers)
    if (value.complete)
      values[value.name] = value.stored;
  Result<driver::ExactGraph::OwnValues> own =
      (*graph)->evaluateOnOwnInputs(storedInputs(run), values);
  if (!own)
    return own.status();
  StoredRows rows;
  auto add = [&](const std::string &name, bool isOutput,
                 const HostTensor &value, const HostTensor &expected) {
    rows.push_back(compareStored(name, isOutput, value, expected,
                                 stepOf(run.precision), Equality::Roundings));
  };
  for (const std::string &name : own->order)
    add(name, /*isOutput=*/false, values[name], own->layers[name]);
  for (size_t i = 0; i < run.outputs.size(); ++i) {
    auto found = own->outputs.find(run.outputSpecs[i].name);
    // Sizes of some outputs of the host depend on data.
    if (found != own->outputs.end() &&
        found->second.elements() == run.outputs[i].elements())
      add(run.outputSpecs[i].name, /*isOutput=*/true, run.outputs[i],
          inTypeOf(run.outputs[i], found->second));
  }
  return rows;
}

Result<std::unique_ptr<ExactReference>>
ExactReference::open(const ReferenceModel &model, const rt::Bmodel &program,
                     const rt::NetSpec &net, const std::string &calibration) {
  std::string fused = driver::recordedFusion(net),
              given = model.fused ? driver::fusedSettings(*model.fused) : "";
  if (!fused.empty() && given != fused)
    return rt::fail(
        Code::InvalidArgument,
        model.program + ": was converted with --fuse-preprocess and " + fused +
            (given.empty() ? ""
                           : "; with --fuse-preprocess and " + given +
                                 " it would be another program") +
            "; give the numbers that it has in it, or convert it again");
  Result<driver::CompileOptions> options =
      driver::recordedOptions(program, net, model.program, calibration);
  if (!options)
    return options.status();
  auto exact =
      std::make_unique<Exact>(model, program, net, *std::move(options));
  WEFT_TRY(exact->load());
  return std::unique_ptr<ExactReference>(std::move(exact));
}

#else

weft::rt::Result<std::unique_ptr<weft::cli::ExactReference>>
weft::cli::ExactReference::open(const ReferenceModel &model, const rt::Bmodel &,
                                const rt::NetSpec &, const std::string &) {
  return rt::fail(rt::Code::Unsupported,
                  "unsupported: this build has no compiler to evaluate " +
                      model.onnx);
}

#endif
