//===- Decision.cpp - what passes decided, and why ------------------------===//

#include "dialects/tpu/Decision.h"

#include "dialects/tpu/Gather.h"
#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/Host.h"
#include "dialects/tpu/MatMul.h"
#include "dialects/tpu/Move.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

static StringRef wordOf(const rt::DecisionKind &kind) {
  return {kind.word.data(), kind.word.size()};
}

llvm::raw_ostream &rt::operator<<(llvm::raw_ostream &os, Cause cause) {
  return os << wordOf(kindOf(cause));
}
llvm::raw_ostream &rt::operator<<(llvm::raw_ostream &os, DramReason reason) {
  return os << wordOf(kindOf(reason));
}
llvm::raw_ostream &rt::operator<<(llvm::raw_ostream &os, Question question) {
  return os << wordOf(kindOf(question));
}

template <typename Kind, size_t N>
static FailureOr<Kind> parseDecisionKind(AsmParser &parser, const char *what,
                                         const rt::DecisionKind (&rows)[N]) {
  SMLoc location = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  if (auto kind = rt::findKind<Kind>(rows, {word.data(), word.size()}))
    return *kind;
  SmallVector<StringRef> words;
  for (const rt::DecisionKind &row : rows)
    words.push_back(wordOf(row));
  return parser.emitError(location)
         << "unknown " << what << " '" << word << "'; known are "
         << llvm::join(words, ", ");
}

FailureOr<rt::Cause> FieldParser<rt::Cause>::parse(AsmParser &parser) {
  return parseDecisionKind<rt::Cause>(parser, "cause", rt::kCauses);
}
FailureOr<rt::DramReason>
FieldParser<rt::DramReason>::parse(AsmParser &parser) {
  return parseDecisionKind<rt::DramReason>(parser, "reason", rt::kDramReasons);
}
FailureOr<rt::Question> FieldParser<rt::Question>::parse(AsmParser &parser) {
  return parseDecisionKind<rt::Question>(parser, "question", rt::kQuestions);
}

using EmitFault = function_ref<InFlightDiagnostic()>;

LogicalResult CauseAttr::verify(EmitFault emitError, rt::Cause, StringAttr,
                                LocationAttr, int64_t asked, int64_t limit) {
  if (asked < 0 || limit < 0)
    return emitError() << "numbers of a cause must not be negative, got "
                       << asked << " and " << limit;
  return success();
}

LogicalResult ChoiceAttr::verify(EmitFault emitError, rt::Question, StringAttr,
                                 LocationAttr, int64_t taken,
                                 ArrayRef<StringAttr> ways,
                                 ArrayRef<int64_t> prices) {
  if (ways.size() != prices.size() || taken < 0 ||
      taken >= static_cast<int64_t>(ways.size()))
    return emitError() << "a choice takes number " << taken << " of "
                       << ways.size() << " ways with " << prices.size()
                       << " prices; each way must have one, and the number be "
                          "that of a way";
  if (llvm::any_of(prices, [](int64_t price) { return price < -1; }))
    return emitError() << "prices must be at least 0, or -1 for none";
  return success();
}

LogicalResult StepAttr::verify(EmitFault emitError, StringAttr, int64_t opCount,
                               LocationAttr, LocationAttr,
                               ArrayRef<int64_t> slices, bool, int64_t cycles,
                               int64_t computing, int64_t constantBytes,
                               int64_t valueBytes, CauseAttr) {
  if (opCount < 0 || cycles < 0 || computing < 0 || constantBytes < 0 ||
      valueBytes < 0 || slices.size() != 4 ||
      llvm::any_of(slices, [](int64_t count) { return count < 1; }))
    return emitError() << "a step must have four counts of slices, from 1, and "
                          "no negative number of ops, cycles or bytes";
  return success();
}

LogicalResult DramValueAttr::verify(EmitFault emitError, StringAttr,
                                    RankedTensorType type, int64_t bytes,
                                    int64_t, LocationAttr, ArrayRef<int64_t>,
                                    rt::DramReason, CauseAttr) {
  if (type.getRank() != 4 || !type.hasStaticShape() || bytes < 0)
    return emitError() << "a value in DRAM must have four static sizes, got "
                       << type << " of " << bytes << " bytes";
  return success();
}

LogicalResult DecisionsAttr::verify(EmitFault emitError,
                                    ArrayRef<StepAttr> steps,
                                    ArrayRef<DramValueAttr> values,
                                    ArrayRef<ChoiceAttr>) {
  auto isStep = [&](int64_t number) {
    return number >= 0 && number < static_cast<int64_t>(steps.size());
  };
  for (DramValueAttr value : values)
    if (!isStep(value.getStep()) || !llvm::all_of(value.getReaders(), isStep))
      return emitError() << "value " << value.getName()
                         << " is made or read by a step that is none of the "
                         << steps.size();
  return success();
}

