//===- ExactReference.h - what a program must store -------------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_EXACTREFERENCE_H
#define WEFT_TOOLS_WEFT_EXACTREFERENCE_H

#include "runtime/bmodel/Bmodel.h"
#include "tools/weft/ModelRun.h"
#include "tools/weft/Reference.h"
#include "tools/weft/StoredRows.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace weft::cli {

/// The exact numbers of the conversion that made a program, which its debug map
/// tells.
class ExactReference {
public:
  /// Of `net` of `program` and the model of `model`, which outlives this;
  /// `calibration`: path of a table that was too long for
  /// the program, or "". Code::NotFound if the program does not tell its
  /// conversion (another compiler's, an older one's, a stripped one),
  /// Code::Unsupported in a build without the compiler.
  static rt::Result<std::unique_ptr<ExactReference>>
  open(const ReferenceModel &model, const rt::Bmodel &program,
       const rt::NetSpec &net, const std::string &calibration);
  virtual ~ExactReference() = default;

  /// Each layer of a run of the whole stage beside what it must be for the
  /// inputs that it had, so that one fault is one row; outputs at the end.
  virtual rt::Result<StoredRows> compare(const ModelRun &run) = 0;

  /// Of a value that is a float in the program and that products read as codes:
  /// where these end, and what the calibration saw of it.
  struct ClippedRange {
    double least = 0, most = 0;
    double leastSeen = 0, mostSeen = 0;
  };
  /// By name, of the stage that `run` was of.
  virtual rt::Result<std::map<std::string, ClippedRange>>
  clippedRanges(const ModelRun &) {
    return std::map<std::string, ClippedRange>();
  }

  /// Whether this version of Weft has made the program: others may round
  /// otherwise.
  virtual bool isOfThisVersion() const = 0;
  /// The program as this version makes it, of all stages. Code::NotFound if it
  /// is of another, or was found with the cache of a search.
  virtual rt::Result<std::vector<uint8_t>> convertAgain() = 0;
  /// Whether that takes about a second (not a search of -O3).
  virtual bool isQuick() const = 0;
  /// The same without layer groups and lanes (-O0): equal numbers, each value
  /// by way of DRAM.
  virtual rt::Result<std::vector<uint8_t>> convertPlainly() = 0;
};

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_EXACTREFERENCE_H
