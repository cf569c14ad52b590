"""ASF files: the skeletons of AMC files; parse errors name the line."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..errors import MotionFileError, some
from ..motion import quat
from ..motion.quat import Array
from . import plain_text
from .plain_text import LARGEST, describe_mismatch, is_number, not_a_number, second

ROOT = "root"
_WORD = re.compile(r"[^ \t\n\r\v\f,()]+")  # commas and brackets are spaces here
_COMMENT = re.compile(r"#(?<![^ \t]#).*")  # only at the start of a word
_TURNS = ("rx", "ry", "rz")
_MOVES = ("tx", "ty", "tz")
_KEYS = ("length", "angle", "order", "position", "orientation", "name", "direction", "axis", "dof")
_Row = tuple[int, list[str]]


@dataclass(frozen=True, eq=False)
class AsfSkeleton:
    """The contents of an ASF file, in its own units and axes.

    names : J joints, the root first, parents before children; parents (J,), −1 for the root
    bones (J, 3) : from each joint to the end of its bone, the position of its children; 0 for the root
    axes (J, 4) : the frame whose axes a joint turns about, in the file's axes
    freedom : meaning of each joint's numbers in a frame, in order: rx, ry, rz; tx, ty, tz for the root
    length : units of length per inch; 0 if the file does not state it
    degrees : whether angles are in degrees, else in radians
    """

    path: str
    names: tuple[str, ...]
    parents: NDArray[np.int64]
    bones: Array
    axes: Array
    freedom: tuple[tuple[str, ...], ...]
    length: float
    degrees: bool


def read(path: str | os.PathLike[str]) -> AsfSkeleton:
    """Read an ASF file; raises MotionFileError with file, line and the expected text.

    Source: M. Schafer, Acclaim Skeleton File Definition 1.10 (1995).
    """
    return _parse_text(os.fspath(path), plain_text.content(path, "ASF"))


@lru_cache(maxsize=8)  # the takes of a person share a skeleton, which takes as long to read as 100 frames
def _parse_text(path: str, content: bytes) -> AsfSkeleton:
    text = plain_text.decode_text(content)
    plain_text.refuse_control(path, text)
    found = _Reader(path, text).read()
    for shared in (found.parents, found.bones, found.axes):
        shared.flags.writeable = False
    return found


@dataclass(frozen=True)
class _Bone:
    """One bone, and the line of its name."""

    name: str
    line: int
    reach: Sequence[float]
    axis: Sequence[float]
    order: str
    freedom: tuple[str, ...]


class _Reader:
    def __init__(self, path: str | os.PathLike[str], text: str) -> None:
        self._path = path
        self._last = len(text.split("\n"))
        self._sections = self._split(text)

    def read(self) -> AsfSkeleton:
        length, degrees = self._units()
        freedom = self._root()
        bones = self._bones()
        order, parents = self._order(bones)
        unit = np.pi / 180.0 if degrees else 1.0
        turned = [_turn(unit * np.array(bones[name].axis), bones[name].order) for name in order]
        return AsfSkeleton(
            str(self._path),
            (ROOT, *order),
            np.array([-1, *parents], dtype=np.int64),
            np.array([[0.0] * 3, *(bones[name].reach for name in order)]),
            np.array([quat.IDENTITY, *turned]),
            (freedom, *(bones[name].freedom for name in order)),
            length,
            degrees,
        )

    def _split(self, text: str) -> dict[str, list[_Row]]:
        """Return the rows of each section, starting with its keyword."""
        sections: dict[str, list[_Row]] = {}
        rows: list[_Row] | None = None
        for number, line in enumerate(text.split("\n"), start=1):
            words = _WORD.findall(_COMMENT.sub("", line))
            if not words:
                continue
            if words[0].startswith(":"):
                name = words[0][1:].lower()
                if name in sections:
                    self._fail(number, second(words[0]))
                rows = sections[name] = []
            elif rows is None:
                self._fail(number, describe_mismatch(words[0], ":version"))
            if rows is not None:
                rows.append((number, words))
        return sections

    def _section(self, name: str) -> list[_Row]:
        if name not in self._sections:
            self._fail(self._last, describe_mismatch("", f":{name}"))
        return self._sections[name]

    def _units(self) -> tuple[float, bool]:
        rows = self._keys(self._sections.get("units", []), ":units")
        length, degrees = 0.0, None
        if "length" in rows:
            line, words = rows["length"]
            (length,) = self._numbers(line, "length", words, 1)
            if length < 1e-6:
                self._fail(line, describe_mismatch(f"length {words[0]}", "length NUMBER"))
        if "angle" in rows:
            line, words = rows["angle"]
            unit = words[0].lower() if len(words) == 1 else ""
            if not unit.startswith(("deg", "rad")):
                self._fail(line, describe_mismatch(" ".join(["angle", *words]), "angle deg | angle rad"))
            degrees = unit.startswith("deg")
        if degrees is None:
            line = self._sections["units"][0][0] if "units" in self._sections else self._last
            self._fail(line, describe_mismatch("", ":units angle deg"))
        return length, bool(degrees)

    def _root(self) -> tuple[str, ...]:
        """Return the root's degrees of freedom; only roots that turn about the file's own axes are supported."""
        rows = self._keys(self._section("root")[1:], ":root")
        for key in ("position", "orientation"):
            line, words = rows.get(key, (0, []))
            if words and any(self._numbers(line, key, words, 3)):
                self._fail(line, f"the root's {key} is {' '.join(words)}, of which programs differ; only 0 0 0 is read")
        if "order" not in rows:
            self._fail(self._section("root")[0][0], describe_mismatch(":root", ":root order TX TY TZ RX RY RZ"))
        line, words = rows["order"]
        return self._freedom(line, words, (*_MOVES, *_TURNS))

    def _bones(self) -> dict[str, _Bone]:
        found: dict[str, _Bone] = {}
        block: list[_Row] | None = None
        rows = self._section("bonedata")
        for line, words in rows[1:]:
            word = words[0].lower()
            if word == "begin" and block is None:
                block = []
            elif word == "end" and block is not None:
                bone = self._bone(line, block)
                if bone.name in found or bone.name == ROOT:
                    self._fail(bone.line, second(bone.name))
                found[bone.name], block = bone, None
            elif block is not None and word != "begin":
                block.append((line, words))
            else:
                self._fail(line, describe_mismatch(words[0], "begin" if block is None else "end"))
        if block is not None:
            self._fail(self._last, describe_mismatch("", "end"))
        return found

    def _bone(self, end: int, rows: Sequence[_Row]) -> _Bone:
        keys = self._keys(rows, ":bonedata")
        for key in ("name", "direction", "length"):
            if key not in keys:
                self._fail(end, describe_mismatch("end", key))
        line, name = keys["name"]
        if len(name) != 1:
            self._fail(line, describe_mismatch(" ".join(["name", *name]), "name NAME"))
        direction = self._numbers(*_find_key(keys, "direction"), 3)
        (length,) = self._numbers(*_find_key(keys, "length"), 1)
        freedom = self._freedom(*keys["dof"], _TURNS) if "dof" in keys else ()
        axis, order = [0.0] * 3, "XYZ"
        if "axis" in keys:
            at, words = keys["axis"]
            axis, order = self._numbers(at, "axis", words[:3], 3), "".join(words[3:]).upper()
            if sorted(order) != list("XYZ"):
                self._fail(at, describe_mismatch(" ".join(["axis", *words]), "axis X Y Z XYZ"))
        elif freedom:
            self._fail(end, describe_mismatch("end", "axis"))
        return _Bone(name[0], line, [length * one for one in direction], axis, order, freedom)

    def _order(self, bones: Mapping[str, _Bone]) -> tuple[list[str], list[int]]:
        """Return the bones in depth-first order of the hierarchy, and the parent of each, 0 for the root."""
        below = self._read_children(bones)
        order: list[str] = []
        parents: list[int] = []
        waiting = [(name, 0) for name in reversed(below.get(ROOT, []))]
        while waiting:
            name, parent = waiting.pop()
            order.append(name)
            parents.append(parent)
            waiting += [(child, len(order)) for child in reversed(below.get(name, []))]
        reached = set(order)
        lost = [name for name in bones if name not in reached]
        if lost:
            self._fail(bones[lost[0]].line, f"in the hierarchy no way leads from the root to {some(lost)}")
        return order, parents

    def _read_children(self, bones: Mapping[str, _Bone]) -> dict[str, list[str]]:
        rows = self._section("hierarchy")
        words = [row[1][0].lower() for row in rows]
        if words[1:2] != ["begin"]:
            self._fail(rows[1][0] if len(rows) > 1 else self._last, describe_mismatch(" ".join(words[1:2]), "begin"))
        if words[-1] != "end" or len(rows) < 3:
            self._fail(rows[-1][0], describe_mismatch("", "end"))
        below: dict[str, list[str]] = {}
        placed = {ROOT}
        for line, (parent, *children) in rows[2:-1]:
            for name in (parent, *children):
                if name not in bones and name != ROOT:
                    self._fail(line, f"there is no bone {name[:40]!r}")
            for child in children:
                if child in placed:
                    self._fail(line, f"{child!r} has a parent already, or is the root")
                placed.add(child)
            below.setdefault(parent, []).extend(children)
        return below

    def _keys(self, rows: Sequence[_Row], what: str) -> dict[str, tuple[int, list[str]]]:
        """Return the rows by their first words; unused keys, such as limits, may repeat."""
        keys: dict[str, tuple[int, list[str]]] = {}
        for line, words in rows:
            key = words[0].lower()
            if key in keys and key in _KEYS:
                self._fail(line, second(f"{what} {key}"))
            keys[key] = line, words[1:]
        return keys

    def _freedom(self, line: int, words: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
        freedom = tuple(word.lower() for word in words)
        for word in freedom:
            if word not in known:
                self._fail(line, describe_mismatch(word, " | ".join(known)))
        if len(set(freedom)) < len(freedom):
            self._fail(line, second(" ".join(words)[:80]))
        return freedom

    def _numbers(self, line: int, key: str, words: Sequence[str], count: int) -> list[float]:
        if len(words) != count or not all(is_number(word) for word in words):
            self._fail(line, describe_mismatch(" ".join([key, *words]), key, *["NUMBER"] * count))
        for column, word in enumerate(words, start=1):
            if abs(float(word)) > LARGEST:
                self._fail(line, not_a_number(column, word))
        return [float(word) for word in words]

    def _fail(self, line: int, problem: str) -> None:
        raise MotionFileError(self._path, line, problem)


def _find_key(keys: Mapping[str, tuple[int, list[str]]], key: str) -> tuple[int, str, list[str]]:
    line, words = keys[key]
    return line, key, words


def _turn(angles: Array, order: str) -> Array:
    """Return the rotation by angles about the fixed x, y and z axes, in the order given."""
    return quat.from_euler(np.array([angles["XYZ".index(axis)] for axis in reversed(order)]), order[::-1])
