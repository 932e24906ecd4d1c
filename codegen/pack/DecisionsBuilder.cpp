//===- DecisionsBuilder.cpp - decisions for the debug map -----------------===//

#include "codegen/pack/DecisionsBuilder.h"
#include "codegen/pack/OnnxView.h"
#include "runtime/bmodel/DebugMap.h"

#include "llvm/ADT/StringMap.h"

#include <map>

using namespace mlir;
using namespace weft;
using namespace weft::codegen;
namespace wire = weft::rt::wire;

namespace {

/// Fills the lists of one table; what is equal is stored once.
class DecisionsBuilder {
public:
  explicit DecisionsBuilder(const DebugMapIndices &indices)
      : indices(indices), table(std::make_unique<wire::DecisionsT>()) {}

  void addStep(tpu::StepAttr step);
  LogicalResult addValue(tpu::DramValueAttr value);
  void addChoice(tpu::ChoiceAttr choice);
  std::unique_ptr<wire::DecisionsT> take() { return std::move(table); }

private:
  uint32_t wordOf(StringRef text);
  uint32_t causeOf(tpu::CauseAttr cause);
  uint32_t waysOf(tpu::ChoiceAttr choice);

  const DebugMapIndices &indices;
  std::unique_ptr<wire::DecisionsT> table;
  llvm::StringMap<uint32_t> words;
  llvm::DenseMap<Attribute, uint32_t> causes; ///< only looked up
  std::map<std::vector<std::pair<uint32_t, int64_t>>, uint32_t> wayLists;
};

} // namespace

static wire::Extent extentOf(ArrayRef<int64_t> sizes) {
  return wire::Extent(sizes[0], sizes[1], sizes[2], sizes[3]);
}

uint32_t DecisionsBuilder::wordOf(StringRef text) {
  auto [entry, isNew] = words.try_emplace(text, table->words.size());
  if (isNew)
    table->words.push_back(text.str());
  return entry->second;
}

uint32_t DecisionsBuilder::causeOf(tpu::CauseAttr cause) {
  if (!cause)
    return rt::kNoIndex;
  auto [entry, isNew] = causes.try_emplace(cause, table->causes.size());
  if (isNew)
    table->causes.emplace_back(
        uint32_t(cause.getCause()), wordOf(cause.getOperation().getValue()),
        indices.sourceOf(cause.getAt()), cause.getAsked(), cause.getLimit());
  return entry->second;
}

/// Where the ways of `choice` begin; many ops have the same at the same prices.
uint32_t DecisionsBuilder::waysOf(tpu::ChoiceAttr choice) {
  std::vector<std::pair<uint32_t, int64_t>> ways;
  for (auto [name, price] : llvm::zip(choice.getWays(), choice.getPrices()))
    ways.emplace_back(wordOf(name.getValue()), price);
  auto [entry, isNew] = wayLists.try_emplace(ways, table->ways.size());
  if (isNew)
    for (auto [name, price] : ways)
      table->ways.emplace_back(name, uint64_t(price)); // -1: all ones
  return entry->second;
}

void DecisionsBuilder::addStep(tpu::StepAttr step) {
  table->steps.emplace_back(
      uint64_t(step.getCycles()), wordOf(step.getOperation().getValue()),
      uint32_t(step.getOpCount()), indices.sourceOf(step.getFirst()),
      indices.sourceOf(step.getLast()), causeOf(step.getBorder()),
      extentOf(step.getSlices()), step.getStreamed());
  table->bounds.emplace_back(uint64_t(step.getComputing()),
                             uint64_t(step.getConstantBytes()),
                             uint64_t(step.getValueBytes()));
}

LogicalResult DecisionsBuilder::addValue(tpu::DramValueAttr value) {
  std::optional<wire::DataType> type =
      wireType(value.getType().getElementType());
  if (!type)
    return emitError(value.getAt())
           << "value " << value.getName() << " has the type "
           << value.getType().getElementType()
           << ", which a bmodel cannot name";
  StringRef name = value.getName().getValue();
  uint32_t tensor = name.empty() ? rt::kNoIndex : indices.tensorOf(name);
  bool needsWord = tensor == rt::kNoIndex && !name.empty();
  auto firstReader = uint32_t(table->readers.size());
  for (int64_t reader : value.getReaders())
    table->readers.push_back(uint32_t(reader));
  table->values.emplace_back(
      tensor, needsWord ? wordOf(name) : rt::kNoIndex, *type,
      extentOf(value.getType().getShape()), uint32_t(value.getStep()),
      indices.sourceOf(value.getAt()), firstReader,
      uint32_t(value.getReaders().size()), uint32_t(value.getReason()),
      causeOf(value.getCause()), uint64_t(value.getBytes()));
  return success();
}

void DecisionsBuilder::addChoice(tpu::ChoiceAttr choice) {
  table->choices.emplace_back(
      uint32_t(choice.getQuestion()), wordOf(choice.getOperation().getValue()),
      indices.sourceOf(choice.getAt()), uint32_t(choice.getTaken()),
      waysOf(choice), uint32_t(choice.getWays().size()));
}

FailureOr<std::unique_ptr<wire::DecisionsT>>
codegen::buildDecisions(tpu::DecisionsAttr decisions,
                        const DebugMapIndices &indices) {
  DecisionsBuilder builder(indices);
  for (tpu::StepAttr step : decisions.getSteps())
    builder.addStep(step);
  for (tpu::DramValueAttr value : decisions.getValues())
    if (failed(builder.addValue(value)))
      return failure();
  for (tpu::ChoiceAttr choice : decisions.getChoices())
    builder.addChoice(choice);
  return builder.take();
}
