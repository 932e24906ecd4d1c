//===- SmallProgram.h - programs made by hand -------------------*- C++ -*-===//

#ifndef WEFT_TESTS_UNIT_RUNTIME_ZHOUYI_SMALLPROGRAM_H
#define WEFT_TESTS_UNIT_RUNTIME_ZHOUYI_SMALLPROGRAM_H

#include "runtime/zhouyi/Program.h"

namespace weft::zhouyi {

/// Words for programs. Instructions go to the innermost open loop.
class ProgramMaker {
public:
  ProgramMaker();

  RegisterId vector(catalog::DataType type, uint32_t lanes);
  RegisterId mask(uint32_t lanes);
  /// Appends a buffer behind the others.
  uint32_t weight(const std::string &name, std::vector<uint8_t> contents);
  uint32_t scratch(const std::string &name, uint64_t bytes);
  /// An input or output of the same name, dense. `scale` as in rt::TensorSpec.
  uint32_t tensor(BufferRole role, const std::string &name,
                  numeric::ElementType type, std::vector<int64_t> shape,
                  float scale = 1);
  NodeId node(const std::string &name);

  template <typename T>
  void add(T what, NodeId node = kNoNode) {
    open.back()->push_back({node, std::move(what)});
  }
  void beginLoop(uint32_t count, NodeId node = kNoNode);
  void endLoop();
  /// An 8-lane or wider constant of equal lanes, and one lane by lane.
  RegisterId splat(catalog::DataType type, uint32_t lanes, int64_t value);
  RegisterId tailMask(uint32_t lanes, int64_t limit,
                      std::vector<Term> terms = {});
  /// Stores the sum of 8 int32 lanes at the place in the buffer `to` that the
  /// outermost loop counts; `first` is a mask of lane 0.
  void storeSum(RegisterId lanes, uint32_t to, RegisterId first);

  Program program;

private:
  std::vector<std::vector<Instruction> *> open;
};

/// y[j] = sum over k of x[k] * w[j][k] in 32 bits, j < 5, k < 70, by vqdpa with
/// tail masks; then z = relu(y) on the host. x is an int8 input of scale 2, y a
/// scratch value, z an output. w[j][k] = (7 * j + 3 * k) % 13 - 6.
Program makeDotProgram();
inline constexpr int64_t kDotRows = 5, kDotColumns = 70;
int8_t dotWeight(int64_t row, int64_t column);

} // namespace weft::zhouyi

#endif // WEFT_TESTS_UNIT_RUNTIME_ZHOUYI_SMALLPROGRAM_H
