//===- RangeChoice.h - where 8-bit forms clip a value -----------*- C++ -*-===//

#ifndef WEFT_PASSES_QUANTIZE_RANGECHOICE_H
#define WEFT_PASSES_QUANTIZE_RANGECHOICE_H

#include "passes/quantize/Calibration.h"
#include "passes/quantize/ValueHistogram.h"

namespace weft::quantize {

/// The entry `name` of a value seen in `histogram`: the magnitude at which a
/// symmetric form clips it, and the ends of a form with a zero point, both by
/// the method of `options`:
///  * max: nothing is clipped.
///  * percentile: the values of largest magnitude are clipped, so many that the
///    given share stays. The ends are those of what stays: clipping the other
///    end, too, would lose values and hardly narrow the range.
///  * mse: the least sum of the squared errors of rounding and clipping, by a
///    search in two steps; each value counts as the middle of its bin.
///  * kl: the least Kullback-Leibler divergence of the codes' distribution from
///    that of the values (S. Migacz, 8-bit inference with TensorRT, GTC 2017),
///    for the magnitudes and for each side of 0. Zeros do not count: every form
///    has them.
///  * auto: as percentile. ProductErrors.h chooses for what products read.
CalibrationEntry chooseRange(std::string name, const ValueHistogram &histogram,
                             const CalibrationOptions &options);

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_RANGECHOICE_H
