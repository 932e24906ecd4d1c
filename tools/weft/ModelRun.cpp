#include "tools/weft/ModelRun.h"
#include "runtime/device/EmulatorDevice.h"
#include "runtime/zhouyi/Session.h"
#include "tools/weft/DeviceFlags.h"
#include "tools/weft/InputArrays.h"
#include "tools/weft/Program.h"

#include <chrono>

using namespace weft;
using namespace weft::cli;
using numeric::HostTensor;
using rt::Result;

void cli::addInputFlag(CLI::App &command, RunRequest &request,
                       const std::string &help) {
  command.add_option("-i,--input", request.inputs, help)
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

static Result<samples::Sample> openInputs(const RunRequest &request,
                                          const rt::NetSpec &net) {
  Result<samples::SampleFiles> files = samples::parseFiles(request.inputs);
  if (!files)
    return files.status().withContext("--input");
  Result<std::optional<preprocess::Options>> options =
      readPreprocessFlags(request.preprocess);
  if (!options)
    return options.status();
  if (request.isFused && *options) {
    *options = preprocess::unfused(**options);
    if (!samples::checkAnyImage({*files}))
      options->reset();
  }
  return openSample({*std::move(files), *std::move(options)}, net);
}

/// Attaches a capture if layers are asked for.
static Result<std::unique_ptr<rt::LayerCapture>>
attachCapture(const RunRequest &request, rt::Session &session) {
  if (!request.layers)
    return std::unique_ptr<rt::LayerCapture>();
  auto *emulator = dynamic_cast<rt::EmulatorDevice *>(&session.device());
  if (!emulator)
    return rt::fail(rt::Code::InvalidArgument,
                    "--per-layer needs --device emulator: a board does not "
                    "show values inside the program");
  Result<std::unique_ptr<rt::LayerCapture>> capture =
      rt::LayerCapture::attach(*emulator, session.stage());
  if (!capture)
    return capture.status().withContext(request.model + ": --per-layer");
  return capture;
}

static Result<ModelRun> runBmodel(const RunRequest &request) {
  Result<rt::Bmodel> model = rt::Bmodel::load(request.model);
  if (!model)
    return model.status();
  Result<const rt::NetSpec *> net = chooseNet(*model, request.net);
  if (!net)
    return net.status();
  Result<samples::Sample> sample = openInputs(request, **net);
  if (!sample)
    return sample.status();
  Result<rt::StageChoice> choice = chooseStage(*sample, **net);
  if (!choice)
    return choice.status();
  size_t stage = choice->stage;
  Result<std::vector<HostTensor>> inputs =
      readInputs(*sample, (*net)->stages[stage]);
  if (!inputs)
    return inputs.status();
  Result<rt::Session> session =
      rt::Session::open(request.device, *model, **net, stage);
  if (!session)
    return session.status();
  Result<std::unique_ptr<rt::LayerCapture>> capture =
      attachCapture(request, *session);
  if (!capture)
    return capture.status();
  auto begin = std::chrono::steady_clock::now();
  Result<std::vector<HostTensor>> outputs =
      session->run(inputElements(*inputs), choice->entries);
  std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  ModelRun run;
  if (*capture)
    run.layers = (*capture)->values();
  capture->reset(); // before its device
  if (!outputs)
    return outputs.status();
  run.net = (*net)->name;
  run.stage = stage;
  run.entries = choice->entries;
  run.inputSpecs = session->stage().inputs;
  run.outputSpecs = session->stage().outputs;
  run.inputs = *std::move(inputs);
  run.outputs = *std::move(outputs);
  if (request.device.kind == rt::DeviceOptions::Kind::Bmrt)
    run.device = "bmrt";
  run.seconds = time.count();
  return run;
}

/// Options that choose among devices and nets mean nothing to a program.
static rt::Status refuseOptions(const RunRequest &request) {
  const char *option = request.device.kind == rt::DeviceOptions::Kind::Bmrt
                           ? "--device bmrt"
                       : !request.net.empty() ? "--net"
                                              : nullptr;
  return option ? rt::fail(rt::Code::InvalidArgument,
                           request.model +
                               ": a program of vector operations "
                               "is one net and has one machine; "
                               "leave out " +
                               option)
                : rt::Status::ok();
}

static Result<ModelRun> runProgram(const RunRequest &request) {
  WEFT_TRY(refuseOptions(request));
  Result<zhouyi::ProgramFile> file = zhouyi::loadProgramFile(request.model);
  if (!file)
    return file.status();
  Result<zhouyi::Session> session = zhouyi::Session::open(
      std::make_shared<zhouyi::Program>(std::move(file->program)));
  if (!session)
    return session.status().withContext(request.model);
  // What the checks of arrays know: one stage of one net.
  rt::NetSpec net;
  net.name = session->machine().program().name;
  net.stages.resize(1);
  net.stages[0].inputs = session->inputs();
  net.stages[0].outputs = session->outputs();
  Result<samples::Sample> sample = openInputs(request, net);
  if (!sample)
    return sample.status();
  Result<rt::StageChoice> choice = chooseStage(*sample, net);
  if (!choice)
    return choice.status();
  Result<std::vector<HostTensor>> inputs = readInputs(*sample, net.stages[0]);
  if (!inputs)
    return inputs.status();
  ModelRun run;
  auto begin = std::chrono::steady_clock::now();
  Result<std::vector<HostTensor>> outputs = session->run(
      inputElements(*inputs), request.layers ? &run.layers : nullptr);
  std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  if (!outputs)
    return outputs.status().withContext(request.model);
  run.net = net.name;
  run.inputSpecs = session->inputs();
  run.outputSpecs = session->outputs();
  run.inputs = *std::move(inputs);
  run.outputs = *std::move(outputs);
  run.device = "zhouyi";
  run.seconds = time.count();
  return run;
}

Result<ModelRun> cli::runModel(const RunRequest &request) {
  return zhouyi::isProgramFile(request.model) ? runProgram(request)
                                              : runBmodel(request);
}
