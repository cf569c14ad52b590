"""Cycle search: known cycles, captured gaits, and clips without a cycle."""

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.errors import RegistrationError
from action_loom.core.motion import quat, resample, root_motion
from action_loom.core.motion.clip import Clip
from action_loom.core.sync import cycle_search
from oracles.material import captured, some_captured_files, walk

pytestmark = pytest.mark.both_engines

# Straight walks and runs with at least 1.3 cycles, whose period the gait oracle finds.
STRAIGHT = [
    "mb_02_01", "mb_05_01", "mb_06_01", "mb_07_01", "mb_07_04", "mb_07_12", "mb_08_01", "mb_08_04", "mb_08_07",
    "mb_10_04", "mb_12_01", "mb_16_15", "mb_35_01", "mb_35_03", "mb_35_17", "mb_35_22", "mb_02_03", "asf_16_15",
]  # fmt: skip
REPEATED = {"asf_127_04": (74, 5), "daz_13_26": (98, 5), "mb_02_05": (174, 5), "mb_02_06": (330, 5)}
# Motion to and fro, or in circles, without a gait; all other clips lack a cycle.
CYCLIC_OTHERS = {
    "asf_127_04", "asf_16_11", "asf_16_17", "asf_16_19", "daz_02_01", "daz_07_01", "daz_09_01", "daz_09_02",
    "daz_09_12", "daz_13_18", "daz_13_26", "mb_02_05", "mb_02_06", "mb_06_10", "mb_26_01", "mb_32_01",
}  # fmt: skip


@pytest.mark.parametrize("stride", [0.6, 1.0, 1.7])
@pytest.mark.parametrize("turn", [0.0, 0.5])
def test_a_known_cycle_is_found(stride, turn):
    clip = walk(4.0, 60.0, stride=stride, turn=turn)
    found = cycle_search.find(clip)
    assert found.best.length == pytest.approx(60.0 / stride, abs=1.0)
    assert found.best.score > 0.99


def test_standing_before_the_cycle_is_left_out():
    gait = walk(4.0, 60.0)
    frames = np.concatenate([np.zeros(120), np.arange(241.0)])
    found = cycle_search.find(resample.sample(gait, frames))
    assert found.best.start >= 110
    assert found.best.length == pytest.approx(60, abs=1)


def test_turning_and_moving_a_clip_changes_nothing():
    clip = actions.sneak()
    moved = root_motion.place_clip(clip, 2.0, np.array([3.0, 1.0]))
    one, other = cycle_search.find(clip).best, cycle_search.find(moved).best
    assert (one.start, one.length) == (other.start, other.length)


def test_noise_has_no_cycle_and_stillness_neither(rng):
    still = resample.sample(actions.walk(), np.zeros(200))
    shaken = Clip(
        "shaken",
        still.skeleton,
        still.rate,
        quat.mul(still.rotations, quat.exp(0.01 * rng.normal(size=(*still.rotations.shape[:2], 3)))),
        still.translations,
    )
    for clip in (still, shaken):
        assert cycle_search.find(clip).best.score < cycle_search.WEAK


@pytest.mark.parametrize("finder", [cycle_search.find, cycle_search.find_by_autocorrelation])
def test_a_clip_that_is_too_short_is_refused(finder):
    with pytest.raises(RegistrationError, match="walk is too short to repeat itself"):
        finder(actions.walk().cut(0, 9))


def test_autocorrelation_finds_an_even_gait_too():
    found = cycle_search.find_by_autocorrelation(walk(4.0, 30.0))
    assert found.best.length == pytest.approx(30, abs=1)


def contact_period(clip):
    """Frames from step to step of one foot, by where feet turn against the hips; median over all kinds of event."""
    from oracles.gait import events

    gaps = np.concatenate([np.diff(frames) for frames in events(clip).values() if len(frames) > 1])
    return float(np.median(gaps))


@pytest.mark.shared
@pytest.mark.parametrize("name", STRAIGHT[1::2])
def test_the_cycle_of_a_captured_gait_is_as_long_as_its_feet_say(name):
    clip = captured(f"cmu_{name}")
    found = cycle_search.find(clip).best
    assert found.score >= cycle_search.PERIODIC
    assert found.length == pytest.approx(contact_period(clip), abs=5.0)


@pytest.mark.shared
@pytest.mark.parametrize("name", REPEATED)
def test_cycles_that_are_no_gait_are_found(name):
    period, off = REPEATED[name]
    assert cycle_search.find(captured(f"cmu_{name}")).best.length == pytest.approx(period, abs=off)


@pytest.mark.shared
def test_walk_then_run_gives_the_run():
    best = cycle_search.find(captured("cmu_asf_127_04")).best
    assert 300 <= best.start <= 350


@pytest.mark.shared
@pytest.mark.parametrize("name", STRAIGHT[1::2])
def test_autocorrelation_finds_the_same_gaits(name):
    clip = captured(f"cmu_{name}")
    found = cycle_search.find_by_autocorrelation(clip).best
    assert found.score >= cycle_search.PERIODIC
    assert found.length == pytest.approx(contact_period(clip), abs=8.0)  # it looks at 30 frames a second


# Boxing and dribbling repeat, but not as their joints' autocorrelation tells: no peak of it is their cycle.
MISSED = {"daz_13_18", "mb_06_10"}


@pytest.mark.shared
@pytest.mark.parametrize("finder", [cycle_search.find, cycle_search.find_by_autocorrelation])
@pytest.mark.parametrize("file", [f.stem for f in some_captured_files("cmu")])
def test_nothing_else_is_taken_for_a_cycle(file, finder):
    name = file.removeprefix("cmu_")
    missed = MISSED if finder is cycle_search.find_by_autocorrelation else set()
    score = finder(captured(file)).best.score
    assert (score >= cycle_search.PERIODIC) == (name in {*CYCLIC_OTHERS, *STRAIGHT} - missed)
