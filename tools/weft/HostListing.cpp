#include "tools/weft/HostListing.h"

#include "runtime/host/Body.h"
#include "runtime/host/Traffic.h"
#include "runtime/host/Work.h"
#include "runtime/status/Quote.h"

#include <numeric>

using namespace weft;
using Json = nlohmann::ordered_json;

void cli::addGraphs(const host::CallStep &call, Json &json) {
  auto bodies = host::bodiesOf(call.kernel, call.attributes);
  if (!bodies) // a loader has checked them
    return;
  for (const host::NamedBody &body : *bodies) {
    Json operations = Json::array();
    for (const host::Step &step : body.body.program.steps)
      if (const auto *inner = std::get_if<host::CallStep>(&step)) {
        operations.push_back(
            {{"kernel", inner->kernel}, {"node", inner->node}});
        addGraphs(*inner, operations.back());
      }
    json["graphs"].push_back(
        {{"name", body.name}, {"operations", std::move(operations)}});
  }
}

/// A line for each graph below an operation, and those within.
static std::string graphsText(const Json &operation,
                              const std::string &indent) {
  constexpr size_t kShown = 8;
  std::string text;
  if (!operation.contains("graphs"))
    return text;
  for (const Json &graph : operation["graphs"]) {
    const Json &operations = graph["operations"];
    text += indent + graph["name"].get<std::string>() + ": " +
            std::to_string(operations.size()) + " operations";
    for (size_t i = 0; i < std::min(operations.size(), kShown); ++i)
      text += (i ? ", " : ": ") +
              rt::quoteName(operations[i]["node"].get<std::string>()) + " (" +
              rt::quoteName(operations[i]["kernel"].get<std::string>()) + ")";
    text += operations.size() > kShown ? ", ..\n" : "\n";
    for (const Json &inner : operations)
      text += graphsText(inner, indent + "  ");
  }
  return text;
}

Json cli::describeHost(const rt::StageSpec &stage) {
  std::vector<const host::Program *> programs;
  uint64_t loaded = 0, stored = 0;
  for (const rt::SubNetSpec &subNet : stage.subNets) {
    if (!subNet.program)
      continue;
    programs.push_back(&*subNet.program);
    for (const host::Step &step : subNet.program->steps)
      if (const auto *load = std::get_if<host::LoadStep>(&step))
        loaded += load->from.bytes();
      else if (const auto *store = std::get_if<host::StoreStep>(&step))
        stored += store->to.bytes();
  }
  std::vector<host::ResultType> inputs;
  for (const rt::TensorSpec &input : stage.inputs)
    inputs.push_back(host::staticResult(input.type, input.shape));
  const std::vector<double> seconds = host::secondsOf(programs, inputs);
  Json calls = Json::array();
  for (const host::CallTraffic &traffic : host::trafficOf(programs)) {
    calls.push_back({{"kernel", traffic.call->kernel},
                     {"node", traffic.call->node},
                     {"reason", traffic.call->reason},
                     {"from_chip_bytes", traffic.fromChipBytes},
                     {"to_chip_bytes", traffic.toChipBytes},
                     {"seconds", seconds[calls.size()]}});
    addGraphs(*traffic.call, calls.back());
  }
  return {{"sub_nets", programs.size()},
          {"from_chip_bytes", loaded},
          {"to_chip_bytes", stored},
          {"seconds", std::accumulate(seconds.begin(), seconds.end(), 0.0)},
          {"operations", std::move(calls)}};
}

std::string cli::hostText(const Json &host, const std::string &indent) {
  auto number = [](const Json &of, const char *key) {
    return std::to_string(of[key].get<uint64_t>());
  };
  std::string text =
      indent + "host: " + std::to_string(host["operations"].size()) +
      " operations in " + number(host, "sub_nets") + " sub-nets, " +
      number(host, "from_chip_bytes") + " bytes from the chip, " +
      number(host, "to_chip_bytes") + " to it, " +
      host::workText(host["seconds"].get<double>()) + "\n";
  for (const Json &call : host["operations"])
    text += indent + "  " + rt::quoteName(call["node"].get<std::string>()) +
            " (" + rt::quoteName(call["kernel"].get<std::string>()) +
            "): " + rt::quoteName(call["reason"].get<std::string>()) + "; " +
            number(call, "from_chip_bytes") + " bytes from the chip, " +
            number(call, "to_chip_bytes") + " to it; " +
            host::workText(call["seconds"].get<double>()) + "\n" +
            graphsText(call, indent + "    ");
  return text;
}
