//===- TableTree.h - every field of a bmodel's tables -----------*- C++ -*-===//

#ifndef WEFT_RUNTIME_BMODEL_TABLETREE_H
#define WEFT_RUNTIME_BMODEL_TABLETREE_H

#include "runtime/bmodel/Bmodel.h"

#include <string_view>

namespace weft::rt {

/// What walkTables() finds, in the order of the schema; fields that a file does
/// not have are left out. Texts are views of the file's bytes and anyone's.
class TableVisitor {
public:
  virtual ~TableVisitor() = default;

  /// The value of this field comes next.
  virtual void field(const char *name) = 0;
  virtual void beginTable() = 0;
  virtual void endTable() = 0;
  /// Of `size` values; a list of bytes (a digest) is one value, bytes(). False
  /// leaves the values out.
  virtual bool beginList(size_t size) = 0;
  virtual void endList() = 0;
  virtual void number(int64_t value) = 0;
  virtual void number(uint64_t value) = 0;
  virtual void number(double value) = 0;
  virtual void flag(bool value) = 0;
  /// `name` is null for a number that the schema has no name for.
  virtual void enumerator(int64_t value, const char *name) = 0;
  virtual void text(std::string_view value) = 0;
  virtual void bytes(ByteSpan value) = 0;
  virtual void blob(const wire::Blob &value) = 0;
};

/// Shows `visitor` all tables of a verified model, from the schema's own list
/// of fields (flatc's --reflect-names). Tables that several others name come
/// once for each.
void walkTables(const wire::Model &model, TableVisitor &visitor);

/// Whether the tables, in a flatbuffer of that size, may be copied:
/// Code::BadFile if lists and texts that are shared would make far more of them
/// than the file has bytes, or if numbers do not lie as the processor reads
/// them.
Status checkCopyable(const wire::Model &model, size_t flatbufferBytes);

} // namespace weft::rt

#endif // WEFT_RUNTIME_BMODEL_TABLETREE_H
