#include "tools/weft/PreprocessFlags.h"
#include "tools/preprocess/Settings.h"
#include "tools/weft/Program.h"
#include "tools/weft/StandardInput.h"

#ifdef WEFT_WITH_COMPILER
#include "tools/preprocess/SettingsFile.h"
#endif

using namespace weft;
using namespace weft::cli;
using rt::Result;
using rt::Status;

static constexpr const char *kGroup = "Preprocessing of images";

void cli::addPreprocessFlags(CLI::App &command, PreprocessFlags &flags) {
  mayBeStandardInput(
      command.add_option(
          "--preprocess", flags.file,
          "The settings below in a file, one `name: value` a line; "
          "flags go before it"))
      ->check(nonEmptyValue())
      ->group(kGroup)
      ->type_name("FILE.yaml");
  for (const preprocess::Setting &setting : preprocess::settings())
    command
        .add_option_function<std::string>(
            "--" + std::string(setting.name),
            [&flags, name = setting.name](const std::string &value) {
              flags.values[name] = value;
            },
            setting.help)
        ->group(kGroup)
        ->type_name(setting.placeholder);
}

static Status readFile(const std::string &path, preprocess::Options &options) {
#ifdef WEFT_WITH_COMPILER
  return preprocess::readSettingsFile(path, options);
#else
  (void)options;
  return rt::fail(
      rt::Code::Unsupported,
      "unsupported: this build has no compiler and reads no YAML (" + path +
          "); give its settings as flags");
#endif
}

static std::vector<std::string> splitAtCommas(const std::string &text) {
  std::vector<std::string> parts(1);
  for (char c : text)
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

Result<std::optional<preprocess::Options>>
cli::readPreprocessFlags(const PreprocessFlags &flags) {
  if (!flags.isGiven())
    return std::optional<preprocess::Options>();
  preprocess::Options options;
  if (!flags.file.empty())
    WEFT_TRY(readFile(flags.file, options));
  for (const auto &[name, value] : flags.values)
    if (Status set =
            preprocess::findSetting(name)->set(options, splitAtCommas(value));
        !set)
      return rt::fail(set.code(), "--" + set.message());
  WEFT_TRY(preprocess::check(options));
  return std::optional<preprocess::Options>(options);
}
