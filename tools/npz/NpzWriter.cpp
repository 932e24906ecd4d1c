#include "runtime/numeric/CarrierTypes.h"
#include "runtime/status/Quote.h"
#include "tools/files/OutputFile.h"
#include "tools/npz/ArrayFile.h"
#include "tools/npz/TextArrays.h"

#include <algorithm>
#include <cassert>
#include <set>
#include <zlib.h>

using namespace weft;
using namespace weft::npz;
using numeric::ElementType;
using numeric::HostTensor;
using rt::Code;
using rt::Status;

namespace {

/// Sizes and offsets from here on stand in the fields of zip64.
constexpr uint64_t kWide = 0xFFFFFFFF;

/// Little-endian numbers one after the other.
class Record {
public:
  Record &put(uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i)
      text += char(value >> (8 * i));
    return *this;
  }
  Record &put(const std::string &bytes) {
    text += bytes;
    return *this;
  }
  const std::string &bytes() const { return text; }

private:
  std::string text;
};

/// One file of the archive.
struct Entry {
  std::string name;
  std::string header; ///< of the .npy file
  uint64_t elementBytes = 0;
  uint32_t checkSum = 0;
  uint64_t offset = 0; ///< of its local header

  uint64_t size() const { return header.size() + elementBytes; }
  bool isWide() const { return size() >= kWide; }
};

/// Writes an archive front to back.
class Writer {
public:
  explicit Writer(const tools::ByteSink &sink) : sink(sink) {}

  bool add(const std::string &name, const std::string &header,
           const HostTensor &tensor);
  bool finish();

private:
  bool write(const void *bytes, size_t size) {
    offset += size;
    return size == 0 || sink(bytes, size);
  }
  bool write(const Record &record) {
    return write(record.bytes().data(), record.bytes().size());
  }
  static Record localHeader(const Entry &entry);
  static Record centralHeader(const Entry &entry);

  const tools::ByteSink &sink;
  uint64_t offset = 0;
  std::vector<Entry> entries;
};

} // namespace

/// What local and central headers have in common: from the version that is
/// needed to the length of the name.
static void putCommon(Record &record, const Entry &entry, bool isWide) {
  bool isAscii = std::all_of(entry.name.begin(), entry.name.end(),
                             [](char c) { return uint8_t(c) < 0x80; });
  constexpr unsigned kFirstDay = 0x21; // 1980-01-01, the earliest there is
  uint64_t size = entry.isWide() ? kWide : entry.size();
  record.put(isWide ? 45 : 20, 2)
      .put(isAscii ? 0 : 0x800, 2) // else the name is UTF-8
      .put(0, 2)                   // stored as it is
      .put(0, 2)
      .put(kFirstDay, 2)
      .put(entry.checkSum, 4)
      .put(size, 4)
      .put(size, 4)
      .put(entry.name.size(), 2);
}

Record Writer::localHeader(const Entry &entry) {
  Record record;
  record.put(0x04034b50, 4);
  putCommon(record, entry, entry.isWide());
  record.put(entry.isWide() ? 20 : 0, 2).put(entry.name);
  if (entry.isWide())
    record.put(1, 2).put(16, 2).put(entry.size(), 8).put(entry.size(), 8);
  return record;
}

Record Writer::centralHeader(const Entry &entry) {
  Record extra;
  if (entry.isWide())
    extra.put(entry.size(), 8).put(entry.size(), 8);
  if (entry.offset >= kWide)
    extra.put(entry.offset, 8);
  size_t extraBytes = extra.bytes().size();
  constexpr unsigned kMadeByUnix = 3 << 8 | 45;
  constexpr uint64_t kRegularFile = 0100666;
  Record record;
  record.put(0x02014b50, 4).put(kMadeByUnix, 2);
  putCommon(record, entry, extraBytes != 0);
  record.put(extraBytes ? extraBytes + 4 : 0, 2)
      .put(0, 2) // comment
      .put(0, 2) // disk
      .put(0, 2) // internal attributes
      .put(kRegularFile << 16, 4)
      .put(std::min(entry.offset, kWide), 4)
      .put(entry.name);
  if (extraBytes)
    record.put(1, 2).put(extraBytes, 2).put(extra.bytes());
  return record;
}

