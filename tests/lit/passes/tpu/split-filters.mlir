// RUN: weft-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tpu-split-filters))' | FileCheck %s

// 1.1 MB of filters are two parts, of whole rounds over the lanes; each has its rows of every constant and the recipe, and the whole has the name.
// CHECK-LABEL: func.func @wide
// CHECK-DAG: %[[W0:.*]] = tpu.weight {{.*}} : tensor<64x3000x3x1xi8>
// CHECK-DAG: %[[W1:.*]] = tpu.weight {{.*}} : tensor<56x3000x3x1xi8>
// CHECK-DAG: %[[B0:.*]] = tpu.weight dense<{{.*}}0.000000e+00{{.*}}6.300000e+01]{{.*}} : tensor<1x64x1x1xf32>
// CHECK-DAG: %[[B1:.*]] = tpu.weight dense<{{.*}}6.400000e+01{{.*}}1.190000e+02]{{.*}} : tensor<1x56x1x1xf32>
// CHECK: %[[Y0:.*]] = tpu.conv %arg0, %[[W0]], %[[B0]] {{.*}}{relu, scales = array<f32: 5.000000e-01, {{.*}}, 6.350000e+01>, tpu.recipe = "dense"} : {{.*}} -> tensor<1x64x7x7xf16>
// CHECK: %[[Y1:.*]] = tpu.conv %arg0, %[[W1]], %[[B1]] {{.*}}{relu, scales = array<f32: 6.450000e+01, {{.*}}, 1.195000e+02>, tpu.recipe = "dense"} : {{.*}} -> tensor<1x56x7x7xf16>
// CHECK: %[[Y:.*]] = tpu.concat %[[Y0]], %[[Y1]] axis 1 {top.value = "y"}
// CHECK: return %[[Y]]
module attributes {tpu.chip = "bm1684x"} {
  func.func @wide(%x: tensor<1x3000x7x7x!quant.uniform<i8:f32, 0.1>>) -> tensor<1x120x7x7xf16> {
    %w = tpu.weight dense<1> : tensor<120x3000x3x1xi8>
    %b = tpu.weight dense<[[[[0.0]], [[1.0]], [[2.0]], [[3.0]], [[4.0]], [[5.0]], [[6.0]], [[7.0]], [[8.0]], [[9.0]], [[10.0]], [[11.0]], [[12.0]], [[13.0]], [[14.0]], [[15.0]], [[16.0]], [[17.0]], [[18.0]], [[19.0]], [[20.0]], [[21.0]], [[22.0]], [[23.0]], [[24.0]], [[25.0]], [[26.0]], [[27.0]], [[28.0]], [[29.0]], [[30.0]], [[31.0]], [[32.0]], [[33.0]], [[34.0]], [[35.0]], [[36.0]], [[37.0]], [[38.0]], [[39.0]], [[40.0]], [[41.0]], [[42.0]], [[43.0]], [[44.0]], [[45.0]], [[46.0]], [[47.0]], [[48.0]], [[49.0]], [[50.0]], [[51.0]], [[52.0]], [[53.0]], [[54.0]], [[55.0]], [[56.0]], [[57.0]], [[58.0]], [[59.0]], [[60.0]], [[61.0]], [[62.0]], [[63.0]], [[64.0]], [[65.0]], [[66.0]], [[67.0]], [[68.0]], [[69.0]], [[70.0]], [[71.0]], [[72.0]], [[73.0]], [[74.0]], [[75.0]], [[76.0]], [[77.0]], [[78.0]], [[79.0]], [[80.0]], [[81.0]], [[82.0]], [[83.0]], [[84.0]], [[85.0]], [[86.0]], [[87.0]], [[88.0]], [[89.0]], [[90.0]], [[91.0]], [[92.0]], [[93.0]], [[94.0]], [[95.0]], [[96.0]], [[97.0]], [[98.0]], [[99.0]], [[100.0]], [[101.0]], [[102.0]], [[103.0]], [[104.0]], [[105.0]], [[106.0]], [[107.0]], [[108.0]], [[109.0]], [[110.0]], [[111.0]], [[112.0]], [[113.0]], [[114.0]], [[115.0]], [[116.0]], [[117.0]], [[118.0]], [[119.0]]]]> : tensor<1x120x1x1xf32>
    %y = tpu.conv %x, %w, %b strides [1, 1] pads [1, 0, 1, 0] dilations [1, 1] group 1 {relu, scales = array<f32: 0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 10.5, 11.5, 12.5, 13.5, 14.5, 15.5, 16.5, 17.5, 18.5, 19.5, 20.5, 21.5, 22.5, 23.5, 24.5, 25.5, 26.5, 27.5, 28.5, 29.5, 30.5, 31.5, 32.5, 33.5, 34.5, 35.5, 36.5, 37.5, 38.5, 39.5, 40.5, 41.5, 42.5, 43.5, 44.5, 45.5, 46.5, 47.5, 48.5, 49.5, 50.5, 51.5, 52.5, 53.5, 54.5, 55.5, 56.5, 57.5, 58.5, 59.5, 60.5, 61.5, 62.5, 63.5, 64.5, 65.5, 66.5, 67.5, 68.5, 69.5, 70.5, 71.5, 72.5, 73.5, 74.5, 75.5, 76.5, 77.5, 78.5, 79.5, 80.5, 81.5, 82.5, 83.5, 84.5, 85.5, 86.5, 87.5, 88.5, 89.5, 90.5, 91.5, 92.5, 93.5, 94.5, 95.5, 96.5, 97.5, 98.5, 99.5, 100.5, 101.5, 102.5, 103.5, 104.5, 105.5, 106.5, 107.5, 108.5, 109.5, 110.5, 111.5, 112.5, 113.5, 114.5, 115.5, 116.5, 117.5, 118.5, 119.5>, top.value = "y", tpu.recipe = "dense"}
        : tensor<1x3000x7x7x!quant.uniform<i8:f32, 0.1>>, tensor<120x3000x3x1xi8>, tensor<1x120x1x1xf32> -> tensor<1x120x7x7xf16>
    return %y : tensor<1x120x7x7xf16>
  }
}

