//===- Decisions.h - what the compiler decided, and why ---------*- C++ -*-===//

#ifndef WEFT_RUNTIME_BMODEL_DECISIONS_H
#define WEFT_RUNTIME_BMODEL_DECISIONS_H

#include "runtime/bmodel/Bmodel.h"
#include "runtime/bmodel/DecisionKinds.h"

#include <optional>
#include <string>
#include <vector>

namespace weft::rt {

/// The ONNX nodes of a source of the debug map.
struct SourceNodes {
  const wire::DebugMap *map = nullptr;
  const flatbuffers::Vector<uint32_t> *indices = nullptr; ///< null: none

  size_t size() const { return indices ? indices->size() : 0; }
  bool empty() const { return size() == 0; }
  const wire::DebugNode &operator[](size_t index) const {
    return *map->nodes()->Get(indices->Get(uint32_t(index)));
  }
};

/// An operation of the compiler and the ONNX nodes that it comes from.
struct DecidedOperation {
  std::string_view name; ///< "conv"
  SourceNodes nodes;
};

/// Why ops do not go on in one group.
struct DecidedCause {
  Cause kind = Cause::Cost;
  DecidedOperation operation; ///< in the way
  uint64_t asked = 0, limit = 0;

  /// The sentence of the kind about this operation.
  std::string text() const;
};

/// A layer group, or an operation outside of groups.
struct DecidedStep {
  DecidedOperation first; ///< the operation itself outside of groups
  SourceNodes lastNodes;
  uint32_t opCount = 0; ///< 0: no group
  std::array<uint32_t, 4> slices{1, 1, 1, 1};
  std::optional<DecidedCause> border; ///< none: nothing follows
  uint64_t cycles = 0; ///< of a group, as the search for groups expects them
  bool isStreamed = false; ///< each slice runs as a group of one slice does
  /// What no slices and no places spare a group: cycles of its operations on
  /// whole tensors, bytes that DRAM reads or writes once.
  uint64_t computing = 0, constantBytes = 0, valueBytes = 0;

  bool isGroup() const { return opCount != 0; }
};

/// A value in DRAM that is not only an input or output of the net.
struct DramValue {
  std::string_view name; ///< ONNX's; empty if it has none
  numeric::ElementType type = numeric::ElementType::F32;
  std::array<uint32_t, 4> shape{1, 1, 1, 1};
  uint64_t bytes = 0; ///< that are written for it
  size_t step = 0;    ///< that makes it
  SourceNodes nodes;
  std::vector<size_t> readers; ///< steps
  DramReason reason = DramReason::Border;
  std::optional<DecidedCause> cause;
};

/// A way to do an operation.
struct DecidedWay {
  std::string_view name;
  std::optional<uint64_t> price; ///< in the unit of the question
};

struct DecidedChoice {
  Question question = Question::Recipe;
  DecidedOperation operation;
  std::vector<DecidedWay> ways;
  size_t taken = 0;
};

/// All of one stage. Names and nodes are views of the model's bytes.
struct Decisions {
  std::vector<DecidedStep> steps; ///< in the order of the program
  std::vector<DramValue> values;
  std::vector<DecidedChoice> choices;
};

/// Those of a verified stage; std::nullopt if the file has none.
std::optional<Decisions> readDecisions(const StageSpec &stage);

} // namespace weft::rt

#endif // WEFT_RUNTIME_BMODEL_DECISIONS_H
