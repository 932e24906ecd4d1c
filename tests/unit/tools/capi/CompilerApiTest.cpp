#include "weft-compiler.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

using testing::HasSubstr;
using testing::StartsWith;

extern "C" size_t optionsBytesInC(void);
extern "C" void runHeaderExample(void (*record)(const weft_ppl_recorder *));

namespace {
struct Free {
  void operator()(weft_compiler_status *status) const {
    weft_compiler_status_free(status);
  }
  void operator()(weft_ppl_program *program) const { weft_ppl_close(program); }
};
using Status = std::unique_ptr<weft_compiler_status, Free>;
using Program = std::unique_ptr<weft_ppl_program, Free>;

std::string messageOf(const Status &status) {
  return weft_compiler_status_message(status.get());
}

weft_ppl_line at(int line) { return {"kernel.x", line}; }
} // namespace

static Program open(const char *target, bool serial = false,
                    bool keepsValues = false) {
  weft_ppl_options options = {sizeof(options), target, "test", serial,
                              keepsValues};
  weft_ppl_program *program = nullptr;
  Status status(weft_ppl_open(&options, &program));
  EXPECT_EQ(status, nullptr) << messageOf(status);
  return Program(program);
}

static weft_ppl_argument tensor(int64_t id) {
  weft_ppl_argument argument = {};
  argument.kind = WEFT_PPL_TENSOR;
  argument.integer = id;
  return argument;
}

static weft_ppl_argument real(double value) {
  weft_ppl_argument argument = {};
  argument.kind = WEFT_PPL_FLOAT;
  argument.real = value;
  return argument;
}

/// Records y = x + 1 over `width` columns of 64 lanes; x and y as the program
/// has them.
static std::pair<float *, float *>
recordAdd(const weft_ppl_recorder *r, int64_t width, int64_t channels = 64) {
  constexpr int32_t kFp32 = 1;
  int64_t shape[4] = {1, channels, 1, width};
  void *x = r->allocate(r->self, kFp32, shape, "x", at(1));
  void *y = r->allocate(r->self, kFp32, shape, "y", at(2));
  auto global = [&](void *memory) {
    return r->make_tensor(r->self, WEFT_PPL_GLOBAL, kFp32, shape, 0, nullptr,
                          uint64_t(reinterpret_cast<uintptr_t>(memory)), at(3));
  };
  int64_t gx = global(x), gy = global(y);
  auto local = [&] {
    return r->make_tensor(r->self, WEFT_PPL_LOCAL, kFp32, shape, 1, nullptr,
                          WEFT_PPL_NO_ADDRESS, at(4));
  };
  int64_t a = local(), b = local();
  weft_ppl_argument load[] = {tensor(a), tensor(gx)};
  r->call(r->self, "dma.load", load, 2, at(5));
  weft_ppl_argument add[] = {tensor(b), tensor(a), real(1)};
  r->call(r->self, "tiu.fadd", add, 3, at(6));
  weft_ppl_argument store[] = {tensor(gy), tensor(b)};
  r->call(r->self, "dma.store", store, 2, at(7));
  return {static_cast<float *>(x), static_cast<float *>(y)};
}

TEST(CompilerApi, HeaderIsC) {
  EXPECT_EQ(optionsBytesInC(), sizeof(weft_ppl_options));
  EXPECT_EQ(weft_compiler_api_version(), WEFT_COMPILER_API_VERSION);
}

static const float *exampleOutput;

TEST(CompilerApi, ExampleOfTheHeaderRuns) {
  exampleOutput = nullptr;
  testing::internal::CaptureStderr();
  runHeaderExample([](const weft_ppl_recorder *r) {
    exampleOutput = recordAdd(r, 8).second;
    EXPECT_EQ(r->get(r->self, WEFT_PPL_FAILED, 0), 0);
  });
  EXPECT_NE(exampleOutput, nullptr);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  testing::internal::CaptureStderr();
  runHeaderExample([](const weft_ppl_recorder *r) {
    r->call(r->self, "tiu.nothing", nullptr, 0, at(42));
  });
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "kernel.x:42: there is no function ppl::tiu.nothing\n");
}

TEST(CompilerApi, LanguageAsJson) {
  EXPECT_THAT(weft_ppl_catalog(), HasSubstr("{\"name\":\"tiu.fadd\""));
  EXPECT_THAT(weft_ppl_types(), HasSubstr("{\"name\":\"fp16\",\"code\":2"));
  EXPECT_THAT(weft_ppl_chips(),
              HasSubstr("{\"name\":\"bm1684x\",\"lanes\":64"));
}

