"""The blend operator as a script calls it, and the panel's list of sources."""

import bpy
import material
import numpy as np
import pytest
from material import needs_shared
from numpy.testing import assert_allclose


@pytest.fixture
def walks():
    """An armature with two captured walks of different people as its actions, named walk and stride."""
    rig, other = material.import_bvh("cmu_mb_07_01"), material.import_bvh("cmu_mb_16_15")
    first, second = rig.animation_data.action, other.animation_data.action
    first.name, second.name = "walk", "stride"
    first.use_fake_user = second.use_fake_user = True
    bpy.data.objects.remove(other)
    bpy.context.view_layer.objects.active = rig
    return rig


SOURCES = [{"name": "walk", "weight": 0.5}, {"name": "stride", "weight": 0.5}]


@needs_shared
def test_two_walks_become_a_new_action_and_stay_as_they_were(walks):
    before = {name: material.fingerprint(bpy.data.actions[name]) for name in ("walk", "stride")}
    frame, rate = bpy.context.scene.frame_current, material.scene_rate()
    assert bpy.ops.action_loom.blend(sources=SOURCES) == {"FINISHED"}
    result = walks.animation_data.action
    assert result.name == "walk + stride 50:50"
    assert result.use_fake_user
    assert bpy.data.actions["walk"].use_fake_user  # the displaced one
    assert {name: material.fingerprint(bpy.data.actions[name]) for name in before} == before
    assert (bpy.context.scene.frame_current, material.scene_rate()) == (frame, rate)
    first, last = result.frame_range
    assert first == 1.0  # where the reference begins
    assert 300 < last - first < 360
    # It plays: the hips travel on the armature that it is assigned to.
    start, end = (material.pose_positions(walks, ["Hips"], f)[0] for f in (first, last))
    assert np.linalg.norm(end - start) * 0.0564 > 2.5


@needs_shared
def test_the_result_is_what_core_makes_of_the_same_clips(walks, loom):
    rig, clips = loom("addon.bridge.rig"), loom("addon.bridge.clip")
    body, rate = rig.read(walks), material.scene_rate()
    sources = [clips.read(walks, bpy.data.actions[n], body, rate) for n in ("walk", "stride")]
    bpy.ops.action_loom.blend(sources=[{"name": "walk", "weight": 1.0}, {"name": "stride", "weight": 3.0}])
    woven = loom("core.recipes").Blend(weights=(1.0, 3.0)).apply([s.clip for s in sources]).clip
    again = clips.read(walks, walks.animation_data.action, body, rate).clip
    kinematics = loom("core.motion.kinematics")
    difference = np.abs(kinematics.points(again) - kinematics.points(woven)).max()
    assert difference < 1e-5 * body.skeleton.height


@needs_shared
def test_options_of_the_recipe_are_arguments_of_the_operator(walks):
    bpy.ops.action_loom.blend(
        sources=SOURCES, ends="pinned", timing="reference", metric="points", result_name="In time", assign=False
    )
    assert walks.animation_data.action.name == "walk"
    assert tuple(bpy.data.actions["In time"].frame_range) == (1.0, 316.0)  # one frame of T-pose is left out


@needs_shared
def test_undo_takes_it_back_in_one_step(walks):
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.action_loom.blend("EXEC_DEFAULT", True, sources=SOURCES)
    assert "walk + stride 50:50" in bpy.data.actions
    bpy.ops.ed.undo()
    assert "walk + stride 50:50" not in bpy.data.actions
    assert {"walk", "stride"} <= set(bpy.data.actions.keys())


@needs_shared
def test_the_list_holds_the_armatures_actions_and_nobody_elses(walks):
    stranger = material.armature(name="Stranger")
    material.key_by_hand(stranger, "stranger", seed=1)
    bpy.context.view_layer.objects.active = walks
    bpy.ops.action_loom.add_sources()
    rig = bpy.context.scene.action_loom.rigs[0]
    assert rig.armature == walks
    assert {source.action.name for source in rig.sources} == {"walk", "stride"}
    bpy.ops.action_loom.add_sources()
    assert len(rig.sources) == 2
    bpy.data.actions.remove(bpy.data.actions["stride"])
    bpy.ops.action_loom.add_sources()
    assert [source.action.name for source in rig.sources] == ["walk"]


def test_errors_reach_the_user_as_a_sentence():
    rig = material.armature()
    material.key_by_hand(rig, "one", seed=1)
    with pytest.raises(RuntimeError, match="Weaving takes two clips or more; 1 given"):
        bpy.ops.action_loom.blend(sources=[{"name": "one", "weight": 1.0}])
    with pytest.raises(RuntimeError, match="There is no action named 'gone'"):
        bpy.ops.action_loom.blend(sources=[{"name": "one", "weight": 1.0}, {"name": "gone", "weight": 1.0}])
    assert set(bpy.data.actions.keys()) == {"one"}


def test_a_button_that_cannot_work_says_why():
    with pytest.raises(RuntimeError, match="Select an armature"):
        bpy.ops.action_loom.blend()
    with pytest.raises(RuntimeError, match="Select an armature"):
        bpy.ops.action_loom.add_sources()


def test_hand_keyed_actions_of_any_mode_blend(loom):
    rig = material.armature(modes=("XYZ", "QUATERNION", "AXIS_ANGLE", "ZXY"))
    material.key_by_hand(rig, "one", seed=1)
    material.key_by_hand(rig, "two", seed=2, frames=(1, 12, 26, 41))
    bpy.ops.action_loom.blend(sources=[{"name": "one", "weight": 1.0}, {"name": "two", "weight": 0.0}], ends="pinned")
    result = rig.animation_data.action
    rigs, clips = loom("addon.bridge.rig"), loom("addon.bridge.clip")
    body = rigs.read(rig)
    one, woven = (clips.read(rig, action, body, 24.0).clip for action in (bpy.data.actions["one"], result))
    points = loom("core.motion.kinematics").points
    assert_allclose(points(woven), points(one), rtol=0.0, atol=1e-5)


def test_every_declared_property_exists_on_what_it_was_declared_on(loom):
    operators = loom("addon.operators.blend"), loom("addon.operators.sources")
    for module in operators:
        for name, cls in vars(module).items():
            if isinstance(cls, type) and issubclass(cls, bpy.types.Operator) and name.startswith("ACTION_LOOM"):
                declared = set(cls.__annotations__)
                identifier = cls.bl_idname.split(".")
                existing = set(getattr(getattr(bpy.ops, identifier[0]), identifier[1]).get_rna_type().properties.keys())
                assert declared <= existing, declared - existing
    options = set(loom("core.options").declared(loom("core.recipes").Blend))
    group = loom("addon.properties").ACTION_LOOM_PG_blend
    assert options - {"weights", "reference"} <= set(group.bl_rna.properties.keys())
