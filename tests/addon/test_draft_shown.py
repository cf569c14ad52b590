"""While a weight is dragged, the preview first shows a few frames of the woven result and names missing steps."""

import bpy
import material
import numpy as np
import pytest

BOTH = [{"name": "slow", "weight": 1.0}, {"name": "quick", "weight": 1.0}]


@pytest.fixture
def rig():
    rig = material.two_walkers()
    material.list_sources(rig, "slow", "quick", mode="blend")
    return rig


@pytest.fixture
def ghosts(loom):
    return loom("addon.services.preview.ghosts")


def ghost_of(loom, rig):
    return loom("addon.services.preview.previews").of(rig.session_uid)


def drag(first, second):
    """Change the weights in another mode, so that no live preview follows."""
    settings = bpy.context.scene.action_loom
    lines = {line.action.name: line for line in settings.rigs[0].sources}
    settings.mode = "loop"
    lines["slow"].weight, lines["quick"].weight = first, second
    settings.mode = "blend"


def drafted(ghosts, rig):
    return ghosts.draft(bpy.context, bpy.context.scene, rig)


@pytest.mark.parametrize("frame", [1, 9, 400])
@pytest.mark.parametrize("ends", ["cyclic", "pinned"])
def test_its_frames_are_those_of_the_action_that_is_made(rig, loom, ghosts, frame, ends):
    bpy.ops.action_loom.blend(sources=BOTH, preview=True, plant_feet=False, ends=ends)
    bpy.context.scene.frame_set(frame)
    drag(0.2, 0.8)
    assert drafted(ghosts, rig)
    ghost = ghost_of(loom, rig)
    shown = ghost.figures[-1]
    first, last = (int(shown.playing.frames[k]) for k in (0, -1))
    assert ghost.summary == f"Frames {first} to {last} so far"
    assert len(shown.points) == last - first + 1 <= 5
    bpy.ops.action_loom.blend(
        sources=[{"name": "slow", "weight": 0.2}, {"name": "quick", "weight": 0.8}], plant_feet=False, ends=ends
    )
    order = [rig.pose.bones.find(name) for name in loom("addon.bridge.rig").read(rig).bones]
    for at in range(first, last + 1):
        assert np.abs(shown.at(at)[: len(order)] - material.heads(rig, at)[order]).max() < 2e-5


def test_sources_and_mesh_stand_where_the_whole_has_them(rig, loom, ghosts):
    settings = bpy.context.scene.action_loom
    bpy.ops.action_loom.blend(sources=BOTH, preview=True, plant_feet=False)
    for beside in (False, True):
        settings.ghost_beside = beside
        bpy.context.scene.frame_set(12)
        drag(0.3 + 0.1 * beside, 0.7)
        assert drafted(ghosts, rig)
        few = ghost_of(loom, rig)
        assert ghosts.reweave(bpy.context, bpy.context.scene, rig)
        whole = ghost_of(loom, rig)
        assert [one.name for one in few.figures] == [one.name for one in whole.figures]
        for one, other in zip(few.figures, whole.figures, strict=True):
            for frame in one.playing.frames:
                assert np.abs(one.at(frame) - other.at(frame)).max() < 1e-9
                assert one.color == other.color


def test_it_says_that_feet_are_not_planted_and_shows_no_paths_of_other_weights(rig, loom, ghosts):
    bpy.ops.action_loom.blend(sources=BOTH, preview=True)
    before = ghost_of(loom, rig)
    assert before.trails
    drag(0.3, 0.7)
    assert drafted(ghosts, rig)
    few = ghost_of(loom, rig)
    assert few.summary.endswith("so far, feet not planted yet")
    assert (few.trails, few.hands, few.parts) == ((), None, None)
    assert (few.recipe, few.woven) == (before.recipe, before.woven)  # recipe and woven clip match
    assert ghosts.reweave(bpy.context, bpy.context.scene, rig)
    whole = ghost_of(loom, rig)
    assert whole.recipe.weights == pytest.approx((0.3, 0.7))
    assert whole.trails
    drag(1.0, 0.0)
    assert drafted(ghosts, rig)
    assert ghost_of(loom, rig).summary.endswith("so far")  # the legs of a single source stay unchanged


def test_what_depends_on_other_frames_is_not_shown_in_part(rig, ghosts):
    for options in ({"place": "CURSOR"}, {"travel": "HIPS"}):
        bpy.ops.action_loom.blend(sources=BOTH, preview=True, **options)
        drag(0.3, 0.7)
        assert not drafted(ghosts, rig)
        drag(0.5, 0.5)


def test_in_the_background_the_whole_follows_at_once(rig, loom):
    bpy.ops.action_loom.blend(sources=BOTH, preview=True)
    lines = bpy.context.scene.action_loom.rigs[0].sources
    lines[0].weight = 0.4
    assert ghost_of(loom, rig).summary == f"{len(ghost_of(loom, rig).woven.clip)} frames from 1"
    assert not bpy.app.timers.is_registered(loom("addon.services.preview.drafts")._rest)
