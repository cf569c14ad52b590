"""Style and Parametric in Blender: learnt from imported walks of several people, used on the current figure."""

import bpy
import characters
import material
import numpy as np
import pytest
from material import SHARED, fcurves, fingerprint, import_motion, list_sources, needs_shared

WALKS = ("02_01", "05_01", "06_01", "07_01", "16_15", "35_01")
pytestmark = [needs_shared, pytest.mark.core_result]


@pytest.fixture
def people(once):
    """The demo figure with walks of six people as its actions; the first is listed first, and all are ticked."""
    return once(_import_people)


def _import_people():
    bpy.ops.action_loom.add_demo()
    assert import_motion(*(SHARED / "cmu" / f"cmu_mb_{name}.bvh" for name in WALKS), plant_feet=False) == {"FINISHED"}


def sources(*names):
    return [{"name": name, "weight": 1.0} for name in names or [f"cmu_mb_{name}" for name in WALKS]]


def made_by(operator, **options):
    """Run an operator and return the actions it makes, sorted by name."""
    before = set(bpy.data.actions)
    assert operator(**options) == {"FINISHED"}
    return sorted(set(bpy.data.actions) - before, key=lambda action: action.name)


def test_a_slider_makes_a_new_action_and_leaves_the_others(people):
    before = {action.name: fingerprint(action) for action in bpy.data.actions}
    (made,) = made_by(bpy.ops.action_loom.restyle, sources=sources(), stride=1.0, swing=1.0)
    assert made.name == "cmu_mb_02_01 restyled"
    assert {name: fingerprint(bpy.data.actions[name]) for name in before} == before
    assert fingerprint(made) != before["cmu_mb_02_01"]
    assert people.animation_data.action == made


def test_without_a_change_no_action_is_made_and_it_is_said(people, capfd):
    assert made_by(bpy.ops.action_loom.restyle, sources=sources()) == []
    assert "nothing was changed, so no action was made" in capfd.readouterr().out
    assert bpy.context.scene.action_loom.rigs[0].last == "Restyle: nothing was changed, so no action was made"


def _values(action, path):
    own = sorted((c for c in fcurves(action) if c.data_path == path), key=lambda curve: curve.array_index)
    return np.array([[point.co[1] for point in curve.keyframe_points] for curve in own]).T


def test_each_ticked_action_is_restyled_by_what_is_learnt_once(people, loom, monkeypatch):
    few = WALKS[:4]
    names = [f"cmu_mb_{name}" for name in few]
    was = {name: fingerprint(bpy.data.actions[name]) for name in names}
    settings = list_sources(people, *names, mode="restyle")
    settings.restyle_each, settings.restyle.stride = True, 1.0
    settings.result.place = "REFERENCE"  # independent of the figure's current action
    fit, learnt = loom("core.style.fit"), []
    gather = fit.material.gather
    monkeypatch.setattr(fit.material, "gather", lambda *given: learnt.append(given) or gather(*given))
    bpy.ops.ed.undo_push(message="before")
    with bpy.context.temp_override(action_loom_armature=people):
        made = made_by(bpy.ops.action_loom.restyle)
    assert [action.name for action in made] == [f"{name} restyled" for name in names]
    assert len(learnt) == 1
    assert {name: fingerprint(bpy.data.actions[name]) for name in names} == was
    assert people.animation_data.action.name == "cmu_mb_02_01 restyled"
    second = bpy.data.actions["cmu_mb_05_01 restyled"]
    together = _values(second, 'pose.bones["thigh.L"].rotation_quaternion')
    assert bpy.ops.action_loom.rebuild(action=second.name) == {"FINISHED"}
    again = _values(second, 'pose.bones["thigh.L"].rotation_quaternion')
    assert np.abs(together - again).max() < 1e-5
    (alone,) = made_by(bpy.ops.action_loom.restyle, sources=sources(*names), stride=1.0, each=False)
    first = bpy.data.actions["cmu_mb_02_01 restyled"]
    assert fingerprint(alone) == fingerprint(first)


def test_words_of_lines_name_the_people(people, capfd):
    """Labels name the people; if all clips have one label, the style uses the walks shipped with Action Loom."""
    settings = list_sources(people, *(f"cmu_mb_{name}" for name in WALKS), mode="restyle")
    settings.restyle.stride = 1.0
    lines = settings.rigs[0].sources
    for number, line in enumerate(lines):
        line.label = "anna" if number < 3 else "ben"
    assert bpy.ops.action_loom.restyle("INVOKE_DEFAULT") == {"FINISHED"}
    for line in lines:
        line.label = "anna"
    assert bpy.ops.action_loom.restyle("INVOKE_DEFAULT") == {"FINISHED"}
    assert "brings along: All strides are of one person, anna" in capfd.readouterr().out


