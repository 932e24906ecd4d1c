//===- Command.cpp - one command while it is being made ------------------===//

#include "codegen/encode/Command.h"

using namespace weft;
using namespace weft::codegen;
using weft::isa::Field;

Command Command::gdma(mlir::Operation *op, const Chip &chip, isa::GdmaType type,
                      unsigned func) {
  auto made = isa::CommandBuilder::make(*chip.instructions, isa::Engine::Gdma,
                                        unsigned(type), func);
  assert(made && "the opcode table has every function that the encoder uses");
  return Command(op, *made);
}

Command &Command::report(const rt::Status &status) {
  if (failed || status.isOk())
    return *this;
  failed = true;
  bool tooLarge = status.code() == rt::Code::OutOfRange;
  op->emitError() << status.message()
                  << (tooLarge ? "; split the operation" : "");
  return *this;
}

Command &Command::set(Field field, uint64_t value) {
  return failed ? *this : report(builder.set(field, value));
}

catalog::Tensor Placed::tensor() const {
  catalog::Tensor out;
  out.type =
      ppl::dataTypeOf(type.getElementType()).value_or(catalog::DataType::Int8);
  out.memory = catalog::Memory(unsigned(type.getMemory()));
  out.layout = ppl::alignModeOf(type.getLayout());
  llvm::copy(type.getShape(), out.shape.begin());
  out.strides = {strides.n, strides.c, strides.h, strides.w};
  out.lane = lane;
  out.address = address;
  return out;
}
