"""A take becomes a set: cut into rows, woven, rebuilt by its rows; sources stay as they were."""

import json

import bpy
import material
import pytest

TAKE = material.SHARED / "amc" / "09_12.amc"  # a walk that turns to both sides, and backwards


@pytest.fixture
def take():
    """A new armature that plays a captured walk; nothing else is in the file."""
    assert material.import_motion(TAKE, match_rate=True, fit_range=True) == {"FINISHED"}
    rig = bpy.context.object
    bpy.context.scene.action_loom.mode = "cut_out"
    return rig


def pressed(rig, operator, **options):
    """The actions that are new after a button of the tab was pressed."""
    before = set(bpy.data.actions)
    with bpy.context.temp_override(action_loom_armature=rig):
        assert getattr(bpy.ops.action_loom, operator)("INVOKE_DEFAULT", **options) == {"FINISHED"}
    return {action.name: action for action in set(bpy.data.actions) - before}


def rows():
    return bpy.context.scene.action_loom.rigs[0].take_rows


def recipe(action):
    return json.loads(action["action_loom"].to_dict()["recipe"])


@material.needs_shared
def test_a_take_is_cut_into_rows_and_woven(take, capfd):
    source = take.animation_data.action
    was = material.fingerprint(source)
    assert pressed(take, "cut_take") == {}
    used = [row for row in rows() if row.use]
    for row in rows():
        print(
            row.use,
            row.name,
            row.kind,
            row.loop,
            row.start,
            row.end,
            row.begins,
            row.ends,
            round(row.score, 2),
            row.why,
        )
    print([hole.name for hole in bpy.context.scene.action_loom.rigs[0].take_holes])
    import time

    t = time.process_time()
    made = pressed(take, "cut_out")
    print(time.process_time() - t, sorted(made))
    assert {row.name for row in used} <= set(made)
    assert material.fingerprint(source) == was
    assert take.animation_data.action == source
    assert all(action.use_fake_user for action in made.values())
    print(bpy.context.scene.action_loom.rigs[0].last)
    print(capfd.readouterr().out)
    assert 0
