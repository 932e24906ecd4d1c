//===- ProgramFuzz.cpp - any bytes as a program of vector operations ------===//
//
// Loading must refuse or accept; what it accepts can be listed and written
// again, and must run, or fail with a status. Nothing may crash, hang or touch
// memory outside.
//
//===----------------------------------------------------------------------===//

#include "runtime/zhouyi/Disassemble.h"
#include "runtime/zhouyi/Session.h"

#include <cstddef>
#include <cstdint>

using namespace weft;

/// Programs that claim more are loaded but not run: allocating and waiting are
/// not the subject.
static constexpr uint64_t kMaxRunBytes = uint64_t(16) << 20;
static constexpr uint64_t kMaxRunSteps = 100000;

static volatile uint64_t sink;

static void run(zhouyi::Program program) {
  rt::Result<zhouyi::Session> session =
      zhouyi::Session::open(std::make_shared<zhouyi::Program>(program));
  if (!session || session->machine().instructionsPerRun() > kMaxRunSteps)
    return;
  std::vector<std::vector<uint8_t>> content;
  std::vector<rt::InputElements> inputs;
  for (const rt::TensorSpec &tensor : session->inputs()) {
    content.emplace_back(tensor.bytes(), uint8_t(0x5a));
    inputs.push_back({tensor.type, content.back().data()});
  }
  std::vector<rt::CapturedValue> layers;
  for (int round = 0; round < 2; ++round)
    (void)session->run(inputs, &layers);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  rt::Result<zhouyi::ProgramFile> file =
      zhouyi::parseProgramFile({bytes, size});
  if (!file)
    return 0;
  uint64_t sum = 0;
  (void)zhouyi::list(file->program, [&](const std::string &line) {
    sum += line.size();
    return rt::Status::ok();
  });
  rt::Result<std::vector<uint8_t>> again =
      zhouyi::serialize(file->program, "fuzz");
  // What was accepted once is accepted again.
  if (!again ||
      !zhouyi::parseProgramFile({again->data(), again->size()}).isOk())
    __builtin_trap();
  sink = sum;
  uint64_t values = 0;
  for (const zhouyi::Buffer &buffer : file->program.buffers)
    if (buffer.value)
      values += buffer.value->bytes();
  if (zhouyi::memoryBytes(file->program) + values <= kMaxRunBytes)
    run(std::move(file->program));
  return 0;
}
