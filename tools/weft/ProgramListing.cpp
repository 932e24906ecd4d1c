#include "tools/weft/ProgramListing.h"
#include "runtime/status/Quote.h"
#include "runtime/zhouyi/Disassemble.h"
#include "runtime/zhouyi/ProgramFile.h"
#include "tools/files/OutputFile.h"
#include "tools/weft/HostListing.h"
#include "tools/weft/TensorListing.h"

using namespace weft;
using namespace weft::cli;
using namespace weft::zhouyi;
using Json = nlohmann::ordered_json;
using rt::Result;

namespace {
/// Sums over a program.
struct Totals {
  uint64_t weightBytes = 0, scratchBytes = 0, ioBytes = 0;
  uint64_t instructions = 0, executed = 0;
  /// What loads and stores move in a run, inactive lanes counted.
  uint64_t readBytes = 0, writtenBytes = 0;
  std::vector<std::pair<const host::CallStep *, uint64_t>> hostCalls;
};
} // namespace

static Totals sumUp(const zhouyi::Program &program) {
  Totals totals;
  for (const Buffer &buffer : program.buffers)
    (buffer.role == BufferRole::Weight    ? totals.weightBytes
     : buffer.role == BufferRole::Scratch ? totals.scratchBytes
                                          : totals.ioBytes) += buffer.bytes;
  auto add = [&](const ListedInstruction &at) {
    ++totals.instructions;
    totals.executed += at.times;
    const auto &what = at.instruction->what;
    if (const auto *load = std::get_if<Load>(&what))
      totals.readBytes += at.times * program.registers[load->result].bytes();
    else if (const auto *store = std::get_if<Store>(&what))
      totals.writtenBytes += at.times * program.registers[store->value].bytes();
    else if (const auto *step = std::get_if<HostStep>(&what))
      for (const host::Step &one : step->program.steps)
        if (const auto *call = std::get_if<host::CallStep>(&one))
          totals.hostCalls.emplace_back(call, at.times);
    return rt::Status::ok();
  };
  rt::Status always = visitInstructions(program, add);
  (void)always; // `add` never fails
  return totals;
}

static Json describeStage(const zhouyi::Program &program,
                          const Totals &totals) {
  Json json = {{"inputs", Json::array()}, {"outputs", Json::array()}};
  for (const Buffer &buffer : program.buffers)
    if (buffer.role == BufferRole::Input || buffer.role == BufferRole::Output)
      json[buffer.role == BufferRole::Input ? "inputs" : "outputs"].push_back(
          describeTensor(*buffer.value));
  json["weight_bytes"] = totals.weightBytes;
  json["activation_bytes"] = totals.scratchBytes;
  json["io_bytes"] = totals.ioBytes;
  json["memory_bytes"] = memoryBytes(program);
  json["buffers"] = program.buffers.size();
  json["registers"] = program.registers.size();
  Json functions = Json::object();
  for (const WorkCount &count : countWork(program))
    functions[count.mnemonic] = {{"instructions", count.instructions},
                                 {"executed", count.executed}};
  json["instructions"] = {{"count", totals.instructions},
                          {"executed", totals.executed},
                          {"by_name", std::move(functions)}};
  json["dram"] = {{"read_bytes", totals.readBytes},
                  {"write_bytes", totals.writtenBytes}};
  Json calls = Json::array();
  for (const auto &[call, times] : totals.hostCalls) {
    calls.push_back({{"kernel", call->kernel},
                     {"node", call->node},
                     {"reason", call->reason}});
    cli::addGraphs(*call, calls.back());
  }
  if (!calls.empty())
    json["host"] = {{"operations", std::move(calls)}};
  return json;
}

