//===- Recorder.cpp - a running kernel becomes ppl ops -------------------===//

#include "frontend/ppl/Recorder.h"
#include "dialects/ppl/Memory.h"
#include "dialects/ppl/Round.h"
#include "frontend/ppl/Interface.h"
#include "frontend/ppl/TensorChecks.h"
#include "runtime/numeric/SplitMix64.h"
#include "runtime/ppl/Interpreter.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/MathExtras.h"

#include <atomic>
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace weft;
using namespace weft::frontend;
using catalog::AlignMode;

// Read by a handler of signals: the program that can crash runs one kernel at a
// time.
static std::atomic<const Recorder *> newest = nullptr;

weft_ppl_line Recorder::lastLineOfNewest() {
  const Recorder *recorder = newest;
  return recorder ? recorder->lastLine() : weft_ppl_line{nullptr, 0};
}

Recorder::Recorder(MLIRContext &context, const Chip &chip, Options given)
    : chip(chip), memory(chip.globalMemoryBase, given.globalBytes),
      context(context), options(std::move(given)), builder(&context) {
  context.loadDialect<ppl::PplDialect>();
  Location loc = UnknownLoc::get(&context);
  theModule = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(theModule->getBody());
  net = builder.create<ppl::NetOp>(
      loc, options.name,
      StringRef(chip.targetName.data(), chip.targetName.size()),
      int64_t(chip.weightBase), 0, int64_t(chip.globalMemoryBase), 0,
      ArrayRef<Attribute>(), ArrayRef<Attribute>());
  builder.setInsertionPointToEnd(&net.getBody().front());
  if (options.keepsValues)
    live = std::make_unique<LiveValues>(chip, memory);
  bindTable();
  newest = this;
}

Recorder::~Recorder() {
  const Recorder *self = this;
  newest.compare_exchange_strong(self, nullptr);
}

void Recorder::bindTable() {
  functions.bytes = sizeof(functions);
  functions.self = this;
  functions.make_tensor = [](void *self, auto... args) {
    return forward<&Recorder::makeTensor>(self, args...);
  };
  functions.view = [](void *self, auto... args) {
    return forward<&Recorder::view>(self, args...);
  };
  functions.sub_view = [](void *self, auto... args) {
    return forward<&Recorder::subView>(self, args...);
  };
  functions.describe = [](void *self, auto... args) {
    return forward<&Recorder::describe>(self, args...);
  };
  functions.call = [](void *self, auto... args) {
    forward<&Recorder::call>(self, args...);
  };
  functions.enter = [](void *self, auto... args) {
    forward<&Recorder::enter>(self, args...);
  };
  functions.leave = [](void *self, auto... args) {
    return forward<&Recorder::leave>(self, args...);
  };
  functions.set = [](void *self, auto... args) {
    forward<&Recorder::set>(self, args...);
  };
  functions.get = [](void *self, auto... args) {
    return forward<&Recorder::get>(self, args...);
  };
  functions.fail = [](void *self, auto... args) {
    forward<&Recorder::fail>(self, args...);
  };
  functions.allocate = [](void *self, auto... args) {
    return forward<&Recorder::allocate>(self, args...);
  };
  functions.fill_random = [](void *self, auto... args) {
    forward<&Recorder::fillRandom>(self, args...);
  };
  functions.expect = [](void *self, auto... args) {
    forward<&Recorder::expect>(self, args...);
  };
  functions.make_unshaped = [](void *self, auto... args) {
    return forward<&Recorder::makeUnshaped>(self, args...);
  };
  functions.warn = [](void *self, auto... args) {
    forward<&Recorder::warn>(self, args...);
  };
}

//===----------------------------------------------------------------------===//
// Places and errors
//===----------------------------------------------------------------------===//

Location Recorder::lineOf(weft_ppl_line at) const {
  // Of C++ the last call is the best hint; who says which kernel runs knows the
  // present line, and at the end the kernel's.
  if (!at.file && lastNumber > 0 && !isKernelGiven)
    at = lastLine();
  return FileLineColLoc::get(&context, at.file ? at.file : options.name.c_str(),
                             unsigned(std::max(at.line, 0)), 0);
}

/// A caller's name of a file may live no longer than its call: it is copied, of
/// a long one the end.
void Recorder::noteLine(weft_ppl_line at) {
  size_t length = std::strlen(at.file);
  size_t kept = std::min(length, sizeof lastFile - 1);
  std::memcpy(lastFile, at.file + (length - kept), kept);
  lastFile[kept] = '\0';
  lastNumber = at.line;
}

