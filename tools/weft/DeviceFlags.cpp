#include "tools/weft/DeviceFlags.h"

using namespace weft;

void cli::addDeviceFlags(CLI::App &command, rt::DeviceOptions &options) {
  using Kind = rt::DeviceOptions::Kind;
  command
      .add_option_function<std::string>(
          "--device",
          [&options](const std::string &name) {
            if (name != "emulator" && name != "bmrt")
              throw CLI::ValidationError(
                  "--device", "'" + name + "' is neither emulator nor bmrt");
            options.kind = name == "bmrt" ? Kind::Bmrt : Kind::Emulator;
          },
          "emulator (default) or bmrt: the vendor's runtime, on a board or on "
          "its own emulator")
      ->type_name("NAME");
  command
      .add_option("--bmrt-lib", options.bmrtLibrary,
                  "Path of libbmrt.so for --device bmrt (default: the "
                  "environment variable WEFT_BMRT_LIB)")
      ->type_name("PATH");
  command
      .add_option("--time-limit", options.timeLimitSeconds,
                  "Seconds that loading, and each run, may take on bmrt")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.001, 1e6))
      ->capture_default_str();
  command
      .add_option(
          "--threads", options.threads,
          "Threads of the emulator; 0: one for each processor. Results do not "
          "depend on it")
      ->type_name("N")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
}
