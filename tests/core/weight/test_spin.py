"""Yaw in flight keeps its angular momentum, also by the judge's parts and masses."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.motion import root_motion
from action_loom.core.weight import spin
from oracles import falling, jumps

pytestmark = pytest.mark.shared


def frames_of(clip):
    (flight,) = jumps.long_flights(clip)[:1]
    return round(flight.start * clip.rate), round(flight.end * clip.rate)


def twisted(clip, degrees):
    """Return a clip that turns back and forth by some degrees in its flight, about its centre of mass."""
    first, last = frames_of(clip)
    turn = np.zeros(len(clip))
    share = np.linspace(0.0, 1.0, last - first + 1)
    turn[first : last + 1] = np.radians(degrees) * 16.0 * (share * (1.0 - share)) ** 2
    centre = falling.centre(clip, falling.positions(clip))[:, :2]
    at = centre @ [1.0, 1j]
    moved = at - np.exp(1j * turn) * at
    return root_motion.place_clip(clip, turn, np.stack([moved.real, moved.imag], axis=1))


def trunk_turns(clip, of):
    """Return the heading (degrees) of the line between the shoulders relative to another clip's, in each frame."""
    lines = []
    for one in (clip, of):
        places, roles = falling.positions(one), one.skeleton.roles
        across = places[:, roles["upper_arm.L"], :2] - places[:, roles["upper_arm.R"], :2]
        lines.append(across @ [1.0, 1j])
    return np.degrees(np.angle(lines[0] / lines[1]))


@pytest.mark.parametrize("name", ["cmu_asf_16_03", "127_26", "cmu_mb_49_04"])
def test_a_twist_in_flight_is_removed(name):
    clip = jumps.read(name)
    wrong = twisted(clip, 25.0)
    right, spins = spin.level_spin(wrong)
    assert np.abs(trunk_turns(wrong, clip)).max() > 20.0
    first, last = frames_of(clip)
    # The capture itself turns a little unevenly.
    assert np.abs(trunk_turns(right, clip)[first : last + 1]).max() < 4.0
    (found,) = [one for one in spins if one.end - one.start > 0.3]
    assert found.before > 90.0
    assert found.after < 0.15 * found.before
    assert found.turned == pytest.approx(25.0, abs=4.0)
    outside = np.r_[: first + 1, last : len(clip)]
    assert (right.rotations[outside] == wrong.rotations[outside]).all()


def test_captures_turn_by_a_few_degrees_only():
    turned = [one.turned for name in jumps.JUMPS for one in spin.level_spin(jumps.read(name))[1]]
    assert len(turned) >= 5
    assert max(turned) < 3.0


def test_the_turn_is_as_large_as_the_strength():
    wrong = twisted(jumps.read("127_26"), 25.0)
    whole, half = (trunk_turns(spin.level_spin(wrong, strength)[0], wrong) for strength in (1.0, 0.5))
    assert np.abs(half - 0.5 * whole).max() < 1e-6


def test_spin_is_an_option_of_the_tool_and_does_not_change_the_fall():
    wrong = twisted(jumps.read("127_26"), 25.0)
    plain, even = (verbs.apply(verbs.Weight(level_spin=on), [wrong]) for on in (False, True))
    assert plain.report["weight"]["spins"] == []
    assert (plain.clip.rotations == wrong.rotations).all()
    assert even.report["weight"]["spins"][0]["turned"] > 20.0
    heights = [falling.centre(one, falling.positions(one))[:, 2] for one in (wrong, even.clip)]
    assert np.abs(heights[0] - heights[1]).max() < 0.001
    assert "turned by" in "".join(verbs.Weight().figures(even.report))


def test_bodies_with_unknown_parts_turn_by_their_bones():
    clip = jumps.read("127_26")
    roles = {role: joint for role, joint in clip.skeleton.roles.items() if not role.startswith("upper_arm")}
    strange = replace(clip, skeleton=replace(clip.skeleton, roles=roles))
    wrong = twisted(clip, 25.0)
    right, spins = spin.level_spin(replace(wrong, skeleton=strange.skeleton))
    assert spins[0].turned == pytest.approx(25.0, abs=6.0)
    assert len(right) == len(wrong)
