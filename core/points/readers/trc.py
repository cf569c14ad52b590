"""Read marker trajectories of OpenSim, TRC files (methods: Points)."""

import os
from collections.abc import Sequence

import numpy as np

from ...errors import MotionFileError
from ...formats import plain_text
from .. import markers
from ..recording import Recording, check_size, frames_of

_UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "meters": 1.0, "millimeters": 0.001}
_HEAD = 3  # lines of the header: the kind of file, the names of its figures, and the figures


def read(path: str | os.PathLike[str], order: Sequence[str]) -> list[Recording]:
    """Return the person of a TRC file; raises MotionFileError with the line."""
    text = plain_text.decode_text(plain_text.with_line_feeds(plain_text.content(path, "TRC")))
    lines = text.replace("\r", "").split("\n")
    if not lines[0].startswith("PathFileType") or len(lines) < _HEAD + 2:
        raise MotionFileError(path, 1, plain_text.describe_mismatch(lines[0], "PathFileType"))
    mark = "\t" if "\t" in lines[0] else ","
    lines = [line.replace(mark, "\t") for line in lines]
    figures = dict(zip(lines[1].split("\t"), lines[2].split("\t"), strict=False))
    rate = _figure(path, figures, "DataRate", 1e4)  # 0 means that the rate follows from the times
    metres = _UNITS.get(figures.get("Units", "").strip().lower(), 0.0)
    labels = [word.strip() for word in lines[_HEAD].split("\t")[2:] if word.strip()]
    if not labels:
        raise MotionFileError(path, _HEAD + 1, plain_text.values_needed(0, 1))
    check_size(path, len(lines) * len(labels) * 3)
    numbered = [
        (number, line)
        for number, line in enumerate(lines[_HEAD + 1 :], _HEAD + 2)
        if line.split("\t")[0].strip().isdigit()
    ]
    rows = [_row(path, number, line, len(labels)) for number, line in numbered]
    rate = rate or _rate_of_times([line for _, line in numbered])
    if not rows:
        raise MotionFileError(path, None, "the file is empty")
    at = frames_of(path, [int(line.split("\t")[0]) for _, line in numbered], len(labels) * 3)
    places = np.full((at[-1] + 1, len(labels), 3), np.nan)
    places[at] = rows
    return markers.recordings(path, tuple(order or labels), places, rate=rate, metres=metres)


def _figure(path: object, figures: dict[str, str], name: str, most: float) -> float:
    word = figures.get(name, "").strip()
    if not plain_text.is_number(word) or not 0.0 <= float(word) < most:
        raise MotionFileError(path, _HEAD, f"{name}: {plain_text.not_a_number(1, word)}")
    return float(word)


def _rate_of_times(lines: list[str]) -> float:
    """Return the rate shown by the second column of lines, 0 if it shows none."""
    words = [line.split("\t")[1].strip() for line in lines if "\t" in line]
    times = np.array([float(word) for word in words if plain_text.is_number(word)])
    step = float(np.median(np.diff(times))) if len(times) > 1 else 0.0
    return 1.0 / step if 1e-4 < step < 1.0 else 0.0


def _row(path: object, number: int, line: str, count: int) -> list[list[float]]:
    words = [word.strip() for word in line.split("\t")[2 : 2 + 3 * count]]
    words += [""] * (3 * count - len(words))  # the last markers are missing
    for column, word in enumerate(words, 3):
        if word and not plain_text.is_number(word) and word.lower() != "nan":
            raise MotionFileError(path, number, plain_text.not_a_number(column, word))
    values = [float(word) if word else np.nan for word in words]
    return [values[k : k + 3] for k in range(0, len(values), 3)]
