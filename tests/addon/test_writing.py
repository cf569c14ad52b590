"""Results are written whole or not at all, onto the bones of the reading, with every channel that a source keys."""

import bpy
import material
import numpy as np
import pytest


@pytest.fixture
def rig():
    return material.two_walks()


@pytest.fixture
def breaking(loom, monkeypatch):
    """Return `after(count)`: writing raises MemoryError after `count` curves."""
    writer = loom("addon.bridge.curve_writing").Writer
    write = writer._curve

    def after(count):
        left = [count]

        def broken(self, *given, **more):
            left[0] -= 1
            if left[0] < 0:
                raise MemoryError("Blender has no room for another curve")
            return write(self, *given, **more)

        monkeypatch.setattr(writer, "_curve", broken)

    return after


def state():
    """Return the data of a file that a broken write could change."""
    return [(a.name, a.users, a.use_fake_user, material.fingerprint(a), dict(a).keys()) for a in bpy.data.actions]


@pytest.mark.parametrize("count", [0, 1, 20])
def test_a_result_that_can_not_be_written_is_not_there_at_all(rig, breaking, count):
    rig.animation_data.action = bpy.data.actions["slow"]
    before = state()
    breaking(count)
    with pytest.raises(RuntimeError, match="no room for another curve"):
        bpy.ops.action_loom.blend(sources=material.TWO_WALKS)
    assert state() == before
    assert rig.animation_data.action == bpy.data.actions["slow"]


@pytest.mark.parametrize("count", [0, 1, 20])
def test_a_result_that_can_not_be_rebuilt_stays_as_it_was_wherever_it_is_used(rig, breaking, monkeypatch, count):
    bpy.ops.action_loom.blend(sources=material.TWO_WALKS, result_name="Mixed")
    result = bpy.data.actions["Mixed"]
    rig.animation_data.action = result
    strip = rig.animation_data.nla_tracks.new().strips.new("strip", 1, result)
    curve = material.fcurves(result)[0]
    curve.keyframe_points[3].co.y += 0.5  # an artist's edit
    curve.color_mode, curve.color = "CUSTOM", (1.0, 0.0, 0.0)
    result["mine"] = "a note"
    before, pose = state(), material.pose_positions(rig, ["hand.L"], 12)
    breaking(count)
    with pytest.raises(RuntimeError, match="no room for another curve"):
        bpy.ops.action_loom.rebuild(overwrite_edits=True)
    monkeypatch.undo()
    assert state() == before
    kept = bpy.data.actions["Mixed"]
    assert rig.animation_data.action == strip.action == kept
    assert kept["mine"] == "a note"
    assert material.fcurves(kept)[0].color_mode == "CUSTOM"
    assert np.array_equal(material.pose_positions(rig, ["hand.L"], 12), pose)
    bpy.ops.action_loom.rebuild(overwrite_edits=True)  # the result can be rebuilt
    assert rig.animation_data.action == strip.action == bpy.data.actions["Mixed"]
    assert state() != before


def renamed(rig):
    rig.data.bones["hand.L"].name = "paw.L"


def deleted(rig):
    material.edit_bones(rig, lambda bones: bones.remove(bones["hand.L"]))


def turned(rig):
    rig.pose.bones["hand.L"].rotation_mode = "AXIS_ANGLE"


def woven(loom, names=("slow", "quick")):
    """Weave as an operator does, and return a function that writes the result."""
    reading, computing, writing = (
        loom(f"addon.services.weaving.{name}") for name in ("reading", "computing", "writing")
    )
    recipes = loom("core.recipes.reading")
    recipe = loom("core.verbs").Blend()
    request = recipes.Request(sources=tuple(recipes.Source(name=name) for name in names))
    read = reading.read(bpy.context, bpy.context.object, request)
    inputs = reading.Inputs(request, read, recipe)
    made = computing.compute(inputs, loom("core.progress").SILENT)
    return lambda: writing.write(bpy.context, inputs, made)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (renamed, r"Bones of Biped were deleted or renamed while .* \('hand.L'\): nothing was written; weave again"),
        (deleted, r"Bones of Biped were deleted or renamed while .* \('hand.L'\): nothing was written; weave again"),
        (turned, r"Bones of Biped were given another rotation mode while .* \('hand.L'\): nothing was written"),
    ],
)
def test_bones_that_changed_while_weaving_are_named_and_nothing_is_written(rig, loom, change, message):
    write = woven(loom)
    change(rig)
    before = state()
    with pytest.raises(loom("core.errors").LoomError, match=message):
        write()
    assert state() == before


def test_a_bone_that_came_while_weaving_is_named(rig, loom):
    write = woven(loom)

    def tail(bones):
        bones.new("tail").tail = (0.0, 0.5, 0.9)

    material.edit_bones(rig, tail)
    assert write().notes == ("Bones came to Biped while its actions were woven, and got no keys: 'tail'",)


def test_a_scale_that_a_source_keys_is_keyed_so_that_no_other_lingers(rig):
    hand = rig.pose.bones["hand.L"]
    rig.animation_data.action = bpy.data.actions["slow"]
    hand.keyframe_insert("scale", frame=1)
    hand.scale = (2.0, 2.0, 2.0)  # left by another action
    bpy.ops.action_loom.blend(sources=material.TWO_WALKS)
    bpy.context.scene.frame_set(10)
    assert hand.scale[:] == (1.0, 1.0, 1.0)
    paths = [curve.data_path for curve in material.fcurves(rig.animation_data.action)]
    assert [path for path in paths if path.endswith("scale")] == ['pose.bones["hand.L"].scale'] * 3
