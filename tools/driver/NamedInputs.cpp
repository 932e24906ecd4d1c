//===- NamedInputs.cpp - npz arrays for a float graph ---------------------===//

#include "tools/driver/NamedInputs.h"

#include "dialects/Evaluate.h"
#include "runtime/numeric/CarrierTypes.h"
#include "runtime/status/Quote.h"
#include "tools/npz/Npz.h"

#include <set>

using namespace mlir;
using namespace weft;
using namespace weft::driver;
using numeric::HostTensor;
using rt::Code;
using rt::Result;

static std::string describe(numeric::ElementType type,
                            const std::vector<int64_t> &shape) {
  return std::string(numeric::elementTypeName(type)) + " " +
         numeric::shapeText(shape);
}

static Result<HostTensor> readInput(const npz::Reader &archive,
                                    const std::string &name,
                                    RankedTensorType type) {
  if (!archive.header(name)) {
    std::string found;
    for (const std::string &other : archive.names())
      found += (found.empty() ? "" : ", ") + rt::quoteName(other);
    return rt::fail(Code::NotFound, archive.path() + ": no array for input " +
                                        rt::quoteName(name) +
                                        "; the file has " +
                                        (found.empty() ? "none" : found));
  }
  Result<HostTensor> tensor = archive.read(name);
  if (!tensor)
    return tensor.status();
  numeric::ElementType wanted = *hostElementType(type.getElementType());
  // A type that does not fit is reported below.
  (void)numeric::fromCarrier(*tensor, wanted);
  std::vector<int64_t> shape(type.getShape().begin(), type.getShape().end());
  if (tensor->type() == wanted && tensor->shape() == shape)
    return tensor;
  return rt::fail(tensor->type() == wanted ? Code::ShapeMismatch
                                           : Code::TypeMismatch,
                  archive.path() + ": array " + rt::quoteName(name) + " is " +
                      describe(tensor->type(), tensor->shape()) +
                      ", the input is " + describe(wanted, shape));
}

Result<NamedTensors> driver::readNamedInputs(func::FuncOp function,
                                             const std::string &file) {
  Result<npz::Reader> archive = npz::Reader::open(file);
  if (!archive)
    return archive.status();
  NamedTensors inputs;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    std::string name =
        function.getArgAttrOfType<StringAttr>(i, kNameAttr).str();
    Result<HostTensor> tensor =
        readInput(*archive, name,
                  cast<RankedTensorType>(function.getArgument(i).getType()));
    if (!tensor)
      return tensor.status();
    inputs.emplace(name, *std::move(tensor));
  }
  for (const std::string &name : archive->names())
    if (!inputs.count(name))
      return rt::fail(Code::InvalidArgument,
                      file + ": array " + rt::quoteName(name) +
                          " is not an input of the model; remove it");
  return inputs;
}
