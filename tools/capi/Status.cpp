//===- Status.cpp - statuses of the compiler's C interface ----------------===//

#include "tools/capi/Status.h"

#include "runtime/status/Quote.h"

#include <sstream>

using namespace weft;
using rt::Code;
using rt::Status;

weft_compiler_status capi::outOfMemory, capi::unexpected;

weft_compiler_status *capi::toC(Status status, int pplCode) {
  if (status.isOk())
    return nullptr;
  // Names from files are in it.
  Status shown(status.code(), rt::printableLines(status.message()));
  return new weft_compiler_status{std::move(shown), pplCode};
}

weft_compiler_status *capi::fromPrinted(const std::string &printed,
                                        const Status &cause, int pplCode) {
  const std::string prefix = "weft: error: ", other = "weft: ";
  std::string text;
  for (size_t begin = 0; begin < printed.size();) {
    size_t end = std::min(printed.find('\n', begin), printed.size());
    std::string line = printed.substr(begin, end - begin);
    begin = end + 1;
    if (line.compare(0, prefix.size(), prefix) == 0)
      text += (text.empty() ? "" : "\n") + line.substr(prefix.size());
    else if (line.compare(0, other.size(), other) != 0 && !text.empty())
      text += "\n" + line;
  }
  if (text.empty())
    return toC(cause.isOk() ? rt::fail(Code::Internal, "no reason was given")
                            : cause,
               pplCode);
  Code code =
      cause.code() == Code::Internal ? Code::Internal : Code::InvalidArgument;
  return toC(rt::fail(code, text), pplCode);
}

std::string capi::warningsOf(const std::string &printed) {
  const std::string prefix = "weft: warning: ";
  std::istringstream lines(printed);
  std::string text;
  for (std::string line; std::getline(lines, line);)
    if (line.compare(0, prefix.size(), prefix) == 0)
      text += (text.empty() ? "" : "\n") + line.substr(prefix.size());
  return text;
}

int weft_compiler_api_version(void) { return WEFT_COMPILER_API_VERSION; }
const char *weft_compiler_version(void) { return WEFT_VERSION_TEXT; }

int weft_compiler_status_code(const weft_compiler_status *status) {
  if (status == &capi::outOfMemory)
    return int(Code::OutOfMemory);
  if (status == &capi::unexpected)
    return int(Code::Internal);
  return status ? int(status->status.code()) : 0;
}

const char *weft_compiler_status_message(const weft_compiler_status *status) {
  if (status == &capi::outOfMemory)
    return "out of memory";
  if (status == &capi::unexpected)
    return "internal error: an exception reached the C interface";
  return status ? status->status.message().c_str() : "";
}

int weft_compiler_status_ppl_code(const weft_compiler_status *status) {
  return status ? status->pplCode : 0;
}

void weft_compiler_status_free(weft_compiler_status *status) {
  if (status != &capi::outOfMemory && status != &capi::unexpected)
    delete status;
}
