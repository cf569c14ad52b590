"""Blender neither saves our pictures nor asks to save them; the playhead marks corresponding frames."""

from types import SimpleNamespace

import bpy
import material
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from test_registration_pictures import pixels_of


@pytest.fixture
def registration(listed):
    """Show the registration of "two" to "one" and return its picture."""
    bpy.ops.ed.undo_push(message="listed")
    material.analyse()
    bpy.ops.action_loom.show_registration("EXEC_DEFAULT", True)
    return bpy.data.images["two to one"]


@pytest.fixture
def stage(loom, analysis, registration):
    known = analysis.pair_in(registration)[0]
    return loom("addon.interface.pictures.image_overlay").stage(known, 1)


@pytest.fixture
def playhead(loom):
    return loom("addon.interface.pictures.playhead")


# --- images ---------------------------------------------------------------------------------------------------------


def test_a_picture_is_neither_packed_nor_asked_for(registration):
    assert (registration.has_data, registration.is_dirty, len(registration.packed_files)) == (True, False, 0)
    assert registration.filepath == ""
    assert registration.users == 0


@pytest.mark.parametrize("pack", [False, True])
def test_a_file_keeps_no_pixels_and_opens_without_the_picture(registration, tmp_path, pack):
    sizes = []
    for k, kept in enumerate((False, True)):
        registration.use_fake_user = kept  # as if an editor had shown it
        bpy.data.use_autopack = pack
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / f"{k}.blend"), compress=False)
        sizes.append((tmp_path / f"{k}.blend").stat().st_size)
    assert sizes[1] - sizes[0] < 10_000
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "1.blend"))
    assert "two to one" not in bpy.data.images


def test_a_picture_that_an_artist_saved_stays(registration, tmp_path):
    registration.use_fake_user = True
    before = pixels_of(registration)
    registration.filepath_raw = str(tmp_path / "kept.png")
    registration.save()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "kept.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "kept.blend"))
    assert_array_equal(pixels_of(bpy.data.images["two to one"]), before)


def test_undo_takes_a_picture_away_and_redo_brings_it_back_whole(registration):
    before = pixels_of(registration)
    bpy.ops.ed.undo()
    assert "two to one" not in bpy.data.images
    bpy.ops.ed.redo()
    again = bpy.data.images["two to one"]
    assert_array_equal(pixels_of(again), before)
    assert (again.is_dirty, len(again.packed_files)) == (False, 0)


def test_a_picture_that_was_read_anew_is_put_back(loom, registration):
    before = pixels_of(registration)
    registration.reload()
    assert not registration.has_data
    loom("addon.bitmaps.images").put_back()
    assert_array_equal(pixels_of(registration), before)


# --- the playhead ---------------------------------------------------------------------------------------------------


def test_the_playhead_is_where_the_registration_says_and_back(analysis, playhead, stage, listed):
    curve = analysis.analysis_of(listed).registered.curves[1]
    for k in (0, 7, 16, 31, 32):
        now = playhead.at_frame(stage.match, 1.0 + k)  # one begins at 1, two at −7
        assert_allclose(now.cells, (k, curve.frames[k]), rtol=0.0, atol=1e-9)
        assert_allclose(now.frames, (1.0 + k, curve.frames[k] - 7.0), rtol=0.0, atol=1e-9)
        back = playhead.at_frame(stage.match, now.frames[1], playhead.OTHER)
        assert_allclose(back.frames, now.frames, rtol=0.0, atol=1e-9)
        x, y = playhead.pixel_of(stage.layout, now.cells)
        assert playhead.in_plot(stage.layout, stage.match, x, y)
        assert_allclose(playhead.at_pixel(stage.match, stage.layout, x).frames, now.frames, rtol=0.0, atol=1e-9)


def test_beyond_both_clips_it_waits_at_their_ends(playhead, stage):
    for frame, ends in ((-20.0, (1.0, -7.0)), (500.0, (33.0, 41.0))):
        now = playhead.at_frame(stage.match, frame)
        assert now.beyond
        assert_allclose(now.frames, ends, rtol=0.0, atol=1e-9)
    assert not playhead.in_plot(stage.layout, stage.match, 0.0, 0.0)
    assert playhead.at_pixel(stage.match, stage.layout, 0.0).frames[0] == pytest.approx(1.0)


