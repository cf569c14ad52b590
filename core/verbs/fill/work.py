"""Fill the gaps between keyed poses of a clip, with a report (methods: Fill)."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from ...errors import OptionError, given_twice, no_frame, wrong_rows
from ...inbetween import completing, timing, trust
from ...inbetween import fill as between
from ...inbetween.candidates import Candidate, Piece
from ...inbetween.fill import Done, GapFilled, Library, Wish
from ...inbetween.rows import LOWER, RATE, Longs, of_poses
from ...motion import root_motion
from ...motion.clip import Clip
from ...motion.quat import Array
from ...progress import SILENT, Progress
from ...quality import quality
from ...weave import add_root_motion, reporting
from . import Fill, locks
from .locks import Lock
from .result import FillResult
from .sources import Sources, gather

NAMED = 6  # largest number of gaps named in one sentence
REACHED = 0.001  # m by which a hand or foot may miss its keyed position
STANDS = 0.02  # body heights; a body that travels less between keys stands still
LITTLE = 0.05  # share of the model in a gap; smaller ones are not reported
STEPS = 0.12  # body heights; feet that move farther relative to the body have stepped


def fill(
    clips: Sequence[Clip], recipe: Fill, progress: Progress = SILENT, prepared: Sources | None = None
) -> FillResult:
    """Return the first clip with the frames between its keyed poses filled with stretches of the other clips.

    Raises ClipError without other clips, OptionError for keys that are outside the clip, fewer than two, or too far
    apart, and SkeletonError for clips that can't be retargeted to the body of the first.

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> recipe = verbs.Fill(key_frames=((0, 20),))
        >>> result = verbs.apply(recipe, [actions.walk(), actions.walk(), actions.sneak()])
        >>> recipe.figures(result.report)
        ['  0 to 20: walk, 1.00 ×, as alike as 100 %']
    """
    began = time.perf_counter()
    clip = clips[0]
    keys = list_keyed_frames(clip, recipe)
    sources = prepared or gather(clips[1:], recipe, progress)
    on_body = sources.on_body_of(clip, between.longest_gap(clip, keys), goes=_goes(clip, keys))
    library, carried, given = on_body.library, on_body.carried, sources.given
    progress.at(0.5, "Filling")
    short = np.zeros(len(keys))
    if recipe.complete_poses:
        clip, short = completing.complete_keys(clip, keys, library.clips, images=sources.images)
    wishes, lost = (
        _wishes_like(clip, sources.like, sources, library)
        if sources.like is not None
        else _wishes(clip, keys, recipe, sources, library)
    )
    done = between.fill(clip, keys, library, wishes, plant=recipe.plant_feet, keep=True)
    result = replace(done.clip, name=recipe.result_name([clip.name]), cyclic=False)
    progress.at(0.8, "Measuring")
    report: dict[str, Any] = {
        "dropped": reporting.left_out(given),
        "carried": [one.as_report() for one in carried],
        "fill": {
            "keys": keys.tolist(),
            "gaps": [_row(gap, clip, sources, library) for gap in done.gaps],
            "kept": [list(span) for span in done.kept],
            "timing": _timing(clip, keys, library, done, wishes) if recipe.suggest_timing else None,
        },
        "plant": None if done.planted is None else done.planted.report,
        "not_planted": done.not_planted,
        "quality": {"before": sources.quality, "after": quality.measure(result)},
        "warnings": [sentence for one in carried for sentence in one.sentences]
        + [*_warnings(clip, keys, done, short), *lost],
    }
    report |= reporting.common(recipe.verb, clips, result, began, [*_unlike(clip, done), *on_body.notes])
    return FillResult(result, report, 0, clips[0], tuple(keys.tolist()), done, library)


def _timing(clip: Clip, keys: Longs, library: Library, done: Done, wishes: Mapping[int, Wish]) -> list[int]:
    """Return the frames to which keys would move for natural speed; locked stretches keep their gap."""
    filled = [(k, gap) for k, gap in enumerate(done.gaps) if gap.chosen >= 0]
    locked = {k: gap.found[gap.chosen] for k, gap in filled if wishes[k].candidate is not None}
    return timing.suggest_frames(clip, keys, library, locked)


def list_keyed_frames(clip: Clip, recipe: Fill) -> Longs:
    """Return the keyed frames (K,) of a recipe, sorted; raises OptionError for invalid ones.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.verbs import Fill
        >>> from action_loom.core.verbs.fill import work
        >>> work.list_keyed_frames(actions.walk(), Fill(key_frames=((12, 0),))).tolist()
        [0, 12]
    """
    frames = [frame for row in recipe.key_frames for frame in row]
    wrong = next((frame for frame in frames if frame != int(frame) or not 0 <= frame < len(clip)), None)
    if wrong is not None:
        raise no_frame(clip.name, wrong, 0, len(clip) - 1)
    twice = next((frame for frame in frames if frames.count(frame) > 1), None)
    if twice is not None:
        raise given_twice("key_frames", f"frame {twice:g}")
    if len(frames) < 2:
        raise OptionError(
            f"{clip.name}: key two poses or more, 6 frames apart or farther (key_frames): it has {len(frames)}"
        )
    keys = np.array(sorted(map(int, frames)))
    check_gaps(clip.name, keys, clip.rate)
    return keys


def check_gaps(name: str, keys: Longs, rate: float) -> None:
    """Raise OptionError if sorted keyed frames (K,) are too far apart at `rate` frames per second.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.verbs.fill import work
        >>> work.check_gaps("walk", np.array([0, 24]), 24.0)
    """
    longest = int(np.diff(keys).argmax())
    seconds = float(keys[longest + 1] - keys[longest]) / rate
    if seconds > between.LONGEST:
        raise OptionError(
            f"key_frames: from frame {keys[longest]} to {keys[longest + 1]} of {name} are {seconds:.0f} s;"
            f" {between.LONGEST:g} s can be filled: key a pose between"
        )


def _wishes(
    clip: Clip, keys: Longs, recipe: Fill, sources: Sources, library: Library
) -> tuple[dict[int, Wish], list[str]]:
    """Return the settings of each gap, and sentences on locked stretches that no longer exist.

    Raises OptionError for rows that match no gap.
    """
    firsts = [int(a) for a, b in pairwise(keys.tolist()) if b - a >= between.FEWEST_FRAMES]
    rows = {}
    for row in recipe.gaps:
        if len(row) != 3 or row[0] not in keys[:-1] or row[1] != int(row[1]) or row[2] > 1.0:
            raise wrong_rows("gaps", "keyed_frame", "stretch", "share")
        rows[int(row[0])] = row
    locked = locks.read(recipe.locked)
    wrong = next((key for key in locked if key not in keys[:-1]), None)
    if wrong is not None:
        raise OptionError(f"locked: {clip.name} has no gap after frame {wrong}: give a keyed frame with a gap after it")
    wishes, lost = dict[int, Wish](), list[str]()
    for number, first in enumerate(firsts):
        _, candidate, share = rows.get(first, (first, -1.0, -1.0))
        share = recipe.share if share < 0.0 else share
        set_to: int | tuple[Piece, ...] | None = int(candidate) if candidate >= 0 else None
        if first in locked:
            set_to, gone = _find_pieces(clip, first, locked[first], sources, library)
            lost += gone
        wishes[number] = Wish(set_to, share if share >= 0.0 else None)
    return wishes, lost


def _wishes_like(clip: Clip, like: FillResult, sources: Sources, library: Library) -> tuple[dict[int, Wish], list[str]]:
    """Return the stretches, shares and speeds of another figure's gaps, and sentences as `_wishes` does."""
    wishes, lost = dict[int, Wish](), list[str]()
    for number, (gap, row) in enumerate(zip(like.done.gaps, like.report["fill"]["gaps"], strict=True)):
        set_to = None
        if gap.filled is not None:
            some = row["candidates"][gap.chosen]["stretches"]
            numbers = [one["number"] - 2 for one in some]
            set_to, gone = _find_pieces(clip, gap.first, locks.of_report(some), sources, library, numbers)
            lost += gone
        wishes[number] = Wish(set_to, gap.gain, None if gap.filled is None else gap.filled.leads)
    return wishes, lost


