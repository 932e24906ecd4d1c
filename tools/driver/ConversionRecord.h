//===- ConversionRecord.h - what a bmodel says of its making ----*- C++ -*-===//
//
// The options and tables that decide the numbers and commands of a program lie
// in its debug map. With the ONNX file (and what else is not of the compiler:
// bindings, plugins, preprocessing) the program can be made again, and its
// numbers computed without it.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_TOOLS_DRIVER_CONVERSIONRECORD_H
#define WEFT_TOOLS_DRIVER_CONVERSIONRECORD_H

#include "runtime/bmodel/Bmodel.h"
#include "tools/driver/Compile.h"

namespace weft::driver {

/// Tables are kept up to so many bytes: ranges of thousands of values. Those
/// with weights (`# recovered:`) are as large as the program is.
inline constexpr size_t kMostTableBytes = 256 << 10;

/// What CompileOptions::search has as the cache of a recorded search: which one
/// is not known, and without it the same program cannot be made.
extern const std::string kSomeCache;

/// The record's key for what --fuse-preprocess has put in front of the graph.
inline constexpr const char *kFusedKey = "fuse-preprocess";
/// Its value (fusedSettings()); "" if nothing was fused, or of older files.
std::string recordedFusion(const rt::NetSpec &net);

/// Adds the part of the model that was converted to a record; nothing of a
/// whole one.
void recordCut(const onnx::GraphCut &cut, rt::wire::ConversionT &record);
/// What recordCut() has written; the whole model if it was not cut, or if the
/// file does not tell. Code::BadFile, with the path of the program, for what
/// recordCut() does not write.
rt::Result<onnx::GraphCut> recordedCut(const rt::NetSpec &net,
                                       const std::string &path);

/// Adds Compilation::emptyInputs to a record; nothing if there are none.
void recordEmptyInputs(const InputShapes &shapes,
                       rt::wire::ConversionT &record);
/// What recordEmptyInputs() has written; nothing if the file does not tell.
/// Code::BadFile, with the path of the program, for what it does not write.
rt::Result<InputShapes> recordedEmptyInputs(const rt::NetSpec &net,
                                            const std::string &path);

/// The record of a conversion of the model of digest `model`, if that is known,
/// with `options`. A table that cannot be read is left out; the conversion has
/// failed on it.
rt::wire::ConversionT recordOf(const CompileOptions &options,
                               const std::optional<rt::Digest> &model);

/// The options that `net` of `model` was converted with; its tables as text.
/// `calibration`: path of the calibration table in place of one that was too
/// long to be kept; "": none. `path` of the program stands in messages.
/// Code::NotFound without a record (another compiler's file, an older one, a
/// stripped one), or if a table is missing, Code::InvalidArgument if
/// `calibration` is another table, Code::Unsupported if the net was combined of
/// several conversions, or if another version has
/// converted it with an option that this one does not know, Code::BadFile if
/// the record cannot be what was written.
rt::Result<CompileOptions> recordedOptions(const rt::Bmodel &model,
                                           const rt::NetSpec &net,
                                           const std::string &path,
                                           const std::string &calibration = "");

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_CONVERSIONRECORD_H
