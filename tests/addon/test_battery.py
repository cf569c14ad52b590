"""Run every operator and check its changes, undo, redo, saving, and failures halfway.

The table holds each operator's call and the parts of the file that it may change; an operator without a row fails here.
"""

import sys
from contextlib import nullcontext
from functools import partial
from itertools import pairwise

import addon_utils
import bpy
import material
import pytest
import trials
from file_state import curve_content, differing, state
from operator_calls import BOTH, EVERY, MAKERS, TABLE


def kind_of(name):
    return getattr(bpy.types, f"ACTION_LOOM_OT_{name}")


def can_be_undone(name):
    return "UNDO" in getattr(kind_of(name), "bl_options", ())


READERS = [name for name in EVERY if "sources" in TABLE[name].options or name == "rebuild"]
# All verbs share one operator for reading and ending, so two verbs and the other operators are enough.
ONE_OF_EACH = ("blend", "retarget", *(name for name in READERS if name not in trials.calls()))
SEEN = [name for name in (*ONE_OF_EACH, "export_motion") if name != "rebuild"]  # these take the option `visual`


def test_every_operator_is_in_the_table():
    assert sorted(dir(bpy.ops.action_loom)) == EVERY


# --- the file and its operators -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def good(extension, tmp_path_factory):
    """A character with two listed walks, a result that it plays, an NLA track and a path."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    rig = material.biped()
    for name, frames, leads in (("slow", 36, "L"), ("quick", 24, "R")):
        action = material.key_walk(rig, name, frames=frames, leads=leads)
        action["note"] = {"by": "an artist", "takes": [1, 2]}
        action.pose_markers.new("hit the drum").frame = 7
        for curve in material.fcurves(action)[::3]:
            curve.keyframe_points[1].handle_left_type = curve.keyframe_points[1].handle_right_type = "FREE"
            curve.keyframe_points[1].handle_left.y += 0.01
    material.list_all()
    bpy.ops.action_loom.blend(sources=BOTH, result_name="Mixed")
    track = rig.animation_data.nla_tracks.new()
    track.strips.new("quick", 200, bpy.data.actions["quick"]).mute = True
    material.draw_curve([(0.0, 0.0), (0.0, -4.0)])
    bpy.context.scene.frame_set(9)
    path = tmp_path_factory.mktemp("battery") / "good.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


@pytest.fixture
def prepared(good, tmp_path):
    """Return `prepare(name)`: open that file and return an operator's call `call(undo=False, **more_options)`."""

    def prepare(name):
        bpy.ops.wm.open_mainfile(filepath=str(good))
        row = TABLE[name]
        if row.before is not None:
            row.before(tmp_path)
        bpy.context.view_layer.update()
        options = filled(row.options, str(tmp_path))

        def call(*, undo=False, **more):
            return getattr(bpy.ops.action_loom, name)("EXEC_DEFAULT", undo, **(options | more))

        return call

    return prepare


def filled(value, folder):
    """Return options with the test's folder instead of FOLDER."""
    if isinstance(value, dict):
        return {name: filled(one, folder) for name, one in value.items()}
    if isinstance(value, list):
        return [filled(one, folder) for one in value]
    return value.replace("FOLDER", folder) if isinstance(value, str) else value


# --- changes, undo, redo and saving ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EVERY)
def test_only_what_is_meant_is_changed_and_it_is_taken_back_and_done_again(prepared, name, loom):
    call, row = prepared(name), TABLE[name]
    bpy.ops.ed.undo_push(message="before")
    before = state()
    with material.running_job(loom("addon.ground.jobs")) if name == "cancel" else nullcontext():
        assert call(undo=True) == {"FINISHED"}
    after = state()
    assert differing(before, after) <= row.changes
    assert differing(before, after) or not can_be_undone(name)
    if row.makes:
        assert len(after["new actions"]) == len(before["new actions"]) + 1
    if not can_be_undone(name):
        return
    bpy.ops.ed.undo()
    assert differing(before, state()) == set()
    bpy.ops.ed.redo()
    assert differing(after, state()) == set()


# These change the frame, which drops unkeyed changes of the pose, or set another pose.
GOING_THERE = ("choose_candidate", "go_to_frame", "move_playhead", "tween")
ANEW = ("rebuild", "remove_pose", "clean_up", "match_rate", "move_poses")  # these rewrite the armature's action
GIVEN = ("push_down", "push_down_set", "play_action", "open_tool", "steer")  # these change which action plays
STILL = [name for name in EVERY if TABLE[name].needs_armature and name not in (*GOING_THERE, *ANEW, *GIVEN)]


