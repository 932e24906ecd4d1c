//===- Ladder.cpp - a model's reference and its program, value by value ---===//
//
//   zhouyi_ladder MODEL.onnx PRECISION TABLE|- NAME=AxBx.. INPUT.npz
//
// Compiles for the vector machine twice: to the tpu graph, which the evaluators
// compute, and to the program, which the machine of runtime/zhouyi runs. Every
// value that the program keeps under an ONNX name, and every output, is
// compared with the evaluator's, byte by byte. Prints what was compared; exit
// code 1 if something differs, 2 if something could not be done.
//
//===----------------------------------------------------------------------===//

#include "dialects/Evaluate.h"
#include "runtime/chips/Chips.h"
#include "runtime/zhouyi/Machine.h"
#include "tools/driver/Compile.h"
#include "tools/npz/Npz.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <cstring>

using namespace mlir;
using namespace weft;
using numeric::HostTensor;

namespace {
/// The values of the reference by ONNX name; outputs, too.
using Values = std::multimap<std::string, HostTensor>;

struct Job {
  std::string model;
  driver::CompileOptions options;
  driver::InputShapes shapes;
  std::map<std::string, HostTensor> inputs;
};
} // namespace

static int fail(const std::string &message) {
  llvm::errs() << "zhouyi_ladder: " << message << "\n";
  return 2;
}

static std::string ioName(DictionaryAttr attributes) {
  auto io = attributes.getAs<DictionaryAttr>("tpu.io");
  return io.getAs<StringAttr>("name").str();
}

/// What the evaluators give.
static std::optional<Values> evaluate(const Job &job) {
  driver::Compilation compilation;
  if (failed(compilation.import(job.model, job.shapes)) ||
      failed(compilation.lower(job.options, driver::Stage::Tpu)))
    return std::nullopt;
  auto main = compilation.module().lookupSymbol<func::FuncOp>("main");
  std::vector<HostTensor> inputs;
  for (BlockArgument argument : main.getArguments()) {
    HostTensor tensor = *makeHostTensor(argument.getType());
    auto found =
        job.inputs.find(ioName(main.getArgAttrDict(argument.getArgNumber())));
    if (found == job.inputs.end() ||
        found->second.sizeBytes() != tensor.sizeBytes())
      return std::nullopt;
    std::memcpy(tensor.bytes(), found->second.bytes(), tensor.sizeBytes());
    inputs.push_back(std::move(tensor));
  }
  Values values;
  SmallVector<HostTensor> outputs;
  auto keep = [&](StringRef name, const HostTensor &tensor) {
    values.emplace(name.str(), tensor);
  };
  if (failed(evaluateFunction(main, inputs, outputs, keep)))
    return std::nullopt;
  for (auto [index, output] : llvm::enumerate(outputs))
    values.emplace(ioName(main.getResultAttrDict(index)), output);
  return values;
}

/// Differing elements of a buffer and the value of its name that is nearest; -1
/// if there is no value of that name and size.
static int64_t difference(const uint8_t *bytes, const std::string &name,
                          size_t size, const Values &values) {
  int64_t fewest = -1;
  auto [first, last] = values.equal_range(name);
  for (auto it = first; it != last; ++it) {
    const HostTensor &value = it->second;
    if (value.sizeBytes() != size)
      continue;
    size_t each = numeric::elementBytes(value.type());
    int64_t differing = 0;
    for (size_t at = 0; at < size; at += each)
      differing += std::memcmp(value.bytes() + at, bytes + at, each) != 0;
    if (fewest < 0 || differing < fewest)
      fewest = differing;
  }
  return fewest;
}

static int compare(zhouyi::Machine &machine, const Values &values) {
  int64_t compared = 0, differing = 0;
  for (const zhouyi::Buffer &buffer : machine.program().buffers) {
    if (!buffer.value || buffer.role == zhouyi::BufferRole::Input)
      continue;
    const std::string &name = buffer.value->name;
    int64_t elements = difference(machine.memory(buffer), name,
                                  buffer.value->storedBytes, values);
    if (elements < 0)
      return fail("the reference has no value '" + name + "' of that size");
    ++compared;
    if (elements == 0)
      continue;
    ++differing;
    llvm::outs() << "differs: " << name << ", " << elements << " of "
                 << buffer.value->elements << " elements\n";
  }
  llvm::outs() << "values: " << compared << ", differing: " << differing
               << "\n";
  return differing || !compared ? 1 : 0;
}

static int runAndCompare(const Job &job, const Values &values) {
  driver::Compilation compilation;
  if (failed(compilation.import(job.model, job.shapes)) ||
      failed(compilation.lower(job.options, driver::Stage::Ppl)))
    return fail("the model is not lowered");
  FailureOr<std::vector<uint8_t>> bytes = compilation.packVectorProgram("m");
  if (failed(bytes))
    return fail("there is no program");
  rt::Result<zhouyi::ProgramFile> file =
      zhouyi::parseProgramFile({bytes->data(), bytes->size()});
  if (!file)
    return fail(file.status().message());
  auto machine = zhouyi::Machine::make(
      std::make_shared<zhouyi::Program>(std::move(file->program)));
  if (!machine)
    return fail(machine.status().message());
  for (const zhouyi::Buffer &buffer : machine->program().buffers)
    if (buffer.role == zhouyi::BufferRole::Input) {
      const HostTensor &input = job.inputs.at(buffer.value->name);
      std::memcpy(machine->memory(buffer), input.bytes(), input.sizeBytes());
    }
  auto begin = std::chrono::steady_clock::now();
  if (rt::Status status = machine->run(); !status)
    return fail(status.message());
  std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  llvm::outs() << "instructions: " << machine->instructionsPerRun()
               << ", file bytes: " << bytes->size()
               << ", seconds: " << llvm::format("%.2f", time.count()) << "\n";
  return compare(*machine, values);
}

int main(int count, char **arguments) {
  if (count != 6)
    return fail("MODEL.onnx PRECISION TABLE|- NAME=AxBx.. INPUT.npz");
  Job job;
  job.model = arguments[1];
  job.options.chip = chips::vectorTargets[0]->targetName;
  job.options.precision = arguments[2];
  if (StringRef(arguments[3]) != "-")
    job.options.calibration = arguments[3];
  job.options.noFloat = true; // float sums differ in their order
  auto [name, sizes] = StringRef(arguments[4]).split('=');
  for (StringRef size : llvm::split(sizes, 'x')) {
    int64_t number;
    if (size.getAsInteger(10, number))
      return fail("sizes must be AxBx..");
    job.shapes[name.str()].push_back(number);
  }
  rt::Result<npz::Reader> reader = npz::Reader::open(arguments[5]);
  if (!reader)
    return fail(reader.status().message());
  for (const std::string &array : reader->names()) {
    rt::Result<HostTensor> tensor = reader->read(array);
    if (!tensor)
      return fail(tensor.status().message());
    job.inputs[array] = std::move(*tensor);
  }
  std::optional<Values> values = evaluate(job);
  if (!values)
    return fail("the reference is not evaluated");
  return runAndCompare(job, *values);
}
