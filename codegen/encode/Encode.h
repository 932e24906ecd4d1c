//===- Encode.h - ppl programs to command buffers -------------*- C++ -*-===//

#ifndef WEFT_CODEGEN_ENCODE_ENCODE_H
#define WEFT_CODEGEN_ENCODE_ENCODE_H

#include "dialects/ppl/Net.h"
#include "dialects/ppl/TensorLayout.h"
#include "runtime/host/Program.h"
#include "runtime/isa/Codes.h"

#include <array>
#include <vector>

namespace weft::codegen {

/// The commands of the two engines that are launched together. Ids start at 1
/// in each group.
struct CommandGroup {
  std::vector<uint8_t> tiu; ///< commands back to back, the end command included
  std::vector<uint8_t> gdma; ///< the same
  /// Where each command comes from, in order, without the end command.
  std::vector<mlir::Location> tiuLocations, gdmaLocations;

  /// Number of commands, the end command included.
  uint32_t tiuCount() const { return uint32_t(tiuLocations.size()) + 1; }
  uint32_t gdmaCount() const { return uint32_t(gdmaLocations.size()) + 1; }
};

/// A command by group, engine and position from 0 in the engine's buffer of the
/// group.
struct CommandRef {
  isa::Engine engine = isa::Engine::Tiu;
  uint32_t group = 0;
  uint32_t index = 0;
};

/// A box of an ONNX value and where it can be read while the program runs
/// (`ppl.observe`).
struct ObservedPiece {
  std::string value; ///< ONNX value name
  std::array<int64_t, 4> offset, size,
      extent; ///< elements, of the value seen as n,c,h,w
  ppl::TensorViewType type;
  ppl::Strides strides; ///< elements
  uint64_t address;     ///< local: byte inside the lane; global: DRAM address
  unsigned lane;
  mlir::RankedTensorType onnx; ///< null if not given
  float scale;
  int64_t zeroPoint;
  mlir::Location location;
  /// Last command that wrote the piece; of a piece that both engines write,
  /// neither waiting for the other, last command of one: it is there twice.
  CommandRef completeAfter;
  std::optional<CommandRef>
      overwritten; ///< first later command that writes into it
};

/// What the host does before group `group` is launched (after all groups if
/// there is none of that number).
struct HostPart {
  uint32_t group = 0;
  host::Program program;
};

/// What `ppl.net` becomes.
struct EncodedProgram {
  std::vector<CommandGroup> groups; ///< at least one
  std::vector<HostPart> hostParts;  ///< in order, at most one before a group
  std::vector<ObservedPiece> pieces;
  uint64_t dramReadBytes = 0, dramWriteBytes = 0; ///< of one inference
  uint64_t cycles = 0; ///< predicted; 0 unless scheduled
};

/// How copies are encoded.
enum class Transfers {
  Planned, ///< in the cheapest commands for what they move
  Plain,   ///< in the one command that is written
};

/// When commands are issued.
enum class Order {
  AsWritten,
  Scheduled, ///< where the cycle model says that the engines wait less
};

/// Walks the net, loops included, and makes its commands with the smallest
/// `cmd_id_dep` that keeps every read after write, write after read and write
/// after write on local memory in order. Errors are reported at the op that
/// causes them.
mlir::FailureOr<EncodedProgram>
encodeProgram(ppl::NetOp net, Transfers transfers = Transfers::Planned,
              Order order = Order::AsWritten);

} // namespace weft::codegen

#endif // WEFT_CODEGEN_ENCODE_ENCODE_H
