#include "frontend/onnx/Import.h"
#include "passes/quantize/TpuSupport.h"
#include "tools/weft/Program.h"

#include "llvm/Support/ErrorHandling.h"

#include <algorithm>
#include <nlohmann/json.hpp>

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

/// The table as Markdown, as docs/ops.md holds it.
static std::string opsTable(const std::vector<onnx::SupportedOp> &ops) {
  std::string text =
      "| ONNX operator | domain | opsets | family | TPU | limits |\n"
      "|---|---|---|---|---|---|\n";
  for (const onnx::SupportedOp &op : ops)
    text += "| " + op.name + " | " +
            (op.domain.empty() ? "ai.onnx" : op.domain) + " | " +
            std::to_string(op.firstOpset) + " to " +
            std::to_string(op.lastOpset) + " | " + op.family + " | " +
            tpuColumn(op) + " | " + op.limits + " |\n";
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
  return printJson({{"ops", rows}});
}

void cli::addOpsCommand(Program &program) {
  auto json = std::make_shared<bool>(false);
  CLI::App &command = program.addCommand(
      "ops", "List the ONNX operators that can be imported, and which compile",
      {"weft ops", "weft ops --json"}, [json] { return listOps(*json); });
  command.add_flag("--json", *json, "Print the table as JSON");
}
