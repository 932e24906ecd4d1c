//===- Program.cpp - recorded programs ------------------------------------===//

#include "runtime/chips/Targets.h"
#include "runtime/profile/Profile.h"
#include "tools/capi/Status.h"
#include "tools/driver/KernelCheck.h"
#include "tools/driver/KernelProgram.h"
#include "tools/profile/ProfileRows.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <nlohmann/json.hpp>

#include <cstring>
#include <map>
#include <optional>

using namespace weft;
using capi::guarded;
using capi::toC;
using rt::Code;
using rt::Result;
using rt::Status;

struct weft_ppl_program {
  /// What the compiler prints; a message takes what is there from `step` on,
  /// where the present step began.
  std::string printed;
  size_t step = 0;
  llvm::raw_string_ostream stream{printed};
  driver::KernelProgram program{stream};
  const weft_ppl_recorder *recorder = nullptr;
  std::string name = "kernel";
  bool isSerial = false, isFinished = false, isBroken = false;
  // Made once, when they are asked for.
  std::vector<uint8_t> bmodel, withLines;
  std::optional<rt::Bmodel> model; ///< of `bmodel`, which `profile` points into
  std::optional<profile::Profile> profile;
  std::string text, timeline, rows, warnings;
  catalog::Dense values; ///< of weft_ppl_values

  /// Why the step that has just failed did.
  weft_compiler_status *why() {
    stream.flush();
    int code =
        program.memoryCode() ? program.memoryCode() : driver::kFinalError;
    return capi::fromPrinted(printed.substr(step), program.failureCause(),
                             code);
  }

  /// From here on errors are the next step's.
  void beginStep() {
    stream.flush();
    step = printed.size();
  }
};

static weft_compiler_status *failure(Code code, const std::string &message) {
  return toC(rt::fail(code, message));
}

static weft_compiler_status *open(const weft_ppl_options *given,
                                  weft_ppl_program **program) {
  weft_ppl_options options;
  if (!program || !capi::copyKnown(given, options))
    return failure(Code::InvalidArgument,
                   "program must not be NULL and options->struct_bytes must be "
                   "sizeof(weft_ppl_options)");
  Result<const Chip *> chip = driver::kernelTarget(
      options.target ? std::string(options.target) : chips::defaultTarget());
  if (!chip)
    return toC(chip.status());
  auto made = std::make_unique<weft_ppl_program>();
  made->isSerial = options.no_pipeline != 0;
  if (options.name)
    made->name = options.name;
  if (options.keeps_values)
    made->program.keepValues();
  made->recorder = &made->program.begin(**chip, made->name);
  *program = made.release();
  return nullptr;
}

weft_compiler_status *weft_ppl_open(const weft_ppl_options *options,
                                    weft_ppl_program **program) {
  return guarded([&] { return open(options, program); });
}

const weft_ppl_recorder *
weft_ppl_program_recorder(const weft_ppl_program *program) {
  return program ? program->recorder : nullptr;
}

weft_compiler_status *weft_ppl_check(const weft_ppl_program *program) {
  return guarded([&]() -> weft_compiler_status * {
    auto *p = const_cast<weft_ppl_program *>(program);
    return p && p->program.errors() ? p->why() : nullptr;
  });
}

weft_compiler_status *weft_ppl_values(weft_ppl_program *program, int64_t tensor,
                                      const void **bytes, size_t *size) {
  return guarded([&]() -> weft_compiler_status * {
    if (!program || !bytes || !size || program->isFinished)
      return failure(Code::InvalidArgument,
                     "program, bytes and size must not be NULL, the program "
                     "must not be finished");
    Result<catalog::Dense> values = program->program.values(tensor);
    if (!values)
      return toC(values.status(), program->program.memoryCode());
    program->values = std::move(*values);
    *bytes = program->values.bytes.data();
    *size = program->values.bytes.size();
    return nullptr;
  });
}

