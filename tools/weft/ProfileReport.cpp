#include "tools/weft/ProfileReport.h"

#include "runtime/bmodel/DebugMap.h"
#include "runtime/host/Work.h"
#include "runtime/status/Quote.h"
#include "tools/profile/ProfileRows.h"
#include "tools/weft/HostListing.h"
#include "tools/weft/TextTable.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <map>
#include <tuple>

using namespace weft;
using namespace weft::cli;
using isa::Engine;
using profile::Profile;
using profile::Sum;
using Json = nlohmann::ordered_json;

std::string cli::precisionName(isa::Precision precision) {
  static constexpr const char *names[] = {"i8",  "f16",  "f32", "i16",
                                          "i32", "bf16", "i4"};
  size_t code = size_t(precision);
  return code < std::size(names) ? names[code] : "type " + std::to_string(code);
}

std::string cli::nodeNames(const profile::NodeRow &row,
                           std::string_view nothing) {
  std::string text;
  for (const rt::wire::DebugNode *node : row.nodes)
    text += (text.empty() ? "" : " + ") + node->name()->str();
  return text.empty() ? std::string(nothing) : text;
}

std::string_view cli::nameOfNoOrigin(const Profile &profile) {
  return profile.hasLines ? "(no line)" : "(no ONNX node)";
}

/// Operators of the nodes, or the text of the line.
static std::string captions(const profile::NodeRow &row) {
  std::string text;
  for (const rt::wire::DebugNode *node : row.nodes)
    if (std::string_view caption = rt::captionOf(*node); !caption.empty())
      text += (text.empty() ? "" : " + ") + std::string(caption);
  return text;
}

/// Busy cycles of both engines.
static uint64_t busyCycles(const Profile &profile) {
  return profile.engines[0].cycles + profile.engines[1].cycles;
}

static double ratio(double part, double whole) {
  return whole == 0 ? 0 : part / whole;
}

//===-- JSON --------------------------------------------------------------===//

static Json describeEngine(const Profile &profile, Engine engine) {
  const Sum &sum = profile.engines[size_t(engine)];
  return {{"commands", sum.commands},
          {"busy_cycles", sum.cycles},
          {"busy_share", profile.share(sum.cycles)},
          {"wait_cycles", sum.waitCycles},
          {"critical_cycles", sum.criticalCycles}};
}

static Json describeMacs(const Profile &profile) {
  Json types = Json::array();
  uint64_t total = 0;
  for (const profile::PrecisionRow &row : profile.precisions) {
    total += row.macs;
    Json type = {{"type", precisionName(row.precision)},
                 {"macs", row.macs},
                 {"peak_macs_per_cycle", row.peakPerCycle},
                 {"utilisation", nullptr}};
    if (row.peakPerCycle != 0)
      type["utilisation"] = ratio(double(row.macs) / double(row.peakPerCycle),
                                  double(profile.totalCycles));
    types.push_back(std::move(type));
  }
  return {{"total", total},
          {"utilisation",
           ratio(profile.roofline.computeCycles, double(profile.totalCycles))},
          {"types", std::move(types)}};
}

static Json describeKinds(const Profile &profile) {
  Json kinds = Json::array();
  for (const profile::KindRow &row : profile.kinds)
    kinds.push_back({{"engine", isa::engineName(row.engine)},
                     {"mnemonic", row.mnemonic},
                     {"commands", row.sum.commands},
                     {"cycles", row.sum.cycles},
                     {"share", profile.share(row.sum.cycles)},
                     {"critical_cycles", row.sum.criticalCycles},
                     {"extrapolated_cycles", row.sum.extrapolatedCycles},
                     {"macs", row.sum.macs},
                     {"dram_read_bytes", row.sum.dramReadBytes},
                     {"dram_write_bytes", row.sum.dramWriteBytes}});
  return kinds;
}

/// Why a transfer takes longer than its bytes.
static std::string reasonText(const profile::SlowTransfers &row,
                              const Chip &chip) {
  using profile::SlowTransfers;
  switch (row.reason) {
  case SlowTransfers::ShortRuns:
    return "runs of " + std::to_string(row.runBytes) + " bytes, each paid as " +
           std::to_string(chip.rates.shortestDmaRun);
  case SlowTransfers::FewChannels:
    return "planes in " + std::to_string(row.channels) + " of " +
           std::to_string(chip.rates.dramChannels) + " DRAM channels";
  case SlowTransfers::Function:
    return "a function slower than a copy";
  }
  return "";
}

