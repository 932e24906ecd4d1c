#include "tests/oracle/emulator/CommandKinds.h"
#include "runtime/isa/CommandBuilder.h"

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

/// The builder's word: head, defaults, id 1.
static Command makeCommand(Engine engine, Form form, unsigned type,
                           unsigned func) {
  auto made = isa::CommandBuilder::make(engine, type, func, form);
  EXPECT_TRUE(made) << made.status().message();
  Command command;
  command.engine = engine;
  command.form = form;
  if (made)
    command.bytes.assign(made->bytes(), made->bytes() + made->sizeBytes());
  else
    command.bytes.resize(isa::formSpec(form).bytes);
  if (isa::hasField(form, Field::cmd_id)) // LAR has none
    command.set(Field::cmd_id, 1);
  return command;
}

Command tiuCommand(Form form, unsigned type, unsigned func) {
  return makeCommand(Engine::Tiu, form, type, func);
}

Command gdmaCommand(Form form, unsigned type, unsigned func) {
  return makeCommand(Engine::Gdma, form, type, func);
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
