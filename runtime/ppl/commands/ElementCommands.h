//===- ElementCommands.h - commands of element functions --------*- C++ -*-===//

#ifndef WEFT_RUNTIME_PPL_COMMANDS_ELEMENTCOMMANDS_H
#define WEFT_RUNTIME_PPL_COMMANDS_ELEMENTCOMMANDS_H

#include "runtime/ppl/commands/CommandFields.h"

namespace weft::commands {

/// An operand of a command: a tensor, or the bits of a constant.
struct Element {
  Operand tensor;
  DataType type = DataType::Fp32; ///< of the elements, also of a constant
  uint32_t bits = 0;

  Element() = default;
  Element(const Operand &tensor) : tensor(tensor), type(tensor.type) {}
  Element(DataType type, uint32_t bits) : type(type), bits(bits) {}
  bool isConstant() const { return !tensor; }
};

/// What some functions of AR take besides two operands.
struct ArithOptions {
  int64_t code = 0; ///< `opd2_n_str`: rounding, or Newton steps - 1
  /// The third operand: a constant, or one int8 a channel.
  std::optional<uint32_t> third;
  Operand shift;
  std::optional<DataType> thirdType;
  bool readsResult = false;
  bool firstIsUnsigned = false;
  bool areSigned = true; ///< whether operands say their sign

  /// `amount` shifts the result of integer arithmetic: a number, or a tensor
  /// with one a channel.
  static ArithOptions shifted(const Element &amount, int64_t rounding);
};

/// Makes the commands of one function of the catalog whose tensors have the
/// shape of its result, or are repeated along some axes, and start in its lane.
class ElementCommands {
public:
  /// `result`: the slot that gives shape and lane.
  ElementCommands(Expansion &expansion, std::string_view result)
      : ElementCommands(expansion, expansion.tensor(result)) {}
  ElementCommands(Expansion &expansion, const Operand &result)
      : e(expansion), lane(result.lane), shape(result.shape) {}

  // Operands.
  DataType typeOf(std::string_view slot) const { return e.tensor(slot).type; }
  /// The tensor of a slot, or its number as an element of `type`.
  Element operand(std::string_view slot, DataType type) const;
  /// The same for integers of any type: a number beside `other`, the operand
  /// that is a tensor, is an element of its type if it fits; else it has 32
  /// bits and the sign that `isSigned` prefers.
  Element wholeOperand(std::string_view slot, std::string_view other,
                       bool isSigned) const;
  static Element constant(DataType type, double value) {
    return {type, elementBits(type, value)};
  }
  /// An integer beside elements of `beside`: of their type if it fits, else of
  /// 32 bits with a sign.
  static Element whole(int64_t value, DataType beside);

  // Memory.
  /// Scratch memory of the result's shape and lane, aligned.
  Operand room(DataType type) {
    return e.temporary(shape, type, AlignMode::Aligned, lane);
  }
  /// `tensor`, or a copy of it that is aligned.
  Operand aligned(const Operand &tensor);
  /// The first `count` entries of a table of static memory in every lane. One
  /// that has no form of `type` is converted.
  Operand table(int64_t mode, int64_t count, DataType type);

  // Commands.
  /// AR `func`. Operands are repeated to the shape of `dst`.
  Status arith(unsigned func, const Operand &dst,
               const std::vector<Element> &operands,
               const ArithOptions &options = {});
  void copy(const Operand &dst, const Element &src);
  void cast(const Operand &dst, const Operand &src, int64_t rounding = 0);
  /// The same where a failure ends the expansion all the same.
  void apply(unsigned func, const Operand &dst,
             const std::vector<Element> &operands,
             const ArithOptions &options = {}) {
    e.fail(arith(func, dst, operands, options));
  }
  /// CMP `func`; all tensors are aligned and of the result's shape, but the
  /// first two may have one element a channel in one row of lanes. `extreme`,
  /// if there is one, gets the larger or smaller of these two.
  void select(unsigned func, const Operand &dst,
              const std::vector<Element> &sources, const Operand &extreme = {});
  /// Horner's rule; dst and src are aligned.
  void taylor(const Operand &dst, const Operand &src, const Operand &table,
              int64_t count);
  /// SFU `func` with `code` in `opd2_n_str`; dst and src are aligned.
  void special(unsigned func, const Operand &dst, const Operand &src,
               int64_t code, int64_t steps = 0);

  Expansion &e;
  const unsigned lane;

private:
  /// A source as a tensor of the shape of `dst`, with stride 0 along the axes
  /// on which it is repeated.
  Operand spread(const Operand &source, const Operand &dst);
  Operand replicated(const Operand &source);

  Dims shape;
};

/// Channel 0 of `src`, or a row of static memory, to the lanes of `dst`; both
/// aligned.
void broadcastLane(Expansion &e, const Operand &dst, const Operand &src);

} // namespace weft::commands

#endif // WEFT_RUNTIME_PPL_COMMANDS_ELEMENTCOMMANDS_H
