//===- CodeProductsTest.cpp - products by the names of tables -------------===//

#include "passes/quantize/CodeProducts.h"

#include "dialects/top/Top.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace weft;
using namespace weft::quantize;

// As recurrent operators and transposed convolutions become: several products,
// of which only the node has a name, one of them of a value without a range.
static const char *const kGraph = R"(
  func.func @main(%x: tensor<4x8xf32> {top.name = "x"}) -> (tensor<4x8xf32> {top.name = "y"}) {
    %w = top.constant dense<0.5> : tensor<8x8xf32>
    %plain = top.matmul %x, %w {top.value = "a"} : tensor<4x8xf32>, tensor<8x8xf32> loc("plain"("m.onnx":0:0))
    %one = top.matmul %plain, %w : tensor<4x8xf32>, tensor<8x8xf32> loc("cell"("m.onnx":1:0))
    %two = top.matmul %plain, %w : tensor<4x8xf32>, tensor<8x8xf32> loc("cell"("m.onnx":1:0))
    %inner = top.matmul %one, %w : tensor<4x8xf32>, tensor<8x8xf32> loc("cell"("m.onnx":1:0))
    %turned = top.transpose %inner {perm = array<i64: 1, 0>} : tensor<4x8xf32> -> tensor<8x4xf32>
    %both = top.matmul %plain, %turned {top.value = "b"} : tensor<4x8xf32>, tensor<8x4xf32>
    %last = top.matmul %plain, %w : tensor<4x8xf32>, tensor<8x8xf32> loc(fused["last"("m.onnx":2:0), "sum"("m.onnx":3:0)])
    return %last : tensor<4x8xf32>
  })";

TEST(CodeProducts, OfANodeAreOne) {
  mlir::MLIRContext context;
  context.loadDialect<top::TopDialect, mlir::func::FuncDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(kGraph, &context);
  ASSERT_TRUE(module);
  std::vector<CodeProduct> products =
      codeProductsOf(module->lookupSymbol<mlir::func::FuncOp>("main"));
  ASSERT_EQ(products.size(), 3u);
  EXPECT_EQ(products[0].name, "a");
  EXPECT_EQ(products[1].name, "cell");
  EXPECT_EQ(products[1].entries, std::vector<std::string>{"cell"});
  EXPECT_EQ(products[1].ops.size(), 2u); // the third has no range
  EXPECT_EQ(products[2].name, "last");
}

// A value and a node of the same name, and a node without one.
TEST(CodeProducts, WhatOneNameNamesIsOne) {
  mlir::MLIRContext context;
  context.loadDialect<top::TopDialect, mlir::func::FuncDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"(
    func.func @main(%x: tensor<4x8xf32> {top.name = "x"}) -> (tensor<4x8xf32> {top.name = "y"}) {
      %w = top.constant dense<0.5> : tensor<8x8xf32>
      %0 = top.matmul %x, %w {top.value = "a"} : tensor<4x8xf32>, tensor<8x8xf32> loc("b"("m.onnx":0:0))
      %1 = top.matmul %0, %w {top.value = "c"} : tensor<4x8xf32>, tensor<8x8xf32> loc("a"("m.onnx":1:0))
      %2 = top.matmul %1, %w : tensor<4x8xf32>, tensor<8x8xf32>
      return %2 : tensor<4x8xf32>
    })",
                                                        &context);
  ASSERT_TRUE(module);
  std::vector<CodeProduct> products =
      codeProductsOf(module->lookupSymbol<mlir::func::FuncOp>("main"));
  ASSERT_EQ(products.size(), 2u);
  EXPECT_EQ(products[0].entries, (std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(products[0].ops.size(), 2u);
  EXPECT_EQ(products[1].name, "?");
  EXPECT_TRUE(products[1].entries.empty());
}
