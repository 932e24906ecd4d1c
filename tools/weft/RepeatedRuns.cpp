#include "tools/weft/RepeatedRuns.h"
#include "runtime/numeric/ConvertValues.h"
#include "runtime/status/Format.h"
#include "runtime/status/Quote.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <system_error>
#include <thread>

using namespace weft;
using namespace weft::cli;
using numeric::HostTensor;
using rt::Result;
using rt::Status;
using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double RunTimes::median() const {
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  size_t middle = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[middle]
                           : (sorted[middle - 1] + sorted[middle]) / 2;
}

double RunTimes::least() const {
  return *std::min_element(seconds.begin(), seconds.end());
}

double RunTimes::most() const {
  return *std::max_element(seconds.begin(), seconds.end());
}

/// How `result` is not `expected`; empty if it is, byte by byte (so that a NaN
/// is equal to itself).
static std::string differenceOf(const std::string &name,
                                const HostTensor &result,
                                const HostTensor &expected) {
  std::string output = "output " + rt::quoteName(name) + " is ";
  if (result.type() != expected.type() || result.shape() != expected.shape())
    return output + numeric::shapeText(result.shape()) +
           ", the first run gave " + numeric::shapeText(expected.shape());
  const size_t size = numeric::elementBytes(result.type());
  for (int64_t i = 0; i < result.elements(); ++i)
    if (std::memcmp(result.bytes() + size_t(i) * size,
                    expected.bytes() + size_t(i) * size, size) != 0)
      return output + numeric::elementText(result, i) + " at " +
             numeric::placeText(result.shape(), i) + ", the first run gave " +
             numeric::elementText(expected, i);
  return "";
}

namespace {

/// What the threads share.
struct Expectation {
  const std::vector<std::string> &names;
  const std::vector<HostTensor> &outputs;
  std::atomic<bool> ends{false}; ///< somebody has failed
};

/// What one thread finds.
struct Lane {
  std::vector<double> seconds;
  Status status;
  std::string difference;

  void run(const RunOnce &once, size_t runs, size_t session,
           Expectation &expected);
};

} // namespace

void Lane::run(const RunOnce &once, size_t runs, size_t session,
               Expectation &expected) {
  for (size_t i = 0; i < runs && !expected.ends; ++i) {
    Clock::time_point begin = Clock::now();
    Result<std::vector<HostTensor>> outputs = once();
    seconds.push_back(secondsSince(begin));
    if (!outputs)
      status = outputs.status();
    for (size_t k = 0; outputs && k < outputs->size() && difference.empty();
         ++k) {
      std::string text =
          differenceOf(expected.names[k], (*outputs)[k], expected.outputs[k]);
      if (!text.empty())
        difference =
            rt::format("run %zu of session %zu: ", i + 1, session + 1) + text;
    }
    if (!status || !difference.empty())
      expected.ends = true;
  }
}

static Result<RunTimes> runAll(const std::vector<RunOnce> &sessions,
                               size_t runs, Expectation &expected) {
  std::vector<Lane> lanes(sessions.size());
  std::vector<std::thread> threads;
  Clock::time_point begin = Clock::now();
  try {
    for (size_t i = 1; i < sessions.size(); ++i)
      threads.emplace_back(
          [&, i] { lanes[i].run(sessions[i], runs, i, expected); });
  } catch (const std::system_error &error) {
    expected.ends = true;
    lanes[0].status =
        rt::failf(rt::Code::OutOfMemory, "cannot start %zu threads: %s",
                  sessions.size(), error.what());
  }
  lanes[0].run(sessions[0], runs, 0, expected);
  for (std::thread &thread : threads)
    thread.join();
  RunTimes times;
  times.elapsed = secondsSince(begin);
  for (const Lane &lane : lanes) {
    if (!lane.status)
      return lane.status;
    if (times.difference.empty())
      times.difference = lane.difference;
    times.seconds.insert(times.seconds.end(), lane.seconds.begin(),
                         lane.seconds.end());
  }
  return times;
}

Result<RunTimes> cli::repeatRuns(const std::vector<RunOnce> &sessions,
                                 size_t runs,
                                 const std::vector<std::string> &outputNames,
                                 const std::vector<HostTensor> &expected) {
  Expectation expectation{outputNames, expected};
  if (sessions.size() > 1) {
    Result<RunTimes> warmUp = runAll(sessions, 1, expectation);
    if (!warmUp || !warmUp->difference.empty())
      return warmUp;
  }
  return runAll(sessions, runs, expectation);
}
