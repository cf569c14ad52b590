"""A take becomes a set: cut into rows, woven, and rebuilt by its rows; sources stay unchanged."""

import json

import bpy
import drawing
import material
import numpy as np
import pytest

ROW = {"kind": "ACTION", "loop": False, "begins": "", "ends": ""}  # scripts give every member of an item


@pytest.fixture
def take():
    """A new armature that plays a captured walk; nothing else is in the file."""
    return material.take()


@pytest.fixture(scope="module")
def woven_file(cut_file, tmp_path_factory):
    """A file with all ticked rows of the take woven, none of them mirrored."""
    rig = material.armature_of(cut_file)
    bpy.context.scene.action_loom.take_mirror = False
    material.pressed(rig, "cut_out")
    return material.saved(tmp_path_factory.mktemp("take") / "woven.blend")


@pytest.fixture
def cut(cut_file):
    return material.armature_of(cut_file)


@pytest.fixture
def woven(woven_file):
    return material.armature_of(woven_file)


def listed():
    return bpy.context.scene.action_loom.rigs[0]


def row(name):
    return next(one for one in listed().take_rows if one.name == name)


def tick(*names):
    for one in listed().take_rows:
        one.use = one.name in names


def recipe(action):
    return json.loads(action["action_loom"].to_dict()["recipe"])


def clip_of(rig, action, loom):
    reading, base = loom("addon.services.weaving.reading"), loom("core.recipes.reading")
    request = base.Request(sources=(base.Source(name=action.name),))
    return reading.read(bpy.context, rig, request).clips[0]


@material.needs_shared
def test_a_take_is_cut_and_each_ticked_row_becomes_an_action(cut):
    source = cut.animation_data.action
    was = material.fingerprint(source)
    bpy.context.scene.action_loom.take_mirror = False
    used = [one.name for one in listed().take_rows if one.use]
    assert {"Walk", "Walk Left", "Walk Back", "Walk to Walk Left"} <= set(used)
    made = material.pressed(cut, "cut_out")
    assert set(made) == set(used)
    assert material.fingerprint(source) == was
    assert cut.animation_data.action == source
    assert all(action.use_fake_user for action in made.values())
    assert {name: row(name).made for name in used} == made
    assert listed().last == f"Take: {len(made)} of {len(made)} actions"


@material.needs_shared
def test_what_is_left_out_says_why_in_frames_of_the_scene(cut):
    left = [one for one in listed().take_rows if not one.use]
    assert left
    walk = row("Walk")
    assert f"it is like frames {walk.start} to {walk.end}, whose loop is taken" in [one.why for one in left]
    first, last = cut.animation_data.action.frame_range
    assert all(first <= one.start < one.end <= last for one in listed().take_rows)


@material.needs_shared
def test_the_actions_are_those_of_the_command_line(woven, loom):
    kinematics, source = loom("core.motion.kinematics"), clip_of(woven, listed().take, loom)
    for item in loom("core.verbs.take.take_set").make(source).items:
        there = clip_of(woven, row(item.name).made, loom)
        assert len(there) == len(item.clip), item.name
        apart = np.linalg.norm(kinematics.world(there)[1] - kinematics.world(item.clip)[1], axis=2).max()
        assert apart < 1e-4, item.name


@material.needs_shared
def test_ends_meet_the_loops_that_they_name(woven, loom):
    meeting = loom("core.verbs.take.meeting")
    clips = {one.name: clip_of(woven, one.made, loom) for one in listed().take_rows if one.made}
    between = [one for one in listed().take_rows if one.use and not one.loop and (one.begins or one.ends)]
    assert len(between) >= 3
    for one in between:
        clip = clips[one.name]
        for name, frame in ((one.begins, 0), (one.ends, len(clip) - 1)):
            metres, degrees = meeting.gap(clip.cut(frame, frame + 1), clips[name].cut(0, 1))
            assert metres < 0.01, one.name
            assert degrees < 2.0, one.name


