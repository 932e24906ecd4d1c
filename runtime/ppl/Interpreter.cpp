//===- Interpreter.cpp - runs PPL functions on any chip ------------------===//

#include "runtime/ppl/Interpreter.h"

#include <cstring>

using namespace weft;
using namespace weft::catalog;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Machine::Machine(const Chip &chip, uint64_t globalBytes)
    : chip(chip), local(chip.localMemoryBytes()),
      statics(chip.staticMemoryBytes), l2(chip.l2MemoryBytes),
      global(globalBytes) {
  vectorRegisters.resize(chip.tiu.vectorRegisters * kVectorRegisterBytes);
}

static uint8_t *inside(std::vector<uint8_t> &bytes, uint64_t start,
                       uint64_t count) {
  return start <= bytes.size() && count <= bytes.size() - start
             ? bytes.data() + start
             : nullptr;
}

uint8_t *Machine::at(Memory memory, uint64_t address, uint64_t bytes,
                     unsigned lane) {
  switch (memory) {
  case Memory::Local:
    if (lane >= chip.lanes || address + bytes > chip.laneBytes)
      return nullptr;
    return inside(local, uint64_t(lane) * chip.laneBytes + address, bytes);
  case Memory::Static:
    return inside(statics, address, bytes);
  case Memory::L2:
    return address < chip.l2MemoryBase
               ? nullptr
               : inside(l2, address - chip.l2MemoryBase, bytes);
  case Memory::Global:
    return address < chip.globalMemoryBase
               ? nullptr
               : inside(global, address - chip.globalMemoryBase, bytes);
  case Memory::L1: // of another machine
    return nullptr;
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// Whether elements of `type` share bytes.
static bool isPacked(DataType type) { return bitsOf(type) % 8 != 0; }

/// The byte where an element begins whose strides lead to number `at`.
static uint64_t byteOf(DataType type, int64_t at) {
  if (type == DataType::Fp20) // see Dense: 51 in 128 bytes
    return uint64_t(at / 51) * 128 + uint64_t(at % 51) * 20 / 8;
  return uint64_t(at) * bitsOf(type) / 8;
}

/// Calls `visit(element index, place, elements, isHighHalf)` for every run of
/// elements that lie behind each other in whole bytes, in the order of their
/// indices; one by one where they do not.
template <class Visit>
static rt::Status eachRun(const Tensor &tensor, Machine &machine, Visit visit) {
  if (!tensor.address)
    return rt::fail(rt::Code::Internal, "a tensor has no address");
  const Chip &chip = machine.chip;
  const Dims &shape = tensor.shape, &strides = tensor.strides;
  unsigned size = bitsOf(tensor.type) < 8 ? 1 : bytesOf(tensor.type);
  bool isLocal = tensor.memory == Memory::Local;
  bool hasRows = !isPacked(tensor.type) && (strides[3] == 1 || shape[3] == 1);
  bool hasPlanes = hasRows && (strides[2] == shape[3] || shape[2] == 1);
  int64_t run = hasPlanes ? shape[2] * shape[3] : hasRows ? shape[3] : 1;
  int64_t lines = hasPlanes ? 1 : shape[2], runs = hasRows ? 1 : shape[3];
  int64_t index = 0;
  if (run == 0)
    return {};
  for (int64_t n = 0; n < shape[0]; ++n)
    for (int64_t c = 0; c < shape[1]; ++c) {
      unsigned lane = isLocal ? unsigned((tensor.lane + c) % chip.lanes) : 0;
      int64_t row = isLocal ? (tensor.lane + c) / chip.lanes : c;
      for (int64_t h = 0; h < lines; ++h)
        for (int64_t w = 0; w < runs; ++w, index += run) {
          int64_t at = n * strides[0] + row * strides[1] + h * strides[2] +
                       w * strides[3];
          uint8_t *place = machine.at(tensor.memory,
                                      *tensor.address + byteOf(tensor.type, at),
                                      uint64_t(run) * size, lane);
          if (!place)
            return rt::fail(rt::Code::InvalidArgument,
                            "a tensor leaves " +
                                std::string(spelling(tensor.memory)) +
                                " memory");
          visit(index, place, run, at % 2 != 0);
        }
    }
  return {};
}

rt::Result<Dense> catalog::read(const Tensor &tensor, const Machine &machine) {
  Dense dense(tensor.type, tensor.shape);
  unsigned bits = bitsOf(tensor.type), size = bytesOf(tensor.type);
  bool isPackedType = isPacked(tensor.type);
  rt::Status status = eachRun(
      tensor, const_cast<Machine &>(machine),
      [&](int64_t index, const uint8_t *place, int64_t run, bool isOdd) {
        if (!isPackedType) {
          std::memcpy(dense.bytes.data() + index * size, place, run * size);
          return;
        }
        uint64_t code = 0;
        std::memcpy(&code, place, size);
        if (bits == 4)
          code = isOdd ? code >> 4 & 15 : code & 15;
        else
          code = isOdd ? code >> 4 & 0xfffff : code & 0xfffff;
        dense.setBits(index, code);
      });
  if (!status.isOk())
    return status;
  return dense;
}

rt::Status catalog::write(const Tensor &tensor, const Dense &values,
                          Machine &machine) {
  unsigned bits = bitsOf(tensor.type), size = bytesOf(tensor.type);
  bool isPackedType = isPacked(tensor.type);
  if (values.type != tensor.type || values.elements() != tensor.elements())
    return rt::fail(rt::Code::Internal, "a result has another type or size");
  return eachRun(tensor, machine,
                 [&](int64_t index, uint8_t *place, int64_t run, bool isOdd) {
                   if (!isPackedType) {
                     std::memcpy(place, values.bytes.data() + index * size,
                                 run * size);
                     return;
                   }
                   uint64_t old = 0, mask = bits == 4 ? 15 : 0xfffff;
                   std::memcpy(&old, place, size);
                   unsigned shift = isOdd ? 4 : 0;
                   uint64_t code = (old & ~(mask << shift)) |
                                   (values.bits(index) & mask) << shift;
                   std::memcpy(place, &code, size);
                 });
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

rt::Status catalog::interpret(const Call &call, Machine &machine) {
  Evaluate evaluate = evaluatorOf(*call.operation);
  if (!evaluate)
    return {};
  Values values;
  for (const Slot &slot : call.operation->slots)
    if (const Tensor *tensor = call.tensor(slot.name)) {
      rt::Result<Dense> dense = read(*tensor, machine);
      if (!dense.isOk())
        return dense.status();
      values.emplace(slot.name, std::move(*dense));
    }
  bool hasRegisters = call.operation->slot("lmul") != nullptr;
  auto asBytes = [](const std::vector<uint8_t> &bytes) {
    Dense dense;
    dense.type = DataType::Uint8;
    dense.shape = {1, 1, 1, int64_t(bytes.size())};
    dense.bytes = bytes;
    return dense;
  };
  if (hasRegisters) {
    values.emplace(kVectorRegisters, asBytes(machine.vectorRegisters));
    values.emplace(kStaticMemory, asBytes(machine.statics));
  }
  if (call.operation->accumulator)
    if (std::optional<Tensor> tensor = call.operation->accumulator(call)) {
      rt::Result<Dense> dense = read(*tensor, machine);
      if (!dense.isOk())
        return dense.status();
      values.emplace("accumulator", std::move(*dense));
    }
  if (rt::Status status = evaluate(call, values); !status.isOk())
    return status;
  if (hasRegisters) {
    machine.vectorRegisters = values[kVectorRegisters].bytes;
    machine.statics = values[kStaticMemory].bytes;
  }
  for (const Slot &slot : call.operation->slots)
    if (const Tensor *tensor = call.tensor(slot.name);
        tensor && slot.access != Access::Read)
      if (rt::Status status = write(*tensor, values[slot.name], machine);
          !status.isOk())
        return status;
  return {};
}
