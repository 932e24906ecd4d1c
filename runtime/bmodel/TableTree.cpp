#include "runtime/bmodel/TableTree.h"

#include <cstring>
#include <flatbuffers/minireflect.h>

namespace weft::rt {

using flatbuffers::ElementaryType;
using flatbuffers::TypeTable;

/// Foreign files need not align numbers, so they are read byte by byte.
template <typename T>
static T readNumber(const uint8_t *at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return flatbuffers::EndianScalar(value);
}

static const uint8_t *followOffset(const uint8_t *at) {
  return at + readNumber<flatbuffers::uoffset_t>(at);
}

namespace {

class Walk {
public:
  explicit Walk(TableVisitor &visitor) : visitor(visitor) {}
  void table(const uint8_t *at, const TypeTable &type);
  /// Whether a list of 64-bit numbers began elsewhere than at a multiple of 8.
  bool sawUnaligned() const { return unaligned; }

private:
  void value(ElementaryType type, const TypeTable *ref, const uint8_t *at);
  void sequence(const TypeTable &type, const uint8_t *at);
  void list(ElementaryType type, const TypeTable *ref, const uint8_t *at);
  template <typename T>
  void integer(const TypeTable *names, const uint8_t *at);

  TableVisitor &visitor;
  bool unaligned = false;
};

} // namespace

/// Whether the elements of a list have numbers of 64 bits in them.
static bool holdsWideNumbers(ElementaryType type, const TypeTable *ref) {
  if (type != flatbuffers::ET_SEQUENCE)
    return flatbuffers::InlineSize(type, ref) == 8;
  if (ref->st != flatbuffers::ST_STRUCT)
    return false;
  for (size_t i = 0; i < ref->num_elems; ++i) {
    const flatbuffers::TypeCode &code = ref->type_codes[i];
    if (holdsWideNumbers(ElementaryType(code.base_type),
                         code.sequence_ref < 0
                             ? nullptr
                             : ref->type_refs[code.sequence_ref]()))
      return true;
  }
  return false;
}

/// An integer, or one of the names of an enumeration.
template <typename T>
void Walk::integer(const TypeTable *names, const uint8_t *at) {
  T value = readNumber<T>(at);
  if (names)
    visitor.enumerator(int64_t(value), flatbuffers::EnumName(value, names));
  else if constexpr (std::is_signed_v<T>)
    visitor.number(int64_t(value));
  else
    visitor.number(uint64_t(value));
}

/// A table, or a struct, which lies in place.
void Walk::sequence(const TypeTable &type, const uint8_t *at) {
  if (type.st == flatbuffers::ST_TABLE)
    return table(followOffset(at), type);
  if (&type == wire::BlobTypeTable())
    return visitor.blob({readNumber<uint64_t>(at + type.values[0]),
                         readNumber<uint64_t>(at + type.values[1])});
  visitor.beginTable();
  for (size_t i = 0; i < type.num_elems; ++i) {
    const flatbuffers::TypeCode &code = type.type_codes[i];
    visitor.field(type.names[i]);
    value(ElementaryType(code.base_type),
          code.sequence_ref < 0 ? nullptr : type.type_refs[code.sequence_ref](),
          at + type.values[i]);
  }
  visitor.endTable();
}

void Walk::value(ElementaryType type, const TypeTable *ref, const uint8_t *at) {
  switch (type) {
  case flatbuffers::ET_BOOL:
    return visitor.flag(*at != 0);
  case flatbuffers::ET_CHAR:
    return integer<int8_t>(ref, at);
  case flatbuffers::ET_UTYPE:
  case flatbuffers::ET_UCHAR:
    return integer<uint8_t>(ref, at);
  case flatbuffers::ET_SHORT:
    return integer<int16_t>(ref, at);
  case flatbuffers::ET_USHORT:
    return integer<uint16_t>(ref, at);
  case flatbuffers::ET_INT:
    return integer<int32_t>(ref, at);
  case flatbuffers::ET_UINT:
    return integer<uint32_t>(ref, at);
  case flatbuffers::ET_LONG:
    return integer<int64_t>(ref, at);
  case flatbuffers::ET_ULONG:
    return integer<uint64_t>(ref, at);
  case flatbuffers::ET_FLOAT:
    return visitor.number(double(readNumber<float>(at)));
  case flatbuffers::ET_DOUBLE:
    return visitor.number(readNumber<double>(at));
  case flatbuffers::ET_STRING: {
    const uint8_t *text = followOffset(at);
    return visitor.text({reinterpret_cast<const char *>(text) + 4,
                         readNumber<flatbuffers::uoffset_t>(text)});
  }
  case flatbuffers::ET_SEQUENCE:
    return sequence(*ref, at);
  }
}

void Walk::list(ElementaryType type, const TypeTable *ref, const uint8_t *at) {
  const uint8_t *vector = followOffset(at);
  size_t size = readNumber<flatbuffers::uoffset_t>(vector);
  const uint8_t *element = vector + sizeof(flatbuffers::uoffset_t);
  if (type == flatbuffers::ET_UCHAR && !ref)
    return visitor.bytes({element, size});
  if (size != 0 && reinterpret_cast<uintptr_t>(element) % 8 != 0 &&
      holdsWideNumbers(type, ref))
    unaligned = true;
  if (visitor.beginList(size)) {
    size_t step = flatbuffers::InlineSize(type, ref);
    for (size_t i = 0; i < size; ++i, element += step)
      value(type, ref, element);
  }
  visitor.endList();
}

void Walk::table(const uint8_t *at, const TypeTable &type) {
  visitor.beginTable();
  for (size_t i = 0; i < type.num_elems; ++i) {
    // Fields of ids that are kept free: nothing has verified them.
    if (std::strncmp(type.names[i], "reserved", 8) == 0)
      continue;
    const uint8_t *field =
        reinterpret_cast<const flatbuffers::Table *>(at)->GetAddressOf(
            flatbuffers::FieldIndexToOffset(flatbuffers::voffset_t(i)));
    if (!field)
      continue;
    const flatbuffers::TypeCode &code = type.type_codes[i];
    const TypeTable *ref =
        code.sequence_ref < 0 ? nullptr : type.type_refs[code.sequence_ref]();
    visitor.field(type.names[i]);
    if (code.is_repeating)
      list(ElementaryType(code.base_type), ref, field);
    else
      value(ElementaryType(code.base_type), ref, field);
  }
  visitor.endTable();
}

void walkTables(const wire::Model &model, TableVisitor &visitor) {
  Walk(visitor).table(reinterpret_cast<const uint8_t *>(&model),
                      *wire::ModelTypeTable());
}

namespace {

/// Counts the bytes of a copy, about, up to `limit`.
class CopySize final : public TableVisitor {
public:
  explicit CopySize(uint64_t limit) : limit(limit) {}
  bool isTooLarge() const { return total > limit; }

