#include "runtime/zhouyi/Machine.h"
#include "runtime/status/Stop.h"
#include "runtime/zhouyi/Steps.h"
#include "runtime/zhouyi/kernels/Kernels.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

using namespace weft;
using namespace weft::zhouyi;
using rt::Code;
using rt::failf;
using rt::Result;
using rt::Status;

namespace {
struct FreeMemory {
  void operator()(uint8_t *bytes) const { std::free(bytes); }
};
} // namespace

struct Machine::State {
  std::shared_ptr<const Program> program;
  StepList list;
  std::unique_ptr<uint8_t, FreeMemory> memory;
  std::vector<uint8_t> registerBytes;
  std::vector<Register> registers;
  /// Results that cannot be written in place, and what is undefined in them.
  std::vector<uint8_t> room, roomDefined;
  bool isFresh = true; ///< the memory is still zero where it must be
  std::array<int64_t, kMaxDepth> index = {};

  void makeRegisters();
  void bind(const Step &step);
  void clear();
  Status run(uint32_t begin, uint32_t end);

private:
  int64_t sumOf(const Place &place) const {
    int64_t sum = place.base;
    const Term *term = list.terms.data() + place.firstTerm;
    for (uint32_t i = 0; i < place.termCount; ++i)
      sum += index[term[i].loop] * term[i].step;
    return sum;
  }
  const uint8_t *maskOf(const Step &step) const {
    return step.mask == kNoRegister ? nullptr : registers[step.mask].bytes;
  }
  // Those that can fail: false with `failure` set.
  bool load(const Step &step);
  bool store(const Step &step);
  bool apply(const Step &step);
  bool host(const Step &step);
  bool fail(Status status) {
    failure = std::move(status);
    return false;
  }
  void splat(const Step &step);
  void tailMask(const Step &step);
  void reinterpret(const Step &step);
  void cast(const Step &step);
  void copy(const Step &step);

  Status failure;
};

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

/// Whether all lanes, active or not, lie in the buffer. `at` is lane 0's byte.
static bool isInside(const Step &step, int64_t at) {
  int64_t span = step.stride * int64_t(step.lanes - 1);
  return at + std::min<int64_t>(span, 0) >= step.place.low &&
         at + std::max<int64_t>(span, 0) + step.elementBytes <= step.place.high;
}

/// The first active lane outside of the buffer, or -1.
static int64_t laneOutside(const Step &step, int64_t at, const uint8_t *mask) {
  for (uint32_t lane = 0; lane < step.lanes; ++lane, at += step.stride)
    if (mask[lane] &&
        (at < step.place.low || at + step.elementBytes > step.place.high))
      return lane;
  return -1;
}

static Status outsideProblem(const Step &step, int64_t at, int64_t lane) {
  int64_t byte = at + lane * step.stride - step.place.low;
  return failf(Code::BadFile,
               "active lane %lld touches byte %lld of a buffer of %lld; mask "
               "the lanes outside",
               static_cast<long long>(lane), static_cast<long long>(byte),
               static_cast<long long>(step.place.high - step.place.low));
}

template <typename T>
static void gatherLanes(const uint8_t *memory, int64_t at, int64_t stride,
                        uint32_t lanes, const uint8_t *mask, uint8_t *out) {
  for (uint32_t lane = 0; lane < lanes; ++lane, at += stride) {
    T value = 0;
    if (!mask || mask[lane])
      std::memcpy(&value, memory + at, sizeof(T));
    std::memcpy(out + lane * sizeof(T), &value, sizeof(T));
  }
}

template <typename T>
static void scatterLanes(const uint8_t *values, uint32_t lanes,
                         const uint8_t *mask, uint8_t *memory, int64_t at,
                         int64_t stride) {
  for (uint32_t lane = 0; lane < lanes; ++lane, at += stride)
    if (!mask || mask[lane])
      std::memcpy(memory + at, values + lane * sizeof(T), sizeof(T));
}

bool Machine::State::load(const Step &step) {
  Register &result = registers[step.result];
  const uint8_t *mask = maskOf(step);
  int64_t at = sumOf(step.place);
  result.whole = true;
  // Without a mask the addresses were proved when the program was checked.
  if (mask && !isInside(step, at)) {
    if (int64_t lane = laneOutside(step, at, mask); lane >= 0)
      return fail(outsideProblem(step, at, lane));
  } else if (mask && step.stride == step.elementBytes) {
    blendLanes(step.elementBytes, step.lanes, mask, memory.get() + at, nullptr,
               result.bytes);
    return true;
  }
  switch (step.elementBytes) {
  case 1:
    gatherLanes<uint8_t>(memory.get(), at, step.stride, step.lanes, mask,
                         result.bytes);
    break;
  case 2:
    gatherLanes<uint16_t>(memory.get(), at, step.stride, step.lanes, mask,
                          result.bytes);
    break;
  default:
    gatherLanes<uint32_t>(memory.get(), at, step.stride, step.lanes, mask,
                          result.bytes);
    break;
  }
  return true;
}

