// RUN: weft-opt %s | weft-opt | FileCheck %s

// The functions of the catalog print as they are written: slots by name, numbers without a type, words in quotes.
// CHECK-LABEL: func @every_function
func.func @every_function(%b: vector<32xsi8>, %ub: vector<32xui8>, %w: vector<8xsi32>, %uw: vector<8xui32>, %s: vector<16xsi16>,
                          %h: vector<16xf16>, %f: vector<8xf32>, %m: vector<8xi1>, %p: !zhouyi.ptr<f32>, %one: vector<1xf32>) {
  // CHECK: zhouyi.vadd x = %[[W:.*]], y = %[[UW:.*]], mask = %[[M:.*]], saturate = 1, out_sign = "u", r = -1 : vector<8xsi32>, vector<8xui32>, vector<8xi1> -> vector<8xui32>
  %0 = zhouyi.vadd x = %w, y = %uw, mask = %m, saturate = 1, out_sign = "u", r = -1 : vector<8xsi32>, vector<8xui32>, vector<8xi1> -> vector<8xui32>
  // CHECK: zhouyi.vaddh x = %[[W]], y = 3 : vector<8xsi32> -> vector<8xsi32>
  %1 = zhouyi.vaddh x = %w, y = 3 : vector<8xsi32> -> vector<8xsi32>
  // CHECK: zhouyi.vabs x = %[[B:.*]], mask = "3T29F", saturate = 1 : vector<32xsi8> -> vector<32xsi8>
  %2 = zhouyi.vabs x = %b, mask = "3T29F", saturate = 1 : vector<32xsi8> -> vector<32xsi8>
  // CHECK: zhouyi.vsub x = %[[W]], y = %[[W]], mask = array<i1: true, false, true>, r = %[[W]] : vector<8xsi32>, vector<8xsi32>, vector<8xsi32> -> vector<8xsi32>
  %3 = zhouyi.vsub x = %w, y = %w, mask = array<i1: true, false, true>, r = %w : vector<8xsi32>, vector<8xsi32>, vector<8xsi32> -> vector<8xsi32>
  // CHECK: zhouyi.vsubh
  %4 = zhouyi.vsubh x = %w, y = %w : vector<8xsi32>, vector<8xsi32> -> vector<8xsi32>
  // Flexible width: any number of lanes.
  %wide = zhouyi.constant dense<1> : vector<100xsi32>
  // CHECK: zhouyi.vmul x = %{{.*}}, y = %{{.*}} : vector<100xsi32>, vector<100xsi32> -> vector<100xsi32>
  %5 = zhouyi.vmul x = %wide, y = %wide : vector<100xsi32>, vector<100xsi32> -> vector<100xsi32>
  // CHECK: zhouyi.vmull x = %{{.*}}, y = %{{.*}} : vector<16xsi16>, vector<16xsi16> -> vector<8xsi32>
  %6 = zhouyi.vmull x = %s, y = %s : vector<16xsi16>, vector<16xsi16> -> vector<8xsi32>
  // CHECK: zhouyi.vmulh x = %{{.*}}, y = %{{.*}}, out_sign = "s" : vector<32xsi8>, vector<32xui8> -> vector<16xsi16>
  %7 = zhouyi.vmulh x = %b, y = %ub, out_sign = "s" : vector<32xsi8>, vector<32xui8> -> vector<16xsi16>
  // CHECK: zhouyi.vdiv
  %8 = zhouyi.vdiv x = %f, y = 3.0 : vector<8xf32> -> vector<8xf32>
  // CHECK: zhouyi.vmod
  %9 = zhouyi.vmod x = %w, y = 3 : vector<8xsi32> -> vector<8xsi32>
  // CHECK: zhouyi.vdot x = %{{.*}}, y = %{{.*}} : vector<32xui8>, vector<32xsi8> -> vector<16xsi16>
  %10 = zhouyi.vdot x = %ub, y = %b : vector<32xui8>, vector<32xsi8> -> vector<16xsi16>
  // CHECK: zhouyi.vqdot x = %{{.*}}, y = %{{.*}} : vector<16xf16>, vector<16xf16> -> vector<8xf32>
  %11 = zhouyi.vqdot x = %h, y = %h : vector<16xf16>, vector<16xf16> -> vector<8xf32>
  // CHECK: zhouyi.vdpa acc = %{{.*}}, x = %{{.*}}, y = 3 : vector<8xsi32>, vector<16xsi16> -> vector<8xsi32>
  %12 = zhouyi.vdpa acc = %w, x = %s, y = 3 : vector<8xsi32>, vector<16xsi16> -> vector<8xsi32>
  // CHECK: zhouyi.vqdpa acc = %{{.*}}, x = %{{.*}}, y = %{{.*}}, mask = "TFFT28F" :
  %13 = zhouyi.vqdpa acc = %uw, x = %ub, y = %ub, mask = "TFFT28F" : vector<8xui32>, vector<32xui8>, vector<32xui8> -> vector<8xui32>
  // CHECK: zhouyi.vrpadd x = %{{.*}} : vector<16xf16> -> vector<8xf32>
  %14 = zhouyi.vrpadd x = %h : vector<16xf16> -> vector<8xf32>
  // CHECK: zhouyi.vmml ptr = %[[P:.*]], x = %[[H:.*]], y = %[[H]] : !zhouyi.ptr<f32>, vector<16xf16>, vector<16xf16>{{$}}
  zhouyi.vmml ptr = %p, x = %h, y = %h : !zhouyi.ptr<f32>, vector<16xf16>, vector<16xf16>
  // CHECK: zhouyi.vmma acc_ptr = %[[P]], x = %[[H]], y = %[[H]] : !zhouyi.ptr<f32>, vector<16xf16>, vector<16xf16>{{$}}
  zhouyi.vmma acc_ptr = %p, x = %h, y = %h : !zhouyi.ptr<f32>, vector<16xf16>, vector<16xf16>
  // CHECK: zhouyi.fma acc = %{{.*}}, x = 1.500000e+00, y = %{{.*}} : vector<8xf32>, vector<8xf32> -> vector<8xf32>
  %15 = zhouyi.fma acc = %f, x = 1.5, y = %f : vector<8xf32>, vector<8xf32> -> vector<8xf32>
  // Scalars are vectors of one lane.
  // CHECK: zhouyi.fma acc = %{{.*}}, x = %{{.*}}, y = -2.000000e+00 : vector<1xf32>, vector<1xf32> -> vector<1xf32>
  %16 = zhouyi.fma acc = %one, x = %one, y = -2.0 : vector<1xf32>, vector<1xf32> -> vector<1xf32>
  // CHECK: zhouyi.vfmae acc = %{{.*}}, x = %{{.*}}, y = %{{.*}}, mask = %{{.*}} :
  %17 = zhouyi.vfmae acc = %f, x = %h, y = %h, mask = %m : vector<8xf32>, vector<16xf16>, vector<16xf16>, vector<8xi1> -> vector<8xf32>
  // CHECK: zhouyi.vfmao
  %18 = zhouyi.vfmao acc = %f, x = %h, y = %h : vector<8xf32>, vector<16xf16>, vector<16xf16> -> vector<8xf32>
  // CHECK: zhouyi.vrint
  %19 = zhouyi.vrint x = %h : vector<16xf16> -> vector<16xf16>
  // Numbers that decimals do not hold are the bits of a double.
  // CHECK: zhouyi.clip x = %{{.*}}, min_val = 0xFFF0000000000000, max_val = 6.000000e+00 :
  %20 = zhouyi.clip x = %f, min_val = 0xFFF0000000000000, max_val = 6.0 : vector<8xf32> -> vector<8xf32>
  return
}
