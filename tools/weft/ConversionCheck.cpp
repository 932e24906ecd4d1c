#include "tools/weft/ConversionCheck.h"
#include "runtime/numeric/TensorValues.h"
#include "runtime/races/Races.h"
#include "runtime/status/Format.h"
#include "runtime/status/Quote.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace weft;
using namespace weft::cli;
using rt::Code;
using rt::Result;
using rt::Status;

const rt::NetSpec &ConversionCheck::netOf(const ModelRun &run) const {
  for (const rt::NetSpec &net : theProgram.nets())
    if (net.name == run.net)
      return net;
  return theProgram.nets().front();
}

const rt::StageSpec &ConversionCheck::stageOf(const ModelRun &run) const {
  return netOf(run).stages[run.stage];
}

/// What could not be done is told; the comparison goes on without it.
Status ConversionCheck::open(const ModelRun &run, SampleComparison &found) {
  if (isOpen)
    return Status::ok();
  isOpen = true;
  Status problem;
  if (!theExact) {
    Result<std::unique_ptr<ExactReference>> opened =
        ExactReference::open(model, theProgram, netOf(run), calibration);
    // Of what the user has given for this.
    if (!opened && opened.status().code() == Code::InvalidArgument)
      return opened.status();
    if (opened)
      theExact = *std::move(opened);
    else
      problem = opened.status();
    if (problem.code() == Code::BadFile)
      theRecordDamage = problem.message();
  }
  if (theExact)
    problem = openFresh();
  if (!problem)
    found.warnings.push_back("not compared bit by bit: " + problem.message());
  return Status::ok();
}

Status ConversionCheck::openFresh() {
  if (!theExact->isQuick() && !options.mayTakeLong)
    return Status::ok();
  Result<std::vector<uint8_t>> bytes = theExact->convertAgain();
  if (!bytes)
    return bytes.status();
  Result<rt::Bmodel> fresh =
      rt::Bmodel::load(*std::move(bytes), "the program made again");
  if (!fresh)
    return fresh.status();
  theFresh = *std::move(fresh);
  return Status::ok();
}

/// A wait that is missing shows on a machine only now and then.
void ConversionCheck::checkWaits(const ModelRun &run, SampleComparison &found) {
  if (!stagesWithWaits.insert(run.stage).second)
    return;
  Result<races::Findings> races =
      races::findRaces(stageOf(run), theProgram.chip());
  if (!races || races->races.empty())
    return;
  std::string more =
      races->races.size() > 1
          ? rt::format(", and %zu more waits are missing (weft info --check)",
                       races->races.size() - 1)
          : "";
  found.failures.push_back("group " + std::to_string(races->races[0].group) +
                           ": " + races::raceText(races->races[0]) + more);
}

StoredRows cli::compareRuns(const ModelRun &run, const ModelRun &expected) {
  StoredRows rows;
  auto add = [&](const std::string &name, bool isOutput,
                 const numeric::HostTensor &value,
                 const numeric::HostTensor &other) {
    if (value.type() == other.type() && value.elements() == other.elements())
      rows.push_back(
          compareStored(name, isOutput, value, other, 0, Equality::Bits));
  };
  std::map<std::string, const rt::CapturedValue *> others;
  for (const rt::CapturedValue &other : expected.layers)
    others[other.name] = &other;
  for (const rt::CapturedValue &value : run.layers)
    if (auto other = others.find(value.name);
        other != others.end() && value.complete && other->second->complete)
      add(value.name, /*isOutput=*/false, value.stored, other->second->stored);
  for (size_t i = 0; i < run.outputs.size(); ++i)
    for (size_t k = 0; k < expected.outputs.size(); ++k)
      if (run.outputSpecs[i].name == expected.outputSpecs[k].name)
        add(run.outputSpecs[i].name, /*isOutput=*/true, run.outputs[i],
            expected.outputs[k]);
  return rows;
}

Result<ModelRun>
ConversionCheck::runOther(const rt::Bmodel &other,
                          const samples::SampleFiles &files) const {
  RunRequest again = request;
  again.layers = true;
  again.device = rt::DeviceOptions();
  again.net.clear(); // it has one
  Result<std::unique_ptr<ModelRunner>> runner = ModelRunner::open(again, other);
  if (!runner)
    return runner.status();
  return (*runner)->run(files);
}

