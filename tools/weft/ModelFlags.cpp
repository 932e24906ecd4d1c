#include "tools/weft/ModelFlags.h"

#include "runtime/status/Quote.h"
#include "tools/weft/Bindings.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

using namespace weft;
using namespace weft::cli;

void cli::addModelFlags(CLI::App &command, ModelFlags &flags) {
  command.add_option("model", flags.model, "The model")
      ->required()
      ->type_name("MODEL.onnx");
  command
      .add_option("--shape", flags.shapes,
                  "Shape of an input; needed where the model leaves sizes open")
      ->type_name("NAME=AxBx..")
      ->take_all();
  addBindFlag(command, flags.bindings);
}

ExitCode cli::reportFailure(const driver::Compilation &compilation) {
  rt::Status cause = compilation.failureCause();
  return cause.code() == rt::Code::Internal ? reportError(cause)
                                            : ExitCode::UserError;
}

rt::Result<driver::InputShapes>
cli::parseShapes(const std::vector<std::string> &texts) {
  driver::InputShapes shapes;
  for (const std::string &text : texts) {
    auto bad = [&](const std::string &why) {
      return rt::fail(rt::Code::InvalidArgument,
                      "--shape " + rt::quoteName(text) + ": " + why +
                          "; write NAME=AxBx.., for example x=1x3x48x192");
    };
    // Names may hold '=', sizes cannot.
    auto [name, sizes] = llvm::StringRef(text).rsplit('=');
    if (name.empty() || name.size() == text.size())
      return bad("no name before '='");
    llvm::SmallVector<llvm::StringRef> parts;
    sizes.split(parts, 'x');
    std::vector<int64_t> shape;
    for (llvm::StringRef part : parts) {
      int64_t size = 0;
      if (part.getAsInteger(10, size) || size < 1)
        return bad("size " + rt::quoteName(part.str()) +
                   " is not a positive number");
      shape.push_back(size);
    }
    if (!shapes.emplace(name.str(), shape).second)
      return bad("given twice");
  }
  return shapes;
}
