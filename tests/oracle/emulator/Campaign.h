/// Runs the seeds of a kind on two emulators, keeps the account per function,
/// and shrinks what fails.
#ifndef WEFT_TESTS_ORACLE_EMULATOR_CAMPAIGN_H
#define WEFT_TESTS_ORACLE_EMULATOR_CAMPAIGN_H

#include "tests/oracle/emulator/Duel.h"
#include "tests/oracle/emulator/Shrinker.h"

#include <map>
#include <optional>
#include <tuple>

namespace weft::oracle {

/// A row of the opcode table.
struct Function {
  Engine engine = Engine::Tiu;
  unsigned type = 0, func = 0;

  bool operator<(const Function &other) const {
    return std::tie(engine, type, func) <
           std::tie(other.engine, other.type, other.func);
  }
  bool operator==(const Function &other) const {
    return !(*this < other) && !(other < *this);
  }
};

/// The function of a command; std::nullopt if it does not decode.
std::optional<Function> functionOf(const Command &command);
std::string mnemonicOf(const Function &function);
/// The hardware's rule that the command breaks; "" if it keeps them all.
std::string brokenRule(const Command &command);
/// The command as a line of assembler.
std::string commandText(const Command &command);

/// What happened to the commands of one function.
struct Tally {
  unsigned compared = 0; ///< taken by the reference
  unsigned refused = 0, crashed = 0, hung = 0;
  unsigned mismatches = 0;
  /// Differed once, but not when repeated alone in a fresh process.
  unsigned unrepeatable = 0;
  /// Of the compared ones: those that break a rule of the hardware, which the
  /// vendor's emulator does not check.
  unsigned illegal = 0;
  unsigned longForms = 0, shortForms = 0;
  unsigned precisions = 0; ///< set of 1 << Precision, operands and results

  Tally &operator+=(const Tally &other);
  unsigned legal() const { return compared - illegal; }
  unsigned drawn() const { return compared + refused + crashed + hung; }
};
using Tallies = std::map<Function, Tally>;

/// A mismatch, shrunk.
struct Finding {
  std::string kind;
  uint64_t seed = 0;
  Outcome outcome = Outcome::Differs;
  std::string drawn;   ///< the command as drawn, disassembled
  std::string minimal; ///< shrunk, disassembled
  std::string memory;  ///< what memory held for the shrunk command
  std::string text;    ///< first differing element, or our refusal
  std::string operands;

  /// Several lines for a person, with the way to replay it.
  std::string report() const;
};

class Campaign {
public:
  Campaign(Executor &reference, Executor &ours)
      : duel(reference, ours), reference(reference) {}

  /// Draws the commands of seeds [first, first + count) and runs them; only
  /// those of `only`, if given. Shrinks at most `findingsWanted` mismatches.
  /// Returns why the kind itself is wrong ("" if it is not).
  std::string run(const Kind &kind, uint64_t first, uint64_t count,
                  std::optional<Function> only = std::nullopt,
                  unsigned findingsWanted = 1);

  /// Runs and, if it fails, shrinks the command of one seed.
  Verdict replay(const Kind &kind, uint64_t seed);

  Tallies tallies;
  std::vector<Finding> findings;
  /// Why the reference did not take commands, with one of them each: "exit with
  /// status 255, e.g. mm_fp32:17".
  std::map<std::string, std::string> refusals;
  /// The same for the rules that drawn commands break.
  std::map<std::string, std::string> brokenRules;

private:
  struct Drawn {
    uint64_t seed;
    Command command;
  };
  void account(const Kind &kind, const Drawn &drawn, const Verdict &verdict);
  void runOne(const Kind &kind, const Drawn &drawn, unsigned findingsWanted);
  void mismatch(const Kind &kind, const Drawn &drawn, unsigned findingsWanted);
  void sweep(const Kind &kind, std::vector<Drawn> &since,
             unsigned findingsWanted);
  Finding shrinkFinding(const Kind &kind, const Drawn &drawn,
                        const Verdict &verdict);
  std::string operandsOf(const Case &failing);

  Duel duel;
  Executor &reference;
};

} // namespace weft::oracle

#endif
