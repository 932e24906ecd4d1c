//===- ZeroFloor.h - values that are zero but for rounding ------*- C++ -*-===//
//
// The mean of what lies around its own mean is zero. Computed it is a few
// rounding errors, other ones on each side: figures by the size of the
// reference say nothing of it. What it may be instead goes by what rounding
// does to it, which is measured: the graph is evaluated with a relative error
// of kMeasuredRounding in every value, and what that changes is its `noise`.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_TOOLS_COMPARISON_ZEROFLOOR_H
#define WEFT_TOOLS_COMPARISON_ZEROFLOOR_H

#include "tools/comparison/Limits.h"

#include <map>
#include <string>

namespace weft::comparison {

/// Half a step of f16: small enough that what it changes grows with it, large
/// enough that what f32 does in the evaluation itself is far below. A tie that
/// falls the other way changes a value by as much as it is at most, whatever
/// the error: that is no sign of a zero.
inline constexpr double kMeasuredRounding = 0x1p-11;

/// By name of a value of floats: the largest change of an element.
using RoundingNoise = std::map<std::string, double>;

/// Whether a value whose largest |element| is `most` is a zero that f32 could
/// not compute: four bits of it or fewer are right.
bool isRoundedZero(double most, double noise);

/// The largest |result - reference| of an honest program for such a value.
double zeroFloor(Precision precision, double noise);

/// By name of a value that a function of a known range gives (a sigmoid): the
/// largest |number| that it can be.
using RangeEnds = std::map<std::string, double>;

/// An error that says nothing of a value whose numbers go up to `end`, whatever
/// they are: implementations of a sigmoid, also those of references, are good
/// to digits of 1, not of a small result.
double referenceFloor(double end);

/// Values that are no larger than this all over, and errors no larger, are
/// nothing to a program of `precision`: half of what its numbers near `end` are
/// apart.
double rangeFloor(Precision precision, double end);

} // namespace weft::comparison

#endif // WEFT_TOOLS_COMPARISON_ZEROFLOOR_H
