//===- SampleFiles.h - which files make up a sample -------------*- C++ -*-===//

#ifndef WEFT_TOOLS_SAMPLES_SAMPLEFILES_H
#define WEFT_TOOLS_SAMPLES_SAMPLEFILES_H

#include "runtime/status/Status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace weft::samples {

/// A file with inputs of a model.
struct SampleFile {
  std::string path;
  /// The input that it is for; empty: all inputs of an .npz file, or the only
  /// input of the model.
  std::string input;
  /// Its place among those that are stacked along the first axis.
  size_t entry = 0;
};

/// All inputs of one run of a model.
using SampleFiles = std::vector<SampleFile>;

/// The name of the sample's file that writing `output` would overwrite; null if
/// there is none.
const std::string *overwrittenBy(const std::string &output,
                                 const std::vector<SampleFiles> &samples);

/// Values of --input: FILE, or NAME=FILE for each input; several FILEs are
/// stacked along the first axis. A text that is the path of a file is never
/// taken as NAME=FILE.
rt::Result<SampleFiles> parseFiles(const std::vector<std::string> &texts);

/// Values of --data: one DIR, whose .npz, .npy, .png, .jpg and .jpeg files
/// (letters of any case) are a sample each, or NAME=DIR for each input, whose
/// files of equal names but for the extension are a sample. Sorted by name; or
/// files, a sample each, as given. At most `limit` of them; 0: all.
rt::Result<std::vector<SampleFiles>>
listSamples(const std::vector<std::string> &texts, int64_t limit);

/// Samples of `count` each, stacked along the first axis. The last one is
/// filled up with the first ones again.
std::vector<SampleFiles> stacked(const std::vector<SampleFiles> &samples,
                                 size_t count);

/// What messages call a sample: its files, of a stack the first and the last.
std::string nameOf(const SampleFiles &files);

/// tools::checkInputsKept() for the files of listSamples. A list that cannot be
/// made is a problem of reading them.
rt::Status checkKept(const std::vector<std::string> &texts,
                     const std::string &option, const std::string &output);

} // namespace weft::samples

#endif // WEFT_TOOLS_SAMPLES_SAMPLEFILES_H
