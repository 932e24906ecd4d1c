//===- PackedFile.h - a bmodel as it is to be written -----------*- C++ -*-===//

#ifndef WEFT_RUNTIME_BMODEL_PACKEDFILE_H
#define WEFT_RUNTIME_BMODEL_PACKEDFILE_H

#include "runtime/bmodel/Section.h"

namespace weft::rt {

/// The bytes of a file, those of large blobs where they were: whoever owns them
/// lives longer.
class PackedFile {
public:
  /// Of `tables`, whose blobs lie in `section`.
  PackedFile(const wire::ModelT &tables, Section section);

  uint64_t size() const { return head.size() + section.size(); }
  /// Gives `sink` the bytes of the file. False if it gave up.
  bool write(const ByteSink &sink) const;
  std::vector<uint8_t> bytes() const;

private:
  /// Container header and flatbuffer, zero-padded so that the binary section
  /// starts a page.
  std::vector<uint8_t> head;
  Section section;
};

} // namespace weft::rt

#endif // WEFT_RUNTIME_BMODEL_PACKEDFILE_H
