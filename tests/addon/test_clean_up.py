"""Clean Up removes jumps, closes cycles, drops constant curves and tidies names without changing other poses."""

import bpy
import material
import numpy as np
import pytest
from characters import character

PI = np.pi


@pytest.fixture
def rig():
    """An armature with a bone in Euler angles and one in quaternions, and an empty action."""
    rig = material.armature(modes=("XYZ", "QUATERNION", "ZXY"))
    rig.animation_data_create()
    action = bpy.data.actions.new("by hand")
    rig.animation_data.action = action
    return rig


def clean(**options):
    """Clean up with the given options only; return the armature's action."""
    every = dict.fromkeys(("eulers", "signs", "cycles", "constant", "names"), False)
    assert bpy.ops.action_loom.clean_up(**(every | options)) == {"FINISHED"}
    return bpy.context.object.animation_data.action


def key(rig, path, index, keys, interpolation="BEZIER"):
    """Key a property by hand, in Blender's own way; returns its curve."""
    for frame, value in keys:
        owner, _, name = path.rpartition(".")
        held = rig.path_resolve(owner) if owner else rig
        getattr(held, name)[index] = value
        held.keyframe_insert(name, index=index, frame=frame)
    curve = curve_of(rig, path, index)
    for point in curve.keyframe_points:
        point.interpolation = interpolation
    curve.update()
    return curve


def curve_of(rig, path, index=0):
    found = material.fcurves(rig.animation_data.action)
    return next((one for one in found if one.data_path == path and one.array_index == index), None)


def bone(rig, k, name):
    return f'pose.bones["{rig.pose.bones[k].name}"].{name}'


def values(curve):
    return np.array([point.co[1] for point in curve.keyframe_points])


def shown(rig, frames):
    """Return the evaluated matrices of all bones at frames (F, B, 4, 4)."""
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(int(np.floor(frame)), subframe=float(frame - np.floor(frame)))
        found.append([[*map(tuple, one.matrix)] for one in rig.pose.bones])
    return np.array(found)


def frames_of(action, more=0):
    first, last = action.frame_range[:]
    return np.arange(np.floor(first), np.ceil(last) + 1 + more)


def assert_same_pose(before, after, atol=1e-5):
    scale = max(1.0, np.abs(before[..., :3, 3]).max())
    assert np.abs(after - before).max() < atol * scale


# --- jumps ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [0, 2])
def test_angles_baked_with_jumps_go_on_and_every_frame_is_as_it_was(rig, k):
    """Clean angles of two rotation orders: shifts by whole turns, and the other triple of the same rotation."""
    order = rig.pose.bones[k].rotation_mode
    middle = "XYZ".index(order[1])
    time = np.arange(40)
    plain = np.stack([0.2 * time, 1.2 * np.sin(time / 6.0), -0.11 * time], axis=1)
    spoilt = plain.copy()
    for first in (9, 23):
        spoilt[first : first + 8] += PI
        spoilt[first : first + 8, middle] = PI - plain[first : first + 8, middle]
    spoilt[30:, 0] -= 2.0 * PI
    path = bone(rig, k, "rotation_euler")
    for index in range(3):
        key(rig, path, index, list(enumerate(spoilt[:, index], start=1)), "LINEAR")
    before = shown(rig, time + 1)
    action = clean(eulers=True)
    made = np.column_stack([values(curve_of(rig, path, index)) for index in range(3)])
    np.testing.assert_allclose(made, plain, atol=1e-5)
    assert_same_pose(before, shown(rig, time + 1))
    halves = shown(rig, time[:-1] + 1.5)
    steps = np.abs(np.diff(halves[:, k], axis=0)).max()
    assert steps < 0.6  # the motion is continuous between keys, too
    assert "by hand before Clean Up" in bpy.data.actions
    assert bpy.data.actions["by hand before Clean Up"].use_fake_user
    kept = [one for one in material.fcurves(bpy.data.actions["by hand before Clean Up"]) if one.data_path == path]
    np.testing.assert_allclose(np.column_stack([values(one) for one in kept]), spoilt, atol=1e-6)
    assert bpy.ops.action_loom.clean_up(names=False) == {"FINISHED"}
    assert len(bpy.data.actions) == 2  # no change, so no copy was kept
    assert action == rig.animation_data.action


