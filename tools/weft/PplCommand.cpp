//===- PplCommand.cpp - weft ppl -----------------------------------------===//

#include "runtime/chips/Targets.h"
#include "runtime/ppl/Interpreter.h"
#include "tools/driver/KernelCheck.h"
#include "tools/driver/KernelLibrary.h"
#include "tools/driver/KernelProgram.h"
#include "tools/files/InputFile.h"
#include "tools/files/OutputFile.h"
#include "tools/weft/DeviceFlags.h"
#include "tools/weft/KernelArguments.h"
#include "tools/weft/KernelOutputs.h"
#include "tools/weft/KernelProfile.h"
#include "tools/weft/KernelRun.h"
#include "tools/weft/NearNames.h"
#include "tools/weft/ProfilePage.h"
#include "tools/weft/Program.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <nlohmann/json.hpp>

using namespace weft;
using namespace weft::cli;
using driver::KernelLibrary;
using driver::KernelProgram;
using driver::MemoryImage;
using rt::Result;

namespace {
struct PplFlags {
  std::string action, kernel, test, output, save, page;
  std::string target = chips::defaultTarget();
  std::string function; ///< --kernel
  std::vector<std::string> compilerArguments, arguments;
  bool serial = false, json = false, text = false;
  bool check = false, noCheck = false;
  KernelRun run;
};

/// One program of a kernel file, recorded.
struct Recorded {
  std::string name;
  std::unique_ptr<KernelProgram> program;
};

/// What there is to record.
struct Programs {
  std::optional<KernelLibrary> library;
  std::vector<std::string> names; ///< tests, or the kernel that is called
  std::optional<KernelArguments> arguments; ///< of the kernel
};
} // namespace

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// As reportError; a status without message has been printed line by line.
static ExitCode report(const rt::Status &status) {
  return status.message().empty() ? ExitCode::UserError : reportError(status);
}

/// The failure of one test.
static rt::Status inTest(const std::string &name, const rt::Status &status) {
  return status.message().empty() ? status : status.withContext(name);
}

static rt::Status noSuchTest(const PplFlags &flags,
                             const KernelLibrary &library) {
  std::string known;
  for (const std::string &name : library.tests())
    known += (known.empty() ? "" : ", ") + name;
  std::string nearest = nearestName(flags.test, library.tests());
  bool isKernel = llvm::is_contained(library.kernels(), flags.test);
  return rt::fail(
      rt::Code::NotFound,
      flags.kernel + ": no __TEST__ function '" + flags.test + "'; " +
          (isKernel ? std::string("that is a __KERNEL__, which a test calls; ")
           : nearest.empty() ? std::string()
                             : "did you mean '" + nearest + "'? ") +
          (known.empty() ? "it has none" : "there are " + known));
}

/// Whether a kernel is called with --arg, not by a test.
static bool callsKernel(const PplFlags &flags) {
  return !flags.function.empty() || !flags.arguments.empty();
}

static Result<driver::KernelSignature> chooseKernel(const PplFlags &flags) {
  if (KernelLibrary::isLibrary(flags.kernel))
    return rt::fail(rt::Code::InvalidArgument,
                    "--kernel and --arg need the parameters of the C++ source, "
                    "which the library " +
                        flags.kernel + " does not hold; name the source");
  Result<std::vector<driver::KernelSignature>> kernels =
      KernelLibrary::signatures(flags.kernel, flags.compilerArguments);
  if (!kernels)
    return kernels.status();
  std::string known;
  for (const driver::KernelSignature &kernel : *kernels) {
    if (kernel.name == flags.function ||
        (flags.function.empty() && kernels->size() == 1))
      return kernel;
    known += (known.empty() ? "" : ", ") + kernel.name;
  }
  if (known.empty())
    return rt::fail(rt::Code::NotFound,
                    flags.kernel + ": has no __KERNEL__ function");
  return rt::fail(rt::Code::NotFound,
                  flags.kernel +
                      (flags.function.empty()
                           ? ": has several kernels; choose one with --kernel: "
                           : ": has no kernel '" + flags.function +
                                 "' for --kernel; there are ") +
                      known);
}

