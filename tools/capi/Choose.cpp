//===- Choose.cpp - precisions from samples in memory ---------------------===//

#include "runtime/chips/Chips.h"
#include "tools/capi/Calibration.h"
#include "tools/capi/Status.h"
#include "tools/driver/PrecisionChoice.h"
#include "tools/files/JsonText.h"

#include <cmath>

using namespace weft;
using capi::guarded;
using capi::toC;
using rt::Code;
using rt::Result;

/// Fails for a target whose programs are not measured.
static rt::Status checkMeasured(const std::string &target) {
  for (const Chip *known : chips::modelTargets())
    if (known->targetName == target && !chips::findVectorTarget(target))
      return {};
  return rt::fail(Code::InvalidArgument,
                  "the target is '" + target +
                      "'; programs are measured for chips with command "
                      "buffers");
}

/// What the caller wants, in the driver's terms.
static Result<driver::AutoPrecision>
wantedBy(const weft_choose_options &options) {
  driver::AutoPrecision wanted;
  auto isGiven = [](double value) { return value != 0; };
  if (isGiven(options.target_cosine) + isGiven(options.target_sqnr) +
          (options.score != nullptr) >
      1)
    return rt::fail(Code::InvalidArgument,
                    "target_cosine, target_sqnr and score are given together; "
                    "a search has one goal");
  if (!(options.target_cosine >= 0 && options.target_cosine <= 1) ||
      !(options.target_sqnr >= 0 && options.target_sqnr <= 200) ||
      !(options.max_float_macs >= 0 && options.max_float_macs <= 1) ||
      !std::isfinite(options.target_score))
    return rt::fail(Code::InvalidArgument,
                    "target_cosine and max_float_macs must be from 0 to 1, "
                    "target_sqnr from 0 to 200, target_score finite");
  if (options.score)
    wanted.goal.score = options.target_score;
  else if (isGiven(options.target_sqnr))
    wanted.goal.sqnr = options.target_sqnr;
  else
    wanted.goal.cosine = isGiven(options.target_cosine)
                             ? options.target_cosine
                             : driver::AccuracyGoal::kUsualCosine;
  if (isGiven(options.max_float_macs))
    wanted.mostFloats = options.max_float_macs;
  if (options.log)
    wanted.log = options.log;
  if (options.progress)
    wanted.progress = [options](size_t done, size_t all) {
      options.progress(options.context, done, all);
    };
  if (options.score)
    wanted.score =
        [options](const std::vector<uint8_t> &bmodel) -> Result<double> {
      double score = 0;
      if (options.score(options.context, bmodel.data(), bmodel.size(), &score))
        return rt::fail(Code::InvalidArgument, "the score failed");
      if (!std::isfinite(score))
        return rt::fail(Code::InvalidArgument, "the score is no finite number");
      return score;
    };
  return wanted;
}

static weft_compiler_status *choose(weft_calibration *calibration,
                                    const weft_choose_options *given,
                                    const char **table, const char **report) {
  weft_choose_options options;
  if (!calibration || !table || !report || !capi::copyKnown(given, options))
    return toC(rt::fail(Code::InvalidArgument,
                        "calibration, table and report must not be NULL and "
                        "options->struct_bytes must be "
                        "sizeof(weft_choose_options)"));
  for (const rt::Status &status :
       {calibration->checkKept(), calibration->checkRanges()})
    if (!status)
      return toC(status);
  Result<driver::AutoPrecision> wanted = wantedBy(options);
  if (!wanted)
    return toC(wanted.status());
  driver::CompileOptions compile;
  if (options.target)
    compile.chip = options.target;
  if (rt::Status status = checkMeasured(compile.chip); !status)
    return toC(status);
  compile.precision = "int8";
  compile.calibration = calibration->tableSoFar().str();
  mlir::FailureOr<driver::SplitSamples> samples = driver::evaluateSplit(
      calibration->compilation->module(), calibration->keptSamples(),
      calibration->searchSamples);
  if (failed(samples))
    return calibration->why();
  driver::CompilationSource source = {
      calibration->model, calibration->shapes, calibration->part.bindings,
      calibration->plugins, calibration->part.cut};
  Result<driver::PrecisionChoice> choice = driver::choosePrecisions(
      source, calibration->compilation->module(), compile, samples->search,
      samples->heldBack, *wanted);
  if (!choice)
    return toC(choice.status());
  calibration->references = std::move(samples->search);
  nlohmann::ordered_json json = choice->json();
  json["miss"] = driver::missOf(*choice, *wanted);
  calibration->report = tools::jsonText(json);
  *report = calibration->report.c_str();
  *table = nullptr;
  if (const driver::MixedProgram *chosen = choice->chosen()) {
    calibration->precisions = choice->yaml(*chosen);
    *table = calibration->precisions.c_str();
  }
  return nullptr;
}

weft_compiler_status *weft_calibrate_choose(weft_calibration *calibration,
                                            const weft_choose_options *options,
                                            const char **table,
                                            const char **report) {
  return guarded([&] { return choose(calibration, options, table, report); });
}
