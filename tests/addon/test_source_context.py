"""Rebuild reports changed contexts of sources, and stays silent without a change."""

import json
import subprocess
import sys
from pathlib import Path

import bpy
import material
import numpy as np
import pytest
from test_hand_keyed import by_hand

KEY = "action_loom"
ARM = "upper_arm.L"
SINCE = "changed since Mixed was made"


@pytest.fixture
def rig(loom):
    """A walker with two actions that do not key the left arm."""
    made, curves = material.biped(), loom("addon.bridge.curves")
    for name, frames, lead in (("slow", 36, "L"), ("quick", 24, "R")):
        action = material.key_walk(made, name, frames=frames, leads=lead)
        arm = [curve.data_path for curve in material.fcurves(action) if f'"{ARM}"' in curve.data_path]
        curves.remove(action, curves.choose_slot(action, made), arm)
    made.pose.bones[ARM].rotation_euler = (0.0, 0.0, 0.0)
    material.show(made, bpy.data.actions["slow"])
    return made


def move_parent(rig, far=3.0):
    """Let a cart move an armature by a distance; a second call changes the distance."""
    cart = bpy.data.objects.get("Cart") or bpy.data.objects.new("Cart", None)
    if cart.name not in bpy.context.scene.collection.objects:
        bpy.context.scene.collection.objects.link(cart)
    for frame, x in ((1, 0.0), (60, far)):
        cart.location.x = x
        cart.keyframe_insert("location", frame=frame)
    rig.parent = cart


def turn_side(rig, angle=0.0):
    """Let a constraint turn a chain's side branch like a target; a second call changes the angle."""
    target = bpy.data.objects.get("Target") or bpy.data.objects.new("Target", None)
    if target.name not in bpy.context.scene.collection.objects:
        bpy.context.scene.collection.objects.link(target)
        rig.pose.bones["side"].constraints.new("COPY_ROTATION").target = target
    target.rotation_euler.x = angle
    bpy.context.view_layer.update()


def add_marker(action, name, frame):
    action.pose_markers.new(name).frame = frame


def blend(*names, **options):
    sources = [{"name": name, "weight": 1.0} for name in names or ("slow", "quick")]
    bpy.ops.action_loom.blend(sources=sources, result_name="Mixed", **options)
    return bpy.data.actions["Mixed"]


def rebuild(capfd, frame=1):
    """Rebuild the result; return the report of changes, or ""."""
    bpy.context.scene.frame_set(frame)
    capfd.readouterr()
    assert bpy.ops.action_loom.rebuild(action="Mixed") == {"FINISHED"}
    warnings = [line for line in capfd.readouterr().out.splitlines() if SINCE in line]
    assert len(warnings) <= 1
    return warnings[0].removeprefix("Warning: ") if warnings else ""


def keys(action):
    """Return the keys of an action in bytes, by curve."""
    found = {}
    for curve in material.fcurves(action):
        points = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
        curve.keyframe_points.foreach_get("co", points)
        found[curve.data_path, curve.array_index] = points.tobytes()
    return found


def numbers(row):
    return np.frombuffer(row, dtype=np.float32)


# --- reports --------------------------------------------------------------------------------------------------------


def pose_arm(rig):
    rig.pose.bones[ARM].rotation_euler.x = 0.9
    bpy.context.view_layer.update()


def scale_thighs(rig):
    rig.pose.bones["thigh.L"].scale = rig.pose.bones["thigh.R"].scale = (1.2, 1.2, 1.2)
    bpy.context.view_layer.update()


def lengthen(rig):
    bpy.data.actions["slow"].use_frame_range = True
    bpy.data.actions["slow"].frame_start, bpy.data.actions["slow"].frame_end = 1, 30


def change_scene_rate(rig):
    bpy.context.scene.render.fps = 30


def stretch_time(rig):
    bpy.context.scene.render.frame_map_new = 200


def mark_step(name):
    add_marker(bpy.data.actions[name], "step", 7)


def tag_rate(loom):
    loom("addon.bridge.rates").set_rate(bpy.data.actions["quick"], 60.0)


CHANGES = {
    "pose": (pose_arm, f"rotation of '{ARM}' ('slow', 'quick')"),
    "scale": (scale_thighs, "scale of 'thigh.L', 'thigh.R' ('slow', 'quick')"),
    "frames": (lengthen, "frames 1–37 → 1–30 ('slow')"),
    "rate": (change_scene_rate, "rate 24 → 30 ('slow', 'quick')"),
    "new parent": (move_parent, "motion of Cart ('slow', 'quick')"),
    "stretching": (stretch_time, "stretching 1 → 2 ('slow', 'quick')"),
    "marker": (lambda _: mark_step("quick"), "markers 'step' ('quick')"),
}


