// Products in f16 whose weights lie in DRAM in few bits.
// RUN: weft-opt --split-input-file --top-fold-constants --convert-top-to-tpu="precision=f16 wide-weights=0" %s | FileCheck %s --check-prefixes=ALL,F16
// RUN: weft-opt --split-input-file --top-fold-constants --convert-top-to-tpu="precision=w4f16 wide-weights=0 group-size=32" %s | FileCheck %s --check-prefixes=ALL,W4
// RUN: weft-opt --split-input-file --top-fold-constants --convert-top-to-tpu="precision=w8f16 wide-weights=0 group-size=0" %s | FileCheck %s --check-prefixes=ALL,W8
// RUN: not weft-opt --split-input-file --convert-top-to-tpu="precision=w4f16 group-size=48" %s 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not weft-opt --split-input-file --convert-top-to-tpu="precision=w5f16" %s 2>&1 | FileCheck %s --check-prefix=WORD

// SIZE: error: group-size is 48, must be a power of two from 16 to 1024, or 0 for one scale a channel
// WORD: error: precision is 'w5f16', must be f32, f16, bf16, int8, w8f16 or w4f16

// Floats become codes where few bits are asked for.
// ALL-LABEL: func.func @main
// F16: tpu.linear
// W4: tpu.coded_linear {{.*}} bias {{.*}} bits 4 {relu, rows_in_lanes, top.value = "r"{{.*}} : (tensor<1x5x1x256xf16>, tensor<64x256x1x1x{{u?}}i8>, tensor<64x8x1x1xf16>{{.*}}, tensor<1x64x1x1xf32>) -> tensor<1x5x1x64xf32>
// W8: tpu.coded_linear {{.*}} bias {{.*}} bits 8 {relu, rows_in_lanes, top.value = "r"{{.*}} : (tensor<1x5x1x256xf16>, tensor<64x256x1x1x{{u?}}i8>, tensor<64x1x1x1xf16>{{.*}}, tensor<1x64x1x1xf32>) -> tensor<1x5x1x64xf32>
func.func @main(%x: tensor<1x5x256xf32> {top.name = "x"}) -> (tensor<1x5x64xf32> {top.name = "r"}) {
  %column = top.constant dense<"0x69F0B03E9155523F0C2FA93EDBCDA6BF67C5673F358BE43EC47509BF28C4143F3CA9BA3E8998963EC3D5E83C62F50B3F41883CBFDED126BE58D8F6BEFC4D193FA6B3223DE4BC95BE272B48BFB4AE83BEC866053CD31B8DBEE2A3A53F58DC803FB0832DC030CBF1BF75F732BE5729D8BE3BC55A3EA4895E3EAC8A0740B2568EBF7255C1BEC5BC0240548E253F85BE293FEC9503BF21F4D2BFE17B2B3EC742DF3DDF199DBFF1E72EBFA38B93BD3EDB71BFC441C9BD9B8CC33DE0C2113D559C01BFE0FF173F8423643F3B46A43E897751BF904D3B3F605E00BFAC10613F543089BF861A6A3F1D5CA4BC01D79FBF6EB7A0BE5A9A5D3D4EAB8B3EAE707BBF66BE8DBFE35F4C3ECEF9EEBE6228713EDF6F423F770BD3BF293F823E3BC19C3F705598BE8B914FBF0D93403FBEC3813E9858653F1DC0B0BE39ACBDBF534DE1BD9643E4BE9F7B463FB047463EABBFD0BF1BFB98BF0040623F15052E3FFDE623BFC67789BA3822E43EB1D2EF3E6951603F1652833E5C35C2BDBC8784BE9522873FFF0D10C0A9FB0DBE1E2B073DD671B6BF8C66AA3E5ABA26BF2FC95C3F369B00BEA04D2B3F11039C3F590FC43E432F60BF31D5C1BFE46EE03F29EDE3BDCB4530BF21B8133E550144BEFF255A3F47F80A3DEF45613CB2EE36BF3B6BF03EBF5584BFBB772A3F6210C33FE928C3BFB3D61DC0C4EB1D3FC21023404E1E80BFCC16A0BFABC6163F883957BFE38A01BF743CB2BE4A31083FCB83CFBEA9468E3E22C534BE5E3C58BF44C0A3BE644D73BFAA7BD53BD9DA8FBFF6E38BBFBA7DBA3FB2D759BD5FC85CBD0DF4023F927AD7BE2D056ABE18ADD93ECF98903ED66394BFF155553FBF2617BF982D87BF898566BF8FF5C7BE604BD03FF67796BFEFEA233E1DD208C08D61CDBAFC49663FDF5772BE671D21BF3D116D3E253D333F76E5293F067AFC3FFF2F563E30A817BFB00001BE1E7A94BDB5B1DE3DE3FCF5BC2124323E6ADED5BF9062543F1D2213BF102A96BFA943233F239EA83F306EFC3EF206253EFDA56EBFC2C73740A158613F68D491BF5A9647BF2D22B23D6E01C7BF73AD2C3E6D0BEBBE6FF69C3FC54F763FB3852DC055D02A3D2D09CFBF9E088E3FF2232C3E4D640C3F025688BF010AEA3FE24801406B4A88BFA0E1BE3E8C5D2CBFBD15C1BC6400A2BFA0FEEE3F261C78BF4C9897BE2F61003F89C625BF510E75BEB34A10BFF0A908BE57D495BFF93FE0BEBDDB53BE23DEAABEBA33683D7E1196BE76D2403FF079A5BEDFED0BBE1C2F2ABFADC906BFE6DAA1BF17CF043F083E92BF72F03EBFEAEEB73E191ECE3ED7DBCCBEA73B01C0854DD73E80E5843EE8C8B4BFD433453F477B33BFEF2690BF770EC43DF4C036BEAB7C4F3E2789CDBF28F7E73FD6471ABF8E13C5BF716C1E3FE3A8B5BEDA53A63E28E1ADBE4FB274BDE0AB7B3EA5243FBFE1C12D3FBF96F0BE"> : tensor<256x1xf32>
  %row = top.constant dense<"0xD1A35EBF2DC39D3D73DCE33EC6936ABE19CE5CBF44AA1E3F7452E1BF5BF383BFC1E2213D3237AEBF3A54E53C26B860BDD013663FB32F6ABF693B20BFCA96AA3EB9481DC018674640C6DA32BF78D63ABFDA725C3FB72623BD51C4E3BF507E203F0BFA5A3F5C5FE6BEEC2D90BEF9D2F83ED3A568BF7774E03EE9144C3E62C82CBF6530B2BF370567BEAC1B60BF362E803F1D8B133EB136483F55DA093EFA9A863E9E7248BF28052B3FFE70E43F5E8F9EBE12C017BFF29F21BE5F6AF6BE269433BFA2820D3E25F394BE032DB83F1E705339CAD7A53EB5B7733FACFC99BEFCE6B73F3FF821BF90EE4EBF5A87BBBEF4F0EABD655EB3BF8CBF0FBD3370D5BF9731B23F"> : tensor<1x64xf32>
  %w = top.binary add %column, %row : tensor<256x1xf32>, tensor<1x64xf32>
  %b = top.constant dense<0.5> : tensor<64xf32>
  %m = top.matmul %x, %w {top.value = "m"} : tensor<1x5x256xf32>, tensor<256x64xf32>
  %a = top.binary add %m, %b {top.value = "a"} : tensor<1x5x64xf32>, tensor<64xf32>
  %r = top.unary relu %a {top.value = "r"} : tensor<1x5x64xf32>
  return %r : tensor<1x5x64xf32>
}

