"""Named styles: rules in the sliders, whose effect is measured on the result."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.errors import OptionError
from action_loom.core.motion import quat
from action_loom.core.recipes.style import NAMED
from action_loom.core.verbs import Restyle

RULES = [name for name in NAMED if name != "sneaky"]


@pytest.fixture(scope="module")
def walk():
    return actions.walk(cycles=1)


@pytest.mark.parametrize("name", RULES)
def test_a_walk_gets_more_and_less_of_what_its_rule_says(walk, name):
    made = verbs.apply(Restyle(toward=name), [walk])
    sliders = made.report["style"]["sliders"]
    assert set(sliders) == set(NAMED[name])
    for slider, amount in NAMED[name].items():
        went = sliders[slider]["after"] - sliders[slider]["before"]
        assert np.sign(went) == np.sign(amount), slider
        assert abs(went - amount) < 0.3, slider
    assert made.report["warnings"] == []
    assert made.clip.name == f"walk {name}"


def test_an_amount_scales_a_rule_and_sliders_are_added(walk):
    half = verbs.apply(Restyle(toward="old", toward_amount=0.5, stride=-0.5), [walk]).report["style"]["sliders"]
    assert half["stride"]["asked"] == pytest.approx(-0.5 + 0.5 * NAMED["old"]["stride"])
    assert half["width"]["asked"] == pytest.approx(0.5 * NAMED["old"]["width"])
    reverse = verbs.apply(Restyle(toward="tired", toward_amount=-1.0), [walk]).report["style"]["sliders"]
    assert reverse["cadence"]["after"] > reverse["cadence"]["before"] + 0.8


def test_a_named_style_is_the_same_as_its_sliders(walk):
    one = verbs.apply(Restyle(toward="proud"), [walk]).clip
    other = verbs.apply(Restyle(**NAMED["proud"]), [walk]).clip
    assert (one.rotations == other.rotations).all()
    assert (one.translations == other.translations).all()


def test_sneaky_is_the_capture_for_a_walk_and_a_rule_for_a_run(walk):
    sneak, captured = (verbs.apply(Restyle(toward=name), [walk]).clip for name in ("sneaky", "sneaking"))
    assert (sneak.rotations == captured.rotations).all()
    run = verbs.apply(Restyle(toward="sneaky"), [actions.run(cycles=1)])
    assert set(run.report["style"]["sliders"]) == set(NAMED["sneaky"])
    # No joint of the run turns wildly, as it would with a capture of a walk.
    steps = quat.mul(quat.inv(run.clip.rotations[:-1]), run.clip.rotations[1:])
    assert np.degrees(2.0 * np.arccos(np.minimum(np.abs(steps[..., 0]), 1.0))).max() < 60.0


def test_a_person_of_that_name_comes_first():
    walkers = [replace(actions.walk(cycles=5), name="young"), replace(actions.sneak(cycles=5), name="old")]
    made = verbs.apply(Restyle(toward="old", mirror=False), walkers)
    assert made.report["style"]["sliders"] == {}  # towards that person, not by a rule


def test_an_unknown_style_is_refused_with_the_known_ones(walk):
    with pytest.raises(OptionError, match="toward is 'angry', but the style knows '"):
        verbs.apply(Restyle(toward="angry"), [walk])
