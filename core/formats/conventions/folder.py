"""Settle a doubtful up axis from other files with the same skeleton (methods: Conventions of files)."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from ..motion_file import MEASURED, Finding, MotionFile

ALIKE = 1e-3  # tolerance for equal bone lengths, as a share of the longest bone


def settle_together(files: Sequence[MotionFile], read_again: Callable[[int, str], MotionFile]) -> list[MotionFile]:
    """Return the files, with doubtful up axes replaced by the axis on which all certain files of the skeleton agree.

    read_again : reads a file, given by number, with an up axis

    Example:
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.formats import motion_file
        >>> from action_loom.core.formats.conventions import folder
        >>> with TemporaryDirectory() as place:
        ...     path = Path(place, "walk.bvh")
        ...     _ = path.write_bytes(motion_file.compose(actions.walk(cycles=1), path))
        ...     files = [motion_file.read(path)]
        >>> folder.settle_together(files, lambda number, up: files[number]) == files
        True
    """
    sure = [file for file in files if not _up_of(file).doubt and _up_of(file).by == MEASURED]
    settled = []
    for number, file in enumerate(files):
        if _up_of(file).doubt and (axes := {one.convention.up for one in sure if _same_body(one, file)}):
            (axis, *others) = sorted(axes)
            file = file if others else _with_axis(file, axis, partial(read_again, number))
        settled.append(file)
    return settled


def _up_of(file: MotionFile) -> Finding:
    return next((one for one in file.findings if one.part == "up"), Finding("up", file.convention.up, ""))


def _with_axis(file: MotionFile, axis: str, read: Callable[[str], MotionFile]) -> MotionFile:
    again = file if file.convention.up == axis else read(axis)
    return replace(again, findings=(Finding("up", axis, MEASURED), *(f for f in again.findings if f.part != "up")))


def _same_body(one: MotionFile, other: MotionFile) -> bool:
    """Return whether two files have the same joints and bone lengths, in their own units."""
    ours, theirs = one.clip.skeleton, other.clip.skeleton
    if ours.names != theirs.names or not np.array_equal(ours.parents, theirs.parents):
        return False
    lengths = [
        np.linalg.norm(file.clip.skeleton.offsets, axis=1) / file.convention.metres * (file.clip.skeleton.parents >= 0)
        for file in (one, other)
    ]
    return bool(np.abs(lengths[0] - lengths[1]).max() <= ALIKE * lengths[0].max())