static Json describeSlowTransfers(const Profile &profile, const Chip &chip) {
  Json rows = Json::array();
  for (const profile::SlowTransfers &row : profile.slowTransfers) {
    Json names = Json::array();
    if (row.node != profile::kNone)
      for (const rt::wire::DebugNode *node : profile.nodes[row.node].nodes)
        names.push_back(node->name()->str());
    rows.push_back({{"nodes", std::move(names)},
                    {"direction", cycles::directionName(row.direction)},
                    {"commands", row.commands},
                    {"bytes", row.bytes},
                    {"cycles", row.cycles},
                    {"full_rate_cycles", row.fullRateCycles},
                    {"reason", reasonText(row, chip)}});
  }
  return rows;
}

static Json describeNodes(const Profile &profile) {
  Json nodes = Json::array();
  for (const profile::NodeRow &row : profile.nodes) {
    Json names = Json::array(), types = Json::array();
    for (const rt::wire::DebugNode *node : row.nodes) {
      names.push_back(node->name()->str());
      if (!profile.hasLines)
        types.push_back(rt::captionOf(*node));
    }
    Json node = {
        {"nodes", std::move(names)},
        {"op_types", std::move(types)},
        {"source", profile.hasLines ? Json(captions(row)) : Json(nullptr)}};
    node.update(profile::describeRow(row, profile));
    nodes.push_back(std::move(node));
  }
  return nodes;
}

/// Which instructions were predicted from which kin.
static Json describeExtrapolation(const Profile &profile) {
  struct Row {
    uint64_t commands = 0, cycles = 0;
  };
  std::map<std::tuple<std::string_view, std::string_view, bool>, Row> rows;
  Sum all;
  for (const auto &list : profile.commands)
    for (const profile::CommandProfile &command : list) {
      if (!command.isExtrapolated())
        continue;
      Row &row = rows[{command.command.mnemonic, command.cost.kin,
                       command.cost.evidence == cycles::Evidence::Probed}];
      ++row.commands;
      row.cycles += command.span.cycles();
      all.add(command);
    }
  Json kin = Json::array();
  for (const auto &[key, row] : rows)
    kin.push_back({{"mnemonic", std::get<0>(key)},
                   {"kin", std::get<1>(key)},
                   {"evidence", std::get<2>(key) ? "probed" : "kin"},
                   {"commands", row.commands},
                   {"cycles", row.cycles}});
  return {{"commands", all.commands},
          {"cycles", all.cycles},
          {"probed_cycles", all.probedCycles},
          {"share", ratio(double(all.cycles), double(busyCycles(profile)))},
          {"kin", std::move(kin)}};
}

static Json describeMemory(const Chip &chip, const Profile &profile) {
  Json banks = Json::array();
  for (size_t bank = 0; bank < profile.memory.banks.size(); ++bank)
    banks.push_back({{"peak_bytes", profile.memory.banks[bank].peakBytes},
                     {"mean_bytes", profile.memory.banks[bank].meanBytes},
                     {"shared_cycles", profile.sharing.perBank[bank]}});
  return {{"lane_bytes", chip.laneBytes},
          {"bank_bytes", chip.laneBytes / chip.banks},
          {"peak_bytes", profile.memory.whole.peakBytes},
          {"mean_bytes", profile.memory.whole.meanBytes},
          {"bank_shared_cycles", profile.sharing.cycles},
          {"banks", std::move(banks)}};
}

/// One after the other: nobody waits less than that. `host` is what
/// describeHost() gives.
static double secondsWithHost(const Profile &profile, const Json &host) {
  return profile.seconds() + host["seconds"].get<double>();
}