def _find_pieces(
    clip: Clip, first: int, wanted: Sequence[Lock], sources: Sources, library: Library, numbers: Sequence[int] = ()
) -> tuple[tuple[Piece, ...] | None, list[str]]:
    """Return the rows of the stretches set for the gap after a frame, or None and a sentence if one no longer exists.

    numbers : of the stretches' clips, if their names are not sufficient
    """
    names = [source.name for source in sources.clips]
    among = [[k] for k in numbers] or [[k for k, name in enumerate(names) if name == one.clip] for one in wanted]
    pieces = [_piece(one, sources, library, some) for one, some in zip(wanted, among, strict=True)]
    for one, piece in zip(wanted, pieces, strict=True):
        if piece is None:
            return None, [
                f"{clip.name}: the stretch set for the gap after frame {first} of the result is gone:"
                f" {one.clip}, frames {one.first:g} to {one.last:g}; another was chosen"
            ]
    return tuple(one for one in pieces if one is not None), []


def _piece(lock: Lock, sources: Sources, library: Library, among: Sequence[int]) -> Piece | None:
    """Return the rows of a locked stretch, or None if none of the sources with the numbers `among` contains it."""
    rows = library.rows
    for number in among:
        clip, given = sources.clips[number], sources.given[number]
        own = (rows.clips == number) & (rows.mirrored == lock.mirrored)
        ends = [
            np.flatnonzero(own & (rows.frames == round((frame - given.first) * RATE / clip.rate)))
            for frame in (lock.first, lock.last)
        ]
        if all(map(len, ends)) and ends[0][0] < ends[1][0] and lock.share > 0.0:
            return Piece(int(ends[0][0]), int(ends[1][0]), lock.share)
    return None


