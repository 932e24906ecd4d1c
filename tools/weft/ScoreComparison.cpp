#include "tools/weft/ScoreComparison.h"
#include "runtime/status/Format.h"
#include "tools/npz/Npz.h"

#include <cctype>
#include <cmath>
#include <filesystem>

using namespace weft;
using namespace weft::cli;
using rt::Code;
using rt::Result;

std::string ScoreFigures::failure() const {
  if (program >= least)
    return "";
  return rt::format("the %s of the program is %.8g, must be at least %.8g ",
                    name, program, least) +
         (isTarget ? "(--target-score" : "(--max-score-drop") +
         rt::format("; the reference has %.8g)", reference);
}

void ComparedScoreFlags::addTo(CLI::App &command) {
  score.addTo(command, "",
              "a folder of the outputs of every sample, once those of the "
              "program and once those of the reference",
              "the number that the program must reach");
  dropOption =
      command
          .add_option("--max-score-drop", mostDrop,
                      "With --score (without --target-score) or --labels: how "
                      "far the program's may be below the reference's")
          ->capture_default_str()
          ->excludes(score.targetOption())
          ->type_name("X");
}

rt::Status ComparedScoreFlags::check(bool hasLabels) const {
  WEFT_TRY(score.check());
  if (!(std::isfinite(mostDrop) && mostDrop >= 0))
    return rt::failf(Code::InvalidArgument,
                     "--max-score-drop is %g, must be a finite number from 0",
                     mostDrop);
  if (dropOption->count() && !score.isAsked() && !hasLabels)
    return rt::fail(
        Code::InvalidArgument,
        "--max-score-drop is for --score and --labels; leave it out");
  return rt::Status::ok();
}

Result<std::unique_ptr<ScoreComparison>> ScoreComparison::open() {
  auto comparison = std::make_unique<ScoreComparison>();
  for (auto *folder : {&comparison->program, &comparison->reference}) {
    Result<std::unique_ptr<tools::TemporaryFolder>> made =
        tools::TemporaryFolder::make("weft-outputs");
    if (!made)
      return made.status();
    *folder = *std::move(made);
  }
  return comparison;
}

/// "00012_line.npz".
static std::string fileName(size_t number, const samples::SampleFiles &sample) {
  std::string name = std::filesystem::path(sample.front().path).stem().string();
  for (char &c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '.')
      c = '_';
  return rt::format("%05zu_", number) + name + ".npz";
}

rt::Status ScoreComparison::add(const samples::SampleFiles &sample,
                                const std::vector<OutputPair> &outputs) {
  std::vector<npz::NamedTensor> ofProgram, ofReference;
  for (const OutputPair &pair : outputs) {
    ofProgram.push_back({pair.name, &pair.result});
    ofReference.push_back({pair.name, pair.reference});
  }
  const std::string name = "/" + fileName(count++, sample);
  WEFT_TRY(npz::writeNpz(program->path() + name, ofProgram));
  return npz::writeNpz(reference->path() + name, ofReference);
}

Result<ScoreFigures>
ScoreComparison::finish(const ComparedScoreFlags &flags) const {
  ScoreFigures figures;
  for (auto [folder, score] : {std::pair(&program, &figures.program),
                               std::pair(&reference, &figures.reference)}) {
    Result<double> printed = flags.score.scoreOf((*folder)->path());
    if (!printed)
      return printed.status();
    *score = *printed;
  }
  figures.isTarget = flags.score.target().has_value();
  figures.least =
      flags.score.target().value_or(figures.reference - flags.mostDrop);
  return figures;
}
