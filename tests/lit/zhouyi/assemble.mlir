// RUN: split-file %s %t
// RUN: weft-as %t/program.mlir -o %t/x.zyp && weft disasm %t/x.zyp | FileCheck %s
// RUN: not weft-as %t/two.mlir -o %t/x.zyp 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not weft-as %t/outside.mlir -o %t/x.zyp 2>&1 | FileCheck %s --check-prefix=OUTSIDE

// Text becomes a file: weights first, equal constants once, an accumulator in one register through both loops.
// CHECK:      program 'main' for 'zhouyi', memory of 288 bytes
// CHECK-NEXT: weight  0x00000000        128 bytes 'w'
// CHECK-NEXT: input   0x00000080        100 bytes 'x'  # 'x' i8 1x100
// CHECK-NEXT: output  0x00000100         32 bytes 'y'  # 'y' i32 8
// CHECK-NEXT: v[[ZERO:[0-9]+]]:int32x8 = constant 0
// CHECK-NEXT: m[[MASK:[0-9]+]]:mask8 = constant 7T1F
// CHECK-NEXT: v[[ACC:[0-9]+]] = copy v[[ZERO]]
// CHECK-NEXT: loop 2
// CHECK-NEXT: loop 4
// CHECK-NEXT: m[[TAIL:[0-9]+]]:mask32 = tail_mask 100 - i1*32
// CHECK-NEXT: v[[A:[0-9]+]]:int8x32 = load x[0 + i1*32] mask m[[TAIL]]
// CHECK-NEXT: v[[B:[0-9]+]]:int8x32 = load w[0 + i1*32] mask m[[TAIL]]
// CHECK-NEXT: v[[ACC]]:int32x8 = vqdpa v[[ACC]], v[[A]], v[[B]]
// CHECK-NEXT: v[[OUT:[0-9]+]]:int32x8 = clip v[[ACC]], 0, 1000, mask = m[[MASK]]  # 'relu'
// CHECK-NEXT: store v[[OUT]], y[0]
//--- program.mlir
zhouyi.program @main on "zhouyi" {
  %x = zhouyi.buffer input "x" bytes 100 onnx tensor<1x100xi8> stored tensor<1x100xsi8> : !zhouyi.ptr<si8>
  %w = zhouyi.buffer weight "w" bytes 128 = dense<3> : tensor<100xsi8> : !zhouyi.ptr<si8>
  %y = zhouyi.buffer output "y" bytes 32 onnx tensor<8xi32> stored tensor<8xsi32> : !zhouyi.ptr<si32>
  %z = zhouyi.constant dense<0> : vector<8xsi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c2 = arith.constant 2 : index
  %r0 = scf.for %j = %c0 to %c2 step %c1 iter_args(%acc0 = %z) -> (vector<8xsi32>) {
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %acc0) -> (vector<8xsi32>) {
    %m = zhouyi.tail_mask [%i] steps [32] limit 100 : vector<32xi1>
    %q = zhouyi.offset %x[%i] steps [32] : !zhouyi.ptr<si8>
    %p = zhouyi.offset %w[%i] steps [32] : !zhouyi.ptr<si8>
    %a = zhouyi.load %q mask(%m) : !zhouyi.ptr<si8>, vector<32xi1> -> vector<32xsi8>
    %b = zhouyi.load %p mask(%m) : !zhouyi.ptr<si8>, vector<32xi1> -> vector<32xsi8>
    %s = zhouyi.vqdpa acc = %acc, x = %a, y = %b : vector<8xsi32>, vector<32xsi8>, vector<32xsi8> -> vector<8xsi32>
    scf.yield %s : vector<8xsi32>
  }
  scf.yield %r : vector<8xsi32>
  }
  %k = zhouyi.clip x = %r0, min_val = 0, max_val = 1000, mask = "7T1F" : vector<8xsi32> -> vector<8xsi32> loc("relu")
  zhouyi.store %k, %y : vector<8xsi32>, !zhouyi.ptr<si32> loc("relu")
}

// TWO: the file has 0 ppl.net and 2 zhouyi.program, must have one of them
//--- two.mlir
zhouyi.program @a on "zhouyi" {
}
zhouyi.program @b on "zhouyi" {
}

// OUTSIDE: outside.mlir:5:3: error: instruction 1 (store): touches bytes 4 to 35 of buffer 'y', which has 32; mask the lanes outside
//--- outside.mlir
zhouyi.program @a on "zhouyi" {
  %y = zhouyi.buffer output "y" bytes 32 onnx tensor<8xi32> stored tensor<8xsi32> : !zhouyi.ptr<si32>
  %z = zhouyi.constant dense<0> : vector<8xsi32>
  %p = zhouyi.offset %y add 1 : !zhouyi.ptr<si32>
  zhouyi.store %z, %p : vector<8xsi32>, !zhouyi.ptr<si32>
}
