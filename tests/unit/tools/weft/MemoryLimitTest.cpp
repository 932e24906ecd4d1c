#include "tools/weft/MemoryLimit.h"
#include "tools/weft/Spawn.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <sys/resource.h>

using namespace weft;
using namespace weft::cli;

TEST(MemoryLimit, ReadsBytesAndUnits) {
  for (auto [text, bytes] :
       {std::pair("1", 1ull), std::pair("800M", 800000000ull),
        std::pair("1.5G", 1500000000ull), std::pair("2k", 2000ull),
        std::pair("1T", 1000000000000ull), std::pair("none", 0ull)}) {
    rt::Result<uint64_t> read = parseMemory(text);
    ASSERT_TRUE(read.isOk()) << text;
    EXPECT_EQ(*read, bytes) << text;
  }
  for (const char *bad : {"0", "-1", "many", "1GB", "nan", "inf", "1e30", "M"})
    EXPECT_EQ(parseMemory(bad).status().message(),
              "--memory-limit is '" + std::string(bad) +
                  "', must be a number of bytes, as 800M or 1.5G, or none");
}

TEST(MemoryLimit, IsHalfOfTheMachineByDefault) {
  uint64_t all = memoryOfMachine();
  ASSERT_GT(all, 0u);
  EXPECT_EQ(memoryByDefault(),
            std::max<uint64_t>(all / 2, std::min<uint64_t>(all, 1e9)));
}

// The limits that are set below are of terabytes, as the shadow memory of
// AddressSanitizer, 16 TB of pages that are never touched, counts as data.

/// Exits with 0 if the limit is `bytes` then.
[[noreturn]] static void limitAndTell(const char *text, uint64_t bytes) {
  struct rlimit limit;
  bool isDone = limitMemory(text).isOk() &&
                ::getrlimit(RLIMIT_DATA, &limit) == 0 &&
                limit.rlim_cur == bytes;
  std::exit(isDone ? 0 : 1);
}

TEST(MemoryLimitDeathTest, IsSetAsGiven) {
  EXPECT_EXIT(limitAndTell("30T", 30'000'000'000'000),
              testing::ExitedWithCode(0), "");
  struct rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_DATA, &before), 0);
  EXPECT_EXIT(limitAndTell("none", before.rlim_cur), testing::ExitedWithCode(0),
              "");
}

/// Under `ulimit -S -d` of 40 TB: exits with 0 if a child has that limit.
[[noreturn]] static void tellLimitOfChild(const char *text) {
  struct rlimit limit;
  ::getrlimit(RLIMIT_DATA, &limit);
  limit.rlim_cur = 40'000'000'000'000;
  ::setrlimit(RLIMIT_DATA, &limit);
  if (text && !limitMemory(text).isOk())
    std::exit(2);
  pid_t child =
      spawn({"sh", "-c", "test $(ulimit -S -d) = 39062500000"}, Streams());
  std::exit(awaitEnd(child) == 0 ? 0 : 1);
}

TEST(MemoryLimitDeathTest, ChildrenHaveTheLimitThatWasBefore) {
  for (const char *text : {(const char *)nullptr, "30T", "50T", "none"})
    EXPECT_EXIT(tellLimitOfChild(text), testing::ExitedWithCode(0), "");
}
