"""Read JSON files of 3D keypoints: named ones, lists in a known order, OpenPose and EasyMocap (methods: Points).

Tools write a file for all frames, or a file for each; of the latter, the files with other numbers beside are read, too.
"""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ... import files
from ...errors import MotionFileError
from ...formats import plain_text
from .. import orders
from .. import people as followed
from ..recording import Recording, check_size, frames_of, make

_POINTS_KEYS = (
    *("keypoints3d", "pose_keypoints_3d", "poseworldlandmarks", "pose_world_landmarks", "worldlandmarks"),
    *("world_landmarks", "keypoints_3d", "joints3d", "joints_3d", "landmarks", "poselandmarks", "pose_landmarks"),
    *("keypoints", "joints", "points", "pose", "body"),
)
_FRAMES_KEYS = ("frames", "data", "motion", "poses", "results", "sequence", "annotations")
_RATE_KEYS = ("fps", "rate", "frame_rate", "framerate", "tickspersecond")
_PEOPLE_KEYS = ("people", "persons", "instances", "annots")
_TRUST_KEYS = ("score", "visibility", "confidence", "conf", "c", "likelihood")
_NAME_KEYS = ("name", "label", "part", "joint")
_NUMBERED = re.compile(r"(.*?)([0-9]{3,12})([^0-9]*\.json)", re.IGNORECASE | re.DOTALL)
_FRAME_KEYS = ("framenum", "frame_num", "frame_number", "framenumber", "frame_index", "frame_id", "frame")
_LEAST_VALUES = 75  # values counted for each frame in the check of a file's size
_Row = tuple[float, float, float, float]
_Person = tuple[str, dict[str, _Row]]  # its name in the file ("" without one), and its points by label


def read(path: str | os.PathLike[str], order: Sequence[str]) -> list[Recording]:
    """Return the people of a JSON file, or of a sequence of numbered files; raises MotionFileError."""
    content = _load(path)
    order = order or _names_in(content)
    frames, rate = _find_frames(path, content)
    if frames is None:
        numbered = _find_sequence(Path(path))
        frames = _with_gaps(path, list(numbered), [_load(file) for file in numbered.values()])
    elif numbers := _numbers_of(frames):
        frames = _with_gaps(path, numbers, frames)
    rows = [_people_of(path, number, frame, order) for number, frame in enumerate(frames)]
    if not any(rows):
        raise MotionFileError(path, None, "it has no 3D keypoints with x, y and z")
    return [_record(path, person, track, rate, notes) for person, track, notes in _tracks(rows)]


def _load(path: str | os.PathLike[str]) -> Any:
    data = plain_text.content(path, "JSON")
    try:
        return files.read_json(data)
    except ValueError as error:
        lines = data.split(b"\n")
        try:  # an object on each line
            return [files.read_json(line) for line in lines if line.strip()] if len(lines) > 1 else _refuse(path, error)
        except ValueError:
            return _refuse(path, error)


def _refuse(path: str | os.PathLike[str], error: ValueError) -> Any:
    line = getattr(error, "lineno", None)
    raise MotionFileError(path, line, f"this is no JSON text ({getattr(error, 'msg', error)})") from None


def _names_in(content: Any) -> Sequence[str]:
    """Return the names of points that a file lists beside its frames, () if it does not."""
    if isinstance(content, Mapping):
        for value in content.values():
            if isinstance(value, list) and len(value) > 1 and all(isinstance(one, str) for one in value):
                return tuple(value)
    return ()


def _find_frames(path: object, content: Any) -> tuple[list[Any] | None, float]:
    """Return the frames of a file's content, None if it is a single frame, and the rate, 0 if it is not stated."""
    if isinstance(content, Mapping):
        rates = [value for key, value in content.items() if key.lower() in _RATE_KEYS]
        rate = float(rates[0]) if rates and isinstance(rates[0], int | float) and 0 < rates[0] < 1e4 else 0.0
        for key, value in content.items():
            if key.lower() in _FRAMES_KEYS and isinstance(value, list | Mapping):
                return _find_frames(path, value)[0] or [], rate
        if len(content) > 1 and all(key.isdigit() for key in content):
            numbers = sorted(content, key=int)
            return _with_gaps(path, list(map(int, numbers)), [content[number] for number in numbers]), rate
        for key, value in content.items():  # all frames of one person under the key of points
            if key.lower() in _POINTS_KEYS and _depth(value) > 2:
                return list(value), rate
        return None, rate
    if isinstance(content, list) and content and not _is_person(content[0]) and _depth(content) > 1:
        is_frame = _is_point(content[0])
        return None if is_frame else list(content), 0.0
    return None, 0.0


def _depth(value: Any) -> int:
    """Return how many lists or objects are within each other, up to 4, by the first value of each."""
    depth = 0
    while isinstance(value, list | Mapping) and value and depth < 4:
        value, depth = (value[0] if isinstance(value, list) else next(iter(value.values()))), depth + 1
    return depth


def _is_person(value: Any) -> bool:
    return isinstance(value, Mapping) and any(key.lower() == "keypoints3d" for key in value) and "id" in value


def _is_point(value: Any) -> bool:
    if isinstance(value, Mapping):
        return {"x", "y", "z"} <= {key.lower() for key in value}
    return isinstance(value, list) and len(value) in (3, 4) and all(isinstance(one, int | float) for one in value)


