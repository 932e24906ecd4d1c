#include "runtime/bmodel/PackedFile.h"
#include "runtime/chips/Alignment.h"

namespace weft::rt {

PackedFile::PackedFile(const wire::ModelT &tables, Section section)
    : section(std::move(section)) {
  flatbuffers::FlatBufferBuilder builder(1 << 16);
  builder.Finish(wire::Model::Pack(builder, &tables));
  uint64_t end =
      alignUp<uint64_t>(kBmodelHeaderBytes + builder.GetSize(), kPageBytes);
  head = makeContainerHeader(uint32_t(end - kBmodelHeaderBytes),
                             this->section.size());
  const uint8_t *start = builder.GetBufferPointer();
  head.insert(head.end(), start, start + builder.GetSize());
  head.resize(end);
}

bool PackedFile::write(const ByteSink &sink) const {
  return sink(head.data(), head.size()) && section.write(sink);
}

std::vector<uint8_t> PackedFile::bytes() const {
  std::vector<uint8_t> all;
  all.reserve(size());
  write([&](const void *bytes, size_t size) {
    const auto *begin = static_cast<const uint8_t *>(bytes);
    all.insert(all.end(), begin, begin + size);
    return true;
  });
  return all;
}

} // namespace weft::rt
