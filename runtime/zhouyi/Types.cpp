//===- Types.cpp - as what the operands of a call are read ---------------===//

#include "runtime/zhouyi/Types.h"
#include "runtime/numeric/Float16.h"

#include <cmath>
#include <cstdio>

using namespace weft;
using namespace weft::zhouyi;

DataType zhouyi::integerType(unsigned bits, bool isSigned) {
  switch (bits) {
  case 8:
    return isSigned ? DataType::Int8 : DataType::Uint8;
  case 16:
    return isSigned ? DataType::Int16 : DataType::Uint16;
  default:
    return isSigned ? DataType::Int32 : DataType::Uint32;
  }
}

DataType zhouyi::twinOf(DataType type) {
  return isFloat(type) ? type : integerType(bitsOf(type), !isSigned(type));
}

int64_t zhouyi::lowestOf(DataType type) {
  return isSigned(type) ? -(int64_t(1) << (bitsOf(type) - 1)) : 0;
}

int64_t zhouyi::highestOf(DataType type) {
  return (int64_t(1) << (bitsOf(type) - isSigned(type))) - 1;
}

unsigned zhouyi::registerLanes(const Call &call, DataType type) {
  return call.chip->vector.registerBytes / bytesOf(type);
}

bool zhouyi::isWide(const Argument &argument) {
  return argument.isVector() && argument.vector.lanes > 1;
}

bool zhouyi::isScalar(const Argument &argument) {
  return argument.isNumber() ||
         (argument.isVector() && argument.vector.lanes == 1);
}

std::string zhouyi::textOf(const Argument &argument) {
  if (argument.kind == Argument::Kind::Integer)
    return std::to_string(argument.integer);
  if (argument.kind == Argument::Kind::Float) {
    char buffer[40];
    std::snprintf(buffer, sizeof(buffer), "%.9g", argument.real);
    std::string text = buffer;
    // A float that is whole must not look like an integer.
    return text.find_first_not_of("-0123456789") == std::string::npos
               ? text + ".0"
               : text;
  }
  return (isScalar(argument) ? "a scalar " : "") + argument.vector.text();
}

bool zhouyi::rangeFits(DataType from, DataType to) {
  unsigned bits = bitsOf(from);
  if (bits != 8 && bits != 16 && bits != 32) // no type of the document
    return false;
  if (isFloat(from) || isFloat(to))
    return from == to || (from == DataType::Fp16 && to == DataType::Fp32);
  return lowestOf(from) >= lowestOf(to) && highestOf(from) <= highestOf(to);
}

bool zhouyi::numberFits(const Argument &number, DataType type) {
  if (isFloat(type)) {
    bool isFinite = std::isfinite(number.number());
    uint32_t infinity = type == DataType::Fp16 ? 0x7c00u : 0x7f800000u;
    uint32_t magnitude = constantBits(number, type) &
                         (type == DataType::Fp16 ? 0x7fffu : 0x7fffffffu);
    return !isFinite || magnitude < infinity;
  }
  return number.kind == Argument::Kind::Integer &&
         number.integer >= lowestOf(type) && number.integer <= highestOf(type);
}

std::optional<DataType> zhouyi::scalarType(const Argument &scalar,
                                           DataType type) {
  for (DataType candidate : {type, twinOf(type)})
    if (scalar.isNumber() ? numberFits(scalar, candidate)
                          : rangeFits(scalar.vector.type, candidate))
      return candidate;
  return std::nullopt;
}

const Argument *
zhouyi::vectorAmong(const Call &call,
                    std::initializer_list<std::string_view> slots) {
  for (std::string_view slot : slots)
    if (const Argument &argument = call[slot]; isWide(argument))
      return &argument;
  return nullptr;
}

/// The vector that the scalars of a call follow.
static VectorType leadOf(const Call &call) {
  if (const Argument *vector = vectorAmong(call, {"x", "y"}))
    return vector->vector;
  // fma beside scalars, or calls of scalars only.
  return call.operation->slot("acc") ? call["acc"].vector : call["x"].vector;
}

VectorType zhouyi::operandType(const Call &call, std::string_view slot) {
  const Argument &argument = call[slot];
  if (slot == "r") // a twin is read bit by bit as the result's type
    return call.operation->result(call);
  if (!isScalar(argument) || slot == "acc")
    return argument.vector;
  VectorType lead = leadOf(call);
  if (call.operation->slot("min_val"))
    return lead; // bounds have no twin
  return {scalarType(argument, lead.type).value_or(lead.type), lead.lanes};
}

uint32_t zhouyi::constantBits(const Argument &number, DataType type) {
  bool isInteger = number.kind == Argument::Kind::Integer;
  switch (type) {
  case DataType::Fp32:
    // Each a single rounding.
    return numeric::floatBits(isInteger ? static_cast<float>(number.integer)
                                        : static_cast<float>(number.real));
  case DataType::Fp16:
    if (std::isnan(number.number()))
      return 0x7e00;
    return numeric::doubleToHalf(number.number());
  default:
    return static_cast<uint32_t>(static_cast<uint64_t>(number.integer));
  }
}