Json cli::describeProfile(const NamedStage &subject, const Profile &profile) {
  const profile::Roofline &roof = profile.roofline;
  uint64_t read = 0, written = 0;
  for (const Sum &sum : profile.engines) {
    read += sum.dramReadBytes;
    written += sum.dramWriteBytes;
  }
  const Chip &chip = subject.model.chip();
  const Json host = describeHost(subject.stage());
  return {
      {"file", subject.model.path()},
      {"chip", chip.name},
      {"net", subject.net.name},
      {"stage", subject.number},
      {"stages", subject.net.stages.size()},
      {"groups", subject.stage().groups.size()},
      {"total_cycles", profile.totalCycles},
      {"cycles_per_second", profile.cyclesPerSecond},
      {"seconds", profile.seconds()},
      {"seconds_with_host", secondsWithHost(profile, host)},
      {"engines",
       {{"tiu", describeEngine(profile, Engine::Tiu)},
        {"gdma", describeEngine(profile, Engine::Gdma)}}},
      {"overlap_cycles", profile.overlapCycles},
      {"dram",
       {{"read_bytes", read},
        {"write_bytes", written},
        {"bytes_per_cycle",
         ratio(double(read + written), double(profile.totalCycles))},
        {"peak_bytes_per_cycle", profile.peakDramBytesPerCycle},
        {"load_bytes_per_cycle", profile.loadBytesPerCycle}}},
      {"macs", describeMacs(profile)},
      {"roofline",
       {{"compute_cycles", roof.computeCycles},
        {"dram_cycles", roof.dramCycles},
        {"bound_cycles", roof.cycles()},
        {"bound_by", roof.isComputeBound() ? "compute" : "dram"},
        {"achieved", ratio(roof.cycles(), double(profile.totalCycles))}}},
      {"extrapolated", describeExtrapolation(profile)},
      {"local_memory", describeMemory(chip, profile)},
      {"host", host},
      {"instructions", describeKinds(profile)},
      {"debug_map", profile.hasDebugMap},
      {"origin", profile.hasLines ? "lines" : "nodes"},
      {"slow_transfers", describeSlowTransfers(profile, subject.model.chip())},
      {"nodes", describeNodes(profile)}};
}

//===-- text --------------------------------------------------------------===//

[[gnu::format(printf, 2, 3)]] static void append(std::string &text,
                                                 const char *format, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  text += line;
}

/// "1 234 567" is hard to select; digits stay together.
static unsigned long long number(uint64_t value) { return value; }

static double percent(double share) { return 100 * share; }

std::string cli::timeText(double seconds) {
  static constexpr struct {
    double unit;
    const char *name;
  } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
  for (const auto &unit : units)
    if (seconds >= unit.unit || unit.unit == 1e-9) {
      char text[32];
      std::snprintf(text, sizeof text, "%.4g %s", seconds / unit.unit,
                    unit.name);
      return text;
    }
  return "";
}

static void appendSummary(std::string &text, const Profile &profile) {
  const profile::Roofline &roof = profile.roofline;
  append(text, "  total      %12llu cycles, %s at %llu MHz\n",
         number(profile.totalCycles), timeText(profile.seconds()).c_str(),
         number(profile.cyclesPerSecond / 1'000'000));
  append(text,
         "  roofline   %12.0f cycles (%s bound), %.1f %% achieved; compute "
         "%.0f, DRAM %.0f at %.2f bytes a cycle (loads get %.2f at most)\n",
         roof.cycles(), roof.isComputeBound() ? "compute" : "DRAM",
         percent(ratio(roof.cycles(), double(profile.totalCycles))),
         roof.computeCycles, roof.dramCycles, profile.peakDramBytesPerCycle,
         profile.loadBytesPerCycle);
  for (Engine engine : {Engine::Tiu, Engine::Gdma}) {
    const Sum &sum = profile.engines[size_t(engine)];
    append(text,
           "  %-10s %12llu cycles busy, %.1f %%; waits %llu; %llu commands\n",
           engine == Engine::Tiu ? "TIU" : "GDMA", number(sum.cycles),
           percent(profile.share(sum.cycles)), number(sum.waitCycles),
           number(sum.commands));
  }
  append(text, "  both busy  %12llu cycles, %.1f %%\n",
         number(profile.overlapCycles),
         percent(profile.share(profile.overlapCycles)));
}