TEST(CompilerApi, RecordsRunsAndRunsAgain) {
  for (const char *target : {"bm1684x", "bm1690"}) {
    Program program = open(target);
    auto [x, y] = recordAdd(weft_ppl_program_recorder(program.get()), 8);
    int32_t again = -1;
    Status status(weft_ppl_finish(program.get(), &again));
    ASSERT_EQ(status, nullptr) << messageOf(status);
    EXPECT_EQ(again, 0);
    for (float first : {1.0f, -3.5f}) {
      x[0] = first;
      status.reset(weft_ppl_run(program.get(), nullptr));
      ASSERT_EQ(status, nullptr) << messageOf(status);
      EXPECT_EQ(y[0], first + 1);
      EXPECT_EQ(y[511], 1);
    }
  }
}

TEST(CompilerApi, FileProfileAndText) {
  Program program = open("bm1684x");
  recordAdd(weft_ppl_program_recorder(program.get()), 8);
  int32_t again = 0;
  Status status(weft_ppl_finish(program.get(), &again));
  const void *bytes = nullptr;
  size_t size = 0;
  status.reset(weft_ppl_bmodel(program.get(), &bytes, &size));
  ASSERT_EQ(status, nullptr) << messageOf(status);
  EXPECT_GT(size, 1000u);
  weft_ppl_profile profile = {};
  profile.struct_bytes = offsetof(weft_ppl_profile, cycles_per_second);
  status.reset(weft_ppl_program_profile(program.get(), &profile));
  ASSERT_EQ(status, nullptr) << messageOf(status);
  EXPECT_GT(profile.total_cycles, 0u);
  EXPECT_EQ(profile.local_bytes, 0u); // an older caller's struct ends before
  const char *text = nullptr;
  status.reset(weft_ppl_text(program.get(), WEFT_PPL_FUNCTIONS, &text));
  EXPECT_THAT(text, HasSubstr("ppl.tiu.fadd"));
  status.reset(weft_ppl_text(program.get(), WEFT_PPL_COMMANDS, &text));
  EXPECT_THAT(text, HasSubstr("ppl.dma.load"));
}

TEST(CompilerApi, FilesWithLinesNameTheSource) {
  Program program = open("bm1684x");
  recordAdd(weft_ppl_program_recorder(program.get()), 8);
  int32_t again = 0;
  Status status(weft_ppl_finish(program.get(), &again));
  const void *plain = nullptr, *bytes = nullptr, *repeated = nullptr;
  size_t plainSize = 0, size = 0;
  status.reset(weft_ppl_bmodel(program.get(), &plain, &plainSize));
  ASSERT_EQ(status, nullptr) << messageOf(status);
  auto textOf = [](const void *data, size_t bytes) {
    return std::string(static_cast<const char *>(data), bytes);
  };
  EXPECT_EQ(textOf(plain, plainSize).find("kernel.x"), std::string::npos);
  weft_ppl_profile profile = {};
  profile.struct_bytes = sizeof(profile);
  const char *timeline = nullptr;
  status.reset(weft_ppl_program_profile(program.get(), &profile));
  ASSERT_EQ(status, nullptr) << messageOf(status);
  status.reset(weft_ppl_bmodel_with_lines(program.get(), &bytes, &size));
  ASSERT_EQ(status, nullptr) << messageOf(status);
  EXPECT_NE(textOf(bytes, size).find("kernel.x:6"), std::string::npos);
  // Both are made once, and stay.
  status.reset(weft_ppl_bmodel_with_lines(program.get(), &repeated, &size));
  EXPECT_EQ(repeated, bytes);
  status.reset(weft_ppl_bmodel(program.get(), &repeated, &size));
  EXPECT_EQ(repeated, plain);
  // The lines of commands are those of the plain file.
  status.reset(weft_ppl_program_timeline(program.get(), &timeline));
  ASSERT_EQ(status, nullptr) << messageOf(status);
  EXPECT_THAT(timeline, HasSubstr("\"file\":\"kernel.x\",\"line\":6"));
  EXPECT_THAT(timeline,
              HasSubstr("\"end\":" + std::to_string(profile.total_cycles)));
}

