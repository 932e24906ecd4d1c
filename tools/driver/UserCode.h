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
  /// `what`: "test add_test", "plugin ops.so"
  explicit UserCode(const std::string &what);
  ~UserCode();
  UserCode(const UserCode &) = delete;
  UserCode &operator=(const UserCode &) = delete;

  /// What runs just now, or null. May be asked in a signal handler.
  static const char *running();

private:
  std::string what;
  const char *outer;
};

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_USERCODE_H
