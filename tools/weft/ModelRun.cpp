#include "tools/weft/ModelRun.h"
#include "runtime/bmodel/Certificate.h"
#include "runtime/device/EmulatorDevice.h"
#include "runtime/profile/Profile.h"
#include "runtime/zhouyi/Session.h"
#include "tools/weft/CipherLibrary.h"
#include "tools/weft/DeviceFlags.h"
#include "tools/weft/InputArrays.h"
#include "tools/weft/Program.h"
#include "tools/weft/ProgramPrecision.h"
#include "tools/weft/StandardInput.h"

#include <chrono>

using namespace weft;
using namespace weft::cli;
using numeric::HostTensor;
using rt::Result;
using rt::Status;

CLI::Option *cli::addInputFlag(CLI::App &command, RunRequest &request,
                               const std::string &help) {
  return mayBeStandardInput(
             command.add_option("-i,--input", request.inputs, help))
      ->required()
      ->allow_extra_args(false)
      ->type_name("[NAME=]FILE");
}

void cli::addRunFlags(CLI::App &command, RunRequest &request) {
  command.add_option("--net", request.net, "Net to run, if there are several")
      ->check(nonEmptyValue())
      ->type_name("NAME");
  addDeviceFlags(command, request.device);
  addPreprocessFlags(command, request.preprocess);
}

/// The files with images made for the inputs of `net`.
static Result<samples::Sample> openInputs(const RunRequest &request,
                                          const samples::SampleFiles &files,
                                          const rt::NetSpec &net) {
  Result<std::optional<preprocess::Options>> options =
      readPreprocessFlags(request.preprocess);
  if (!options)
    return options.status();
  if (request.isFused && *options) {
    *options = preprocess::unfused(**options);
    if (!samples::checkAnyImage({files}))
      options->reset();
  }
  return openSample({files, *std::move(options)}, net);
}

static size_t entriesOfBatchOf(const RunRequest &request,
                               const samples::SampleFiles &files,
                               const rt::NetSpec &net) {
  Result<samples::Sample> sample = openInputs(request, files, net);
  return sample ? entriesOfBatch(*sample, net) : 1; // is told by the run
}

static Status needsEmulator(const RunRequest &request) {
  return rt::fail(rt::Code::InvalidArgument,
                  std::string(request.layersOption) +
                      " needs --device emulator: a board does not show values "
                      "inside the program");
}

/// Attaches a capture if layers are asked for.
static Result<std::unique_ptr<rt::LayerCapture>>
attachCapture(const RunRequest &request, rt::Session &session) {
  if (!request.layers)
    return std::unique_ptr<rt::LayerCapture>();
  auto *emulator = dynamic_cast<rt::EmulatorDevice *>(&session.device());
  if (!emulator)
    return needsEmulator(request);
  Result<std::unique_ptr<rt::LayerCapture>> capture =
      rt::LayerCapture::attach(*emulator, session.stage());
  if (!capture)
    return capture.status().withContext(request.model + ": " +
                                        request.layersOption);
  return capture;
}

/// Frees the arrays when `runner` (a session or its device) has read them,
/// unless somebody wants them later.
template <class Runner>
static void freeWhenRead(const RunRequest &request, Runner &runner,
                         std::vector<HostTensor> &inputs) {
  if (!request.keepsInputs)
    runner.setInputsRead([&inputs] { inputs.clear(); });
}

namespace {

class BmodelRunner : public ModelRunner {
public:
  BmodelRunner(const RunRequest &request, rt::Bmodel model,
               const rt::NetSpec &net)
      : request(request), model(std::move(model)), net(net) {}

  size_t entriesOfBatch(const samples::SampleFiles &files) override {
    return entriesOfBatchOf(request, files, net);
  }
  Result<ModelRun> run(const samples::SampleFiles &files) override;
  Result<RunTimes> repeat(const ModelRun &first, size_t runs,
                          size_t sessions) override;
  std::optional<double> predictSeconds(size_t stage) const override;

private:
  /// The session of `stage`, which stays open for the next sample.
  Status openStage(size_t stage);

  RunRequest request;
  rt::Bmodel model;
  const rt::NetSpec &net;
  std::optional<size_t> openedStage;
  comparison::Precision precision = comparison::Precision::F32; ///< of it
  std::optional<rt::Session> session;
  std::unique_ptr<rt::LayerCapture> capture; ///< goes before its device
};

class ProgramRunner : public ModelRunner {
public:
  ProgramRunner(const RunRequest &request,
                std::shared_ptr<const zhouyi::Program> program,
                zhouyi::Session session);

