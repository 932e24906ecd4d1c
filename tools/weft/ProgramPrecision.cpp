#include "tools/weft/ProgramPrecision.h"
#include "runtime/bmodel/Conversion.h"
#include "runtime/isa/Codes.h"
#include "runtime/isa/Decode.h"

#include <algorithm>

using namespace weft;
using comparison::Precision;
using isa::Field;

static bool isQuantized(const rt::StageSpec &stage) {
  auto is = [](const rt::TensorSpec &spec) { return spec.isQuantized(); };
  if (std::any_of(stage.inputs.begin(), stage.inputs.end(), is) ||
      std::any_of(stage.outputs.begin(), stage.outputs.end(), is))
    return true;
  const auto *values = stage.debugMap ? stage.debugMap->tensors() : nullptr;
  for (unsigned i = 0; values && i < values->size(); ++i)
    if (values->Get(i)->scale() != 1 || values->Get(i)->zero_point() != 0)
      return true;
  return false;
}

static Precision precisionOf(const isa::Decoded &command) {
  auto isOf = [&](Field field, isa::Precision a, isa::Precision b) {
    std::optional<uint64_t> code = command.field(field);
    return code == uint64_t(a) || code == uint64_t(b);
  };
  auto type = isa::TiuType(command.type);
  bool isProduct = type == isa::TiuType::Conv || type == isa::TiuType::MatMul ||
                   (type == isa::TiuType::PoolOrDepthwise &&
                    (command.func == isa::pord::Depthwise ||
                     command.func == isa::pord::DepthwiseRelu));
  if (isProduct &&
      isOf(Field::opd0_prec, isa::Precision::Int8, isa::Precision::Int4))
    return Precision::Int8;
  Precision found = Precision::F32;
  for (Field field : {Field::opd0_prec, Field::res0_prec})
    if (isOf(field, isa::Precision::Bf16, isa::Precision::Bf16))
      found = Precision::Bf16;
    else if (isOf(field, isa::Precision::Fp16, isa::Precision::Fp16))
      found = std::max(found, Precision::F16);
  return found;
}

/// As the record of the conversion says; empty without one.
static std::string recordedPrecision(const rt::NetSpec &net, size_t stage) {
  std::optional<rt::Conversion> record = rt::readConversion(net, stage);
  auto precision = record ? record->find("precision") : std::nullopt;
  return precision ? std::string(*precision) : std::string();
}

Precision cli::precisionOf(const rt::NetSpec &net, size_t index,
                           const Chip &chip) {
  const rt::StageSpec &stage = net.stages[index];
  std::string recorded = recordedPrecision(net, index);
  // Weights of 8 or 4 bits stand for floats there: the commands unpack them.
  if (isQuantized(stage) || recorded == "w8f16" || recorded == "w4f16")
    return Precision::Int8;
  Precision coarsest = Precision::F32;
  for (const rt::GroupSpec &group : stage.groups)
    for (const isa::Decoded &command :
         isa::decodeStream(*chip.instructions, isa::Engine::Tiu, group.tiu.data,
                           group.tiu.size)
             .commands)
      coarsest = std::max(coarsest, ::precisionOf(command));
  // Sums over channels split f32 into two bf16, which loses nothing.
  return recorded == "f16" ? std::min(coarsest, Precision::F16) : coarsest;
}

Precision cli::precisionOf(const zhouyi::Program &program) {
  Precision coarsest = Precision::F32;
  for (const zhouyi::RegisterType &type : program.registers)
    if (!type.isMask && catalog::bytesOf(type.type) == 1)
      return Precision::Int8;
  for (const zhouyi::Buffer &buffer : program.buffers) {
    if (!buffer.value)
      continue;
    if (buffer.value->isQuantized())
      return Precision::Int8;
    if (buffer.value->storedType == numeric::ElementType::F16)
      coarsest = Precision::F16;
  }
  return coarsest;
}
