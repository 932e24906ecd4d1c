#include "tools/npz/Npz.h"
#include "runtime/status/Quote.h"
#include "tools/files/InputFile.h"
#include "tools/npz/TextArrays.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <set>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

using namespace weft;
using namespace weft::npz;
using numeric::HostTensor;
using rt::Code;
using rt::Result;
using rt::Status;

/// Largest array that is read.
static constexpr uint64_t kMaxArrayBytes = uint64_t(4) << 30;
/// Deflate cannot do better than 1032 to 1, so a larger claim is a lie.
static constexpr uint64_t kMaxRatio = 1032;

namespace {
struct CloseZipFile {
  void operator()(zip_file_t *file) const { zip_fclose(file); }
};
using ZipFile = std::unique_ptr<zip_file_t, CloseZipFile>;
} // namespace

/// Why reading `file` failed. libzip reads data that end before the size that
/// the archive states without an error.
static std::string readProblem(zip_file_t *file) {
  zip_error_t *error = zip_file_get_error(file);
  return zip_error_code_zip(error) == ZIP_ER_OK
             ? "the compressed data are damaged"
             : zip_error_strerror(error);
}

static std::string zipErrorText(int code) {
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  std::string text = zip_error_strerror(&error);
  zip_error_fini(&error);
  return text;
}

Result<Reader> Reader::open(const std::string &path) {
  if (::access(path.c_str(), R_OK) != 0)
    return rt::failf(errno == ENOENT ? Code::NotFound : Code::IoError,
                     "%s: cannot open: %s", path.c_str(), std::strerror(errno));
  struct stat status;
  if (::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode))
    return rt::failf(Code::IoError,
                     "%s: it is a directory, not a npz archive; give a file",
                     path.c_str());
  int code = 0;
  zip *archive = zip_open(path.c_str(), ZIP_RDONLY, &code);
  return openArchive(path, archive, code);
}

Result<Reader> Reader::openBytes(const std::string &path, const void *bytes,
                                 size_t size) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t *source = zip_source_buffer_create(bytes, size, 0, &error);
  zip *archive =
      source ? zip_open_from_source(source, ZIP_RDONLY, &error) : nullptr;
  if (!archive && source)
    zip_source_free(source);
  int code = zip_error_code_zip(&error);
  zip_error_fini(&error);
  return openArchive(path, archive, code);
}

Result<Reader> Reader::openArchive(const std::string &path, zip *archive,
                                   int code) {
  Reader reader;
  reader.thePath = path;
  reader.archive = archive;
  if (!archive)
    return rt::failf(Code::BadFile,
                     "%s: not a npz archive: %s; write one with numpy.savez",
                     path.c_str(), zipErrorText(code).c_str());
  WEFT_TRY(reader.readDirectory().withContext(path));
  return reader;
}

Reader::Reader(Reader &&other) noexcept { *this = std::move(other); }

Reader &Reader::operator=(Reader &&other) noexcept {
  std::swap(thePath, other.thePath);
  std::swap(archive, other.archive);
  std::swap(theNames, other.theNames);
  std::swap(entries, other.entries);
  return *this;
}

Reader::~Reader() {
  if (archive)
    zip_discard(archive);
}

/// False if the entry has no name. Names are taken as they are if they are
/// UTF-8: libzip takes one with a control character for one in the code page of
/// DOS, and makes arrows and smileys of them.
static bool nameOf(zip *archive, zip_uint64_t index, std::string &name) {
  const char *raw = zip_get_name(archive, index, ZIP_FL_ENC_RAW);
  if (!raw)
    return false;
  name = raw;
  if (rt::isUtf8(name))
    return true;
  const char *decoded = zip_get_name(archive, index, ZIP_FL_ENC_GUESS);
  name = decoded ? decoded : "";
  return decoded;
}