TEST(CompilerApi, LinesOfAProgramAreRowsOfAProfile) {
  Program program = open("bm1684x");
  recordAdd(weft_ppl_program_recorder(program.get()), 8);
  int32_t again = 0;
  Status status(weft_ppl_finish(program.get(), &again));
  const char *lines = nullptr;
  status.reset(weft_ppl_program_lines(program.get(), &lines));
  ASSERT_EQ(status, nullptr) << messageOf(status);
  auto rows = nlohmann::json::parse(lines);
  uint64_t cycles = 0;
  for (const auto &row : rows) {
    EXPECT_EQ(row["file"], "kernel.x");
    EXPECT_LE(row["start"], row["end"]);
    uint64_t tiu = row["tiu_cycles"], gdma = row["gdma_cycles"];
    EXPECT_EQ(row["engine"], tiu >= gdma ? "tiu" : "gdma");
    EXPECT_EQ(row["bound_by"].is_null(), row["bound_cycles"] == 0);
    cycles += uint64_t(row["critical_cycles"]);
  }
  weft_ppl_profile profile = {};
  profile.struct_bytes = sizeof(profile);
  status.reset(weft_ppl_program_profile(program.get(), &profile));
  EXPECT_EQ(cycles, profile.total_cycles);
  status.reset(weft_ppl_program_lines(program.get(), nullptr));
  EXPECT_EQ(messageOf(status), "json must not be NULL");
}

static Status valuesOf(const Program &program, int64_t id,
                       std::vector<float> &values) {
  const void *bytes = nullptr;
  size_t size = 0;
  Status status(weft_ppl_values(program.get(), id, &bytes, &size));
  if (!status)
    values.assign(static_cast<const float *>(bytes),
                  static_cast<const float *>(bytes) + size / sizeof(float));
  return status;
}

TEST(CompilerApi, ValuesWhileItIsRecorded) {
  int64_t shape[4] = {1, 2, 1, 3};
  auto make = [](const weft_ppl_recorder *r, int64_t width,
                 int64_t channels = 2) {
    int64_t sizes[4] = {1, channels, 1, width};
    return r->make_tensor(r->self, WEFT_PPL_LOCAL, 1, sizes, 1, nullptr,
                          WEFT_PPL_NO_ADDRESS, at(1));
  };
  auto add = [&](const weft_ppl_recorder *r, int64_t to, int64_t from) {
    weft_ppl_argument arguments[] = {tensor(to), tensor(from), real(1)};
    r->call(r->self, "tiu.fadd", arguments, 3, at(2));
  };
  std::vector<float> values;
  Program plain = open("bm1684x");
  const weft_ppl_recorder *r = weft_ppl_program_recorder(plain.get());
  EXPECT_THAT(messageOf(valuesOf(plain, make(r, 3), values)),
              HasSubstr("keeps no values"));

  Program program = open("bm1684x", false, true);
  r = weft_ppl_program_recorder(program.get());
  auto *x = static_cast<float *>(r->allocate(r->self, 1, shape, "x", at(1)));
  std::iota(x, x + 6, 0.0f);
  int64_t gx = r->make_tensor(r->self, WEFT_PPL_GLOBAL, 1, shape, 0, nullptr,
                              uint64_t(reinterpret_cast<uintptr_t>(x)), at(3));
  int64_t a = make(r, 3), b = make(r, 3);
  Status status = valuesOf(program, a, values);
  EXPECT_EQ(status, nullptr) << messageOf(status);
  EXPECT_TRUE(std::isnan(values[0])); // nothing has written it
  weft_ppl_argument load[] = {tensor(a), tensor(gx)};
  r->call(r->self, "dma.load", load, 2, at(4));
  for (int times = 0; times < 2; ++times) {
    add(r, b, times ? b : a);
    status = valuesOf(program, b, values);
    ASSERT_EQ(status, nullptr) << messageOf(status);
    std::vector<float> expected(6);
    std::iota(expected.begin(), expected.end(), float(times + 1));
    EXPECT_EQ(values, expected);
  }
  for (int64_t wrong : {int64_t(0), int64_t(99)})
    EXPECT_THAT(messageOf(valuesOf(program, wrong, values)),
                HasSubstr("has no values yet"));
  EXPECT_NE(Status(weft_ppl_values(program.get(), a, nullptr, nullptr)),
            nullptr);
  // Each fills its lane; the sum may lie in the place of its source.
  int64_t large = make(r, 65535);
  add(r, make(r, 65535), large);
  EXPECT_EQ(weft_ppl_check(program.get()), nullptr);
  int64_t larger = make(r, 65535, 65);
  EXPECT_EQ(
      weft_compiler_status_ppl_code(valuesOf(program, larger, values).get()),
      WEFT_PPL_NO_LOCAL_MEMORY);
  add(r, larger, larger);
  status.reset(weft_ppl_check(program.get()));
  EXPECT_EQ(weft_compiler_status_ppl_code(status.get()),
            WEFT_PPL_NO_LOCAL_MEMORY);
  EXPECT_EQ(messageOf(status),
            "kernel.x:2: ppl::tiu::fadd: local memory is too small: a tensor "
            "takes 524288 bytes of each lane, there are 262144; make its block "
            "smaller");
}

