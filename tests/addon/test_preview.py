"""The preview shows the figures that Weave writes, follows the weights, and leaves nothing behind."""

import bpy
import material
import numpy as np
import pytest

BOTH = [{"name": "slow", "weight": 1.0}, {"name": "quick", "weight": 1.0}]


@pytest.fixture
def rig():
    """A biped with two listed walks, somewhere, turned, larger than usual."""
    rig = material.two_walkers()
    material.list_all()
    return rig


def ghost_of(loom, rig):
    return loom("addon.services.preview.previews").of(rig.session_uid)


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
    assert figure.playing.frames[0] == first
    for frame in (first, (first + last) // 2, last):
        there = figure.at(frame)[: len(rig.pose.bones)]
        order = [rig.pose.bones.find(name) for name in loom("addon.bridge.rig").read(rig).bones]
        assert np.abs(there - material.heads(rig, frame)[order]).max() < 2e-5


def test_lines_are_as_long_as_bones_in_every_frame(rig, loom):
    bpy.ops.action_loom.blend(sources=BOTH, preview=True)
    for figure in ghost_of(loom, rig).figures:
        one, other = figure.lines.T
        lengths = np.linalg.norm(figure.points[:, one] - figure.points[:, other], axis=2)
        assert np.ptp(lengths, axis=0).max() < 1e-4  # joined points keep their distance
        tips = {int(point) for point in figure.lines.ravel()} - set(range(len(rig.pose.bones)))
        assert len(tips) == sum(not bone.children for bone in rig.pose.bones)


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
    assert np.abs(shown[0] - material.heads(rig, first)[order]).max() < 2e-5


def test_it_follows_what_the_panel_says_if_that_is_quick(rig, loom):
    follow = loom("addon.services.preview.ghost_follow").follow
    settings = bpy.context.scene.action_loom
    settings.mode = "connect"
    assert not follow(bpy.context)  # nothing is previewed
    bpy.ops.action_loom.connect("INVOKE_DEFAULT", preview=True)
    before = ghost_of(loom, rig)
    assert not follow(bpy.context)
    assert ghost_of(loom, rig) is before
    settings.connect.from_frame, settings.connect.to_frame = 20, 3
    assert follow(bpy.context)
    after = ghost_of(loom, rig)
    assert not after.outdated
    assert after.recipe.from_frame == 20
    assert len(after.figures[-1].points) != len(before.figures[-1].points)
    lines = bpy.context.scene.action_loom.rigs[0].sources
    lines[0].use = False
    assert not follow(bpy.context)  # a single source cannot be connected
    assert ghost_of(loom, rig) is None
    lines[0].use = True
    assert follow(bpy.context)
    assert ghost_of(loom, rig).woven.clip.name == after.woven.clip.name
    settings.live = False
    assert ghost_of(loom, rig) is None
    settings.connect.from_frame = 18
    assert not follow(bpy.context)


def test_with_live_on_what_is_ticked_is_seen_and_what_is_seen_is_woven(rig, loom):
    """A source ticked after a result was made takes part in the preview, and the result stays unchanged."""
    follow = loom("addon.services.preview.ghost_follow").follow
    material.key_walk(rig, "third", frames=30)
    settings = material.list_sources(rig, "slow", "quick", "third", mode="blend")
    lines = {line.action.name: line for line in settings.rigs[0].sources}
    lines["third"].use = False
    assert not follow(bpy.context)  # nothing has changed since the tab was opened
    bpy.ops.action_loom.blend("INVOKE_DEFAULT")
    first = rig.animation_data.action
    before = material.fingerprint(first)
    assert not follow(bpy.context)  # it was woven just now
    lines["third"].use = True
    assert follow(bpy.context)
    assert [figure.name for figure in ghost_of(loom, rig).figures[:-1]] == ["slow", "quick", "third"]
    lines["slow"].share = 60.0
    assert ghost_of(loom, rig).recipe.weights == pytest.approx((0.6, 0.2, 0.2))
    bpy.ops.action_loom.blend("INVOKE_DEFAULT")
    assert rig.animation_data.action.name == "slow + quick + third 60:20:20"
    assert material.fingerprint(first) == before


def test_what_follows_by_itself_is_no_step_of_undo_and_says_nothing(rig, loom, capfd):
    follow = loom("addon.services.preview.ghost_follow").follow
    settings = material.list_sources(rig, "slow", "quick", mode="loop")
    assert not follow(bpy.context)
    settings.mode = "blend"
    assert follow(bpy.context)
    out, err = capfd.readouterr()
    assert "Preview" not in out + err
    call = bpy.ops.action_loom.blend
    assert call("INVOKE_DEFAULT", preview=True, unasked=True) == {"CANCELLED"}  # finished operators are undo steps


def test_a_moved_curve_is_followed_and_a_new_graph_is_not_built_for_it(rig, loom, monkeypatch):
    follow = loom("addon.services.preview.ghost_follow").follow
    monkeypatch.setattr(loom("addon.services.preview.ghost_follow"), "IN_GRAPH", 0)  # many clips would take long
    settings = bpy.context.scene.action_loom
    settings.mode, settings.graph.threshold = "follow", 0.3
    settings.curve = curve = material.draw_curve([(0.0, 0.0), (0.0, -3.0)])
    data = curve.data
    bpy.ops.action_loom.follow("INVOKE_DEFAULT", preview=True)
    before = ghost_of(loom, rig).figures[-1].points
    data.splines[0].points[1].co = (1.0, -3.0, 0.0, 1.0)
    assert follow(bpy.context)
    bent = ghost_of(loom, rig).figures[-1].points
    assert bent.shape != before.shape or np.abs(bent - before).max() > 0.1
    curve.location.x += 5.0
    bpy.context.view_layer.objects.active = curve  # the user drags the curve
    bpy.context.view_layer.update()
    assert follow(bpy.context)
    moved = ghost_of(loom, rig).figures[-1].points
    assert np.abs(moved[0, :, 0] - bent[0, :, 0] - 5.0).max() < 1e-4
    settings.graph.threshold = 0.35
    assert not follow(bpy.context)
    assert ghost_of(loom, rig).outdated


def test_a_weight_does_not_make_an_outdated_preview_current(rig, loom, monkeypatch):
    follow = loom("addon.services.preview.ghost_follow").follow
    monkeypatch.setattr(loom("addon.services.preview.ghost_follow"), "FRAMES", 0)  # clips are never matched unasked
    settings, lines = bpy.context.scene.action_loom, bpy.context.scene.action_loom.rigs[0].sources
    bpy.ops.action_loom.blend("INVOKE_DEFAULT", preview=True)
    settings.matching.ends = "open"
    assert not follow(bpy.context)  # the clips would have to be matched again
    lines[0].weight = 0.3
    ghost = ghost_of(loom, rig)
    assert ghost.outdated
    assert ghost.recipe.weights[0] == pytest.approx(0.3)
    settings.ghost_beside = True
    assert ghost_of(loom, rig).outdated
    bpy.ops.action_loom.blend("INVOKE_DEFAULT", preview=True)
    assert not ghost_of(loom, rig).outdated


def test_a_source_by_itself_is_seen_where_its_action_has_it(rig, loom):
    settings, listed = bpy.context.scene.action_loom, bpy.context.scene.action_loom.rigs[0]
    action = rig.animation_data.action
    settings.solo = True
    for index, line in enumerate(listed.sources):
        listed.active = index
        (figure,) = ghost_of(loom, rig).figures
        assert figure.name == line.action.name
        material.show(rig, line.action)
        order = [rig.pose.bones.find(name) for name in loom("addon.bridge.rig").read(rig).bones]
        for frame in (3, 17):
            assert np.abs(figure.at(frame)[: len(order)] - material.heads(rig, frame)[order]).max() < 2e-5
        length = len(figure.points) - 1
        assert np.allclose(figure.at(3 + length), figure.at(3))  # the cycle repeats
    material.show(rig, action)
    settings.solo = False
    assert ghost_of(loom, rig) is None
    settings.solo = True
    bpy.ops.action_loom.blend(sources=BOTH, preview=True)
    assert not settings.solo
    assert ghost_of(loom, rig).mode == "blend"


def test_beside_is_a_step_to_the_right_and_its_paths_go_along(rig, loom):
    bpy.ops.action_loom.blend(sources=BOTH, preview=True)
    before = ghost_of(loom, rig)
    bpy.context.scene.action_loom.ghost_beside = True
    after = ghost_of(loom, rig)
    shift = after.figures[-1].points - before.figures[-1].points
    assert np.allclose(shift, shift[0, 0])
    assert 0.3 < np.linalg.norm(shift[0, 0]) < 2.0
    assert abs(shift[0, 0, 2]) < 1e-9
    for one, other in zip(before.trails, after.trails, strict=True):
        assert np.allclose(other.points - one.points, shift[0, 0])


def test_feet_are_marked_where_they_stand_and_seams_where_they_are(loom):
    trails = loom("addon.services.preview.trails")
    bpy.ops.action_loom.add_demo()
    demo = bpy.context.view_layer.objects.active
    both = [{"name": name, "weight": 1.0} for name in ("Walk", "Sneak")]
    bpy.ops.action_loom.connect(sources=both, preview=True)
    ghost = ghost_of(loom, demo)
    colors = [one.color for one in ghost.trails]
    assert colors.count(trails.ROOT) == 1
    assert colors.count(trails.FOOT) == 2
    standing = [one for one in ghost.trails if one.color == trails.STANDS]
    assert len(standing) >= 4
    for one in standing:
        assert np.linalg.norm(np.ptp(one.points[:, :2], axis=0)) < 0.1
    seams = [one for one in ghost.trails if one.color == loom("addon.ground.colors").TRANSITION]
    way = ghost.trails[0].points
    at = [np.abs(way - one.points[len(one.points) // 2]).sum(axis=1).argmin() for one in seams]
    assert len(at) == len(ghost.woven.seams)
    assert all(abs(found - seam) <= 2 for found, seam in zip(at, ghost.woven.seams, strict=True))


def test_nothing_is_listened_to_while_nothing_is_previewed(rig, loom):
    handlers, follow = bpy.app.handlers.depsgraph_update_post, loom("addon.services.preview.ghost_follow")
    before = list(handlers)
    bpy.ops.action_loom.blend(sources=BOTH, preview=True)
    assert len(handlers) == len(before) + 1
    bpy.ops.action_loom.blend(sources=BOTH)
    assert list(handlers) == before
    bpy.context.scene.action_loom.solo = True
    assert len(handlers) == len(before) + 1
    bpy.ops.action_loom.clear_preview()
    assert not bpy.context.scene.action_loom.solo
    assert list(handlers) == before
    assert not bpy.app.timers.is_registered(follow._look)


def test_it_goes_when_it_is_cleared_and_when_another_file_is_opened(rig, loom):
    overlay = loom("addon.interface.pictures.ghost_overlay")
    bpy.ops.action_loom.blend(sources=BOTH, preview=True)
    assert overlay.ghost_in(bpy.context) is not None
    bpy.context.scene.action_loom.mode = "loop"
    assert overlay.ghost_in(bpy.context) is None  # the ghost belongs to another mode
    bpy.context.scene.action_loom.mode = "blend"
    bpy.ops.action_loom.clear_preview()
    assert ghost_of(loom, rig) is None
    with pytest.raises(RuntimeError, match="Nothing is previewed"):
        bpy.ops.action_loom.clear_preview()
    bpy.ops.action_loom.blend(sources=BOTH, preview=True)
    uid = rig.session_uid
    bpy.ops.wm.read_homefile(use_empty=True)
    assert loom("addon.services.preview.previews").of(uid) is None
    assert overlay._handler is None


def test_it_is_hidden_while_another_tool_or_mode_is_open(rig, loom):
    settings, strips = bpy.context.scene.action_loom, loom("addon.services.preview.strips")
    settings.mode = "blend"

    def is_shown():
        return strips.ghost_in(bpy.context.scene, rig) is not None

    bpy.ops.action_loom.blend("INVOKE_DEFAULT", preview=True)
    assert is_shown()
    bpy.ops.action_loom.open_tool(tool="mirror")
    assert not is_shown()
    bpy.ops.action_loom.mirror(sources=BOTH[:1], preview=True)
    assert is_shown()
    settings.edit = "filter"
    assert not is_shown()
    settings.edit = "mirror"
    assert is_shown()
    settings.intent = "Mix"  # closes the tool
    assert not is_shown()


def test_what_can_not_be_woven_is_said_and_nothing_is_previewed(rig, loom):
    with pytest.raises(RuntimeError, match="All weights are zero"):
        bpy.ops.action_loom.blend(sources=[{"name": n, "weight": 0.0} for n in ("slow", "quick")], preview=True)
    assert ghost_of(loom, rig) is None
