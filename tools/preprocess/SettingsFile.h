//===- SettingsFile.h - preprocessing from a YAML file ----------*- C++ -*-===//

#ifndef WEFT_TOOLS_PREPROCESS_SETTINGSFILE_H
#define WEFT_TOOLS_PREPROCESS_SETTINGSFILE_H

#include "tools/preprocess/Preprocess.h"

namespace weft::preprocess {

/// Sets members of `options` from a YAML mapping of the names in Settings.h to
/// a value or a flow or block list of values. Untrusted: at most 64 KiB, flat.
/// An error names the file and the line; IoError and NotFound the file.
rt::Status readSettingsFile(const std::string &path, Options &options);

/// The same for the file's text; `name` stands in the messages.
rt::Status parseSettings(std::string_view text, const std::string &name,
                         Options &options);

} // namespace weft::preprocess

#endif // WEFT_TOOLS_PREPROCESS_SETTINGSFILE_H