static weft_compiler_status *finish(weft_ppl_program *program, int32_t *again) {
  if (!program || !again || program->isFinished)
    return failure(Code::InvalidArgument,
                   "program and again must not be NULL, the program must not "
                   "be finished already");
  *again = 0;
  if (failed(program->program.end())) {
    program->isFinished = program->isBroken = true;
    return program->why();
  }
  program->isFinished = !program->program.wantsMoreBlocks();
  if (!program->isFinished) {
    *again = 1;
    program->recorder =
        &program->program.begin(program->program.chip(), program->name);
  }
  return nullptr;
}

weft_compiler_status *weft_ppl_finish(weft_ppl_program *program,
                                      int32_t *again) {
  return guarded([&] { return finish(program, again); });
}

/// Begins a step of a program; fails unless that has been finished well.
static weft_compiler_status *checkFinished(weft_ppl_program *program) {
  if (program && program->isFinished && !program->isBroken) {
    program->beginStep();
    return nullptr;
  }
  return failure(Code::InvalidArgument,
                 "the program is not finished; call weft_ppl_finish() first, "
                 "which must succeed");
}

weft_compiler_status *weft_ppl_find_faults(weft_ppl_program *program,
                                           const char **warnings) {
  return guarded([&]() -> weft_compiler_status * {
    if (!warnings)
      return failure(Code::InvalidArgument, "warnings must not be NULL");
    if (weft_compiler_status *status = checkFinished(program))
      return status;
    bool isRight = mlir::succeeded(driver::checkKernel(program->program));
    program->stream.flush();
    program->warnings =
        capi::warningsOf(program->printed.substr(program->step));
    *warnings = program->warnings.c_str();
    return isRight ? nullptr : program->why();
  });
}

/// Makes the file once.
static weft_compiler_status *makeBmodel(weft_ppl_program *program) {
  if (weft_compiler_status *status = checkFinished(program))
    return status;
  if (!program->bmodel.empty())
    return nullptr;
  mlir::FailureOr<std::vector<uint8_t>> bytes =
      program->program.bmodel(program->isSerial);
  if (failed(bytes))
    return program->why();
  program->bmodel = std::move(*bytes);
  return nullptr;
}

/// Puts what the program left into the memory of `allocate`. What the first of
/// several cores does not write, others may.
static void writeBack(weft_ppl_program *program,
                      const driver::MemoryImage &image) {
  const frontend::DeviceMemory &memory = program->program.recorder().memory;
  for (const auto &piece : memory.pieces)
    if (piece.isTest)
      std::memcpy(memory.at(piece.address),
                  image.data() + (piece.address - memory.base), piece.bytes);
}

static weft_compiler_status *run(weft_ppl_program *program,
                                 const weft_ppl_run_options *given) {
  if (weft_compiler_status *status = checkFinished(program))
    return status;
  weft_ppl_run_options options;
  if (!capi::copyKnown(given, options))
    return failure(Code::InvalidArgument, "options->struct_bytes must be "
                                          "sizeof(weft_ppl_run_options)");
  weft_ppl_engine engine = options.engine;
  if (!given && !program->program.chip().hasCommands())
    engine = WEFT_PPL_INTERPRETER;
  Result<driver::MemoryImage> image = driver::MemoryImage();
  if (engine == WEFT_PPL_INTERPRETER) {
    image = program->program.interpret();
    if (!image && program->program.errors())
      return program->why();
  } else {
    if (weft_compiler_status *status = makeBmodel(program))
      return status;
    rt::DeviceOptions device;
    if (engine == WEFT_PPL_BMRT)
      device.kind = rt::DeviceOptions::Kind::Bmrt;
    if (options.bmrt_library)
      device.bmrtLibrary = options.bmrt_library;
    image = program->program.run(program->bmodel, device);
  }
  if (!image)
    return toC(image.status());
  writeBack(program, *image);
  return nullptr;
}

weft_compiler_status *weft_ppl_run(weft_ppl_program *program,
                                   const weft_ppl_run_options *options) {
  return guarded([&] { return run(program, options); });
}

