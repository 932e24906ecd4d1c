//===- Texts.h - tensors of strings -----------------------------*- C++ -*-===//
//
// The host holds strings as NumPy's `S<W>` does: a tensor of U8 whose last axis
// has the W bytes of a string, in UTF-8 with zeros behind. So strings cross
// every interface that bytes cross, and nothing but these kernels knows them.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_HOST_TEXTS_H
#define WEFT_RUNTIME_HOST_TEXTS_H

#include "runtime/host/Host.h"

namespace weft::host {

/// The strings of a tensor, which must live as long.
class Texts {
public:
  /// Whether a tensor can hold strings: U8 with an axis.
  static bool isHeldBy(const HostTensor &tensor) {
    return tensor.type() == ElementType::U8 && !tensor.shape().empty();
  }
  explicit Texts(const HostTensor &tensor)
      : data(tensor.bytes()),
        axes(tensor.shape().begin(), tensor.shape().end() - 1),
        width(size_t(tensor.shape().back())),
        count(numeric::elementCount(axes).value_or(0)) {}

  /// Without the axis of bytes.
  const Shape &shape() const { return axes; }
  int64_t size() const { return count; }
  /// Its bytes, without the zeros behind.
  std::string_view operator[](int64_t index) const {
    const char *text =
        reinterpret_cast<const char *>(data) + size_t(index) * width;
    size_t length = width;
    while (length > 0 && text[length - 1] == 0)
      --length;
    return {text, length};
  }

private:
  const uint8_t *data;
  Shape axes;
  size_t width;
  int64_t count;
};

/// Makes string `index` of a tensor that holds strings, all zeros so far, of
/// `text`; false if that is too long.
bool setText(HostTensor &tensor, int64_t index, std::string_view text);

/// `tensor`, which holds strings, with `width` bytes each: cut zeros or more of
/// them. Gives the index of the first string that is longer, and leaves
/// `tensor` as it is.
std::optional<int64_t> fitTexts(HostTensor &tensor, int64_t width);

} // namespace weft::host

#endif // WEFT_RUNTIME_HOST_TEXTS_H
