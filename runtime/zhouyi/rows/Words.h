//===- Words.h - words for the rows of Zhouyi's functions -------*- C++ -*-===//

#ifndef WEFT_RUNTIME_ZHOUYI_ROWS_WORDS_H
#define WEFT_RUNTIME_ZHOUYI_ROWS_WORDS_H

#include "runtime/catalog/Slots.h"
#include "runtime/zhouyi/Types.h"

namespace weft::zhouyi {

using catalog::Operation;
using catalog::Rule;
using catalog::Slot;
using catalog::TypeSet;
using catalog::VectorWidth;

// Element types of the document.
inline constexpr TypeSet kHalf = DataType::Fp16, kSingle = DataType::Fp32,
                         kFloats = kHalf | kSingle,
                         kBytes = TypeSet(DataType::Int8) | DataType::Uint8,
                         kShorts = TypeSet(DataType::Int16) | DataType::Uint16,
                         kWords = TypeSet(DataType::Int32) | DataType::Uint32,
                         kIntegers = kBytes | kShorts | kWords,
                         kNumbers = kIntegers | kFloats;

// Slots.
Slot vector(std::string_view name, TypeSet types);
Slot vectorOrScalar(std::string_view name, TypeSet types);
Slot mask();
Slot saturateFlag();
Slot outSign();
/// Values of inactive lanes.
Slot inactive(TypeSet types);
/// Of 16 float32.
Slot matrixPointer(std::string_view name, catalog::Access access);

// Rules; later ones rely on those before them.
/// Not all of the slots are scalars.
Rule someVector(catalog::Names names);
/// Vectors have the lanes of `width`; a scalar among them is left alone.
Rule lanesAre(VectorWidth width, catalog::Names names);
/// A scalar among x and y fits the vector beside it.
Rule scalarsFit();
/// x and y have one lane count, width and kind.
Rule alike();
/// x and y have one sign; with `byOutSign` unless out_sign is given.
Rule oneSign(bool byOutSign);
/// The mask fits the vector in x or y; of `acc` if that is given.
Rule maskFits(catalog::Names vectors);
/// saturate is for integers.
Rule saturatesIntegers();
/// r has the type of the result, or a scalar fits it.
Rule inactiveFits();
/// acc has the type that `operation`'s sums of x and y have.
Rule accumulatorFits(VectorType (*sums)(const Call &));

// Types of results.
VectorType sameAsX(const Call &call);
/// x and y as they are read (see Types.h), with the sign of out_sign.
VectorType lanewise(const Call &call);
/// Twice as wide, half as many lanes; 32 bits stay.
VectorType widened(const Call &call);
/// Sums of `span` (2, 4) products.
VectorType pairSums(const Call &call);
VectorType quadSums(const Call &call);

// What lanes hold that a mask makes inactive.
inline constexpr std::string_view kByR = "the lanes of r; undefined without r",
                                  kUndefined = "undefined",
                                  kAccumulator = "the lanes of acc",
                                  kLeftOut = "left out of the sum";
/// Completes a row: its chip, lane counts, inactive lanes and result (null:
/// none).
Operation onVectors(Operation row, VectorWidth width,
                    std::string_view inactiveLanes,
                    VectorType (*result)(const Call &));
/// The document's name of a function.
#define ZHOUYI_SECTION(name) "tvm.aipu.script.ir.arithmetic." name

// The files of rows; Rows.cpp joins them.
std::vector<Operation> arithmeticRows();
std::vector<Operation> multiplyRows();
std::vector<Operation> dotRows();
std::vector<Operation> matrixRows();
std::vector<Operation> roundingRows();

} // namespace weft::zhouyi

#endif // WEFT_RUNTIME_ZHOUYI_ROWS_WORDS_H
