#include "tests/oracle/emulator/CommandKinds.h"
#include "tests/oracle/emulator/MemoryContents.h"

#include "runtime/isa/CommandBuilder.h"
#include "tests/unit/runtime/isa/FirstTable.h"

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
  if (!isa::set(form, field, bytes.data(), value) && error.empty())
    error = std::string(isa::formSpec(form).name) + "." +
            std::string(isa::fieldName(field)) + " cannot hold " +
            std::to_string(value);
  return *this;
}

uint64_t Command::get(Field field) const {
  return isa::get(form, field, bytes.data()).value_or(0);
}

Command &Command::pokeAt(uint64_t address, std::vector<uint8_t> what) {
  const AreaSpec *spec = areaOf(address);
  if (!spec || what.size() > spec->bytes - (address - spec->base))
    error = "poke of " + std::to_string(what.size()) + " bytes at address " +
            std::to_string(address) + " leaves the memory";
  else
    pokes.push_back({address, std::move(what)});
  return *this;
}

Command &Command::pokeLocal(uint32_t localAddress, std::vector<uint8_t> what) {
  return pokeAt(kLocalBase + localAddress, std::move(what));
}

Command &Command::pokeGlobal(uint32_t offset, std::vector<uint8_t> what) {
  return pokeAt(kGlobalBase + offset, std::move(what));
}

/// The builder's word: head, defaults, id 1.
static Command makeCommand(Engine engine, Form form, unsigned type,
                           unsigned func) {
  auto made =
      isa::CommandBuilder::make(isa::firstTable(), engine, type, func, form);
  Command command;
  command.engine = engine;
  command.form = form;
  if (made)
    command.bytes.assign(made->bytes(), made->bytes() + made->sizeBytes());
  else {
    command.bytes.resize(isa::formSpec(form).bytes);
    command.error = made.status().message();
  }
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
  addOuterKinds(kinds);
  addQuantKinds(kinds);
  addSpecialKinds(kinds);
  addConvKinds(kinds);
  addPoolKinds(kinds);
  addMatMulKinds(kinds);
  addGatherKinds(kinds);
  addGdmaKinds(kinds);
  return kinds;
}

const char *knownMismatch([[maybe_unused]] const std::string &kind) {
#define WEFT_KNOWN_MISMATCH(name, reason)                                      \
  if (kind == (name))                                                          \
    return reason;
#include "tests/oracle/emulator/KnownMismatches.def"
  return nullptr;
}

Command drawCommand(const Kind &kind, uint64_t seed) {
  Random random(mixSeed(kind.name, seed));
  Command command = kind.make(random);
  if (isa::hasField(command.form, Field::tsk_lane_num) && random.coin(8))
    command.set(Field::tsk_lane_num, random.bits() | uint64_t(random.bits())
                                                         << 32);
  return command;
}

} // namespace weft::oracle
