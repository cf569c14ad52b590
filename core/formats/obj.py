"""Read OBJ meshes, and write them with other positions and normals and otherwise unchanged text.

Wavefront's format has one statement per line; a backslash at the end continues it on the next line.
"""

import itertools
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from ..errors import MotionFileError
from ..motion.quat import Array
from . import plain_text
from .plain_text import LARGEST, describe_mismatch, is_number, not_a_number

_CORNER = re.compile(r"([+-]?[0-9]{1,18})(?:/([+-]?[0-9]{1,18})?(?:/([+-]?[0-9]{1,18})?)?)?")
_NONE = -1  # index for a corner without a normal


@dataclass(frozen=True)
class _Vertex:
    """The line of a vertex; rest : the text after its position, a weight or a colour."""

    rest: str


@dataclass(frozen=True)
class _Face:
    """The line of a face: the index of its first corner, and the words of all corners."""

    first: int
    words: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class ObjMesh:
    """The contents of an OBJ file, in its own unit and axes; vertices and normals are counted from 0.

    vertices (V, 3), normals (N, 3) : as written
    corners (C,), begins (F + 1,) : concatenated vertices of all faces, and the start of each face
    corner_normals (C,) : the normal at each corner, −1 without one
    libraries : names of its material files
    statements, line_end : all other text, for `ObjText`
    """

    path: str
    vertices: Array
    normals: Array
    corners: NDArray[np.int64]
    begins: NDArray[np.int64]
    corner_normals: NDArray[np.int64]
    libraries: tuple[str, ...]
    statements: tuple[str | _Vertex | _Face, ...]
    line_end: str


def read(path: str | os.PathLike[str]) -> ObjMesh:
    """Read an OBJ file; raises MotionFileError with file, line and the expected text.

    Example:
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> from action_loom.core.formats import obj
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder, "triangle.obj")
        ...     _ = path.write_text("v 0 0 0\\nv 1 0 0\\nv 0 1 0\\nf 1 2 3\\n")
        ...     mesh = obj.read(path)
        >>> mesh.vertices.shape, mesh.corners.tolist(), mesh.begins.tolist()
        ((3, 3), [0, 1, 2], [0, 3])
    """
    return _Reader(path, plain_text.content(path, "OBJ")).read()


def compose_mesh(vertices: Array, corners: NDArray[np.integer], begins: NDArray[np.integer]) -> bytes:
    """Return a mesh as the contents of an OBJ file: positions (V, 3), and faces as in `ObjMesh`.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.formats import obj
        >>> obj.compose_mesh(np.eye(3), np.array([0, 1, 2]), np.array([0, 3]))
        b'v 1 0 0\\nv 0 1 0\\nv 0 0 1\\nf 1 2 3\\n'
    """
    lines = [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in vertices.tolist()]
    ends = begins.tolist()
    named = [str(corner + 1) for corner in corners.tolist()]
    lines += [f"f {' '.join(named[first:end])}" for first, end in itertools.pairwise(ends)]
    return ("\n".join(lines) + "\n").encode()


class ObjText:
    """The text of a mesh, a template for positions and normals of many frames.

    corner_normals (C,) : the normal of each corner, counted from 0, −1 for none; count : of normals
    Normals are written before the first face; everything except `v`, `vn` and the normals in `f` is unchanged.
    """

    def __init__(self, mesh: ObjMesh, corner_normals: NDArray[np.int64], count: int) -> None:
        self._before = len(mesh.vertices)  # vertices written before the normals
        chosen, end = corner_normals.tolist(), mesh.line_end
        made: list[str] = []
        vertices, waiting = 0, True
        for one in mesh.statements:
            if isinstance(one, _Vertex):
                made.append(f"v %.7g %.7g %.7g{_escape_name(one.rest)}{end}")
                vertices += 1
            elif isinstance(one, _Face):
                if waiting:
                    made.append(count * f"vn %.7g %.7g %.7g{end}")
                    self._before, waiting = vertices, False
                corners = (_corner(word, chosen[one.first + k]) for k, word in enumerate(one.words))
                made.append(f"f {' '.join(corners)}{end}")
            else:
                made.append(_escape_name(one))
        self._template, self._count = "".join(made), 0 if waiting else count

    def filled(self, places: NDArray[np.float32], normals: NDArray[np.float32]) -> bytes:
        """Return the contents of a file with vertices at these positions (V, 3) and these normals (count, 3)."""
        parts = places[: self._before], normals[: self._count], places[self._before :]
        numbers = np.concatenate(parts).astype(np.float64).ravel() + 0.0  # no −0
        return (self._template % tuple(numbers.tolist())).encode("latin-1")


def _escape_name(text: str) -> str:
    return text.replace("%", "%%")