TEST(CompilerApi, FindsFaultsThatResultsHide) {
  const char *warnings = "";
  int32_t again = 0;
  Program right = open("bm1684x");
  Status status(weft_ppl_find_faults(right.get(), &warnings));
  EXPECT_THAT(messageOf(status), StartsWith("the program is not finished"));
  recordAdd(weft_ppl_program_recorder(right.get()), 8);
  status.reset(weft_ppl_finish(right.get(), &again));
  status.reset(weft_ppl_find_faults(right.get(), &warnings));
  EXPECT_EQ(status, nullptr) << messageOf(status);
  EXPECT_STREQ(warnings, "");

  Program wrong = open("bm1684x");
  const weft_ppl_recorder *r = weft_ppl_program_recorder(wrong.get());
  float *y = recordAdd(r, 8).second;
  int64_t shape[4] = {1, 64, 1, 8}, made[3];
  for (int64_t &one : made)
    one = r->make_tensor(r->self, WEFT_PPL_LOCAL, 1, shape, 1, nullptr,
                         WEFT_PPL_NO_ADDRESS, at(11));
  int64_t gy = r->make_tensor(r->self, WEFT_PPL_GLOBAL, 1, shape, 0, nullptr,
                              uint64_t(reinterpret_cast<uintptr_t>(y)), at(12));
  for (int i : {0, 1}) { // of a tensor that nobody writes; nobody reads made[2]
    weft_ppl_argument add[] = {tensor(made[i + 1]), tensor(made[i]), real(1)};
    r->call(r->self, "tiu.fadd", add, 3, at(13 + i));
  }
  weft_ppl_argument store[] = {tensor(gy), tensor(made[1])};
  r->call(r->self, "dma.store", store, 2, at(15));
  status.reset(weft_ppl_finish(wrong.get(), &again));
  ASSERT_EQ(status, nullptr) << messageOf(status);
  for (int times = 0; times < 2; ++times) { // the same again, not twice
    status.reset(weft_ppl_find_faults(wrong.get(), &warnings));
    EXPECT_THAT(messageOf(status),
                StartsWith("kernel.x:13: ppl::tiu::fadd: src0 reads 512 of 512 "
                           "elements that nothing has written"));
    EXPECT_STREQ(warnings, "kernel.x:14: ppl::tiu::fadd: nobody reads what it "
                           "writes; store the result with dma::store, or leave "
                           "the call out");
  }
  status.reset(weft_ppl_run(wrong.get(), nullptr));
  EXPECT_EQ(status, nullptr) << messageOf(status);
}

TEST(CompilerApi, MistakesNameTheLine) {
  Program program = open("bm1684x");
  const weft_ppl_recorder *r = weft_ppl_program_recorder(program.get());
  Status status(weft_ppl_check(program.get()));
  EXPECT_EQ(status, nullptr);
  r->call(r->self, "tiu.nothing", nullptr, 0, at(42));
  EXPECT_EQ(r->get(r->self, WEFT_PPL_FAILED, 0), 1);
  status.reset(weft_ppl_check(program.get()));
  EXPECT_EQ(messageOf(status),
            "kernel.x:42: there is no function ppl::tiu.nothing");
  int32_t again = 0;
  status.reset(weft_ppl_finish(program.get(), &again));
  EXPECT_EQ(weft_compiler_status_ppl_code(status.get()), 0x17);
  status.reset(weft_ppl_run(program.get(), nullptr));
  EXPECT_THAT(messageOf(status), StartsWith("the program is not finished"));
}

TEST(CompilerApi, PartsBeyond64BitsLeaveTheirTensor) {
  Program program = open("bm1684x");
  const weft_ppl_recorder *r = weft_ppl_program_recorder(program.get());
  int64_t whole[4] = {1, 64, 1, 8};
  int64_t id = r->make_tensor(r->self, WEFT_PPL_LOCAL, 1, whole, 1, nullptr,
                              WEFT_PPL_NO_ADDRESS, at(1));
  int line = 1;
  for (int64_t size : {int64_t(1), INT64_MAX, INT64_MIN})
    for (int64_t begin : {INT64_MAX, INT64_MIN, int64_t(9)}) {
      int64_t shape[4] = {1, 1, 1, size}, offset[4] = {0, 0, 0, begin};
      EXPECT_EQ(r->sub_view(r->self, id, shape, offset, at(++line)), 0);
    }
  Status status(weft_ppl_check(program.get()));
  EXPECT_THAT(messageOf(status),
              HasSubstr("takes 9223372036854775807 to 9223372036854775808, "
                        "there are 0 to 8"));
}

