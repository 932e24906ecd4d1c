#include "tests/oracle/emulator/Coverage.h"

#include <sstream>

namespace weft::oracle {
namespace {

const char *const kPrecisionNames[] = {"int8",  "fp16", "fp32", "int16",
                                       "int32", "bf16", "int4", "code 7"};

std::string precisionList(unsigned set) {
  std::string text;
  for (unsigned i = 0; i < 8; ++i)
    if (set & 1u << i)
      text += std::string(text.empty() ? "" : " ") + kPrecisionNames[i];
  return text.empty() ? "-" : text;
}

std::string formList(const Tally &tally) {
  if (tally.longForms && tally.shortForms)
    return "long, short";
  return tally.longForms ? "long" : tally.shortForms ? "short" : "-";
}

/// Leading columns of a row, which do not depend on a run.
std::string factsOf(const Row &row) {
  return "| " + std::string(isa::engineName(row.function.engine)) + " | " +
         std::to_string(row.function.type) + " | " +
         std::to_string(row.function.func) + " | `" +
         std::string(row.opcode->mnemonic) + "` | " +
         (row.emulated ? "yes" : "no") + " | " + row.judgement() + " |";
}

Tally tallyOf(const Tallies &tallies, const Function &function) {
  auto found = tallies.find(function);
  return found == tallies.end() ? Tally() : found->second;
}

std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + "\"";
}

/// Kinds that leave something out, by reason.
std::string exceptionList(const Registry &registry, const char *heading,
                          const char *Kind::*reason) {
  std::map<std::string, std::string> kindsOf;
  for (const Kind &kind : registry.kinds)
    if (kind.*reason)
      kindsOf[kind.*reason] +=
          (kindsOf[kind.*reason].empty() ? "`" : ", `") + kind.name + "`";
  std::string text;
  for (const auto &[why, kinds] : kindsOf)
    text += "* " + why + ": " + kinds + "\n";
  return text.empty() ? text : std::string("\n") + heading + "\n\n" + text;
}

std::string introduction(const RunName &run) {
  std::ostringstream text;
  text << "# Instructions: what is emulated, and how it is judged\n\n"
          "Written by `scripts/fuzz_commands --write-docs`; a test compares "
          "the first six columns with the opcode table\n"
          "(`runtime/chips/bm1684x/Instructions.def`) and the fuzzer's kinds "
          "(`tests/oracle/emulator`). Random commands run on our emulator and\n"
          "on the vendor's raw emulator from the same memory, special numbers "
          "included, and all memory is compared.\n"
          "`scripts/fuzz_commands --replay KIND:SEED` repeats one command and "
          "shrinks it if it differs.\n\n"
       << "The counts are those of a run with seed " << run.seed
       << " and at least " << run.perFunction
       << " legal commands per function.\n\n"
          "* *legal*: commands compared that keep the hardware's rules "
          "(`runtime/isa/rules`)\n"
          "* *beyond*: compared too, but they break a rule that the vendor's "
          "emulator does not check\n"
          "* *differ*: of both; *refused*: drawn, but the vendor's emulator "
          "does not take them\n"
          "* *types*: of operands and results\n\n";
  return text.str();
}

} // namespace

std::vector<std::string> coverageFacts(const Registry &registry) {
  std::vector<std::string> lines;
  for (const Row &row : registry.rows)
    lines.push_back(factsOf(row));
  return lines;
}

std::vector<std::string> coverageFactsOf(const std::string &page) {
  std::vector<std::string> lines;
  std::istringstream text(page);
  for (std::string line; std::getline(text, line);) {
    if (line.rfind("| tiu |", 0) != 0 && line.rfind("| gdma |", 0) != 0)
      continue;
    size_t end = 0;
    for (unsigned bars = 0; end < line.size() && bars < 7; ++end)
      bars += line[end] == '|';
    lines.push_back(line.substr(0, end));
  }
  return lines;
}

std::string coveragePage(const Registry &registry, const Tallies &tallies,
                         const RunName &run) {
  std::ostringstream page;
  page << introduction(run)
       << "| engine | type | func | mnemonic | emulated | judged | legal | "
          "beyond | "
          "differ | refused | forms | types |\n"
          "|---|---|---|---|---|---|---|---|---|---|---|---|\n";
  Tally all;
  unsigned bounded = 0, unjudged = 0, emulated = 0;
  for (const Row &row : registry.rows) {
    Tally tally = tallyOf(tallies, row.function);
    all += tally;
    bounded += row.bound.ulps != 0;
    unjudged += row.unjudged != nullptr;
    emulated += row.emulated;
    page << factsOf(row) << " " << tally.legal() << " | " << tally.illegal
         << " | " << tally.mismatches << " | "
         << tally.refused + tally.crashed + tally.hung << " | "
         << formList(tally) << " | " << precisionList(tally.precisions)
         << " |\n";
  }
  page << "\n"
       << registry.rows.size() << " functions, " << emulated << " emulated, "
       << bounded << " judged within a bound, " << unjudged
       << " that the oracle cannot judge; " << all.compared
       << " commands compared, " << all.mismatches << " differ, " << all.refused
       << " refused by the vendor's emulator, " << all.crashed
       << " crashed it, " << all.hung << " hung it.\n"
       << exceptionList(
              registry,
              "Kinds whose memory holds no special numbers:", &Kind::noSpecials)
       << exceptionList(registry,
                        "Kinds that start the vendor's emulator anew for each "
                        "command:",
                        &Kind::freshProcess);
  return page.str();
}

std::string coverageJson(const Registry &registry, const Tallies &tallies,
                         const std::vector<Finding> &findings,
                         const RunName &run) {
  std::ostringstream json;
  json << "{\n\"seed\": " << run.seed
       << ",\n\"per_function\": " << run.perFunction << ",\n\"functions\": [";
  const char *comma = "\n";
  for (const Row &row : registry.rows) {
    Tally tally = tallyOf(tallies, row.function);
    json << comma << "{\"engine\": \"" << isa::engineName(row.function.engine)
         << "\", \"type\": " << row.function.type
         << ", \"func\": " << row.function.func << ", \"mnemonic\": \""
         << row.opcode->mnemonic
         << "\", \"emulated\": " << (row.emulated ? "true" : "false")
         << ", \"judged\": " << quoted(row.judgement())
         << ", \"kinds\": " << row.kinds.size()
         << ", \"compared\": " << tally.compared
         << ", \"illegal\": " << tally.illegal
         << ", \"mismatches\": " << tally.mismatches
         << ", \"refused\": " << tally.refused
         << ", \"crashed\": " << tally.crashed << ", \"hung\": " << tally.hung
         << ", \"unrepeatable\": " << tally.unrepeatable << ", \"forms\": \""
         << formList(tally) << "\", \"types\": \""
         << precisionList(tally.precisions) << "\"}";
    comma = ",\n";
  }
  json << "\n],\n\"findings\": [";
  comma = "\n";
  for (const Finding &finding : findings) {
    json << comma << "{\"kind\": \"" << finding.kind
         << "\", \"seed\": " << finding.seed << ", \"outcome\": \""
         << outcomeName(finding.outcome)
         << "\", \"minimal\": " << quoted(finding.minimal)
         << ", \"memory\": " << quoted(finding.memory)
         << ", \"text\": " << quoted(finding.text) << "}";
    comma = ",\n";
  }
  json << "\n]\n}\n";
  return json.str();
}

} // namespace weft::oracle
