/// Every row of the opcode table with the kinds that draw it and how it is
/// judged.
#ifndef WEFT_TESTS_ORACLE_EMULATOR_REGISTRY_H
#define WEFT_TESTS_ORACLE_EMULATOR_REGISTRY_H

#include "tests/oracle/emulator/Campaign.h"

namespace weft::oracle {

/// Functions that the oracle cannot judge may be no more than this.
constexpr unsigned kMaxUnjudgedFunctions = 5;

struct Row {
  Function function;
  const isa::Opcode *opcode = nullptr;
  std::vector<const Kind *> kinds;
  Bound bound;                    ///< of one of the kinds
  const char *unjudged = nullptr; ///< reason, of Unjudged.def
  bool emulated = false;
  /// Forms of the row that no kind draws.
  std::vector<isa::Form> missingForms;
  const char *unjudgedForm = nullptr; ///< why there may be such a form

  /// "bit for bit", "<= 2 ulp: reason", "the oracle cannot judge: reason" ..
  std::string judgement() const;
};

class Registry {
public:
  /// Draws a few commands of every kind to learn what it covers, and asks our
  /// emulator whether it executes a row.
  explicit Registry(Executor &ours);

  const std::vector<Kind> kinds = allKinds();
  std::vector<Row> rows; ///< in the order of the opcode table
  /// What is wrong with the kinds or tables, a line each.
  std::vector<std::string> problems;

  const Kind *kind(const std::string &name) const;

private:
  void addRows();
  void assignKinds();
  void askEmulated(Executor &ours);
};

} // namespace weft::oracle

#endif
