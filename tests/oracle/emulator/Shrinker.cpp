#include "tests/oracle/emulator/Shrinker.h"

#include "runtime/isa/Decode.h"
#include "tests/unit/runtime/isa/FirstTable.h"

#include <algorithm>

namespace weft::oracle {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}
bool endsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() &&
         text.substr(text.size() - end.size()) == end;
}

enum class Role { Fixed, Size, Mask, Address, Number };

/// Element types, numbers of operands and what is a constant stay: with another
/// one it would be another failure.
Role roleOf(const Command &command, Field field) {
  std::string_view name = isa::fieldName(field);
  if (field == Field::Reserved)
    return Role::Fixed;
  for (std::string_view part :
       {"cmd_", "tsk_typ", "tsk_eu_typ", "addr_h8", "_prec", "format", "_const",
        "constant_en", "tsk_opd_num"})
    if (contains(name, part))
      return Role::Fixed;
  if (contains(name, "lane_num") || contains(name, "mask_l32") ||
      contains(name, "mask_h32"))
    return Role::Mask;
  if (contains(name, "addr")) {
    constexpr std::pair<Field, Field> constants[] = {
        {Field::opd0_addr, Field::opd0_const},
        {Field::opd1_addr, Field::opd1_const},
        {Field::opd2_addr, Field::opd2_const},
        {Field::opd3_addr, Field::opd3_const}};
    for (auto [address, constant] : constants)
      if (address == field && command.get(constant))
        return Role::Number;
    return Role::Address;
  }
  for (std::string_view end : {"_n", "_c", "_h", "_w", "size"})
    if (endsWith(name, end))
      return Role::Size;
  return Role::Number;
}

/// Simpler values of a field, the simplest first.
std::vector<uint64_t> simplerValues(const Command &command, Field field) {
  uint64_t value = command.get(field);
  uint64_t most = isa::fieldMax(command.form, field);
  std::vector<uint64_t> values;
  switch (roleOf(command, field)) {
  case Role::Mask:
    if (value != most)
      return {most};
    break;
  case Role::Number:
    values.push_back(0);
    [[fallthrough]];
  case Role::Size: // size 0 is no command, or means something else
    for (uint64_t simpler : {uint64_t(1), value / 2, value - value / 4})
      values.push_back(simpler);
    if (value <= 64) // else a big constant would count down for ever
      values.push_back(value - 1);
    break;
  case Role::Fixed:
  case Role::Address:
    break;
  }
  bool size = roleOf(command, field) == Role::Size;
  values.erase(std::remove_if(
                   values.begin(), values.end(),
                   [&](uint64_t v) { return v >= value || (size && v == 0); }),
               values.end());
  return values;
}

class Shrinker {
public:
  Shrinker(Case start, const StillFails &stillFails, unsigned maxTries)
      : best(std::move(start)), stillFails(stillFails), triesLeft(maxTries),
        spec(isa::formSpec(best.command.form)) {}

  Case run() {
    for (bool smaller = true; smaller && triesLeft;) {
      smaller = moveToLaneZero();
      smaller |= shrinkSizesTogether();
      for (const isa::FieldSpec &field : spec)
        if (roleOf(best.command, field.name) == Role::Size)
          smaller |= shrinkField(field.name);
      for (const isa::FieldSpec &field : spec)
        if (roleOf(best.command, field.name) == Role::Number ||
            roleOf(best.command, field.name) == Role::Mask)
          smaller |= shrinkField(field.name);
      smaller |= dropPokes();
      smaller |= simplifyMemory();
    }
    return std::move(best);
  }

private:
  bool keepIfFails(Case candidate) {
    if (!triesLeft)
      return false;
    --triesLeft;
    if (!stillFails(candidate))
      return false;
    best = std::move(candidate);
    return true;
  }

  bool shrinkField(Field field) {
    bool smaller = false;
    for (bool again = true; again;) {
      again = false;
      for (uint64_t simpler : simplerValues(best.command, field)) {
        Case candidate = best;
        candidate.command.set(field, simpler);
        if (keepIfFails(std::move(candidate))) {
          smaller = again = true;
          break;
        }
      }
    }
    return smaller;
  }

