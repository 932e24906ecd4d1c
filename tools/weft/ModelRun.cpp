#include "tools/weft/ModelRun.h"
#include "tools/npz/Npz.h"
#include "tools/weft/InputArrays.h"

#include <chrono>

using namespace weft;
using namespace weft::cli;
using numeric::HostTensor;
using rt::Result;

Result<ModelRun> cli::runModel(const RunRequest &request,
                               const SessionHook &before,
                               const SessionHook &after) {
  Result<rt::Bmodel> model = rt::Bmodel::load(request.model);
  if (!model)
    return model.status();
  Result<const rt::NetSpec *> net = chooseNet(*model, request.net);
  if (!net)
    return net.status();
  Result<npz::Reader> archive = npz::Reader::open(request.input);
  if (!archive)
    return archive.status();
  Result<rt::StageChoice> choice = chooseStage(*archive, **net);
  if (!choice)
    return choice.status();
  size_t stage = choice->stage;
  Result<std::vector<HostTensor>> inputs =
      readInputs(*archive, (*net)->stages[stage]);
  if (!inputs)
    return inputs.status();
  Result<rt::Session> session =
      rt::Session::open(request.device, *model, **net, stage);
  if (!session)
    return session.status();
  if (before)
    WEFT_TRY(before(*session));
  auto begin = std::chrono::steady_clock::now();
  Result<std::vector<HostTensor>> outputs =
      session->run(inputElements(*inputs), choice->entries);
  std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  // Even after a failed run: what looks at the device must let go of it.
  if (after)
    WEFT_TRY(after(*session));
  if (!outputs)
    return outputs.status();
  ModelRun run;
  run.net = (*net)->name;
  run.stage = stage;
  run.entries = choice->entries;
  run.inputSpecs = session->stage().inputs;
  run.outputSpecs = session->stage().outputs;
  run.inputs = *std::move(inputs);
  run.outputs = *std::move(outputs);
  run.seconds = time.count();
  return run;
}
