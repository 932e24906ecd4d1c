#include "runtime/device/LayerCapture.h"
#include "tests/unit/runtime/bmodel/SmallModel.h"

#include <gtest/gtest.h>

using namespace weft;
using namespace weft::rt;

namespace {

TEST(LayerCapture, SeesTheValueWhenItIsComplete) {
  SmallModel small = makeSmallModel();
  wire::DebugTensorT &tensor =
      *small.tables.nets[0]->stages[0]->debug_map->tensors[0];
  tensor.scale = 0.5f;
  tensor.zero_point = 1;
  tensor.onnx = std::make_unique<wire::OnnxViewT>();
  tensor.onnx->element_type = 1;
  tensor.onnx->dims = {2, 8};
  Result<Bmodel> model = Bmodel::load(packModel(small), "small");
  ASSERT_TRUE(model.isOk()) << model.status().message();
  const StageSpec &stage = model->nets()[0].stages[0];
  auto device = EmulatorDevice::open(*model, model->nets()[0], 0);
  ASSERT_TRUE(device.isOk());
  auto capture = LayerCapture::attach(**device, stage);
  ASSERT_TRUE(capture.isOk());
  std::vector<int32_t> x(16), y(16);
  for (int i = 0; i < 16; ++i)
    x[i] = i;
  ASSERT_TRUE((*device)
                  ->run({{reinterpret_cast<uint8_t *>(x.data()), 64}},
                        {{reinterpret_cast<uint8_t *>(y.data()), 64}})
                  .isOk());
  std::vector<CapturedValue> values = (*capture)->values();
  ASSERT_EQ(values.size(), 1u);
  EXPECT_EQ(values[0].name, "y");
  EXPECT_TRUE(values[0].complete);
  EXPECT_EQ(values[0].tensor.shape(), (std::vector<int64_t>{2, 8}));
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ(values[0].tensor.toDouble(i), (i - 1) * 0.5);
}

TEST(LayerCapture, SaysWhenPiecesAreMissing) {
  SmallModel small = makeSmallModel();
  wire::DebugPieceT &piece =
      *small.tables.nets[0]->stages[0]->debug_map->tensors[0]->pieces[0];
  piece.size = std::make_unique<wire::Extent>(1, 3, 1, 4);
  Result<Bmodel> model = Bmodel::load(packModel(small), "small");
  ASSERT_TRUE(model.isOk());
  auto device = EmulatorDevice::open(*model, model->nets()[0], 0);
  auto capture = LayerCapture::attach(**device, model->nets()[0].stages[0]);
  ASSERT_TRUE(capture.isOk());
  std::vector<uint8_t> x(64), y(64);
  ASSERT_TRUE((*device)->run({{x.data(), 64}}, {{y.data(), 64}}).isOk());
  EXPECT_FALSE((*capture)->values()[0].complete);
}

TEST(LayerCapture, NeedsADebugMap) {
  SmallModel small = makeSmallModel();
  small.tables.nets[0]->stages[0]->debug_map.reset();
  Result<Bmodel> model = Bmodel::load(packModel(small), "small");
  auto device = EmulatorDevice::open(*model, model->nets()[0], 0);
  auto capture = LayerCapture::attach(**device, model->nets()[0].stages[0]);
  ASSERT_FALSE(capture.isOk());
  EXPECT_EQ(capture.status().code(), Code::NotFound);
}

} // namespace
