/// Moves of many elements between two places, in as long runs as both allow.
#ifndef WEFT_RUNTIME_EMULATOR_GDMA_RUNS_H
#define WEFT_RUNTIME_EMULATOR_GDMA_RUNS_H

#include "runtime/emulator/Workers.h"
#include "runtime/emulator/gdma/Gdma.h"

namespace weft::emulator::gdma {

/// Which axes change places on the way.
enum class AxisSwap { None, NC, CW };

/// Copies the elements of `from` in n, c, h, w order. The shapes may differ (a
/// reshape on the way), their counts not. Large copies are shared by the
/// workers, unless elements might meet.
void copyElementwise(Workers &workers, const Place &from, const Place &to);
/// to[n][c] = from[c][n], or to[.][w][.][c] = from[.][c][.][w].
void copySwapped(const Place &from, const Place &to, AxisSwap swap);
/// Every channel of `to` becomes channel 0 of `from`.
void copyToAllChannels(const Place &from, const Place &to);
/// Writes the low bytes of `bits` to every element.
void fillElements(const Place &to, uint32_t bits);

} // namespace weft::emulator::gdma

#endif
