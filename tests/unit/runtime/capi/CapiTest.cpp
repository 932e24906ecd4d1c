#include <weft.h>

#include <cstddef>
#include <cstring>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

using testing::HasSubstr;

namespace {

const char kTiny[] = WEFT_TEST_DATA "/vendor-bmodels/tiny_f32.bmodel";

/// Frees the status; its code.
weft_code codeOf(weft_status *status, std::string *message = nullptr) {
  weft_code code = weft_status_code(status);
  if (message)
    *message = weft_status_message(status);
  weft_status_free(status);
  return code;
}

class Capi : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(codeOf(weft_model_load(kTiny, &model)), WEFT_OK);
  }
  void TearDown() override { weft_model_free(model); }
  weft_model *model = nullptr;
};

TEST_F(Capi, DescribesNetsAndTensors) {
  EXPECT_EQ(weft_api_version(), WEFT_API_VERSION);
  EXPECT_STREQ(weft_model_chip(model), "BM1684X");
  ASSERT_EQ(weft_model_net_count(model), 1u);
  EXPECT_STREQ(weft_model_net_name(model, 0), "tiny");
  EXPECT_EQ(weft_model_net_name(model, 1), nullptr);
  EXPECT_EQ(weft_model_stage_count(model, 0), 1u);
  EXPECT_EQ(weft_model_input_count(model, 0), 1u);
  EXPECT_EQ(weft_model_output_count(model, 7), 0u);
  weft_tensor_desc desc = {};
  desc.struct_bytes = sizeof desc;
  ASSERT_EQ(codeOf(weft_model_input(model, 0, 0, 0, &desc)), WEFT_OK);
  EXPECT_STREQ(desc.name, "x");
  EXPECT_EQ(desc.type, WEFT_F32);
  ASSERT_EQ(desc.rank, 4u);
  EXPECT_EQ(desc.shape[3], 16);
  EXPECT_EQ(desc.bytes, 3072u);
  EXPECT_EQ(codeOf(weft_model_input(model, 0, 0, 1, &desc)), WEFT_NOT_FOUND);
  EXPECT_EQ(codeOf(weft_model_output(model, 0, 1, 0, &desc)), WEFT_NOT_FOUND);
  desc.struct_bytes = 4;
  EXPECT_EQ(codeOf(weft_model_input(model, 0, 0, 0, &desc)),
            WEFT_INVALID_ARGUMENT);
}

TEST_F(Capi, ProfilesAStage) {
  weft_profile profile = {};
  profile.struct_bytes = sizeof profile;
  ASSERT_EQ(codeOf(weft_model_profile(model, 0, 0, &profile)), WEFT_OK);
  EXPECT_EQ(profile.struct_bytes, sizeof profile);
  EXPECT_EQ(profile.macs, 16u * 16 * 16 * 3 * 9); // 3x3, 3 to 16 channels
  EXPECT_GE(profile.dram_read_bytes, 3072u);      // the input
  EXPECT_EQ(profile.dram_write_bytes, 16384u);    // the output
  EXPECT_GE(profile.total_cycles, profile.tiu_busy_cycles);
  EXPECT_GE(profile.total_cycles, profile.gdma_busy_cycles);
  EXPECT_GE(double(profile.total_cycles), profile.bound_cycles);
  EXPECT_GT(profile.bound_cycles, 0);
  EXPECT_EQ(profile.cycles_per_second, 1000000000u);
  EXPECT_EQ(codeOf(weft_model_profile(model, 0, 1, &profile)), WEFT_NOT_FOUND);
  EXPECT_EQ(codeOf(weft_model_profile(model, 1, 0, &profile)), WEFT_NOT_FOUND);
  EXPECT_EQ(codeOf(weft_model_profile(model, 0, 0, nullptr)),
            WEFT_INVALID_ARGUMENT);
  profile.struct_bytes = 8;
  EXPECT_EQ(codeOf(weft_model_profile(model, 0, 0, &profile)),
            WEFT_INVALID_ARGUMENT);
}

/// A program built against a newer weft.h: the structs have grown.
struct LaterDesc {
  weft_tensor_desc known;
  uint64_t later;
};
struct LaterOptions {
  weft_device_options known;
  uint64_t later;
};

TEST_F(Capi, NewerProgramsKeepTheirOwnFields) {
  LaterDesc desc = {};
  desc.known.struct_bytes = sizeof desc;
  desc.later = 42;
  ASSERT_EQ(codeOf(weft_model_input(model, 0, 0, 0, &desc.known)), WEFT_OK);
  EXPECT_EQ(desc.known.struct_bytes, sizeof desc);
  EXPECT_STREQ(desc.known.name, "x");
  EXPECT_EQ(desc.later, 42u);
  LaterOptions options = {};
  options.known.struct_bytes = sizeof options;
  weft_session *session = nullptr;
  EXPECT_EQ(
      codeOf(weft_session_open(model, nullptr, 0, &options.known, &session)),
      WEFT_OK);
  weft_session_free(session);
}

