/// Spreads the functions to fuzz over processes.
#ifndef WEFT_TESTS_ORACLE_EMULATOR_FUZZWORKERS_H
#define WEFT_TESTS_ORACLE_EMULATOR_FUZZWORKERS_H

#include "tests/oracle/emulator/Registry.h"

namespace weft::oracle {

struct FuzzPlan {
  uint64_t seed = 0;
  unsigned perFunction = 2000, jobs = 1, findings = 2;
  std::string only; ///< part of a mnemonic or of a kind's name; empty: all
};

struct FuzzResult {
  Tallies tallies;
  std::vector<Finding> findings;
  std::vector<std::string> problems;
};

/// Runs the plan in `jobs` processes, each with a vendor's and an emulator of
/// ours. Prints a line for each function as it is done, and findings.
FuzzResult fuzz(const Registry &registry, const FuzzPlan &plan);

} // namespace weft::oracle

#endif
