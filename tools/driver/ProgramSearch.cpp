//===- ProgramSearch.cpp - groups as the whole program wants them ---------===//

#include "tools/driver/ProgramSearch.h"

#include "dialects/ConstantBlobs.h"
#include "dialects/tpu/Constant.h"
#include "dialects/tpu/Decision.h"
#include "dialects/tpu/Group.h"
#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/ModuleChip.h"
#include "passes/tpu/GroupPlacement.h"
#include "passes/tpu/GroupSearch.h"
#include "tools/driver/ProgramCycles.h"
#include "tools/files/InputFile.h"
#include "tools/files/OutputFile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SHA1.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

using namespace mlir;
using namespace weft;
using namespace weft::driver;
using Json = nlohmann::ordered_json;

static constexpr const char *kCacheVersion = "weft program search 1";
/// Of programs that are placed, emitted, scheduled and predicted, where the
/// limit was measured.
static constexpr double kCommandsASecond = 7500;

namespace {
/// How one group is sliced and placed.
struct GroupWay {
  tpu::Tiling tiling;
  tpu::PlacementOrder order;
};

/// The first and the last op of a group, counted in the block.
using GroupSpan = std::pair<int64_t, int64_t>;

/// What is different from what the passes find.
struct Changes {
  std::set<int64_t> begins; ///< ops with which a group begins
  std::map<GroupSpan, GroupWay> ways;
};

/// A program and what it takes.
struct Trial {
  Changes changes;
  OwningOpRef<ModuleOp> program;
  std::vector<Diagnostic> remarks;
  uint64_t cycles = 0, commands = 0;
};

/// What a file knows of one program.
struct Known {
  Changes changes;
  uint64_t firstCycles = 0, cycles = 0; ///< without them and with them
  double commands = 0; ///< of the programs that were made to find them
  bool isComplete = false;
};

class GroupWaySearch {
public:
  GroupWaySearch(ModuleOp graph, const Chip &chip, LowerGroups group,
                 LowerGroups place, double commands)
      : graph(graph), chip(chip), group(group), place(place),
        commandsLeft(commands) {}

  FailureOr<FoundProgram> run(const std::optional<Known> &known);

  Known result;

private:
  bool makeGroups(const std::set<int64_t> &begins);
  std::optional<Trial> attempt(const Changes &changes);
  void consider(Changes changes);
  void take(Trial trial);
  void improveGroup(GroupSpan span, const GroupWay &way);
  void improveGroups();
  void improveBegins();
  void show(std::vector<Diagnostic> &diagnostics);

  ModuleOp graph;
  const Chip &chip;
  LowerGroups group, place;
  double commandsLeft;
  /// The groups of `groupedFor`, which clones are placed of.
  OwningOpRef<ModuleOp> grouped;
  std::set<int64_t> groupedFor;
  std::vector<Diagnostic> failures; ///< of the last that was not lowered
  Trial best;
  size_t programs = 0;
  bool hasImproved = false;
};
} // namespace

/// On an op while the search lasts: its number in the block.
static constexpr llvm::StringLiteral kNumberAttr = "tpu.number";

static std::vector<tpu::GroupOp> groupsOf(ModuleOp module) {
  std::vector<tpu::GroupOp> groups;
  module.walk([&](tpu::GroupOp group) { groups.push_back(group); });
  return groups;
}

static Block &bodyOf(ModuleOp module) {
  return module.lookupSymbol<func::FuncOp>("main").getBody().front();
}

/// The number of an op that a group may begin with; -1 of constants, and of
/// what passes have put beside the others.
static int64_t numberOf(Operation &op) {
  auto number = op.getAttrOfType<IntegerAttr>(kNumberAttr);
  return number && !llvm::isa<tpu::WeightOp>(op) ? number.getInt() : -1;
}

static GroupSpan spanOf(tpu::GroupOp group) {
  GroupSpan span{-1, -1};
  for (Operation &op : group.getBody().front())
    if (int64_t number = numberOf(op); number >= 0)
      span = {span.first < 0 ? number : std::min(span.first, number),
              std::max(span.second, number)};
  return span;
}