// -----

// Numbers that the graph made of 4 bits keep them at each precision: a column of 0.5 is one step each.
// ALL-LABEL: func.func @main
// ALL-DAG: tpu.weight dense<5.000000e-01> : tensor<64x1x1x1xf16>
// ALL: tpu.coded_linear {{.*}} bits 4 {top.value = "m"{{.*}} : (tensor<1x256x1x1xf16>, tensor<64x256x1x1xi8>, tensor<64x1x1x1xf16>) -> tensor<1x64x1x1xf32>
func.func @main(%x: tensor<1x256xf32> {top.name = "x"}) -> (tensor<1x64xf32> {top.name = "m"}) {
  %w = top.constant dense<0.5> : tensor<256x64xf32>
  %m = top.matmul %x, %w {top.value = "m"} : tensor<1x256xf32>, tensor<256x64xf32>
  return %m : tensor<1x64xf32>
}

// -----

// With zero points: -0.1 is not among -8 .. 7 steps of 0.01.
// ALL-LABEL: func.func @main
// ALL: tpu.coded_linear {{.*}} zero_points {{.*}} bits 4 {top.value = "m"{{.*}} : (tensor<1x64x1x1xf16>, tensor<512x64x1x1xui8>, tensor<512x1x1x1xf16>, tensor<512x1x1x1xui8>) -> tensor<1x512x1x1xf32>
func.func @main(%x: tensor<1x64xf32> {top.name = "x"}) -> (tensor<1x512xf32> {top.name = "m"}) {
  %column = top.constant dense<"0xAE47E1BD0AD7233D0AD7233CAE47E1BDCCCC4CBDCCCCCCBDEB51B8BDCCCCCCBD0AD723BD295C8FBD0AD7A33C0AD7A3BC8FC275BD0AD7233C0AD7A3BD295C8FBDEB51B8BD295C8FBDCCCC4CBD0AD7A33C8FC275BD000000000AD7A33CEB51B8BD000000000AD7233C8FC275BD0AD7A33C0AD7233CEB51B8BDEB51B8BD0AD723BCCCCC4CBD0AD7A3BD0AD7233D0AD7A3BDEB51B8BD0AD723BD8FC275BD8FC2F5BC8FC275BD0AD723BD0AD723BD8FC2F5BC8FC2F53C0AD7A3BDCCCC4CBD0AD7233C8FC2F53C295C8FBD0AD7233D8FC2F53C295C8FBD8FC2F5BC00000000295C8FBD0AD7A3BDEB51B8BD0AD723BD0AD723BD00000000CCCC4CBD0AD723BD0AD7A3BC"> : tensor<64x1xf32>
  %w = top.expand %column : tensor<64x1xf32> -> tensor<64x512xf32>
  %m = top.matmul %x, %w {top.value = "m"} : tensor<1x64xf32>, tensor<64x512xf32>
  return %m : tensor<1x512xf32>
}

