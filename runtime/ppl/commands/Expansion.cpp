//===- Expansion.cpp - calls become commands ------------------------------===//

#include "runtime/ppl/commands/Expansion.h"
#include "runtime/catalog/Dense.h"

#include <algorithm>
#include <map>

using namespace weft;
using namespace weft::commands;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

isa::Precision catalog::precisionOf(DataType type) {
  switch (type) {
  case DataType::Fp32:
  case DataType::Tf32:
    return isa::Precision::Fp32;
  case DataType::Fp16:
    return isa::Precision::Fp16;
  case DataType::Bf16:
    return isa::Precision::Bf16;
  default:
    break;
  }
  switch (catalog::bytesOf(type)) {
  case 4:
    return isa::Precision::Int32;
  case 2:
    return isa::Precision::Int16;
  default:
    return isa::Precision::Int8;
  }
}

DataType catalog::integerType(unsigned bits, bool isSigned) {
  switch (bits) {
  case 32:
    return isSigned ? DataType::Int32 : DataType::Uint32;
  case 16:
    return isSigned ? DataType::Int16 : DataType::Uint16;
  default:
    return isSigned ? DataType::Int8 : DataType::Uint8;
  }
}

uint32_t commands::elementBits(DataType type, double value) {
  catalog::Dense one(type, {1, 1, 1, 1});
  one.setValue(0, value);
  return uint32_t(one.bits(0));
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

Operand Expansion::tensor(std::string_view slot) const {
  int index = call.operation->slotIndex(slot);
  return index < 0 ? Operand() : operands[size_t(index)];
}

bool Expansion::has(std::string_view slot) const {
  return hasSlot(slot) && call[slot].kind != catalog::Argument::Kind::None;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

static Operand newTensor(Memory memory, const Dims &shape, DataType type,
                         AlignMode layout, unsigned lane, const Chip &chip) {
  Operand tensor;
  tensor.memory = memory;
  tensor.shape = shape;
  tensor.type = type;
  tensor.layout = layout;
  tensor.lane = lane;
  tensor.strides = catalog::stridesOf(layout, type, shape, lane, chip);
  return tensor;
}

/// Makes scratch memory of `tensor`.
static Operand inScratch(Operand tensor, const Chip &chip, Output &output) {
  size_t number = output.list.scratch.size();
  output.list.scratch.push_back(
      {tensor.memory, catalog::extentBytes(tensor, chip)});
  tensor.origin = ~int(number);
  tensor.address = 0;
  if (output.scratch && number < output.scratch->size())
    tensor.address = (*output.scratch)[number];
  return tensor;
}

Operand Expansion::temporary(const Dims &shape, DataType type, AlignMode layout,
                             unsigned lane) {
  return inScratch(newTensor(Memory::Local, shape, type, layout, lane, chip),
                   chip, output);
}

Operand Expansion::systemTemporary(const Dims &shape, DataType type) {
  return inScratch(
      newTensor(Memory::L2, shape, type, AlignMode::Continuous, 0, chip), chip,
      output);
}

Operand Expansion::staticRow(uint64_t byte, int64_t count,
                             DataType type) const {
  Operand row = newTensor(Memory::Static, {1, 1, 1, count}, type,
                          AlignMode::Continuous, 0, chip);
  row.address = byte;
  row.origin = Operand::kStaticTable;
  return row;
}

Operand Expansion::part(const Operand &tensor, const Dims &offset,
                        const Dims &shape, AlignMode layout,
                        int64_t bytes) const {
  Operand result = part(tensor, offset, shape, Dims{}, bytes);
  result.layout = layout;
  result.strides =
      catalog::stridesOf(layout, result.type, shape, result.lane, chip);
  return result;
}

Operand Expansion::part(const Operand &tensor, const Dims &offset,
                        const Dims &shape, const Dims &strides,
                        int64_t bytes) const {
  Operand result = tensor;
  int64_t row = offset[1];
  if (tensor.memory == Memory::Local) {
    row = (tensor.lane + offset[1]) / chip.lanes;
    result.lane = unsigned((tensor.lane + offset[1]) % chip.lanes);
  }
  int64_t elements = offset[0] * tensor.strides[0] + row * tensor.strides[1] +
                     offset[2] * tensor.strides[2] +
                     offset[3] * tensor.strides[3];
  result.address = *tensor.address +
                   uint64_t(elements) * catalog::bytesOf(tensor.type) +
                   uint64_t(bytes);
  result.layout = AlignMode::Free;
  result.shape = shape;
  result.strides = strides;
  return result;
}

Operand Expansion::named(Operand tensor, AlignMode layout) const {
  tensor.layout = layout;
  tensor.strides =
      catalog::stridesOf(layout, tensor.type, tensor.shape, tensor.lane, chip);
  return tensor;
}

namespace {
/// Which axes eachPart must walk.
struct FarStrides {
  bool images = false, rows = false, any = false;

  void add(const Operand &tensor, unsigned lane, const Chip &chip) {
    constexpr int64_t kMost = 65535;
    if (tensor.layout == AlignMode::Aligned ||
        tensor.layout == AlignMode::Compact) // named, not written out
      return;
    const Dims &strides = tensor.strides;
    any |= strides[0] > kMost || strides[1] > kMost;
    images |= tensor.shape[0] > 1 && strides[0] > kMost;
    rows |= lane + tensor.shape[1] > chip.lanes && strides[1] > kMost;
  }
};
} // namespace

void Expansion::eachPart(
    const std::vector<Operand> &tensors, unsigned lane,
    const std::function<void(const std::vector<Operand> &)> &emit) const {
  FarStrides far;
  for (const Operand &tensor : tensors)
    far.add(tensor, lane, chip);
  if (!far.any)
    return emit(tensors);
  const Dims &first = tensors[0].shape;
  int64_t images = far.images ? 1 : first[0], lanes = chip.lanes;
  for (int64_t n = 0; n < first[0]; n += images)
    for (int64_t c = 0, next; c < first[1]; c = next) {
      next = first[1];
      if (far.rows)
        next = std::min(next, (lane + c) / lanes * lanes + lanes - lane);
      bool isOneRow = far.rows || lane + first[1] <= lanes;
      std::vector<Operand> parts;
      for (const Operand &tensor : tensors) {
        const Dims &own = tensor.strides;
        parts.push_back(part(
            tensor, {n, c, 0, 0},
            {images, next - c, tensor.shape[2], tensor.shape[3]},
            {images > 1 ? own[0] : 0, isOneRow ? 1 : own[1], own[2], own[3]}));
      }
      emit(parts);
    }
}

//===----------------------------------------------------------------------===//
// What comes out
//===----------------------------------------------------------------------===//

void Expansion::fail(Status status) {
  if (output.status.isOk())
    output.status = std::move(status);
}

void Expansion::append(catalog::CommandStep step) {
  output.list.steps.push_back(std::move(step));
}

void Expansion::copy(const Operand &dst, const Operand &src) {
  append({std::nullopt, {{dst, false, true}, {src, true, false}}});
}

static Expand rowOf(const catalog::Operation &operation) {
  static const std::map<std::string_view, Expand> table = [] {
    std::map<std::string_view, Expand> rows;
#define PPL_GROUP(group, engine, header)                                       \
  for (const ExpandRow &row : group##Expansions())                             \
    rows[row.name] = row.expand;
#include "runtime/ppl/Groups.def"
    return rows;
  }();
  auto found = table.find(operation.name);
  return found == table.end() ? nullptr : found->second;
}

void Expansion::function(std::string_view name,
                         const std::vector<Given> &arguments) {
  Call nested;
  nested.operation = catalog::find(name);
  nested.chip = &chip;
  nested.arguments.resize(nested.operation->slots.size());
  std::vector<Operand> tensors(nested.arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Given &given = arguments[i];
    catalog::Argument &argument = nested.arguments[i];
    using Kind = catalog::Argument::Kind;
    if (given.tensor) {
      argument.kind = Kind::Tensor;
      argument.tensor = tensors[i] = given.tensor;
    } else if (given.isInteger) {
      argument.kind = Kind::Integer;
      argument.integer = given.integer;
    } else if (given.isReal) {
      argument.kind = Kind::Float;
      argument.real = given.real;
    }
  }
  Expansion inner(nested, std::move(tensors), output);
  if (Status status = rowOf(*nested.operation)(inner); !status)
    fail(status);
}

bool catalog::hasCommands(const Operation &operation) {
  return rowOf(operation) != nullptr;
}

rt::Result<catalog::CommandList>
catalog::commandsOf(const Call &call, const std::vector<uint64_t> *scratch) {
  Expand expand = rowOf(*call.operation);
  if (!expand || !call.chip->hasCommands())
    return rt::fail(rt::Code::Unsupported,
                    "ppl::" + std::string(call.operation->name) +
                        " has no commands on " +
                        std::string(call.chip->targetName) +
                        "; weft ppl run and test take --interpret");
  Output output;
  output.scratch = scratch;
  std::vector<Operand> operands(call.arguments.size());
  for (size_t i = 0; i < operands.size(); ++i)
    if (call.arguments[i].isTensor()) {
      operands[i] = Operand(call.arguments[i].tensor, int(i));
      if (!operands[i].address)
        operands[i].address = 0;
    }
  Expansion expansion(call, std::move(operands), output);
  if (Status status = expand(expansion); !status)
    return status;
  if (!output.status)
    return output.status;
  return std::move(output.list);
}
