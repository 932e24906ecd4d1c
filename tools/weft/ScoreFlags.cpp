#include "tools/weft/ScoreFlags.h"
#include "tools/weft/CheckRun.h"

#include <cmath>

using namespace weft;
using namespace weft::cli;
using rt::Code;

void ScoreFlags::addTo(CLI::App &app, const std::string &condition,
                       const std::string &given, const std::string &target) {
  std::string begin = condition.empty() ? "A" : condition + "a";
  app.add_option("--score", command,
                 begin + " command that is called with " + given +
                     " (behind it, or in place of {}) and prints how good it "
                     "is, a number; higher is better")
      ->type_name("COMMAND");
  aim = app.add_option("--target-score", least, "With --score: " + target)
            ->type_name("X");
  timeout = app.add_option("--score-timeout", timeoutSeconds,
                           "With --score: how long one call may take")
                ->capture_default_str()
                ->type_name("SECONDS");
}

rt::Status ScoreFlags::check() const {
  if (!std::isfinite(least))
    return rt::failf(Code::InvalidArgument,
                     "--target-score is %g, must be a finite number", least);
  for (const CLI::Option *option : {aim, timeout})
    if (option->count() && command.empty())
      return rt::fail(Code::InvalidArgument,
                      option->get_name() + " is for --score; leave it out");
  // Above, its milliseconds would not be a number of poll().
  if (!(timeoutSeconds > 0 && timeoutSeconds <= 1e6))
    return rt::failf(Code::InvalidArgument,
                     "--score-timeout is %g, must be above 0 and at most 1e6",
                     timeoutSeconds);
  return rt::Status::ok();
}

std::optional<double> ScoreFlags::target() const {
  return aim->count() ? std::optional(least) : std::nullopt;
}

std::string ScoreFlags::given() const {
  if (!command.empty())
    return "--score";
  for (const CLI::Option *option : {aim, timeout})
    if (option->count())
      return option->get_name();
  return "";
}

rt::Result<double> ScoreFlags::scoreOf(const std::string &path) const {
  return cli::scoreOf(command, path, timeoutSeconds);
}
