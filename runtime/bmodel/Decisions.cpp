#include "runtime/bmodel/Decisions.h"
#include "runtime/bmodel/DebugMap.h"
#include "runtime/bmodel/Verifier.h"

#include <cinttypes>
#include <cstring>

namespace weft::rt {

namespace {

/// "No price" of a way.
constexpr uint64_t kNoPrice = ~uint64_t(0);

/// Lists of ways may be shared, so their lengths bound what reading them takes.
constexpr uint32_t kMaxWays = 64;

template <typename T>
uint32_t countOf(const flatbuffers::Vector<T> *vector) {
  return vector ? vector->size() : 0;
}

/// A copy of entry `index`: the flatbuffers verifier does not check that a
/// vector of structs begins where 64-bit numbers may.
template <typename T>
T entryAt(const flatbuffers::Vector<const T *> *vector, size_t index) {
  T entry;
  std::memcpy(&entry, vector->Data() + index * sizeof(T), sizeof(T));
  return entry;
}

/// Checks one list after the other, and says of a fault where in the file it
/// is.
class DecisionVerifier {
public:
  DecisionVerifier(const Container &container, const wire::DebugMap &map)
      : container(container), table(*map.decisions()),
        sources(countOf(map.sources())), tensors(countOf(map.tensors())) {}

  Status run() const;

private:
  Status checkCause(const wire::DecidedCause &cause) const;
  Status checkStep(const wire::DecidedStep &step) const;
  Status checkValue(const wire::DramValue &value) const;
  Status checkWay(const wire::DecidedWay &way) const;
  Status checkChoice(const wire::DecidedChoice &choice) const;
  Status checkReader(uint32_t reader) const;

  /// `check` of every entry of a list.
  template <typename T>
  Status each(const char *name, const flatbuffers::Vector<const T *> *list,
              Status (DecisionVerifier::*check)(const T &) const) const {
    for (uint32_t i = 0; i < countOf(list); ++i)
      WEFT_TRY((this->*check)(entryAt(list, i))
                   .withContext(placeOf(name, i, list->Data(), sizeof(T))));
    return Status::ok();
  }
  std::string placeOf(const char *name, uint32_t index, const uint8_t *begin,
                      size_t bytes) const {
    size_t offset = size_t(begin - container.flatbuffer.data) + index * bytes;
    return std::string(name) + "[" + std::to_string(index) + "] at byte " +
           std::to_string(kBmodelHeaderBytes + offset) + " of the file";
  }
  static Status below(const char *what, uint64_t number, uint64_t count) {
    if (number < count)
      return Status::ok();
    return failf(Code::BadFile,
                 "%s is %" PRIu64 ", must be below %" PRIu64 " (how many the "
                 "file has)",
                 what, number, count);
  }
  static Status belowOrNone(const char *what, uint32_t number, uint64_t count) {
    return number == kNoIndex ? Status::ok() : below(what, number, count);
  }
  Status checkOperation(uint32_t word, uint32_t source) const {
    WEFT_TRY(below("operation", word, countOf(table.words())));
    return belowOrNone("source", source, sources);
  }
  static Status span(const char *what, uint64_t first, uint64_t count,
                     uint64_t all) {
    if (first <= all && count <= all - first)
      return Status::ok();
    return failf(Code::BadFile,
                 "%" PRIu64 " %s from %" PRIu64 ", the file has %" PRIu64,
                 count, what, first, all);
  }