def _corner(word: str, normal: int) -> str:
    """Return a corner of a face with another normal; vertex and texture are unchanged."""
    vertex, _, rest = word.partition("/")
    texture = rest.partition("/")[0]
    if normal == _NONE:
        return f"{vertex}/{texture}" if texture else vertex
    return f"{vertex}/{texture}/{normal + 1}"


class _Reader:
    def __init__(self, path: str | os.PathLike[str], data: bytes) -> None:
        self._path, self._data, self._line = path, data, 1
        self._vertices: list[list[float]] = []
        self._normals: list[list[float]] = []
        self._corners: list[int] = []
        self._corner_normals: list[int] = []
        self._begins: list[int] = [0]
        self._lines: list[int] = []  # of faces
        self._libraries: list[str] = []
        self._statements: list[str | _Vertex | _Face] = []

    def read(self) -> ObjMesh:
        for line, written, words in _statements(self._data):
            self._line = line
            self._take(written, words)
        if not self._vertices:
            raise MotionFileError(self._path, None, "there is no vertex (a line v X Y Z) in it; is it an OBJ file?")
        corners, normals = np.array(self._corners, np.int64), np.array(self._corner_normals, np.int64)
        self._refuse_missing(corners, len(self._vertices), "vertex")
        self._refuse_missing(normals, len(self._normals), "normal")
        return ObjMesh(
            str(self._path),
            np.array(self._vertices),
            np.array(self._normals).reshape(-1, 3),
            corners,
            np.array(self._begins, np.int64),
            normals,
            tuple(self._libraries),
            tuple(self._statements),
            "\r\n" if b"\r\n" in self._data else "\n",
        )

    def _take(self, written: str, words: list[str]) -> None:
        kind = words[0] if words else ""
        if kind == "v":
            self._vertices.append(self._numbers(words))
            self._statements.append(_Vertex("".join(f" {word}" for word in words[4:])))
        elif kind == "vn":
            self._normals.append(self._numbers(words))
        elif kind in ("f", "fo"):  # fo is an old name of f
            self._face(words[1:])
        else:
            if kind == "mtllib":
                self._libraries.append(" ".join(words[1:]))
            self._statements.append(written)

    def _numbers(self, words: list[str]) -> list[float]:
        given = words[1:4]
        if len(given) < 3 or not all(map(is_number, given)):
            self._fail(describe_mismatch(" ".join(words), words[0], *"XYZ"))
        for column, word in enumerate(given, start=1):
            if abs(float(word)) > LARGEST:
                self._fail(not_a_number(column, word))
        return [float(word) for word in given]

    def _face(self, words: list[str]) -> None:
        if len(words) < 3:
            self._fail(describe_mismatch(" ".join(["f", *words]), "f A B C"))
        self._statements.append(_Face(len(self._corners), tuple(words)))
        for word in words:
            corner = _CORNER.fullmatch(word)
            if corner is None:
                self._fail(describe_mismatch(word, "7 | 7/3 | 7//5 | 7/3/5"))
            self._corners.append(self._index(corner[1], len(self._vertices), "vertex"))
            normal = self._index(corner[3], len(self._normals), "normal") if corner[3] else _NONE
            self._corner_normals.append(normal)
        self._begins.append(len(self._corners))
        self._lines.append(self._line)

    def _index(self, word: str, count: int, what: str) -> int:
        """Return an index counted from 0; the file counts from 1, or backwards from −1, the most recent one."""
        number = int(word)
        if number == 0 or number < -count:
            self._fail(f"a face names {what} {number}, but the file has {count}")
        return number - 1 if number > 0 else count + number

    def _refuse_missing(self, named: NDArray[np.int64], count: int, what: str) -> None:
        """Raise MotionFileError for a face with a vertex or normal that the file lacks."""
        missing = np.flatnonzero(named >= count)
        if len(missing):
            face = int(np.searchsorted(self._begins, missing[0], side="right")) - 1
            self._line = self._lines[face]
            self._fail(f"a face names {what} {named[missing[0]] + 1}, but the file has {count}")

    def _fail(self, problem: str) -> NoReturn:
        raise MotionFileError(self._path, self._line, problem)


def _statements(data: bytes) -> Iterator[tuple[int, str, list[str]]]:
    """Yield (line, text as written, words) of every statement; bytes map to letters, so names keep any encoding."""
    lines = data.splitlines(keepends=True)
    at = 0
    while at < len(lines):
        first, parts = at, [lines[at]]
        # Comments are never continued, since they may end with the path of a Windows folder.
        while not lines[first].lstrip().startswith(b"#") and parts[-1].rstrip().endswith(b"\\") and at + 1 < len(lines):
            at += 1
            parts.append(lines[at])
        joined = b" ".join(part.rstrip().removesuffix(b"\\") for part in parts)
        words = [word.decode("latin-1") for word in joined.partition(b"#")[0].split()]
        yield first + 1, b"".join(parts).decode("latin-1"), words
        at += 1