def test_a_text_of_the_file_has_labels(people):
    settings = list_sources(people, *(f"cmu_mb_{name}" for name in WALKS), mode="restyle")
    text = bpy.data.texts.new("who")
    rows = [f"cmu_mb_{name},{'sad' if number % 2 else 'glad'}" for number, name in enumerate(WALKS)]
    text.from_string("\n".join(["clip,mood", *rows]))
    settings.labels = text
    settings.restyle.toward = "mood=sad"
    assert bpy.ops.action_loom.restyle("INVOKE_DEFAULT") == {"FINISHED"}
    made = people.animation_data.action
    settings.labels, settings.restyle.toward = None, ""
    assert bpy.ops.action_loom.edit_recipe(action=made.name) == {"FINISHED"}
    assert settings.mode == "restyle"
    assert settings.restyle.toward == "mood=sad"
    assert "mood" in settings.labels.as_string()


def test_a_named_style_is_a_rule_in_sliders(people):
    settings = list_sources(people, f"cmu_mb_{WALKS[0]}", mode="restyle")
    assert settings.named_style == "none"
    settings.named_style = "tired"
    assert settings.restyle.toward == "tired"
    assert bpy.ops.action_loom.restyle("INVOKE_DEFAULT") == {"FINISHED"}
    made = people.animation_data.action
    assert made.name == f"cmu_mb_{WALKS[0]} tired"
    settings.named_style = "none"
    assert settings.restyle.toward == ""
    assert bpy.ops.action_loom.edit_recipe(action=made.name) == {"FINISHED"}
    assert settings.named_style == "tired"
    settings.restyle.toward = "anna"
    assert settings.named_style == "none"


def test_what_is_learnt_is_said(people, loom):
    settings = list_sources(people, *(f"cmu_mb_{name}" for name in WALKS), mode="restyle")
    assert bpy.ops.action_loom.learn_style("INVOKE_DEFAULT") == {"FINISHED"}
    styles, state = loom("addon.services.styles.styles"), loom("addon.services.preview.panel_state")
    known = styles.style_of(people, state.asked_state(bpy.context.scene, settings.rigs[0], "style"))
    assert "strides of 6 people" in known.lines[0]
    assert {"stride", "cadence", "speed"} <= set(known.ranges)
    settings.style.turns = 10.0  # the panel's options have changed
    assert styles.style_of(people, state.asked_state(bpy.context.scene, settings.rigs[0], "style")) is None


def test_variations_are_several_and_differ(people):
    made = made_by(bpy.ops.action_loom.variations, sources=sources(), count=3)
    assert [action.name for action in made] == [f"cmu_mb_02_01 variation {k}" for k in (1, 2, 3)]
    assert len({fingerprint(action) for action in made}) == 3
    assert people.animation_data.action == made[0]


def test_a_preview_writes_nothing_and_tells_what_came(people, loom):
    settings = list_sources(people, *(f"cmu_mb_{name}" for name in WALKS), mode="restyle")
    settings.restyle.bounce = 1.0
    assert not made_by(bpy.ops.action_loom.restyle, sources=sources(), bounce=1.0, preview=True)
    reached = loom("addon.services.styles.styles").reached_measures(people)
    assert reached.measured["bounce"]["after"] - reached.measured["bounce"]["before"] == pytest.approx(1.0, abs=0.1)


def test_what_is_asked_for_comes_and_the_shares_are_in_the_list(people, loom):
    settings = list_sources(people, *(f"cmu_mb_{name}" for name in WALKS), mode="ask")
    settings.ask.speed = 1.1
    assert bpy.ops.action_loom.ask("INVOKE_DEFAULT") == {"FINISHED"}
    made = people.animation_data.action
    assert made.use_cyclic
    first, last = made.curve_frame_range
    shares = [line.weight for line in settings.rigs[0].sources if line.use]
    assert sum(shares) == pytest.approx(1.0, abs=1e-3)
    assert 1 <= sum(share > 0.0 for share in shares) <= 3
    assert 0.5 < (last - first) / loom("addon.bridge.rates").rate_of(made) < 2.5


def test_outside_of_what_they_do_is_said(people, capfd):
    made_by(bpy.ops.action_loom.ask, sources=sources(), speed=9.0)
    assert "outside what these clips do together" in capfd.readouterr().out
    with pytest.raises(RuntimeError, match="Nothing is asked for"):
        bpy.ops.action_loom.ask(sources=sources(), any_turn=True)


def test_a_style_is_kept_in_the_file_saved_loaded_and_used_without_its_actions(people, tmp_path):
    assert bpy.ops.action_loom.keep_style(sources=sources(), name="six people") == {"FINISHED"}
    settings = list_sources(people, "cmu_mb_02_01", mode="restyle")
    assert settings.kept_style.name == "six people.loomstyle"
    settings.restyle.lean = 1.0
    assert bpy.ops.action_loom.restyle("INVOKE_DEFAULT") == {"FINISHED"}
    made = people.animation_data.action
    (learnt,) = made_by(bpy.ops.action_loom.restyle, sources=sources(), lean=1.0, kept="")
    path = 'pose.bones["spine"].rotation_quaternion'
    assert np.abs(_values(made, path) - _values(learnt, path)).max() < 1e-3
    was = fingerprint(made)
    assert bpy.ops.action_loom.rebuild(action=made.name) == {"FINISHED"}
    assert fingerprint(made) == was
    assert bpy.ops.action_loom.save_style(filepath=str(tmp_path / "six")) == {"FINISHED"}
    with pytest.raises(RuntimeError, match="or Overwrite"):
        bpy.ops.action_loom.save_style(filepath=str(tmp_path / "six.npz"))
    bpy.data.texts.remove(settings.kept_style)
    with pytest.raises(RuntimeError, match="is not in the file any more"):
        bpy.ops.action_loom.rebuild(action=made.name)
    assert bpy.ops.action_loom.load_style(filepath=str(tmp_path / "six.npz")) == {"FINISHED"}
    assert settings.kept_style.name == "six.loomstyle"
    settings.kept_style.from_string("nothing of the kind")
    with pytest.raises(RuntimeError, match="is not a style"):
        bpy.ops.action_loom.restyle("INVOKE_DEFAULT")


