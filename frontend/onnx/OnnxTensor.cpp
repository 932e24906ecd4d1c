//===- OnnxTensor.cpp - element types, shapes, external files -------------===//

#include "frontend/onnx/OnnxTensor.h"
#include "frontend/onnx/RawData.h"
#include "frontend/onnx/StringPadding.h"

#include "onnx/onnx_pb.h"
#include "runtime/numeric/Pages.h"
#include "runtime/status/Quote.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace weft::onnx;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

static Error problem(const llvm::Twine &text) {
  return llvm::createStringError(
      std::make_error_code(std::errc::invalid_argument), text);
}

/// A problem that is ours, not the model's.
static Error unsupported(const llvm::Twine &text) {
  return llvm::createStringError(std::make_error_code(std::errc::not_supported),
                                 text);
}

std::string weft::onnx::sentenceAbout(const std::string &subject, Error error) {
  std::string text;
  llvm::handleAllErrors(std::move(error), [&](const llvm::ErrorInfoBase &info) {
    if (info.convertToErrorCode() == std::errc::not_supported)
      text = "unsupported: ";
    text += subject + " " + info.message();
  });
  return text;
}

//===----------------------------------------------------------------------===//
// Element types and shapes
//===----------------------------------------------------------------------===//

namespace {
struct DataTypeRow {
  int32_t type;
  const char *name;
  unsigned bytes; // 0: Weft holds no such tensor
};
} // namespace

static const DataTypeRow kDataTypes[] = {
    {kUndefined, "undefined", 0},
    {kFloat, "float32", 4},
    {kUint8, "uint8", 1},
    {kInt8, "int8", 1},
    {kUint16, "uint16", 2},
    {kInt16, "int16", 2},
    {kInt32, "int32", 4},
    {kInt64, "int64", 8},
    {kString, "string", 0},
    {kBool, "bool", 1},
    {kFloat16, "float16", 2},
    {kDouble, "float64", 8},
    {kUint32, "uint32", 4},
    {kUint64, "uint64", 8},
    {14, "complex64", 0},
    {15, "complex128", 0},
    {kBfloat16, "bfloat16", 2},
    {kFloat8E4M3FN, "float8e4m3fn", 1},
    {kFloat8E4M3FNUZ, "float8e4m3fnuz", 1},
    {kFloat8E5M2, "float8e5m2", 1},
    {kFloat8E5M2FNUZ, "float8e5m2fnuz", 1},
    {kUint4, "uint4", 1},
    {kInt4, "int4", 1},
    {kFloat4E2M1, "float4e2m1", 1},
    {kFloat8E8M0, "float8e8m0", 1},
    {kUint2, "uint2", 1},
    {kInt2, "int2", 1},
    {kFloat6E2M3, "float6e2m3", 1},
    {kFloat6E3M2, "float6e3m2", 1},
};

static const DataTypeRow *findDataType(int32_t type) {
  for (const DataTypeRow &row : kDataTypes)
    if (row.type == type)
      return &row;
  return nullptr;
}

std::string weft::onnx::dataTypeName(int32_t type) {
  const DataTypeRow *row = findDataType(type);
  return row ? row->name : formatv("element type {0}", type).str();
}

unsigned weft::onnx::dataTypeBytes(int32_t type) {
  const DataTypeRow *row = findDataType(type);
  return row ? row->bytes : 0;
}

/// Bits of one element in a file, where several share a byte; else 0. (6-bit
/// floats take a byte each.)
static unsigned packedBits(int32_t type) {
  switch (type) {
  case kUint4:
  case kInt4:
  case kFloat4E2M1:
    return 4;
  case kUint2:
  case kInt2:
    return 2;
  default:
    return 0;
  }
}

std::optional<int64_t> weft::onnx::countElements(llvm::ArrayRef<int64_t> dims) {
  int64_t count = 1;
  bool empty = false;
  for (int64_t dim : dims) {
    if (dim < 0 || dim > kMaxElements)
      return std::nullopt;
    if (dim == 0) {
      empty = true; // go on: a negative one may follow
      continue;
    }
    if (count > kMaxElements / dim)
      return std::nullopt;
    count *= dim;
  }
  return empty ? 0 : count;
}

std::string weft::onnx::formatShape(llvm::ArrayRef<int64_t> dims) {
  if (dims.empty())
    return "scalar";
  std::string text;
  for (int64_t dim : dims) // INT64_MIN: MLIR's size that is not known
    text += (text.empty() ? "" : "x") +
            (dim == INT64_MIN ? "?" : std::to_string(dim));
  return text;
}

//===----------------------------------------------------------------------===//
// External data
//===----------------------------------------------------------------------===//

