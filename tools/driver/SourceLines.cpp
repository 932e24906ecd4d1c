//===- SourceLines.cpp - commands of a kernel by line of source -----------===//

#include "tools/driver/SourceLines.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <map>
#include <set>

using namespace mlir;
using namespace weft;

namespace {
/// Lines of the files of a kernel.
class Sources {
public:
  /// Without the white space at its ends; empty if there is none.
  std::string line(StringRef file, unsigned number) {
    auto [entry, isNew] = files.try_emplace(file);
    if (isNew)
      if (auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/true)) {
        SmallVector<StringRef> lines;
        (*buffer)->getBuffer().split(lines, '\n');
        for (StringRef line : lines)
          entry->second.push_back(line.trim().str());
      }
    const std::vector<std::string> &lines = entry->second;
    return number >= 1 && number <= lines.size() ? lines[number - 1] : "";
  }

private:
  llvm::StringMap<std::vector<std::string>> files;
};
} // namespace

/// Names of files without folders that several of them have.
static std::set<std::string>
sharedNames(const llvm::MapVector<Location, Location> &lines) {
  std::map<std::string, std::string> first;
  std::set<std::string> shared;
  for (const auto &[location, named] : lines) {
    std::string path = cast<FileLineColLoc>(location).getFilename().str();
    std::string name = llvm::sys::path::filename(path).str();
    if (first.try_emplace(name, path).first->second != path)
      shared.insert(name);
  }
  return shared;
}

std::vector<std::string>
driver::nameSourceLines(codegen::EncodedProgram &program) {
  llvm::MapVector<Location, Location> lines; // those that there are, then named
  auto forAll = [&](auto change) {
    for (codegen::CommandGroup &group : program.groups)
      for (auto *locations : {&group.tiuLocations, &group.gdmaLocations})
        for (Location &location : *locations)
          if (auto line = dyn_cast<FileLineColLoc>(location))
            if (line.getLine() > 0) // else the kernel as a whole
              change(location);
  };
  forAll([&](Location &location) { lines.insert({location, location}); });
  std::set<std::string> shared = sharedNames(lines);
  Sources sources;
  std::vector<std::string> texts;
  for (auto &[location, named] : lines) {
    auto line = cast<FileLineColLoc>(location);
    StringRef path = line.getFilename().strref();
    std::string file = llvm::sys::path::filename(path).str();
    if (shared.count(file))
      file = path.str();
    MLIRContext *context = location.getContext();
    std::string name = file + ":" + std::to_string(line.getLine());
    auto position = FileLineColLoc::get(context, path, texts.size(), 0);
    named = NameLoc::get(StringAttr::get(context, name), position);
    texts.push_back(sources.line(path, line.getLine()));
  }
  forAll([&](Location &location) { location = lines.find(location)->second; });
  return texts;
}
