#include "runtime/profile/Timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace weft;
using namespace weft::profile;
using testing::HasSubstr;

namespace {

Timeline simulated(const std::vector<IssuedGroup> &groups) {
  rt::Result<Timeline> timeline = simulate(groups);
  EXPECT_TRUE(timeline) << timeline.status().message();
  return timeline ? *timeline : Timeline();
}

/// start, end, wait, critical of every command.
using Row = std::tuple<uint64_t, uint64_t, uint64_t, bool>;
std::vector<Row> rows(const std::vector<Span> &spans) {
  std::vector<Row> all;
  for (const Span &span : spans)
    all.emplace_back(span.start, span.end, span.wait, span.isCritical);
  return all;
}

uint64_t criticalCycles(const Timeline &timeline) {
  uint64_t sum = 0;
  for (const GroupSpans &group : timeline.groups)
    for (const std::vector<Span> *spans : {&group.tiu, &group.gdma})
      for (const Span &span : *spans)
        sum += span.isCritical ? span.cycles() : 0;
  return sum;
}

TEST(TimelineTest, nothing_takes_no_time) {
  EXPECT_EQ(simulated({}).totalCycles, 0u);
  EXPECT_EQ(simulated({{}}).totalCycles, 0u);
}

TEST(TimelineTest, an_engine_runs_back_to_back) {
  Timeline timeline = simulated({{{{10, 0}, {5, 0}, {0, 0}, {7, 0}}, {}}});
  EXPECT_EQ(rows(timeline.groups[0].tiu),
            (std::vector<Row>{{0, 10, 0, true},
                              {10, 15, 0, true},
                              {15, 15, 0, true},
                              {15, 22, 0, true}}));
  EXPECT_EQ(timeline.totalCycles, 22u);
}

// Load, compute and store with the next load beside the computation.
TEST(TimelineTest, waits_follow_the_dependency_ids) {
  Timeline timeline = simulated({{
      /*tiu=*/{{40, 1}, {40, 2}},
      /*gdma=*/{{100, 0}, {30, 0}, {20, 1}, {25, 2}},
  }});
  EXPECT_EQ(rows(timeline.groups[0].tiu),
            (std::vector<Row>{{100, 140, 100, true}, {140, 180, 0, true}}));
  EXPECT_EQ(rows(timeline.groups[0].gdma),
            (std::vector<Row>{{0, 100, 0, true},
                              {100, 130, 0, false},
                              {140, 160, 10, false},
                              {180, 205, 20, true}}));
  EXPECT_EQ(timeline.totalCycles, 205u);
  EXPECT_EQ(criticalCycles(timeline), 205u);
}

TEST(TimelineTest,
     the_critical_path_stays_on_its_engine_when_both_could_be_blamed) {
  // Both engines end at 50 before tiu command 2 starts.
  Timeline timeline = simulated({{{{50, 0}, {10, 1}}, {{50, 0}}}});
  EXPECT_EQ(rows(timeline.groups[0].tiu),
            (std::vector<Row>{{0, 50, 0, true}, {50, 60, 0, true}}));
  EXPECT_EQ(rows(timeline.groups[0].gdma),
            (std::vector<Row>{{0, 50, 0, false}}));
}

TEST(TimelineTest, a_wait_for_what_has_long_ended_costs_nothing) {
  Timeline timeline = simulated({{{{50, 0}, {10, 1}}, {{20, 0}}}});
  EXPECT_EQ(timeline.totalCycles, 60u);
  EXPECT_EQ(timeline.groups[0].tiu[1].wait, 0u);
}

TEST(TimelineTest, groups_run_one_after_the_other) {
  Timeline timeline = simulated({
      {{{10, 0}}, {{30, 0}}}, {{{5, 1}}, {{8, 0}}}, // ids count anew
  });
  EXPECT_EQ(rows(timeline.groups[1].gdma),
            (std::vector<Row>{{30, 38, 0, true}}));
  EXPECT_EQ(rows(timeline.groups[1].tiu),
            (std::vector<Row>{{38, 43, 8, true}}));
  EXPECT_EQ(timeline.totalCycles, 43u);
  EXPECT_EQ(criticalCycles(timeline), 43u);
}

TEST(TimelineTest, engines_that_wait_for_each_other_are_an_error) {
  rt::Result<Timeline> timeline =
      simulate({{}, {{{1, 0}, {1, 2}}, {{1, 0}, {1, 2}}}});
  ASSERT_FALSE(timeline);
  EXPECT_EQ(timeline.status().code(), rt::Code::Deadlock);
  EXPECT_EQ(timeline.status().message(),
            "group 1: tiu command 2 waits for gdma command 2 of 2, gdma "
            "command 2 waits for tiu command 2 of 2");
}

TEST(TimelineTest, a_wait_for_a_command_that_does_not_exist_is_an_error) {
  rt::Result<Timeline> timeline = simulate({{{{1, 3}}, {{1, 0}}}});
  ASSERT_FALSE(timeline);
  EXPECT_THAT(timeline.status().message(),
              HasSubstr("tiu command 1 waits for gdma command 3 of 1"));
}

} // namespace
