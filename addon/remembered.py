"""Registrations and motion graphs of this session, by the content of the clips and the options they were made with.

A weight that changes needs no new one, nor does another path: so the redo panel and the live slider answer at once.
"""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from ..core.graph.graph import Graph
from ..core.graph.graph import build as built
from ..core.motion.clip import Clip
from ..core.options import Declared, declared
from ..core.progress import Progress
from ..core.recipes import Graphing
from ..core.sync.matching import Matching
from ..core.sync.registered import Registration
from ..core.weave.matched import Matched, match

MOST, MOST_GRAPHS = 6, 2

T = TypeVar("T")

_known: "OrderedDict[str, Matched]" = OrderedDict()
_graphs: "OrderedDict[str, Graph]" = OrderedDict()


def matched(clips: Sequence[Clip], matching: Matching, progress: Progress) -> Matched:
    """Return clips matched under some options, from memory where the same was made before."""
    return _from(_known, MOST, key_of(clips, matching), lambda: match(clips, matching, progress))


def graph(clips: Sequence[Clip], graphing: Graphing, progress: Progress) -> Graph:
    """Return the motion graph of clips under some options, from memory where the same was built before."""
    key = key_of(clips, graphing, Graphing)
    return _from(_graphs, MOST_GRAPHS, key, lambda: built(clips, graphing, progress))


def _from(memory: "OrderedDict[str, T]", most: int, key: str, make: Callable[[], T]) -> T:
    """What a memory has under a key, made where it has nothing; of the rest what was asked for last is kept."""
    if key not in memory:
        memory[key] = make()
    memory.move_to_end(key)
    while len(memory) > most:
        memory.popitem(last=False)
    return memory[key]


def known(key: str) -> Matched | None:
    """Return what is remembered under a key."""
    return _known.get(key)


def holds(registration: Registration) -> bool:
    """Say whether a registration is remembered, so that the same clips and options would give it again."""
    return any(one.registration is registration for one in _known.values())


def forget() -> None:
    _known.clear()
    _graphs.clear()


def key_of(clips: Sequence[Clip], recipe: Declared, counts: type = Matching) -> str:
    """Return what tells clips and the options that count apart: every number of the clips and bodies does."""
    options = {name: getattr(recipe, name) for name in declared(counts)}
    digest = hashlib.blake2b(json.dumps(options, sort_keys=True).encode("utf-8"), digest_size=16)
    for clip in clips:
        skeleton = clip.skeleton
        told: list[Any] = [clip.name, clip.rate, clip.cyclic, skeleton.names, sorted(skeleton.roles.items())]
        told += [skeleton.parents.tolist(), skeleton.inheritance]
        told += [(name, channel.discrete) for name, channel in clip.channels.items()]
        digest.update(repr(told).encode("utf-8"))
        arrays = [clip.rotations, clip.translations, skeleton.offsets, skeleton.orients, skeleton.tips]
        arrays += [clip.scales] if clip.scales is not None else []
        arrays += [channel.values for channel in clip.channels.values()]
        for array in arrays:
            digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
