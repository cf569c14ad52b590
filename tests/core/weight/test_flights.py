"""Flights are found and judged: a thrown figure with a known fall, captured jumps and runs, cycles, other rates."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.errors import ClipError, SkeletonError
from action_loom.core.motion import quat, resample, root_motion
from action_loom.core.weight import flights, repair
from oracles import jumps
from oracles.material import captured

FALLS = (-9.81, -5.0, -17.0)


def thrown(fall, rate=120.0, scale=1.0, seconds=0.4):
    """Return the demo figure that stands, is thrown up at once with an acceleration, and stands again."""
    still = actions.walk().take_frames(np.zeros(round((1.6 + seconds) * rate) + 1, dtype=np.int64))
    still = replace(jumps.resized(still, scale), rate=rate)
    passed = np.clip(np.arange(len(still)) / rate - 0.8, 0.0, seconds)
    path = np.zeros((len(still), 3))
    path[:, 2] = -0.5 * fall * passed * (seconds - passed)
    path[:, 1] = 1.5 * passed
    return root_motion.place_clip(still, 0.0, path)


@pytest.mark.parametrize("fall", FALLS)
def test_the_fall_of_a_thrown_figure_is_known(fall):
    (found,) = flights.find_flights(thrown(fall)).flights
    assert found.fall == pytest.approx(fall, abs=0.05)
    assert (found.verdict == flights.FINE) == (fall == flights.GRAVITY * -1.0)
    # A flight begins when the foot is clear of the ground, which a body that is thrown up faster is earlier.
    assert found.start == pytest.approx(0.8, abs=0.05)
    assert found.end == pytest.approx(1.2, abs=0.05)


@pytest.mark.parametrize("rate", [24.0, 30.0, 60.0])
def test_the_fall_is_the_same_at_other_rates(rate):
    (found,) = flights.find_flights(thrown(-9.81, rate)).flights
    assert found.fall == pytest.approx(-9.81, abs=0.3)
    assert found.verdict == flights.FINE


@pytest.mark.parametrize("scale", [0.5, 2.0])
def test_children_and_giants_fall_like_everybody(scale):
    (found,) = flights.find_flights(thrown(-9.81, scale=scale, seconds=0.5)).flights
    assert found.fall == pytest.approx(-9.81, abs=0.1)


def test_flights_do_not_depend_on_the_place_and_heading():
    clip = thrown(-6.0)
    moved = root_motion.place_clip(clip, 2.0, np.array([3.0, -5.0, 0.7]))
    (one,), (other,) = flights.find_flights(clip).flights, flights.find_flights(moved).flights
    assert (one.start, one.end, one.verdict) == (other.start, other.end, other.verdict)
    assert one.fall == pytest.approx(other.fall, abs=1e-6)


def test_a_figure_that_something_pushes_in_the_air_is_named_so():
    clip = thrown(-5.0, seconds=0.6)
    seconds = np.clip(np.arange(len(clip)) / clip.rate - 0.8, 0.0, 0.6)
    kicks = 0.1 * np.sin(seconds / 0.6 * 2.0 * np.pi) ** 2  # up, down, up, down
    assert [one.verdict for one in flights.find_flights(clip).flights] == [flights.OFF]
    kicked = root_motion.place_clip(clip, 0.0, np.stack([0.0 * kicks, 0.0 * kicks, kicks], axis=1))
    assert [one.verdict for one in flights.find_flights(kicked).flights] == [flights.PUSHED]
    same, report = repair.repair_flights(kicked)
    assert same is kicked
    assert "outside the clip" in report.describe()[0]


def test_flights_that_all_fall_alike_and_too_fast_point_to_the_rate():
    three = jumps.in_sequence([thrown(-9.81)] * 3)
    report = flights.find_flights(three)
    assert report.scale == 1.0
    faster = replace(three, rate=three.rate * 1.4)
    assert flights.find_flights(faster).scale == pytest.approx(1.96, abs=0.1)
    same, repaired = repair.repair_flights(faster)
    assert same is faster
    assert "its rate or its unit may be wrong" in repaired.describe()[0]


def test_walks_do_not_fly():
    assert flights.find_flights(actions.walk()).flights == ()


def test_a_flight_of_less_than_four_frames_is_not_judged():
    """A take-off is known to a frame at best, so that a fall by three frames says nothing."""
    for rate, verdict in ((24.0, flights.SHORT), (60.0, flights.OFF)):
        (found,) = flights.find_flights(thrown(-25.0, rate, seconds=0.13)).flights
        assert found.verdict == verdict, rate


@pytest.mark.parametrize(("falls", "off"), [((-11.6, -11.6, -12.2), 0), ((-9.8, -9.8, -12.2), 1)])
def test_flights_are_compared_with_most_others_of_a_clip(falls, off):
    """If a body is too large in its file, all of its flights fall too fast by one factor."""
    found = flights.find_flights(jumps.in_sequence([thrown(fall) for fall in falls]))
    assert len(found.flights) == 3
    assert len(found.off) == off


@pytest.mark.parametrize(("overhead", "verdict"), [(True, flights.PUSHED), (False, flights.OFF)])
def test_a_body_that_hangs_by_its_hands_is_left_alone(overhead, verdict):
    clip = thrown(-1.0, seconds=0.8)
    if overhead:
        rotations = clip.rotations.copy()
        for side in "LR":
            rotations[:, clip.skeleton.roles[f"upper_arm.{side}"]] = quat.about_axis("X", np.pi)
        clip = replace(clip, rotations=rotations)
    (found,) = flights.find_flights(clip).flights
    assert found.verdict == verdict


def test_unknown_units_and_feet_are_refused():
    walk = actions.walk(cycles=1)
    with pytest.raises(ClipError, match="unit"):
        flights.find_flights(jumps.resized(walk, 100.0))
    arms = [walk.skeleton.index(name) for name in walk.skeleton.names if ".L" in name or ".R" in name]
    names = tuple(f"{name}?" if joint in arms else name for joint, name in enumerate(walk.skeleton.names))
    nameless = replace(walk, skeleton=replace(walk.skeleton, names=names, roles={"hips": 0}))
    with pytest.raises(SkeletonError, match="feet"):
        flights.find_flights(nameless)


@pytest.mark.shared
def test_captured_jumps_fall_as_real_ones_and_slowed_ones_do_not():
    for name in jumps.JUMPS:
        clip = jumps.read(name)
        (flight,) = jumps.long_flights(clip)
        assert flight.verdict == flights.FINE, name
        slowed = flights.find_flights(jumps.retimed(clip, flight, 1.3))
        (off,) = [one for one in slowed.flights if one.seconds > 0.3]
        assert off.verdict == flights.OFF, name
        assert -6.6 < off.fall < -5.0, name


@pytest.mark.shared
@pytest.mark.parametrize("rate", [24.0, 60.0])
def test_captured_jumps_are_found_at_low_rates(rate):
    for name in jumps.JUMPS:
        clip = jumps.read(name)
        (flight,), (other,) = jumps.long_flights(clip), jumps.long_flights(resample.to_rate(clip, rate))
        assert other.fall == pytest.approx(flight.fall, abs=0.4), name
        assert other.start == pytest.approx(flight.start, abs=0.03), name


@pytest.mark.shared
def test_a_captured_walk_and_dance_do_not_fly():
    for name in ("cmu_mb_02_01", "cmu_mb_05_01", "cmu_mb_10_04"):
        assert flights.find_flights(captured(name)).off == ()


@pytest.mark.shared
def test_a_dancer_on_tiptoe_does_not_fly():
    """A foot that rises by some centimetres and hardly moves bears the body (used in tuning)."""
    clip = jumps.read("cmu_mb_05_11")
    assert repair.repair_flights(clip)[0] is clip
