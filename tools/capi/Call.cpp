//===- Call.cpp - single calls of functions of the catalog ----------------===//

#include "runtime/ascend/Call.h"
#include "runtime/chips/Chips.h"
#include "runtime/zhouyi/Execute.h"
#include "tools/capi/Status.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace weft;
using namespace weft::catalog;
using capi::guarded;
using capi::toC;
using rt::Code;
using rt::Result;
using rt::Status;

namespace {
/// What a call needs besides the catalog's view of it: the bytes of vectors
/// and memories, one a slot.
struct Given {
  Call call;
  std::vector<weft_argument> arguments; ///< as many as slots

  const weft_argument *find(std::string_view slot) const {
    int index = call.operation->slotIndex(slot);
    return index < 0 ? nullptr : &arguments[size_t(index)];
  }
};
} // namespace

static Status refuse(std::string message) {
  return rt::fail(Code::InvalidArgument, std::move(message));
}

/// The element type of an argument, which comes as a number from outside.
static Result<VectorType> typeOf(const Slot &slot, const weft_argument &from) {
  std::optional<DataType> type = dataTypeOf(from.type);
  if (!type)
    return refuse(std::string(slot.name) + " has the type number " +
                  std::to_string(from.type) +
                  "; weft_ppl_types() lists those that exist");
  if (from.lanes < 1 || from.lanes > zhouyi::kMaxLanes)
    return refuse(std::string(slot.name) + " has " +
                  std::to_string(from.lanes) + " lanes, must be 1 to " +
                  std::to_string(zhouyi::kMaxLanes));
  return VectorType{*type, unsigned(from.lanes)};
}

static Status readMask(const Slot &slot, const weft_argument &from,
                       Argument &to) {
  to.kind = Argument::Kind::Mask;
  if (from.text) {
    to.text = from.text;
    to.vector.lanes = 0;
    return {};
  }
  if (from.lanes > zhouyi::kMaxLanes)
    return refuse(std::string(slot.name) + " has " +
                  std::to_string(from.lanes) + " lanes, must be at most " +
                  std::to_string(zhouyi::kMaxLanes));
  to.vector.lanes = unsigned(from.lanes);
  if (!from.bytes && from.lanes == 0)
    return refuse(std::string(slot.name) +
                  " has no lanes; give `bytes` or `text`");
  if (!from.bytes)
    return {};
  if (from.size < from.lanes)
    return refuse(std::string(slot.name) + " points at " +
                  std::to_string(from.size) + " bytes, must be at least " +
                  std::to_string(from.lanes) + ", one a lane");
  const auto *lanes = static_cast<const uint8_t *>(from.bytes);
  for (uint64_t i = 0; i < from.lanes; ++i)
    to.lanes.push_back(lanes[i] != 0);
  if (to.lanes.empty())
    to.lanes.push_back(0); // a list of no lanes is completed like others
  return {};
}

/// Memory is a pointer, or a row of all elements from the address on.
static Status readMemory(const Slot &slot, const weft_argument &from,
                         Argument &to) {
  std::optional<DataType> type = dataTypeOf(from.type);
  if (!type)
    return refuse(std::string(slot.name) + " has the type number " +
                  std::to_string(from.type) +
                  "; weft_ppl_types() lists those that exist");
  if (from.offset > from.size || from.size > uint64_t(INT64_MAX))
    return refuse(std::string(slot.name) + " points at byte " +
                  std::to_string(from.offset) + " of " +
                  std::to_string(from.size));
  to.vector.type = *type;
  if (slot.kind != SlotKind::Tensor) {
    to.kind = Argument::Kind::Pointer;
    return {};
  }
  int64_t elements = int64_t((from.size - from.offset) / bytesOf(*type));
  to.kind = Argument::Kind::Tensor;
  to.tensor.type = *type;
  for (Memory memory : {Memory::Global, Memory::L1})
    if (slot.memories >> unsigned(memory) & 1)
      to.tensor.memory = memory;
  to.tensor.layout = AlignMode::Continuous;
  to.tensor.shape = {1, 1, 1, elements};
  to.tensor.strides = {elements, elements, elements, 1};
  to.tensor.address = from.offset;
  return {};
}