/// Layer by layer: over many layers roundings add up. Without layers there is
/// nothing to say.
Status ConversionCheck::checkExactly(const ModelRun &run,
                                     SampleComparison &found) {
  if (!theExact || run.layers.empty())
    return Status::ok();
  Result<StoredRows> rows = theExact->compare(run);
  if (!rows) {
    found.warnings.push_back("not compared with the exact numbers: " +
                             rows.status().message());
    theExact.reset();
    return Status::ok();
  }
  // Another version may round otherwise.
  if (!theExact->isOfThisVersion())
    for (StoredRow &row : *rows)
      row.isWrong = false;
  addStored(*rows, &ComparisonRow::exact, found);
  checkClipping(run, found);
  return Status::ok();
}

namespace {
/// What codes cut off from the numbers of a value.
struct Clipping {
  double furthest = 0; ///< the number that is furthest beyond what was seen
  double beyond = 0;   ///< by so much
  double cut = 0, power = 0;

  void add(double real, const ExactReference::ClippedRange &range) {
    if (!std::isfinite(real))
      return;
    double off = real - std::clamp(real, range.least, range.most),
           unseen = std::fabs(
               real - std::clamp(real, range.leastSeen, range.mostSeen));
    cut += off * off;
    power += real * real;
    if (unseen > beyond) {
      beyond = unseen;
      furthest = real;
    }
  }
  double share() const { return power > 0 ? cut / power : 0; }
};
} // namespace

void ConversionCheck::checkClipping(const ModelRun &run,
                                    SampleComparison &found) {
  // 30 dB: a layer may add errors of 18.
  constexpr double kLeastShare = 1e-3;
  Result<std::map<std::string, ExactReference::ClippedRange>> ranges =
      theExact->clippedRanges(run);
  if (!ranges)
    return;
  const rt::CapturedValue *worst = nullptr;
  Clipping most;
  for (const rt::CapturedValue &value : run.layers) {
    auto range = ranges->find(value.name);
    if (range == ranges->end() || value.step != 0 || !value.complete)
      continue;
    Clipping clipping;
    for (double real : numeric::loadDoubles(value.tensor))
      clipping.add(real, range->second);
    if (clipping.beyond > 0 && clipping.share() > kLeastShare &&
        clipping.share() > most.share()) {
      most = clipping;
      worst = &value;
    }
  }
  if (!worst)
    return;
  const ExactReference::ClippedRange &range = ranges->at(worst->name);
  found.warnings.push_back(
      "layer " + rt::quoteName(worst->name) +
      rt::format(": has numbers to %.4g, the calibration saw %.4g to %.4g, and "
                 "the codes that its readers make of it go from %.4g to %.4g; "
                 "calibrate with samples like this one, too, or keep the whole "
                 "range with weft calibrate --method max",
                 most.furthest, range.leastSeen, range.mostSeen, range.least,
                 range.most));
}

void ConversionCheck::findDifference(const ModelRun &run) {
  theDifference = {};
  if (!theFresh)
    return;
  const std::vector<rt::StageSpec> &stages = theFresh->nets().front().stages;
  if (run.stage < stages.size())
    theDifference =
        differenceOf(stageOf(run), stages[run.stage], theProgram.chip());
  else
    theDifference.obstacle =
        rt::format("%zu stages for stage %zu", stages.size(), run.stage);
}

std::string ConversionCheck::otherModel() const {
  return theFresh && theDifference.isEmpty() ? std::string()
                                             : options.otherModel;
}

Status ConversionCheck::checkFresh(const ModelRun &run,
                                   const samples::SampleFiles &files,
                                   SampleComparison &found) {
  if (!theFresh || run.stage >= theFresh->nets().front().stages.size() ||
      theDifference.isEmpty())
    return Status::ok(); // it would store the same
  Result<ModelRun> expected = runOther(*theFresh, files);
  if (!expected)
    return expected.status();
  StoredRows rows = compareRuns(run, *expected);
  addStored(rows, &ComparisonRow::fresh, found);
  if (std::none_of(rows.begin(), rows.end(),
                   [](const StoredRow &row) { return row.isWrong; }))
    found.warnings.push_back("the program differs from what its conversion "
                             "gives (" +
                             theDifference.text() +
                             "), on this sample with the same " +
                             (run.layers.empty() ? "outputs" : "values"));
  return Status::ok();
}

Status ConversionCheck::check(const ModelRun &run,
                              const samples::SampleFiles &files,
                              SampleComparison &found) {
  WEFT_TRY(open(run, found));
  findDifference(run);
  checkWaits(run, found);
  WEFT_TRY(checkExactly(run, found));
  return checkFresh(run, files, found);
}
