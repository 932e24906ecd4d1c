// RUN: weft-opt %s --verify-diagnostics --split-input-file

func.func @operand(%x: vector<8xi32>) {
  // expected-error @below {{'zhouyi.vadd' op operand is 'vector<8xi32>', must be a vector of 1 to 4096 lanes of si8, ui8, si16, ui16, si32, ui32, f16, bf16, f32 or i1, or a pointer}}
  %0 = zhouyi.vadd x = %x, y = %x : vector<8xi32>, vector<8xi32> -> vector<8xsi32>
  return
}

// -----

func.func @unknown_slot(%x: vector<8xsi32>) {
  // expected-error @below {{'vaddh' has no slot 'mask'}}
  %0 = zhouyi.vaddh x = %x, y = %x, mask = "3T" : vector<8xsi32>, vector<8xsi32> -> vector<8xsi32>
  return
}

// -----

func.func @slot_twice(%x: vector<8xsi32>) {
  // expected-error @below {{slot 'x' is given twice}}
  %0 = zhouyi.vadd x = %x, x = 3 : vector<8xsi32> -> vector<8xsi32>
  return
}

// -----

func.func @no_argument(%x: vector<8xsi32>) {
  // expected-error @below {{'zhouyi.vadd' op saturate is unit, must be a value, a number of 64 bits or less, a text, or an array of i64 or i1}}
  %0 = zhouyi.vadd x = %x, y = 3, saturate = unit : vector<8xsi32> -> vector<8xsi32>
  return
}

// -----

func.func @generic_slots(%x: vector<8xsi32>) {
  // expected-error @below {{'zhouyi.vadd' op 'slots' must name one slot an operand}}
  %0 = "zhouyi.vadd"(%x, %x) {slots = array<i32: 0>} : (vector<8xsi32>, vector<8xsi32>) -> vector<8xsi32>
  return
}

// -----

func.func @generic_attribute(%x: vector<8xsi32>) {
  // expected-error @below {{'zhouyi.vadd' op has no slot 'rounding'}}
  %0 = "zhouyi.vadd"(%x, %x) {slots = array<i32: 0, 1>, rounding = 1 : i64} : (vector<8xsi32>, vector<8xsi32>) -> vector<8xsi32>
  return
}

// -----

func.func @result_type(%x: vector<16xsi16>) {
  // expected-error @below {{'zhouyi.vdot' op result is 'vector<16xsi16>', must be 'vector<8xsi32>'}}
  %0 = zhouyi.vdot x = %x, y = %x : vector<16xsi16>, vector<16xsi16> -> vector<16xsi16>
  return
}

// -----

func.func @no_result(%x: vector<8xsi32>) {
  // expected-error @below {{'zhouyi.vadd' op has 0 results, must have 1}}
  zhouyi.vadd x = %x, y = %x : vector<8xsi32>, vector<8xsi32>
  return
}

// -----

func.func @result_of_none(%p: !zhouyi.ptr<f32>, %x: vector<16xf16>) {
  // expected-error @below {{'zhouyi.vmml' op has 1 results, must have 0}}
  %0 = zhouyi.vmml ptr = %p, x = %x, y = %x : !zhouyi.ptr<f32>, vector<16xf16>, vector<16xf16> -> vector<16xf32>
  return
}

// -----

func.func @types_differ(%x: vector<8xsi32>, %y: vector<8xui32>) {
  // expected-error @below {{'zhouyi.vadd' op x is int32x8, y is uint32x8; x and y must have one sign unless out_sign says which the result has}}
  %0 = zhouyi.vadd x = %x, y = %y : vector<8xsi32>, vector<8xui32> -> vector<8xsi32>
  return
}

// -----

func.func @sign(%x: vector<8xsi32>) {
  // expected-error @below {{'zhouyi.vadd' op out_sign is 'x', must be u or s}}
  %0 = zhouyi.vadd x = %x, y = %x, out_sign = "x" : vector<8xsi32>, vector<8xsi32> -> vector<8xsi32>
  return
}

// -----

func.func @number(%x: vector<32xsi8>) {
  // expected-error @below {{'zhouyi.vadd' op y is 300}}
  %0 = zhouyi.vadd x = %x, y = 300 : vector<32xsi8> -> vector<32xsi8>
  return
}

// -----