TEST(CompilerApi, RandomValuesStayInTheirMemory) {
  int64_t shape[4] = {1, 1, 1, 8};
  float own[8] = {};
  auto fill = [&](auto memoryOf, int32_t type, int64_t count) {
    Program program = open("bm1684x");
    const weft_ppl_recorder *r = weft_ppl_program_recorder(program.get());
    auto *first =
        static_cast<float *>(r->allocate(r->self, 1, shape, "first", at(1)));
    auto *second =
        static_cast<float *>(r->allocate(r->self, 1, shape, "second", at(2)));
    r->fill_random(r->self, memoryOf(first), type, count, 1, 2);
    EXPECT_EQ(second[0], 0);
    Status status(weft_ppl_check(program.get()));
    return messageOf(status);
  };
  auto itself = [](float *memory) { return memory; };
  auto none = [](float *) -> float * { return nullptr; };
  auto behind = [](float *memory) { return memory + 5; };
  auto ownMemory = [&](float *) { return own; };
  EXPECT_EQ(fill(itself, 1, 8), "");
  EXPECT_EQ(fill(ownMemory, 1, 8), "");
  EXPECT_GE(own[7], 1);
  EXPECT_THAT(fill(itself, 1, 5000), HasSubstr("5000 values do not lie in"));
  EXPECT_THAT(fill(behind, 1, 4), HasSubstr("4 values do not lie in"));
  EXPECT_THAT(fill(itself, 1, -1), HasSubstr("-1 values do not lie in"));
  EXPECT_THAT(fill(none, 1, 8), HasSubstr("memory is a null pointer"));
  EXPECT_THAT(fill(itself, 9999, 8), HasSubstr("element type 9999 has no"));
}

TEST(CompilerApi, NamesOfFilesLiveAsLongAsTheirCalls) {
  Program first = open("bm1684x"), second = open("bm1684x");
  const weft_ppl_recorder *r = weft_ppl_program_recorder(first.get());
  std::string file = "short_lived_name.x";
  r->enter(r->self, WEFT_PPL_SCOPE_PARALLEL, nullptr, {file.c_str(), 7});
  file.assign(file.size(), '?');
  const weft_ppl_recorder *other = weft_ppl_program_recorder(second.get());
  other->enter(other->self, WEFT_PPL_SCOPE_PARALLEL, nullptr, at(9));
  r->leave(r->self, WEFT_PPL_SCOPE_PARALLEL);
  r->set(r->self, WEFT_PPL_ALLOCATION_METHOD, 0, 7);
  Status status(weft_ppl_check(first.get()));
  EXPECT_THAT(messageOf(status), StartsWith("short_lived_name.x:7: "));
}

TEST(CompilerApi, FullLocalMemoryHasItsCode) {
  Program program = open("bm1684x");
  recordAdd(weft_ppl_program_recorder(program.get()), 40000, 128);
  int32_t again = 0;
  Status status(weft_ppl_finish(program.get(), &again));
  EXPECT_EQ(status, nullptr);
  status.reset(weft_ppl_run(program.get(), nullptr));
  EXPECT_EQ(weft_compiler_status_ppl_code(status.get()),
            WEFT_PPL_NO_LOCAL_MEMORY);
  EXPECT_THAT(messageOf(status), HasSubstr("local memory is too small"));
  // The same again, not twice.
  const std::string first = messageOf(status);
  status.reset(weft_ppl_run(program.get(), nullptr));
  EXPECT_EQ(messageOf(status), first);
  const char *text = nullptr;
  status.reset(weft_ppl_text(program.get(), WEFT_PPL_COMMANDS, &text));
  EXPECT_EQ(messageOf(status), first);
}

TEST(CompilerApi, CoresAreRecordedOneByOne) {
  Program program = open("bm1690");
  int32_t again = 1;
  int64_t recorded = 0;
  while (again) {
    const weft_ppl_recorder *r = weft_ppl_program_recorder(program.get());
    r->set(r->self, WEFT_PPL_BLOCK_NUM, 0, 3);
    EXPECT_EQ(r->get(r->self, WEFT_PPL_BLOCK_INDEX, 0), recorded++);
    recordAdd(weft_ppl_program_recorder(program.get()), 8);
    Status status(weft_ppl_finish(program.get(), &again));
    ASSERT_EQ(status, nullptr) << messageOf(status);
  }
  EXPECT_EQ(recorded, 3);
}

