#include "tools/weft/ModelFlags.h"

#include "runtime/status/Quote.h"
#include "tools/weft/Bindings.h"
#include "tools/weft/StandardInput.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

using namespace weft;
using namespace weft::cli;

void cli::addModelFlags(CLI::App &command, ModelFlags &flags) {
  mayBeStandardInput(
      command.add_option("model", flags.model, "The model ('-': stdin)"))
      ->required()
      ->check(nonEmptyValue())
      ->type_name("MODEL.onnx");
  command
      .add_option("--shape", flags.shapes,
                  "Shape of an input, or size of a named dimension (batch=4); "
                  "needed where the model leaves sizes open. convert takes "
                  "several sizes of an axis, one stage of the bmodel for each "
                  "combination: 64..640:64 with a step, 1..8 in powers of two, "
                  "(48|64|80). x[0]=4: one axis of input x. Of a sequence S: "
                  "S[0]=AxB.. a tensor, S=2 their number, S=empty; o=none: an "
                  "optional without a value")
      ->type_name("NAME=AxBx..")
      ->take_all();
  command
      .add_option("--batch", flags.batch,
                  "Size of the first axis of every input that the model leaves "
                  "open or fixes to 1; convert takes several: 1..8, (1|2|4)")
      ->check(nonEmptyValue())
      ->type_name("N");
  addCutFlags(command, flags.cut);
  addBindFlag(command, flags.bindings);
  addPluginFlag(command, flags.plugins);
}

std::vector<tools::NamedInput> cli::filesOf(const ModelFlags &flags) {
  std::vector<tools::NamedInput> files = {{"the model", flags.model}};
  for (const std::string &binding : flags.bindings)
    files.push_back(
        {"a file of --bind", binding.substr(binding.find('=') + 1)});
  for (const std::string &plugin : flags.plugins)
    files.push_back({"a file of --plugin", plugin});
  return files;
}

ExitCode cli::reportFailure(const driver::Compilation &compilation) {
  rt::Status cause = compilation.failureCause();
  return cause.code() == rt::Code::Internal ? reportError(cause)
                                            : ExitCode::UserError;
}

std::optional<ExitCode> cli::importModel(const ModelFlags &flags,
                                         driver::Plugins &plugins,
                                         driver::Compilation &compilation) {
  rt::Result<driver::InputShapes> shapes = parseShapes(flags);
  if (!shapes)
    return reportError(shapes.status());
  rt::Result<NamedTensors> bindings =
      readBindings(flags.bindings, flags.model, flags.cut);
  if (!bindings)
    return reportError(bindings.status());
  if (rt::Status status = plugins.load(flags.plugins); !status)
    return reportError(status);
  compilation.use(plugins);
  // So that the values of all branches are there.
  compilation.selectsBranches = true;
  if (failed(compilation.import(flags.model, *shapes, *bindings, flags.cut)))
    return reportFailure(compilation);
  return std::nullopt;
}

rt::Result<driver::InputShapes> cli::parseShapes(const ModelFlags &flags) {
  rt::Result<driver::ShapeRanges> ranges =
      driver::parseShapeRanges(flags.shapes, flags.batch);
  if (!ranges)
    return ranges.status();
  rt::Result<std::vector<driver::InputShapes>> all = driver::shapesOf(*ranges);
  if (!all)
    return all.status();
  if (all->size() != 1)
    return rt::fail(rt::Code::InvalidArgument,
                    "the sizes given ask for " + std::to_string(all->size()) +
                        " shapes, this command works on one; give one size "
                        "for every axis");
  return all->front();
}
