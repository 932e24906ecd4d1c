//===- RefusalTest.cpp - refusals and answers -----------------------------===//

#include "dialects/Refusal.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace weft;

namespace {

struct Refusals : testing::Test {
  MLIRContext context{MLIRContext::Threading::DISABLED};
  std::vector<std::pair<std::string, bool>> printed; ///< text, is a refusal
  ScopedDiagnosticHandler handler{&context, [this](Diagnostic &diagnostic) {
                                    printed.emplace_back(
                                        diagnostic.str(),
                                        isRefusal(diagnostic.getLocation()));
                                    return success();
                                  }};
  Location place = NameLoc::get(StringAttr::get(&context, "conv"));
  Refusal padding{
      place, inWords("padding of ", 16, " in ", Float32Type::get(&context)),
      "pad less"};
};

TEST_F(Refusals, SayTheReasonAndTheWayOut) {
  EXPECT_EQ(padding.text(), "padding of 16 in 'f32'; pad less");
  EXPECT_EQ(Refusal(place, "a table", "").text(), "a table");
}

TEST_F(Refusals, BecomeErrorsThatAreToldFromOthers) {
  padding.emit();
  padding.emit("ask the host");
  unsupported(place) << "8 inputs";
  emitError(place) << "unsupported: by its words alone";
  using Error = std::pair<std::string, bool>;
  EXPECT_EQ(
      printed,
      (std::vector<Error>{
          {"unsupported: padding of 16 in 'f32'; pad less", true},
          {"unsupported: padding of 16 in 'f32'; pad less; ask the host", true},
          {"unsupported: 8 inputs", true},
          {"unsupported: by its words alone", false}}));
}

TEST_F(Refusals, TravelInAnswersOfAnyType) {
  Answer<int> number = padding;
  ASSERT_FALSE(number);
  Answer<> answer = number.no();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.no().refusal->wayOut, "pad less");
  EXPECT_TRUE(printed.empty());
}

TEST_F(Refusals, AreAbsentWhereAnErrorWasReported) {
  Answer<int> number = emitError(place) << "a weight is NaN";
  ASSERT_FALSE(number);
  EXPECT_FALSE(number.no().refusal);
  EXPECT_EQ(printed.size(), 1u);
  EXPECT_FALSE(Answer<>(failure()));
  EXPECT_TRUE(Answer<>(success()));
  EXPECT_EQ(*Answer<int>(3), 3);
}

} // namespace
