#include "runtime/device/EmulatorDevice.h"
#include "runtime/device/Session.h"
#include "tests/unit/runtime/bmodel/SmallModel.h"
#include "tools/npz/Npz.h"

#include <chrono>
#include <gtest/gtest.h>
#include <thread>

using namespace weft;
using namespace weft::rt;

namespace {

/// Files whose every command the conv + relu net needs; the larger ones are run
/// by the oracle tests through the program.
class TinyFile : public testing::TestWithParam<const char *> {};

TEST_P(TinyFile, GivesTheRecordedBytes) {
  std::string base =
      std::string(WEFT_TEST_DATA "/vendor-bmodels/tiny_") + GetParam();
  Result<Bmodel> model = Bmodel::load(base + ".bmodel");
  ASSERT_TRUE(model.isOk()) << model.status().message();
  Result<npz::Reader> in =
      npz::Reader::open(WEFT_TEST_DATA "/vendor-bmodels/tiny_input.npz");
  Result<npz::Reader> wanted = npz::Reader::open(base + "_output.npz");
  ASSERT_TRUE(in.isOk() && wanted.isOk());
  Result<numeric::HostTensor> x = in->read("x");
  ASSERT_TRUE(x.isOk());
  Result<Session> session = Session::open({}, *model, model->nets()[0], 0);
  ASSERT_TRUE(session.isOk()) << session.status().message();
  for (int pass = 0; pass < 2; ++pass) {
    Result<std::vector<numeric::HostTensor>> outputs =
        session->run({{x->type(), x->bytes()}});
    ASSERT_TRUE(outputs.isOk()) << outputs.status().message();
    EXPECT_EQ((*outputs)[0], *wanted->read(session->stage().outputs[0].name));
  }
}

INSTANTIATE_TEST_SUITE_P(Vendor, TinyFile,
                         testing::Values("f32", "F16", "BF16", "INT8", "i8asym",
                                         "io_alone", "io_reloc"),
                         [](const auto &info) {
                           return std::string(info.param);
                         });

/// A real net, so that commands are large enough to be shared.
TEST(EmulatorDevice, ResultsDoNotDependOnTheThreads) {
  for (const char *file : {"ppocr_cls_F32", "ppocr_cls_F16", "rich_BF16",
                           "ppocr_cls_INT8", "rich_INT8asym"}) {
    Result<Bmodel> model = Bmodel::load(
        std::string(WEFT_TEST_DATA "/vendor-bmodels/") + file + ".bmodel");
    ASSERT_TRUE(model.isOk()) << model.status().message();
    const StageSpec &stage = model->nets()[0].stages[0];
    std::vector<std::vector<uint8_t>> inputs, first;
    for (const TensorSpec &tensor : stage.inputs) {
      inputs.emplace_back(tensor.storedBytes);
      for (size_t i = 0; i < inputs.back().size(); ++i) // small numbers
        inputs.back()[i] = uint8_t(i % 4 == 3 ? 0x3e + i % 2 : i * 37);
    }
    for (unsigned threads : {1, 2, 5}) {
      auto device = EmulatorDevice::open(*model, model->nets()[0], 0, threads);
      ASSERT_TRUE(device.isOk()) << device.status().message();
      for (int pass = 0; pass < 2; ++pass) {
        std::vector<std::vector<uint8_t>> outputs;
        std::vector<ByteSpan> in;
        std::vector<MutableBytes> out;
        for (const std::vector<uint8_t> &input : inputs)
          in.push_back({input.data(), input.size()});
        for (const TensorSpec &tensor : stage.outputs)
          outputs.emplace_back(tensor.storedBytes);
        for (std::vector<uint8_t> &output : outputs)
          out.push_back({output.data(), output.size()});
        ASSERT_TRUE((*device)->run(in, out).isOk());
        EXPECT_GT((*device)->launchSeconds(), 0);
        if (first.empty())
          first = outputs;
        EXPECT_EQ(outputs, first) << file << " on " << threads << " threads";
      }
    }
  }
}

TEST(EmulatorDevice, CountsTrafficOfTheSmallModel) {
  Result<Bmodel> model = Bmodel::load(packModel(makeSmallModel()), "small");
  ASSERT_TRUE(model.isOk());
  Result<std::unique_ptr<EmulatorDevice>> device =
      EmulatorDevice::open(*model, model->nets()[0], 0);
  ASSERT_TRUE(device.isOk()) << device.status().message();
  std::vector<uint8_t> x(64), y(64);
  for (size_t i = 0; i < 64; ++i)
    x[i] = uint8_t(i);
  ASSERT_TRUE((*device)->run({{x.data(), 64}}, {{y.data(), 64}}).isOk());
  EXPECT_EQ(x, y);
  EXPECT_EQ((*device)->stats().dramReadBytes, 64u);
  EXPECT_EQ((*device)->stats().dramWriteBytes, 64u);
  EXPECT_EQ((*device)->stats().gdmaCommands, 2u);
  EXPECT_NE((*device)->dram(0x100000000, 64), nullptr); // weights
  EXPECT_EQ((*device)->dram(0x100000000, 65), nullptr);
}

/// Damage that loads must run or fail cleanly.
TEST(EmulatorDevice, DamagedCommandsNeverCrash) {
  std::vector<uint8_t> original =
      readFile(WEFT_TEST_DATA "/vendor-bmodels/tiny_f32.bmodel");
  ASSERT_FALSE(original.empty());
  uint64_t state = 88172645463325252u;
  size_t loaded = 0;
  for (int trial = 0; trial < 600; ++trial) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    std::vector<uint8_t> bytes = original;
    Result<Bmodel> good = Bmodel::load(original, "good");
    const GroupSpec &group = good->nets()[0].stages[0].groups[0];
    ByteSpan stream = trial % 2 ? group.tiu : group.gdma;
    size_t at = size_t(stream.data - good->fileBytes().data) +
                (state >> 8) % (stream.size / 2);
    bytes[at] ^= uint8_t(1u << (state & 7));
    Result<Bmodel> model = Bmodel::load(std::move(bytes), "damaged");
    if (!model)
      continue;
    ++loaded;
    Result<Session> session = Session::open({}, *model, model->nets()[0], 0);
    ASSERT_TRUE(session.isOk());
    std::vector<float> x(768, 1.0f);
    Result<std::vector<numeric::HostTensor>> outputs =
        session->run({{numeric::ElementType::F32,
                       reinterpret_cast<const uint8_t *>(x.data())}});
    EXPECT_NE(outputs.isOk(), !outputs.status().message().empty());
  }
  EXPECT_GT(loaded, 100u);
}

} // namespace

