// int8: convolution with one shift, depthwise, pools, matrix product
ppl.net @int8_window on "bm1684x" weights [4295024640, 0] context [4294967296, 57344]
    inputs [#ppl.io<name = "x", onnx = tensor<1x6x8x8xi8>, stored = tensor<1x6x8x8xsi8>, address = 4294967296>,
            #ppl.io<name = "w", onnx = tensor<1x20x9x64xi8>, stored = tensor<1x20x9x64xsi8>, address = 4294971392>,
            #ppl.io<name = "b", onnx = tensor<1x20x1x1xi16>, stored = tensor<1x20x1x1xsi16>, address = 4294983680>,
            #ppl.io<name = "d", onnx = tensor<1x6x3x3xi8>, stored = tensor<1x6x3x3xsi8>, address = 4294987776>,
            #ppl.io<name = "e", onnx = tensor<1x6x1x1xi32>, stored = tensor<1x6x1x1xsi32>, address = 4294991872>,
            #ppl.io<name = "l", onnx = tensor<1x10x1x40xi8>, stored = tensor<1x10x1x40xsi8>, address = 4294995968>,
            #ppl.io<name = "r", onnx = tensor<1x40x1x30xi8>, stored = tensor<1x40x1x30xsi8>, address = 4295000064>]
    outputs [#ppl.io<name = "conv", onnx = tensor<1x20x8x8xui8>, stored = tensor<1x20x8x8xui8>, address = 4295004160>,
             #ppl.io<name = "dw", onnx = tensor<1x6x8x8xi8>, stored = tensor<1x6x8x8xsi8>, address = 4295008256>,
             #ppl.io<name = "avg", onnx = tensor<1x6x4x4xi8>, stored = tensor<1x6x4x4xsi8>, address = 4295012352>,
             #ppl.io<name = "max", onnx = tensor<1x6x4x4xi8>, stored = tensor<1x6x4x4xsi8>, address = 4295016448>,
             #ppl.io<name = "mm", onnx = tensor<1x10x1x30xi32>, stored = tensor<1x10x1x30xsi32>, address = 4295020544>] {
  %gx = ppl.global at 4294967296 : !ppl.tensor<1x6x8x8xsi8, global, continuous>
  %x = ppl.local at 0 : !ppl.tensor<1x6x8x8xsi8, local, aligned>
  ppl.dma.load dst = %x, src = %gx : !ppl.tensor<1x6x8x8xsi8, local, aligned>, !ppl.tensor<1x6x8x8xsi8, global, continuous>
  %gw = ppl.global at 4294971392 : !ppl.tensor<1x20x9x64xsi8, global, continuous>
  %w = ppl.local at 8192 : !ppl.tensor<1x20x9x64xsi8, local, compact>
  ppl.dma.load dst = %w, src = %gw : !ppl.tensor<1x20x9x64xsi8, local, compact>, !ppl.tensor<1x20x9x64xsi8, global, continuous>
  %gb = ppl.global at 4294983680 : !ppl.tensor<1x20x1x1xsi16, global, continuous>
  %b = ppl.local at 16384 : !ppl.tensor<1x20x1x1xsi16, local, compact>
  ppl.dma.load dst = %b, src = %gb : !ppl.tensor<1x20x1x1xsi16, local, compact>, !ppl.tensor<1x20x1x1xsi16, global, continuous>
  %gd = ppl.global at 4294987776 : !ppl.tensor<1x6x3x3xsi8, global, continuous>
  %d = ppl.local at 24576 : !ppl.tensor<1x6x3x3xsi8, local, compact>
  ppl.dma.load dst = %d, src = %gd : !ppl.tensor<1x6x3x3xsi8, local, compact>, !ppl.tensor<1x6x3x3xsi8, global, continuous>
  %ge = ppl.global at 4294991872 : !ppl.tensor<1x6x1x1xsi32, global, continuous>
  %e = ppl.local at 32768 : !ppl.tensor<1x6x1x1xsi32, local, compact>
  ppl.dma.load dst = %e, src = %ge : !ppl.tensor<1x6x1x1xsi32, local, compact>, !ppl.tensor<1x6x1x1xsi32, global, continuous>
  %gl = ppl.global at 4294995968 : !ppl.tensor<1x10x1x40xsi8, global, continuous>
  %l = ppl.local at 40960 : !ppl.tensor<1x10x1x40xsi8, local, aligned>
  ppl.dma.load dst = %l, src = %gl : !ppl.tensor<1x10x1x40xsi8, local, aligned>, !ppl.tensor<1x10x1x40xsi8, global, continuous>
  %gr = ppl.global at 4295000064 : !ppl.tensor<1x40x1x30xsi8, global, continuous>
  %r = ppl.local at 49152 : !ppl.tensor<1x40x1x30xsi8, local, aligned>
  ppl.dma.load dst = %r, src = %gr : !ppl.tensor<1x40x1x30xsi8, local, aligned>, !ppl.tensor<1x40x1x30xsi8, global, continuous>
  %conv = ppl.local at 57344 : !ppl.tensor<1x20x8x8xui8, local, aligned>
  %dw = ppl.local at 65536 : !ppl.tensor<1x6x8x8xsi8, local, aligned>
  %avg = ppl.local at 73728 : !ppl.tensor<1x6x4x4xsi8, local, aligned>
  %max = ppl.local at 81920 : !ppl.tensor<1x6x4x4xsi8, local, aligned>
  %mm = ppl.local at 90112 : !ppl.tensor<1x10x1x30xsi32, local, aligned>
  ppl.tiu.conv_sym dst = %conv, src = %x, weight = %w, bias = %b, oc = 20, k_shape = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 1>, result_relu = 1 : i64, rshift = 9 : i64 : !ppl.tensor<1x20x8x8xui8, local, aligned>, !ppl.tensor<1x6x8x8xsi8, local, aligned>, !ppl.tensor<1x20x9x64xsi8, local, compact>, !ppl.tensor<1x20x1x1xsi16, local, compact>
  ppl.tiu.dw_conv dst = %dw, src = %x, weight = %d, bias = %e, k_shape = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 1>, rshift = 7 : i64, round_mode = 5 : i64 : !ppl.tensor<1x6x8x8xsi8, local, aligned>, !ppl.tensor<1x6x8x8xsi8, local, aligned>, !ppl.tensor<1x6x3x3xsi8, local, compact>, !ppl.tensor<1x6x1x1xsi32, local, compact>
  ppl.tiu.pool_avg dst = %avg, src = %x, kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, scale = 64 : i64, rshift = 8 : i64 : !ppl.tensor<1x6x4x4xsi8, local, aligned>, !ppl.tensor<1x6x8x8xsi8, local, aligned>
  ppl.tiu.pool_max dst = %max, src = %x, kernel = array<i64: 3, 3>, pad = array<i64: 1, 0, 1, 0>, stride = array<i64: 2, 2> : !ppl.tensor<1x6x4x4xsi8, local, aligned>, !ppl.tensor<1x6x8x8xsi8, local, aligned>
  ppl.tiu.mm2_nn rst = %mm, left = %l, right = %r : !ppl.tensor<1x10x1x30xsi32, local, aligned>, !ppl.tensor<1x10x1x40xsi8, local, aligned>, !ppl.tensor<1x40x1x30xsi8, local, aligned>
  %gconv = ppl.global at 4295004160 : !ppl.tensor<1x20x8x8xui8, global, continuous>
  ppl.dma.store dst = %gconv, src = %conv : !ppl.tensor<1x20x8x8xui8, global, continuous>, !ppl.tensor<1x20x8x8xui8, local, aligned>
  %gdw = ppl.global at 4295008256 : !ppl.tensor<1x6x8x8xsi8, global, continuous>
  ppl.dma.store dst = %gdw, src = %dw : !ppl.tensor<1x6x8x8xsi8, global, continuous>, !ppl.tensor<1x6x8x8xsi8, local, aligned>
  %gavg = ppl.global at 4295012352 : !ppl.tensor<1x6x4x4xsi8, global, continuous>
  ppl.dma.store dst = %gavg, src = %avg : !ppl.tensor<1x6x4x4xsi8, global, continuous>, !ppl.tensor<1x6x4x4xsi8, local, aligned>
  %gmax = ppl.global at 4295016448 : !ppl.tensor<1x6x4x4xsi8, global, continuous>
  ppl.dma.store dst = %gmax, src = %max : !ppl.tensor<1x6x4x4xsi8, global, continuous>, !ppl.tensor<1x6x4x4xsi8, local, aligned>
  %gmm = ppl.global at 4295020544 : !ppl.tensor<1x10x1x30xsi32, global, continuous>
  ppl.dma.store dst = %gmm, src = %mm : !ppl.tensor<1x10x1x30xsi32, global, continuous>, !ppl.tensor<1x10x1x30xsi32, local, aligned>
}
