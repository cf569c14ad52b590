"""Skin weights as text: a line `vertex joint weight` for each, or a matrix (methods: Skinning)."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from ..errors import MotionFileError, SkeletonError, out_of_range, some
from ..motion.quat import Array
from . import plain_text
from .plain_text import LARGEST, describe_mismatch, is_number, values_needed

_LINE = re.compile(r"\r\n|\n|\r")
_COMMENT = re.compile(r"(?:^|[ \t])#")
_WORD = re.compile(r"[^ \t\v\f,;]+")  # other spaces are letters of names
_WHOLE = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True, eq=False)
class Weights:
    """The weights of V vertices on joints, as written, with any sum; zero weights are omitted.

    first (V + 1,), joints (N,), weights (N,) : vertex v has the entries first[v] to first[v + 1] − 1, in the file's
        order
    """

    first: NDArray[np.int64]
    joints: NDArray[np.int64]
    weights: Array

    @property
    def totals(self) -> Array:
        """The sum of the weights of each vertex (V,)."""
        owners = np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))
        return np.asarray(np.bincount(owners, self.weights, len(self.first) - 1), np.float64)


def read(path: str | os.PathLike[str], names: Sequence[str], vertices: int, *, matrix: bool = False) -> Weights:
    """Read the weights of `vertices` vertices on joints with these names.

    A line has a vertex, counted from 1 as in an OBJ file, a joint by its name or its number from 0, and a weight. Words
    are separated by spaces, tabs, commas or semicolons; # starts a comment.
    matrix : whether there is a line for each vertex instead, with a number for each joint (the float[vertex][segment]
        of source 002)
    Raises MotionFileError with file and line.

    Example:
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> from action_loom.core.formats import weights
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder, "weights.txt")
        ...     _ = path.write_text("1 hips 0.75\\n1 spine 0.25\\n2 spine 1\\n")
        ...     read = weights.read(path, ["hips", "spine"], 2)
        >>> read.first.tolist(), read.joints.tolist(), read.totals.tolist()
        ([0, 2, 3], [0, 1, 1], [1.0, 1.0])
    """
    text = plain_text.decode_text(plain_text.content(path, "weights as"))
    reader = _Reader(path, names, vertices)
    return reader.matrix(text) if matrix else reader.rows(text)


def compose_weights(given: Weights, names: Sequence[str]) -> bytes:
    """Return weights as the contents of a file: a line of vertex, from 1, joint and weight for each.

    Raises SkeletonError for joint names that `read` could not restore.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.formats import weights
        >>> given = weights.Weights(np.array([0, 1, 2]), np.array([1, 0]), np.array([1.0, 0.25]))
        >>> weights.compose_weights(given, ["a", "b"])
        b'1 b 1\\n2 a 0.25\\n'
    """
    strange = [
        names[joint] for joint in np.unique(given.joints) if " ".join(_WORD.findall(names[joint])) != names[joint]
    ]
    strange += [names[joint] for joint in np.unique(given.joints) if _COMMENT.search(names[joint])]
    if strange:
        raise SkeletonError(
            f"A file of weights can't name {some(strange)}: rename them without commas, semicolons and #"
        )
    owners = np.repeat(np.arange(len(given.first) - 1), np.diff(given.first))
    rows = zip(owners.tolist(), given.joints.tolist(), given.weights.tolist(), strict=True)
    return "".join(f"{vertex + 1} {names[joint]} {weight:.9g}\n" for vertex, joint, weight in rows).encode()


def _lines_needed(given: int, vertices: int) -> str:
    return f"there are {given} lines, but the mesh has {vertices} vertices"


class _Reader:
    def __init__(self, path: str | os.PathLike[str], names: Sequence[str], vertices: int) -> None:
        self._path, self._names, self._count, self._line = path, names, vertices, 0
        self._joints = {name: joint for joint, name in enumerate(names)}

    def rows(self, text: str) -> Weights:
        found: list[tuple[int, int, float, int]] = []
        for k, words in enumerate(self._word_lines(text)):
            if k or any(map(is_number, words)):  # the first line may be a header
                found.append(self._row(words))
        if not found:
            raise MotionFileError(self._path, None, describe_mismatch("", "VERTEX JOINT WEIGHT"))
        owners, joints, weights, lines = (np.array(column) for column in zip(*found, strict=True))
        self._refuse_repeated(owners, joints, lines)
        order = np.argsort(owners, kind="stable")
        order = order[weights[order] > 0.0]
        first = np.concatenate([[0], np.cumsum(np.bincount(owners[order], minlength=self._count))])
        return Weights(first, joints[order], weights[order].astype(np.float64))

    def matrix(self, text: str) -> Weights:
        first, joints, weights = [0], list[int](), list[float]()
        for words in self._word_lines(text):
            if len(words) != len(self._names):
                self._fail(values_needed(len(words), len(self._names)))
            if len(first) > self._count:
                self._fail(_lines_needed(len(first), self._count))
            row = [self._weight(word) for word in words]
            hanging = [joint for joint, weight in enumerate(row) if weight > 0.0]
            joints += hanging
            weights += [row[joint] for joint in hanging]
            first.append(len(joints))
        if len(first) <= self._count:
            self._fail(_lines_needed(len(first) - 1, self._count))
        return Weights(np.array(first), np.array(joints, np.int64), np.array(weights, np.float64))

    def _word_lines(self, text: str) -> Iterator[list[str]]:
        """Yield the words of every nonempty line."""
        for number, line in enumerate(_LINE.split(text), start=1):
            comment = _COMMENT.search(line)
            words = _WORD.findall(line if comment is None else line[: comment.start()])
            if words:
                self._line = number
                yield words

    def _row(self, words: list[str]) -> tuple[int, int, float, int]:
        if len(words) < 3:
            self._fail(describe_mismatch(" ".join(words), "VERTEX JOINT WEIGHT"))
        vertex = words[0]
        if not _WHOLE.fullmatch(vertex) or not 1 <= int(vertex) <= self._count:
            self._fail(str(out_of_range("vertex", repr(vertex[:40]), 1, self._count)))
        return int(vertex) - 1, self._joint(" ".join(words[1:-1])), self._weight(words[-1]), self._line

    def _joint(self, name: str) -> int:
        # Names take precedence, because a joint may be named 7.
        joint = self._joints.get(name)
        if joint is None and _WHOLE.fullmatch(name):
            joint = int(name)
            if joint >= len(self._names):
                self._fail(str(out_of_range("joint", name, 0, len(self._names) - 1)))
        if joint is None:
            self._fail(f"there is no joint {name[:80]!r}; there are {some(self._names)}")
        return joint

    def _weight(self, word: str) -> float:
        if not is_number(word) or not 0.0 <= float(word) <= LARGEST:
            self._fail(str(out_of_range("weight", repr(word[:40]), 0, LARGEST)))
        return float(word)

    def _refuse_repeated(self, owners: NDArray[np.int64], joints: NDArray[np.int64], lines: NDArray[np.int64]) -> None:
        """Raise MotionFileError for a vertex with two weights on one joint, which is ambiguous."""
        pairs = owners * len(self._names) + joints
        order = np.argsort(pairs, kind="stable")
        again = np.flatnonzero(np.diff(pairs[order]) == 0)
        if len(again):
            at = again[np.argmin(lines[order[again + 1]])]
            one, other = order[at], order[at + 1]
            self._line = int(lines[other])
            name = self._names[joints[one]]
            self._fail(f"vertex {owners[one] + 1} has a weight for joint {name!r} on line {lines[one]} already")

    def _fail(self, problem: str) -> NoReturn:
        raise MotionFileError(self._path, self._line or None, problem)
