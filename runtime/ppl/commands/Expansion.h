//===- Expansion.h - one call while it becomes commands ---------*- C++ -*-===//

#ifndef WEFT_RUNTIME_PPL_COMMANDS_EXPANSION_H
#define WEFT_RUNTIME_PPL_COMMANDS_EXPANSION_H

#include "runtime/chips/Chip.h"
#include "runtime/isa/Codes.h"
#include "runtime/ppl/Commands.h"

namespace weft::commands {

using catalog::AlignMode;
using catalog::Call;
using catalog::DataType;
using catalog::Dims;
using catalog::integerType;
using catalog::Memory;
using catalog::Operand;
using catalog::precisionOf;
using isa::Field;
using rt::Status;

/// Bits of a number as an element of a type; floats are rounded to the nearest,
/// ties to even.
uint32_t elementBits(DataType type, double value);

/// An argument of a call that an expansion makes.
struct Given {
  Given() = default;
  Given(const Operand &tensor) : tensor(tensor) {}
  Given(int64_t integer) : isInteger(true), integer(integer) {}
  Given(double real) : isReal(true), real(real) {}

  Operand tensor;
  bool isInteger = false, isReal = false;
  int64_t integer = 0;
  double real = 0;
};

/// Addresses, or the lack of them, that scratch buffers get; the list that all
/// calls of one expansion add to.
struct Output {
  catalog::CommandList list;
  const std::vector<uint64_t> *scratch = nullptr;
  Status status; ///< the first failure
};

/// One call while it becomes commands.
class Expansion {
public:
  /// `operands`: the tensors of the call by slot, which know where they come
  /// from.
  Expansion(const Call &call, std::vector<Operand> operands, Output &output)
      : call(call), chip(*call.chip), operands(std::move(operands)),
        output(output) {}

  const Call &call;
  const Chip &chip;

  // The arguments by slot.
  /// Nothing if the slot holds a number or is left out.
  Operand tensor(std::string_view slot) const;
  bool has(std::string_view slot) const;
  bool hasSlot(std::string_view slot) const {
    return call.operation->slotIndex(slot) >= 0;
  }
  /// Integer, flag or choice; the slot's fallback if left out.
  /// 0 if the function has no such slot.
  int64_t integer(std::string_view slot) const {
    return hasSlot(slot) ? call.integer(slot) : 0;
  }
  double real(std::string_view slot) const {
    return hasSlot(slot) ? call.real(slot) : 0;
  }

  // Tensors.
  /// Scratch memory in the local one, channel 0 in `lane`.
  Operand temporary(const Dims &shape, DataType type,
                    AlignMode layout = AlignMode::Aligned, unsigned lane = 0);
  /// The same in L2, without gaps.
  Operand systemTemporary(const Dims &shape, DataType type);
  /// A row of static memory.
  Operand staticRow(uint64_t byte, int64_t count, DataType type) const;
  /// The part of `tensor` that begins at `offset` (n, c, h, w), and `bytes`
  /// behind it, with this shape and the strides of a layout or its own.
  Operand part(const Operand &tensor, const Dims &offset, const Dims &shape,
               AlignMode layout, int64_t bytes = 0) const;
  Operand part(const Operand &tensor, const Dims &offset, const Dims &shape,
               const Dims &strides, int64_t bytes = 0) const;
  /// The same bytes as elements of another type of that width.
  static Operand as(Operand tensor, DataType type) {
    tensor.type = type;
    return tensor;
  }
  /// The tensor as unsigned integers of its width, for commands that move
  /// bits: the machine has no 8-bit floats, and a NaN stays what it is.
  static Operand bits(const Operand &tensor) {
    return as(tensor, integerType(catalog::bitsOf(tensor.type), false));
  }
  /// For commands that copy and apply no rule of floats: the tensor's own type,
  /// or unsigned integers of its width where the machine has no such type.
  static DataType copiedAs(DataType type) {
    return catalog::kAnyElement.contains(type)
               ? type
               : integerType(catalog::bitsOf(type), false);
  }
  /// The tensor with its layout named: a part may lie as the layout's rule says
  /// and yet have strides of its own. The function's rules have checked it.
  Operand named(Operand tensor, AlignMode layout) const;

  /// Calls `emit` with the tensors, or, where strides of n or c do not fit into
  /// the 16 bits that a command has, with one image or one row of lanes of each
  /// after the other. All have the same n and c and start in `lane`.
  void
  eachPart(const std::vector<Operand> &tensors, unsigned lane,
           const std::function<void(const std::vector<Operand> &)> &emit) const;

  // What comes out.
  /// Another function of the catalog; trailing arguments may be missing.
  void function(std::string_view name, const std::vector<Given> &arguments);
  /// A copy for the DMA planner.
  void copy(const Operand &dst, const Operand &src);
  void append(catalog::CommandStep step);
  void fail(Status status);

  /// The failure of a form without commands.
  Status unsupported(const std::string &why) const {
    return rt::fail(rt::Code::Unsupported, why);
  }

private:
  std::vector<Operand> operands;
  Output &output;
};

using Expand = Status (*)(Expansion &);
struct ExpandRow {
  std::string_view name; ///< of the function: "tiu.fadd"
  Expand expand;
};

// One table a group of the catalog, in <Group>.cpp.
#define PPL_GROUP(group, engine, header)                                       \
  std::vector<ExpandRow> group##Expansions();
#include "runtime/ppl/Groups.def"

} // namespace weft::commands

#endif // WEFT_RUNTIME_PPL_COMMANDS_EXPANSION_H
