"""The picture of a clip on another body."""

from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.entry_points import load
from action_loom.core.verbs import Retarget
from oracles import material


def test_both_bodies_stand_over_each_other_and_what_limbs_are_off_is_below():
    walk = actions.walk(30.0, 2)
    other = material.walk()
    made = verbs.apply(Retarget(plant_feet=False), [other, walk])
    above, middle, below = load("verbs.retarget.picture:draw")(made).axes
    assert above.get_title() == f"walk, {len(walk.skeleton)} joints"
    assert middle.get_title().startswith(f"{len(other.skeleton)} joints, legs × ")
    assert {line.get_label() for line in below.lines} >= {"thigh.L", "shin.R", "upper_arm.L"}
    assert max(line.get_ydata().max() for line in below.lines) < 1e-3
    assert verbs.picture(Retarget(), made)[:4] == b"\x89PNG"
