"""Non-maximum suppression: an image in a lane, one step for each box."""

import numpy as np

from weft import ppl
import weft.ppl.language as pl


def larger(a, b):
    y = pl.make_tensor(a.shape, pl.float32)
    pl.tiu.fmax(y, a, b)
    return y


def overlap(low, high, i):
    """The length that box i and each later one have in common."""
    end = pl.make_tensor(high[..., i + 1:].shape, pl.float32)
    pl.tiu.fmin(end, high[..., i + 1:], high[..., i:i + 1])
    return larger(end - larger(low[..., i + 1:], low[..., i:i + 1]), 0.0)


@ppl.jit
def nms(kept, boxes, images, count, threshold):
    boxes_global = pl.gtensor([1, images, 4, count], pl.GLOBAL, boxes)
    kept_global = pl.gtensor([1, images, 1, count], pl.GLOBAL, kept)
    for image in range(0, images, pl.LANE_NUM):
        some = slice(image, min(image + pl.LANE_NUM, images))
        x1, y1, x2, y2 = (pl.dma.load(boxes_global[:, some, side:side + 1]) for side in range(4))
        area = (x2 - x1) * (y2 - y1)
        stay = pl.make_tensor(area.shape, pl.float32)
        pl.tiu.fill(stay, 1.0)
        for i in range(count - 1):
            common = overlap(x1, x2, i) * overlap(y1, y2, i)
            covered = pl.make_tensor(common.shape, pl.float32)
            pl.tiu.gt(covered, common, (area[..., i + 1:] + area[..., i:i + 1] - common) * threshold, 1.0)
            pl.tiu.fmax(stay[..., i + 1:], stay[..., i + 1:] - covered * stay[..., i:i + 1], 0.0)
        pl.dma.store(kept_global[:, some], stay)


def reference(boxes, threshold):
    """Of one image, in f32 and in the kernel's order, so that nothing is tolerated."""
    x1, y1, x2, y2 = boxes
    area, stay = (x2 - x1) * (y2 - y1), np.ones(boxes.shape[1], np.float32)
    zero = np.float32(0)
    for i in np.arange(len(stay)):
        if stay[i]:
            later = slice(i + 1, None)
            common = (np.maximum(np.minimum(x2[later], x2[i]) - np.maximum(x1[later], x1[i]), zero)
                      * np.maximum(np.minimum(y2[later], y2[i]) - np.maximum(y1[later], y1[i]), zero))
            stay[later][common > (area[later] + area[i] - common) * np.float32(threshold)] = 0
    return stay


def main():
    images, count, threshold = 3, 101, 0.4
    random = np.random.default_rng(0)
    low = random.uniform(0, 1, (images, 2, count)).astype(np.float32)
    high = low + random.uniform(0.05, 0.4, low.shape).astype(np.float32)
    boxes = np.concatenate([low, high], axis=1)
    kept = np.zeros((images, count), np.float32)
    launch = nms[(1,)](kept, boxes, images, count, threshold)
    expected = np.stack([reference(image, threshold) for image in boxes])
    assert 0 < expected.sum() < expected.size and np.array_equal(kept, expected)
    print("nms:", launch.profile()["total_cycles"], "cycles")


if __name__ == "__main__":
    main()
