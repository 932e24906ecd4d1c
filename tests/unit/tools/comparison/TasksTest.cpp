//===- TasksTest.cpp - answers that are read from outputs ----------------===//

#include "tools/comparison/Tasks.h"

#include <gtest/gtest.h>

using namespace weft;
using namespace weft::comparison;
using numeric::ElementType;
using numeric::HostTensor;

namespace {

HostTensor shapedTensor(const std::vector<double> &values,
                        std::vector<int64_t> shape) {
  HostTensor tensor(ElementType::F32, std::move(shape));
  for (size_t i = 0; i < values.size(); ++i)
    tensor.setFromDouble(int64_t(i), values[i]);
  return tensor;
}

double agree(Task task, const HostTensor &result, const HostTensor &reference,
             const TaskOptions &options = {}) {
  auto found = agreement(task, result, reference, options);
  EXPECT_TRUE(found.isOk()) << found.status().message();
  EXPECT_TRUE(found.isOk() && found->has_value());
  return found.isOk() && *found ? **found : -1;
}

std::string whyNot(Task task, const HostTensor &tensor) {
  auto found = agreement(task, tensor, tensor);
  EXPECT_FALSE(found.isOk());
  return found.status().message();
}

/// Steps of `classes` classes, the given one largest at each.
HostTensor steps(const std::vector<size_t> &kinds, size_t classes,
                 std::vector<int64_t> shape) {
  std::vector<double> values(kinds.size() * classes, 0.1);
  for (size_t t = 0; t < kinds.size(); ++t)
    values[t * classes + kinds[t]] = 0.9;
  return shapedTensor(values, std::move(shape));
}

TEST(Tasks, NamesFindThemselves) {
  for (Task task : {Task::Top1, Task::Top5, Task::Ctc, Task::Detection,
                    Task::Mask, Task::Embedding})
    EXPECT_EQ(findTask(taskName(task)), task);
  EXPECT_EQ(findTask("map"), std::nullopt);
  EXPECT_EQ(taskNames(), "top1, top5, ctc, detection, mask, embedding");
}

TEST(Tasks, ClassesOfRows) {
  HostTensor reference = shapedTensor({1, 3, 2, 9, 8, 7}, {2, 3});
  HostTensor result = shapedTensor({1, 2, 3, 9, 8, 7}, {2, 3});
  EXPECT_EQ(agree(Task::Top1, result, reference), 0.5);
  EXPECT_EQ(agree(Task::Top5, result, reference), 1);
  EXPECT_EQ(agree(Task::Top1, shapedTensor({1, 2, 3}, {1, 3, 1, 1}),
                  shapedTensor({1, 3, 2}, {1, 3, 1, 1})),
            0);
  // Of equal numbers the first: zeros are no answer to everything.
  EXPECT_EQ(agree(Task::Top1, shapedTensor({0, 0, 0}, {1, 3}),
                  shapedTensor({1, 2, 3}, {1, 3})),
            0);
  HostTensor sixth = shapedTensor({6, 5, 4, 3, 2, 1}, {6});
  EXPECT_EQ(agree(Task::Top5, sixth, shapedTensor({0, 0, 0, 0, 0, 1}, {6})), 0);
  EXPECT_EQ(agree(Task::Top5, sixth, shapedTensor({0, 0, 0, 0, 1, 0}, {6})), 1);
}

TEST(Tasks, TextsOfSteps) {
  // a a - a b: "aab"; a - - a c: "aac".
  HostTensor reference = steps({1, 1, 0, 1, 2}, 4, {1, 5, 4}),
             result = steps({1, 0, 0, 1, 3}, 4, {1, 5, 4});
  EXPECT_NEAR(agree(Task::Ctc, result, reference), 2.0 / 3, 1e-12);
  EXPECT_EQ(agree(Task::Ctc, reference, reference), 1);
  // No text for one.
  EXPECT_EQ(agree(Task::Ctc, steps({0, 0, 0, 0, 0}, 4, {5, 4}),
                  steps({1, 1, 0, 1, 2}, 4, {5, 4})),
            0);
  EXPECT_EQ(agree(Task::Ctc, steps({1, 2, 1, 2, 1}, 4, {5, 1, 4}),
                  steps({1, 1, 1, 0, 0}, 4, {5, 1, 4})),
            0);
  // Two texts, the second of which is right.
  EXPECT_EQ(agree(Task::Ctc, steps({2, 0, 1, 2}, 3, {2, 2, 3}),
                  steps({1, 0, 1, 2}, 3, {2, 2, 3})),
            0.5);
  // With the last class as blank 0 is a character.
  EXPECT_EQ(agree(Task::Ctc, steps({0, 3, 3}, 4, {3, 4}),
                  steps({0, 3, 0}, 4, {3, 4}), {-1}),
            0.5);
  auto none =
      agreement(Task::Ctc, steps({0, 0}, 3, {2, 3}), steps({0, 0}, 3, {2, 3}));
  ASSERT_TRUE(none.isOk());
  EXPECT_EQ(*none, std::nullopt);
}

TEST(Tasks, BoxesThatOverlap) {
  HostTensor reference =
      shapedTensor({0, 0, 10, 10, 0.9, 1, 20, 20, 30, 30, 0.8, 2}, {1, 2, 6});
  EXPECT_EQ(agree(Task::Detection, reference, reference), 1);
  // Another order, a pixel off; another class; a box that is too far.
  EXPECT_EQ(agree(Task::Detection,
                  shapedTensor({20, 20, 30, 31, 0.7, 2, 0, 1, 10, 10, 0.6, 1},
                               {2, 6}),
                  reference),
            1);
  EXPECT_EQ(agree(Task::Detection,
                  shapedTensor({0, 0, 10, 10, 0.9, 2, 20, 20, 30, 30, 0.8, 2},
                               {2, 6}),
                  reference),
            0.5);
  EXPECT_EQ(agree(Task::Detection,
                  shapedTensor({0, 6, 10, 16, 0.9, 1, 20, 20, 30, 30, 0.8, 2},
                               {2, 6}),
                  reference),
            0.5);
  // One that is found twice counts once; one below the least score is none.
  EXPECT_NEAR(
      agree(Task::Detection,
            shapedTensor({0, 0, 10, 10, 0, 0, 10, 10, 20, 20, 30, 30}, {3, 4}),
            shapedTensor({0, 0, 10, 10, 20, 20, 30, 30}, {2, 4})),
      0.8, 1e-12);
  EXPECT_NEAR(
      agree(Task::Detection,
            shapedTensor({0, 0, 10, 10, 0.9, 20, 20, 30, 30, 0.4}, {2, 5}),
            shapedTensor({0, 0, 10, 10, 0.9, 20, 20, 30, 30, 0.6}, {2, 5})),
      2.0 / 3, 1e-12);
  EXPECT_EQ(agree(Task::Detection, shapedTensor({}, {0, 4}),
                  shapedTensor({0, 0, 10, 10}, {1, 4})),
            0);
  auto none = agreement(Task::Detection, shapedTensor({}, {0, 4}),
                        shapedTensor({}, {0, 4}));
  ASSERT_TRUE(none.isOk());
  EXPECT_EQ(*none, std::nullopt);
}

TEST(Tasks, MasksByIntersection) {
  HostTensor reference = shapedTensor({0.9, 0.8, 0.1, 0.2}, {1, 1, 2, 2}),
             result = shapedTensor({0.9, 0.4, 0.1, 0.6}, {1, 1, 2, 2});
  EXPECT_NEAR(agree(Task::Mask, result, reference), 1.0 / 3, 1e-12);
  // Logits.
  EXPECT_EQ(agree(Task::Mask, shapedTensor({3, 0.2, -1, -2}, {2, 2}),
                  shapedTensor({4, 0.1, -3, -2}, {2, 2})),
            1);
  // Of two classes: pixels 0 0 1 1 beside 0 1 1 1, IoU 1/2 and 2/3.
  HostTensor two = shapedTensor({1, 1, 0, 0, 0, 0, 1, 1}, {1, 2, 2, 2}),
             other = shapedTensor({1, 0, 0, 0, 0, 1, 1, 1}, {1, 2, 2, 2});
  EXPECT_NEAR(agree(Task::Mask, two, other), (0.5 + 2.0 / 3) / 2, 1e-12);
}

TEST(Tasks, VectorsByAngle) {
  EXPECT_NEAR(agree(Task::Embedding, shapedTensor({3, 4}, {1, 2}),
                    shapedTensor({4, 3}, {1, 2})),
              0.96, 1e-6);
  EXPECT_EQ(agree(Task::Embedding, shapedTensor({0, 0}, {2}),
                  shapedTensor({4, 3}, {2})),
            0);
  EXPECT_EQ(agree(Task::Embedding, shapedTensor({-1, 0}, {2}),
                  shapedTensor({1, 0}, {2})),
            0);
  std::vector<std::vector<double>> references{{1, 0}, {1, 0.1}, {0, 1}},
      results{{1, 0}, {0.9, 0.1}, {0, 2}}, wrong{{1, 0}, {0, 1}, {0.1, 1}};
  EXPECT_EQ(neighbourAgreement(results, references), 1);
  EXPECT_LT(neighbourAgreement(wrong, references), 1);
}

TEST(Tasks, LabelsAreHeldAgainstAnswers) {
  HostTensor output = shapedTensor({1, 5, 4, 3, 2, 0.5}, {1, 6});
  EXPECT_EQ(*accuracy(Task::Top1, output, "1"), 1);
  EXPECT_EQ(*accuracy(Task::Top1, output, "2"), 0);
  EXPECT_EQ(*accuracy(Task::Top5, output, "0"), 1);
  EXPECT_EQ(*accuracy(Task::Top5, output, "5"), 0);
  HostTensor text = steps({1, 1, 0, 1, 2}, 4, {5, 4});
  EXPECT_EQ(*accuracy(Task::Ctc, text, "1 1 2"), 1);
  EXPECT_EQ(*accuracy(Task::Ctc, text, "1 2"), 0.5);
  for (const char *label : {"", "cat", "-1", "1.5", "1 2"})
    EXPECT_EQ(accuracy(Task::Top1, output, label).status().message(),
              std::string("the label '") + label + "' is no class");
  EXPECT_EQ(accuracy(Task::Top1, output, "6").status().message(),
            "the label '6' is none of 6 classes");
  EXPECT_NE(accuracy(Task::Mask, output, "1")
                .status()
                .message()
                .find("measure with --score"),
            std::string::npos);
  EXPECT_NE(accuracy(Task::Top1, shapedTensor({1, 2, 3, 4}, {2, 2}), "1")
                .status()
                .message()
                .find("2 answers"),
            std::string::npos);
}

TEST(Tasks, LayoutsThatAreNone) {
  EXPECT_EQ(whyNot(Task::Detection, shapedTensor({1, 2, 3}, {1, 3})),
            "the reference is of shape 1x3, detection takes [N,4..6] or "
            "[1,N,4..6], x1,y1,x2,y2[,score[,class]]");
  EXPECT_NE(whyNot(Task::Detection, shapedTensor({5, 5, 1, 1}, {1, 4}))
                .find("box 0 of the reference is 5,5,1,1, must be x1,y1,x2,y2"),
            std::string::npos);
  EXPECT_NE(
      whyNot(Task::Ctc, shapedTensor({1, 2}, {2})).find("[T,C] or [N,T,C]"),
      std::string::npos);
  EXPECT_NE(whyNot(Task::Top1, shapedTensor({1, NAN}, {2})).find("has a NaN"),
            std::string::npos);
  HostTensor whole(ElementType::I64, {4});
  EXPECT_NE(whyNot(Task::Top1, whole).find("takes floats"), std::string::npos);
  auto other = agreement(Task::Mask, shapedTensor({1, 2}, {1, 2}),
                         shapedTensor({1, 2}, {2, 1}));
  EXPECT_EQ(other.status().message(),
            "the result is of shape 1x2, the reference of 2x1");
}

} // namespace
