//===- BufferVerifier.cpp - registers and buffers of legal programs -------===//

#include "runtime/status/Quote.h"
#include "runtime/zhouyi/Verifier.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace weft;
using namespace weft::zhouyi;
using rt::Code;
using rt::failf;
using rt::quoteName;
using rt::Status;

/// Of all registers together, with a byte a lane that says what is defined.
static constexpr uint64_t kMaxRegisterBytes = uint64_t(1) << 28;
uint64_t zhouyi::memoryBytes(const Program &program) {
  uint64_t end = 0;
  for (const Buffer &buffer : program.buffers)
    end = std::max(end, buffer.address + buffer.bytes);
  return end;
}

/// The element types that programs compute with.
static bool isElement(DataType type) {
  return catalog::kAnyElement.contains(type);
}

Status zhouyi::checkRegisters(const Program &program) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < program.registers.size(); ++i) {
    const RegisterType &type = program.registers[i];
    if (type.lanes < 1 || type.lanes > kMaxLanes)
      return failf(Code::BadFile, "register %zu has %u lanes, must be 1 to %u",
                   i, type.lanes, kMaxLanes);
    if (!type.isMask && !isElement(type.type))
      return failf(Code::BadFile, "register %zu is of %s, must be of %s", i,
                   std::string(spelling(type.type)).c_str(),
                   catalog::kAnyElement.text().c_str());
    bytes += type.bytes() + type.lanes;
  }
  if (bytes > kMaxRegisterBytes)
    return failf(Code::BadFile,
                 "the registers take %llu bytes, at most %llu are allowed; use "
                 "registers again",
                 ull(bytes), ull(kMaxRegisterBytes));
  return Status::ok();
}

static Status checkStrides(const Buffer &buffer) {
  const rt::TensorSpec &value = *buffer.value;
  if (buffer.strides.empty())
    return Status::ok();
  if (buffer.role != BufferRole::Scratch)
    return rt::fail(Code::BadFile, "strides are for the values of scratch "
                                   "buffers; inputs and outputs are row-major");
  if (buffer.strides.size() != value.shape.size())
    return failf(Code::BadFile, "value %s has %zu strides for %zu axes",
                 quoteName(value.name).c_str(), buffer.strides.size(),
                 value.shape.size());
  uint64_t last = 0;
  for (size_t axis = 0; axis < value.shape.size(); ++axis) {
    int64_t stride = buffer.strides[axis];
    if (stride < 0 || stride > kMostStep)
      return failf(Code::BadFile, "value %s has stride %lld on axis %zu",
                   quoteName(value.name).c_str(), ll(stride), axis);
    // Neither factor is above 2^32: the shape has at most so many elements.
    uint64_t most = uint64_t(std::max<int64_t>(value.shape[axis] - 1, 0));
    last += std::min(most * uint64_t(stride), buffer.bytes);
  }
  uint64_t size = numeric::elementBytes(value.storedType);
  if (value.elements && (last + 1) * size > buffer.bytes)
    return failf(Code::BadFile, "value %s leaves its buffer of %llu bytes",
                 quoteName(value.name).c_str(), ull(buffer.bytes));
  return Status::ok();
}

/// What elements of a type are stored as, beside the type itself.
static bool isStoredForm(numeric::ElementType type,
                         numeric::ElementType stored) {
  std::optional<rt::wire::DataType> wire = rt::storedAs(type);
  return wire && rt::fromWire(*wire) == stored;
}

static Status checkValue(const Buffer &buffer) {
  const rt::TensorSpec &value = *buffer.value;
  std::string name = quoteName(value.name);
  if (value.name.empty())
    return rt::fail(Code::BadFile, "its value has no name");
  std::optional<int64_t> elements = numeric::elementCount(value.shape);
  if (!elements || *elements > kMostStep || *elements != value.elements)
    return failf(Code::BadFile, "value %s has shape %s and %lld elements",
                 name.c_str(), numeric::shapeText(value.shape).c_str(),
                 ll(value.elements));
  if (value.storedShape != value.shape || value.address != buffer.address ||
      value.fromHost || !value.dataDependent.empty() || value.batchAxis != -1)
    return failf(Code::BadFile,
                 "value %s is stored under another shape or address than its "
                 "buffer's, or has a size that depends on data",
                 name.c_str());
  if (!isStoredForm(value.type, value.storedType))
    return failf(Code::BadFile, "value %s of %s cannot be stored as %s",
                 name.c_str(), numeric::elementTypeName(value.type),
                 numeric::elementTypeName(value.storedType));
  if (value.storedBytes !=
          uint64_t(*elements) * numeric::elementBytes(value.storedType) ||
      value.storedBytes > buffer.bytes)
    return failf(Code::BadFile,
                 "value %s takes %llu bytes, its buffer has %llu", name.c_str(),
                 ull(value.storedBytes), ull(buffer.bytes));
  if (!std::isfinite(value.scale) || value.scale <= 0)
    return failf(Code::BadFile, "value %s has scale %g, must be above 0",
                 name.c_str(), double(value.scale));
  if (value.isQuantized() && !numeric::isIntegerType(value.storedType))
    return failf(Code::BadFile, "value %s of %s has a scale; only integers do",
                 name.c_str(), numeric::elementTypeName(value.storedType));
  if (!value.symbols.empty() && value.symbols.size() != value.shape.size())
    return failf(Code::BadFile, "value %s has %zu names for %zu dimensions",
                 name.c_str(), value.symbols.size(), value.shape.size());
  return checkStrides(buffer);
}

