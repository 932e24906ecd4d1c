#include "runtime/capi/weft.hpp"

#include <gtest/gtest.h>

namespace {

TEST(Wrapper, LoadsDescribesAndRuns) {
  auto model =
      weft::Model::load(WEFT_TEST_DATA "/vendor-bmodels/tiny_f32.bmodel");
  ASSERT_TRUE(model) << model.error().message();
  EXPECT_EQ(model->netNames(), std::vector<std::string>{"tiny"});
  auto inputs = model->inputs(0);
  ASSERT_TRUE(inputs) << inputs.error().message();
  ASSERT_EQ(inputs->size(), 1u);
  EXPECT_EQ((*inputs)[0].shape, (std::vector<int64_t>{1, 3, 16, 16}));
  auto session = model->open("tiny");
  ASSERT_TRUE(session) << session.error().message();
  std::vector<float> x(768), y(4096);
  EXPECT_TRUE(session->outputShape(0).empty());
  EXPECT_FALSE(session->run({x.data()}, {y.data()}));
  EXPECT_EQ(session->outputShape(0), (*model->outputs(0))[0].shape);
  EXPECT_TRUE(session->outputShape(1).empty());
  weft::Error tooFew = session->run({}, {});
  EXPECT_EQ(tooFew.code(), WEFT_INVALID_ARGUMENT);
}

TEST(Wrapper, DescribingWhatIsNotThereFails) {
  auto model =
      weft::Model::load(WEFT_TEST_DATA "/vendor-bmodels/tiny_f32.bmodel");
  ASSERT_TRUE(model) << model.error().message();
  EXPECT_TRUE(model->outputs(0));
  EXPECT_EQ(model->inputs(0, 99).error().code(), WEFT_NOT_FOUND);
  EXPECT_EQ(model->outputs(7).error().message(),
            "there is no such net or stage");
}

TEST(Wrapper, Profiles) {
  auto model =
      weft::Model::load(WEFT_TEST_DATA "/vendor-bmodels/tiny_f32.bmodel");
  ASSERT_TRUE(model) << model.error().message();
  auto profile = model->profile(0);
  ASSERT_TRUE(profile) << profile.error().message();
  EXPECT_GT(profile->total_cycles, 0u);
  EXPECT_EQ(model->profile(0, 5).error().code(), WEFT_NOT_FOUND);
}

TEST(Wrapper, RunsWithTypesOfTheCallersChoice) {
  auto model =
      weft::Model::load(WEFT_TEST_DATA "/vendor-bmodels/tiny_INT8.bmodel");
  ASSERT_TRUE(model) << model.error().message();
  auto session = model->open("tiny");
  ASSERT_TRUE(session) << session.error().message();
  std::vector<float> x(768, 0.5f), y(4096);
  weft::Error error = session->run({x.data()}, {WEFT_F32}, {y.data()});
  EXPECT_FALSE(error) << error.message();
  std::vector<double> wide(768, 0.5), large(768, 1e39);
  error = session->run({wide.data()}, {WEFT_F64}, {y.data()});
  EXPECT_FALSE(error) << error.message();
  error = session->run({large.data()}, {WEFT_F64}, {y.data()});
  EXPECT_EQ(error.code(), WEFT_OUT_OF_RANGE);
  error = session->run({x.data()}, std::vector<weft_type>{}, {y.data()});
  EXPECT_EQ(error.code(), WEFT_INVALID_ARGUMENT);
}

TEST(Wrapper, FailuresCarryCodeAndMessage) {
  auto model = weft::Model::load("/no/file");
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().code(), WEFT_NOT_FOUND);
  EXPECT_EQ(model.error().message(),
            "/no/file: cannot open: No such file or directory");
}

} // namespace
