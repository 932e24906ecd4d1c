//===- Ppl.cpp - the ppl dialect and its types ---------------------------===//

#include "dialects/ppl/Ppl.h"
#include "dialects/ppl/TensorLayout.h"
#include "runtime/chips/Alignment.h"
#include "runtime/chips/Chips.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weft::ppl;

#include "dialects/ppl/PplDialect.cpp.inc"
#include "dialects/ppl/PplEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/ppl/PplTypes.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/ppl/PplAttrs.cpp.inc"

void PplDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/ppl/PplTypes.cpp.inc"
      >();
}

void PplDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/ppl/PplAttrs.cpp.inc"
      >();
}

void PplDialect::initialize() {
  registerTypes();
  registerAttributes();
  registerMemory();
  registerRound();
  registerFunctions();
  registerNet();
  registerHost();
}

//===----------------------------------------------------------------------===//
// !ppl.tensor
//===----------------------------------------------------------------------===//

Type TensorViewType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape, strides;
  Type elementType;
  StringRef memoryWord;
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(elementType) || parser.parseComma())
    return {};
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&memoryWord) || parser.parseComma())
    return {};
  std::optional<Memory> memory = symbolizeMemory(memoryWord);
  if (!memory) {
    parser.emitError(loc) << "memory is '" << memoryWord
                          << "', must be local, global, static or l2";
    return {};
  }
  std::optional<Layout> layout = Layout::Strided;
  loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalLSquare())) {
    auto parseStride = [&] {
      return parser.parseInteger(strides.emplace_back());
    };
    if (parser.parseCommaSeparatedList(parseStride) || parser.parseRSquare())
      return {};
  } else {
    StringRef word;
    if (parser.parseKeyword(&word))
      return {};
    layout = symbolizeLayout(word);
    if (!layout || *layout == Layout::Strided) {
      parser.emitError(loc) << "layout is '" << word
                            << "', must be aligned, compact, line_aligned, "
                               "channel, continuous or "
                               "[n, c, h, w] strides";
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<TensorViewType>(
      loc, parser.getContext(), shape, elementType, *memory, *layout, strides);
}

void TensorViewType::print(AsmPrinter &printer) const {
  printer << "<";
  printer.printDimensionList(getShape());
  printer << "x" << getElementType() << ", " << stringifyMemory(getMemory())
          << ", ";
  if (getLayout() != Layout::Strided) {
    printer << stringifyLayout(getLayout());
  } else {
    printer << "[";
    llvm::interleaveComma(getStrides(), printer);
    printer << "]";
  }
  printer << ">";
}

LogicalResult
TensorViewType::verify(function_ref<InFlightDiagnostic()> emitError,
                       ArrayRef<int64_t> shape, Type elementType, Memory memory,
                       Layout layout, ArrayRef<int64_t> strides) {
  if (shape.size() != 4)
    return emitError() << "a ppl tensor has 4 sizes n, c, h, w; found "
                       << shape.size();
  // In DRAM rows that a list names may be more; the verifiers of all other
  // commands ask for less.
  bool isSystem = memory == Memory::Global || memory == Memory::L2;
  int64_t largest = isSystem ? INT32_MAX : int64_t(chips::largestShape());
  for (int64_t size : shape) // (C1)
    if (size < 1 || size > largest)
      return emitError() << "a size is " << size << ", must be 1 to " << largest
                         << "; split the tensor";
  if (elementBitsOf(elementType) == 0)
    return emitError()
           << "element type is " << elementType
           << ", must be f32, f16, bf16, si8, ui8, si16, ui16, si32 or ui32 "
              "(or, for functions, tf32, f8E4M3FN, f8E5M2, si4, ui4, si64, "
              "ui64, !ppl.fp20)";
  if (layout == Layout::Strided) {
    if (strides.size() != 4)
      return emitError() << "there are " << strides.size()
                         << " strides, must be 4 (n, c, h, w)";
    for (int64_t stride : strides) // (C2)
      if (stride < 0 || stride > INT32_MAX)
        return emitError() << "a stride is " << stride
                           << ", must be 0 to 2147483647 elements";
    return success();
  }
  if (!strides.empty())
    return emitError() << "strides go with the strided layout only";
  bool isLocalLayout = layout != Layout::Continuous;
  if (isLocalLayout != (memory == Memory::Local)) // (C3)
    return emitError() << "layout " << stringifyLayout(layout)
                       << " does not exist in " << stringifyMemory(memory)
                       << " memory; local has aligned, compact, line_aligned, "
                          "channel; the others "
                          "have continuous; every memory has strides";
  return success();
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

std::optional<weft::isa::Precision> weft::ppl::precisionOf(Type type) {
  if (type.isF32())
    return isa::Precision::Fp32;
  if (type.isF16())
    return isa::Precision::Fp16;
  if (type.isBF16())
    return isa::Precision::Bf16;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.isSignless())
    return std::nullopt;
  switch (integer.getWidth()) {
  case 8:
    return isa::Precision::Int8;
  case 16:
    return isa::Precision::Int16;
  case 32:
    return isa::Precision::Int32;
  default:
    return std::nullopt;
  }
}

unsigned weft::ppl::elementBitsOf(Type type) {
  if (std::optional<isa::Precision> precision = precisionOf(type))
    return 8 * isa::elementBytes(*precision);
  if (type.isTF32())
    return 32; // lies in memory as f32
  if (mlir::isa<Fp20Type>(type))
    return 20;
  if (mlir::isa<Float8E4M3FNType, Float8E5M2Type>(type))
    return 8;
  auto integer = dyn_cast<IntegerType>(type);
  bool isOther = integer && !integer.isSignless() &&
                 (integer.getWidth() == 4 || integer.getWidth() == 64);
  return isOther ? integer.getWidth() : 0;
}

unsigned weft::ppl::elementBytesOf(TensorViewType type) {
  return (elementBitsOf(type.getElementType()) + 7) / 8;
}

Strides weft::ppl::stridesOf(TensorViewType type, unsigned lane,
                             const Chip &chip) {
  int64_t perRow = 8 * chip.euBytes / elementBitsOf(type.getElementType());
  int64_t rows = (lane + type.getC() + chip.lanes - 1) / chip.lanes;
  int64_t h = type.getH(), w = type.getW();
  switch (type.getLayout()) {
  case Layout::Strided: {
    ArrayRef<int64_t> s = type.getStrides();
    return {s[0], s[1], s[2], s[3]};
  }
  case Layout::Continuous:
    return {type.getC() * h * w, h * w, w, 1};
  case Layout::Channel:
    return {0, 1, 0, 0};
  case Layout::Aligned: {
    int64_t channel = alignUp<int64_t>(h * w, perRow);
    return {rows * channel, channel, w, 1};
  }
  case Layout::Compact:
    return {rows * h * w, h * w, w, 1};
  case Layout::LineAligned: {
    int64_t line = alignUp<int64_t>(w, perRow);
    return {rows * h * line, h * line, line, 1};
  }
  }
  llvm_unreachable("covered switch");
}

uint64_t weft::ppl::extentBytes(TensorViewType type, unsigned lane,
                                const Chip &chip) {
  Strides s = stridesOf(type, lane, chip);
  int64_t channels = type.getC();
  if (type.isLocal()) // channels of one lane
    channels = (lane + type.getC() + chip.lanes - 1) / chip.lanes;
  int64_t last = (type.getN() - 1) * s.n + (channels - 1) * s.c +
                 (type.getH() - 1) * s.h + (type.getW() - 1) * s.w;
  return uint64_t(last + 1) * elementBytesOf(type);
}

unsigned weft::ppl::startAlignment(TensorViewType type, const Chip &chip) {
  switch (type.getLayout()) {
  case Layout::Aligned:
  case Layout::LineAligned:
    return chip.euBytes;
  case Layout::Compact:
  case Layout::Channel:
    return 4;
  case Layout::Strided:
  case Layout::Continuous:
    return elementBytesOf(type);
  }
  llvm_unreachable("covered switch");
}
