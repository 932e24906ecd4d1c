"""Convolution 3 x 3 with padding: f32 image and weights, a bias and ReLU, one image of the batch a round."""

import numpy as np

from weft import ppl
import weft.ppl.language as pl


@ppl.jit
def conv(y, x, filter, bias, n, ic, oc, h, w):
    image = pl.gtensor([n, ic, h, w], pl.GLOBAL, x)
    result = pl.gtensor([n, oc, h, w], pl.GLOBAL, y)
    weights = pl.dma.load(pl.gtensor([1, oc, 1, ic * 9], pl.GLOBAL, filter), align_mode=pl.TPU_COMPACT)
    biases = pl.dma.load(pl.gtensor([1, oc, 1, 1], pl.GLOBAL, bias), align_mode=pl.TPU_COMPACT)
    for i in range(n):
        pl.enable_pipeline()
        source = pl.make_tensor([1, ic, h, w], pl.float32)
        target = pl.make_tensor([1, oc, h, w], pl.float32)
        pl.dma.load(source, image[i:i + 1])
        pl.tiu.fconv(target, source, weights, kernel=[3, 3], stride=[1, 1], dilation=[1, 1], padding=[1, 1, 1, 1],
                     bias=biases, oc=oc)
        pl.tiu.max(target, target, 0.0)
        pl.dma.store(result[i:i + 1], target)


def main():
    n, ic, oc, h, w = 4, 16, 24, 20, 30
    random = np.random.default_rng(0)
    x, filter, bias = (random.standard_normal(shape).astype(np.float32)
                       for shape in ((n, ic, h, w), (oc, ic, 3, 3), (oc,)))
    y = np.zeros((n, oc, h, w), np.float32)
    launch = conv[(1,)](y, x, filter, bias, n, ic, oc, h, w)
    padded = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (1, 1), (1, 1)))
    expected = np.broadcast_to(bias.astype(np.float64)[:, None, None], y.shape).copy()
    magnitude = np.abs(expected)
    for r in range(3):
        for s in range(3):
            taps, image = filter[:, :, r, s].astype(np.float64), padded[:, :, r:r + h, s:s + w]
            expected += np.einsum("oi,nihw->nohw", taps, image)
            magnitude += np.einsum("oi,nihw->nohw", np.abs(taps), np.abs(image))
    # 144 products and 144 sums in f32, each rounded by half an ulp of at most the sum of all magnitudes.
    assert np.all(np.abs(y - np.maximum(expected, 0)) <= 2 * 144 * 2 ** -24 * magnitude)
    print("conv:", launch.profile()["total_cycles"], "cycles")


if __name__ == "__main__":
    main()
