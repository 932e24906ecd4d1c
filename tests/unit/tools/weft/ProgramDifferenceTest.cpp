//===- ProgramDifferenceTest.cpp - two programs of one model -------------===//

#include "tools/weft/ProgramDifference.h"

#include "runtime/chips/Chips.h"
#include "tests/unit/runtime/isa/FirstTable.h"

#include <gtest/gtest.h>
#include <list>

using namespace weft;
using namespace weft::cli;

namespace {

/// Stages of one group of TIU commands.
class Stages : public testing::Test {
protected:
  /// Commands by the addresses of their results.
  rt::StageSpec stageOf(const std::vector<unsigned> &addresses) {
    std::vector<uint8_t> &bytes = streams.emplace_back();
    size_t number = 1;
    for (unsigned address : addresses) {
      std::string text = "tiu id=" + std::to_string(number++) +
                         " dep=0 arith.add tsk_opd_num=2 res0_n=1 res0_c=1 "
                         "res0_h=1 res0_w=16 res0_addr=" +
                         std::to_string(address);
      isa::AssembledLine line = isa::assemble(isa::firstTable(), text);
      EXPECT_TRUE(line && line.command) << text;
      const isa::Decoded command = line.command->decoded();
      bytes.insert(bytes.end(), command.bytes,
                   command.bytes + command.sizeBytes);
    }
    rt::StageSpec stage;
    stage.groups.emplace_back();
    stage.groups[0].tiu = {bytes.data(), bytes.size()};
    return stage;
  }
  ProgramDifference differenceOf(const std::vector<unsigned> &have,
                                 const std::vector<unsigned> &want) {
    stages.push_back(stageOf(have));
    stages.push_back(stageOf(want));
    return cli::differenceOf(*std::prev(stages.end(), 2), stages.back(),
                             chips::bm1684x);
  }

private:
  std::list<std::vector<uint8_t>> streams;
  std::list<rt::StageSpec> stages;
};

TEST_F(Stages, that_are_equal) {
  EXPECT_TRUE(differenceOf({64, 128}, {64, 128}).isEmpty());
}

TEST_F(Stages, with_another_command) {
  ProgramDifference found = differenceOf({64, 192, 256}, {64, 128, 256});
  ASSERT_EQ(found.commands.size(), 1u);
  EXPECT_EQ(found.commands[0].index, 1u);
  EXPECT_FALSE(found.missing);
  EXPECT_EQ(found.text(), "1 command");
}

TEST_F(Stages, that_lack_commands) {
  for (auto [have, want, index, count] :
       {std::tuple(std::vector{64u, 256u}, std::vector{64u, 128u, 256u}, 1u,
                   1u),
        std::tuple(std::vector{64u}, std::vector{64u, 128u, 256u}, 1u, 2u),
        std::tuple(std::vector{256u}, std::vector{64u, 128u, 256u}, 0u, 2u)}) {
    ProgramDifference found = differenceOf(have, want);
    ASSERT_TRUE(found.missing);
    EXPECT_FALSE(found.missing->areExtra);
    EXPECT_EQ(found.missing->index, index);
    EXPECT_EQ(found.missing->count, count);
    EXPECT_TRUE(found.commands.empty());
    EXPECT_EQ(found.text().substr(0, 7), "group 0");
  }
}

TEST_F(Stages, that_have_commands_besides) {
  ProgramDifference found = differenceOf({64, 128, 256}, {64, 256});
  ASSERT_TRUE(found.missing);
  EXPECT_TRUE(found.missing->areExtra);
  EXPECT_EQ(found.missing->index, 1u);
}

TEST_F(Stages, that_are_quite_others) {
  ProgramDifference found = differenceOf({64, 512}, {64, 128, 256});
  EXPECT_FALSE(found.missing);
  EXPECT_EQ(found.obstacle, "group 0 has 2 tiu commands for 3");
}

/// What a file says besides.
class Facts : public testing::Test {
protected:
  Facts() {
    rt::TensorSpec tensor;
    tensor.name = "x";
    tensor.shape = tensor.storedShape = {1, 8};
    tensor.address = 0x1000;
    tensor.scale = 32;
    stage.inputs = {tensor};
    host::CallStep call;
    call.kernel = "unique";
    call.node = "different";
    stage.subNets.emplace_back();
    stage.subNets[0].program.emplace();
    stage.subNets[0].program->steps = {host::InputStep{0, 0}, call};
    stage.weights = {0x2000, 64};
    expected = stage;
  }
  FactDifference only() {
    std::vector<FactDifference> facts =
        cli::differenceOf(stage, expected, chips::bm1684x).facts;
    EXPECT_EQ(facts.size(), 1u);
    return facts.empty() ? FactDifference() : facts.front();
  }
  rt::StageSpec stage, expected;
};

TEST_F(Facts, that_are_equal) {
  EXPECT_TRUE(cli::differenceOf(stage, expected, chips::bm1684x).isEmpty());
}

TEST_F(Facts, of_inputs) {
  stage.inputs[0].scale = 48;
  EXPECT_EQ(only().text, "the scale of input 'x' is 48 for 32");
  EXPECT_EQ(only().kind, FactKind::Scale);
  stage.inputs = expected.inputs;
  stage.inputs[0].zeroPoint = -3;
  EXPECT_EQ(only().text, "the zero point of input 'x' is -3 for 0");
  stage.inputs = expected.inputs;
  stage.inputs[0].address = 0x1400;
  EXPECT_EQ(only().text, "the address of input 'x' is 0x1400 for 0x1000");
  EXPECT_EQ(only().kind, FactKind::Address);
  stage.inputs = expected.inputs;
  stage.inputs[0].storedType = numeric::ElementType::F16;
  EXPECT_EQ(only().kind, FactKind::Type);
  stage.inputs = expected.inputs;
  stage.inputs[0].shape = {8, 1};
  EXPECT_EQ(only().kind, FactKind::Size);
  stage.inputs = expected.inputs;
  stage.inputs[0].name = "z";
  EXPECT_EQ(only().kind, FactKind::Name);
  stage.inputs.clear();
  EXPECT_EQ(only().text, "the number of inputs is 0 for 1");
}

TEST_F(Facts, of_memory) {
  stage.weights.address = 0x4000;
  EXPECT_EQ(only().text, "the address of the weights is 0x4000 for 0x2000");
}

TEST_F(Facts, of_the_host) {
  std::get<host::CallStep>(stage.subNets[0].program->steps[1]).kernel = "relu";
  EXPECT_EQ(only().text, "step 1 of the host program of sub-net 0, kernel "
                         "'unique' of node 'different', is not that of the "
                         "model");
  EXPECT_EQ(only().node, "different");
  stage = expected;
  std::get<host::InputStep>(stage.subNets[0].program->steps[0]).input = 1;
  EXPECT_EQ(only().kind, FactKind::Host);
  EXPECT_EQ(only().node, "different");
  stage = expected;
  stage.subNets[0].program->steps.pop_back();
  EXPECT_EQ(only().text, "the host program of sub-net 0 has 1 steps for 2");
  stage = expected;
  stage.subNets.emplace_back();
  EXPECT_EQ(only().text, "the number of sub-nets is 2 for 1");
}

/// The debug map of a stage with one layer.
class Layers : public Facts {
protected:
  Layers() {
    auto layer = std::make_unique<rt::wire::DebugTensorT>();
    layer->value_name = "r";
    layer->onnx = std::make_unique<rt::wire::OnnxViewT>();
    layer->onnx->element_type = 1;
    layer->onnx->dims = {2, 4};
    layer->shape = std::make_unique<rt::wire::Extent>(1, 2, 1, 4);
    layer->data_type = rt::wire::DataType::I8;
    layer->pieces.push_back(std::make_unique<rt::wire::DebugPieceT>());
    layer->pieces[0]->address = 0x1000;
    map.tensors.push_back(std::move(layer));
    expected.debugMap = pack();
  }
  /// The map at hand becomes that of the stage.
  const rt::wire::DebugMap *pack() {
    flatbuffers::FlatBufferBuilder &builder = builders.emplace_back();
    builder.Finish(rt::wire::DebugMap::Pack(builder, &map));
    return flatbuffers::GetRoot<rt::wire::DebugMap>(builder.GetBufferPointer());
  }
  FactDifference with(void (*edit)(rt::wire::DebugTensorT &)) {
    rt::wire::DebugTensorT before = *map.tensors[0];
    edit(*map.tensors[0]);
    stage.debugMap = pack();
    *map.tensors[0] = std::move(before);
    return only();
  }

private:
  rt::wire::DebugMapT map;
  std::list<flatbuffers::FlatBufferBuilder> builders;
};

TEST_F(Layers, that_differ) {
  stage.debugMap = expected.debugMap;
  EXPECT_TRUE(cli::differenceOf(stage, expected, chips::bm1684x).isEmpty());
  FactDifference found = with([](auto &layer) { layer.scale = 2; });
  EXPECT_EQ(found.text, "the scale of layer 'r' is 2 for 1");
  EXPECT_EQ(found.kind, FactKind::Scale);
  found = with([](auto &layer) { layer.zero_point = 3; });
  EXPECT_EQ(found.text, "the zero point of layer 'r' is 3 for 0");
  found = with([](auto &layer) { layer.data_type = rt::wire::DataType::U8; });
  EXPECT_EQ(found.text, "the stored type of layer 'r' is u8 for i8");
  EXPECT_EQ(found.kind, FactKind::Type);
  found = with([](auto &layer) {
    layer.shape = std::make_unique<rt::wire::Extent>(2, 1, 1, 4);
  });
  EXPECT_EQ(found.text, "the stored shape of layer 'r' is 2x1x1x4 for 1x2x1x4");
  EXPECT_EQ(found.kind, FactKind::Size);
  found = with([](auto &layer) { layer.onnx->dims = {4, 2}; });
  EXPECT_EQ(found.text, "the ONNX view of layer 'r' is f32 4x2 for f32 2x4");
  EXPECT_EQ(found.kind, FactKind::Size);
  found = with([](auto &layer) { layer.pieces[0]->address = 0x1400; });
  EXPECT_EQ(found.text, "the places of layer 'r', or the commands that write "
                        "them, are others");
  EXPECT_EQ(found.kind, FactKind::Address);
}

} // namespace
