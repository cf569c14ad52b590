"""Keep registrations, motion graphs and styles of this session, keyed by clip content and the options that matter.

A changed weight or path needs no new one, so the redo panel and the live slider answer at once.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ....core import verbs
from ....core.cache import Cache
from ....core.motion.clip import Clip
from ....core.options import Declared, declared_options
from ....core.progress import Progress
from ....core.recipes.ask import AskOptions
from ....core.recipes.base import Recipe
from ....core.recipes.drive import DriveOptions
from ....core.recipes.fill import FillOptions
from ....core.recipes.graph import GraphOptions, VariationOptions
from ....core.recipes.matching import Matching
from ....core.recipes.style import StyleOptions
from ....core.sync.registration_curve import Registration
from ....core.verbs import TakeOptions
from ....core.weave.preprocess import RegisteredClips
from ...bridge import fingerprint
from ...ground import memory

# Cache sizes by the options that the entries depend on; few graphs, because they are large.
_REGISTERED, _GRAPHS, _STYLES = (memory.cache(most, large=True) for most in (6, 2, 4))
_TAKES, _DRIVEN, _FILLED, _VARIED, _READ = (memory.cache(2, large=True) for _ in range(5))
_HASHES: WeakKeyDictionary[Clip, bytes] = WeakKeyDictionary()
_ACTIONS = memory.cache(64, large=True)  # read actions, see `read_before`
_CACHES: dict[type[Declared], Cache[str, Any]] = {
    Matching: _REGISTERED,
    GraphOptions: _GRAPHS,
    StyleOptions: _STYLES,
    AskOptions: _STYLES,
    TakeOptions: _TAKES,
    DriveOptions: _DRIVEN,
    FillOptions: _FILLED,
    VariationOptions: _VARIED,
}


def same(clips: Sequence[Clip]) -> Sequence[Clip]:
    """Return the cached clips with the same content, if there are any.

    Data derived from the cached clips (points, leg movement) is not computed again.
    """
    return _make_once(_READ, hash_of(clips, ""), lambda: clips)


def read_prepared(recipe: Recipe, clips: Sequence[Clip], progress: Progress) -> Any:
    """Return the result of `verbs.prepare`, from the cache if it was computed before."""
    depends = verbs.VERBS[recipe.verb].depends
    if depends is None:
        return None
    key = key_of(recipe.prepared_of(clips), recipe, depends)
    return _make_once(_CACHES[depends], key, lambda: verbs.prepare(recipe, clips, progress))


def of_action(key: str, read: Callable[[], Any]) -> Any:
    """Return the result of reading an action, from the cache if its content was read before."""
    return _make_once(_ACTIONS, key, read)


def _make_once(cache: Cache[str, Any], key: str, make: Callable[[], Any]) -> Any:
    """Return the value of a key; a new value may remove old ones to limit the memory."""
    return cache.made(key, make) if key in cache else memory.keep(cache, key, make())


def keep(recipe: Recipe, clips: Sequence[Clip], made: Any) -> None:
    """Cache a preparation for a recipe and clips, so that `read_prepared` returns it."""
    depends = verbs.VERBS[recipe.verb].depends
    if depends is not None:
        memory.keep(_CACHES[depends], key_of(recipe.prepared_of(clips), recipe, depends), made)


def is_known(recipe: Recipe, clips: Sequence[Clip]) -> bool:
    """Return whether `read_prepared` would answer from the cache, or nothing needs preparing."""
    depends = verbs.VERBS[recipe.verb].depends
    return depends is None or _CACHES[depends].get(key_of(recipe.prepared_of(clips), recipe, depends)) is not None


def holds(registration: Registration) -> bool:
    """Return whether a registration is cached, so that the same clips and options return it again."""
    return any(isinstance(clips, RegisteredClips) and clips.registration is registration for clips in _REGISTERED)


def key_of(clips: Sequence[Clip], recipe: Declared, depends: type[Declared]) -> str:
    """Return a hash of clips and the options that matter."""
    options = {name: getattr(recipe, name) for name in declared_options(depends)}
    return hash_of(clips, json.dumps(options, sort_keys=True))


def hash_of(clips: Sequence[Clip], more: str) -> str:
    """Return a hash of a text, and of every number of clips and their skeletons."""
    digest = hashlib.blake2b(more.encode("utf-8"), digest_size=16)
    for clip in clips:
        if clip not in _HASHES:  # a clip never changes
            _HASHES[clip] = _hash_of_one(clip)
        digest.update(_HASHES[clip])
    return digest.hexdigest()


def _hash_of_one(clip: Clip) -> bytes:
    plain: list[Any] = [clip.name, clip.rate, clip.cyclic, clip.rotations.shape, clip.scales is not None]
    plain += clip.free_hands
    plain += [(name, channel.discrete) for name, channel in clip.channels.items()]
    digest = hashlib.blake2b(repr(plain).encode("utf-8"), digest_size=16)
    fingerprint.add_skeleton(digest, clip.skeleton)
    arrays = [clip.rotations, clip.translations] + ([clip.scales] if clip.scales is not None else [])
    for array in [*arrays, *(channel.values for channel in clip.channels.values())]:
        digest.update(np.ascontiguousarray(array).data)
    return digest.digest()