def test_a_duplicate_of_the_character_changes_nothing(rig, loom, capfd):
    """Its strips also play the sources: a glTF file puts all actions into the NLA."""
    tracks = rig.animation_data.nla_tracks
    for name in ("slow", "quick"):
        tracks.new().strips.new(name, 1, bpy.data.actions[name])
    changed, made = loom("addon.services.results.changed_sources"), blend()
    bpy.ops.object.duplicate()
    copied = bpy.context.object.animation_data.action
    assert copied not in (None, made)
    assert changed.look(made) == changed.look(copied) == ()
    assert not changed.is_edited(copied)
    bpy.context.view_layer.objects.active = rig
    assert rebuild(capfd) == ""


@pytest.mark.parametrize("change", CHANGES)
def test_what_has_changed_marks_rebuild_and_is_reported_once_with_its_source(rig, loom, capfd, change):
    changed = loom("addon.services.results.changed_sources")
    apply, words = CHANGES[change]
    made = blend()
    assert changed.look(made) == changed.look(made, hashed=False) == ()
    apply(rig)
    assert changed.look(made, hashed=False) == (words,)
    assert words in changed.look(made)  # a changed range changes the hash, too
    assert rebuild(capfd) == f"{words} {SINCE}: set that back to get the same result again"
    assert changed.look(made) == ()
    assert rebuild(capfd) == ""  # the new context is stored


def test_without_a_change_rebuild_is_not_marked_at_another_frame(rig, loom):
    changed = loom("addon.services.results.changed_sources")
    rig.pose.bones[ARM].rotation_euler = (0.4, 0.1, -0.3)
    move_parent(rig)
    made = blend()
    bpy.context.scene.frame_set(17)
    assert changed.look(made) == changed.look(made, hashed=False) == ()
    move_parent(rig, far=5.0)
    assert changed.look(made) == ("motion of Cart ('slow', 'quick')",)


def test_several_changes_are_one_sentence(rig, capfd):
    blend()
    pose_arm(rig)
    stretch_time(rig)
    whole = f"rotation of '{ARM}' ('slow', 'quick'), stretching 1 → 2 ('slow', 'quick') {SINCE}"
    assert rebuild(capfd).startswith(whole)


def test_a_rate_that_was_stored_since_is_reported(rig, loom, capfd):
    blend()
    tag_rate(loom)
    assert rebuild(capfd).startswith("rate 24 → 60 ('quick') changed since")


def test_keys_that_were_scaled_in_time_are_reported_with_their_rate(rig, loom, capfd):
    tag_rate(loom)
    blend()
    for curve in material.fcurves(bpy.data.actions["quick"]):
        for point in curve.keyframe_points:
            point.co.x = 1.0 + (point.co.x - 1.0) / 2.0
        curve.update()
    assert rebuild(capfd).startswith("frames 1–25 → 1–13 ('quick'), rate 60 → 30 ('quick') changed since")


def test_a_moved_marker_is_reported_and_contacts_of_ours_are_not(rig, capfd):
    add_marker(bpy.data.actions["slow"], "step", 7)
    blend()
    add_marker(bpy.data.actions["slow"], "L down 1", 9)
    assert rebuild(capfd) == ""
    bpy.data.actions["slow"].pose_markers[0].frame = 12
    assert rebuild(capfd).startswith("markers 'step' ('slow') changed since")


def test_a_constraints_target_is_reported_of_poses_that_are_read_as_seen(extension, capfd):
    rig = material.two_actions()
    turn_side(rig)
    made = blend("one", "two", ends="pinned", visual=True)
    before = keys(made)
    for frame in (12, 40):
        assert rebuild(capfd, frame) == ""
        assert keys(made) == before
    turn_side(rig, angle=1.0)
    assert rebuild(capfd).startswith("constraints ('one', 'two') changed since")
    turn_side(rig, angle=0.5)
    material.fcurves(bpy.data.actions["one"])[0].keyframe_points[1].co.y += 0.5  # explains the poses of 'one'
    assert rebuild(capfd).startswith("constraints ('two') changed since")


