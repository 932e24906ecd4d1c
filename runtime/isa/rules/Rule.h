//===- Rule.h - how a rule is written --------------------------*- C++ -*-===//
//
// A rule is a row: which instructions it is for, where it comes from, and what
// must hold. Plain demands (a range, an element type, an alignment, a lane) are
// rows of the tables below; what depends on several fields is a function.
//
// Sources: "isa n" is section n of the instruction set description, "PPL x" an
// operation of the PPL manual or a section of it, "vendor encoder" what the
// vendor's command generator refuses, "vendor compiler" what all its commands
// have in common.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_ISA_RULES_RULE_H
#define WEFT_RUNTIME_ISA_RULES_RULE_H

#include "runtime/isa/Accesses.h"
#include "runtime/isa/Rules.h"

#include <initializer_list>
#include <string>

namespace weft::isa::rules {

/// Function numbers of a type, one bit each.
using Functions = uint32_t;
constexpr Functions kAllFunctions = ~Functions(0);
constexpr Functions functions(std::initializer_list<unsigned> numbers) {
  Functions set = 0;
  for (unsigned number : numbers)
    set |= Functions(1) << number;
  return set;
}

/// Element types, one bit for each code.
using Types = uint8_t;
constexpr Types types(std::initializer_list<Precision> precisions) {
  Types set = 0;
  for (Precision precision : precisions)
    set |= Types(1u << unsigned(precision));
  return set;
}
constexpr Types kFloats =
    types({Precision::Fp16, Precision::Fp32, Precision::Bf16});
constexpr Types kHalves = types({Precision::Fp16, Precision::Bf16});
constexpr Types kIntegers =
    types({Precision::Int8, Precision::Int16, Precision::Int32});
constexpr Types kSmallIntegers = types({Precision::Int8, Precision::Int16});
constexpr Types kWideIntegers = types({Precision::Int16, Precision::Int32});
constexpr Types kAnyType = kFloats | kIntegers;

/// The command that is checked and what it touches.
struct Subject {
  Subject(const Decoded &command, const Chip &chip)
      : command(command), chip(chip), accesses(accessesOf(command, chip)) {}

  uint64_t get(Field field) const { return command.get(field); }
  bool has(Field field) const { return command.has(field); }
  Precision precision(Field field) const { return Precision(get(field)); }
  bool isFloatType(Field field) const { return isFloat(precision(field)); }
  /// nullptr for a constant and for an operand that the function lacks.
  const Access *access(std::string_view operand) const;
  bool isFunction(std::initializer_list<unsigned> numbers) const {
    return functions(numbers) >> command.func & 1;
  }

  const Decoded &command;
  const Chip &chip;
  std::vector<Access> accesses;
};

/// Keeps the first violation.
class Report {
public:
  /// The rows and functions that follow come from there.
  void from(const char *source) { theSource = source; }
  bool isBroken() const { return !theMessage.empty(); }
  void fail(const std::string &message);
  std::string message() const { return theMessage; }

  /// Each returns true if the rule holds; absent fields hold any rule.
  bool range(const Subject &s, Field field, uint64_t low, uint64_t high);
  bool multiple(const Subject &s, Field field, uint64_t unit, const char *why);
  bool type(const Subject &s, Field field, Types allowed);
  bool sameType(const Subject &s, Field a, Field b);

private:
  const char *theSource = "";
  std::string theMessage;
};

/// "opd0_prec (fp16)", "0x1040" or "12": names for messages.
std::string nameOf(Field field);
std::string typeName(Precision precision);
std::string hex(uint64_t value);

/// CodeRule::type of a rule for every type of the engine.
constexpr uint8_t kEveryType = 0xff;

/// A rule that needs code.
struct CodeRule {
  uint8_t type;
  Functions functions;
  const char *source;
  void (*check)(const Subject &, Report &);
};

/// A view of a table.
template <typename Row>
struct Rows {
  const Row *first;
  size_t count;
  const Row *begin() const { return first; }
  const Row *end() const { return first + count; }
};

/// All rules of a chip, beside those of every command (Check.cpp).
struct RuleBook {
  Types elementTypes; ///< of operands
  const char *elementTypesSource;
  /// Plain demands of TIU instructions: rows of tables.
  void (*checkTables)(const Subject &, Report &);
  void (*appendTableSources)(std::vector<std::string_view> &);
  Rows<CodeRule> (*tiuFamilies[5])();
  Rows<CodeRule> (*gdmaFamily)();
};

} // namespace weft::isa::rules

#endif // WEFT_RUNTIME_ISA_RULES_RULE_H