// The caller of the outermost wrapper: lines of the headers help nobody.
Location Recorder::locate(weft_ppl_line at) {
  for (const Scope &scope : scopes)
    if (scope.kind == WEFT_PPL_SCOPE_CALL)
      return scope.location;
  if (at.file && at.file != lastFile)
    noteLine(at);
  return lineOf(at);
}

InFlightDiagnostic Recorder::error(weft_ppl_line at) {
  hasFailed = true;
  Location location = locate(at);
  InFlightDiagnostic diagnostic = emitError(location);
  // Rounds of a loop say the same; one message a line will do.
  auto position = mlir::dyn_cast<FileLineColLoc>(location);
  bool isSaid = position && position.getLine() > 0 &&
                !linesWithErrors.insert(location.getAsOpaquePointer()).second;
  if (isSaid)
    diagnostic.abandon();
  for (const Scope &scope : scopes)
    if (scope.kind == WEFT_PPL_SCOPE_CALL && !scope.name.empty())
      diagnostic << scope.name << ": ";
  return diagnostic;
}

bool Recorder::isGivenPointer(const void *pointer, const char *what,
                              weft_ppl_line at) {
  if (pointer)
    return true;
  error(at) << what << " is a null pointer";
  return false;
}

void Recorder::fail(const char *message, weft_ppl_line at) {
  error(at) << (message ? message : "the kernel gave up");
}

void Recorder::warn(const char *message, weft_ppl_line at) {
  emitWarning(locate(at)) << (message ? message : "the kernel warns");
}

const Recorder::Tensor *Recorder::find(int64_t id) const {
  if (id < 1 || size_t(id) > tensors.size())
    return nullptr;
  const Tensor &tensor = tensors[id - 1];
  return tensor.standsFor ? &tensors[tensor.standsFor - 1] : &tensor;
}

std::optional<catalog::DataType> Recorder::typeOf(int32_t code,
                                                  weft_ppl_line at) {
  std::optional<catalog::DataType> type = catalog::dataTypeOf(code);
  if (!type || !ppl::elementTypeOf(*type, &context)) {
    error(at) << "element type "
              << (type ? std::string(catalog::spelling(*type))
                       : std::to_string(code))
              << " has no tensors";
    return std::nullopt;
  }
  return type;
}

int64_t Recorder::add(Tensor tensor) {
  tensors.push_back(std::move(tensor));
  return int64_t(tensors.size());
}

