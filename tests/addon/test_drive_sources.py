"""Sources of Drive other than ticked actions: the legs of the playing action, a library, and a target to follow."""

import bpy
import drawing
import material
import numpy as np
import pytest
from steered import event, go, walking

pytestmark = pytest.mark.core_result


def arms_and_legs(rig, action, frames=range(1, 20)):
    """Return left hand and both feet in the hips' space, and the hips' position, at frames of an action (F, 4, 3)."""
    rig.animation_data.action = action
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        hips = rig.pose.bones["hips"].matrix
        parts = [hips.inverted() @ rig.pose.bones[name].tail for name in ("forearm.L", "shin.L", "shin.R")]
        found.append([*map(tuple, parts), tuple(hips.translation)])
    return np.array(found)


def test_the_upper_body_is_driven_over_the_action_that_plays(loom):
    rig = walking()
    material.key_walk(rig, "legs", frames=40, stride=0.8, reach=0.4)
    legs = rig.animation_data.action
    settings = bpy.context.scene.action_loom
    settings.drive.upper_body_only = True
    steering = loom("addon.interface.operators.steer").Steering(bpy.context, rig)
    assert "Legs and way of Biped stay those of legs" in steering.initial_messages()
    steering.handle(bpy.context, event("W", shift=True))
    go(steering, 0.8)
    steering.leave(bpy.context)
    steering.put_wishes(settings)
    assert bpy.ops.action_loom.drive() == {"FINISHED"}
    action = rig.animation_data.action
    assert action.name == "slow + quick driven on legs"
    recipe = loom("addon.model.storage").recipe_of(action)
    assert recipe.upper_body_only
    made, plain = arms_and_legs(rig, action), arms_and_legs(rig, legs)
    assert np.abs(made[:, 1:] - plain[:, 1:]).max() < 1e-4
    assert np.abs(made[:, 0] - plain[:, 0]).max() > 0.02
    before = arms_and_legs(rig, action)
    assert bpy.ops.action_loom.rebuild() == {"FINISHED"}
    assert np.abs(arms_and_legs(rig, rig.animation_data.action) - before).max() < 1e-5
    rig.animation_data.action = None
    with pytest.raises(Exception, match="keeps the legs of the action that plays"):
        loom("addon.interface.operators.steer").Steering(bpy.context, rig)


def test_the_chosen_library_is_driven_with(loom, tmp_path):
    rig = walking()
    figure, bvh, index = (loom(f"core.{name}") for name in ("demo_character.actions", "formats.bvh", "library.index"))
    (tmp_path / "clips").mkdir()
    (tmp_path / "clips" / "run.bvh").write_bytes(bvh.compose(figure.run()))
    path = str(tmp_path / "all.loomlib")
    index.update(path, [str(tmp_path / "clips")])
    kept = loom("addon.model.preferences").read_preferences(bpy.context)
    before, kept.library = kept.library, path
    try:
        bpy.context.scene.action_loom.with_library = True
        steering = loom("addon.interface.operators.steer").Steering(bpy.context, rig)
        assert [clip.name for clip in steering.session.data.clips[:3]] == ["slow", "quick", "run"]
        steering.handle(bpy.context, event("W", shift=True))
        go(steering, 1.5)
        steering.leave(bpy.context)
        steering.put_wishes(bpy.context.scene.action_loom)
        assert bpy.ops.action_loom.drive() == {"FINISHED"}
        recipe = loom("addon.model.storage").recipe_of(rig.animation_data.action)
        assert recipe.library == path
    finally:
        kept.library = before


def test_a_skin_of_the_character_is_none_that_it_comes_after():
    rig = walking()

    def buttons():
        return [options.get("text") for kind, _, options in drawing.draw_all()["weave"] if kind == "operator"]

    for named in ("Skin", "Ball"):
        made = bpy.data.objects.new(named, bpy.data.meshes.new(named))
        bpy.context.scene.collection.objects.link(made)
        made.select_set(True)
        if named == "Skin":
            made.modifiers.new("Armature", "ARMATURE").object = rig
        assert ("Come After" in buttons()) == (named == "Ball")
