#include <weft.h>

#include <cmath>
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

TEST_F(Capi, AFileOfTheVendorHasNoCertificate) {
  std::string message;
  EXPECT_EQ(codeOf(weft_model_check_certificate(model, 0, 0), &message),
            WEFT_NOT_FOUND);
  EXPECT_THAT(message, HasSubstr("has no certificate; weft compare --certify"));
  for (auto [net, stage] : {std::pair(1, 0), std::pair(0, 1)})
    EXPECT_EQ(codeOf(weft_model_check_certificate(model, net, stage), &message),
              WEFT_NOT_FOUND);
  EXPECT_EQ(message, "there is no such net or stage");
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

TEST_F(Capi, ACancelledSessionRefusesRunsUntilItIsNot) {
  weft_session *session = nullptr;
  ASSERT_EQ(codeOf(weft_session_open(model, nullptr, 0, nullptr, &session)),
            WEFT_OK);
  std::vector<float> x(768), y(4096);
  const void *inputs[] = {x.data()};
  void *outputs[] = {y.data()};
  std::string message;
  weft_session_set_cancelled(session, 1);
  EXPECT_EQ(codeOf(weft_session_run(session, inputs, outputs), &message),
            WEFT_CANCELLED);
  EXPECT_THAT(message, HasSubstr("the run was cancelled"));
  weft_session_set_cancelled(session, 0);
  EXPECT_EQ(codeOf(weft_session_run(session, inputs, outputs)), WEFT_OK);
  weft_session_set_cancelled(nullptr, 1);
  weft_session_free(session);
}

TEST_F(Capi, TheTimeLimitIsOfTheEmulatorToo) {
  weft_device_options options = {};
  options.struct_bytes = sizeof options;
  options.time_limit_seconds = 1e-9;
  weft_session *session = nullptr;
  ASSERT_EQ(codeOf(weft_session_open(model, nullptr, 0, &options, &session)),
            WEFT_OK);
  std::vector<float> x(768), y(4096);
  const void *inputs[] = {x.data()};
  void *outputs[] = {y.data()};
  EXPECT_EQ(codeOf(weft_session_run(session, inputs, outputs)), WEFT_TIMEOUT);
  weft_session_free(session);
  for (double wrong : {-1.0, std::nan("")}) {
    options.time_limit_seconds = wrong;
    EXPECT_EQ(codeOf(weft_session_open(model, nullptr, 0, &options, &session)),
              WEFT_INVALID_ARGUMENT);
  }
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
  weft_type type = WEFT_STRING;
  EXPECT_EQ(
      codeOf(weft_session_run_typed(session, inputs, &type, outputs), &message),
      WEFT_INVALID_ARGUMENT);
  weft_session_free(session);
}

TEST_F(Capi, NumbersOfOtherTypesBecomeTheInputs) {
  weft_session *session = nullptr;
  ASSERT_EQ(codeOf(weft_session_open(model, nullptr, 0, nullptr, &session)),
            WEFT_OK);
  std::vector<float> x(768), y(4096), again(4096);
  std::vector<int64_t> whole(768);
  for (size_t i = 0; i < x.size(); ++i)
    whole[i] = int64_t(x[i] = float(i % 7) - 3);
  const void *inputs[] = {x.data()}, *wholeInputs[] = {whole.data()};
  void *outputs[] = {y.data()}, *others[] = {again.data()};
  weft_type type = WEFT_I64;
  ASSERT_EQ(codeOf(weft_session_run(session, inputs, outputs)), WEFT_OK);
  ASSERT_EQ(codeOf(weft_session_run_typed(session, wholeInputs, &type, others)),
            WEFT_OK);
  EXPECT_EQ(y, again);
  // The first integer that is no float.
  whole[5] = 16777217;
  std::string message;
  EXPECT_EQ(codeOf(weft_session_run_typed(session, wholeInputs, &type, others),
                   &message),
            WEFT_OUT_OF_RANGE);
  EXPECT_EQ(message, "input 'x' is 16777217 at [0, 0, 0, 5], which f32 does "
                     "not have");
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

const char kProgram[] = WEFT_TEST_DATA "/zhouyi/dot_v1.zyp";

TEST(CapiProgram, RunsLikeABmodel) {
  weft_model *model = nullptr;
  ASSERT_EQ(codeOf(weft_model_load(kProgram, &model)), WEFT_OK);
  EXPECT_STREQ(weft_model_chip(model), "zhouyi");
  ASSERT_EQ(weft_model_net_count(model), 1u);
  EXPECT_STREQ(weft_model_net_name(model, 0), "small");
  EXPECT_EQ(weft_model_stage_count(model, 0), 1u);
  weft_tensor_desc desc = {};
  desc.struct_bytes = sizeof desc;
  ASSERT_EQ(codeOf(weft_model_input(model, 0, 0, 0, &desc)), WEFT_OK);
  EXPECT_STREQ(desc.name, "x");
  EXPECT_EQ(desc.scale, 2.0f);
  weft_session *session = nullptr;
  ASSERT_EQ(codeOf(weft_session_open(model, "small", 0, nullptr, &session)),
            WEFT_OK);
  const int64_t *shape = nullptr;
  size_t rank = 0;
  EXPECT_EQ(codeOf(weft_session_output_shape(session, 0, &shape, &rank)),
            WEFT_NOT_FOUND);
  // x = 1 everywhere: the sums of the rows of (7 * j + 3 * k) % 13 - 6.
  std::vector<int8_t> x(70, 1);
  const void *input = x.data();
  int32_t z[5] = {};
  void *output = z;
  ASSERT_EQ(codeOf(weft_session_run(session, &input, &output)), WEFT_OK);
  for (int j = 0; j < 5; ++j) {
    int sum = 0;
    for (int k = 0; k < 70; ++k)
      sum += (7 * j + 3 * k) % 13 - 6;
    EXPECT_EQ(z[j], sum > 0 ? sum : 0);
  }
  ASSERT_EQ(codeOf(weft_session_output_shape(session, 0, &shape, &rank)),
            WEFT_OK);
  ASSERT_EQ(rank, 2u);
  EXPECT_EQ(shape[1], 5);
  weft_session_free(session);
  weft_model_free(model);
}

TEST(CapiProgram, SaysWhatItIsNot) {
  std::ifstream file(kProgram, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)),
                    std::istreambuf_iterator<char>());
  weft_model *model = nullptr;
  std::string message;
  EXPECT_EQ(
      codeOf(weft_model_load_bytes(bytes.data(), 900, "cut", &model), &message),
      WEFT_BAD_FILE);
  EXPECT_THAT(message, HasSubstr("cut: byte 0: the flatbuffer (900 bytes)"));
  ASSERT_EQ(codeOf(weft_model_load_bytes(bytes.data(), bytes.size(), "whole",
                                         &model)),
            WEFT_OK);
  weft_profile profile = {};
  profile.struct_bytes = sizeof profile;
  EXPECT_EQ(codeOf(weft_model_profile(model, 0, 0, &profile), &message),
            WEFT_UNSUPPORTED);
  EXPECT_EQ(message, "unsupported: whole is a program of vector operations; "
                     "profiles are for bmodels");
  weft_device_options options = {};
  options.struct_bytes = sizeof options;
  options.kind = WEFT_BMRT;
  weft_session *session = nullptr;
  EXPECT_EQ(codeOf(weft_session_open(model, nullptr, 0, &options, &session),
                   &message),
            WEFT_INVALID_ARGUMENT);
  EXPECT_EQ(message,
            "a program of vector operations has one stage and a machine of its "
            "own; open it with stage 0 and WEFT_EMULATOR");
  ASSERT_EQ(codeOf(weft_session_open(model, nullptr, 0, nullptr, &session)),
            WEFT_OK);
  int8_t x[70] = {};
  const void *input = x;
  int32_t z[5];
  void *output = z;
  EXPECT_EQ(
      codeOf(weft_session_run_entries(session, &input, nullptr, &output, 1),
             &message),
      WEFT_INVALID_ARGUMENT);
  EXPECT_EQ(message, "a run with 1 entries of the batch; a program of vector "
                     "operations takes its whole shapes only");
  weft_session_free(session);
  weft_model_free(model);
}

} // namespace