weft_compiler_status *weft_ppl_bmodel(weft_ppl_program *program,
                                      const void **bytes, size_t *size) {
  return guarded([&]() -> weft_compiler_status * {
    if (!bytes || !size)
      return failure(Code::InvalidArgument, "bytes and size must not be NULL");
    if (weft_compiler_status *status = makeBmodel(program))
      return status;
    *bytes = program->bmodel.data();
    *size = program->bmodel.size();
    return nullptr;
  });
}

weft_compiler_status *weft_ppl_bmodel_with_lines(weft_ppl_program *program,
                                                 const void **bytes,
                                                 size_t *size) {
  return guarded([&]() -> weft_compiler_status * {
    if (!bytes || !size)
      return failure(Code::InvalidArgument, "bytes and size must not be NULL");
    if (weft_compiler_status *status = checkFinished(program))
      return status;
    if (program->withLines.empty()) {
      mlir::FailureOr<std::vector<uint8_t>> made =
          program->program.bmodel(program->isSerial, /*lines=*/true);
      if (failed(made))
        return program->why();
      program->withLines = std::move(*made);
    }
    *bytes = program->withLines.data();
    *size = program->withLines.size();
    return nullptr;
  });
}

/// Predicts the run of the program's file.
static weft_compiler_status *predict(weft_ppl_program *program) {
  if (weft_compiler_status *status = makeBmodel(program))
    return status;
  if (program->profile)
    return nullptr;
  Result<rt::Bmodel> loaded =
      rt::Bmodel::load(program->bmodel, "the kernel's bmodel");
  if (!loaded)
    return toC(loaded.status());
  program->model.emplace(std::move(*loaded));
  Result<profile::Profile> made = profile::profileStage(
      *program->model, program->model->nets().front().stages.front());
  if (!made)
    return toC(made.status());
  program->profile = std::move(*made);
  return nullptr;
}

static weft_compiler_status *profileOf(weft_ppl_program *program,
                                       weft_ppl_profile *profile) {
  if (!profile || profile->struct_bytes < sizeof(size_t))
    return failure(Code::InvalidArgument,
                   "profile must not be NULL and profile->struct_bytes must be "
                   "sizeof(weft_ppl_profile)");
  if (weft_compiler_status *status = predict(program))
    return status;
  const profile::Profile &made = *program->profile;
  weft_ppl_profile full = {};
  full.struct_bytes = profile->struct_bytes;
  full.total_cycles = made.totalCycles;
  full.cycles_per_second = made.cyclesPerSecond;
  full.tiu_busy_cycles = made.engines[0].cycles;
  full.gdma_busy_cycles = made.engines[1].cycles;
  full.dram_read_bytes = made.engines[1].dramReadBytes;
  full.dram_write_bytes = made.engines[1].dramWriteBytes;
  full.local_bytes = made.memory.whole.peakBytes;
  std::memcpy(profile, &full, std::min(profile->struct_bytes, sizeof full));
  return nullptr;
}

/// The line of a command; null of those that belong to no line.
static mlir::FileLineColLoc lineOf(const weft_ppl_program &program,
                                   isa::Engine engine,
                                   const profile::CommandProfile &command) {
  const auto &groups = program.program.commandLines();
  if (command.group >= groups.size())
    return {};
  const auto &lines = engine == isa::Engine::Tiu ? groups[command.group].tiu
                                                 : groups[command.group].gdma;
  return command.index < lines.size()
             ? mlir::dyn_cast<mlir::FileLineColLoc>(lines[command.index])
             : mlir::FileLineColLoc();
}

