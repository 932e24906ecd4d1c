#include "runtime/bmodel/FileParts.h"
#include "runtime/bmodel/StageWeights.h"
#include "runtime/bmodel/Strip.h"
#include "runtime/bmodel/TableTree.h"
#include "tests/unit/runtime/bmodel/SmallModel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace weft::rt;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

Bmodel load(const std::vector<uint8_t> &bytes) {
  Result<Bmodel> loaded = Bmodel::load(bytes, "small");
  EXPECT_TRUE(loaded.isOk()) << loaded.status().message();
  return *loaded;
}

Bmodel load(const SmallModel &model) { return load(packModel(model)); }

FileParts partsOf(const Bmodel &model) {
  Result<FileParts> parts = takeApart(model);
  EXPECT_TRUE(parts.isOk()) << parts.status().message();
  return *std::move(parts);
}

TEST(FileParts, PackToWhatTheyWere) {
  Bmodel model = load(makeSmallModel());
  FileParts parts = partsOf(model);
  std::vector<uint8_t> bytes = pack(parts).bytes();
  Bmodel again = load(bytes);
  FileParts second = partsOf(again);
  EXPECT_EQ(pack(second).bytes(), bytes);
  EXPECT_EQ(pack(second).bytes(), bytes) << "packing twice";
  const StageSpec &a = model.nets()[0].stages[0],
                  &b = again.nets()[0].stages[0];
  auto text = [](ByteSpan span) {
    return std::string(span.data, span.data + span.size);
  };
  EXPECT_EQ(text(a.weightBytes), text(b.weightBytes));
  EXPECT_EQ(text(a.groups[0].tiu), text(b.groups[0].tiu));
  EXPECT_EQ(text(a.groups[0].gdma), text(b.groups[0].gdma));
  // From page boundaries, and nothing behind the last.

  EXPECT_EQ(again.fileBytes().size % 4096, 112u);
}

TEST(FileParts, RefuseBlobsOutsideOfTheFile) {
  SmallModel model = makeSmallModel();
  model.tables.nets[0]->stages[0]->profile =
      std::make_unique<wire::Blob>(200, 41);
  Result<FileParts> parts = takeApart(load(model));
  ASSERT_FALSE(parts.isOk());
  EXPECT_EQ(parts.status().message(),
            "small: profile: 41 bytes at 200 of the binary section, which has "
            "240 bytes");
}

TEST(FileParts, RefuseTablesThatNameOneTextOverAndOver) {
  SmallModel model = makeSmallModel();
  auto &locations = model.tables.nets[0]->stages[0]->weights->locations;
  std::string marker(200000, '.');
  for (int i = 0; i < 1000; ++i) {
    locations.push_back(std::make_unique<wire::WeightLocationT>());
    locations.back()->name = "n" + std::to_string(i);
  }
  locations.front()->name = marker;
  std::vector<uint8_t> bytes = packModel(model);
  // All names are the long one: each offset is made to lead to it.
  auto *table = wire::GetMutableModel(bytes.data() + kBmodelHeaderBytes);
  auto *list = table->mutable_nets()
                   ->GetMutableObject(0)
                   ->mutable_stages()
                   ->GetMutableObject(0)
                   ->mutable_weights()
                   ->mutable_locations();
  const auto *target = reinterpret_cast<const uint8_t *>(list->Get(0)->name());
  unsigned shared = 0;
  for (unsigned i = 1; i < list->size(); ++i) {
    auto *field = const_cast<uint8_t *>(
        reinterpret_cast<const flatbuffers::Table *>(list->Get(i))
            ->GetAddressOf(wire::WeightLocation::VT_NAME));
    // Offsets lead forward only.
    if (target <= field)
      continue;
    flatbuffers::WriteScalar(field, flatbuffers::uoffset_t(target - field));
    ++shared;
  }
  ASSERT_GT(shared, 900u);
  Result<FileParts> parts = takeApart(load(bytes));
  ASSERT_FALSE(parts.isOk());
  EXPECT_THAT(parts.status().message(),
              HasSubstr("small: the tables name the same texts and lists "
                        "again and again"));
}

