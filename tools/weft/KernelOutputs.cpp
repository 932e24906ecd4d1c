//===- KernelOutputs.cpp - what a kernel wrote, as arrays -----------------===//

#include "tools/weft/KernelOutputs.h"

#include "tools/npz/Npz.h"

#include <algorithm>

using namespace weft;
using namespace weft::cli;

/// What numpy has for the elements: integers as they are, floats as f32.
static numeric::ElementType arrayTypeOf(catalog::DataType type) {
  switch (type) {
  case catalog::DataType::Int32:
    return numeric::ElementType::I32;
  case catalog::DataType::Uint32:
    return numeric::ElementType::U32;
  case catalog::DataType::Int16:
    return numeric::ElementType::I16;
  case catalog::DataType::Uint16:
    return numeric::ElementType::U16;
  case catalog::DataType::Int8:
    return numeric::ElementType::I8;
  case catalog::DataType::Uint8:
    return numeric::ElementType::U8;
  case catalog::DataType::Int64:
    return numeric::ElementType::I64;
  case catalog::DataType::Uint64:
    return numeric::ElementType::U64;
  default:
    return numeric::ElementType::F32;
  }
}

rt::Status cli::saveOutputs(driver::KernelProgram &program,
                            const driver::MemoryImage &memory,
                            const std::string &path) {
  std::vector<numeric::HostTensor> tensors;
  std::vector<std::string> names;
  for (const auto &[name, piece] : program.outputs()) {
    auto type = catalog::dataTypeOf(piece->type);
    catalog::Dense values(*type, {piece->shape[0], piece->shape[1],
                                  piece->shape[2], piece->shape[3]});
    std::copy_n(memory.begin() +
                    (piece->address - program.recorder().memory.base),
                values.bytes.size(), values.bytes.begin());
    numeric::HostTensor tensor(
        arrayTypeOf(*type),
        {piece->shape[0], piece->shape[1], piece->shape[2], piece->shape[3]});
    bool isLong = numeric::elementBytes(tensor.type()) == 8;
    for (int64_t i = 0; i < values.elements(); ++i)
      if (isLong) // a double is not exact
        tensor.as<uint64_t>()[i] = values.bits(i);
      else
        tensor.setFromDouble(i, values.value(i));
    tensors.push_back(std::move(tensor));
    names.push_back(name);
  }
  std::vector<npz::NamedTensor> arrays;
  for (size_t i = 0; i < tensors.size(); ++i)
    arrays.push_back({names[i], &tensors[i]});
  return npz::writeNpz(path, arrays);
}