static std::string stageText(const zhouyi::Program &program,
                             const Totals &totals) {
  std::string text = "net " + rt::quoteName(program.name) + "\n";
  for (BufferRole role : {BufferRole::Input, BufferRole::Output})
    for (const Buffer &buffer : program.buffers)
      if (buffer.role == role)
        text += tensorLine(role == BufferRole::Input ? "input " : "output",
                           *buffer.value);
  auto number = [](uint64_t value) { return std::to_string(value); };
  text += "    weights " + number(totals.weightBytes) + " bytes, scratch " +
          number(totals.scratchBytes) + " bytes, inputs and outputs " +
          number(totals.ioBytes) +
          " bytes\n    instructions: " + number(totals.instructions) +
          ", a run executes " + number(totals.executed) + "\n";
  for (const WorkCount &count : countWork(program))
    text += "      " + count.mnemonic + " " + number(count.instructions) +
            ", executed " + number(count.executed) + "\n";
  text += "    memory: " + number(totals.readBytes) + " bytes read, " +
          number(totals.writtenBytes) + " written, inactive lanes counted\n";
  for (const auto &[call, times] : totals.hostCalls)
    text += "    host: " + rt::quoteName(call->node) + " (" +
            rt::quoteName(call->kernel) + "): " + rt::quoteName(call->reason) +
            "\n";
  return text;
}

ExitCode cli::showProgram(const std::string &path, bool check, bool json) {
  Result<ProgramFile> file = loadProgramFile(path);
  if (!file)
    return reportError(file.status());
  const zhouyi::Program &program = file->program;
  Totals totals = sumUp(program);
  // A program with a broken rule is not loaded, so the count is known.
  if (json) {
    Json all = {{"file", path},
                {"file_bytes", file->fileBytes},
                {"chip", program.target},
                {"version", file->producer},
                {"format_version", file->version},
                {"dram_bytes", totals.readBytes + totals.writtenBytes}};
    Json stages = Json::array();
    stages.push_back(describeStage(program, totals));
    all["nets"] = Json::array();
    all["nets"].push_back(
        {{"name", program.name}, {"stages", std::move(stages)}});
    if (check)
      all["rules"] = {{"commands", totals.instructions},
                      {"broken", 0},
                      {"violations", Json::array()}};
    return printJson(all);
  }
  std::string text =
      path + ": " + program.target + ", " + std::to_string(file->fileBytes) +
      " bytes, version " + rt::quoteName(file->producer) + ", format " +
      std::to_string(file->version) + "\n" + stageText(program, totals);
  if (check)
    text += "hardware rules: 0 of " + std::to_string(totals.instructions) +
            " commands break one\n";
  return printText(text);
}

static Json describeInstruction(const zhouyi::Program &program,
                                const ListedInstruction &at) {
  Json nodes = Json::array();
  if (at.node != kNoNode)
    nodes.push_back(program.nodes[at.node]);
  return {{"net", program.name},
          {"path", at.path},
          {"mnemonic", mnemonic(*at.instruction)},
          {"text", disassemble(program, *at.instruction)},
          {"executed", at.times},
          {"nodes", std::move(nodes)}};
}

ExitCode cli::listProgram(const std::string &path, bool json) {
  Result<ProgramFile> file = loadProgramFile(path);
  if (!file)
    return reportError(file.status());
  const zhouyi::Program &program = file->program;
  if (!json) {
    rt::Status written = list(program, tools::writeStdout);
    return written ? ExitCode::Ok : reportError(written);
  }
  Json commands = Json::array();
  rt::Status always =
      visitInstructions(program, [&](const ListedInstruction &at) {
        commands.push_back(describeInstruction(program, at));
        return rt::Status::ok();
      });
  (void)always;
  return printJson({{"commands", std::move(commands)}});
}

rt::Status cli::wantsBmodel(const std::string &path, const char *command) {
  return isProgramFile(path)
             ? rt::fail(rt::Code::Unsupported,
                        "unsupported: " + path +
                            " is a program of vector operations; " + command +
                            " is for bmodels, weft info and weft disasm show "
                            "programs")
             : rt::Status::ok();
}
