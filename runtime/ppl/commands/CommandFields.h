//===- CommandFields.h - one command while it is made -----------*- C++ -*-===//

#ifndef WEFT_RUNTIME_PPL_COMMANDS_COMMANDFIELDS_H
#define WEFT_RUNTIME_PPL_COMMANDS_COMMANDFIELDS_H

#include "runtime/ppl/commands/Expansion.h"

namespace weft::commands {

/// The fields of an operand's constant-or-address on the TIU.
struct OperandFields {
  Field address, isConstant;
};
/// Of operands 0 to 3.
extern const OperandFields kOperandFields[4];

/// Fields and tensors of one TIU command.
class TiuCommand {
public:
  explicit TiuCommand(Expansion &e) : e(e) {}

  TiuCommand &set(Field field, int64_t value) {
    fields.emplace_back(field, uint64_t(value));
    return *this;
  }
  TiuCommand &
  set(std::initializer_list<std::pair<Field, int64_t>> fieldsAndValues) {
    for (auto [field, value] : fieldsAndValues)
      set(field, value);
    return *this;
  }
  TiuCommand &reads(Field address, const Operand &tensor) {
    return bind(address, tensor, true, false);
  }
  TiuCommand &writes(Field address, const Operand &tensor) {
    return bind(address, tensor, false, true);
  }
  TiuCommand &updates(Field address, const Operand &tensor) {
    return bind(address, tensor, true, true);
  }
  /// Address and precision of the result. With `adds` it is read too, as
  /// `accumulator` if there is one.
  TiuCommand &result(const Operand &dst, bool adds = false,
                     const Operand &accumulator = {});
  /// n, c, h, w of the result.
  TiuCommand &resultShape(const Dims &shape);
  /// Operand `which` is a tensor, or the constant `bits` if there is none.
  TiuCommand &operand(unsigned which, const Operand &tensor, uint32_t bits);
  /// Window, padding and the h and w of operand 0, from the call's arguments.
  TiuCommand &window(const Operand &src);
  /// Adds the command to the expansion's.
  void make(isa::TiuType type, unsigned func);

private:
  TiuCommand &bind(Field address, const Operand &tensor, bool reads,
                   bool writes);

  Expansion &e;
  std::vector<std::pair<Field, uint64_t>> fields;
  std::vector<catalog::OperandAccess> accesses;
};

/// The fields of one side of a GDMA command.
struct GdmaSide {
  Field addressLow, addressHigh;
  Field sizes[4], strides[4]; ///< n, c, h, w
};
extern const GdmaSide kSource, kDestination;

/// Fields and tensors of one GDMA command.
class GdmaCommand {
public:
  explicit GdmaCommand(Expansion &e) : e(e) {}

  GdmaCommand &set(Field field, int64_t value) {
    fields.emplace_back(field, uint64_t(value));
    return *this;
  }
  /// The code of the element type.
  GdmaCommand &format(Field field, const Operand &tensor) {
    return set(field, int64_t(precisionOf(tensor.type)));
  }
  GdmaCommand &sizes(const GdmaSide &side, const Dims &shape);
  GdmaCommand &strides(const GdmaSide &side, const Dims &strides);
  GdmaCommand &bind(Field low, Field high, const Operand &tensor, bool reads,
                    bool writes);
  GdmaCommand &reads(const Operand &source) {
    return bind(kSource.addressLow, kSource.addressHigh, source, true, false);
  }
  GdmaCommand &writes(const Operand &destination) {
    return bind(kDestination.addressLow, kDestination.addressHigh, destination,
                false, true);
  }
  GdmaCommand &updates(const Operand &destination) {
    return bind(kDestination.addressLow, kDestination.addressHigh, destination,
                true, true);
  }
  void make(isa::GdmaType type, unsigned func);

private:
  Expansion &e;
  std::vector<std::pair<Field, uint64_t>> fields;
  std::vector<catalog::OperandAccess> accesses;
};

inline int64_t codeOf(const Operand &tensor) {
  return int64_t(precisionOf(tensor.type));
}

/// True if the operand counts as signed; see catalog::isSignedOperand.
bool isSignedOperand(const Expansion &e, std::string_view slot);

/// What lies at `dst`, seen as the accumulator of result_add; nothing if it has
/// the type of dst.
Operand accumulatorOf(const Expansion &e, std::string_view dst);

} // namespace weft::commands

#endif // WEFT_RUNTIME_PPL_COMMANDS_COMMANDFIELDS_H
