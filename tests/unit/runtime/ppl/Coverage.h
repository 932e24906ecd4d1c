//===- Coverage.h - which functions a test has called -----------*- C++ -*-===//

#ifndef WEFT_TESTS_UNIT_RUNTIME_PPL_COVERAGE_H
#define WEFT_TESTS_UNIT_RUNTIME_PPL_COVERAGE_H

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace weft::catalog::testing {

/// Writes into the test's result that it has seen a function accept, reject or
/// compute. tests/ops/ppl/states.py reads it from GoogleTest's JSON: the state
/// of a function in `weft ops --ppl` comes from tests that passed.
inline void cover(std::string_view what, std::string_view function) {
  ::testing::Test::RecordProperty(
      std::string(what) + ":" + std::string(function), 1);
}

/// A call whose values are computed: of which function, on which chip, with
/// which element types of its operands.
inline void coverRun(const catalog::Call &call) {
  cover("computes", call.operation->name);
  const std::string on = std::string(call.operation->name) + ":" +
                         std::string(call.chip->targetName);
  cover("ran", on);
  for (size_t i = 0; i < call.arguments.size(); ++i)
    if (const catalog::Argument &argument = call.arguments[i];
        argument.isTensor())
      cover("ran", on + ":" + std::string(call.operation->slots[i].name) + ":" +
                       std::string(catalog::spelling(argument.tensor.type)));
}

/// The verdict of problemOf on a call.
inline std::string covered(std::string_view function, std::string problem) {
  cover(problem.empty() ? "accepts" : "rejects", function);
  return problem;
}

} // namespace weft::catalog::testing

#endif // WEFT_TESTS_UNIT_RUNTIME_PPL_COVERAGE_H
