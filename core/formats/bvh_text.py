"""The text of BVH files: parsed, with errors that name the line, and composed."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .. import jit
from ..errors import MotionFileError
from ..motion import limits
from ..motion.quat import Array
from . import plain_text
from .plain_text import LARGEST, describe_mismatch, is_number, not_a_number, second, values_needed

CHANNELS = tuple(f"{axis}{kind}" for kind in ("position", "rotation") for axis in "XYZ")
DEEPEST = 100  # indented levels, since chains of thousands of joints would mostly be tabs
_WORD = re.compile(r"[^ \t\n\r\v\f]+")  # other spaces are letters of names
_PIECE = 1 << 24  # bytes parsed at a time
_BLANKS = " \t\r\v\f"  # Python's own also include control characters, which are refused
_MOTION = re.compile(rb"^[ \t]*MOTION[ \t\r]*$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, eq=False)
class BvhMotion:
    """The contents of a BVH file, in its own units, axes and order, so that writing it loses nothing.

    names : J joints in the file's order; parents (J,), −1 for roots
    offsets (J, 3); tips (J, 3) of End Sites, NaN without one
    channels : per joint its channel names, e.g. ("Xposition", …, "Zrotation")
    frame_time : seconds, as written; values (F, C) : degrees and lengths
    notes : sentences on corrections by the reader
    """

    path: str
    names: tuple[str, ...]
    parents: NDArray[np.int64]
    offsets: Array
    tips: Array
    channels: tuple[tuple[str, ...], ...]
    frame_time: str
    values: Array
    notes: tuple[str, ...] = ()

    @property
    def rate(self) -> float:
        """Frames per second; a whole number if the rounded frame time allows one."""
        seconds = float(self.frame_time)
        digits = self.frame_time.lower().partition("e")[0].partition(".")[2]
        if "e" not in self.frame_time.lower():
            rounding = 0.5 * 10.0 ** -len(digits)
            whole = round(1.0 / seconds)
            if whole >= 1 and abs(1.0 / whole - seconds) <= rounding:
                return float(whole)
        return 1.0 / seconds


def parse(path: str | os.PathLike[str]) -> BvhMotion:
    """Read and parse a file; raises MotionFileError, and what `limits.check_size` raises."""
    data = plain_text.with_line_feeds(plain_text.content(path, "BVH"))
    motion = _MOTION.search(data)
    header = data[: motion.start()] if motion else data
    text = plain_text.decode_text(header)
    hierarchy = _Hierarchy(path, text).read()
    if motion is None:
        raise MotionFileError(path, text.count("\n") + 1, describe_mismatch("", "MOTION"))
    line = data.count(b"\n", 0, motion.start()) + 1
    width = sum(len(c) for c in hierarchy.channels)
    frames = _Frames(path, data[motion.end() :], line, width, len(hierarchy.names))
    frame_time, values, notes = frames.read()
    return replace(hierarchy, frame_time=frame_time, values=values, notes=notes)


class _Hierarchy:
    """Reads the part before MOTION."""

    def __init__(self, path: str | os.PathLike[str], text: str) -> None:
        self._path = path
        plain_text.refuse_control(path, text)
        self._lines = _statements(text)
        self._line, self._words = 1, [""]
        self._names: list[str] = []
        self._parents: list[int] = []
        self._offsets: list[list[float]] = []
        self._tips: list[list[float]] = []
        self._channels: list[tuple[str, ...]] = []
        self._seen: set[tuple[str, int]] = set()

    def read(self) -> BvhMotion:
        self._next()
        self._expect("HIERARCHY")
        self._next()
        while self._words:
            self._expect("ROOT")
            self._joint(parent=-1)
        if not self._names:
            self._fail(describe_mismatch("", "ROOT"))
        return BvhMotion(
            str(self._path),
            tuple(self._names),
            np.array(self._parents, dtype=np.int64),
            np.array(self._offsets),
            np.array(self._tips),
            tuple(self._channels),
            "",
            np.empty((0, 0)),
        )

    def _joint(self, parent: int) -> None:
        """Read a joint and its subtree with an explicit stack, because real files nest deeply."""
        stack = [self._open(parent)]
        while stack:
            word = self._words[0].upper() if self._words else ""
            if word == "}":
                stack.pop()
                self._next()
            elif word == "OFFSET":
                self._refuse_repeat(word, stack[-1])
                self._offsets[stack[-1]] = self._numbers(3)
            elif word == "CHANNELS":
                self._refuse_repeat(word, stack[-1])
                self._channels[stack[-1]] = self._channel_names()
            elif word == "JOINT":
                stack.append(self._open(stack[-1]))
            elif word == "END":
                self._end_site(stack[-1])
            else:
                self._fail(describe_mismatch("".join(self._words[:1]), "OFFSET | CHANNELS | JOINT | End Site | }"))

    def _refuse_repeat(self, word: str, joint: int) -> None:
        if (word, joint) in self._seen:
            self._fail(second(f"{word} ({self._names[joint]})"))
        self._seen.add((word, joint))

    def _open(self, parent: int) -> int:
        name = " ".join(self._words[1:])
        if not name:
            self._fail(describe_mismatch(self._words[0], f"{self._words[0]} NAME"))
        self._names.append(name)
        self._parents.append(parent)
        self._offsets.append([0.0, 0.0, 0.0])
        self._tips.append([np.nan] * 3)
        self._channels.append(())
        self._next()
        self._expect("{")
        self._next()
        return len(self._names) - 1

    def _end_site(self, joint: int) -> None:
        self._refuse_repeat("End Site", joint)
        self._next()
        self._expect("{")
        self._next()
        self._expect("OFFSET")
        self._tips[joint] = self._numbers(3)
        self._expect("}")
        self._next()

    def _numbers(self, count: int) -> list[float]:
        words = self._words[1:]
        if len(words) != count or not all(is_number(word) for word in words):
            self._fail(describe_mismatch(" ".join(self._words), "OFFSET", *"XYZ"[:count]))
        numbers = [float(word) for word in words]
        for column, word in enumerate(words, start=1):
            if abs(float(word)) > LARGEST:
                self._fail(not_a_number(column, word))
        self._next()
        return numbers

    def _channel_names(self) -> tuple[str, ...]:
        count, names = self._words[1:2], self._words[2:]
        known = {c.lower(): c for c in CHANNELS}
        for name in names:
            if name.lower() not in known:
                self._fail(describe_mismatch(name, "Xposition … Zrotation"))
        if count != [str(len(names))]:
            self._fail(describe_mismatch(" ".join(self._words), "CHANNELS", str(len(names)), *names))
        if len({n.lower() for n in names}) < len(names):
            self._fail(second(" ".join(names)))
        self._next()
        return tuple(known[n.lower()] for n in names)

    def _next(self) -> None:
        self._line, self._words = next(self._lines, (self._line, []))

    def _expect(self, word: str) -> None:
        found = "".join(self._words[:1])
        if found.upper() != word:
            self._fail(describe_mismatch(found, word))

    def _fail(self, problem: str) -> None:
        raise MotionFileError(self._path, self._line, problem)


def _statements(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield (line, words) of every statement; a brace is always a statement of its own."""
    for number, line in enumerate(text.split("\n"), start=1):
        for part in re.split(r"([{}])", line):
            words = _WORD.findall(part)
            if words:
                yield number, words


