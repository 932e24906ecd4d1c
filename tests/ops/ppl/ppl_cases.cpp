//===- ppl_cases.cpp - random calls on emulator, vendor and interpreter --===//
//
// For every function of the catalog that has commands on BM1684X: draws random
// legal calls, runs them as one program on our emulator, on the vendor's
// runtime (unless --no-bmrt) and in the interpreter, and compares every byte of
// every written tensor. Prints one JSON object a function, one a line.
//
//   ppl_cases [--cases 200] [--seed 1] [--no-bmrt] [FUNCTION ..]
//
// Exit code 1 if a function that has commands differs or too few legal calls
// could be drawn, 2 for wrong use.
//
//===----------------------------------------------------------------------===//

#include "dialects/ppl/Function.h"
#include "frontend/ppl/TensorChecks.h"
#include "runtime/chips/Chips.h"
#include "runtime/ppl/Commands.h"
#include "tests/ops/ppl/Samplers.h"
#include "tools/driver/KernelProgram.h"

#include <cstdio>
#include <cstring>
#include <map>
#include <set>

using namespace weft;
using namespace weft::cases;
using namespace weft::catalog;

namespace {
struct Flags {
  size_t cases = 200;
  uint64_t seed = 1;
  bool bmrt = true;
  std::vector<std::string> functions;
};

/// What came of one function.
struct Outcome {
  size_t drawn = 0, rejected = 0;
  std::string problem;
  bool isEqualToInterpreter = false, isEqualToVendor = false;
};
} // namespace

/// The values of Operation::accumulator among those of a case.
static constexpr std::string_view kAccumulator = "accumulator";

//===----------------------------------------------------------------------===//
// Drawing
//===----------------------------------------------------------------------===//

/// Gives every tensor an address of its own, so that the rules about overlap
/// see them apart.
static void setDistinctAddresses(Call &call) {
  uint64_t next = 1;
  for (Argument &argument : call.arguments)
    if (argument.isTensor())
      argument.tensor.address = next++ << 40;
}

static bool isSmall(const Call &call) {
  uint64_t bytes = 0;
  for (const Argument &argument : call.arguments)
    if (argument.isTensor()) {
      if (argument.tensor.elements() > 200000 ||
          bitsOf(argument.tensor.type) < 8)
        return false;
      bytes += extentBytes(argument.tensor, *call.chip);
    }
  return bytes < call.chip->laneBytes / 2;
}

static std::vector<Case> drawCases(const Operation &operation, const Chip &chip,
                                   const Flags &flags, Outcome &outcome) {
  uint64_t seed = flags.seed;
  for (char c : operation.name)
    seed = seed * 131 + uint8_t(c);
  Numbers numbers(seed);
  Sample sample = samplerOf(operation);
  std::vector<Case> cases;
  constexpr size_t kMostTries = 400;
  while (cases.size() < flags.cases &&
         outcome.rejected < kMostTries * flags.cases) {
    Case drawn;
    drawn.call.operation = &operation;
    drawn.call.chip = &chip;
    sample(numbers, drawn);
    drawn.call.arguments.resize(operation.slots.size());
    Call placed = drawn.call;
    setDistinctAddresses(placed);
    // Kernels are refused numbers that functions have a meaning for.
    if (!problemOf(placed).empty() || !isSmall(drawn.call) ||
        !frontend::numberProblem(drawn.call).empty()) {
      ++outcome.rejected;
      continue;
    }
    for (const Slot &slot : operation.slots) {
      const Tensor *tensor = drawn.call.tensor(slot.name);
      if (!tensor || drawn.values.count(slot.name))
        continue;
      double low = isFloat(tensor->type) ? -4 : double(INT32_MIN),
             high = isFloat(tensor->type) ? 4 : double(INT32_MAX);
      drawn.values.emplace(
          slot.name, contents(numbers, tensor->type, tensor->shape, low, high));
    }
    if (operation.accumulator)
      if (std::optional<Tensor> tensor = operation.accumulator(drawn.call))
        drawn.values.try_emplace(
            kAccumulator,
            contents(numbers, tensor->type, tensor->shape,
                     isFloat(tensor->type) ? -4 : double(INT32_MIN),
                     isFloat(tensor->type) ? 4 : double(INT32_MAX)));
    cases.push_back(std::move(drawn));
  }
  outcome.drawn = cases.size();
  return cases;
}