/// A program is recorded by calling something: without tests, how to.
static rt::Status nothingToCall(const PplFlags &flags) {
  std::string text = flags.kernel + ": has no __TEST__ function; a program is "
                                    "recorded by running one";
  if (!KernelLibrary::isLibrary(flags.kernel))
    if (auto kernels =
            KernelLibrary::signatures(flags.kernel, flags.compilerArguments);
        kernels && !kernels->empty() && canBeCalled(kernels->front()))
      text += ", or by a call: weft ppl " + flags.action + " " + flags.kernel +
              " " + exampleOf(kernels->front());
  return rt::fail(rt::Code::NotFound, text);
}

static Result<Programs> choosePrograms(const PplFlags &flags) {
  Programs programs;
  std::string driver;
  if (callsKernel(flags)) {
    Result<driver::KernelSignature> kernel = chooseKernel(flags);
    if (!kernel)
      return kernel.status();
    Result<KernelArguments> arguments =
        KernelArguments::parse(*kernel, flags.arguments);
    if (!arguments)
      return arguments.status();
    driver = arguments->driver();
    programs.arguments.emplace(std::move(*arguments));
    programs.names = {kernel->name};
  }
  Result<KernelLibrary> library =
      KernelLibrary::isLibrary(flags.kernel)
          ? KernelLibrary::load(flags.kernel)
          : KernelLibrary::compile(flags.kernel, flags.compilerArguments,
                                   driver);
  if (!library)
    return library.status();
  if (!flags.test.empty() && !llvm::is_contained(library->tests(), flags.test))
    return noSuchTest(flags, *library);
  if (!flags.test.empty())
    programs.names = {flags.test};
  else if (!programs.arguments)
    programs.names = library->tests();
  programs.library.emplace(std::move(*library));
  if (programs.names.empty() && flags.action != "check")
    return nothingToCall(flags);
  return programs;
}

static Result<Recorded> recordProgram(const PplFlags &flags,
                                      const Programs &programs,
                                      const Chip &chip,
                                      const std::string &name) {
  Recorded one{name, std::make_unique<KernelProgram>()};
  rt::Status status;
  bool isDone = mlir::succeeded(
      one.program->record(chip, name, [&](const weft_ppl_recorder &table) {
        status = programs.library->callTest(
            programs.arguments ? KernelArguments::kDriverName : name, table);
      }));
  if (!status) // it may name the line already
    return status.message().rfind(flags.kernel, 0) == 0
               ? status
               : status.withContext(flags.kernel);
  if (!isDone)
    return one.program->failureCause();
  if (programs.arguments) // before the check, which runs the program on them
    if (rt::Status filled =
            programs.arguments->fill(one.program->recorder().memory);
        !filled)
      return filled;
  bool checks =
      flags.check ||
      ((flags.action == "test" || flags.action == "check") && !flags.noCheck);
  if (checks && mlir::failed(driver::checkKernel(*one.program)))
    return one.program->failureCause();
  return one;
}

//===----------------------------------------------------------------------===//
// Actions
//===----------------------------------------------------------------------===//

static ExitCode buildAction(const PplFlags &flags,
                            std::vector<Recorded> &tests) {
  if (tests.size() != 1)
    return report(rt::fail(rt::Code::InvalidArgument,
                           flags.kernel + ": has " +
                               std::to_string(tests.size()) +
                               " __TEST__ functions; choose one with --test"));
  if (flags.text) {
    mlir::FailureOr<std::string> text =
        tests.front().program->text(!flags.run.interpret, flags.serial);
    if (mlir::failed(text))
      return report(tests.front().program->failureCause());
    return printText(*text);
  }
  if (flags.output.empty())
    return report(rt::fail(rt::Code::InvalidArgument,
                           "build needs --output FILE.bmodel"));
  Result<std::vector<uint8_t>> bytes =
      kernelBmodel(*tests.front().program, flags.serial);
  if (!bytes)
    return report(bytes.status());
  if (rt::Status status =
          tools::writeOutputFile(flags.output, bytes->data(), bytes->size());
      !status)
    return report(status);
  return printText(flags.output + " " + std::to_string(bytes->size()) +
                   " bytes\n");
}

