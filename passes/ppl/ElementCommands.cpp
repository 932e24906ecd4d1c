//===- ElementCommands.cpp - commands of element functions ---------------===//

#include "passes/ppl/ElementCommands.h"
#include "dialects/ppl/TiuSpecial.h"
#include "runtime/ppl/CoefficientTables.h"
#include "runtime/ppl/Interpreter.h"

using namespace mlir;
using namespace weft;
using namespace weft::ppl;

static TensorViewType tensorType(Value tensor) {
  return cast<TensorViewType>(tensor.getType());
}

static int64_t codeOf(Type element) { return int64_t(*precisionOf(element)); }

static bool isSignedElement(Type element) {
  auto integer = dyn_cast<IntegerType>(element);
  return !integer || integer.isSigned();
}

ElementCommands::ElementCommands(Expansion &expansion, StringRef result)
    : e(expansion), lane(expansion.described(result).lane),
      shape(expansion.type(result).getShape()) {}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Element ElementCommands::of(Value tensor) const {
  return {tensor, tensorType(tensor).getElementType()};
}

Element ElementCommands::constant(Type type, double value) const {
  // As the interpreter converts it.
  catalog::Dense one(*dataTypeOf(type), {1, 1, 1, 1});
  one.setValue(0, value);
  return {nullptr, type, uint32_t(one.bits(0))};
}

Element ElementCommands::operand(StringRef slot, Type type) const {
  Value tensor = e.tensor(slot);
  return tensor ? of(tensor) : constant(type, e.real(slot));
}

Element ElementCommands::wholeOperand(StringRef slot, bool isSigned) const {
  if (Value tensor = e.tensor(slot))
    return of(tensor);
  int64_t value = e.integer(slot);
  bool sign = value < 0 || (isSigned && value <= INT32_MAX);
  return {nullptr, integer(32, sign), uint32_t(uint64_t(value))};
}

