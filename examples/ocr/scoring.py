"""Character accuracy of what was read on a page: 1 - edit distance / characters."""
import unicodedata

import cv2
import numpy as np


def characters(text):
    """Without white space, which the recognizer often leaves out between words, and with one form of each character (full-width digits, ..)."""
    return "".join(unicodedata.normalize("NFKC", text).split())


def distance(a, b):
    """Fewest insertions, deletions and substitutions that make `b` of `a` (Levenshtein)."""
    row = list(range(len(b) + 1))
    for i, this in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, other in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (this != other))
    return row[-1]


def edits(truth, lines):
    """(edit distance, characters) of a page. Both are lists of (text, box).

    A line that was read belongs to the true line that its middle lies in; several of one are joined along it. What belongs to none is all
    wrong, a true line without any is missed.
    """
    read, wrong = [[] for _ in truth], 0
    for text, box in lines:
        middle = tuple(map(float, np.mean(box, 0)))
        place = max(range(len(truth)), key=lambda i: cv2.pointPolygonTest(np.float32(truth[i][1]), middle, True), default=None)
        if place is None or cv2.pointPolygonTest(np.float32(truth[place][1]), middle, False) < 0:
            wrong += len(characters(text))
            continue
        start, end = np.asarray(truth[place][1], np.float64)[:2]
        read[place].append((float(np.dot(middle - start, end - start)), text))
    for (text, _), parts in zip(truth, read):
        wrong += distance(characters(text), characters("".join(part for _, part in sorted(parts))))
    return wrong, sum(len(characters(text)) for text, _ in truth)