// -----

// Where the product takes longer than the loads of its weights, codes would only add work.
// ALL-LABEL: func.func @main
// ALL-NOT: tpu.coded_linear
// ALL: tpu.linear
func.func @main(%x: tensor<1x2000x256xf32> {top.name = "x"}) -> (tensor<1x2000x64xf32> {top.name = "m"}) {
  %w = top.constant dense<0.5> : tensor<256x64xf32>
  %m = top.matmul %x, %w {top.value = "m"} : tensor<1x2000x256xf32>, tensor<256x64xf32>
  return %m : tensor<1x2000x64xf32>
}

// -----

// Rows that the units do not take at a time stay numbers.
// ALL-LABEL: func.func @main
// ALL-NOT: tpu.coded_linear
// ALL: tpu.linear
func.func @main(%x: tensor<1x5x40xf32> {top.name = "x"}) -> (tensor<1x5x300xf32> {top.name = "m"}) {
  %w = top.constant dense<0.5> : tensor<40x300xf32>
  %m = top.matmul %x, %w {top.value = "m"} : tensor<1x5x40xf32>, tensor<40x300xf32>
  return %m : tensor<1x5x300xf32>
}

// -----

// Among products that compute longer than all weights load, loads cost nothing.
// ALL-LABEL: func.func @main
// ALL-NOT: tpu.coded_linear
// ALL: return
func.func @main(%x: tensor<1x64x64x64xf32> {top.name = "x"}, %v: tensor<1x256xf32> {top.name = "v"})
    -> (tensor<1x64x64x64xf32> {top.name = "y"}, tensor<1x64xf32> {top.name = "m"}) {
  %f = top.constant dense<0.5> : tensor<64x64x3x3xf32>
  %y = top.conv %x, %f {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, group = 1 : i64, top.value = "y"}
      : (tensor<1x64x64x64xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x64x64xf32>
  %w = top.constant dense<0.5> : tensor<256x64xf32>
  %m = top.matmul %v, %w {top.value = "m"} : tensor<1x256xf32>, tensor<256x64xf32>
  return %y, %m : tensor<1x64x64x64xf32>, tensor<1x64xf32>
}
