#include "tests/oracle/emulator/WindowFields.h"

#include "runtime/numeric/Float16.h"
#include "tests/unit/runtime/isa/FirstTable.h"

#include <algorithm>

namespace weft::oracle {
namespace {

/// One axis of a window.
struct Axis {
  unsigned input, output, kernel, before, after, stride, dilation, inserted;

  unsigned extent() const { return (input - 1) * (inserted + 1) + 1; }
  unsigned needed() const { return (kernel - 1) * dilation + 1; }
  unsigned padded() const { return extent() + before + after; }
};

/// Reflection and repetition reach once around the input: the vendor's emulator
/// reads memory outside of it for wider paddings.
unsigned widestPadding(isa::PadMode mode, const Axis &axis) {
  if (mode == isa::PadMode::Reflect)
    return axis.extent() - 1;
  return mode == isa::PadMode::Circular ? axis.extent() : 15;
}

Axis randomAxis(Random &random, unsigned largestKernel, bool small,
                bool inserts, isa::PadMode mode) {
  Axis axis{};
  axis.input = unsigned(random.in(1, small ? 6 : 13));
  axis.kernel = unsigned(random.in(1, largestKernel));
  if (random.coin(24))
    axis.kernel = unsigned(random.in(7, 20));
  int64_t most = random.coin(8) ? 15 : 3;
  axis.before = unsigned(random.in(0, most));
  axis.after = unsigned(random.in(0, most));
  axis.stride = unsigned(random.in(1, random.coin(8) ? 15 : 3));
  axis.dilation =
      axis.kernel > 6 ? 1 : unsigned(random.in(1, random.coin(8) ? 5 : 2));
  axis.inserted = inserts ? unsigned(random.in(0, random.coin(8) ? 7 : 2)) : 0;
  axis.before = std::min(axis.before, widestPadding(mode, axis));
  axis.after = std::min(axis.after, widestPadding(mode, axis));
  while (axis.padded() < axis.needed())
    ++axis.input;
  // The machine has no way to leave the last columns out.
  auto outputs = [&] {
    return (axis.padded() - axis.needed()) / axis.stride + 1;
  };
  while (outputs() > 20)
    ++axis.stride;
  axis.output = outputs();
  return axis;
}

} // namespace

Window setWindow(Command &c, Random &random) {
  bool inserts = random.coin(3);
  auto mode = isa::PadMode(random.coin() ? 0 : random.in(1, 3));
  unsigned largest = random.coin(6) ? 6 : 3;
  Axis y = randomAxis(random, largest, largest > 3, inserts, mode),
       x = randomAxis(random, largest, largest > 3, inserts, mode);
  c.set(Field::pad_mode, unsigned(mode));
  c.set(Field::opd0_up_pad, y.before).set(Field::opd0_dn_pad, y.after);
  c.set(Field::opd0_lf_pad, x.before).set(Field::opd0_rt_pad, x.after);
  c.set(Field::res_op_y_str, y.stride).set(Field::res_op_x_str, x.stride);
  c.set(Field::opd1_y_ins0, y.dilation - 1);
  c.set(Field::opd1_x_ins0, x.dilation - 1);
  c.set(Field::opd0_y_ins0, y.inserted).set(Field::opd0_x_ins0, x.inserted);
  c.set(Field::opd0_h, y.input).set(Field::opd0_w, x.input);
  c.set(Field::opd1_h, y.kernel).set(Field::opd1_w, x.kernel);
  return {y.input, x.input, y.output, x.output, y.kernel, x.kernel};
}

void setUnreadFields(Command &c, Random &random) {
  for (Field field :
       {Field::eu_half_en,   Field::tsk_opd_num,  Field::relu,
        Field::opd1_prec,    Field::opd2_prec,    Field::res0_str,
        Field::opd1_str,     Field::opd2_str,     Field::res_add_sign,
        Field::res0_h_shift, Field::res0_w_shift, Field::opd0_h_shift,
        Field::opd0_w_shift, Field::opd1_h_shift, Field::opd1_w_shift,
        Field::res0_n_str,   Field::res0_c_str,   Field::res0_h_str,
        Field::res0_w_str,   Field::opd1_n_str,   Field::opd1_c_str,
        Field::opd1_h_str,   Field::opd1_w_str,   Field::opd2_c_str,
        Field::opd2_h_str,   Field::opd2_w_str})
    if (isa::hasField(c.form, field) && isa::hasField(c.form, Field::relu))
      c.set(field, random.bits() & isa::fieldMax(c.form, field));
  for (Field field : {Field::opd0_str, Field::opd0_n_str, Field::opd0_c_str,
                      Field::opd0_h_str, Field::opd0_w_str})
    if (isa::hasField(c.form, field) && c.form != Form::CONV &&
        c.form != Form::sCONV)
      c.set(field, random.bits() & isa::fieldMax(c.form, field));
}

void scatterOperands(Command &c, Random &random,
                     std::initializer_list<unsigned> operands) {
  static constexpr std::pair<Field, Field> fields[] = {
      {Field::opd0_addr, Field::opd0_const},
      {Field::opd1_addr, Field::opd1_const},
      {Field::opd2_addr, Field::opd2_const},
      {Field::opd3_addr, Field::opd3_const}};
  if (!random.coin(8))
    return;
  for (unsigned operand : operands) {
    auto [address, constant] = fields[operand];
    if (!c.get(constant))
      c.set(address, (c.get(address) & 0x3ffff) | uint64_t(random.in(0, 63))
                                                      << 18);
  }
}

uint32_t constantBits(Random &random, Precision precision) {
  if (!isa::isFloat(precision)) // the vendor's encoder leaves the high bits
    return random.coin(3) ? random.bits() : random.bits() & 0xff;
  if (random.coin(6))
    return random.pick({0x7f800000u, 0xff800000u, 0x7fc00001u, 0xffc00002u,
                        0x80000000u, 0x00000001u, 0x807fffffu, 0x7f7fffffu,
                        0x7c007c00u, 0x7e017e01u, 0x80018001u});
  float value = float(random.in(-300, 300)) / 64;
  if (precision == Precision::Fp32)
    return numeric::floatBits(value);
  return precision == Precision::Fp16 ? numeric::floatToHalf(value)
                                      : numeric::floatToBf16(value);
}

const char *precisionName(Precision precision) {
  static const char *const names[] = {"int8",  "fp16", "fp32", "int16",
                                      "int32", "bf16", "int4"};
  return names[unsigned(precision)];
}

} // namespace weft::oracle
