//===- Settings.h - preprocessing as text -----------------------*- C++ -*-===//
//
// The members of Options by name: keys of a file and flags of a command are the
// same, read by the same functions.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_TOOLS_PREPROCESS_SETTINGS_H
#define WEFT_TOOLS_PREPROCESS_SETTINGS_H

#include "tools/preprocess/Preprocess.h"

namespace weft::preprocess {

/// One member of Options.
struct Setting {
  const char *name;        ///< "pad-value"; a flag is --pad-value
  const char *placeholder; ///< "V[,V,V]", as help shows it
  const char *help;
  /// Several values stand in a list (`a,b` on the command line, `[a, b]` in a
  /// file). The message begins with the name.
  rt::Status (*set)(Options &options, const std::vector<std::string> &values);
};

/// In the order of the steps.
const std::vector<Setting> &settings();

/// nullptr if there is none of this name.
const Setting *findSetting(std::string_view name);

/// "resize, size, ..": for messages.
std::string settingNames();

} // namespace weft::preprocess

#endif // WEFT_TOOLS_PREPROCESS_SETTINGS_H