//===----------------------------------------------------------------------===//
// Recording
//===----------------------------------------------------------------------===//

namespace {
/// Records the calls: each tensor is loaded from the input piece, used, and,
/// if it is written, stored to the output piece.
class CaseRecorder {
public:
  CaseRecorder(const weft_ppl_recorder &table, uint8_t *input, uint8_t *output)
      : table(table), input(input), output(output) {}

  void record(const Case &drawn);
  static uint64_t bytesOfInputs(const std::vector<Case> &cases);
  static uint64_t bytesOfOutputs(const std::vector<Case> &cases);

private:
  int64_t global(DataType type, const Dims &shape, uint8_t *place) {
    return table.make_tensor(table.self, WEFT_PPL_GLOBAL, int32_t(type),
                             shape.data(), 0, nullptr,
                             reinterpret_cast<uintptr_t>(place), at);
  }
  int64_t local(const Tensor &tensor, const Chip &chip);
  /// The tensor with a type that the DMA engine carries.
  int64_t carried(int64_t id, const Tensor &tensor);
  int64_t loaded(const Tensor &tensor, const Dense &values, const Chip &chip);
  int64_t globalView(const Tensor &tensor, uint8_t *place);
  void move(const char *name, int64_t dst, int64_t src) {
    weft_ppl_argument arguments[2] = {};
    arguments[0].kind = arguments[1].kind = WEFT_PPL_TENSOR;
    arguments[0].integer = dst;
    arguments[1].integer = src;
    table.call(table.self, name, arguments, 2, at);
  }

  const weft_ppl_recorder &table;
  uint8_t *input, *output;
  uint64_t inputAt = 0, outputAt = 0;
  weft_ppl_line at = {"case", 0};
};
} // namespace

static uint64_t roomOf(const Dense &values) {
  return (values.bytes.size() + 63) / 64 * 64;
}

/// A global tensor takes all bytes of its strides.
static uint64_t roomOf(const Tensor &tensor, const Chip &chip) {
  uint64_t bytes = tensor.memory == Memory::Global
                       ? extentBytes(tensor, chip)
                       : uint64_t(tensor.elements()) * bytesOf(tensor.type);
  return (bytes + 63) / 64 * 64;
}

uint64_t CaseRecorder::bytesOfInputs(const std::vector<Case> &cases) {
  uint64_t bytes = 64;
  for (const Case &drawn : cases)
    for (const auto &[slot, values] : drawn.values) {
      const Tensor *tensor = drawn.call.tensor(slot);
      bytes += std::max(roomOf(values),
                        tensor ? roomOf(*tensor, *drawn.call.chip) : 0);
    }
  return bytes;
}

uint64_t CaseRecorder::bytesOfOutputs(const std::vector<Case> &cases) {
  uint64_t bytes = 64;
  for (const Case &drawn : cases)
    for (const Slot &slot : drawn.call.operation->slots)
      if (const Tensor *tensor = drawn.call.tensor(slot.name);
          tensor && slot.access != Access::Read)
        bytes += roomOf(*tensor, *drawn.call.chip);
  return bytes;
}

int64_t CaseRecorder::local(const Tensor &tensor, const Chip &chip) {
  Dims whole = tensor.shape;
  whole[1] += tensor.lane;
  int32_t layout = int32_t(tensor.layout);
  int64_t id;
  if (tensor.layout == AlignMode::Free) {
    // Room for the strides, then the view of it.
    int64_t rows = (whole[1] + chip.lanes - 1) / chip.lanes;
    const Dims &s = tensor.strides;
    int64_t extent = (whole[0] - 1) * s[0] + (rows - 1) * s[1] +
                     (whole[2] - 1) * s[2] + (whole[3] - 1) * s[3] + 1;
    Dims room = {1, int64_t(chip.lanes), (extent + 4095) / 4096,
                 extent < 4096 ? extent : 4096};
    id = table.make_tensor(table.self, WEFT_PPL_LOCAL, int32_t(tensor.type),
                           room.data(), 1, nullptr, WEFT_PPL_NO_ADDRESS, at);
    id = table.view(table.self, id, int32_t(tensor.type), whole.data(), 4,
                    s.data(), at);
  } else {
    id = table.make_tensor(table.self, WEFT_PPL_LOCAL, int32_t(tensor.type),
                           whole.data(), layout, nullptr, WEFT_PPL_NO_ADDRESS,
                           at);
  }
  if (tensor.lane == 0)
    return id;
  Dims offset = {0, int64_t(tensor.lane), 0, 0};
  return table.sub_view(table.self, id, tensor.shape.data(), offset.data(), at);
}