static ExitCode runAction(const PplFlags &flags, std::vector<Recorded> &tests) {
  if (!flags.save.empty() && tests.size() != 1)
    return report(rt::fail(rt::Code::InvalidArgument,
                           "--save takes one test; choose it with --test"));
  std::string text;
  for (Recorded &one : tests) {
    Result<MemoryImage> memory =
        runKernel(*one.program, flags.run, flags.serial);
    if (!memory)
      return report(inTest(one.name, memory.status()));
    text += one.name + ": ran, " +
            std::to_string(one.program->outputs().size()) + " outputs\n";
    if (!flags.save.empty())
      if (rt::Status status = saveOutputs(*one.program, *memory, flags.save);
          !status)
        return report(status);
  }
  return printText(text);
}

/// Everything but running: the rules of the functions, memory, commands.
static ExitCode checkAction(const PplFlags &flags, const KernelLibrary &library,
                            std::vector<Recorded> &programs) {
  std::string text;
  for (Recorded &one : programs) {
    const Chip &chip = one.program->chip();
    if (chip.hasCommands()) {
      Result<std::vector<uint8_t>> bytes =
          kernelBmodel(*one.program, flags.serial);
      if (!bytes)
        return report(inTest(one.name, bytes.status()));
    } else if (Result<MemoryImage> memory = one.program->interpret(); !memory) {
      return report(inTest(one.name, memory.status()));
    }
    std::string outputs;
    for (const auto &[name, piece] : one.program->outputs())
      outputs += (outputs.empty() ? "" : ", ") + name;
    text += one.name + ": legal on " + std::string(chip.targetName) +
            ", writes " + outputs + "\n";
  }
  if (!programs.empty())
    return printText(text);
  if (KernelLibrary::isLibrary(flags.kernel)) {
    for (const std::string &kernel : library.kernels())
      text += kernel + ": loads; to check its calls name the C++ source, which "
                       "has its parameters\n";
    return printText(text.empty() ? flags.kernel + ": loads, no kernel\n"
                                  : text);
  }
  Result<std::vector<driver::KernelSignature>> kernels =
      KernelLibrary::signatures(flags.kernel, flags.compilerArguments);
  if (!kernels)
    return report(kernels.status());
  for (const driver::KernelSignature &kernel : *kernels)
    text += textOf(kernel) + ": compiles; to check its calls add " +
            (canBeCalled(kernel) ? exampleOf(kernel)
                                 : "a __TEST__ function that makes one") +
            "\n";
  return printText(text.empty() ? flags.kernel + ": compiles, no kernel\n"
                                : text);
}

/// What the flags of `profile` ask for that there is not.
static rt::Status checkProfileFlags(const PplFlags &flags, size_t programs) {
  if (flags.page.empty())
    return rt::Status::ok();
  if (programs != 1)
    return rt::fail(rt::Code::InvalidArgument,
                    flags.kernel + ": has " + std::to_string(programs) +
                        " __TEST__ functions, the page of --html shows one; "
                        "choose it with --test");
  if (flags.json && flags.page == "-")
    return rt::fail(rt::Code::InvalidArgument,
                    "--json and --html - both write to stdout");
  return rt::Status::ok();
}

static ExitCode profileAction(const PplFlags &flags,
                              std::vector<Recorded> &tests) {
  if (rt::Status status = checkProfileFlags(flags, tests.size()); !status)
    return report(status);
  std::vector<KernelProfile> kernels;
  for (Recorded &one : tests) {
    Result<KernelProfile> kernel =
        profileKernel(flags.kernel, one.name, *one.program);
    if (!kernel)
      return report(inTest(one.name, kernel.status()));
    kernels.push_back(std::move(*kernel));
  }
  const KernelProfile &first = kernels.front();
  if (!flags.page.empty()) {
    std::string page = profilePage(first.stage, first.profile);
    if (rt::Status status =
            tools::writeOutputFile(flags.page, page.data(), page.size());
        !status)
      return report(status);
    if (flags.page == "-") // else the report would follow the page
      return ExitCode::Ok;
  }
  if (flags.json) {
    nlohmann::ordered_json json = nlohmann::json::array();
    for (const KernelProfile &kernel : kernels)
      json.push_back(describeKernel(kernel));
    return printJson(json);
  }
  std::string text = kernelTable(kernels);
  if (kernels.size() == 1)
    text += profileText(first.stage, first.profile);
  return printText(text);
}

