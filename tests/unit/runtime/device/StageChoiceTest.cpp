#include "runtime/device/StageChoice.h"

#include <gtest/gtest.h>

using namespace weft;
using namespace weft::rt;

namespace {

TensorSpec tensor(const char *name, std::vector<int64_t> shape,
                  int batchAxis = -1) {
  TensorSpec spec;
  spec.name = name;
  spec.elements = 1;
  for (int64_t size : shape)
    spec.elements *= size;
  spec.shape = std::move(shape);
  spec.batchAxis = batchAxis;
  return spec;
}

/// Stages with batches 1, 2, 4 and widths 8 and 16.
NetSpec net(bool batched) {
  NetSpec net;
  net.name = "n";
  for (int64_t batch : {1, 2, 4})
    for (int64_t width : {8, 16}) {
      StageSpec stage;
      stage.inputs = {tensor("x", {batch, 3, width}, batched ? 0 : -1),
                      tensor("k", {5})};
      stage.inputs[0].symbols = {"batch", "", "width"};
      net.stages.push_back(stage);
    }
  return net;
}

std::string refusal(const NetSpec &net,
                    const std::vector<std::vector<int64_t>> &shapes) {
  Result<StageChoice> choice = chooseStage(net, shapes);
  EXPECT_FALSE(choice.isOk());
  return choice ? "" : choice.status().message();
}

TEST(StageChoice, AnExactStageComesFirst) {
  for (bool batched : {false, true}) {
    Result<StageChoice> choice = chooseStage(net(batched), {{2, 3, 16}, {5}});
    ASSERT_TRUE(choice.isOk());
    EXPECT_EQ(choice->stage, 3u);
    EXPECT_EQ(choice->entries, 0);
  }
}

TEST(StageChoice, ASmallerBatchRunsOnTheNextStage) {
  Result<StageChoice> choice = chooseStage(net(true), {{3, 3, 8}, {5}});
  ASSERT_TRUE(choice.isOk());
  EXPECT_EQ(choice->stage, 4u);
  EXPECT_EQ(choice->entries, 3);
}

TEST(StageChoice, RefusalsSayWhatIsAllowed) {
  EXPECT_EQ(refusal(net(true), {{5, 3, 8}, {5}}),
            "input 'x' is 5x3x8, net 'n' expects 1..4x3x(8|16) "
            "(batchx3xwidth)");
  EXPECT_EQ(refusal(net(false), {{3, 3, 8}, {5}}),
            "input 'x' is 3x3x8, net 'n' expects (1|2|4)x3x(8|16) "
            "(batchx3xwidth)");
  EXPECT_EQ(refusal(net(true), {{1, 3, 8}, {4}}),
            "input 'k' is 4, net 'n' expects 5");
  EXPECT_EQ(refusal(net(true), {{0, 3, 8}, {5}}),
            "input 'x' is 0x3x8, net 'n' expects 1..4x3x(8|16) "
            "(batchx3xwidth)");
}

TEST(StageChoice, AllInputsHaveOneBatch) {
  NetSpec two;
  two.name = "n";
  for (int64_t batch : {2, 4}) {
    StageSpec stage;
    stage.inputs = {tensor("a", {batch, 3}, 0), tensor("b", {batch}, 0)};
    two.stages.push_back(stage);
  }
  EXPECT_EQ(chooseStage(two, {{3, 3}, {3}})->entries, 3);
  EXPECT_EQ(refusal(two, {{3, 3}, {2}}),
            "no stage of net 'n' takes inputs of these shapes together: 'a' "
            "3x3, 'b' 2");
}

TEST(StageChoice, PadsAndCropsAlongAnyAxis) {
  TensorSpec spec = tensor("x", {2, 3, 2}, 1);
  spec.type = numeric::ElementType::U8;
  const uint8_t given[] = {1, 2, 3, 4, 5, 6, 7, 8}; // 2x2x2
  uint8_t full[12], back[8];
  padBatch(spec, 1, 2, given, full);
  const uint8_t want[] = {1, 2, 3, 4, 0, 0, 5, 6, 7, 8, 0, 0};
  EXPECT_TRUE(std::equal(std::begin(full), std::end(full), want));
  cropBatch(spec, 2, full, back);
  EXPECT_TRUE(std::equal(std::begin(back), std::end(back), given));
  EXPECT_EQ(shapeFor(spec, 2), (std::vector<int64_t>{2, 2, 2}));
}

} // namespace