/// Of the same width.
static DataType carriedType(DataType type) {
  switch (type) {
  case DataType::Fp8e5m2:
  case DataType::Fp8e4m3:
    return DataType::Uint8;
  case DataType::Tf32:
    return DataType::Uint32;
  default:
    return type;
  }
}

int64_t CaseRecorder::carried(int64_t id, const Tensor &tensor) {
  DataType type = carriedType(tensor.type);
  if (type == tensor.type)
    return id;
  bool isFree = tensor.layout == AlignMode::Free;
  return table.view(table.self, id, int32_t(type), tensor.shape.data(),
                    isFree ? 4 : -1, isFree ? tensor.strides.data() : nullptr,
                    at);
}

int64_t CaseRecorder::globalView(const Tensor &tensor, uint8_t *place) {
  if (tensor.layout != AlignMode::Free)
    return global(tensor.type, tensor.shape, place);
  return table.make_tensor(table.self, WEFT_PPL_GLOBAL, int32_t(tensor.type),
                           tensor.shape.data(), 4, tensor.strides.data(),
                           reinterpret_cast<uintptr_t>(place), at);
}

int64_t CaseRecorder::loaded(const Tensor &tensor, const Dense &values,
                             const Chip &chip) {
  std::memcpy(input + inputAt, values.bytes.data(), values.bytes.size());
  int64_t id = local(tensor, chip);
  // A source that repeats itself (stride 0) is loaded once.
  move("dma.load", carried(id, tensor),
       global(carriedType(tensor.type), tensor.shape, input + inputAt));
  inputAt += roomOf(values);
  return id;
}