/// Bounds: nothing is read of what an argument points at but a mask's lanes.
static Status readArgument(const Slot &slot, const weft_argument &from,
                           Argument &to) {
  switch (from.kind) {
  case WEFT_ARGUMENT_NONE:
    return {};
  case WEFT_ARGUMENT_INTEGER:
    to.kind = Argument::Kind::Integer;
    to.integer = from.integer;
    return {};
  case WEFT_ARGUMENT_FLOAT:
    to.kind = Argument::Kind::Float;
    to.real = from.real;
    return {};
  case WEFT_ARGUMENT_VECTOR: {
    Result<VectorType> type = typeOf(slot, from);
    if (!type)
      return type.status();
    to.kind = Argument::Kind::Vector;
    to.vector = *type;
    return {};
  }
  case WEFT_ARGUMENT_MASK:
    return readMask(slot, from, to);
  case WEFT_ARGUMENT_MEMORY:
    return readMemory(slot, from, to);
  }
  return refuse(std::string(slot.name) + " has the kind " +
                std::to_string(from.kind) + ", which is no weft_argument_kind");
}

/// The chip whose rules hold: the first target of a set.
static const Chip *chipOf(Language language) {
  switch (language) {
  case Language::Zhouyi:
    return chips::vectorTargets[0];
  case Language::Ascend:
    return chips::cubeTargets[0];
  case Language::Ppl:
    break;
  }
  return nullptr;
}

static Result<Given> readCall(const weft_call &from) {
  Given given;
  for (Language language : languages())
    if (from.set && spelling(language) == from.set)
      given.call.chip = chipOf(language);
  if (!given.call.chip)
    return refuse(
        "the set is " +
        (from.set ? "'" + std::string(from.set) + "'" : std::string("NULL")) +
        "; single calls are of zhouyi or ascend");
  for (Language language : languages())
    if (spelling(language) == from.set && from.function)
      given.call.operation = find(from.function, language);
  if (!given.call.operation)
    return refuse(std::string(from.set) + " has no function '" +
                  (from.function ? from.function : "") +
                  "'; weft_catalog() lists them");
  const Operation &operation = *given.call.operation;
  if (from.argument_count > operation.slots.size() ||
      (from.argument_count && !from.arguments) ||
      from.argument_bytes < sizeof(size_t))
    return refuse(std::string(operation.name) + ": there must be at most " +
                  std::to_string(operation.slots.size()) +
                  " arguments, and argument_bytes must be "
                  "sizeof(weft_argument)");
  given.arguments.resize(operation.slots.size());
  given.call.arguments.resize(operation.slots.size());
  const auto *bytes = reinterpret_cast<const uint8_t *>(from.arguments);
  size_t known = std::min(from.argument_bytes, sizeof(weft_argument));
  for (size_t i = 0; i < from.argument_count; ++i) {
    std::memcpy(&given.arguments[i], bytes + i * from.argument_bytes, known);
    if (Status status = readArgument(operation.slots[i], given.arguments[i],
                                     given.call.arguments[i]);
        !status.isOk())
      return refuse(std::string(operation.name) + ": " + status.message());
  }
  return given;
}

/// Room for a caller, who frees it.
static void *copied(const void *bytes, size_t size) {
  void *room = std::malloc(size ? size : 1);
  if (!room)
    throw std::bad_alloc();
  std::memcpy(room, bytes, size);
  return room;
}

/// The register that an argument stands for. Its bytes must be there.
static Result<zhouyi::Lanes> registerOf(const Given &given,
                                        const zhouyi::KernelOperand &operand) {
  const weft_argument &from = given.arguments[operand.slotIndex];
  bool isMemory = operand.origin == zhouyi::Origin::Memory;
  zhouyi::Lanes lanes(
      isMemory ? operand.type : given.call.arguments[operand.slotIndex].vector);
  size_t offset = isMemory ? size_t(from.offset) : 0;
  size_t there = from.bytes ? from.size - offset : 0;
  if (there < lanes.bytes.size())
    return refuse(std::string(operand.slot) + " points at " +
                  std::to_string(there) + " bytes, must be at least " +
                  std::to_string(lanes.bytes.size()));
  std::memcpy(lanes.bytes.data(),
              static_cast<const uint8_t *>(from.bytes) + offset,
              lanes.bytes.size());
  if (!from.defined || isMemory)
    return lanes;
  size_t width = bytesOf(lanes.type.type);
  for (unsigned lane = 0; lane < lanes.type.lanes; ++lane) {
    lanes.defined.push_back(from.defined[lane] != 0);
    if (!lanes.defined[lane]) // of which nothing is known
      std::memset(lanes.bytes.data() + lane * width, 0, width);
  }
  return lanes;
}

static uint8_t *memoryOf(const weft_argument &from) {
  return static_cast<uint8_t *>(from.bytes) + from.offset;
}