func.func @mask_lanes(%x: vector<8xsi32>, %m: vector<16xi1>) {
  // expected-error @below {{'zhouyi.vadd' op mask has 16 lanes, the vector has 8; }}
  %0 = zhouyi.vadd x = %x, y = %x, mask = %m : vector<8xsi32>, vector<8xsi32>, vector<16xi1> -> vector<8xsi32>
  return
}

// -----

func.func @no_mask(%x: vector<8xsi32>) {
  // expected-error @below {{'zhouyi.vadd' op mask must be a mask}}
  %0 = zhouyi.vadd x = %x, y = %x, mask = %x : vector<8xsi32>, vector<8xsi32>, vector<8xsi32> -> vector<8xsi32>
  return
}

// -----

func.func @pointer(%p: !zhouyi.ptr<si32>, %x: vector<16xf16>) {
  // expected-error @below {{'zhouyi.vmml' op ptr is int32}}
  zhouyi.vmml ptr = %p, x = %x, y = %x : !zhouyi.ptr<si32>, vector<16xf16>, vector<16xf16>
  return
}

// -----

// expected-error @below {{'zhouyi.program' op target 'x2' is unknown; known: zhouyi}}
zhouyi.program @main on "x2" {
}

// -----

zhouyi.program @main on "zhouyi" {
  %0 = zhouyi.buffer scratch "t" bytes 8 : !zhouyi.ptr<si8>
  // expected-error @below {{'zhouyi.buffer' op is called 't' like one before; give every buffer a name of its own}}
  %1 = zhouyi.buffer scratch "t" bytes 8 : !zhouyi.ptr<si8>
}

// -----

// expected-error @below {{'zhouyi.buffer' op expects parent op 'zhouyi.program'}}
%0 = zhouyi.buffer scratch "t" bytes 8 : !zhouyi.ptr<si8>

// -----

zhouyi.program @main on "zhouyi" {
  // expected-error @below {{'zhouyi.buffer' op has 0 bytes, must have 1 to 4294967295}}
  %0 = zhouyi.buffer scratch "t" bytes 0 : !zhouyi.ptr<si8>
}

// -----

zhouyi.program @main on "zhouyi" {
  // expected-error @below {{'zhouyi.buffer' op has no name}}
  %0 = zhouyi.buffer scratch "" bytes 8 : !zhouyi.ptr<si8>
}

// -----

zhouyi.program @main on "zhouyi" {
  // expected-error @below {{'zhouyi.buffer' op is a weight without contents}}
  %0 = zhouyi.buffer weight "w" bytes 8 : !zhouyi.ptr<si8>
}

// -----

zhouyi.program @main on "zhouyi" {
  // expected-error @below {{'zhouyi.buffer' op has contents, which only weights have}}
  %0 = zhouyi.buffer scratch "w" bytes 8 = dense<1> : tensor<8xsi8> : !zhouyi.ptr<si8>
}

// -----

zhouyi.program @main on "zhouyi" {
  // expected-error @below {{'zhouyi.buffer' op contents are of 'i1', must be of elements of 8, 16, 32 or 64 bits}}
  %0 = zhouyi.buffer weight "w" bytes 8 = dense<true> : tensor<8xi1> : !zhouyi.ptr<si8>
}

// -----

zhouyi.program @main on "zhouyi" {
  // expected-error @below {{'zhouyi.buffer' op contents have 16 bytes, more than the 8 of the buffer}}
  %0 = zhouyi.buffer weight "w" bytes 8 = dense<1> : tensor<8xsi16> : !zhouyi.ptr<si16>
}

// -----

zhouyi.program @main on "zhouyi" {
  // expected-error @below {{'zhouyi.buffer' op contents must be dense or dense_resource}}
  %0 = zhouyi.buffer weight "w" bytes 8 = sparse<0, 1> : tensor<8xsi8> : !zhouyi.ptr<si8>
}

// -----

zhouyi.program @main on "zhouyi" {
  // expected-error @below {{'zhouyi.buffer' op resource has 4 bytes, its type needs 8}}
  %0 = zhouyi.buffer weight "w" bytes 8 = dense_resource<short> : tensor<8xsi8> : !zhouyi.ptr<si8>
}

