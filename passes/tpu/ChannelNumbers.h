//===- ChannelNumbers.h - what a convolution has for each channel -*- C++
//-*-===//

#ifndef WEFT_PASSES_TPU_CHANNELNUMBERS_H
#define WEFT_PASSES_TPU_CHANNELNUMBERS_H

#include "dialects/tpu/Conv.h"

#include <vector>

namespace weft::tpu {

/// Replaces each list of `conv` that has a number an output channel by
/// `map(list)`, a vector of its elements.
template <typename Map>
void mapChannelNumbers(ConvOp conv, const Map &map) {
  if (auto scales = conv.getScales())
    conv.setScales(map(*scales));
  if (auto multipliers = conv.getMultipliers())
    conv.setMultipliers(map(*multipliers));
  if (auto rshifts = conv.getRshifts())
    conv.setRshifts(map(*rshifts));
  if (auto zeroPoints = conv.getFilterZeroPoints())
    conv.setFilterZeroPoints(map(*zeroPoints));
}

} // namespace weft::tpu

#endif // WEFT_PASSES_TPU_CHANNELNUMBERS_H
