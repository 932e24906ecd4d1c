#include "tools/weft/StandardInput.h"
#include "tools/files/OutputFile.h"
#include "tools/files/TemporaryFolder.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <unistd.h>
#include <vector>

using namespace weft;
using namespace weft::cli;
using rt::Code;
using rt::Result;

/// Copies until the end of stdin. `reason` is errno of a read that failed.
static bool copyStdin(const tools::ByteSink &sink, int &reason) {
  std::vector<char> buffer(1 << 20);
  while (true) {
    ssize_t count = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0) {
      reason = count < 0 ? errno : 0;
      return count == 0;
    }
    if (!sink(buffer.data(), size_t(count)))
      return false;
  }
}

/// None until stdin is read.
static std::unique_ptr<tools::TemporaryFolder> folder;

static std::string fileInFolder() { return folder->path() + "/stdin"; }

bool cli::isStandardInput(const std::string &path) {
  return folder && path == fileInFolder();
}

std::string cli::withStandardInputNamed(std::string text) {
  if (!folder)
    return text;
  const std::string file = fileInFolder(), name = "stdin";
  for (size_t at = text.find(file); at != std::string::npos;
       at = text.find(file, at + name.size()))
    text.replace(at, file.size(), name);
  return text;
}

Result<std::string> cli::standardInputFile() {
  if (folder)
    return rt::fail(Code::InvalidArgument,
                    "stdin is given for two files; it can be read once");
  Result<std::unique_ptr<tools::TemporaryFolder>> made =
      tools::TemporaryFolder::make("weft-input");
  if (!made)
    return made.status();
  folder = *std::move(made);
  std::string path = fileInFolder();
  int reason = 0;
  rt::Status status =
      tools::writeOutputFile(path, [&](const tools::ByteSink &sink) {
        return copyStdin(sink, reason);
      });
  if (reason)
    return rt::fail(Code::IoError, std::string("stdin: cannot read: ") +
                                       std::strerror(reason));
  if (!status)
    return status;
  return path;
}

CLI::Option *cli::mayBeStandardInput(CLI::Option *option) {
  return option->transform(CLI::Validator(
      [](std::string &value) -> std::string {
        bool isNamed =
            value.size() > 2 && value.substr(value.size() - 2) == "=-";
        if (value != "-" && !isNamed)
          return "";
        Result<std::string> file = standardInputFile();
        if (!file)
          return file.status().message();
        value.replace(value.size() - 1, 1, *file);
        return "";
      },
      ""));
}
