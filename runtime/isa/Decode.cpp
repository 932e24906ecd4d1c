//===- Decode.cpp - command bytes to instructions ------------------------===//

#include "runtime/isa/Decode.h"

#include <initializer_list>
#include <utility>

using namespace weft::isa;

namespace {
/// What selects the instruction.
struct Head {
  bool isShort;
  unsigned type;
  unsigned func;
};
} // namespace

/// The smallest command; the head lies in its first half.
static constexpr size_t kLeastBytes = 16;

static Head readHead(const HeadPlaces &places, const uint8_t *bytes) {
  auto read = [&](FieldPlace place) {
    return unsigned(
        detail::readBits(bytes, place.offset, place.width, kLeastBytes));
  };
  return {read(places.isShort) != 0, read(places.type), read(places.func)};
}

static bool isKnownType(const InstructionSet &set, Engine engine,
                        unsigned type) {
  for (unsigned func = 0; func < 32; ++func)
    if (set.find(engine, type, func))
      return true;
  return false;
}

DecodeResult weft::isa::decodeOne(const InstructionSet &set, Engine engine,
                                  const uint8_t *bytes, size_t size) {
  DecodeResult result;
  if (size < kLeastBytes) {
    result.error = DecodeError::Truncated;
    return result;
  }
  Head head = readHead(set.heads[static_cast<size_t>(engine)], bytes);
  const Opcode *opcode = set.find(engine, head.type, head.func);
  if (!opcode) {
    result.error = isKnownType(set, engine, head.type)
                       ? DecodeError::UnknownFunction
                       : DecodeError::UnknownType;
    return result;
  }
  Form form = head.isShort ? opcode->shortForm : opcode->longForm;
  if (form == Form::None) {
    result.error = DecodeError::NoSuchForm;
    return result;
  }
  const FormSpec &spec = set.form(form);
  if (size < spec.bytes) {
    result.error = DecodeError::Truncated;
    return result;
  }
  Decoded &command = result.command;
  command.engine = engine;
  command.form = form;
  command.spec = &spec;
  command.opcode = opcode;
  command.type = head.type;
  command.func = head.func;
  command.mnemonic = opcode->mnemonic;
  command.sizeBytes = spec.bytes;
  command.bytes = bytes;
  return result;
}

bool Decoded::isEnd() const {
  return engine == Engine::Tiu
             ? type == uint8_t(TiuType::System) && func == sys::End
             : type == uint8_t(GdmaType::System) && func == gdma::SysEnd;
}

DecodedStream weft::isa::decodeStream(const InstructionSet &set, Engine engine,
                                      const uint8_t *bytes, size_t size) {
  DecodedStream stream;
  for (size_t offset = 0; offset < size;) {
    DecodeResult result = decodeOne(set, engine, bytes + offset, size - offset);
    if (!result) {
      stream.error = result.error;
      stream.errorOffset = offset;
      break;
    }
    stream.commands.push_back(result.command);
    if (result.command.isEnd())
      break;
    offset += result.command.sizeBytes;
  }
  return stream;
}

std::string_view weft::isa::decodeErrorText(DecodeError error) {
  switch (error) {
  case DecodeError::None:
    return "no error";
  case DecodeError::Truncated:
    return "command is cut off";
  case DecodeError::UnknownType:
    return "unknown instruction type";
  case DecodeError::UnknownFunction:
    return "unknown function of this instruction type";
  case DecodeError::NoSuchForm:
    return "instruction does not exist in this (short or long) form";
  }
  return "unknown error";
}

/// An end command whose fields are all 0 but those given.
static std::array<uint8_t, 16>
makeEnd(const FormSpec &spec,
        std::initializer_list<std::pair<Field, uint64_t>> fields) {
  std::array<uint8_t, 16> word{};
  for (auto [field, value] : fields)
    spec.set(word.data(), field, value & spec.max(field));
  return word;
}

std::array<uint8_t, 16> weft::isa::makeTiuEnd(const InstructionSet &set,
                                              uint32_t id) {
  return makeEnd(set.form(Form::SYSID),
                 {{Field::cmd_id, id},
                  {Field::tsk_typ, uint8_t(TiuType::System)},
                  {Field::tsk_eu_typ, sys::End}});
}

std::array<uint8_t, 16> weft::isa::makeGdmaEnd(const InstructionSet &set,
                                               uint32_t id) {
  return makeEnd(set.form(Form::sDMA_sys),
                 {{Field::cmd_short, 1},
                  {Field::cmd_id, id},
                  {Field::cmd_type, uint8_t(GdmaType::System)},
                  {Field::cmd_id_en, 1}});
}
