"""The text of AMC files: numbers bone by bone and frame by frame; parse errors name the line."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np

from ..errors import MotionFileError
from ..motion.quat import Array
from . import plain_text
from .asf import AsfSkeleton
from .bvh_text import rows
from .plain_text import LARGEST, describe_mismatch, is_number, not_a_number, second, values_needed

_COMMENT = re.compile(rb"#(?<![^ \t\r\n]#)[^\n]*")  # only at the start of a word, because -1.#IND is not a comment
_NUMERAL = re.compile(rb"[0-9]{1,15}")
_FIRST_WORD = re.compile(rb"^[ \t\r\v\f]*(\S+)", re.MULTILINE)
_LINE_AND_NAME = re.compile(rb"\n\s*[^\s0-9.+-]\S*")
_HIGHEST_RATE = 1e5  # that a clip can have


@dataclass(frozen=True, eq=False)
class AmcFrames:
    """The contents of an AMC file.

    values (F, C) : of the degrees of freedom of the skeleton's joints, in order
    degrees : whether angles are in degrees, None if the skeleton file decides
    rate : frames per second, 0 if the file does not state it, as is usual
    """

    values: Array
    degrees: bool | None
    rate: float


def parse(path: str | os.PathLike[str], data: bytes, skeleton: AsfSkeleton) -> AmcFrames:
    """Return the frames of a file's content; raises MotionFileError."""
    if b"#" in data:
        data = _COMMENT.sub(b"", data)
    return _Reader(path, data, skeleton).read()


class _Reader:
    def __init__(self, path: str | os.PathLike[str], data: bytes, skeleton: AsfSkeleton) -> None:
        self._path, self._data, self._line = path, data, 0
        self._asf = Path(skeleton.path).name
        self._widths = {name: len(free) for name, free in zip(skeleton.names, skeleton.freedom, strict=True)}
        self._moving = {name: width for name, width in self._widths.items() if width}
        self._degrees: bool | None = None
        self._rate = 0.0

    def read(self) -> AmcFrames:
        body = self._data[self._header() :]
        # The fast reader only accepts valid data; the slow one reports the error and its line.
        values = _bulk(body, self._moving)
        if values is None or np.abs(values).max(initial=0.0) > LARGEST:
            values = self._line_by_line(body)
        return AmcFrames(values, self._degrees, self._rate)

    def _header(self) -> int:
        """Read the keywords before the first frame, and return its position."""
        at = 0
        while at < len(self._data):
            end = self._data.find(b"\n", at)
            end = len(self._data) if end < 0 else end
            words = [word.decode("latin-1") for word in self._data[at:end].split()]
            if words and not words[0].startswith(":"):
                return at
            at, self._line = end + 1, self._line + 1
            if words:
                self._keyword(words[0].lower(), words)
        self._fail(describe_mismatch("", "FRAME"))

    def _keyword(self, key: str, words: list[str]) -> None:
        if key in (":degrees", ":radians"):
            if self._degrees is not None:
                self._fail(second(words[0]))
            self._degrees = key == ":degrees"
        elif key == ":samples-per-second":
            rate = float(words[1]) if len(words) == 2 and is_number(words[1]) else 0.0
            if not 0.0 < rate < _HIGHEST_RATE:
                self._fail(describe_mismatch(" ".join(words), f"{words[0]} RATE"))
            self._rate = rate
        elif key != ":fully-specified":
            self._fail(describe_mismatch(words[0], ":FULLY-SPECIFIED | :DEGREES | :RADIANS"))

    def _line_by_line(self, body: bytes) -> Array:
        frames: list[list[float]] = []
        number, poses = -1, dict[str, list[float]]()
        for line in body.rstrip().split(b"\n"):
            self._line += 1
            words = line.split()
            if not words:
                continue
            if len(words) == 1 and _NUMERAL.fullmatch(words[0]):
                if number >= 0:
                    frames.append(self._whole(poses, number, ""))
                    if int(words[0]) != number + 1:
                        self._fail(describe_mismatch(f"{int(words[0])}", f"{number + 1}"))
                number, poses = int(words[0]), {}
            elif number < 0:
                self._fail(describe_mismatch(line.strip().decode("latin-1"), "FRAME"))
            else:
                name = plain_text.decode_text(words[0])
                if name in poses:
                    self._fail(second(name))
                poses[name] = self._values(name, [word.decode("latin-1") for word in words[1:]])
        frames.append(self._whole(poses, number, "; the file ends"))
        return np.array(frames)

    def _values(self, name: str, words: list[str]) -> list[float]:
        if name not in self._widths:
            self._fail(f"{name[:40]!r} is not a bone of {self._asf}; name the skeleton it belongs to (option skeleton)")
        if len(words) != self._widths[name]:
            self._fail(values_needed(len(words), self._widths[name]))
        for column, word in enumerate(words, start=1):
            if not is_number(word) or abs(float(word)) > LARGEST:
                self._fail(not_a_number(column, word))
        return [float(word) for word in words]

    def _whole(self, poses: Mapping[str, list[float]], number: int, why: str) -> list[float]:
        missing = [name for name in self._moving if name not in poses]
        if missing:
            more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
            self._fail(f"frame {number} has no values of {missing[0]!r}{more}{why}")
        return [value for name in self._moving for value in poses[name]]

    def _fail(self, problem: str) -> NoReturn:
        raise MotionFileError(self._path, self._line, problem)


def _bulk(body: bytes, widths: Mapping[str, int]) -> Array | None:
    """Return the values (F, C) of a body in which every frame has the layout of the first one, else None.

    Names are removed, so that each frame is one row of numbers that starts with its frame number.
    """
    layout = _first_layout(body)
    if sorted(layout) != sorted(widths) or not layout:
        return None
    names, pattern = [name.encode() for name in layout], [1, *(1 + widths[name] for name in layout)]
    words = plain_text.words_per_line(np.frombuffer(body + b"\n", dtype=np.uint8))
    frames, rest = divmod(len(words), len(pattern))
    number = body.split(None, 1)[0]
    if rest or not _NUMERAL.fullmatch(number) or not np.array_equal(words, np.tile(pattern, frames)):
        return None
    numbers = range(int(number), int(number) + frames)
    if _FIRST_WORD.findall(body) != [word for one in numbers for word in (b"%d" % one, *names)]:
        return None
    table = rows(_LINE_AND_NAME.sub(b"", body), frames, 1 + sum(widths.values()))
    if table is None:
        return None
    begins = dict(zip(layout, np.cumsum(pattern) - np.arange(len(pattern)), strict=False))
    columns = [np.arange(begins[name], begins[name] + width) for name, width in widths.items()]
    return np.ascontiguousarray(table[:, np.concatenate(columns)])


def _first_layout(body: bytes) -> list[str]:
    """Return the names in the first frame, [] if it does not start with its number."""
    names: list[str] = []
    at = 0
    for began in (False, True):
        while at < len(body):
            end = body.find(b"\n", at)
            end = len(body) if end < 0 else end
            words = body[at:end].split()
            if len(words) == 1 and began:
                return names
            at = end + 1
            if words and began:
                names.append(plain_text.decode_text(words[0]))
            elif words:
                break
    return names