/// Tensors have no place in time: they are made before the round in which the
/// kernel asks for them.
OpBuilder Recorder::tensorBuilder() {
  OpBuilder tensorsBefore = builder;
  Operation *parent = builder.getInsertionBlock()->getParentOp();
  if (mlir::isa<ppl::RoundOp>(parent))
    tensorsBefore.setInsertionPoint(parent);
  return tensorsBefore;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

ppl::TensorViewType frontend::typeOfTensor(const catalog::Tensor &tensor,
                                           const Chip &chip,
                                           MLIRContext &context) {
  auto memory = ppl::Memory(unsigned(tensor.memory));
  Type element = ppl::elementTypeOf(tensor.type, &context);
  std::optional<ppl::Layout> layout = ppl::layoutOf(tensor.layout, memory);
  if (layout &&
      tensor.strides == catalog::stridesOf(tensor.layout, tensor.type,
                                           tensor.shape, tensor.lane, chip))
    return ppl::TensorViewType::get(tensor.shape, element, memory, *layout);
  return ppl::TensorViewType::get(tensor.shape, element, memory,
                                  ArrayRef<int64_t>(tensor.strides));
}

static std::string sizesText(const int64_t *sizes) {
  return std::to_string(sizes[0]) + "x" + std::to_string(sizes[1]) + "x" +
         std::to_string(sizes[2]) + "x" + std::to_string(sizes[3]);
}

/// Elements of the largest tensor: bytes and strides of more would not fit
/// into 64 bits.
static constexpr uint64_t kMostElements = uint64_t(1) << 40;

std::string frontend::shapeProblem(const int64_t *shape, catalog::Memory memory,
                                   const Chip &chip) {
  int64_t most = memory == catalog::Memory::Local ? chip.maxShape : INT32_MAX;
  for (int axis = 0; axis < 4; ++axis)
    if (shape[axis] < 1 || shape[axis] > most)
      return "shape is " + sizesText(shape) + ", each size must be 1 to " +
             std::to_string(most);
  uint64_t elements = 1;
  for (int axis = 0; axis < 4; ++axis)
    if (__builtin_mul_overflow(elements, uint64_t(shape[axis]), &elements) ||
        elements > kMostElements)
      return "shape is " + sizesText(shape) +
             ", more elements than any memory holds";
  return {};
}

/// Empty if a tensor can have these strides.
static std::string strideProblem(const int64_t *strides, const int64_t *shape) {
  for (int axis = 0; axis < 4; ++axis)
    if (strides[axis] < 0 || strides[axis] > INT32_MAX)
      return "a stride is " + std::to_string(strides[axis]) +
             ", must be 0 to 2147483647 elements";
  double reach = 0;
  for (int axis = 0; axis < 4; ++axis)
    reach += double(shape[axis] - 1) * double(strides[axis]);
  if (reach > double(kMostElements))
    return "the strides reach farther than any memory";
  return {};
}

bool frontend::isInside(const catalog::Tensor &tensor, uint64_t start,
                        uint64_t rootBytes, const Chip &chip) {
  return *tensor.address >= start &&
         *tensor.address + catalog::extentBytes(tensor, chip) <=
             start + rootBytes;
}

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
  if (std::string problem = shapeProblem(shape, d.memory, chip);
      !problem.empty()) {
    error(at) << problem;
    return false;
  }
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
  if (!isGivenPointer(shape, "a tensor's shape", at))
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
  if (!isGivenPointer(shape, "a view's shape", at))
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
  if (std::string problem = shapeProblem(shape, d.memory, chip);
      !problem.empty()) {
    error(at) << "view: " << problem;
    return 0;
  }
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
      !isGivenPointer(offset, "a part's offset", at))
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

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// False if the argument has no kind that there is.
bool Recorder::fillArgument(const weft_ppl_argument &given,
                            const catalog::Slot &slot,
                            catalog::Argument &argument,
                            ppl::FunctionArgument &irArgument,
                            bool &isPoisoned) {
  using Kind = catalog::Argument::Kind;
  bool wantsReal = slot.kind == catalog::SlotKind::Float;
  switch (given.kind) {
  case WEFT_PPL_OMITTED:
    return true;
  case WEFT_PPL_TENSOR: {
    const Tensor *tensor = find(given.integer);
    if (!tensor || tensor->isPoisoned) {
      isPoisoned = true; // its error has been reported
      return true;
    }
    argument.kind = Kind::Tensor;
    argument.tensor = tensor->description;
    irArgument.value = tensor->value;
    return true;
  }
  case WEFT_PPL_INTEGER:
    argument.kind = Kind::Integer;
    argument.integer = given.integer;
    argument.real = double(given.integer);
    if (wantsReal)
      irArgument.attribute = builder.getF64FloatAttr(double(given.integer));
    else
      irArgument.attribute = builder.getI64IntegerAttr(given.integer);
    return true;
  case WEFT_PPL_FLOAT:
    argument.kind = Kind::Float;
    argument.real = given.real;
    irArgument.attribute = builder.getF64FloatAttr(given.real);
    return true;
  case WEFT_PPL_INTEGERS:
    if (given.count < 0 || (given.count > 0 && !given.integers))
      return false;
    argument.kind = Kind::Integers;
    argument.integers.assign(given.integers, given.integers + given.count);
    irArgument.attribute = builder.getDenseI64ArrayAttr(argument.integers);
    return true;
  default:
    return false;
  }
}