  /// Operands and results have sizes in common: those that are equal shrink
  /// together.
  bool shrinkSizesTogether() {
    bool smaller = false;
    for (const isa::FieldSpec &field : spec) {
      if (roleOf(best.command, field.name) != Role::Size)
        continue;
      uint64_t value = best.command.get(field.name);
      for (uint64_t simpler : simplerValues(best.command, field.name)) {
        Case candidate = best;
        for (const isa::FieldSpec &other : spec)
          if (roleOf(best.command, other.name) == Role::Size &&
              best.command.get(other.name) == value)
            candidate.command.set(other.name, simpler);
        if (keepIfFails(std::move(candidate))) {
          smaller = true;
          break;
        }
      }
    }
    return smaller;
  }

  /// Operands must start in the lane of the result, so all addresses move.
  bool moveToLaneZero() {
    Case candidate = best;
    bool moved = false;
    for (const isa::FieldSpec &field : spec) {
      if (roleOf(best.command, field.name) != Role::Address)
        continue;
      uint64_t value = best.command.get(field.name);
      uint64_t base = best.command.engine == Engine::Gdma ? kLocalBase : 0;
      if (value < base || value >= base + kLocalBytes)
        continue;
      uint64_t there = base + (value - base) % kLaneStride;
      moved |= there != value;
      candidate.command.set(field.name, there);
    }
    return moved && keepIfFails(std::move(candidate));
  }

  bool dropPokes() {
    bool smaller = false;
    for (size_t i = best.command.pokes.size(); i-- > 0;) {
      Case candidate = best;
      candidate.command.pokes.erase(candidate.command.pokes.begin() +
                                    ptrdiff_t(i));
      smaller |= keepIfFails(std::move(candidate));
    }
    return smaller;
  }

  bool simplifyMemory() {
    for (Filling filling : {Filling::Zeros, Filling::Ones, Filling::Ramp}) {
      if (filling < best.memory.filling ||
          (filling == best.memory.filling && best.memory.kept.empty()))
        continue;
      Case candidate = best;
      candidate.memory.filling = filling;
      candidate.memory.kept.clear();
      if (keepIfFails(std::move(candidate)))
        return true;
    }
    return best.memory.filling == Filling::Random && keepFewWords();
  }

  /// Ones but for the few random words that the failure needs: pieces of memory
  /// are halved, and each half dropped if the case fails without it.
  bool keepFewWords() {
    constexpr size_t kWord = 4, kManyPieces = 24;
    Case candidate = best;
    candidate.memory.filling = Filling::Ones;
    candidate.memory.kept = {{0, kCountedBytes}};
    if (!keepIfFails(candidate)) // beyond the filled part, nothing is random
      return false;
    for (bool halved = true; halved && triesLeft;) {
      halved = false;
      std::vector<std::pair<size_t, size_t>> pieces;
      for (auto [begin, end] : best.memory.kept) {
        size_t middle = begin + (end - begin) / 2 / kWord * kWord;
        halved |= middle != begin;
        if (middle != begin)
          pieces.emplace_back(begin, middle);
        pieces.emplace_back(middle, end);
      }
      best.memory.kept = std::move(pieces); // the same memory
      for (size_t i = best.memory.kept.size(); i-- > 0;) {
        candidate = best;
        candidate.memory.kept.erase(candidate.memory.kept.begin() +
                                    ptrdiff_t(i));
        keepIfFails(candidate);
      }
      if (best.memory.kept.size() > kManyPieces)
        break; // it needs much of the memory: leave it at these pieces
    }
    return true;
  }

  Case best;
  const StillFails &stillFails;
  unsigned triesLeft;
  const isa::FormSpec &spec;
};

} // namespace

Case shrink(Case failing, const StillFails &stillFails, unsigned maxTries) {
  isa::DecodeResult before =
      isa::decodeOne(failing.command.engine, failing.command.bytes.data(),
                     failing.command.bytes.size());
  if (!before)
    return failing;
  StillFails sameInstruction = [&](const Case &candidate) {
    isa::DecodeResult now =
        isa::decodeOne(candidate.command.engine, candidate.command.bytes.data(),
                       candidate.command.bytes.size());
    return now && now.command.form == before.command.form &&
           now.command.type == before.command.type &&
           now.command.func == before.command.func && stillFails(candidate);
  };
  return Shrinker(std::move(failing), sameInstruction, maxTries).run();
}

} // namespace weft::oracle