Expected<std::shared_ptr<llvm::MemoryBuffer>>
ExternalFiles::open(const std::string &location) {
  namespace fs = llvm::sys::fs;
  namespace path = llvm::sys::path;
  // `w.bin` and `./w.bin` are one file, which is mapped and hashed once.
  llvm::SmallString<128> plain(location);
  path::remove_dots(plain);
  auto known = opened.find(plain.str().str());
  if (known != opened.end())
    return known->second;
  if (folder.empty())
    return problem("has external data, which a model in memory cannot have; "
                   "give the model as a file");
  if (location.empty())
    return problem("has external data without a location");
  if (location.find('\0') != std::string::npos)
    return problem("has an external location with a zero byte");
  bool goesUp = llvm::is_contained(
      llvm::make_range(path::begin(location), path::end(location)), "..");
  if (path::is_absolute(location) || goesUp)
    return problem("has its data in '" + location +
                   "', which is outside of the model's folder; keep the file "
                   "beside the model");
  llvm::SmallString<128> file(folder), realFolder, realFile;
  path::append(file, location);
  if (fs::real_path(folder, realFolder) || fs::real_path(file, realFile))
    return problem("has its data in '" + location +
                   "', which does not exist beside the model");
  // Links are resolved first: a link may not lead out of the folder either.
  if (realFolder.back() != '/')
    realFolder += '/';
  if (!StringRef(realFile).starts_with(realFolder))
    return problem("has its data in '" + location +
                   "', which is a link out of the model's folder");
  if (!fs::is_regular_file(realFile))
    return problem("has its data in '" + location +
                   "', which is not a regular file");
  auto buffer = llvm::MemoryBuffer::getFile(realFile, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return problem("has its data in '" + location +
                   "', which cannot be read: " + buffer.getError().message());
  return opened[plain.str().str()] = std::move(*buffer);
}

void ExternalFiles::addTo(rt::Sha256 &hash) const {
  for (const auto &[location, file] : opened)
    hash.add(reinterpret_cast<const uint8_t *>(file->getBufferStart()),
             file->getBufferSize());
}

static bool parseSize(const std::string &text, uint64_t &value) {
  return !StringRef(text).getAsInteger(10, value);
}

/// Points `tensor` at its `needed` bytes in an external file.
static Error readExternal(const ::onnx::TensorProto &proto, uint64_t needed,
                          ExternalFiles &files, Tensor &tensor) {
  std::string location;
  uint64_t offset = 0, length = needed;
  for (const ::onnx::StringStringEntryProto &entry : proto.external_data()) {
    if (entry.key() == "location")
      location = entry.value();
    else if (entry.key() == "offset" && !parseSize(entry.value(), offset))
      return problem("has external offset '" + entry.value() +
                     "', which is not a number");
    else if (entry.key() == "length" && !parseSize(entry.value(), length))
      return problem("has external length '" + entry.value() +
                     "', which is not a number");
  }
  auto file = files.open(location);
  if (!file)
    return file.takeError();
  uint64_t size = (*file)->getBufferSize();
  if (length != needed)
    return problem(formatv("has {0} bytes of external data, its shape {1} "
                           "needs {2}",
                           length, formatShape(tensor.dims), needed)
                       .str());
  if (offset > size || needed > size - offset)
    return problem(formatv("needs bytes {0} to {1} of '{2}', which has {3}",
                           offset, llvm::SaturatingAdd(offset, needed),
                           location, size)
                       .str());
  const char *start = (*file)->getBufferStart() + offset;
  tensor.bytes = {start, static_cast<size_t>(needed)};
  tensor.owner = *file;
  return Error::success();
}

static Error wrongRawSize(uint64_t size, uint64_t needed,
                          const Tensor &tensor) {
  return problem(formatv("has {0} bytes of values, its shape {1} needs {2}",
                         size, formatShape(tensor.dims), needed)
                     .str());
}

/// The entry that stands for raw data in the model's file.
static const std::string *placeInModel(const ::onnx::TensorProto &proto) {
  for (const ::onnx::StringStringEntryProto &entry : proto.external_data())
    if (entry.key() == kRawDataKey)
      return &entry.value();
  return nullptr;
}

/// Points `tensor` at its `needed` bytes in the model's file.
static Error readFromModel(const std::string &place, uint64_t needed,
                           const ExternalFiles &files, Tensor &tensor) {
  auto [first, second] = StringRef(place).split(' ');
  uint64_t offset = 0, size = 0;
  uint64_t end = files.model->getBufferSize();
  if (first.getAsInteger(10, offset) || second.getAsInteger(10, size) ||
      offset > end || size > end - offset)
    return problem("has raw data outside of the file");
  if (size != needed)
    return wrongRawSize(size, needed, tensor);
  tensor.bytes = {files.model->getBufferStart() + offset, size_t(needed)};
  tensor.owner = files.model;
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Typed fields and values
//===----------------------------------------------------------------------===//

/// Packs a repeated field, checking that every value fits `Stored`.
template <typename Stored, typename Field>
static Error packField(const Field &field, int64_t elements, Tensor &tensor) {
  if (field.size() != elements)
    return problem(formatv("has {0} values, its shape {1} needs {2}",
                           field.size(), formatShape(tensor.dims), elements)
                       .str());
  auto packed =
      std::make_shared<std::vector<char>>(sizeof(Stored) * elements + 1);
  char *out = packed->data();
  for (auto value : field) {
    Stored stored = static_cast<Stored>(value);
    if constexpr (std::is_integral_v<Stored>)
      if (static_cast<decltype(value)>(stored) != value)
        return problem(formatv("has the value {0}, which does not fit {1}",
                               value, dataTypeName(tensor.type))
                           .str());
    std::memcpy(out, &stored, sizeof(Stored));
    out += sizeof(Stored);
  }
  tensor.bytes = {packed->data(), sizeof(Stored) * elements};
  tensor.owner = packed;
  return Error::success();
}

/// Which repeated field holds which type: comments of TensorProto in
/// onnx.proto.
static Error readTypedField(const ::onnx::TensorProto &proto, int64_t elements,
                            Tensor &tensor) {
  switch (tensor.type) {
  case kFloat:
    return packField<float>(proto.float_data(), elements, tensor);
  case kDouble:
    return packField<double>(proto.double_data(), elements, tensor);
  case kInt64:
    return packField<int64_t>(proto.int64_data(), elements, tensor);
  case kUint64:
    return packField<uint64_t>(proto.uint64_data(), elements, tensor);
  case kUint32:
    return packField<uint32_t>(proto.uint64_data(), elements, tensor);
  case kInt32:
    return packField<int32_t>(proto.int32_data(), elements, tensor);
  case kInt16:
    return packField<int16_t>(proto.int32_data(), elements, tensor);
  case kInt8:
    return packField<int8_t>(proto.int32_data(), elements, tensor);
  case kUint16:
  case kFloat16: // as bit patterns
  case kBfloat16:
    return packField<uint16_t>(proto.int32_data(), elements, tensor);
  case kUint8:
  case kBool:
    return packField<uint8_t>(proto.int32_data(), elements, tensor);
  case kFloat8E4M3FN: // as bit patterns, narrower ones several a byte
  case kFloat8E4M3FNUZ:
  case kFloat8E5M2:
  case kFloat8E5M2FNUZ:
  case kFloat8E8M0:
  case kFloat6E2M3:
  case kFloat6E3M2:
    return packField<uint8_t>(proto.int32_data(), elements, tensor);
  case kUint4:
  case kInt4:
  case kFloat4E2M1:
  case kUint2:
  case kInt2:
    return packField<uint8_t>(
        proto.int32_data(),
        llvm::divideCeil(uint64_t(elements) * packedBits(tensor.type), 8),
        tensor);
  default:
    return problem("has no readable values");
  }
}

/// Gives every element of a packed tensor its own byte; the first element is in
/// the low bits of the first byte.
static void unpack(Tensor &tensor, int64_t elements) {
  unsigned bits = packedBits(tensor.type), perByte = 8 / bits;
  bool isSigned = tensor.type == kInt4 || tensor.type == kInt2;
  auto bytes = std::make_shared<std::vector<char>>(elements);
  for (int64_t i = 0; i < elements; ++i) {
    auto packed = static_cast<uint8_t>(tensor.bytes[i / perByte]);
    auto high = static_cast<uint8_t>(packed << (8 - bits * (i % perByte + 1)));
    (*bytes)[i] =
        isSigned ? char(int8_t(high) >> (8 - bits)) : char(high >> (8 - bits));
  }
  tensor.bytes = *bytes;
  tensor.owner = bytes;
}

template <typename T, typename IsNan>
static std::optional<size_t> findNan(llvm::ArrayRef<char> bytes, IsNan isNan) {
  for (size_t i = 0, n = bytes.size() / sizeof(T); i < n; ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    if (isNan(value))
      return i;
  }
  return std::nullopt;
}

/// Index of the first NaN of a float tensor.
static std::optional<size_t> findNan(const Tensor &tensor) {
  switch (tensor.type) {
  case kFloat:
    return findNan<float>(tensor.bytes, [](float v) { return std::isnan(v); });
  case kDouble:
    return findNan<double>(tensor.bytes,
                           [](double v) { return std::isnan(v); });
  case kFloat16:
    return findNan<uint16_t>(tensor.bytes,
                             [](uint16_t v) { return (v & 0x7fff) > 0x7c00; });
  case kBfloat16:
    return findNan<uint16_t>(tensor.bytes,
                             [](uint16_t v) { return (v & 0x7fff) > 0x7f80; });
  default:
    return std::nullopt;
  }
}

/// Bools are 0 or 1 here, so that nobody else meets a 2.
static void normalizeBools(Tensor &tensor) {
  if (tensor.type != kBool ||
      llvm::all_of(tensor.bytes, [](char v) { return v == 0 || v == 1; }))
    return;
  auto copy = std::make_shared<std::vector<char>>(tensor.bytes.begin(),
                                                  tensor.bytes.end());
  for (char &value : *copy)
    value = value != 0;
  tensor.bytes = *copy;
  tensor.owner = copy;
}

/// Large bytes leave the model for an owner of their own, so that they can be
/// freed one by one. The converter alone holds the model and reads a tensor
/// once.
static void takeRawData(const ::onnx::TensorProto &proto, Tensor &tensor) {
  constexpr size_t kLargeBytes = 4096;
  if (proto.raw_data().size() >= kLargeBytes) {
    auto raw = std::make_shared<std::string>();
    raw->swap(*const_cast<::onnx::TensorProto &>(proto).mutable_raw_data());
    tensor.bytes = {raw->data(), raw->size()};
    tensor.owner = raw;
    return;
  }
  tensor.bytes = {proto.raw_data().data(), proto.raw_data().size()};
}

/// Gives all strings of `proto` the bytes of the longest.
static Error readStrings(const ::onnx::TensorProto &proto, int64_t elements,
                         Tensor &tensor) {
  if (proto.string_data().size() != elements)
    return problem(formatv("has {0} values, its shape {1} needs {2}",
                           proto.string_data().size(), formatShape(tensor.dims),
                           elements)
                       .str());
  StringPadding padding;
  for (const std::string &text : proto.string_data())
    padding.add(text);
  if (std::string why = padding.problem(); !why.empty())
    return unsupported(why);
  size_t longest = padding.longest;
  tensor.dims.push_back(int64_t(longest));
  auto packed = std::make_shared<std::vector<char>>(longest * elements + 1);
  char *out = packed->data();
  for (const std::string &text : proto.string_data()) {
    if (!weft::rt::isUtf8(text) || (!text.empty() && text.back() == 0))
      return problem("has a string that is no UTF-8 or ends with a zero byte");
    std::memcpy(out, text.data(), text.size());
    out += longest;
  }
  tensor.bytes = {packed->data(), longest * elements};
  tensor.owner = packed;
  return Error::success();
}

Expected<Tensor>
weft::onnx::readTensor(const ::onnx::TensorProto &proto,
                       const std::shared_ptr<const void> &owner,
                       ExternalFiles &files, bool allowsNan) {
  Tensor tensor;
  tensor.name = proto.name();
  tensor.type = proto.data_type();
  tensor.dims.assign(proto.dims().begin(), proto.dims().end());
  tensor.owner = owner;
  if (!findDataType(tensor.type) || tensor.type == kUndefined)
    return problem("has " + dataTypeName(tensor.type) +
                   ", which ONNX does not define");
  unsigned bytes = dataTypeBytes(tensor.type);
  if (bytes == 0 && tensor.type != kString)
    return unsupported("has element type " + dataTypeName(tensor.type) +
                       "; use a float type, an integer type, bool or string");
  if (proto.has_segment())
    return unsupported("is stored in segments; store it in one piece");
  std::optional<int64_t> elements = countElements(tensor.dims);
  if (!elements)
    return problem(formatv("has the shape {0}; each dimension must be >= 0 "
                           "and there may be at most {1} elements",
                           formatShape(tensor.dims), kMaxElements)
                       .str());
  if (tensor.type == kString) {
    if (Error error = readStrings(proto, *elements, tensor))
      return error;
    return tensor;
  }
  uint64_t needed = static_cast<uint64_t>(*elements) * bytes;
  unsigned packed = packedBits(tensor.type);
  if (packed)
    needed = llvm::divideCeil(needed * packed, 8);
  if (proto.data_location() == ::onnx::TensorProto::EXTERNAL) {
    if (Error error = readExternal(proto, needed, files, tensor))
      return error;
  } else if (proto.has_raw_data()) {
    if (proto.raw_data().size() != needed)
      return wrongRawSize(proto.raw_data().size(), needed, tensor);
    takeRawData(proto, tensor);
  } else if (const std::string *place = placeInModel(proto);
             place && files.model) {
    if (Error error = readFromModel(*place, needed, files, tensor))
      return error;
  } else if (Error error = readTypedField(proto, *elements, tensor)) {
    return error;
  }
  if (std::optional<size_t> index = allowsNan ? std::nullopt : findNan(tensor))
    return problem(formatv("is NaN at element {0} of {1}; a NaN weight makes "
                           "every result NaN, export the model again",
                           *index, *elements)
                       .str());
  if (packed)
    unpack(tensor, *elements);
  normalizeBools(tensor);
  numeric::pageOut(tensor.bytes.data(), tensor.bytes.size());
  return tensor;
}
