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
/// The verdict of problemOf on a call.
inline std::string covered(std::string_view function, std::string problem) {
  cover(problem.empty() ? "accepts" : "rejects", function);
  return problem;
}

} // namespace weft::catalog::testing

#endif // WEFT_TESTS_UNIT_RUNTIME_PPL_COVERAGE_H