def test_handles_go_along_with_their_keys_and_a_spin_that_is_keyed_far_apart_stays(rig):
    path = bone(rig, 0, "rotation_euler")
    keys = [(1, 0.0), (2, 0.3), (3, 0.5 + 2.0 * PI), (13, 0.9 + 2.0 * PI), (33, 0.9 + 6.0 * PI), (43, 0.2 + 6.0 * PI)]
    curve = key(rig, path, 2, keys)
    for point in curve.keyframe_points:
        point.handle_left_type = point.handle_right_type = "FREE"
    curve.keyframe_points[3].handle_right = (20.0, 9.0)
    curve.keyframe_points[4].handle_left = (25.0, 5.0)
    before = shown(rig, [1, 2, *np.arange(3.0, 43.0, 0.5)])
    clean(eulers=True)
    curve = curve_of(rig, path, 2)
    np.testing.assert_allclose(values(curve), [0.0, 0.3, 0.5, 0.9, 0.9 + 4.0 * PI, 0.2 + 4.0 * PI], atol=1e-5)
    assert curve.keyframe_points[3].handle_right[1] == pytest.approx(9.0 - 2.0 * PI, abs=1e-5)
    assert_same_pose(before, shown(rig, [1, 2, *np.arange(3.0, 43.0, 0.5)]))


def test_quaternions_come_into_one_hemisphere_handles_too(rig):
    path = bone(rig, 1, "rotation_quaternion")
    angles = 0.1 * np.arange(12)
    signs = np.array([1, 1, -1, -1, -1, 1, 1, 1, -1, -1, -1, -1])
    for index, part in enumerate((np.cos(angles), np.sin(angles), 0 * angles, 0 * angles)):
        key(rig, path, index, list(zip(5 * np.arange(12) + 1, part * signs, strict=True)))
    at_keys = 5.0 * np.arange(12) + 1
    inside = np.concatenate([np.arange(a + 1, a + 5) for a in at_keys[:-1][signs[1:] == signs[:-1]]])
    away = [f for f in inside if not any(abs(f - a) < 5 for a in at_keys[1:][signs[1:] != signs[:-1]])]
    before = shown(rig, [*at_keys, *away])
    clean(signs=True)
    q = np.column_stack([values(curve_of(rig, path, index)) for index in range(4)])
    assert ((q[1:] * q[:-1]).sum(axis=1) > 0.0).all()
    assert_same_pose(before[: len(at_keys)], shown(rig, at_keys))
    middle = shown(rig, np.arange(1, 56))[:, 1]
    assert np.abs(np.diff(middle, axis=0)).max() < 0.1  # no more turns the long way round


def test_partly_keyed_quaternions_and_angles_with_keys_of_their_own_are_left_but_for_whole_turns(rig):
    path = bone(rig, 1, "rotation_quaternion")
    for index in (0, 2):
        key(rig, path, index, [(1, 0.9), (2, -0.9), (9, 0.5)])
    other = bone(rig, 0, "rotation_euler")
    key(rig, other, 0, [(1, 0.0), (2, 6.2), (3, 0.1)])
    key(rig, other, 1, [(1, 0.0), (9, 3.0)])
    before = [values(curve_of(rig, path, index)).tolist() for index in (0, 2)]
    clean(signs=True, eulers=True)
    assert [values(curve_of(rig, path, index)).tolist() for index in (0, 2)] == before
    np.testing.assert_allclose(values(curve_of(rig, other, 0)), [0.0, 6.2 - 2.0 * PI, 0.1], atol=1e-5)
    np.testing.assert_allclose(values(curve_of(rig, other, 1)), [0.0, 3.0])


