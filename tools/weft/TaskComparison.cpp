#include "tools/weft/TaskComparison.h"
#include "runtime/numeric/TensorValues.h"
#include "runtime/status/Format.h"
#include "runtime/status/Quote.h"
#include "tools/files/InputFile.h"
#include "tools/weft/StandardInput.h"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <sstream>

using namespace weft;
using namespace weft::cli;
using comparison::Task;
using rt::Code;
using rt::Result;

void TaskFlags::addTo(CLI::App &command) {
  command
      .add_option("--task", task,
                  "Also hold the answers that are read from an output (the "
                  "only one, or OUTPUT) against the reference's: " +
                      comparison::taskNames())
      ->type_name("KIND[=OUTPUT]");
  leastOption =
      command
          .add_option("--min-agreement", least,
                      "With --task: what the mean agreement of the samples "
                      "must be (default: .97 for int8, .99 for others)")
          ->type_name("A");
  mayBeStandardInput(
      command.add_option(
          "--labels", labels,
          "With --task top1, top5 or ctc: lines SAMPLE,LABEL; the "
          "accuracies of program and reference are told, too"))
      ->type_name("FILE.csv");
  blankOption =
      command
          .add_option("--ctc-blank", options.blank,
                      "With --task ctc: the class of no character; -1: the "
                      "last")
          ->capture_default_str()
          ->check(CLI::Range(int64_t(-1), int64_t(1) << 40))
          ->type_name("I");
}

/// KIND and OUTPUT of KIND=OUTPUT.
static std::pair<std::string, std::string> split(const std::string &text) {
  size_t equals = text.find('=');
  return {text.substr(0, equals),
          equals == text.npos ? "" : text.substr(equals + 1)};
}

rt::Status TaskFlags::check() const {
  for (const auto &[name, isGiven] :
       {std::pair("--min-agreement", leastOption->count() > 0),
        {"--labels", !labels.empty()},
        {"--ctc-blank", blankOption->count() > 0}})
    if (isGiven && !isAsked())
      return rt::fail(Code::InvalidArgument,
                      std::string(name) + " is for --task; leave it out");
  if (isAsked() && !comparison::findTask(split(task).first))
    return rt::fail(Code::InvalidArgument, "--task is '" + task +
                                               "', must be KIND or KIND=OUTPUT "
                                               "with a kind of " +
                                               comparison::taskNames());
  if (!(least >= 0 && least <= 1))
    return rt::failf(Code::InvalidArgument,
                     "--min-agreement is %g, must be from 0 to 1", least);
  return rt::Status::ok();
}

std::string TaskFigures::failure() const {
  if (samples == withoutAnswer)
    return "--task " + task + ": neither side has an answer in any sample";
  if (mean >= least)
    return "";
  return rt::format("--task %s: mean agreement is %.6g, must be at least %.6g "
                    "(--min-agreement)",
                    task.c_str(), mean, least);
}

Result<std::unique_ptr<TaskComparison>>
TaskComparison::open(const TaskFlags &flags) {
  auto comparison = std::make_unique<TaskComparison>(flags);
  auto [kind, output] = split(flags.task);
  comparison->task = *comparison::findTask(kind);
  comparison->output = output;
  if (!flags.labels.empty())
    WEFT_TRY(comparison->readLabels());
  return comparison;
}

rt::Status TaskComparison::readLabels() {
  Result<std::string> text = tools::readInputFile(flags.labels);
  if (!text)
    return text.status().withContext("--labels");
  std::istringstream lines(*text);
  size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (!line.empty() && line.back() == '\r')
      line.pop_back();
    if (line.empty())
      continue;
    size_t comma = line.find(',');
    if (comma == line.npos || comma == 0)
      return rt::failf(Code::BadFile,
                       "--labels: %s: line %zu is '%.40s', must be "
                       "SAMPLE,LABEL",
                       flags.labels.c_str(), number, line.c_str());
    if (!labels.emplace(line.substr(0, comma), line.substr(comma + 1)).second)
      return rt::failf(
          Code::BadFile, "--labels: %s: line %zu names sample '%.40s' again",
          flags.labels.c_str(), number, line.substr(0, comma).c_str());
  }
  return rt::Status::ok();
}

