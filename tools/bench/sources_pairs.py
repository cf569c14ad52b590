"""Two figures whose hands meet, of which one is retargeted or restyled: in docs/measured/sources.md."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import source_pages
from action_loom.core import verbs
from action_loom.core.edit import reaching
from action_loom.core.motion import resample, root_motion
from action_loom.core.motion.clip import Clip
from action_loom.core.sync import alignment
from action_loom.core.verbs import Mirror, Restyle, Retarget
from action_loom.core.weave import meeting
from action_loom.core.weave.seam import close
from oracles.material import captured
from quality_tables import grid, is_aside
from style_material import style

TITLE = "Beyond the documents: two figures"
HAND_IN_HAND = ("mb_35_01", "mb_02_01", "mb_16_15", "mb_08_01", "mb_35_03")
# Parts in which a hand is held out to somebody: the partner does the same, turned about it.
HANDS_MEET = {
    "mb_02_05": (1100, 1330),
    "mb_02_06": (780, 960),
    "mb_06_14": (240, 400),
    "daz_martial_04": (380, 600),
}
LARGER = 1.15
DEPTH = 0.15  # m from a wrist that pushes to the middle of the pushed one
SWING = 2.0
WORDS = """
No clip at hand has two people (CMU's subjects 18 to 23 do), so pairs are built: hand in hand, a walk and its
mirror image beside it, at the place where the hands are nearest; hands that meet, an action and the same again,
turned by half about the hand held out; a push, the same turned by half with its chest before that hand. Then one
of the two is retargeted onto its own body made 15 % larger, or its walk restyled (arms swing 2 usual differences
more; re-timed evenly to its old length). `two_figures.py` of the manual, or `core/weave/meeting.py`, finds where
wrists were within 20 cm, moves the changed figure as a whole to where they fit best, and lets both arms reach,
half the way each; a pushing hand stays at its place of the trunk. Off: from wrist to wrist, against how it was;
medians and 90th percentiles of all frames of meetings, cm. Where both arms are too short hands stay apart: these
frames are over 1 cm. Jerk: a wrist's third difference over that before it reached, root mean squares, of arms.
"""
HEADS = (
    "pair",
    "changed",
    "clips",
    "frames",
    "changed: off",
    "placed: off",
    "reached: off",
    "over 1 cm",
    "arms moved",
    "jerk",
)

Pair = tuple[Clip, Clip]


@dataclass(frozen=True)
class Row:
    """What came of a pair: metres off in each frame, after each step, and how far and how much rougher arms moved.

    rougher : of each arm that met, the root mean square of its wrist's third difference over that before it reached
    """

    off: tuple[np.ndarray, np.ndarray, np.ndarray]
    moved: np.ndarray
    rougher: list[float]


@cache
def ready(name: str) -> Clip:
    return close.trimmed(captured(f"cmu_{name}"), True).clip


def hand_in_hand(name: str) -> Pair:
    """A walk, and its mirror image beside it: right hand in left hand."""
    one = ready(name)
    other = verbs.apply(Mirror(), [one]).clip
    first, second = (wrist(clip, arm) for clip, arm in ((one, "right_arm"), (other, "left_arm")))
    ground, there = (each[:, 0] + 1j * each[:, 1] for each in (first, second))
    best = alignment.align(ground[None], there[None], np.full(len(one), 1.0 / len(one)))
    return one, root_motion.placed(other, float(best.turn), np.array([best.shift.real, best.shift.imag]))


def hands_meet(name: str) -> Pair:
    """An action, and the same turned by half about its right hand where that is farthest ahead."""
    one = ready(name).cut(*HANDS_MEET[name])
    hand = wrist(one, "right_arm")
    ground, facing = root_motion.ground_frames(one)
    ahead = ((hand[:, :2] - ground) * np.stack([-np.sin(facing), np.cos(facing)], axis=1)).sum(axis=1)
    return one, root_motion.placed(one, np.pi, 2.0 * hand[int(ahead.argmax()), :2])


def push(name: str) -> Pair:
    """An action, and the same before it, turned by half: its chest is 15 cm beyond the hand that is farthest ahead."""
    one = ready(name).cut(*HANDS_MEET[name])
    hand = wrist(one, "right_arm")
    ground, facing = root_motion.ground_frames(one)
    ahead = np.stack([-np.sin(facing), np.cos(facing)], axis=1)
    at = int(((hand[:, :2] - ground) * ahead).sum(axis=1).argmax())
    other = root_motion.placed(one, np.pi, np.zeros(2))
    ground, facing = root_motion.ground_frames(other)
    before = np.array([-np.sin(facing[at]), np.cos(facing[at])])
    return one, root_motion.placed(other, 0.0, hand[at, :2] - ground[at] - DEPTH * before)


def wrist(clip: Clip, arm: str) -> np.ndarray:
    return reaching.ends(clip, reaching.limb_of(clip, arm), np.zeros(3))


def larger(clip: Clip) -> Clip:
    body = clip.skeleton
    grown = replace(body, offsets=LARGER * body.offsets, tips=LARGER * body.tips)
    wearing = replace(clip, skeleton=grown, translations=LARGER * clip.translations)
    return verbs.apply(Retarget(trim=False), [wearing, clip]).clip


def swinging(clip: Clip) -> Clip:
    asked = Restyle(basis="walks", swing=SWING, goes_along="only")
    made = verbs.apply(asked, [clip], prepared=style(of_all=False)).clip
    return resample.sample(made, np.linspace(0.0, len(made) - 1.0, len(clip)))  # its cadence changes a little


def tried(pair: Pair, change: Callable[[Clip], Clip], *, trunk: bool = False) -> Row:
    found = [one for one in meeting.meetings(*pair, trunk=trunk) if (one.other == meeting.TRUNK) == trunk]
    changed = pair[0], change(pair[1])
    there = meeting.placed(pair, changed, found)
    made = meeting.kept(pair, there, found)
    moved = [
        np.linalg.norm(wrist(new, arm) - wrist(old, arm), axis=1)[one.first : one.last + 1]
        for one in found
        for old, new, arm in zip(there, made, (one.arm, one.other), strict=True)
        if arm != meeting.TRUNK
    ]
    met = {(k, arm) for one in found for k, arm in enumerate((one.arm, one.other)) if arm != meeting.TRUNK}
    rough = [[np.diff(wrist(clips[k], arm), 3, axis=0).std() for clips in (there, made)] for k, arm in sorted(met)]
    return Row(
        tuple(meeting.off(pair, now, found) for now in (changed, there, made)),
        np.concatenate(moved),
        [now / before for before, now in rough],
    )


def rows() -> list[tuple[str, ...]]:
    kinds = (
        ("hand in hand", hand_in_hand, HAND_IN_HAND, (("larger", larger), ("swings", swinging))),
        ("hands meet", hands_meet, tuple(HANDS_MEET), (("larger", larger),)),
        ("push", push, tuple(HANDS_MEET), (("larger", larger),)),
    )
    made = []
    for about, pair, names, changes in kinds:
        for change, do in changes:
            for aside, of in source_pages.SETS:
                found = [tried(pair(name), do, trunk=pair is push) for name in names if is_aside(name) == aside]
                off = [100.0 * np.concatenate([one.off[k] for one in found]) for k in range(3)]
                moved = source_pages.median_and_most(100.0 * np.concatenate([one.moved for one in found]), 1)
                cells = [source_pages.median_and_most(each, 1) for each in off]
                far = f"{100.0 * (off[2] > 1.0).mean():.0f}%"
                count = str(len(off[0]))
                rougher = source_pages.median_and_most(np.concatenate([one.rougher for one in found]), 2)
                made.append((f"{about}, {of}", change, str(len(found)), count, *cells, far, moved, rougher))
    return made


def main() -> None:
    source_pages.needs_clips()
    lines = ["    python tools/bench/sources_pairs.py", "", *source_pages.words(WORDS), *grid(HEADS, rows())]
    source_pages.put(TITLE, lines)


if __name__ == "__main__":
    main()
