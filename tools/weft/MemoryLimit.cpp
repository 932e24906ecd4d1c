#include "tools/weft/MemoryLimit.h"
#include "runtime/status/Format.h"
#include "runtime/status/Quote.h"
#include "tools/weft/Program.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sys/resource.h>
#include <unistd.h>

using namespace weft;
using namespace weft::cli;
using rt::Result;

/// In a small container half would not do for a small model.
static constexpr uint64_t kLeastByDefault = 1'000'000'000;

void cli::addMemoryLimitFlag(CLI::App &command, std::string &text) {
  command
      .add_option("--memory-limit", text,
                  "Memory that the conversion may take before it is an error: "
                  "bytes, or as 800M or 1.5G; none: any")
      ->check(nonEmptyValue())
      ->type_name("BYTES")
      ->default_str("half of the machine's");
}

Result<uint64_t> cli::parseMemory(const std::string &text) {
  if (text == "none")
    return uint64_t(0);
  char *end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  std::string unit = end;
  double factor = unit.empty()                 ? 1
                  : unit == "K" || unit == "k" ? 1e3
                  : unit == "M" || unit == "m" ? 1e6
                  : unit == "G" || unit == "g" ? 1e9
                  : unit == "T" || unit == "t" ? 1e12
                                               : 0;
  bool isNumber = end != text.c_str() && std::isfinite(value) && value > 0;
  if (!isNumber || factor == 0 || value * factor >= 1e18)
    return rt::fail(rt::Code::InvalidArgument,
                    "--memory-limit is " + rt::quoteName(text) +
                        ", must be a number of bytes, as 800M or 1.5G, or "
                        "none");
  return uint64_t(value * factor);
}

uint64_t cli::memoryOfMachine() {
  long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  uint64_t bytes = pages > 0 && page > 0 ? uint64_t(pages) * uint64_t(page) : 0;
  for (const char *file : {"/sys/fs/cgroup/memory.max",
                           "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    uint64_t most = 0;
    if (std::ifstream(file) >> most && most > 0) // "max" is no number
      bytes = bytes ? std::min(bytes, most) : most;
  }
  return bytes;
}

rt::Status cli::limitMemory(const std::string &text) {
  uint64_t bytes = 0;
  if (text.empty()) {
    uint64_t all = memoryOfMachine();
    bytes = std::max(all / 2, std::min(all, kLeastByDefault));
  } else {
    Result<uint64_t> given = parseMemory(text);
    if (!given)
      return given.status();
    bytes = *given;
  }
  struct rlimit limit;
  // RLIMIT_AS would count the weights, which are pages of the model's file.
  if (bytes == 0 || ::getrlimit(RLIMIT_DATA, &limit) != 0 ||
      limit.rlim_cur <= bytes)
    return rt::Status::ok();
  limit.rlim_cur = bytes;
  if (::setrlimit(RLIMIT_DATA, &limit) == 0)
    setOutOfMemoryText(rt::format(
        "out of memory: it takes more than the %.1f GB of --memory-limit%s; "
        "give more, or a smaller model",
        double(bytes) / 1e9,
        text.empty() ? " (by default half of the machine's)" : ""));
  return rt::Status::ok();
}
