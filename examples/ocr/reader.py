"""Reads the text of a page with the three networks of PP-OCR: where is text (det), is it upside down (cls), what does it say (rec).

Reader.cpp does the same, step by step: the texts and boxes of both are equal.
"""
import math
import pathlib

import cv2
import numpy as np
import weft

# What PP-OCR's authors chose for these networks (RapidOCR 1.4.4, config.yaml).
MASK = 0.3  # a pixel with this probability belongs to text
BOX_SCORE = 0.5  # least mean probability inside of a box
SMALLEST_SIDE = 3  # of a region, in pixels of the detector's map
GROWTH = 1.6  # the detector marks the core of a line; area / circumference * this on each side makes it whole
TURNED = 0.9  # least probability of a line that is turned by 180 degrees
TEXT_SCORE = 0.5  # least mean probability of a line's characters
UPRIGHT = 1.5  # a region that is so much higher than wide is a line turned by 90 degrees

LEVELS = ((np.arange(256) / 255 - 0.5) / 0.5).astype(np.float32)  # what the networks are trained on, for each value of a byte

cv2.ipp.setUseIPP(False)  # of some processors only, with other roundings


class ReadError(Exception):
    """The user gave something that cannot be read."""


def shape_text(shape):
    return "x".join(map(str, shape))


def tensor_of(image, height, width):
    """The pixels at the top left of a tensor of 1x3xHEIGHTxWIDTH, B, G, R; the rest is 0."""
    x = np.zeros((1, 3, height, width), np.float32)
    x[0, :, :image.shape[0], :image.shape[1]] = LEVELS[image].transpose(2, 0, 1)
    return x


def resized(image, width, height):
    """EXACT: the same bytes on every machine."""
    return cv2.resize(image, (width, height), interpolation=cv2.INTER_LINEAR_EXACT)


class Network:
    """One bmodel with an image as its input and one output of floats."""

    def __init__(self, path, **device):
        self.path = path
        try:
            self.model = weft.Model(path, **device)
        except weft.WeftError as error:
            raise ReadError(str(error)) from None
        if len(self.model.inputs) != 1 or len(self.model.outputs) != 1:
            raise ReadError(f"{path}: has {len(self.model.inputs)} inputs and {len(self.model.outputs)} outputs, must have one of each")
        self.name, self.shapes = next(iter(self.model.inputs)), []
        for stage in self.model.stages:
            kind, shape = stage[self.name]
            if kind != np.float32 or len(shape) != 4 or shape[:2] != (1, 3):
                raise ReadError(f"{path}: the input is {np.dtype(kind)} {shape_text(shape)}, must be float32 1x3xHEIGHTxWIDTH")
            self.shapes.append(shape)
        self.output, = self.model.outputs
        self.output_shape = self.model.outputs[self.output][1]
        self.height, self.width = self.shapes[0][2:]

    def require(self, is_right, wanted):
        if not is_right:
            raise ReadError(f"{self.path}: the output is {shape_text(self.output_shape)}, must be {wanted}")

    def run(self, tensor):
        try:
            return self.model.run(**{self.name: tensor})[self.output]
        except weft.WeftError as error:
            raise ReadError(f"{self.path}: {error}") from None


def corners_of(rectangle):
    """Corners of a rotated rectangle: top left, top right, bottom right, bottom left."""
    points = sorted(cv2.boxPoints(rectangle).tolist(), key=lambda point: point[0])
    left, right = (sorted(pair, key=lambda point: point[1]) for pair in (points[:2], points[2:]))
    return np.array([left[0], right[0], right[1], left[1]])


def mean_inside(probability, corners):
    """Mean of a map inside of a quadrangle, whose corners are cut to whole pixels."""
    places = corners.astype(np.int32)
    low = np.clip(places.min(0), 0, None)
    high = np.minimum(places.max(0), (probability.shape[1] - 1, probability.shape[0] - 1))
    mask = np.zeros((high[1] - low[1] + 1, high[0] - low[0] + 1), np.uint8)
    cv2.fillPoly(mask, [places - low], 1)
    return cv2.mean(probability[low[1]:high[1] + 1, low[0]:high[0] + 1], mask)[0]


def in_reading_order(boxes):
    """By rows from the top, in a row from the left. A box is of the row whose first one's middle is less than half a height away."""
    middles = {id(box): int(box[:, 1].sum()) for box in boxes}  # times 4: whole numbers have no rounding
    boxes = sorted(boxes, key=lambda box: (middles[id(box)], box[0, 0]))
    rows = []
    for box in boxes:
        first = rows[-1][0] if rows else None
        if rows and middles[id(box)] - middles[id(first)] < 2 * (first[3, 1] - first[0, 1]):
            rows[-1].append(box)
        else:
            rows.append([box])
    return [box for row in rows for box in sorted(row, key=lambda box: (box[0, 0], middles[id(box)]))]


