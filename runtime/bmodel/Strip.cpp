#include "runtime/bmodel/Strip.h"

namespace weft::rt {

namespace {
using Remover = uint64_t (*)(FileParts &, wire::NetParameterT &);

/// What goes, in this order, and the bytes of its blobs.
struct OptionalPart {
  const char *name;
  Remover remove;
};
} // namespace

static uint64_t dropBlob(FileParts &parts, std::unique_ptr<wire::Blob> &blob) {
  if (!blob)
    return 0;
  uint64_t bytes = parts.bytesOf.at(blob.get()).size;
  parts.bytesOf.erase(blob.get());
  blob.reset();
  return bytes;
}

static constexpr OptionalPart kOptionalParts[] = {
    {"decisions",
     [](FileParts &, wire::NetParameterT &stage) -> uint64_t {
       if (stage.debug_map)
         stage.debug_map->decisions.reset();
       return 0;
     }},
    {"conversion record",
     [](FileParts &, wire::NetParameterT &stage) -> uint64_t {
       if (stage.debug_map)
         stage.debug_map->conversion.reset();
       return 0;
     }},
    {"debug map",
     [](FileParts &, wire::NetParameterT &stage) -> uint64_t {
       stage.debug_map.reset();
       return 0;
     }},
    {"names of weights",
     [](FileParts &, wire::NetParameterT &stage) -> uint64_t {
       if (stage.weights)
         stage.weights->locations.clear();
       return 0;
     }},
    {"vendor's profile data",
     [](FileParts &parts, wire::NetParameterT &stage) -> uint64_t {
       return dropBlob(parts, stage.profile) +
              dropBlob(parts, stage.statistics) +
              dropBlob(parts, stage.tensor_locations);
     }},
};

std::vector<StrippedPart> strip(FileParts &parts) {
  std::vector<StrippedPart> stripped;
  uint64_t before = tableBytes(parts);
  for (const OptionalPart &part : kOptionalParts) {
    uint64_t blobs = 0;
    for (const std::unique_ptr<wire::NetT> &net : parts.tables.nets)
      for (const std::unique_ptr<wire::NetParameterT> &stage : net->stages)
        blobs += part.remove(parts, *stage);
    uint64_t after = tableBytes(parts);
    stripped.push_back({part.name, before - after + blobs});
    before = after;
  }
  return stripped;
}

} // namespace weft::rt
