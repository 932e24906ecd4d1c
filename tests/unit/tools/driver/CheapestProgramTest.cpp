//===- CheapestProgramTest.cpp - what is said of products as floats -------===//

#include "tools/driver/CheapestProgram.h"

#include "dialects/top/Top.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace weft;
using namespace weft::driver;

// A recurrent node is one product, however many steps it has.
TEST(CheapestProgramTest, ProductsAreNodesWithNames) {
  mlir::MLIRContext context;
  context.loadDialect<top::TopDialect, mlir::func::FuncDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"(
    func.func @main(%x: tensor<1x8xf32> {top.name = "x"}) -> tensor<1x8xf32> {
      %w = top.constant dense<0.5> : tensor<8x8xf32>
      %0 = top.matmul %x, %w {top.value = "first"} : tensor<1x8xf32>, tensor<8x8xf32> loc("n0"("m.onnx":0:0))
      %1 = top.matmul %0, %w : tensor<1x8xf32>, tensor<8x8xf32> loc("cell"("m.onnx":1:0))
      %2 = top.matmul %1, %w : tensor<1x8xf32>, tensor<8x8xf32> loc("cell"("m.onnx":1:0))
      %3 = top.matmul %2, %w : tensor<1x8xf32>, tensor<8x8xf32> loc("cell"("m.onnx":1:0))
      return %3 : tensor<1x8xf32>
    })",
                                                        &context);
  ASSERT_TRUE(module);
  CheapestProgram cheapest;
  cheapest.codeCycles = 20;
  cheapest.cycles = 10;
  std::string remark;
  mlir::ScopedDiagnosticHandler handler(
      &context,
      [&](mlir::Diagnostic &diagnostic) { remark = diagnostic.str(); });
  markFloats(*module, {2, 3, 4});
  EXPECT_EQ(markedProducts(*module), std::vector<std::string>{"cell"});
  remarkFloats(*module, cheapest);
  EXPECT_EQ(remark, "1 of 2 products ('cell') are floats, because the program "
                    "then takes 10 cycles instead of 20; --keep-int8 leaves "
                    "them in 8 bits");
}
