//===- PrecisionSearch.h - which products are worth floats ------*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_PRECISIONSEARCH_H
#define WEFT_TOOLS_DRIVER_PRECISIONSEARCH_H

#include "runtime/status/Status.h"
#include "tools/driver/Accuracy.h"

#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace weft::driver {

/// A product that may be computed in 8 bits or as a float.
/// Those that one ONNX node has become are one.
struct ProductChoice {
  std::string name; ///< of its ONNX value or node
  int64_t products; ///< multiplications
  /// A depthwise convolution or a gate: int8 programs compute it as a float,
  /// and so do mixes unless there is a bound.
  bool isFloatAmongCodes = false;
  /// What a precision table names it by: with `name` all its names, if these
  /// are several.
  std::vector<std::string> otherNames = {};
};

/// The products of the float graph `module` that may be codes
/// (passes/quantize/CodeProducts.h) and have a name.
std::vector<ProductChoice> productsOf(mlir::ModuleOp module);

/// How a program is made: by what the table says of each product, or as a whole
/// by an option, which decides on more than products: int8 by default, with
/// what takes fewer cycles as floats, or f16.
enum class ProgramKind { Mix, Int8, Half };
/// "mix", "int8", "f16".
const char *stringifyKind(ProgramKind kind);

/// A program and what was measured on it.
struct MixedProgram {
  std::vector<bool> isFloat; ///< of each product
  ProgramKind kind = ProgramKind::Mix;
  double cycles = 0; ///< predicted
  Accuracy accuracy = {};
  /// Of all multiplications of the machine, those in float.
  double floatShare = 0;
  std::optional<double> score = {}; ///< of the user's command, if it was asked

  bool isMadeAs(const MixedProgram &other) const {
    return kind == other.kind && isFloat == other.isFloat;
  }
};

/// Whether a share of multiplications is within a bound, but for the rounding
/// of sums of shares.
inline bool isWithin(double share, double bound) {
  return share <= bound + 1e-12;
}

/// What the program must reach on its worst output, or by its score; one is
/// given.
struct AccuracyGoal {
  /// The cosine of who asks for nothing.
  static constexpr double kUsualCosine = 0.998;
  std::optional<double> cosine, sqnr, score;

  bool isMetBy(const MixedProgram &program) const;
  /// The goal with half of the error; a score stays.
  AccuracyGoal stricter() const;
  /// How far a program is from the goal, over all outputs: the sum of the
  /// squares of their errors, each 1 if it just meets the goal. A score counts
  /// as a usual cosine.
  double distanceOf(const Accuracy &accuracy) const;
  /// The errors of the outputs, each 1 if it just meets the goal; of an output
  /// of a softmax by its logits, about.
  std::vector<double> errorsOf(const Accuracy &accuracy) const;
};

/// Compiles a program with these products as floats and measures it, its score
/// only with `isScored`. May be called by several threads at once without.
using MeasureProgram = std::function<rt::Result<MixedProgram>(
    const std::vector<bool> &isFloat, bool isScored)>;

/// The same of a whole program.
using MeasureWhole =
    std::function<rt::Result<MixedProgram>(ProgramKind kind, bool isScored)>;

struct PrecisionSearch {
  std::vector<ProductChoice> products;
  AccuracyGoal goal;
  /// Of all multiplications, this share may be floats at most.
  std::optional<double> mostFloats;
  /// Products that are floats because these take fewer cycles; empty: none. A
  /// mix without a bound has them all; a bound they may not leave room for.
  std::vector<bool> cheaperAsFloats;
  MeasureProgram measure;
  /// Programs that are chosen from besides mixes.
  std::vector<ProgramKind> wholes;
  MeasureWhole measureWhole; ///< if there are any
  /// Whether a program that meets the goal does so on other samples, too. If
  /// not, the search goes on with a stricter goal. May be empty.
  std::function<rt::Result<bool>(const MixedProgram &)> holdsElsewhere;
  unsigned threads = 1; ///< the result does not depend on it
  /// Called after each measurement with how many are done, of about `all`.
  std::function<void(size_t done, size_t all)> progress;

  struct Found {
    /// None of the others has fewer cycles and is as accurate; by cycles. The
    /// chosen one is among them.
    std::vector<MixedProgram> pareto;
    /// The one with the fewest cycles that meets the goal. If none does: null,
    /// and then also products in floats miss it; or with `mostFloats` the most
    /// accurate within it, null if that leaves none.
    std::optional<size_t> chosen;
    bool isGoalMet = false; ///< by the chosen one
    /// Another that meets the goal in fewer cycles does not hold elsewhere.
    bool isGoalRaised = false;
    MixedProgram floats;              ///< all products as floats
    MixedProgram codes;               ///< as few as possible
    std::optional<MixedProgram> half; ///< the whole program of f16, if asked
  };
  /// Measures the program of codes, that of floats and whole ones, then, if
  /// that does not do, each product in 8 bits alone among floats. Products
  /// become floats by their error for each multiplication, as few of them as
  /// the goal allows, and those that turn out not to be needed become codes
  /// again. With `mostFloats` depthwise ones are among them, and the mix is
  /// improved by exchanges as long as the goal is missed (BoundedPrecisions.h).
  /// What meets the goal on the samples of the search may miss it on others, as
  /// it was chosen for these: then the goal is set higher, a few times.
  rt::Result<Found> run() const;
};

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_PRECISIONSEARCH_H