def test_curves_that_are_locked_or_muted_or_made_by_modifiers_are_left(rig):
    path = bone(rig, 0, "rotation_euler")
    for index in range(3):
        curve = key(rig, path, index, [(1, 0.0), (2, 2.0 * PI), (3, 0.1)])
        setattr(curve, ("lock", "mute", "hide")[index], True)
        if index == 2:
            curve.modifiers.new("NOISE")
    before = [material.fcurves(rig.animation_data.action)[k].keyframe_points[1].co[1] for k in range(3)]
    action = clean(eulers=True, signs=True, cycles=True, constant=True, names=False)
    assert [curve.keyframe_points[1].co[1] for curve in material.fcurves(action)] == before


# --- cycles ---------------------------------------------------------------------------------------------------------


def cycles(curve, mode="REPEAT"):
    modifier = curve.modifiers.new("CYCLES")
    modifier.mode_before = modifier.mode_after = mode
    return modifier


def test_cycles_whose_ends_differ_a_little_are_closed_and_what_travels_travels(rig):
    turns, moves = bone(rig, 0, "rotation_euler"), bone(rig, 0, "location")
    cycles(key(rig, turns, 0, [(1, 0.1), (13, 0.9), (25, 0.11)]))
    cycles(key(rig, turns, 1, [(1, 0.1), (13, 0.9), (25, 0.5)]))  # too far
    cycles(key(rig, moves, 0, [(1, 0.0), (13, 0.5), (25, 1.0)]), "REPEAT_OFFSET")
    cycles(key(rig, moves, 1, [(1, 0.0), (13, 0.5), (25, 0.00005)]), "REPEAT_OFFSET")
    cycles(key(rig, moves, 2, [(1, 0.0), (13, 0.5), (25, 0.01)]), "REPEAT_OFFSET")  # a slow drift
    clean(cycles=True)
    last = [values(curve_of(rig, path, index))[-1] for path, index in ((turns, 0), (turns, 1), (moves, 0), (moves, 1))]
    np.testing.assert_allclose(last, [0.1, 0.5, 1.0, 0.0], atol=1e-7)
    assert values(curve_of(rig, moves, 2))[-1] == pytest.approx(0.01)
    assert curve_of(rig, moves, 0).evaluate(49) == pytest.approx(2.0, abs=1e-5)


def test_a_cyclic_action_is_closed_quaternions_all_four_and_of_either_sign(rig):
    path = bone(rig, 1, "rotation_quaternion")
    first, last = np.array([0.8, 0.6, 0.0, 0.0]), -np.array([0.805, 0.594, 0.001, 0.0])
    middle = np.array([0.0, 1.0, 0.2, 0.1])
    for index in range(4):
        key(rig, path, index, [(1, first[index]), (10, middle[index]), (20, last[index])])
    action = rig.animation_data.action
    action.use_cyclic = True
    clean(cycles=True)
    ends = np.array([values(curve_of(rig, path, index))[[0, -1]] for index in range(4)])
    np.testing.assert_allclose(ends[:, 1], -ends[:, 0], atol=1e-7)


# --- constant curves ------------------------------------------------------------------------------------------------


