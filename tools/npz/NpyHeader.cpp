#include "tools/npz/NpyHeader.h"
#include "runtime/status/Quote.h"

#include <cstdint>

using namespace weft;
using namespace weft::npz;
using numeric::ElementType;
using rt::Code;
using rt::Status;

namespace {

constexpr size_t kPreambleBytes = 10; // magic, version, 16-bit length
constexpr size_t kMaxRank = 32;       // NumPy's own limit

struct TypeRow {
  ElementType type;
  std::string_view descr;
};

constexpr TypeRow kTypes[] = {
    {ElementType::F32, "<f4"}, {ElementType::F16, "<f2"},
    {ElementType::F64, "<f8"}, {ElementType::I8, "|i1"},
    {ElementType::U8, "|u1"},  {ElementType::I16, "<i2"},
    {ElementType::U16, "<u2"}, {ElementType::I32, "<i4"},
    {ElementType::U32, "<u4"}, {ElementType::I64, "<i8"},
    {ElementType::U64, "<u8"}, {ElementType::Bool, "|b1"},
    {ElementType::C64, "<c8"}, {ElementType::C128, "<c16"},
};

/// Arrays of Python's ml_dtypes: NumPy stores them as bytes without a meaning,
/// float8_e5m2 under a name that it cannot read itself. Their bit patterns are
/// taken (numeric::fromCarrier gives them a meaning).
constexpr TypeRow kOpaqueTypes[] = {
    {ElementType::U8, "|V1"},
    {ElementType::U8, "|f1"},
    {ElementType::U16, "|V2"},
};

/// Reads the Python dictionary literal of a header: only what NumPy writes.
class DictParser {
public:
  explicit DictParser(std::string_view text) : rest(text) {}

  Status parse(NpyHeader &header);

private:
  void skipSpace() {
    size_t next = rest.find_first_not_of(" \t\n");
    rest.remove_prefix(next == std::string_view::npos ? rest.size() : next);
  }
  bool take(std::string_view word) {
    skipSpace();
    if (rest.substr(0, word.size()) != word)
      return false;
    rest.remove_prefix(word.size());
    return true;
  }
  bool takeString(std::string &text);
  Status takeEntry(const std::string &key, NpyHeader &header);
  Status takeType(NpyHeader &header);
  static bool readTextType(std::string_view descr, NpyHeader &header,
                           int64_t &characters);
  Status takeShape(NpyHeader &header);

  std::string_view rest;
  int64_t characters = 0; ///< of each string
};

} // namespace

static Status broken(const char *what) {
  return rt::failf(Code::BadFile, "the npy header is broken: %s", what);
}

bool DictParser::takeString(std::string &text) {
  skipSpace();
  if (rest.empty() || (rest[0] != '\'' && rest[0] != '"'))
    return false;
  size_t end = rest.find(rest[0], 1);
  if (end == std::string_view::npos)
    return false;
  text = rest.substr(1, end - 1);
  rest.remove_prefix(end + 1);
  return true;
}

/// "|S12", "<U5".
bool DictParser::readTextType(std::string_view descr, NpyHeader &header,
                              int64_t &characters) {
  constexpr int64_t kMostCharacters = int64_t(1) << 30;
  if (descr.size() < 3 || (descr[1] != 'S' && descr[1] != 'U'))
    return false;
  characters = 0;
  for (char digit : descr.substr(2)) {
    if (digit < '0' || digit > '9')
      return false;
    characters = characters * 10 + (digit - '0');
    if (characters > kMostCharacters)
      return false;
  }
  header.type = ElementType::U8;
  header.characterBytes = descr[1] == 'S' ? 1 : 4;
  header.isBigEndian = descr[0] == '>';
  return true;
}

Status DictParser::takeType(NpyHeader &header) {
  std::string descr;
  if (!takeString(descr))
    // A record array has a list here.
    return rt::fail(Code::Unsupported,
                    "unsupported: record arrays; store plain arrays");
  for (const TypeRow &row : kTypes) {
    if (descr.empty() || descr.substr(1) != row.descr.substr(1))
      continue;
    // Single bytes have no order; some writers say "<i1" for "|i1".
    bool isByte = row.descr[0] == '|';
    if (!isByte && descr[0] != '<' && descr[0] != '>')
      continue;
    header.type = row.type;
    header.isBigEndian = !isByte && descr[0] == '>';
    return Status::ok();
  }
  for (const TypeRow &row : kOpaqueTypes)
    if (descr.size() == 3 && descr.substr(1) == row.descr.substr(1) &&
        descr[0] != '>') {
      header.type = row.type;
      return Status::ok();
    }
  if (readTextType(descr, header, characters))
    return Status::ok();
  return rt::failf(Code::Unsupported,
                   "unsupported: element type %s; floats, integers, bool and "
                   "strings can be read%s",
                   rt::quoteName(descr).c_str(),
                   descr == "|O" ? "; make strings of objects by astype(str)"
                                 : "");
}