def test_what_moves_the_body_of_a_rig_with_controls_is_reported(extension, capfd):
    rig, action = by_hand(pole=True)
    bpy.ops.action_loom.mirror(sources=[{"name": action.name, "weight": 1.0}], result_name="Mixed")
    before = keys(bpy.data.actions["Mixed"])
    for frame in (12, 30):
        assert rebuild(capfd, frame) == ""
        assert keys(bpy.data.actions["Mixed"]) == before
    rig.pose.bones["shin.L"].constraints["IK"].pole_angle += 0.1
    assert rebuild(capfd).startswith("constraints ('Steps') changed since")


def test_an_action_of_another_armature_has_the_context_of_that_one(rig, capfd):
    other = material.biped(name="Other")
    move_parent(other)
    sources = [{"name": "slow", "weight": 1.0}, {"name": "quick", "weight": 1.0}]
    bpy.context.view_layer.objects.active = rig
    bpy.ops.action_loom.blend(sources=sources, players=[{"name": "quick", "armature": "Other"}], result_name="Mixed")
    assert rebuild(capfd, 20) == ""
    move_parent(other, far=5.0)
    assert rebuild(capfd).startswith("motion of Cart ('quick') changed since")


def test_the_command_line_reports_it(rig, command, tmp_path):
    blend()
    pose_arm(rig)
    material.saved(tmp_path / "scene.blend")
    assert command("rebuild", "Mixed", "--save", "--report", tmp_path / "report.json")[0] == 0
    (figures,) = material.read_json(tmp_path / "report.json")["results"]
    reported = [text for text in figures["warnings"] if SINCE in text]
    assert reported == [f"rotation of '{ARM}' ('slow', 'quick') {SINCE}: set that back to get the same result again"]


# --- no reports -----------------------------------------------------------------------------------------------------


def test_without_a_change_every_frame_gives_the_same_bytes_and_no_warning(rig, capfd):
    rig.pose.bones[ARM].rotation_euler = (0.4, 0.1, -0.3)
    move_parent(rig)
    follow = rig.constraints.new("COPY_ROTATION")
    follow.target = bpy.data.objects["Cart"]
    add_marker(bpy.data.actions["slow"], "step", 7)
    bpy.context.scene.frame_set(3)
    made = blend()
    before = keys(made)
    for frame in (1, 17, 53):
        assert rebuild(capfd, frame) == ""
        assert keys(made) == before
    material.show(rig, bpy.data.actions["quick"])
    assert rebuild(capfd, 9) == ""
    assert keys(made) == before


def test_an_action_that_moves_the_object_is_silent_at_every_frame(loom, capfd):
    rig = material.biped()
    for name, frames, lead in (("slow", 36, "L"), ("quick", 24, "R")):
        material.key_walk(rig, name, frames=frames, leads=lead, object_travels=True)
    move_parent(rig)
    made = blend()
    before = keys(made)
    for frame in (1, 17, 53):
        assert rebuild(capfd, frame) == ""
        now = keys(made)
        assert now.keys() == before.keys()  # the parent's place at this frame rounds the numbers
        assert max(np.abs(numbers(now[one]) - numbers(before[one])).max() for one in now) < 1e-5


def test_a_pose_that_a_result_has_left_at_rest_is_no_change(rig, loom, capfd):
    curves = loom("addon.bridge.curves")
    for name in ("slow", "quick"):
        action = bpy.data.actions[name]
        arm = [curve.data_path for curve in material.fcurves(action) if '"upper_arm.R"' in curve.data_path]
        curves.remove(action, curves.choose_slot(action, rig), arm)
    rig.pose.bones["upper_arm.R"].rotation_euler = (0.0, 0.0, 0.0)
    pose_arm(rig)
    bpy.ops.action_loom.mirror(sources=[{"name": "slow", "weight": 1.0}], result_name="Mixed")
    before = keys(bpy.data.actions["Mixed"])
    bpy.context.scene.frame_set(9)
    assert rig.pose.bones[ARM].rotation_euler[:] == pytest.approx((0.0, 0.0, 0.0), abs=1e-6)
    material.show(rig, bpy.data.actions["quick"])
    assert rebuild(capfd, 9) == ""
    assert keys(bpy.data.actions["Mixed"]) == before


def test_what_a_result_has_one_key_of_has_one_key_again(rig):
    rig.animation_data.action = None
    for frame, turn in ((1, 0.0), (12, 1.0)):
        rig.pose.bones[ARM].rotation_euler.x = turn
        rig.pose.bones[ARM].keyframe_insert("rotation_euler", frame=frame)
    rig.animation_data.action.use_fake_user = True
    made = blend()
    before = keys(made)
    counts = {len(row) for (path, _), row in before.items() if f'"{ARM}"' in path}
    assert counts == {8}  # bytes: a frame and a value
    bpy.ops.action_loom.rebuild(action="Mixed")
    assert keys(made) == before