static GroupWay wayOf(tpu::GroupOp group) {
  return {group.tilingOrWhole(), tpu::PlacementOrder::of(group)};
}

static void setWay(tpu::GroupOp group, const GroupWay &way) {
  MLIRContext *context = group.getContext();
  if (!(way.tiling == group.tilingOrWhole())) // of which they were expected
    group->removeDiscardableAttr(tpu::kCyclesAttr);
  group.setTilingAttr(tpu::TilingAttr::get(context, way.tiling));
  if (way.order.largestLoadFirst)
    group->setDiscardableAttr(tpu::kLargestLoadFirstAttr,
                              UnitAttr::get(context));
  if (way.order.storesAtOnce)
    group->setDiscardableAttr(tpu::kStoresAtOnceAttr, UnitAttr::get(context));
}

/// Whether a search would try `way`; others come out of files.
static bool isPossible(tpu::GroupOp group, const GroupWay &way) {
  const int64_t mostSlices = tpu::GroupSearchOptions().maxSlices;
  tpu::Dims largest{1, 1, 1, 1};
  for (Value output : group.getOutputs())
    for (auto [size, most] : llvm::zip(tpu::dimsOf(output), largest))
      most = std::max(most, size);
  int64_t slices = 1;
  for (unsigned axis = 0; axis < 4; ++axis) {
    int64_t count = way.tiling.counts[axis];
    if (count < 1 || count > largest[axis] || (slices *= count) > mostSlices)
      return false;
  }
  return way.tiling.isStreamed == group.tilingOrWhole().isStreamed ||
         way.tiling.counts[tpu::kAxisC] == 1;
}

/// `grouped` for these; false if they cannot be made.
bool GroupWaySearch::makeGroups(const std::set<int64_t> &begins) {
  if (grouped && groupedFor == begins)
    return true;
  OwningOpRef<ModuleOp> made = cast<ModuleOp>(graph->clone());
  for (auto [number, op] : llvm::enumerate(bodyOf(*made))) {
    op.setDiscardableAttr(kNumberAttr,
                          Builder(op.getContext()).getI64IntegerAttr(number));
    if (begins.count(number))
      op.setDiscardableAttr(tpu::kBeginsGroupAttr,
                            UnitAttr::get(op.getContext()));
  }
  if (failed(group(*made)))
    return false;
  grouped = std::move(made);
  groupedFor = begins;
  return true;
}

/// None if there are no such groups, they cannot be placed so, or the cycles
/// not be predicted.
std::optional<Trial> GroupWaySearch::attempt(const Changes &changes) {
  Trial trial;
  trial.changes.begins = changes.begins;
  ++programs;
  ScopedDiagnosticHandler collect(
      graph.getContext(), [&](Diagnostic &diagnostic) {
        trial.remarks.push_back(std::move(diagnostic));
        return success();
      });
  bool isLowered = makeGroups(changes.begins);
  if (isLowered) {
    trial.program = cast<ModuleOp>((*grouped)->clone());
    for (tpu::GroupOp made : groupsOf(*trial.program))
      if (auto way = changes.ways.find(spanOf(made));
          way != changes.ways.end() && isPossible(made, way->second)) {
        setWay(made, way->second);
        trial.changes.ways.insert(*way);
      }
    isLowered = succeeded(place(*trial.program));
  }
  if (!isLowered) {
    failures = std::move(trial.remarks);
    return std::nullopt;
  }
  auto nets = trial.program->getOps<ppl::NetOp>();
  if (llvm::hasSingleElement(nets))
    if (auto cycles = predictCycles(*nets.begin(), chip)) {
      trial.cycles = cycles->total;
      trial.commands = cycles->commands;
    }
  return trial;
}

void GroupWaySearch::take(Trial trial) {
  if (best.program)
    LiveBlobs(*best.program).releaseOthers(*trial.program);
  best = std::move(trial);
}

