#include "runtime/zhouyi/ProgramFile.h"
#include "runtime/zhouyi/program_generated.h"

#include <cstring>
#include <fstream>

using namespace weft;
using namespace weft::zhouyi;
using rt::Code;
using rt::failf;
using rt::Result;
using rt::Status;

//===----------------------------------------------------------------------===//
// Numbers of the file
//===----------------------------------------------------------------------===//

namespace {
struct TypeCode {
  DataType type;
  wire::ElementType code;
};
} // namespace

static constexpr TypeCode kTypeCodes[] = {
    {DataType::Int8, wire::ElementType::I8},
    {DataType::Uint8, wire::ElementType::U8},
    {DataType::Int16, wire::ElementType::I16},
    {DataType::Uint16, wire::ElementType::U16},
    {DataType::Int32, wire::ElementType::I32},
    {DataType::Uint32, wire::ElementType::U32},
    {DataType::Fp16, wire::ElementType::F16},
    {DataType::Fp32, wire::ElementType::F32},
    {DataType::Bf16, wire::ElementType::BF16},
};

static wire::ElementType codeOf(const RegisterType &type) {
  if (type.isMask)
    return wire::ElementType::Mask;
  for (const TypeCode &row : kTypeCodes)
    if (row.type == type.type)
      return row.code;
  return wire::ElementType::I8; // verify() leaves no other type
}