Result<const OutputPair *>
TaskComparison::chooseOutput(const std::vector<OutputPair> &outputs) {
  std::string names;
  for (const OutputPair &pair : outputs) {
    if (pair.name == output || (output.empty() && outputs.size() == 1)) {
      output = pair.name;
      return &pair;
    }
    names += (names.empty() ? "" : ", ") + rt::quoteName(pair.name);
  }
  return rt::fail(Code::InvalidArgument,
                  "--task " + flags.task + ": " +
                      (output.empty() ? "there are several outputs"
                                      : "there is no such output") +
                      "; name one of " + names + " as KIND=OUTPUT");
}

/// By the file's name, or that without extension.
rt::Status TaskComparison::addAccuracy(const samples::SampleFiles &files,
                                       const OutputPair &pair) {
  std::filesystem::path file = files.front().path;
  auto label = labels.find(file.filename().string());
  if (label == labels.end())
    label = labels.find(file.stem().string());
  if (label == labels.end())
    return rt::fail(Code::NotFound, "--labels: " + flags.labels +
                                        " has no sample '" +
                                        file.filename().string() + "'");
  for (auto [tensor, list] :
       {std::pair(&pair.result, &programs), {pair.reference, &references}}) {
    Result<double> accuracy =
        comparison::accuracy(task, *tensor, label->second, flags.options);
    if (!accuracy)
      return accuracy.status().withContext("--labels: sample '" + label->first +
                                           "'");
    list->push_back(*accuracy);
  }
  return rt::Status::ok();
}

rt::Status TaskComparison::add(const std::string &sample,
                               const samples::SampleFiles &files,
                               const std::vector<OutputPair> &outputs) {
  Result<const OutputPair *> pair = chooseOutput(outputs);
  if (!pair)
    return pair.status();
  const OutputPair &chosen = **pair;
  Result<std::optional<double>> agreement = comparison::agreement(
      task, chosen.result, *chosen.reference, flags.options);
  if (!agreement)
    return agreement.status().withContext("--task " + flags.task + ": " +
                                          sample);
  ++count;
  if (*agreement) {
    agreements.push_back(**agreement);
    names.push_back(sample);
  }
  if (task == Task::Embedding) {
    programVectors.push_back(numeric::loadDoubles(chosen.result));
    referenceVectors.push_back(numeric::loadDoubles(*chosen.reference));
  }
  return flags.labels.empty() ? rt::Status::ok() : addAccuracy(files, chosen);
}

/// 1 of nothing.
static double meanOf(const std::vector<double> &figures) {
  if (figures.empty())
    return 1;
  return std::accumulate(figures.begin(), figures.end(), 0.0) /
         double(figures.size());
}

TaskFigures TaskComparison::finish(comparison::Precision precision,
                                   double mostDrop) const {
  TaskFigures figures;
  figures.task = comparison::taskName(task);
  figures.output = output;
  figures.samples = count;
  figures.withoutAnswer = count - agreements.size();
  figures.mean = meanOf(agreements);
  if (auto worst = std::min_element(agreements.begin(), agreements.end());
      worst != agreements.end()) {
    figures.worst = *worst;
    figures.worstSample = names[size_t(worst - agreements.begin())];
  }
  // Of two the other one is the nearest.
  if (referenceVectors.size() > 2)
    figures.neighbours =
        comparison::neighbourAgreement(programVectors, referenceVectors);
  if (!flags.labels.empty()) {
    double reference = meanOf(references);
    figures.accuracy = {"accuracy", meanOf(programs), reference,
                        reference - mostDrop};
  }
  figures.least = flags.leastOption->count()
                      ? flags.least
                      : comparison::leastAgreement(precision);
  return figures;
}
