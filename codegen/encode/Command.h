//===- Command.h - one command while it is being made ---------*- C++ -*-===//

#ifndef WEFT_CODEGEN_ENCODE_COMMAND_H
#define WEFT_CODEGEN_ENCODE_COMMAND_H

#include "dialects/ppl/Function.h"
#include "runtime/isa/CommandBuilder.h"
#include "runtime/transfer/Transfer.h"

#include <optional>

namespace weft::codegen {

/// A tensor operand with its address evaluated.
struct Placed {
  ppl::TensorViewType type;
  uint64_t address = 0; ///< local: byte inside the lane; global: DRAM; static:
                        ///< byte inside static memory
  unsigned lane = 0;
  ppl::Strides strides = {};
  /// The same as the catalog describes it.
  catalog::Tensor tensor() const;
};

/// A command of the encoder: the builder of the instruction table, which checks
/// every field, with the op that it is for and the memory that it touches. The
/// first violation is reported at the op and marks the command as failed.
struct Command {
  /// The long form of type and function; the vendor's runtime does not survive
  /// the short ones.
  static Command gdma(mlir::Operation *op, const Chip &chip, isa::GdmaType type,
                      unsigned func);

  /// A command that is made already.
  Command(mlir::Operation *op, isa::CommandBuilder made)
      : op(op), builder(std::move(made)) {}

  Command &set(isa::Field field, uint64_t value);

  void reads(const catalog::Tensor &tensor) { read.push_back(tensor); }
  void writes(const catalog::Tensor &tensor) { written.push_back(tensor); }

  mlir::Operation *op;
  isa::CommandBuilder builder;
  std::vector<catalog::Tensor> read, written;
  uint64_t dramReadBytes = 0, dramWriteBytes = 0;
  /// If it is one of several of a transfer, which touches less than the tensors
  /// above.
  std::optional<transfer::Command> piece;
  bool failed = false;

  isa::Engine engine() const { return builder.engine(); }

private:
  Command &report(const rt::Status &status);
};

} // namespace weft::codegen

#endif // WEFT_CODEGEN_ENCODE_COMMAND_H