Status DictParser::takeShape(NpyHeader &header) {
  constexpr int64_t kMaxDim = int64_t(1) << 40;
  if (!take("("))
    return broken("shape is no tuple");
  while (!take(")")) {
    skipSpace();
    int64_t dim = 0;
    size_t digits = 0;
    for (; digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9';
         ++digits) {
      dim = dim * 10 + (rest[digits] - '0');
      if (dim > kMaxDim)
        return broken("a dimension is above 2^40");
    }
    if (digits == 0 || header.shape.size() == kMaxRank)
      return broken("shape holds something else than up to 32 numbers");
    rest.remove_prefix(digits);
    header.shape.push_back(dim);
    if (!take(",")) {
      if (!take(")") || header.shape.size() == 1)
        return broken("shape is no tuple");
      break;
    }
  }
  std::optional<int64_t> elements = numeric::elementCount(header.shape);
  if (!elements)
    return broken("the shape has too many elements");
  header.elements = *elements;
  return Status::ok();
}

Status DictParser::takeEntry(const std::string &key, NpyHeader &header) {
  if (key == "descr")
    return takeType(header);
  if (key == "shape")
    return takeShape(header);
  if (key != "fortran_order")
    return broken("unknown key");
  header.fortranOrder = take("True");
  if (!header.fortranOrder && !take("False"))
    return broken("fortran_order is neither True nor False");
  return Status::ok();
}

Status DictParser::parse(NpyHeader &header) {
  if (!take("{"))
    return broken("no dictionary");
  std::vector<std::string> keys;
  while (!take("}")) {
    std::string key;
    if (!takeString(key) || !take(":"))
      return broken("a key is missing");
    for (const std::string &other : keys)
      if (other == key)
        return broken("a key occurs twice");
    keys.push_back(key);
    WEFT_TRY(takeEntry(key, header));
    if (!take(",")) {
      if (!take("}"))
        return broken("no end of the dictionary");
      break;
    }
  }
  skipSpace();
  if (keys.size() != 3 || !rest.empty())
    return broken("it must hold descr, fortran_order and shape");
  if (!header.isText())
    return Status::ok();
  header.shape.push_back(characters * header.characterBytes);
  std::optional<int64_t> bytes = numeric::elementCount(header.shape);
  if (!bytes)
    return broken("the strings have too many bytes");
  header.elements = *bytes;
  return Status::ok();
}

rt::Result<NpyHeader> npz::parseNpyHeader(std::string_view bytes) {
  auto byteAt = [&](size_t i) { return size_t(uint8_t(bytes[i])); };
  if (bytes.size() < kPreambleBytes || bytes.substr(0, 6) != kNpyMagic)
    return rt::fail(Code::BadFile, "not a npy array: the magic bytes are "
                                   "missing");
  size_t version = byteAt(6);
  size_t preamble = version == 1 ? kPreambleBytes : kPreambleBytes + 2;
  if (version < 1 || version > 3 || bytes.size() < preamble)
    return rt::failf(Code::Unsupported,
                     "unsupported: npy format version %zu.%zu; 1.0 to 3.0 can "
                     "be read",
                     version, byteAt(7));
  size_t length = byteAt(8) | byteAt(9) << 8;
  if (version > 1)
    length |= byteAt(10) << 16 | byteAt(11) << 24;
  if (length > kMaxNpyHeaderBytes - preamble)
    return broken("it is longer than 64 KiB");
  if (length > bytes.size() - preamble)
    return broken("it is cut off");
  NpyHeader header;
  header.headerBytes = preamble + length;
  DictParser parser(bytes.substr(preamble, length));
  WEFT_TRY(parser.parse(header));
  return header;
}

static std::string makeHeader(const std::string &descr,
                              const std::vector<int64_t> &shape) {
  std::string dict =
      "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (";
  for (size_t i = 0; i < shape.size(); ++i)
    dict += std::to_string(shape[i]) + (shape.size() == 1      ? ","
                                        : i + 1 < shape.size() ? ", "
                                                               : "");
  dict += "), }";
  constexpr size_t kAlign = 64;
  size_t total =
      (kPreambleBytes + dict.size() + 1 + kAlign - 1) / kAlign * kAlign;
  dict.append(total - kPreambleBytes - dict.size() - 1, ' ');
  dict += '\n';
  std::string header(kNpyMagic);
  header += '\x01';
  header += '\0';
  header += char(dict.size() & 0xff);
  header += char(dict.size() >> 8);
  return header + dict;
}

std::optional<std::string>
npz::makeNpyHeader(ElementType type, const std::vector<int64_t> &shape) {
  for (const TypeRow &row : kTypes)
    if (row.type == type)
      return makeHeader(std::string(row.descr), shape);
  return std::nullopt;
}

std::string npz::makeTextHeader(unsigned unit, int64_t characters,
                                const std::vector<int64_t> &shape) {
  return makeHeader((unit == 1 ? "|S" : "<U") + std::to_string(characters),
                    shape);
}
