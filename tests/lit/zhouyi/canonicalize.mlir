// RUN: weft-opt %s --canonicalize --split-input-file | FileCheck %s

// Constants of constants, with the numbers of the catalog's evaluators.
// CHECK-LABEL: func @constants
func.func @constants() -> (vector<8xsi32>, vector<4xsi8>, vector<8xsi32>, vector<4xf32>) {
  %x = zhouyi.constant dense<[1, 2, 3, 4, 5, 6, 7, 8]> : vector<8xsi32>
  %r = zhouyi.constant dense<[9, 8, 7, 6, 4, 3, 2, 1]> : vector<8xsi32>
  %s = zhouyi.constant dense<[100, -100, 127, -1]> : vector<4xsi8>
  %f = zhouyi.constant dense<[0.5, 2.5, -0.5, 1.0e10]> : vector<4xf32>
  %b = zhouyi.constant dense<[1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6, 7, -7, 8, -8, 9, -9, 10, -10, 11, -11, 12, -12, 13, -13, 14, -14, 15, -15, 16, -16]> : vector<32xsi8>
  // CHECK-DAG: %[[SUM:.*]] = zhouyi.constant dense<[2, 4, 6, 8, 4, 3, 14, 16]> : vector<8xsi32>
  %0 = zhouyi.vadd x = %x, y = %x, mask = "4T2F2T", r = %r : vector<8xsi32>, vector<8xsi32>, vector<8xsi32> -> vector<8xsi32>
  // CHECK-DAG: %[[CLAMPED:.*]] = zhouyi.constant dense<[127, -128, 127, -2]> : vector<4xsi8>
  %1 = zhouyi.vadd x = %s, y = %s, saturate = 1 : vector<4xsi8>, vector<4xsi8> -> vector<4xsi8>
  // CHECK-DAG: %[[DOT:.*]] = zhouyi.constant dense<[10, 50, 122, 226, 362, 530, 730, 962]> : vector<8xsi32>
  %2 = zhouyi.vqdot x = %b, y = %b : vector<32xsi8>, vector<32xsi8> -> vector<8xsi32>
  // CHECK-DAG: %[[ROUND:.*]] = zhouyi.constant dense<[0.000000e+00, 2.000000e+00, -0.000000e+00, 1.000000e+10]> : vector<4xf32>
  %3 = zhouyi.vrint x = %f : vector<4xf32> -> vector<4xf32>
  // CHECK: return %[[SUM]], %[[CLAMPED]], %[[DOT]], %[[ROUND]]
  return %0, %1, %2, %3 : vector<8xsi32>, vector<4xsi8>, vector<8xsi32>, vector<4xf32>
}

// -----

// A lane without a value stays without one.
// CHECK-LABEL: func @undefined_lanes
func.func @undefined_lanes() -> (vector<8xsi32>, vector<8xsi32>) {
  %x = zhouyi.constant dense<7> : vector<8xsi32>
  // CHECK: zhouyi.vadd x = %{{.*}}, y = 1, mask = %{{.*}} :
  %0 = zhouyi.vadd x = %x, y = 1, mask = "3T5F" : vector<8xsi32> -> vector<8xsi32>
  // CHECK: zhouyi.vrpadd x = %{{.*}} :
  %1 = zhouyi.vrpadd x = %x : vector<8xsi32> -> vector<8xsi32>
  return %0, %1 : vector<8xsi32>, vector<8xsi32>
}

// -----