  const Container &container;
  const wire::Decisions &table;
  const uint32_t sources, tensors;
};

Status DecisionVerifier::checkCause(const wire::DecidedCause &cause) const {
  WEFT_TRY(below("kind", cause.kind(), std::size(kCauses)));
  return checkOperation(cause.operation(), cause.source());
}

Status DecisionVerifier::checkStep(const wire::DecidedStep &step) const {
  WEFT_TRY(checkOperation(step.operation(), step.first_source()));
  WEFT_TRY(belowOrNone("last_source", step.last_source(), sources));
  return belowOrNone("border", step.border(), countOf(table.causes()));
}

Status DecisionVerifier::checkValue(const wire::DramValue &value) const {
  if (!fromWire(value.data_type()))
    return failf(Code::BadFile, "data_type is %u, must be 0 to 10",
                 unsigned(value.data_type()));
  const wire::Extent &shape = value.shape();
  if (!countElements({shape.n(), shape.c(), shape.h(), shape.w()}))
    return failf(Code::BadFile,
                 "shape is %ux%ux%ux%u: each size must be at least 1, and the "
                 "elements at most 2^40",
                 shape.n(), shape.c(), shape.h(), shape.w());
  WEFT_TRY(belowOrNone("tensor", value.tensor(), tensors));
  WEFT_TRY(belowOrNone("name", value.name(), countOf(table.words())));
  WEFT_TRY(below("step", value.step(), countOf(table.steps())));
  WEFT_TRY(belowOrNone("source", value.source(), sources));
  WEFT_TRY(span("readers", value.first_reader(), value.reader_count(),
                countOf(table.readers())));
  WEFT_TRY(below("reason", value.reason(), std::size(kDramReasons)));
  return belowOrNone("cause", value.cause(), countOf(table.causes()));
}

Status DecisionVerifier::checkWay(const wire::DecidedWay &way) const {
  return below("name", way.name(), countOf(table.words()));
}

Status DecisionVerifier::checkChoice(const wire::DecidedChoice &choice) const {
  WEFT_TRY(below("question", choice.question(), std::size(kQuestions)));
  WEFT_TRY(checkOperation(choice.operation(), choice.source()));
  WEFT_TRY(span("ways", choice.first_way(), choice.way_count(),
                countOf(table.ways())));
  if (choice.way_count() > kMaxWays)
    return failf(Code::BadFile, "%u ways, must be at most %u",
                 choice.way_count(), kMaxWays);
  return below("taken", choice.taken(), choice.way_count());
}

Status DecisionVerifier::run() const {
  using Self = DecisionVerifier;
  WEFT_TRY(each("causes", table.causes(), &Self::checkCause));
  WEFT_TRY(each("steps", table.steps(), &Self::checkStep));
  WEFT_TRY(each("ways", table.ways(), &Self::checkWay));
  WEFT_TRY(each("choices", table.choices(), &Self::checkChoice));
  const auto *readers = table.readers();
  for (uint32_t i = 0; i < countOf(readers); ++i)
    WEFT_TRY(below("step", readers->Get(i), countOf(table.steps()))
                 .withContext(placeOf("readers", i, readers->Data(), 4)));
  WEFT_TRY(each("values", table.values(), &Self::checkValue));
  if (countOf(table.bounds()) != 0 &&
      countOf(table.bounds()) != countOf(table.steps()))
    return failf(Code::BadFile, "bounds has %u entries for %u steps",
                 countOf(table.bounds()), countOf(table.steps()));
  uint64_t listed = 0;
  for (uint32_t i = 0; i < countOf(table.values()); ++i)
    listed += entryAt(table.values(), i).reader_count();
  if (listed > countOf(readers))
    return failf(Code::BadFile,
                 "values have %" PRIu64 " readers together, the file has %u",
                 listed, countOf(readers));
  return Status::ok();
}

/// Makes plain values of a verified table.
class DecisionReader {
public:
  explicit DecisionReader(const wire::DebugMap &map)
      : map(map), table(*map.decisions()) {}

  Decisions run() const;

private:
  std::string_view word(uint32_t index) const {
    return index == kNoIndex ? std::string_view()
                             : table.words()->Get(index)->string_view();
  }
  SourceNodes nodesOf(uint32_t source) const {
    return {&map,
            source == kNoIndex ? nullptr : map.sources()->Get(source)->nodes()};
  }
  DecidedOperation operation(uint32_t name, uint32_t source) const {
    return {word(name), nodesOf(source)};
  }
  std::optional<DecidedCause> cause(uint32_t index) const;
  DecidedStep step(const wire::DecidedStep &entry) const;
  DramValue value(const wire::DramValue &entry) const;
  DecidedChoice choice(const wire::DecidedChoice &entry) const;

