#include "tools/weft/CalibrationFlags.h"

#include <cstdio>
#include <unistd.h>

using namespace weft;
using namespace weft::cli;

std::string CalibrationFlags::given() const {
  for (const CLI::Option *option :
       {methodOption, percentileOption, samplesOption})
    if (option->count())
      return option->get_name();
  return "";
}

std::string CalibrationFlags::givenForTable() const {
  for (const CLI::Option *option :
       {methodOption, percentileOption, recoverOption})
    if (option->count())
      return option->get_name();
  return "";
}

void cli::addCalibrationFlags(CLI::App &command, CalibrationFlags &flags) {
  flags.method =
      quantize::stringifyMethod(quantize::CalibrationOptions().method).str();
  flags.methodOption =
      command
          .add_option("--method", flags.method,
                      "How a clipping threshold is chosen from the values seen")
          ->check(CLI::IsMember({"auto", "max", "percentile", "mse", "kl"}))
          ->capture_default_str();
  flags.percentileOption =
      command
          .add_option(
              "--percentile", flags.percentile,
              "With --method percentile and auto: how many percent of the "
              "values are not clipped")
          ->type_name("P")
          ->capture_default_str();
  flags.samplesOption =
      command
          .add_option("--samples", flags.samples,
                      "Use the first N files by name; all by default")
          ->type_name("N");
  flags.recoverOption =
      command
          .add_option("--recover", flags.recover,
                      "Choose 8-bit weights and biases by the products' errors "
                      "on the samples (weights), or round them (off)")
          ->check(CLI::IsMember({"weights", "off"}))
          ->capture_default_str();
  addPreprocessFlags(command, flags.preprocess);
}

rt::Status cli::applyCalibrationFlags(const CalibrationFlags &flags,
                                      driver::CalibrationRun &run) {
  if (flags.samplesOption->count() && flags.samples < 1)
    return rt::fail(rt::Code::InvalidArgument,
                    "--samples is " + std::to_string(flags.samples) +
                        ", must be at least 1");
  run.options.recoversWeights = flags.recover != "off";
  run.options.method = *quantize::symbolizeMethod(flags.method);
  if (flags.percentileOption->count())
    if (llvm::Error error = run.options.setPercentile(flags.percentile))
      return rt::fail(rt::Code::InvalidArgument,
                      "--" + llvm::toString(std::move(error)));
  rt::Result<std::optional<preprocess::Options>> preprocessing =
      readPreprocessFlags(flags.preprocess);
  if (!preprocessing)
    return preprocessing.status();
  run.preprocessing = *std::move(preprocessing);
  run.samples = flags.samples;
  if (isatty(STDERR_FILENO))
    run.progress = [](size_t done, size_t all) {
      std::fprintf(stderr, "\rcalibrating: %zu of %zu samples%s", done, all,
                   done == all ? "\n" : "");
    };
  return rt::Status::ok();
}