def _row(gap: GapFilled, clip: Clip, sources: Sources, library: Library) -> dict[str, Any]:
    """Return the report row of one gap; source frames count in the clips as given."""
    found = [_stretches(one, sources, library) for one in gap.found]
    texts = [_text(some, one, gap, clip) for some, one in zip(found, gap.found, strict=True)]
    predicted = gap.predicted
    row: dict[str, Any] = {
        "predicted": None
        if predicted is None
        else {"part": round(predicted.part, 4), "explained": round(1.0 - predicted.error, 4)},
        "first": gap.first,
        "last": gap.last,
        "candidate": gap.chosen,
        "alike": round(gap.own_gain, 4),
        "share": round(gap.gain, 4),
        "candidates": [
            {"stretches": some, "cost": round(one.cost, 6), "text": text}
            for some, one, text in zip(found, gap.found, texts, strict=True)
        ],
    }
    if gap.chosen < 0:
        return row | {"text": "no clip is so long: interpolated"}
    text = describe_stretch(texts[gap.chosen], gap.own_gain, gap.gain)
    if predicted is None or predicted.part < LITTLE:
        return row | {"text": text}
    if gap.own_gain < trust.NOTHING_LIKE:
        return row | {"text": f"predicted from all clips, {100.0 * (1.0 - predicted.error):.0f} % explained"}
    return row | {"text": f"{text}; {100.0 * predicted.part:.0f} % predicted from all clips"}


def describe_stretch(what: str, alike: float, share: float) -> str:
    """Return a phrase that names the stretch in a gap and its similarity.

    Example:
        >>> from action_loom.core.verbs.fill import work
        >>> work.describe_stretch("walk_12, 1.08 ×", 0.94, 0.94)
        'walk_12, 1.08 ×, as alike as 94 %'
        >>> work.describe_stretch("walk_12, 1.08 ×", 0.001, 0.001)
        'nothing like it: interpolated (nearest: walk_12, 1.08 ×)'
    """
    if alike < trust.NOTHING_LIKE and share <= alike:
        return f"nothing like it: interpolated (nearest: {what})"
    of = "" if share == alike else f", share {100.0 * share:.0f} %"
    if alike < trust.LITTLE:
        return f"{what}, little like it ({max(100.0 * alike, 1.0):.0f} %){of}"
    roughly = "roughly " if alike < trust.ROUGHLY else ""
    return f"{what}, {roughly}as alike as {100.0 * alike:.0f} %{of}"


def _text(some: list[dict[str, Any]], one: Candidate, gap: GapFilled, clip: Clip) -> str:
    seconds = (gap.last - gap.first) / clip.rate
    parts = []
    for row, piece in zip(some, one.pieces, strict=True):
        pace = (piece.end - piece.start) / RATE / (piece.share * seconds)
        image = " mirrored" if row["mirrored"] else ""
        parts.append(f"{row['clip']}{image}, {pace:.2f} ×")
    return ", then ".join(parts)


