"""Replace keeps the locks, visibility, groups and colours of curves, and names other characters."""

import bpy
import material
import pytest


@pytest.fixture
def walker(loom):
    """A biped with a listed walk, whose curves an artist has locked, hidden, grouped and coloured."""
    rig = material.biped()
    walk = material.key_walk(rig, "walk", frames=24)
    (holder,) = holders(walk)
    for group in list(holder.groups):
        holder.groups.remove(group)
    legs, trunk = holder.groups.new("My legs"), holder.groups.new("chest")
    legs.color_set, legs.lock = "CUSTOM", True
    legs.colors.normal, legs.colors.select, legs.colors.active = (0.5, 0.25, 0.0), (0.75, 0.5, 0.0), (1.0, 0.75, 0.0)
    trunk.color_set = "THEME04"
    for curve in list(holder.fcurves):
        if "thigh" in curve.data_path:
            curve.group = legs
        if "chest" in curve.data_path:
            curve.group = trunk
        if "shin.L" in curve.data_path:
            curve.lock = curve.hide = True
    rig.animation_data.action = walk
    bpy.ops.action_loom.add_sources()
    return rig


def holders(action):
    if not hasattr(action, "slots"):
        return [action]
    return [bag for layer in action.layers for strip in layer.strips for bag in strip.channelbags]


def looks(action):
    (holder,) = holders(action)
    return {
        (curve.data_path, curve.array_index): (
            curve.lock,
            curve.hide,
            curve.group and (curve.group.name, curve.group.lock, curve.group.color_set, *curve.group.colors.normal),
        )
        for curve in holder.fcurves
    }


def replaced(rig, operator="mirror", **options):
    with bpy.context.temp_override(action_loom_armature=rig):
        assert getattr(bpy.ops.action_loom, operator)("INVOKE_DEFAULT", replace=True, **options) == {"FINISHED"}


@pytest.mark.parametrize("operator", ["mirror", "in_place", "fewer_keys"])
def test_curves_look_as_they_did(walker, operator):
    walk = walker.animation_data.action
    was = looks(walk)
    assert {row[:2] for row in was.values()} == {(True, True), (False, False)}
    assert {row[2] and row[2][0] for row in was.values()} == {"My legs", "chest", None}
    keys = material.fingerprint(walk)
    replaced(walker, operator)
    now = looks(walk)
    assert material.fingerprint(walk) != keys
    common = was.keys() & now.keys()
    assert len(common) >= 0.9 * len(was)
    assert {key: now[key] for key in common} == {key: was[key] for key in common}
    assert all(len(group.channels) for group in holders(walk)[0].groups)


def test_a_rebuilt_result_keeps_the_looks_of_its_curves(walker):
    assert bpy.ops.action_loom.loop(sources=[{"name": "walk", "weight": 1.0}], result_name="Again") == {"FINISHED"}
    made = bpy.data.actions["Again"]
    for curve in material.fcurves(made):
        curve.lock = "shin" in curve.data_path
    was = looks(made)
    assert any(row[0] for row in was.values())
    assert bpy.ops.action_loom.rebuild(action="Again", overwrite_edits=True) == {"FINISHED"}
    assert looks(made) == was


def test_other_characters_that_play_the_action_are_named(walker, capfd):
    walk = walker.animation_data.action
    replaced(walker)
    assert "plays on" not in capfd.readouterr().out
    for name in ("Twin", "Extra"):
        twin = walker.copy()
        twin.name, twin.data = name, walker.data.copy()
        bpy.context.scene.collection.objects.link(twin)
        if name == "Extra":
            twin.animation_data.action = None
            strip = twin.animation_data.nla_tracks.new().strips.new("walk", 100, walk)
            if hasattr(strip, "action_slot"):
                strip.action_slot = walk.slots[0]
    material.show(walker, walk)
    bpy.context.view_layer.objects.active = walker
    replaced(walker)
    assert "walk plays on 'Extra', 'Twin', too, and has changed there" in capfd.readouterr().out