static StringAttr nameOf(Operation *op) {
  return StringAttr::get(op->getContext(), llvm::isa<FunctionOpInterface>(op)
                                               ? "net"
                                               : op->getName().stripDialect());
}

LocationAttr tpu::originOf(Operation *op) {
  auto func = op->getParentOfType<FunctionOpInterface>();
  if (!func || func.getLoc() == op->getLoc())
    return UnknownLoc::get(op->getContext());
  return op->getLoc();
}

CauseAttr tpu::causeAt(Operation *op, rt::Cause cause, int64_t asked,
                       int64_t limit) {
  return CauseAttr::get(op->getContext(), cause, nameOf(op), originOf(op),
                        asked, limit);
}

CauseAttr tpu::causeInDram(Operation *op) {
  rt::Cause cause =
      TypeSwitch<Operation *, rt::Cause>(op)
          .Case<ReshapeOp>([](auto) { return rt::Cause::Reshape; })
          .Case<PermuteOp, RowPhasesOp, ArrangeOp>(
              [](auto) { return rt::Cause::Turn; })
          .Case<ConcatOp, SliceOp>([](auto) { return rt::Cause::Parts; })
          .Case<MatMulOp>([](auto) { return rt::Cause::Product; })
          .Case<GatherOp, ScatterOp>([](auto) { return rt::Cause::Indices; })
          .Case<ToHostOp, FromHostOp, HostOp, HostConstantOp>(
              [](auto) { return rt::Cause::Host; })
          .Case<CustomOp>([](CustomOp custom) {
            return custom.getDomain() == kLibraryDomain ? rt::Cause::Library
                                                        : rt::Cause::Plugin;
          })
          .Default([](auto) { return rt::Cause::Whole; });
  // It has a form for groups, in which its channels are too many.
  if (asTileable(op))
    cause = rt::Cause::Channels;
  return causeAt(op, cause);
}

void tpu::addChoice(Operation *op, rt::Question question, ArrayRef<Way> ways,
                    size_t taken) {
  Builder builder(op->getContext());
  SmallVector<StringAttr> names;
  SmallVector<int64_t> prices;
  for (const Way &way : ways) {
    names.push_back(builder.getStringAttr(way.name));
    prices.push_back(way.price.value_or(-1));
  }
  SmallVector<Attribute> choices;
  if (auto known = op->getAttrOfType<ArrayAttr>(kChoicesAttr))
    choices.append(known.begin(), known.end());
  choices.push_back(ChoiceAttr::get(op->getContext(), question, nameOf(op),
                                    originOf(op), int64_t(taken), names,
                                    prices));
  op->setAttr(kChoicesAttr, builder.getArrayAttr(choices));
}

void tpu::addChoices(Operation *op, ArrayAttr choices) {
  auto decisions = op->getAttrOfType<DecisionsAttr>(kDecisionsAttr);
  if (!decisions)
    return;
  SmallVector<ChoiceAttr> all(choices.getAsRange<ChoiceAttr>());
  llvm::append_range(all, decisions.getChoices());
  op->setAttr(kDecisionsAttr,
              DecisionsAttr::get(op->getContext(), decisions.getSteps(),
                                 decisions.getValues(), all));
}

LogicalResult TpuDialect::verifyDecision(Operation *op,
                                         NamedAttribute attribute) {
  StringRef name = attribute.getName();
  Attribute value = attribute.getValue();
  if (name == kBorderAttr && !llvm::isa<CauseAttr>(value))
    return op->emitOpError() << kBorderAttr << " must be a #tpu.cause";
  auto cycles = llvm::dyn_cast<IntegerAttr>(value);
  if (name == kCyclesAttr &&
      (!cycles || !cycles.getType().isInteger(64) || cycles.getInt() < 0))
    return op->emitOpError() << kCyclesAttr << " must be an i64 from 0 on";
  if (name == kDecisionsAttr && !llvm::isa<DecisionsAttr>(value))
    return op->emitOpError() << kDecisionsAttr << " must be a #tpu.decisions";
  auto list = llvm::dyn_cast<ArrayAttr>(value);
  if (name == kChoicesAttr &&
      (!list || !llvm::all_of(list, llvm::IsaPred<ChoiceAttr>)))
    return op->emitOpError()
           << kChoicesAttr << " must be an array of #tpu.choice";
  return success();
}
