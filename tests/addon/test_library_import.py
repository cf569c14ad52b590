"""Motion found in the panel Library is shown as ghosts and imported onto any body, also in the background."""

import shutil
import threading
from types import SimpleNamespace

import bpy
import characters
import material
import numpy as np
import pytest
from file_state import state
from library_panel import RATE, driven, ended, figure, labels, play, refused, row_of
from material import needs_shared


@pytest.fixture
def rig(once):
    return once(figure)


@pytest.fixture
def searched(here, library, rig):
    """Both a walk and a sneak were found."""
    bpy.ops.action_loom.find_like()
    return here.finder()


# --- ghosts and importing -------------------------------------------------------------------------------------------


def test_a_clicked_row_is_shown_where_the_action_stands(here, searched, rig):
    rig.location = (2.0, -1.0, 0.0)
    rig.rotation_euler.z = 0.5
    bpy.context.view_layer.update()
    bpy.ops.action_loom.find_like()
    before = state()
    searched.active = row_of(searched, "walk")
    assert here.previews.of(rig.session_uid) is None  # no operator begins while Blender sets a value
    assert bpy.app.timers.is_registered(here.finds.show_active)
    assert here.finds.show_active() is None
    ghost = here.previews.of(rig.session_uid)
    assert ghost.mode == here.previews.FOUND
    frame = searched.frame
    hips = material.pose_positions(rig, ["hips"], frame)[0]
    shown = ghost.figures[0].at(frame)
    row = searched.found[searched.active]
    near = shown[np.argmin(np.linalg.norm(shown - hips, axis=1))]
    assert np.linalg.norm(near - hips) < 0.08
    assert ghost.figures[0].playing.frames[-1] - frame == pytest.approx(row.seconds * RATE, abs=1.01)
    assert ghost.summary == f"walk {row.first}-{row.last}"
    bpy.context.scene.frame_set(before["frame"][0])
    assert state() == before
    assert "walk" in labels()
    bpy.context.scene.action_loom.ghost_mesh = True
    assert here.previews.of(rig.session_uid).body is not None
    assert bpy.ops.action_loom.clear_preview() == {"FINISHED"}
    assert here.previews.of(rig.session_uid) is None


def test_ticked_rows_become_actions_of_the_list_and_undo_takes_them_back_at_once(here, searched, rig):
    walk, sneak = row_of(searched, "walk"), row_of(searched, "sneak")
    searched.found[walk].use = searched.found[sneak].use = True
    bpy.ops.ed.undo_push(message="before")
    before = state()
    assert bpy.ops.action_loom.import_found("EXEC_DEFAULT", True) == {"FINISHED"}
    names = [f"{row.name} {row.first}-{row.last}" for row in (searched.found[k] for k in sorted((walk, sneak)))]
    assert set(state()["new actions"]) - set(before["new actions"]) == set(names)
    listed = bpy.context.scene.action_loom.rigs[0].sources
    assert [line.action.name for line in listed][-2:] == names
    bpy.ops.ed.undo()
    assert state() == before
    bpy.ops.ed.redo()
    assert {line.action.name for line in bpy.context.scene.action_loom.rigs[0].sources} >= set(names)


def test_an_imported_stretch_moves_as_the_file_does(here, loom, searched, rig):
    """The figure's own file gives the figure the same poses, at its own place and facing."""
    searched.found[row_of(searched, "walk")].use = True
    row = searched.found[row_of(searched, "walk")]
    assert bpy.ops.action_loom.import_found(rate="KEEP") == {"FINISHED"}
    made = bpy.data.actions[f"walk {row.first}-{row.last}"]
    assert loom("addon.bridge.rates").rate_of(made) == pytest.approx(60.0)
    assert made.curve_frame_range[:] == (searched.frame, searched.frame + row.last - row.first)
    clip = here.motion_file.read(row.path).clip.cut(row.first, row.last + 1)
    frames = [0, 10, len(clip) - 1]
    play(rig, made.name)
    names = [name for name in clip.skeleton.names if name in rig.pose.bones]
    ours = np.array([material.pose_positions(rig, names, searched.frame + k) for k in frames])
    theirs = here.kinematics.world(clip)[1][frames][:, [clip.skeleton.index(name) for name in names]]
    assert between(ours) == pytest.approx(between(theirs), abs=2e-4)


