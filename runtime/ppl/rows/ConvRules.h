//===- ConvRules.h - rules of the convolutions ----------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_PPL_ROWS_CONVRULES_H
#define WEFT_RUNTIME_PPL_ROWS_CONVRULES_H

#include "runtime/catalog/Slots.h"

namespace weft::catalog::convolution {

/// A compact tensor of `words` elements a channel of dst, [1, oc, 1, words].
std::vector<Rule> perChannel(std::string_view name, int64_t words);
/// The number oc.
Rule outputChannels();
/// [1, oc, ceil(ic/NIC)*kh*kw, NIC], or the same elements split otherwise.
Rule packedWeight();
Rule sourceLane();
Rule sourceStrides();
/// The sign of dst follows from those of the operands and result_relu.
Rule signOfResult(Names sources);
/// The same for conv_asym: the zero point makes the weights signed.
Rule signOfAsymmetric();
/// Numbers that stand for tensors of bytes.
Rule byteNumbers(Names slots);
/// Padding and inserted values are elements of src.
Rule valuesFitSource(Names slots);
/// With the flag `slot` dst has 32 bits.
Rule sums32(std::string_view slot);
/// fp8 exists behind BM1688 and not on MARS3.
Rule smallFloats(Names names);
Rule floatResult();
Rule floatBias();
Rule wideBias();
Rule zeroPointWidth();
/// pad_val as (pad, insert) of every input channel.
std::vector<Rule> padTensor();
/// What all convolutions over all channels share.
std::vector<Rule> cubeRules();
/// What all depthwise convolutions share.
std::vector<Rule> depthwiseRules(std::string_view dst, std::string_view src);

} // namespace weft::catalog::convolution

#endif // WEFT_RUNTIME_PPL_ROWS_CONVRULES_H
