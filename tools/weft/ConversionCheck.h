//===- ConversionCheck.h - a program beside its conversion ------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_CONVERSIONCHECK_H
#define WEFT_TOOLS_WEFT_CONVERSIONCHECK_H

#include "tools/weft/ComparisonRows.h"
#include "tools/weft/ExactReference.h"
#include "tools/weft/ProgramDifference.h"

#include <optional>
#include <set>

namespace weft::cli {

/// What is known of a program beside what its numbers are near to: waits that
/// are missing; each layer beside the exact evaluator; and the program that
/// this version makes of the model, whose values are the same bit by bit.
class ConversionCheck {
public:
  /// How a program is checked.
  struct Options {
    /// Programs of -O3 are made again only if that may take long.
    bool mayTakeLong = false;
    /// How the program says that it was converted from another model; empty: it
    /// does not.
    std::string otherModel = {};
  };

  /// Of `program` and the model of `model`, run as `request` says (with what
  /// the flags have made of it). `model`, `request` and `calibration`
  /// (ExactReference::open) outlive this.
  ConversionCheck(const ReferenceModel &model, const rt::Bmodel &program,
                  const RunRequest &request, const std::string &calibration,
                  Options options)
      : model(model), theProgram(program), request(request),
        calibration(calibration), options(std::move(options)) {}

  /// In place of what the program's record makes; before the first check.
  void use(std::unique_ptr<ExactReference> exact) {
    theExact = std::move(exact);
  }

  /// Adds to `found` what is wrong in a run on `files`; a warning says what
  /// could not be checked.
  rt::Status check(const ModelRun &run, const samples::SampleFiles &files,
                   SampleComparison &found);

  /// The program that is checked, the fresh one (null if it cannot be made) and
  /// how the two differ in the stage that ran last.
  const rt::Bmodel &program() const { return theProgram; }
  const rt::Bmodel *fresh() const { return theFresh ? &*theFresh : nullptr; }
  const ProgramDifference &difference() const { return theDifference; }
  ExactReference *exact() const { return theExact.get(); }
  /// Why what the program tells of its conversion cannot be right; empty if it
  /// can, or if it tells nothing.
  const std::string &recordDamage() const { return theRecordDamage; }

  /// Why what differs from the conversion of the model is no fault of the
  /// program or of the compiler: it is of another model. Empty if it is not, or
  /// if that gives the same program (it was only written anew).
  std::string otherModel() const;

  /// The stage of the program that `run` was of.
  const rt::StageSpec &stageOf(const ModelRun &run) const;

  /// A run of `other`, a program of the model, on the emulator with its layers.
  rt::Result<ModelRun> runOther(const rt::Bmodel &other,
                                const samples::SampleFiles &files) const;

private:
  /// The net of the program that `run` was of.
  const rt::NetSpec &netOf(const ModelRun &run) const;
  rt::Status open(const ModelRun &run, SampleComparison &found);
  rt::Status openFresh();
  /// How the program made again differs in the stage of `run`.
  void findDifference(const ModelRun &run);
  /// Adds what is wrong with the waits of a stage, once.
  void checkWaits(const ModelRun &run, SampleComparison &found);
  /// Beside the exact evaluator, and beside the program made again.
  rt::Status checkExactly(const ModelRun &run, SampleComparison &found);
  /// Warns of floats beyond the codes that are made of them, and beyond what
  /// the calibration saw.
  void checkClipping(const ModelRun &run, SampleComparison &found);
  rt::Status checkFresh(const ModelRun &run, const samples::SampleFiles &files,
                        SampleComparison &found);

  const ReferenceModel &model;
  rt::Bmodel theProgram;
  const RunRequest &request;
  const std::string &calibration;
  Options options;
  bool isOpen = false;
  std::optional<rt::Bmodel> theFresh;
  std::unique_ptr<ExactReference> theExact;
  ProgramDifference theDifference;
  std::string theRecordDamage;
  std::set<size_t> stagesWithWaits; ///< whose waits were checked
};

/// What two runs store, value by value, bit by bit: those of `run` beside the
/// same of `expected`.
StoredRows compareRuns(const ModelRun &run, const ModelRun &expected);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_CONVERSIONCHECK_H
