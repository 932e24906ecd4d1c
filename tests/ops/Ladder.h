//===- Ladder.h - a rung of the ladder on a small graph --------*- C++ -*-===//

#ifndef WEFT_TESTS_OPS_LADDER_H
#define WEFT_TESTS_OPS_LADDER_H

#include "runtime/chips/Chip.h"

#include <ostream>
#include <string>
#include <vector>

namespace weft::test {

/// A small tpu graph.
struct LadderCase {
  std::string name;
  std::string input, output; ///< types of %x and %y
  std::string body;          ///< ops that define %y
  double absolute = 0;       ///< allowed difference; both 0: equal bytes
  double relative = 0;       ///< of the expected value
};

inline void PrintTo(const LadderCase &c, std::ostream *os) { *os << c.name; }

/// The type of a tensor, "2x3x5x7" of "f32".
std::string tensor(const std::string &shape, const std::string &element);

/// `%name = tpu.weight` of pseudo-random values in [-limit, limit], unsigned
/// ones in [0, limit]: integers, or multiples of limit/128.
std::string weight(const std::string &name, std::vector<int> shape,
                   const std::string &element, double limit);

/// `value` as often as that, with commas.
std::string repeated(const std::string &value, int count);

/// Cases of ops that combine whole lines: softmax, reductions, running sums.
void addLines(std::vector<LadderCase> &cases);

/// Evaluates the case on the host, compiles it for a chip, runs it on the
/// emulator and compares.
void climb(const LadderCase &c, const Chip &chip);

} // namespace weft::test

#endif // WEFT_TESTS_OPS_LADDER_H
