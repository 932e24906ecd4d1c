//===- ElementDraw.h - random calls of element functions ------*- C++ -*-===//

#ifndef WEFT_TESTS_OPS_PPL_SAMPLERS_ELEMENTDRAW_H
#define WEFT_TESTS_OPS_PPL_SAMPLERS_ELEMENTDRAW_H

#include "tests/ops/ppl/samplers/Arguments.h"

namespace weft::cases {

/// A call whose tensors have one shape, or 1 on axes that are repeated, and
/// start in one lane.
class ElementDraw : public Drawn {
public:
  ElementDraw(Numbers &numbers, Case &drawn)
      : Drawn(numbers, drawn), numbers(numbers) {
    // Small planes beside many channels: the vendor's emulator is slow.
    bool isWide = chance(0.3);
    shape = {between(1, 3), between(1, isWide ? 140 : 12),
             between(1, isWide ? 3 : 6), between(1, isWide ? 6 : 20)};
    if (chance(0.05))
      shape = {1, between(1, 3), 1, between(1, 400)};
    lane = chance(0.3) ? unsigned(between(0, 63)) : 0;
  }

  DataType typeOf(const catalog::TypeSet &types) {
    return numbers.among(types.members());
  }
  /// A type of the slot that BM1684X has.
  DataType typeFor(std::string_view slot);
  /// In any layout, with contents as `contents` gives them.
  void anywhere(std::string_view slot, DataType type, const Dims &dims);
  /// In the aligned layout.
  void aligned(std::string_view slot, DataType type, const Dims &dims);
  void compact(std::string_view slot, DataType type, const Dims &dims);
  /// `shape` with some axes 1.
  Dims repeated(bool channelsToo);
  /// A number of `type`: any integer of it, or a float of any size.
  void anyNumber(std::string_view slot, DataType type);
  /// A tensor that may be repeated, or a number.
  void operand(std::string_view slot, DataType type, bool channelsToo);
  void choose(std::string_view slot, int64_t most) {
    number(slot, between(0, most));
  }

  Numbers &numbers;
  Dims shape;
  unsigned lane = 0;

private:
  /// Any bits, with many of those that are special; or ordinary numbers.
  void fill(std::string_view slot);
};

} // namespace weft::cases

#endif // WEFT_TESTS_OPS_PPL_SAMPLERS_ELEMENTDRAW_H
