//===- ElementRules.h - rules of element functions ------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_PPL_ROWS_ELEMENTRULES_H
#define WEFT_RUNTIME_PPL_ROWS_ELEMENTRULES_H

#include "runtime/catalog/Slots.h"

namespace weft::catalog {

/// A number for an integer tensor is whole and has at most the bits of `dst`,
/// as a signed or an unsigned number.
Rule numberFits(std::string_view name, std::string_view dst);
/// A number is whole and in [low, high].
Rule numberInRange(std::string_view name, int64_t low, int64_t high);
/// A number is whole and in [-2^31, 2^32 - 1].
Rule wordFits(std::string_view name);
/// A number is whole and in [-128, 255].
Rule byteFits(std::string_view name);
/// dst of src0 and src1 is unsigned exactly if both are. Numbers go with
/// either, but negative ones make dst signed.
Rule signOfResult();
/// `name` is 1 x c x 1 x 1 with the channels of `dst`.
Rule onePerChannel(std::string_view name, std::string_view dst);
/// Elements of `name` have no more bits than those of `of`.
Rule notWider(std::string_view name, std::string_view of);
/// Where floats saturate: by chip and type.
Rule floatSaturation();
/// Conversions from and to floats take the first five modes on BM1684X.
Rule floatRounding();
/// The base of a logarithm: positive, finite and not 1.
Rule logarithmBase(std::string_view name);
/// A table that each lane has a copy of: 1 x lanes x 1 x at least `entries`.
Rule tableShape(std::string_view name, int64_t entries);

/// True if converting `from` into `to` rounds.
bool castRounds(DataType from, DataType to);

/// What is wrong, or nothing.
std::string halfSwapProblem(const Call &call);
std::string rotationProblem(const Call &call);
std::string widthProblem(const Call &call, std::string_view a,
                         std::string_view b);

} // namespace weft::catalog

#endif // WEFT_RUNTIME_PPL_ROWS_ELEMENTRULES_H
