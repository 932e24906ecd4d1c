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
struct ProductChoice {
  std::string name; ///< of its ONNX value
  int64_t products; ///< multiplications
};

/// The products with constant weights of the float graph `module` that have a
/// name, but the depthwise ones, which are floats anyway.
std::vector<ProductChoice> productsOf(mlir::ModuleOp module);

/// What the program must reach on its worst output; at least one is given.
struct AccuracyGoal {
  std::optional<double> cosine, sqnr;

  bool isMetBy(const Accuracy &accuracy) const {
    return (!cosine || accuracy.cosine() >= *cosine) &&
           (!sqnr || accuracy.sqnr() >= *sqnr);
  }
};

/// A program and what was measured on it.
struct MixedProgram {
  std::vector<bool> isFloat; ///< of each product
  double cycles = 0;         ///< predicted
  Accuracy accuracy;
};

/// Compiles a program with these products as floats and measures it. May be
/// called by several threads at once.
using MeasureProgram =
    std::function<rt::Result<MixedProgram>(const std::vector<bool> &isFloat)>;

struct PrecisionSearch {
  std::vector<ProductChoice> products;
  AccuracyGoal goal;
  MeasureProgram measure;
  unsigned threads = 1; ///< the result does not depend on it
  /// Called after each measurement with how many are done, of about `all`.
  std::function<void(size_t done, size_t all)> progress;

  struct Found {
    /// None of the others has fewer cycles and is as accurate; by cycles. The
    /// chosen one is among them.
    std::vector<MixedProgram> pareto;
    /// The one with the fewest cycles that meets the goal; null if none does:
    /// then also products in floats miss it.
    std::optional<size_t> chosen;
    Accuracy floats; ///< of the program with all products as floats
  };
  /// Measures the program of codes and that of floats; then each product in 8
  /// bits alone among floats. Products become floats by their error for each
  /// multiplication, as few of them as the goal allows, and those that turn out
  /// not to be needed become codes again.
  rt::Result<Found> run() const;
};

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_PRECISIONSEARCH_H