{-#
  dialect_resources: { builtin: { short: "0x0100000001020304" } }
#-}

// -----

zhouyi.program @main on "zhouyi" {
  // expected-error @below {{'zhouyi.buffer' op is input and has 'value' or 'strides', which only scratch has}}
  %0 = zhouyi.buffer input "x" bytes 8 value "y" onnx tensor<8xi8> stored tensor<8xsi8> : !zhouyi.ptr<si8>
}

// -----

zhouyi.program @main on "zhouyi" {
  // expected-error @below {{'zhouyi.buffer' op has 'strides' without 'value'}}
  %0 = zhouyi.buffer scratch "x" bytes 8 stored tensor<8xsi8> strides [1] : !zhouyi.ptr<si8>
}

// -----

zhouyi.program @main on "zhouyi" {
  // expected-error @below {{'zhouyi.buffer' op holds an ONNX value and must have 'onnx' and 'stored'}}
  %0 = zhouyi.buffer output "x" bytes 8 onnx tensor<8xi8> : !zhouyi.ptr<si8>
}

// -----

zhouyi.program @main on "zhouyi" {
  // expected-error @below {{'zhouyi.buffer' op onnx is 'tensor<8xi8>' and stored 'tensor<2x4xsi8>', must be static and of one shape}}
  %0 = zhouyi.buffer output "x" bytes 8 onnx tensor<8xi8> stored tensor<2x4xsi8> : !zhouyi.ptr<si8>
}

// -----

zhouyi.program @main on "zhouyi" {
  // expected-error @below {{'zhouyi.buffer' op stored elements are 'i8', must be si8, ui8, si16, ui16, si32, ui32, f16, bf16 or f32}}
  %0 = zhouyi.buffer output "x" bytes 8 onnx tensor<8xi8> stored tensor<8xi8> : !zhouyi.ptr<si8>
}

// -----

zhouyi.program @main on "zhouyi" {
  // expected-error @below {{'zhouyi.buffer' op has 1 strides for 2 axes}}
  %0 = zhouyi.buffer scratch "x" bytes 8 value "v" onnx tensor<2x4xi8> stored tensor<2x4xsi8> strides [1] : !zhouyi.ptr<si8>
}

// -----

zhouyi.program @main on "zhouyi" {
  // expected-error @below {{'zhouyi.buffer' op has stride -4, must be 0 or more elements}}
  %0 = zhouyi.buffer scratch "x" bytes 8 value "v" onnx tensor<2x4xi8> stored tensor<2x4xsi8> strides [-4, 1] : !zhouyi.ptr<si8>
}

// -----

zhouyi.program @main on "zhouyi" {
  // Sizes whose product is beyond 64 bits.
  // expected-error @below {{'zhouyi.buffer' op stored value ends at byte 18446744073709551615, behind the 8 of the buffer}}
  %0 = zhouyi.buffer output "x" bytes 8 onnx tensor<4294967296x4294967296xi8> stored tensor<4294967296x4294967296xsi8> : !zhouyi.ptr<si8>
}

// -----

zhouyi.program @main on "zhouyi" {
  // expected-error @below {{'zhouyi.buffer' op stored value ends at byte 9, behind the 8 of the buffer}}
  %0 = zhouyi.buffer scratch "x" bytes 8 value "v" onnx tensor<2x4xi8> stored tensor<2x4xsi8> strides [5, 1] : !zhouyi.ptr<si8>
}

// -----

// expected-error @below {{a pointer is to 'i8', must be to si8, ui8, si16, ui16, si32, ui32, f16, bf16 or f32 (for the host also si64, ui64, f64)}}
func.func private @pointer_type(!zhouyi.ptr<i8>)

// -----

func.func @offset_steps(%p: !zhouyi.ptr<si8>, %i: index) {
  // expected-error @below {{'zhouyi.offset' op has 2 steps for 1 indices}}
  %0 = zhouyi.offset %p[%i] steps [1, 2] : !zhouyi.ptr<si8>
  return
}

// -----

func.func @load_element(%p: !zhouyi.ptr<si8>) {
  // expected-error @below {{'zhouyi.load' op pointer is to 'si8', vector is of 'ui8'; reinterpret the pointer or cast the vector}}
  %0 = zhouyi.load %p : !zhouyi.ptr<si8> -> vector<8xui8>
  return
}

// -----

func.func @load_mask(%p: !zhouyi.ptr<si8>, %m: vector<4xi1>) {
  // expected-error @below {{'zhouyi.load' op mask has 4 lanes, vector has 8}}
  %0 = zhouyi.load %p mask(%m) : !zhouyi.ptr<si8>, vector<4xi1> -> vector<8xsi8>
  return
}

// -----

func.func @load_stride(%p: !zhouyi.ptr<si8>) {
  // expected-error @below {{'zhouyi.load' op stride is 2147483648, must be -2147483648 to 2147483647}}
  %0 = zhouyi.load %p stride 2147483648 : !zhouyi.ptr<si8> -> vector<8xsi8>
  return
}

// -----

func.func @load_lanes(%p: !zhouyi.ptr<si8>) {
  // expected-error @below {{'zhouyi.load' op result #0 must be vector of 1 to 4096 lanes of si8, ui8, si16, ui16, si32, ui32, f16, bf16 or f32, but got 'vector<4097xsi8>'}}
  %0 = zhouyi.load %p : !zhouyi.ptr<si8> -> vector<4097xsi8>
  return
}

// -----

func.func @store_stride(%p: !zhouyi.ptr<si8>, %v: vector<8xsi8>) {
  // expected-error @below {{'zhouyi.store' op writes all lanes to one place; a stride of 0 is for one lane}}
  zhouyi.store %v, %p stride 0 : vector<8xsi8>, !zhouyi.ptr<si8>
  return
}

// -----

func.func @store_element(%p: !zhouyi.ptr<si8>, %v: vector<8xui8>) {
  // expected-error @below {{'zhouyi.store' op pointer is to 'si8', vector is of 'ui8'; reinterpret the pointer or cast the vector}}
  zhouyi.store %v, %p : vector<8xui8>, !zhouyi.ptr<si8>
  return
}

// -----

func.func @mask_width() {
  // expected-error @below {{'zhouyi.tail_mask' op result #0 must be vector of 1 to 4096 lanes of i1, but got 'vector<100000xi1>'}}
  %0 = zhouyi.tail_mask limit 8 : vector<100000xi1>
  return
}

// -----

func.func @tail_steps(%i: index) {
  // expected-error @below {{'zhouyi.tail_mask' op has 2 steps for 1 indices}}
  %0 = zhouyi.tail_mask[%i] steps [1, 2] limit 8 : vector<8xi1>
  return
}

// -----

func.func @reinterpret_bits(%v: vector<8xsi8>) {
  // expected-error @below {{'zhouyi.reinterpret' op from 'vector<8xsi8>' to 'vector<4xsi32>'; both must be pointers, or vectors with as many bits}}
  %0 = zhouyi.reinterpret %v : vector<8xsi8> -> vector<4xsi32>
  return
}

// -----

func.func @cast_lanes(%v: vector<8xsi8>) {
  // expected-error @below {{'zhouyi.cast' op from 8 lanes to 4; must have as many lanes}}
  %0 = zhouyi.cast %v : vector<8xsi8> -> vector<4xsi32>
  return
}

// -----

func.func @constant() {
  // expected-error @below {{'zhouyi.constant' op value must be dense}}
  %0 = zhouyi.constant sparse<0, 1> : vector<4xsi32>
  return
}

// -----

func.func @kernel(%p: !zhouyi.ptr<f32>) {
  // expected-error @below {{'zhouyi.host_call' op names the kernel 'guess'; there is no such host kernel}}
  zhouyi.host_call "guess" inputs(%p) outputs(%p) {} [tensor<4xf32>] to [tensor<4xf32>] reason "none" : (!zhouyi.ptr<f32>) -> !zhouyi.ptr<f32>
  return
}

// -----

func.func @host_types(%p: !zhouyi.ptr<f32>) {
  // expected-error @below {{'zhouyi.host_call' op has 2 types for 1 inputs; give one for each}}
  zhouyi.host_call "softmax" inputs(%p) outputs(%p) {} [tensor<4xf32>, tensor<4xf32>] to [tensor<4xf32>] reason "none" : (!zhouyi.ptr<f32>) -> !zhouyi.ptr<f32>
  return
}

// -----

func.func @host_shape(%p: !zhouyi.ptr<f32>) {
  // expected-error @below {{'zhouyi.host_call' op has 'tensor<?xf32>' among the types of its outputs; they must be tensors of the host of static shape}}
  zhouyi.host_call "softmax" inputs(%p) outputs(%p) {} [tensor<4xf32>] to [tensor<?xf32>] reason "none" : (!zhouyi.ptr<f32>) -> !zhouyi.ptr<f32>
  return
}
