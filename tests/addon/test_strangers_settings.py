"""Damaged files: any value of actions, scenes and our settings gives one sentence or no message, quickly."""

import math
from contextlib import suppress

import bpy
import material
import pytest
from drawing import draw_all
from strangers import CONTROL, KEY, message, survives_saving


def rate(value):
    def spoil(action):
        action["action_loom_rate"] = value

    return spoil


def manual_range(first, last):
    def spoil(action):
        action.use_frame_range = True
        action.frame_start, action.frame_end = first, last

    return spoil


def last_keys_at(frame):
    def spoil(action):
        for curve in material.fcurves(action):
            curve.keyframe_points[-1].co.x = frame
            curve.update()

    return spoil


TOO_MANY = "more than the 588,235 that can be read at once of 17 joints; correct its frame range, or take a part of it"
ACTIONS = {
    "rate: text": (rate("fast"), ""),
    "rate: NaN": (rate(math.nan), ""),
    "rate: negative": (rate(-5.0), ""),
    "rate: 1e-30": (rate(1e-30), "quick has 1 frame;"),
    "range: 10⁶ frames": (manual_range(0, 1_000_000), TOO_MANY),
    "range: NaN": (
        manual_range(math.nan, math.nan),
        "slow: its frames nan to nan are none; mend its keys",
    ),
    "range: backwards": (manual_range(50, 3), "slow has 1 frame;"),  # Blender moves the end
    "keys: at 10⁶": (last_keys_at(1e6), TOO_MANY),
    "keys: at 10³⁰": (last_keys_at(1e30), None),
    "keys: nowhere": (last_keys_at(math.nan), None),
    "keys: at the end": (last_keys_at(math.inf), None),
}


@pytest.mark.parametrize("what", ACTIONS)
def test_a_damaged_action_is_a_sentence(opened, what, tmp_path, capfd):
    spoil, expected = ACTIONS[what]
    spoil(bpy.data.actions["slow"])
    assert survives_saving(tmp_path, capfd)
    bpy.context.scene.action_loom.rigs.clear()
    assert message("add_sources") == ""
    draw_all()
    export = message("export_motion", filepath=str(tmp_path / "slow.bvh"), actions=[{"name": "slow"}])
    text = message("blend", sources=material.TWO_WALKS, ends="pinned")
    assert expected is None or (expected in text and bool(expected) == bool(text)), text
    assert expected != TOO_MANY or TOO_MANY in export
    for operator in ("analyse", "build_graph", "find_transitions", "connect"):
        message(operator, sources=material.TWO_WALKS)
    message("find_cycles", sources=material.TWO_WALKS[:1])
    message("rebuild", overwrite_edits=True)
    message("blend", sources=material.TWO_WALKS, visual=True)
    draw_all()


@pytest.mark.parametrize(("fps", "base"), [(1, 1e6), (32767, 1e-5), (1, 1e-5), (1, math.nan)])
def test_a_scene_s_rate_that_is_none_is_a_sentence(opened, fps, base, tmp_path, capfd):
    render = bpy.context.scene.render
    render.fps, render.fps_base = fps, base
    assert survives_saving(tmp_path, capfd)
    for operator, options in (
        ("blend", {"sources": material.TWO_WALKS}),
        ("analyse", {"sources": material.TWO_WALKS}),
        ("find_cycles", {"sources": material.TWO_WALKS[:1]}),
        ("build_graph", {"sources": material.TWO_WALKS}),
        ("rebuild", {"overwrite_edits": True}),
        ("add_sources", {}),
        ("add_demo", {}),
        ("export_motion", {"filepath": str(tmp_path / "walk.bvh")}),
    ):
        message(operator, **options)
    assert "12 to 1000 frames a second" in message("add_demo")


def stored(*path):
    """Return a group of the settings as stored, without Blender's checks on assignment."""
    scene = bpy.context.scene
    group = scene.bl_system_properties_get(do_create=True) if hasattr(scene, "bl_system_properties_get") else scene
    for name in (KEY, *path):
        if isinstance(name, str) and name not in group.keys():  # noqa: SIM118  (going through it gives values)
            group[name] = {}
        group = group[name]
    return group