Value ElementCommands::as(Value tensor, Type type) const {
  TensorViewType own = tensorType(tensor);
  return own.getElementType() == type
             ? tensor
             : e.view(tensor, Expansion::withElement(own, type));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value ElementCommands::room(Type type) {
  return e.temporary(shape, type, Layout::Aligned, lane);
}

Value ElementCommands::aligned(Value tensor) {
  TensorViewType type = tensorType(tensor);
  if (type.getLayout() == Layout::Aligned)
    return tensor;
  Value copied = e.temporary(type.getShape(), type.getElementType(),
                             Layout::Aligned, lane);
  copy(copied, of(tensor));
  return copied;
}

Value ElementCommands::replicated(Value source) {
  // Channel 0 lies in `lane`; from all lanes the one of each channel is read.
  Value row = aligned(e.bits(source));
  TensorViewType type = tensorType(row);
  SmallVector<int64_t> all = {type.getN(), int64_t(e.chip.lanes), type.getH(),
                              type.getW()};
  Value lanes = e.temporary(all, type.getElementType());
  e.create<LaneBroadcastOp>(lanes, row);
  return as(lanes, tensorType(source).getElementType());
}

Value ElementCommands::spread(Value source, TensorViewType dst) {
  TensorViewType type = tensorType(source);
  if (type.getShape() == dst.getShape())
    return source;
  Strides strides = stridesOf(type, lane, e.chip);
  SmallVector<int64_t> offset = {0, 0, 0, 0};
  if (type.getC() != dst.getC()) {
    source = replicated(source);
    strides = stridesOf(tensorType(source), 0, e.chip);
    strides.c = 0;
    offset[1] = lane;
  }
  auto along = [&](int axis, int64_t stride) {
    return type.getShape()[axis] == dst.getShape()[axis] ? stride : 0;
  };
  SmallVector<int64_t> repeated = {along(0, strides.n), strides.c,
                                   along(2, strides.h), along(3, strides.w)};
  return e.view(source,
                TensorViewType::get(dst.getShape(), type.getElementType(),
                                    Memory::Local, repeated),
                offset);
}

Value ElementCommands::table(int64_t mode, int64_t count, Type type) {
  std::optional<catalog::CoefficientTable> found =
      catalog::coefficientTable(mode, *dataTypeOf(type));
  Type stored = found ? type : f32();
  if (!found)
    found = catalog::coefficientTable(mode, catalog::DataType::Fp32);
  SmallVector<int64_t> rowShape = {1, 1, 1, count},
                       shapes = {1, int64_t(e.chip.lanes), 1, count};
  Value row = e.create<StaticOp>(
      TensorViewType::get(rowShape, stored, Memory::Static, Layout::Continuous),
      int64_t(found->byte));
  Value lanes = e.temporary(shapes, stored);
  e.create<LaneBroadcastOp>(lanes, row);
  if (stored == type)
    return lanes;
  Value converted = e.temporary(shapes, type);
  cast(converted, lanes);
  return converted;
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

namespace {
/// The fields of the result or of an operand of AR.
struct FieldNames {
  StringLiteral address, precision, sign, isConstant, layout, n, c, h, w;
};
} // namespace

static constexpr FieldNames kResult = {
    "res0_addr",  "res0_prec",  "",           "",          "res0_str",
    "res0_n_str", "res0_c_str", "res0_h_str", "res0_w_str"};
static constexpr FieldNames kOperands[] = {
    {"opd0_addr", "opd0_prec", "opd0_sign", "opd0_const", "opd0_str",
     "opd0_n_str", "opd0_c_str", "opd0_h_str", "opd0_w_str"},
    {"opd1_addr", "opd1_prec", "opd1_sign", "opd1_const", "opd1_str",
     "opd1_n_str", "opd1_c_str", "opd1_h_str", "opd1_w_str"}};

void ElementCommands::setShape(Fields &fields, TensorViewType type) const {
  fields.append({{"res0_n", type.getN()},
                 {"res0_c", type.getC()},
                 {"res0_h", type.getH()},
                 {"res0_w", type.getW()}});
}

/// The layout's code, with strides where it has no code.
static void setLayout(SmallVectorImpl<Expansion::Field> &fields,
                      const FieldNames &names, TensorViewType type,
                      unsigned lane, const Chip &chip) {
  if (type.getLayout() == Layout::Aligned ||
      type.getLayout() == Layout::Compact)
    return fields.push_back(
        {names.layout,
         int64_t(type.getLayout() == Layout::Aligned ? isa::Layout::Aligned
                                                     : isa::Layout::Compact)});
  Strides strides = stridesOf(type, lane, chip);
  // A stride that no element is away from need not fit its field.
  auto along = [&](int64_t size, int64_t stride) {
    return size > 1 ? stride : 1;
  };
  int64_t rows = (lane + type.getC() + chip.lanes - 1) / chip.lanes;
  fields.append({{names.layout, int64_t(isa::Layout::Free)},
                 {names.n, along(type.getN(), strides.n)},
                 {names.c, along(rows, strides.c)},
                 {names.h, along(type.getH(), strides.h)},
                 {names.w, along(type.getW(), strides.w)}});
}

LogicalResult ElementCommands::arith(unsigned func, Value dst,
                                     ArrayRef<Element> operands,
                                     const ArithOptions &options) {
  TensorViewType result = tensorType(dst);
  SmallVector<Value> tensors = {dst};
  for (const Element &operand : operands)
    if (!operand.isConstant())
      tensors.push_back(spread(operand.tensor, result));
  bool cutsShift = false;
  e.eachPart(tensors, lane, [&](ArrayRef<Value> parts) {
    TensorViewType type = tensorType(parts[0]);
    cutsShift |= options.shift && type.getC() != result.getC();
    unsigned from = describe(parts[0], e.chip).lane;
    Fields fields;
    Bindings bindings;
    setShape(fields, type);
    fields.push_back({"res0_prec", codeOf(type.getElementType())});
    setLayout(fields, kResult, type, from, e.chip);
    bindings.push_back(
        {"res0_addr", parts[0],
         options.readsResult ? Expansion::Updates : Expansion::Writes});
    size_t next = 1;
    for (auto [index, operand] : llvm::enumerate(operands)) {
      const FieldNames &names = kOperands[index];
      fields.push_back({names.precision, codeOf(operand.type)});
      if (isSignedElement(operand.type) &&
          !(index == 0 && options.firstIsUnsigned))
        fields.push_back({names.sign, 1});
      if (operand.isConstant()) {
        fields.append(
            {{names.isConstant, 1}, {names.address, int64_t(operand.bits)}});
        continue;
      }
      setLayout(fields, names, tensorType(parts[next]), from, e.chip);
      bindings.push_back({names.address, parts[next++], Expansion::Reads});
    }
    bool hasThird = options.third || options.shift;
    if (options.third)
      fields.append(
          {{"opd2_const", 1}, {"opd2_addr", int64_t(*options.third)}});
    if (options.shift)
      bindings.push_back({"opd2_addr", options.shift, Expansion::Reads});
    if (options.thirdType)
      fields.push_back({"opd2_prec", codeOf(options.thirdType)});
    if (func == isa::arith::Cast && isSignedElement(type.getElementType()))
      fields.push_back({"opd2_sign", 1});
    fields.push_back({"tsk_opd_num", int64_t(operands.size() + hasThird)});
    fields.push_back({"opd2_n_str", options.code});
    e.command(Engine::Tiu, int32_t(isa::TiuType::Arith), int32_t(func), fields,
              bindings);
  });
  if (cutsShift)
    return e.unsupported("one shift a channel beside a channel stride above "
                         "65535 elements; use an N-byte aligned or compact "
                         "layout");
  return success();
}

void ElementCommands::copy(Value dst, const Element &src) {
  // As integers, so that no float rule applies.
  Type bitsType = integer(elementBitsOf(src.type), false);
  Element from = src.isConstant() ? bits(bitsType, src.bits)
                                  : of(as(src.tensor, bitsType));
  (void)arith(isa::arith::Copy, as(dst, bitsType), {from});
}

void ElementCommands::cast(Value dst, Value src, int64_t rounding) {
  ArithOptions options;
  options.code = rounding;
  (void)arith(isa::arith::Cast, dst, {of(src)}, options);
}

void ElementCommands::select(unsigned func, Value dst,
                             ArrayRef<Element> sources, Value extreme) {
  static constexpr StringLiteral addresses[] = {"opd0_addr", "opd1_addr",
                                                "opd2_addr", "opd3_addr"},
                                 constants[] = {"opd0_const", "opd1_const",
                                                "opd2_const", "opd3_const"},
                                 layouts[] = {"opd0_str", "opd1_str"};
  Fields fields;
  Bindings bindings;
  TensorViewType type = tensorType(dst);
  setShape(fields, type);
  fields.append({{"opd0_prec", codeOf(sources[0].type)},
                 {"opd2_prec", codeOf(type.getElementType())},
                 {"opd0_sign", isSignedElement(sources[0].type)}});
  if (extreme)
    bindings.append({{"res0_addr", extreme, Expansion::Writes},
                     {"res1_addr", dst, Expansion::Writes}});
  else
    bindings.push_back({"res0_addr", dst, Expansion::Writes});
  for (auto [index, source] : llvm::enumerate(sources)) {
    if (source.isConstant()) {
      fields.append(
          {{constants[index], 1}, {addresses[index], int64_t(source.bits)}});
      continue;
    }
    bindings.push_back({addresses[index], source.tensor, Expansion::Reads});
    if (tensorType(source.tensor).getShape() != type.getShape())
      fields.push_back({layouts[index], int64_t(isa::Layout::Channel)});
  }
  e.command(Engine::Tiu, int32_t(isa::TiuType::Compare), int32_t(func), fields,
            bindings);
}

void ElementCommands::special(unsigned func, Value dst, Value src, int64_t code,
                              int64_t steps) {
  Fields fields;
  setShape(fields, tensorType(dst));
  fields.append({{"res0_prec", codeOf(tensorType(dst).getElementType())},
                 {"opd0_prec", codeOf(tensorType(src).getElementType())},
                 {"opd2_n_str", code},
                 {"opd1_n", steps}});
  e.command(Engine::Tiu, int32_t(isa::TiuType::Special), int32_t(func), fields,
            {{"res0_addr", dst, Expansion::Writes},
             {"opd0_addr", src, Expansion::Reads}});
}

void ElementCommands::taylor(Value dst, Value src, Value table, int64_t count) {
  Fields fields;
  setShape(fields, tensorType(dst));
  fields.append({{"res0_prec", codeOf(tensorType(dst).getElementType())},
                 {"opd0_prec", codeOf(tensorType(src).getElementType())},
                 {"opd1_n", count},
                 {"opd2_n_str", 1}});
  e.command(Engine::Tiu, int32_t(isa::TiuType::Special),
            int32_t(isa::sfu::Taylor4x), fields,
            {{"res0_addr", dst, Expansion::Writes},
             {"opd0_addr", src, Expansion::Reads},
             {"opd1_addr", table, Expansion::Reads}});
}
