"""Read found stretches as clips, cut and mirrored if needed (methods: Libraries of clips)."""

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
    """Return the motion file of an entry; raises LibraryError if it was moved or changed since it was indexed.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.formats import bvh
        >>> from action_loom.core.library import index, storage, stretches
        >>> with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        ...     size = Path(folder, "wave.bvh").write_bytes(bvh.compose(actions.wave()))
        ...     changes = index.update(str(Path(folder, "all.loomlib")), [folder])
        ...     entry = storage.read(Path(folder, "all.loomlib")).clips[0]
        ...     len(stretches.read(entry).clip) == entry.frames
        True
    """
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
    """Return frames first … last of a clip, or their mirror image, named after the clip and these frames.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.library import stretches
        >>> part = stretches.cut(actions.walk(), 10, 40, mirrored=False)
        >>> part.name, len(part)
        ('walk 10-40', 31)
    """
    part = replace(clip.cut(first, last + 1), name=f"{clip.name} {first}-{last}")
    return mirror.mirror_clip(part) if mirrored else part


def join_stretches(stretches: Sequence[Found], margin: float) -> list[Found]:
    """Return stretches extended by `margin` seconds on both sides, with overlapping ones of a clip merged.

    Example:
        >>> from action_loom.core.library import stretches
        >>> from action_loom.core.library.search import Found
        >>> from action_loom.core.library.storage import Entry
        >>> entry = Entry("walk.bvh", rate=30.0, frames=300, rows=300)
        >>> found = [Found(entry, 40, 60, 0.02), Found(entry, 70, 90, 0.03)]
        >>> [(one.first, one.last, one.distance) for one in stretches.join_stretches(found, margin=0.5)]
        [(25, 105, 0.02)]
    """
    rows = round(margin * feature.RATE)
    merged: list[Found] = []
    for found in sorted(stretches, key=lambda found: (found.entry.path, found.mirrored, found.first)):
        wider = replace(found, first=max(found.first - rows, 0), last=min(found.last + rows, found.entry.rows - 1))
        before = merged[-1] if merged else None
        if before and (before.entry, before.mirrored) == (wider.entry, wider.mirrored) and wider.first <= before.last:
            last, nearest = max(before.last, wider.last), min(before.distance, wider.distance)
            merged[-1] = replace(before, last=last, distance=nearest)
        else:
            merged.append(wider)
    return merged


def clips(stretches: Sequence[Found]) -> list[Clip]:
    """Return stretches as clips, reading each file once; raises LibraryError and MotionFileError.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.formats import bvh
        >>> from action_loom.core.library import index, storage, stretches
        >>> from action_loom.core.library.search import Found
        >>> with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        ...     size = Path(folder, "wave.bvh").write_bytes(bvh.compose(actions.wave()))
        ...     changes = index.update(str(Path(folder, "all.loomlib")), [folder])
        ...     entry = storage.read(Path(folder, "all.loomlib")).clips[0]
        ...     [clip.name for clip in stretches.clips([Found(entry, 20, 79, 0.0)])]
        ['wave 20-79']
    """
    files: dict[str, MotionFile] = {}
    for found in stretches:
        if found.entry.path not in files:
            files[found.entry.path] = read(found.entry)
    return [cut(files[found.entry.path].clip, *found.frames, mirrored=found.mirrored) for found in stretches]
