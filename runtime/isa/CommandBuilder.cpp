//===- CommandBuilder.cpp - one command, made field by field -------------===//

#include "runtime/isa/CommandBuilder.h"

#include <cinttypes>

using namespace weft;
using namespace weft::isa;

uint64_t weft::isa::fieldDefault(const Opcode &opcode, const FormSpec &form,
                                 Field field) {
  switch (field) {
  case Field::cmd_id_en:
    return opcode.engine == Engine::Tiu &&
                   opcode.type == uint8_t(TiuType::System) &&
                   opcode.func == sys::End
               ? 0
               : 1;
  case Field::tsk_lane_num:
  case Field::localmem_mask_l32:
  case Field::localmem_mask_h32:
    return form.max(field);
  default:
    return 0;
  }
}

Form weft::isa::usualForm(const Opcode &opcode) {
  Form first =
      opcode.engine == Engine::Tiu ? opcode.shortForm : opcode.longForm;
  Form second =
      opcode.engine == Engine::Tiu ? opcode.longForm : opcode.shortForm;
  return first != Form::None ? first : second;
}

CommandBuilder::CommandBuilder(const InstructionSet &set, const Opcode &opcode,
                               Form form)
    : theOpcode(&opcode), theSpec(&set.form(form)), theForm(form) {
  assert((form == opcode.longForm || form == opcode.shortForm) &&
         form != Form::None && "the instruction has this form");
  bool tiu = opcode.engine == Engine::Tiu;
  for (Field field : {Field::cmd_id_en, Field::tsk_lane_num,
                      Field::localmem_mask_l32, Field::localmem_mask_h32})
    theSpec->set(word.data(), field, fieldDefault(opcode, *theSpec, field));
  // SYSID and LAR have one form for both and no short bit.
  theSpec->set(word.data(), Field::cmd_short, form == opcode.shortForm);
  theSpec->set(word.data(), tiu ? Field::tsk_typ : Field::cmd_type,
               opcode.type);
  theSpec->set(word.data(),
               tiu ? Field::tsk_eu_typ : Field::cmd_special_function,
               opcode.func);
}

rt::Result<CommandBuilder> CommandBuilder::make(const InstructionSet &set,
                                                Engine engine, unsigned type,
                                                unsigned func, Form form) {
  const Opcode *opcode = set.find(engine, type, func);
  if (!opcode)
    return rt::failf(rt::Code::NotFound,
                     "no %s instruction of type %u and function %u",
                     std::string(engineName(engine)).c_str(), type, func);
  if (form == Form::None)
    form = usualForm(*opcode);
  if (form != opcode->longForm && form != opcode->shortForm)
    return rt::failf(rt::Code::InvalidArgument, "%s has no form %s",
                     std::string(opcode->mnemonic).c_str(),
                     std::string(set.form(form).name).c_str());
  return CommandBuilder(set, *opcode, form);
}

rt::Status CommandBuilder::set(Field field, uint64_t value) {
  if (theSpec->set(word.data(), field, value))
    return rt::Status::ok();
  std::string name(fieldName(field)), form(theSpec->name);
  if (!has(field))
    return rt::failf(rt::Code::NotFound, "form %s has no field %s",
                     form.c_str(), name.c_str());
  return rt::failf(rt::Code::OutOfRange,
                   "field %s of form %s is %" PRIu64
                   ", must be at most %" PRIu64,
                   name.c_str(), form.c_str(), value, theSpec->max(field));
}

rt::Status CommandBuilder::setSigned(Field field, int64_t value) {
  uint64_t mask = theSpec->max(field);
  if (value >= 0 || mask == 0)
    return set(field, uint64_t(value));
  int64_t low = -int64_t(mask / 2) - 1;
  if (value >= low)
    return set(field, uint64_t(value) & mask);
  return rt::failf(rt::Code::OutOfRange,
                   "field %s of form %s is %" PRId64
                   ", must be at least %" PRId64,
                   std::string(fieldName(field)).c_str(),
                   std::string(theSpec->name).c_str(), value, low);
}

rt::Status CommandBuilder::setReserved(unsigned offset, uint64_t value) {
  const FormSpec &form = *theSpec;
  for (const FieldSpec &spec : form) {
    if (spec.name != Field::Reserved || spec.offset != offset)
      continue;
    if (value > detail::maskOf(spec.width))
      return rt::failf(rt::Code::OutOfRange,
                       "reserved bits rsvd_b%u of form %s are %" PRIu64
                       ", must be at most %" PRIu64,
                       offset, std::string(form.name).c_str(), value,
                       detail::maskOf(spec.width));
    detail::writeBits(word.data(), spec.offset, spec.width, form.bytes, value);
    return rt::Status::ok();
  }
  return rt::failf(rt::Code::NotFound,
                   "form %s has no reserved bits that begin at bit %u",
                   std::string(form.name).c_str(), offset);
}

uint64_t CommandBuilder::get(Field field) const {
  return theSpec->get(word.data(), field).value_or(0);
}

Decoded CommandBuilder::decoded() const {
  Decoded command;
  command.engine = engine();
  command.form = theForm;
  command.spec = theSpec;
  command.opcode = theOpcode;
  command.sizeBytes = sizeBytes();
  command.bytes = word.data();
  if (theOpcode) {
    command.type = theOpcode->type;
    command.func = theOpcode->func;
    command.mnemonic = theOpcode->mnemonic;
  }
  return command;
}
