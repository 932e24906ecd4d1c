//===- NamedInputs.cpp - a sample's tensors for a float graph -------------===//

#include "tools/driver/NamedInputs.h"

#include "dialects/Evaluate.h"
#include "dialects/top/Symbols.h"
#include "runtime/status/Quote.h"

using namespace mlir;
using namespace weft;
using namespace weft::driver;
using numeric::HostTensor;
using rt::Code;
using rt::Result;

static std::string describe(numeric::ElementType type,
                            std::vector<int64_t> shape, bool isText) {
  if (isText) {
    shape.pop_back(); // their bytes
    return "strings, " + numeric::shapeText(shape);
  }
  return std::string(numeric::elementTypeName(type)) + " " +
         numeric::shapeText(shape);
}

static Result<HostTensor> readInput(const samples::Sample &sample,
                                    const samples::Input &input) {
  const std::string &name = input.name;
  if (!sample.has(name)) {
    std::string found;
    for (const std::string &other : sample.names())
      found += (found.empty() ? "" : ", ") + rt::quoteName(other);
    return rt::fail(Code::NotFound, sample.path() + ": no array for input " +
                                        rt::quoteName(name) +
                                        "; the file has " +
                                        (found.empty() ? "none" : found));
  }
  const std::vector<int64_t> &shape = input.shapes.front();
  if (input.isText && sample.isText(name) &&
      sample.shape(name).size() == shape.size() &&
      std::equal(shape.begin(), shape.end() - 1, sample.shape(name).begin()))
    return sample.readTexts(name, shape);
  // Before an array of another shape is unpacked.
  if (sample.shape(name) == shape && sample.canBe(name, input.type))
    return sample.readAs(name, input.type);
  bool isOtherShape = sample.shape(name) != shape;
  return rt::fail(
      isOtherShape ? Code::ShapeMismatch : Code::TypeMismatch,
      sample.path(name) + ": array " + rt::quoteName(name) + " is " +
          describe(sample.type(name), sample.shape(name), sample.isText(name)) +
          ", the input is " + describe(input.type, shape, input.isText) +
          (samples::entriesOf(sample, {input}) > 1
               ? "; single samples are stacked where all inputs have the same "
                 "batch, give arrays of all of it"
               : ""));
}

std::vector<samples::Input> driver::namedInputsOf(func::FuncOp function) {
  std::vector<samples::Input> inputs;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto type = cast<RankedTensorType>(function.getArgument(i).getType());
    inputs.push_back({function.getArgAttrOfType<StringAttr>(i, kNameAttr).str(),
                      *hostElementType(type.getElementType()),
                      {type.getShape().vec()},
                      bool(function.getArgAttr(i, top::kStringsAttr))});
  }
  return inputs;
}

Result<NamedTensors>
driver::readNamedInputs(const std::vector<samples::Input> &wanted,
                        const samples::SampleFiles &files,
                        const preprocess::Options &options) {
  Result<samples::Sample> sample =
      samples::Sample::open(files, wanted, options);
  if (!sample)
    return sample.status();
  NamedTensors inputs;
  for (const samples::Input &input : wanted) {
    Result<HostTensor> tensor = readInput(*sample, input);
    if (!tensor)
      return tensor.status();
    inputs.emplace(input.name, *std::move(tensor));
  }
  for (const std::string &name : sample->names())
    if (!inputs.count(name))
      return rt::fail(Code::InvalidArgument,
                      sample->path(name) + ": array " + rt::quoteName(name) +
                          " is not an input of the model; remove it");
  return inputs;
}
