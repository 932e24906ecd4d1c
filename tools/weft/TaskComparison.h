//===- TaskComparison.h - answers of a program and its reference -*- C++
//-*-===//

#ifndef WEFT_TOOLS_WEFT_TASKCOMPARISON_H
#define WEFT_TOOLS_WEFT_TASKCOMPARISON_H

#include "tools/comparison/Tasks.h"
#include "tools/weft/ComparisonRows.h"
#include "tools/weft/ScoreComparison.h"

#include <CLI/CLI.hpp>

namespace weft::cli {

/// compare's --task and what belongs to it.
struct TaskFlags {
  std::string task;   ///< KIND or KIND=OUTPUT; "": none
  std::string labels; ///< path
  double least = 0;
  comparison::TaskOptions options;
  CLI::Option *leastOption = nullptr, *blankOption = nullptr;

  void addTo(CLI::App &command);
  rt::Status check() const;
  bool isAsked() const { return !task.empty(); }
};

/// The answers of all samples.
struct TaskFigures {
  std::string task, output;
  double mean = 1, worst = 1;
  std::string worstSample;
  size_t samples = 0, withoutAnswer = 0; ///< on either side
  /// Of embeddings of 3 samples and more.
  std::optional<double> neighbours;
  std::optional<ScoreFigures> accuracy; ///< of labels, mean of the samples
  double least = 0;                     ///< what the mean must be

  std::string failure() const; ///< empty: passed
};

/// Holds answers against each other, sample after sample.
class TaskComparison {
public:
  /// Reads the labels.
  static rt::Result<std::unique_ptr<TaskComparison>>
  open(const TaskFlags &flags);
  /// Use open().
  explicit TaskComparison(const TaskFlags &flags) : flags(flags) {}

  rt::Status add(const std::string &sample, const samples::SampleFiles &files,
                 const std::vector<OutputPair> &outputs);
  /// `mostDrop`: of the accuracy below the reference's.
  TaskFigures finish(comparison::Precision precision, double mostDrop) const;

private:
  rt::Status readLabels();
  rt::Result<const OutputPair *>
  chooseOutput(const std::vector<OutputPair> &outputs);
  rt::Status addAccuracy(const samples::SampleFiles &files,
                         const OutputPair &pair);

  const TaskFlags &flags;
  comparison::Task task = comparison::Task::Top1;
  std::string output;                        ///< empty: the only one
  std::map<std::string, std::string> labels; ///< by sample
  std::vector<double> agreements, programs, references;
  std::vector<std::string> names; ///< of those that agree or not
  std::vector<std::vector<double>> programVectors, referenceVectors;
  size_t count = 0;
};

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_TASKCOMPARISON_H
