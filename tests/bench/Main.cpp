/// EmulatorBench: what scripts/bench runs.
#include "tests/bench/Ratios.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace {

const char *const kUsage =
    "usage: EmulatorBench [options] [MODEL.bmodel ..]\n"
    "  --instructions        the representative commands too\n"
    "  --repetitions N       runs of each side (5)\n"
    "  --vendor-budget S     seconds for the vendor's runs of one pair (120);\n"
    "                        beyond them there are fewer, at least one\n"
    "  --json FILE           writes seconds and ratios\n"
    "  --benchmark_filter=.. and other options of Google Benchmark\n"
    "The environment: WEFT_BMRT_LIB, TPU_MLIR_DIR (the vendor's libraries),\n"
    "WEFT_SIMD (caps our kernels: portable, avx2, avx512, avx512vnni).\n";

} // namespace

int main(int argc, char **argv) {
  using namespace weft::bench;
  benchmark::Initialize(&argc, argv);
  Settings settings;
  std::vector<std::string> models;
  std::string json;
  bool instructions = false;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    bool hasValue = i + 1 < argc;
    if (word == "--instructions") {
      instructions = true;
    } else if (word == "--repetitions" && hasValue) {
      settings.repetitions = unsigned(std::strtoul(argv[++i], nullptr, 10));
    } else if (word == "--vendor-budget" && hasValue) {
      settings.vendorBudget = std::strtod(argv[++i], nullptr);
    } else if (word == "--json" && hasValue) {
      json = argv[++i];
    } else if (word[0] == '-') {
      std::fputs(kUsage, stderr);
      return 2;
    } else {
      models.push_back(word);
    }
  }
  if (settings.repetitions == 0 || (models.empty() && !instructions)) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  addModels(models, settings);
  if (instructions)
    addInstructions(settings);
  Ratios ratios;
  benchmark::RunSpecifiedBenchmarks(&ratios);
  if (!json.empty()) {
    std::ofstream file(json);
    file << ratios.json();
    if (!file.flush()) {
      std::fprintf(stderr, "EmulatorBench: cannot write %s\n", json.c_str());
      return 1;
    }
  }
  return ratios.hasErrors() ? 1 : 0;
}