TEST(Strip, TakesOutWhatNoRuntimeNeeds) {
  SmallModel model = makeSmallModel();
  wire::NetParameterT &stage = *model.tables.nets[0]->stages[0];
  stage.profile = std::make_unique<wire::Blob>(0, 50);
  stage.weights->locations.push_back(std::make_unique<wire::WeightLocationT>());
  stage.weights->locations[0]->name = "w";
  stage.debug_map->conversion = std::make_unique<wire::ConversionT>();
  stage.debug_map->conversion->options = {"precision=f16"};
  FileParts parts = partsOf(load(model));
  uint64_t before = tableBytes(parts);
  std::vector<StrippedPart> stripped = strip(parts);
  uint64_t told = 0;
  for (const StrippedPart &part : stripped) {
    EXPECT_GT(part.bytes, 0u) << part.name;
    told += part.bytes;
  }
  EXPECT_EQ(told, before - tableBytes(parts) + 50);
  Bmodel small = load(pack(parts).bytes());
  EXPECT_EQ(small.nets()[0].stages[0].debugMap, nullptr);
  EXPECT_EQ(small.nets()[0].stages[0].table->profile(), nullptr);
  EXPECT_TRUE(namedWeights(small.nets()[0].stages[0]).empty());
  EXPECT_TRUE(small.nets()[0].stages[0].inputs[0].hasOnnxView);
  FileParts again = partsOf(small);
  for (const StrippedPart &part : strip(again))
    EXPECT_EQ(part.bytes, 0u) << part.name;
}

TEST(StageWeights, AreThereOnceForAllStagesThatHaveThem) {
  SmallModel model = makeSmallModel();
  for (uint64_t rows : {2, 3}) {
    SmallModel other = makeSmallModel();
    wire::NetParameterT &stage = *other.tables.nets[0]->stages[0];
    stage.inputs[0]->shape[0]->dims[1] = rows;
    stage.inputs[0]->size = 16 * rows;
    stage.inputs[0]->onnx->dims[0] = rows;
    if (rows == 2) { // no others than zeros
      stage.weights->blob = std::make_unique<wire::Blob>(16, 16);
      Digest digest = sha256(model.binary.data() + 16, 16);
      stage.weights->sha256.assign(digest.begin(), digest.end());
    }
    model.tables.nets[0]->stages.push_back(
        std::move(other.tables.nets[0]->stages[0]));
  }
  Bmodel loaded = load(model);
  std::vector<StageWeights> weights = weightsOf(loaded.nets()[0]);
  ASSERT_EQ(weights.size(), 2u);
  EXPECT_THAT(weights[0].stages, ElementsAre(0, 2));
  EXPECT_THAT(weights[1].stages, ElementsAre(1));
  std::vector<uint8_t> zeros(64);
  FileParts parts = partsOf(loaded);
  Status status =
      replaceWeights(parts, 0, weights[0].stages, {zeros.data(), 64});
  ASSERT_TRUE(status.isOk()) << status.message();
  Bmodel changed = load(pack(parts).bytes());
  std::vector<StageWeights> now = weightsOf(changed.nets()[0]);
  ASSERT_EQ(now.size(), 2u);
  EXPECT_EQ(now[0].bytes.data[5], 0);
  EXPECT_EQ(now[1].bytes.data[5], weights[1].bytes.data[5]);
  EXPECT_EQ(replaceWeights(parts, 0, {1}, {zeros.data(), 64}).message(),
            "64 bytes, stage 1 has 16 bytes of weights; it must be as many");
}

/// Writes what it is shown in one line.
class Writer final : public TableVisitor {
public:
  std::string line;
  void field(const char *name) override { line += std::string(" ") + name; }
  void beginTable() override { line += "{"; }
  void endTable() override { line += "}"; }
  bool beginList(size_t size) override {
    line += "[" + std::to_string(size);
    return true;
  }
  void endList() override { line += "]"; }
  void number(int64_t value) override { line += "=" + std::to_string(value); }
  void number(uint64_t value) override { line += "=" + std::to_string(value); }
  void number(double value) override { line += "=" + std::to_string(value); }
  void flag(bool value) override { line += value ? "=true" : "=false"; }
  void enumerator(int64_t, const char *name) override {
    line += std::string("=") + (name ? name : "?");
  }
  void text(std::string_view value) override {
    line += "'" + std::string(value) + "'";
  }
  void bytes(ByteSpan value) override {
    line += "<" + std::to_string(value.size) + ">";
  }
  void blob(const wire::Blob &value) override {
    line += "@" + std::to_string(value.start());
  }
};

TEST(TableTree, ShowsEveryFieldByName) {
  Bmodel model = load(makeSmallModel());
  Writer writer;
  walkTables(model.table(), writer);
  for (const char *part :
       {"{ type'B' version'2.2+weft'", " chip'BM1684X' nets[1{ name'small'",
        " inputs[1{ name'x' data_type=I32 device_address=4294971392 size=64",
        " weights{ address=4294967296 sha256<32> blob@0}",
        " tiu_blob@64 gdma_blob@128", " next_ids[1=-1] core_count=1",
        " gdma_sources[2=0=4294967295]", " memory=Global engine=Gdma",
        " slices{ n=1 c=1 h=4 w=1}", " neuron_bytes=8192 device_count=1}"})
    EXPECT_THAT(writer.line, HasSubstr(part));
}

} // namespace
