#include "tools/weft/FaultCauses.h"
#include "runtime/isa/Accesses.h"

#include <algorithm>

using namespace weft;
using namespace weft::cli;
using isa::Field;

static bool contains(std::string_view name, std::string_view part) {
  return name.find(part) != std::string_view::npos;
}

static bool endsWith(std::string_view name, std::string_view end) {
  return name.size() >= end.size() &&
         name.substr(name.size() - end.size()) == end;
}

/// Whether the address field of an operand holds a number instead.
static bool isConstantOperand(const isa::Decoded &command,
                              std::string_view field) {
  std::string flag(field.substr(0, field.find('_')));
  return command.field(flag + "_const").value_or(0) == 1;
}

/// Field names say what they are (runtime/isa/Names.def): an operand and its
/// address, sizes by axis, strides (`str`), pads, types.
static FaultCause causeOf(const FieldDifference &difference,
                          const isa::Decoded &command) {
  std::string_view name = isa::fieldName(difference.field);
  if (difference.field == Field::cmd_id_dep)
    return difference.value < difference.expected ? FaultCause::MissingWait
                                                  : FaultCause::WrongWait;
  if (contains(name, "addr"))
    return isConstantOperand(command, name) ? FaultCause::WrongConstant
                                            : FaultCause::WrongAddress;
  if (contains(name, "mask_l32") || contains(name, "mask_h32"))
    return FaultCause::WrongAddress;
  if (endsWith(name, "_pad") || name == "pad_mode")
    return FaultCause::WrongPad;
  if (contains(name, "stride") || endsWith(name, "_str"))
    return FaultCause::WrongStride;
  if (contains(name, "size") || name == "move_length" ||
      name == "tsk_lane_num" || endsWith(name, "_n") || endsWith(name, "_c") ||
      endsWith(name, "_h") || endsWith(name, "_w"))
    return FaultCause::WrongSize;
  if (endsWith(name, "_prec") || endsWith(name, "_sign") ||
      endsWith(name, "_format"))
    return FaultCause::WrongType;
  if (name == "constant_value" || endsWith(name, "_const"))
    return FaultCause::WrongConstant;
  return FaultCause::WrongInstruction;
}

/// Whether `command` leaves bytes alone that `expected` writes first.
static bool leavesResultAlone(const isa::Decoded &command,
                              const isa::Decoded &expected, const Chip &chip) {
  std::vector<isa::Access> accesses = isa::accessesOf(command, chip);
  for (const isa::Access &wanted : isa::accessesOf(expected, chip)) {
    if (!wanted.isWrite)
      continue;
    if (std::none_of(
            accesses.begin(), accesses.end(), [&](const isa::Access &access) {
              return access.isWrite && access.memory == wanted.memory &&
                     access.begin <= wanted.begin && access.end > wanted.begin;
            }))
      return true;
  }
  return false;
}

/// Whether another command has what this one should have, and the reverse.
static bool isSwapped(const CommandDifference &one,
                      const ProgramDifference &all) {
  return std::any_of(
      all.commands.begin(), all.commands.end(),
      [&](const CommandDifference &other) {
        if (&other == &one || other.fields.size() != one.fields.size())
          return false;
        for (size_t i = 0; i < one.fields.size(); ++i) {
          const FieldDifference &a = one.fields[i], &b = other.fields[i];
          if (a.field != b.field || a.value != b.expected ||
              a.expected != b.value)
            return false;
        }
        return true;
      });
}

FaultCause cli::causeOf(const CommandDifference &one,
                        const ProgramDifference &all, const Chip &chip) {
  std::vector<FaultCause> causes;
  for (const FieldDifference &field : one.fields)
    if (FaultCause cause = ::causeOf(field, one.command);
        std::find(causes.begin(), causes.end(), cause) == causes.end())
      causes.push_back(cause);
  if (causes.size() == 1)
    return causes.front() == FaultCause::WrongAddress && isSwapped(one, all)
               ? FaultCause::SwappedTensors
               : causes.front();
  // Another command altogether.
  return leavesResultAlone(one.command, one.expected, chip)
             ? FaultCause::StaleTensor
             : FaultCause::WrongInstruction;
}
