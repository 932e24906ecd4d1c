#include "runtime/emulator/tiu/Window.h"

namespace weft::emulator::tiu {
namespace {

/// Position on an axis of `extent` samples continued by the pad mode.
int32_t wrap(int64_t position, int64_t extent, isa::PadMode mode) {
  if (position >= 0 && position < extent)
    return int32_t(position);
  switch (mode) {
  case isa::PadMode::Constant:
    return Window::kPad;
  case isa::PadMode::Edge:
    return int32_t(position < 0 ? 0 : extent - 1);
  case isa::PadMode::Reflect: {
    if (extent == 1)
      return 0;
    int64_t period = 2 * (extent - 1),
            r = ((position % period) + period) % period;
    return int32_t(r < extent ? r : period - r);
  }
  case isa::PadMode::Circular:
    return int32_t(((position % extent) + extent) % extent);
  }
  return Window::kPad;
}

Status axis(const char *name, uint32_t input, uint32_t inserted,
            uint32_t before, uint32_t after, isa::PadMode mode, uint32_t output,
            uint32_t stride, uint32_t kernel, uint32_t dilation,
            std::vector<int32_t> &map) {
  if (input == 0 || output == 0 || kernel == 0 || stride == 0)
    return failf(Code::BadCommand,
                 "%s: input %u, result %u, window %u, stride %u; none may be 0",
                 name, input, output, kernel, stride);
  uint64_t extent = uint64_t(input - 1) * (inserted + 1) + 1;
  uint64_t padded = before + extent + after;
  uint64_t needed =
      uint64_t(output - 1) * stride + uint64_t(kernel - 1) * dilation + 1;
  if (needed > padded)
    return failf(Code::BadCommand,
                 "%s: %u results of a window of %u need %llu samples, the "
                 "padded input has %llu",
                 name, output, kernel, (unsigned long long)needed,
                 (unsigned long long)padded);
  map.resize(padded);
  for (uint64_t i = 0; i < padded; ++i) {
    int32_t at = wrap(int64_t(i) - before, int64_t(extent), mode);
    if (at >= 0)
      at = at % int32_t(inserted + 1) == 0 ? at / int32_t(inserted + 1)
                                           : Window::kInserted;
    map[i] = at;
  }
  return Status::ok();
}

} // namespace

void readWindowSizes(const Decoded &c, Window &window) {
  window.inputH = get32(c, Field::opd0_h);
  window.inputW = get32(c, Field::opd0_w);
  window.outputH = get32(c, Field::res0_h);
  window.outputW = get32(c, Field::res0_w);
  window.kernelH = get32(c, Field::opd1_h);
  window.kernelW = get32(c, Field::opd1_w);
}

Status readWindow(const Decoded &c, Window &window) {
  auto mode = static_cast<isa::PadMode>(c.get(Field::pad_mode));
  readWindowSizes(c, window);
  window.strideH = get32(c, Field::res_op_y_str);
  window.strideW = get32(c, Field::res_op_x_str);
  window.dilationH = get32(c, Field::opd1_y_ins0) + 1;
  window.dilationW = get32(c, Field::opd1_x_ins0) + 1;
  WEFT_TRY(axis("height", window.inputH, get32(c, Field::opd0_y_ins0),
                get32(c, Field::opd0_up_pad), get32(c, Field::opd0_dn_pad),
                mode, window.outputH, window.strideH, window.kernelH,
                window.dilationH, window.rowAt));
  return axis("width", window.inputW, get32(c, Field::opd0_x_ins0),
              get32(c, Field::opd0_lf_pad), get32(c, Field::opd0_rt_pad), mode,
              window.outputW, window.strideW, window.kernelW, window.dilationW,
              window.columnAt);
}

} // namespace weft::emulator::tiu