/// Runs a legal move. `isInverse`: what it has moved goes back.
static Status runMove(const Given &given, bool isInverse) {
  auto memory = [&](std::string_view slot) -> ascend::Memory {
    const weft_argument *from = given.find(slot);
    if (!from || !from->bytes)
      return {};
    return {static_cast<uint8_t *>(from->bytes), int64_t(from->size)};
  };
  ascend::Memory l1 = memory("dst"), global = memory("src");
  if (!l1.bytes || !global.bytes)
    return refuse("dst and src must point at memory; give `bytes`");
  ascend::Nd2Nz move = ascend::moveOf(given.call);
  return isInverse ? ascend::inverse(move, l1, global)
                   : ascend::run(move, l1, global);
}

/// Runs a legal call on vectors.
static Status runVectors(const Given &given, weft_call_result &result) {
  zhouyi::Kernel kernel(given.call);
  std::vector<zhouyi::Lanes> registers;
  registers.reserve(kernel.operands().size()); // pointers to them are kept
  std::vector<const zhouyi::Lanes *> operands;
  uint8_t *memory = nullptr;
  for (const zhouyi::KernelOperand &operand : kernel.operands()) {
    operands.push_back(nullptr);
    if (operand.origin == zhouyi::Origin::Absent ||
        operand.origin == zhouyi::Origin::Constant)
      continue;
    Result<zhouyi::Lanes> lanes = registerOf(given, operand);
    if (!lanes)
      return lanes.status();
    registers.push_back(std::move(*lanes));
    operands.back() = &registers.back();
    if (operand.origin == zhouyi::Origin::Memory)
      memory = memoryOf(given.arguments[operand.slotIndex]);
  }
  if (kernel.takesMask())
    return refuse("mask has no lanes; give `bytes` or `text`");
  Result<zhouyi::Lanes> made = zhouyi::execute(kernel, operands, nullptr);
  if (!made)
    return made.status();
  if (!kernel.hasResult()) {
    std::memcpy(memory, made->bytes.data(), made->bytes.size());
    return {};
  }
  if (made->defined.empty())
    made->defined.assign(made->type.lanes, 1);
  result.defined =
      static_cast<uint8_t *>(copied(made->defined.data(), made->type.lanes));
  result.size = made->bytes.size();
  result.bytes = copied(made->bytes.data(), result.size);
  return {};
}

static Status callFunction(const weft_call &from, weft_call_result &result) {
  Result<Given> given = readCall(from);
  if (!given)
    return given.status();
  const Operation &operation = *given->call.operation;
  std::string name(operation.name);
  if (std::string problem = problemOf(given->call); !problem.empty())
    return refuse(name + ": " + problem);
  if (operation.warning)
    if (std::string text = operation.warning(given->call); !text.empty())
      result.warning =
          static_cast<char *>(copied(text.c_str(), text.size() + 1));
  if (operation.result) {
    VectorType type = operation.result(given->call);
    result.type = int32_t(type.type);
    result.lanes = type.lanes;
  }
  if (from.mode == WEFT_CALL_CHECK)
    return {};
  bool inverse = from.mode == WEFT_CALL_INVERSE;
  if (inverse && operation.language != Language::Ascend)
    return refuse(name + ": has no inverse; moves of ascend have one");
  Status status = operation.language == Language::Ascend
                      ? runMove(*given, inverse)
                      : runVectors(*given, result);
  return status.isOk()
             ? status
             : rt::fail(status.code(), name + ": " + status.message());
}

weft_compiler_status *weft_catalog_call(const weft_call *call,
                                        weft_call_result *result) {
  return guarded([&]() -> weft_compiler_status * {
    weft_call full;
    if (!call || !result || !capi::copyKnown(call, full) ||
        result->struct_bytes < sizeof(size_t))
      return toC(refuse("call and result must not be NULL, their struct_bytes "
                        "must be sizeof(weft_call) and "
                        "sizeof(weft_call_result)"));
    weft_call_result made = {};
    made.struct_bytes = result->struct_bytes;
    Status status = callFunction(full, made);
    std::memcpy(result, &made, std::min(made.struct_bytes, sizeof made));
    return toC(std::move(status));
  });
}

void weft_catalog_result_free(weft_call_result *result) {
  if (!result)
    return;
  std::free(result->bytes);
  std::free(result->defined);
  std::free(result->warning);
  result->bytes = nullptr;
  result->defined = nullptr;
  result->warning = nullptr;
}
