"""Stretches locked to gaps by clip and frames, independent of the other clips available."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ...errors import wrong_rows

_NEXT = ";"


class Lock(NamedTuple):
    """A stretch: clip, its first and last frame, whether mirrored, and the share of the gap that it fills."""

    clip: str
    first: float
    last: float
    mirrored: bool = False
    share: float = 1.0


def of_report(stretches: Sequence[Mapping[str, Any]]) -> tuple[Lock, ...]:
    """Return the stretches of a candidate, as a report on Fill lists them.

    Example:
        >>> from action_loom.core.verbs.fill import locks
        >>> locks.of_report([{"clip": "walk", "first": 3.0, "last": 40.0, "mirrored": True, "share": 1.0, "number": 2}])
        (Lock(clip='walk', first=3.0, last=40.0, mirrored=True, share=1.0),)
    """
    return tuple(Lock(*(one[name] for name in Lock._fields)) for one in stretches)


def as_text(locks: Mapping[int, Sequence[Lock]]) -> str:
    """Return locked stretches, by the keyed frame before their gap, as the text stored in the recipe.

    Example:
        >>> from action_loom.core.verbs.fill import locks
        >>> locks.as_text({12: [locks.Lock("my walk", 3, 40.5)]})
        "12 'my walk' 3 40.5 0 1"
    """
    rows = []
    for key, stretches in sorted(locks.items()):
        parts = [
            f"{shlex.quote(one.clip)} {one.first:g} {one.last:g} {one.mirrored:d} {one.share:g}" for one in stretches
        ]
        rows.append(" ".join([str(key), *parts]))
    return f" {_NEXT} ".join(rows)


def read(text: str) -> dict[int, tuple[Lock, ...]]:
    """Return the locked stretches of a text written by `as_text`; raises OptionError for other texts.

    Example:
        >>> from action_loom.core.verbs.fill import locks
        >>> locks.read("12 'my walk' 3 40.5 0 1")
        {12: (Lock(clip='my walk', first=3.0, last=40.5, mirrored=False, share=1.0),)}
    """
    found, row = dict[int, tuple[Lock, ...]](), list[str]()
    try:
        for word in [*shlex.split(text), _NEXT]:
            if word != _NEXT:
                row.append(word)
            elif row:
                found[int(row[0])] = _stretches(row[1:])
                row = []
    except ValueError:
        raise wrong_rows("locked", "keyed_frame", *Lock._fields) from None
    return found


def _stretches(words: Sequence[str]) -> tuple[Lock, ...]:
    size = len(Lock._fields)
    if not words or len(words) % size:
        raise ValueError
    rows = [words[at : at + size] for at in range(0, len(words), size)]
    return tuple(Lock(clip, float(a), float(b), bool(int(image)), float(share)) for clip, a, b, image, share in rows)
