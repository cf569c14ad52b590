"""A long action is evaluated at few frames through a temporary action: same poses in Blender, and no leftovers."""

import bpy
import material
import numpy as np
import pytest

pytestmark = pytest.mark.core_result

FRAMES = np.array([1.0, 4.0, 17.0, 30.0, 41.0])


@pytest.fixture
def rig():
    rig = material.biped()
    material.key_walk(rig, "one", frames=30)
    return rig


def seen(loom, rig, played):
    body = loom("addon.bridge.rig").read(rig)
    look = loom("addon.bridge.evaluated_action").seen_in_the_world
    return look(bpy.context.scene, rig, played, body, body.bones, FRAMES)


def slotted(loom, rig):
    action = bpy.data.actions["one"]
    return action, loom("addon.bridge.curves").choose_slot(action, rig)


def test_what_is_shown_is_the_same_also_with_modifiers_drivers_and_constraints(rig, loom):
    few = loom("addon.bridge.few_frames")
    played, before = slotted(loom, rig), set(bpy.data.actions)
    every = loom("addon.bridge.curves").curves_of(*played)
    every[0].modifiers.new("NOISE")
    every[1].modifiers.new("CYCLES")
    every[2].mute = True
    rig["lean"] = 0.0
    rig.keyframe_insert('["lean"]', frame=1)
    driver = rig.driver_add('pose.bones["spine"].rotation_euler', 0)
    driver.driver.expression = "frame / 50.0"
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    ik = rig.pose.bones["shin.L"].constraints.new("IK")
    ik.target, ik.chain_count = target, 2
    whole = seen(loom, rig, played)
    with few.of(rig, played, FRAMES, few.LONG) as some:
        assert some[0] not in before
        assert all(len(curve.keyframe_points) == len(FRAMES) for curve in loom("addon.bridge.curves").curves_of(*some))
        for one, other in zip(seen(loom, rig, some), whole, strict=True):
            assert np.abs(one - other).max() < 1e-6
    assert set(bpy.data.actions) == before | {played[0]}


def test_short_actions_and_frames_between_are_looked_at_themselves(rig, loom):
    few, played = loom("addon.bridge.few_frames"), slotted(loom, rig)
    with few.of(rig, played, FRAMES, few.LONG - 1) as same:
        assert same[0] == played[0]
    with few.of(rig, played, FRAMES + 0.5, few.LONG) as same:
        assert same[0] == played[0]


def test_a_result_that_would_not_be_shown_is_refused_all_the_same(rig, loom, monkeypatch):
    monkeypatch.setattr(loom("addon.bridge.few_frames"), "LONG", 2)
    material.key_walk(rig, "two", frames=24, stride=1.6)
    material.list_sources(rig, "one", "two")
    both = [{"name": name, "weight": 1.0} for name in ("one", "two")]
    assert bpy.ops.action_loom.blend(sources=both) == {"FINISHED"}
    before = set(bpy.data.actions)
    curve = rig.driver_add('pose.bones["spine"].rotation_euler', 0)
    curve.driver.expression = "0.5"
    with pytest.raises(RuntimeError, match="moved by 'a driver of its rotation_euler'"):
        bpy.ops.action_loom.blend(sources=both)
    assert set(bpy.data.actions) == before