def test_curves_at_rest_go_and_constant_ones_elsewhere_keep_one_key(rig):
    moves, turns, grows = (bone(rig, 0, name) for name in ("location", "rotation_euler", "scale"))
    key(rig, moves, 0, [(1, 0.0), (30, 0.0)])
    key(rig, moves, 1, [(1, 0.3), (30, 0.3)])
    key(rig, turns, 0, [(1, 0.0), (20, 1.0)])
    key(rig, grows, 2, [(1, 1.0), (9, 1.0)])
    key(rig, "location", 0, [(1, 0.0), (30, 0.0)])  # an object lacks a rest pose, so one key stays
    for index, part in enumerate((1.0, 0.0, 0.0, 0.0)):
        key(rig, bone(rig, 1, "rotation_quaternion"), index, [(1, part), (8, part)])
    for index, part in enumerate((0.6, 0.8)):  # partly keyed, and not at rest
        key(rig, bone(rig, 2, "rotation_quaternion"), index, [(1, part), (8, part)])
    rig.pose.bones[0]["mood"] = 2.0
    rig.pose.bones[0].keyframe_insert('["mood"]', frame=1)
    rig.pose.bones[0].keyframe_insert('["mood"]', frame=9)
    before = shown(rig, range(1, 31))
    action = clean(constant=True)
    assert_same_pose(before, shown(rig, range(1, 31)))
    assert curve_of(rig, moves, 0) is None
    assert curve_of(rig, grows, 2) is None
    assert curve_of(rig, bone(rig, 1, "rotation_quaternion")) is None
    assert [len(curve_of(rig, moves, 1).keyframe_points), len(curve_of(rig, "location").keyframe_points)] == [1, 1]
    assert len(curve_of(rig, bone(rig, 2, "rotation_quaternion")).keyframe_points) == 1
    assert len(curve_of(rig, f'pose.bones["{rig.pose.bones[0].name}"]["mood"]').keyframe_points) == 1
    assert len(curve_of(rig, turns, 0).keyframe_points) == 2
    assert tuple(action.frame_range) == (1.0, 30.0)  # as it was, though the keys at its end are gone


def test_what_only_looks_constant_stays(rig):
    moves = bone(rig, 0, "location")
    curve = key(rig, moves, 0, [(1, 0.0), (30, 0.0)])
    for point in curve.keyframe_points:
        point.handle_left_type = point.handle_right_type = "FREE"
    curve.keyframe_points[0].handle_right = (10.0, 1.0)
    curve = key(rig, moves, 1, [(1, 0.0), (30, 0.0)])
    curve.modifiers.new("NOISE")
    key(rig, moves, 2, [(1, 0.0), (30, 0.0)], "ELASTIC")
    clean(constant=True)
    assert [len(curve_of(rig, moves, index).keyframe_points) for index in range(3)] == [2, 2, 2]


def test_where_something_else_would_show_one_key_is_left(rig):
    moves = bone(rig, 0, "location")
    key(rig, moves, 0, [(1, 0.0), (30, 0.0)])
    key(rig, bone(rig, 0, "rotation_euler"), 0, [(1, 0.0), (30, 1.0)])
    track = rig.animation_data.nla_tracks.new()
    track.strips.new("below", 1, bpy.data.actions.new("below"))
    clean(constant=True)
    assert len(curve_of(rig, moves, 0).keyframe_points) == 1
    track.mute = True
    bpy.context.view_layer.update()
    rig.pose.bones[0].location.x = 5.0  # an unkeyed pose
    clean(constant=True)
    assert len(curve_of(rig, moves, 0).keyframe_points) == 1
    assert rig.pose.bones[0].location.x == 5.0
    bpy.context.scene.frame_set(7)
    clean(constant=True)
    assert curve_of(rig, moves, 0) is None


def test_an_action_that_only_holds_the_rest_pose_still_says_so(rig):
    key(rig, bone(rig, 0, "location"), 0, [(1, 0.0), (30, 0.0)])
    action = clean(constant=True)
    assert len(material.fcurves(action)) == 1
    assert tuple(action.frame_range) == (1.0, 30.0)