// CHECK-LABEL: func @nothing_to_do
// CHECK-SAME: (%[[X:.*]]: vector<8xsi32>, %[[Y:.*]]: vector<8xui16>)
func.func @nothing_to_do(%x: vector<8xsi32>, %y: vector<8xui16>)
    -> (vector<8xsi32>, vector<8xsi32>, vector<8xsi32>, vector<8xsi32>, vector<8xsi32>, vector<8xui16>, vector<8xui16>) {
  %zero = zhouyi.constant dense<0> : vector<8xsi32>
  %one = zhouyi.constant dense<1> : vector<8xsi32>
  %all = zhouyi.constant dense<true> : vector<8xi1>
  %0 = zhouyi.vadd x = %x, y = %zero : vector<8xsi32>, vector<8xsi32> -> vector<8xsi32>
  %1 = zhouyi.vadd x = 0, y = %x, saturate = 1 : vector<8xsi32> -> vector<8xsi32>
  %2 = zhouyi.vsub x = %x, y = 0 : vector<8xsi32> -> vector<8xsi32>
  %3 = zhouyi.vmul x = %one, y = %x, mask = %all : vector<8xsi32>, vector<8xsi32>, vector<8xi1> -> vector<8xsi32>
  %4 = zhouyi.vdiv x = %x, y = 1 : vector<8xsi32> -> vector<8xsi32>
  %5 = zhouyi.vabs x = %y : vector<8xui16> -> vector<8xui16>
  %6 = zhouyi.clip x = %y, min_val = -3, max_val = 70000 : vector<8xui16> -> vector<8xui16>
  // CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[Y]], %[[Y]]
  return %0, %1, %2, %3, %4, %5, %6 : vector<8xsi32>, vector<8xsi32>, vector<8xsi32>, vector<8xsi32>, vector<8xsi32>, vector<8xui16>, vector<8xui16>
}

// -----

// x + 0 is not x where lanes are inactive, where the sign changes, or of floats
// (-0 + 0 is 0); 0 - x is no x.
// CHECK-LABEL: func @something_to_do
func.func @something_to_do(%x: vector<8xsi32>, %f: vector<8xf32>, %m: vector<8xi1>)
    -> (vector<8xsi32>, vector<8xui32>, vector<8xf32>, vector<8xsi32>) {
  // CHECK-NEXT: zhouyi.vadd x = %{{.*}}, y = 0, mask = %{{.*}}, r = 5 :
  %0 = zhouyi.vadd x = %x, y = 0, mask = %m, r = 5 : vector<8xsi32>, vector<8xi1> -> vector<8xsi32>
  // CHECK-NEXT: zhouyi.vadd x = %{{.*}}, y = 0, out_sign = "u" :
  %1 = zhouyi.vadd x = %x, y = 0, out_sign = "u" : vector<8xsi32> -> vector<8xui32>
  // CHECK-NEXT: zhouyi.vadd x = %{{.*}}, y = 0.000000e+00 :
  %2 = zhouyi.vadd x = %f, y = 0.0 : vector<8xf32> -> vector<8xf32>
  // CHECK-NEXT: zhouyi.vsub x = 0, y = %{{.*}} :
  %3 = zhouyi.vsub x = 0, y = %x : vector<8xsi32> -> vector<8xsi32>
  return %0, %1, %2, %3 : vector<8xsi32>, vector<8xui32>, vector<8xf32>, vector<8xsi32>
}

// -----

// No active lane: r, acc, or the x of clip.
// CHECK-LABEL: func @empty_masks
// CHECK-SAME: (%[[X:.*]]: vector<8xsi32>, %[[R:.*]]: vector<8xsi32>, %[[B:.*]]: vector<32xsi8>)
func.func @empty_masks(%x: vector<8xsi32>, %r: vector<8xsi32>, %b: vector<32xsi8>)
    -> (vector<8xsi32>, vector<8xsi32>, vector<8xsi32>, vector<8xsi32>) {
  // CHECK-NEXT: %[[FIVE:.*]] = zhouyi.constant dense<5> : vector<8xsi32>
  %none = zhouyi.constant dense<false> : vector<8xi1>
  %0 = zhouyi.vsub x = %x, y = 3, mask = %none, r = %r : vector<8xsi32>, vector<8xi1>, vector<8xsi32> -> vector<8xsi32>
  %1 = zhouyi.vadd x = %x, y = 3, mask = "8F", r = 5 : vector<8xsi32> -> vector<8xsi32>
  %2 = zhouyi.vqdpa acc = %r, x = %b, y = %b, mask = "32F" : vector<8xsi32>, vector<32xsi8>, vector<32xsi8> -> vector<8xsi32>
  %3 = zhouyi.clip x = %x, min_val = 3, max_val = 4, mask = %none : vector<8xsi32>, vector<8xi1> -> vector<8xsi32>
  // CHECK-NEXT: return %[[R]], %[[FIVE]], %[[R]], %[[X]]
  return %0, %1, %2, %3 : vector<8xsi32>, vector<8xsi32>, vector<8xsi32>, vector<8xsi32>
}

