//===- DecisionKinds.h - kinds of decisions and reasons ---------*- C++ -*-===//

#ifndef WEFT_RUNTIME_BMODEL_DECISIONKINDS_H
#define WEFT_RUNTIME_BMODEL_DECISIONKINDS_H

#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

namespace weft::rt {

/// Why ops do not go on in one group.
enum class Cause : uint32_t {
#define WEFT_CAUSE(Name, word, text) Name,
#include "runtime/bmodel/DecisionKinds.def"
};

/// Why a value that is neither input nor output of the net lies in DRAM.
enum class DramReason : uint32_t {
#define WEFT_DRAM_REASON(Name, word, text) Name,
#include "runtime/bmodel/DecisionKinds.def"
};

/// What could be done in several ways.
enum class Question : uint32_t {
#define WEFT_QUESTION(Name, word, unit, text) Name,
#include "runtime/bmodel/DecisionKinds.def"
};

/// The words and sentences of a row of DecisionKinds.def.
struct DecisionKind {
  std::string_view word; ///< in IR and JSON
  std::string_view text; ///< for people
  std::string_view unit; ///< of a question's prices: "cycles" or "bytes"
};

inline constexpr DecisionKind kCauses[] = {
#define WEFT_CAUSE(Name, word, text) {#word, text, {}},
#include "runtime/bmodel/DecisionKinds.def"
};
inline constexpr DecisionKind kDramReasons[] = {
#define WEFT_DRAM_REASON(Name, word, text) {#word, text, {}},
#include "runtime/bmodel/DecisionKinds.def"
};
inline constexpr DecisionKind kQuestions[] = {
#define WEFT_QUESTION(Name, word, unit, text) {#word, text, #unit},
#include "runtime/bmodel/DecisionKinds.def"
};

constexpr const DecisionKind &kindOf(Cause cause) {
  return kCauses[size_t(cause)];
}
constexpr const DecisionKind &kindOf(DramReason reason) {
  return kDramReasons[size_t(reason)];
}
constexpr const DecisionKind &kindOf(Question question) {
  return kQuestions[size_t(question)];
}

/// The kind that is spelt `word`; std::nullopt if there is none.
template <typename Kind, size_t N>
std::optional<Kind> findKind(const DecisionKind (&rows)[N],
                             std::string_view word) {
  for (size_t i = 0; i < N; ++i)
    if (rows[i].word == word)
      return Kind(i);
  return std::nullopt;
}

} // namespace weft::rt

#endif // WEFT_RUNTIME_BMODEL_DECISIONKINDS_H
