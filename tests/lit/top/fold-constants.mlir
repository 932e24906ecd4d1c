// RUN: weft-opt %s --top-fold-constants | FileCheck %s
// RUN: weft-opt %s --top-fold-constants=max-elements=8 | FileCheck %s --check-prefix=SMALL

// The shape arithmetic of an exported Reshape: Shape -> Cast -> Slice -> Concat.
// CHECK-LABEL: func.func @shapes
// CHECK-NEXT: %[[R:.*]] = top.constant dense<[1, -1]> : tensor<2xi64>
// CHECK-NEXT: return %[[R]]
func.func @shapes() -> tensor<2xi64> {
  %shape = top.constant dense<[1, 200, 1, 1]> : tensor<4xi32>
  %0 = top.slice %shape {starts = array<i64: 0>, steps = array<i64: 1>} : tensor<4xi32> -> tensor<1xi32>
  %1 = top.cast %0 : tensor<1xi32> -> tensor<1xi64>
  %minus = top.constant dense<-1> : tensor<1xi64>
  %2 = top.concat %1, %minus {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  return %2 : tensor<2xi64>
}

// Integers wrap in their own width and division truncates.
// CHECK-LABEL: func.func @integers
// CHECK-DAG: top.constant dense<[44, 0]> : tensor<2xui8>
// CHECK-DAG: top.constant dense<[-3, 0]> : tensor<2xi32>
// CHECK-DAG: top.constant dense<[true, false]> : tensor<2xi1>
func.func @integers() -> (tensor<2xui8>, tensor<2xi32>, tensor<2xi1>) {
  %a = top.constant dense<[200, 255]> : tensor<2xui8>
  %b = top.constant dense<[100, 1]> : tensor<2xui8>
  %0 = top.binary add %a, %b : tensor<2xui8>, tensor<2xui8>
  %c = top.constant dense<[-7, 5]> : tensor<2xi32>
  %d = top.constant dense<[2, 0]> : tensor<2xi32>
  %1 = top.binary div %c, %d : tensor<2xi32>, tensor<2xi32>
  %2 = top.binary less %c, %d : tensor<2xi32>, tensor<2xi32>
  return %0, %1, %2 : tensor<2xui8>, tensor<2xi32>, tensor<2xi1>
}

// Every float type; tanh(0.5) = 0.46211715726..., rounded once to each.
// CHECK-LABEL: func.func @floats
// CHECK-DAG: top.constant dense<0.462117165> : tensor<1xf32>
// CHECK-DAG: top.constant dense<4.621580e-01> : tensor<1xf16>
// CHECK-DAG: top.constant dense<4.628910e-01> : tensor<1xbf16>
// CHECK-DAG: top.constant dense<0.46211715726000{{.*}}> : tensor<1xf64>
func.func @floats() -> (tensor<1xf32>, tensor<1xf16>, tensor<1xbf16>, tensor<1xf64>) {
  %a = top.constant dense<0.5> : tensor<1xf32>
  %b = top.constant dense<0.5> : tensor<1xf16>
  %c = top.constant dense<0.5> : tensor<1xbf16>
  %d = top.constant dense<0.5> : tensor<1xf64>
  %0 = top.unary tanh %a : tensor<1xf32>
  %1 = top.unary tanh %b : tensor<1xf16>
  %2 = top.unary tanh %c : tensor<1xbf16>
  %3 = top.unary tanh %d : tensor<1xf64>
  return %0, %1, %2, %3 : tensor<1xf32>, tensor<1xf16>, tensor<1xbf16>, tensor<1xf64>
}

// Above the limit an op folds only if it does not enlarge what it reads.
// CHECK-LABEL: func.func @sizes
// CHECK-NOT: top.binary
// SMALL-LABEL: func.func @sizes
// SMALL: top.binary add
// SMALL-NOT: top.transpose
func.func @sizes() -> (tensor<4x4xf32>, tensor<4x3xf32>) {
  %row = top.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %column = top.constant dense<[[1.0], [2.0], [3.0], [4.0]]> : tensor<4x1xf32>
  %0 = top.binary add %row, %column : tensor<4xf32>, tensor<4x1xf32>
  %m = top.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 12.0]]> : tensor<3x4xf32>
  %1 = top.transpose %m {perm = array<i64: 1, 0>} : tensor<3x4xf32> -> tensor<4x3xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4x3xf32>
}

// What depends on an argument stays, with its name.
// CHECK-LABEL: func.func @live
// CHECK: top.binary add %arg0, %{{.*}} {top.value = "y"}
func.func @live(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = top.constant dense<1.0> : tensor<2xf32>
  %b = top.unary neg %a : tensor<2xf32>
  %0 = top.binary add %x, %b {top.value = "y"} : tensor<2xf32>, tensor<2xf32>
  return %0 : tensor<2xf32>
}
