//===- Command.h - one command while it is being made ---------*- C++ -*-===//

#ifndef WEFT_CODEGEN_ENCODE_COMMAND_H
#define WEFT_CODEGEN_ENCODE_COMMAND_H

#include "codegen/encode/Hazards.h"
#include "dialects/ppl/Function.h"
#include "runtime/isa/CommandBuilder.h"

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
class Command {
public:
  /// The long form of type and function; the vendor's runtime does not survive
  /// the short ones.
  static Command gdma(mlir::Operation *op, const Chip &chip, isa::GdmaType type,
                      unsigned func);

  /// A command that is made already.
  Command(mlir::Operation *op, isa::CommandBuilder made)
      : op(op), builder(std::move(made)) {}

  Command &set(isa::Field field, uint64_t value);

  /// A tensor that the command reads or writes; of one in local memory also its
  /// bytes, for which the other engine may have to wait.
  void reads(const catalog::Tensor &tensor, const Chip &chip) {
    touch(readRanges, tensor, chip);
    read.push_back(tensor);
  }
  void writes(const catalog::Tensor &tensor, const Chip &chip) {
    touch(writeRanges, tensor, chip);
    written.push_back(tensor);
  }

  mlir::Operation *op;
  isa::CommandBuilder builder;
  std::vector<ByteRange> readRanges, writeRanges;
  std::vector<catalog::Tensor> read, written;
  uint64_t dramReadBytes = 0, dramWriteBytes = 0;
  bool failed = false;

  isa::Engine engine() const { return builder.engine(); }

private:
  Command &report(const rt::Status &status);
  static void touch(std::vector<ByteRange> &ranges,
                    const catalog::Tensor &tensor, const Chip &chip);
};

/// The byte ranges of a lane that a local tensor covers (an upper bound over
/// its lanes).
void appendLaneRanges(std::vector<ByteRange> &ranges,
                      const catalog::Tensor &tensor, const Chip &chip);

} // namespace weft::codegen

#endif // WEFT_CODEGEN_ENCODE_COMMAND_H