bool Writer::add(const std::string &name, const std::string &header,
                 const HostTensor &tensor) {
  Entry entry;
  entry.name = name + ".npy";
  entry.header = header;
  entry.elementBytes = tensor.sizeBytes();
  entry.offset = offset;
  uLong sum = ::crc32_z(0, reinterpret_cast<const Bytef *>(header.data()),
                        header.size());
  if (tensor.sizeBytes()) // crc32 of a null pointer is its start value
    sum = ::crc32_z(sum, tensor.bytes(), tensor.sizeBytes());
  entry.checkSum = uint32_t(sum);
  entries.push_back(entry);
  return write(localHeader(entry)) && write(header.data(), header.size()) &&
         write(tensor.bytes(), tensor.sizeBytes());
}

bool Writer::finish() {
  uint64_t start = offset;
  for (const Entry &entry : entries)
    if (!write(centralHeader(entry)))
      return false;
  uint64_t bytes = offset - start, count = entries.size();
  constexpr uint64_t kMany = 0xFFFF;
  if (start >= kWide || bytes >= kWide || count >= kMany) {
    Record wide;
    wide.put(0x06064b50, 4).put(44, 8).put(45, 2).put(45, 2).put(0, 4);
    wide.put(0, 4).put(count, 8).put(count, 8).put(bytes, 8).put(start, 8);
    wide.put(0x07064b50, 4).put(0, 4).put(offset, 8).put(1, 4);
    if (!write(wide))
      return false;
  }
  Record end;
  end.put(0x06054b50, 4).put(0, 2).put(0, 2);
  end.put(std::min(count, kMany), 2).put(std::min(count, kMany), 2);
  end.put(std::min(bytes, kWide), 4).put(std::min(start, kWide), 4).put(0, 2);
  return write(end);
}

/// Whether NumPy takes the names of two arrays for one: it finds an array by
/// its name and by the name of its file.
static bool isFileOf(const std::string &name,
                     const std::set<std::string> &names) {
  constexpr std::string_view kSuffix = ".npy";
  bool hasSuffix =
      name.size() > kSuffix.size() &&
      name.compare(name.size() - kSuffix.size(), kSuffix.size(), kSuffix) == 0;
  return names.count(name + std::string(kSuffix)) ||
         (hasSuffix && names.count(name.substr(0, name.size() - 4)));
}

/// Readers end a name at a zero byte, so two could become one.
static Status checkName(const std::string &name, std::set<std::string> &names) {
  constexpr size_t kMostBytes = 0xFFFF - 4; // with .npy
  const char *problem = rt::nameProblem(name);
  if (!problem)
    problem = name.size() > kMostBytes     ? "is too long"
              : !names.insert(name).second ? "stands for two arrays"
              : isFileOf(name, names)      ? "is that of another array but "
                                             "for .npy, which NumPy takes for "
                                             "the same"
                                           : nullptr;
  return problem ? rt::failf(Code::Unsupported,
                             "unsupported: the name %s %s; an npz archive "
                             "cannot hold it",
                             rt::quoteName(name).c_str(), problem)
                 : Status::ok();
}