@material.needs_shared
def test_a_side_that_lacks_is_mirrored_and_actions_stay_on_the_spot_if_asked(cut, loom):
    tick("Walk", "Walk Left", "Walk to Walk Left")
    settings = bpy.context.scene.action_loom
    settings.take_mirror, settings.take_roots = True, {"ROOT", "IN_PLACE"}
    made = material.pressed(cut, "cut_out")
    names = {"Walk", "Walk Left", "Walk Right", "Walk to Walk Left", "Walk to Walk Right"}
    assert set(made) == names | {f"{name}_InPlace" for name in names}
    assert row("Walk").made == made["Walk"]
    root_motion = loom("core.motion.root_motion")
    turns = {}
    for name in names:
        clip = clip_of(cut, made[name], loom)
        ground, facing = root_motion.ground_frames(clip)
        turns[name] = facing[-1] - facing[0]
        assert np.linalg.norm(ground[-1] - ground[0]) > 0.5, name
        still = root_motion.ground_frames(clip_of(cut, made[f"{name}_InPlace"], loom))[0]
        assert np.linalg.norm(still[-1] - still[0]) < 0.15, name
    assert turns["Walk Left"] == pytest.approx(-turns["Walk Right"], abs=0.01)


@material.needs_shared
def test_actions_of_a_set_key_the_same_bones_so_that_none_shows_the_pose_of_another():
    bpy.ops.import_scene.gltf(filepath=str(material.SHARED / "characters" / "RobotExpressive.glb"))
    rig = material.armatures()[0]
    bpy.context.view_layer.objects.active = rig
    for action in list(bpy.data.actions):
        bpy.data.actions.remove(action)
    material.import_motion(material.SHARED / "amc" / "09_12.amc", match_rate=True, onto="ACTIVE")
    bpy.context.scene.action_loom.mode = "cut_out"
    material.pressed(rig, "cut_take")
    tick("Walk")
    made = material.pressed(rig, "cut_out", roots={"ROOT", "IN_PLACE"})

    def keyed(name):
        return {curve.data_path for curve in material.fcurves(made[name]) if "pose." in curve.data_path}

    assert keyed("Walk_InPlace") == keyed("Walk")
    rig.animation_data.action = made["Walk_InPlace"]
    assert material.pressed(rig, "rebuild") == {}
    assert keyed("Walk_InPlace") == keyed("Walk")


@material.needs_shared
def test_a_moved_border_is_woven_by_rebuild_and_the_others_are_told(cut, capfd):
    tick("Walk", "Walk Left", "Walk to Walk Left")
    bpy.context.scene.action_loom.take_mirror = False
    made = material.pressed(cut, "cut_out")
    was = {name: material.fingerprint(action) for name, action in made.items()}
    walk = row("Walk")
    walk.end -= 40
    assert walk.score == -1.0
    cut.animation_data.action = made["Walk"]
    assert material.pressed(cut, "rebuild") == {}
    now = {name: material.fingerprint(action) for name, action in made.items()}
    assert [name for name in was if was[name] != now[name]] == ["Walk"]
    first = int(listed().take.frame_range[0])
    assert (recipe(made["Walk"])["first"], recipe(made["Walk"])["last"]) == (walk.start - first, walk.end - first)
    assert "'Walk to Walk Left' still meet the earlier Walk: rebuild them, too" in capfd.readouterr().out
    cut.animation_data.action = made["Walk to Walk Left"]
    material.pressed(cut, "rebuild")
    assert recipe(made["Walk to Walk Left"])["begins"][0][1] == walk.end - first


