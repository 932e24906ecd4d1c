/// A decoded and checked sCONV, and its loops.
#ifndef WEFT_RUNTIME_EMULATOR_TIU_CONV_H
#define WEFT_RUNTIME_EMULATOR_TIU_CONV_H

#include "runtime/emulator/tiu/Planes.h"

namespace weft::emulator::tiu {

struct ConvCommand {
  Window window;
  ElementKind input, weight, result;
  LocalView inputView, weightView, resultView, third, pads;
  uint32_t inputChannels = 1, outputChannels = 1;
  unsigned pack = 1; ///< channels of a weight block
  size_t terms = 0; ///< of one output, with the zero channels of the last block
  bool weightIsConstant = false, thirdIsConstant = false, padIsConstant = false;
  uint32_t weightBits = 0, thirdBits = 0, padBits = 0, insertBits = 0;
  bool addsResult = false, rotates = false;
  bool thirdIsSigned = false;
  unsigned func = 0;
  /// With a 16-bit float result the addends are fp32 numbers of a tensor at the
  /// result's address. They are read, as [n][c][pixel], before the smaller
  /// results overwrite them; empty otherwise.
  std::vector<float> wideAddends;

  uint32_t blocks() const { return (inputChannels + pack - 1) / pack; }
};

/// Where the terms of an output lie among vectors: fp32 by offsets, others by
/// segments (blocks of channels, or of pairs of channels, at a position).
struct TermList {
  std::vector<uint32_t> offsets;
  std::vector<Segment> segments;
  size_t step = 0; ///< between the vectors of a segment
};

/// How a command is computed.
struct ConvPlan {
  PlaneLayout layout;
  /// Lanes are output channels instead of pixels: for images of few pixels.
  bool byChannels = false;
  TermList pixelTerms;   ///< in the planes
  TermList channelTerms; ///< in transposed weights, kLaneBlock channels

  Status make(const ConvCommand &conv);
};

/// Computes all outputs. Nothing can fail any more.
void runConv(Machine &machine, const ConvCommand &conv, const ConvPlan &plan);

/// From exact sums of output channel `oc` to the integers that are stored, but
/// for the result that may be added to them.
void finishIntegers(const ConvCommand &conv, uint32_t oc, int64_t *sums,
                    size_t count);

} // namespace weft::emulator::tiu

#endif
