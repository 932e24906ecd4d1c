//===- SearchLog.cpp - measured programs in a file ------------------------===//

#include "tools/driver/SearchLog.h"

#include "tools/files/InputFile.h"
#include "tools/files/JsonText.h"
#include "tools/files/OutputFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

using namespace weft;
using namespace weft::driver;
using rt::Code;
using rt::Result;
using Line = nlohmann::ordered_json;

static constexpr const char *kVersion = "weft precision search 3";

/// A name as a line has it.
static std::string utf8(const std::string &name) {
  return tools::jsonText(name);
}

/// JSON has no infinity: it is null.
static Line number(double value) {
  return std::isfinite(value) ? Line(value) : Line();
}

static std::optional<double> numberAt(const Line &json, const char *key) {
  auto found = json.find(key);
  if (found == json.end())
    return std::nullopt;
  return found->is_number() ? std::optional(found->get<double>())
                            : std::nullopt;
}

static std::string lineOf(const MixedProgram &program) {
  std::string floats;
  for (bool isFloat : program.isFloat)
    floats += isFloat ? '1' : '0';
  Line outputs = Line::array();
  for (const OutputAccuracy &output : program.accuracy.outputs) {
    outputs.push_back({{"name", output.name},
                       {"cosine", number(output.cosine)},
                       {"worst_cosine", number(output.worstCosine)},
                       {"error", number(output.errorRatio)}});
    if (!output.partOf.empty())
      outputs.back()["part_of"] = output.partOf;
    if (output.logitErrorRatio)
      outputs.back()["logit_error"] = number(*output.logitErrorRatio);
  }
  Line line{{"floats", std::move(floats)},
            {"cycles", program.cycles},
            {"float_share", program.floatShare},
            {"outputs", std::move(outputs)}};
  if (program.kind != ProgramKind::Mix)
    line["program"] = stringifyKind(program.kind);
  if (program.score)
    line["score"] = *program.score;
  return tools::jsonText(line) + "\n";
}

/// A mix, if the line says nothing else.
static std::optional<ProgramKind> kindAt(const Line &json) {
  auto found = json.find("program");
  if (found == json.end())
    return ProgramKind::Mix;
  for (ProgramKind kind : {ProgramKind::Int8, ProgramKind::Half})
    if (*found == stringifyKind(kind))
      return kind;
  return std::nullopt;
}

/// What errs without bounds is null.
static std::optional<double> errorAt(const Line &json, const char *key) {
  auto found = json.find(key);
  return found != json.end() && found->is_null()
             ? std::numeric_limits<double>::infinity()
             : numberAt(json, key);
}

/// std::nullopt: no whole line of a program.
static std::optional<MixedProgram> programOf(const std::string &text) {
  Line line = Line::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!line.is_object() || !line.contains("floats") ||
      !line["floats"].is_string() || !line.contains("outputs") ||
      !line["outputs"].is_array())
    return std::nullopt;
  MixedProgram program;
  for (char digit : line["floats"].get<std::string>())
    program.isFloat.push_back(digit == '1');
  auto cycles = numberAt(line, "cycles"), share = numberAt(line, "float_share");
  std::optional<ProgramKind> kind = kindAt(line);
  if (!cycles || !share || !kind)
    return std::nullopt;
  program.kind = *kind;
  program.cycles = *cycles;
  program.floatShare = *share;
  program.score = numberAt(line, "score");
  for (const Line &output : line["outputs"]) {
    if (!output.is_object() || !output.contains("name") ||
        !output["name"].is_string())
      return std::nullopt;
    auto cosine = numberAt(output, "cosine"),
         worst = numberAt(output, "worst_cosine"),
         error = errorAt(output, "error");
    if (!cosine || !worst || !error)
      return std::nullopt;
    Line partOf = output.value("part_of", Line());
    program.accuracy.outputs.push_back(
        {output["name"].get<std::string>(), *cosine, *worst, *error,
         errorAt(output, "logit_error"),
         partOf.is_string() ? partOf.get<std::string>() : ""});
  }
  return program;
}

/// Readers count on both numbers.
bool SearchLog::isOfSearch(const MixedProgram &program) const {
  const std::vector<OutputAccuracy> &outputs = program.accuracy.outputs;
  return program.isFloat.size() == search.products &&
         std::equal(outputs.begin(), outputs.end(), search.outputs.begin(),
                    search.outputs.end(),
                    [](const OutputAccuracy &output, const std::string &name) {
                      return utf8(output.name) == utf8(name);
                    });
}

/// `whole`: bytes of the lines that are whole.
rt::Status SearchLog::read(const std::string &text, size_t &whole) {
  bool isFirst = true;
  for (size_t begin = 0, end; (end = text.find('\n', begin)) != text.npos;
       begin = whole = end + 1) {
    std::string line = text.substr(begin, end - begin);
    if (isFirst) {
      Line head = Line::parse(line, nullptr, /*allow_exceptions=*/false);
      if (!head.is_object() || !head.contains("log") || head["log"] != kVersion)
        return rt::fail(Code::InvalidArgument,
                        path + " is no log of a search; give another file");
      if (!head.contains("search") || head["search"] != search.key)
        return rt::fail(Code::InvalidArgument,
                        path + " is of another search: the model, its samples, "
                               "the options or the compiler differ; remove it "
                               "or give another file");
      isFirst = false;
      continue;
    }
    std::optional<MixedProgram> program = programOf(line);
    if (!program || !isOfSearch(*program))
      return rt::fail(Code::InvalidArgument,
                      path + ": '" + line.substr(0, 40) +
                          "' is no measured program of this search; remove "
                          "the file");
    std::pair made(program->kind, program->isFloat);
    programs[made] = *std::move(program);
  }
  if (isFirst && !text.empty())
    return rt::fail(Code::InvalidArgument,
                    path + " is no log of a search; give another file");
  return {};
}

Result<std::unique_ptr<SearchLog>> SearchLog::open(const std::string &path,
                                                   Search search) {
  std::unique_ptr<SearchLog> log(new SearchLog(path, std::move(search)));
  std::string text;
  if (llvm::sys::fs::exists(path)) {
    Result<std::string> read = tools::readInputFile(path);
    if (!read)
      return read.status();
    text = *std::move(read);
  }
  size_t whole = 0;
  WEFT_TRY(log->read(text, whole));
  if (whole == 0)
    text = Line{{"log", kVersion}, {"search", log->search.key}}.dump() + "\n";
  else if (whole < text.size())
    text.resize(whole); // cut off in the middle of a line
  else
    return log;
  WEFT_TRY(tools::writeOutputFile(path, text.data(), text.size()));
  return log;
}

std::optional<MixedProgram> SearchLog::find(const std::vector<bool> &isFloat,
                                            bool isScored, ProgramKind kind) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = programs.find({kind, isFloat});
  if (found == programs.end() || (isScored && !found->second.score))
    return std::nullopt;
  return found->second;
}

rt::Status SearchLog::append(const std::string &line) {
  std::error_code error;
  llvm::raw_fd_ostream file(path, error, llvm::sys::fs::OF_Append);
  if (error)
    return rt::fail(Code::IoError,
                    "cannot write " + path + ": " + error.message());
  file << line;
  file.close();
  if (!file.has_error())
    return {};
  std::string message = file.error().message();
  file.clear_error();
  return rt::fail(Code::IoError, "cannot write " + path + ": " + message);
}

rt::Status SearchLog::add(const MixedProgram &program) {
  std::lock_guard<std::mutex> lock(mutex);
  programs[{program.kind, program.isFloat}] = program;
  return append(lineOf(program));
}
