//===- CommandAddresses.h - what a GDMA command points at -------*- C++ -*-===//

#ifndef WEFT_RUNTIME_BMODEL_COMMANDADDRESSES_H
#define WEFT_RUNTIME_BMODEL_COMMANDADDRESSES_H

#include "runtime/isa/Decode.h"

namespace weft::rt {

/// Every GDMA command of a bmodel but the end command has this size.
constexpr unsigned kGdmaCommandBytes = 96;
/// Bytes at which an AddressPatch of a bmodel may point: where the long forms
/// of the chips that have patches keep their addresses (isa section 6).
constexpr unsigned kGdmaSourceByte = 64;
constexpr unsigned kGdmaDestinationByte = 72;
constexpr unsigned kGdmaThirdByte = 80;

/// Addresses of one long GDMA command, 40 bits each.
struct GdmaAddresses {
  bool hasSource = true; ///< false for a constant fill
  bool hasThird = false; ///< index of gather and scatter, mask of masked select
  uint64_t source = 0;
  uint64_t destination = 0;
  uint64_t third = 0;
};

/// `command` is a long GDMA form (96 bytes), not a system command.
GdmaAddresses gdmaAddresses(const isa::Decoded &command);

} // namespace weft::rt

#endif // WEFT_RUNTIME_BMODEL_COMMANDADDRESSES_H