def between(points):
    """Return the distances (F, J, J) between all points (F, J, 3), which turns and shifts leave unchanged."""
    return np.linalg.norm(points[:, :, None] - points[:, None], axis=3)


def test_a_stretch_takes_as_long_as_in_its_file_at_the_scene_s_rate(here, searched, rig):
    row = searched.found[row_of(searched, "walk")]
    row.use = True
    bpy.ops.action_loom.import_found()
    first, last = bpy.data.actions[f"walk {row.first}-{row.last}"].curve_frame_range
    assert (last - first) / RATE == pytest.approx(row.seconds, abs=1.0 / RATE)


def test_a_file_that_is_gone_is_said_and_the_others_come(here, searched, rig, folder):
    walk, sneak = row_of(searched, "walk"), row_of(searched, "sneak")
    (folder / "sneak.bvh").unlink()
    searched.found[sneak].use = True
    before = state()
    gone = f"The file {folder / 'sneak.bvh'} is not there any more: bring it back, or add its folder again"
    assert refused(bpy.ops.action_loom.import_found) == gone
    assert here.message() == gone
    assert state() == before
    searched.found[walk].use = True
    assert bpy.ops.action_loom.import_found() == {"FINISHED"}
    assert any(name.startswith("walk ") for name in bpy.data.actions.keys())  # noqa: SIM118


def test_a_file_that_is_shorter_now_is_said(here, searched, rig, folder):
    row = searched.found[row_of(searched, "sneak")]
    row.use, row.last = True, 100000
    assert "has" in refused(bpy.ops.action_loom.import_found)
    assert "add its folder again, and find anew" in here.message()


def test_what_breaks_while_several_are_written_leaves_none(here, loom, searched, rig, monkeypatch):
    for row in searched.found:
        row.use = row.name in ("walk", "sneak")
    onto = loom("addon.services.files.onto_armature")
    write, calls = onto.write, []

    def failing(*given, **options):
        calls.append(given)
        if len(calls) == 2:
            raise MemoryError("no more room")
        return write(*given, **options)

    monkeypatch.setattr(onto, "write", failing)
    before = state()
    with pytest.raises(RuntimeError, match="no more room"):
        bpy.ops.action_loom.import_found()
    assert state() == before


def test_nothing_that_was_found_is_imported_before_it_is_chosen(here, searched, rig):
    assert "Tick what to import, or click one" in refused(bpy.ops.action_loom.import_found)
    searched.active = 0
    assert bpy.ops.action_loom.import_found() == {"FINISHED"}


def test_several_stretches_of_a_file_read_it_once(here, loom, searched, rig, monkeypatch):
    files = loom("core.formats.motion_file")
    read, calls = files.read, []
    monkeypatch.setattr(files, "read", lambda path: calls.append(path) or read(path))
    path = searched.found[row_of(searched, "walk")].path
    stretches = [{"name": "", "path": path, "first": k, "last": k + 20, "mirrored": bool(k)} for k in (0, 5, 9)]
    assert bpy.ops.action_loom.import_found(stretches=stretches) == {"FINISHED"}
    assert calls == [path]
    assert {"walk 0-20", "walk 5-25 mirrored", "walk 9-29 mirrored"} <= set(bpy.data.actions.keys())


def test_a_mirrored_find_is_imported_mirrored(here, loom, lame, rig):
    play(rig, "Wave")
    bpy.ops.action_loom.find_like(mirror=True)
    here.finder().found[0].use = True
    assert bpy.ops.action_loom.import_found() == {"FINISHED"}
    row = here.finder().found[0]
    made = bpy.data.actions[f"other {row.first}-{row.last} mirrored"]
    hands = [characters.roles_of(loom, rig)[role] for role in ("hand.L", "hand.R")]
    away, apart = RATE * row.first / 60.0, []  # the find may begin a little after the file's first frame
    for name, begin in (("Wave", bpy.data.actions["Wave"].frame_range[0] + away), (made.name, here.finder().frame)):
        play(rig, name)
        apart.append(np.array([material.pose_positions(rig, hands, begin + k) for k in (10, 20)]))
    assert np.abs(apart[0] - apart[1]).max() < 0.03
    assert np.abs(apart[0][:, 0] - apart[0][:, 1]).max() > 0.3