// -----

// Masks in text or as lists become constants, those of all lanes none.
// CHECK-LABEL: func @masks
func.func @masks(%x: vector<8xsi32>) -> (vector<8xsi32>, vector<8xsi32>, vector<8xsi32>) {
  // CHECK-DAG: %[[TEXT:.*]] = zhouyi.constant dense<[true, true, true, false, false, false, false, false]> : vector<8xi1>
  // CHECK-DAG: %[[LIST:.*]] = zhouyi.constant dense<[true, false, true, false, false, false, false, false]> : vector<8xi1>
  // CHECK: zhouyi.vadd x = %{{.*}}, y = 1, mask = %[[TEXT]], r = 0 :
  %0 = zhouyi.vadd x = %x, y = 1, mask = "3T", r = 0 : vector<8xsi32> -> vector<8xsi32>
  // CHECK: zhouyi.vadd x = %{{.*}}, y = 1, mask = %[[LIST]], r = 0 :
  %1 = zhouyi.vadd x = %x, y = 1, mask = array<i1: true, false, true>, r = 0 : vector<8xsi32> -> vector<8xsi32>
  // CHECK: zhouyi.vadd x = %{{.*}}, y = 1 :
  %2 = zhouyi.vadd x = %x, y = 1, mask = "8T" : vector<8xsi32> -> vector<8xsi32>
  return %0, %1, %2 : vector<8xsi32>, vector<8xsi32>, vector<8xsi32>
}

// -----

// Parameters that change nothing go; out_sign that does stays.
// CHECK-LABEL: func @parameters
func.func @parameters(%x: vector<8xsi32>, %y: vector<8xui32>, %f: vector<8xf32>)
    -> (vector<8xsi32>, vector<8xui32>, vector<8xsi32>, vector<8xf32>) {
  // CHECK-NEXT: zhouyi.vadd x = %[[X:.*]], y = %[[X]] :
  %0 = zhouyi.vadd x = %x, y = %x, saturate = 0, out_sign = "s" : vector<8xsi32>, vector<8xsi32> -> vector<8xsi32>
  // CHECK-NEXT: zhouyi.vmul x = %[[X]], y = %[[X]], out_sign = "u" :
  %1 = zhouyi.vmul x = %x, y = %x, out_sign = "u" : vector<8xsi32>, vector<8xsi32> -> vector<8xui32>
  // CHECK-NEXT: zhouyi.vadd x = %[[X]], y = %{{.*}}, out_sign = "s" :
  %2 = zhouyi.vadd x = %x, y = %y, out_sign = "s" : vector<8xsi32>, vector<8xui32> -> vector<8xsi32>
  // CHECK-NEXT: zhouyi.vmul x = %[[F:.*]], y = %[[F]] :
  %3 = zhouyi.vmul x = %f, y = %f, out_sign = "u" : vector<8xf32>, vector<8xf32> -> vector<8xf32>
  return %0, %1, %2, %3 : vector<8xsi32>, vector<8xui32>, vector<8xsi32>, vector<8xf32>
}

// -----

// A constant of one number is that number, unless the number would be read as
// another type: 3 beside ui8 is ui8, and the product of two ui8 is ui16.
// CHECK-LABEL: func @numbers
func.func @numbers(%x: vector<8xf32>, %u: vector<32xui8>) -> (vector<8xf32>, vector<16xsi16>, vector<16xui16>) {
  %half = zhouyi.constant dense<0.5> : vector<8xf32>
  %three = zhouyi.constant dense<3> : vector<32xsi8>
  %four = zhouyi.constant dense<4> : vector<1xui8>
  // CHECK: %[[THREE:.*]] = zhouyi.constant dense<3> : vector<32xsi8>
  // CHECK: zhouyi.vmul x = 5.000000e-01, y = %{{.*}} : vector<8xf32> -> vector<8xf32>
  %0 = zhouyi.vmul x = %half, y = %x : vector<8xf32>, vector<8xf32> -> vector<8xf32>
  // CHECK: zhouyi.vdot x = %{{.*}}, y = %[[THREE]] :
  %1 = zhouyi.vdot x = %u, y = %three : vector<32xui8>, vector<32xsi8> -> vector<16xsi16>
  // CHECK: zhouyi.vdot x = %{{.*}}, y = 4 :
  %2 = zhouyi.vdot x = %u, y = %four : vector<32xui8>, vector<1xui8> -> vector<16xui16>
  return %0, %1, %2 : vector<8xf32>, vector<16xsi16>, vector<16xui16>
}

