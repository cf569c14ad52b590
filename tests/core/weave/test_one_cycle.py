"""One definition of a cycle: every verb accepts the same cycles as Loop, and warns about its corrections."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.motion import closing, cycles, kinematics, quat, resample
from action_loom.core.motion.clip import Clip
from action_loom.core.quality import contacts, quality
from action_loom.core.verbs import Ask, Blend, InPlace, Loop, Mirror, Plant, Restyle, Travel
from action_loom.core.weave import ground_arc
from action_loom.core.weave.seam import close


def with_gap(clip: Clip, share: float) -> Clip:
    """A cycle whose last pose is off by a share of the body's height: the chest leans more and more."""
    turned = clip.rotations.copy()
    chest = clip.skeleton.index("chest")
    low, high = 0.0, 0.5
    for _ in range(30):
        lean = 0.5 * (low + high)
        leans = quat.about_axis("X", np.linspace(0.0, lean, len(clip)))
        turned[:, chest] = quat.mul(clip.rotations[:, chest], leans)
        gone = replace(clip, rotations=turned.copy(), cyclic=False)
        low, high = (lean, high) if cycles.gap(gone) < share * clip.skeleton.height else (low, lean)
    return gone


def without_last(clip: Clip) -> Clip:
    return replace(clip.cut(0, len(clip) - 1), cyclic=False)


WALK = actions.walk(cycles=1)
READY = {"gap": with_gap(WALK, 0.02), "missing": without_last(WALK), "exact": replace(WALK, cyclic=False)}
SAID = {"gap": "are made to meet", "missing": "was missing and is added", "exact": ""}


def of(kind: str) -> Clip:
    clip = READY[kind]
    assert closing.of(clip).kind == {"gap": closing.GAP, "missing": closing.MISSING_KEY, "exact": closing.EXACT}[kind]
    return clip


def is_said(report, kind: str) -> bool:
    notes = [note for note in (*report["notes"], *report["warnings"]) if note.startswith("walk: ")]
    return any(SAID[kind] in note for note in notes) if SAID[kind] else not any("cycle" in note for note in notes)


@pytest.mark.parametrize("kind", READY)
@pytest.mark.parametrize("other", READY)
def test_a_blend_of_ready_cycles_is_a_cycle(kind, other):
    sneak = {"gap": with_gap, "missing": lambda clip, _: without_last(clip), "exact": lambda clip, _: clip}[other]
    made = verbs.apply(Blend(), [of(kind), sneak(actions.sneak(cycles=1), 0.004)])
    assert made.clip.cyclic
    assert cycles.gap(made.clip) < 1e-3 * WALK.skeleton.height
    assert is_said(made.report, kind)


@pytest.mark.parametrize("kind", READY)
@pytest.mark.parametrize(
    ("recipe", "others"),
    [
        (Travel(), ()),
        (InPlace(), ()),
        (Plant(), ()),
        (Mirror(half_cycle=True), ()),
        (Restyle(mirror=True, cadence=-0.5), ("sneak",)),
        (Loop(), ()),
    ],
    ids=lambda value: getattr(value, "verb", ""),
)
def test_every_verb_takes_what_loop_takes(kind, recipe, others):
    more = [actions.sneak(cycles=4) for _ in others]
    clip = of(kind)
    clip = replace(verbs.apply(InPlace(), [clip]).clip, cyclic=False, channels={}) if recipe == Travel() else clip
    made = verbs.apply(recipe, [clip, *more])
    if recipe.verb not in ("plant", "mirror", "restyle"):  # these keep the mark of their source
        assert made.clip.cyclic
    if recipe != Travel():  # InPlace has closed that already
        assert recipe.verb == "loop" or is_said(made.report, kind)
    if recipe.verb != "restyle":
        assert cycles.gap(made.clip) < 1e-3 * clip.skeleton.height


@pytest.mark.parametrize("make", [actions.walk, actions.run, actions.sneak])
def test_what_lacks_its_last_key_stays_as_it_is_and_gets_it(make):
    """The continuation of both ends is not known well enough to move all frames for it."""
    whole = make(cycles=1)
    made = close.as_cycle(without_last(whole))
    assert np.abs(kinematics.points(made)[:-1] - kinematics.points(whole)[:-1]).max() < 1e-9
    assert np.abs(kinematics.points(made)[-1] - kinematics.points(whole)[-1]).max() < 0.01


def test_a_last_key_that_the_ends_do_not_lead_to_is_still_spread():
    walk = with_gap(WALK, 0.02)
    made = close.as_cycle(without_last(walk), closing.Closing(closing.MISSING_KEY, 0.05, 1))
    assert cycles.gap(made) < 1e-9
    steps = np.linalg.norm(np.diff(kinematics.points(cycles.unroll_cycle(made, 0, 1)), n=2, axis=0), axis=2).max(axis=1)
    usual = np.linalg.norm(np.diff(kinematics.points(WALK), n=2, axis=0), axis=2).max(axis=1)
    assert steps.max() < 1.5 * usual.max()