def test_names_and_places_are_no_change(rig, capfd):
    blend()
    bpy.data.actions["slow"].name = "unhurried"
    rig.location = (3.0, 2.0, 0.0)
    rig.name = "Walker"
    material.show(rig, bpy.data.actions["quick"])
    assert rebuild(capfd, 30) == ""


def test_a_saved_and_opened_file_is_silent(rig, capfd, tmp_path):
    rig.pose.bones[ARM].rotation_euler = (0.4, 0.1, -0.3)
    move_parent(rig)
    made = blend()
    before = keys(made)
    material.armature_of(material.saved(tmp_path / "scene.blend"))
    assert rebuild(capfd, 31) == ""
    assert keys(bpy.data.actions["Mixed"]) == before


def test_what_replaces_an_action_of_two_characters_is_silent(rig, capfd):
    other = material.biped(name="Other")
    material.show(other, bpy.data.actions["slow"])
    bpy.context.view_layer.objects.active = rig
    with bpy.context.temp_override(action_loom_armature=rig):
        bpy.ops.action_loom.mirror(sources=[{"name": "slow", "weight": 1.0}], replace=True)
    capfd.readouterr()
    bpy.ops.action_loom.rebuild(action="slow")
    assert "changed since" not in capfd.readouterr().out


def test_a_result_of_an_earlier_version_is_rebuilt_silently_and_has_a_context_then(rig, capfd):
    made = blend()
    before = keys(made)
    for entry in made[KEY]["sources"]:
        del entry["context"]
    pose_arm(rig)
    assert rebuild(capfd) == ""
    assert all("context" in entry for entry in made[KEY]["sources"])
    rig.pose.bones[ARM].rotation_euler.x = 0.0
    bpy.context.view_layer.update()
    assert rebuild(capfd).startswith(f"rotation of '{ARM}'")
    assert keys(made) == before


# --- how it is kept -------------------------------------------------------------------------------------------------


def test_a_context_is_plain_json_and_is_read_as_it_was_written(rig, loom):
    context = loom("addon.bridge.source_context")
    rig.pose.bones[ARM].rotation_euler = (0.4, 0.1, -0.3)
    move_parent(rig)
    add_marker(bpy.data.actions["slow"], "step", 7)
    text = blend(visual=True)[KEY]["sources"][0]["context"]
    values = json.loads(text)
    assert values["posed"] == {f'pose.bones["{ARM}"].rotation_euler': pytest.approx([0.4, 0.1, -0.3], abs=1e-4)}
    assert values["frames"] == [1, 37]
    assert values["markers"] == [["step", 7]]
    assert len(text) < 1500
    assert context.from_json(text).to_json() == text


def test_a_context_that_something_else_has_changed_is_told(rig):
    made = blend()
    why = "How Mixed was made can't be read: its custom property 'action_loom' was changed by something else"
    for text in ("{}", "[1]", "null", "{", '{"frames": [1, 2]}', '{"frames": "ab"}', '{"frames": [1]}'):
        made[KEY]["sources"][1]["context"] = text
        with pytest.raises(RuntimeError, match=why):
            bpy.ops.action_loom.rebuild(action="Mixed")


def test_the_recipe_is_the_one_that_jobs_of_the_command_line_take(rig, loom, command, tmp_path):
    recipe = json.loads(blend()[KEY]["recipe"])
    lines = [f"{name} = {json.dumps(value)}" for name, value in recipe.items()]
    lines += ['clips = ["slow", "quick"]', 'result_name = "Again"']
    material.saved(tmp_path / "scene.blend")
    (tmp_path / "job.toml").write_text("[[job]]\n" + "\n".join(lines), encoding="utf-8")
    assert command("run", tmp_path / "job.toml", "--save")[0] == 0
    assert keys(bpy.data.actions["Again"]) == keys(bpy.data.actions["Mixed"])


def test_the_core_reads_the_recipe_without_blender(rig, loom):
    text = blend()[KEY]["recipe"]
    folder = Path(loom("core.verbs").__file__).parents[2]
    code = (
        "import sys; sys.modules['bpy'] = None; from core import verbs; print(verbs.from_json(sys.argv[1]).to_json())"
    )
    done = subprocess.run([sys.executable, "-c", code, text], cwd=folder, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == text
