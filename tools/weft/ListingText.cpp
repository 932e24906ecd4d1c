#include "tools/weft/ListingText.h"

#include "runtime/isa/Assemble.h"
#include "runtime/isa/Rules.h"

using namespace weft;
using namespace weft::cli;

namespace {

constexpr size_t kMaxFaults = 20;

/// Collects sections and faults line by line.
class Reader {
public:
  Reader(const std::string &name, const ListingRules &rules)
      : name(name), rules(rules) {}

  void readLine(std::string_view line);
  rt::Result<std::vector<ListingSection>> finish();

private:
  void fault(size_t column, const std::string &message);
  void beginSection(std::string_view heading);
  void addCommand(isa::AssembledLine &line, size_t column);

  const std::string &name;
  const ListingRules &rules;
  std::vector<ListingSection> sections;
  uint32_t nextId = 1;
  size_t lineNumber = 0;
  std::string faults;
  size_t faultCount = 0;
};

} // namespace

static std::string_view trimmed(std::string_view text) {
  size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos)
    return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

void Reader::fault(size_t column, const std::string &message) {
  // Every further line bears the program's name, as the first one will.
  if (faultCount++ < kMaxFaults)
    faults += (faults.empty() ? "" : "\nweft: error: ") + name + ":" +
              std::to_string(lineNumber) + ":" + std::to_string(column) + ": " +
              message;
}

static bool endsIn(std::string_view text, std::string_view end) {
  return text.size() >= end.size() &&
         text.substr(text.size() - end.size()) == end;
}

void Reader::beginSection(std::string_view heading) {
  ListingSection section;
  // Names are quoted so that no ';' is part of them.
  section.heading = trimmed(heading.substr(0, heading.find(';')));
  section.line = lineNumber;
  if (endsIn(section.heading, " gdma"))
    section.engine = isa::Engine::Gdma;
  else if (!endsIn(section.heading, " tiu"))
    fault(1, "a heading is net 'NAME' stage S group G tiu or gdma, as weft "
             "disasm prints it");
  sections.push_back(std::move(section));
  nextId = 1;
}

void Reader::addCommand(isa::AssembledLine &line, size_t column) {
  isa::CommandBuilder &command = *line.command;
  if (sections.empty()) {
    sections.emplace_back();
    sections.back().line = lineNumber;
    sections.back().engine = command.engine();
  }
  ListingSection &section = sections.back();
  if (command.engine() != section.engine)
    return fault(column, std::string("a command of ") +
                             std::string(isa::engineName(command.engine())) +
                             " in a section of " +
                             std::string(isa::engineName(section.engine)) +
                             "; each engine has a section of its own");
  if (command.has(isa::Field::cmd_id)) {
    if (!line.hasId && !command.set(isa::Field::cmd_id, nextId))
      return fault(column, "the id of this command would be " +
                               std::to_string(nextId) +
                               ", ids end at 1048575; begin a new group");
    nextId = uint32_t(command.get(isa::Field::cmd_id)) + 1;
  }
  if (rules.checked)
    if (rt::Status status = isa::checkCommand(command.decoded(), *rules.chip);
        !status)
      return fault(column, status.message());
  ++section.count;
  section.bytes.insert(section.bytes.end(), command.bytes(),
                       command.bytes() + command.sizeBytes());
}

void Reader::readLine(std::string_view line) {
  ++lineNumber;
  std::string_view text = trimmed(line);
  size_t column = text.empty() ? 1 : size_t(text.data() - line.data()) + 1;
  if (text.substr(0, 4) == "net ")
    return beginSection(text);
  isa::AssembledLine result = isa::assemble(*rules.chip->instructions, line);
  if (result.error)
    return fault(result.error->column, result.error->message);
  if (result.command)
    addCommand(result, column);
}

rt::Result<std::vector<ListingSection>> Reader::finish() {
  if (faultCount > kMaxFaults)
    faults += "\nweft: error: " + name + ": " +
              std::to_string(faultCount - kMaxFaults) + " more faults";
  if (faultCount != 0)
    return rt::fail(rt::Code::InvalidArgument, faults);
  return std::move(sections);
}

rt::Result<std::vector<ListingSection>>
cli::readListing(const std::string &text, const std::string &name,
                 const ListingRules &rules) {
  Reader reader(name, rules);
  std::string_view rest(text);
  while (!rest.empty()) {
    size_t end = rest.find('\n');
    reader.readLine(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return reader.finish();
}
