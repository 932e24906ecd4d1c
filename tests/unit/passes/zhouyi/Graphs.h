//===- Graphs.h - small random tpu graphs -----------------------*- C++ -*-===//

#ifndef WEFT_TESTS_UNIT_PASSES_ZHOUYI_GRAPHS_H
#define WEFT_TESTS_UNIT_PASSES_ZHOUYI_GRAPHS_H

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace weft::zhouyi::test {

/// Deterministic choices of one case.
class Dice {
public:
  explicit Dice(uint32_t seed) : engine(seed) {}

  int64_t from(int64_t low, int64_t high) {
    return low + int64_t(engine() % uint64_t(high - low + 1));
  }
  bool chance(int percent) { return from(1, 100) <= percent; }
  template <typename T>
  T among(std::initializer_list<T> list) {
    return *(list.begin() + from(0, int64_t(list.size()) - 1));
  }
  double real(double low, double high) {
    return low + (high - low) * double(engine()) / 4294967295.0;
  }

private:
  std::mt19937 engine;
};

using Shape = std::vector<int64_t>;

/// A value of the graph: its name and the text of its type.
struct Tensor {
  std::string name;
  Shape shape;
  std::string element; ///< "f32", "ui8", "!quant.uniform<i8:f32, 0.1>"
  std::string type() const;
};

std::string shapeText(const Shape &shape);

/// Text of a function `@main`; arguments come as they are asked for.
class Graph {
public:
  Tensor argument(const Shape &shape, const std::string &element);
  /// A constant with the little-endian elements as numbers.
  Tensor weight(const Shape &shape, const std::string &element,
                const std::vector<double> &numbers);
  /// Appends `%name = <body> : <signature>`.
  Tensor add(const Shape &shape, const std::string &element,
             const std::string &body);
  /// The whole module, which returns `result`.
  std::string text(const Tensor &result) const;

private:
  std::vector<Tensor> arguments;
  std::string body;
  int next = 0;
};

/// How a result may differ from the evaluator's.
struct Tolerance {
  double absolute = 0; ///< of floats; 0: bit for bit, but for NaN's payload
  double relative = 0;
};

/// What the numbers of the arguments are like.
enum class Numbers {
  Any,    ///< floats of all sizes with zeros, infinities and NaN
  Finite, ///< floats of all sizes, no infinities and NaN
  Small   ///< floats in [-1, 1]
};

/// Runs the graph in the evaluator and, lowered and encoded, on the machine of
/// runtime/zhouyi; a gtest failure with the text and the first difference
/// unless they agree. Counts what it has done for `instructions`.
void checkGraph(const std::string &text, uint32_t seed, Numbers numbers,
                Tolerance tolerance = {});

} // namespace weft::zhouyi::test

#endif // WEFT_TESTS_UNIT_PASSES_ZHOUYI_GRAPHS_H
