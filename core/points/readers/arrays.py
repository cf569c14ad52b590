"""Read NumPy arrays of points, never as pickled objects (methods: Points)."""

import io
import math
import os
import tokenize
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from ... import files
from ...errors import MotionFileError
from .. import orders
from ..recording import MOST_VALUES, Recording, make

_KEYS = ("keypoints3d", "keypoints_3d", "positions", "joints", "joints3d", "motion", "poses", "points", "data")
_RATE_KEYS = ("fps", "rate", "frame_rate", "mocap_framerate", "mocap_frame_rate")
_NAME_KEYS = ("names", "labels", "joint_names")


def read(path: str | os.PathLike[str], order: Sequence[str]) -> list[Recording]:
    """Return the people of a .npy file; raises MotionFileError."""
    return _people(path, _array(path, _content(path)), order)


def read_archive(path: str | os.PathLike[str], order: Sequence[str]) -> list[Recording]:
    """Return the people of a .npz file: of its array of frames × points × coordinates; raises MotionFileError."""
    arrays: dict[str, NDArray[Any]] = {}
    try:
        with np.load(files.open_archive(_content(path)), allow_pickle=False) as archive:
            for name in archive.files:
                with archive.zip.open(f"{name}.npy") as member:  # as numpy names them
                    arrays[name] = _array(path, member.read())
    except (ValueError, KeyError, OSError, EOFError) as error:
        raise MotionFileError(path, None, f"it is no NumPy array ({str(error)[:80]})") from None
    fitting = {name: array for name, array in arrays.items() if array.ndim in (3, 4) and array.shape[-1] in (3, 4)}
    named = [name for name in (*_KEYS, *fitting) if name in fitting]
    if not named:
        return [make(path, (), np.zeros(0))]  # which refuses it
    rates = [float(arrays[key]) for key in _RATE_KEYS if key in arrays and arrays[key].size == 1]
    names = next((arrays[key] for key in _NAME_KEYS if key in arrays and arrays[key].dtype.kind == "U"), None)
    labels = order or (() if names is None else tuple(names.ravel().tolist()))
    return _people(path, fitting[named[0]], labels, rates[0] if rates and 0 < rates[0] < 1e4 else 0.0)


def _content(path: str | os.PathLike[str]) -> bytes:
    try:
        return files.read(path)
    except OSError as error:
        raise MotionFileError(path, None, f"can't be read ({error.strerror})") from None


def _array(path: object, content: bytes) -> NDArray[Any]:
    """Return the array of a .npy file whose declared shape is checked first; raises MotionFileError."""
    stream = io.BytesIO(content)
    try:
        version = npy.read_magic(stream)
        head = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _, kind = head(stream)
        if kind.hasobject:
            raise MotionFileError(path, None, "it has Python objects, which may run programs: save plain numbers")
        if math.prod(shape) > MOST_VALUES or math.prod(shape) * kind.itemsize > len(content):
            raise MotionFileError(path, None, f"it states {math.prod(shape):,} values, which it can't have")
        stream.seek(0)
        return np.asarray(npy.read_array(stream, allow_pickle=False))
    except (ValueError, EOFError, SyntaxError, TypeError, OverflowError, tokenize.TokenError) as error:
        raise MotionFileError(path, None, f"it is no NumPy array ({str(error)[:80]})") from None


def _people(
    path: str | os.PathLike[str], values: NDArray[Any], order: Sequence[str], rate: float = 0.0
) -> list[Recording]:
    """Return the recordings of an array (F, P, C), or (people, F, P, C)."""
    if values.ndim == 2 and values.shape[1] % 3 == 0 and values.shape[1] >= 36:
        values = values.reshape(len(values), -1, 3)
    if values.ndim == 3 and values.shape[2] not in (3, 4) and values.shape[1] in (3, 4):
        values = values.transpose(2, 0, 1) if values.shape[0] < values.shape[2] else values.transpose(0, 2, 1)
    if values.ndim == 4 and len(values) == 1:
        values = values[0]
    if values.ndim == 4:
        return [one for k, person in enumerate(values) for one in _read_named(path, person, order, rate, str(k))]
    return _read_named(path, values, order, rate)


def _read_named(
    path: str | os.PathLike[str], values: NDArray[Any], order: Sequence[str], rate: float, person: str = ""
) -> list[Recording]:
    if values.ndim != 3:
        return [make(path, (), values)]  # which refuses it
    count = values.shape[1]
    orders.check_count(path, order, count)
    labels = tuple(order) or orders.by_count(path, count) or orders.tell_apart(path, values)
    return [make(path, tuple(labels), values, rate=rate, person=person)]
