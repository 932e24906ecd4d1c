//===- HostFuzz.cpp - any bytes as a program of the host ------------------===//
//
// What parses must come back from its bytes; what the check accepts must run
// inside its memory, or fail with a status. Loops end when they are asked to.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Body.h"
#include "runtime/status/Stop.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

using namespace weft;
using namespace weft::host;

static constexpr uint64_t kBase = 0x100000000, kBytes = 4096;

/// Programs that make more are parsed and checked, not run: allocating is not
/// the subject.
class Size {
public:
  bool isSmall() const { return largest <= 1 << 16 && all < 1 << 20; }

  void add(const ResultType &type) {
    int64_t elements = *numeric::elementCount(type.largest); // checked
    largest = std::max(largest, elements);
    all += elements;
  }
  void add(const Program &program) {
    for (const Step &step : program.steps)
      if (const auto *load = std::get_if<LoadStep>(&step))
        add(staticResult(load->type, load->shape));
      else if (const auto *constant = std::get_if<ConstantStep>(&step))
        add(staticResult(constant->tensor.type(), constant->tensor.shape()));
      else if (const auto *call = std::get_if<CallStep>(&step))
        add(*call);
  }

private:
  void add(const CallStep &call) {
    for (const ResultType &type : call.types)
      add(type);
    auto bodies = bodiesOf(call.kernel, call.attributes);
    for (const NamedBody &body : *bodies) {
      if (parseBody(bodyTensor(body.body)).isOk() == false)
        __builtin_trap();
      add(body.body.program);
    }
  }

  int64_t largest = 0, all = 0;
};

static bool isSmall(const Program &program) {
  Size size;
  size.add(program);
  return size.isSmall();
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
  if (!checkProgram(*program, stage, state) || !isSmall(*program))
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
  rt::Stop stop;
  stop.begin(0.01); // of a loop without an end
  rt::StopScope scope(&stop);
  (void)runProgram(*program, context).isOk();
  return 0;
}
