//===- Catalog.cpp - look-up and the checks of every call ----------------===//

#include "runtime/catalog/Catalog.h"
#include "runtime/catalog/Dense.h"
#include "runtime/catalog/Sets.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

using namespace weft;
using namespace weft::catalog;

//===----------------------------------------------------------------------===//
// Types and words
//===----------------------------------------------------------------------===//

namespace {
struct TypeRow {
  DataType type;
  std::string_view spelling;
  unsigned bits;
  bool isFloat, isSigned;
};
} // namespace

static const TypeRow kTypes[] = {
#define PPL_DATA_TYPE(Name, spelling, code, bits, isFloat, isSigned)           \
  {DataType::Name, spelling, bits, isFloat, isSigned},
#include "runtime/catalog/DataTypes.def"
};

static const TypeRow &rowOf(DataType type) {
  return kTypes[unsigned(type) - 1]; // codes count from 1 without a gap
}

std::string_view catalog::spelling(DataType type) {
  return rowOf(type).spelling;
}
unsigned catalog::bitsOf(DataType type) { return rowOf(type).bits; }
unsigned catalog::bytesOf(DataType type) { return (bitsOf(type) + 7) / 8; }
bool catalog::isFloat(DataType type) { return rowOf(type).isFloat; }
bool catalog::isSigned(DataType type) { return rowOf(type).isSigned; }

std::optional<DataType> catalog::dataTypeOf(int64_t code) {
  if (code < 1 || code > int64_t(std::size(kTypes)))
    return std::nullopt;
  return DataType(code);
}

std::vector<DataType> TypeSet::members() const {
  std::vector<DataType> types;
  for (const TypeRow &row : kTypes)
    if (contains(row.type))
      types.push_back(row.type);
  return types;
}

std::string catalog::qualifiedName(const Operation &operation) {
  std::string name = std::string(spelling(operation.language)) + "." +
                     std::string(operation.name);
  for (size_t dot; (dot = name.find('.')) != std::string::npos;)
    name.replace(dot, 1, "::");
  return name;
}

std::string catalog::joined(const std::vector<std::string_view> &words,
                            std::string_view conjunction) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0)
      text +=
          i + 1 == words.size() ? " " + std::string(conjunction) + " " : ", ";
    text += words[i];
  }
  return text;
}

std::string TypeSet::text() const {
  std::vector<std::string_view> words;
  for (DataType type : members())
    words.push_back(spelling(type));
  return joined(words, "or");
}

std::string VectorType::text() const {
  std::string text(spelling(type));
  return lanes == 1 ? text : text + "x" + std::to_string(lanes);
}

std::string_view catalog::spelling(Memory memory) {
  static constexpr std::string_view words[] = {"local", "global", "static",
                                               "L2", "L1"};
  return words[unsigned(memory)];
}

std::string_view catalog::spelling(AlignMode mode) {
  static constexpr std::string_view words[] = {
      "continuous", "N-byte aligned", "compact", "row aligned", "free"};
  return words[unsigned(mode)];
}

std::string_view catalog::spelling(Unit unit) {
  static constexpr std::string_view words[] = {"dma", "sdma",   "hau",
                                               "tiu", "vector", "mte2"};
  return words[unsigned(unit)];
}

std::string_view catalog::spelling(SlotKind kind) {
  static constexpr std::string_view words[] = {"tensor",
                                               "tensor_or_scalar",
                                               "integer",
                                               "float",
                                               "flag",
                                               "choice",
                                               "integers",
                                               "vector",
                                               "vector_or_scalar",
                                               "mask",
                                               "pointer"};
  return words[unsigned(kind)];
}

std::string_view catalog::spelling(VectorWidth width) {
  static constexpr std::string_view words[] = {"register", "multiple",
                                               "flexible"};
  return words[unsigned(width)];
}

