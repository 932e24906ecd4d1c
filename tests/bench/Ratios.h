/// Measures ours and the vendor's emulator side by side.
///
/// Every pair is two Google Benchmark runs, "NAME/weft" and "NAME/vendor", with
/// manual time and repetitions; Ratios takes their medians.
#ifndef WEFT_TESTS_BENCH_RATIOS_H
#define WEFT_TESTS_BENCH_RATIOS_H

#include <benchmark/benchmark.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace weft::bench {

/// One measurement: seconds, or a message why there is none.
struct Measured {
  double seconds = 0;
  std::string error;
};
using Measure = std::function<Measured()>;

struct Settings {
  unsigned repetitions = 5;
  /// Seconds that the vendor's repetitions of one pair may take together; the
  /// first is always made.
  double vendorBudget = 120;
};

/// Registers both sides of a pair. Each starts with one run that does not
/// count, except a vendor's that takes more than a tenth of the budget.
void addPair(const std::string &name, const Settings &settings, Measure weft,
             Measure vendor);

/// Collects the runs; prints a line for each pair when both sides are done.
class Ratios : public benchmark::BenchmarkReporter {
public:
  bool ReportContext(const Context &) override;
  void ReportRuns(const std::vector<Run> &runs) override;

  /// The pairs with their seconds, medians and ratio, and what they ran on.
  std::string json() const;
  bool hasErrors() const { return !errors.empty(); }

private:
  struct Pair {
    std::vector<double> weft, vendor;
  };
  void print(const std::string &name, const Pair &pair);
  std::vector<std::string> order;
  std::map<std::string, Pair> pairs;
  std::map<std::string, std::string> errors;
};

/// Registers a pair for each model file.
void addModels(const std::vector<std::string> &files, const Settings &settings);
/// Registers the representative commands.
void addInstructions(const Settings &settings);

} // namespace weft::bench

#endif
