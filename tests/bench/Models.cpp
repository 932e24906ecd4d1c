/// Launches of whole models: our emulator against libbmrt on the vendor's.
#include "tests/bench/Ratios.h"

#include "runtime/device/BmrtDevice.h"
#include "runtime/device/EmulatorDevice.h"
#include "runtime/numeric/Float16.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>

namespace weft::bench {
namespace {

/// Normally distributed numbers for float inputs, any bytes for integers.
std::vector<uint8_t> inputOf(const rt::TensorSpec &tensor, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<uint8_t> bytes(tensor.storedBytes);
  auto put = [&](auto number) {
    size_t size = sizeof(number(0.0f));
    for (size_t i = 0; i + size <= bytes.size(); i += size) {
      auto value = number(normal(random));
      std::memcpy(bytes.data() + i, &value, size);
    }
  };
  switch (tensor.storedType) {
  case numeric::ElementType::F32:
    put([](float x) { return x; });
    break;
  case numeric::ElementType::F16:
    put([](float x) { return numeric::floatToHalf(x); });
    break;
  case numeric::ElementType::BF16:
    put([](float x) { return numeric::floatToBf16(x); });
    break;
  default:
    for (uint8_t &byte : bytes)
      byte = uint8_t(random());
    break;
  }
  return bytes;
}

/// One model with both devices, which are opened when they are first used and
/// outlive all repetitions.
struct ModelPair {
  std::string file;
  std::unique_ptr<rt::Bmodel> model;
  std::unique_ptr<rt::Device> ours, vendors;
  std::vector<std::vector<uint8_t>> inputs, ourOutputs, vendorOutputs;

  /// Of one pair at a time the devices are open: their memories are large.
  void becomeCurrent() {
    static ModelPair *current = nullptr;
    if (current && current != this) {
      current->ours.reset();
      current->vendors.reset();
    }
    current = this;
  }

  const rt::StageSpec &stage() const { return model->nets()[0].stages[0]; }

  rt::Status load() {
    if (model)
      return rt::Status::ok();
    rt::Result<rt::Bmodel> loaded = rt::Bmodel::load(file);
    if (!loaded)
      return loaded.status();
    model = std::make_unique<rt::Bmodel>(*std::move(loaded));
    for (const rt::TensorSpec &tensor : stage().inputs)
      inputs.push_back(inputOf(tensor, unsigned(inputs.size()) + 1));
    for (const rt::TensorSpec &tensor : stage().outputs) {
      ourOutputs.emplace_back(tensor.storedBytes);
      vendorOutputs.emplace_back(tensor.storedBytes);
    }
    return rt::Status::ok();
  }

  rt::Status openOurs() {
    WEFT_TRY(load());
    auto device = rt::EmulatorDevice::open(*model, model->nets()[0], 0);
    if (!device)
      return device.status();
    ours = *std::move(device);
    return rt::Status::ok();
  }

  rt::Status openVendors() {
    WEFT_TRY(load());
    rt::BmrtOptions options;
    const char *library = std::getenv("WEFT_BMRT_LIB");
    options.library = library ? library : WEFT_TPU_MLIR_DIR "/lib/libbmrt.so";
    options.timeLimitSeconds = 3600;
    auto device = rt::BmrtDevice::open(options, *model, model->nets()[0], 0);
    if (!device)
      return device.status();
    vendors = *std::move(device);
    return rt::Status::ok();
  }

  Measured launch(rt::Device &device, std::vector<std::vector<uint8_t>> &to) {
    std::vector<rt::ByteSpan> in;
    std::vector<rt::MutableBytes> out;
    for (const std::vector<uint8_t> &input : inputs)
      in.push_back({input.data(), input.size()});
    for (std::vector<uint8_t> &output : to)
      out.push_back({output.data(), output.size()});
    if (rt::Status status = device.run(in, out); !status)
      return {0, status.message()};
    return {device.launchSeconds(), ""};
  }

  Measured launchOurs() {
    becomeCurrent();
    if (!ours)
      if (rt::Status status = openOurs(); !status)
        return {0, status.message()};
    return launch(*ours, ourOutputs);
  }

  /// A ratio for different results would mean nothing.
  Measured launchVendors() {
    if (!vendors)
      if (rt::Status status = openVendors(); !status)
        return {0, status.message()};
    Measured measured = launch(*vendors, vendorOutputs);
    if (measured.error.empty() && vendorOutputs != ourOutputs)
      measured.error = "the outputs of the two emulators differ";
    return measured;
  }
};

} // namespace

void addModels(const std::vector<std::string> &files,
               const Settings &settings) {
  for (const std::string &file : files) {
    auto pair = std::make_shared<ModelPair>();
    pair->file = file;
    size_t slash = file.rfind('/');
    std::string name =
        slash == std::string::npos ? file : file.substr(slash + 1);
    addPair(
        "model/" + name, settings, [pair] { return pair->launchOurs(); },
        [pair] { return pair->launchVendors(); });
  }
}

} // namespace weft::bench