def test_of_an_action_and_half_its_speed_one_frame_is_two(playhead, analysis):
    rig = material.biped()
    material.key_walk(rig, "one", frames=24)
    material.key_walk(rig, "two", frames=48)
    for curve in material.fcurves(bpy.data.actions["two"]):
        for slow, quick in zip(curve.keyframe_points, _curve_like(curve).keyframe_points, strict=True):
            slow.co.y = quick.co.y
        curve.update()
    material.analyse(ends="pinned", trim=False)
    known = analysis.analysis_of(rig)
    match = analysis.match_of(known, 1)
    for frame in (1.0, 7.0, 13.0, 19.0, 25.0):
        assert playhead.at_frame(match, frame).frames[1] == pytest.approx(2.0 * frame - 1.0, abs=1.0)


def _curve_like(curve):
    return next(
        one
        for one in material.fcurves(bpy.data.actions["one"])
        if (one.data_path, one.array_index) == (curve.data_path, curve.array_index)
    )


def test_cycles_go_on_for_ever(playhead, analysis):
    rig = material.biped()
    material.key_walk(rig, "one", frames=24, first=5)
    material.key_walk(rig, "two", frames=30, leads="R")
    material.analyse(ends="cyclic")
    match = analysis.match_of(analysis.analysis_of(rig), 1)
    assert match.cyclic
    here, later, before = (playhead.at_frame(match, frame) for frame in (12.0, 12.0 + 240.0, 12.0 - 48.0))
    assert_allclose([later.cells, before.cells], [here.cells] * 2, rtol=0.0, atol=1e-6)
    assert here.frames[0] == pytest.approx(12.0)
    assert not later.beyond
    back = playhead.at_frame(match, here.frames[1], playhead.OTHER)
    assert_allclose(back.cells, here.cells, rtol=0.0, atol=1e-6)


def test_the_operator_goes_to_the_frame_of_what_is_shown(registration, playhead, stage, listed, play):
    scene = bpy.context.scene
    play(listed, bpy.data.actions["one"])
    assert bpy.ops.action_loom.move_playhead(frame=17.0) == {"FINISHED"}
    assert scene.frame_current == 17
    play(listed, bpy.data.actions["two"])
    bpy.ops.action_loom.move_playhead(frame=17.0)
    assert scene.frame_current == round(playhead.at_frame(stage.match, 17.0).frames[1])


def test_bodies_are_seen_from_the_side_wherever_they_go(loom, analysis, playhead):
    rig = material.biped()
    for name in ("one", "two"):
        material.key_walk(rig, name, frames=24)
    rig.rotation_euler.z = 0.7
    material.analyse(ends="pinned")
    known = analysis.analysis_of(rig)
    clip = known.prepared.clips[0]
    body = playhead.side_view(clip)
    hips = clip.skeleton.roles["hips"]
    assert np.abs(body.points[:, hips, 0]).max() < 1e-9
    toes = [clip.skeleton.roles[f"foot.{side}"] for side in "LR"]
    tips = [len(clip.skeleton) + list(clip.skeleton.tipped).index(toe) for toe in toes if toe in clip.skeleton.tipped]
    for foot, tip in zip(toes, tips, strict=False):
        assert (body.points[:, tip, 0] - body.points[:, foot, 0]).mean() > 0.05  # ahead is to the right
    assert body.at(3.0).shape == (len(body.lines), 2, 2)
    assert_allclose(body.at(3.5), 0.5 * (body.at(3.0) + body.at(4.0)), rtol=0.0, atol=1e-12)


def test_bodies_are_laid_over_each_other_as_near_as_they_come(playhead, stage):
    now = playhead.at_frame(stage.match, 12.0)
    apart, over = (stage.poses(now, aligned=aligned) for aligned in (False, True))
    assert_array_equal(apart[0], over[0])  # the reference stays
    assert_array_equal(apart[1][..., 1], over[1][..., 1])  # and both stay on the ground
    one, other = (body.cloud(at * stage.every) for body, at in zip(stage.bodies, now.cells, strict=True))
    weights = stage.bodies[0].weights
    laid = playhead.laid_over(one, other, weights)
    assert_array_equal(stage.bodies[1].seen(laid), over[1])

    def off(cloud):
        return weights @ ((cloud - one) ** 2).sum(axis=1)

    assert off(laid) < off(other)
    turned = laid[:, :2] @ np.array([[np.cos(0.01), np.sin(0.01)], [-np.sin(0.01), np.cos(0.01)]])
    for moved in (laid[:, :2] + (0.01, 0.0), laid[:, :2] + (0.0, -0.01), turned):
        assert off(np.column_stack([moved, laid[:, 2]])) > off(laid)