  const wire::DebugMap &map;
  const wire::Decisions &table;
};

std::array<uint32_t, 4> sizesOf(const wire::Extent &extent) {
  return {extent.n(), extent.c(), extent.h(), extent.w()};
}

std::optional<DecidedCause> DecisionReader::cause(uint32_t index) const {
  if (index == kNoIndex)
    return std::nullopt;
  wire::DecidedCause entry = entryAt(table.causes(), index);
  return DecidedCause{Cause(entry.kind()),
                      operation(entry.operation(), entry.source()),
                      entry.asked(), entry.limit()};
}

DecidedStep DecisionReader::step(const wire::DecidedStep &entry) const {
  return {operation(entry.operation(), entry.first_source()),
          nodesOf(entry.last_source()),
          entry.op_count(),
          sizesOf(entry.slices()),
          cause(entry.border()),
          entry.cycles(),
          entry.streamed() != 0};
}

DramValue DecisionReader::value(const wire::DramValue &entry) const {
  DramValue value;
  value.name =
      entry.tensor() == kNoIndex
          ? word(entry.name())
          : map.tensors()->Get(entry.tensor())->value_name()->string_view();
  value.type = *fromWire(entry.data_type());
  value.shape = sizesOf(entry.shape());
  value.bytes = entry.bytes();
  value.step = entry.step();
  value.nodes = nodesOf(entry.source());
  for (uint32_t i = 0; i < entry.reader_count(); ++i)
    value.readers.push_back(table.readers()->Get(entry.first_reader() + i));
  value.reason = DramReason(entry.reason());
  value.cause = cause(entry.cause());
  return value;
}

DecidedChoice DecisionReader::choice(const wire::DecidedChoice &entry) const {
  DecidedChoice choice;
  choice.question = Question(entry.question());
  choice.operation = operation(entry.operation(), entry.source());
  choice.taken = entry.taken();
  for (uint32_t i = 0; i < entry.way_count(); ++i) {
    wire::DecidedWay way = entryAt(table.ways(), entry.first_way() + i);
    choice.ways.push_back({word(way.name()), std::nullopt});
    if (way.price() != kNoPrice)
      choice.ways.back().price = way.price();
  }
  return choice;
}

Decisions DecisionReader::run() const {
  Decisions decisions;
  for (uint32_t i = 0; i < countOf(table.steps()); ++i) {
    decisions.steps.push_back(step(entryAt(table.steps(), i)));
    if (countOf(table.bounds()) == 0)
      continue;
    wire::DecidedBound bound = entryAt(table.bounds(), i);
    decisions.steps.back().computing = bound.computing();
    decisions.steps.back().constantBytes = bound.constant_bytes();
    decisions.steps.back().valueBytes = bound.value_bytes();
  }
  for (uint32_t i = 0; i < countOf(table.values()); ++i)
    decisions.values.push_back(value(entryAt(table.values(), i)));
  for (uint32_t i = 0; i < countOf(table.choices()); ++i)
    decisions.choices.push_back(choice(entryAt(table.choices(), i)));
  return decisions;
}

} // namespace

std::string DecidedCause::text() const {
  std::string text(kindOf(kind).text);
  auto replace = [&](const char *mark, const std::string &with) {
    if (size_t at = text.find(mark); at != std::string::npos)
      text.replace(at, std::strlen(mark), with);
  };
  replace("{op}", std::string(operation.name));
  replace("{asked}", std::to_string(asked));
  replace("{limit}", std::to_string(limit));
  return text;
}

Status verifyDecisions(const Container &container, const StageSpec &stage) {
  if (!stage.debugMap->decisions())
    return Status::ok();
  return DecisionVerifier(container, *stage.debugMap).run();
}

std::optional<Decisions> readDecisions(const StageSpec &stage) {
  if (!stage.debugMap || !stage.debugMap->decisions())
    return std::nullopt;
  return DecisionReader(*stage.debugMap).run();
}

} // namespace weft::rt