static Status checkBuffer(const Buffer &buffer) {
  if (buffer.name.empty())
    return rt::fail(Code::BadFile, "it has no name");
  if (buffer.address % kBufferAlignment != 0)
    return failf(Code::BadFile, "address 0x%llx is no multiple of %llu",
                 ull(buffer.address), ull(kBufferAlignment));
  if (buffer.bytes < 1 || buffer.address > kMaxMemoryBytes ||
      buffer.bytes > kMaxMemoryBytes - buffer.address)
    return failf(Code::BadFile,
                 "%llu bytes at 0x%llx; buffers have at least one byte and end "
                 "at or below 0x%llx",
                 ull(buffer.bytes), ull(buffer.address), ull(kMaxMemoryBytes));
  bool isWeight = buffer.role == BufferRole::Weight;
  if (buffer.contents.size() != (isWeight ? buffer.bytes : 0))
    return failf(Code::BadFile,
                 "it has %zu bytes of contents and a size of "
                 "%llu; weights have all their bytes, other "
                 "buffers none",
                 buffer.contents.size(), ull(buffer.bytes));
  bool needsValue =
      buffer.role == BufferRole::Input || buffer.role == BufferRole::Output;
  if (!buffer.value)
    return needsValue ? rt::fail(Code::BadFile,
                                 "an input or output without name and shape")
                      : Status::ok();
  if (isWeight)
    return rt::fail(Code::BadFile, "a weight holds no value of the model");
  return checkValue(buffer);
}

/// Scratch buffers may share bytes, every other buffer has its own.
static Status checkApart(const Program &program) {
  std::vector<const Buffer *> order;
  for (const Buffer &buffer : program.buffers)
    order.push_back(&buffer);
  // All point into one vector: equal addresses keep its order.
  std::sort(order.begin(), order.end(), [](const Buffer *a, const Buffer *b) {
    return a->address != b->address ? a->address < b->address : a < b;
  });
  // The buffer that reaches farthest so far, of all and of those not scratch.
  const Buffer *farthest = nullptr, *farthestOwn = nullptr;
  auto end = [](const Buffer *buffer) {
    return buffer ? buffer->address + buffer->bytes : 0;
  };
  for (const Buffer *buffer : order) {
    bool isScratch = buffer->role == BufferRole::Scratch;
    const Buffer *before = isScratch ? farthestOwn : farthest;
    if (before && end(before) > buffer->address)
      return failf(Code::BadFile,
                   "buffers %s and %s overlap at 0x%llx; only scratch buffers "
                   "may share bytes",
                   quoteName(before->name).c_str(),
                   quoteName(buffer->name).c_str(), ull(buffer->address));
    if (end(buffer) > end(farthest))
      farthest = buffer;
    if (!isScratch && end(buffer) > end(farthestOwn))
      farthestOwn = buffer;
  }
  return Status::ok();
}

Status zhouyi::checkBuffers(const Program &program) {
  std::set<std::string> names, inputs, outputs;
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    const Buffer &buffer = program.buffers[i];
    std::string where =
        "buffer " + std::to_string(i) + " " + quoteName(buffer.name);
    WEFT_TRY(checkBuffer(buffer).withContext(where));
    if (!names.insert(buffer.name).second)
      return rt::fail(Code::BadFile, where + ": the name occurs twice");
    bool isInput = buffer.role == BufferRole::Input;
    if (!isInput && buffer.role != BufferRole::Output)
      continue;
    if (const char *problem = rt::nameProblem(buffer.value->name))
      return rt::fail(Code::BadFile, where + ": the name " +
                                         quoteName(buffer.value->name) + " " +
                                         problem);
    if (!(isInput ? inputs : outputs).insert(buffer.value->name).second)
      return rt::fail(Code::BadFile, where + ": the model has two " +
                                         (isInput ? "inputs " : "outputs ") +
                                         quoteName(buffer.value->name));
  }
  if (outputs.empty())
    return rt::fail(Code::BadFile, "the program has no output");
  return checkApart(program);
}