TEST_F(Capi, TheFirstVersionsStructsSuffice) {
  weft_tensor_desc desc;
  constexpr size_t kFirst = offsetof(weft_tensor_desc, zero_point) + 4;
  std::memset(&desc, 0xAB, sizeof desc);
  desc.struct_bytes = kFirst;
  ASSERT_EQ(codeOf(weft_model_input(model, 0, 0, 0, &desc)), WEFT_OK);
  EXPECT_EQ(desc.zero_point, 0);
  // Nothing is written beyond what the caller said it has.
  const auto *bytes = reinterpret_cast<const unsigned char *>(&desc);
  for (size_t i = kFirst; i < sizeof desc; ++i)
    EXPECT_EQ(bytes[i], 0xAB);
  desc.struct_bytes = kFirst - 1;
  EXPECT_EQ(codeOf(weft_model_input(model, 0, 0, 0, &desc)),
            WEFT_INVALID_ARGUMENT);
  weft_device_options options = {};
  options.struct_bytes = 31;
  weft_session *session = nullptr;
  EXPECT_EQ(codeOf(weft_session_open(model, nullptr, 0, &options, &session)),
            WEFT_INVALID_ARGUMENT);
}

TEST_F(Capi, RunsTwiceWithEqualResults) {
  weft_session *session = nullptr;
  ASSERT_EQ(codeOf(weft_session_open(model, "tiny", 0, nullptr, &session)),
            WEFT_OK);
  std::vector<float> x(768, 0.5f), first(4096), second(4096);
  const void *inputs[] = {x.data()};
  void *outputs[] = {first.data()};
  ASSERT_EQ(codeOf(weft_session_run(session, inputs, outputs)), WEFT_OK);
  outputs[0] = second.data();
  ASSERT_EQ(codeOf(weft_session_run(session, inputs, outputs)), WEFT_OK);
  EXPECT_EQ(first, second);
  EXPECT_NE(first, std::vector<float>(4096));
  outputs[0] = nullptr;
  EXPECT_EQ(codeOf(weft_session_run(session, inputs, outputs)),
            WEFT_INVALID_ARGUMENT);
  weft_session_free(session);
}

TEST_F(Capi, ASessionOutlivesItsModel) {
  weft_session *session = nullptr;
  ASSERT_EQ(codeOf(weft_session_open(model, nullptr, 0, nullptr, &session)),
            WEFT_OK);
  weft_model_free(model);
  model = nullptr;
  std::vector<float> x(768), y(4096);
  const void *inputs[] = {x.data()};
  void *outputs[] = {y.data()};
  EXPECT_EQ(codeOf(weft_session_run(session, inputs, outputs)), WEFT_OK);
  weft_session_free(session);
}

TEST_F(Capi, WrongTypesAndOptionsAreNamed) {
  weft_session *session = nullptr;
  std::string message;
  EXPECT_EQ(codeOf(weft_session_open(model, "no", 0, nullptr, &session)),
            WEFT_NOT_FOUND);
  EXPECT_EQ(
      codeOf(weft_session_open(model, nullptr, 3, nullptr, &session), &message),
      WEFT_INVALID_ARGUMENT);
  EXPECT_THAT(message, HasSubstr("stage is 3, the net has 1"));
  weft_device_options options = {};
  options.struct_bytes = sizeof options;
  options.kind = WEFT_BMRT;
  options.bmrt_library = "/no/libbmrt.so";
  EXPECT_EQ(codeOf(weft_session_open(model, nullptr, 0, &options, &session)),
            WEFT_DEVICE_NOT_FOUND);
  ASSERT_EQ(codeOf(weft_session_open(model, nullptr, 0, nullptr, &session)),
            WEFT_OK);
  std::vector<float> x(768), y(4096);
  const void *inputs[] = {x.data()};
  void *outputs[] = {y.data()};
  weft_type type = WEFT_I64;
  EXPECT_EQ(
      codeOf(weft_session_run_typed(session, inputs, &type, outputs), &message),
      WEFT_TYPE_MISMATCH);
  EXPECT_EQ(message, "input 'x': is i64, the model wants f32");
  weft_session_free(session);
}

TEST(CapiLoad, BytesAndFaults) {
  std::ifstream in(kTiny, std::ios::binary);
  std::vector<char> bytes(std::istreambuf_iterator<char>(in), {});
  weft_model *model = nullptr;
  ASSERT_EQ(
      codeOf(weft_model_load_bytes(bytes.data(), bytes.size(), "mem", &model)),
      WEFT_OK);
  weft_model_free(model);
  std::string message;
  EXPECT_EQ(
      codeOf(weft_model_load_bytes(bytes.data(), 70, "mem", &model), &message),
      WEFT_BAD_FILE);
  EXPECT_THAT(message, HasSubstr("mem: byte 8: flatbuffer size"));
  EXPECT_EQ(codeOf(weft_model_load(nullptr, &model)), WEFT_INVALID_ARGUMENT);
  EXPECT_EQ(codeOf(weft_model_load("/no/file", &model)), WEFT_NOT_FOUND);
  EXPECT_STREQ(weft_code_text(WEFT_TIMEOUT), "time limit exceeded");
}

} // namespace