Status Reader::readDirectory() {
  zip_int64_t count = zip_get_num_entries(archive, 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    std::string name;
    if (!nameOf(archive, zip_uint64_t(i), name))
      return rt::failf(Code::BadFile, "entry %" PRId64 " has no name", i);
    constexpr std::string_view kSuffix = ".npy";
    if (name.size() <= kSuffix.size() ||
        name.compare(name.size() - kSuffix.size(), kSuffix.size(), kSuffix))
      return rt::failf(Code::BadFile, "entry %s is no npy array",
                       rt::quoteName(name).c_str());
    name.resize(name.size() - kSuffix.size());
    if (entries.count(name))
      return rt::failf(Code::BadFile, "array %s occurs twice",
                       rt::quoteName(name).c_str());
    WEFT_TRY(readEntry(zip_uint64_t(i), name)
                 .withContext("array " + rt::quoteName(name)));
    theNames.push_back(name);
  }
  return Status::ok();
}

/// Reads until `size` bytes or the end; -1 on an error, which also is what a
/// wrong check sum gives at the end.
static zip_int64_t readUpTo(zip_file_t *file, void *bytes, uint64_t size) {
  uint64_t done = 0;
  while (done < size) {
    zip_int64_t got =
        zip_fread(file, static_cast<char *>(bytes) + done, size - done);
    if (got < 0)
      return -1;
    if (got == 0)
      break;
    done += uint64_t(got);
  }
  return zip_int64_t(done);
}

/// Bytes that a .npy file with this header has.
static Result<uint64_t> fileBytes(const NpyHeader &header) {
  uint64_t elementBytes = numeric::elementBytes(header.type);
  if (uint64_t(header.elements) > kMaxArrayBytes / elementBytes)
    return rt::failf(Code::Unsupported,
                     "unsupported: shape %s of %s has more than 4 GiB",
                     numeric::shapeText(header.shape).c_str(),
                     numeric::elementTypeName(header.type));
  return header.headerBytes + uint64_t(header.elements) * elementBytes;
}

static Status wrongSize(const NpyHeader &header, uint64_t found,
                        uint64_t needed) {
  return rt::failf(Code::BadFile,
                   "holds %" PRIu64 " bytes, its header (%s of %s) needs "
                   "%" PRIu64,
                   found, numeric::shapeText(header.shape).c_str(),
                   numeric::elementTypeName(header.type), needed);
}

Status Reader::readEntry(uint64_t index, const std::string &name) {
  zip_stat_t facts;
  if (zip_stat_index(archive, index, 0, &facts) != 0 ||
      !(facts.valid & ZIP_STAT_SIZE) || !(facts.valid & ZIP_STAT_COMP_SIZE))
    return rt::fail(Code::BadFile, "the archive does not state its size");
  ZipFile file(zip_fopen_index(archive, index, 0));
  if (!file)
    return rt::failf(Code::BadFile, "cannot be read: %s",
                     zip_strerror(archive));
  std::string start(std::min<uint64_t>(kMaxNpyHeaderBytes, facts.size), '\0');
  zip_int64_t got = readUpTo(file.get(), start.data(), start.size());
  if (got < 0)
    return rt::failf(Code::BadFile, "cannot be read: %s",
                     readProblem(file.get()).c_str());
  start.resize(size_t(got));
  Result<NpyHeader> header = parseNpyHeader(start);
  if (!header)
    return header.status();
  Result<uint64_t> needed = fileBytes(*header);
  if (!needed)
    return needed.status();
  if (facts.size != *needed || facts.size / kMaxRatio > facts.comp_size)
    return wrongSize(*header, facts.size, *needed);
  entries[name] = {index, *std::move(header)};
  return Status::ok();
}

const NpyHeader *Reader::header(const std::string &name) const {
  auto found = entries.find(name);
  return found == entries.end() ? nullptr : &found->second.header;
}