@pytest.mark.parametrize(
    ("name", "visual"), [*((name, False) for name in STILL), *((name, True) for name in STILL if name in SEEN)]
)
def test_a_pose_without_keys_and_all_that_is_played_stay_as_they_are(prepared, name, visual):
    call = prepared(name)
    options = {"visual": True} if visual else {}
    if TABLE[name].makes:
        options["assign"] = False
    rig = bpy.data.objects["Biped"]
    rig.pose.bones["chest"].rotation_euler.x += 0.5
    rig.pose.bones["thigh.L"].rotation_euler.y -= 0.25
    rig.location.x = 3.0
    bpy.context.view_layer.update()
    before = state()
    call(**options)
    assert differing(before, state()) <= TABLE[name].changes - {"pose", "animation"}


@pytest.mark.parametrize("name", [name for name in EVERY if name not in ("cancel", "export_motion", "tween")])
def test_what_came_of_it_is_there_after_saving_and_opening(prepared, name, tmp_path, loom):
    call, before = prepared(name), state()
    call()
    after = state()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "saved.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "saved.blend"))
    assert differing(after, state()) <= {"images"}  # Blender keeps an image while an editor shows it
    bpy.context.view_layer.objects.active = bpy.data.objects["Biped"]  # a new curve or an import is active
    result_mark, known = loom("addon.bridge.result_mark"), before["new actions"]
    for made in after["new actions"] if name in MAKERS else ():
        if made not in known:
            _assert_it_says_what_plays_when(loom, bpy.data.actions[made])
    for made in [*after["new actions"], "Mixed"] if name in (*MAKERS, "rebuild") else ():
        if result_mark.is_result(bpy.data.actions[made]):
            curves = [curve_content(curve) for curve in material.fcurves(bpy.data.actions[made])]
            assert bpy.ops.action_loom.rebuild(action=made) == {"FINISHED"}
            again = material.fcurves(bpy.data.actions[made])
            if made == "Mixed":  # it also keys channels that a later result has keyed or switched
                channels = {content[0][:2] for content in curves}
                again = [curve for curve in again if (curve.data_path, curve.array_index) in channels]
            assert [curve_content(curve) for curve in again] == curves


def _assert_it_says_what_plays_when(loom, action):
    storage, parts = loom("addon.model.storage"), loom("addon.model.parts")
    found = parts.from_json(storage.parts_text(action))
    first, last = loom("addon.model.contact_rows").frames_of(action)
    assert found.last == last - first
    count = len(storage.of_result(action).sources)
    assert any(found.tracks) or found.shares
    for track in found.tracks:
        assert all(0.0 <= part.first <= part.last <= found.last for part in track)
        assert all(one.last <= other.first + 1.0 for one, other in pairwise(track))
        assert all(0 <= source < count for part in track for source in part.sources)
    assert all(sum(row[2:]) == pytest.approx(1.0, abs=1e-3) for row in found.shares)
    assert all(len(row) == count + 2 for row in found.shares)
    assert all(0.0 <= seam.first <= seam.at <= seam.last <= found.last for seam in found.seams)


def test_switched_off_and_on_or_loaded_anew_everything_is_as_it_was(prepared, extension):
    prepared("blend")()

    def off_and_on():
        addon_utils.disable(extension)
        addon_utils.enable(extension, default_set=True)

    # The last one does the same as Blender's Reload Scripts in a window.
    try:
        for renew in (off_and_on, off_and_on, lambda: bpy.utils.load_scripts(reload_scripts=True)):
            before = state()
            renew()
            assert differing(before, state()) == set()
            assert bpy.ops.action_loom.rebuild() == {"FINISHED"}
        assert bpy.ops.action_loom.edit_recipe() == {"FINISHED"}
        assert bpy.ops.action_loom.blend() == {"FINISHED"}
    finally:
        _load_anew("io_scene_gltf2")


def _load_anew(addon):
    """Reload one of Blender's own add-ons as at startup.

    Reload Scripts leaves some modules of 4.2's glTF exporter twice, and it then writes each bone two times.
    """
    addon_utils.disable(addon)
    for name in [name for name in sys.modules if name.partition(".")[0] == addon]:
        del sys.modules[name]
    addon_utils.enable(addon, default_set=True)