def test_a_body_that_was_turned_and_moved_is_laid_over_itself_exactly(playhead, stage):
    cloud = stage.bodies[0].cloud(7.0)
    turn = np.exp(0.7j)
    moved = turn * (cloud[:, 0] + 1j * cloud[:, 1]) + (2.0 - 3.0j)
    other = np.column_stack([moved.real, moved.imag, cloud[:, 2]])
    assert_allclose(playhead.laid_over(cloud, other, stage.bodies[0].weights), cloud, rtol=0.0, atol=1e-12)


# --- leftovers ------------------------------------------------------------------------------------------------------


def handlers():
    lists = {name: getattr(bpy.app.handlers, name) for name in dir(bpy.app.handlers) if not name.startswith("_")}
    return [one for kept in lists.values() if isinstance(kept, list) for one in kept]


def test_the_frame_is_followed_only_while_a_picture_is_shown(loom, registration):
    overlay = loom("addon.interface.pictures.image_overlay")
    overlay.follow()
    overlay.follow()
    assert handlers().count(overlay._frame_changed) == 1
    bpy.context.scene.frame_set(3)  # no editor shows it, so the handler asks to be removed
    assert bpy.app.timers.is_registered(overlay._stop_following)
    bpy.app.timers.unregister(overlay._stop_following)
    overlay._stop_following()
    assert overlay._frame_changed not in handlers()
    overlay.follow()
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert overlay._frame_changed not in handlers()


def test_what_cannot_be_drawn_is_said_once(loom, analysis, registration, listed, monkeypatch):
    overlay, troubles = loom("addon.interface.pictures.image_overlay"), loom("addon.ground.troubles")
    monkeypatch.setattr(overlay, "picture_in", lambda _space: registration)

    def fails(*_):
        raise ZeroDivisionError("no graphics card")

    monkeypatch.setattr(overlay, "_draw_over", fails)
    overlay.follow()
    overlay._draw()
    assert overlay._frame_changed not in handlers()
    trouble = troubles.of(listed.session_uid, bpy.context.scene.action_loom.mode)
    assert "no graphics card" in trouble.text


def test_switched_off_nothing_is_left(loom, extension, registration):
    import addon_utils

    loom("addon.interface.pictures.image_overlay").follow()
    config = bpy.context.window_manager.keyconfigs.addon

    def bound():
        maps = [] if config is None else config.keymaps
        return [item for keys in maps for item in keys.keymap_items if item.idname == "action_loom.move_playhead"]

    there = len(bound())
    assert there in (0, 2)  # Blender without windows may lack keymaps of add-ons
    addon_utils.disable(extension)
    assert not [one for one in handlers() if getattr(one, "__module__", "").startswith(f"{extension}.")]
    assert not bound()
    addon_utils.enable(extension, default_set=True)
    assert len(bound()) == there


# --- room -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("window", [(1200, 800), (500, 400), (200, 120), (40, 30)])
@pytest.mark.parametrize("picture", [(60.0, 60.0, 300.0, 500.0), (-500.0, -500.0, 2000.0, 2000.0)])
def test_what_stands_beside_a_picture_never_leaves_the_window(loom, window, picture):
    flat, (wide, high) = loom("addon.interface.pictures.flat"), window
    (left, bottom, right, top), over = flat.place_box((0.0, 0.0, wide, high), picture, (180.0, 240.0), 5.0)
    assert left >= 0.0
    assert right <= wide
    assert top <= high
    assert bottom >= 0.0 or bottom >= top - 1e-9
    assert over == (right <= picture[2] or picture[2] > wide)


def test_what_covers_a_region_is_no_room(loom):
    region = SimpleNamespace(type="WINDOW", x=100, y=50, width=800, height=600)

    def part(kind, alignment, x, y, width, height):
        return SimpleNamespace(type=kind, alignment=alignment, x=x, y=y, width=width, height=height)

    parts = [
        region,
        part("HEADER", "TOP", 100, 620, 800, 30),
        part("TOOLS", "LEFT", 100, 50, 40, 600),
        part("UI", "RIGHT", 900, 50, 1, 600),  # closed
        part("FOOTER", "BOTTOM", 100, 20, 800, 30),  # below it
    ]
    assert loom("addon.interface.pictures.flat").free_box(SimpleNamespace(regions=parts), region) == (40, 0, 800, 570)


def test_every_picture_says_what_its_colours_mean(loom, analysis, registration):
    rows = loom("addon.bitmaps.images").legend_of(registration)
    known = analysis.pair_in(registration)[0]
    assert ((known.colors[1],), "frames that correspond") in rows
    assert rows[0] == (((0.0, 0.0, 0.0), (1.0, 1.0, 1.0)), "alike … different")
