#include "tools/weft/Bindings.h"
#include "tools/weft/StandardInput.h"

#include "runtime/status/Quote.h"
#include "tools/npz/Npz.h"
#include "tools/weft/Program.h"

#include <tuple>

#ifdef WEFT_WITH_COMPILER
#include "frontend/onnx/Import.h"
#endif

using namespace weft;
using namespace weft::cli;
using numeric::HostTensor;
using rt::Code;
using rt::Result;

void cli::addBindFlag(CLI::App &command, std::vector<std::string> &texts) {
  mayBeStandardInput(
      command.add_option(
          "--bind", texts,
          "Constant in place of an input: the array NAME of the file, "
          "or its only one"))
      ->type_name("NAME=FILE.npz")
      ->take_all();
}

void cli::addCutFlags(CLI::App &command, onnx::GraphCut &cut) {
  for (const auto &[option, names, help] :
       {std::tuple("--inputs", &cut.inputs,
                   "Values that become the inputs, in place of the model's: "
                   "what is computed before them is left out. Their sizes: "
                   "--shape"),
        std::tuple("--outputs", &cut.outputs,
                   "Values that become the outputs, in place of the model's: "
                   "what only others need is left out")})
    command.add_option(option, *names, help)
        ->check(nonEmptyValue())
        ->type_name("NAME,..")
        ->take_all();
}

/// The array `array` of a file for input `name`.
static Result<HostTensor>
readFitting(const npz::Reader &archive, const std::string &array,
            [[maybe_unused]] const std::string &name,
            [[maybe_unused]] const std::string &model,
            [[maybe_unused]] const onnx::GraphCut &cut) {
#ifdef WEFT_WITH_COMPILER // nobody else reads models
  constexpr int64_t kSmallElements = 1 << 20;
  const npz::NpyHeader &header = *archive.header(array);
  if (header.elements > kSmallElements)
    if (std::string problem =
            onnx::bindingProblem(model, name, header.shape, cut);
        !problem.empty())
      return rt::fail(Code::ShapeMismatch, model + ": " + problem);
#endif
  return archive.read(array);
}

/// The array for input `name` of a file.
static Result<HostTensor> readBinding(const std::string &name,
                                      const std::string &file,
                                      const std::string &model,
                                      const onnx::GraphCut &cut) {
  Result<npz::Reader> archive = npz::Reader::open(file);
  if (!archive)
    return archive.status();
  if (archive->header(name))
    return readFitting(*archive, name, name, model, cut);
  if (archive->names().size() == 1)
    return readFitting(*archive, archive->names().front(), name, model, cut);
  std::string found;
  for (const std::string &other : archive->names())
    found += (found.empty() ? "" : ", ") + rt::quoteName(other);
  return rt::fail(Code::NotFound, file + ": no array for input " +
                                      rt::quoteName(name) + "; the file has " +
                                      (found.empty() ? "none" : found));
}

Result<NamedTensors> cli::readBindings(const std::vector<std::string> &texts,
                                       const std::string &model,
                                       const onnx::GraphCut &cut) {
  NamedTensors bindings;
  for (const std::string &text : texts) {
    auto bad = [&](const std::string &why) {
      return rt::fail(Code::InvalidArgument,
                      "--bind " + rt::quoteName(text) + ": " + why);
    };
    // Names of inputs hold '=' as rarely as paths do; paths come last.
    size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      return bad("no name before '='; write NAME=FILE.npz");
    std::string name = text.substr(0, equals);
    Result<HostTensor> tensor =
        readBinding(name, text.substr(equals + 1), model, cut);
    if (!tensor)
      return tensor.status().withContext("--bind");
    if (!bindings.emplace(name, *std::move(tensor)).second)
      return bad("input " + rt::quoteName(name) + " is bound twice");
  }
  return bindings;
}

void cli::addPluginFlag(CLI::App &command, std::vector<std::string> &plugins) {
  command
      .add_option("--plugin", plugins,
                  "Library of operators written as PPL kernels (ppl/plugin.h); "
                  "they go before the built-in ones. It runs in this process")
      ->type_name("LIB.so")
      ->take_all();
}
