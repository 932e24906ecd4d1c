//===- ScoreComparison.h - a program's score and the reference's -*- C++
//-*-===//

#ifndef WEFT_TOOLS_WEFT_SCORECOMPARISON_H
#define WEFT_TOOLS_WEFT_SCORECOMPARISON_H

#include "tools/files/TemporaryFolder.h"
#include "tools/weft/ComparisonRows.h"
#include "tools/weft/ScoreFlags.h"

namespace weft::cli {

/// How good the outputs of the program are, and those of the reference: what
/// the command of compare's --score prints, or the accuracy of --labels.
struct ScoreFigures {
  const char *name = "score";
  double program = 0, reference = 0;
  double least = 0;            ///< what the program's must be
  bool isTarget = false;       ///< --target-score, else by the reference's
  std::string failure() const; ///< empty: passed
};

/// Options of ScoreComparison.
struct ComparedScoreFlags {
  /// How far the program's score may be below the reference's: a hundredth of
  /// a score from 0 to 1, as accuracies and F1 are.
  static constexpr double kUsualDrop = 0.01;

  ScoreFlags score;
  double mostDrop = kUsualDrop;
  CLI::Option *dropOption = nullptr;

  void addTo(CLI::App &command);
  /// `hasLabels`: their accuracy is a score, too.
  rt::Status check(bool hasLabels) const;
};

/// Writes the outputs of each sample into two folders, one of the program, one
/// of the reference, as `NUMBER_SAMPLE.npz` with arrays by ONNX name: numbers
/// from 00000, SAMPLE the name of the sample's first file without its folder
/// and extension. Quantized outputs are reals.
class ScoreComparison {
public:
  static rt::Result<std::unique_ptr<ScoreComparison>> open();

  rt::Status add(const samples::SampleFiles &sample,
                 const std::vector<OutputPair> &outputs);
  /// Runs the command on each folder.
  rt::Result<ScoreFigures> finish(const ComparedScoreFlags &flags) const;

private:
  std::unique_ptr<tools::TemporaryFolder> program, reference;
  size_t count = 0;
};

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_SCORECOMPARISON_H