@material.needs_shared
def test_the_timeline_shows_the_rows_of_the_take_that_plays_and_their_borders_are_dragged_there(cut, loom):
    strips, rig = loom("addon.services.preview.strips"), listed()
    bpy.context.scene.action_loom.mode = "blend"
    assert strips.of(bpy.context) is None
    bpy.context.scene.action_loom.mode = "cut_out"
    strip = strips.of(bpy.context).strip
    bars = sorted((span.start, span.end, span.name, span.faint) for row in strip.rows for span in row.spans)
    assert bars == sorted((float(row.start), float(row.end), row.name, not row.use) for row in rig.take_rows)
    number = next(k for k, row in enumerate(rig.take_rows) if row.loop)
    end = rig.take_rows[number].end
    with bpy.context.temp_override(action_loom_armature=bpy.context.object):
        bpy.ops.action_loom.drag_strip(kind="border", number=number, part=1, frame=end - 3.4)
        assert rig.take_rows[number].end == end - 3
        bpy.ops.action_loom.drag_strip(kind="border", number=number, part=1, frame=-1e6)
    assert rig.take_rows[number].end == rig.take_rows[number].start + 2
    assert max(span.end for row in strips.of(bpy.context).strip.rows for span in row.spans) <= rig.take.frame_range[1]


def test_weaving_again_writes_over_what_was_woven_but_not_over_edits(cut):
    tick("Walk", "Walk Left")
    bpy.context.scene.action_loom.take_mirror = False
    made = material.pressed(cut, "cut_out")
    assert material.pressed(cut, "cut_out") == {}
    curve = next(iter(material.fcurves(made["Walk"])))
    curve.keyframe_points[3].co.y += 0.1
    edited = material.fingerprint(made["Walk"])
    assert set(material.pressed(cut, "cut_out")) == {"Walk.001"}
    assert material.fingerprint(made["Walk"]) == edited