/// Column-major to row-major: element (i0, i1, ..) moves, of strings a whole
/// one.
static HostTensor toRowMajor(const HostTensor &columns, bool isText) {
  std::vector<int64_t> shape = columns.shape();
  HostTensor rows(columns.type(), shape);
  size_t bytes = numeric::elementBytes(columns.type());
  if (isText) {
    bytes = size_t(shape.back());
    shape.pop_back();
  }
  int64_t count = bytes ? int64_t(rows.sizeBytes() / bytes) : 0;
  std::vector<int64_t> index(shape.size(), 0);
  for (int64_t at = 0; at < count; ++at) {
    int64_t from = 0;
    for (size_t axis = shape.size(); axis-- > 0;)
      from = from * shape[axis] + index[axis];
    std::memcpy(rows.bytes() + size_t(at) * bytes,
                columns.bytes() + size_t(from) * bytes, bytes);
    for (size_t axis = shape.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis])
        break;
      index[axis] = 0;
    }
  }
  return rows;
}

/// Turns around the bytes of each number, of which a complex one has two.
static void swapBytes(HostTensor &tensor) {
  size_t bytes = numeric::elementBytes(tensor.type());
  if (tensor.type() == numeric::ElementType::C64 ||
      tensor.type() == numeric::ElementType::C128)
    bytes /= 2;
  for (size_t at = 0; at < tensor.sizeBytes(); at += bytes)
    std::reverse(tensor.bytes() + at, tensor.bytes() + at + bytes);
}

/// The tensor of elements as they are in the file: row-major, in this machine's
/// byte order, strings in UTF-8.
static Result<HostTensor> arranged(HostTensor tensor, const NpyHeader &header) {
  if (header.isBigEndian && !header.isText())
    swapBytes(tensor);
  size_t axes = header.shape.size() - (header.isText() ? 1 : 0);
  if (header.fortranOrder && axes > 1)
    tensor = toRowMajor(tensor, header.isText());
  if (header.isText())
    WEFT_TRY(makeUtf8(tensor, header.characterBytes, header.isBigEndian));
  return tensor;
}

Result<HostTensor> Reader::read(const std::string &name) const {
  auto found = entries.find(name);
  std::string where = thePath + ": array " + rt::quoteName(name);
  if (found == entries.end())
    return rt::fail(Code::NotFound, where + " does not exist");
  const NpyHeader &header = found->second.header;
  ZipFile file(zip_fopen_index(archive, found->second.index, 0));
  std::string skipped(header.headerBytes, '\0');
  HostTensor tensor(header.type, header.shape);
  char beyond;
  // The read behind the last byte is where libzip compares the check sum.
  if (!file ||
      readUpTo(file.get(), skipped.data(), skipped.size()) !=
          zip_int64_t(skipped.size()) ||
      readUpTo(file.get(), tensor.bytes(), tensor.sizeBytes()) !=
          zip_int64_t(tensor.sizeBytes()) ||
      zip_fread(file.get(), &beyond, 1) != 0)
    return rt::failf(Code::BadFile, "%s: cannot be read: %s", where.c_str(),
                     file ? readProblem(file.get()).c_str()
                          : zip_strerror(archive));
  Result<HostTensor> made = arranged(std::move(tensor), header);
  return made ? std::move(made) : made.status().withContext(where);
}

bool npz::isNpy(std::string_view bytes) {
  return bytes.substr(0, kNpyMagic.size()) == kNpyMagic;
}

Result<HostTensor> npz::readNpy(const std::string &path, bool *isText) {
  Result<std::string> bytes =
      tools::readInputFile(path, kMaxArrayBytes + kMaxNpyHeaderBytes);
  if (!bytes)
    return bytes.status();
  Result<NpyHeader> header =
      parseNpyHeader(std::string_view(*bytes).substr(0, kMaxNpyHeaderBytes));
  if (!header)
    return header.status().withContext(path);
  Result<uint64_t> needed = fileBytes(*header);
  if (!needed)
    return needed.status().withContext(path);
  if (bytes->size() != *needed)
    return wrongSize(*header, bytes->size(), *needed).withContext(path);
  HostTensor tensor(header->type, header->shape);
  if (tensor.sizeBytes())
    std::memcpy(tensor.bytes(), bytes->data() + header->headerBytes,
                tensor.sizeBytes());
  if (isText)
    *isText = header->isText();
  Result<HostTensor> made = arranged(std::move(tensor), *header);
  return made ? std::move(made) : made.status().withContext(path);
}