void Recorder::call(const char *name, const weft_ppl_argument *arguments,
                    size_t count, weft_ppl_line at) {
  if (!isGivenPointer(name, "a function's name", at) ||
      (count && !isGivenPointer(arguments, "a function's arguments", at)))
    return;
  const catalog::Operation *function = catalog::find(name);
  if (!function) {
    error(at) << "there is no function ppl::" << name;
    return;
  }
  std::string spelt = catalog::qualifiedName(*function);
  if (count > function->slots.size()) {
    error(at) << spelt << ": " << count << " arguments, takes at most "
              << function->slots.size();
    return;
  }
  catalog::Call call;
  call.operation = function;
  call.chip = &chip;
  call.arguments.resize(function->slots.size());
  SmallVector<ppl::FunctionArgument> irArguments(count);
  bool isPoisoned = false;
  for (size_t i = 0; i < count; ++i)
    if (!fillArgument(arguments[i], function->slots[i], call.arguments[i],
                      irArguments[i], isPoisoned)) {
      error(at) << spelt << ": argument " << i << " has kind "
                << arguments[i].kind << ", which there is not";
      return;
    }
  if (isPoisoned)
    return;
  std::vector<int64_t> ids(count);
  for (size_t i = 0; i < count; ++i) {
    if (arguments[i].kind != WEFT_PPL_TENSOR)
      continue;
    ids[i] = arguments[i].integer;
    const Tensor *tensor = find(ids[i]);
    if (!tensor->isUnshaped && !isShaped(*tensor, spelt.c_str(), at)) {
      poison(arguments, count);
      return;
    }
  }
  std::string problem;
  if (!settle({call, irArguments, ids, at}, problem)) {
    if (!problem.empty())
      error(at) << spelt << ": " << problem;
    poison(arguments, count);
    return;
  }
  Operation *op =
      ppl::createFunction(builder, locate(at), *function, irArguments);
  if (parallelRegion)
    op->setAttr(ppl::kParallelRegion,
                builder.getI64IntegerAttr(parallelRegion));
  if (live)
    runNow(std::move(call), ids, spelt, at);
}

void Recorder::runNow(catalog::Call call, const std::vector<int64_t> &ids,
                      const std::string &name, weft_ppl_line at) {
  std::vector<LiveValues::Root> roots(call.arguments.size());
  for (size_t i = 0; i < ids.size(); ++i)
    if (const Tensor *tensor = find(ids[i])) { // shaped by now
      call.arguments[i].tensor = tensor->description;
      roots[i] = {tensor->start, tensor->rootBytes};
    }
  rt::Status status = relayValues();
  if (status)
    status = live->run(std::move(call), roots);
  if (!status)
    error(at) << name << ": " << status.message();
}