void CaseRecorder::record(const Case &drawn) {
  const Operation &operation = *drawn.call.operation;
  std::vector<weft_ppl_argument> arguments(operation.slots.size());
  struct Written {
    int64_t local;
    const Tensor *tensor;
  };
  std::vector<Written> written;
  std::optional<Tensor> wide;
  if (operation.accumulator)
    wide = operation.accumulator(drawn.call);
  for (size_t i = 0; i < operation.slots.size(); ++i) {
    const Slot &slot = operation.slots[i];
    const Argument &argument = drawn.call.arguments[i];
    weft_ppl_argument &given = arguments[i];
    given.kind = int32_t(argument.kind);
    given.integer = argument.integer;
    given.real = argument.real;
    given.integers = argument.integers.data();
    given.count = int32_t(argument.integers.size());
    if (!argument.isTensor())
      continue;
    given.kind = WEFT_PPL_TENSOR;
    const Tensor &tensor = argument.tensor;
    const Dense &values = drawn.values.at(slot.name);
    bool isWritten = slot.access != Access::Read;
    if (tensor.memory == Memory::Local) {
      int64_t id =
          loaded(wide && isWritten ? *wide : tensor,
                 wide && isWritten ? drawn.values.at(kAccumulator) : values,
                 *drawn.call.chip);
      if (wide && isWritten) // the result takes the place of the sums
        id = table.view(table.self, id, int32_t(tensor.type),
                        tensor.shape.data(), int32_t(tensor.layout), nullptr,
                        at);
      given.integer = id;
      if (isWritten)
        written.push_back({id, &tensor});
    } else if (isWritten) {
      given.integer = globalView(tensor, output + outputAt);
      outputAt += roomOf(tensor, *drawn.call.chip);
    } else {
      // Contents through the strides.
      Tensor placed = tensor;
      placed.address = drawn.call.chip->globalMemoryBase;
      Machine machine(*drawn.call.chip, roomOf(tensor, *drawn.call.chip));
      (void)write(placed, values, machine);
      std::memcpy(input + inputAt, machine.global.data(),
                  machine.global.size());
      given.integer = globalView(tensor, input + inputAt);
      inputAt += machine.global.size();
    }
  }
  table.call(table.self, operation.name.data(), arguments.data(),
             arguments.size(), at);
  for (const Written &result : written) {
    int64_t place = global(carriedType(result.tensor->type),
                           result.tensor->shape, output + outputAt);
    move("dma.store", place, carried(result.local, *result.tensor));
    outputAt += roomOf(*result.tensor, *drawn.call.chip);
  }
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Runs the cases; fills `outcome`.
static void runCases(const std::vector<Case> &cases, const Chip &chip,
                     const Flags &flags, Outcome &outcome) {
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  driver::KernelProgram program(stream);
  uint64_t outputBytes = CaseRecorder::bytesOfOutputs(cases);
  uint64_t outputStart = 0;
  bool isRecorded = mlir::succeeded(
      program.record(chip, "cases", [&](const weft_ppl_recorder &table) {
        weft_ppl_line at = {"case", 0};
        auto take = [&](uint64_t bytes, const char *name) {
          int64_t shape[4] = {1, 1, 1, int64_t(bytes)};
          return static_cast<uint8_t *>(table.allocate(
              table.self, int32_t(DataType::Uint8), shape, name, at));
        };
        uint8_t *input = take(CaseRecorder::bytesOfInputs(cases), "in");
        uint8_t *output = take(outputBytes, "out");
        if (!input || !output)
          return;
        outputStart = uint64_t(output - input);
        // Not zeros: what a call must leave alone must be seen to stay.
        Numbers noise(flags.seed);
        for (uint64_t i = 0; i < outputBytes; ++i)
          output[i] = uint8_t(noise.next());
        CaseRecorder recorder(table, input, output);
        for (const Case &drawn : cases)
          recorder.record(drawn);
      }));
  auto fail = [&](std::string why) {
    outcome.problem = std::move(why);
    if (!errors.empty())
      outcome.problem += ": " + errors.substr(0, errors.find('\n'));
  };
  if (!isRecorded)
    return fail("recording failed");
  auto bytes = program.bmodel(/*serial=*/true);
  if (mlir::failed(bytes))
    return fail("no bmodel");
  auto meaning = program.interpret();
  if (!meaning)
    return fail("interpreter: " + meaning.status().message());
  auto own = program.run(*bytes, {});
  if (!own)
    return fail("emulator: " + own.status().message());
  auto firstDifference = [&](const driver::MemoryImage &a,
                             const driver::MemoryImage &b) -> int64_t {
    for (uint64_t i = outputStart; i < outputStart + outputBytes; ++i)
      if (a[i] != b[i])
        return int64_t(i - outputStart);
    return -1;
  };
  int64_t difference = firstDifference(*own, *meaning);
  outcome.isEqualToInterpreter = difference < 0;
  if (difference >= 0)
    outcome.problem = "emulator and interpreter differ at output byte " +
                      std::to_string(difference);
  if (!flags.bmrt)
    return;
  rt::DeviceOptions device;
  device.kind = rt::DeviceOptions::Kind::Bmrt;
  auto vendor = program.run(*bytes, device);
  if (!vendor)
    return fail("libbmrt: " + vendor.status().message());
  difference = firstDifference(*own, *vendor);
  outcome.isEqualToVendor = difference < 0;
  if (difference >= 0)
    outcome.problem += " emulator and libbmrt differ at output byte " +
                       std::to_string(difference);
}

/// Which case of a program owns an output byte, for the message.
static std::string caseText(const Case &drawn);

/// Narrows a failure down to the first single case that shows it.
static std::string firstBadCase(const std::vector<Case> &cases,
                                const Chip &chip, const Flags &flags) {
  for (size_t i = 0; i < cases.size(); ++i) {
    Outcome outcome;
    runCases({cases[i]}, chip, flags, outcome);
    if (!outcome.problem.empty())
      return "case " + std::to_string(i) + " (" + caseText(cases[i]) +
             "): " + outcome.problem;
  }
  return {};
}

static std::string caseText(const Case &drawn) {
  std::string text;
  for (size_t i = 0; i < drawn.call.arguments.size(); ++i) {
    const Argument &argument = drawn.call.arguments[i];
    if (argument.kind == Argument::Kind::None)
      continue;
    text += (text.empty() ? "" : ", ") +
            std::string(drawn.call.operation->slots[i].name) + " ";
    if (argument.isTensor()) {
      const Tensor &t = argument.tensor;
      for (int64_t size : t.shape)
        text += std::to_string(size) + "x";
      text += std::string(spelling(t.type)) + " " +
              std::string(spelling(t.memory)) + " " +
              std::string(spelling(t.layout));
      if (t.lane)
        text += " lane " + std::to_string(t.lane);
    } else if (argument.kind == Argument::Kind::Integers) {
      for (int64_t value : argument.integers)
        text += std::to_string(value) + " ";
    } else {
      text += std::to_string(argument.number());
    }
  }
  return text;
}

static std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (char c : text)
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (uint8_t(c) >= 32)
      out += c;
  return out + "\"";
}

