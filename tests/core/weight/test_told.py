"""No verb makes a flight that falls wrongly without a word: each result's flights are judged by `oracles.falling`."""

import pytest
from action_loom.core import verbs
from action_loom.core.errors import LoomError
from oracles import falling, jumps

pytestmark = pytest.mark.shared
JUMPS, RUNS = ("cmu_asf_16_03", "127_26", "cmu_mb_49_04"), ("09_06", "16_38", "cmu_mb_35_22")
LONG, LIMIT = 0.2, 3.0  # s, m/s²: the judge's flight that long is off; short ones it misjudges in captures, too
FURTHER = 1.5  # m/s² by which a flight falls worse than every flight of the sources


def events(clip, factor):
    """Return rows that make the longest flight of a clip last longer by a factor, in place."""
    start, end, _ = max(falling.falls(clip), key=lambda one: one[1] - one[0], default=(0.4, 0.6, 0.0))
    middle, half = 0.5 * (start + end) * clip.rate, 0.5 * (end - start) * clip.rate
    return tuple((round(middle + k * half), round(middle + factor * k * half)) for k in (-1, 1))


def two(make):
    return lambda clip, other: (make(), [clip, other])


def one(make):
    return lambda clip, _: (make(clip), [clip])


def keys(clip):
    """Return frames before, at the beginning of, and after the longest flight of a clip."""
    start, end, _ = max(falling.falls(clip), key=lambda one: one[1] - one[0], default=(0.4, 0.6, 0.0))
    times = max(0.0, start - 0.3), start, 0.5 * (start + end), end, min(clip.seconds, end + 0.3)
    return tuple(round(second * clip.rate) for second in times)


def key_poses(clip):
    frames = keys(clip)
    return verbs.KeyPoses(poses=tuple((1, frame, (frame - frames[0]) / clip.rate) for frame in frames))


def fill(clip):
    first, take_off, *_, last = keys(clip)
    return verbs.Fill(key_frames=((first, take_off, last),))


BREAK = {"retarget", "move_events", "move_events faster", "key_poses"}  # these break jumps
TRIED = {
    "blend": two(lambda: verbs.Blend(weights=(0.5, 0.5))),
    "connect": two(verbs.Connect),
    "splice": two(verbs.Splice),
    "sync": two(verbs.Synchronise),
    "retarget": lambda clip, _: (verbs.Retarget(), [jumps.resized(clip, 0.6), clip]),
    "loop": one(lambda _: verbs.Loop()),
    "mirror": one(lambda _: verbs.Mirror()),
    "filter": one(lambda _: verbs.Filter()),
    "plant": one(lambda _: verbs.Plant()),
    "in_place": one(lambda _: verbs.InPlace()),
    "travel": one(lambda _: verbs.Travel()),
    "fewer_keys": one(lambda _: verbs.FewerKeys()),
    "bake": one(lambda _: verbs.Bake()),
    "place": one(lambda _: verbs.Place()),
    "move_events": one(lambda clip: verbs.MoveEvents(events=events(clip, 1.3))),
    "move_events faster": one(lambda clip: verbs.MoveEvents(events=events(clip, 0.75))),
    "weight": one(lambda _: verbs.Weight()),
    "restyle": one(lambda _: verbs.Restyle(speed=2.0)),
    "follow": two(lambda: verbs.Follow(path=((0, 0), (2, 0), (4, 1), (6, 1)), speed=3.0)),
    "drive": two(lambda: verbs.Drive(wishes=((0, 0, 1.5), (2, 0, 3.0), (4, 1, 2.0)))),
    "warp": one(lambda clip: verbs.Warp(corrections=((keys(clip)[2], 1, 0, 0, 0.25, 0, 0, 0),))),
    "key_poses": one(key_poses),
    "fill": lambda clip, other: (fill(clip), [clip, other]),
}


def judge(name, clip, other):
    """Return how many flights of a result are off and worse than its sources', and whether the report tells it."""
    recipe, sources = TRIED[name](clip, other)
    made = verbs.apply(recipe, sources)
    given = sources[1:] if name == "retarget" else sources
    known = [-falling.GRAVITY, *(fall for source in given for *_, fall in falling.falls(source))]
    long = [fall for start, end, fall in falling.falls(made.clip) if end - start >= LONG]
    worse = [fall for fall in long if abs(fall + falling.GRAVITY) > LIMIT]
    worse = [fall for fall in worse if not min(known) - FURTHER <= fall <= max(known) + FURTHER]
    told = ("falls at", "its flights fall")
    return len(worse), any(words in text for text in made.report["warnings"] for words in told)


@pytest.mark.parametrize("name", TRIED)
def test_no_flight_is_off_in_silence(name):
    found = []
    for kinds in (JUMPS, RUNS):
        clips = [jumps.read(one) for one in kinds]
        for clip, other in zip(clips, [*clips[1:], clips[0]], strict=True):
            try:
                found.append((clip.name, *judge(name, clip, other)))
            except LoomError:  # no cycle, or no time around a flight
                continue
    assert found
    assert [one for one in found if one[1] and not one[2]] == []
    if name in BREAK:
        assert sum(one[1] for one in found) >= 3


@pytest.mark.parametrize("strength", [0.0, 0.5, 1.0])
def test_a_result_falls_as_far_as_its_option_asks(strength):
    """A body of 0.6 times the size jumps as its larger source did, which falls too slowly; a share of it is mended."""
    jump = jumps.read("127_26")
    made = verbs.apply(verbs.Retarget(real_falls=strength), [jumps.resized(jump, 0.6), jump])
    (fall,) = [fall for start, end, fall in falling.falls(made.clip) if end - start > 0.3]
    slow = max(fall for start, end, fall in falling.falls(jump) if end - start > 0.3) * 0.6
    assert fall == pytest.approx(slow + strength * (-9.81 - slow), abs=0.3)
    assert [one["fall"][0] for one in made.report.get("repairs", ())] == pytest.approx([-6.2] * (strength > 0), abs=0.2)


def test_runs_of_which_none_is_off_stay_the_same_to_the_bit():
    runs = [jumps.read(name) for name in RUNS[:2]]
    plain, asked = (verbs.apply(verbs.Blend(real_falls=strength), runs).clip for strength in (0.0, 1.0))
    assert (plain.rotations == asked.rotations).all()
    assert (plain.translations == asked.translations).all()
