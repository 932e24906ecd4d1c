#include "runtime/bmodel/Bmodel.h"
#include "runtime/chips/Targets.h"
#include "runtime/isa/Isa.h"
#include "tools/files/InputFile.h"
#include "tools/files/OutputFile.h"
#include "tools/weft/ListingText.h"
#include "tools/weft/Program.h"
#include "tools/weft/ProgramListing.h"
#include "tools/weft/ReplaceCommands.h"

using namespace weft;
using namespace weft::cli;
using rt::Result;

namespace {
struct AsmFlags {
  std::string listing;
  std::string into;
  std::string output;
  std::string engine;
  std::string chip = chips::defaultTarget();
  bool unchecked = false;
};
} // namespace

/// The one section of a raw buffer.
static Result<std::vector<uint8_t>>
rawBuffer(std::vector<ListingSection> sections, const AsmFlags &flags,
          const std::string &name) {
  ListingSection *found = nullptr;
  for (ListingSection &section : sections) {
    if (!flags.engine.empty() &&
        flags.engine != isa::engineName(section.engine))
      continue;
    if (found)
      return rt::failf(
          rt::Code::InvalidArgument,
          "%s:%zu: a second section, the first is in line %zu; a raw file "
          "holds one, choose with --engine, or give --into X.bmodel",
          name.c_str(), section.line, found->line);
    found = &section;
  }
  if (!found || found->count == 0)
    return rt::fail(rt::Code::InvalidArgument,
                    name + ": the listing has no " +
                        (flags.engine.empty() ? "" : flags.engine + " ") +
                        "commands");
  return std::move(found->bytes);
}

/// An empty listing, which a failed `weft disasm` in a pipe leaves, would give
/// the model as it was.
static rt::Status checkHasCommands(const std::vector<ListingSection> &sections,
                                   const std::string &name) {
  for (const ListingSection &section : sections)
    if (section.count != 0)
      return rt::Status::ok();
  return rt::fail(rt::Code::InvalidArgument,
                  name + ": the listing has no commands; it needs headings and "
                         "commands as weft disasm prints them");
}

static Result<std::vector<uint8_t>> assembleListing(const AsmFlags &flags) {
  Result<std::string> text = tools::readInputFile(flags.listing);
  if (!text)
    return text.status();
  std::string name = flags.listing == "-" ? "stdin" : flags.listing;
  ListingRules rules;
  rules.checked = !flags.unchecked;
  if (flags.into.empty()) {
    rules.chip = chips::find(flags.chip); // one of the option's choices
    Result<std::vector<ListingSection>> sections =
        readListing(*text, name, rules);
    if (!sections)
      return sections.status();
    return rawBuffer(*std::move(sections), flags, name);
  }
  WEFT_TRY(wantsBmodel(flags.into, "weft asm --into"));
  Result<rt::Bmodel> model = rt::Bmodel::load(flags.into);
  if (!model)
    return model.status();
  rules.chip = &model->chip();
  Result<std::vector<ListingSection>> sections =
      readListing(*text, name, rules);
  if (!sections)
    return sections.status();
  WEFT_TRY(checkHasCommands(*sections, name));
  return replaceCommands(*model, *sections, name);
}

static ExitCode asmCommand(const AsmFlags &flags) {
  if (rt::Status status = tools::checkInputsKept(
          "--output", flags.output,
          {{"the listing", flags.listing}, {"the file of --into", flags.into}});
      !status)
    return reportError(status);
  Result<std::vector<uint8_t>> bytes = assembleListing(flags);
  if (!bytes)
    return reportError(bytes.status());
  rt::Status status =
      tools::writeOutputFile(flags.output, bytes->data(), bytes->size());
  return status ? ExitCode::Ok : reportError(status);
}

void cli::addAsmCommand(Program &program) {
  auto flags = std::make_shared<AsmFlags>();
  CLI::App &command = program.addCommand(
      "asm",
      "Make commands from a listing: a raw buffer, or a bmodel with the "
      "commands of the listing",
      {"weft disasm cls.bmodel > cls.s",
       "weft asm cls.s --into cls.bmodel -o new.bmodel",
       "weft asm kernel.s -o kernel.bin"},
      [flags] { return asmCommand(*flags); });
  command.add_option("listing", flags->listing, "The listing, - for stdin")
      ->required()
      ->type_name("FILE");
  CLI::Option *into =
      command
          .add_option("--into", flags->into,
                      "The bmodel whose command buffers the listing's headings "
                      "replace; without it the output is the raw buffer of the "
                      "listing's one section")
          ->check(nonEmptyValue())
          ->type_name("X.bmodel");
  command.add_option("-o,--output", flags->output, "The result, - for stdout")
      ->required()
      ->type_name("FILE");
  command
      .add_option("--engine", flags->engine,
                  "Without --into: only the sections of this engine")
      ->check(CLI::IsMember({"tiu", "gdma"}))
      ->type_name("tiu|gdma")
      ->excludes(into);
  command
      .add_option("--target", flags->chip,
                  "Without --into: the chip whose commands they are")
      ->check(CLI::IsMember(chips::targets()))
      ->capture_default_str()
      ->excludes(into);
  command.add_flag("--unchecked", flags->unchecked,
                   "Do not check the hardware's rules");
}