/// "native" if some call is one command (others may need a copy to other lanes
/// first), else "sequence".
static std::string_view stateOf(const std::vector<Case> &cases) {
  constexpr size_t kLooks = 12;
  for (size_t i = 0; i < cases.size() && i < kLooks; ++i)
    if (auto list = catalog::commandsOf(cases[i].call);
        list && list->steps.size() <= 1)
      return "native";
  return "sequence";
}

/// The element types of operands in the first calls, which every measurement
/// runs: {"dst": ["fp16"]}.
static std::string typesOf(const std::vector<Case> &cases) {
  constexpr size_t kFirst = 40;
  std::map<std::string, std::set<std::string>> typesOfSlot;
  for (size_t i = 0; i < cases.size() && i < kFirst; ++i) {
    const Call &call = cases[i].call;
    for (size_t slot = 0; slot < call.arguments.size(); ++slot)
      if (call.arguments[slot].isTensor())
        typesOfSlot[std::string(call.operation->slots[slot].name)].insert(
            quoted(std::string(spelling(call.arguments[slot].tensor.type))));
  }
  std::string text;
  for (const auto &[slot, types] : typesOfSlot) {
    std::string list;
    for (const std::string &type : types)
      list += (list.empty() ? "" : ", ") + type;
    text += (text.empty() ? "" : ", ") + quoted(slot) + ": [" + list + "]";
  }
  return "{" + text + "}";
}

static bool runFunction(const Operation &operation, const Chip &chip,
                        const Flags &flags) {
  Outcome outcome;
  std::vector<Case> cases = drawCases(operation, chip, flags, outcome);
  if (cases.size() < flags.cases)
    outcome.problem = "only " + std::to_string(cases.size()) +
                      " legal calls in " + std::to_string(outcome.rejected) +
                      " tries";
  else
    runCases(cases, chip, flags, outcome);
  std::string_view state = "broken";
  if (outcome.problem.empty()) {
    state = stateOf(cases);
  } else if (cases.size() == flags.cases && cases.size() > 1) {
    std::string narrowed = firstBadCase(cases, chip, flags);
    if (!narrowed.empty())
      outcome.problem = narrowed;
  }
  std::printf("{\"name\": \"ppl.%s\", \"state\": \"%s\", \"cases\": %zu, "
              "\"vendor\": %s, \"chip\": \"%s\", \"types\": %s, \"problem\": "
              "%s}\n",
              std::string(operation.name).c_str(), std::string(state).c_str(),
              outcome.drawn, flags.bmrt ? "true" : "false",
              std::string(chip.targetName).c_str(), typesOf(cases).c_str(),
              quoted(outcome.problem).c_str());
  std::fflush(stdout);
  return outcome.problem.empty();
}

int main(int argc, char **argv) {
  Flags flags;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    if (word == "--no-bmrt")
      flags.bmrt = false;
    else if (word == "--cases" && i + 1 < argc)
      flags.cases = std::strtoul(argv[++i], nullptr, 10);
    else if (word == "--seed" && i + 1 < argc)
      flags.seed = std::strtoull(argv[++i], nullptr, 10);
    else if (word.rfind("--", 0) == 0 || !catalog::find(word)) {
      std::fprintf(stderr, "ppl_cases: unknown option or function '%s'\n",
                   word.c_str());
      return 2;
    } else
      flags.functions.push_back(word);
  }
  const Chip &chip = *chips::all[0];
  bool isFine = true;
  for (const Operation &operation : operations()) {
    bool isChosen = flags.functions.empty() ||
                    std::find(flags.functions.begin(), flags.functions.end(),
                              operation.name) != flags.functions.end();
    if (isChosen && catalog::hasCommands(operation) && operation.existsOn(chip))
      isFine &= runFunction(operation, chip, flags);
  }
  return isFine ? 0 : 1;
}
