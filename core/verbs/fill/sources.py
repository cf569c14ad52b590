"""Preprocessed clips that gaps are filled from, cached while the keyed poses are edited."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ...bodies import alike, rest_check
from ...bodies.carried import Carried
from ...cache import Cache
from ...inbetween import fill as between
from ...inbetween.fill import Library
from ...motion import trim
from ...motion.clip import Clip
from ...motion.trim import Trimmed
from ...progress import SILENT, Progress
from ...quality import quality
from ...recipes.fill import FillOptions
from ...recipes.travel import TravelOptions
from ...weave import add_root_motion
from ...weave.seam import close
from .result import FillResult

SHORTEST = 2.0  # s; cycles are repeated for gaps of at least this length


@dataclass(frozen=True, eq=False)
class OnBody:
    """Source clips on the body of the keyed poses.

    carried : reports of clips with another rest pose; notes : clips that were closed or given root motion
    """

    library: Library
    carried: list[Carried]
    notes: list[str]


@dataclass(frozen=True, eq=False)
class Sources:
    """Clips that gaps are filled from, as given and trimmed.

    images : whether mirror images are used, too; like : the leader's result, with whose stretches gaps are filled
    """

    clips: list[Clip]
    given: list[Trimmed]
    images: bool = True
    like: FillResult | None = None
    known: Cache[tuple[Any, ...], OnBody] = field(default_factory=lambda: Cache(2))

    @cached_property
    def quality(self) -> list[dict[str, Any]]:
        """The measures of each clip."""
        return [quality.measure(clip) for clip in self.clips]

    def on_body_of(self, clip: Clip, seconds: float, *, goes: bool = False) -> OnBody:
        """Return the clips on the body of another clip, for gaps of up to `seconds`.

        goes : whether that clip travels; if so, in-place clips get root motion estimated from their feet
        Raises SkeletonError for clips that can't be retargeted to it.
        """
        body, rest = clip.skeleton, rest_check.choose(clip)
        # powers of two keep few libraries as keys move
        seconds = max(SHORTEST, 2.0 ** float(np.ceil(np.log2(seconds))))
        arrays = body.parents, body.offsets, body.orients, body.tips, rest.points
        key = (
            seconds,
            goes,
            rest.name,
            tuple(body.names),
            repr(sorted(body.roles.items())),
            *(a.tobytes() for a in arrays),
        )
        return self.known.made(key, lambda: self._on(clip, seconds, goes))

    def _on(self, clip: Clip, seconds: float, goes: bool) -> OnBody:
        brought = [alike.like(one.clip, clip) for one in self.given]
        carried, closed = [one for _, one in brought if one is not None], [close.cycle_of(one) for one, _ in brought]
        clips, notes = [one for one, _ in closed], [sentence for _, some in closed for sentence in some]
        if goes:
            clips, given = add_root_motion.travelling(clips, TravelOptions(), needed=True)
            notes += given
        return OnBody(between.library(clips, seconds, images=self.images), carried, notes)


def gather(
    clips: Sequence[Clip], options: FillOptions, progress: Progress = SILENT, known: Sources | None = None
) -> Sources:
    """Return clips to fill from.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.recipes.fill import FillOptions
        >>> from action_loom.core.verbs.fill import sources
        >>> of = sources.gather([actions.walk(), actions.sneak()], FillOptions())
        >>> len(of.on_body_of(actions.wave(), 1.0).library.clips)
        2
    """
    if known is not None:
        return known
    progress.at(0.0, "Preparing the clips")
    return Sources(list(clips), [trim.if_wanted(one, options.trim) for one in clips], options.mirror)
