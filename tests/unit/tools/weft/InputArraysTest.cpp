#include "tools/weft/InputArrays.h"
#include "tests/unit/runtime/bmodel/SmallModel.h"
#include "tests/unit/tools/TemporaryFolder.h"

#include <gtest/gtest.h>

using namespace weft;
using numeric::ElementType;
using numeric::HostTensor;

namespace {

class InputArrays : public testing::Test {
protected:
  InputArrays()
      : model(rt::Bmodel::load(rt::packModel(rt::makeSmallModel()), "small")),
        path(folder.file("inputs.npz")) {}

  /// Message of choosing a stage for these arrays, without the path; or "ok".
  std::string choose(const std::vector<npz::NamedTensor> &arrays) {
    EXPECT_TRUE(npz::writeNpz(path, arrays).isOk());
    rt::Result<samples::Sample> sample =
        cli::openSample({{{path, ""}}, {}}, model->nets()[0]);
    EXPECT_TRUE(sample.isOk());
    rt::Result<rt::StageChoice> stage =
        cli::chooseStage(*sample, model->nets()[0]);
    if (stage.isOk())
      return "ok";
    EXPECT_EQ(stage.status().message().find(path + ": "), 0u);
    return stage.status().message().substr(path.size() + 2);
  }

  rt::Result<rt::Bmodel> model;
  test::TemporaryFolder folder{"inputs"};
  std::string path;
  HostTensor good{ElementType::I64, {4, 4}};
};

TEST_F(InputArrays, ErrorsNameBothSides) {
  HostTensor flat(ElementType::I64, {16}), complex(ElementType::C64, {4, 4});
  EXPECT_EQ(choose({{"x", &good}}), "ok");
  EXPECT_EQ(choose({{"z", &good}}), "input 'x' is missing; the file has 'z', "
                                    "net 'small' expects 'x'");
  EXPECT_EQ(choose({{"x", &good}, {"z", &good}}),
            "array 'z' is not an input of net 'small', which expects 'x'");
  EXPECT_EQ(choose({{"x", &flat}}), "input 'x' is 16, net 'small' expects 4x4");
  EXPECT_EQ(choose({{"x", &complex}}), "input 'x' is c64, net 'small' expects "
                                       "i64; convert the array first");
}

TEST_F(InputArrays, NetsAreChosenByName) {
  EXPECT_EQ(*cli::chooseNet(*model, ""), &model->nets()[0]);
  EXPECT_EQ(*cli::chooseNet(*model, "small"), &model->nets()[0]);
  rt::Result<const rt::NetSpec *> net = cli::chooseNet(*model, "other");
  ASSERT_FALSE(net.isOk());
  EXPECT_EQ(net.status().message(),
            "small: there is no net 'other'; there is 'small'");
}

} // namespace