def test_a_preview_follows_what_is_asked_for(loom):
    bpy.ops.action_loom.add_demo()
    rig = bpy.context.object
    settings = list_sources(rig, "Walk", "Run", mode="ask")
    settings.ask.speed = 1.8
    assert bpy.ops.action_loom.ask("INVOKE_DEFAULT", preview=True) == {"FINISHED"}
    previews, follow = loom("addon.services.preview.previews"), loom("addon.services.preview.ghost_follow")
    before = previews.of(rig.session_uid).woven.report["ask"]["got"]["speed"]
    settings.ask.speed = 2.4
    assert follow.follow(bpy.context)
    assert previews.of(rig.session_uid).woven.report["ask"]["got"]["speed"] > before
    field = loom("addon.services.styles.ask_field").field_of(rig.session_uid, ["Walk", "Run"])
    for speed, turn in ((1.8, 0.0), (2.4, 3.0)):
        assert field.asked(field.place(speed, turn)) == pytest.approx((speed, turn), abs=1e-6)
    assert field.place(1.8, 5.0)[0] < field.place(1.8, -5.0)[0]  # left turns are on the left
    assert loom("addon.services.styles.ask_field").field_of(rig.session_uid, ["Walk", "Sneak"]) is None


def test_it_walks_along_a_curve(loom):
    bpy.ops.action_loom.add_demo()
    rig = bpy.context.object
    curve = material.draw_curve([(0, 0), (0, -4), (1, -8)], "Way")
    settings = list_sources(rig, "Walk", "Turn Left", "Turn Right", mode="ask")
    settings.ask_curve, settings.ask.speed = curve, 1.2
    assert bpy.ops.action_loom.ask("INVOKE_DEFAULT") == {"FINISHED"}
    action = rig.animation_data.action
    bpy.context.scene.frame_set(round(action.curve_frame_range[1]))
    there = (rig.matrix_world @ rig.pose.bones["hips"].matrix).translation
    assert np.hypot(there.x - 1.0, there.y + 8.0) < 1.5
    settings.ask_curve = None
    assert bpy.ops.action_loom.edit_recipe(action=action.name) == {"FINISHED"}
    assert settings.ask_curve == curve
    was = fingerprint(action)
    assert bpy.ops.action_loom.rebuild(action=action.name) == {"FINISHED"}
    assert fingerprint(action) == was


def test_every_selected_armature_gets_a_variation_of_its_own(people, capfd):
    """Selected armatures with the same bones get a variation each; one with other bones is left out and named."""
    crowd = []
    for number in range(2):
        one = people.copy()
        one.animation_data_clear()
        one.name = f"Crowd {number}"
        bpy.context.scene.collection.objects.link(one)
        crowd.append(one)
    stranger = material.armature(name="Stranger")
    for one in (*crowd, stranger, people):
        one.select_set(True)
    bpy.context.view_layer.objects.active = people
    made = made_by(bpy.ops.action_loom.variations, sources=sources(), to_selected=True)
    assert len(made) == 3
    assert [one.animation_data.action for one in (people, *crowd)] == made
    assert "Stranger has other bones" in capfd.readouterr().out
    seen = []
    for one in (people, *crowd):
        bpy.context.scene.frame_set(60)
        seen.append(np.array([bone.matrix for bone in one.pose.bones]))
    assert np.abs(seen[1] - seen[0]).max() > 0.01
    assert np.abs(seen[2] - seen[1]).max() > 0.01


def test_one_walk_of_a_game_character_is_restyled_and_asked_for_a_speed(capfd):
    characters.character("RobotExpressive")
    walk = next(action.name for action in bpy.data.actions if action.name == "Walking")
    before = fingerprint(bpy.data.actions[walk])
    (leaning,) = made_by(bpy.ops.action_loom.restyle, sources=sources(walk), lean=2.0, stride=1.0)
    assert "the walks that Action Loom brings along" in capfd.readouterr().out
    assert fingerprint(leaning) != before
    for turn in (0.0, 30.0):
        (asked,) = made_by(bpy.ops.action_loom.ask, sources=sources(walk), speed=3.0, turn=turn)
        assert asked.use_cyclic is (turn == 0.0)  # Blender's cycles offset places, but do not turn
    assert fingerprint(bpy.data.actions[walk]) == before