TEST(CompilerApi, WrongArguments) {
  weft_ppl_options options = {sizeof(options), "bm9999", nullptr, 0, 0};
  weft_ppl_program *program = nullptr;
  Status status(weft_ppl_open(&options, &program));
  EXPECT_THAT(messageOf(status),
              StartsWith("no target 'bm9999'; there are bm1684x"));
  EXPECT_EQ(program, nullptr);
  for (weft_compiler_status *made :
       {weft_ppl_open(&options, nullptr), weft_ppl_finish(nullptr, nullptr),
        weft_ppl_run(nullptr, nullptr), weft_ppl_find_faults(nullptr, nullptr),
        weft_ppl_bmodel(nullptr, nullptr, nullptr),
        weft_ppl_program_profile(nullptr, nullptr),
        weft_ppl_text(nullptr, WEFT_PPL_COMMANDS, nullptr),
        weft_convert(nullptr, nullptr, nullptr, nullptr),
        weft_calibrate_open(nullptr, nullptr, nullptr),
        weft_calibrate_input(nullptr, 0, nullptr),
        weft_calibrate_add(nullptr, nullptr),
        weft_calibrate_table(nullptr, nullptr),
        weft_calibrate_warnings(nullptr, nullptr),
        weft_calibrate_choose(nullptr, nullptr, nullptr, nullptr),
        weft_calibrate_measure(nullptr, nullptr, 0, nullptr)}) {
    status.reset(made);
    EXPECT_NE(weft_compiler_status_code(status.get()), 0);
    EXPECT_THAT(messageOf(status), testing::Not(testing::IsEmpty()));
  }
  EXPECT_EQ(weft_ppl_check(nullptr), nullptr);
  EXPECT_EQ(weft_ppl_program_recorder(nullptr), nullptr);
  EXPECT_STREQ(weft_compiler_status_message(nullptr), "");
  weft_compiler_status_free(nullptr);
  weft_ppl_close(nullptr);
  weft_calibrate_close(nullptr);
  EXPECT_EQ(weft_calibrate_input_count(nullptr), 0u);
}

TEST(CompilerApi, CalibratesSampleBySample) {
  weft_calibration *opened = nullptr;
  Status status(weft_calibrate_open("missing.onnx", nullptr, &opened));
  EXPECT_THAT(messageOf(status), HasSubstr("missing.onnx"));
  EXPECT_EQ(opened, nullptr);
  status.reset(weft_calibrate_open(TINY_ONNX, nullptr, &opened));
  ASSERT_EQ(status, nullptr) << messageOf(status);
  const char *text = nullptr;
  status.reset(weft_calibrate_table(opened, &text));
  EXPECT_THAT(messageOf(status), StartsWith("no samples"));
  ASSERT_EQ(weft_calibrate_input_count(opened), 1u);
  weft_calibrate_input_facts facts = {};
  status.reset(weft_calibrate_input(opened, 0, &facts));
  EXPECT_NE(status, nullptr) << "struct_bytes is 0";
  facts.struct_bytes = sizeof(facts);
  status.reset(weft_calibrate_input(opened, 0, &facts));
  EXPECT_STREQ(facts.name, "x");
  EXPECT_EQ(facts.type, 1); // FLOAT
  ASSERT_EQ(facts.bytes, 3u * 16 * 16 * 4);
  std::vector<float> sample(facts.bytes / 4, 0.5f);
  sample[7] = -2;
  const void *data[] = {sample.data()}, *nothing[] = {nullptr};
  status.reset(weft_calibrate_add(opened, nothing));
  EXPECT_THAT(messageOf(status), HasSubstr("'x' is NULL"));
  for (int i = 0; i < 2; ++i) {
    status.reset(weft_calibrate_add(opened, data));
    EXPECT_EQ(status, nullptr) << messageOf(status);
  }
  status.reset(weft_calibrate_table(opened, &text));
  EXPECT_THAT(text, HasSubstr("# samples: 2\n"));
  EXPECT_THAT(text, HasSubstr("\nx 2 -2 0.5"));
  weft_calibrate_close(opened);
}

