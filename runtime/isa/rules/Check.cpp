//===- Check.cpp - all rules for one command -----------------------------===//

#include "runtime/isa/Symbols.h"
#include "runtime/isa/rules/Rule.h"

#include <algorithm>
#include <tuple>

using namespace weft;
using namespace weft::isa;
using namespace weft::isa::rules;

const Access *Subject::access(std::string_view operand) const {
  for (const Access &access : accesses)
    if (access.operand == operand)
      return &access;
  return nullptr;
}

std::string rules::nameOf(Field field) { return std::string(fieldName(field)); }

std::string rules::typeName(Precision precision) {
  return std::string(precisionName(precision));
}

std::string rules::hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", (unsigned long long)value);
  return text;
}

void Report::fail(const std::string &message) {
  if (!isBroken())
    theMessage = message + " (" + theSource + ")";
}

bool Report::range(const Subject &s, Field field, uint64_t low, uint64_t high) {
  uint64_t value = s.get(field);
  if (!s.has(field) || (value >= low && value <= high))
    return true;
  fail(nameOf(field) + " is " + std::to_string(value) + ", must be " +
       (low == high ? std::to_string(low)
                    : std::to_string(low) + " to " + std::to_string(high)));
  return false;
}

bool Report::multiple(const Subject &s, Field field, uint64_t unit,
                      const char *why) {
  uint64_t value = s.get(field);
  if (!s.has(field) || value % unit == 0)
    return true;
  fail(nameOf(field) + " is " + hex(value) + ", must be a multiple of " +
       std::to_string(unit) + why);
  return false;
}

bool Report::type(const Subject &s, Field field, Types allowed) {
  Precision found = s.precision(field);
  if (!s.has(field) || allowed >> unsigned(found) & 1)
    return true;
  std::string names;
  for (unsigned code = 0; code < 8; ++code)
    if (allowed >> code & 1)
      names += (names.empty() ? "" : ", ") + typeName(Precision(code));
  fail(nameOf(field) + " is " + typeName(found) + ", must be " +
       (names.find(',') == std::string::npos ? "" : "one of ") + names);
  return false;
}

bool Report::sameType(const Subject &s, Field a, Field b) {
  if (!s.has(a) || !s.has(b) || s.get(a) == s.get(b))
    return true;
  fail(nameOf(a) + " is " + typeName(s.precision(a)) + " and " + nameOf(b) +
       " " + typeName(s.precision(b)) + ", they must be the same");
  return false;
}

//===-- rules of every command ------------------------------------------===//

/// Bits without meaning are 0 in everything that the vendor emits.
static void checkUnusedBits(const Subject &s, Report &report) {
  report.from("isa 2, vendor compiler");
  const Decoded &command = s.command;
  for (const FieldSpec &spec : *command.spec) {
    if (spec.name != Field::Reserved)
      continue;
    uint64_t bits = detail::readBits(command.bytes, spec.offset, spec.width,
                                     command.sizeBytes);
    if (bits != 0)
      report.fail("reserved bits rsvd_b" + std::to_string(spec.offset) +
                  " are " + hex(bits) + ", must be 0");
  }
  for (Field field :
       {Field::intr_en, Field::pwr_step, Field::eu_half_en, Field::reserve})
    report.range(s, field, 0, 0);
  bool isTiuEnd = command.isEnd() && command.engine == Engine::Tiu;
  report.range(s, Field::cmd_id_en, !isTiuEnd, !isTiuEnd);
  // Lanes are left out by the local memory mask of GDMA only.
  if (s.has(Field::tsk_lane_num))
    if (s.get(Field::tsk_lane_num) != ~uint64_t(0))
      report.fail("tsk_lane_num is " + hex(s.get(Field::tsk_lane_num)) +
                  ", must be all ones");
}

