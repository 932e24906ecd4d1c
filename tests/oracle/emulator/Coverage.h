/// The account of a run as JSON and as the table of the manual.
#ifndef WEFT_TESTS_ORACLE_EMULATOR_COVERAGE_H
#define WEFT_TESTS_ORACLE_EMULATOR_COVERAGE_H

#include "tests/oracle/emulator/Registry.h"

namespace weft::oracle {

/// What a run is called: its seed and how many commands a function was to get.
struct RunName {
  uint64_t seed = 0;
  unsigned perFunction = 0;
};

/// docs/instruction-coverage.md.
std::string coveragePage(const Registry &registry, const Tallies &tallies,
                         const RunName &run);

/// The columns of that page that do not depend on a run: one line per row of
/// the opcode table, "| engine | type | func | mnemonic | emulated | judged".
std::vector<std::string> coverageFacts(const Registry &registry);
/// The same columns of a page that was written earlier.
std::vector<std::string> coverageFactsOf(const std::string &page);

std::string coverageJson(const Registry &registry, const Tallies &tallies,
                         const std::vector<Finding> &findings,
                         const RunName &run);

} // namespace weft::oracle

#endif