  size_t entriesOfBatch(const samples::SampleFiles &files) override {
    return entriesOfBatchOf(request, files, net);
  }
  Result<ModelRun> run(const samples::SampleFiles &files) override;
  Result<RunTimes> repeat(const ModelRun &first, size_t runs,
                          size_t sessions) override;
  /// The cycle model is the chip's.
  std::optional<double> predictSeconds(size_t) const override {
    return std::nullopt;
  }

private:
  RunRequest request;
  std::shared_ptr<const zhouyi::Program> program;
  zhouyi::Session session;
  /// What the checks of arrays know: one stage of one net.
  rt::NetSpec net;
};

} // namespace

Status BmodelRunner::openStage(size_t stage) {
  if (openedStage == stage)
    return Status::ok();
  if (request.needsCertificate)
    WEFT_TRY(rt::checkCertificate(model, net, stage));
  // Before the vendor's library is loaded, which may be missing.
  if (request.layers &&
      request.device.kind != rt::DeviceOptions::Kind::Emulator)
    return needsEmulator(request);
  capture.reset();
  session.reset();
  openedStage.reset();
  Result<rt::Session> opened =
      rt::Session::open(request.device, model, net, stage);
  if (!opened)
    return opened.status();
  session = *std::move(opened);
  Result<std::unique_ptr<rt::LayerCapture>> attached =
      attachCapture(request, *session);
  if (!attached)
    return attached.status();
  capture = *std::move(attached);
  openedStage = stage;
  if (request.findsPrecision)
    precision = precisionOf(net, stage, model.chip());
  return Status::ok();
}

Result<ModelRun> BmodelRunner::run(const samples::SampleFiles &files) {
  Result<samples::Sample> sample = openInputs(request, files, net);
  if (!sample)
    return sample.status();
  Result<rt::StageChoice> choice = chooseStage(*sample, net);
  if (!choice)
    return choice.status();
  Result<std::vector<HostTensor>> inputs =
      readInputs(*sample, net.stages[choice->stage]);
  if (!inputs)
    return inputs.status();
  WEFT_TRY(openStage(choice->stage));
  freeWhenRead(request, session->device(), *inputs);
  auto begin = std::chrono::steady_clock::now();
  Result<std::vector<HostTensor>> outputs =
      session->run(inputElements(*inputs), choice->entries);
  std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  if (!outputs)
    return outputs.status();
  ModelRun run;
  if (capture)
    run.layers = capture->values();
  run.net = net.name;
  run.stage = choice->stage;
  run.entries = choice->entries;
  run.inputSpecs = session->stage().inputs;
  run.outputSpecs = session->stage().outputs;
  run.usesHost = session->stage().usesHost();
  run.inputs = *std::move(inputs);
  run.outputs = *std::move(outputs);
  run.precision = precision;
  if (request.device.kind == rt::DeviceOptions::Kind::Bmrt)
    run.device = "bmrt";
  run.seconds = time.count();
  return run;
}

static std::vector<std::string> outputNames(const ModelRun &run) {
  std::vector<std::string> names;
  for (const rt::TensorSpec &spec : run.outputSpecs)
    names.push_back(spec.name);
  return names;
}

Result<RunTimes> BmodelRunner::repeat(const ModelRun &first, size_t runs,
                                      size_t count) {
  const std::vector<rt::InputElements> inputs = inputElements(first.inputs);
  std::vector<rt::Session> others; // beside the one that is open
  for (size_t i = 1; i < count; ++i) {
    Result<rt::Session> opened =
        rt::Session::open(request.device, model, net, first.stage);
    if (!opened)
      return opened.status();
    others.push_back(*std::move(opened));
  }
  std::vector<RunOnce> sessions;
  for (size_t i = 0; i < count; ++i) {
    rt::Session &one = i == 0 ? *session : others[i - 1];
    sessions.push_back(
        [&one, &inputs, &first] { return one.run(inputs, first.entries); });
  }
  return repeatRuns(sessions, runs, outputNames(first), first.outputs);
}

std::optional<double> BmodelRunner::predictSeconds(size_t stage) const {
  Result<profile::Profile> profile =
      profile::profileStage(model, net.stages[stage]);
  return profile ? std::optional<double>(profile->seconds()) : std::nullopt;
}

Result<std::unique_ptr<ModelRunner>>
ModelRunner::open(const RunRequest &request, const rt::Bmodel &model) {
  Result<const rt::NetSpec *> net = chooseNet(model, request.net);
  if (!net)
    return net.status();
  return std::unique_ptr<ModelRunner>(new BmodelRunner(request, model, **net));
}