bool Machine::State::store(const Step &step) {
  const Register &value = registers[step.source];
  const uint8_t *mask = maskOf(step);
  if (!value.whole)
    for (uint32_t lane = 0; lane < step.lanes; ++lane)
      if (!value.defined[lane] && (!mask || mask[lane]))
        return fail(failf(Code::BadFile,
                          "lane %u is stored but has no defined value; mask "
                          "it, or give the operation that made it an r",
                          lane));
  int64_t at = sumOf(step.place);
  if (mask && !isInside(step, at)) {
    if (int64_t lane = laneOutside(step, at, mask); lane >= 0)
      return fail(outsideProblem(step, at, lane));
  } else if (mask && step.stride == step.elementBytes) {
    uint8_t *to = memory.get() + at;
    blendLanes(step.elementBytes, step.lanes, mask, value.bytes, to, to);
    return true;
  }
  if (step.code == StepCode::Store) {
    std::memcpy(memory.get() + at, value.bytes, step.bytes);
    return true;
  }
  switch (step.elementBytes) {
  case 1:
    scatterLanes<uint8_t>(value.bytes, step.lanes, mask, memory.get(), at,
                          step.stride);
    break;
  case 2:
    scatterLanes<uint16_t>(value.bytes, step.lanes, mask, memory.get(), at,
                           step.stride);
    break;
  default:
    scatterLanes<uint32_t>(value.bytes, step.lanes, mask, memory.get(), at,
                           step.stride);
    break;
  }
  return true;
}

template <typename T>
static void fillLanes(const uint8_t *element, uint32_t lanes, uint8_t *out) {
  T value;
  std::memcpy(&value, element, sizeof(T));
  for (uint32_t lane = 0; lane < lanes; ++lane)
    std::memcpy(out + lane * sizeof(T), &value, sizeof(T));
}

