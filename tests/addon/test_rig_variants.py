"""Rigs by rule: other rest poses, units and names, mirrored rigs, stretching limbs; keys show the motion."""

import bpy
import numpy as np
import pytest
from hand_rigs import found_parts, with_foot_roll, with_legs_on_ik, with_stretched_limbs
from test_rig_keys import check, moving, solve  # noqa: F401 - fixtures

MAKES = {
    "poles": with_legs_on_ik,
    "no poles": lambda: with_legs_on_ik(pole=False),
    "foot roll": with_foot_roll,
    "stretched, hung": with_stretched_limbs,
    "stretched, placed": lambda: with_stretched_limbs(hung=False),
}


def other_rest(rig, chance):
    """Move every joint by up to 1.5 cm per axis, symmetrically; joints that share a place still share it."""
    bpy.ops.object.mode_set(mode="EDIT")
    moved = {}
    for bone in rig.data.edit_bones:
        for end in ("head", "tail"):
            place = getattr(bone, end)
            key = tuple(np.round((abs(place[0]), place[1], place[2]), 4))
            moved.setdefault(key, 0.015 * chance.uniform(-1.0, 1.0, 3) * (abs(place[0]) > 1e-4, 1.0, 1.0))
    places = {(bone.name, end): getattr(bone, end).copy() for bone in rig.data.edit_bones for end in ("head", "tail")}
    for bone in rig.data.edit_bones:
        for end in ("head", "tail"):
            x, y, z = places[bone.name, end]
            by = moved[tuple(np.round((abs(x), y, z), 4))]
            setattr(bone, end, (x + np.sign(x) * by[0], y + by[1], z + by[2]))
    bpy.ops.object.mode_set(mode="OBJECT")


def scaled(rig, by):
    rig.scale = (by,) * 3


def applied(rig, by):
    rig.scale = by
    for one in bpy.context.selected_objects:
        one.select_set(False)
    rig.select_set(True)
    bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)


def in_centimetres(rig, _chance):
    """Scale the rig's own space by a hundred, like rigs from game engines."""
    applied(rig, (100.0,) * 3)
    scaled(rig, 0.01)


def renamed(rig, _chance):
    """Rename the bones so that names show only the side."""
    for k, bone in enumerate(rig.data.bones):
        side = bone.name[-2:] if bone.name[-2:] in (".L", ".R") else ""
        bone.name = f"b{k:02}{side}"


CHANGES = {
    "as it is": lambda _rig, _chance: None,
    "other rest": other_rest,
    "small": lambda rig, _chance: scaled(rig, 0.01),
    "centimetres": in_centimetres,
    "mirrored": lambda rig, _chance: applied(rig, (-1.0, 1.0, 1.0)),
    "renamed": renamed,
}
CASES = [("poles", change) for change in CHANGES]
CASES += [(make, change) for make in MAKES if make != "poles" for change in ("as it is", "other rest")]


@pytest.mark.parametrize(("make", "change"), CASES)
def test_keys_show_what_is_wanted(find_controls, solve, moving, make, change):  # noqa: F811
    rig = MAKES[make]()
    CHANGES[change](rig, np.random.default_rng(7))
    bpy.context.view_layer.update()
    found, parts = found_parts(find_controls(rig))
    assert found.notes == ()
    assert parts["Left leg"].ik
    check(rig, found, solve, moving, "ik")
