//===- HostFuzz.cpp - any bytes as a program of the host ------------------===//
//
// What parses must come back from its bytes; what the check accepts must run
// inside its memory, or fail with a status.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Program.h"

#include <cstddef>
#include <cstdint>

using namespace weft;
using namespace weft::host;

static constexpr uint64_t kBase = 0x100000000, kBytes = 4096;

/// Programs that make more are parsed and checked, not run: allocating is not
/// the subject.
static bool isSmall(const ProgramState &state) {
  int64_t elements = 0;
  for (const auto &[id, type] : state.values) {
    int64_t largest = *numeric::elementCount(type.largest);
    if (largest > 1 << 16)
      return false;
    elements += largest;
  }
  return elements < 1 << 20;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  rt::Result<Program> program = parseProgram(bytes, size);
  if (!program)
    return 0;
  std::vector<uint8_t> again = serialize(*program);
  if (again.size() != size)
    __builtin_trap();
  StageView stage;
  stage.inputs = {staticResult(ElementType::F32, {2, 3}),
                  staticResult(ElementType::I64, {4})};
  stage.outputs = {{ElementType::F32, {kUnknownSize}, {8}},
                   staticResult(ElementType::F32, {2, 3})};
  stage.mayRead = stage.mayWrite = [](const Place &place) {
    return place.address >= kBase && place.bytes() <= kBytes &&
           place.address - kBase <= kBytes - place.bytes();
  };
  ProgramState state;
  if (!checkProgram(*program, stage, state) || !isSmall(state))
    return 0;
  std::vector<uint8_t> dram(kBytes);
  std::vector<HostTensor> inputs = {HostTensor(ElementType::F32, {2, 3}),
                                    HostTensor(ElementType::I64, {4})};
  std::vector<HostTensor> outputs(2);
  RunContext context;
  context.read = context.write = [&](const Place &place) {
    return dram.data() + (place.address - kBase);
  };
  context.inputs = &inputs;
  context.outputs = &outputs;
  (void)runProgram(*program, context).isOk();
  return 0;
}
