/// One command on two emulators, from the same memory, and what differs after.
#ifndef WEFT_TESTS_ORACLE_EMULATOR_DUEL_H
#define WEFT_TESTS_ORACLE_EMULATOR_DUEL_H

#include "tests/oracle/emulator/Executor.h"
#include "tests/oracle/emulator/MemoryContents.h"

namespace weft::oracle {

enum class Outcome {
  Equal,
  ReferenceRefuses, ///< says nothing about ours
  ReferenceCrashes,
  ReferenceHangs,
  Differs,
  OursRefuses, ///< what the reference takes
};
const char *outcomeName(Outcome outcome);

/// A wrong outcome of ours.
constexpr bool isMismatch(Outcome outcome) {
  return outcome >= Outcome::Differs;
}

struct Verdict {
  Outcome outcome = Outcome::Equal;
  /// Of a mismatch: the first differing element of both sides, or our message;
  /// else why the reference did not take the command.
  std::string text;
};

/// Runs commands from one state of memory: each sees the recipe's contents,
/// whatever ran before.
///
/// Speed: after a command only the surroundings of its result are compared and
/// put back; sweep() does so for all memory.
class Duel {
public:
  Duel(Executor &reference, Executor &ours) : reference(reference), ours(ours) {
    for (const AreaSpec &spec : kAreas)
      pristineBytes[size_t(spec.area)].resize(spec.bytes);
  }

  /// Prepares memory; cheap if it is prepared already.
  void load(const MemoryRecipe &recipe);

  /// `thorough`: compares and restores all memory, in a fresh process of the
  /// reference.
  Verdict run(const Command &command, const Bound &bound, bool thorough);

  /// Local memory as the next command will find it.
  const uint8_t *localBefore() const { return pristine(Area::Local); }

  /// The words that the loaded recipe keeps of the random contents, if few.
  std::string keptWords() const;

  /// Compares and restores all memory: catches what wrote far from its result.
  /// False if something differed.
  bool sweep();

private:
  struct Window {
    uint8_t *ours, *reference;
    const uint8_t *pristine;
    uint64_t at;  ///< address of the first byte, as GDMA sees it
    size_t bytes; ///< at most; the scan ends after `quiet` unchanged bytes
    size_t quiet;
  };
  struct Scan;
  std::vector<Window> windowsOf(const Command &command);
  std::vector<Window> everything();
  void scan(const Window &window, Scan &scan);
  uint8_t *pristine(Area area) { return pristineBytes[size_t(area)].data(); }
  const uint8_t *pristine(Area area) const {
    return pristineBytes[size_t(area)].data();
  }
  Window windowAt(const AreaSpec &spec, size_t offset, size_t end,
                  size_t quiet);
  void poke(const Command &command, bool undo);
  void restore();

  Executor &reference, &ours;
  MemoryRecipe loaded;
  std::vector<uint8_t> pristineBytes[std::size(kAreas)]; ///< by Area
  std::vector<std::vector<uint8_t>> covered; ///< what pokes lie over
};

} // namespace weft::oracle

#endif
