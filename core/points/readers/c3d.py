"""Read marker trajectories of C3D files of Intel, DEC and SGI processors (methods: Points).

A file is made of blocks of 512 bytes: a header, parameters in groups, and frames of points and of analogue samples.
"""

import os
import struct
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ... import files
from ...errors import MotionFileError
from ...motion.quat import Array
from .. import markers
from ..recording import MOST_VALUES, Recording

_BLOCK = 512
_KEY = 80  # the second byte of every C3D file
_ORDERS = {84: "<", 85: "<", 86: ">"}  # the byte order of a processor: Intel, DEC, SGI
_DEC = 85
_UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001}
_WIDTHS = {-1: 1, 1: 1, 2: 2, 4: 4}
_MOST_PARAMETERS = 10_000


@dataclass(frozen=True)
class _Header:
    points: int
    first: int
    last: int
    analogue: int  # number of analogue values in each frame
    scale: float
    data: int  # the block at which the frames begin
    rate: float
    processor: int

    @property
    def order(self) -> str:
        """The byte order of its numbers, as for struct and numpy."""
        return _ORDERS[self.processor]


def read(path: str | os.PathLike[str], order: Sequence[str]) -> list[Recording]:
    """Return the people of a C3D file: labels with a prefix before a colon belong to different ones.

    Raises MotionFileError.
    """
    try:
        content = files.read(path)
        header = _header(path, content)
        parameters = _parameters(content, header.order)
        places = _frames(path, content, header)
        labels = _labels(parameters, header.points)
    except (struct.error, IndexError, UnicodeDecodeError):
        raise MotionFileError(path, None, "this is no C3D file") from None
    except OSError as error:
        raise MotionFileError(path, None, f"can't be read ({error.strerror})") from None
    unit = _text(parameters.get("POINT:UNITS", (0, (), b""))).strip().lower()
    return markers.recordings(
        path, tuple(order or labels), places, rate=header.rate, metres=_UNITS.get(unit, 0.0), skin=True
    )


def _header(path: object, content: bytes) -> _Header:
    if len(content) < 2 * _BLOCK or content[1] != _KEY:
        raise MotionFileError(path, None, "this is no C3D file")
    parameters = (content[0] - 1) * _BLOCK
    processor = content[parameters + 3]
    if processor not in _ORDERS:
        raise MotionFileError(path, None, "this is no C3D file")
    order = _ORDERS[processor]
    points, analogue, first, last, _, _, data, _ = struct.unpack_from(f"{order}5H4s2H", content, 2)
    scale, rate = (float(_floats(content[at : at + 4], processor)[0]) for at in (12, 20))
    if not points or last < first or not 0.0 < rate < 1e4 or not np.isfinite(scale):
        raise MotionFileError(path, None, "this is no C3D file")
    return _Header(points, first, last, analogue, scale, data, rate, processor)


def _floats(content: bytes, processor: int) -> NDArray[np.floating]:
    """Return floating-point numbers; DEC exchanges their halves and multiplies them by four."""
    if processor != _DEC:
        return np.frombuffer(content, f"{_ORDERS[processor]}f4")
    halves = np.frombuffer(content, "<u2").reshape(-1, 2)
    return np.ascontiguousarray(halves[:, ::-1]).view("<f4")[:, 0] / 4.0


def _parameters(content: bytes, order: str) -> dict[str, tuple[int, tuple[int, ...], bytes]]:
    """Return the kind, the dimensions and the bytes of each parameter by "GROUP:NAME"."""
    place = (content[0] - 1) * _BLOCK + 4
    groups: dict[int, str] = {}
    rows: list[tuple[int, str, tuple[int, tuple[int, ...], bytes]]] = []
    for _ in range(_MOST_PARAMETERS):
        length, group = struct.unpack_from("<bb", content, place)
        if not length or not group:
            break
        length = abs(length)
        name = content[place + 2 : place + 2 + length].decode("latin-1").upper()
        at = place + 2 + length
        (step,) = struct.unpack_from(f"{order}H", content, at)
        if group < 0:
            groups[-group] = name
        else:
            kind, count = struct.unpack_from("<bB", content, at + 2)
            dimensions = tuple(content[at + 4 : at + 4 + count])
            size = _WIDTHS.get(kind, 1) * int(np.prod(dimensions, dtype=np.int64))
            begin = at + 4 + count
            rows.append((group, name, (kind, dimensions, content[begin : begin + size])))
        if not step:
            break
        place = at + step
    return {f"{groups.get(group, '')}:{name}": value for group, name, value in rows}


def _text(parameter: tuple[int, tuple[int, ...], bytes]) -> str:
    return parameter[2].decode("latin-1")


def _labels(parameters: dict[str, tuple[int, tuple[int, ...], bytes]], count: int) -> list[str]:
    labels: list[str] = []
    for key in ("POINT:LABELS", *(f"POINT:LABELS{k}" for k in range(2, 10))):
        if key in parameters:
            _, dimensions, data = parameters[key]
            width = max(dimensions[0], 1) if dimensions else 1
            labels += [data[k : k + width].decode("latin-1").strip() for k in range(0, len(data), width)]
    labels = labels[:count]
    return [*labels, *(f"point_{k}" for k in range(len(labels), count))]


def _frames(path: object, content: bytes, header: _Header) -> Array:
    """Return the places (F, P, 3) of all points, NaN where a residual is negative."""
    whole = header.scale > 0.0  # coordinates are integers times the scale; otherwise they are floating-point numbers
    width = 2 if whole else 4
    row = (4 * header.points + header.analogue) * width
    begin = (header.data - 1) * _BLOCK
    count = header.last - header.first + 1
    there = max(0, len(content) - begin) // row if row else 0
    if count == 0xFFFF - header.first + 1 or header.last == 0xFFFF:  # longer than the header can state
        count = there
    if there < count or count * header.points * 4 > MOST_VALUES:
        raise MotionFileError(path, None, f"it states {count} frames, but has {there}")
    rows = content[begin : begin + count * row]
    numbers = np.frombuffer(rows, f"{header.order}i2") if whole else _floats(rows, header.processor)
    values = numbers.reshape(count, -1)[:, : 4 * header.points]
    points = values.reshape(count, header.points, 4).astype(np.float64)
    places = points[..., :3] * (header.scale if whole else 1.0)
    return np.where(points[..., 3:] < 0, np.nan, places)
