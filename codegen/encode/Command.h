//===- Command.h - one command while it is being made ---------*- C++ -*-===//

#ifndef WEFT_CODEGEN_ENCODE_COMMAND_H
#define WEFT_CODEGEN_ENCODE_COMMAND_H

#include "codegen/encode/Hazards.h"
#include "dialects/ppl/Verify.h"
#include "runtime/isa/Isa.h"

namespace weft::codegen {

/// A tensor operand with its address evaluated.
struct Placed {
  ppl::TensorViewType type;
  uint64_t address = 0; ///< local: byte inside the lane; global: DRAM; static:
                        ///< byte inside static memory
  unsigned lane = 0;
  ppl::Strides strides = {};
  const Chip *chip = nullptr; ///< whose memories these are; never null

  isa::Precision precision() const {
    return *ppl::precisionOf(type.getElementType());
  }
  bool isSigned() const { return ppl::isSigned(type); }
};

/// A command word with the checks of the instruction table: each field is set
/// by name and must exist in the form and hold the value. The first violation
/// is reported at the op by `status`.
class Command {
public:
  /// The short TIU form of type and function.
  static Command tiu(mlir::Operation *op, isa::TiuType type, unsigned func);
  /// The long GDMA form of type and function (the vendor's runtime does not
  /// survive short ones).
  static Command gdma(mlir::Operation *op, isa::GdmaType type, unsigned func);

  Command &set(isa::Field field, uint64_t value);
  /// A signed value in two's complement of the field's width.
  Command &setSigned(isa::Field field, int64_t value);

  /// Bytes of local memory that the command reads or writes.
  void reads(const Placed &tensor) { touch(readRanges, tensor); }
  void writes(const Placed &tensor) {
    touch(writeRanges, tensor);
    written.push_back(tensor);
  }

  mlir::Operation *op;
  isa::Engine engine;
  isa::Form form;
  std::array<uint8_t, 128> word{};
  std::vector<ByteRange> readRanges, writeRanges;
  std::vector<Placed> written;
  uint64_t dramReadBytes = 0, dramWriteBytes = 0;
  bool failed = false;

private:
  Command(mlir::Operation *op, isa::Engine engine, isa::Form form)
      : op(op), engine(engine), form(form) {}
  static void touch(std::vector<ByteRange> &ranges, const Placed &tensor);
};

/// The byte ranges of a lane that a local tensor covers (an upper bound over
/// its lanes).
void appendLaneRanges(std::vector<ByteRange> &ranges, const Placed &tensor);

} // namespace weft::codegen

#endif // WEFT_CODEGEN_ENCODE_COMMAND_H