def setting(*path, value):
    def spoil():
        *above, last = path
        stored(*above)[last] = value

    return spoil


LINE = ("rigs", 0, "sources", 0)
SETTINGS = {
    "mode: 99": setting("mode", value=99),
    "mode: text": setting("mode", value="blend"),
    "metric: 99": setting("matching", "metric", value=99),
    "slope: 99": setting("matching", "slope", value=99),
    "window: NaN": setting("matching", "window", value=math.nan),
    "earlier name": setting("matching", "keep", value=math.nan),
    "earlier group: int": setting("path", value=5),
    "place: 99": setting("result", "place", value=99),
    "result's name: 10 KB": setting("result", "result_name", value="n\n" * 5120),
    "stretches: int": setting("stretches", value=4),
    "path: NaN": setting("follow", "path", value="nan; nan ²"),
    "stretch 99": setting("follow", "stretches", value="0 1 99"),
    "lists: int": setting("rigs", value=4),
    "lists: empty group": setting("rigs", value={}),
    "sources: int": setting(*LINE[:3], value=5),
    "weight: NaN": setting(*LINE, "weight", value=math.nan),
    "weight: negative": setting(*LINE, "weight", value=-1.0),
    "line's rate: NaN": setting(*LINE, "rate", value=math.nan),
    "line's slot: 12 KB": setting(*LINE, "slot", value="OB\n" * 4096),
    "line's frame: text": setting(*LINE, "first", value="first"),
    "reference: 99": setting("rigs", 0, "reference", value=99),
    "active line: 99": setting("rigs", 0, "active", value=99),
    "picture: smallest": setting("picture", value=-(2**31)),
    "what was said last: 10 KB": setting("rigs", 0, "last", value=CONTROL * 2000),
    "roles: numbers": setting("rigs", 0, "roles", value=[1, 2]),
}


@pytest.mark.parametrize("what", SETTINGS)
def test_damaged_settings_are_a_sentence_or_nothing(opened, what, tmp_path, capfd):
    with suppress(TypeError):  # some Blenders refuse such a value
        SETTINGS[what]()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "strange.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "strange.blend"))
    draw_all()
    settings = bpy.context.scene.action_loom
    for operator in ("blend", "analyse", "connect", "find_transitions", "build_graph", "loop", "find_cycles", "follow"):
        message(operator)
    message("blend", sources=material.TWO_WALKS)
    for rig in settings.rigs:
        for line in rig.sources:
            line.weight = 0.5
            line.share = 20.0
    message("set_reference", index=0)
    message("move_source", down=True)
    message("set_role", role="hips", bone="hips")
    message("edit_recipe")
    draw_all()
    out, err = capfd.readouterr()
    assert "Traceback" not in out + err


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_weight_that_is_none_leaves_the_ghost(opened, value, capfd):
    settings = bpy.context.scene.action_loom
    settings.mode = "blend"
    message("blend", ends="pinned", preview=True)
    settings.rigs[0].sources[0].weight = value
    draw_all()
    out, err = capfd.readouterr()
    assert "Traceback" not in out + err


def test_a_range_far_beyond_blenders_frames_is_a_sentence(opened):
    line = bpy.context.scene.action_loom.rigs[0].sources[0]
    line.use_range, line.first, line.last = True, -(2**31), 2**31 - 1
    draw_all()
    assert "more than the 588,235 that can be read at once" in message("blend")
    line.first, line.last = 50, 2
    draw_all()
    assert "has no frames 50 to 2" in message("blend")


@pytest.mark.parametrize("value", [5, "ours", [1, 2], {"across": 4, "up": {}}, [{}, {}]], ids=repr)
def test_a_picture_that_was_changed_is_none_of_ours(opened, value, tmp_path, capfd):
    assert message("analyse", sources=material.TWO_WALKS) == ""
    assert message("show_registration") == ""
    bpy.data.images[0][KEY] = value
    for operator, options in (
        ("analyse", {"sources": material.TWO_WALKS}),
        ("show_registration", {}),
        ("blend", {"sources": material.TWO_WALKS}),
    ):
        assert message(operator, **options) == ""
    assert len(bpy.data.images) == 2
    assert survives_saving(tmp_path, capfd)
