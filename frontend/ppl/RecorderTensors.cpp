//===- RecorderTensors.cpp - tensors, views and parts of kernels ---------===//

#include "dialects/ppl/Memory.h"
#include "frontend/ppl/Recorder.h"
#include "frontend/ppl/TensorChecks.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <utility>

using namespace mlir;
using namespace weft;
using namespace weft::frontend;
using catalog::AlignMode;

Value Recorder::makeValue(Tensor &tensor, uint64_t address, bool isAutomatic,
                          Location loc) {
  OpBuilder before = tensorBuilder();
  ppl::TensorViewType type = typeOfTensor(tensor.description, chip, context);
  if (isAutomatic)
    return before.create<ppl::AllocOp>(loc, type, UnitAttr());
  if (type.isLocal())
    return before.create<ppl::LocalOp>(loc, type, int64_t(address),
                                       int64_t(tensor.description.lane));
  return before.create<ppl::GlobalOp>(loc, type, int64_t(address));
}

bool Recorder::refusesShape(const int64_t *shape, catalog::Memory memory,
                            const char *what, weft_ppl_line at) {
  std::string problem = shapeProblem(shape, memory, chip);
  if (problem.empty())
    return false;
  if (tooLarge)
    return true; // sizes may follow from the tensor that there is not
  if (memory != catalog::Memory::Global && isInAttempt() &&
      isTooLarge(shape, memory, chip))
    tooLarge = memory; // said when the attempt ends
  // Of a size that is wrong from the start every tensor says the same.
  else if (problemsOfShapes.insert(problem).second)
    error(at) << what << problem;
  else
    hasFailed = true;
  return true;
}

bool Recorder::describeNew(int32_t mode, int32_t typeCode, const int64_t *shape,
                           int32_t layout, const int64_t *strides,
                           catalog::Tensor &d, weft_ppl_line at) {
  std::optional<catalog::DataType> type = typeOf(typeCode, at);
  if (!type)
    return false;
  d.type = *type;
  bool isLocal = mode == WEFT_PPL_LOCAL;
  if (!isLocal && mode != WEFT_PPL_GLOBAL && mode != WEFT_PPL_L2) {
    error(at) << "unsupported: tensors of mode " << mode
              << " (ISOLATED, MIRROR); use GLOBAL, L2 or local tensors";
    return false;
  }
  d.memory = isLocal                   ? catalog::Memory::Local
             : mode == WEFT_PPL_GLOBAL ? catalog::Memory::Global
                                       : catalog::Memory::L2;
  if (refusesShape(shape, d.memory, "", at))
    return false;
  if (std::string problem =
          strides ? strideProblem(strides, shape) : std::string();
      !problem.empty()) {
    error(at) << problem;
    return false;
  }
  std::copy(shape, shape + 4, d.shape.begin());
  bool hasRule = isLocal ? layout >= 1 && layout <= 3 : layout == 0;
  if (!hasRule && !strides) {
    error(at) << "align mode is " << layout << ", must be "
              << (isLocal ? "TPU_ALIGN, TPU_COMPACT or TPU_ROW_ALIGN"
                          : "CONTINUOUS")
              << " here";
    return false;
  }
  d.layout = strides ? AlignMode::Free : AlignMode(layout);
  return true;
}

bool Recorder::locateGlobal(Tensor &tensor, uint64_t pointer,
                            weft_ppl_line at) {
  if (pointer == WEFT_PPL_NO_ADDRESS) { // scratch of a function's result
    const DeviceMemory::Piece *piece = memory.take(tensor.rootBytes);
    if (!piece) {
      error(at) << "global memory is full";
      return false;
    }
    tensor.description.address = piece->address;
    return true;
  }
  std::optional<uint64_t> device = memory.addressOf(pointer);
  const DeviceMemory::Piece *piece =
      device ? std::as_const(memory).pieceAt(*device) : nullptr;
  if (!piece) {
    error(at) << "the pointer is no global memory of this program; take it "
                 "from ppl::malloc or ppl::rand in the test";
    return false;
  }
  tensor.description.address = *device;
  if (*device + tensor.rootBytes > piece->address + piece->bytes) {
    error(at) << "a tensor of " << sizesText(tensor.description.shape.data())
              << " " << std::string(catalog::spelling(tensor.description.type))
              << " takes " << tensor.rootBytes
              << " bytes, behind its pointer are "
              << piece->address + piece->bytes - *device
              << "; allocate more or take a smaller shape";
    return false;
  }
  return true;
}

