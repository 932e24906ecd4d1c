#include "tests/oracle/emulator/CommandKinds.h"

#include <gtest/gtest.h>

namespace weft::oracle {

Contents contentsFor(Precision precision) {
  switch (precision) {
  case Precision::Fp32:
    return Contents::Fp32;
  case Precision::Fp16:
    return Contents::Fp16;
  case Precision::Bf16:
    return Contents::Bf16;
  default:
    return Contents::Bytes;
  }
}

Command &Command::set(Field field, uint64_t value) {
  if (!isa::set(form, field, bytes.data(), value))
    ADD_FAILURE() << isa::formSpec(form).name << "." << isa::fieldName(field)
                  << " cannot hold " << value;
  return *this;
}

Command tiuCommand(Form form, unsigned type, unsigned func) {
  Command command;
  command.form = form;
  command.bytes.resize(isa::formSpec(form).bytes);
  command.set(Field::tsk_typ, type)
      .set(Field::tsk_eu_typ, func)
      .set(Field::cmd_id, 1);
  command.set(Field::cmd_id_en, 1);
  bool isLong = isa::hasField(form, Field::tsk_lane_num);
  command.set(Field::cmd_short, !isLong);
  if (isLong)
    command.set(Field::tsk_lane_num, ~uint64_t(0));
  return command;
}

Command gdmaCommand(Form form, unsigned type, unsigned func) {
  Command command;
  command.engine = Engine::Gdma;
  command.form = form;
  command.bytes.resize(isa::formSpec(form).bytes);
  command.set(Field::cmd_type, type)
      .set(Field::cmd_special_function, func)
      .set(Field::cmd_id, 1);
  command.set(Field::cmd_id_en, 1);
  command.set(Field::localmem_mask_l32, 0xffffffff)
      .set(Field::localmem_mask_h32, 0xffffffff);
  return command;
}

void setResult(Command &command, unsigned n, unsigned c, unsigned h,
               unsigned w) {
  command.set(Field::res0_n, n)
      .set(Field::res0_c, c)
      .set(Field::res0_h, h)
      .set(Field::res0_w, w);
}

Places::Places(Random &random) {
  lane = random.coin() ? 0 : uint32_t(random.in(0, 63));
  base = lane << 18;
}

std::vector<Kind> allKinds() {
  std::vector<Kind> kinds;
  addArithKinds(kinds);
  addOtherTiuKinds(kinds);
  addWindowKinds(kinds);
  addMatrixKinds(kinds);
  addGdmaKinds(kinds);
  return kinds;
}

} // namespace weft::oracle
