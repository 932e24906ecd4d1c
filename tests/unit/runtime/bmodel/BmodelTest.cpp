#include "runtime/bmodel/Bmodel.h"
#include "runtime/bmodel/Areas.h"
#include "runtime/bmodel/DebugMap.h"
#include "runtime/bmodel/Decisions.h"
#include "tests/unit/runtime/VendorFiles.h"
#include "tests/unit/runtime/bmodel/SmallModel.h"
#include "tests/unit/runtime/isa/FirstTable.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace weft::rt;
using testing::HasSubstr;
using weft::test::vendorFiles;

namespace {

class VendorFile : public testing::TestWithParam<std::string> {};

TEST_P(VendorFile, PassesEveryCheck) {
  Result<Bmodel> model = Bmodel::load(GetParam());
  ASSERT_TRUE(model.isOk()) << model.status().message();
  ASSERT_EQ(model->nets().size(), 1u);
  const StageSpec &stage = model->nets()[0].stages[0];
  EXPECT_GE(stage.inputs.size(), 1u);
  EXPECT_GE(stage.outputs.size(), 1u);
  EXPECT_FALSE(stage.inputs[0].hasOnnxView);
  EXPECT_EQ(stage.debugMap, nullptr);
}

TEST_P(VendorFile, IsRefusedWhenCutAnywhere) {
  std::vector<uint8_t> bytes = readFile(GetParam());
  ASSERT_FALSE(bytes.empty());
  for (size_t part = 0; part < 32; ++part) {
    size_t size = bytes.size() * part / 32;
    std::vector<uint8_t> cut(bytes.begin(), bytes.begin() + size);
    EXPECT_FALSE(Bmodel::load(cut, "cut").isOk()) << size << " bytes";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Vendor, VendorFile, testing::ValuesIn(vendorFiles()), [](const auto &info) {
      return std::filesystem::path(info.param).stem().string();
    });

TEST(Bmodel, FindsTheVendorFiles) { EXPECT_EQ(vendorFiles().size(), 18u); }

/// What checkAreas says of the copy of the small model with `edit` done to it.
std::string areasMessage(void (*edit)(uint8_t *)) {
  Result<Bmodel> model = Bmodel::load(packModel(makeSmallModel()), "small");
  if (!model)
    return model.status().message();
  const StageSpec &stage = model->nets()[0].stages[0];
  std::vector<uint8_t> bytes(stage.groups[0].gdma.data,
                             stage.groups[0].gdma.data + 96);
  edit(bytes.data());
  weft::isa::DecodeResult decoded =
      weft::isa::decodeOne(weft::isa::Engine::Gdma, bytes.data(), bytes.size());
  return decoded ? checkAreas(model->chip(), stage, decoded.command).message()
                 : "does not decode";
}

// Weights: 0x100000000 of 64 bytes; context: 0x100001000 of 8192. The command
// copies src_nsize (byte 48) times 64 bytes from the first to the second half
// of the context.
TEST(Areas, HoldTheWholeOfEveryOperand) {
  EXPECT_EQ(areasMessage([](uint8_t *) {}), "");
  EXPECT_EQ(areasMessage([](uint8_t *word) { word[48] = 64; }), "");
  EXPECT_EQ(areasMessage([](uint8_t *word) { word[48] = 65; }),
            "dst writes 0x100002000 to 0x100003040, the area in which it "
            "begins (context) ends at 0x100003000");
  EXPECT_EQ(areasMessage([](uint8_t *word) {
              word[48] = 2;
              word[65] = 0; // the source in the weights
            }),
            "src reads 0x100000000 to 0x100000080, the area in which it begins "
            "(weights) ends at 0x100000040");
  EXPECT_EQ(areasMessage([](uint8_t *word) { word[65] = 0; }), "");
  EXPECT_EQ(areasMessage([](uint8_t *word) { word[73] = 0; }),
            "dst writes 0x100000000 to 0x100000040, in the weights; they are "
            "read only");
  EXPECT_EQ(areasMessage([](uint8_t *word) { word[73] = 0x50; }),
            "dst writes 0x100005000 to 0x100005040, in none of the stage's "
            "areas (weights, context, io)");
}

TEST(Bmodel, MissingFileSaysSo) {
  Result<Bmodel> model = Bmodel::load("/no/such/file.bmodel");
  ASSERT_FALSE(model.isOk());
  EXPECT_EQ(model.status().code(), Code::NotFound);
  EXPECT_THAT(model.status().message(),
              HasSubstr("/no/such/file.bmodel: cannot open: No such file"));
}

TEST(Bmodel, DirectoryIsNoModel) {
  Result<Bmodel> model = Bmodel::load("/");
  ASSERT_FALSE(model.isOk());
  EXPECT_THAT(model.status().message(), HasSubstr("not a regular file"));
}

TEST(Bmodel, SmallModelLoads) {
  Result<Bmodel> model = Bmodel::load(packModel(makeSmallModel()), "small");
  ASSERT_TRUE(model.isOk()) << model.status().message();
  const NetSpec *net = model->findNet("small");
  ASSERT_NE(net, nullptr);
  EXPECT_EQ(model->findNet("other"), nullptr);
  const TensorSpec &input = net->stages[0].inputs[0];
  EXPECT_EQ(input.type, weft::numeric::ElementType::I64);
  EXPECT_EQ(input.storedType, weft::numeric::ElementType::I32);
  EXPECT_EQ(input.shape, (std::vector<int64_t>{4, 4}));
  EXPECT_EQ(input.bytes(), 128u);
  EXPECT_EQ(input.storedBytes, 64u);
}

TEST(Bmodel, DebugMapNamesNodes) {
  Result<Bmodel> model = Bmodel::load(packModel(makeSmallModel()), "small");
  ASSERT_TRUE(model.isOk()) << model.status().message();
  const StageSpec &stage = model->nets()[0].stages[0];
  EXPECT_EQ(originText(stage, 0, weft::isa::Engine::Gdma, 0),
            "node 'Copy_0' (Identity) + 'Copy_1'");
  EXPECT_EQ(originText(stage, 0, weft::isa::Engine::Gdma, 1), "");
  EXPECT_EQ(originText(stage, 7, weft::isa::Engine::Tiu, 0), "");
}

// Files made before DebugNode.source have the text where the operator is.
TEST(Bmodel, DebugMapHasLines) {
  for (bool isOld : {false, true}) {
    SmallModel small = makeSmallModel();
    wire::DebugMapT &map = *small.tables.nets[0]->stages[0]->debug_map;
    map.has_lines = true;
    wire::DebugNodeT &line = *map.nodes[0];
    line.op_type.clear();
    (isOld ? line.op_type : line.source) = "tiu::abs(y, x);";
    Result<Bmodel> model = Bmodel::load(packModel(small), "small");
    ASSERT_TRUE(model.isOk()) << model.status().message();
    EXPECT_EQ(
        originText(model->nets()[0].stages[0], 0, weft::isa::Engine::Gdma, 0),
        "line 'Copy_0' (tiu::abs(y, x);) + 'Copy_1'");
  }
}

TEST(Bmodel, DecisionsAreRead) {
  Result<Bmodel> model = Bmodel::load(packModel(makeSmallModel()), "small");
  ASSERT_TRUE(model.isOk()) << model.status().message();
  std::optional<Decisions> found = readDecisions(model->nets()[0].stages[0]);
  ASSERT_TRUE(found.has_value());
  ASSERT_EQ(found->steps.size(), 2u);
  const DecidedStep &group = found->steps[0];
  EXPECT_TRUE(group.isGroup());
  EXPECT_EQ(group.slices, (std::array<uint32_t, 4>{1, 1, 4, 1}));
  EXPECT_TRUE(group.isStreamed);
  EXPECT_FALSE(found->steps[1].isStreamed);
  EXPECT_EQ(group.cycles, 2000u);
  ASSERT_TRUE(group.border.has_value());
  EXPECT_EQ(group.border->text(), "permute moves elements between lanes");
  ASSERT_EQ(group.border->operation.nodes.size(), 2u);
  EXPECT_EQ(group.border->operation.nodes[1].name()->str(), "Copy_1");
  EXPECT_FALSE(found->steps[1].isGroup());
  EXPECT_FALSE(found->steps[1].border.has_value());
  ASSERT_EQ(found->values.size(), 2u);
  EXPECT_EQ(found->values[0].name, "y");
  EXPECT_EQ(found->values[0].readers, std::vector<size_t>{1});
  EXPECT_EQ(found->values[1].name, "hidden");
  EXPECT_EQ(found->values[1].bytes, 32u);
  EXPECT_FALSE(found->values[1].cause.has_value());
  ASSERT_EQ(found->choices.size(), 1u);
  EXPECT_EQ(found->choices[0].ways[0].price, 5000u);
  EXPECT_FALSE(found->choices[0].ways[1].price.has_value());
}

TEST(Bmodel, NumbersStandInTheTextOfACause) {
  DecidedCause cause;
  cause.kind = Cause::Memory;
  cause.operation.name = "conv";
  cause.asked = 300000;
  cause.limit = 262144;
  EXPECT_EQ(cause.text(), "with conv a lane needs 300000 bytes of 262144");
}

TEST(Bmodel, AFileWithoutDecisionsHasNone) {
  SmallModel small = makeSmallModel();
  small.tables.nets[0]->stages[0]->debug_map->decisions.reset();
  Result<Bmodel> model = Bmodel::load(packModel(small), "small");
  ASSERT_TRUE(model.isOk()) << model.status().message();
  EXPECT_FALSE(readDecisions(model->nets()[0].stages[0]).has_value());
}

/// The place that a message names is where the entry lies.
TEST(Bmodel, AFaultOfADecisionIsFoundInTheFile) {
  SmallModel small = makeSmallModel();
  auto &steps = small.tables.nets[0]->stages[0]->debug_map->decisions->steps;
  steps[1] = wire::DecidedStep(5, 77, 0, 0, 0, kNoIndex,
                               wire::Extent(123456789, 1, 1, 1), 0);
  std::vector<uint8_t> bytes = packModel(small);
  Result<Bmodel> model = Bmodel::load(bytes, "small");
  ASSERT_FALSE(model.isOk());
  const std::string &message = model.status().message();
  size_t at = message.find("steps[1] at byte ");
  ASSERT_NE(at, std::string::npos) << message;
  size_t offset = std::stoul(message.substr(at + 17));
  ASSERT_LE(offset + sizeof(wire::DecidedStep), bytes.size());
  EXPECT_EQ(
      std::memcmp(bytes.data() + offset, &steps[1], sizeof(wire::DecidedStep)),
      0);
}

/// A fault put into the small model, and what the message must say.
struct Fault {
  const char *name;
  void (*make)(SmallModel &);
  Code code;
  const char *message;
};

class BrokenModel : public testing::TestWithParam<Fault> {};

TEST_P(BrokenModel, IsRefusedWithItsReason) {
  SmallModel small = makeSmallModel();
  GetParam().make(small);
  Result<Bmodel> model = Bmodel::load(packModel(small), "small");
  ASSERT_FALSE(model.isOk());
  EXPECT_EQ(model.status().code(), GetParam().code);
  EXPECT_THAT(model.status().message(), HasSubstr("small: "));
  EXPECT_THAT(model.status().message(), HasSubstr(GetParam().message));
  EXPECT_EQ(model.status().message().find('\n'), std::string::npos);
}

wire::NetParameterT &stageOf(SmallModel &m) {
  return *m.tables.nets[0]->stages[0];
}
wire::CommandGroupT &groupOf(SmallModel &m) { return *stageOf(m).groups[0]; }
wire::TensorT &inputOf(SmallModel &m) { return *stageOf(m).inputs[0]; }
wire::DebugMapT &debugOf(SmallModel &m) { return *stageOf(m).debug_map; }
wire::DebugPieceT &pieceOf(SmallModel &m) {
  return *debugOf(m).tensors[0]->pieces[0];
}

const Fault kFileFaults[] = {
    {"chip", [](SmallModel &m) { m.tables.chip = "BM9999"; }, Code::Unsupported,
     "the model is for chip 'BM9999'; this program knows BM1684X"},
    {"noNet", [](SmallModel &m) { m.tables.nets.clear(); }, Code::BadFile,
     "the file has no net"},
    {"netNameNewline",
     [](SmallModel &m) {
       m.tables.nets[0]->name = "a\nb";
       m.tables.nets[0]->stages.clear();
     },
     Code::BadFile, "net 'a\\x0ab': the net has no stage"},
    {"addressMode",
     [](SmallModel &m) {
       m.tables.nets[0]->address_mode = wire::AddressMode::IoTag;
     },
     Code::Unsupported, "address_mode is 2"},
    {"dynamic", [](SmallModel &m) { stageOf(m).is_dynamic = 1; },
     Code::Unsupported, "the stage is dynamic"},
    {"noSubNet", [](SmallModel &m) { stageOf(m).sub_nets.clear(); },
     Code::BadFile, "sub_nets is missing"},
    {"cpuSubNet",
     [](SmallModel &m) {
       stageOf(m).sub_nets[0]->mode = wire::SubNetMode::Cpu;
     },
     Code::BadFile, "sub-net 0 of mode 1 (CPU) has command groups"},
    {"switchSubNet",
     [](SmallModel &m) {
       stageOf(m).sub_nets[0]->mode = wire::SubNetMode::Switch;
     },
     Code::Unsupported, "sub-net 0 has mode 3"},
    {"noGroups", [](SmallModel &m) { stageOf(m).groups.clear(); },
     Code::BadFile, "groups is missing"},
    {"otherGroups",
     [](SmallModel &m) { stageOf(m).sub_nets[0]->groups[0]->gdma_count = 9; },
     Code::BadFile, "groups[0] of the stage and of its sub-nets differ"},
    {"cores", [](SmallModel &m) { stageOf(m).core_count = 2; },
     Code::Unsupported, "core_count is 2"},
};

const Fault kAreaFaults[] = {
    {"noDigest", [](SmallModel &m) { stageOf(m).weights->sha256.clear(); },
     Code::BadFile, "weights.sha256 has 0 bytes"},
    {"changedWeights", [](SmallModel &m) { m.binary[0] ^= 1; }, Code::BadFile,
     "weights.sha256 does not match"},
    {"weightsOutside",
     [](SmallModel &m) {
       stageOf(m).weights->blob = std::make_unique<wire::Blob>(1 << 20, 64);
     },
     Code::BadFile, "weights.blob: 64 bytes at 1048576"},
    {"weightsHuge",
     [](SmallModel &m) {
       stageOf(m).weights->blob =
           std::make_unique<wire::Blob>(8, ~uint64_t(0) - 4);
     },
     Code::BadFile, "weights.blob: 18446744073709551611 bytes at 8"},
    {"encrypted", [](SmallModel &m) { stageOf(m).weights->encrypt_mode = 1; },
     Code::Unsupported, "weights are encrypted"},
    {"overlap", [](SmallModel &m) { stageOf(m).context_address = 0x100000010; },
     Code::BadFile, "overlap"},
    {"contextHuge",
     [](SmallModel &m) {
       stageOf(m).context_bytes = uint64_t(1) << 39;
       stageOf(m).context_parts.clear();
     },
     Code::BadFile, "context: 549755813888 bytes"},
    {"contextWraps",
     [](SmallModel &m) { stageOf(m).context_address = ~uint64_t(0) - 8; },
     Code::BadFile, "DRAM goes from"},
};

const Fault kTensorFaults[] = {
    {"typeUnknown",
     [](SmallModel &m) { inputOf(m).data_type = wire::DataType(77); },
     Code::BadFile, "input 0 'x': data_type is 77"},
    {"typeI4", [](SmallModel &m) { inputOf(m).data_type = wire::DataType::I4; },
     Code::Unsupported, "stored type i4"},
    {"dimZero", [](SmallModel &m) { inputOf(m).shape[0]->dims[1] = 0; },
     Code::BadFile, "shape 1x0x1x4"},
    {"dimHuge",
     [](SmallModel &m) {
       inputOf(m).shape[0]->dims = {1u << 30, 1u << 30, 1u << 30};
     },
     Code::BadFile, "at most 2^40 elements"},
    {"dimNegative",
     [](SmallModel &m) { inputOf(m).shape[0]->dims[1] = ~uint64_t(0); },
     Code::BadFile, "each at least 1"},
    {"rank", [](SmallModel &m) { inputOf(m).shape[0]->dims.assign(9, 1); },
     Code::BadFile, "at most 8 dimensions"},
    {"noShape", [](SmallModel &m) { inputOf(m).shape.clear(); }, Code::BadFile,
     "shape has 0 entries"},
    {"size", [](SmallModel &m) { inputOf(m).size = 63; }, Code::BadFile,
     "size is 63 bytes, shape 1x4x1x4 of i32 needs 64"},
    {"addressOutside",
     [](SmallModel &m) { inputOf(m).device_address = 0x100000000; },
     Code::BadFile, "is outside the context area"},
    {"scale", [](SmallModel &m) { inputOf(m).scale = 0; }, Code::BadFile,
     "scale is 0"},
    {"noName", [](SmallModel &m) { inputOf(m).name = ""; }, Code::BadFile,
     "names must not be empty"},
    {"nameOfNoText",
     [](SmallModel &m) { stageOf(m).outputs[0]->name = "y\xff"; },
     Code::BadFile, "output 0 'y\\xff': the name is no UTF-8"},
    {"nameWithAZero", [](SmallModel &m) { inputOf(m).name.push_back('\0'); },
     Code::BadFile, "input 0 'x\\x00': the name has a zero byte"},
    {"netNameOfNoText",
     [](SmallModel &m) { m.tables.nets[0]->name = "\xc0\x80"; }, Code::BadFile,
     "net '\\xc0\\x80': the name is no UTF-8"},
    {"onnxType", [](SmallModel &m) { inputOf(m).onnx->element_type = 99; },
     Code::BadFile, "onnx.element_type is 99"},
    {"onnxStrings", [](SmallModel &m) { inputOf(m).onnx->element_type = 8; },
     Code::BadFile, "onnx.element_type u8 cannot be stored as i32"},
    {"onnxStored", [](SmallModel &m) { inputOf(m).onnx->element_type = 1; },
     Code::BadFile, "onnx.element_type f32 cannot be stored as i32"},
    {"onnxDims", [](SmallModel &m) { inputOf(m).onnx->dims = {3, 5}; },
     Code::BadFile, "onnx.dims 3x5 has another number of elements"},
    {"noOutput", [](SmallModel &m) { stageOf(m).outputs.clear(); },
     Code::BadFile, "the stage has no output"},
};

const Fault kCommandFaults[] = {
    {"countZero", [](SmallModel &m) { m.setCounts(0, 2); }, Code::BadFile,
     "both must be 1"},
    {"countLow", [](SmallModel &m) { m.setCounts(1, 1); }, Code::BadCommand,
     "gdma command 0 (byte 0 of the blob): must be the end command, the group "
     "counts 1 commands"},
    {"countHigh", [](SmallModel &m) { m.setCounts(1, 3); }, Code::BadCommand,
     "gdma command 1 (byte 96 of the blob): end command, but the group counts "
     "3 commands"},
    {"bytesField", [](SmallModel &m) { groupOf(m).gdma_bytes = 5; },
     Code::BadFile, "the size field beside it says 5"},
    {"blobMissing", [](SmallModel &m) { m.dropGdmaBlob(); }, Code::BadFile,
     "gdma_blob is missing"},
    {"commandType", [](SmallModel &m) { m.gdma()[4] = 0x0f; }, Code::BadCommand,
     "unknown instruction type"},
    {"commandId", [](SmallModel &m) { m.gdma()[1] = 0x04; }, Code::BadCommand,
     "cmd_id is 2, must be 1"},
    {"waitsForEver", [](SmallModel &m) { m.gdma()[8] = 9; }, Code::Deadlock,
     "the engines wait for each other: tiu has ended, gdma command 0 waits for "
     "id 9"},
    {"commandAddress", [](SmallModel &m) { m.gdma()[68] = 7; },
     Code::BadCommand, "source address 0x7"},
};

const Fault kDebugFaults[] = {
    {"nodeIndex", [](SmallModel &m) { debugOf(m).sources[0]->nodes[0] = 5; },
     Code::BadFile, "debug_map: sources[0] names node 5 of 2"},
    {"sourceLength",
     [](SmallModel &m) { debugOf(m).groups[0]->gdma_sources.pop_back(); },
     Code::BadFile, "gdma_sources has 1 entries for 2 commands"},
    {"sourceIndex",
     [](SmallModel &m) { debugOf(m).groups[0]->tiu_sources[0] = 3; },
     Code::BadFile, "tiu_sources names source 3 of 1"},
    {"channelsLast",
     [](SmallModel &m) { debugOf(m).tensors[0]->channels_last = true; },
     Code::BadFile,
     "debug_map: tensor 'y': channels are last in an onnx view that is "
     "missing"},
    {"channelsLastOfTwoAxes",
     [](SmallModel &m) {
       wire::DebugTensorT &tensor = *debugOf(m).tensors[0];
       tensor.channels_last = true;
       tensor.onnx = std::make_unique<wire::OnnxViewT>();
       tensor.onnx->element_type = 1;
       const wire::Extent &shape = *tensor.shape;
       tensor.onnx->dims = {shape.n() * shape.c(), shape.h() * shape.w()};
     },
     Code::BadFile, "has no four axes, the last of them channels"},
    {"debugGroups", [](SmallModel &m) { debugOf(m).groups.clear(); },
     Code::BadFile, "groups has 0 entries for 1 command groups"},
    {"pieceBox",
     [](SmallModel &m) {
       pieceOf(m).size = std::make_unique<wire::Extent>(1, 5, 1, 4);
     },
     Code::BadFile, "the box is empty or exceeds the tensor"},
    {"pieceReach",
     [](SmallModel &m) {
       pieceOf(m).strides = std::make_unique<wire::Strides>(1, ~0u, ~0u, 1);
     },
     Code::BadFile, "reaches outside the stage's memory"},
    {"pieceMoment", [](SmallModel &m) { pieceOf(m).complete_after = 2; },
     Code::BadFile, "complete_after: command is 2, there are 2"},
    {"pieceLane",
     [](SmallModel &m) {
       pieceOf(m).memory = wire::MemorySpace::Local;
       pieceOf(m).lane = 64;
     },
     Code::BadFile, "lane is 64, the chip has 64"},
};

wire::DecisionsT &decisionsOf(SmallModel &m) { return *debugOf(m).decisions; }

const Fault kDecisionFaults[] = {
    {"causeKind",
     [](SmallModel &m) { decisionsOf(m).causes[1].mutate_kind(99); },
     Code::BadFile, "kind is 99, must be below"},
    {"causeWord",
     [](SmallModel &m) { decisionsOf(m).causes[0].mutate_operation(5); },
     Code::BadFile, "operation is 5, must be below 5"},
    {"causeSource",
     [](SmallModel &m) { decisionsOf(m).causes[0].mutate_source(1); },
     Code::BadFile, "source is 1, must be below 1"},
    {"noWords", [](SmallModel &m) { decisionsOf(m).words.clear(); },
     Code::BadFile, "debug_map.decisions: causes[0] at byte "},
    {"stepBorder",
     [](SmallModel &m) { decisionsOf(m).steps[0].mutate_border(2); },
     Code::BadFile, "border is 2, must be below 2"},
    {"lastSource",
     [](SmallModel &m) { decisionsOf(m).steps[0].mutate_last_source(9); },
     Code::BadFile, "last_source is 9"},
    {"valueTensor",
     [](SmallModel &m) { decisionsOf(m).values[0].mutate_tensor(1); },
     Code::BadFile, "tensor is 1, must be below 1"},
    {"valueName",
     [](SmallModel &m) { decisionsOf(m).values[1].mutate_name(5); },
     Code::BadFile, "name is 5, must be below 5"},
    {"valueStep",
     [](SmallModel &m) { decisionsOf(m).values[1].mutate_step(2); },
     Code::BadFile, "step is 2, must be below 2"},
    {"valueType",
     [](SmallModel &m) {
       decisionsOf(m).values[1].mutate_data_type(wire::DataType(77));
     },
     Code::BadFile, "data_type is 77"},
    {"valueShape",
     [](SmallModel &m) {
       decisionsOf(m).values[1].mutable_shape() = wire::Extent(1, 0, 1, 1);
     },
     Code::BadFile, "shape is 1x0x1x1"},
    {"valueReason",
     [](SmallModel &m) { decisionsOf(m).values[1].mutate_reason(50); },
     Code::BadFile, "reason is 50, must be below"},
    {"valueCause",
     [](SmallModel &m) { decisionsOf(m).values[1].mutate_cause(2); },
     Code::BadFile, "cause is 2, must be below 2"},
    {"valueReaders",
     [](SmallModel &m) {
       decisionsOf(m).values[1].mutate_reader_count(0xFFFFFFFF);
     },
     Code::BadFile, "4294967295 readers from 1, the file has 2"},
    {"readerStep", [](SmallModel &m) { decisionsOf(m).readers[1] = 2; },
     Code::BadFile, "readers[1] at byte "},
    {"wayName", [](SmallModel &m) { decisionsOf(m).ways[1].mutate_name(5); },
     Code::BadFile, "ways[1] at byte "},
    {"choiceWays",
     [](SmallModel &m) { decisionsOf(m).choices[0].mutate_first_way(1); },
     Code::BadFile, "2 ways from 1, the file has 2"},
    {"sharedReaders",
     [](SmallModel &m) { decisionsOf(m).values[0].mutate_reader_count(2); },
     Code::BadFile, "values have 3 readers together, the file has 2"},
    {"manyWays",
     [](SmallModel &m) {
       for (int i = 0; i < 63; ++i)
         decisionsOf(m).ways.push_back(decisionsOf(m).ways[0]);
       decisionsOf(m).choices[0].mutate_way_count(65);
     },
     Code::BadFile, "65 ways, must be at most 64"},
    {"choiceTaken",
     [](SmallModel &m) { decisionsOf(m).choices[0].mutate_taken(2); },
     Code::BadFile, "taken is 2, must be below 2"},
    {"choiceQuestion",
     [](SmallModel &m) { decisionsOf(m).choices[0].mutate_question(7); },
     Code::BadFile, "question is 7, must be below 7"},
};

std::string faultName(const testing::TestParamInfo<Fault> &fault) {
  return fault.param.name;
}
INSTANTIATE_TEST_SUITE_P(File, BrokenModel, testing::ValuesIn(kFileFaults),
                         faultName);
INSTANTIATE_TEST_SUITE_P(Area, BrokenModel, testing::ValuesIn(kAreaFaults),
                         faultName);
INSTANTIATE_TEST_SUITE_P(Tensor, BrokenModel, testing::ValuesIn(kTensorFaults),
                         faultName);
INSTANTIATE_TEST_SUITE_P(Command, BrokenModel,
                         testing::ValuesIn(kCommandFaults), faultName);
INSTANTIATE_TEST_SUITE_P(Debug, BrokenModel, testing::ValuesIn(kDebugFaults),
                         faultName);
INSTANTIATE_TEST_SUITE_P(Decision, BrokenModel,
                         testing::ValuesIn(kDecisionFaults), faultName);

/// Deterministic damage: every message must be one line, nothing may crash. The
/// sanitizer build runs the same test.
TEST(BmodelDamage, NeverCrashes) {
  const std::string file =
      WEFT_TEST_DATA "/vendor-bmodels/tiny_io_reloc.bmodel";
  const std::vector<uint8_t> original = readFile(file);
  ASSERT_FALSE(original.empty());
  uint32_t flatbufferBytes;
  std::memcpy(&flatbufferBytes, original.data() + 8, 4);
  size_t refused = 0, trials = 0;
  uint64_t state = 0x9E3779B97F4A7C15u;
  auto random = [&state](uint64_t below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
  };
  constexpr uint8_t kValues[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
  for (; trials < 4000; ++trials) {
    std::vector<uint8_t> bytes = original;
    // Most damage goes to header and tables, where it can do harm.
    size_t where = trials % 4 ? random(64 + 1600) : random(bytes.size());
    size_t length = 1 + random(4);
    for (size_t i = where; i < where + length && i < bytes.size(); ++i)
      bytes[i] = kValues[random(5)];
    Result<Bmodel> model = Bmodel::load(std::move(bytes), "damaged");
    if (!model) {
      ++refused;
      EXPECT_EQ(model.status().message().find('\n'), std::string::npos);
      EXPECT_FALSE(model.status().message().empty());
    }
  }
  // Some bytes carry no meaning (padding, profile), most do.
  EXPECT_GT(refused, trials / 3);
}

} // namespace