bool Recorder::checkGivenAddress(const Tensor &tensor, weft_ppl_line at) {
  const catalog::Tensor &d = tensor.description;
  if (*d.address % catalog::startAlignment(d, chip)) {
    error(at) << "address " << *d.address << " is no multiple of "
              << catalog::startAlignment(d, chip) << ", which layout "
              << std::string(catalog::spelling(d.layout)) << " asks for";
    return false;
  }
  uint64_t limit = d.memory == catalog::Memory::Local
                       ? chip.laneBytes
                       : chip.l2MemoryBase + chip.l2MemoryBytes;
  if (*d.address > limit || tensor.rootBytes > limit - *d.address) {
    error(at) << "the tensor ends at byte " << *d.address + tensor.rootBytes
              << ", the memory at " << limit
              << "; choose a lower address or a smaller shape";
    return false;
  }
  return true;
}

bool Recorder::splitLocalAddress(bool isGiven, uint64_t address, Tensor &tensor,
                                 weft_ppl_line at) {
  if (addressesAreGiven.value_or(isGiven) != isGiven) {
    error(at) << "this local tensor has " << (isGiven ? "an" : "no")
              << " address, others have " << (isGiven ? "none" : "one")
              << "; give all local tensors addresses or none";
    return false;
  }
  addressesAreGiven = isGiven;
  if (!isGiven)
    return true;
  if (address / chip.laneBytes >= chip.lanes) {
    error(at) << "address " << address << " lies behind the last lane, which "
              << "ends at " << chip.localMemoryBytes();
    return false;
  }
  tensor.description.lane = unsigned(address / chip.laneBytes);
  tensor.description.address = address % chip.laneBytes;
  return true;
}

int64_t Recorder::makeTensor(int32_t mode, int32_t typeCode,
                             const int64_t *shape, int32_t layout,
                             const int64_t *strides, uint64_t address,
                             weft_ppl_line at) {
  if (!isGivenPointer(shape, "a tensor's shape", at) || hasTooManyCalls())
    return 0;
  Tensor tensor;
  catalog::Tensor &d = tensor.description;
  if (mode == WEFT_PPL_LOCAL && layout == WEFT_PPL_ANY_LAYOUT) {
    layout = int32_t(AlignMode::Aligned);
    tensor.mayRelayout = address == WEFT_PPL_NO_ADDRESS;
  }
  if (!describeNew(mode, typeCode, shape, layout, strides, d, at))
    return 0;
  bool isLocal = mode == WEFT_PPL_LOCAL, isGlobal = mode == WEFT_PPL_GLOBAL;
  bool isGiven = address != WEFT_PPL_NO_ADDRESS;
  if (isGiven)
    d.address = address;
  if (isLocal && !splitLocalAddress(isGiven, address, tensor, at))
    return 0;
  d.strides = catalog::stridesOf(d.layout, d.type, d.shape, d.lane, chip);
  if (strides)
    std::copy(strides, strides + 4, d.strides.begin());
  tensor.rootBytes = catalog::extentBytes(d, chip);
  if (isGlobal && !locateGlobal(tensor, address, at))
    return 0;
  if (!isGlobal && isGiven && !checkGivenAddress(tensor, at))
    return 0;
  bool isAutomatic = !isGiven && !isGlobal;
  if (isAutomatic && strides) {
    error(at) << "a tensor with strides of its own needs an address; make one "
                 "with a layout and take a view of it";
    return 0;
  }
  if (isAutomatic)
    d.address = nextRoot++ << catalog::kRegionShift;
  // Whole vectors are reserved for every tensor in local memory.
  if (isLocal)
    tensor.rootBytes = llvm::alignTo(tensor.rootBytes, chip.euBytes);
  tensor.start = *d.address;
  tensor.value = makeValue(tensor, *d.address, isAutomatic, locate(at));
  if (isGlobal && !isGiven)
    tensor.value.getDefiningOp()->setAttr(ppl::kScratchAttribute,
                                          UnitAttr::get(&context));
  tensor.root = tensor.value;
  return add(std::move(tensor));
}

