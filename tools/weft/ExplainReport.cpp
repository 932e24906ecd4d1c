#include "tools/weft/ExplainReport.h"

#include "runtime/cycles/Cycles.h"
#include "runtime/status/Quote.h"
#include "tools/weft/TextTable.h"

#include <algorithm>
#include <cstdio>
#include <map>

using namespace weft;
using namespace weft::cli;
using Json = nlohmann::ordered_json;

namespace {
/// Values in DRAM for one reason and cause.
struct DramTotal {
  const rt::DramValue *first = nullptr;
  uint64_t values = 0, bytes = 0;
};
} // namespace

/// Those with most bytes first; of equal ones those of the reason that comes
/// first.
static std::vector<DramTotal> totalsOf(const rt::Decisions &decisions) {
  std::map<std::pair<rt::DramReason, int>, DramTotal> found;
  for (const rt::DramValue &value : decisions.values) {
    int cause = value.cause ? int(value.cause->kind) : -1;
    DramTotal &total = found[{value.reason, cause}];
    if (!total.first)
      total.first = &value;
    ++total.values;
    total.bytes += value.bytes;
  }
  std::vector<DramTotal> totals;
  for (const auto &entry : found)
    totals.push_back(entry.second);
  std::stable_sort(
      totals.begin(), totals.end(),
      [](const DramTotal &a, const DramTotal &b) { return a.bytes > b.bytes; });
  return totals;
}

