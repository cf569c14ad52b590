"""Strides: their starts, their rows, and their measures."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.errors import ClipError, OptionError
from action_loom.core.motion import kinematics, quat, resample, root_motion
from action_loom.core.recipes.style import StyleOptions, renamed_in, table_of
from action_loom.core.style import form as forms
from action_loom.core.style import gait_phase, labels, material, measures
from action_loom.core.style.form import PHASES
from oracles import material as oracle
from scipy.signal import resample as fourier

pytestmark = pytest.mark.both_engines


def lengths(phases):
    return [stride.end - stride.first for stride in phases.of_own]


def test_strides_of_a_walk_are_as_long_as_its_cycles():
    clip = actions.walk(30.0, 4)
    found = gait_phase.by_contacts(clip)
    cycle = len(actions.walk(30.0, 1)) - 1
    assert len(found.of_own) >= 3
    assert np.abs(np.array(lengths(found)) - cycle).max() <= 1
    # The right foot comes down in the middle, in a walk that is the same on both sides.
    assert all(abs(s.middle - 0.5 * (s.first + s.end)) <= 1.0 for s in found.of_own)
    assert (np.diff(found.at(np.arange(len(clip), dtype=float))) > 0.0).all()


def test_a_cycle_has_one_stride_and_a_phase_that_goes_round_once():
    clip = actions.walk(30.0, 1)
    found = gait_phase.by_contacts(clip)
    assert len(found.of_own) == 1
    phase = found.at(np.arange(found.own.start, found.own.stop, dtype=float))
    assert phase[-1] - phase[0] == pytest.approx(1.0)


@pytest.mark.parametrize("rate", [60.0, 120.0])
def test_at_another_rate_and_elsewhere_the_phases_are_the_same(rate):
    clip = actions.sneak(30.0, 4)
    moved = root_motion.place_clip(resample.to_rate(clip, rate), 2.0, np.array([3.0, -4.0]))
    one, other = gait_phase.by_contacts(clip), gait_phase.by_contacts(moved)
    times = np.linspace(0.0, clip.seconds, 50)
    away = one.at(times * 30.0) - other.at(times * rate)
    assert np.abs(away - away.mean()).max() < 1.5 / lengths(one)[0]


def test_what_has_no_strides_is_refused_by_name():
    with pytest.raises(ClipError, match="wave has no whole stride"):
        gait_phase.by_contacts(actions.wave(30.0))
    nameless = actions.walk(30.0, 3)
    body = nameless.skeleton
    names = tuple(f"b{k}" for k in range(len(body)))
    with pytest.raises(ClipError, match="its feet are not known"):
        gait_phase.by_contacts(replace(nameless, skeleton=replace(body, names=names, roles={"hips": 0})))


def test_what_repeats_without_steps_has_repetitions():
    found = gait_phase.by_cycles(oracle.walk(6.0, stride=1.0))
    assert len(found.of_own) >= 3
    assert lengths(found)[0] == pytest.approx(30.0, abs=1.0)


def test_rows_say_the_motion_and_are_read_again():
    phases = gait_phase.by_contacts(actions.run(30.0, 5))
    motion = forms.motion_of_stride(phases, phases.of_own[0])
    turns = np.concatenate([motion.turns, motion.hips[:, None]], axis=1)
    form = forms.Form(phases.clip.skeleton, forms.joints_of(phases.clip.skeleton), quat.mean_of_frames(turns))
    again = form.read(form.to_rows(motion))
    assert np.abs(quat.same_side(again.turns, motion.turns) - motion.turns).max() < 1e-12
    assert np.abs(quat.same_side(again.hips, motion.hips) - motion.hips).max() < 1e-12
    assert np.array_equal(again.height, motion.height)
    assert np.array_equal(again.steps, motion.steps)


def test_a_stride_as_a_clip_goes_as_the_clip_does(walkers):
    found = material.gather(walkers, StyleOptions())
    clip = forms.as_clip(found.form, found.rows[0], float(found.seconds[0]))
    assert clip.seconds == pytest.approx(found.seconds[0])
    feet = [found.form.skeleton.roles[f"foot.{side}"] for side in "LR"]
    _, places = kinematics.world(clip)
    source = walkers[0]
    phases = gait_phase.by_contacts(source)
    stride = phases.of_own[0]
    assert found.frames[0].tolist() == [stride.first - phases.own.start, stride.end - phases.own.start]
    source = phases.clip
    halves = (stride.first, stride.middle), (stride.middle, stride.end)
    frames = np.concatenate([np.linspace(*half, PHASES // 2, endpoint=False) for half in halves] + [[stride.end]])
    _, theirs = kinematics.world(resample.sample(source, frames))
    for joints in (feet, [0, feet[0]], [0, feet[1]]):  # wherever it stands and faces
        ours, wanted = (np.linalg.norm(one[:, joints[0]] - one[:, joints[1]], axis=1) for one in (places, theirs))
        assert np.abs(ours - wanted).max() < 0.01
    assert np.abs(places[:, feet, 2] - theirs[:, feet, 2]).max() < 0.01


def test_between_phases_lies_the_one_smooth_periodic_curve():
    count = forms.PHASES
    values = np.random.default_rng(1).normal(size=(count, 3))
    fine = forms.at_phases(np.arange(4 * count) / (4 * count)) @ values
    assert np.abs(fine - fourier(values, 4 * count, axis=0)).max() < 1e-9
    assert np.abs(forms.at_phases(np.arange(count) / count + 2.0) @ values - values).max() < 1e-9


def test_people_weigh_alike_whatever_the_number_of_their_clips(walkers):
    clips = [*walkers, replace(walkers[0], name="again")]
    table = table_of(("clip", "person"), [(c.name, "p0" if c.name == "again" else c.name) for c in clips])
    found = material.gather(clips, StyleOptions(labels=table))
    of_people = dict.fromkeys(found.people, 0.0)
    for weight, clip in zip(found.weights, found.of, strict=True):
        of_people[found.people[clip]] += weight
    assert np.array(list(of_people.values())) == pytest.approx(1.0 / 6.0)


def test_mirror_images_double_the_strides_and_turn_the_other_way():
    clips = [replace(actions.walk(30.0, 4, turn=turn), name=f"c{k}") for k, turn in enumerate((0.1, 0.2))]
    alone = material.gather(clips, StyleOptions(turns=360.0), least=1)
    both = material.gather(clips, StyleOptions(turns=360.0, mirror=True), least=1)
    turns = both.measured["turn"]
    assert len(both) >= 2 * len(alone) - 2
    assert turns.min() < -1.0 < 1.0 < turns.max()


def test_measures_of_a_walk_are_those_it_was_made_with():
    clip = actions.walk(60.0, 4, speed=1.3, step=0.69)
    found = material.gather([clip, replace(clip, name="other")], StyleOptions(), least=1)
    unit = measures.unit_of(clip.skeleton)
    assert found.measured["speed"] * unit == pytest.approx(1.3, rel=0.03)
    assert found.measured["stride"] * unit == pytest.approx(2.0 * 0.69, rel=0.03)
    assert np.abs(found.measured["turn"]).max() < 1.0


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("who", "age"), ("p0", "3")], "one of them 'clip'"),
        ([("clip", "clip"), ("p0", "3")], "none twice"),
        ([("clip", "age"), ("p0", "3")], "no row for 'p1'"),
        ([("clip", "age"), ("p0", "3"), ("p0", "4"), ("p1", "2")], "labels has p0 twice"),
        ([("clip", "age"), ("p0", "3", "4"), ("p1", "2")], "row 2 has 3 values, but takes 2"),
        ([("clip", "age"), ("p0", "3"), ("p1", "3")], "age tells no clips apart"),
        ([("clip", "age", "mood"), ("p0", "3", "a"), ("p1", "4", "b")], "age and mood say the same"),
        ([("clip", "person"), ("p0", "anna"), ("p1", "")], "p1 has no person"),
    ],
)
def test_tables_that_say_nothing_are_refused(rows, message):
    with pytest.raises(OptionError, match=message):
        labels.of_clips(table_of(rows[0], rows[1:]), ["p0", "p1"])


def test_a_table_of_another_system_is_read_and_an_endless_cell_is_refused():
    assert labels.of_clips("clip,person\rp0,Ann\rp1,Bob", ["p0", "p1"]).people == ("Ann", "Bob")
    endless = f"clip,person\np0,{'x' * 200_000}\np1,Bob"
    assert renamed_in(endless, {"p0": "p2"}) == endless
    with pytest.raises(OptionError, match="the table can't be read"):
        labels.of_clips(endless, ["p0", "p1"])


def test_a_table_may_name_files_and_is_renamed_with_its_clips():
    table = table_of(("clip", "person", "mood"), [("a.bvh", "x", "sad"), ("b", "y", "glad")])
    found = labels.of_clips(table, ["a", "b"])
    assert found.people == ("x", "y")
    assert found.columns == {"mood": ("sad", "glad")}
    assert "c,y,glad" in renamed_in(table, {"b": "c"})
    assert renamed_in("", {"b": "c"}) == ""


def test_too_few_strides_and_a_single_person_are_refused(walkers):
    with pytest.raises(ClipError, match="At least 8 strides are needed"):
        material.gather(walkers[:1], StyleOptions())
    table = table_of(("clip", "person"), [(clip.name, "anna") for clip in walkers])
    with pytest.raises(ClipError, match="one person, anna"):
        material.gather(walkers, StyleOptions(labels=table))


def test_clips_without_strides_are_named_and_left_out(walkers):
    found = material.gather([*walkers, actions.wave(30.0)], StyleOptions())
    assert len(found.left_out) == 1
    assert "wave has no whole stride" in found.left_out[0]
    assert len(walkers) not in set(found.of.tolist())
