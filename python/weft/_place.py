"""Errors that name the line of the caller."""

import linecache
import os
import sys

from . import _native

# As the code of this package names its files, links and dots included.
_FOLDER = os.path.dirname(sys._getframe().f_code.co_filename) + os.sep


def caller():
    """File and line of the code outside of this package that is running."""
    frame = sys._getframe(1)
    while frame.f_back and frame.f_code.co_filename.startswith(_FOLDER):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


class LocatedError(_native.WeftError):
    """An error at a line of the caller: `file`, `line`; `reason` is the message
    without them."""

    def __init__(self, message, code=0, place=None):
        self.reason = message
        self.file, self.line = place or caller()
        source = linecache.getline(self.file, self.line).strip()
        super().__init__(f"{self.file}:{self.line}: {message}"
                         + (f"\n    {source}" if source else ""), code)
