"""Read the panel's library, and search it for stretches similar to one of an action."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ....core.errors import Cancelled, LibraryError, LoomError
from ....core.library import asking, basis, feature, search, storage, stretches, text
from ....core.library.basis import Rows
from ....core.library.search import Found, Searched
from ....core.library.storage import Entry, Library
from ....core.motion import root_motion
from ....core.motion.clip import Clip
from ....core.progress import Progress
from ....core.verbs.take import cutting, words
from ....core.verbs.take.words import Hit
from ...bridge.clip import ReadAction
from ...ground import memory, troubles
from . import libraries
from .libraries import TROUBLES, Known

# Descriptions of files in a few words, by path, size and time of change.
_TOLD = memory.cache(4096)


@dataclass(frozen=True, eq=False)
class Query:
    """A stretch of a clip to search for in a library.

    first, last : its frames in the clip
    frame : scene frame of its start
    """

    clip: Clip
    first: float
    last: float
    frame: float
    library: str
    known: Known | None


@dataclass(frozen=True)
class Wanted:
    """Search settings: the compared part of the body, words in the clips' names, and the number of results.

    mirror : whether mirrored stretches count as well
    """

    part: str = "whole"
    mirror: bool = False
    words: str = ""
    most: int = 12


def query(read: ReadAction, first: float, last: float, library: str) -> Query:
    """Return the query for an action from scene frame first to last. Raises LibraryError."""
    clip, frames = read.clip, read.frames
    first, last = max(first, float(frames[0])), min(last, float(frames[-1]))
    if last < first:
        here = f"{frames[0]:g} to {frames[-1]:g}"
        raise LibraryError(f"{clip.name} has frames {here}, and none of them is in the preview range: set another")
    begin, end = (float(np.interp(frame, frames, np.arange(len(frames)))) for frame in (first, last))
    seconds = (end - begin) / clip.rate
    if seconds > search.LONGEST - 0.1:
        raise LibraryError(
            f"{clip.name}: it takes {seconds:.0f} s; set the preview range to at most {search.LONGEST:g} s of it"
        )
    return Query(clip, begin, end, first, library, libraries.find_known(library))


def stands(query: Query) -> tuple[tuple[float, float], float]:
    """Return the ground position of a stretch's start, in metres, and its heading there, in radians."""
    ground, raw = root_motion.ground_frames(query.clip)
    frame = round(query.first)
    facing = root_motion.smooth(raw, root_motion.HEADING_SIGMA * query.clip.rate)[frame]
    return (float(ground[frame, 0]), float(ground[frame, 1])), float(facing)


def look(path: str) -> None:
    """Read a library and store it; the panel shows errors."""
    troubles.clear(TROUBLES[0])
    try:
        if path:
            libraries.keep(read(path))
    except LoomError as error:
        troubles.keep(*TROUBLES, error, 1.0)


def read(path: str, before: Known | None = None) -> Known:
    """Return the current state of a library, which is `before` if the file has not changed. Raises LibraryError."""
    stamp = _stamp(path)
    if before is not None and (before.path, before.stamp) == (path, stamp):
        return before
    library = storage.read(path)
    return Known(path, stamp, Searched(library, library.clips), _summary(library))


def _summary(library: Library) -> str:
    count, others = len(library.clips), len(library.entries) - len(library.clips)
    minutes = sum(entry.frames / entry.rate for entry in library.clips) / 60.0
    words = f"{count:,} clip{'s' * (count != 1)}, {minutes:,.1f} minutes"
    return f"{words}; {others:,} can't be read" if others else words


def _stamp(path: str) -> tuple[int, int]:
    try:
        stat = os.stat(Path(path) / storage.TABLE)
    except OSError:
        if not os.path.exists(path):
            raise LibraryError(f"There is no library {path} yet: make it with Add Folder, or choose another") from None
        raise LibraryError(f"{path} is no library of clips: choose one, or none") from None
    return stat.st_mtime_ns, stat.st_size


def find_stretches(query: Query, wanted: Wanted, progress: Progress) -> tuple[Known, list[Found]]:
    """Return the current library of a query and its most similar stretches.

    If a stretch also matches mirrored, only the better match counts. Raises LibraryError.
    """
    there = read(query.library, query.known)
    asked = asking.rows(query.clip, query.first, query.last)
    others = text.matching_words(wanted.words) if wanted.words.strip() else None
    return there, search.like(
        there.searched,
        asked,
        mirror=wanted.mirror,
        part=wanted.part,
        most=wanted.most,
        others=others,
        progress=progress,
    )


class ByWords(NamedTuple):
    """A stretch of a library's clip that matches words."""

    entry: Entry
    hit: Hit


def by_words(library: str, doing: str, most: int, progress: Progress) -> tuple[Known, list[ByWords], list[str]]:
    """Return the current library, the stretches that match all words, longest first, and unreadable files.

    Each file is read and cut once in a session. Raises LibraryError.
    """
    asked, there = words.parse_query(doing), read(library, libraries.find_known(library))
    found, troubles = [], []
    clips = [
        entry
        for entry in storage.in_order(there.searched.library.clips)
        if words.match_name(asked, text.text_of(entry))
    ]
    for k, entry in enumerate(clips):
        progress.at(k / len(clips), "Looking")
        try:
            found += [ByWords(entry, hit) for hit in words.fitting(asked, _describe_entry(entry))]
        except Cancelled:
            raise
        except LoomError as error:
            troubles.append(str(error))
    found.sort(key=lambda one: ((one.hit.first - one.hit.last) / one.entry.rate, one.entry.path, one.hit.first))
    return there, found[:most], troubles


def _describe_entry(entry: Entry) -> list[words.Told]:
    key = entry.path, entry.size, entry.modified
    return _TOLD.made(key, lambda: words.all_told(cutting.cut(stretches.read(entry).clip)))


def poses_of(there: Known, one: ByWords, count: int) -> Rows:
    """Return joint positions (count, joints, 3) in frames spread over a stretch found by words."""
    rows = there.searched.library.rows_of(one.entry)
    scale = feature.RATE / one.entry.rate
    first, last = (min(round(frame * scale), len(rows) - 1) for frame in (one.hit.first, one.hit.last))
    at = [first + round(k * (last - first) / max(count - 1, 1)) for k in range(count)]
    return feature.places(basis.expand_rows(rows[at]))


def poses(there: Known, one: Found, count: int) -> Rows:
    """Return joint positions (count, joints, 3) in frames spread over a stretch, from the library's stored features."""
    rows = there.searched.library.rows_of(one.entry)[one.first : one.last + 1]
    at = [round(k * (len(rows) - 1) / max(count - 1, 1)) for k in range(count)]
    numbers = basis.expand_rows(rows[at])
    return feature.places(feature.mirror_rows(numbers) if one.mirrored else numbers)