// -----

// One rounding a channel: multipliers and shifts, zero points of filters.
// CHECK-LABEL: func.func @rounded
// CHECK: tpu.conv {{.*}}filter_zero_points = array<i32: 0, {{.*}}, 63>, multipliers = array<i32: 1000, {{.*}}, 1063>, rshifts = array<i32: 0, {{.*}}, 63>} : {{.*}} -> tensor<1x64x7x7x!quant
// CHECK: tpu.conv {{.*}}filter_zero_points = array<i32: 64, {{.*}}, 99>, multipliers = array<i32: 1064, {{.*}}, 1099>, rshifts = array<i32: 0, {{.*}}, 35>} : {{.*}} -> tensor<1x36x7x7x!quant
module attributes {tpu.chip = "bm1684x"} {
  func.func @rounded(%x: tensor<1x4000x7x7x!quant.uniform<i8:f32, 0.1>>) -> tensor<1x100x7x7x!quant.uniform<i8:f32, 0.1>> {
    %w = tpu.weight dense<1> : tensor<100x4000x3x1xi8>
    %y = tpu.conv %x, %w strides [1, 1] pads [1, 0, 1, 0] dilations [1, 1] group 1 {multipliers = array<i32: 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 1015, 1016, 1017, 1018, 1019, 1020, 1021, 1022, 1023, 1024, 1025, 1026, 1027, 1028, 1029, 1030, 1031, 1032, 1033, 1034, 1035, 1036, 1037, 1038, 1039, 1040, 1041, 1042, 1043, 1044, 1045, 1046, 1047, 1048, 1049, 1050, 1051, 1052, 1053, 1054, 1055, 1056, 1057, 1058, 1059, 1060, 1061, 1062, 1063, 1064, 1065, 1066, 1067, 1068, 1069, 1070, 1071, 1072, 1073, 1074, 1075, 1076, 1077, 1078, 1079, 1080, 1081, 1082, 1083, 1084, 1085, 1086, 1087, 1088, 1089, 1090, 1091, 1092, 1093, 1094, 1095, 1096, 1097, 1098, 1099>, rshifts = array<i32: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35>, filter_zero_points = array<i32: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99>}
        : tensor<1x4000x7x7x!quant.uniform<i8:f32, 0.1>>, tensor<100x4000x3x1xi8> -> tensor<1x100x7x7x!quant.uniform<i8:f32, 0.1>>
    return %y : tensor<1x100x7x7x!quant.uniform<i8:f32, 0.1>>
  }
}

// -----

// One channel to 65: a part of one filter would be depthwise, which has other recipes. Groups stay whole as well.
// CHECK-LABEL: func.func @whole
// CHECK-NOT: tpu.concat
module attributes {tpu.chip = "bm1684x"} {
  func.func @whole(%x: tensor<1x1x9000x7xf32>, %z: tensor<1x2048x7x7xf32>) -> (tensor<1x65x1x7xf32>, tensor<1x128x7x7xf32>) {
    %w = tpu.weight dense<1.0> : tensor<65x1x9000x1xf32>
    %0 = tpu.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 : tensor<1x1x9000x7xf32>, tensor<65x1x9000x1xf32> -> tensor<1x65x1x7xf32>
    %v = tpu.weight dense<1.0> : tensor<128x1024x3x1xf32>
    %1 = tpu.conv %z, %v strides [1, 1] pads [1, 0, 1, 0] dilations [1, 1] group 2 : tensor<1x2048x7x7xf32>, tensor<128x1024x3x1xf32> -> tensor<1x128x7x7xf32>
    return %0, %1 : tensor<1x65x1x7xf32>, tensor<1x128x7x7xf32>
  }
}

// -----

// What lies behind 32 channels of a concatenation begins in lane 32: parts would take up more rows of all lanes. What lies in front of them does not.
// CHECK-LABEL: func.func @joined
// CHECK-COUNT-2: tpu.conv {{.*}} -> tensor<1x64x7x7xf32>
// CHECK: tpu.concat
// CHECK: tpu.conv {{.*}} -> tensor<1x128x7x7xf32>
// CHECK: tpu.concat
module attributes {tpu.chip = "bm1684x"} {
  func.func @joined(%x: tensor<1x1200x7x7xf32>, %z: tensor<1x32x7x7xf32>) -> tensor<1x288x7x7xf32> {
    %w = tpu.weight dense<1.0> : tensor<128x1200x3x1xf32>
    %0 = tpu.conv %x, %w strides [1, 1] pads [1, 0, 1, 0] dilations [1, 1] group 1 : tensor<1x1200x7x7xf32>, tensor<128x1200x3x1xf32> -> tensor<1x128x7x7xf32>
    %1 = tpu.conv %x, %w strides [1, 1] pads [1, 0, 1, 0] dilations [1, 1] group 1 {relu} : tensor<1x1200x7x7xf32>, tensor<128x1200x3x1xf32> -> tensor<1x128x7x7xf32>
    %2 = tpu.concat %0, %z, %1 axis 1 : (tensor<1x128x7x7xf32>, tensor<1x32x7x7xf32>, tensor<1x128x7x7xf32>) -> tensor<1x288x7x7xf32>
    return %2 : tensor<1x288x7x7xf32>
  }
}
