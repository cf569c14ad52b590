"""The preview: the figures that are seen are those that Weave writes, follow the weights, and leave nothing behind."""

import bpy
import material
import numpy as np
import pytest

BOTH = [{"name": "slow", "weight": 1.0}, {"name": "quick", "weight": 1.0}]


@pytest.fixture
def rig():
    """A biped with two listed walks, somewhere, turned, larger than usual."""
    rig = material.biped()
    for name, frames, leads in (("slow", 36, "L"), ("quick", 24, "R")):
        material.key_walk(rig, name, frames=frames, leads=leads)
    rig.location, rig.rotation_euler, rig.scale = (2.0, -1.0, 0.5), (0.0, 0.0, 0.6), (1.3, 1.3, 1.3)
    bpy.context.view_layer.update()
    bpy.ops.action_loom.add_sources()
    for line in bpy.context.scene.action_loom.rigs[0].sources:
        line.use = True
    return rig


def ghost_of(loom, rig):
    return loom("addon.session.previews").of(rig.session_uid)


def heads(rig, frame):
    """Where the bones' heads are in the world."""
    bpy.context.scene.frame_set(frame)
    return np.array([(rig.matrix_world @ bone.matrix).translation for bone in rig.pose.bones])


@pytest.mark.parametrize(
    ("verb", "options"),
    [
        ("blend", {"sources": BOTH}),
        ("blend", {"sources": BOTH, "place": "CURSOR"}),
        ("connect", {"sources": BOTH}),
        ("splice", {"sources": BOTH}),
        ("loop", {"sources": BOTH[:1], "whole": "yes"}),
        ("follow", {"sources": BOTH, "path": "0 0; 0 -3", "threshold": 0.3}),
        ("in_place", {"sources": BOTH[:1]}),
    ],
)
def test_what_is_seen_is_what_is_written(rig, loom, verb, options):
    before = set(bpy.data.actions.keys())
    call = getattr(bpy.ops.action_loom, verb)
    assert call(**options, preview=True) == {"FINISHED"}
    assert set(bpy.data.actions.keys()) == before
    figure = ghost_of(loom, rig).figures[-1]
    call(**options)
    assert ghost_of(loom, rig) is None
    action = rig.animation_data.action
    assert action.name not in before
    first, last = (round(frame) for frame in action.curve_frame_range)
    assert figure.first_frame == first
    for frame in (first, (first + last) // 2, last):
        there = figure.at(frame)[: len(rig.pose.bones)]
        order = [rig.pose.bones.find(name) for name in loom("addon.bridge.rig").read(rig).bones]
        assert np.abs(there - heads(rig, frame)[order]).max() < 2e-5


def test_the_sources_stand_beside_in_step(rig, loom):
    bpy.ops.action_loom.blend(sources=BOTH, preview=True)
    *sources, result = ghost_of(loom, rig).figures
    assert [figure.name for figure in sources] == ["slow", "quick"]
    assert {len(figure.points) for figure in sources} == {len(result.points)}
    colors = [tuple(round(c, 3) for c in figure.color[:3]) for figure in sources]
    lines = {line.action.name: line for line in bpy.context.scene.action_loom.rigs[0].sources}
    assert colors == [tuple(round(c, 3) for c in lines[name].color) for name in ("slow", "quick")]
    feet = [min(figure.points[:, :, 2].min(axis=1)) for figure in (*sources, result)]
    assert max(feet) - min(feet) < 0.1


def test_it_follows_the_weights_and_writes_nothing(rig, loom):
    bpy.ops.action_loom.blend("INVOKE_DEFAULT", preview=True)
    lines = bpy.context.scene.action_loom.rigs[0].sources
    before, actions = ghost_of(loom, rig).figures[-1].points, set(bpy.data.actions.keys())
    lines[0].weight = 0.2
    after = ghost_of(loom, rig).figures[-1].points
    assert before.shape != after.shape or np.abs(before - after).max() > 1e-3
    assert set(bpy.data.actions.keys()) == actions
    bpy.ops.action_loom.blend("INVOKE_DEFAULT")
    assert ghost_of(loom, rig) is None
    assert len(rig.animation_data.action.name) > 0
    shown = after[:, : len(rig.pose.bones)]
    first = round(rig.animation_data.action.curve_frame_range[0])
    order = [rig.pose.bones.find(name) for name in loom("addon.bridge.rig").read(rig).bones]
    assert np.abs(shown[0] - heads(rig, first)[order]).max() < 2e-5


def test_it_goes_when_it_is_cleared_and_when_another_file_is_opened(rig, loom):
    overlay = loom("addon.pictures.ghost_overlay")
    bpy.ops.action_loom.blend(sources=BOTH, preview=True)
    assert overlay.ghost_in(bpy.context) is not None
    bpy.context.scene.action_loom.mode = "loop"
    assert overlay.ghost_in(bpy.context) is None  # it is another mode's
    bpy.context.scene.action_loom.mode = "blend"
    bpy.ops.action_loom.clear_preview()
    assert ghost_of(loom, rig) is None
    with pytest.raises(RuntimeError, match="Nothing is previewed"):
        bpy.ops.action_loom.clear_preview()
    bpy.ops.action_loom.blend(sources=BOTH, preview=True)
    uid = rig.session_uid
    bpy.ops.wm.read_homefile(use_empty=True)
    assert loom("addon.session.previews").of(uid) is None
    assert not overlay.is_shown()


def test_what_can_not_be_woven_is_said_and_nothing_is_previewed(rig, loom):
    with pytest.raises(RuntimeError, match="All weights are zero"):
        bpy.ops.action_loom.blend(sources=[{"name": n, "weight": 0.0} for n in ("slow", "quick")], preview=True)
    assert ghost_of(loom, rig) is None