# --- captured files and characters ----------------------------------------------------------------------------------


@needs_shared
def test_a_character_finds_and_takes_captured_motion(here, loom, tmp_path):
    """A character that plays a captured walk finds its file first, and the imported stretch moves its limbs alike."""
    made = tmp_path / "cmu"
    made.mkdir()
    for name in (characters.WALK, characters.RUN):
        shutil.copy(characters.file_of(name), made)
    here.preferences.library = str(tmp_path / "cmu.loomlib")
    bpy.ops.action_loom.add_to_library(directory=str(made))
    rig = characters.character("mannequiny")
    assert material.import_motion(characters.file_of(characters.WALK), plant_feet=False, rate="SCENE") == {"FINISHED"}
    play(rig, characters.WALK)
    assert bpy.ops.action_loom.find_like(most=3) == {"FINISHED"}
    best = here.finder().found[0]
    assert best.name == characters.WALK
    assert best.first <= 12  # at 120 fps; the leading T-pose and its filter ringing are left out
    best.use = True
    assert bpy.ops.action_loom.import_found(plant_feet=False, rate="KEEP") == {"FINISHED"}
    action = bpy.data.actions[f"{characters.WALK} {best.first}-{best.last}"]
    assert action.name in [line.action.name for line in bpy.context.scene.action_loom.rigs[0].sources]
    source = characters.captured()
    bpy.context.scene.render.fps = 30
    begin = here.finder().frame
    at = np.array([0, 60, 150])
    theirs = characters.directions(loom, source, source.animation_data.action, at + 1 + best.first)
    ours = characters.directions(loom, rig, action, at + begin)
    for role in ("thigh.L", "thigh.R", "shin.L", "upper_arm.R"):
        up = np.degrees(np.arccos(np.clip(ours[role][:, 2], -1, 1)) - np.arccos(np.clip(theirs[role][:, 2], -1, 1)))
        assert np.abs(up).max() < 0.1, role  # limbs lean as in the file, independent of facing


# --- beside the interface -------------------------------------------------------------------------------------------


def test_escape_while_a_folder_is_added_says_what_is_there(here, loom, folder, library, monkeypatch):
    shutil.copy(folder / "walk.bvh", folder / "again.bvh")
    reached, continues = threading.Event(), threading.Event()
    read = here.index.read

    def slow(batch):
        reached.set()
        assert continues.wait(20)
        return read(batch)

    monkeypatch.setattr(here.index, "read", slow)
    operator, context, reported = driven(loom, "add_to_library", directory=str(folder))
    assert operator._begin(context) == {"RUNNING_MODAL"}
    assert reached.wait(20)
    assert here.jobs.running().label == "Add Folder"
    operator.modal(context, SimpleNamespace(type="ESC", value="PRESS", mouse_x=0, mouse_y=0))
    continues.set()
    assert ended(operator, context) == {"CANCELLED"}
    assert reported == [("INFO", "Add Folder was cancelled; what was kept so far is in the library")]
    assert "3 clips" in labels()


def test_finding_and_importing_go_on_beside_the_interface(here, loom, library, rig):
    operator, context, reported = driven(loom, "find_like", part="whole", mirror=False, words="", most=3)
    assert operator._begin(context) == {"RUNNING_MODAL"}
    assert ended(operator, context) == {"FINISHED"}
    assert "the closest is walk" in reported[-1][1]
    before = state()
    stretch = SimpleNamespace(path=here.finder().found[0].path, first=0, last=30, mirrored=False)
    given = {"stretches": [stretch], "rate": "SCENE", "plant_feet": True}
    operator, context, reported = driven(loom, "import_found", **given)
    assert operator._begin(context) == {"RUNNING_MODAL"}
    assert ended(operator, context, "ESC") == {"CANCELLED"}
    assert reported == [("INFO", "Import was cancelled; nothing was changed")]
    assert state() == before
    operator, context, reported = driven(loom, "import_found", **given)
    operator._begin(context)
    assert ended(operator, context) == {"FINISHED"}
    assert "walk 0-30" in bpy.data.actions
    operator, context, reported = driven(loom, "import_found", **given)
    operator._begin(context)
    operator._job.wait()
    bpy.data.objects.remove(rig)
    assert ended(operator, context) == {"CANCELLED"}
    assert "The armature was deleted" in reported[-1][1]
