#include "frontend/onnx/Import.h"
#include "passes/quantize/TpuSupport.h"
#include "runtime/chips/Chips.h"
#include "tools/weft/Functions.h"
#include "tools/weft/Program.h"

#include "llvm/Support/ErrorHandling.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

using namespace weft;
using namespace weft::cli;

/// Whether the operator compiles, by the lowering's own tables.
static const char *tpuColumn(const onnx::SupportedOp &op) {
  switch (quantize::tpuSupport(op.family, op.kind)) {
  case quantize::TpuSupport::Yes:
    return "yes";
  case quantize::TpuSupport::FoldedOnly:
    return "folded only";
  case quantize::TpuSupport::NotYet:
    return "not yet";
  }
  llvm_unreachable("covered switch");
}

namespace {

/// A row of OpSupport.def: what was measured.
struct Measured {
  std::string domain, name;
  int64_t since;
  const char *types, *f32, *f16, *bf16, *int8, *reason;
};

} // namespace

static const Measured kMeasured[] = {
#define WEFT_OP_SUPPORT(domain, name, since, types, f32, f16, bf16, int8,      \
                        reason)                                                \
  {domain, name, since, types, f32, f16, bf16, int8, reason},
#include "tools/weft/OpSupport.def"
};

/// Opsets and limits of the rows for an operator; empty if there is none.
static std::pair<std::string, std::string>
opsetsAndLimits(const std::vector<onnx::SupportedOp> &ops, const Measured &m) {
  int64_t first = 0, last = 0;
  std::string limits;
  for (const onnx::SupportedOp &op : ops) {
    if (op.domain != m.domain || op.name != m.name)
      continue;
    first = first ? std::min(first, op.firstOpset) : op.firstOpset;
    last = std::max(last, op.lastOpset);
    if (!op.limits.empty() && limits.find(op.limits) == std::string::npos)
      limits += (limits.empty() ? "" : "; ") + op.limits;
  }
  if (!last)
    return {};
  return {std::to_string(first) + " to " + std::to_string(last), limits};
}

/// The table as Markdown, as docs/ops.md holds it: what was measured for
/// ONNX's operators, then the operators of other domains.
static std::string opsTable(const std::vector<onnx::SupportedOp> &ops) {
  std::string text =
      "| operator | domain | opsets | element types | f32 | f16 | bf16 | int8 "
      "| limits |\n|---|---|---|---|---|---|---|---|---|\n";
  std::set<std::pair<std::string, std::string>> listed;
  for (const Measured &m : kMeasured) {
    listed.insert({m.domain, m.name});
    auto [opsets, limits] = opsetsAndLimits(ops, m);
    if (opsets.empty()) // by the function that ONNX gives, if at all
      opsets = "from " + std::to_string(m.since);
    std::string reason = m.reason;
    if (!reason.empty())
      limits += (limits.empty() ? "refused: " : "; refused: ") + reason;
    text += "| " + m.name + " | " + (m.domain.empty() ? "ai.onnx" : m.domain) +
            " | " + opsets + " | " + m.types + " | " + m.f32 + " | " + m.f16 +
            " | " + m.bf16 + " | " + m.int8 + " | " + limits + " |\n";
  }
  for (const onnx::SupportedOp &op : ops)
    if (listed.insert({op.domain, op.name}).second)
      text += "| " + op.name + " | " + op.domain + " | " +
              std::to_string(op.firstOpset) + " to " +
              std::to_string(op.lastOpset) + " | | | | | | " + op.limits +
              " |\n";
  return text;
}

static ExitCode listOps(bool json) {
  std::vector<onnx::SupportedOp> ops = onnx::supportedOps();
  if (!json)
    return printText(opsTable(ops));
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const onnx::SupportedOp &op : ops)
    rows.push_back({{"domain", op.domain},
                    {"name", op.name},
                    {"first_opset", op.firstOpset},
                    {"last_opset", op.lastOpset},
                    {"family", op.family},
                    {"tpu", tpuColumn(op)},
                    {"limits", op.limits}});
  nlohmann::ordered_json measured = nlohmann::ordered_json::array();
  for (const Measured &m : kMeasured)
    measured.push_back({{"domain", m.domain},
                        {"name", m.name},
                        {"since", m.since},
                        {"types", m.types},
                        {"f32", m.f32},
                        {"f16", m.f16},
                        {"bf16", m.bf16},
                        {"int8", m.int8},
                        {"reason", m.reason}});
  return printJson({{"ops", rows}, {"measured", measured}});
}

namespace {
struct OpsFlags {
  bool json = false;
  std::map<catalog::Language, bool> sets; ///< which is asked for
  std::string examples;
};
} // namespace

static ExitCode listExamples(const std::string &target) {
  const Chip *chip = chips::findKernelTarget(target);
  if (!chip)
    return reportError(
        rt::fail(rt::Code::NotFound,
                 "no target '" + target + "'; weft ppl --help lists them"));
  return printText(pplExamples(*chip));
}

static ExitCode opsCommand(const OpsFlags &flags) {
  std::vector<catalog::Language> chosen;
  for (auto [language, isChosen] : flags.sets)
    if (isChosen)
      chosen.push_back(language);
  if (chosen.size() > 1)
    return reportError(
        rt::fail(rt::Code::InvalidArgument,
                 "--" + std::string(spelling(chosen[0])) + " and --" +
                     std::string(spelling(chosen[1])) +
                     " exclude each other; list one set at a time"));
  bool isPpl = !chosen.empty() && chosen[0] == catalog::Language::Ppl;
  if (!flags.examples.empty())
    return isPpl ? listExamples(flags.examples)
                 : reportError(rt::fail(rt::Code::InvalidArgument,
                                        "--examples goes with --ppl"));
  if (chosen.empty())
    return listOps(flags.json);
  return flags.json ? printJson(functionsJson(chosen[0]))
                    : printText(functionsTable(chosen[0]));
}

static const char *meaningOf(catalog::Language language) {
  switch (language) {
  case catalog::Language::Ppl:
    return "The functions of the kernel language PPL instead";
  case catalog::Language::Zhouyi:
    return "The vector functions of Zhouyi instead";
  case catalog::Language::Ascend:
    return "The moves of Ascend instead";
  }
  llvm_unreachable("covered switch");
}

void cli::addOpsCommand(Program &program) {
  auto flags = std::make_shared<OpsFlags>();
  CLI::App &command = program.addCommand(
      "ops",
      "List ONNX's operators and where they run, or the functions of an "
      "operation set",
      {"weft ops", "weft ops --json", "weft ops --zhouyi --json"},
      [flags] { return opsCommand(*flags); });
  command.add_flag("--json", flags->json, "Print the table as JSON");
  for (catalog::Language language : catalog::languages())
    command.add_flag("--" + std::string(spelling(language)),
                     flags->sets[language], meaningOf(language));
  command
      .add_option("--examples", flags->examples,
                  "With --ppl: their examples as a kernel source for a chip")
      ->check(nonEmptyValue())
      ->type_name("CHIP");
}
