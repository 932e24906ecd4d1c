#include "tools/weft/OnnxRuntime.h"
#include "runtime/status/Format.h"
#include "tools/files/OutputFile.h"
#include "tools/npz/Npz.h"
#include "tools/weft/OnnxRuntimeScript.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>

using namespace weft;
using namespace weft::cli;
using Json = nlohmann::ordered_json;
using numeric::HostTensor;
using rt::Code;
using rt::Result;

static constexpr const char *kPythonVariable = "WEFT_PYTHON";
static constexpr const char *kWhatFor = "--reference onnxruntime: ";

/// In ASCII, whatever the encoding of Python's stdin is. Names in models need
/// not be UTF-8; the other side refuses such a model.
static std::string lineOf(const Json &json) {
  return json.dump(-1, ' ', /*ensure_ascii=*/true,
                   Json::error_handler_t::replace);
}

/// The text at `key` of an object, if there is one.
static std::optional<std::string> textOf(const Json &json, const char *key) {
  auto found = json.find(key);
  if (found == json.end() || !found->is_string())
    return std::nullopt;
  return found->get<std::string>();
}

/// What a value is in an answer: its name, and whether it is an output.
static bool isValue(const Json &json) {
  return json.is_array() && json.size() == 2 && json[0].is_string() &&
         json[1].is_boolean();
}

/// What a library says, as a part of one line.
static std::string onOneLine(std::string text) {
  for (char &c : text)
    if (static_cast<unsigned char>(c) < 0x20)
      c = ' ';
  return text;
}

/// The last line of a text that is not empty, not all of a long one. Libraries
/// that cannot be imported give pages of advice, and at their end the error.
static std::string lastLineOf(std::string_view text) {
  constexpr size_t kMostBytes = 300;
  text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  text.remove_prefix(text.rfind('\n') + 1); // npos + 1 is 0
  return onOneLine(std::string(text.substr(0, kMostBytes))) +
         (text.size() > kMostBytes ? ".." : "");
}

Result<std::unique_ptr<OnnxRuntime>>
OnnxRuntime::open(const std::string &model, bool withLayers,
                  const std::vector<std::string> &outputs) {
  std::unique_ptr<OnnxRuntime> runtime(new OnnxRuntime);
  const char *given = std::getenv(kPythonVariable);
  runtime->model = model;
  runtime->withLayers = withLayers;
  runtime->python = given && *given ? given : "python3";
  Result<std::unique_ptr<tools::TemporaryFolder>> folder =
      tools::TemporaryFolder::make("weft-onnxruntime");
  if (!folder)
    return folder.status();
  runtime->folder = *std::move(folder);
  const std::string script = runtime->folder->path() + "/reference.py";
  WEFT_TRY(tools::writeOutputFile(script, kOnnxRuntimeScript.data(),
                                  kOnnxRuntimeScript.size()));
  Result<std::unique_ptr<ChildProcess>> process = ChildProcess::start(
      {runtime->python, script, runtime->folder->path(), model});
  if (!process)
    return process.status();
  runtime->process = *std::move(process);
  Result<Json> answer =
      runtime->ask({{"layers", withLayers}, {"outputs", outputs}});
  if (!answer)
    return answer.status();
  std::optional<std::string> version = textOf(*answer, "version");
  if (!version)
    return runtime->isNoPython(answer->dump());
  runtime->theVersion = *std::move(version);
  return runtime;
}

rt::Status OnnxRuntime::isNoPython(const std::string &answer) const {
  return rt::fail(Code::Unsupported, kWhatFor + python +
                                         " is no Python: it answers '" +
                                         onOneLine(answer.substr(0, 40)) +
                                         "'; name one with " + kPythonVariable);
}

Result<Json> OnnxRuntime::ask(const Json &request) {
  Result<std::string> answer = process->ask(lineOf(request));
  if (!answer && answer.status().code() == Code::OutOfRange)
    return rt::fail(Code::Unsupported,
                    kWhatFor + python +
                        " is no Python: " + answer.status().message() +
                        "; name one with " + kPythonVariable);
  if (!answer)
    return whyEnded();
  Json said = Json::parse(*answer, nullptr, /*allow_exceptions=*/false);
  if (!said.is_object())
    return isNoPython(*answer);
  if (!said.contains("problem"))
    return said;
  std::optional<std::string> problem = textOf(said, "problem");
  if (!problem)
    return isNoPython(*answer);
  if (!said.contains("missing"))
    return rt::fail(Code::Unsupported,
                    model + ": " + onOneLine(*problem) +
                        "; without --reference the model is evaluated by Weft");
  return rt::fail(Code::NotFound,
                  kWhatFor + python + " has no ONNX Runtime (" +
                      lastLineOf(*problem) + "); install it (" + python +
                      " -m pip install onnxruntime), or name another Python "
                      "with " +
                      kPythonVariable);
}

rt::Status OnnxRuntime::whyEnded() {
  ChildProcess::End end = process->end();
  if (end.isMissing)
    return rt::fail(Code::NotFound,
                    kWhatFor + python +
                        " is not to be found; install Python 3 with "
                        "onnxruntime, or name a Python with " +
                        kPythonVariable);
  std::string how = end.signal ? rt::format("signal %d, %s", end.signal,
                                            strsignal(end.signal))
                               : rt::format("exit code %d", end.exitCode);
  if (!end.lastWords.empty())
    how += ": " + lastLineOf(end.lastWords);
  return rt::fail(Code::Unsupported,
                  model + ": ONNX Runtime in " + python + " crashed (" + how +
                      "); without --reference the model is evaluated by Weft");
}

Result<ReferenceValues>
OnnxRuntime::evaluate(const NamedTensors &inputs,
                      const std::vector<std::string> &emptySequences) {
  std::vector<npz::NamedTensor> arrays;
  Json names = Json::array();
  for (const auto &[name, tensor] : inputs) {
    arrays.push_back({std::to_string(arrays.size()), &tensor});
    names.push_back(name);
  }
  WEFT_TRY(npz::writeNpz(folder->path() + "/inputs.npz", arrays));
  Result<Json> answer =
      ask({{"inputs", std::move(names)}, {"empty", emptySequences}});
  if (!answer)
    return answer.status();
  auto given = answer->find("values");
  if (given == answer->end() || !given->is_array() ||
      !std::all_of(given->begin(), given->end(), isValue))
    return isNoPython(answer->dump());
  Result<npz::Reader> archive =
      npz::Reader::open(folder->path() + "/outputs.npz");
  if (!archive)
    return archive.status().withContext(model);
  ReferenceValues values;
  size_t index = 0;
  for (const Json &value : *given) {
    Result<HostTensor> tensor = archive->read(std::to_string(index++));
    if (!tensor)
      return tensor.status().withContext(model);
    std::string name = value[0].get<std::string>();
    if (value[1].get<bool>())
      values.outputs[name] = *tensor;
    if (withLayers)
      values.layers[name] = *std::move(tensor);
  }
  return values;
}
