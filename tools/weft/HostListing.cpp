#include "tools/weft/HostListing.h"

#include "runtime/host/Traffic.h"
#include "runtime/status/Quote.h"

using namespace weft;
using Json = nlohmann::ordered_json;

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
  Json calls = Json::array();
  for (const host::CallTraffic &traffic : host::trafficOf(programs))
    calls.push_back({{"kernel", traffic.call->kernel},
                     {"node", traffic.call->node},
                     {"reason", traffic.call->reason},
                     {"from_chip_bytes", traffic.fromChipBytes},
                     {"to_chip_bytes", traffic.toChipBytes}});
  return {{"sub_nets", programs.size()},
          {"from_chip_bytes", loaded},
          {"to_chip_bytes", stored},
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
      number(host, "to_chip_bytes") + " to it\n";
  for (const Json &call : host["operations"])
    text += indent + "  " + rt::quoteName(call["node"].get<std::string>()) +
            " (" + rt::quoteName(call["kernel"].get<std::string>()) +
            "): " + rt::quoteName(call["reason"].get<std::string>()) + "; " +
            number(call, "from_chip_bytes") + " bytes from the chip, " +
            number(call, "to_chip_bytes") + " to it\n";
  return text;
}