// -----

// CHECK-LABEL: func @clips
func.func @clips(%x: vector<8xsi32>, %m: vector<8xi1>) -> (vector<8xsi32>, vector<8xsi32>, vector<8xsi32>) {
  // CHECK-NEXT: %[[INNER:.*]] = zhouyi.clip x = %[[X:.*]], min_val = -10, max_val = 6 :
  // CHECK-NEXT: %{{.*}} = zhouyi.clip x = %[[X]], min_val = 0, max_val = 6 :
  %0 = zhouyi.clip x = %x, min_val = -10, max_val = 6 : vector<8xsi32> -> vector<8xsi32>
  %1 = zhouyi.clip x = %0, min_val = 0, max_val = 20 : vector<8xsi32> -> vector<8xsi32>
  // Ranges that lie apart leave one number.
  // CHECK-NEXT: %{{.*}} = zhouyi.clip x = %[[X]], min_val = 7, max_val = 7 :
  %2 = zhouyi.clip x = %0, min_val = 7, max_val = 20 : vector<8xsi32> -> vector<8xsi32>
  // CHECK-NEXT: zhouyi.clip x = %[[INNER]], min_val = 0, max_val = 20, mask = %{{.*}} :
  %3 = zhouyi.clip x = %0, min_val = 0, max_val = 20, mask = %m : vector<8xsi32>, vector<8xi1> -> vector<8xsi32>
  return %1, %2, %3 : vector<8xsi32>, vector<8xsi32>, vector<8xsi32>
}

// -----

// What nobody reads is not computed; what writes to memory stays.
// CHECK-LABEL: func @dead
func.func @dead(%x: vector<16xf16>, %p: !zhouyi.ptr<f32>) {
  // CHECK-NEXT: zhouyi.vmma acc_ptr =
  // CHECK-NEXT: return
  %0 = zhouyi.vadd x = %x, y = %x : vector<16xf16>, vector<16xf16> -> vector<16xf16>
  %1 = zhouyi.vrint x = %0 : vector<16xf16> -> vector<16xf16>
  %2 = zhouyi.offset %p add 3 : !zhouyi.ptr<f32>
  %3 = zhouyi.load %p : !zhouyi.ptr<f32> -> vector<8xf32>
  zhouyi.vmma acc_ptr = %p, x = %x, y = %x : !zhouyi.ptr<f32>, vector<16xf16>, vector<16xf16>
  return
}

// -----

// Offsets add up.
// CHECK-LABEL: func @offsets
// CHECK-SAME: (%[[P:.*]]: !zhouyi.ptr<si8>, %[[I:.*]]: index, %[[J:.*]]: index)
func.func @offsets(%p: !zhouyi.ptr<si8>, %i: index, %j: index) -> (!zhouyi.ptr<si8>, !zhouyi.ptr<si8>, !zhouyi.ptr<si8>) {
  %c3 = arith.constant 3 : index
  // CHECK-NEXT: %[[A:.*]] = zhouyi.offset %[[P]][%[[I]], %[[J]]] steps [36, 5] add 13 : !zhouyi.ptr<si8>
  %0 = zhouyi.offset %p[%i, %j] steps [4, 5] add 1 : !zhouyi.ptr<si8>
  %1 = zhouyi.offset %0[%i, %c3] steps [32, 4] : !zhouyi.ptr<si8>
  %2 = zhouyi.offset %p : !zhouyi.ptr<si8>
  // CHECK-NEXT: %[[B:.*]] = zhouyi.offset %[[P]] add 6 : !zhouyi.ptr<si8>
  %3 = zhouyi.offset %p[%c3, %i] steps [2, 0] : !zhouyi.ptr<si8>
  // CHECK-NEXT: return %[[A]], %[[P]], %[[B]]
  return %1, %2, %3 : !zhouyi.ptr<si8>, !zhouyi.ptr<si8>, !zhouyi.ptr<si8>
}

