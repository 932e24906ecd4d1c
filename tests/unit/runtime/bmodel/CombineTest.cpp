#include "runtime/bmodel/Combine.h"
#include "runtime/bmodel/Conversion.h"
#include "tests/unit/runtime/bmodel/SmallModel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace weft::rt;
using testing::HasSubstr;

namespace {

using Change = std::function<void(SmallModel &)>;

wire::NetParameterT &firstStage(SmallModel &model) {
  return *model.tables.nets[0]->stages[0];
}

Bmodel load(const SmallModel &model, const std::string &name) {
  Result<Bmodel> loaded = Bmodel::load(packModel(model), name);
  EXPECT_TRUE(loaded.isOk()) << loaded.status().message();
  return *loaded;
}

Bmodel smallModel(const std::string &name, const Change &change = nullptr) {
  SmallModel model = makeSmallModel();
  if (change)
    change(model);
  return load(model, name);
}

/// The net for inputs and outputs of `rows` rows (4: as it is).
void setRows(SmallModel &model, uint64_t rows) {
  wire::NetParameterT &stage = firstStage(model);
  for (auto *list : {&stage.inputs, &stage.outputs})
    for (const std::unique_ptr<wire::TensorT> &tensor : *list) {
      tensor->shape[0]->dims = {1, rows, 1, 4};
      tensor->size = 16 * rows;
      tensor->onnx->dims = {rows, 4};
    }
}

void setContext(SmallModel &model, uint64_t bytes) {
  firstStage(model).context_bytes = bytes;
  firstStage(model).context_parts = {bytes};
  model.tables.neuron_bytes = bytes;
}

void setRecord(SmallModel &model, const std::string &option) {
  firstStage(model).debug_map->conversion =
      std::make_unique<wire::ConversionT>();
  firstStage(model).debug_map->conversion->options = {option};
}

/// The file that `parts` become.
Bmodel packed(Result<FileParts> parts) {
  EXPECT_TRUE(parts.isOk()) << parts.status().message();
  Result<Bmodel> model = Bmodel::load(pack(*parts).bytes(), "packed");
  EXPECT_TRUE(model.isOk()) << model.status().message();
  return *model;
}

std::vector<uint8_t> bytesOf(const Bmodel &model) {
  ByteSpan bytes = model.fileBytes();
  return {bytes.data, bytes.data + bytes.size};
}

/// As packing has it: blobs from page boundaries.
Bmodel normal(const Bmodel &model) { return packed(takeApart(model)); }

std::string refusal(const Change &first, const Change &second) {
  Result<FileParts> parts =
      combine({smallModel("a", first), smallModel("b", second)});
  EXPECT_FALSE(parts.isOk());
  return parts ? "" : parts.status().message();
}

TEST(Combine, KeepsNetsOfOtherNames) {
  Bmodel a = normal(smallModel("a"));
  Bmodel b = normal(smallModel(
      "b", [](SmallModel &model) { model.tables.nets[0]->name = "other"; }));
  Bmodel both = packed(combine({a, b}));
  ASSERT_EQ(both.nets().size(), 2u);
  EXPECT_EQ(both.nets()[1].name, "other");
  // All their blobs are equal.
  EXPECT_EQ(both.nets()[0].stages[0].weightBytes.data,
            both.nets()[1].stages[0].weightBytes.data);
  EXPECT_EQ(both.nets()[0].stages[0].groups[0].gdma.data,
            both.nets()[1].stages[0].groups[0].gdma.data);
  EXPECT_EQ(bytesOf(packed(extract(both, both.nets()[0], {}))), bytesOf(a));
  EXPECT_EQ(bytesOf(packed(extract(both, both.nets()[1], {}))), bytesOf(b));
}

TEST(Combine, MakesStagesOfNetsOfOneName) {
  Bmodel a = normal(smallModel(
      "a", [](SmallModel &model) { setRecord(model, "precision=f16"); }));
  Bmodel b = normal(smallModel("b", [](SmallModel &model) {
    setRows(model, 2);
    setContext(model, 12288);
    setRecord(model, "precision=f32");
  }));
  Bmodel both = packed(combine({a, b}));
  ASSERT_EQ(both.nets().size(), 1u);
  const NetSpec &net = both.nets()[0];
  ASSERT_EQ(net.stages.size(), 2u);
  EXPECT_EQ(both.table().neuron_bytes(), 12288u);
  for (const StageSpec &stage : net.stages)
    EXPECT_EQ(stage.activations.bytes, 12288u);
  EXPECT_EQ(net.stages[0].table->own_context_bytes(), 8192u);
  EXPECT_EQ(net.stages[1].table->own_context_bytes(), 0u);
  EXPECT_EQ(readConversion(net)->find("precision"), "f16");
  EXPECT_EQ(readConversion(net, 1)->find("precision"), "f32");
  EXPECT_EQ(bytesOf(packed(extract(both, net, {0}))), bytesOf(a));
  EXPECT_EQ(bytesOf(packed(extract(both, net, {1}))), bytesOf(b));
}

TEST(Combine, LevelsAgainWhatWasCombinedBefore) {
  auto rows = [](uint64_t count, uint64_t context) {
    return normal(smallModel("rows", [&](SmallModel &model) {
      setRows(model, count);
      setContext(model, context);
    }));
  };
  Bmodel a = rows(1, 8192), b = rows(2, 12288), c = rows(3, 16384);
  Bmodel all = packed(combine({packed(combine({a, b})), c}));
  EXPECT_EQ(bytesOf(all), bytesOf(packed(combine({a, b, c}))));
  for (const StageSpec &stage : all.nets()[0].stages)
    EXPECT_EQ(stage.activations.bytes, 16384u);
  EXPECT_EQ(bytesOf(packed(extract(all, all.nets()[0], {0, 1}))),
            bytesOf(packed(combine({a, b}))));
  EXPECT_EQ(bytesOf(packed(extract(all, all.nets()[0], {0}))), bytesOf(a));
}

TEST(Combine, GivesAStageTheRecordItReliedOn) {
  SmallModel model = makeSmallModel();
  setRecord(model, "precision=int8");
  SmallModel second = makeSmallModel();
  setRows(second, 2);
  model.tables.nets[0]->stages.push_back(
      std::move(second.tables.nets[0]->stages[0]));
  Bmodel loaded = load(model, "two");
  EXPECT_EQ(readConversion(loaded.nets()[0], 1)->find("precision"), "int8");
  Bmodel last = packed(extract(loaded, loaded.nets()[0], {1}));
  EXPECT_EQ(readConversion(last.nets()[0])->find("precision"), "int8");
  EXPECT_EQ(last.nets()[0].stages[0].inputs[0].shape,
            (std::vector<int64_t>{2, 4}));
}

TEST(Combine, GivesEachStageItsOwnRecord) {
  SmallModel model = makeSmallModel();
  setRecord(model, "precision=f16");
  auto &stages = model.tables.nets[0]->stages;
  for (uint64_t rows : {2, 3, 4}) {
    SmallModel more = makeSmallModel();
    setRows(more, rows);
    if (rows == 4)
      setRecord(more, "precision=f32");
    stages.push_back(std::move(more.tables.nets[0]->stages[0]));
  }
  Bmodel all = load(model, "four");
  auto precisions = [&](const std::vector<size_t> &kept) {
    Bmodel some = packed(extract(all, all.nets()[0], kept));
    std::vector<std::string> found;
    for (size_t i = 0; i < kept.size(); ++i)
      found.emplace_back(
          readConversion(some.nets()[0], i)->find("precision").value_or(""));
    return found;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(precisions({0, 1, 2, 3}), (Texts{"f16", "f16", "f16", "f32"}));
  EXPECT_EQ(precisions({3, 1, 0}), (Texts{"f32", "f16", "f16"}));
  EXPECT_EQ(precisions({1, 3, 2}), (Texts{"f16", "f32", "f16"}));
}

TEST(Combine, RefusesWhatARuntimeCouldNotTellApart) {
  EXPECT_THAT(refusal(nullptr, nullptr),
              HasSubstr("b: net 'small': stage 0: a net of this name for "
                        "inputs of the same shapes is in a"));
}

TEST(Combine, RefusesOtherInterfaces) {
  auto refused = [](const std::function<void(wire::NetParameterT &)> &change) {
    return refusal(nullptr, [&](SmallModel &model) {
      setRows(model, 2);
      change(firstStage(model));
    });
  };
  EXPECT_THAT(refused([](auto &stage) { stage.outputs[0]->name = "z"; }),
              HasSubstr("b: net 'small': output 0 is called 'z', there 'y', "
                        "in a"));
  EXPECT_THAT(refused([](auto &stage) { stage.inputs[0]->scale = 2; }),
              HasSubstr("input 0 'x' is quantized otherwise"));
  EXPECT_THAT(refused([](auto &stage) {
                stage.inputs[0]->data_type = wire::DataType::F32;
                stage.inputs[0]->onnx->element_type = 1;
              }),
              HasSubstr("'x' is f32 stored as f32, there i64 stored as i32"));
  EXPECT_THAT(
      refused([](auto &stage) { stage.inputs[0]->shape[0]->dims = {1, 2, 4}; }),
      HasSubstr("axes"));
  EXPECT_THAT(refused([](auto &stage) {
                stage.outputs.push_back(
                    std::make_unique<wire::TensorT>(*stage.outputs[0]));
                stage.outputs[1]->name = "w";
              }),
              HasSubstr("has 2 outputs, there 1"));
}

TEST(Combine, RefusesOtherAddressModesAndCascades) {
  EXPECT_THAT(refusal(nullptr,
                      [](SmallModel &model) {
                        setRows(model, 2);
                        model.tables.nets[0]->address_mode =
                            wire::AddressMode::IoReloc;
                      }),
              HasSubstr("address_mode is 4"));
  EXPECT_THAT(refusal(nullptr,
                      [](SmallModel &model) {
                        setRows(model, 2);
                        model.tables.nets[0]->cascade =
                            std::make_unique<wire::CascadeT>();
                      }),
              HasSubstr("part of a net for several devices"));
}

TEST(Combine, RefusesOtherFiles) {
  EXPECT_THAT(refusal(nullptr,
                      [](SmallModel &model) { model.tables.device_count = 2; }),
              HasSubstr("b: is for another number of devices"));
  EXPECT_THAT(
      refusal(nullptr, [](SmallModel &model) { model.tables.type = "C"; }),
      HasSubstr("type 'C'"));
  auto withModule = [](uint64_t start) {
    return [start](SmallModel &model) {
      model.tables.nets[0]->name = std::to_string(start);
      auto module = std::make_unique<wire::KernelModuleT>();
      module->file_name = "firmware";
      module->blob = std::make_unique<wire::Blob>(start, 8);
      model.tables.kernel_module = std::move(module);
    };
  };
  EXPECT_THAT(refusal(withModule(0), withModule(8)),
              HasSubstr("b: has another kernel module (8 bytes) than a"));
  Bmodel both =
      packed(combine({smallModel("a"), smallModel("b", withModule(8))}));
  EXPECT_EQ(both.table().kernel_module()->blob()->size(), 8u);
}

TEST(Combine, RefusesAreasThatDoNotFit) {
  // The weights lie behind the activations, which then cannot grow.
  auto turned = [](SmallModel &model) {
    setRows(model, 2);
    firstStage(model).weights->address = 0x100003000;
  };
  auto large = [](SmallModel &model) { setContext(model, 1 << 20); };
  EXPECT_THAT(refusal(turned, large),
              HasSubstr("net 'small': its stages need 1048576 bytes for the "
                        "activations of the largest, but a stage has only "
                        "8192 from its address 0x100001000"));
}

} // namespace