void GroupWaySearch::consider(Changes changes) {
  if (commandsLeft <= 0)
    return;
  // Finding groups takes about as long as the rest; what does not fit is soon
  // found out.
  double spent = changes.begins == groupedFor ? 0 : double(best.commands);
  std::optional<Trial> trial = attempt(changes);
  spent += trial ? double(trial->commands) : best.commands / 8.0;
  commandsLeft -= spent;
  result.commands += spent;
  if (!trial)
    return;
  if (!trial->cycles || trial->cycles >= best.cycles) {
    LiveBlobs(*trial->program).releaseOthers(*best.program);
    return;
  }
  take(std::move(*trial));
  hasImproved = true;
}

/// The numbers of slices next to `count`.
static std::array<int64_t, 2> nextCounts(int64_t count) {
  return {std::max(count + 1, count * 3 / 2),
          count - std::max<int64_t>(1, count / 3)};
}

void GroupWaySearch::improveGroup(GroupSpan span, const GroupWay &given) {
  auto way = [&] {
    auto found = best.changes.ways.find(span);
    return found == best.changes.ways.end() ? given : found->second;
  };
  auto consideredWith = [&](auto change) {
    Changes changes = best.changes;
    GroupWay changed = way();
    change(changed);
    changes.ways[span] = changed;
    consider(std::move(changes));
  };
  consideredWith([](GroupWay &way) {
    way.order.largestLoadFirst = !way.order.largestLoadFirst;
  });
  consideredWith(
      [](GroupWay &way) { way.order.storesAtOnce = !way.order.storesAtOnce; });
  if (given.tiling.streamsImages())
    return;
  // Slices of channels differ in all but full rounds over the lanes.
  if (way().tiling.slices() > 1 && way().tiling.counts[tpu::kAxisC] == 1)
    consideredWith(
        [](GroupWay &way) { way.tiling.isStreamed = !way.tiling.isStreamed; });
  for (unsigned axis : {tpu::kAxisH, tpu::kAxisC, tpu::kAxisN})
    for (int64_t count : nextCounts(way().tiling.counts[axis]))
      if (count >= 1)
        consideredWith([&](GroupWay &way) { way.tiling.counts[axis] = count; });
}

/// Those that take the most cycles first.
void GroupWaySearch::improveGroups() {
  struct Given {
    int64_t cycles;
    GroupSpan span;
    GroupWay way;
  };
  std::vector<Given> order;
  if (!makeGroups(best.changes.begins))
    return;
  for (tpu::GroupOp made : groupsOf(*grouped)) {
    auto expected = made->getAttrOfType<IntegerAttr>(tpu::kCyclesAttr);
    order.push_back(
        {expected ? expected.getInt() : 0, spanOf(made), wayOf(made)});
  }
  llvm::stable_sort(order, [](const Given &a, const Given &b) {
    return a.cycles > b.cycles;
  });
  for (const Given &one : order)
    improveGroup(one.span, one.way);
}

/// Groups that begin with an op inside of one, or no longer with one where that
/// was found to be good.
void GroupWaySearch::improveBegins() {
  if (!makeGroups(best.changes.begins))
    return;
  std::vector<int64_t> inside(best.changes.begins.begin(),
                              best.changes.begins.end());
  for (tpu::GroupOp made : groupsOf(*grouped)) {
    int64_t first = spanOf(made).first;
    for (Operation &op : made.getBody().front())
      if (int64_t number = numberOf(op); number > first)
        inside.push_back(number);
  }
  for (int64_t number : inside) {
    Changes changes = best.changes;
    if (!changes.begins.erase(number))
      changes.begins.insert(number);
    consider(std::move(changes));
  }
}

void GroupWaySearch::show(std::vector<Diagnostic> &diagnostics) {
  for (Diagnostic &diagnostic : diagnostics)
    graph.getContext()->getDiagEngine().emit(std::move(diagnostic));
}

