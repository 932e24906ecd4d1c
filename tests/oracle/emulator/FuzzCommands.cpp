/// The long mode of the differential test: every function of the opcode table
/// until the vendor's emulator has taken N commands of it.
/// scripts/fuzz_commands runs it; see --help.
#include "tests/oracle/emulator/Coverage.h"
#include "tests/oracle/emulator/FuzzWorkers.h"
#include "tests/oracle/emulator/VendorEmulator.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace weft::oracle {
namespace {

const char *const kUsage =
    "usage: FuzzCommands [options]\n"
    "  --per-function N   commands per function that the vendor takes (2000)\n"
    "  --only PATTERN     only functions whose mnemonic, or kinds whose name,\n"
    "                     contains PATTERN\n"
    "  --seed S           another set of commands (0)\n"
    "  --jobs J           processes (1)\n"
    "  --findings F       mismatches to shrink and print per function (2)\n"
    "  --json FILE        writes the account\n"
    "  --docs FILE        writes docs/instruction-coverage.md\n"
    "  --replay KIND:SEED runs and shrinks one command\n"
    "  --list             prints the functions with their kinds\n"
    "exit status: 0 all agree, 1 something differs, 2 wrong use\n";

struct Arguments {
  FuzzPlan plan;
  std::string json, docs, replay;
  bool list = false;
};

bool parseNumber(const char *text, uint64_t &value) {
  char *end = nullptr;
  value = std::strtoull(text, &end, 10);
  return *text && end && !*end;
}

bool parse(int argc, char **argv, Arguments &arguments) {
  for (int i = 1; i < argc; ++i) {
    std::string name = argv[i];
    if (name == "--list") {
      arguments.list = true;
      continue;
    }
    if (++i == argc) {
      std::fprintf(stderr, "FuzzCommands: %s wants a value or is unknown\n%s",
                   name.c_str(), kUsage);
      return false;
    }
    uint64_t number = 0;
    bool isNumber = parseNumber(argv[i], number);
    if (name == "--only")
      arguments.plan.only = argv[i];
    else if (name == "--json")
      arguments.json = argv[i];
    else if (name == "--docs")
      arguments.docs = argv[i];
    else if (name == "--replay")
      arguments.replay = argv[i];
    else if (name == "--per-function" && isNumber)
      arguments.plan.perFunction = unsigned(number);
    else if (name == "--seed" && isNumber && number < 1u << 31)
      arguments.plan.seed = number;
    else if (name == "--jobs" && isNumber && number >= 1 && number <= 64)
      arguments.plan.jobs = unsigned(number);
    else if (name == "--findings" && isNumber)
      arguments.plan.findings = unsigned(number);
    else {
      std::fprintf(stderr, "FuzzCommands: cannot use '%s %s'\n%s", name.c_str(),
                   argv[i], kUsage);
      return false;
    }
  }
  return true;
}

int list(const Registry &registry) {
  for (const Row &row : registry.rows) {
    std::printf("%s %u %u %s: %s; kinds:",
                row.function.engine == Engine::Tiu ? "tiu" : "gdma",
                row.function.type, row.function.func,
                std::string(row.opcode->mnemonic).c_str(),
                row.judgement().c_str());
    for (const Kind *kind : row.kinds)
      std::printf(" %s", kind->name.c_str());
    std::printf("\n");
  }
  return 0;
}

int replay(const Registry &registry, Executor &ours, const std::string &text) {
  size_t colon = text.rfind(':');
  uint64_t seed = 0;
  const Kind *kind = colon == std::string::npos
                         ? nullptr
                         : registry.kind(text.substr(0, colon));
  if (!kind || !parseNumber(text.c_str() + colon + 1, seed)) {
    std::fprintf(stderr,
                 "FuzzCommands: '%s' is no KIND:SEED; --list names kinds\n",
                 text.c_str());
    return 2;
  }
  std::string error;
  VendorEmulator vendor(error);
  if (!error.empty()) {
    std::fprintf(stderr, "FuzzCommands: %s\n", error.c_str());
    return 2;
  }
  Campaign campaign(vendor, ours);
  Verdict verdict = campaign.replay(*kind, seed);
  std::printf("%s\n%s %s\n", commandText(drawCommand(*kind, seed)).c_str(),
              outcomeName(verdict.outcome), verdict.text.c_str());
  for (const Finding &finding : campaign.findings)
    std::printf("%s", finding.report().c_str());
  return isMismatch(verdict.outcome);
}

bool write(const std::string &path, const std::string &text) {
  if (path.empty())
    return true;
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file)
    std::fprintf(stderr, "FuzzCommands: cannot write %s\n", path.c_str());
  return bool(file);
}

int report(const Registry &registry, const Arguments &arguments,
           const FuzzResult &result) {
  RunName run{arguments.plan.seed, arguments.plan.perFunction};
  Tally all;
  for (const auto &[function, tally] : result.tallies)
    all += tally;
  for (const std::string &problem : result.problems)
    std::printf("problem: %s\n", problem.c_str());
  std::printf("%u compared, %u differ, %u unrepeatable, %u refused, %u crashed "
              "and %u hung the vendor's emulator; %zu findings\n",
              all.compared, all.mismatches, all.unrepeatable, all.refused,
              all.crashed, all.hung, result.findings.size());
  bool written =
      write(arguments.json,
            coverageJson(registry, result.tallies, result.findings, run)) &&
      write(arguments.docs, coveragePage(registry, result.tallies, run));
  if (!written)
    return 2;
  return all.mismatches || all.unrepeatable || !result.problems.empty();
}

int run(int argc, char **argv) {
  Arguments arguments;
  if (!parse(argc, argv, arguments))
    return 2;
  std::string error;
  std::unique_ptr<OurEmulator> ours = OurEmulator::create(error);
  if (!ours) {
    std::fprintf(stderr, "FuzzCommands: %s\n", error.c_str());
    return 2;
  }
  Registry registry(*ours);
  for (const std::string &problem : registry.problems)
    std::fprintf(stderr, "FuzzCommands: %s\n", problem.c_str());
  if (arguments.list)
    return list(registry);
  if (!arguments.replay.empty())
    return replay(registry, *ours, arguments.replay);
  ours.reset(); // each worker has its own
  return report(registry, arguments, fuzz(registry, arguments.plan));
}

} // namespace
} // namespace weft::oracle

int main(int argc, char **argv) { return weft::oracle::run(argc, argv); }
