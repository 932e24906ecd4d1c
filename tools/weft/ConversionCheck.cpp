#include "tools/weft/ConversionCheck.h"
#include "runtime/races/Races.h"
#include "runtime/status/Format.h"

#include <algorithm>

using namespace weft;
using namespace weft::cli;
using rt::Code;
using rt::Result;
using rt::Status;

const rt::StageSpec &ConversionCheck::stageOf(const rt::Bmodel &model,
                                              const ModelRun &run) {
  for (const rt::NetSpec &net : model.nets())
    if (net.name == run.net)
      return net.stages[run.stage];
  return model.nets().front().stages[run.stage];
}

Status ConversionCheck::open(SampleComparison &found) {
  if (!isOpen) {
    Result<rt::Bmodel> program = rt::Bmodel::load(request.model);
    if (!program)
      return program.status();
    theProgram = *std::move(program);
    isOpen = true;
    Result<std::unique_ptr<ExactReference>> opened =
        ExactReference::open(model, calibration);
    if (opened)
      theExact = *std::move(opened);
    else
      freshProblem = opened.status();
    if (theExact)
      WEFT_TRY(openFresh());
  }
  if (!freshProblem && freshProblem.code() != Code::NotFound)
    return freshProblem;
  if (!freshProblem)
    found.warnings.push_back("not compared bit by bit: " +
                             freshProblem.message());
  return Status::ok();
}

Status ConversionCheck::openFresh() {
  if (!theExact->isQuick() && !mayTakeLong)
    return Status::ok();
  Result<std::vector<uint8_t>> bytes = theExact->convertAgain();
  if (!bytes) {
    freshProblem = bytes.status();
    return Status::ok();
  }
  Result<rt::Bmodel> fresh =
      rt::Bmodel::load(*std::move(bytes), "the program made again");
  if (!fresh)
    return fresh.status();
  theFresh = *std::move(fresh);
  return Status::ok();
}

/// A wait that is missing shows on a machine only now and then.
static void checkWaits(const rt::StageSpec &stage, const Chip &chip,
                       SampleComparison &found) {
  Result<races::Findings> races = races::findRaces(stage, chip);
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
  again.device.order = rt::DeviceOptions().order;
  Result<std::unique_ptr<ModelRunner>> runner = ModelRunner::open(again, other);
  if (!runner)
    return runner.status();
  return (*runner)->run(files);
}

Status ConversionCheck::check(const ModelRun &run,
                              const samples::SampleFiles &files,
                              SampleComparison &found) {
  WEFT_TRY(open(found));
  checkWaits(stageOf(*theProgram, run), theProgram->chip(), found);
  if (theExact) {
    Result<StoredRows> rows = theExact->compare(run);
    if (!rows)
      return rows.status();
    addStored(*rows, &ComparisonRow::exact, found);
  }
  if (!theFresh)
    return Status::ok();
  theDifference = differenceOf(stageOf(*theProgram, run),
                               stageOf(*theFresh, run), theProgram->chip());
  if (theDifference.isEmpty())
    return Status::ok(); // it would store the same
  Result<ModelRun> expected = runOther(*theFresh, files);
  if (!expected)
    return expected.status();
  StoredRows rows = compareRuns(run, *expected);
  addStored(rows, &ComparisonRow::fresh, found);
  if (std::none_of(rows.begin(), rows.end(),
                   [](const StoredRow &row) { return row.isWrong; }))
    found.warnings.push_back(
        "the program is not the one that this version makes of the model, "
        "though it stores the same on this sample");
  return Status::ok();
}