// -----

// CHECK-LABEL: func @accesses
func.func @accesses(%p: !zhouyi.ptr<si8>, %v: vector<4xsi8>, %i: index) -> (vector<4xsi8>, vector<4xi1>) {
  %all = zhouyi.constant dense<true> : vector<4xi1>
  %none = zhouyi.constant dense<false> : vector<4xi1>
  %c3 = arith.constant 3 : index
  // CHECK-DAG: %[[ZERO:.*]] = zhouyi.constant dense<0> : vector<4xsi8>
  // CHECK-DAG: %[[MASK:.*]] = zhouyi.constant dense<[true, true, false, false]> : vector<4xi1>
  // CHECK: zhouyi.store %{{.*}}, %{{.*}} : vector<4xsi8>, !zhouyi.ptr<si8>
  zhouyi.store %v, %p mask(%all) : vector<4xsi8>, !zhouyi.ptr<si8>, vector<4xi1>
  zhouyi.store %v, %p mask(%none) : vector<4xsi8>, !zhouyi.ptr<si8>, vector<4xi1>
  %0 = zhouyi.load %p mask(%none) : !zhouyi.ptr<si8>, vector<4xi1> -> vector<4xsi8>
  %1 = zhouyi.tail_mask [%c3] steps [2] limit 8 : vector<4xi1>
  // CHECK-NEXT: zhouyi.store %{{.*}}, %{{.*}} mask(%[[MASK]]) stride 2 :
  zhouyi.store %v, %p mask(%1) stride 2 : vector<4xsi8>, !zhouyi.ptr<si8>, vector<4xi1>
  %2 = zhouyi.tail_mask [%i, %c3] steps [4, 1] limit 10 : vector<4xi1>
  // CHECK-NEXT: %[[TAIL:.*]] = zhouyi.tail_mask[%{{.*}}] steps [4] limit 7 : vector<4xi1>
  // CHECK-NEXT: return %[[ZERO]], %[[TAIL]]
  return %0, %2 : vector<4xsi8>, vector<4xi1>
}

// -----

// CHECK-LABEL: func @types
// CHECK-SAME: (%[[X:.*]]: vector<8xsi32>)
func.func @types(%x: vector<8xsi32>) -> (vector<8xsi32>, vector<16xui16>, vector<8xsi8>, vector<2xsi32>, vector<8xsi32>) {
  // CHECK-DAG: %[[CAST:.*]] = zhouyi.constant dense<[127, -128, 0, 2, -1, 0, 5, 6]> : vector<8xsi8>
  // CHECK-DAG: %[[BITS:.*]] = zhouyi.constant dense<[67305985, -1]> : vector<2xsi32>
  %f = zhouyi.constant dense<[300.0, -300.0, 0x7FC00000, 2.9, -1.5, 0.0, 5.0, 6.0]> : vector<8xf32>
  %b = zhouyi.constant dense<[1, 2, 3, 4, 255, 255, 255, 255]> : vector<8xui8>
  %0 = zhouyi.reinterpret %x : vector<8xsi32> -> vector<32xsi8>
  %1 = zhouyi.reinterpret %0 : vector<32xsi8> -> vector<8xsi32>
  // CHECK: %[[SHORT:.*]] = zhouyi.reinterpret %[[X]] : vector<8xsi32> -> vector<16xui16>
  %2 = zhouyi.reinterpret %0 : vector<32xsi8> -> vector<16xui16>
  %3 = zhouyi.cast %f : vector<8xf32> -> vector<8xsi8>
  %4 = zhouyi.reinterpret %b : vector<8xui8> -> vector<2xsi32>
  %5 = zhouyi.cast %x : vector<8xsi32> -> vector<8xsi32>
  // CHECK-NEXT: return %[[X]], %[[SHORT]], %[[CAST]], %[[BITS]], %[[X]]
  return %1, %2, %3, %4, %5 : vector<8xsi32>, vector<16xui16>, vector<8xsi8>, vector<2xsi32>, vector<8xsi32>
}