static weft_compiler_status *timelineOf(weft_ppl_program *program,
                                        const char **json) {
  if (!json)
    return failure(Code::InvalidArgument, "json must not be NULL");
  if (weft_compiler_status *status = predict(program))
    return status;
  const profile::Profile &made = *program->profile;
  auto rows = nlohmann::ordered_json::array();
  for (isa::Engine engine : {isa::Engine::Tiu, isa::Engine::Gdma})
    for (const profile::CommandProfile &c : made.commands[int(engine)]) {
      mlir::FileLineColLoc at = lineOf(*program, engine, c);
      rows.push_back(
          {{"engine", engine == isa::Engine::Tiu ? "tiu" : "gdma"},
           {"mnemonic", std::string(made.kinds[c.kind].mnemonic)},
           {"file", at ? at.getFilename().str() : std::string()},
           {"line", at ? int64_t(at.getLine()) : 0},
           {"start", c.span.start},
           {"end", c.span.end},
           {"wait", c.span.wait},
           {"critical", c.span.isCritical},
           {"macs", c.cost.macs},
           {"compute_cycles", c.computeCycles},
           {"dram_cycles", double(c.dramReadBytes + c.dramWriteBytes) /
                               made.peakDramBytesPerCycle},
           {"dram_read_bytes", c.dramReadBytes},
           {"dram_write_bytes", c.dramWriteBytes}});
    }
  program->timeline = rows.dump();
  *json = program->timeline.c_str();
  return nullptr;
}

namespace {
/// What the commands of one line cost.
struct LineRow {
  mlir::FileLineColLoc line; ///< null: of no line
  profile::NodeRow cost;
  uint64_t start = UINT64_MAX, end = 0;
};
} // namespace

/// The most expensive first.
static std::vector<LineRow> linesOf(const weft_ppl_program &program) {
  std::map<std::pair<std::string, unsigned>, LineRow> found;
  for (isa::Engine engine : {isa::Engine::Tiu, isa::Engine::Gdma})
    for (const profile::CommandProfile &command :
         program.profile->commands[int(engine)]) {
      mlir::FileLineColLoc at = lineOf(program, engine, command);
      LineRow &row =
          found[{at ? at.getFilename().str() : "", at ? at.getLine() : 0}];
      row.line = at;
      (engine == isa::Engine::Tiu ? row.cost.tiu : row.cost.gdma).add(command);
      row.start = std::min(row.start, command.span.start);
      row.end = std::max(row.end, command.span.end);
    }
  std::vector<LineRow> rows;
  for (auto &[line, row] : found)
    rows.push_back(std::move(row));
  llvm::stable_sort(rows, [](const LineRow &a, const LineRow &b) {
    return a.cost.busyCycles() > b.cost.busyCycles();
  });
  return rows;
}

static weft_compiler_status *rowsOf(weft_ppl_program *program,
                                    const char **json) {
  if (!json)
    return failure(Code::InvalidArgument, "json must not be NULL");
  if (weft_compiler_status *status = predict(program))
    return status;
  auto rows = nlohmann::ordered_json::array();
  for (const LineRow &line : linesOf(*program)) {
    nlohmann::ordered_json row = {
        {"file", line.line ? line.line.getFilename().str() : std::string()},
        {"line", line.line ? int64_t(line.line.getLine()) : 0},
        {"start", line.start},
        {"end", line.end}};
    row.update(profile::describeRow(line.cost, *program->profile));
    rows.push_back(std::move(row));
  }
  program->rows = rows.dump();
  *json = program->rows.c_str();
  return nullptr;
}

weft_compiler_status *weft_ppl_program_lines(weft_ppl_program *program,
                                             const char **json) {
  return guarded([&] { return rowsOf(program, json); });
}

weft_compiler_status *weft_ppl_program_timeline(weft_ppl_program *program,
                                                const char **json) {
  return guarded([&] { return timelineOf(program, json); });
}

weft_compiler_status *weft_ppl_program_profile(weft_ppl_program *program,
                                               weft_ppl_profile *profile) {
  return guarded([&] { return profileOf(program, profile); });
}

weft_compiler_status *weft_ppl_text(weft_ppl_program *program,
                                    weft_ppl_stage stage, const char **text) {
  return guarded([&]() -> weft_compiler_status * {
    if (!text)
      return failure(Code::InvalidArgument, "text must not be NULL");
    if (weft_compiler_status *status = checkFinished(program))
      return status;
    mlir::FailureOr<std::string> made =
        program->program.text(stage == WEFT_PPL_COMMANDS, program->isSerial);
    if (failed(made))
      return program->why();
    program->text = std::move(*made);
    *text = program->text.c_str();
    return nullptr;
  });
}

void weft_ppl_close(weft_ppl_program *program) { delete program; }
