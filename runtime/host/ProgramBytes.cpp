//===- ProgramBytes.cpp - host programs as bytes --------------------------===//
//
// Little endian. A program: "WHP1", u32 steps, the steps. A step: u8 kind, its
// fields in the order of Program.h. Texts and lists: u32 count, elements. Types
// are ONNX's numbers in a byte. Shapes: list of i64. A body: "WHB1", two lists
// of types (inputs, results), a program.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Body.h"

#include <cstring>

using namespace weft;
using namespace weft::host;
using rt::Code;
using rt::Result;
using rt::Status;

static constexpr char kMagic[4] = {'W', 'H', 'P', '1'};
static constexpr char kBodyMagic[4] = {'W', 'H', 'B', '1'};
static constexpr size_t kMaxRank = 64;

namespace {
class Writer {
public:
  std::vector<uint8_t> bytes;

  void put(const void *from, size_t size) {
    const uint8_t *begin = static_cast<const uint8_t *>(from);
    bytes.insert(bytes.end(), begin, begin + size);
  }
  template <typename T>
  void number(T value) {
    put(&value, sizeof(T)); // every machine of ours is little endian
  }
  void text(const std::string &value) {
    number(uint32_t(value.size()));
    put(value.data(), value.size());
  }
  void type(ElementType type) { number(uint8_t(numeric::onnxDataType(type))); }
  template <typename T>
  void list(const std::vector<T> &values) {
    number(uint32_t(values.size()));
    for (const T &value : values)
      number(value);
  }
  void list(const std::vector<std::string> &values) {
    number(uint32_t(values.size()));
    for (const std::string &value : values)
      text(value);
  }
  void tensor(const HostTensor &tensor) {
    type(tensor.type());
    list(tensor.shape());
    put(tensor.bytes(), tensor.sizeBytes());
  }
  void place(const Place &place) {
    number(place.address);
    type(place.type);
    number(place.elements);
  }
  void attribute(const Attribute &value) {
    number(uint8_t(value.index()));
    std::visit([this](const auto &content) { put(content); }, value);
  }

  void put(int64_t value) { number(value); }
  void put(double value) { number(value); }
  void put(const std::string &value) { text(value); }
  void put(const HostTensor &value) { tensor(value); }
  template <typename T>
  void put(const std::vector<T> &values) {
    list(values);
  }

  void operator()(const LoadStep &step) {
    number(step.value);
    place(step.from);
    type(step.type);
    list(step.shape);
  }
  void operator()(const InputStep &step) {
    number(step.value);
    number(step.input);
  }
  void operator()(const ConstantStep &step) {
    number(step.value);
    tensor(step.tensor);
  }
  void operator()(const CallStep &step) {
    text(step.kernel);
    text(step.node);
    text(step.reason);
    number(uint32_t(step.attributes.all().size()));
    for (const auto &[name, value] : step.attributes.all()) {
      text(name);
      attribute(value);
    }
    list(step.operands);
    list(step.results);
    for (const ResultType &result : step.types) // as many as results
      resultType(result);
  }
  void resultType(const ResultType &result) {
    type(result.type);
    list(result.shape);
    list(result.largest);
  }
  void resultTypes(const std::vector<ResultType> &types) {
    number(uint32_t(types.size()));
    for (const ResultType &one : types)
      resultType(one);
  }
  void program(const Program &program) {
    put(kMagic, sizeof(kMagic));
    number(uint32_t(program.steps.size()));
    for (const Step &step : program.steps) {
      number(uint8_t(step.index()));
      std::visit(*this, step);
    }
  }
  void operator()(const StoreStep &step) {
    number(step.value);
    place(step.to);
  }
  void operator()(const OutputStep &step) {
    number(step.value);
    number(step.output);
  }
};

/// Reads what Writer wrote. After the first fault everything is empty and
/// `failed` is set.
class Reader {
public:
  Reader(const uint8_t *bytes, size_t size) : bytes(bytes), size(size) {}

  size_t at = 0;
  bool failed = false;

  size_t left() const { return size - at; }
  const uint8_t *take(size_t count) {
    if (failed || count > left()) {
      failed = true;
      return nullptr;
    }
    at += count;
    return bytes + (at - count);
  }
  template <typename T>
  T number() {
    T value{};
    if (const uint8_t *from = take(sizeof(T)))
      std::memcpy(&value, from, sizeof(T));
    return value;
  }
  /// A count of things that take at least `unit` bytes each.
  size_t count(size_t unit) {
    size_t value = number<uint32_t>();
    failed |= value > left() / unit;
    return failed ? 0 : value;
  }
  void read(std::string &value) {
    size_t length = count(1);
    if (const uint8_t *from = take(length))
      value.assign(reinterpret_cast<const char *>(from), length);
  }
  void read(ElementType &type) {
    std::optional<ElementType> found =
        numeric::fromOnnxDataType(number<uint8_t>());
    failed |= !found;
    if (found)
      type = *found;
  }
  template <typename T>
  void read(std::vector<T> &values) {
    values.resize(count(sizeof(T)));
    for (T &value : values)
      value = number<T>();
  }
  void read(std::vector<std::string> &values) {
    values.resize(count(4));
    for (std::string &value : values)
      read(value);
  }
  void shape(Shape &shape) {
    read(shape);
    failed |= shape.size() > kMaxRank;
  }
  void read(HostTensor &tensor) {
    ElementType type{};
    Shape sizes;
    read(type);
    shape(sizes);
    std::optional<int64_t> elements = numeric::elementCount(sizes);
    size_t unit = numeric::elementBytes(type);
    failed |= !elements || uint64_t(*elements) > left() / unit;
    if (failed)
      return;
    tensor = HostTensor(type, std::move(sizes));
    if (const uint8_t *from = take(tensor.sizeBytes()); from && *elements)
      std::memcpy(tensor.bytes(), from, tensor.sizeBytes());
  }
  void read(int64_t &value) { value = number<int64_t>(); }
  void read(double &value) { value = number<double>(); }
  void read(Place &place) {
    place.address = number<uint64_t>();
    read(place.type);
    place.elements = number<int64_t>();
    failed |= place.elements < 0 || place.elements > int64_t(1) << 40;
  }
  template <size_t kind = 0>
  void attribute(uint8_t wanted, Attribute &value) {
    if constexpr (kind < std::variant_size_v<Attribute>) {
      if (wanted != kind)
        return attribute<kind + 1>(wanted, value);
      std::variant_alternative_t<kind, Attribute> content{};
      read(content);
      value = std::move(content);
    } else {
      failed = true;
    }
  }