//===----------------------------------------------------------------------===//
// The end of long runs
//===----------------------------------------------------------------------===//

namespace {

/// Fills local memory for minutes, group after group of the same bytes.
Bmodel makeLongModel() {
  SmallModel model = makeSmallModel();
  using isa::Field;
  for (Field one : {Field::stride_enable, Field::src_nsize, Field::dst_wstride})
    model.set(one, 1);
  model.set(Field::src_csize, 64);
  model.set(Field::src_hsize, 512);
  model.set(Field::src_wsize, 128);
  model.set(Field::dst_hstride, 128);
  model.set(Field::dst_start_addr_l32, 0x8000000);
  model.set(Field::dst_start_addr_h8, 0);
  model.repeatGroup(50000);
  Result<Bmodel> loaded = Bmodel::load(packModel(model), "long");
  EXPECT_TRUE(loaded.isOk()) << loaded.status().message();
  return *loaded;
}

double secondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
      .count();
}

// A loaded machine may take some time to notice; the run itself takes minutes.
constexpr double kSoon = 10;

} // namespace

TEST(EmulatorDevice, EndsAtTheTimeLimit) {
  Bmodel model = makeLongModel();
  DeviceOptions options;
  options.timeLimitSeconds = 0.2;
  Result<Session> session = Session::open(options, model, model.nets()[0], 0);
  ASSERT_TRUE(session.isOk()) << session.status().message();
  std::vector<int64_t> x(16);
  for (int pass = 0; pass < 2; ++pass) {
    auto begin = std::chrono::steady_clock::now();
    auto outputs = session->run(
        {{numeric::ElementType::I64, reinterpret_cast<uint8_t *>(x.data())}});
    EXPECT_LT(secondsSince(begin), kSoon);
    ASSERT_FALSE(outputs.isOk());
    EXPECT_EQ(outputs.status().code(), Code::Timeout);
    EXPECT_NE(outputs.status().message().find("gdma command 1 (dma.tensor"),
              std::string::npos)
        << outputs.status().message();
    EXPECT_NE(outputs.status().message().find(
                  "the run did not end within the time limit of 0.2 s"),
              std::string::npos);
  }
}

TEST(EmulatorDevice, EndsWhenAnotherThreadCancels) {
  Bmodel model = makeLongModel();
  Result<Session> session = Session::open({}, model, model.nets()[0], 0);
  ASSERT_TRUE(session.isOk()) << session.status().message();
  std::vector<int64_t> x(16);
  InputElements input{numeric::ElementType::I64,
                      reinterpret_cast<uint8_t *>(x.data())};
  auto begin = std::chrono::steady_clock::now();
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    session->device().setCancelled(true);
  });
  auto outputs = session->run({input});
  other.join();
  EXPECT_LT(secondsSince(begin), kSoon);
  ASSERT_FALSE(outputs.isOk());
  EXPECT_EQ(outputs.status().code(), Code::Cancelled);
  // Stays so until it is taken back.
  EXPECT_EQ(session->run({input}).status().code(), Code::Cancelled);
}
