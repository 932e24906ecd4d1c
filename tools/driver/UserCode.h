//===- UserCode.h - whose fault a broken process is ---------------*- C++
//-*-===//

#ifndef WEFT_TOOLS_DRIVER_USERCODE_H
#define WEFT_TOOLS_DRIVER_USERCODE_H

#include <string>

namespace weft::driver {

/// While one lives, code of the user's own runs in this process (a kernel, a
/// test, a plugin). If it calls exit() the process ends with exit code 2 and a
/// message that names it, not as if all were well; a handler of signals may ask
/// for its name. Not for several threads.
class UserCode {
public:
  /// `what`: "test add_test", "plugin ops.so"; `file`: where it is written, if
  /// `what` does not say.
  explicit UserCode(const std::string &what, const std::string &file = {});
  ~UserCode();
  UserCode(const UserCode &) = delete;
  UserCode &operator=(const UserCode &) = delete;

  /// What runs just now, or null. May be asked in a signal handler.
  static const char *running();
  /// The file of that, or "".
  static const char *file();

private:
  std::string what, place;
  const char *outer, *outerPlace;
};

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_USERCODE_H
