//===- Types.h - as what the operands of a call are read --------*- C++ -*-===//
//
// A vector is read as it is. A scalar (a constant number, or a variable: a
// vector of one lane) becomes a vector of the type of the vector beside it;
// where it does not fit that, and the type is an integer, of its twin, the type
// of the same width and the other sign.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_ZHOUYI_TYPES_H
#define WEFT_RUNTIME_ZHOUYI_TYPES_H

#include "runtime/catalog/Catalog.h"

#include <initializer_list>
#include <optional>
#include <string>

namespace weft::zhouyi {

using catalog::Argument;
using catalog::Call;
using catalog::DataType;
using catalog::VectorType;

/// The integer type of 8, 16 or 32 bits.
DataType integerType(unsigned bits, bool isSigned);
/// Same width, other sign; a float is its own twin.
DataType twinOf(DataType type);
/// Smallest and largest value of an integer type.
int64_t lowestOf(DataType type);
int64_t highestOf(DataType type);

/// Lanes of one register of the call's chip.
unsigned registerLanes(const Call &call, DataType type);

/// More than one lane.
bool isWide(const Argument &argument);
/// A constant number or a variable of one lane.
bool isScalar(const Argument &argument);
/// "int8x32", "a scalar int16", "300".
std::string textOf(const Argument &argument);

/// Every value of `from` is one of `to`; both integers or both floats.
bool rangeFits(DataType from, DataType to);
/// A number fits an element type: an integer type takes integers of its range,
/// a float type every number whose rounding to it does not overflow.
bool numberFits(const Argument &number, DataType type);
/// What a scalar is read as beside elements of `type`; empty if it fits neither
/// that nor its twin.
std::optional<DataType> scalarType(const Argument &scalar, DataType type);

/// The first of the slots that holds a vector of more lanes than one; nullptr
/// if none does.
const Argument *vectorAmong(const Call &call,
                            std::initializer_list<std::string_view> slots);

/// The type that x, y, acc, r, min_val or max_val of a legal call is read as
/// (see the head of this file).
VectorType operandType(const Call &call, std::string_view slot);

/// The bits of a legal call's number as an element of `type`, in the low bits.
/// Integers beyond the type are taken modulo its width.
uint32_t constantBits(const Argument &number, DataType type);

} // namespace weft::zhouyi

#endif // WEFT_RUNTIME_ZHOUYI_TYPES_H
