#include "tools/weft/ProfilePage.h"

#include "tools/weft/PageTemplate.h"
#include "tools/weft/Version.h"

#include <unordered_map>

using namespace weft;
using namespace weft::cli;
using isa::Engine;
using profile::Profile;
using Json = nlohmann::ordered_json;

namespace {

/// Words that many commands share are stored once.
class Words {
public:
  uint32_t numberOf(std::string_view word) {
    auto found = numbers.find(std::string(word));
    if (found != numbers.end())
      return found->second;
    uint32_t number = uint32_t(list.size());
    numbers.emplace(word, number);
    list.push_back(std::string(word));
    return number;
  }
  Json json() const { return list; }

private:
  std::unordered_map<std::string, uint32_t> numbers;
  std::vector<std::string> list;
};

} // namespace

/// The text of a command behind its engine, id and dependency.
static Json wordsOf(const isa::Decoded &command, Words &words) {
  std::string text = isa::disassemble(command);
  Json numbers = Json::array();
  size_t begin = text.find(std::string(command.mnemonic));
  while (begin < text.size()) {
    size_t end = std::min(text.find(' ', begin), text.size());
    numbers.push_back(
        words.numberOf(std::string_view(text).substr(begin, end - begin)));
    begin = end + 1;
  }
  return numbers;
}

/// Position in the other engine's list of the command that each one waits for;
/// -1: none.
static Json dependencies(const Profile &profile, Engine engine) {
  const auto &own = profile.commands[size_t(engine)];
  const auto &other = profile.commands[1 - size_t(engine)];
  std::vector<size_t> groupBegins; // in `other`
  for (size_t i = 0; i < other.size(); ++i)
    while (groupBegins.size() <= other[i].group)
      groupBegins.push_back(i);
  Json places = Json::array();
  for (const profile::CommandProfile &command : own) {
    uint32_t dep = command.command.dep();
    if (dep == 0 || command.group >= groupBegins.size())
      places.push_back(-1);
    else
      places.push_back(groupBegins[command.group] + dep - 1);
  }
  return places;
}

/// Columns, one entry a command. Starts follow from `gap` (cycles since the
/// command before on the same engine ended) and `cycles`.
static Json engineColumns(const Profile &profile, Engine engine, Words &words) {
  Json gap = Json::array(), cycles = Json::array(), kind = Json::array(),
       node = Json::array(), flags = Json::array(), group = Json::array(),
       read = Json::array(), written = Json::array(), macs = Json::array(),
       kin = Json::array(), text = Json::array();
  uint64_t end = 0;
  for (const profile::CommandProfile &command :
       profile.commands[size_t(engine)]) {
    gap.push_back(command.span.start - end);
    end = command.span.end;
    cycles.push_back(command.span.cycles());
    kind.push_back(command.kind);
    node.push_back(command.node == profile::kNone ? -1 : int(command.node));
    bool isExtrapolated = command.isExtrapolated();
    flags.push_back(int(command.span.isCritical) | int(isExtrapolated) << 1);
    group.push_back(command.group);
    read.push_back(command.dramReadBytes);
    written.push_back(command.dramWriteBytes);
    macs.push_back(command.cost.macs);
    kin.push_back(isExtrapolated ? int(words.numberOf(command.cost.kin)) : -1);
    text.push_back(wordsOf(command.command, words));
  }
  return {{"gap", std::move(gap)},     {"cycles", std::move(cycles)},
          {"kind", std::move(kind)},   {"node", std::move(node)},
          {"flags", std::move(flags)}, {"group", std::move(group)},
          {"read", std::move(read)},   {"written", std::move(written)},
          {"macs", std::move(macs)},   {"kin", std::move(kin)},
          {"text", std::move(text)},   {"dep", dependencies(profile, engine)}};
}

static Json liveColumns(const Profile &profile) {
  Json begin = Json::array(), end = Json::array(), from = Json::array(),
       to = Json::array(), writer = Json::array(), isRead = Json::array();
  for (const profile::LiveRange &range : profile.liveRanges) {
    begin.push_back(range.begin);
    end.push_back(range.end);
    from.push_back(range.from);
    to.push_back(range.to);
    writer.push_back(range.writer);
    isRead.push_back(int(range.isRead));
  }
  return {{"begin", std::move(begin)},   {"end", std::move(end)},
          {"from", std::move(from)},     {"to", std::move(to)},
          {"writer", std::move(writer)}, {"is_read", std::move(isRead)}};
}

Json cli::profileContent(const NamedStage &subject, const Profile &profile) {
  Words words;
  Json tiu = engineColumns(profile, Engine::Tiu, words);
  Json gdma = engineColumns(profile, Engine::Gdma, words);
  return {{"report", describeProfile(subject, profile)},
          {"tiu", std::move(tiu)},
          {"gdma", std::move(gdma)},
          {"live", liveColumns(profile)},
          {"words", words.json()}};
}

std::string cli::profilePage(const NamedStage &subject,
                             const Profile &profile) {
  return fillPage("profile.html",
                  {{"producer", "weft " WEFT_VERSION},
                   {"profile", profileContent(subject, profile)}});
}