# --- deleted data ---------------------------------------------------------------------------------------------------


def refused(call):
    """Return the error message of an operator that refuses, never a traceback, or "" if it succeeds."""
    try:
        call()
    except RuntimeError as error:
        assert "Traceback" not in str(error), error
        return str(error)
    return ""


def test_without_its_armature_nothing_is_changed(good, tmp_path):
    bpy.ops.wm.open_mainfile(filepath=str(good))
    bpy.data.objects.remove(bpy.data.objects["Biped"])
    before = state()
    for name in (name for name in EVERY if TABLE[name].needs_armature):
        message = refused(partial(getattr(bpy.ops.action_loom, name), **filled(TABLE[name].options, str(tmp_path))))
        assert "Select an armature" in message, (name, message)
        assert differing(before, state()) == set(), name


@pytest.mark.core_result
@pytest.mark.parametrize(
    ("name", "gone"),
    [
        *((name, "armature") for name in READERS),
        *((name, how) for name in ONE_OF_EACH for how in ("deleted", "source")),
    ],
)
def test_what_goes_while_it_is_worked_out_is_said_and_nothing_is_written(prepared, name, gone, monkeypatch):
    call = prepared(name)
    kind = kind_of(name)
    compute = kind.compute

    def interrupted(inputs, progress):
        made = compute(inputs, progress)
        if gone == "armature":
            bpy.data.objects.remove(bpy.data.objects["Biped"])
        elif gone == "deleted":  # as in the viewport
            bpy.ops.object.delete()
        else:
            bpy.data.actions.remove(bpy.data.actions["slow"])
        return made

    monkeypatch.setattr(kind, "compute", staticmethod(interrupted))
    before = state()
    message = refused(call)
    if TABLE[name].makes or name == "rebuild":
        what = "action 'slow'" if gone == "source" else "armature"
        assert f"The {what} was deleted while its actions were woven: nothing was written" in message
    after = state()
    assert after["new actions"] == before["new actions"]
    assert after["result"] == before["result"]
    assert after["sources"]["quick"] == before["sources"]["quick"]


def test_a_result_that_goes_while_it_is_made_anew_is_said(prepared, monkeypatch):
    call = prepared("rebuild")
    kind = kind_of("rebuild")
    compute = kind.compute
    for spoil, message in (
        (lambda: bpy.data.actions["Mixed"].pop("action_loom"), "Mixed was not made by Action Loom"),
        (lambda: bpy.data.actions.remove(bpy.data.actions["Mixed"]), "The result was deleted while its actions"),
    ):

        def interrupted(inputs, progress, spoil=spoil):
            made = compute(inputs, progress)
            spoil()
            return made

        monkeypatch.setattr(kind, "compute", staticmethod(interrupted))
        kept = bpy.data.actions["Mixed"]["action_loom"].to_dict()
        assert message in refused(call)
        if "Mixed" in bpy.data.actions:
            bpy.data.actions["Mixed"]["action_loom"] = kept


# --- failures while writing -----------------------------------------------------------------------------------------


@pytest.fixture
def breaks(loom, monkeypatch):
    """Return `prepare(what, after)`, which makes a writing function raise MemoryError after `after` calls."""
    places = {
        "keys": (loom("addon.bridge.curve_writing").CurveWriter, "_curve"),
        "recipe": (loom("addon.model.storage"), "store"),
    }

    def prepare(what, after):
        owner, name = places[what]
        write, calls = getattr(owner, name), []

        def failing(*given, **options):
            calls.append(name)
            if len(calls) > after:
                raise MemoryError("no more room")
            return write(*given, **options)

        monkeypatch.setattr(owner, name, failing)

    return prepare


@pytest.mark.core_result
@pytest.mark.parametrize(
    ("name", "what", "after"),
    [
        *((name, "recipe", 0) for name in [*MAKERS, "rebuild"]),
        *((name, "keys", after) for name in ("blend", "rebuild") for after in (0, 20)),
    ],
)
def test_what_breaks_while_it_is_written_leaves_all_as_it_was(prepared, breaks, name, what, after):
    call = prepared(name)
    before = state()
    breaks(what, after)
    with pytest.raises(RuntimeError, match="no more room"):
        call()
    assert differing(before, state()) <= {"settings"}  # the settings keep the message about the sources