/// Every test is judged, whatever the others do. Exit code 2 if one could not
/// be run at all, else 1 if one failed.
static ExitCode testAction(const PplFlags &flags, const Programs &programs,
                           const Chip &chip) {
  size_t passed = 0;
  ExitCode worst = ExitCode::Ok;
  for (const std::string &name : programs.names) {
    Result<Recorded> one = recordProgram(flags, programs, chip, name);
    Result<std::vector<std::string>> wrong =
        one ? judgeTest(flags.kernel, name, *one->program, flags.run)
            : Result<std::vector<std::string>>(one.status());
    std::string text =
        (wrong && wrong->empty() ? "PASS " : "FAIL ") + name + "\n";
    if (!wrong) {
      ExitCode code = report(inTest(name, wrong.status()));
      worst = worst == ExitCode::Internal ? worst : code;
    } else if (wrong->empty()) {
      ++passed;
    } else if (worst == ExitCode::Ok) {
      worst = ExitCode::ComparisonFailed;
    }
    if (wrong)
      for (const std::string &line : *wrong)
        text += "     " + line + "\n";
    if (ExitCode printed = printText(text); printed != ExitCode::Ok)
      return printed;
  }
  ExitCode printed =
      printText(std::to_string(passed) + " passed, " +
                std::to_string(programs.names.size() - passed) + " failed\n");
  return printed == ExitCode::Ok ? worst : printed;
}

/// A flag that only some actions read would be left unheard by the others.
static rt::Status checkActionFlags(const PplFlags &flags) {
  struct Row {
    const char *flag;
    bool isGiven;
    std::vector<std::string> actions;
  };
  const Row rows[] = {
      {"--output", !flags.output.empty(), {"build"}},
      {"--mlir", flags.text, {"build"}},
      {"--save", !flags.save.empty(), {"run"}},
      {"--html", !flags.page.empty(), {"profile"}},
      {"--json", flags.json, {"profile"}},
      {"--no-check", flags.noCheck, {"test", "check"}},
      {"--interpret", flags.run.interpret, {"build", "run", "test"}},
      {"--serial", flags.serial, {"build", "run", "check"}},
  };
  for (const Row &row : rows)
    if (row.isGiven && !llvm::is_contained(row.actions, flags.action))
      return rt::fail(rt::Code::InvalidArgument,
                      std::string(row.flag) + " is for weft ppl " +
                          llvm::join(row.actions, ", ") + ", not for " +
                          flags.action + "; leave it out");
  return rt::Status::ok();
}

static ExitCode pplCommand(const PplFlags &flags) {
  if (rt::Status status = checkActionFlags(flags); !status)
    return report(status);
  for (const auto &[option, file] :
       {std::pair("--output", &flags.output), std::pair("--save", &flags.save),
        std::pair("--html", &flags.page)})
    if (rt::Status status = tools::checkInputsKept(
            option, *file, {{"the kernel", flags.kernel}});
        !status)
      return report(status);
  Result<const Chip *> chip = driver::kernelTarget(flags.target);
  if (!chip)
    return report(chip.status());
  if (callsKernel(flags) && (flags.action == "test" || !flags.test.empty()))
    return report(rt::fail(
        rt::Code::InvalidArgument,
        std::string(flags.test.empty() ? "test" : "--test") +
            " is about __TEST__ functions, --kernel and --arg call a kernel; "
            "use weft ppl run with these, or leave them out"));
  Result<Programs> programs = choosePrograms(flags);
  if (!programs)
    return report(programs.status());
  if (flags.action == "test")
    return testAction(flags, *programs, **chip);
  std::vector<Recorded> tests;
  for (const std::string &name : programs->names) {
    Result<Recorded> one = recordProgram(flags, *programs, **chip, name);
    if (!one)
      return report(one.status());
    tests.push_back(std::move(*one));
  }
  if (flags.action == "check")
    return checkAction(flags, *programs->library, tests);
  if (flags.action == "build")
    return buildAction(flags, tests);
  if (flags.action == "run")
    return runAction(flags, tests);
  return profileAction(flags, tests);
}