static std::string sizesText(const std::array<uint32_t, 4> &sizes) {
  std::string text;
  for (uint32_t size : sizes)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

namespace {
/// Cycles below which there is no program, and what takes them.
struct Bound {
  uint64_t computing = 0, dramBytes = 0, moving = 0;

  Bound(uint64_t computing, uint64_t dramBytes, const Chip &chip)
      : computing(computing), dramBytes(dramBytes),
        moving(uint64_t(double(dramBytes) / cycles::dmaBytesPerCycle(chip))) {}
  uint64_t cycles() const { return std::max(computing, moving); }
  const char *by() const { return computing >= moving ? "compute" : "dram"; }
};
} // namespace

static Bound boundOf(const rt::DecidedStep &step, const Chip &chip) {
  return {step.computing, step.constantBytes + step.valueBytes, chip};
}

/// Of the whole program: what its groups compute, and the bytes of constants,
/// inputs and outputs. What lies in DRAM between groups might stay on the chip.
static Bound boundOf(const NamedStage &subject,
                     const rt::Decisions &decisions) {
  uint64_t computing = 0, bytes = 0;
  for (const rt::DecidedStep &step : decisions.steps) {
    computing += step.computing;
    bytes += step.constantBytes;
  }
  for (const auto *tensors :
       {&subject.stage().inputs, &subject.stage().outputs})
    for (const rt::TensorSpec &tensor : *tensors)
      bytes += tensor.fromHost ? 0 : tensor.storedBytes;
  return {computing, bytes, subject.model.chip()};
}

//===-- JSON --------------------------------------------------------------===//

static Json describeBound(const Bound &bound) {
  return {{"cycles", bound.cycles()},
          {"by", bound.by()},
          {"compute_cycles", bound.computing},
          {"dram_cycles", bound.moving},
          {"dram_bytes", bound.dramBytes}};
}

static Json namesOf(const rt::SourceNodes &nodes) {
  Json names = Json::array();
  for (size_t i = 0; i < nodes.size(); ++i)
    names.push_back(nodes[i].name()->str());
  return names;
}

static Json describeCause(const std::optional<rt::DecidedCause> &cause) {
  if (!cause)
    return nullptr;
  return {{"cause", kindOf(cause->kind).word},
          {"operation", cause->operation.name},
          {"nodes", namesOf(cause->operation.nodes)},
          {"asked", cause->asked},
          {"limit", cause->limit},
          {"text", cause->text()}};
}

static Json describeStep(const rt::DecidedStep &step, size_t number,
                         const Chip &chip) {
  return {{"step", number},
          {"operation", step.first.name},
          {"operations", step.opCount},
          {"first_nodes", namesOf(step.first.nodes)},
          {"last_nodes", namesOf(step.lastNodes)},
          {"slices", step.slices},
          {"streamed", step.isStreamed},
          {"cycles", step.cycles},
          {"bound",
           step.isGroup() ? describeBound(boundOf(step, chip)) : Json(nullptr)},
          {"border", describeCause(step.border)}};
}

static Json describeValue(const rt::DramValue &value) {
  return {{"name", value.name},
          {"type", numeric::elementTypeName(value.type)},
          {"shape", value.shape},
          {"bytes", value.bytes},
          {"step", value.step},
          {"nodes", namesOf(value.nodes)},
          {"readers", value.readers},
          {"reason", kindOf(value.reason).word},
          {"cause", describeCause(value.cause)}};
}

static Json describeChoice(const rt::DecidedChoice &choice) {
  Json ways = Json::array();
  for (const rt::DecidedWay &way : choice.ways) {
    Json price = nullptr;
    if (way.price)
      price = *way.price;
    ways.push_back({{"name", way.name}, {"price", std::move(price)}});
  }
  return {{"question", kindOf(choice.question).word},
          {"operation", choice.operation.name},
          {"nodes", namesOf(choice.operation.nodes)},
          {"unit", kindOf(choice.question).unit},
          {"taken", choice.ways[choice.taken].name},
          {"ways", std::move(ways)}};
}

Json cli::describeDecisions(const NamedStage &subject,
                            const rt::Decisions &decisions, uint64_t cycles) {
  Json json = {{"file", subject.model.path()},
               {"chip", subject.model.chip().name},
               {"net", subject.net.name},
               {"stage", subject.number},
               {"stages", subject.net.stages.size()},
               {"cycles", cycles},
               {"bound", describeBound(boundOf(subject, decisions))},
               {"steps", Json::array()},
               {"dram_values", Json::array()},
               {"dram_totals", Json::array()},
               {"choices", Json::array()}};
  for (size_t i = 0; i < decisions.steps.size(); ++i)
    json["steps"].push_back(
        describeStep(decisions.steps[i], i, subject.model.chip()));
  for (const rt::DramValue &value : decisions.values)
    json["dram_values"].push_back(describeValue(value));
  for (const DramTotal &total : totalsOf(decisions)) {
    const auto &cause = total.first->cause;
    json["dram_totals"].push_back(
        {{"reason", kindOf(total.first->reason).word},
         {"cause", cause ? Json(kindOf(cause->kind).word) : Json()},
         {"values", total.values},
         {"bytes", total.bytes}});
  }
  for (const rt::DecidedChoice &choice : decisions.choices)
    json["choices"].push_back(describeChoice(choice));
  return json;
}

//===-- Text --------------------------------------------------------------===//

/// Widths of names in the tables.
constexpr size_t kNodeWidth = 28, kValueWidth = 32;

static std::string wordText(std::string_view word) {
  return shortened(std::string(word), kNodeWidth);
}

/// "Conv_3", "Conv_3 +2" if there are more; "-" without nodes.
static std::string nodeText(const rt::SourceNodes &nodes) {
  if (nodes.empty())
    return "-";
  std::string text = shortened(nodes[0].name()->str(), kNodeWidth);
  if (nodes.size() > 1)
    text += " +" + std::to_string(nodes.size() - 1);
  return text;
}

static std::string count(uint64_t number, const char *what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

static std::string causeText(const rt::DecidedCause &cause) {
  std::string text = cause.text();
  return cause.operation.nodes.empty()
             ? text
             : text + " (" + nodeText(cause.operation.nodes) + ")";
}

static std::string slicesText(const rt::DecidedStep &step) {
  return sizesText(step.slices) + (step.isStreamed ? " streamed" : "");
}

static std::string stepsText(const rt::Decisions &decisions, const Chip &chip) {
  TextTable table("rlrlrrllll");
  table.addRow({"step", "", "ops", "slices", "cycles", "bound", "by", "from",
                "to", "ends because"});
  for (size_t i = 0; i < decisions.steps.size(); ++i) {
    const rt::DecidedStep &step = decisions.steps[i];
    bool isGroup = step.isGroup();
    // What works in DRAM needs no reason to end.
    std::string border = isGroup ? "the network ends" : "";
    if (step.border)
      border = causeText(*step.border);
    table.addRow({std::to_string(i), wordText(step.first.name),
                  isGroup ? std::to_string(step.opCount) : "",
                  isGroup ? slicesText(step) : "",
                  isGroup ? std::to_string(step.cycles) : "",
                  isGroup ? std::to_string(boundOf(step, chip).cycles()) : "",
                  isGroup ? boundOf(step, chip).by() : "",
                  nodeText(step.first.nodes),
                  isGroup ? nodeText(step.lastNodes) : "", border});
  }
  return "groups, and operations outside of groups\n" + table.text();
}

static std::string valuesText(const rt::Decisions &decisions) {
  if (decisions.values.empty())
    return "no intermediate lies in DRAM\n";
  TextTable table("lllrrll");
  table.addRow(
      {"value", "type", "shape", "bytes", "made by", "read by", "because"});
  for (const rt::DramValue &value : decisions.values) {
    std::string readers;
    for (size_t reader : value.readers)
      readers += (readers.empty() ? "" : ",") + std::to_string(reader);
    std::string reason(kindOf(value.reason).text);
    if (value.cause)
      reason += ": " + causeText(*value.cause);
    std::string name = value.name.empty()
                           ? "(of " + nodeText(value.nodes) + ")"
                           : shortened(std::string(value.name), kValueWidth);
    table.addRow({name, numeric::elementTypeName(value.type),
                  sizesText(value.shape), std::to_string(value.bytes),
                  std::to_string(value.step), readers, reason});
  }
  return "intermediates in DRAM; steps make and read them\n" + table.text();
}

static std::string totalsText(const rt::Decisions &decisions) {
  std::vector<DramTotal> totals = totalsOf(decisions);
  if (totals.size() < 2)
    return "";
  TextTable table("rrll");
  table.addRow({"bytes", "values", "reason", "cause"});
  for (const DramTotal &total : totals) {
    const auto &cause = total.first->cause;
    table.addRow({std::to_string(total.bytes), std::to_string(total.values),
                  std::string(kindOf(total.first->reason).text),
                  cause ? std::string(kindOf(cause->kind).word) : ""});
  }
  return "the same by reason\n" + table.text();
}

static std::string choicesText(const rt::Decisions &decisions) {
  if (decisions.choices.empty())
    return "";
  TextTable table("lllll");
  table.addRow({"question", "operation", "node", "taken", "prices"});
  for (const rt::DecidedChoice &choice : decisions.choices) {
    const rt::DecisionKind &kind = kindOf(choice.question);
    std::string prices;
    for (const rt::DecidedWay &way : choice.ways)
      prices += (prices.empty() ? "" : ", ") + wordText(way.name) + " " +
                (way.price ? std::to_string(*way.price) : "impossible");
    table.addRow({std::string(kind.word), wordText(choice.operation.name),
                  nodeText(choice.operation.nodes),
                  wordText(choice.ways[choice.taken].name),
                  prices + " " + std::string(kind.unit)});
  }
  return "choices; unconfirmed cycles count twice\n" + table.text();
}

/// The bound, how it comes about and how far the program is from it.
static std::string boundText(const Bound &bound, uint64_t cycles) {
  char text[320];
  double times = bound.cycles() ? double(cycles) / double(bound.cycles()) : 0;
  std::snprintf(
      text, sizeof(text),
      "bound: %llu cycles, by %s: %llu compute (each operation in "
      "its recipe on whole tensors), %llu for %llu DRAM bytes "
      "(constants, inputs and outputs once); the program takes %llu, "
      "%.2f times that\n",
      (unsigned long long)bound.cycles(), bound.by(),
      (unsigned long long)bound.computing, (unsigned long long)bound.moving,
      (unsigned long long)bound.dramBytes, (unsigned long long)cycles, times);
  return text;
}

std::string cli::decisionsText(const NamedStage &subject,
                               const rt::Decisions &decisions,
                               uint64_t cycles) {
  uint64_t groups = 0, bytes = 0;
  for (const rt::DecidedStep &step : decisions.steps)
    groups += step.isGroup();
  for (const rt::DramValue &value : decisions.values)
    bytes += value.bytes;
  return subject.model.path() + ": net " + rt::quoteName(subject.net.name) +
         ", stage " + std::to_string(subject.number) + " of " +
         std::to_string(subject.net.stages.size()) + ", " +
         std::string(subject.model.chip().name) + ": " +
         count(groups, "group") + ", " +
         count(decisions.steps.size() - groups, "operation") + " outside; " +
         count(decisions.values.size(), "intermediate") + " of " +
         count(bytes, "byte") + " in DRAM\n" +
         boundText(boundOf(subject, decisions), cycles) +
         stepsText(decisions, subject.model.chip()) + valuesText(decisions) +
         totalsText(decisions) + choicesText(decisions);
}
