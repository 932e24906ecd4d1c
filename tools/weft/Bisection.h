//===- Bisection.h - where a program goes wrong, and why --------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_BISECTION_H
#define WEFT_TOOLS_WEFT_BISECTION_H

#include "tools/weft/ConversionCheck.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace weft::cli {

/// The steps from ONNX to commands, and what may be wrong in one; rows of
/// BisectionTables.def.
enum class BisectedStage : uint8_t {
#define WEFT_BISECTED_STAGE(Id, key, help) Id,
#include "tools/weft/BisectionTables.def"
};
enum class FaultCause : uint8_t {
#define WEFT_FAULT_CAUSE(Id, key, help) Id,
#include "tools/weft/BisectionTables.def"
};
const char *keyOf(BisectedStage stage);
const char *keyOf(FaultCause cause);

/// A node of the ONNX graph.
struct FaultyNode {
  std::string name, opType;
  int32_t index = -1; ///< in the graph, functions inlined; -1: none
};

/// The first command that is wrong.
struct FaultyCommand {
  size_t stage = 0, group = 0;
  isa::Engine engine = isa::Engine::Tiu;
  size_t index = 0; ///< in the engine's buffer of the group
  std::string text; ///< as `weft disasm` prints it
  /// What it should be; "" if that is not known.
  std::string expected;
  /// "opd0_addr is 0x40 for 0x0", one a field.
  std::vector<std::string> fields;
};

/// What a bisection comes to.
struct Bisection {
  BisectedStage stage = BisectedStage::None;
  FaultCause cause = FaultCause::None;
  std::string text;               ///< a sentence
  std::vector<FaultyNode> nodes;  ///< that the operation stands for
  std::optional<StoredRow> value; ///< the first that is wrong
  std::optional<FaultyCommand> command;
  size_t otherCommands = 0; ///< further ones that differ
  std::string listing;      ///< the commands around it
  std::string reproducer;   ///< what became of --reproducer
};

/// Where the program of `check`, which has run, goes wrong: `found` and `run`
/// are of its last run, on `files`.
rt::Result<Bisection> bisect(const ConversionCheck &check, const ModelRun &run,
                             const samples::SampleFiles &files,
                             const SampleComparison &found);

std::string toText(const Bisection &bisection);
nlohmann::ordered_json toJson(const Bisection &bisection);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_BISECTION_H
