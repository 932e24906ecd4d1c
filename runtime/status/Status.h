//===- Status.h - success or one clear reason -------------------*- C++ -*-===//
//
// How everything under runtime/ reports failure: no exceptions, no global
// "last error". A function that can fail returns Status or Result<T>. Only
// std::bad_alloc of the standard library passes through; the C interface and
// the program's main() turn it into Code::OutOfMemory.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_STATUS_STATUS_H
#define WEFT_RUNTIME_STATUS_STATUS_H

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace weft::rt {

/// Kind of failure; the values are those of `weft_code` in the C API.
enum class Code : int {
#define WEFT_STATUS_CODE(name, value, cname, text) name = value,
#include "runtime/status/Codes.def"
};

/// The few words of Codes.def for `code`, e.g. "broken file".
const char *codeText(Code code);

/// Success, or a code and one message. The message is one line, lower case,
/// without full stop; it states the value found, the rule and what to do.
class [[nodiscard]] Status {
public:
  /// Success.
  Status() = default;
  /// Failure; `code` must not be Code::Ok.
  Status(Code code, std::string message)
      : theCode(code), theMessage(std::move(message)) {
    assert(code != Code::Ok && "a failure needs a code");
  }

  static Status ok() { return Status(); }

  bool isOk() const { return theCode == Code::Ok; }
  explicit operator bool() const { return isOk(); }
  Code code() const { return theCode; }
  /// Empty on success.
  const std::string &message() const { return theMessage; }

  /// The same failure with `where` and ": " before the message (a file name, a
  /// command); success stays success.
  Status withContext(const std::string &where) const {
    return isOk() ? *this : Status(theCode, where + ": " + theMessage);
  }

private:
  Code theCode = Code::Ok;
  std::string theMessage;
};

/// Makes a failure: `return fail(Code::NotFound, "no net 'a'; there is 'b'")`.
inline Status fail(Code code, std::string message) {
  return Status(code, std::move(message));
}

/// printf-style failure; the text may have any length.
[[gnu::format(printf, 2, 3)]] Status failf(Code code, const char *format, ...);

/// A value or the Status that says why there is none.
template <typename T>
class [[nodiscard]] Result {
public:
  Result(T value) : theValue(std::move(value)) {}
  Result(Status status) : theStatus(std::move(status)) {
    assert(!theStatus.isOk() && "a Result without value needs a failure");
  }

  bool isOk() const { return theValue.has_value(); }
  explicit operator bool() const { return isOk(); }
  /// Success when there is a value.
  const Status &status() const & { return theStatus; }
  Status status() && { return std::move(theStatus); }

  /// The value; only after isOk().
  T &operator*() & {
    assert(isOk());
    return *theValue;
  }
  const T &operator*() const & {
    assert(isOk());
    return *theValue;
  }
  T &&operator*() && {
    assert(isOk());
    return std::move(*theValue);
  }
  T *operator->() {
    assert(isOk());
    return &*theValue;
  }
  const T *operator->() const {
    assert(isOk());
    return &*theValue;
  }

private:
  Status theStatus;
  std::optional<T> theValue;
};

} // namespace weft::rt

/// Returns from the enclosing function when `expr` (a Status) is a failure.
#define WEFT_TRY(expr)                                                         \
  do {                                                                         \
    if (::weft::rt::Status weftStatus = (expr); !weftStatus.isOk())            \
      return weftStatus;                                                       \
  } while (false)

#endif // WEFT_RUNTIME_STATUS_STATUS_H