def _stretches(one: Candidate, sources: Sources, library: Library) -> list[dict[str, Any]]:
    """Return the report rows of a candidate's stretches; frames of a repeated cycle continue after its last frame."""
    clips, given, rows, found = sources.clips, sources.given, library.rows, list[dict[str, Any]]()
    for piece in one.pieces:
        number = int(rows.clips[piece.start])
        first, last = (
            round(float(rows.frames[at]) * clips[number].rate / RATE + given[number].first, 2)
            for at in (piece.start, piece.end)
        )
        found.append(
            {
                "clip": clips[number].name,
                "number": number + 2,
                "first": first,
                "last": last,
                "mirrored": bool(rows.mirrored[piece.start]),
                "share": piece.share,
            }
        )
    return found


def _unlike(clip: Clip, done: Done) -> list[str]:
    """Return sentences on gaps without a similar stretch, and on gaps with only slightly similar ones."""
    found = [gap for gap in done.gaps if gap.predicted is None and gap.gain <= gap.own_gain < trust.LITTLE]
    unlike = [gap for gap in found if gap.own_gain < trust.NOTHING_LIKE]
    little = [gap for gap in found if gap.own_gain >= trust.NOTHING_LIKE]
    return [
        *_describe_models(clip, done),
        *([f"{clip.name}: nothing was found like {_name_gaps(unlike)}: they are interpolated"] if unlike else []),
        *([f"{clip.name}: little was found like {_name_gaps(little)}: they are mostly interpolated"] if little else []),
    ]


def _describe_models(clip: Clip, done: Done) -> list[str]:
    """Return a sentence on the model, and how much it explains of held-out clips; none without a model."""
    models = [gap.predicted.model for gap in done.gaps if gap.predicted is not None]
    if not models:
        return []
    explained = 100.0 * float(np.mean([model.explained for model in models]))
    count = max(model.windows for model in models)
    return [
        f"{clip.name}: {len(models)} of {len(done.gaps)} gaps are predicted from {count} stretches of the clips; in"
        f" clips left out, this explains {explained:.0f} % of the difference from interpolation"
    ]


def _name_gaps(gaps: Sequence[GapFilled]) -> str:
    each = ", ".join(f"frames {gap.first} to {gap.last} of the result" for gap in gaps[:NAMED])
    return f"{each} and {len(gaps) - NAMED} gaps more" if len(gaps) > NAMED else each


def _warnings(clip: Clip, keys: Longs, done: Done, short: Array) -> list[str]:
    notes = []
    if short.max() > REACHED:
        worst = int(short.argmax())
        at = f"at frame {keys[worst]} of the result"
        notes.append(
            f"{clip.name}: a hand or foot misses its key by {100.0 * short[worst]:.1f} cm {at}: it is out of the body's"
            " reach"
        )
    standing = _steps_in_place(clip, keys)
    if standing:
        first, last = standing
        notes.append(
            f"{clip.name}: hips stand still in frames {first} to {last} of the result, but feet step: a walk on the"
            " spot? If not, key where the hips are"
        )
    if not done.gaps:
        notes.append(
            f"{clip.name}: nothing was filled: all keyed poses are fewer than {between.FEWEST_FRAMES} frames apart"
        )
    return notes


def _goes(clip: Clip, keys: Longs) -> bool:
    """Return whether the body travels between its keyed poses."""
    ground, _ = root_motion.ground_frames(clip.take_frames(keys))
    way = float(np.linalg.norm(np.diff(ground, axis=0), axis=1).sum())
    return way * clip.rate >= add_root_motion.TRAVELS * clip.skeleton.height * float(keys[-1] - keys[0])


def _steps_in_place(clip: Clip, keys: Longs) -> tuple[int, int] | None:
    """Return the first two keys between which the body stays in place while its feet step, or None."""
    skeleton = clip.skeleton
    feet = [
        k
        for k, role in enumerate(role for role in LOWER if role in skeleton.roles)
        if role.partition(".")[0] in ("foot", "toe")
    ]
    if not feet or skeleton.height <= 0.0:
        return None
    poses = of_poses(clip.take_frames(keys))
    stays = np.linalg.norm(np.diff(poses.path, axis=0), axis=1) < STANDS
    along = np.abs(np.diff(poses.places[:, feet, 1], axis=0))  # forward or backward
    moved = along.max(axis=1) > STEPS
    both = np.flatnonzero(stays & moved)
    if not len(both) or not stays.all():
        return None
    return int(keys[both[0]]), int(keys[both[0] + 1])