# --- names ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("Armature|Armature|mixamo.com|Layer0", "Rig"),
        ("Armature|mixamo.com|Layer0.001", "Rig"),
        ("Rig|Walking|BaseLayer", "Walking"),
        ("Rig.002|Rig|Run fast.003", "Run fast.003"),
        ("Scene|jump", "jump"),
        ("a | b", "b"),
        ("walk", "walk"),
        ("walk_Rig", "walk_Rig"),
    ],
)
def test_names_of_importers_are_cut_to_what_tells(rig, name, wanted):
    key(rig, bone(rig, 0, "location"), 0, [(1, 0.0), (30, 1.0)])
    rig.animation_data.action.name = name
    assert clean(names=True).name == wanted


def test_names_stay_unique_and_groups_and_slots_are_tidied(rig):
    bpy.data.actions.new("Walking")
    key(rig, bone(rig, 0, "location"), 0, [(1, 0.0), (30, 1.0)])
    key(rig, bone(rig, 1, "location"), 0, [(1, 0.0), (30, 1.0)])
    action = rig.animation_data.action
    action.name = "Rig|Walking"
    for curve in material.fcurves(action):
        curve.group = None
    if hasattr(action, "slots"):
        rig.animation_data.action_slot.name_display = "Legacy Slot"
        action.slots.new("OBJECT", "nobody's")
    clean(names=True)
    assert action.name == "Walking.001"
    assert [curve.group.name for curve in material.fcurves(action)] == [one.name for one in rig.pose.bones[:2]]
    if hasattr(action, "slots"):
        assert [slot.name_display for slot in action.slots] == [rig.name]


def test_a_slot_that_others_use_keeps_its_name(rig):
    key(rig, bone(rig, 0, "location"), 0, [(1, 0.0), (30, 1.0)])
    action = rig.animation_data.action
    if not hasattr(action, "slots"):
        return
    other = bpy.data.objects.new("Other", None)
    other.animation_data_create().action = action
    other.animation_data.action_slot = rig.animation_data.action_slot
    rig.animation_data.action_slot.name_display = "shared"
    clean(names=True)
    assert [slot.name_display for slot in action.slots] == ["shared"]


# --- whole actions --------------------------------------------------------------------------------------------------


def reported(capfd, **options):
    """Return the text that Clean Up prints."""
    capfd.readouterr()
    bpy.ops.action_loom.clean_up(**options)
    return capfd.readouterr().out


@pytest.mark.parametrize("name", ["RobotExpressive", "mannequiny", "Fox"])
def test_actions_of_games_have_fewer_keys_and_the_same_poses(name, loom):
    rig = character(name)
    actions = [one for one in bpy.data.actions if loom("addon.services.sources.source_list").moves(one, rig).bones][:4]
    curves = loom("addon.bridge.curves")
    fewer = 0
    for action in actions:
        curves.assign(rig, action, curves.choose_slot(action, rig))
        frames = frames_of(action)
        before, count = shown(rig, frames), material.key_count(action)
        assert bpy.ops.action_loom.clean_up(keep_copy=False) == {"FINISHED"}
        assert_same_pose(before, shown(rig, frames))
        fewer += count - material.key_count(action)
        cleaned = material.fingerprint(action)
        assert bpy.ops.action_loom.clean_up(keep_copy=False) == {"FINISHED"}
        assert material.fingerprint(action) == cleaned
    assert fewer > 0


def test_a_captured_walk_keeps_its_poses():
    rig = material.import_bvh("cmu_mb_02_01")
    action = rig.animation_data.action
    frames = frames_of(action)[::7]
    before = shown(rig, frames)
    assert bpy.ops.action_loom.clean_up() == {"FINISHED"}
    assert_same_pose(before, shown(rig, frames))


def test_a_walk_by_hand_stays_as_it_is():
    rig = material.biped()
    action = material.key_walk(rig, "walk", frames=24)
    before = shown(rig, frames_of(action, 24))
    assert bpy.ops.action_loom.clean_up(keep_copy=False) == {"FINISHED"}
    assert_same_pose(before, shown(rig, frames_of(action, 24)))


