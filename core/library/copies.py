"""Find files of the same take: copies, and conversions to other skeletons (methods: Libraries of clips)."""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from .storage import Entry, Library

SHIFTED = 2  # rows by which start and length may differ
EQUAL = 0.004  # mean distance of copies; different takes of one person's walk have 0.011
ALIKE = 0.08  # mean distance of conversions, for files whose names refer to one take
_WORD = re.compile(r"[^\W\d_]+|\d+")


def same_take(library: Library, one: Entry, other: Entry) -> bool:
    """Return whether two files hold the same take: similar rows at the same times, from beginning to end.

    Conversions to other skeletons differ more than two takes do, so their names must also refer to one take: by equal
    numbers, or, without numbers, by equal words.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.formats import bvh
        >>> from action_loom.core.library import copies, index, storage
        >>> with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        ...     for name, clip in (("walk", actions.walk()), ("again", actions.walk()), ("wave", actions.wave())):
        ...         size = Path(folder, f"{name}.bvh").write_bytes(bvh.compose(clip))
        ...     changes = index.update(str(Path(folder, "all.loomlib")), [folder])
        ...     library = storage.read(Path(folder, "all.loomlib"))
        ...     again, walk, wave = library.clips
        ...     copies.same_take(library, walk, again), copies.same_take(library, walk, wave)
        (True, False)
    """
    if abs(one.rows - other.rows) > SHIFTED or min(one.rows, other.rows) <= 2 * SHIFTED:
        return False
    limit = ALIKE if _take(one) == _take(other) else EQUAL
    rows, others = library.rows_of(one), library.rows_of(other)
    for shift in range(-SHIFTED, SHIFTED + 1):
        ours, theirs = rows[max(shift, 0) :], others[max(-shift, 0) :]
        count = min(len(ours), len(theirs))
        if float(np.linalg.norm(ours[:count] - theirs[:count], axis=1).mean()) <= limit:
            return True
    return False


def of(library: Library, entry: Entry, entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Return the entries of the same take as a given one, without itself.

    Example:
        >>> from action_loom.core.library import copies
        >>> from action_loom.core.library.storage import Entry
        >>> copies.of(None, Entry("walk.bvh", rows=300), [Entry("run.bvh", rows=90)])
        ()
    """
    return tuple(other for other in entries if other != entry and same_take(library, entry, other))


def drop_copies(library: Library, entries: Sequence[Entry]) -> list[Entry]:
    """Return entries without duplicates of the same take, keeping the first.

    Example:
        >>> from action_loom.core.library import copies
        >>> copies.drop_copies(None, [])
        []
    """
    kept: dict[int, list[Entry]] = {}  # by number of rows
    for entry in entries:
        near = (other for rows in range(entry.rows - SHIFTED, entry.rows + SHIFTED + 1) for other in kept.get(rows, ()))
        if not any(same_take(library, other, entry) for other in near):
            kept.setdefault(entry.rows, []).append(entry)
    chosen = {entry.path for some in kept.values() for entry in some}
    return [entry for entry in entries if entry.path in chosen]


def _take(entry: Entry) -> tuple[str, ...]:
    """Return the part of a file name that identifies the take: its numbers, or all words without numbers."""
    words = _WORD.findall(Path(entry.path).stem.lower())
    numbers = tuple(word for word in words if word.isdigit())
    return numbers or tuple(sorted(words))