/// A code of 7 is no element type, and a chip may lack others.
static void checkElementTypes(const Subject &s, Report &report) {
  report.from(s.chip.rules->elementTypesSource);
  for (Field field : {Field::res0_prec, Field::opd0_prec, Field::opd1_prec,
                      Field::opd2_prec, Field::src_data_format,
                      Field::mask_data_format, Field::index_data_format})
    report.type(s, field, s.chip.rules->elementTypes);
}

/// Every operand lies in one memory from its first to its last byte.
static void checkExtents(const Subject &s, Report &report) {
  report.from("isa 1");
  if (s.command.engine == Engine::Tiu) {
    uint64_t end = s.chip.localMemoryBytes();
    for (auto [operand, field] : {std::pair("res0", Field::res0_addr),
                                  {"res1", Field::res1_addr},
                                  {"opd0", Field::opd0_addr},
                                  {"opd1", Field::opd1_addr},
                                  {"opd2", Field::opd2_addr},
                                  {"opd3", Field::opd3_addr}}) {
      const Access *access = s.access(operand);
      if (access && access->memory == Memory::Local)
        if (s.get(field) >= end)
          report.fail(nameOf(field) + " is " + hex(s.get(field)) +
                      ", local memory ends at " + hex(end));
    }
  }
  for (const Access &access : s.accesses) {
    if (access.memory != Memory::None && !access.leavesMemory)
      continue;
    std::string name(access.operand);
    if (access.memory == Memory::None)
      report.fail(name + " begins at " + hex(access.begin) +
                  ", where the chip has no memory");
    // A general copy runs through local memory lane after lane.
    bool inLane = access.memory == Memory::Local &&
                  !(s.command.engine == Engine::Gdma &&
                    s.command.type == uint8_t(GdmaType::General) &&
                    s.command.func == gdma::GeneralCopy);
    if (access.leavesMemory)
      report.fail(
          inLane ? name + " begins at byte " + hex(access.begin) +
                       " of a lane and does not fit its " +
                       std::to_string(s.chip.laneBytes) + " bytes"
                 : name + " does not end in the memory in which it begins");
  }
}

static void checkRules(Rows<CodeRule> rows, const Subject &s, Report &report) {
  for (const CodeRule &rule : rows) {
    if (report.isBroken())
      return;
    if ((rule.type != s.command.type && rule.type != kEveryType) ||
        !(rule.functions >> s.command.func & 1))
      continue;
    report.from(rule.source);
    rule.check(s, report);
  }
}

static rt::Status statusOf(const Report &report) {
  return report.isBroken() ? rt::fail(rt::Code::BadCommand, report.message())
                           : rt::Status::ok();
}

rt::Status weft::isa::checkCommand(const Decoded &command, const Chip &chip) {
  Subject subject(command, chip);
  Report report;
  const RuleBook &book = *chip.rules;
  checkUnusedBits(subject, report);
  // The only user of these codes is a constant that says nothing.
  if (command.form != Form::LAR && command.form != Form::sDMA_sys)
    checkElementTypes(subject, report);
  if (report.isBroken()) // the rest may rely on known types
    return statusOf(report);
  if (command.engine == Engine::Gdma) {
    checkRules(book.gdmaFamily(), subject, report);
  } else {
    book.checkTables(subject, report);
    for (auto *family : book.tiuFamilies)
      checkRules(family(), subject, report);
  }
  if (!report.isBroken())
    checkExtents(subject, report);
  return statusOf(report);
}

std::vector<std::string_view> weft::isa::ruleSources(const Chip &chip) {
  std::vector<std::string_view> sources;
  const RuleBook &book = *chip.rules;
  book.appendTableSources(sources);
  auto append = [&](Rows<CodeRule> family) {
    for (const CodeRule &rule : family)
      if (*rule.source) // else its function names several
        sources.push_back(rule.source);
  };
  for (auto *family : book.tiuFamilies)
    append(family());
  append(book.gdmaFamily());
  std::sort(sources.begin(), sources.end());
  sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
  return sources;
}
