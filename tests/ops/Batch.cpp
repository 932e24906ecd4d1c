//===- Batch.cpp - many ops on one input, rung by rung --------------------===//

#include "tests/ops/Batch.h"

#include "dialects/Evaluate.h"
#include "dialects/tpu/Tpu.h"
#include "runtime/chips/Chips.h"
#include "tests/ops/Ladder.h"
#include "tests/unit/codegen/emit/ProgramRunner.h"

#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

using namespace weft;
using namespace weft::test;
using numeric::HostTensor;

void Batch::add(const std::string &op, const std::string &output,
                const std::string &operands) {
  addTyped(op, input + operands, output);
}

void Batch::addTyped(const std::string &op, const std::string &operands,
                     const std::string &output) {
  ops.push_back({next, op + " : " + operands + " -> " + output + "\n", output});
  next.clear();
}

void Batch::addOnCodes(const std::string &type, std::string op,
                       const std::string &output, const std::string &operands) {
  std::string name = "%c" + std::to_string(ops.size());
  defineNext("  " + name + " = tpu.cast %x {bits} : " + input + " -> " + type +
             "\n");
  addTyped(op.replace(op.find("%x"), 2, name), type + operands, output);
}

std::string Batch::text(size_t begin, size_t end) const {
  std::string body = definitions, results, values, types;
  for (size_t i = begin; i < end; ++i) {
    std::string comma = i > begin ? ", " : "", number = std::to_string(i);
    const Op &op = ops[i];
    body += op.before + "  %y" + number + " = " + op.line;
    results += comma + op.output + " {tpu.io = {name = \"y" + number +
               "\", type = " + op.output + "}}";
    values += comma + "%y" + number;
    types += comma + op.output;
  }
  return "module attributes {tpu.chip = \"" +
         std::string(chips::all[0]->targetName) +
         "\", tpu.precision = \"f32\"} {\nfunc.func @main(%x: " + input +
         " {tpu.io = {name = \"x\", type = " + input + "}}) -> (" + results +
         ") {\n" + body + "  return " + values + " : " + types + "\n}\n}\n";
}

bool Batch::agrees() const {
  // Grouping and placing look at all ops of a program for each of them.
  constexpr size_t kOpsOfProgram = 96;
  for (size_t begin = 0; begin < ops.size(); begin += kOpsOfProgram)
    if (!agrees(begin, std::min(ops.size(), begin + kOpsOfProgram)))
      return false;
  return true;
}

/// The number of the first element whose bytes differ, but for those of NaN; -1
/// if none does.
static int64_t firstDifference(const HostTensor &wanted,
                               const HostTensor &found) {
  size_t bytes = wanted.sizeBytes() / static_cast<size_t>(wanted.elements());
  if (std::memcmp(wanted.bytes(), found.bytes(), wanted.sizeBytes()) == 0)
    return -1;
  for (int64_t i = 0; i < wanted.elements(); ++i)
    if (std::memcmp(wanted.bytes() + i * bytes, found.bytes() + i * bytes,
                    bytes) != 0 &&
        !(std::isnan(wanted.toDouble(i)) && std::isnan(found.toDouble(i))))
      return i;
  return -1;
}

bool Batch::agrees(size_t begin, size_t end) const {
  std::string program = text(begin, end);
  ProgramRunner runner(program);
  mlir::MLIRContext context;
  context.loadDialect<tpu::TpuDialect, mlir::func::FuncDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(program, &context);
  if (!runner.ok() || !module) {
    ADD_FAILURE() << "cannot compile\n" << program;
    return false;
  }
  auto function = *module->getOps<mlir::func::FuncOp>().begin();
  HostTensor values = *makeHostTensor(function.getArgumentTypes()[0]);
  llvm::SmallVector<HostTensor> wanted;
  EXPECT_EQ(values.sizeBytes(), stored.size());
  std::memcpy(values.bytes(), stored.data(),
              std::min(values.sizeBytes(), stored.size()));
  EXPECT_TRUE(succeeded(evaluateFunction(function, {values}, wanted)));
  std::vector<std::vector<uint8_t>> bytes = runner.run({stored});
  for (size_t i = 0; i < wanted.size(); ++i) {
    HostTensor found(wanted[i].type(), wanted[i].shape());
    EXPECT_EQ(bytes[i].size(), found.sizeBytes());
    std::memcpy(found.bytes(), bytes[i].data(), bytes[i].size());
    int64_t element = firstDifference(wanted[i], found);
    if (element < 0)
      continue;
    const Op &op = ops[begin + i];
    ADD_FAILURE() << op.before << op.line << "element " << element
                  << ": evaluator " << wanted[i].toDouble(element)
                  << ", commands " << found.toDouble(element);
    return false;
  }
  return !testing::Test::HasFailure();
}

std::string weft::test::codes(bool isSigned, int zeroPoint,
                              const std::string &scale) {
  return std::string("!quant.uniform<") + (isSigned ? "i8" : "u8") + ":f32, " +
         scale + (zeroPoint ? ":" + std::to_string(zeroPoint) : "") + ">";
}

std::string weft::test::codesFrom(bool isSigned, int number,
                                  const std::string &scale) {
  return codes(isSigned, isSigned ? number - 128 : number, scale);
}

std::vector<uint8_t> weft::test::everyByte() {
  std::vector<uint8_t> bytes(256);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<uint8_t>(i);
  return bytes;
}

std::vector<uint8_t> weft::test::everyWord() {
  std::vector<uint8_t> bytes(2 * 65536);
  for (size_t i = 0; i < 65536; ++i) {
    bytes[2 * i] = static_cast<uint8_t>(i);
    bytes[2 * i + 1] = static_cast<uint8_t>(i >> 8);
  }
  return bytes;
}
