"""Edit a result, change its settings, and write them into the same action with the button Update."""

import bpy
import material
import pytest
from drawing import draw_all


@pytest.fixture
def rig():
    rig = material.two_walks()
    material.list_all()
    return rig


@pytest.fixture
def lines(rig):
    lines = bpy.context.scene.action_loom.rigs[0].sources
    for line in lines:
        line.use, line.weight = line.action.name in ("slow", "quick"), 0.5
    bpy.context.scene.action_loom.rigs[0].reference = 0
    return lines


@pytest.fixture
def result(rig, lines):
    (made,) = material.pressed(rig, "blend").values()
    assert made.name.endswith("50:50")
    assert bpy.ops.action_loom.edit_recipe() == {"FINISHED"}
    return made


def buttons():
    """Return the row of the played action: names of buttons and their texts."""
    return [(given[0], options.get("text")) for name, given, options in draw_all()["sources"] if name == "operator"]


def has_update():
    return ("action_loom.blend", "Update") in buttons()


def stored(action):
    return action["action_loom"].to_dict()["recipe"]


def test_update_writes_the_shown_settings_into_the_edited_result(rig, lines, result):
    before, keys, name, count = result.as_pointer(), material.fingerprint(result), result.name, len(bpy.data.actions)
    assert has_update()
    assert "action_loom.rebuild" not in [button for button, _ in buttons()]
    lines[1].share = 80
    assert material.press(rig, "blend", into=name) == {"FINISHED"}
    assert rig.animation_data.action == result
    assert (result.as_pointer(), len(bpy.data.actions)) == (before, count)
    assert result.name == name.replace("50:50", "20:80")
    assert "[0.2, 0.8]" in stored(result)
    updated = material.fingerprint(result)
    assert updated != keys
    assert not has_update()
    assert "action_loom.rebuild" in [button for button, _ in buttons()]
    assert bpy.ops.action_loom.rebuild() == {"FINISHED"}
    assert material.fingerprint(result) == updated
    assert result.name.endswith("20:80")
    (other,) = material.pressed(rig, "blend").values()  # the same settings woven as a new action
    assert material.fingerprint(other) == updated


def test_one_undo_step_restores_the_result_and_the_button(rig, lines, result):
    name, keys = result.name, material.fingerprint(result)
    lines[1].share = 80
    bpy.ops.ed.undo_push(message="before")
    with bpy.context.temp_override(action_loom_armature=rig):
        assert bpy.ops.action_loom.blend("INVOKE_DEFAULT", True, into=name) == {"FINISHED"}
    assert name not in bpy.data.actions
    bpy.ops.ed.undo()
    assert material.fingerprint(bpy.data.actions[name]) == keys
    assert "[0.5, 0.5]" in stored(bpy.data.actions[name])
    assert has_update()


def test_the_button_goes_with_another_action_mode_or_result(rig, lines, result):
    scene = bpy.context.scene
    assert has_update()
    rig.animation_data.action = bpy.data.actions["slow"]
    assert not has_update()
    assert bpy.ops.action_loom.play_action(action="slow") == {"FINISHED"}
    assert bpy.ops.action_loom.play_action(action=result.name) == {"FINISHED"}
    assert not has_update()
    bpy.ops.action_loom.edit_recipe()
    assert has_update()
    scene.action_loom.mode = "connect"
    scene.action_loom.mode = "blend"
    assert not has_update()
    bpy.ops.action_loom.edit_recipe()
    material.pressed(rig, "blend", assign=False)
    assert rig.animation_data.action == result
    assert not has_update()


def test_a_name_given_by_hand_stays_and_a_name_for_results_counts(rig, lines, result):
    result.name = "Hero walk"
    lines[1].share = 80
    material.press(rig, "blend", into="Hero walk")
    assert result.name == "Hero walk"
    (named,) = material.pressed(rig, "blend", result_name="Mixed").values()
    bpy.ops.action_loom.edit_recipe()
    bpy.context.scene.action_loom.result.result_name = "Stroll"
    material.press(rig, "blend", into="Mixed")
    assert named.name == "Stroll"


def test_hand_edits_and_impossible_sources_are_refused(rig, lines, result):
    line = next(line for line in lines if line.action == result)
    line.use = True
    with pytest.raises(RuntimeError, match="can't be made of itself: untick it"):
        material.press(rig, "blend", into=result.name)
    line.use = False
    for curve in material.fcurves(result):
        for point in curve.keyframe_points:
            point.co.y *= 0.5
    edited = material.fingerprint(result)
    with pytest.raises(RuntimeError, match="was edited by hand"):
        material.press(rig, "blend", into=result.name)
    assert material.fingerprint(result) == edited
    material.press(rig, "blend", into=result.name, overwrite_edits=True)
    assert material.fingerprint(result) != edited


def test_a_mode_for_single_actions_updates_one(rig, lines, result):
    bpy.context.scene.action_loom.mode = "loop"
    for line in lines:
        line.use = line.action.name == "slow"
    (made,) = material.pressed(rig, "loop").values()
    bpy.ops.action_loom.edit_recipe()
    for line in lines:
        line.use = line.action.name in ("slow", "quick")
    with pytest.raises(RuntimeError, match="alone: tick one action"):
        material.press(rig, "loop", into=made.name)
    for line in lines:
        line.use = line.action.name == "slow"
    bpy.context.scene.action_loom.loop.in_place = True
    name = made.name
    assert material.pressed(rig, "loop", into=name) == {}
    assert '"in_place": true' in stored(made)