static void appendWork(std::string &text, const Chip &chip,
                       const Profile &profile) {
  uint64_t read = 0, written = 0;
  for (const Sum &sum : profile.engines) {
    read += sum.dramReadBytes;
    written += sum.dramWriteBytes;
  }
  append(text,
         "  DRAM       %12llu bytes read, %llu written; %.2f bytes a cycle of "
         "%.2f\n",
         number(read), number(written),
         ratio(double(read + written), double(profile.totalCycles)),
         profile.peakDramBytesPerCycle);
  for (const profile::PrecisionRow &row : profile.precisions) {
    append(text, "  MAC %-6s %12llu", precisionName(row.precision).c_str(),
           number(row.macs));
    if (row.peakPerCycle != 0)
      append(text, ", %.1f %% of %llu a cycle\n",
             percent(ratio(double(row.macs) / double(row.peakPerCycle),
                           double(profile.totalCycles))),
             number(row.peakPerCycle));
    else
      append(text, ", no peak known\n");
  }
  append(text,
         "  local      %12llu bytes of %u a lane at the peak, %.0f on "
         "average; engines share a bank in %llu cycles\n",
         number(profile.memory.whole.peakBytes), chip.laneBytes,
         profile.memory.whole.meanBytes, number(profile.sharing.cycles));
  uint64_t commands = 0, cycles = 0, probed = 0;
  for (const Sum &sum : profile.engines) {
    commands += sum.extrapolatedCommands;
    cycles += sum.extrapolatedCycles;
    probed += sum.probedCycles;
  }
  if (commands != 0)
    append(text,
           "  predicted from similar commands: %llu commands, %.1f %% of the "
           "busy cycles, "
           "%.1f %% confirmed by probes (marked ~ below)\n",
           number(commands),
           percent(ratio(double(cycles), double(busyCycles(profile)))),
           percent(ratio(double(probed), double(busyCycles(profile)))));
}

static void appendKinds(std::string &text, const Profile &profile,
                        size_t rows) {
  append(text, "instructions%s\n",
         profile.kinds.size() > rows ? " (those that cost most)" : "");
  append(text, "  %-24s %9s %12s %7s %12s %12s\n", "", "commands", "cycles",
         "share", "critical", "DRAM bytes");
  for (size_t i = 0; i < profile.kinds.size() && i < rows; ++i) {
    const profile::KindRow &row = profile.kinds[i];
    append(text, "%s %-24s %9llu %12llu %6.1f%% %12llu %12llu\n",
           row.sum.extrapolatedCycles != 0 ? "~" : " ",
           std::string(row.mnemonic).c_str(), number(row.sum.commands),
           number(row.sum.cycles), percent(profile.share(row.sum.cycles)),
           number(row.sum.criticalCycles),
           number(row.sum.dramReadBytes + row.sum.dramWriteBytes));
  }
}

/// "DRAM 94 %": what bounds the work of a row, and its share of the busy time.
static std::string boundText(const profile::NodeRow &row,
                             const Profile &profile) {
  const profile::Roofline roof = row.roofline(profile.peakDramBytesPerCycle);
  if (roof.cycles() == 0)
    return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%s %.0f %%",
                roof.isComputeBound() ? "MAC" : "DRAM",
                percent(ratio(roof.cycles(), double(row.busyCycles()))));
  return text;
}

/// When the commands of each of the first rows run: # on the critical path, =
/// else.
static std::vector<std::string> picturesOf(size_t rows,
                                           const Profile &profile) {
  constexpr size_t kColumns = 32;
  std::vector<std::string> pictures(rows, std::string(kColumns, ' '));
  double scale = kColumns / double(std::max<uint64_t>(profile.totalCycles, 1));
  for (const auto &commands : profile.commands)
    for (const profile::CommandProfile &command : commands) {
      if (command.node >= rows)
        continue;
      std::string &columns = pictures[command.node];
      size_t first = size_t(double(command.span.start) * scale);
      size_t last = size_t(double(command.span.end) * scale);
      for (size_t i = first; i < std::max(last, first + 1) && i < kColumns; ++i)
        if (columns[i] != '#')
          columns[i] = command.span.isCritical ? '#' : '=';
    }
  return pictures;
}

/// The begin of a line of source; what it assigns to says more than its end.
static std::string beginOf(const std::string &line, size_t most) {
  size_t end = most;
  while (end > 0 && end < line.size() && (line[end] & 0xC0) == 0x80)
    --end; // not inside of a character
  return line.size() <= most ? line : line.substr(0, end) + "...";
}