  void read(LoadStep &step) {
    step.value = number<uint32_t>();
    read(step.from);
    read(step.type);
    shape(step.shape);
  }
  void read(InputStep &step) {
    step.value = number<uint32_t>();
    step.input = number<uint32_t>();
  }
  void read(ConstantStep &step) {
    step.value = number<uint32_t>();
    read(step.tensor);
  }
  void read(CallStep &step) {
    read(step.kernel);
    read(step.node);
    read(step.reason);
    for (size_t i = count(5); i > 0 && !failed; --i) {
      std::string name;
      Attribute value;
      read(name);
      attribute(number<uint8_t>(), value);
      failed |= step.attributes.has(name); // which of the two?
      step.attributes.set(std::move(name), std::move(value));
    }
    read(step.operands);
    read(step.results);
    for (size_t i = 0; i < step.results.size() && !failed; ++i)
      step.types.push_back(resultType());
  }
  ResultType resultType() {
    ResultType type;
    read(type.type);
    shape(type.shape);
    shape(type.largest);
    return type;
  }
  void resultTypes(std::vector<ResultType> &types) {
    for (size_t i = count(9); i > 0 && !failed; --i)
      types.push_back(resultType());
  }
  void read(StoreStep &step) {
    step.value = number<uint32_t>();
    read(step.to);
  }
  void read(OutputStep &step) {
    step.value = number<uint32_t>();
    step.output = number<uint32_t>();
  }
  template <size_t kind = 0>
  void step(uint8_t wanted, std::vector<Step> &steps) {
    if constexpr (kind < std::variant_size_v<Step>) {
      if (wanted != kind)
        return step<kind + 1>(wanted, steps);
      std::variant_alternative_t<kind, Step> content{};
      read(content);
      steps.emplace_back(std::move(content));
    } else {
      failed = true;
    }
  }

private:
  const uint8_t *bytes;
  size_t size;
};
} // namespace

std::vector<uint8_t> host::serialize(const Program &program) {
  Writer writer;
  writer.program(program);
  return std::move(writer.bytes);
}

HostTensor host::bodyTensor(const Body &body) {
  Writer writer;
  writer.put(kBodyMagic, sizeof(kBodyMagic));
  writer.resultTypes(body.inputs);
  writer.resultTypes(body.results);
  writer.program(body.program);
  HostTensor tensor(ElementType::U8, {int64_t(writer.bytes.size())});
  std::memcpy(tensor.bytes(), writer.bytes.data(), writer.bytes.size());
  return tensor;
}

/// The rest of the bytes as a program.
static Result<Program> readProgram(Reader &reader) {
  const uint8_t *magic = reader.take(sizeof(kMagic));
  if (!magic || std::memcmp(magic, kMagic, sizeof(kMagic)) != 0)
    return rt::fail(Code::Unsupported,
                    "unsupported: the layer is not one of weft's; its program "
                    "does not begin with WHP1");
  Program program;
  size_t steps = reader.count(1);
  for (size_t i = 0; i < steps && !reader.failed; ++i) {
    size_t begin = reader.at;
    reader.step(reader.number<uint8_t>(), program.steps);
    if (reader.failed)
      return rt::failf(Code::BadFile,
                       "step %zu at byte %zu of the host program is broken", i,
                       begin);
  }
  if (reader.failed || reader.left() != 0)
    return rt::failf(Code::BadFile,
                     "the host program of %zu bytes ends at byte %zu",
                     reader.at + reader.left(), reader.at);
  return program;
}

Result<Program> host::parseProgram(const uint8_t *bytes, size_t size) {
  Reader reader(bytes, size);
  return readProgram(reader);
}

Result<Body> host::parseBody(const HostTensor &bytes) {
  if (bytes.type() != ElementType::U8 || bytes.shape().size() != 1)
    return rt::fail(Code::BadFile, "it is no list of bytes");
  Reader reader(bytes.bytes(), bytes.sizeBytes());
  const uint8_t *magic = reader.take(sizeof(kBodyMagic));
  if (!magic || std::memcmp(magic, kBodyMagic, sizeof(kBodyMagic)) != 0)
    return rt::fail(Code::BadFile, "it does not begin with WHB1");
  Body body;
  reader.resultTypes(body.inputs);
  reader.resultTypes(body.results);
  if (reader.failed)
    return rt::fail(Code::BadFile, "the types at its beginning are broken");
  Result<Program> program = readProgram(reader);
  if (!program)
    return program.status();
  body.program = *std::move(program);
  return body;
}
