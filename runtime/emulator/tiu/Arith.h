/// A checked sAR command.
#ifndef WEFT_RUNTIME_EMULATOR_TIU_ARITH_H
#define WEFT_RUNTIME_EMULATOR_TIU_ARITH_H

#include "runtime/emulator/tiu/Elements.h"
#include "runtime/emulator/tiu/Tiu.h"

namespace weft::emulator::tiu {

/// An operand: a tensor or a constant.
struct ArithOperand {
  ElementKind kind;
  bool isConstant = false;
  uint32_t constant = 0;
  LocalView view;

  void fill(int64_t *buffer) const;
  void fill(float *buffer) const;
};

struct ArithCommand {
  ElementOperation operation;
  LocalView resultView;
  ArithOperand a, b;
  bool readsB = false;
  /// One value a channel, or a constant.
  ArithOperand third;
  /// The planes (n * channels + c) that eachRun walks.
  size_t firstPlane = 0, endPlane = 0;
};

/// Runs after which eachRun asks whether to go on: some microseconds of work.
constexpr uint64_t kRunsBetweenStops = 64;

/// Walks the result in runs of at most kRowElements that lie on one w stride in
/// every operand. body(n, c, result, a, b, count); a and b are nullptr for
/// constants.
template <class Body>
void eachRun(const ArithCommand &arith, Body body) {
  const Shape4 &shape = arith.resultView.shape;
  bool readsB = arith.readsB && !arith.b.isConstant;
  bool flat = arith.resultView.planeIsOneRow() &&
              (arith.a.isConstant || arith.a.view.planeIsOneRow()) &&
              (!readsB || arith.b.view.planeIsOneRow());
  uint32_t rows = flat ? 1 : shape.h;
  uint32_t length = flat ? shape.h * shape.w : shape.w;
  auto place = [](const LocalView &v, uint32_t n, uint32_t c, uint32_t h,
                  uint32_t i) {
    return v.at(n, c) + h * v.stride.h + i * v.stride.w;
  };
  uint64_t runs = 0;
  for (size_t plane = arith.firstPlane; plane < arith.endPlane; ++plane) {
    const uint32_t n = uint32_t(plane / shape.c), c = uint32_t(plane % shape.c);
    for (uint32_t h = 0; h < rows; ++h)
      for (uint32_t i = 0; i < length; i += kRowElements) {
        if (++runs % kRunsBetweenStops == 0 && rt::stopRequested())
          return;
        body(n, c, place(arith.resultView, n, c, h, i),
             arith.a.isConstant ? nullptr : place(arith.a.view, n, c, h, i),
             readsB ? place(arith.b.view, n, c, h, i) : nullptr,
             length - i < kRowElements ? length - i : kRowElements);
      }
  }
}

/// cast: any precision to any.
Status cast(const Decoded &command, const ArithCommand &arith);
/// Copies of elements, bit for bit.
Status copy(const Decoded &command, const ArithCommand &arith);

} // namespace weft::emulator::tiu

#endif