/// The rows of a kernel.
static void appendLines(std::string &text, const Profile &profile,
                        size_t rows) {
  append(text, "lines of source%s\n",
         profile.nodes.size() > rows ? " (those that cost most)" : "");
  append(text, "  %10s %7s %10s %10s %-10s |%-32s|\n", "critical", "share",
         "TIU", "GDMA", "bound", "when");
  rows = std::min(rows, profile.nodes.size());
  std::vector<std::string> pictures = picturesOf(rows, profile);
  for (size_t i = 0; i < rows; ++i) {
    const profile::NodeRow &row = profile.nodes[i];
    uint64_t extrapolated =
        row.tiu.extrapolatedCycles + row.gdma.extrapolatedCycles;
    append(text, "%s %10llu %6.1f%% %10llu %10llu %-10s |%s|  ",
           extrapolated != 0 ? "~" : " ", number(row.criticalCycles()),
           percent(profile.share(row.criticalCycles())), number(row.tiu.cycles),
           number(row.gdma.cycles), boundText(row, profile).c_str(),
           pictures[i].c_str());
    text += shortened(nodeNames(row, nameOfNoOrigin(profile)), 32) + "  " +
            beginOf(captions(row), 40) + "\n";
  }
}

static void appendNodes(std::string &text, const Profile &profile,
                        size_t rows) {
  if (!profile.hasDebugMap) {
    text += "nodes: none; the file has no debug map, so commands cannot be "
            "traced to ONNX nodes\n";
    return;
  }
  if (profile.hasLines)
    return appendLines(text, profile, rows);
  append(text, "nodes%s\n",
         profile.nodes.size() > rows ? " (those that cost most)" : "");
  append(text, "  %12s %7s %12s %12s %12s\n", "critical", "share", "TIU",
         "GDMA", "DRAM bytes");
  for (size_t i = 0; i < profile.nodes.size() && i < rows; ++i) {
    const profile::NodeRow &row = profile.nodes[i];
    uint64_t extrapolated =
        row.tiu.extrapolatedCycles + row.gdma.extrapolatedCycles;
    append(text, "%s %12llu %6.1f%% %12llu %12llu %12llu  ",
           extrapolated != 0 ? "~" : " ", number(row.criticalCycles()),
           percent(profile.share(row.criticalCycles())), number(row.tiu.cycles),
           number(row.gdma.cycles),
           number(row.gdma.dramReadBytes + row.gdma.dramWriteBytes));
    std::string types = captions(row);
    text += shortened(nodeNames(row, nameOfNoOrigin(profile)), 48) +
            (types.empty() ? "" : " (" + shortened(types, 32) + ")") + "\n";
  }
}

static void appendSlowTransfers(std::string &text, const Chip &chip,
                                const Profile &profile, size_t rows) {
  if (profile.slowTransfers.empty())
    return;
  append(text, "slow transfers: more than twice the time of their bytes%s\n",
         profile.slowTransfers.size() > rows ? " (those that lose most)" : "");
  append(text, "  %9s %12s %12s %12s\n", "commands", "bytes", "cycles",
         "full rate");
  for (size_t i = 0; i < profile.slowTransfers.size() && i < rows; ++i) {
    const profile::SlowTransfers &row = profile.slowTransfers[i];
    append(text, "  %9llu %12llu %12llu %12llu  ", number(row.commands),
           number(row.bytes), number(row.cycles), number(row.fullRateCycles));
    std::string node =
        row.node == profile::kNone
            ? std::string(nameOfNoOrigin(profile))
            : nodeNames(profile.nodes[row.node], nameOfNoOrigin(profile));
    text += shortened(node, 48) + ", " +
            std::string(cycles::directionName(row.direction)) + ": " +
            reasonText(row, chip) + "\n";
  }
}

std::string cli::profileText(const NamedStage &subject, const Profile &profile,
                             size_t rows) {
  const Chip &chip = subject.model.chip();
  std::string text = subject.model.path() + ": net " +
                     rt::quoteName(subject.net.name) + ", stage " +
                     std::to_string(subject.number) + " of " +
                     std::to_string(subject.net.stages.size()) + ", " +
                     std::string(chip.name) + "\n";
  appendSummary(text, profile);
  appendWork(text, chip, profile);
  const rt::StageSpec &stage = subject.stage();
  if (stage.usesHost()) {
    Json host = describeHost(stage);
    append(text, "  with host  %s: the chip's %s and %s of the host\n",
           timeText(secondsWithHost(profile, host)).c_str(),
           timeText(profile.seconds()).c_str(),
           host::workText(host["seconds"].get<double>()).c_str());
    text += hostText(host, "  ");
  }
  appendKinds(text, profile, rows);
  appendNodes(text, profile, rows);
  appendSlowTransfers(text, chip, profile, rows);
  return text;
}
