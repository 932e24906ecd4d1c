#include "tools/weft/MemoryLimit.h"
#include "runtime/status/Format.h"
#include "runtime/status/Quote.h"
#include "tools/weft/Program.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sys/resource.h>
#include <unistd.h>

using namespace weft;
using namespace weft::cli;
using rt::Result;

/// The soft limit that limitMemory() has lowered, for children.
static std::optional<rlim_t> limitBefore;

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

/// "/a/b" of version 2, with the limits of each of its parents; empty for the
/// root, and where there is none.
static std::string controlGroup() {
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);)
    if (line.compare(0, 4, "0::/") == 0 && line.size() > 4)
      return line.substr(3);
  return "";
}

uint64_t cli::memoryOfMachine() {
  long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  uint64_t bytes = pages > 0 && page > 0 ? uint64_t(pages) * uint64_t(page) : 0;
  // Of version 1 the outermost alone: where others are mounted differs.
  std::vector<std::string> files = {
      "/sys/fs/cgroup/memory/memory.limit_in_bytes"};
  for (std::string group = controlGroup();; group.erase(group.rfind('/'))) {
    files.push_back("/sys/fs/cgroup" + group + "/memory.max");
    if (group.empty())
      break;
  }
  for (const std::string &file : files) {
    uint64_t most = 0;
    if (std::ifstream(file) >> most && most > 0) // "max" is no number
      bytes = bytes ? std::min(bytes, most) : most;
  }
  return bytes;
}

uint64_t cli::memoryByDefault() {
  uint64_t all = memoryOfMachine();
  return std::max(all / 2, std::min(all, kLeastByDefault));
}

rt::Status cli::limitMemory(const std::string &text) {
  uint64_t bytes = memoryByDefault();
  if (!text.empty()) {
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
  rlim_t before = limit.rlim_cur;
  limit.rlim_cur = bytes;
  if (::setrlimit(RLIMIT_DATA, &limit) != 0)
    return rt::Status::ok();
  if (!limitBefore)
    limitBefore = before;
  std::string most =
      text.empty() ? rt::format("half of the machine's memory, %.1f GB (the "
                                "default of --memory-limit)",
                                double(bytes) / 1e9)
                   : "--memory-limit " + rt::printable(text);
  setOutOfMemoryText("out of memory: it takes more than " + most +
                     "; give more, or a smaller model");
  return rt::Status::ok();
}

void cli::restoreMemoryLimit() {
  struct rlimit limit;
  if (!limitBefore || ::getrlimit(RLIMIT_DATA, &limit) != 0)
    return;
  limit.rlim_cur = *limitBefore;
  ::setrlimit(RLIMIT_DATA, &limit);
}