int64_t Recorder::view(int64_t id, int32_t typeCode, const int64_t *shape,
                       int32_t layout, const int64_t *strides,
                       weft_ppl_line at) {
  if (!isGivenPointer(shape, "a view's shape", at) || hasTooManyCalls())
    return 0;
  const Tensor *source = find(id);
  if (source && !isShaped(*source, "view", at))
    return 0;
  std::optional<catalog::DataType> type =
      source ? typeOf(typeCode, at) : std::nullopt;
  if (!type)
    return 0;
  Tensor tensor = *source;
  tensor.source = source - tensors.data() + 1;
  tensor.offset.reset();
  tensor.mayRelayout = !strides && layout < 0;
  catalog::Tensor &d = tensor.description;
  bool isLocal = d.memory == catalog::Memory::Local;
  if (refusesShape(shape, d.memory, "view: ", at))
    return 0;
  d.type = *type;
  std::copy(shape, shape + 4, d.shape.begin());
  if (strides) {
    d.layout = AlignMode::Free;
    std::copy(strides, strides + 4, d.strides.begin());
    if (std::string problem = strideProblem(strides, shape); !problem.empty()) {
      error(at) << "view: " << problem;
      return 0;
    }
  } else {
    if (layout > int32_t(AlignMode::Free)) {
      error(at) << "view: align mode is " << layout << ", must be 0 to "
                << int32_t(AlignMode::Free);
      return 0;
    }
    if (layout >= 0)
      d.layout = AlignMode(layout);
    bool hasRule = isLocal ? layout != 0 && d.layout != AlignMode::Free
                           : d.layout == AlignMode::Continuous;
    if (!hasRule) {
      error(at) << "view: the source is a part with strides of its own; give "
                   "the view strides, too";
      return 0;
    }
    d.strides = catalog::stridesOf(d.layout, d.type, d.shape, d.lane, chip);
  }
  if (!isInside(d, tensor.start, tensor.rootBytes, chip)) {
    error(at) << "view: the view of " << sizesText(shape) << " "
              << std::string(catalog::spelling(d.type)) << " ends "
              << *d.address + catalog::extentBytes(d, chip) - tensor.start
              << " bytes behind the start of its memory"
              << (isLocal ? " in each lane" : "") << ", which has "
              << tensor.rootBytes;
    return 0;
  }
  if (*d.address % catalog::startAlignment(d, chip)) {
    error(at) << "view: it starts "
              << *d.address % catalog::startAlignment(d, chip)
              << " bytes behind a multiple of "
              << catalog::startAlignment(d, chip) << ", which layout "
              << std::string(catalog::spelling(d.layout))
              << " asks for; give the view strides";
    return 0;
  }
  tensor.value = tensorBuilder().create<ppl::ViewOp>(
      locate(at), typeOfTensor(d, chip, context), source->value,
      ArrayRef<int64_t>{0, 0, 0, 0}, 0);
  return add(std::move(tensor));
}

int64_t Recorder::subView(int64_t id, const int64_t *shape,
                          const int64_t *offset, weft_ppl_line at) {
  if (!isGivenPointer(shape, "a part's shape", at) ||
      !isGivenPointer(offset, "a part's offset", at) || hasTooManyCalls())
    return 0;
  const Tensor *source = find(id);
  if (!source || !isShaped(*source, "sub_view", at))
    return 0;
  Tensor tensor = *source;
  tensor.source = source - tensors.data() + 1;
  tensor.offset = {offset[0], offset[1], offset[2], offset[3]};
  tensor.mayRelayout = true;
  catalog::Tensor &d = tensor.description;
  const catalog::Tensor &whole = source->description;
  for (int axis = 0; axis < 4; ++axis)
    if (shape[axis] < 1 || offset[axis] < 0 ||
        offset[axis] > whole.shape[axis] ||
        shape[axis] > whole.shape[axis] - offset[axis]) {
      // Two sizes of 63 bits: their sum may need 64.
      uint64_t end = uint64_t(offset[axis]) + uint64_t(shape[axis]);
      bool isSigned = offset[axis] < 0 || shape[axis] < 0;
      error(at) << "sub_view: the part of " << sizesText(shape) << " at ("
                << offset[0] << ", " << offset[1] << ", " << offset[2] << ", "
                << offset[3] << ") leaves the tensor of "
                << sizesText(whole.shape.data()) << ": on axis "
                << "nchw"[axis] << " it takes " << offset[axis] << " to "
                << (isSigned ? std::to_string(int64_t(end))
                             : std::to_string(end))
                << ", there are 0 to " << whole.shape[axis];
      return 0;
    }
  std::copy(shape, shape + 4, d.shape.begin());
  takePart(d, whole, offset);
  tensor.value = tensorBuilder().create<ppl::ViewOp>(
      locate(at), typeOfTensor(d, chip, context), source->value,
      ArrayRef<int64_t>(offset, 4), 0);
  return add(std::move(tensor));
}

int32_t Recorder::describe(int64_t id, weft_ppl_tensor *out) const {
  const Tensor *tensor = find(id);
  if (!tensor)
    return 0;
  const catalog::Tensor &d = tensor->description; // unshaped: of size 0
  out->type = int32_t(d.type);
  out->memory = d.memory == catalog::Memory::Local    ? WEFT_PPL_LOCAL
                : d.memory == catalog::Memory::Global ? WEFT_PPL_GLOBAL
                                                      : WEFT_PPL_L2;
  out->layout = int32_t(d.layout);
  out->lane = int32_t(d.lane);
  std::copy(d.shape.begin(), d.shape.end(), out->shape);
  std::copy(d.strides.begin(), d.strides.end(), out->strides);
  return 1;
}
