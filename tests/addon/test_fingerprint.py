"""The hash of an action's curves: every edit changes it, and nothing else does."""

import bpy
import material
import numpy as np
import pytest

HAS_SLOTS = "slots" in bpy.types.Action.bl_rna.properties  # since 4.4
MODIFIERS = [item.identifier for item in bpy.types.FModifier.bl_rna.properties["type"].enum_items][1:]  # not "NULL"


@pytest.fixture
def fingerprint(loom):
    return loom("addon.bridge.fingerprint").fingerprint


@pytest.fixture
def rig():
    return material.armature()


def slot(action):
    return action.slots[0] if HAS_SLOTS else None


def save_and_reload(path):
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.open_mainfile(filepath=str(path))


def sets(**values):
    """An edit of the second key of a curve."""

    def edit(curve):
        for name, value in values.items():
            setattr(curve.keyframe_points[1], name, value)

    return edit


EDITS = {
    "value of a key": sets(co=(9.0, 7.0)),
    "time of a key": lambda curve: setattr(curve.keyframe_points[1], "co", (9.25, curve.keyframe_points[1].co[1])),
    "left handle": sets(handle_left=(8.0, 7.0)),
    "right handle": sets(handle_right=(10.0, 7.0)),
    "interpolation": sets(interpolation="LINEAR"),
    "easing": sets(easing="EASE_OUT"),
    "back": sets(back=2.5),
    "amplitude": sets(amplitude=2.5),
    "period": sets(period=2.5),
    "added key": lambda curve: curve.keyframe_points.insert(50, 1.0),
    "removed key": lambda curve: curve.keyframe_points.remove(curve.keyframe_points[1]),
    "extrapolation": lambda curve: setattr(curve, "extrapolation", "LINEAR"),
    "mute": lambda curve: setattr(curve, "mute", True),
    "modifier": lambda curve: curve.modifiers.new("CYCLES"),
    "another bone": lambda curve: setattr(curve, "data_path", 'pose.bones["x"].location'),
    "another index": lambda curve: setattr(curve, "array_index", 9),
    "samples instead of keys": lambda curve: curve.convert_to_samples(1, 33),
    "manual range": lambda curve: setattr(curve.id_data, "use_frame_range", True),
}


# These numbers count only in curves of these interpolations.
LED_BY = {"back": "BACK", "amplitude": "ELASTIC", "period": "ELASTIC"}


@pytest.mark.parametrize("edit", EDITS)
def test_every_edit_changes_the_fingerprint(fingerprint, rig, edit):
    action = material.key_by_hand(rig, "walk", seed=0)
    curve = material.fcurves(action)[3]
    for point in curve.keyframe_points:
        point.handle_left_type = point.handle_right_type = "FREE"
    if edit in LED_BY:
        curve.keyframe_points[1].interpolation = LED_BY[edit]
    before = fingerprint(action, slot(action))
    EDITS[edit](curve)
    assert fingerprint(action, slot(action)) != before


@pytest.mark.parametrize("kind", MODIFIERS)
def test_every_setting_of_a_modifier_changes_the_fingerprint(fingerprint, rig, kind):
    action = material.key_by_hand(rig, "walk", seed=0)
    curve = material.fcurves(action)[3]
    modifier = curve.modifiers.new(kind)
    modifier.use_restricted_range = modifier.use_influence = True
    shown = {"show_expanded", "active"}  # how it is drawn
    tried = set()
    for setting in modifier.bl_rna.properties:
        name, value = setting.identifier, getattr(modifier, setting.identifier)
        if setting.is_readonly or setting.type in {"STRING", "POINTER", "COLLECTION"}:
            continue
        before = fingerprint(action, slot(action))
        if setting.type == "ENUM":
            choices = [item.identifier for item in setting.enum_items]
            setattr(modifier, name, choices[choices.index(value) - 1])
        elif setting.type == "BOOLEAN":
            setattr(modifier, name, not value)
        elif name == "coefficients":
            modifier.coefficients[0] += 1.0
        else:
            setattr(modifier, name, value + 1 if value + 1 <= setting.hard_max else value - 1)
        if name != "coefficients" and getattr(modifier, name) == value:
            continue  # Blender keeps it between its neighbours
        assert (fingerprint(action, slot(action)) != before) == (name not in shown), name
        tried.add(name)
    assert {"mute", "influence", "frame_end"} <= tried


