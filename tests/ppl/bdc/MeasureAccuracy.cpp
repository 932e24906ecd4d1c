/// Errors of the unary functions over many arguments, as a table:
///   ppl_bdc_accuracy [SAMPLES] [NAME ...] > tests/ppl/bdc/accuracy.log
/// SAMPLES: of each function, 16777216 if left out. The log of the repository
/// was made with the default; tests/ppl/bdc/accuracy_table.py writes it into
/// docs/ppl/tpu-bdc.md.
#include "tests/ppl/bdc/Accuracy.h"

#include <cstdio>
#include <cstdlib>

using namespace weft::test;

static void print(const char *who, const Errors &errors, int64_t samples) {
  std::printf(" | %s max %.4g at %a mean %.4g nearest %.2f%%", who, errors.most,
              double(errors.worst), errors.sum / double(samples),
              100.0 * double(errors.rounded) / double(samples));
}

int main(int argc, char **argv) {
  const uint64_t samples =
      argc > 1 ? std::strtoull(argv[1], nullptr, 10) : uint64_t(1) << 24;
  for (const Function &function : functions()) {
    bool wanted = argc <= 2;
    for (int i = 2; i < argc; ++i)
      wanted |= function.name.find(argv[i]) != std::string::npos;
    if (!wanted)
      continue;
    std::vector<RangeErrors> ranges = measure(function, 0, samples);
    if (ranges.empty()) {
      std::fprintf(stderr, "%s: the sequence does not run\n",
                   function.name.c_str());
      return 1;
    }
    for (size_t i = 0; i < ranges.size(); ++i) {
      const RangeErrors &r = ranges[i];
      if (!r.samples)
        continue;
      std::printf("%s | %s [%.7g, %.7g] | samples %lld", function.name.c_str(),
                  i + 1 == ranges.size() ? "all" : "range", double(r.low),
                  double(r.high), static_cast<long long>(r.samples));
      print("weft", r.ours, r.samples);
      print("vendor", r.vendor, r.samples);
      std::printf("\n");
      std::fflush(stdout);
    }
  }
  return 0;
}
