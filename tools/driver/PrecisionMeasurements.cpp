//===- PrecisionMeasurements.cpp - programs of a search -------------------===//

#include "tools/driver/PrecisionMeasurements.h"

#include <algorithm>
#include <atomic>
#include <thread>

using namespace weft;
using namespace weft::driver;
using rt::Result;

Result<const MixedProgram *>
PrecisionMeasurements::of(const std::vector<bool> &isFloat, bool isScored) {
  isScored = isScored && search.goal.score;
  auto found = programs.find(isFloat);
  if (found != programs.end() && (!isScored || found->second.score)) {
    const MixedProgram *known = &found->second;
    return known;
  }
  Result<MixedProgram> measured = search.measure(isFloat, isScored);
  if (!measured)
    return measured.status();
  const MixedProgram *kept = &(programs[isFloat] = *std::move(measured));
  report();
  return kept;
}

rt::Status
PrecisionMeasurements::all(const std::vector<std::vector<bool>> &wanted) {
  std::vector<std::vector<bool>> missing;
  for (const std::vector<bool> &isFloat : wanted)
    if (!programs.count(isFloat) &&
        std::find(missing.begin(), missing.end(), isFloat) == missing.end())
      missing.push_back(isFloat);
  std::vector<rt::Status> statuses(missing.size());
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t i; (i = next++) < missing.size();) {
      Result<MixedProgram> one = search.measure(missing[i], false);
      std::lock_guard<std::mutex> lock(mutex);
      if (one)
        programs[missing[i]] = *std::move(one);
      else
        statuses[i] = one.status();
      report();
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < std::min<size_t>(search.threads, missing.size());
       ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
  for (const rt::Status &status : statuses)
    WEFT_TRY(status);
  return rt::Status::ok();
}

std::vector<const MixedProgram *> PrecisionMeasurements::everyProgram() const {
  std::vector<const MixedProgram *> every;
  for (const auto &[isFloat, program] : programs)
    every.push_back(&program);
  return every;
}

void PrecisionMeasurements::report() {
  ++done;
  if (search.progress)
    search.progress(done, std::max(done, expected));
}