/// Options that choose among devices and nets mean nothing to a program.
static rt::Status refuseOptions(const RunRequest &request) {
  const char *option =
      request.device.kind == rt::DeviceOptions::Kind::Bmrt ? "--device bmrt"
      : request.device.order == rt::DeviceOptions::Order::Adversarial
          ? "--order adversarial"
      : !request.net.empty()     ? "--net"
      : request.needsCertificate ? "--require-certificate"
                                 : nullptr;
  return option ? rt::fail(rt::Code::InvalidArgument,
                           request.model +
                               ": a program of vector operations "
                               "is one net and has one machine; "
                               "leave out " +
                               option)
                : rt::Status::ok();
}

ProgramRunner::ProgramRunner(const RunRequest &request,
                             std::shared_ptr<const zhouyi::Program> program,
                             zhouyi::Session opened)
    : request(request), program(std::move(program)),
      session(std::move(opened)) {
  net.name = session.machine().program().name;
  net.stages.resize(1);
  net.stages[0].inputs = session.inputs();
  net.stages[0].outputs = session.outputs();
}

Result<ModelRun> ProgramRunner::run(const samples::SampleFiles &files) {
  Result<samples::Sample> sample = openInputs(request, files, net);
  if (!sample)
    return sample.status();
  Result<rt::StageChoice> choice = chooseStage(*sample, net);
  if (!choice)
    return choice.status();
  Result<std::vector<HostTensor>> inputs = readInputs(*sample, net.stages[0]);
  if (!inputs)
    return inputs.status();
  ModelRun run;
  freeWhenRead(request, session, *inputs);
  auto begin = std::chrono::steady_clock::now();
  Result<std::vector<HostTensor>> outputs = session.run(
      inputElements(*inputs), request.layers ? &run.layers : nullptr);
  std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  if (!outputs)
    return outputs.status().withContext(request.model);
  run.net = net.name;
  run.inputSpecs = session.inputs();
  run.outputSpecs = session.outputs();
  run.inputs = *std::move(inputs);
  run.outputs = *std::move(outputs);
  run.precision = precisionOf(session.machine().program());
  run.device = "zhouyi";
  run.seconds = time.count();
  return run;
}

static Result<zhouyi::Session>
openSession(const RunRequest &request,
            const std::shared_ptr<const zhouyi::Program> &program) {
  Result<zhouyi::Session> session = zhouyi::Session::open(program);
  if (!session)
    return session.status().withContext(request.model);
  session->setTimeLimit(request.device.timeLimitSeconds);
  return session;
}

Result<RunTimes> ProgramRunner::repeat(const ModelRun &first, size_t runs,
                                       size_t count) {
  const std::vector<rt::InputElements> inputs = inputElements(first.inputs);
  std::vector<zhouyi::Session> others; // beside the one that is open
  for (size_t i = 1; i < count; ++i) {
    Result<zhouyi::Session> opened = openSession(request, program);
    if (!opened)
      return opened.status();
    others.push_back(*std::move(opened));
  }
  std::vector<RunOnce> sessions;
  for (size_t i = 0; i < count; ++i) {
    zhouyi::Session &one = i == 0 ? session : others[i - 1];
    sessions.push_back([&one, &inputs] { return one.run(inputs); });
  }
  return repeatRuns(sessions, runs, outputNames(first), first.outputs);
}

static Result<std::unique_ptr<ModelRunner>>
openProgram(const RunRequest &request) {
  WEFT_TRY(refuseOptions(request));
  Result<zhouyi::ProgramFile> file = zhouyi::loadProgramFile(request.model);
  if (!file)
    return file.status();
  auto program =
      std::make_shared<const zhouyi::Program>(std::move(file->program));
  Result<zhouyi::Session> session = openSession(request, program);
  if (!session)
    return session.status();
  return std::unique_ptr<ModelRunner>(
      new ProgramRunner(request, program, *std::move(session)));
}

Result<std::unique_ptr<ModelRunner>>
ModelRunner::open(const RunRequest &request) {
  if (!request.decryptLibrary.empty()) {
    Result<std::vector<uint8_t>> plain =
        decryptModel(request.model, request.decryptLibrary);
    if (!plain)
      return plain.status();
    Result<rt::Bmodel> model =
        rt::Bmodel::load(*std::move(plain), request.model);
    return model ? open(request, *model)
                 : Result<std::unique_ptr<ModelRunner>>(model.status());
  }
  if (zhouyi::isProgramFile(request.model))
    return openProgram(request);
  Result<rt::Bmodel> model = rt::Bmodel::load(request.model);
  return model ? open(request, *model)
               : Result<std::unique_ptr<ModelRunner>>(model.status());
}

std::map<std::string, HostTensor> cli::namedInputs(const ModelRun &run) {
  std::map<std::string, HostTensor> inputs;
  for (size_t i = 0; i < run.inputs.size(); ++i)
    inputs[run.inputSpecs[i].name] = run.inputs[i];
  return inputs;
}
