//===- NpzVerbs.h - what weft npz does --------------------------*- C++ -*-===//
//
// A function for each verb or kind of verbs declares their options and actions.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_TOOLS_WEFT_NPZVERBS_H
#define WEFT_TOOLS_WEFT_NPZVERBS_H

#include "tools/npz/ArrayFile.h"
#include "tools/weft/Program.h"

#include <memory>
#include <string>
#include <vector>

namespace weft::cli {

/// Adds the argument of a .npz or .npy file ("-": stdin).
void addArrayFile(CLI::App &verb, std::string &path);
/// Adds -o, which is required.
void addNpzOutput(CLI::App &verb, std::string &path,
                  const std::string &typeName);

/// Code::NotFound, with what may be meant, if `file` has no array `name`.
rt::Status checkHas(const npz::ArrayFile &file, const std::string &name);

void addNpzShow(Program &program, CLI::App &npz);
void addNpzCompare(Program &program, CLI::App &npz);
/// cast, rename, extract, remove, merge, reshape, permute, to-npy, to-bin.
void addNpzEdits(Program &program, CLI::App &npz);
void addNpzPicture(Program &program, CLI::App &npz);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_NPZVERBS_H
