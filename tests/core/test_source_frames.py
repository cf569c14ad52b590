"""The source frame of each frame of a result, against a stepped channel that passes through the work like any curve."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.motion import quat, resample
from action_loom.core.motion.clip import Channel
from action_loom.core.quality import contacts
from action_loom.core.verbs import source_frames

APART = 1e5  # numbers of the channel from one clip to the next
WALKS = [actions.walk(cycles=3), actions.sneak(cycles=3)]
CYCLES = [actions.walk(cycles=1), actions.sneak(cycles=1)]
OPEN = [actions.walk().cut(5, 80), actions.sneak().cut(3, 150)]
TAKE = [actions.walk(cycles=4).cut(10, 100)]
LONG = [actions.walk(cycles=5)]
ROWS = {
    "cycles": (verbs.Blend(weights=(0.3, 0.7)), CYCLES),
    "takes": (verbs.Blend(weights=(0.6, 0.4)), OPEN),
    "a cycle beside a take": (verbs.Blend(weights=(0.6, 0.4)), [actions.walk(cycles=3).cut(7, 90), CYCLES[1]]),
    "from one to the other": (verbs.Blend(weight_keys=((0, 1, 0), (1, 0, 1)), ends="pinned"), WALKS),
    "retimed": (verbs.Synchronise(), CYCLES),
    "connected": (verbs.Connect(), [*WALKS, actions.run(cycles=3)]),
    "of two rates": (verbs.Connect(), [WALKS[0], replace(WALKS[1], rate=60.0)]),
    "a loop": (verbs.Loop(), TAKE),
    "a loop at a phase": (verbs.Loop(phase=0.3, repeat=3), TAKE),
    "half a cycle": (verbs.Loop(half=True), [CYCLES[0].cut(0, 17)]),
    "spliced": (verbs.Splice(), [WALKS[0], actions.wave()]),
    "cut out": (verbs.CutOut(first=10, last=100, kind="walk"), LONG),
    "cut out as a loop": (verbs.CutOut(first=10, last=150, kind="walk", loop=True), LONG),
    "cut out in the mirror": (verbs.CutOut(first=10, last=150, kind="walk", loop=True, mirrored=True), LONG),
    "walked": (verbs.Walk(seconds=4), [WALKS[0], actions.run(cycles=3), actions.turn_left()]),
    "restyled": (verbs.Restyle(mirror=True, cadence=-0.5), WALKS),
    "edited": (verbs.Filter(), [WALKS[0]]),
}


def numbered(clips):
    """Clips with a channel that numbers their frames."""
    return [
        replace(clip, channels={"frame": Channel(APART * k + np.arange(len(clip)), discrete=True)})
        for k, clip in enumerate(clips)
    ]


def told(shown, length):
    """The same number (F,) for each frame of a result, of the clip with the largest weight there."""
    found, best = np.full(length, np.nan), np.zeros(length)
    for one in shown:
        frames, rows = one.frames, one.first + np.arange(len(one.frames))
        if one.cycle:
            low = one.low if one.high - one.low >= one.cycle else 0.0
            frames = low + (frames - low) % one.cycle
        own = (one.weights > best[rows]) & (frames >= one.low) & (frames <= one.high)
        found[rows[own]], best[rows[own]] = APART * one.source + frames[own], one.weights[own]
    return found


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_the_frames_that_play_are_told(row):
    recipe, clips = row
    clips = numbered(clips)
    made = verbs.apply(recipe, clips)
    length = len(made.clip)
    off = np.abs(told(source_frames.of(made, recipe, clips), length) - made.clip.channels["frame"].values)
    assert np.isfinite(off).mean() > 0.95
    # The first frame of a cycle equals its last, so the channel may hold either.
    assert (off[np.isfinite(off)] <= 1.0 + 1e-6).sum() >= np.isfinite(off).sum() - 2


def test_key_poses_are_told_where_they_are_reached():
    recipe = verbs.KeyPoses(poses=((1, 0, 0.0), (2, 10, 0.5, 0.2)))
    shown = source_frames.of(verbs.apply(recipe, CYCLES), recipe, CYCLES)
    assert [(one.source, one.first, one.frames.tolist()) for one in shown] == [(0, 0, [0.0]), (1, 15, [10.0])]


@pytest.mark.parametrize(("rate", "mirror"), [(24.0, True), (30.0, False), (100.0, False)])
def test_of_a_drive_it_is_told_what_plays(rate, mirror):
    """Knees are as in the told frames, but for 0.2 s beside jumps, where sources are faded."""
    recipe = verbs.Drive(wishes=((0, 0, 1.2), (2, 0, 0), (3, 0, 0)), mirror=mirror, plant_feet=False)
    clips = [resample.to_rate(clip, rate) for clip in (actions.walk(cycles=2).cut(3, 60), actions.wave())]
    made = verbs.apply(recipe, clips)
    shown = source_frames.of(made, recipe, clips)
    assert sum(len(one.frames) for one in shown) == len(made.clip)
    assert all((np.diff(one.frames) > 0.0).all() for one in shown)
    assert min(len(one.frames) for one in shown) > 0.1 * rate
    near = round(0.2 * rate) + 1
    for one in shown:
        at = (one.frames - one.low) % one.cycle + one.low if one.cycle else one.frames
        assert ((at > -1.0) & (at < len(clips[one.source]))).all()
        knee = clips[0].skeleton.roles["shin.R" if one.mirrored else "shin.L"]
        own = np.linalg.norm(quat.log(resample.sample(clips[one.source], at).rotations[:, knee]), axis=1)
        knee = clips[0].skeleton.roles["shin.L"]
        off = np.linalg.norm(quat.log(made.clip.rotations[one.first : one.first + len(at), knee]), axis=1) - own
        assert np.abs(np.degrees(off[near:-near])).max(initial=0.0) < 0.3


def downs(clip):
    """Frames at which each foot comes down; a foot may also stand from the first frame."""
    return {side: [start for start, _ in contacts.runs(flags)] for side, flags in contacts.detect(clip).items()}


@pytest.mark.parametrize(
    ("asked", "sources"),
    [
        ({"basis": "clips"}, {0, 1}),
        ({"basis": "clips", "strides": 3, "mirror": False}, {0, 1}),
        ({"path": ((0, 0), (0, 3))}, {0}),
    ],
)
def test_of_what_was_asked_for_it_is_told_where_its_strides_begin(asked, sources):
    """Strides begin where left feet come down, also in a take whose first frames are trimmed."""
    take = actions.walk(cycles=4).cut(7, 120)
    clips = [take.take_frames(np.r_[np.full(5, 60), np.arange(len(take))]), actions.sneak(cycles=3).cut(4, 150)]
    recipe = verbs.Ask(speed=1.0, **asked)
    made = verbs.apply(recipe, clips)
    shown = source_frames.of(made, recipe, clips)
    assert {one.source for one in shown} == sources
    for source in sources:
        played = [one for one in shown if one.source == source]
        assert sum(len(one.frames) for one in played) == len(made.clip)
        begins = downs(clips[source])
        each = [(one, frame) for one in played for frame in begins["R" if one.mirrored else "L"]]
        at = sorted({round(place) for one, frame in each for place, _ in one.when(frame)})
        steps = downs(made.clip)["L"]
        assert np.abs(np.subtract(at[: len(steps)], steps)).max() <= 1
        assert set(at[len(steps) :]) <= {len(made.clip) - 1}  # where the next one would begin


def test_of_a_drive_that_was_settled_it_is_told_what_its_walk_plays():
    clips = [actions.walk(), actions.wave()]
    recipe = verbs.Drive(wishes=((0, 0, 1.3), (4, 0, 0), (5, 0, 0)), along_line=True, mirror=False)
    made = verbs.apply(recipe, clips)
    assert made.settled is not None
    shown = source_frames.of(made, recipe, clips)
    assert sum(len(one.frames) for one in shown) >= 0.95 * len(made.clip)
    for one in shown:
        clip, rows = clips[one.source], one.first + np.arange(len(one.frames))
        middle = rows[len(rows) // 4 : -len(rows) // 4 or None]
        thigh = clip.skeleton.index("shin.L")
        own = resample.sample(clip, np.clip(one.frames, 0, len(clip) - 1))
        off = quat.log(quat.mul(quat.inv(own.rotations[middle - one.first, thigh]), made.clip.rotations[middle, thigh]))
        assert np.degrees(np.median(np.linalg.norm(off, axis=1))) < 3.0


def test_a_frame_of_a_cycle_plays_once_in_each():
    recipe = verbs.Loop(repeat=3)
    (shown,) = source_frames.of(verbs.apply(recipe, TAKE), recipe, TAKE)
    at = [place for place, _ in shown.when(shown.low + 5.0)]
    assert np.diff(at).tolist() == [32.0, 32.0]
    assert shown.when(shown.low - 5.0) == []