rt::Result<catalog::Dense> Recorder::values(int64_t id) {
  const Tensor *tensor = find(id);
  if (!live || !tensor || tensor->isUnshaped || tensor->isPoisoned)
    return rt::fail(rt::Code::InvalidArgument,
                    !live ? "this recording keeps no values"
                          : "the tensor has no values yet");
  return live->read(tensor->description, {tensor->start, tensor->rootBytes});
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

void Recorder::enter(int32_t kind, const char *name, weft_ppl_line at) {
  Scope scope(kind, name ? name : "", locate(at));
  if (kind == WEFT_PPL_SCOPE_ITERATION) {
    bool isNested = llvm::any_of(scopes, [](const Scope &outer) {
      return outer.kind == WEFT_PPL_SCOPE_ITERATION;
    });
    if (isNested) {
      error(at) << "enable_pipeline() in a loop inside a pipelined loop; keep "
                   "the one of the inner loop";
    } else {
      std::string loop = std::string(at.file ? at.file : "kernel") + ":" +
                         std::to_string(at.line);
      auto round = builder.create<ppl::RoundOp>(locate(at), loop);
      builder.setInsertionPointToEnd(&round.getBody().emplaceBlock());
    }
  }
  if (kind == WEFT_PPL_SCOPE_PARALLEL)
    parallelRegion = ++parallelRegions;
  isKernelGiven |= kind == WEFT_PPL_SCOPE_KERNEL;
  if (kind == WEFT_PPL_SCOPE_ATTEMPT &&
      mlir::isa<ppl::RoundOp>(builder.getInsertionBlock()->getParentOp()))
    error(at) << "attempt() inside a pipelined loop; put the loop into the "
                 "attempt";
  if (kind == WEFT_PPL_SCOPE_ATTEMPT) {
    Block &body = net.getBody().front();
    scope.lastBefore = body.empty() ? nullptr : &body.back();
    scope.tensorsBefore = tensors.size();
    scope.addressesBefore = addressesAreGiven;
    scope.methodBefore = allocationMethod;
    for (size_t i = 0; i < tensors.size(); ++i)
      if (tensors[i].isUnshaped)
        scope.unshapedBefore.emplace_back(int64_t(i + 1), tensors[i]);
  }
  scopes.push_back(std::move(scope));
}

int32_t Recorder::leave(int32_t kind) {
  if (scopes.empty() || scopes.back().kind != kind) {
    error({nullptr, 0}) << "scopes of the kernel are left in the wrong order";
    return 0;
  }
  Scope scope = std::move(scopes.back());
  scopes.pop_back();
  if (kind == WEFT_PPL_SCOPE_PARALLEL)
    parallelRegion = 0;
  if (kind == WEFT_PPL_SCOPE_ITERATION)
    builder.setInsertionPointToEnd(&net.getBody().front());
  return kind == WEFT_PPL_SCOPE_ATTEMPT ? leaveAttempt(scope) : 0;
}

int32_t Recorder::leaveAttempt(const Scope &scope) {
  if (hasFailed || !options.fits)
    return 0;
  int32_t code = options.fits(net);
  if (code == 0)
    return 0;
  Block &body = net.getBody().front();
  while (!body.empty() && &body.back() != scope.lastBefore)
    body.back().erase();
  tensors.resize(scope.tensorsBefore);
  for (const auto &[number, tensor] : scope.unshapedBefore)
    tensors[number - 1] = tensor;
  addressesAreGiven = scope.addressesBefore;
  allocationMethod = scope.methodBefore;
  return code;
}

//===----------------------------------------------------------------------===//
// Settings and numbers
//===----------------------------------------------------------------------===//

void Recorder::set(int32_t setting, int64_t subject, int64_t value) {
  switch (setting) {
  case WEFT_PPL_BLOCK_NUM:
    blocks = unsigned(std::clamp<int64_t>(value, 1, chip.cores));
    return;
  case WEFT_PPL_ALLOCATION_METHOD:
    if (value < 0 || value > 2) {
      error({nullptr, 0}) << "the method of allocation is " << value
                          << ", must be 0 to 2 (memory_alloc_method_t)";
      return;
    }
    allocationMethod = unsigned(value);
    return;
  case WEFT_PPL_PINGPONG:
    if (subject >= 1 && size_t(subject) <= tensors.size())
      tensors[subject - 1].isSingle = value == 0; // of an unshaped one
    if (const Tensor *tensor = find(subject); tensor && tensor->root)
      if (auto alloc = tensor->root.getDefiningOp<ppl::AllocOp>())
        alloc.setSingle(value == 0);
    return;
  case WEFT_PPL_SEED:
    seed = uint64_t(value);
    fills = 0;
    return;
  case WEFT_PPL_BARRIER: {
    bool isInRound =
        mlir::isa<ppl::RoundOp>(builder.getInsertionBlock()->getParentOp());
    bool meetsCores = value != 0 && chip.cores > 1;
    if (isInRound && meetsCores) {
      error({nullptr, 0}) << "sync() inside a pipelined loop; meet outside";
      return;
    }
    // Recorded one after the other, cores do not see what others will write.
    if (live && blocks > 1 && meetsCores) {
      error({nullptr, 0}) << "sync() of several cores while values are shown; "
                             "step through the kernel on one core";
      return;
    }
    // Outside of loops one core's commands are in order anyway.
    if (isInRound || meetsCores)
      builder.create<ppl::BarrierOp>(UnknownLoc::get(&context));
    return;
  }
  default:
    return; // what else there is changes no value, see kernel.h
  }
}

int64_t Recorder::get(int32_t number, int64_t subject) const {
  switch (number) {
  case WEFT_PPL_LANES:
    return chip.lanes;
  case WEFT_PPL_EU_BYTES:
    return chip.euBytes;
  case WEFT_PPL_LANE_BYTES:
    return chip.laneBytes;
  case WEFT_PPL_BANKS:
    return chip.banks;
  case WEFT_PPL_CORES:
    return chip.cores;
  case WEFT_PPL_L2_BYTES:
    return chip.l2MemoryBytes;
  case WEFT_PPL_BLOCK_NUM_NOW:
    return blocks;
  case WEFT_PPL_BLOCK_INDEX:
    return options.blockIndex;
  case WEFT_PPL_CHANNEL_PACK: {
    // N-IC (PPL 1.2): one for fp32, twice the lanes for 4 bits, else the lanes
    // by the bytes of an element.
    std::optional<catalog::DataType> type = catalog::dataTypeOf(subject);
    unsigned bits = type ? catalog::bitsOf(*type) : 32;
    return bits >= 32 ? 1 : int64_t(chip.lanes) * 8 / bits;
  }
  case WEFT_PPL_GROUP_NUM_NOW:
    return 1;
  case WEFT_PPL_FAILED:
    return hasFailed;
  default:
    return 0;
  }
}

//===----------------------------------------------------------------------===//
// Test memory
//===----------------------------------------------------------------------===//

void *Recorder::allocate(int32_t typeCode, const int64_t *shape,
                         const char *name, weft_ppl_line at) {
  std::optional<catalog::DataType> type = typeOf(typeCode, at);
  if (!type || !isGivenPointer(shape, "malloc: the shape", at))
    return nullptr;
  uint64_t bytes = catalog::bytesOf(*type);
  for (int axis = 0; axis < 4; ++axis) {
    bool overflows =
        shape[axis] < 1 ||
        __builtin_mul_overflow(bytes, uint64_t(shape[axis]), &bytes);
    if (overflows) {
      error(at) << "malloc: shape is " << sizesText(shape)
                << (shape[axis] < 1 ? ", sizes must be positive"
                                    : ", more bytes than 64 bits count");
      return nullptr;
    }
  }
  if (!memory.take(bytes)) {
    error(at) << "malloc: " << bytes << " bytes do not fit, " << memory.used()
              << " of " << options.globalBytes
              << " bytes of global memory are taken";
    return nullptr;
  }
  DeviceMemory::Piece &piece = memory.pieces.back();
  piece.isTest = true;
  piece.type = typeCode;
  std::copy(shape, shape + 4, piece.shape);
  if (name)
    piece.name = name;
  return memory.at(piece.address);
}

bool Recorder::isInMemory(const void *pointer, catalog::DataType type,
                          int64_t count) const {
  std::optional<uint64_t> address =
      memory.addressOf(reinterpret_cast<uintptr_t>(pointer));
  const DeviceMemory::Piece *piece =
      address ? memory.pieceAt(*address) : nullptr;
  return piece && count >= 0 &&
         uint64_t(count) <= (piece->address + piece->bytes - *address) /
                                catalog::bytesOf(type);
}

void Recorder::fillRandom(void *pointer, int32_t typeCode, int64_t count,
                          double low, double high) {
  weft_ppl_line at = {nullptr, 0};
  std::optional<catalog::DataType> type = typeOf(typeCode, at);
  if (!type || !isGivenPointer(pointer, "fill_random: the memory", at))
    return;
  // Of the test's own memory nobody knows how much there is.
  bool isOfProgram =
      memory.addressOf(reinterpret_cast<uintptr_t>(pointer)).has_value();
  if (count < 0 || (isOfProgram && !isInMemory(pointer, *type, count))) {
    error(at) << "fill_random: " << count << " values do not lie in one piece "
              << "of global memory of this program";
    return;
  }
  uint64_t state = seed * 0x2545f4914f6cdd1d + ++fills;
  catalog::Dense one(*type, {1, 1, 1, 1});
  auto *bytes = static_cast<uint8_t *>(pointer);
  for (int64_t i = 0; i < count; ++i) {
    double unit = double(numeric::nextRandom(state) >> 11) * 0x1p-53;
    double value = catalog::isFloat(*type)
                       ? low + unit * (high - low)
                       : low + std::floor(unit * (high - low + 1));
    one.setValue(0, value);
    std::copy(one.bytes.begin(), one.bytes.end(),
              bytes + i * catalog::bytesOf(*type));
  }
}

void Recorder::expect(const void *pointer, int32_t typeCode, int64_t count,
                      const double *expected, double rtol, double atol,
                      weft_ppl_line at) {
  std::optional<catalog::DataType> type = typeOf(typeCode, at);
  if (!type)
    return;
  if (count < 1 || !isInMemory(pointer, *type, count)) {
    error(at) << "expect: " << count << " values do not lie in global memory "
              << "of this program";
    return;
  }
  if (!isGivenPointer(expected, "what expect() waits for", at))
    return;
  uint64_t address = *memory.addressOf(reinterpret_cast<uintptr_t>(pointer));
  expectations.push_back(
      {address, *type, {expected, expected + count}, rtol, atol, lineOf(at)});
}

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

void Recorder::emitScopeError() {
  hasFailed = true;
  emitError(scopes.back().location)
      << "the kernel ends inside what " << scopes.back().name
      << "() begins here; end it before";
}

OwningOpRef<ModuleOp> Recorder::finish() {
  if (!scopes.empty() && !hasFailed)
    emitScopeError();
  if (hasFailed)
    return nullptr;
  if (options.describesInterface) {
    inputSources = describeInterface(net, memory, chip);
    // A block may leave the work to the others.
    if (net.getOutputs().empty() && blocks == 1 && options.blockIndex == 0) {
      error({nullptr, 0}) << "the program writes no global memory; store a "
                             "result";
      return nullptr;
    }
  }
  if (!options.describesInterface)
    describeOutputs(net, memory, chip);
  return std::move(theModule);
}
