//===- LanePlanTest.cpp ---------------------------------------------------===//

#include "dialects/tpu/LanePlan.h"

#include <gtest/gtest.h>

using namespace weft::tpu;

static constexpr int64_t kLanes = 64;

TEST(LanePlan, PlacesOperandsSideBySide) {
  LanePlan plan(kLanes);
  int a = plan.addValue(48, true), b = plan.addValue(96, true),
      whole = plan.addValue(144, false);
  plan.placeInside(a, whole, 0);
  plan.placeInside(b, whole, 48);
  ASSERT_TRUE(plan.isPossible());
  auto places = plan.places();
  for (int value : {a, b, whole}) {
    EXPECT_EQ(places[value].home, whole);
    EXPECT_EQ(places[value].rows, 3);
    EXPECT_TRUE(places[value].isShared);
  }
  EXPECT_EQ(places[b].lane, 48);
  EXPECT_EQ(places[b].row, 0);
}

TEST(LanePlan, ExtendsAConcatenation) {
  LanePlan plan(kLanes);
  int a = plan.addValue(64, true), b = plan.addValue(32, true),
      inner = plan.addValue(96, false), c = plan.addValue(32, true),
      outer = plan.addValue(128, false);
  plan.placeInside(a, inner, 0);
  plan.placeInside(b, inner, 64);
  plan.placeInside(inner, outer, 0);
  plan.placeInside(c, outer, 96);
  ASSERT_TRUE(plan.isPossible());
  auto places = plan.places();
  EXPECT_EQ(places[inner].home, outer);
  EXPECT_EQ(places[c].lane, 32);
  EXPECT_EQ(places[c].row, 1);
  EXPECT_EQ(plan.channelsOfRoom(a), 128);
}

/// Concatenations of concatenations, joined from their begin or from their end.
TEST(LanePlan, GrowsAChainOfConcatenations) {
  constexpr int kSteps = 500;
  for (bool atEnd : {false, true}) {
    LanePlan plan(kLanes);
    std::vector<int> added{plan.addValue(3, true)};
    int whole = added.front();
    for (int step = 1; step < kSteps; ++step) {
      added.push_back(plan.addValue(3, true));
      int next = plan.addValue(3 * (step + 1), false);
      plan.placeInside(whole, next, atEnd ? 0 : 3);
      plan.placeInside(added.back(), next, atEnd ? 3 * step : 0);
      whole = next;
    }
    ASSERT_TRUE(plan.isPossible());
    EXPECT_EQ(plan.channelsOfRoom(added.front()), 3 * kSteps);
    auto places = plan.places();
    for (int step = 0; step < kSteps; ++step) {
      int64_t channel = 3 * (atEnd ? step : kSteps - 1 - step);
      EXPECT_EQ(places[added[step]].home, whole);
      EXPECT_EQ(places[added[step]].lane, channel % kLanes);
      EXPECT_EQ(places[added[step]].row, channel / kLanes);
    }
    // In the place of a value far inside.
    int late = plan.addValue(3, true);
    plan.placeInside(late, whole, 3 * (kSteps / 2));
    EXPECT_FALSE(plan.isPossible());
  }
}

TEST(LanePlan, SharesTheRoomOfASource) {
  LanePlan plan(kLanes);
  int source = plan.addValue(100, true), part = plan.addValue(30, false);
  plan.placeInside(source, part, -70);
  ASSERT_TRUE(plan.isPossible());
  auto places = plan.places();
  EXPECT_EQ(places[part].home, source);
  EXPECT_EQ(places[part].lane, 6);
  EXPECT_EQ(places[part].row, 1);
}

TEST(LanePlan, MovesWhatGoesWithAPart) {
  LanePlan plan(kLanes);
  int before = plan.addValue(32, true), a = plan.addValue(40, true),
      b = plan.addValue(32, true), whole = plan.addValue(72, false);
  plan.align(before, b);
  plan.placeInside(a, whole, 0);
  plan.placeInside(b, whole, 40);
  ASSERT_TRUE(plan.isPossible());
  auto places = plan.places();
  EXPECT_EQ(places[before].home, before);
  EXPECT_EQ(places[before].lane, 40);
  EXPECT_EQ(places[before].rows, 2); // 32 channels from lane 40 on
  EXPECT_FALSE(places[before].isShared);
}

TEST(LanePlan, RefusesAValueAtTwoPlaces) {
  LanePlan plan(kLanes);
  int a = plan.addValue(64, true), twice = plan.addValue(128, false);
  plan.placeInside(a, twice, 0);
  EXPECT_TRUE(plan.isPossible());
  plan.placeInside(a, twice, 64);
  EXPECT_FALSE(plan.isPossible());
}

TEST(LanePlan, RefusesOverlappingValues) {
  // a and c would both be the first channels of b's room.
  LanePlan plan(kLanes);
  int a = plan.addValue(16, true), b = plan.addValue(16, true),
      first = plan.addValue(32, false), c = plan.addValue(16, true),
      second = plan.addValue(32, false);
  plan.placeInside(a, first, 0);
  plan.placeInside(b, first, 16);
  plan.placeInside(c, second, 0);
  EXPECT_TRUE(plan.isPossible());
  plan.placeInside(b, second, 16);
  EXPECT_FALSE(plan.isPossible());
}

TEST(LanePlan, RefusesAPartInLaneZero) {
  LanePlan plan(kLanes);
  int a = plan.addValue(32, true), b = plan.addValue(32, true),
      whole = plan.addValue(64, false);
  plan.placeInside(a, whole, 0);
  plan.placeInside(b, whole, 32);
  plan.alignToFirstLane(whole);
  EXPECT_TRUE(plan.isPossible());
  plan.alignToFirstLane(b);
  EXPECT_FALSE(plan.isPossible());
}

TEST(LanePlan, AlignsByLanesOnly) {
  LanePlan plan(kLanes);
  int a = plan.addValue(64, false), b = plan.addValue(64, false),
      whole = plan.addValue(128, true), product = plan.addValue(64, true);
  plan.placeInside(whole, a, 0);
  plan.placeInside(whole, b, -64);
  plan.align(a, product);
  plan.align(b, product);
  ASSERT_TRUE(plan.isPossible());
  EXPECT_EQ(plan.places()[product].lane, 0);
}
