//===- ProgramDifference.h - two programs of one model ----------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_PROGRAMDIFFERENCE_H
#define WEFT_TOOLS_WEFT_PROGRAMDIFFERENCE_H

#include "runtime/bmodel/Bmodel.h"
#include "runtime/isa/Decode.h"

#include <optional>
#include <string>
#include <vector>

namespace weft::cli {

/// A field of a command that another value was expected in.
struct FieldDifference {
  isa::Field field;
  uint64_t value = 0, expected = 0;
};

/// A command that another one was expected for.
struct CommandDifference {
  size_t group = 0;
  isa::Engine engine = isa::Engine::Tiu;
  size_t index = 0; ///< in the engine's buffer of the group
  /// Views of the programs' bytes.
  isa::Decoded command, expected;
  /// Empty: it is another instruction.
  std::vector<FieldDifference> fields;
};

/// Commands of one stream that a file lacks, or has besides; the others are the
/// same but for their numbers.
struct MissingCommands {
  size_t group = 0;
  isa::Engine engine = isa::Engine::Tiu;
  size_t index = 0; ///< of the first, in the stream that has them
  size_t count = 0;
  bool areExtra = false; ///< else they are missing
  isa::Decoded first;    ///< a view of the bytes of the one that has it
};

/// A constant whose bytes differ.
struct ConstantDifference {
  std::string name;              ///< of the file's list; "" where that has none
  uint64_t offset = 0, size = 0; ///< in the weights
  uint64_t unequal = 0;          ///< bytes
  uint64_t firstUnequal = 0;     ///< offset in the weights
};

/// What is wrong in what a file says beside commands and constants.
enum class FactKind : uint8_t { Name, Type, Size, Scale, Address, Host };

/// Something that a file says of a stage where another was expected.
struct FactDifference {
  FactKind kind = FactKind::Name;
  std::string text; ///< "the scale of input 'x' is 2 for 1"
  std::string node; ///< of the ONNX graph, of an operation of the host; or ""
};

/// What a stage has and another, that it should be, has not.
struct ProgramDifference {
  /// Why the commands cannot be set side by side; empty: they were.
  std::string obstacle;
  /// By group, TIU before GDMA, and index.
  std::vector<CommandDifference> commands;
  /// Then the obstacle says that there are others, and nothing else is known.
  std::optional<MissingCommands> missing;
  std::vector<ConstantDifference> constants; ///< by offset
  /// Inputs, outputs, programs of the host, places in DRAM, layers.
  std::vector<FactDifference> facts;

  /// "2 commands, 1 constant"; of one that has an obstacle that.
  std::string text() const;
  bool isEmpty() const {
    return obstacle.empty() && commands.empty() && constants.empty() &&
           facts.empty();
  }
};

/// Both models outlive the result.
ProgramDifference differenceOf(const rt::StageSpec &stage,
                               const rt::StageSpec &expected, const Chip &chip);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_PROGRAMDIFFERENCE_H