class _Frames:
    """Reads the part after MOTION."""

    def __init__(self, path: str | os.PathLike[str], data: bytes, line: int, width: int, joints: int) -> None:
        self._path, self._data, self._line, self._width, self._joints = path, data, line, width, joints
        self._at = data.find(b"\n") + 1 or len(data)

    def read(self) -> tuple[str, Array, tuple[str, ...]]:
        frames = self._count()
        frame_time = self._frame_time()
        body, name = self._data[self._at :], Path(self._path).stem
        if body.count(b"\n") + 1 >= frames:
            limits.check_size(name, frames, self._joints)
        # The fast reader only accepts valid data; the slow one reports the error and its line.
        values = rows(body, frames, self._width)
        if values is None and body.count(b"\n") >= frames:
            values = rows(body, frames + 1, self._width)  # some exporters count the intervals between frames
        if values is None or np.abs(values).max(initial=0.0) > LARGEST:
            values = self._line_by_line(body, frames)
        more = f"{name}: its Frames: line says {frames}, but {len(values)} rows follow: all of them were read"
        return frame_time, values, (more,) * (len(values) > frames)

    def _header(self, key: str) -> str:
        while self._at < len(self._data):
            end = self._data.find(b"\n", self._at)
            end = len(self._data) if end < 0 else end
            text = self._data[self._at : end].decode("latin-1").strip(_BLANKS)
            self._at, self._line = end + 1, self._line + 1
            if text:
                name, colon, value = text.partition(":")
                if not colon or name.strip().lower() != key.lower():
                    self._fail(describe_mismatch(text, f"{key}:"))
                return value.strip(_BLANKS)
        self._fail(describe_mismatch("", f"{key}:"))
        return ""

    def _count(self) -> int:
        text = self._header("Frames")
        if not re.fullmatch(r"[0-9]{1,18}", text) or int(text) < 1:
            self._fail(describe_mismatch(f"Frames: {text}", "Frames: N"))
        return int(text)

    def _frame_time(self) -> str:
        text = self._header("Frame Time")
        seconds = float(text) if is_number(text) else 0.0
        if not 1e-6 < seconds < 1e4:
            self._fail(describe_mismatch(f"Frame Time: {text}", "Frame Time: SECONDS"))
        return text

    def _line_by_line(self, body: bytes, frames: int) -> Array:
        rows: list[list[float]] = []
        for number, line in enumerate(body.split(b"\n"), start=self._line + 1):
            words = [word.decode("latin-1") for word in line.split()]
            if not words:
                continue
            self._line = number
            if len(rows) == frames:
                self._fail(f"Frames: says {frames}, but {' '.join(words)[:40]!r} follows the last one")
            for column, word in enumerate(words):
                if not is_number(word) or abs(float(word)) > LARGEST:
                    self._fail(not_a_number(column + 1, word))
            if len(words) != self._width:
                self._fail(values_needed(len(words), self._width))
            rows.append([float(word) for word in words])
        if len(rows) < frames:
            self._fail(f"Frames: says {frames}, but the file ends after {len(rows)}")
        return np.array(rows)

    def _fail(self, problem: str) -> None:
        raise MotionFileError(self._path, self._line, problem)


