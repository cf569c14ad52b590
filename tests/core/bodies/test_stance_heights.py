"""Standing feet of retargeted clips keep the source's height, scaled."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.bodies import stance_heights
from action_loom.core.demo_character import actions
from action_loom.core.edit.feet.spans import BALL
from action_loom.core.motion import cycles
from action_loom.core.quality import contacts
from action_loom.core.verbs import Retarget
from action_loom.core.weave import planting
from oracles import material


def heights_off(source, made, scale, spans):
    """Return how many metres balls stand above the source's, scaled, in the middle of each stance."""
    ours, theirs = contacts.feet(made), contacts.feet(source)
    off = []
    for span in (span for span in spans if span.part == BALL):
        middle = slice(span.middle.first, span.middle.end)
        off.append(np.mean(ours[span.foot][middle, 2] - scale * theirs[span.foot][middle, 2]))
    return np.array(off)


@pytest.mark.shared
@pytest.mark.parametrize("source", ["GenoView__Geno_bind", "cmu_daz_02_01"])
@pytest.mark.parametrize("name", ["cmu_mb_16_15", "cmu_mb_08_01"])  # no constant was tuned on the second
def test_feet_stand_as_high_as_in_the_source(name, source):
    clip, like = material.captured(name), material.as_captured(source)
    spans = planting.find(clip)
    off = []
    for plant in (False, True):
        made = verbs.apply(Retarget(plant_feet=plant, trim=False), [like, clip])
        off.append(heights_off(clip, made.clip, made.report["retarget"]["scale"], spans))
        assert len(off[-1]) >= 4
    assert np.ptp(off[0]) > 0.005  # as limbs alone have it
    assert np.abs(off[1]).max() < 0.003


@pytest.mark.shared
@pytest.mark.parametrize("declared", [False, True])
@pytest.mark.parametrize("like", ["GenoView__Geno_bind", "cmu_mb_08_01"])
def test_a_cycle_stays_one_on_another_body(like, declared):
    for cycle in (actions.walk(cycles=1), actions.run(cycles=1), actions.sneak(cycles=2), actions.carry(cycles=1)):
        body = material.captured(like) if like.startswith("cmu") else material.as_captured(like)
        made = verbs.apply(Retarget(), [body, replace(cycle, cyclic=declared)]).clip
        assert made.cyclic is declared
        assert cycles.closes(made), (cycle.name, cycles.gap(made))


def test_nothing_changes_on_the_own_body_or_without_stances():
    walk = actions.walk()
    assert stance_heights.keep_heights(walk, walk, 1.0, (0.0, 0.0), planting.find(walk)) is walk
    assert stance_heights.keep_heights(walk, walk, 0.5, (0.0, 0.0), []) is walk
