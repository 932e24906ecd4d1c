//===- BmodelFuzz.cpp - any bytes as a bmodel -----------------------------===//
//
// Loading must refuse or accept; what it accepts must run, or fail with a
// status. Nothing may crash, hang or read outside the file.
//
//===----------------------------------------------------------------------===//

#include "runtime/device/Session.h"
#include "tests/fuzz/EachStage.h"

#include <cstddef>
#include <cstdint>

using namespace weft;

/// Nets that claim more are loaded but not run: allocating is not the subject.
static constexpr uint64_t kMaxRunBytes = uint64_t(64) << 20;

static bool isSmall(const rt::StageSpec &stage) {
  uint64_t bytes = stage.activations.bytes + stage.io.bytes;
  for (const rt::TensorSpec &tensor : stage.inputs)
    bytes += tensor.bytes() + tensor.storedBytes;
  for (const rt::TensorSpec &tensor : stage.outputs)
    bytes += tensor.bytes() + tensor.storedBytes;
  return bytes <= kMaxRunBytes;
}

static void runStage(const rt::Bmodel &model, const rt::NetSpec &net,
                     size_t index) {
  rt::DeviceOptions options;
  rt::Result<rt::Session> session =
      rt::Session::open(options, model, net, index);
  if (!session)
    return;
  std::vector<std::vector<uint8_t>> zeros;
  std::vector<rt::InputElements> inputs;
  for (const rt::TensorSpec &tensor : net.stages[index].inputs) {
    zeros.emplace_back(tensor.bytes());
    inputs.push_back({tensor.type, zeros.back().data()});
  }
  (void)session->run(inputs);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  eachStage(bytes, size,
            [](const rt::Bmodel &model, const rt::NetSpec &net, size_t index) {
              if (isSmall(net.stages[index]))
                runStage(model, net, index);
            });
  return 0;
}