def rows(body: bytes, frames: int, width: int) -> Array | None:
    """Return the values (F, C), or None unless every row has the right length and every word is an ordinary number.

    Compiled code, if loaded, leaves numbers with many digits or very small ones to numpy.
    """
    if 2 * frames * width > len(body) + 1:
        return None  # a number and a space take at least two bytes
    values = np.empty((frames, width))
    pieces = _pieces(body)
    for reader in dict.fromkeys((jit.at_hand(__package__), jit.twin(__package__))):
        filled = 0
        for piece in pieces:
            read = reader.rows(piece, values[filled:])
            filled += read
            if read < 0:
                break
        else:
            if filled == frames:
                return values
    return None


def _pieces(body: bytes) -> list[NDArray[np.uint8]]:
    """Return the text in pieces of whole lines: a signal is noticed only between two calls of compiled code."""
    text, start, pieces = bytearray(body + b"\n"), 0, []
    while start < len(text):
        end = text.find(b"\n", min(start + _PIECE, len(text)) - 1) + 1
        pieces.append(np.frombuffer(text, np.uint8, end - start, start))  # kernels need a writable array
        start = end
    return pieces


def compose(motion: BvhMotion) -> str:
    """Return the text of a file; every number has enough digits to restore the same value."""
    names, channels, tips = motion.names, motion.channels, motion.tips
    children: list[list[int]] = [[] for _ in names]
    for joint, parent in enumerate(motion.parents):
        if parent >= 0:
            children[parent].append(joint)
    lines = ["HIERARCHY"]
    # A stack of joints to write (with their depth) and braces to close (−1), the next one last.
    waiting: list[tuple[int, int]] = [(joint, 0) for joint in np.flatnonzero(motion.parents < 0)[::-1]]
    while waiting:
        joint, depth = waiting.pop()
        indent = "\t" * min(depth, DEEPEST)
        if joint < 0:
            lines.append(indent + "}")
            continue
        lines += [f"{indent}{'ROOT' if depth == 0 else 'JOINT'} {names[joint]}", indent + "{"]
        lines.append(f"{indent}\tOFFSET {_row(motion.offsets[joint])}")
        if channels[joint]:
            lines.append(f"{indent}\tCHANNELS {len(channels[joint])} {' '.join(channels[joint])}")
        if np.isfinite(tips[joint]).all():
            tip = f"{indent}\t\tOFFSET {_row(tips[joint])}"
            lines += [f"{indent}\tEnd Site", indent + "\t{", tip, indent + "\t}"]
        waiting.append((-1, depth))
        waiting += [(child, depth + 1) for child in reversed(children[joint])]
    lines += ["MOTION", f"Frames: {len(motion.values)}", f"Frame Time: {motion.frame_time}"]
    lines += [_row(row) for row in motion.values]
    return "\n".join(lines) + "\n"


def _row(numbers: Array) -> str:
    return " ".join([repr(n).removesuffix(".0") for n in numbers.tolist()])