Status npz::streamNpz(const std::string &path,
                      const std::vector<ArraySource> &arrays) {
  std::vector<std::string> headers;
  std::vector<HostTensor> texts; // of those that are strings, in their order
  std::set<std::string> names;
  for (const ArraySource &array : arrays) {
    WEFT_TRY(checkName(array.name, names).withContext(path));
    if (array.isText) {
      rt::Result<HostTensor> tensor = array.read();
      if (!tensor)
        return tensor.status();
      TextBytes text = textBytes(*tensor);
      headers.push_back(makeTextHeader(text.unit, text.characters, text.shape));
      texts.push_back(std::move(text.bytes));
      continue;
    }
    std::optional<std::string> header =
        makeNpyHeader(numeric::carrierType(array.type), array.shape);
    if (!header)
      return rt::failf(Code::Unsupported,
                       "%s: unsupported: array %s has type %s, which npz lacks",
                       path.c_str(), rt::quoteName(array.name).c_str(),
                       numeric::elementTypeName(array.type));
    headers.push_back(*std::move(header));
  }
  Status problem;
  Status written =
      tools::writeOutputFile(path, [&](const tools::ByteSink &sink) {
        Writer writer(sink);
        size_t text = 0;
        for (size_t i = 0; i < arrays.size(); ++i) {
          if (arrays[i].isText) {
            if (!writer.add(arrays[i].name, headers[i], texts[text++]))
              return false;
            continue;
          }
          rt::Result<HostTensor> tensor = arrays[i].read();
          if (!tensor) {
            problem = tensor.status();
            return false;
          }
          assert(tensor->type() == arrays[i].type &&
                 tensor->shape() == arrays[i].shape);
          if (!writer.add(arrays[i].name, headers[i],
                          numeric::toCarrier(*std::move(tensor))))
            return false;
        }
        return writer.finish();
      });
  return problem ? written : problem;
}

Status npz::writeNpz(const std::string &path,
                     const std::vector<NamedTensor> &tensors) {
  std::vector<std::string> headers;
  std::vector<HostTensor> texts; // of those that are strings, in their order
  std::set<std::string> names;
  for (const NamedTensor &named : tensors) {
    WEFT_TRY(checkName(named.name, names).withContext(path));
    if (named.isText) {
      TextBytes text = textBytes(*named.tensor);
      headers.push_back(makeTextHeader(text.unit, text.characters, text.shape));
      texts.push_back(std::move(text.bytes));
      continue;
    }
    std::optional<std::string> header = makeNpyHeader(
        numeric::carrierType(named.tensor->type()), named.tensor->shape());
    if (!header)
      return rt::failf(Code::Unsupported,
                       "%s: unsupported: array %s has type %s, which npz lacks",
                       path.c_str(), rt::quoteName(named.name).c_str(),
                       numeric::elementTypeName(named.tensor->type()));
    headers.push_back(*std::move(header));
  }
  return tools::writeOutputFile(path, [&](const tools::ByteSink &sink) {
    Writer writer(sink);
    size_t text = 0;
    for (size_t i = 0; i < tensors.size(); ++i) {
      const HostTensor &tensor =
          tensors[i].isText ? texts[text++] : *tensors[i].tensor;
      bool isCarried = numeric::carrierType(tensor.type()) != tensor.type();
      // (A conditional expression of both would copy the tensor.)
      bool isWritten = isCarried
                           ? writer.add(tensors[i].name, headers[i],
                                        numeric::toCarrier(tensor))
                           : writer.add(tensors[i].name, headers[i], tensor);
      if (!isWritten)
        return false;
    }
    return writer.finish();
  });
}

Status npz::writeNpy(const std::string &path, const HostTensor &tensor,
                     bool isText) {
  if (isText) {
    TextBytes text = textBytes(tensor);
    std::string start = makeTextHeader(text.unit, text.characters, text.shape);
    return tools::writeOutputFile(path, [&](const tools::ByteSink &sink) {
      return sink(start.data(), start.size()) &&
             (text.bytes.sizeBytes() == 0 ||
              sink(text.bytes.bytes(), text.bytes.sizeBytes()));
    });
  }
  ElementType type = numeric::carrierType(tensor.type());
  std::optional<std::string> header = makeNpyHeader(type, tensor.shape());
  if (!header)
    return rt::failf(Code::Unsupported,
                     "%s: unsupported: the type is %s, which npy lacks",
                     path.c_str(), numeric::elementTypeName(tensor.type()));
  return tools::writeOutputFile(path, [&](const tools::ByteSink &sink) {
    auto write = [&](const HostTensor &elements) {
      return sink(header->data(), header->size()) &&
             (elements.sizeBytes() == 0 ||
              sink(elements.bytes(), elements.sizeBytes()));
    };
    return type == tensor.type() ? write(tensor)
                                 : write(numeric::toCarrier(tensor));
  });
}