@material.needs_shared
def test_rows_are_split_joined_renamed_and_typed_anew(cut):
    rig = listed()
    rig.take_active = [one.name for one in rig.take_rows].index("Walk Left")
    start, end = row("Walk Left").start, row("Walk Left").end
    bpy.context.scene.frame_set(start + 200)
    assert material.pressed(cut, "split_take_row") == {}
    later = rig.take_rows[rig.take_active + 1]
    assert (row("Walk Left").end, later.name, later.start, later.end) == (start + 200, "Walk Left 02", start + 200, end)
    bpy.context.scene.frame_set(1)
    with pytest.raises(RuntimeError, match="can't be parted at frame 1: go to a frame between"):
        material.pressed(cut, "split_take_row")
    rig.take_active += 1
    bpy.context.scene.frame_set((start + 200 + end) // 2)
    assert material.pressed(cut, "split_take_row") == {}
    assert rig.take_rows[rig.take_active + 1].name == "Walk Left 03"  # not "Walk Left 02 02"
    rig.take_rows.remove(rig.take_active + 1)
    rig.take_rows[rig.take_active].end = end
    rig.take_active -= 1
    later = rig.take_rows[rig.take_active + 1]
    later.name, later.kind, later.loop = "Stroll", "ACTION", False
    tick("Stroll")
    bpy.context.scene.action_loom.take_mirror = False
    (action,) = material.pressed(cut, "cut_out").values()
    assert action.name == "Stroll"
    assert action.frame_range[1] - action.frame_range[0] == end - start - 200
    assert material.pressed(cut, "join_take_rows") == {}
    assert (row("Walk Left").start, row("Walk Left").end) == (start, end)


@material.needs_shared
def test_the_line_counts_the_rows_that_are_ticked_now(cut):
    bpy.context.scene.action_loom.mode = "cut_out"
    rig, last = listed(), "Take: 9 pieces to weave, 0 left out"
    rig.last, rig.last_of, rig.last_mode = last, rig.take.name, "cut_out"
    tick("Walk Left")
    assert "1 piece to weave" in str(drawing.draw_all()["weave"])
    tick("Walk Left", "Walk")
    bpy.context.scene.action_loom.take_mirror = False
    assert "2 pieces to weave + 0 mirrored" in str(drawing.draw_all()["weave"])
    bpy.context.scene.action_loom.take_mirror = True
    assert "2 pieces to weave + 1 mirrored" in str(drawing.draw_all()["weave"])
    assert set(material.pressed(cut, "cut_out")) == {"Walk Left", "Walk Right", "Walk"}


@material.needs_shared
def test_a_row_has_two_frames_at_least(cut):
    one = listed().take_rows[0]
    one.end = one.start - 5
    assert one.end > one.start


@material.needs_shared
def test_rows_that_name_a_renamed_loop_name_it_anew(cut):
    loops = {end for one in listed().take_rows for end in (one.begins, one.ends) if end}
    before = sorted(loops)[0]
    about = [(one.name, one.begins == before, one.ends == before) for one in listed().take_rows]
    row(before).name = "Stroll"
    now = [(one.name, one.begins == "Stroll", one.ends == "Stroll") for one in listed().take_rows]
    assert [one[1:] for one in now] == [one[1:] for one in about]
    assert not any(before in (one.begins, one.ends) for one in listed().take_rows)
    material.pressed(cut, "cut_out")
    assert bpy.data.actions.get("Stroll") is not None


@material.needs_shared
def test_one_undo_takes_the_set_back(cut):
    tick("Walk", "Walk Left")
    bpy.ops.ed.undo_push(message="before")
    before = {action.name for action in bpy.data.actions}
    with bpy.context.temp_override(action_loom_armature=cut):
        bpy.ops.action_loom.cut_out("INVOKE_DEFAULT", True)
    assert len(bpy.data.actions) > len(before) + 1
    bpy.ops.ed.undo()
    assert {action.name for action in bpy.data.actions} == before


@material.needs_shared
def test_the_set_is_marked_and_put_into_the_nla(cut):
    tick("Walk", "Walk Left")
    settings = bpy.context.scene.action_loom
    settings.take_mirror, settings.take_assets, settings.take_catalog = False, True, "Sets/One"
    made = material.pressed(cut, "cut_out")
    assert all(action.asset_data is not None for action in made.values())
    assert len({action.asset_data.catalog_id for action in made.values()}) == 1
    assert material.pressed(cut, "push_down_set") == {}
    (track,) = cut.animation_data.nla_tracks
    assert {strip.action for strip in track.strips} == set(made.values())


@material.needs_shared
def test_what_the_set_lacks_is_told_and_filled_by_what_it_has(cut):
    holes = {hole.name: k for k, hole in enumerate(listed().take_holes)}
    assert listed().take_holes[holes["There is no idle."]].seek == "idle"
    lacks = holes["There is no turn to the right from Walk."]
    bpy.context.scene.action_loom.take_mirror = False
    assert material.pressed(cut, "fill_hole", index=lacks) == {}
    assert bpy.context.scene.action_loom.take_mirror
    with pytest.raises(RuntimeError, match="Nothing of this take can fill it"):
        material.pressed(cut, "fill_hole", index=holes["There is no idle."])


@material.needs_shared
def test_a_row_without_a_loop_says_so_and_the_others_are_woven(cut, capfd):
    tick("Walk", "Walk Left")
    bpy.context.scene.action_loom.take_mirror = False
    left = row("Walk Left")
    left.end = left.start + 30
    assert set(material.pressed(cut, "cut_out")) == {"Walk"}
    message = f"Walk Left: frames {left.start} to {left.end} make no loop"
    assert message in capfd.readouterr().out


@material.needs_shared
def test_a_loop_that_turns_is_made_straight_and_repeats_by_its_button(woven, loom):
    turning, drawn = bpy.data.actions["Walk Left"], []
    assert not any(curve.modifiers for curve in material.fcurves(turning))
    bpy.context.scene.action_loom.mode = "cut_out"
    note = f"{turning.name}: it closes, but Blender can't repeat its turn of 40° a cycle"
    loom("addon.interface.remedies").draw(drawing.Layout(drawn), f"{note}\nRun Left: {note.partition(': ')[2]}")
    assert [given["text"] for name, _, given in drawn if name == "operator"] == ["Straighten: Walk Left"]  # no Run Left
    assert ("context_pointer_set", ("action_loom_action", turning), {}) in drawn
    with bpy.context.temp_override(action_loom_action=turning):
        (made,) = material.pressed(woven, "loop", straighten="yes", whole="yes").values()
    assert all(curve.modifiers for curve in material.fcurves(made) if "hips" in curve.data_path.lower())


@material.needs_shared
def test_a_script_names_rows(take):
    rows = [ROW | {"name": "Piece", "start": 100, "end": 180}]
    sources = [{"name": take.animation_data.action.name, "weight": 1.0}]
    assert bpy.ops.action_loom.cut_out(sources=sources, rows=rows) == {"FINISHED"}
    action = bpy.data.actions["Piece"]
    assert action.frame_range[1] - action.frame_range[0] == 80


def test_an_armature_without_legs_is_cut_and_woven_with_a_note():
    rig = material.armature()
    material.key_by_hand(rig, "other", seed=1, frames=(1, 30, 60, 90, 120))
    rig.animation_data.action = bpy.data.actions["other"]
    material.list_all()
    assert material.pressed(rig, "cut_take") == {}
    assert "no feet are known" in listed().last_warnings
    used = [one.name for one in listed().take_rows if one.use]
    assert used
    assert set(material.pressed(rig, "cut_out")) == set(used)


def test_a_take_of_one_frame_is_refused_in_a_sentence():
    rig = material.biped()
    material.key_walk(rig, "cycle", frames=20)
    action = bpy.data.actions["cycle"]
    for curve in material.fcurves(action):
        while len(curve.keyframe_points) > 1:
            curve.keyframe_points.remove(curve.keyframe_points[-1])
    rig.animation_data.action = action
    before = set(bpy.data.actions)
    with pytest.raises(RuntimeError, match="cycle"):
        bpy.ops.action_loom.cut_take()
    assert set(bpy.data.actions) == before


@material.needs_shared
def test_the_picture_of_what_the_set_covers_shows_each_ticked_loop_at_its_speed_and_turn(cut, loom):
    bitmap, rows = loom("addon.bitmaps.coverage_bitmap"), loom("addon.services.takes.set_rows")
    loops = rows.covered_loops(listed())
    report = {one.name: one for one in listed().take_rows if one.loop and one.use}
    assert sorted(loops) == sorted(
        (round(one.speed, 3), round(one.turn, 1), one.kind.lower()) for one in report.values()
    )
    assert all(0.9 < one.speed < 1.3 for one in report.values())
    pixels, without = bitmap.draw(loops).astype(int), bitmap.draw(()).astype(int)
    changed = np.argwhere(np.abs(pixels - without).sum(axis=2) > 60)
    plot = bitmap.SIZE - 2 * bitmap.EDGE
    for speed, turn, _ in loops:
        spot = bitmap.EDGE + plot * speed / 3.0, bitmap.EDGE + plot * 0.5 * (1.0 - turn / 135.0)
        near = np.linalg.norm(changed - np.array(spot), axis=1)
        assert near.min() < 1.5, (speed, turn)
    row("Walk").use = False
    assert len(rows.covered_loops(listed())) == len(loops) - 1


@material.needs_shared
def test_an_interrupted_take_is_cut_there_in_frames_of_the_scene(take, capfd):
    at = 959
    for curve in material.fcurves(take.animation_data.action):
        if curve.data_path.endswith("location") and curve.array_index == 0:
            for point in curve.keyframe_points:
                point.co.y += 1.0 if point.co.x >= at else 0.0
            curve.update()
    material.pressed(take, "cut_take")
    (hole,) = [one for one in listed().take_rows if one.name == "Break"]
    assert (hole.start, hole.end, hole.use) == (at - 1, at, False)
    assert hole.why.startswith("the body jumps 99 cm")  # a metre, less one frame of travel
    assert not [one.name for one in listed().take_rows if one.start < at - 1 and one.end > at]
    longer = {"name": "Over", "start": at - 100, "end": at + 50, **ROW}
    sources = [{"name": take.animation_data.action.name, "weight": 1.0}]
    assert bpy.ops.action_loom.cut_out(sources=sources, rows=[longer]) == {"FINISHED"}
    assert "Over: 99 frames after the first, the body jumps 99 cm" in capfd.readouterr().out