@pytest.mark.parametrize("count", [1, 6])
@pytest.mark.parametrize("rate", [24.0, 29.97])
@pytest.mark.parametrize("make", [actions.walk, actions.run, actions.sneak])
def test_what_ends_between_two_frames_is_played_a_little_slower_or_faster_and_its_poses_stay(make, rate, count):
    clip = replace(resample.to_rate(make(cycles=count), rate), cyclic=False)
    made = close.as_cycle(clip)
    if not made.cyclic:
        return  # its ends are too different for a cycle
    assert cycles.gap(made) < 1e-9
    speed = abs(ground_arc.between(made, 0, len(made) - 1).step) / made.seconds
    assert abs(speed / (abs(ground_arc.between(clip, 0, len(clip) - 1).step) / clip.seconds) - 1.0) < 0.03
    before, after = (quality.measure(one)["slide_cm_s"] for one in (make(cycles=6), cycles.unroll_cycle(made, 1, 1)))
    assert after < before + 1.0 + 2.0 * speed  # cm/s


def test_what_does_not_close_is_as_it_was():
    clip = actions.walk(cycles=2).cut(0, 50)
    assert close.cycle_of(clip) == (clip, [])
    assert not verbs.apply(Blend(), [clip, actions.sneak(cycles=1)]).clip.cyclic


def punch(reach: float = 1.0) -> Clip:
    """One gesture: out of a pose, slowly at both ends, and back to it."""
    wave = actions.wave()
    out = reach * 0.5 * (1.0 - np.cos(2.0 * np.pi * np.arange(41) / 40.0))
    return replace(resample.sample(wave, 30.0 * out), name="punch", cyclic=False, channels={})


def test_one_gesture_is_no_cycle_for_verbs_that_guess():
    clip = punch()
    assert closing.of(clip).kind == closing.EXACT
    assert close.cycle_of(clip) == (clip, [])
    assert not verbs.apply(Blend(), [clip, replace(punch(0.8), name="other")]).clip.cyclic
    declared = replace(clip, cyclic=True)
    assert close.cycle_of(declared)[0].cyclic


def test_loop_makes_a_cycle_of_one_gesture_and_says_so():
    made = verbs.apply(Loop(), [punch()])
    assert made.clip.cyclic
    assert any("is one gesture" in warning for warning in made.report["warnings"])
    assert not verbs.apply(Loop(), [of("exact")]).report["warnings"]


def test_an_idle_that_begins_at_rest_is_a_cycle():
    idle = punch(0.3)
    assert close.cycle_of(idle)[0].cyclic


def test_a_gait_whose_keys_are_slow_at_its_ends_is_a_cycle():
    last = len(WALK) - 1
    share = np.linspace(0.0, 1.0, len(WALK))
    eased = replace(resample.sample(WALK, last * share**2 * (3.0 - 2.0 * share)), cyclic=False)
    assert closing.of(eased).kind
    assert close.cycle_of(eased)[0].cyclic


def test_loop_says_where_little_of_a_clip_repeats_itself():
    """The two equal moves make a cycle; the frames before and after them do not repeat."""
    there_and_back = np.append(np.arange(21), np.arange(19, 0, -1))
    frames = np.concatenate([np.zeros(100), there_and_back, there_and_back, np.zeros(80)])
    clip = resample.sample(actions.sneak(), frames)
    turned = quat.about_axis("Z", np.linspace(0.0, 1.0, len(clip)))
    rotations = clip.rotations.copy()
    head = clip.skeleton.index("chest")
    rotations[:, head] = quat.mul(turned, rotations[:, head])
    clip = replace(clip, rotations=rotations, name="moves", cyclic=False)
    warnings = verbs.apply(Loop(), [clip]).report["warnings"]
    assert any("moves repeats itself only from frame" in warning for warning in warnings)


def test_ends_are_made_to_meet_only_where_all_are_cycles_or_it_is_repeated():
    clip = of("gap")
    made = verbs.apply(Blend(weights=(1.0, 0.0)), [clip, actions.turn_left().cut(0, len(clip))])
    assert made.report["notes"] == []


def turning(degrees: float) -> Clip:
    """A walk cycle that turns a little in each cycle."""
    arc = ground_arc.between(WALK, 0, len(WALK) - 1)
    at = np.arange(len(WALK), dtype=float)
    bent = replace(arc, turn=np.radians(degrees))
    return replace(ground_arc.add_arc(ground_arc.remove_arc(WALK, arc, at), bent, at), cyclic=True)


@pytest.mark.parametrize(("degrees", "straight"), [(3.0, True), (20.0, False)])
def test_a_blend_that_hardly_turns_goes_straight_on_as_a_loop_does(degrees, straight):
    clips = [turning(degrees), turning(degrees)]
    made = verbs.apply(Blend(), [clips[0], replace(clips[1], name="other")])
    turned = abs(made.report["quality"]["after"]["turn_degrees"])
    assert (turned < 0.3) is straight
    assert any("goes straight on" in note for note in made.report["notes"]) is straight
    feet = contacts.detect(made.clip)
    assert all(flags.any() for flags in feet.values())


def test_ask_takes_ready_cycles():
    clips = [of("gap"), without_last(actions.sneak(cycles=1)), actions.walk(cycles=1, speed=1.6)]
    clips = [replace(clip, name=f"clip {k}") for k, clip in enumerate(clips)]
    made = verbs.apply(Ask(speed=1.2), clips)
    assert made.clip.cyclic
    assert not any("no whole stride" in warning for warning in made.report["warnings"])
    assert len(made.report["ask"]["weights"]) == 3
