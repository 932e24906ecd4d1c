#include "tools/weft/RaceListing.h"

#include "runtime/bmodel/DebugMap.h"
#include "runtime/races/Races.h"
#include "tools/weft/Listing.h"

#include <nlohmann/json.hpp>

using namespace weft;
using namespace weft::cli;
using Json = nlohmann::ordered_json;
using rt::Result;

namespace {

constexpr size_t kMostListed = 20;

/// A stage and where it stands.
struct StagePlace {
  const rt::Bmodel &model;
  const rt::NetSpec &net;
  size_t stage;

  const rt::StageSpec &spec() const { return net.stages[stage]; }
};

} // namespace

/// Where the command stands in the file.
static uint64_t fileOffset(const StagePlace &place, const races::Side &side) {
  return uint64_t(side.command.bytes - place.model.fileBytes().data);
}

static Json describeSide(const StagePlace &place, uint32_t group,
                         const races::Side &side) {
  const isa::Decoded &command = side.command;
  Json nodes = Json::array();
  for (const rt::wire::DebugNode *node :
       rt::originNodes(place.spec(), group, command.engine, side.index))
    nodes.push_back(node->name()->str());
  return {{"engine", isa::engineName(command.engine)},
          {"index", side.index},
          {"id", command.id()},
          {"waits_for", command.dep()},
          {"mnemonic", command.mnemonic},
          {"operand", side.operand},
          {"file_offset", fileOffset(place, side)},
          {"nodes", std::move(nodes)}};
}

static std::string textOf(const StagePlace &place, const races::Race &race) {
  CommandPlace at{&place.net, place.stage, race.group, isa::Engine::Tiu, 0};
  std::string heading = headingOf(at);
  std::string text =
      heading.substr(0, heading.rfind(' ')) + ": " + races::raceText(race);
  for (const races::Side *side : {&race.first, &race.second}) {
    const isa::Decoded &command = side->command;
    std::string origin =
        rt::originText(place.spec(), race.group, command.engine, side->index);
    text += std::string("; ") + std::string(isa::engineName(command.engine)) +
            " command " + std::to_string(side->index) + " is at byte " +
            std::to_string(fileOffset(place, *side)) + " of the file" +
            (origin.empty() ? "" : ", for " + origin);
  }
  if (race.impliedRaces != 0)
    text += "; the same wait orders " + std::to_string(race.impliedRaces) +
            (race.impliedRaces == 1 ? " more race" : " more races");
  return text;
}

static Json describeRace(const StagePlace &place, const races::Race &race) {
  bool isLocal = race.memory == isa::Memory::Local;
  Json json = {{"net", place.net.name},
               {"stage", place.stage},
               {"group", race.group},
               {"conflict", races::conflictName(race.conflict)},
               {"first", describeSide(place, race.group, race.first)},
               {"second", describeSide(place, race.group, race.second)},
               {"memory", isLocal ? "local" : "static"},
               {"begin", race.begin},
               {"end", race.end}};
  if (isLocal) {
    json["first_lane"] = race.firstLane;
    json["lanes"] = race.endLane - race.firstLane;
  }
  json["must_wait_for"] = race.first.command.id();
  json["implied_races"] = race.impliedRaces;
  json["text"] = textOf(place, race);
  return json;
}

Result<Json> cli::describeRaces(const rt::Bmodel &model) {
  uint64_t commands = 0, missing = 0, count = 0;
  bool isCut = false;
  Json list = Json::array();
  for (const rt::NetSpec &net : model.nets())
    for (size_t stage = 0; stage < net.stages.size(); ++stage) {
      Result<races::Findings> found =
          races::findRaces(net.stages[stage], model.chip());
      if (!found)
        return found.status()
            .withContext("stage " + std::to_string(stage))
            .withContext(model.path());
      commands += found->commands;
      missing += found->races.size();
      count += found->raceCount();
      isCut |= found->isCut;
      for (const races::Race &race : found->races)
        if (list.size() < kMostListed)
          list.push_back(describeRace({model, net, stage}, race));
    }
  return Json{{"commands", commands},
              {"missing_waits", missing},
              {"races", count},
              {"cut", isCut},
              {"found", std::move(list)}};
}

std::string cli::raceListText(const Json &races) {
  uint64_t missing = races["missing_waits"].get<uint64_t>();
  std::string text =
      "races: " + std::to_string(missing) +
      (missing == 1 ? " wait is" : " waits are") + " missing between the " +
      std::to_string(races["commands"].get<uint64_t>()) + " commands" +
      (races["cut"].get<bool>() ? " or more, the search ended early\n" : "\n");
  for (const Json &one : races["found"])
    text += "  " + one["text"].get<std::string>() + "\n";
  if (missing > races["found"].size())
    text +=
        "  and " + std::to_string(missing - races["found"].size()) + " more\n";
  return text;
}
