#include "tools/driver/Diagnostics.h"
#include "dialects/Refusal.h"
#include "runtime/isa/Rules.h"

#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace weft;
using driver::DiagnosticPrinter;

namespace {

/// A printer, and the locations of a model.
struct Diagnostics : testing::Test {
  MLIRContext context{MLIRContext::Threading::DISABLED};
  std::string printed;
  llvm::raw_string_ostream stream{printed};
  DiagnosticPrinter printer{context, stream};

  Location nowhere = UnknownLoc::get(&context);
  Location file = NameLoc::get(StringAttr::get(&context, "a.onnx"));
  Location node = NameLoc::get(StringAttr::get(&context, "Conv_1"),
                               FileLineColLoc::get(&context, "a.onnx", 1, 0));

  rt::Code cause() { return driver::causeOf(printer).code(); }
};

} // namespace

TEST_F(Diagnostics, ASilentFailureIsOurs) {
  EXPECT_EQ(cause(), rt::Code::Internal);
  emitWarning(node) << "odd";
  EXPECT_EQ(cause(), rt::Code::Internal);
}

TEST_F(Diagnostics, AnErrorInTheModelIsTheUsers) {
  emitError(file) << "empty";
  emitError(node) << "pads[3] is -2";
  EXPECT_EQ(cause(), rt::Code::InvalidArgument);
  EXPECT_EQ(printed, "weft: error: a.onnx: empty\n"
                     "weft: error: a.onnx: node 1 'Conv_1': pads[3] is -2\n");
}

TEST_F(Diagnostics, AFileIsNamedOnce) {
  emitError(file) << "cannot read 'a.onnx'";
  EXPECT_EQ(cause(), rt::Code::InvalidArgument);
  EXPECT_EQ(printed, "weft: error: cannot read 'a.onnx'\n");
}

TEST_F(Diagnostics, ACommandThatTheHardwareForbidsIsOurs) {
  emitError(node) << std::string(isa::kBrokenRuleError) << "res0_n is 0";
  EXPECT_EQ(cause(), rt::Code::Internal);
  EXPECT_EQ(driver::causeOf(printer).message(),
            "the compiler made a command that the hardware forbids");
}

TEST_F(Diagnostics, AMissingFeatureIsNoFault) {
  unsupported(nowhere) << "8 inputs";
  EXPECT_EQ(cause(), rt::Code::InvalidArgument);
}

TEST_F(Diagnostics, AnErrorFromNowhereIsOurs) {
  emitError(node) << "pads[3] is -2";
  emitError(nowhere) << "operand #0 does not dominate this use";
  EXPECT_EQ(cause(), rt::Code::Internal);
}
