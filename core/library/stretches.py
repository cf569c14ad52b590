"""What was found as clips: read from files, cut out, and in a mirror where it was found in one.

Method: Libraries of clips.
"""

from collections.abc import Sequence
from dataclasses import replace

from ..errors import LibraryError
from ..formats import motion_file
from ..formats.motion_file import MotionFile
from ..motion import mirror
from ..motion.clip import Clip
from . import feature, index
from .search import Found
from .storage import Entry


def read(entry: Entry) -> MotionFile:
    """Read the file of a clip; raises LibraryError where it has been moved or changed since it was indexed."""
    stamp = index.stamp(entry.path)
    if stamp == index.GONE:
        raise LibraryError(
            f"{entry.path} is not there any more: run library index on the folder where it was, and where it is now"
        )
    file = motion_file.read(entry.path)
    if stamp != (entry.size, entry.modified) and (len(file.clip), file.clip.rate) != (entry.frames, entry.rate):
        raise LibraryError(f"{entry.path} has changed since it was indexed: run library index on its folder again")
    return file


def cut(clip: Clip, first: int, last: int, *, mirrored: bool) -> Clip:
    """Return frames first … last of a clip, or their image in a mirror, named after it and them."""
    part = replace(clip.cut(first, last + 1), name=f"{clip.name} {first}-{last}")
    return mirror.mirrored(part) if mirrored else part


def joined(stretches: Sequence[Found], margin: float) -> list[Found]:
    """Return stretches with so many seconds before and after, those of a clip that then overlap as one."""
    rows = round(margin * feature.RATE)
    merged: list[Found] = []
    for one in sorted(stretches, key=lambda found: (found.entry.path, found.mirrored, found.first)):
        wider = replace(one, first=max(one.first - rows, 0), last=min(one.last + rows, one.entry.rows - 1))
        before = merged[-1] if merged else None
        if before and (before.entry, before.mirrored) == (wider.entry, wider.mirrored) and wider.first <= before.last:
            last, nearest = max(before.last, wider.last), min(before.distance, wider.distance)
            merged[-1] = replace(before, last=last, distance=nearest)
        else:
            merged.append(wider)
    return merged


def clips(stretches: Sequence[Found]) -> list[Clip]:
    """Return stretches as clips, each file being read once; raises LibraryError and MotionFileError."""
    files: dict[str, MotionFile] = {}
    for found in stretches:
        if found.entry.path not in files:
            files[found.entry.path] = read(found.entry)
    return [cut(files[found.entry.path].clip, *found.frames, mirrored=found.mirrored) for found in stretches]