void cli::addPplCommand(Program &program) {
  auto flags = std::make_shared<PplFlags>();
  CLI::App &command = program.addCommand(
      "ppl", "Build, run, profile or test kernels written in PPL",
      {"weft ppl test softmax.cpp", "weft ppl profile softmax.cpp",
       "weft ppl profile softmax.cpp --test softmax_test --html softmax.html",
       "weft ppl build add.cpp --test add_test --output add.bmodel",
       "weft ppl run add.cpp --kernel add --arg out=out:fp16[1x64x1x128] --arg "
       "in=x.npz:x --arg W=128 --save y.npz",
       "weft ppl test topk.cpp --target " +
           std::string(chips::kernelTargets[2]->targetName)},
      [flags] { return pplCommand(*flags); });
  command.add_option("action", flags->action, "What to do with it")
      ->required()
      ->check(CLI::IsMember({"build", "check", "run", "profile", "test"}))
      ->type_name("ACTION");
  command
      .add_option("kernel", flags->kernel,
                  "A C++ source with ppl.h, or a library made of one")
      ->required()
      ->type_name("FILE");
  command
      .add_option("--test", flags->test,
                  "The __TEST__ function; the default is all")
      ->check(nonEmptyValue())
      ->type_name("NAME");
  command
      .add_option("--kernel", flags->function,
                  "The __KERNEL__ function that is called with the values of "
                  "--arg; the default is the only one")
      ->check(nonEmptyValue())
      ->type_name("NAME");
  command
      .add_option("--arg", flags->arguments,
                  "What a parameter of the kernel gets: a number, an array "
                  "(FILE.npz:ARRAY), or new memory, zeros or random values "
                  "(out:fp16[1x64x1x128], rand:[1x64x1x128]); may be repeated")
      ->type_name("PARAMETER=VALUE")
      ->allow_extra_args(false);
  command
      .add_option("--target", flags->target,
                  "The chip; one without commands is interpreted")
      ->capture_default_str()
      ->type_name("CHIP");
  command
      .add_option("-o,--output", flags->output, "build: the bmodel to write")
      ->check(nonEmptyValue())
      ->type_name("FILE");
  command.add_option("--save", flags->save, "run: the outputs as arrays")
      ->check(nonEmptyValue())
      ->type_name("FILE.npz");
  command
      .add_option("--compiler-argument", flags->compilerArguments,
                  "A word for the C++ compiler, as -DTILE=8; may be repeated")
      ->type_name("WORD")
      ->allow_extra_args(false);
  command.add_flag("--serial", flags->serial,
                   "Keep the rounds of pipelined loops one after the other");
  command.add_flag("--interpret", flags->run.interpret,
                   "Run the functions themselves, without commands");
  command.add_flag("--mlir", flags->text,
                   "build: print the commands as MLIR (with --interpret: the "
                   "functions)");
  command
      .add_option("--html", flags->page,
                  "profile: also write a page with the timeline of both "
                  "engines, lines of source and the local memory map")
      ->check(nonEmptyValue())
      ->type_name("FILE");
  command.add_flag("--json", flags->json, "profile: print JSON");
  command.add_flag("--check", flags->check,
                   "Look for reads of what nothing wrote, races and results "
                   "that go nowhere; test and check always do");
  command.add_flag("--no-check", flags->noCheck, "test, check: leave that out");
  addDeviceFlags(command, flags->run.device);
}