std::string_view catalog::spelling(Access access) {
  static constexpr std::string_view words[] = {"read", "write", "read_write"};
  return words[unsigned(access)];
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {
struct Set {
  Language language;
  std::string_view spelling;
  std::vector<Operation> (*rows)();
  std::vector<EvaluatorRow> (*evaluators)();
};
} // namespace

static const Set kSets[] = {
#define CATALOG_SET(Name, spelling, rows, evaluators)                          \
  {Language::Name, spelling, rows, evaluators},
#include "runtime/catalog/Sets.def"
};

std::string_view catalog::spelling(Language language) {
  return kSets[unsigned(language)].spelling;
}

const std::vector<Language> &catalog::languages() {
  static const auto *all = [] {
    auto *list = new std::vector<Language>;
    for (const Set &set : kSets)
      list->push_back(set.language);
    return list;
  }();
  return *all;
}

namespace {
/// The rows of a set with their indices, made at the first use.
struct Table {
  explicit Table(const Set &set) : operations(set.rows()) {
    for (Operation &operation : operations) {
      operation.language = set.language;
      byName.emplace(operation.name, &operation);
    }
    for (const EvaluatorRow &row : set.evaluators())
      evaluators.emplace(row.name, row.evaluate);
  }
  std::vector<Operation> operations;
  std::unordered_map<std::string_view, const Operation *> byName;
  std::unordered_map<std::string_view, Evaluate> evaluators;
};
} // namespace

static const Table &tableOf(Language language) {
  static const auto *tables = [] {
    auto *all = new std::vector<Table>;
    all->reserve(std::size(kSets)); // rows refer to each other by address
    for (const Set &set : kSets)
      all->emplace_back(set);
    return all;
  }();
  return (*tables)[unsigned(language)];
}

const std::vector<Operation> &catalog::operations(Language language) {
  return tableOf(language).operations;
}

const Operation *catalog::find(std::string_view name, Language language) {
  const auto &index = tableOf(language).byName;
  auto found = index.find(name);
  return found == index.end() ? nullptr : found->second;
}

Evaluate catalog::evaluatorOf(const Operation &operation) {
  const auto &index = tableOf(operation.language).evaluators;
  auto found = index.find(operation.name);
  return found == index.end() ? nullptr : found->second;
}

bool Operation::existsOn(const Chip &chip) const {
  return chips.empty() || std::find(chips.begin(), chips.end(),
                                    chip.kernelName()) != chips.end();
}

int Operation::slotIndex(std::string_view wanted) const {
  for (size_t i = 0; i < slots.size(); ++i)
    if (slots[i].name == wanted)
      return int(i);
  return -1;
}

const Slot *Operation::slot(std::string_view wanted) const {
  int index = slotIndex(wanted);
  return index < 0 ? nullptr : &slots[index];
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

const Argument &Call::operator[](std::string_view slot) const {
  static const Argument none;
  int index = operation->slotIndex(slot);
  if (index < 0 || size_t(index) >= arguments.size())
    return none;
  return arguments[index];
}

const Tensor *Call::tensor(std::string_view slot) const {
  const Argument &argument = (*this)[slot];
  return argument.isTensor() ? &argument.tensor : nullptr;
}

int64_t Call::integer(std::string_view slot) const {
  const Argument &argument = (*this)[slot];
  if (argument.kind == Argument::Kind::None)
    if (const Slot *row = operation->slot(slot))
      return int64_t(row->fallback);
  return argument.kind == Argument::Kind::Float ? int64_t(argument.real)
                                                : argument.integer;
}

double Call::real(std::string_view slot) const {
  const Argument &argument = (*this)[slot];
  if (argument.kind == Argument::Kind::None)
    if (const Slot *row = operation->slot(slot))
      return row->fallback;
  return argument.number();
}

const std::vector<int64_t> &Call::integers(std::string_view slot) const {
  return (*this)[slot].integers;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static std::string memoriesText(unsigned memories) {
  std::vector<std::string_view> words;
  for (Memory memory :
       {Memory::Local, Memory::Global, Memory::L2, Memory::Static, Memory::L1})
    if (memories >> unsigned(memory) & 1)
      words.push_back(spelling(memory));
  return joined(words, "or");
}

static std::string tensorProblem(const Slot &slot, const Tensor &tensor,
                                 const Chip &chip) {
  std::string name(slot.name);
  if (!(slot.memories >> unsigned(tensor.memory) & 1))
    return name + " lies in " + std::string(spelling(tensor.memory)) +
           " memory, must be in " + memoriesText(slot.memories);
  if (!slot.types.contains(tensor.type))
    return name + " is " + std::string(spelling(tensor.type)) + ", must be " +
           slot.types.text();
  static constexpr char axes[] = "nchw";
  for (int i = 0; i < 4; ++i) {
    // Rows of a gather may be more in system memory (dma.gather_h).
    bool isSystem = tensor.memory != Memory::Local;
    int64_t most = isSystem ? int64_t(INT32_MAX) : int64_t(chip.maxShape);
    if (tensor.shape[i] < 1 || tensor.shape[i] > most)
      return name + " has " + std::to_string(tensor.shape[i]) + " on axis " +
             axes[i] + ", must be 1 to " + std::to_string(most);
    if (tensor.strides[i] < 0)
      return name + " has a negative stride on axis " + std::string(1, axes[i]);
    if (slot.access != Access::Read && tensor.strides[i] == 0 &&
        tensor.shape[i] > 1)
      return name + " is written but has stride 0 on axis " +
             std::string(1, axes[i]) + " of size " +
             std::to_string(tensor.shape[i]) +
             "; a repeated element is for sources only";
  }
  // More than any memory holds: what follows counts elements in 64 bits.
  constexpr double kMost = double(uint64_t(1) << 40);
  double count = 1, reach = 0;
  for (int i = 0; i < 4; ++i) {
    count *= double(tensor.shape[i]);
    reach += double(tensor.shape[i] - 1) * double(tensor.strides[i]);
  }
  if (count > kMost || reach > kMost)
    return name + " has more elements, or elements farther apart, than any "
                  "memory holds; make it smaller";
  return {};
}

static std::string rangeProblem(const Slot &slot, int64_t value) {
  if (value >= slot.low && value <= slot.high)
    return {};
  return std::string(slot.name) + " is " + std::to_string(value) +
         ", must be " + std::to_string(slot.low) + " to " +
         std::to_string(slot.high);
}

static std::string kindProblem(const Slot &slot, std::string_view wanted) {
  return std::string(slot.name) + " must be " + std::string(wanted);
}

static std::string elementProblem(const Slot &slot, const VectorType &vector) {
  if (slot.types.contains(vector.type))
    return {};
  return std::string(slot.name) + " is " + vector.text() + ", must be of " +
         slot.types.text() +
         (slot.otherTypes.empty() ? "" : "; " + std::string(slot.otherTypes));
}

static std::string argumentProblem(const Slot &slot, const Argument &argument,
                                   const Chip &chip) {
  using Kind = Argument::Kind;
  bool isNumber = argument.isNumber();
  if (argument.kind == Kind::None)
    return slot.optional ? std::string()
                         : std::string(slot.name) + " is missing";
  switch (slot.kind) {
  case SlotKind::TensorOrScalar:
    if (isNumber)
      return {};
    [[fallthrough]];
  case SlotKind::Tensor:
    if (!argument.isTensor())
      return kindProblem(slot, slot.kind == SlotKind::Tensor
                                   ? "a tensor"
                                   : "a tensor or a number");
    return tensorProblem(slot, argument.tensor, chip);
  case SlotKind::Float:
    return isNumber ? std::string() : kindProblem(slot, "a number");
  case SlotKind::Integer:
  case SlotKind::Flag:
    if (argument.kind != Kind::Integer)
      return kindProblem(slot, "an integer");
    return rangeProblem(slot, argument.integer);
  case SlotKind::Choice:
    if (argument.kind != Kind::Integer)
      return kindProblem(slot, joined(slot.choices, "or"));
    if (argument.integer < 0 ||
        argument.integer >= int64_t(slot.choices.size()))
      return std::string(slot.name) + " is " +
             (argument.text.empty() ? std::to_string(argument.integer)
                                    : "'" + argument.text + "'") +
             ", must be " + joined(slot.choices, "or");
    return {};
  case SlotKind::Integers:
    if (argument.kind != Kind::Integers ||
        argument.integers.size() != slot.count)
      return kindProblem(slot, std::to_string(slot.count) + " integers");
    for (int64_t value : argument.integers)
      if (std::string problem = rangeProblem(slot, value); !problem.empty())
        return problem;
    return {};
  case SlotKind::VectorOrScalar:
    if (isNumber)
      return {};
    [[fallthrough]];
  case SlotKind::Vector:
    if (!argument.isVector())
      return kindProblem(slot, slot.kind == SlotKind::Vector
                                   ? "a vector"
                                   : "a vector or a number");
    // The rules hold a scalar variable to the vector beside it.
    if (slot.kind == SlotKind::VectorOrScalar && argument.vector.lanes == 1)
      return {};
    return elementProblem(slot, argument.vector);
  case SlotKind::Mask:
    return argument.kind == Kind::Mask ? std::string()
                                       : kindProblem(slot, "a mask");
  case SlotKind::Pointer:
    if (argument.kind != Kind::Pointer)
      return kindProblem(slot, "a pointer");
    return elementProblem(slot, argument.vector);
  }
  return {};
}

std::string catalog::problemOf(const Call &call) {
  const Operation &operation = *call.operation;
  if (!operation.existsOn(*call.chip))
    return "exists on " + joined(operation.chips, "or") + " only, not on " +
           std::string(call.chip->targetName) +
           (operation.chipNote.empty()
                ? std::string()
                : "; " + std::string(operation.chipNote));
  if (call.arguments.size() > operation.slots.size())
    return "has " + std::to_string(call.arguments.size()) +
           " arguments, takes at most " +
           std::to_string(operation.slots.size());
  bool isIdle = operation.isIdle && operation.isIdle(call);
  for (size_t i = 0; i < operation.slots.size(); ++i) {
    const Argument &argument =
        i < call.arguments.size() ? call.arguments[i] : Argument();
    if (isIdle && argument.kind == Argument::Kind::Integer &&
        operation.slots[i].kind == SlotKind::Integer)
      continue; // of any size
    std::string problem =
        argumentProblem(operation.slots[i], argument, *call.chip);
    if (!problem.empty())
      return problem;
  }
  if (isIdle)
    return {};
  for (const Rule &rule : operation.rules)
    if (std::string found = rule.check(call); !found.empty())
      return found + "; " + rule.text;
  return {};
}
