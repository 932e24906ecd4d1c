//===- Decode.cpp - command bytes to instructions ------------------------===//

#include "runtime/isa/Decode.h"

using namespace weft::isa;

namespace {
/// The fields that select the instruction; they lie at the same place in every
/// form of an engine.
struct Head {
  bool isShort;
  unsigned type;
  unsigned func;
};
} // namespace

static constexpr size_t kHeadBytes = 8;

// The head must be readable before the form is known.
static constexpr bool sameHead() {
  for (size_t i = 1; i < kFormCount; ++i) {
    Form form = static_cast<Form>(i);
    bool tiu = formSpec(form).engine == Engine::Tiu;
    // SYSID and LAR have one form and no short bit.
    bool shortBitFits = !hasField(form, Field::cmd_short) ||
                        placeOf(form, Field::cmd_short).offset == (tiu ? 0 : 3);
    if (!shortBitFits ||
        placeOf(form, tiu ? Field::tsk_typ : Field::cmd_type).offset !=
            (tiu ? 41 : 32) ||
        placeOf(form, tiu ? Field::tsk_eu_typ : Field::cmd_special_function)
                .offset != (tiu ? 45 : 36))
      return false;
  }
  return true;
}
static_assert(sameHead(),
              "the decoding head must be common to all forms of an engine");

static Head readHead(Engine engine, const uint8_t *bytes) {
  if (engine == Engine::Tiu)
    return {get<Form::sAR, Field::cmd_short>(bytes) != 0,
            unsigned(get<Form::sAR, Field::tsk_typ>(bytes)),
            unsigned(get<Form::sAR, Field::tsk_eu_typ>(bytes))};
  return {get<Form::sDMA_sys, Field::cmd_short>(bytes) != 0,
          unsigned(get<Form::sDMA_sys, Field::cmd_type>(bytes)),
          unsigned(get<Form::sDMA_sys, Field::cmd_special_function>(bytes))};
}

static bool isKnownType(Engine engine, unsigned type) {
  for (unsigned func = 0; func < 32; ++func)
    if (findOpcode(engine, type, func))
      return true;
  return false;
}

DecodeResult weft::isa::decodeOne(Engine engine, const uint8_t *bytes,
                                  size_t size) {
  DecodeResult result;
  // The smallest command has 16 bytes, so the 16-byte forms above may read the
  // head.
  if (size < 2 * kHeadBytes) {
    result.error = DecodeError::Truncated;
    return result;
  }
  Head head = readHead(engine, bytes);
  const Opcode *opcode = findOpcode(engine, head.type, head.func);
  if (!opcode) {
    result.error = isKnownType(engine, head.type) ? DecodeError::UnknownFunction
                                                  : DecodeError::UnknownType;
    return result;
  }
  Form form = head.isShort ? opcode->shortForm : opcode->longForm;
  if (form == Form::None) {
    result.error = DecodeError::NoSuchForm;
    return result;
  }
  if (size < formSpec(form).bytes) {
    result.error = DecodeError::Truncated;
    return result;
  }
  Decoded &command = result.command;
  command.engine = engine;
  command.form = form;
  command.type = head.type;
  command.func = head.func;
  command.mnemonic = opcode->mnemonic;
  command.sizeBytes = formSpec(form).bytes;
  command.bytes = bytes;
  return result;
}

bool Decoded::isEnd() const {
  return form == Form::SYSID ? func == sys::End
                             : form == Form::sDMA_sys && func == gdma::SysEnd;
}

DecodedStream weft::isa::decodeStream(Engine engine, const uint8_t *bytes,
                                      size_t size) {
  DecodedStream stream;
  for (size_t offset = 0; offset < size;) {
    DecodeResult result = decodeOne(engine, bytes + offset, size - offset);
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

std::array<uint8_t, 16> weft::isa::makeTiuEnd(uint32_t id) {
  std::array<uint8_t, 16> word{};
  set<Form::SYSID, Field::cmd_id>(word.data(), id);
  set<Form::SYSID, Field::tsk_typ>(word.data(), uint8_t(TiuType::System));
  set<Form::SYSID, Field::tsk_eu_typ>(word.data(), sys::End);
  return word;
}

std::array<uint8_t, 16> weft::isa::makeGdmaEnd(uint32_t id) {
  std::array<uint8_t, 16> word{};
  set<Form::sDMA_sys, Field::cmd_short>(word.data(), 1);
  set<Form::sDMA_sys, Field::cmd_id>(word.data(), id);
  set<Form::sDMA_sys, Field::cmd_type>(word.data(), uint8_t(GdmaType::System));
  set<Form::sDMA_sys, Field::cmd_id_en>(word.data(), 1);
  return word;
}
