"""Fill the gaps of a partner between its keyed poses, at the frames of the leader's keys (methods: Partners)."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...contacts import couple
from ...contacts.wanted import LIVES, Played
from ...inbetween import filling
from ...inbetween.rows import RATE
from ...motion.clip import Clip
from ...quality import quality
from .. import apply, partner
from ..source_frames import Shown
from . import Fill, sources
from .result import FillResult


def fill_partner(
    recipe: Fill, clips: Sequence[Clip], partners: Sequence[Clip], made: FillResult, shown: Sequence[Shown], adapts: str
) -> FillResult:
    """Return a filled clip and that of its partner, whose gaps are filled with the same stretches.

    Keyed poses are kept. Arguments as `partner.weave_partner`.
    """
    partner.check_partners(recipe, clips, partners, shown)
    prepared = replace(sources.gather(partners[1:], recipe), like=made)
    theirs = apply(recipe, partners, prepared=prepared)
    played, free, rows = list[Played](), np.zeros(len(made.clip), dtype=bool), made.library.rows
    for gap, row in zip(made.done.gaps, made.report["fill"]["gaps"], strict=True):
        if gap.filled is None or gap.gain <= LIVES:
            continue
        one, some = gap.found[gap.chosen], row["candidates"][gap.chosen]["stretches"]
        parts = filling.list_frames(rows, one, gap.last - gap.first + 1, made.clip.rate, gap.filled.leads)
        for piece, told, (first, frames, weights) in zip(one.pieces, some, parts, strict=True):
            clip = clips[told["number"] - 1]
            given = told["first"] + (frames - rows.frames[piece.start]) * clip.rate / RATE
            last = len(clip) - 1.0
            given = np.where(given > last, given % last, given)  # a cycle repeats
            played.append(Played(clip, gap.first + first, given, weights))
        free[gap.first + 1 : gap.last] = True
    of = dict(zip(clips, partners, strict=True))
    (clip, woven), kept = couple.keep_contacts(
        (made.clip, theirs.clip), played, couple.find_sources(played, of), adapts, ~free
    )
    measured = {**theirs.report["quality"], "after": quality.measure(woven)}
    theirs = replace(theirs, clip=woven, report=theirs.report | {"quality": measured})
    sentences = [one for pair in of.items() for one in couple.describe_left_out(*pair)]
    return partner.join_results(made, clip, theirs, kept, [*sentences, *kept.describe(clip.name)])
