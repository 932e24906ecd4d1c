//===- HostFallbackTest.cpp - to the host what later passes refuse --------===//

#include "tools/driver/HostFallback.h"

#include "dialects/top/Top.h"
#include "passes/quantize/HostPlacement.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace mlir;
using namespace weft;
using testing::ElementsAre;

namespace {

class HostFallback : public testing::Test {
protected:
  HostFallback()
      : handler(&context, [this](Diagnostic &diagnostic) {
          printed.push_back(diagnostic.str());
          return success();
        }) {
    context.loadDialect<func::FuncDialect, top::TopDialect>();
    module = parseSourceString<ModuleOp>(
        "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
        "  %0 = top.unary relu %x : tensor<4xf32> loc(\"first\")\n"
        "  %1 = top.unary exp %0 : tensor<4xf32> loc(\"second\")\n"
        "  return %1 : tensor<4xf32>\n}",
        &context);
  }

  /// The names of the ops of `module` that are marked for the host.
  static std::vector<std::string> marked(ModuleOp module) {
    std::vector<std::string> names;
    module.walk([&](Operation *op) {
      if (op->hasAttr(quantize::kHostReasonAttr))
        names.push_back(cast<NameLoc>(op->getLoc()).getName().str());
    });
    return names;
  }

  /// Refuses the op named `name` with `message` unless it is marked.
  auto refusing(std::string name, std::string message) {
    return [this, name, message](ModuleOp lowered) -> LogicalResult {
      ++attempts;
      LogicalResult result = success();
      lowered.walk([&](Operation *op) {
        auto location = dyn_cast<NameLoc>(op->getLoc());
        if (location && location.getName() == name &&
            !op->hasAttr(quantize::kHostReasonAttr))
          result = emitError(FusedLoc::get(&context, {location})) << message;
      });
      return result;
    };
  }

  MLIRContext context;
  std::vector<std::string> printed;
  ScopedDiagnosticHandler handler;
  OwningOpRef<ModuleOp> module;
  int attempts = 0;
};

TEST_F(HostFallback, runsOnceIfNothingIsRefused) {
  EXPECT_TRUE(succeeded(driver::lowerWithHostFallback(
      module, false, refusing("none", "unused"))));
  EXPECT_EQ(attempts, 1);
}

TEST_F(HostFallback, marksWhatIsRefusedAndRunsAgain) {
  EXPECT_TRUE(succeeded(driver::lowerWithHostFallback(
      module, false, refusing("second", "unsupported: too large"))));
  EXPECT_EQ(attempts, 2);
  EXPECT_THAT(marked(*module), ElementsAre("second"));
  EXPECT_THAT(printed, ElementsAre());
}

TEST_F(HostFallback, givesUpWhereTheErrorIsOfAnotherKind) {
  EXPECT_TRUE(failed(driver::lowerWithHostFallback(
      module, false, refusing("second", "a weight is NaN"))));
  EXPECT_EQ(attempts, 1);
  EXPECT_THAT(printed, ElementsAre("a weight is NaN"));
}

TEST_F(HostFallback, givesUpWhereTheHostCannotHelp) {
  EXPECT_TRUE(failed(driver::lowerWithHostFallback(
      module, false, [&](ModuleOp) -> LogicalResult {
        ++attempts;
        return emitError(UnknownLoc::get(&context)) << "unsupported: nowhere";
      })));
  EXPECT_EQ(attempts, 1);
  EXPECT_THAT(printed, ElementsAre("unsupported: nowhere"));
}

TEST_F(HostFallback, marksOpsThatAreRefusedInSeveralSteps) {
  auto twice = refusing("second", "unsupported: a step");
  EXPECT_TRUE(succeeded(driver::lowerWithHostFallback(
      module, false, [&](ModuleOp lowered) -> LogicalResult {
        LogicalResult first = twice(lowered);
        --attempts;
        return success(succeeded(twice(lowered)) && succeeded(first));
      })));
  EXPECT_EQ(attempts, 2);
  EXPECT_THAT(marked(*module), ElementsAre("second"));
  EXPECT_THAT(printed, ElementsAre());
}

TEST_F(HostFallback, saysOnlyWhatTheHostCannotHelpWith) {
  auto second = refusing("second", "unsupported: too large");
  EXPECT_TRUE(failed(driver::lowerWithHostFallback(
      module, false, [&](ModuleOp lowered) -> LogicalResult {
        EXPECT_TRUE(failed(second(lowered)));
        for (int i = 0; i < 2; ++i)
          emitError(UnknownLoc::get(&context)) << "unsupported: nowhere";
        return failure();
      })));
  EXPECT_THAT(printed, ElementsAre("unsupported: nowhere"));
}

TEST_F(HostFallback, saysOnceThatTheHostCouldDoIt) {
  auto first = refusing("second", "unsupported: one step");
  auto other = refusing("second", "unsupported: another");
  EXPECT_TRUE(failed(driver::lowerWithHostFallback(
      module, true, [&](ModuleOp lowered) -> LogicalResult {
        EXPECT_TRUE(failed(first(lowered)));
        return other(lowered);
      })));
  EXPECT_THAT(printed,
              ElementsAre("unsupported: one step; the host can compute it, "
                          "convert without --no-host"));
}

} // namespace
