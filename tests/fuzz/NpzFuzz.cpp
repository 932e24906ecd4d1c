//===- NpzFuzz.cpp - any bytes as an npz archive or a npy file ------------===//
//
// Reading gives the arrays, or an error that begins with the path. The header
// of an array, written again, says the same.
//
//===----------------------------------------------------------------------===//

#include "tools/npz/Npz.h"

#include <cstdlib>

using namespace weft;

static void require(bool condition) {
  if (!condition)
    std::abort();
}

/// Headers may claim any size; reading checks it against the bytes first.
static void readAll(const npz::Reader &reader) {
  for (const std::string &name : reader.names()) {
    require(reader.header(name) != nullptr);
    rt::Result<numeric::HostTensor> tensor = reader.read(name);
    if (!tensor)
      require(tensor.status().message().rfind("archive", 0) == 0);
  }
}

/// What begins with these bytes as a .npy file; a header of the same array is
/// one again.
static void parseHeader(std::string_view bytes) {
  rt::Result<npz::NpyHeader> header = npz::parseNpyHeader(bytes);
  if (!header)
    return;
  std::optional<std::string> written =
      npz::makeNpyHeader(header->type, header->shape);
  if (!written)
    return;
  rt::Result<npz::NpyHeader> again = npz::parseNpyHeader(*written);
  require(again && again->type == header->type &&
          again->shape == header->shape && again->elements == header->elements);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  parseHeader({reinterpret_cast<const char *>(bytes), size});
  rt::Result<npz::Reader> reader =
      npz::Reader::openBytes("archive", bytes, size);
  if (reader)
    readAll(*reader);
  else
    require(reader.status().message().rfind("archive", 0) == 0);
  return 0;
}
