//===- HostSubNetTest.cpp - sub-nets of the host at load and run time -----===//

#include "runtime/device/Session.h"
#include "tests/unit/runtime/bmodel/SmallModel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace weft;
using namespace weft::rt;
using numeric::ElementType;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// The copy of the small model, whose result the host then looks at: y has the
/// places of the values that are not 0, 2 x (at most 16).
class HostSubNet : public testing::Test {
protected:
  HostSubNet() : model(makeSmallModel()) {
    stage = model.tables.nets[0]->stages[0].get();
    wire::TensorT &output = *stage->outputs[0];
    output.shape[0]->dims = {1, 2, 1, 16};
    output.size = 128;
    output.onnx->dims = {2, 16};
    output.onnx->data_dependent = {false, true};
    auto subNet = std::make_unique<wire::SubNetT>();
    subNet->mode = wire::SubNetMode::Cpu;
    subNet->id = 1;
    subNet->next_ids = {-1};
    subNet->cpu_layers.push_back(std::make_unique<wire::CpuLayerT>());
    subNet->cpu_layers[0]->op_type = host::kLayerType;
    stage->sub_nets.push_back(std::move(subNet));
    host::Place copied{output.device_address, ElementType::I32, 16};
    host::CallStep call;
    call.kernel = "non_zero";
    call.node = "places";
    call.reason = "its size depends on data";
    call.operands = {0};
    call.results = {1};
    call.types = {{ElementType::I64, {2, host::kUnknownSize}, {2, 16}}};
    program.steps = {host::LoadStep{0, copied, ElementType::I64, {4, 4}}, call,
                     host::OutputStep{1, 0}};
  }

  wire::CpuLayerT &layer() { return *stage->sub_nets[1]->cpu_layers[0]; }

  /// The model with `program` as the parameters of its layer.
  Result<Bmodel> load() {
    SmallModel whole;
    whole.binary = model.binary;
    std::vector<uint8_t> bytes = host::serialize(program);
    layer().parameters =
        std::make_unique<wire::Blob>(whole.binary.size(), bytes.size());
    whole.binary.insert(whole.binary.end(), bytes.begin(), bytes.end());
    whole.tables = model.tables;
    return Bmodel::load(packModel(whole), "small");
  }
  std::string refusal() { return load().status().message(); }

  SmallModel model;
  wire::NetParameterT *stage;
  host::Program program;
};

TEST_F(HostSubNet, givesAnOutputOfTheSizeThatTheDataHave) {
  Result<Bmodel> loaded = load();
  ASSERT_TRUE(loaded.isOk()) << loaded.status().message();
  const StageSpec &spec = loaded->nets()[0].stages[0];
  EXPECT_TRUE(spec.usesHost());
  EXPECT_TRUE(spec.outputs[0].fromHost);
  Result<Session> session = Session::open({}, *loaded, loaded->nets()[0], 0);
  ASSERT_TRUE(session.isOk()) << session.status().message();
  EXPECT_EQ(session->outputShape(0), nullptr);
  std::vector<int64_t> x(16);
  for (std::vector<int64_t> places : {std::vector<int64_t>{6, 9}, {}}) {
    std::fill(x.begin(), x.end(), 0);
    for (int64_t place : places)
      x[place] = 7;
    auto bytes = reinterpret_cast<const uint8_t *>(x.data());
    auto y = session->run({{ElementType::I64, bytes}});
    ASSERT_TRUE(y.isOk()) << y.status().message();
    int64_t count = int64_t(places.size());
    EXPECT_THAT((*y)[0].shape(), ElementsAre(2, count));
    for (int64_t i = 0; i < count; ++i) {
      EXPECT_EQ((*y)[0].as<int64_t>()[i], places[i] / 4);
      EXPECT_EQ((*y)[0].as<int64_t>()[count + i], places[i] % 4);
    }
    // Into a buffer of the largest size: the elements fill its beginning.
    std::vector<int64_t> buffer(32, -1);
    ASSERT_TRUE(session
                    ->run({{ElementType::I64, bytes}},
                          {reinterpret_cast<uint8_t *>(buffer.data())})
                    .isOk());
    EXPECT_THAT(*session->outputShape(0), ElementsAre(2, count));
    EXPECT_EQ(buffer[2 * count], -1);
  }
}

TEST_F(HostSubNet, isCheckedWhenTheFileIsLoaded) {
  stage->sub_nets[1]->mode = wire::SubNetMode::Merge;
  EXPECT_THAT(refusal(), HasSubstr("sub-net 1 has mode 2"));
  stage->sub_nets[1]->mode = wire::SubNetMode::Cpu;
  layer().op_type = 3;
  EXPECT_THAT(refusal(), HasSubstr("sub-net 1: unsupported: CPU layer of type "
                                   "3; only weft's own"));
  layer().op_type = host::kLayerType;
  host::Step last = program.steps.back();
  program.steps.pop_back();
  EXPECT_THAT(refusal(), HasSubstr("the shape of output 'y' depends on data, "
                                   "but no program of the host gives it"));
  program.steps.push_back(last);
  std::get<host::LoadStep>(program.steps[0]).from.address -= 1 << 20;
  EXPECT_THAT(refusal(), HasSubstr("sub-net 1: step 0 of the host program"));
}

} // namespace
