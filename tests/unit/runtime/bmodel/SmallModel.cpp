#include "tests/unit/runtime/bmodel/SmallModel.h"
#include "runtime/bmodel/Container.h"
#include "runtime/bmodel/DecisionKinds.h"
#include "runtime/digest/Sha256.h"
#include "runtime/isa/Decode.h"
#include "tests/unit/runtime/isa/FirstTable.h"

#include <cstring>
#include <fstream>
#include <iterator>

namespace weft::rt {

static constexpr uint64_t kWeights = 0x100000000, kContext = 0x100001000;
static constexpr uint64_t kInput = kContext, kOutput = kContext + 4096;

static std::unique_ptr<wire::TensorT> makeTensor(const char *name,
                                                 uint64_t address, bool input) {
  auto tensor = std::make_unique<wire::TensorT>();
  tensor->name = name;
  tensor->data_type = wire::DataType::I32;
  tensor->device_address = address;
  tensor->size = 64;
  tensor->shape.push_back(std::make_unique<wire::ShapeT>());
  tensor->shape[0]->dims = {1, 4, 1, 4};
  tensor->memory_users = 1;
  tensor->role = input ? wire::TensorRole::Input : wire::TensorRole::Output;
  tensor->onnx = std::make_unique<wire::OnnxViewT>();
  tensor->onnx->element_type = 7; // int64
  tensor->onnx->dims = {4, 4};
  return tensor;
}

static std::unique_ptr<wire::CommandGroupT> makeGroup() {
  auto group = std::make_unique<wire::CommandGroupT>();
  group->tiu_count = 1;
  group->gdma_count = 2;
  group->tiu_blob = std::make_unique<wire::Blob>(64, 16);
  group->gdma_blob = std::make_unique<wire::Blob>(128, 112);
  group->tiu_bytes = 16;
  group->gdma_bytes = 112;
  return group;
}

/// One tensor copy of 1x4x1x4 words from input to output, and both end
/// commands.
static void writeCommands(std::vector<uint8_t> &binary) {
  using isa::Field;
  using isa::Form;
  uint8_t *word = binary.data() + 128;
  auto set = [word](Field field, uint64_t value) {
    isa::FieldPlace place = isa::formSpec(Form::DMA_tensor).place(field);
    isa::detail::writeBits(word, place.offset, place.width, 96, value);
  };
  set(Field::cmd_id_en, 1);
  set(Field::cmd_id, 1);
  set(Field::nchw_copy, 1);
  set(Field::src_data_format, uint64_t(isa::Precision::Int32));
  for (Field size : {Field::src_nsize, Field::src_hsize})
    set(size, 1);
  for (Field size : {Field::src_csize, Field::src_wsize})
    set(size, 4);
  std::memcpy(word + 64, &kInput, 5);
  std::memcpy(word + 72, &kOutput, 5);
  std::memset(word + 88, 0xff, 8); // localmem_mask
  std::array<uint8_t, 16> end = isa::makeGdmaEnd(2);
  std::memcpy(word + 96, end.data(), end.size());
  end = isa::makeTiuEnd(1);
  std::memcpy(binary.data() + 64, end.data(), end.size());
}

/// A group of one op that ends because of a second step, which reads its value.
static std::unique_ptr<wire::DecisionsT> makeDecisions() {
  auto table = std::make_unique<wire::DecisionsT>();
  table->words = {"group", "permute", "as it is", "rows", "hidden"};
  auto turn = uint32_t(Cause::Turn), memory = uint32_t(Cause::Memory);
  table->causes.emplace_back(turn, 1, 0, 0, 0);
  table->causes.emplace_back(memory, 1, 0xFFFFFFFF, 300000, 262144);
  table->steps.emplace_back(2000, 0, 1, 0, 0, 0, wire::Extent(1, 1, 4, 1), 1);
  table->steps.emplace_back(0, 1, 0, 0, 0, 0xFFFFFFFF, wire::Extent(1, 1, 1, 1),
                            0);
  wire::Extent shape(1, 4, 1, 4);
  table->readers = {1, 0};
  table->values.emplace_back(0, 0xFFFFFFFF, wire::DataType::I32, shape, 0, 0, 0,
                             1, uint32_t(DramReason::Reader), 0, 64);
  table->values.emplace_back(0xFFFFFFFF, 4, wire::DataType::F16, shape, 1,
                             0xFFFFFFFF, 1, 1, uint32_t(DramReason::Output),
                             0xFFFFFFFF, 32);
  table->ways.emplace_back(2, 5000);
  table->ways.emplace_back(3, ~uint64_t(0));
  table->choices.emplace_back(uint32_t(Question::Unfold), 1, 0, 0, 0, 2);
  return table;
}

static std::unique_ptr<wire::DebugMapT> makeDebugMap() {
  auto map = std::make_unique<wire::DebugMapT>();
  for (const char *name : {"Copy_0", "Copy_1"}) {
    map->nodes.push_back(std::make_unique<wire::DebugNodeT>());
    map->nodes.back()->name = name;
  }
  map->nodes[0]->op_type = "Identity";
  map->sources.push_back(std::make_unique<wire::DebugSourceT>());
  map->sources[0]->nodes = {0, 1};
  map->groups.push_back(std::make_unique<wire::DebugGroupT>());
  map->groups[0]->tiu_sources = {0xFFFFFFFF};
  map->groups[0]->gdma_sources = {0, 0xFFFFFFFF};
  auto tensor = std::make_unique<wire::DebugTensorT>();
  tensor->value_name = "y";
  tensor->data_type = wire::DataType::I32;
  tensor->shape = std::make_unique<wire::Extent>(1, 4, 1, 4);
  auto piece = std::make_unique<wire::DebugPieceT>();
  piece->offset = std::make_unique<wire::Extent>(0, 0, 0, 0);
  piece->size = std::make_unique<wire::Extent>(1, 4, 1, 4);
  piece->strides = std::make_unique<wire::Strides>(16, 4, 4, 1);
  piece->address = kOutput;
  piece->memory = wire::MemorySpace::Global;
  piece->engine = wire::Engine::Gdma;
  tensor->pieces.push_back(std::move(piece));
  map->tensors.push_back(std::move(tensor));
  map->decisions = makeDecisions();
  return map;
}

SmallModel makeSmallModel() {
  SmallModel model;
  model.binary.assign(240, 0);
  for (int i = 0; i < 64; ++i)
    model.binary[i] = uint8_t(i * 7);
  writeCommands(model.binary);
  auto stage = std::make_unique<wire::NetParameterT>();
  stage->inputs.push_back(makeTensor("x", kInput, true));
  stage->outputs.push_back(makeTensor("y", kOutput, false));
  stage->context_address = kContext;
  stage->context_bytes = 8192;
  stage->context_parts = {8192};
  stage->weights = std::make_unique<wire::WeightsT>();
  stage->weights->address = kWeights;
  stage->weights->blob = std::make_unique<wire::Blob>(0, 64);
  std::array<uint8_t, 32> digest = sha256(model.binary.data(), 64);
  stage->weights->sha256.assign(digest.begin(), digest.end());
  stage->groups.push_back(makeGroup());
  auto subNet = std::make_unique<wire::SubNetT>();
  subNet->id = 0;
  subNet->next_ids = {-1};
  subNet->core_count = 1;
  subNet->groups.push_back(makeGroup());
  subNet->inputs.push_back(makeTensor("x", kInput, true));
  subNet->outputs.push_back(makeTensor("y", kOutput, false));
  stage->sub_nets.push_back(std::move(subNet));
  stage->core_count = 1;
  stage->debug_map = makeDebugMap();
  auto net = std::make_unique<wire::NetT>();
  net->name = "small";
  net->stages.push_back(std::move(stage));
  model.tables.type = "B";
  model.tables.version = "2.2+weft";
  model.tables.chip = "BM1684X";
  model.tables.neuron_bytes = 8192;
  model.tables.device_count = 1;
  model.tables.nets.push_back(std::move(net));
  return model;
}

void SmallModel::setCounts(uint32_t tiu, uint32_t gdma) {
  wire::NetParameterT &stage = *tables.nets[0]->stages[0];
  for (auto *groups : {&stage.groups, &stage.sub_nets[0]->groups}) {
    (*groups)[0]->tiu_count = tiu;
    (*groups)[0]->gdma_count = gdma;
  }
}

void SmallModel::set(isa::Field field, uint64_t value) {
  isa::FieldPlace place = isa::formSpec(isa::Form::DMA_tensor).place(field);
  isa::detail::writeBits(gdma(), place.offset, place.width, 96, value);
}

void SmallModel::repeatGroup(size_t count) {
  wire::NetParameterT &stage = *tables.nets[0]->stages[0];
  stage.debug_map.reset();
  for (auto *groups : {&stage.groups, &stage.sub_nets[0]->groups})
    while (groups->size() < count)
      groups->push_back(
          std::make_unique<wire::CommandGroupT>(*groups->front()));
}

void SmallModel::dropGdmaBlob() {
  wire::NetParameterT &stage = *tables.nets[0]->stages[0];
  stage.groups[0]->gdma_blob.reset();
  stage.sub_nets[0]->groups[0]->gdma_blob.reset();
}

std::vector<uint8_t> packModel(const SmallModel &model) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(wire::Model::Pack(builder, &model.tables));
  std::vector<uint8_t> bytes =
      makeContainerHeader(builder.GetSize(), model.binary.size());
  bytes.insert(bytes.end(), builder.GetBufferPointer(),
               builder.GetBufferPointer() + builder.GetSize());
  bytes.insert(bytes.end(), model.binary.begin(), model.binary.end());
  return bytes;
}

std::vector<uint8_t> readFile(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return std::vector<uint8_t>(std::istreambuf_iterator<char>(in), {});
}

} // namespace weft::rt