def _with_gaps(path: object, numbers: Sequence[int], frames: Sequence[Any]) -> list[Any]:
    """Return frames in the places of their numbers, None where one is missing."""
    at = frames_of(path, numbers, _LEAST_VALUES)
    out: list[Any] = [None] * (int(at[-1]) + 1)
    for frame, content in zip(at.tolist(), frames, strict=True):
        out[frame] = content
    return out


def _numbers_of(frames: Sequence[Any]) -> list[int]:
    """Return the numbers that frames state, [] if one of them states none."""
    found = []
    for frame in frames:
        keys = {key.lower(): key for key in frame} if isinstance(frame, Mapping) else {}
        found += [frame[keys[key]] for key in _FRAME_KEYS if key in keys][:1]
    return found if len(found) == len(frames) and all(isinstance(one, int) for one in found) else []


def _find_sequence(path: Path) -> dict[int, Path]:
    """Return the files of a sequence by their numbers, in order; only one if the name lacks a number."""
    found = _NUMBERED.fullmatch(path.name)
    if found is None:
        return {0: path}
    head, _, tail = found.groups()
    numbers = {}
    for name in os.listdir(path.parent):
        other = _NUMBERED.fullmatch(name)
        if other is not None and (other[1], other[3]) == (head, tail):
            numbers[int(other[2])] = path.parent / name
    check_size(path, len(numbers) * _LEAST_VALUES)
    return {number: numbers[number] for number in sorted(numbers)}


def _people_of(path: object, number: int, frame: Any, order: Sequence[str]) -> list[_Person]:
    """Return the people of a frame; [] if it has none."""
    if isinstance(frame, Mapping):
        people = next((frame[key] for key in _PEOPLE_KEYS if isinstance(frame.get(key), list)), None)
        if people is not None:
            frame = people
        elif _is_person(frame):
            frame = [frame]
    if isinstance(frame, list) and frame and all(isinstance(one, Mapping) for one in frame) and not _is_point(frame[0]):
        named = [(one, _points_of(path, number, one, order)) for one in frame]
        return [(_person_name(one), points) for one, points in named if points]
    points = _points_of(path, number, frame, order)
    return [("", points)] if points else []


def _person_name(person: Mapping[str, Any]) -> str:
    name = person.get("id", person.get("person_id", ""))
    name = name[0] if isinstance(name, list) and name else name
    return str(name) if isinstance(name, int | str) and str(name) != "-1" else ""


def _points_of(path: object, number: int, value: Any, order: Sequence[str]) -> dict[str, _Row]:
    """Return the points of a person in a frame by label."""
    if isinstance(value, Mapping):
        keys = {key.lower(): key for key in value}
        for key in _POINTS_KEYS:
            if key in keys and value[keys[key]]:
                return _points_of(path, number, value[keys[key]], order)
        return {str(label): _row_of(path, number, one) for label, one in value.items() if _is_point(one)}
    if not isinstance(value, list) or not value:
        return {}
    if all(isinstance(one, int | float) for one in value):  # all numbers in one list: x, y, z and confidence
        width = 4 if len(value) % 4 == 0 else 3
        value = [list(value[k : k + width]) for k in range(0, len(value) - width + 1, width)]
    if len(value) == 1 and isinstance(value[0], list) and not _is_point(value[0]):
        return _points_of(path, number, value[0], order)
    points = [one for one in value if _is_point(one)]
    labels = [_label_of(one) for one in points]
    if not all(labels):
        orders.check_count(path, order, len(points))
        labels = list(order or orders.by_count(path, len(points)) or _refuse_order(path, len(points)))
    return {label: _row_of(path, number, one) for label, one in zip(labels, points, strict=True)}


def _refuse_order(path: object, count: int) -> Sequence[str]:
    raise orders.ambiguous(path, count)


def _label_of(point: Any) -> str:
    if not isinstance(point, Mapping):
        return ""
    return next((str(value) for key, value in point.items() if key.lower() in _NAME_KEYS and value), "")


def _row_of(path: object, number: int, point: Any) -> _Row:
    if isinstance(point, Mapping):
        lower = {key.lower(): value for key, value in point.items()}
        trust = next((lower[key] for key in _TRUST_KEYS if lower.get(key) is not None), 1.0)
        values = [lower["x"], lower["y"], lower["z"], trust]
    else:
        values = [*point, 1.0][:4]
    try:
        x, y, z, trust = (np.nan if one is None else float(one) for one in values)
    except (TypeError, ValueError, OverflowError):
        raise MotionFileError(path, None, f"frame {number} has a point that is not made of numbers") from None
    return x, y, z, trust


def _tracks(rows: Sequence[list[_Person]]) -> list[followed.Track]:
    """Return each person with their points in every frame, {} where they are not seen, and notes."""
    if max(map(len, rows)) < 2:
        return [("", [people[0][1] if people else {} for people in rows], ())]
    return followed.follow(rows)


def _record(
    path: str | os.PathLike[str], person: str, track: Sequence[Mapping[str, _Row]], rate: float, notes: tuple[str, ...]
) -> Recording:
    labels = tuple(dict.fromkeys(label for frame in track for label in frame))
    values = np.full((len(track), len(labels), 4), np.nan)
    for number, frame in enumerate(track):
        if tuple(frame) == labels:
            values[number] = list(frame.values())
        else:
            for label, row in frame.items():
                values[number, labels.index(label)] = row
    return make(path, labels, values, rate=rate, person=person, notes=notes)
