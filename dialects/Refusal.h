//===- Refusal.h - why a machine does not compute an operation --*- C++ -*-===//
//
// A refusal is a value: it is made by who knows the limit and carried to who
// decides what follows (the host computes the operation, or the user gets an
// error). Its text is for people; no code compares or parses it. See
// docs/rationale/0010-refusals.md.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_DIALECTS_REFUSAL_H
#define WEFT_DIALECTS_REFUSAL_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

#include <optional>
#include <string>
#include <variant>

namespace weft {

/// What a machine or a format cannot do, and what the user can do instead.
struct Refusal {
  /// `reason`: what was found and the rule. `wayOut`: what to change in the
  /// model or the options; empty where only another machine or the host helps.
  Refusal(mlir::Location location, std::string reason, std::string wayOut)
      : location(location), reason(std::move(reason)),
        wayOut(std::move(wayOut)) {}
  Refusal(mlir::Operation *op, std::string reason, std::string wayOut)
      : Refusal(op->getLoc(), std::move(reason), std::move(wayOut)) {}

  mlir::Location location; ///< of the operation, in terms of the model
  std::string reason, wayOut;

  /// "reason; way out".
  std::string text() const;
  /// The error that a user sees: "unsupported: reason; way out; hint".
  mlir::InFlightDiagnostic emit(llvm::StringRef hint = "") const;
};

/// An error that is a refusal, where nobody but the user decides: begins with
/// "unsupported: ", the caller appends what and the way out.
mlir::InFlightDiagnostic unsupported(mlir::Location location);

/// Whether the error at `location` was made by one of the above.
bool isRefusal(mlir::Location location);

/// The parts behind each other; types and attributes in quotes, as errors of
/// MLIR show them.
template <typename... Parts>
std::string inWords(const Parts &...parts) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  auto append = [&stream](const auto &part) {
    using Part = std::decay_t<decltype(part)>;
    if constexpr (std::is_base_of_v<mlir::Type, Part> ||
                  std::is_base_of_v<mlir::Attribute, Part>)
      stream << '\'' << part << '\'';
    else
      stream << part;
  };
  (append(parts), ...);
  return text;
}

/// Instead of an answer: a refusal, or nothing where an error of another kind
/// has been reported.
struct No {
  std::optional<Refusal> refusal;
};

/// An Answer without a value of its own.
struct Yes {};

/// A T, a refusal, or the failure of what has reported an error.
template <typename T = Yes>
class [[nodiscard]] Answer {
public:
  Answer(T value) : held(std::move(value)) {}
  Answer(No no) : held(std::move(no)) {}
  Answer(Refusal refusal) : held(No{std::move(refusal)}) {}
  /// An error, which is being reported.
  Answer(const mlir::InFlightDiagnostic &) : held(No{}) {}
  /// failure(): an error was reported. success() is a Yes.
  Answer(llvm::LogicalResult result) : held(No{}) {
    if constexpr (std::is_same_v<T, Yes>) {
      if (llvm::succeeded(result))
        held = Yes{};
    } else {
      assert(llvm::failed(result) && "an answer has a value");
    }
  }

  explicit operator bool() const { return held.index() == 0; }
  T &operator*() { return std::get<0>(held); }
  T *operator->() { return &std::get<0>(held); }
  /// Why there is no value; for an answer of any type.
  No no() const { return std::get<1>(held); }

private:
  std::variant<T, No> held;
};

} // namespace weft

#endif // WEFT_DIALECTS_REFUSAL_H
