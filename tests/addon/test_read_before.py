"""An action is read again only after a change of its content, its body or its armature."""

import bpy
import material
import numpy as np
import pytest

HAS_SLOTS = "slots" in bpy.types.Action.bl_rna.properties  # since 4.4


@pytest.fixture
def rig():
    return material.armature(modes=("QUATERNION", "XYZ"))


@pytest.fixture
def read(loom, rig):
    """Return `one(action, rate, span)`: read an action with the memory, and check that a plain read gives the same."""

    def one(action, rate=24.0, span=None):
        slot = action.slots[0] if HAS_SLOTS else None
        body = loom("addon.bridge.rig").read(rig)
        found, content = loom("addon.services.weaving.read_before").read(rig, action, body, rate, slot, span)
        plain = loom("addon.bridge.clip").read(rig, action, body, rate, slot, span)
        for name in ("rotations", "translations"):
            np.testing.assert_array_equal(getattr(found.clip, name), getattr(plain.clip, name))
        assert found.clip.name == plain.clip.name
        assert (found.clip.rate, found.notes, found.targets) == (rate, plain.notes, plain.targets)
        assert content == loom("addon.bridge.fingerprint").fingerprint(action, slot)
        return found

    return one


def last_key(curve, value):
    curve.keyframe_points[-1].co[1] += value
    curve.update()


def second_key(action):
    return material.fcurves(action)[0].keyframe_points[1]


CHANGES = {
    "a key": lambda _, action: last_key(material.fcurves(action)[0], 0.1),
    "a handle": lambda _, action: setattr(second_key(action), "handle_right", (12.0, 3.0)),
    "its name": lambda _, action: setattr(action, "name", "Other"),
    "the armature's name": lambda rig, _: setattr(rig, "name", "Other"),
    "a rotation mode": lambda rig, _: setattr(rig.pose.bones[1], "rotation_mode", "ZXY"),
    "the place of the armature": lambda rig, _: setattr(rig, "location", (1.0, 0.0, 0.0)),
    "the size of the armature": lambda rig, _: setattr(rig, "scale", (2.0, 2.0, 2.0)),
    "the range": lambda _, action: setattr(action, "use_frame_range", True),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_changed_is_read_again(rig, read, change):
    action = material.key_by_hand(rig, "walk", seed=0)
    before = read(action)
    assert read(action) is before
    CHANGES[change](rig, action)
    bpy.context.view_layer.update()
    assert read(action) is not before


def test_another_rate_and_span_are_read_again(rig, read):
    action = material.key_by_hand(rig, "walk", seed=0)
    before = read(action)
    assert read(action, rate=30.0) is not before
    assert len(read(action, span=(3.0, 9.0)).clip) == 7


def test_a_curve_of_another_property_is_read_each_time(rig, read):
    """A custom property can change the shown pose, so an action that keys one is read each time."""
    action = material.key_by_hand(rig, "walk", seed=0)
    rig["switch"] = 1.0
    rig.keyframe_insert('["switch"]', frame=1)
    before = read(rig.animation_data.action if rig.animation_data else action)
    assert list(before.clip.channels) == ['["switch"][0]']
    assert read(rig.animation_data.action) is not before