def test_points_of_an_envelope_change_the_fingerprint(fingerprint, rig):
    action = material.key_by_hand(rig, "walk", seed=0)
    modifier = material.fcurves(action)[3].modifiers.new("ENVELOPE")
    seen = {fingerprint(action, slot(action))}
    modifier.control_points.add(3.0)
    seen.add(fingerprint(action, slot(action)))
    # Not through a point's own attribute: Blender takes the point for a modifier then, and crashes now and then.
    modifier.control_points.foreach_set("max", [2.0])
    seen.add(fingerprint(action, slot(action)))
    assert len(seen) == 3


def test_the_fingerprint_is_of_the_motion_alone(fingerprint, tmp_path):
    rig = material.armature(modes=("QUATERNION", "XYZ", "AXIS_ANGLE"))
    action = material.key_by_hand(rig, "walk", seed=0)
    material.fcurves(action)[3].modifiers.new("NOISE")
    action.use_frame_range, action.frame_start, action.frame_end = True, 2.5, 30.0
    before = fingerprint(action, slot(action))
    action.name, action.use_fake_user, action["note"] = "stroll", False, "mine"
    if HAS_SLOTS:
        slot(action).name_display = "nobody"
    for curve in material.fcurves(action):
        curve.select, curve.lock, curve.hide, curve.group = True, True, True, None
        curve.color_mode, curve.color = "CUSTOM", (0.2, 0.4, 0.6)
        for point in curve.keyframe_points:
            point.select_control_point, point.type = True, "EXTREME"
    assert fingerprint(action, slot(action)) == before
    other = material.armature(name="Other")
    other.animation_data_create().action = action
    rig.animation_data.action = None
    bpy.context.scene.frame_set(17)
    assert fingerprint(action, slot(action)) == before
    copy = action.copy()
    assert fingerprint(copy, slot(copy)) == before
    action.use_fake_user = True
    save_and_reload(tmp_path / "saved.blend")
    action = bpy.data.actions["stroll"]
    assert fingerprint(action, slot(action)) == before


def test_an_action_without_curves_has_a_fingerprint_too(fingerprint):
    empty, ranged = bpy.data.actions.new("empty"), bpy.data.actions.new("ranged")
    ranged.use_frame_range = True
    slots = [a.slots.new("OBJECT", "any") if HAS_SLOTS else None for a in (empty, ranged)]
    assert len({fingerprint(empty, slots[0]), fingerprint(ranged, slots[1])}) == 2


def test_only_a_manual_range_that_is_used_counts(fingerprint, rig):
    action = material.key_by_hand(rig, "walk", seed=0)
    action.frame_start, action.frame_end = 2.0, 30.0
    before = fingerprint(action, slot(action))
    action.frame_end, action.use_cyclic = 31.0, True
    assert fingerprint(action, slot(action)) == before
    action.use_frame_range = True
    seen = {before, fingerprint(action, slot(action))}
    for name, value in (("frame_start", 3.0), ("frame_end", 29.5), ("use_cyclic", False)):
        setattr(action, name, value)
        seen.add(fingerprint(action, slot(action)))
    assert len(seen) == 5


def test_keys_of_many_frames_are_told_apart_to_the_last(fingerprint, rig):
    action = material.key_by_hand(rig, "walk", seed=0)
    curve = material.fcurves(action)[0]
    curve.keyframe_points.add(1000)
    keys = np.stack([np.arange(1004), np.zeros(1004)], axis=1).astype(np.float32)
    curve.keyframe_points.foreach_set("co", keys.ravel())
    curve.update()
    before = fingerprint(action, slot(action))
    curve.keyframe_points[1003].co[1] = np.nextafter(np.float32(0.0), np.float32(1.0))
    assert fingerprint(action, slot(action)) != before


def test_an_action_is_hashed_once_until_the_work_ends(loom, rig):
    module = loom("addon.bridge.fingerprint")
    action = material.key_by_hand(rig, "walk", seed=0)
    before = module.fingerprint(action, slot(action))
    with module.hash_once():
        assert module.fingerprint(action, slot(action)) == before
        EDITS["value of a key"](material.fcurves(action)[3])
        assert module.fingerprint(action, slot(action)) == before
    assert module.fingerprint(action, slot(action)) != before