TEST(CompilerApi, ChoosesPrecisions) {
  weft_calibrate_options options = {};
  options.struct_bytes = sizeof(options);
  weft_calibration *opened = nullptr;
  Status status(weft_calibrate_open(TINY_ONNX, &options, &opened));
  ASSERT_EQ(status, nullptr) << messageOf(status);
  const char *table = nullptr, *report = nullptr;
  status.reset(weft_calibrate_warnings(opened, &table));
  EXPECT_THAT(messageOf(status),
              HasSubstr("weft_calibrate_table() comes first"));
  status.reset(weft_calibrate_choose(opened, nullptr, &table, &report));
  EXPECT_THAT(messageOf(status), StartsWith("no samples are kept"));
  weft_calibrate_close(opened);

  options.search_samples = 2;
  status.reset(weft_calibrate_open(TINY_ONNX, &options, &opened));
  ASSERT_EQ(status, nullptr) << messageOf(status);
  std::vector<float> sample(3 * 16 * 16);
  for (int round = 0; round < 20; ++round) {
    for (size_t i = 0; i < sample.size(); ++i)
      sample[i] = float((i * 37 + size_t(round) * 11) % 101) / 50 - 1;
    const void *data[] = {sample.data()};
    status.reset(weft_calibrate_add(opened, data));
    ASSERT_EQ(status, nullptr) << messageOf(status);
  }
  weft_choose_options wanted = {};
  wanted.struct_bytes = sizeof(wanted);
  wanted.target_sqnr = 199;
  status.reset(weft_calibrate_choose(opened, &wanted, &table, &report));
  ASSERT_EQ(status, nullptr) << messageOf(status);
  EXPECT_EQ(table, nullptr);
  EXPECT_THAT(report, HasSubstr("no mix of int8 and f16 products"));
  wanted.target_sqnr = 10;
  int calls = 0;
  wanted.context = &calls;
  wanted.progress = [](void *context, size_t, size_t) {
    ++*static_cast<int *>(context);
  };
  status.reset(weft_calibrate_choose(opened, &wanted, &table, &report));
  ASSERT_EQ(status, nullptr) << messageOf(status);
  EXPECT_THAT(table, HasSubstr("ops:"));
  EXPECT_THAT(report, HasSubstr("\"miss\":\"\""));
  EXPECT_GE(calls, 2);
  wanted.score = [](void *, const void *, size_t, double *) { return 1; };
  status.reset(weft_calibrate_choose(opened, &wanted, &table, &report));
  EXPECT_THAT(messageOf(status), HasSubstr("a search has one goal"));
  wanted.target_sqnr = 0;
  status.reset(weft_calibrate_choose(opened, &wanted, &table, &report));
  EXPECT_EQ(messageOf(status), "the score failed");
  weft_calibrate_close(opened);

  void *bytes = nullptr;
  size_t size = 0;
  weft_convert_options convert = {};
  convert.struct_bytes = sizeof(convert);
  convert.precision = "auto";
  status.reset(weft_convert(TINY_ONNX, &convert, &bytes, &size));
  EXPECT_THAT(messageOf(status), HasSubstr("weft_calibrate_choose()"));
}

TEST(CompilerApi, MeasuresAProgramOnKeptSamples) {
  weft_calibrate_options options = {};
  options.struct_bytes = sizeof(options);
  options.search_samples = 2;
  options.keep_only = 1;
  weft_calibration *opened = nullptr;
  Status status(weft_calibrate_open(TINY_ONNX, &options, &opened));
  ASSERT_EQ(status, nullptr) << messageOf(status);
  void *bytes = nullptr;
  size_t size = 0;
  status.reset(weft_convert(TINY_ONNX, nullptr, &bytes, &size));
  ASSERT_EQ(status, nullptr) << messageOf(status);
  const char *text = nullptr;
  status.reset(weft_calibrate_measure(opened, bytes, size, &text));
  EXPECT_THAT(messageOf(status), StartsWith("no samples are kept"));
  std::vector<float> sample(3 * 16 * 16, 0.5f);
  const void *data[] = {sample.data()};
  for (int i = 0; i < 3; ++i) {
    status.reset(weft_calibrate_add(opened, data));
    ASSERT_EQ(status, nullptr) << messageOf(status);
  }
  status.reset(weft_calibrate_measure(opened, bytes, size, &text));
  ASSERT_EQ(status, nullptr) << messageOf(status);
  EXPECT_THAT(text, StartsWith("{\"samples\":2,\"accuracy\":[{\"name\":\"y\""));
  EXPECT_THAT(text, HasSubstr("\"warnings\":[]"));
  status.reset(weft_calibrate_measure(opened, "no bmodel", 9, &text));
  EXPECT_THAT(messageOf(status), HasSubstr("the bmodel"));
  for (weft_compiler_status *made :
       {weft_calibrate_table(opened, &text),
        weft_calibrate_choose(opened, nullptr, &text, &text)}) {
    status.reset(made);
    EXPECT_THAT(messageOf(status), StartsWith("no ranges are collected"));
  }
  weft_compiler_free(bytes);
  weft_calibrate_close(opened);
}

