"""Clips of a library, searched in addition to the given clips (methods: Drive)."""

import os
from collections.abc import Sequence
from pathlib import Path

from ...bodies import alike
from ...errors import LibraryError, LoomError, some
from ...library import storage, stretches
from ...motion import joint_matching
from ...motion.clip import Clip
from ...progress import SILENT, Progress

MOST = 900.0  # s of motion at most: about 100,000 rows with mirror images


def stamp(path: str) -> tuple[str, int, int] | None:
    """Return a key that changes when the library changes, None without a library; raises LibraryError if it is missing.

    Example:
        >>> from action_loom.core.verbs.drive import library
        >>> library.stamp("") is None
        True
    """
    if not path:
        return None
    try:
        table = os.stat(Path(path) / storage.TABLE)
    except OSError:
        raise LibraryError(f"{path} is no library of clips: choose one, or none") from None
    return path, table.st_mtime_ns, table.st_size


def clips_of(path: str, like: Clip, given: Sequence[str] = (), progress: Progress = SILENT) -> tuple[list[Clip], str]:
    """Return the clips of a library retargeted to the body of a clip, and a sentence on omitted clips or "".

    given : names of clips that are already present. Raises LibraryError if the folder is not a library or holds more
        than 15 minutes, and the first clip's error if no clip fits the body.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from action_loom.core.verbs.drive import library
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.formats import bvh
        >>> from action_loom.core.library import index
        >>> with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        ...     size = Path(folder, "run.bvh").write_bytes(bvh.compose(actions.run()))
        ...     changes = index.update(str(Path(folder, "all.loomlib")), [folder])
        ...     found, left = library.clips_of(str(Path(folder, "all.loomlib")), actions.walk())
        >>> [clip.name for clip in found], left
        (['run'], '')
    """
    entries = [one for one in storage.in_order(storage.read(path).clips) if one.name not in given]
    seconds = sum(one.frames / one.rate for one in entries)
    if seconds > MOST:
        raise LibraryError(
            f"{path} holds {seconds / 60.0:.0f} minutes, but 15 can be driven with: make a library of fewer folders"
        )
    found, left = list[Clip](), dict[str, LoomError]()
    for k, entry in enumerate(entries):
        progress.at(k / len(entries), f"reading {entry.name}")
        try:
            clip = stretches.read(entry).clip
            found.append(alike.like(joint_matching.rename_joints(clip, like.skeleton), like)[0])
        except LoomError as error:
            left[entry.name] = error
    if left and not found:
        raise next(iter(left.values()))
    return found, f"{path}: left out {some(sorted(left))}: {next(iter(left.values()))}" if left else ""
