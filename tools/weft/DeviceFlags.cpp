#include "tools/weft/DeviceFlags.h"

using namespace weft;

void cli::addDeviceFlags(CLI::App &command, rt::DeviceOptions &options) {
  using Kind = rt::DeviceOptions::Kind;
  using Order = rt::DeviceOptions::Order;
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
                  "Seconds that each run may take, on bmrt also loading "
                  "(default: 300 on bmrt, none on the emulator)")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.001, 1e6));
  command
      .add_option(
          "--threads", options.threads,
          "Threads of the emulator; 0: one for each processor. Results do not "
          "depend on it")
      ->type_name("N")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  CLI::Option *seed =
      command
          .add_option(
              "--order-seed", options.orderSeed,
              "Which adversarial order: 0 (default) lets TIU run as far ahead "
              "as its waits allow, 1 GDMA, each other number is another "
              "random order")
          ->type_name("N")
          ->check(CLI::NonNegativeNumber);
  CLI::Option *order =
      command
          .add_option_function<std::string>(
              "--order",
              [&options](const std::string &name) {
                if (name != "program" && name != "adversarial")
                  throw CLI::ValidationError(
                      "--order",
                      "'" + name + "' is neither program nor adversarial");
                options.order =
                    name == "program" ? Order::Program : Order::Adversarial;
              },
              "Which engine of the emulator goes on where the waits of their "
              "commands leave it open: program (default: always the same) or "
              "adversarial, which changes outputs if a wait is missing")
          ->type_name("NAME");
  seed->needs(order);
}
