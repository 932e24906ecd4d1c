#include "runtime/status/Quote.h"
#include "tools/weft/NearNames.h"
#include "tools/weft/NpzVerbs.h"
#include "tools/weft/StandardInput.h"

using namespace weft;
using namespace weft::cli;

void cli::addArrayFile(CLI::App &verb, std::string &path) {
  mayBeStandardInput(
      verb.add_option("file", path, "Arrays, .npz or .npy ('-': stdin)"))
      ->required()
      ->type_name("FILE");
}

void cli::addNpzOutput(CLI::App &verb, std::string &path,
                       const std::string &typeName) {
  verb.add_option("-o,--output", path, "What is written ('-': stdout)")
      ->required()
      ->type_name(typeName);
}

rt::Status cli::checkHas(const npz::ArrayFile &file, const std::string &name) {
  if (file.has(name))
    return rt::Status::ok();
  std::string near = nearestName(name, file.names());
  return rt::fail(rt::Code::NotFound,
                  file.path() + ": there is no array " + rt::quoteName(name) +
                      (near.empty() ? "; see weft npz show"
                                    : "; perhaps " + rt::quoteName(near)));
}

void cli::addNpzCommand(Program &program) {
  CLI::App &npz = program.addCommand(
      "npz", "Show, compare and change files of arrays (.npz, .npy)",
      {"weft npz show values.npz",
       "weft npz compare values.npz reference.npz --tolerance 0.99,0.9",
       "weft npz cast values.npz --dtype f16 -o half.npz"},
      {});
  npz.require_subcommand(0, 1);
  addNpzShow(program, npz);
  addNpzCompare(program, npz);
  addNpzEdits(program, npz);
  addNpzPicture(program, npz);
}
