//===- PrecisionMeasurements.cpp - programs of a search -------------------===//

#include "tools/driver/PrecisionMeasurements.h"

#include <algorithm>
#include <atomic>
#include <thread>

using namespace weft;
using namespace weft::driver;
using rt::Result;

/// The program of `programs` made as `key` says, by `measure` if it is not
/// there.
template <typename Key, typename Measure>
static Result<const MixedProgram *>
knownOf(std::map<Key, MixedProgram> &programs, const Key &key, bool isScored,
        const Measure &measure) {
  auto found = programs.find(key);
  if (found == programs.end() || (isScored && !found->second.score)) {
    Result<MixedProgram> measured = measure(key, isScored);
    if (!measured)
      return measured.status();
    found = programs.insert_or_assign(key, *std::move(measured)).first;
  }
  const MixedProgram *known = &found->second;
  return known;
}

Result<const MixedProgram *>
PrecisionMeasurements::of(const std::vector<bool> &isFloat, bool isScored) {
  return knownOf(programs, isFloat, isScored && search.goal.score,
                 [&](const std::vector<bool> &key, bool isScored) {
                   Result<MixedProgram> one = search.measure(key, isScored);
                   if (one)
                     report();
                   return one;
                 });
}

Result<const MixedProgram *> PrecisionMeasurements::whole(ProgramKind kind,
                                                          bool isScored) {
  return knownOf(wholes, kind, isScored && search.goal.score,
                 [&](ProgramKind key, bool isScored) {
                   Result<MixedProgram> one =
                       search.measureWhole(key, isScored);
                   if (one)
                     report();
                   return one;
                 });
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
  for (const auto &[kind, program] : wholes)
    every.push_back(&program);
  return every;
}

void PrecisionMeasurements::report() {
  ++done;
  if (search.progress)
    search.progress(done, std::max(done, expected));
}