  void field(const char *) override {}
  void beginTable() override { total += 8; }
  void endTable() override {}
  bool beginList(size_t size) override {
    total += 4 + 4 * uint64_t(size);
    return !isTooLarge();
  }
  void endList() override {}
  void number(int64_t) override { total += 4; }
  void number(uint64_t) override { total += 4; }
  void number(double) override { total += 4; }
  void flag(bool) override { total += 1; }
  void enumerator(int64_t, const char *) override { total += 4; }
  void text(std::string_view value) override { total += value.size() + 5; }
  void bytes(ByteSpan value) override { total += value.size + 4; }
  void blob(const wire::Blob &) override { total += 16; }

private:
  uint64_t limit, total = 0;
};

} // namespace

Status checkCopyable(const wire::Model &model, size_t flatbufferBytes) {
  // Writers that share equal texts and lists save a few of them; nobody's file
  // names all of it eight times.
  constexpr uint64_t kSmallBytes = uint64_t(16) << 20, kTimes = 8;
  CopySize size(kSmallBytes + kTimes * flatbufferBytes);
  Walk walk(size);
  walk.table(reinterpret_cast<const uint8_t *>(&model),
             *wire::ModelTypeTable());
  if (size.isTooLarge())
    return failf(Code::BadFile,
                 "the tables name the same texts and lists again and "
                 "again; written out they would be over %llu bytes, eight "
                 "times what they are",
                 static_cast<unsigned long long>(kSmallBytes +
                                                 kTimes * flatbufferBytes));
  if (walk.sawUnaligned())
    return fail(Code::BadFile, "a list of 64-bit numbers in the tables does "
                               "not begin at a multiple of 8 bytes, as every "
                               "writer of flatbuffers has it");
  return Status::ok();
}

} // namespace weft::rt