FailureOr<FoundProgram> GroupWaySearch::run(const std::optional<Known> &known) {
  FoundProgram found;
  if (known) {
    std::optional<Trial> trial = attempt(known->changes);
    if (trial && trial->cycles == known->cycles) {
      take(std::move(*trial));
      result = *known;
      commandsLeft -= known->commands;
      found.isKnown = true;
    } else if (trial) { // somebody has changed the file
      LiveBlobs(*trial->program).releaseOthers(graph);
    }
  }
  if (!best.program) {
    std::optional<Trial> first = attempt({});
    if (!first) {
      show(failures);
      return failure();
    }
    take(std::move(*first));
    result.firstCycles = best.cycles;
  }
  bool isComplete = result.isComplete || !best.cycles;
  found.isKnown &= isComplete || commandsLeft <= 0;
  while (!isComplete && commandsLeft > 0) {
    hasImproved = false;
    improveGroups();
    if (!hasImproved)
      improveBegins();
    isComplete = !hasImproved && commandsLeft > 0;
  }
  result.changes = best.changes;
  result.cycles = best.cycles;
  result.isComplete = isComplete;
  best.program->walk(
      [](Operation *op) { op->removeDiscardableAttr(kNumberAttr); });
  show(best.remarks);
  found.program = std::move(best.program);
  found.firstCycles = result.firstCycles;
  found.cycles = best.cycles;
  found.programs = programs;
  found.isComplete = isComplete;
  return found;
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

/// Of what decides what a search finds: the graph, its constants by the hashes
/// in their names, and the compiler.
static std::string keyOf(ModuleOp graph) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  flags.elideLargeResourceString(/*largeResourceLimit=*/0);
  graph->print(stream, flags);
  text += WEFT_VERSION;
  return llvm::toHex(
      llvm::SHA1::hash(llvm::ArrayRef<uint8_t>(
          reinterpret_cast<const uint8_t *>(text.data()), text.size())),
      /*LowerCase=*/true);
}

static Json jsonOf(const Known &known) {
  Json groups = Json::array();
  for (const auto &[span, way] : known.changes.ways) {
    Json group{{"ops", {span.first, span.second}},
               {"slices", way.tiling.counts}};
    for (auto [name, isSet] :
         {std::pair("streamed", way.tiling.isStreamed),
          std::pair("largest_load_first", way.order.largestLoadFirst),
          std::pair("stores_at_once", way.order.storesAtOnce)})
      if (isSet)
        group[name] = true;
    groups.push_back(std::move(group));
  }
  return {{"cycles_without", known.firstCycles}, {"cycles", known.cycles},
          {"commands", known.commands},          {"complete", known.isComplete},
          {"begins", known.changes.begins},      {"groups", std::move(groups)}};
}

/// `json` as a list of `count` whole numbers of at least `least`, any number of
/// them if that is 0; std::nullopt: it is none.
static std::optional<std::vector<int64_t>>
numbersOf(const Json &json, size_t count, int64_t least) {
  std::vector<int64_t> numbers;
  if (!json.is_array() || (count && json.size() != count))
    return std::nullopt;
  for (const Json &number : json) {
    if (!number.is_number_integer() || number.get<int64_t>() < least ||
        number.get<int64_t>() > (int64_t(1) << 30))
      return std::nullopt;
    numbers.push_back(number.get<int64_t>());
  }
  return numbers;
}

