#include "runtime/bmodel/StageWeights.h"

#include <algorithm>
#include <cstring>

namespace weft::rt {

static bool sameBytes(ByteSpan a, ByteSpan b) {
  return a.size == b.size &&
         (a.data == b.data || std::memcmp(a.data, b.data, a.size) == 0);
}

std::vector<StageWeights> weightsOf(const NetSpec &net) {
  std::vector<StageWeights> all;
  for (size_t i = 0; i < net.stages.size(); ++i) {
    ByteSpan bytes = net.stages[i].weightBytes;
    if (bytes.size == 0)
      continue;
    auto known =
        std::find_if(all.begin(), all.end(), [&](const StageWeights &weights) {
          return sameBytes(weights.bytes, bytes);
        });
    if (known == all.end())
      known = all.insert(all.end(), {{}, bytes});
    known->stages.push_back(i);
  }
  return all;
}

std::vector<NamedWeights> namedWeights(const StageSpec &stage) {
  std::vector<NamedWeights> named;
  const wire::Weights *table = stage.table->weights();
  if (!table || !table->locations())
    return named;
  for (const wire::WeightLocation *location : *table->locations())
    named.push_back({location->name()->string_view(),
                     {stage.weightBytes.data + location->offset(),
                      size_t(location->size())}});
  return named;
}

Status replaceWeights(FileParts &parts, size_t net,
                      const std::vector<size_t> &stages, ByteSpan bytes) {
  Digest digest = sha256(bytes.data, bytes.size);
  for (size_t index : stages) {
    wire::WeightsT &weights = *parts.tables.nets[net]->stages[index]->weights;
    ByteSpan &old = parts.bytesOf.at(weights.blob.get());
    if (bytes.size != old.size)
      return failf(Code::InvalidArgument,
                   "%zu bytes, stage %zu has %zu bytes of weights; it must be "
                   "as many",
                   bytes.size, index, old.size);
    old = bytes;
    weights.sha256.assign(digest.begin(), digest.end());
  }
  return Status::ok();
}

} // namespace weft::rt