void Machine::State::splat(const Step &step) {
  Register &result = registers[step.result];
  result.whole = true;
  const uint8_t *element = memory.get() + sumOf(step.place);
  if (step.elementBytes == 1)
    std::memset(result.bytes, *element, step.lanes);
  else if (step.elementBytes == 2)
    fillLanes<uint16_t>(element, step.lanes, result.bytes);
  else
    fillLanes<uint32_t>(element, step.lanes, result.bytes);
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

void Machine::State::tailMask(const Step &step) {
  Register &result = registers[step.result];
  int64_t left = step.limit - sumOf(step.place);
  auto active = uint32_t(std::clamp<int64_t>(left, 0, step.lanes));
  std::memset(result.bytes, 1, active);
  std::memset(result.bytes + active, 0, step.lanes - active);
}

void Machine::State::reinterpret(const Step &step) {
  const Register &source = registers[step.source];
  Register &result = registers[step.result];
  uint32_t sourceLaneBytes = step.bytes / program->registers[step.source].lanes;
  std::memmove(result.bytes, source.bytes, step.bytes);
  result.whole = source.whole;
  if (source.whole)
    return;
  // A wide lane takes bits from several narrow ones, or several from one.
  for (uint32_t lane = 0; lane < step.lanes; ++lane) {
    uint32_t first = lane * step.elementBytes;
    bool defined = true;
    for (uint32_t byte = first; byte < first + step.elementBytes; ++byte)
      defined &= source.defined[byte / sourceLaneBytes] != 0;
    roomDefined[lane] = defined;
    if (!defined) // undefined lanes are 0 in every register
      std::memset(result.bytes + first, 0, step.elementBytes);
  }
  std::memcpy(result.defined, roomDefined.data(), step.lanes);
}

void Machine::State::cast(const Step &step) {
  const Register &source = registers[step.source];
  Register &result = registers[step.result];
  if (step.result != step.source) {
    step.cast(source.bytes, result.bytes, step.lanes);
    if (!source.whole)
      std::memcpy(result.defined, source.defined, step.lanes);
  }
  result.whole = source.whole;
}

void Machine::State::copy(const Step &step) {
  const PreparedCopy &copy = list.copies[step.index];
  if (copy.isDirect) {
    for (const PreparedCopy::Move &move : copy.moves) {
      const Register &from = registers[move.source];
      Register &to = registers[move.result];
      std::memcpy(to.bytes, from.bytes, move.bytes);
      if (!from.whole)
        std::memcpy(to.defined, from.defined, move.lanes);
      to.whole = from.whole;
    }
    return;
  }
  // All are read before one is written.
  uint8_t *at = room.data();
  for (const PreparedCopy::Move &move : copy.moves) {
    const Register &from = registers[move.source];
    std::memcpy(at, from.bytes, move.bytes);
    std::memcpy(at + move.bytes, from.defined, move.lanes);
    at[move.bytes + move.lanes] = from.whole;
    at += move.bytes + move.lanes + 1;
  }
  at = room.data();
  for (const PreparedCopy::Move &move : copy.moves) {
    Register &to = registers[move.result];
    std::memcpy(to.bytes, at, move.bytes);
    std::memcpy(to.defined, at + move.bytes, move.lanes);
    to.whole = at[move.bytes + move.lanes] != 0;
    at += move.bytes + move.lanes + 1;
  }
}

//===----------------------------------------------------------------------===//
// Functions and the host
//===----------------------------------------------------------------------===//

/// Fills what stays the same: registers and constants keep their places.
void Machine::State::bind(const Step &step) {
  PreparedApply &one = list.applies[step.index];
  const std::vector<KernelOperand> &operands = one.kernel.operands();
  for (size_t i = 0; i < operands.size(); ++i)
    if (operands[i].origin == Origin::Constant)
      one.frame.sources[i].bytes = operands[i].constant.data();
  for (const PreparedApply::Input &input : one.vectors)
    one.frame.sources[input.source].bytes = registers[input.reg].bytes;
  for (size_t i = 0; i < one.scalars.size(); ++i)
    one.frame.sources[one.scalars[i].source].bytes = one.spread[i].data();
  one.frame.mask = one.mask == kNoRegister ? one.kernel.knownMask()
                                           : registers[one.mask].bytes;
  one.frame.defined = roomDefined.data();
  if (step.result != kNoRegister)
    one.frame.out = one.needsRoom ? room.data() : registers[step.result].bytes;
}

bool Machine::State::apply(const Step &step) {
  static const std::array<uint8_t, kMaxLanes> kNoLane = {};
  PreparedApply &one = list.applies[step.index];
  Frame &frame = one.frame;
  for (const PreparedApply::Input &input : one.vectors) {
    const Register &given = registers[input.reg];
    frame.sources[input.source].defined = given.whole ? nullptr : given.defined;
  }
  for (size_t i = 0; i < one.scalars.size(); ++i) {
    const PreparedApply::Input &input = one.scalars[i];
    const Register &scalar = registers[input.reg];
    one.kernel.spread(input.source, scalar.bytes, one.spread[i].data());
    frame.sources[input.source].defined =
        scalar.whole ? nullptr : kNoLane.data();
  }
  if (one.pointer) {
    frame.out = memory.get() + sumOf(one.memory);
    frame.sources[*one.pointer].bytes = frame.out;
  }
  Outcome outcome = one.kernel.run(frame);
  if (outcome == Outcome::Refused)
    return fail(rt::fail(Code::BadFile, one.kernel.refusal(frame)));
  if (step.result == kNoRegister)
    return true;
  Register &result = registers[step.result];
  if (one.needsRoom)
    std::memcpy(result.bytes, room.data(), step.bytes);
  result.whole = outcome == Outcome::Defined;
  if (!result.whole)
    std::memcpy(result.defined, roomDefined.data(), step.lanes);
  return true;
}

bool Machine::State::host(const Step &step) {
  host::RunContext context;
  context.read = [this](const host::Place &place) {
    return memory.get() + place.address;
  };
  context.write = [this](const host::Place &place) {
    return memory.get() + place.address;
  };
  Status status = host::runProgram(*list.hosts[step.index], context);
  return status.isOk() || fail(std::move(status));
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

/// Passes of loops after which it is asked whether to go on: a pass takes tens
/// of nanoseconds, and a few hundred instructions at most in practice.
static constexpr uint64_t kPassesBetweenStops = 256;

Status Machine::State::run(uint32_t begin, uint32_t end) {
  uint64_t passes = 0;
  for (uint32_t next = begin; next < end; ++next) {
    const Step &step = list.steps[next];
    bool isDone = true;
    switch (step.code) {
    case StepCode::LoopBegin:
      index[step.depth] = 0;
      break;
    case StepCode::LoopEnd:
      if (++passes % kPassesBetweenStops == 0 && rt::stopRequested())
        return rt::stopStatus().withContext(placeOf(*program, list, step));
      if (++index[step.depth] < int64_t(step.count))
        next = step.index; // the step behind LoopBegin comes next
      break;
    case StepCode::Load: {
      Register &result = registers[step.result];
      const uint8_t *from = memory.get() + sumOf(step.place);
      result.whole = true;
      if (step.bytes == kRegisterBytes) // a register of the machine
        std::memcpy(result.bytes, from, kRegisterBytes);
      else
        std::memcpy(result.bytes, from, step.bytes);
      break;
    }
    case StepCode::LoadSplat:
      splat(step);
      break;
    case StepCode::LoadLanes:
      isDone = load(step);
      break;
    case StepCode::Store:
    case StepCode::StoreLanes:
      isDone = store(step);
      break;
    case StepCode::TailMask:
      tailMask(step);
      break;
    case StepCode::Constant: {
      Register &result = registers[step.result];
      result.whole = true;
      std::memcpy(result.bytes, list.constants[step.index].data(), step.bytes);
      break;
    }
    case StepCode::Reinterpret:
      reinterpret(step);
      break;
    case StepCode::Cast:
      cast(step);
      break;
    case StepCode::Copy:
      copy(step);
      break;
    case StepCode::Apply:
      isDone = apply(step);
      break;
    case StepCode::Host:
      isDone = host(step);
      break;
    }
    if (!isDone)
      return failure.withContext(placeOf(*program, list, step));
  }
  return Status::ok();
}

void Machine::State::makeRegisters() {
  // Registers of whole 64-byte lines; their `defined` bytes follow them.
  auto lines = [](uint64_t bytes) { return (bytes + 63) / 64 * 64; };
  uint64_t total = 0, widest = 0;
  for (const RegisterType &type : program->registers) {
    total += lines(type.bytes()) + lines(type.lanes);
    widest = std::max(widest, type.bytes());
  }
  registerBytes.assign(total + 64, 0);
  void *start = registerBytes.data();
  size_t space = registerBytes.size();
  auto *at = static_cast<uint8_t *>(std::align(64, total, start, space));
  registers.clear();
  for (const RegisterType &type : program->registers) {
    Register &one = registers.emplace_back();
    one.bytes = at;
    one.defined = at + lines(type.bytes());
    at = one.defined + lines(type.lanes);
  }
  room.assign(std::max(widest, list.copyRoomBytes), 0);
  roomDefined.assign(kMaxLanes, 0);
}

void Machine::State::clear() {
  if (isFresh) {
    isFresh = false;
    return;
  }
  for (const Buffer &buffer : program->buffers)
    if (buffer.role == BufferRole::Scratch || buffer.role == BufferRole::Output)
      std::memset(memory.get() + buffer.address, 0, buffer.bytes);
}

Machine::Machine(std::unique_ptr<State> state) : state(std::move(state)) {}
Machine::Machine(Machine &&) noexcept = default;
Machine &Machine::operator=(Machine &&) noexcept = default;
Machine::~Machine() = default;

Result<Machine> Machine::make(std::shared_ptr<const Program> program) {
  WEFT_TRY(verify(*program));
  auto state = std::make_unique<State>();
  uint64_t bytes = memoryBytes(*program);
  // Zeroed, and pages that nothing touches take no memory.
  state->memory.reset(static_cast<uint8_t *>(std::calloc(bytes, 1)));
  if (!state->memory)
    return failf(Code::OutOfMemory,
                 "the program's memory of %llu bytes cannot be allocated",
                 static_cast<unsigned long long>(bytes));
  state->list = layOut(*program);
  for (const Buffer &buffer : program->buffers)
    if (buffer.role == BufferRole::Weight)
      std::memcpy(state->memory.get() + buffer.address, buffer.contents.data(),
                  buffer.bytes);
  state->program = std::move(program);
  state->makeRegisters();
  for (const Step &step : state->list.steps)
    if (step.code == StepCode::Apply)
      state->bind(step);
  return Machine(std::move(state));
}

const Program &Machine::program() const { return *state->program; }

uint8_t *Machine::memory(const Buffer &buffer) {
  return state->memory.get() + buffer.address;
}

uint64_t Machine::instructionsPerRun() const {
  return state->list.instructionsPerRun;
}

Status Machine::run(const AfterInstruction &after) {
  state->clear();
  const std::vector<uint32_t> &top = state->list.top;
  if (!after)
    return state->run(top.front(), top.back());
  for (size_t i = 0; i + 1 < top.size(); ++i) {
    WEFT_TRY(state->run(top[i], top[i + 1]));
    after(i);
  }
  return Status::ok();
}