static std::optional<RegisterType> fromWire(const wire::RegisterType &stored) {
  RegisterType type;
  type.lanes = stored.lanes();
  type.isMask = stored.type() == wire::ElementType::Mask;
  if (type.isMask)
    return type;
  for (const TypeCode &row : kTypeCodes)
    if (row.code == stored.type()) {
      type.type = row.type;
      return type;
    }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {
class Writer {
public:
  explicit Writer(const Program &program) : program(program) {}

  std::vector<uint8_t> write(const std::string &producer);

  using AnyOffset = flatbuffers::Offset<void>;
  struct Made {
    wire::What kind;
    AnyOffset table;
  };
  Made operator()(const Loop &loop) {
    auto body = block(loop.body);
    return {wire::What::Loop,
            wire::CreateLoop(builder, loop.count, body).Union()};
  }
  Made operator()(const Load &load) {
    auto from = address(load.from);
    return {wire::What::Load,
            wire::CreateLoad(builder, load.result, from, load.stride, load.mask)
                .Union()};
  }
  Made operator()(const Store &store) {
    auto to = address(store.to);
    return {wire::What::Store, wire::CreateStore(builder, store.value, to,
                                                 store.stride, store.mask)
                                   .Union()};
  }
  Made operator()(const TailMask &mask) {
    auto list = terms(mask.terms);
    return {
        wire::What::TailMask,
        wire::CreateTailMask(builder, mask.result, mask.limit, list).Union()};
  }
  Made operator()(const Constant &constant) {
    auto bytes = builder.CreateVector(constant.bytes);
    return {wire::What::Constant,
            wire::CreateConstant(builder, constant.result, bytes).Union()};
  }
  Made operator()(const Reinterpret &one) {
    return {wire::What::Reinterpret,
            wire::CreateReinterpret(builder, one.result, one.source).Union()};
  }
  Made operator()(const Cast &cast) {
    return {wire::What::Cast,
            wire::CreateCast(builder, cast.result, cast.source).Union()};
  }
  Made operator()(const Copy &copy) {
    std::vector<wire::Move> moves;
    for (const Copy::Move &move : copy.moves)
      moves.emplace_back(move.result, move.source);
    auto list = builder.CreateVectorOfStructs(moves);
    return {wire::What::Copy, wire::CreateCopy(builder, list).Union()};
  }
  Made operator()(const Apply &apply) {
    std::vector<flatbuffers::Offset<wire::Operand>> operands;
    for (const Operand &operand : apply.operands)
      operands.push_back(write(operand));
    auto list = builder.CreateVector(operands);
    auto name = builder.CreateString(apply.operation);
    return {wire::What::Apply,
            wire::CreateApply(builder, name, list, apply.result).Union()};
  }
  Made operator()(const HostStep &host) {
    auto bytes = builder.CreateVector(host::serialize(host.program));
    return {wire::What::HostStep, wire::CreateHostStep(builder, bytes).Union()};
  }

private:
  flatbuffers::Offset<flatbuffers::Vector<const wire::Term *>>
  terms(const std::vector<Term> &list) {
    std::vector<wire::Term> stored;
    for (const Term &term : list)
      stored.emplace_back(term.step, term.loop);
    return builder.CreateVectorOfStructs(stored);
  }
  flatbuffers::Offset<wire::Address> address(const Address &place) {
    auto list = terms(place.terms);
    return wire::CreateAddress(builder, place.buffer, place.offset, list);
  }
  flatbuffers::Offset<wire::Operand> write(const Operand &operand) {
    flatbuffers::Offset<wire::Address> place;
    if (operand.kind == Operand::Kind::Address)
      place = address(operand.address);
    return wire::CreateOperand(
        builder, wire::OperandKind(operand.kind),
        operand.kind == Operand::Kind::Register ? operand.reg : 0,
        operand.integer, operand.real, place);
  }
  flatbuffers::Offset<
      flatbuffers::Vector<flatbuffers::Offset<wire::Instruction>>>
  block(const std::vector<Instruction> &body) {
    std::vector<flatbuffers::Offset<wire::Instruction>> list;
    for (const Instruction &instruction : body) {
      Made made = std::visit(*this, instruction.what);
      list.push_back(wire::CreateInstruction(builder, instruction.node,
                                             made.kind, made.table));
    }
    return builder.CreateVector(list);
  }
  flatbuffers::Offset<wire::Value> value(const Buffer &buffer) {
    if (!buffer.value)
      return {};
    const rt::TensorSpec &spec = *buffer.value;
    auto name = builder.CreateString(spec.name);
    auto shape = builder.CreateVector(spec.shape);
    flatbuffers::Offset<
        flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>>
        symbols;
    if (!spec.symbols.empty())
      symbols = builder.CreateVectorOfStrings(spec.symbols);
    flatbuffers::Offset<flatbuffers::Vector<int64_t>> strides;
    if (!buffer.strides.empty())
      strides = builder.CreateVector(buffer.strides);
    return wire::CreateValue(builder, name, numeric::onnxDataType(spec.type),
                             shape, numeric::onnxDataType(spec.storedType),
                             spec.scale, spec.zeroPoint, symbols, strides);
  }
  flatbuffers::Offset<wire::Buffer> write(const Buffer &buffer) {
    auto name = builder.CreateString(buffer.name);
    flatbuffers::Offset<flatbuffers::Vector<uint8_t>> contents;
    if (!buffer.contents.empty())
      contents = builder.CreateVector(buffer.contents);
    auto held = value(buffer);
    return wire::CreateBuffer(builder, wire::Role(buffer.role), name,
                              buffer.address, buffer.bytes, contents, held);
  }

  const Program &program;
  flatbuffers::FlatBufferBuilder builder;
};
} // namespace

std::vector<uint8_t> Writer::write(const std::string &producer) {
  auto target = builder.CreateString(program.target);
  auto name = builder.CreateString(program.name);
  auto writer = builder.CreateString(producer);
  auto nodes = builder.CreateVectorOfStrings(program.nodes);
  std::vector<wire::RegisterType> types;
  for (const RegisterType &type : program.registers)
    types.emplace_back(type.lanes, codeOf(type));
  auto registers = builder.CreateVectorOfStructs(types);
  std::vector<flatbuffers::Offset<wire::Buffer>> list;
  for (const Buffer &buffer : program.buffers)
    list.push_back(write(buffer));
  auto buffers = builder.CreateVector(list);
  auto body = block(program.body);
  wire::FinishProgramBuffer(
      builder, wire::CreateProgram(builder, kFormatVersion, target, name,
                                   writer, nodes, registers, buffers, body));
  return {builder.GetBufferPointer(),
          builder.GetBufferPointer() + builder.GetSize()};
}

/// Bytes of the parts that can be large, an upper bound for the rest.
static uint64_t sizeBound(const std::vector<Instruction> &body) {
  constexpr uint64_t kTableBytes = 96;
  uint64_t bytes = 0;
  for (const Instruction &instruction : body) {
    bytes += kTableBytes;
    if (const auto *loop = std::get_if<Loop>(&instruction.what))
      bytes += sizeBound(loop->body);
    else if (const auto *constant = std::get_if<Constant>(&instruction.what))
      bytes += constant->bytes.size();
    else if (const auto *apply = std::get_if<Apply>(&instruction.what))
      bytes += kTableBytes * apply->operands.size();
    else if (const auto *copy = std::get_if<Copy>(&instruction.what))
      bytes += sizeof(wire::Move) * copy->moves.size();
    else if (const auto *step = std::get_if<HostStep>(&instruction.what))
      bytes += host::serialize(step->program).size();
  }
  return bytes;
}

Result<std::vector<uint8_t>> zhouyi::serialize(const Program &program,
                                               const std::string &producer) {
  uint64_t bytes = sizeBound(program.body);
  for (const Buffer &buffer : program.buffers)
    bytes += buffer.contents.size() + 512;
  // The builder counts in 31 bits and gives up beyond.
  if (bytes > uint64_t(FLATBUFFERS_MAX_BUFFER_SIZE) / 10 * 9)
    return failf(Code::Unsupported,
                 "unsupported: the program takes about %llu bytes; a .zyp file "
                 "holds less than 2 GiB, split the model",
                 static_cast<unsigned long long>(bytes));
  return Writer(program).write(producer);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Element `index` of a vector of structs. The verifier looks at the alignment
/// of tables, not at that of a vector's elements.
template <typename T>
static T structAt(const flatbuffers::Vector<const T *> &from,
                  flatbuffers::uoffset_t index) {
  T value;
  std::memcpy(static_cast<void *>(&value), from.Data() + index * sizeof(T),
              sizeof(T));
  return value;
}

namespace {
/// Makes structs of tables that flatbuffers' verifier has passed.
class Parser {
public:
  explicit Parser(size_t fileBytes) : budget(fileBytes) {}

  Status parse(const wire::Program &stored, Program &program);

private:
  /// Writers put every vector into the file once. Who refers to one vector many
  /// times makes a small file large in memory.
  Status take(uint64_t bytes) {
    if (bytes > budget)
      return rt::fail(Code::BadFile,
                      "the file uses the same bytes in several places; the "
                      "parts of a .zyp file lie apart");
    budget -= bytes;
    return Status::ok();
  }
  Status text(const flatbuffers::String &from, std::string &to) {
    WEFT_TRY(take(from.size()));
    to = from.str();
    return Status::ok();
  }
  template <typename T>
  Status numbers(const flatbuffers::Vector<T> *from, std::vector<T> &to) {
    if (!from)
      return Status::ok();
    WEFT_TRY(take(uint64_t(from->size()) * sizeof(T)));
    to.resize(from->size());
    if (!to.empty()) // little-endian, and aligned for nothing (see structAt)
      std::memcpy(to.data(), from->Data(), to.size() * sizeof(T));
    return Status::ok();
  }
  using StoredBody =
      flatbuffers::Vector<flatbuffers::Offset<wire::Instruction>>;
  Status block(const StoredBody &from, std::vector<Instruction> &to);
  Status read(const wire::Instruction &from, Instruction &to);
  Status read(const wire::Loop &from, Loop &to) {
    to.count = from.count();
    return block(*from.body(), to.body);
  }
  Status terms(const flatbuffers::Vector<const wire::Term *> *from,
               std::vector<Term> &to) {
    if (!from)
      return Status::ok();
    WEFT_TRY(take(uint64_t(from->size()) * sizeof(wire::Term)));
    for (flatbuffers::uoffset_t i = 0; i < from->size(); ++i) {
      wire::Term term = structAt(*from, i);
      to.push_back({term.loop(), term.step()});
    }
    return Status::ok();
  }
  Status address(const wire::Address &from, Address &to) {
    to.buffer = from.buffer();
    to.offset = from.offset();
    return terms(from.terms(), to.terms);
  }
  Status read(const wire::Load &from, Load &to) {
    to.result = from.result();
    to.stride = from.stride();
    to.mask = from.mask();
    return address(*from.from(), to.from);
  }
  Status read(const wire::Store &from, Store &to) {
    to.value = from.value();
    to.stride = from.stride();
    to.mask = from.mask();
    return address(*from.to(), to.to);
  }
  Status read(const wire::TailMask &from, TailMask &to) {
    to.result = from.result();
    to.limit = from.limit();
    return terms(from.terms(), to.terms);
  }
  Status read(const wire::Constant &from, Constant &to) {
    to.result = from.result();
    return numbers(from.bytes(), to.bytes);
  }
  Status read(const wire::Reinterpret &from, Reinterpret &to) {
    to = {from.result(), from.source()};
    return Status::ok();
  }
  Status read(const wire::Cast &from, Cast &to) {
    to = {from.result(), from.source()};
    return Status::ok();
  }
  Status read(const wire::Copy &from, Copy &to) {
    WEFT_TRY(take(uint64_t(from.moves()->size()) * sizeof(wire::Move)));
    for (flatbuffers::uoffset_t i = 0; i < from.moves()->size(); ++i) {
      wire::Move move = structAt(*from.moves(), i);
      to.moves.push_back({move.result(), move.source()});
    }
    return Status::ok();
  }
  Status read(const wire::Apply &from, Apply &to);
  Status read(const wire::HostStep &from, HostStep &to);
  Status read(const wire::Buffer &from, Buffer &to);
  Status value(const wire::Value &from, Buffer &to);

  uint64_t budget;
};
} // namespace

Status Parser::read(const wire::Apply &from, Apply &to) {
  WEFT_TRY(text(*from.operation(), to.operation));
  to.result = from.result();
  for (const wire::Operand *stored : *from.operands()) {
    Operand operand;
    if (stored->kind() > wire::OperandKind::MAX)
      return failf(Code::BadFile, "operand %zu is of unknown kind %u",
                   to.operands.size(), unsigned(stored->kind()));
    operand.kind = Operand::Kind(stored->kind());
    if (operand.kind == Operand::Kind::Register)
      operand.reg = stored->reg();
    operand.integer = stored->integer();
    operand.real = stored->real();
    if (operand.kind == Operand::Kind::Address) {
      if (!stored->address())
        return failf(Code::BadFile, "operand %zu is an address without one",
                     to.operands.size());
      WEFT_TRY(address(*stored->address(), operand.address));
    }
    to.operands.push_back(std::move(operand));
  }
  return Status::ok();
}

Status Parser::read(const wire::HostStep &from, HostStep &to) {
  WEFT_TRY(take(from.program()->size()));
  Result<host::Program> program =
      host::parseProgram(from.program()->data(), from.program()->size());
  if (!program)
    return program.status();
  to.program = *std::move(program);
  return Status::ok();
}

Status Parser::read(const wire::Instruction &from, Instruction &to) {
  to.node = from.node();
  switch (from.what_type()) {
#define KIND(Name)                                                             \
  case wire::What::Name:                                                       \
    return read(*from.what_as_##Name(), to.what.emplace<Name>());
    KIND(Loop)
    KIND(Load)
    KIND(Store)
    KIND(TailMask)
    KIND(Constant)
    KIND(Reinterpret)
    KIND(Cast)
    KIND(Copy)
    KIND(Apply)
    KIND(HostStep)
#undef KIND
  default:
    return failf(Code::BadFile, "unknown kind %u of instruction",
                 unsigned(from.what_type()));
  }
}

Status Parser::block(const StoredBody &from, std::vector<Instruction> &to) {
  WEFT_TRY(take(uint64_t(from.size()) * sizeof(flatbuffers::uoffset_t)));
  to.resize(from.size());
  for (flatbuffers::uoffset_t i = 0; i < from.size(); ++i)
    if (Status status = read(*from[i], to[i]); !status)
      return status.withContext("instruction " + std::to_string(i));
  return Status::ok();
}

Status Parser::value(const wire::Value &from, Buffer &to) {
  rt::TensorSpec &spec = to.value.emplace();
  WEFT_TRY(text(*from.name(), spec.name));
  WEFT_TRY(numbers(from.shape(), spec.shape));
  auto type = numeric::fromOnnxDataType(from.type());
  auto stored = numeric::fromOnnxDataType(from.stored_type());
  if (!type || !stored)
    return failf(Code::BadFile, "value: unknown element type %d",
                 type ? from.stored_type() : from.type());
  spec.type = *type;
  spec.storedType = *stored;
  spec.storedShape = spec.shape;
  spec.hasOnnxView = true;
  spec.scale = from.scale();
  spec.zeroPoint = from.zero_point();
  spec.address = to.address;
  std::optional<int64_t> elements = numeric::elementCount(spec.shape);
  constexpr int64_t kMostElements = int64_t(kMaxMemoryBytes);
  if (!elements || *elements > kMostElements)
    return failf(Code::BadFile,
                 "value: shape %s is none, or has more elements "
                 "than a memory holds",
                 numeric::shapeText(spec.shape).c_str());
  spec.elements = *elements;
  spec.storedBytes = uint64_t(*elements) * numeric::elementBytes(*stored);
  if (from.dimension_names())
    for (const flatbuffers::String *symbol : *from.dimension_names())
      WEFT_TRY(text(*symbol, spec.symbols.emplace_back()));
  return numbers(from.strides(), to.strides);
}

Status Parser::read(const wire::Buffer &from, Buffer &to) {
  if (from.role() > wire::Role::MAX)
    return failf(Code::BadFile, "unknown role %u", unsigned(from.role()));
  to.role = BufferRole(from.role());
  WEFT_TRY(text(*from.name(), to.name));
  to.address = from.address();
  to.bytes = from.bytes();
  WEFT_TRY(numbers(from.contents(), to.contents));
  return from.value() ? value(*from.value(), to) : Status::ok();
}

Status Parser::parse(const wire::Program &stored, Program &program) {
  WEFT_TRY(text(*stored.target(), program.target));
  WEFT_TRY(text(*stored.name(), program.name));
  for (const flatbuffers::String *node : *stored.nodes())
    WEFT_TRY(text(*node, program.nodes.emplace_back()));
  WEFT_TRY(
      take(uint64_t(stored.registers()->size()) * sizeof(wire::RegisterType)));
  for (flatbuffers::uoffset_t i = 0; i < stored.registers()->size(); ++i) {
    wire::RegisterType type = structAt(*stored.registers(), i);
    std::optional<RegisterType> known = fromWire(type);
    if (!known)
      return failf(Code::BadFile, "register %u: unknown element type %u", i,
                   unsigned(type.type()));
    program.registers.push_back(*known);
  }
  for (const wire::Buffer *buffer : *stored.buffers()) {
    std::string where = "buffer " + std::to_string(program.buffers.size());
    WEFT_TRY(read(*buffer, program.buffers.emplace_back()).withContext(where));
  }
  return block(*stored.body(), program.body);
}

bool zhouyi::isProgramFile(rt::ByteSpan bytes) {
  return bytes.size >= 8 &&
         std::memcmp(bytes.data + 4, wire::ProgramIdentifier(), 4) == 0;
}

bool zhouyi::isProgramFile(const std::string &path) {
  uint8_t head[8];
  std::ifstream file(path, std::ios::binary);
  return file.read(reinterpret_cast<char *>(head), sizeof head) &&
         isProgramFile(rt::ByteSpan{head, sizeof head});
}

Result<ProgramFile> zhouyi::parseProgramFile(rt::ByteSpan bytes) {
  if (!isProgramFile(bytes))
    return rt::fail(Code::BadFile,
                    "byte 4: a program of vector operations has \"WZYP\" here");
  // Two tables a nest of loops; what lies inside takes a few more.
  constexpr unsigned kMaxTableDepth = 2 * kMaxDepth + 16;
  auto maxTables = flatbuffers::uoffset_t(bytes.size / 4 + 64);
  if (bytes.size >= FLATBUFFERS_MAX_BUFFER_SIZE)
    return failf(Code::BadFile,
                 "the file has %zu bytes, a .zyp file less than "
                 "2 GiB",
                 bytes.size);
  // Tables are read in place, and flatbuffers wants them where it put them.
  constexpr size_t kAlignment = 16;
  std::vector<uint8_t> copy;
  if (reinterpret_cast<uintptr_t>(bytes.data) % kAlignment != 0) {
    copy.resize(bytes.size + kAlignment);
    void *aligned = copy.data();
    size_t room = copy.size();
    std::align(kAlignment, bytes.size, aligned, room);
    std::memcpy(aligned, bytes.data, bytes.size);
    bytes.data = static_cast<const uint8_t *>(aligned);
  }
  flatbuffers::Verifier verifier(bytes.data, bytes.size, kMaxTableDepth,
                                 maxTables);
  if (!wire::VerifyProgramBuffer(verifier))
    return failf(Code::BadFile,
                 "byte 0: the flatbuffer (%zu bytes) is broken: an offset, a "
                 "length, a required field or the depth of loops (at most %u) "
                 "is wrong; is the file truncated?",
                 bytes.size, kMaxDepth);
  const wire::Program &stored = *wire::GetProgram(bytes.data);
  if (stored.version() < 1 || stored.version() > kFormatVersion)
    return failf(Code::Unsupported,
                 "unsupported: the program has format version %u, this Weft "
                 "reads 1 to %u; convert the model again or take a newer Weft",
                 stored.version(), kFormatVersion);
  ProgramFile file;
  file.version = stored.version();
  file.fileBytes = bytes.size;
  if (stored.producer())
    file.producer = stored.producer()->str();
  WEFT_TRY(Parser(bytes.size).parse(stored, file.program));
  WEFT_TRY(verify(file.program));
  return file;
}

Result<ProgramFile> zhouyi::loadProgramFile(const std::string &path) {
  Result<rt::FileBytes> bytes = rt::FileBytes::map(path);
  if (!bytes)
    return bytes.status().withContext(path);
  Result<ProgramFile> file = parseProgramFile(bytes->span());
  if (!file)
    return file.status().withContext(path);
  return file;
}
