#include "tools/weft/NearNames.h"

#include <gtest/gtest.h>

using weft::cli::nearestName;

namespace {

TEST(NearNames, AreFoundByFewChanges) {
  const std::vector<std::string> names = {"--help", "--keep-int8",
                                          "--calibration", "--precision", "-O"};
  EXPECT_EQ(nearestName("--keepint8", names), "--keep-int8");
  EXPECT_EQ(nearestName("--precison", names), "--precision");
  EXPECT_EQ(nearestName("--percision", names), "--precision"); // swapped
  EXPECT_EQ(nearestName("--calib", names), "--calibration");
  EXPECT_EQ(nearestName("--hepl", names), "--help");
  EXPECT_EQ(nearestName("--frobnicate", names), "");
  EXPECT_EQ(nearestName("-o", names), "");
  EXPECT_EQ(nearestName("", names), "");
  EXPECT_EQ(nearestName(std::string(100000, 'x'), names), "");
  EXPECT_EQ(nearestName("--help", {}), "");
}

} // namespace