def test_what_fails_on_the_way_leaves_the_action_as_it_was(rig, loom, monkeypatch):
    path = bone(rig, 0, "rotation_euler")
    for index in range(3):
        key(rig, path, index, [(1, 0.0), (2, 2.0 * PI), (3, 0.1)], "LINEAR")
    before = material.fingerprint(rig.animation_data.action)

    def failing(*_given):
        raise MemoryError("no more room")

    monkeypatch.setattr(loom("addon.bridge.cleaning"), "_drop_constant", failing)
    with pytest.raises(RuntimeError, match="no more room"):
        bpy.ops.action_loom.clean_up()
    assert material.fingerprint(rig.animation_data.action) == before
    assert [one.name for one in bpy.data.actions] == ["by hand"]


def test_each_ticked_action_is_cleaned_and_what_can_not_be_is_said(rig, capfd, tmp_path):
    path = bone(rig, 0, "rotation_euler")
    for index in range(3):
        key(rig, path, index, [(1, 0.0), (2, 2.0 * PI), (3, 0.1)], "LINEAR")
    action = rig.animation_data.action
    bpy.data.libraries.write(str(tmp_path / "linked.blend"), {action}, fake_user=True)
    with bpy.data.libraries.load(str(tmp_path / "linked.blend"), link=True) as (_there, here):
        here.actions = [action.name]
    other, untouched = action.copy(), action.copy()
    other.name, untouched.name = "other", "untouched"
    was = material.fingerprint(action)
    settings = material.list_sources(rig, "by hand", "other", "untouched")
    settings.rigs[0].sources[2].use = False
    settings.rigs[0].sources.add().action = here.actions[0]
    settings.edit_which = "TICKED"
    bpy.ops.ed.undo_push(message="before")
    with bpy.context.temp_override(action_loom_armature=rig):
        assert bpy.ops.action_loom.clean_up("INVOKE_DEFAULT", True) == {"FINISHED"}
    message = capfd.readouterr().out
    assert message.count("2 jumps of angles") == 2
    assert "Warning: by hand is linked" in message
    now = {name: material.fingerprint(bpy.data.actions[name]) for name in ("by hand", "other", "untouched")}
    assert now["by hand"] == now["other"] != was
    assert now["untouched"] == was
    bpy.ops.ed.undo()
    assert {material.fingerprint(bpy.data.actions[name]) for name in now} == {was}


def test_figures_are_said(rig, capfd):
    path = bone(rig, 0, "rotation_euler")
    for index in range(3):
        key(rig, path, index, [(1, 0.0), (2, 2.0 * PI), (3, 0.1)], "LINEAR")
    key(rig, bone(rig, 0, "location"), 0, [(1, 0.0), (3, 0.0)])
    message = reported(capfd, names=False)
    assert "by hand: 4 → 3 curves, 11 → 9 keys, 2 jumps of angles and 0 of signs removed" in message
    assert "as it was it is 'by hand before Clean Up'" in message
    assert "by hand: 3 curves, 9 keys: nothing to clean up" in reported(capfd, names=False)


def test_it_is_grey_without_an_action_for_linked_ones_and_in_the_nla(rig, tmp_path):
    key(rig, bone(rig, 0, "location"), 0, [(1, 0.0), (30, 1.0)])
    action = rig.animation_data.action
    rig.animation_data.action = None
    with pytest.raises(RuntimeError, match=f"{rig.name} has no action"):
        bpy.ops.action_loom.clean_up()
    path = tmp_path / "linked.blend"
    bpy.data.libraries.write(str(path), {action})
    with bpy.data.libraries.load(str(path), link=True) as (_there, here):
        here.actions = [action.name]
    rig.animation_data.action = here.actions[0]
    if hasattr(action, "slots"):
        rig.animation_data.action_slot = here.actions[0].slots[0]
    with pytest.raises(RuntimeError, match="is linked: make it local first"):
        bpy.ops.action_loom.clean_up()
