#include "runtime/device/Session.h"
#include "tests/unit/runtime/bmodel/SmallModel.h"

#include <gtest/gtest.h>

using namespace weft;
using namespace weft::rt;
using numeric::ElementType;

namespace {

TEST(Session, RestoresOnnxTypes) {
  Result<Bmodel> model = Bmodel::load(packModel(makeSmallModel()), "small");
  ASSERT_TRUE(model.isOk()) << model.status().message();
  Result<Session> session = Session::open({}, *model, model->nets()[0], 0);
  ASSERT_TRUE(session.isOk()) << session.status().message();
  std::vector<int64_t> x(16);
  for (int i = 0; i < 16; ++i)
    x[i] = i * 100000000 - 700000000;
  auto bytes = reinterpret_cast<const uint8_t *>(x.data());
  Result<std::vector<numeric::HostTensor>> y =
      session->run({{ElementType::I64, bytes}});
  ASSERT_TRUE(y.isOk()) << y.status().message();
  EXPECT_EQ((*y)[0].type(), ElementType::I64);
  EXPECT_EQ((*y)[0].shape(), (std::vector<int64_t>{4, 4}));
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ((*y)[0].as<int64_t>()[i], x[i]);
  x[5] = int64_t(1) << 31;
  y = session->run({{ElementType::I64, bytes}});
  ASSERT_FALSE(y.isOk());
  EXPECT_EQ(y.status().message(),
            "input 'x': element 5 is 2147483648; the model stores i64 as i32, "
            "-2147483648 to 2147483647");
}

TEST(Session, StageOutOfRange) {
  Result<Bmodel> model = Bmodel::load(packModel(makeSmallModel()), "small");
  Result<Session> session = Session::open({}, *model, model->nets()[0], 4);
  ASSERT_FALSE(session.isOk());
  EXPECT_EQ(session.status().message(), "stage is 4, the net has 1");
}

} // namespace