class Detector(Network):
    """Boxes of the lines of a page, by differentiable binarization (DB)."""

    def __init__(self, path, **device):
        super().__init__(path, **device)
        self.require(self.output_shape == (1, 1, self.height, self.width), f"1x1x{self.height}x{self.width}, a probability for each pixel")

    def size_of(self, image):
        """Height and width of the part of the input that shows the image: as large as fits."""
        height, width = image.shape[:2]
        scale = min(self.height / height, self.width / width)
        return max(1, round(height * scale)), max(1, round(width * scale))

    def tensor(self, image):
        rows, columns = self.size_of(image)
        return tensor_of(resized(image, columns, rows), self.height, self.width)

    def boxes(self, image):
        """Arrays of 4 x 2 whole numbers, corners from the top left, clockwise, in pixels of the image."""
        (height, width), (rows, columns) = image.shape[:2], self.size_of(image)
        probability = np.ascontiguousarray(self.run(self.tensor(image))[0, 0, :rows, :columns])
        mask = cv2.dilate((probability > MASK).astype(np.uint8), np.ones((2, 2), np.uint8))
        found = []
        for contour in cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)[0]:
            middle, (a, b), angle = cv2.minAreaRect(contour)
            if min(a, b) < SMALLEST_SIDE or mean_inside(probability, corners_of((middle, (a, b), angle))) < BOX_SCORE:
                continue
            # The offset of a rectangle's polygon by a distance, its corners rounded, has a rectangle around it with sides longer by twice that.
            distance = a * b * GROWTH / (2 * (a + b))
            corners = corners_of((middle, (a + 2 * distance, b + 2 * distance), angle))
            corners = np.rint(corners * (width / columns, height / rows))
            found.append(np.clip(corners, 0, (width - 1, height - 1)).astype(np.int32))
        return in_reading_order(found)


class Direction(Network):
    """Is a line upside down?"""

    def __init__(self, path, **device):
        super().__init__(path, **device)
        self.require(self.output_shape == (1, 2), "1x2, probabilities of 0 and of 180 degrees")

    def tensor(self, line):
        """Of a long line its beginning: compressed, one in ten that is upside down was taken for upright."""
        line = np.ascontiguousarray(line[:, :max(1, line.shape[0] * self.width // self.height)])
        width = min(self.width, math.ceil(self.height * line.shape[1] / line.shape[0]))
        return tensor_of(resized(line, width, self.height), self.height, self.width)

    def is_turned(self, line):
        return self.run(self.tensor(line))[0, 1] > TURNED


class Recognizer(Network):
    """The characters of a line, by greedy CTC: repeats are one, class 0 is blank."""

    def __init__(self, path, characters, **device):
        super().__init__(path, **device)
        self.characters = characters
        self.require(len(self.output_shape) == 3 and self.output_shape[2] == len(characters) + 1,
                     f"1xCOLUMNSx{len(characters) + 1}: blank, and the {len(characters)} characters of characters.txt")
        self.widths = sorted(shape[3] for shape in self.shapes)

    def tensor(self, line):
        """Of the narrowest stage that holds the line; longer ones are compressed."""
        wanted = math.ceil(self.height * line.shape[1] / line.shape[0])
        stage = next((width for width in self.widths if width >= wanted), self.widths[-1])
        return tensor_of(resized(line, min(wanted, stage), self.height), self.height, stage)

    def read(self, line):
        """(text, mean probability of its characters)."""
        probabilities = self.run(self.tensor(line))[0]
        text, scores, before = [], [], 0
        for best, score in zip(probabilities.argmax(1).tolist(), probabilities.max(1).tolist()):
            if best != before and best != 0:
                text.append(self.characters[best - 1])
                scores.append(score)
            before = best
        return "".join(text), sum(scores) / max(1, len(scores))


def side(a, b):
    """Length of a side; a root is rounded alike everywhere."""
    return int(math.sqrt(sum((int(x) - int(y)) ** 2 for x, y in zip(a, b))))


def cut_out(image, box):
    """What is inside of a box, made upright; None if nothing is."""
    width, height = max(side(box[0], box[1]), side(box[3], box[2])), max(side(box[0], box[3]), side(box[1], box[2]))
    if width < SMALLEST_SIDE or height < SMALLEST_SIDE:
        return None
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    line = cv2.warpPerspective(image, cv2.getPerspectiveTransform(box.astype(np.float32), target), (width, height),
                               flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return cv2.rotate(line, cv2.ROTATE_90_COUNTERCLOCKWISE) if height >= UPRIGHT * width else line


class Reader:
    """The three networks of a folder that convert.py made."""

    def __init__(self, folder, **device):
        folder = pathlib.Path(folder)
        try:
            characters = (folder / "characters.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise ReadError(f"{folder / 'characters.txt'}: {getattr(error, 'strerror', None) or 'not UTF-8'}; "
                            "give the folder that convert.py wrote") from None
        self.detector = Detector(folder / "det.bmodel", **device)
        self.direction = Direction(folder / "cls.bmodel", **device)
        self.recognizer = Recognizer(folder / "rec.bmodel", characters, **device)

    def regions(self, image):
        """[(box, what is inside of it)] of the lines of a page."""
        pairs = ((box, cut_out(image, box)) for box in self.detector.boxes(image))
        return [(box, line) for box, line in pairs if line is not None]

    def ways(self, line):
        """The line as it is, and if it may be upside down, turned."""
        return [line, cv2.rotate(line, cv2.ROTATE_180)] if self.direction.is_turned(line) else [line]

    def lines(self, image):
        """[(box, text, score)] of a page, an array of height x width x (B, G, R)."""
        found = []
        for box, line in self.regions(image):
            # The direction network is wrong about some upright lines; which way reads better is not.
            text, score = max(map(self.recognizer.read, self.ways(line)), key=lambda read: read[1])
            if text and score >= TEXT_SCORE:
                found.append((box, text, score))
        return found
