#include "tests/bench/Ratios.h"

#include "runtime/emulator/kernels/Simd.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

namespace weft::bench {
namespace {

constexpr const char *kOurs = "/weft", *kVendors = "/vendor";

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  size_t half = values.size() / 2;
  return values.size() % 2 ? values[half]
                           : (values[half - 1] + values[half]) / 2;
}

/// What repetitions of one side share.
struct Side {
  Measure measure;
  double budget = 0, spent = 0;
  bool isWarm = false;

  /// One measurement; nothing once the budget is spent.
  Measured next() {
    if (!isWarm) {
      isWarm = true;
      Measured first = measure();
      spent += first.seconds;
      if (!first.error.empty() || first.seconds > budget / 10)
        return first;
    }
    if (spent > budget)
      return {-1, ""};
    Measured measured = measure();
    spent += measured.seconds;
    return measured;
  }
};

void addSide(const std::string &name, unsigned repetitions, double budget,
             Measure measure) {
  auto side = std::make_shared<Side>();
  side->measure = std::move(measure);
  side->budget = budget;
  benchmark::RegisterBenchmark(
      name.c_str(),
      [side](benchmark::State &state) {
        for (auto _ : state) {
          Measured measured = side->next();
          if (!measured.error.empty())
            state.SkipWithError(measured.error.c_str());
          else // a time below 0 means "none"
            state.SetIterationTime(std::max(measured.seconds, 0.0));
        }
      })
      ->UseManualTime()
      ->Iterations(1)
      ->Repetitions(int(repetitions))
      ->Unit(benchmark::kSecond);
}

bool endsWith(const std::string &text, const std::string &end) {
  return text.size() >= end.size() &&
         text.compare(text.size() - end.size(), end.size(), end) == 0;
}

} // namespace

void addPair(const std::string &name, const Settings &settings, Measure weft,
             Measure vendor) {
  addSide(name + kOurs, settings.repetitions, 1e9, std::move(weft));
  addSide(name + kVendors, settings.repetitions, settings.vendorBudget,
          std::move(vendor));
}

bool Ratios::ReportContext(const Context &) {
  std::printf("%s kernels, %u processors, load %.2f before the first run\n",
              emulator::simdTargetName(emulator::simdTarget()),
              std::thread::hardware_concurrency(), [] {
                double load = 0;
                return getloadavg(&load, 1) == 1 ? load : -1.0;
              }());
  std::printf("%-42s %12s %12s %9s  %s\n", "", "weft s", "vendor s", "ratio",
              "runs");
  return true;
}

void Ratios::ReportRuns(const std::vector<Run> &runs) {
  for (const Run &run : runs) {
    if (run.run_type != Run::RT_Iteration)
      continue;
    const std::string &name = run.run_name.function_name;
    bool isOurs = endsWith(name, kOurs);
    std::string pair = name.substr(
        0, name.size() - std::string(isOurs ? kOurs : kVendors).size());
    if (pairs.find(pair) == pairs.end())
      order.push_back(pair);
    std::vector<double> &values =
        isOurs ? pairs[pair].weft : pairs[pair].vendor;
    if (run.error_occurred)
      errors[pair] = run.error_message;
    else if (run.real_accumulated_time > 0)
      values.push_back(run.real_accumulated_time / double(run.iterations));
  }
  const std::string &last = order.empty() ? "" : order.back();
  // Aggregates come in a report of their own.
  if (!runs.empty() && runs[0].run_type == Run::RT_Iteration &&
      endsWith(runs[0].run_name.function_name, kVendors))
    print(last, pairs[last]);
}

void Ratios::print(const std::string &name, const Pair &pair) {
  auto error = errors.find(name);
  if (error != errors.end()) {
    std::printf("%-42s %s\n", name.c_str(), error->second.c_str());
  } else if (!pair.weft.empty() && !pair.vendor.empty()) {
    double ours = median(pair.weft), vendors = median(pair.vendor);
    std::printf("%-42s %12.6f %12.6f %8.1fx  %zu, %zu\n", name.c_str(), ours,
                vendors, vendors / ours, pair.weft.size(), pair.vendor.size());
  }
  std::fflush(stdout);
}

std::string Ratios::json() const {
  nlohmann::ordered_json root;
  root["simd"] = emulator::simdTargetName(emulator::simdTarget());
  root["processors"] = std::thread::hardware_concurrency();
  root["pairs"] = nlohmann::ordered_json::array();
  for (const std::string &name : order) {
    const Pair &pair = pairs.at(name);
    nlohmann::ordered_json row;
    row["name"] = name;
    auto error = errors.find(name);
    if (error != errors.end()) {
      row["error"] = error->second;
    } else if (!pair.weft.empty() && !pair.vendor.empty()) {
      row["weft_seconds"] = median(pair.weft);
      row["vendor_seconds"] = median(pair.vendor);
      row["ratio"] = median(pair.vendor) / median(pair.weft);
      row["weft_runs"] = pair.weft;
      row["vendor_runs"] = pair.vendor;
    }
    root["pairs"].push_back(std::move(row));
  }
  return root.dump(2) + "\n";
}

} // namespace weft::bench
