//===- Disassemble.cpp - commands to text --------------------------------===//

#include "runtime/isa/CommandBuilder.h"
#include "runtime/isa/Symbols.h"

using namespace weft::isa;

static std::string toHex(uint64_t value) {
  static const char *digits = "0123456789abcdef";
  char text[18];
  char *begin = text + sizeof text;
  do {
    *--begin = digits[value & 15];
    value >>= 4;
  } while (value);
  *--begin = 'x';
  *--begin = '0';
  return std::string(begin, text + sizeof text);
}

static void appendValue(std::string &text, const Opcode &opcode,
                        const FieldSpec &spec, uint64_t value) {
  Symbols symbols = symbolsOf(opcode, spec.name);
  if (value < symbols.count)
    text += symbols.names[value];
  else if (isHexField(spec.name, spec.width))
    text += toHex(value);
  else
    text += std::to_string(value);
}

std::string weft::isa::disassemble(const Decoded &command) {
  std::string text(engineName(command.engine));
  // LAR has neither.
  if (command.has(Field::cmd_id))
    text += " id=" + std::to_string(command.id());
  if (command.has(Field::cmd_id_dep))
    text += " dep=" + std::to_string(command.dep());
  text += " ";
  text += command.mnemonic;
  text += " ";
  text += command.spec->name;
  const Opcode &opcode = *command.opcode;
  for (const FieldSpec &spec : *command.spec) {
    if (spec.name == Field::Reserved) {
      uint64_t bits = detail::readBits(command.bytes, spec.offset, spec.width,
                                       command.sizeBytes);
      if (bits)
        text += " rsvd_b" + std::to_string(spec.offset) + "=" + toHex(bits);
      continue;
    }
    if (isHeadField(spec.name))
      continue;
    uint64_t value = command.get(spec.name);
    if (value == fieldDefault(opcode, *command.spec, spec.name))
      continue;
    text += " ";
    text += fieldName(spec.name);
    text += "=";
    appendValue(text, opcode, spec, value);
  }
  return text;
}