/// std::nullopt: nothing that a search has written.
static std::optional<Known> knownOf(const Json &json) {
  auto isCount = [&](const char *name) {
    return json.contains(name) && json[name].is_number_unsigned();
  };
  if (!json.is_object() || !isCount("cycles_without") || !isCount("cycles") ||
      !json.contains("commands") || !json["commands"].is_number() ||
      !json.contains("complete") || !json["complete"].is_boolean() ||
      !json.contains("groups") || !json["groups"].is_array())
    return std::nullopt;
  Known known;
  known.firstCycles = json["cycles_without"].get<uint64_t>();
  known.cycles = json["cycles"].get<uint64_t>();
  known.commands = json["commands"].get<double>();
  if (known.firstCycles < known.cycles || !(known.commands >= 0))
    return std::nullopt;
  known.isComplete = json["complete"].get<bool>();
  auto begins = numbersOf(json.value("begins", Json()), 0, 0);
  if (!begins)
    return std::nullopt;
  known.changes.begins.insert(begins->begin(), begins->end());
  for (const Json &one : json["groups"]) {
    if (!one.is_object())
      return std::nullopt;
    auto ops = numbersOf(one.value("ops", Json()), 2, 0),
         slices = numbersOf(one.value("slices", Json()), 4, 1);
    if (!ops || !slices)
      return std::nullopt;
    GroupWay &way = known.changes.ways[{ops->front(), ops->back()}];
    llvm::copy(*slices, way.tiling.counts.begin());
    auto isSet = [&](const char *name) {
      return one.value(name, Json(false)) == Json(true);
    };
    way.tiling.isStreamed = isSet("streamed");
    way.order.largestLoadFirst = isSet("largest_load_first");
    way.order.storesAtOnce = isSet("stores_at_once");
  }
  return known;
}

/// What `path` holds, an empty file of searches if there is none.
static FailureOr<Json> readCache(const std::string &path, Location location) {
  if (!llvm::sys::fs::exists(path))
    return Json{{"version", kCacheVersion}, {"programs", Json::object()}};
  rt::Result<std::string> text = tools::readInputFile(path);
  if (!text)
    return emitError(location) << text.status().message();
  // An entry of a search is four deep; all of it is copied and written again.
  constexpr int kMostDeep = 8;
  bool isDeep = false;
  Json json = Json::parse(
      *text,
      [&](int depth, Json::parse_event_t, Json &) {
        isDeep |= depth > kMostDeep;
        return depth <= kMostDeep;
      },
      /*allow_exceptions=*/false);
  if (isDeep || !json.is_object() ||
      json.value("version", Json()) != Json(kCacheVersion) ||
      !json.contains("programs") || !json["programs"].is_object())
    return emitError(location)
           << "'" << path << "' is no file of --search-cache ('"
           << kCacheVersion << "'); name another or remove it";
  return json;
}

FailureOr<FoundProgram>
driver::searchProgram(ModuleOp graph, const Chip &chip, LowerGroups group,
                      LowerGroups place, const ProgramSearchOptions &options) {
  PinnedBlobs shared(graph);
  Location location = graph.lookupSymbol("main")->getLoc();
  Json cache;
  std::string key;
  std::optional<Known> known;
  if (!options.cache.empty()) {
    FailureOr<Json> read = readCache(options.cache, location);
    if (failed(read))
      return failure();
    cache = std::move(*read);
    key = keyOf(graph);
    if (auto found = cache["programs"].find(key);
        found != cache["programs"].end()) {
      known = knownOf(*found);
      if (!known)
        return emitError(location) << "'" << options.cache
                                   << "' has an entry that no search has "
                                      "written; remove the file";
    }
  }
  // Not after all the work.
  bool mayAdd =
      !known || (!known->isComplete &&
                 known->commands < options.seconds * kCommandsASecond);
  if (!options.cache.empty() && mayAdd)
    if (rt::Status status = tools::checkOutputFile(options.cache); !status)
      return emitError(location) << status.message();
  GroupWaySearch search(graph, chip, group, place,
                        options.seconds * kCommandsASecond);
  FailureOr<FoundProgram> found = search.run(known);
  if (failed(found) || options.cache.empty() || found->isKnown)
    return found;
  // Others may have written it in the meantime.
  FailureOr<Json> again = readCache(options.cache, location);
  if (failed(again))
    return failure();
  cache = std::move(*again);
  cache["programs"][key] = jsonOf(search.result);
  std::string text = cache.dump(1) + "\n";
  if (rt::Status status =
          tools::writeOutputFile(options.cache, text.data(), text.size());
      !status)
    return emitError(location) << status.message();
  return found;
}
