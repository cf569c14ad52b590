"""Restyled clips: requested measures change, others stay, feet stand, and knees bend forwards."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.errors import ClipError, OptionError
from action_loom.core.motion import cycles, ik, kinematics, quat, root_motion
from action_loom.core.motion.inheritance import Inheritance
from action_loom.core.recipes.style import StyleOptions, table_of
from action_loom.core.style import clip_in_style, fit, form, knees
from action_loom.core.verbs import InPlace, Restyle, Travel
from action_loom.core.verbs.restyle import change
from action_loom.core.verbs.restyle import work as restyle
from oracles import material

ASIDE = ("mb_08_01", "mb_12_01", "mb_35_03")  # nothing is tuned on these


def done(recipe, clip, style):
    return verbs.apply(recipe, [clip], prepared=style)


@pytest.mark.both_engines
@pytest.mark.parametrize("recipe", [Restyle(), Restyle(components="source")])
def test_what_asks_for_nothing_gives_the_clip_to_the_bit(walkers, recipe):
    made = verbs.apply(recipe, walkers)
    assert np.array_equal(made.clip.rotations, made.before.rotations)
    assert np.array_equal(made.clip.translations, made.before.translations)
    assert made.changed is None
    assert made.report["not_planted"]


@pytest.mark.both_engines
def test_a_change_of_nothing_is_nothing(walkers):
    """Conversion to rows and back returns the clip within a hundredth of a degree."""
    style = fit.fit(walkers, StyleOptions())
    in_style = clip_in_style.of_clip(style, walkers[2])
    same = change.Change(in_style.rows(style.form), 1.0, in_style.row, {}, ())
    made = restyle.restyle_clip(in_style, same)
    assert np.abs(kinematics.points(made) - kinematics.points(walkers[2])).max() < 1e-6


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "goes_along"), list(zip(("mb_02_01", *ASIDE), ("natural", "only", "natural", "only"), strict=True))
)
def test_sliders_give_what_they_say(style, name, goes_along):
    off = []
    for slider, amount in (
        ("stride", 1.0),
        ("cadence", -1.0),
        ("swing", 1.0),
        ("lean", 1.0),
        ("elbows", -1.0),
        ("bounce", 0.7),
    ):
        made = done(Restyle(**{slider: amount}, goes_along=goes_along), material.captured(f"cmu_{name}"), style)
        reported = made.report["style"]["sliders"][slider]
        held = any(one.startswith(slider) for one in made.report["style"]["held"])
        if not held:
            off.append(abs(reported["after"] - reported["before"] - amount))
    assert len(off) >= 3
    assert np.median(off) <= 0.05


@pytest.mark.shared
def test_only_this_leaves_the_other_measures(style):
    clip = material.captured("cmu_mb_05_01")
    both = [done(Restyle(swing=1.0, goes_along=way), clip, style) for way in ("only", "natural")]
    moved = []
    for made in both:
        away = np.abs(style.standard(made.changed.row) - made.in_style.standard)
        others = [k for k, name in enumerate(style.sliders.names) if name not in ("swing", "speed")]
        moved.append(np.median(away[others]))
    assert moved[0] < 0.2
    assert moved[1] > 2.0 * moved[0]


@pytest.mark.shared
def test_what_is_said_of_sliders_is_measured_on_the_clip_that_was_made(style):
    made = done(Restyle(stride=1.0, plant_feet=False), material.captured("cmu_mb_05_01"), style)
    reported = made.report["style"]["sliders"]["stride"]
    again = clip_in_style.of_clip(style, made.clip).standard[style.sliders.names.index("stride")]
    assert again == pytest.approx(reported["after"], abs=0.25)


@pytest.mark.shared
def test_what_is_unusual_is_held_back_and_said(style):
    made = done(Restyle(lean=6.0), material.captured("cmu_mb_02_01"), style)
    assert made.report["style"]["sliders"]["lean"]["after"] == pytest.approx(change.USUAL, abs=0.1)
    assert any("lean" in one and "held at +3.0" in one for one in made.report["warnings"])


def test_few_people_are_not_left_behind(walkers):
    style = fit.fit(walkers, StyleOptions())
    made = verbs.apply(Restyle(cadence=6.0), walkers, prepared=style)
    index = style.sliders.names.index("cadence")
    assert made.report["style"]["sliders"]["cadence"]["after"] <= style.sliders.highest[index] + 0.05
    assert made.report["style"]["held"]


@pytest.mark.shared
@pytest.mark.parametrize("name", ["mb_05_01", "mb_12_01"])
def test_without_any_component_speed_and_individuality_it_is_the_mean_walk(style, name):
    none = {f"factor_{k}": 0.0 for k in range(1, 7)}
    recipe = Restyle(**none, components="together", own_speed=0.0, individuality=0.0)
    made = done(recipe, material.captured(f"cmu_{name}"), style)
    assert np.abs(made.changed.row - made.in_style.style.mean).max() < 1e-9


@pytest.mark.shared
@pytest.mark.parametrize("way", ["apart", "together", "source"])
def test_factors_of_one_are_the_clip_and_of_three_go_away_from_the_mean(style, way):
    clip = material.captured("cmu_mb_06_01")
    made = done(Restyle(components=way, factor_2=3.0, plant_feet=False), clip, style)
    learnt = style.learnt(way)

    def score(row):
        rows = style.form.read(row[:-1].reshape(form.PHASES, -1))
        return learnt.scores(learnt.form.to_rows(rows)[None])[0]

    before, after = score(made.in_style.row), score(made.changed.row)
    most = max(change.USUAL * learnt.parts.deviations[1], abs(before[1]))
    assert after[1] == pytest.approx(np.clip(3.0 * before[1], -most, most), rel=0.02, abs=0.02)
    assert after[0] == pytest.approx(before[0], abs=0.05 * learnt.parts.deviations[0])


@pytest.mark.shared
def test_towards_a_person_it_measures_as_they_do(style):
    made = done(Restyle(toward="cmu_mb_35_01"), material.captured("cmu_mb_05_01"), style)
    style = made.in_style.style  # on the clip's own body
    theirs = style.standard(style.people["cmu_mb_35_01"])
    assert np.abs(style.standard(made.changed.row) - theirs).max() < 1e-6


def test_a_label_has_a_mean_of_its_own(walkers):
    moods = [(clip.name, "sad" if k % 2 else "glad") for k, clip in enumerate(walkers)]
    options = {"labels": table_of(("clip", "mood"), moods)}
    made = verbs.apply(Restyle(toward="mood=sad", toward_amount=0.5, **options), walkers)
    assert made.changed is not None
    with pytest.raises(OptionError, match="toward is 'mood=angry', but the style knows"):
        verbs.apply(Restyle(toward="mood=angry", **options), walkers)


@pytest.mark.both_engines
def test_variations_are_the_same_by_number_and_differ_by_it(walkers):
    made = [verbs.apply(Restyle(variation=number), walkers).clip for number in (1, 1, 2)]
    assert np.array_equal(made[0].rotations, made[1].rotations)
    assert len(made[0]) != len(made[2]) or np.abs(made[0].rotations - made[2].rotations).max() > 0.01
    assert made[0].name == "p0 variation 1"


@pytest.mark.both_engines
def test_turned_and_moved_before_is_turned_and_moved_after(walkers):
    turn, shift = 1.1, np.array([2.0, -3.0])
    moved = [root_motion.place_clip(walkers[0], turn, shift), *walkers[1:]]
    recipe = Restyle(stride=0.5, lean=0.5)
    there = verbs.apply(recipe, moved).clip
    here = root_motion.place_clip(verbs.apply(recipe, walkers).clip, turn, shift)
    assert len(here) == len(there)
    assert np.abs(kinematics.points(here) - kinematics.points(there)).max() < 1e-4


def test_a_cycle_stays_one(walkers):
    clip = replace(actions.walk(30.0, 1, speed=1.2, step=0.6), name="cycle")
    made = verbs.apply(Restyle(bounce=0.5, cadence=0.5), [clip, *walkers])
    assert made.before.cyclic
    assert cycles.gap(made.clip) < 1e-3 * clip.skeleton.height
    assert len(made.clip) < len(clip)  # more steps a minute


@pytest.mark.shared
@pytest.mark.parametrize("name", ["mb_05_01", "mb_08_01"])
def test_feet_stand_and_knees_bend_the_right_way(style, name):
    clip = material.captured(f"cmu_{name}")
    for recipe in (Restyle(stride=2.0), Restyle(bounce=2.0), Restyle(lift=-2.0), Restyle(speed=-1.5)):
        made = done(recipe, clip, style)
        assert made.report["style"]["knees"] > min(knees.least(made.before), 0.0) - 1.0
        slides = made.report["plant"]
        assert slides["spans"]
        assert made.report["quality"]["after"]["slide_cm_s"] < made.report["quality"]["before"][0]["slide_cm_s"]


def test_a_knee_that_was_bent_to_the_wrong_side_is_straight_and_the_foot_turns_as_before():
    clip = actions.walk(30.0, 3)
    (left, _) = ik.legs(clip.skeleton)
    bent = clip.rotations.copy()
    back = quat.inv(clip.rotations[20:40, left.lower])
    bent[20:40, left.lower] = quat.mul(quat.mul(back, back), bent[20:40, left.lower])  # by its angle, to the other side
    wrong = replace(clip, rotations=bent)
    assert knees.least(wrong) < -5.0
    made = knees.without_hyperextension(wrong, clip)
    assert knees.least(made) > -0.5
    turned, was = kinematics.world(made)[0], kinematics.world(wrong)[0]
    assert np.abs(quat.same_side(turned[:, left.end], was[:, left.end]) - was[:, left.end]).max() < 1e-9
    assert np.abs(made.rotations[:10] - wrong.rotations[:10]).max() < 1e-9
    assert knees.without_hyperextension(clip, clip) is clip
    # Bodies that are solved in another way, and scaled ones, stay as they are.
    every = np.ones(len(clip.skeleton), dtype=bool)
    loose = Inheritance(~every, ("NONE",) * len(every), every, quat.IDENTITY)
    scaled = np.full((len(clip), len(clip.skeleton), 3), 1.5)
    for other in (replace(wrong, skeleton=replace(clip.skeleton, inheritance=loose)), replace(wrong, scales=scaled)):
        assert knees.without_hyperextension(other, clip) is other


def test_what_can_not_be_done_is_refused(walkers):
    style = fit.fit(walkers, StyleOptions())
    with pytest.raises(ClipError, match="wave has no whole stride"):
        verbs.apply(Restyle(), [actions.wave(30.0)], prepared=style)
    with pytest.raises(ClipError, match="Restyle takes 1 or more clips; 0 given"):
        verbs.apply(Restyle(), [], prepared=style)
    with pytest.raises(OptionError, match="stride is 9, but must lie between -6 and 6"):
        Restyle(stride=9)


def test_what_walks_on_the_spot_is_restyled_as_it_would_go_and_stays_there(walkers):
    spot = [replace(verbs.apply(InPlace(), [clip]).clip, name=clip.name, channels={}) for clip in walkers]
    recipe = Restyle(cadence=0.7, bounce=0.3)
    going, staying = (verbs.apply(recipe, clips) for clips in (walkers, spot))
    for name in ("cadence", "bounce"):
        one, other = (made.report["style"]["sliders"][name]["after"] for made in (going, staying))
        assert one == pytest.approx(other, abs=0.05)
    assert any("p0 was given" in one for one in staying.report["warnings"])
    ground = root_motion.ground_frames(staying.clip)[0]
    assert np.linalg.norm(ground - ground[0], axis=1).max() < 0.15
    again = verbs.apply(Travel(), [staying.clip]).clip  # its way is known
    away = np.linalg.norm(np.diff(root_motion.ground_frames(again)[0][[0, -1]], axis=0))
    theirs = np.linalg.norm(np.diff(root_motion.ground_frames(going.clip)[0][[0, -1]], axis=0))
    assert away == pytest.approx(theirs, rel=0.05)