TEST(CompilerApi, ConvertReportsWhatIsWrong) {
  void *bytes = nullptr;
  size_t size = 0;
  Status status(weft_convert("missing.onnx", nullptr, &bytes, &size));
  EXPECT_THAT(messageOf(status), HasSubstr("missing.onnx"));
  const char *shapes[] = {"x=1xax3"};
  weft_convert_options options = {};
  options.struct_bytes = sizeof(options);
  options.shapes = shapes;
  options.shape_count = 1;
  status.reset(weft_convert("missing.onnx", &options, &bytes, &size));
  EXPECT_THAT(messageOf(status), HasSubstr("x=1xax3"));
  options.shape_count = 0;
  options.precision = "f16";
  options.group_size = 32;
  status.reset(weft_convert(TINY_ONNX, &options, &bytes, &size));
  EXPECT_THAT(messageOf(status),
              HasSubstr("group_size is for precision w8f16 and w4f16"));
  options.precision = "w8f16";
  options.group_size = 48;
  status.reset(weft_convert(TINY_ONNX, &options, &bytes, &size));
  EXPECT_THAT(messageOf(status), HasSubstr("group-size is 48, must be"));
  options.group_size = 0;
  options.keep_int8 = 1;
  status.reset(weft_convert(TINY_ONNX, &options, &bytes, &size));
  EXPECT_THAT(messageOf(status), HasSubstr("keep_int8 is for precision int8"));
}

TEST(CompilerApi, OptionsMayEndBeforeTheNewestOnes) {
  weft_convert_options options = {};
  options.struct_bytes = offsetof(weft_convert_options, keep_int8);
  options.precision = "f16";
  options.keep_int8 = 1; // behind its end
  void *bytes = nullptr;
  size_t size = 0;
  Status status(weft_convert(TINY_ONNX, &options, &bytes, &size));
  ASSERT_EQ(status, nullptr) << messageOf(status);
  weft_compiler_free(bytes);
}

namespace {
struct Bytes {
  void *bytes = nullptr;
  size_t size = 0;
  ~Bytes() { weft_compiler_free(bytes); }
};
} // namespace

TEST(CompilerApi, ConvertTakesPartsBatchesAndConstants) {
  weft_convert_options options = {};
  options.struct_bytes = sizeof(options);
  Bytes whole, bound;
  Status status(weft_convert(TINY_ONNX, &options, &whole.bytes, &whole.size));
  ASSERT_EQ(status, nullptr) << messageOf(status);
  auto says = [&] {
    Bytes made;
    status.reset(weft_convert(TINY_ONNX, &options, &made.bytes, &made.size));
    return messageOf(status);
  };
  const char *unknown[] = {"nothing"};
  options.outputs = unknown;
  options.output_count = 1;
  EXPECT_THAT(says(), HasSubstr("nothing"));
  options.output_count = 0;
  options.batch = "many";
  EXPECT_THAT(says(), HasSubstr("many"));
  options.batch = "2";
  EXPECT_THAT(says(), testing::IsEmpty());
  options.batch = nullptr;
  options.level = "7";
  EXPECT_EQ(says(), "level is '7', must be 0, 1, 2 or 3");
  options.level = nullptr;

  std::vector<int64_t> shape = {1, 3, 16, 16};
  std::vector<float> data(3 * 16 * 16, 0.5f);
  weft_constant constant = {"x", 1, shape.size(), shape.data(), data.data()};
  options.constants = &constant;
  options.constant_count = 1;
  status.reset(weft_convert(TINY_ONNX, &options, &bound.bytes, &bound.size));
  EXPECT_EQ(status, nullptr) << messageOf(status);
  EXPECT_NE(bound.size, whole.size);
  constant.name = "other";
  EXPECT_THAT(says(), HasSubstr("other"));
  constant = {"x", 8, shape.size(), shape.data(), data.data()}; // STRING
  EXPECT_THAT(says(), HasSubstr("constant 'x': ONNX's type 8"));
  constant = {"x", 1, shape.size(), shape.data(), nullptr};
  EXPECT_THAT(says(), HasSubstr("constant 'x': its data is NULL"));
  shape[0] = -1;
  EXPECT_THAT(says(), HasSubstr("constant 'x': its sizes are negative"));
  constant.name = nullptr;
  EXPECT_THAT(says(), HasSubstr("a constant has no name"));
}
