#include "tests/unit/runtime/zhouyi/SmallProgram.h"

#include <cstring>

using namespace weft;
using namespace weft::zhouyi;
using catalog::DataType;
using numeric::ElementType;

ProgramMaker::ProgramMaker() : open{&program.body} { program.name = "small"; }

RegisterId ProgramMaker::vector(DataType type, uint32_t lanes) {
  program.registers.push_back({type, lanes, false});
  return RegisterId(program.registers.size() - 1);
}

RegisterId ProgramMaker::mask(uint32_t lanes) {
  program.registers.push_back({DataType::Int8, lanes, true});
  return RegisterId(program.registers.size() - 1);
}

uint32_t ProgramMaker::scratch(const std::string &name, uint64_t bytes) {
  Buffer buffer;
  buffer.name = name;
  buffer.bytes = bytes;
  if (!program.buffers.empty())
    buffer.address = (memoryBytes(program) + kBufferAlignment - 1) /
                     kBufferAlignment * kBufferAlignment;
  program.buffers.push_back(std::move(buffer));
  return uint32_t(program.buffers.size() - 1);
}

uint32_t ProgramMaker::weight(const std::string &name,
                              std::vector<uint8_t> contents) {
  uint32_t index = scratch(name, contents.size());
  program.buffers[index].role = BufferRole::Weight;
  program.buffers[index].contents = std::move(contents);
  return index;
}

uint32_t ProgramMaker::tensor(BufferRole role, const std::string &name,
                              ElementType type, std::vector<int64_t> shape,
                              float scale) {
  rt::TensorSpec spec;
  spec.name = name;
  spec.type = spec.storedType = type;
  spec.shape = spec.storedShape = shape;
  spec.elements = *numeric::elementCount(shape);
  spec.storedBytes = spec.bytes();
  spec.scale = scale;
  spec.hasOnnxView = true;
  uint32_t index = scratch(name, spec.storedBytes);
  spec.address = program.buffers[index].address;
  program.buffers[index].role = role;
  program.buffers[index].value = spec;
  return index;
}

NodeId ProgramMaker::node(const std::string &name) {
  program.nodes.push_back(name);
  return NodeId(program.nodes.size() - 1);
}

void ProgramMaker::beginLoop(uint32_t count, NodeId node) {
  open.back()->push_back({node, Loop{count, {}}});
  open.push_back(&std::get<Loop>(open.back()->back().what).body);
}

void ProgramMaker::endLoop() { open.pop_back(); }

RegisterId ProgramMaker::splat(DataType type, uint32_t lanes, int64_t value) {
  RegisterId id = vector(type, lanes);
  std::vector<uint8_t> bytes(catalog::bytesOf(type));
  std::memcpy(bytes.data(), &value, bytes.size());
  add(Constant{id, bytes});
  return id;
}

RegisterId ProgramMaker::tailMask(uint32_t lanes, int64_t limit,
                                  std::vector<Term> terms) {
  RegisterId id = mask(lanes);
  add(TailMask{id, limit, std::move(terms)});
  return id;
}

int8_t zhouyi::dotWeight(int64_t row, int64_t column) {
  return int8_t((7 * row + 3 * column) % 13 - 6);
}

/// to = relu(from), all `elements` of int32.
static host::Program reluOnHost(uint64_t from, uint64_t to, int64_t elements) {
  host::Program program;
  host::Shape shape = {elements};
  program.steps.push_back(host::LoadStep{
      0, {from, ElementType::I32, elements}, ElementType::I32, shape});
  host::CallStep call;
  call.kernel = "unary";
  call.node = "relu";
  call.attributes.set("kind", std::string("relu"));
  call.operands = {0};
  call.results = {1};
  call.types = {host::staticResult(ElementType::I32, shape)};
  program.steps.push_back(std::move(call));
  program.steps.push_back(host::StoreStep{1, {to, ElementType::I32, elements}});
  return program;
}

void ProgramMaker::storeSum(RegisterId lanes, uint32_t to, RegisterId first) {
  RegisterId sum = vector(DataType::Int32, 8);
  add(Apply{"vrpadd", {Operand::ofRegister(lanes)}, sum});
  add(Store{sum, {to, 0, {{0, 4}}}, 1, first});
}

Program zhouyi::makeDotProgram() {
  ProgramMaker maker;
  std::vector<uint8_t> weights;
  for (int64_t row = 0; row < kDotRows; ++row)
    for (int64_t column = 0; column < kDotColumns; ++column)
      weights.push_back(uint8_t(dotWeight(row, column)));
  uint32_t w = maker.weight("w", std::move(weights));
  uint32_t x = maker.tensor(BufferRole::Input, "x", ElementType::I8,
                            {1, kDotColumns}, /*scale=*/2);
  uint32_t y =
      maker.tensor(BufferRole::Scratch, "y", ElementType::I32, {1, kDotRows});
  uint32_t z =
      maker.tensor(BufferRole::Output, "z", ElementType::I32, {1, kDotRows});
  NodeId dot = maker.node("dot"), relu = maker.node("relu");
  RegisterId first = maker.tailMask(8, 1);
  maker.beginLoop(kDotRows, dot);
  RegisterId acc = maker.splat(DataType::Int32, 8, 0);
  maker.beginLoop(3);
  RegisterId active = maker.tailMask(32, kDotColumns, {{1, 32}});
  RegisterId a = maker.vector(DataType::Int8, 32);
  RegisterId b = maker.vector(DataType::Int8, 32);
  maker.add(Load{a, {x, 0, {{1, 32}}}, 1, active});
  maker.add(Load{b, {w, 0, {{0, kDotColumns}, {1, 32}}}, 1, active});
  maker.add(Apply{"vqdpa",
                  {Operand::ofRegister(acc), Operand::ofRegister(a),
                   Operand::ofRegister(b), Operand::ofRegister(active)},
                  acc});
  maker.endLoop();
  maker.storeSum(acc, y, first);
  maker.endLoop();
  const std::vector<Buffer> &buffers = maker.program.buffers;
  maker.add(
      HostStep{reluOnHost(buffers[y].address, buffers[z].address, kDotRows)},
      relu);
  return maker.program;
}
