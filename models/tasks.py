"""What the outputs of the registry's models mean: the text of a line, boxes of a page, the class of an image."""
import numpy as np

STRIDES = (8, 16, 32, 64)  # of PicoDet's levels
SURE = 0.5  # score of a box that counts
DISTANCES = 8  # bins of each side of a box
MASK, SCORE, SMALLEST = 0.3, 0.6, 3  # of DB, as RapidOCR sets them


def text_of(probabilities):
    """Character numbers of one image, columns x characters, by greedy CTC: repeats are one, 0 is blank."""
    best = np.asarray(probabilities).argmax(-1)
    return tuple(int(this) for before, this in zip([-1, *best[:-1]], best) if this != before and this != 0)


def overlap(a, b):
    """Intersection over union of each box of `a` with each of `b`; boxes are x0, y0, x1, y1."""
    low, high = np.maximum(a[:, None, :2], b[None, :, :2]), np.minimum(a[:, None, 2:], b[None, :, 2:])
    inside = np.clip(high - low, 0, None).prod(-1)
    area = [np.clip(boxes[:, 2:] - boxes[:, :2], 0, None).prod(-1) for boxes in (a, b)]
    return inside / np.maximum(area[0][:, None] + area[1][None] - inside, 1e-9)


def without_doubles(boxes, scores, limit=0.5):
    """Non-maximum suppression: places of the boxes that stay, the surest first."""
    kept = []
    for place in np.argsort(-scores, kind="stable"):
        if not kept or overlap(boxes[place][None], boxes[kept]).max() <= limit:
            kept.append(int(place))
    return kept


def regions(outputs, width, threshold=SURE):
    """PicoDet: [(class, box)] from the scores and the distances of its levels, as PaddleDetection decodes them."""
    levels = sorted((value for value in outputs.values() if value.shape[-1] != 4 * DISTANCES), key=lambda v: -v.shape[1])
    sides = sorted((value for value in outputs.values() if value.shape[-1] == 4 * DISTANCES), key=lambda v: -v.shape[1])
    boxes, scores = [], []
    for stride, score, side in zip(STRIDES, levels, sides):
        columns = -(-width // stride)
        place = np.arange(score.shape[1])
        centre = np.stack([place % columns, place // columns], -1) * stride + 0.5 * (stride - 1)
        share = np.exp(np.asarray(side[0], np.float64).reshape(-1, 4, DISTANCES))
        distance = (share / share.sum(-1, keepdims=True)) @ np.arange(DISTANCES) * stride
        boxes.append(np.concatenate([centre - distance[:, :2], centre + distance[:, 2:]], -1))
        scores.append(np.asarray(score[0], np.float64))
    boxes, scores = np.concatenate(boxes), np.concatenate(scores)
    found = []
    for kind in range(scores.shape[1]):
        sure = scores[:, kind] > threshold
        kept = without_doubles(boxes[sure], scores[sure, kind])
        found += [(kind, box) for box in boxes[sure][kept]]
    return found


def patches(mask):
    """Boxes of the connected parts of a mask, with the places of each."""
    height, width = mask.shape
    left = mask.copy()
    for start in zip(*np.nonzero(mask)):
        if not left[start]:
            continue
        left[start] = False
        part, next_ones = [], [start]
        while next_ones:
            y, x = next_ones.pop()
            part.append((y, x))
            for near in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
                if 0 <= near[0] < height and 0 <= near[1] < width and left[near]:
                    left[near] = False
                    next_ones.append(near)
        rows, columns = np.array(part).T
        yield np.array([columns.min(), rows.min(), columns.max() + 1, rows.max() + 1], np.float64), (rows, columns)


def lines(probability):
    """DB: [(0, box)] of the text lines in a map height x width."""
    probability = np.asarray(probability, np.float64)
    return [(0, box) for box, places in patches(probability > MASK)
            if (box[2:] - box[:2]).min() >= SMALLEST and probability[places].mean() > SCORE]


def unmatched(wanted, found, least=0.5):
    """How many boxes of each list have no partner of the same class with an IoU of at least `least` in the other."""
    alone = [0, 0]
    for kind in sorted({kind for kind, _ in wanted + found}):
        a, b = (np.array([box for other, box in boxes if other == kind]).reshape(-1, 4) for boxes in (wanted, found))
        scores = overlap(a, b)
        pairs = 0
        while scores.size and scores.max() >= least:  # the best pair first
            i, j = np.unravel_index(scores.argmax(), scores.shape)
            scores[i, :], scores[:, j] = -1, -1
            pairs += 1
        alone[0] += len(a) - pairs
        alone[1] += len(b) - pairs
    return alone
