"""Cycles: which actions count as cycles, and whether written cycles repeat in Blender without a seam."""

from dataclasses import replace

import bpy
import material
import numpy as np
import pytest
from numpy.testing import assert_allclose

NOT_REPEATED = {
    "muted": {"mute": True},
    "for some frames": {"use_restricted_range": True},
    "faded": {"use_influence": True},
    "three times": {"cycles_after": 3},
    "only onwards": {"mode_before": "NONE"},
    "to and fro": {"mode_after": "MIRROR"},
}


def read(bridge, rig, action):
    return bridge.clip.read(rig, action, bridge.rig.read(rig), material.scene_rate())


def cycles_of(action):
    return [curve.modifiers[0] for curve in material.fcurves(action) if len(curve.modifiers)]


def test_an_action_is_a_cycle_if_all_that_moves_repeats(bridge):
    rig = material.biped()
    action = material.key_walk(rig, "walk", frames=24)
    source = read(bridge, rig, action)
    assert source.clip.cyclic
    assert not source.notes
    assert len(source.clip) == 25
    for modifier in cycles_of(action):
        modifier.mode_before = modifier.mode_after = "REPEAT_OFFSET"  # as Blender's cycle-aware keying makes them
    assert read(bridge, rig, action).clip.cyclic


@pytest.mark.parametrize("how", NOT_REPEATED)
def test_what_does_not_repeat_for_ever_is_no_cycle(bridge, how):
    rig = material.biped()
    action = material.key_walk(rig, "walk", frames=24)
    for modifier in cycles_of(action):
        for name, value in NOT_REPEATED[how].items():
            setattr(modifier, name, value)
    source = read(bridge, rig, action)
    assert not source.clip.cyclic
    assert not source.notes


def test_curves_that_hold_still_need_not_repeat(bridge):
    rig = material.biped()
    action = material.key_walk(rig, "walk", frames=24)
    rig.pose.bones["head"].rotation_euler = (0.3, 0.1, 0.7)
    rig.pose.bones["neck"].location = (0.0, 0.07, 0.0)
    for frame in (1, 9, 25):
        rig.pose.bones["head"].keyframe_insert("rotation_euler", frame=frame)
        rig.pose.bones["neck"].keyframe_insert("location", frame=frame)
    assert read(bridge, rig, action).clip.cyclic


def test_keys_that_do_nothing_need_not_repeat(bridge):
    rig = material.biped()
    action = material.key_walk(rig, "walk", frames=24)
    rig.pose.bones["shin.L"].rotation_mode = "QUATERNION"
    for frame, turn in ((1, 0.0), (25, 1.0)):
        rig.pose.bones["shin.L"].rotation_quaternion = (1.0, turn, 0.0, 0.0)
        rig.pose.bones["shin.L"].keyframe_insert("rotation_quaternion", frame=frame)
    rig.pose.bones["shin.L"].rotation_mode = "XYZ"
    assert read(bridge, rig, action).clip.cyclic


def test_a_few_curves_that_do_not_repeat_are_said_and_many_are_not(bridge):
    rig = material.biped()
    action = material.key_walk(rig, "walk", frames=24)
    moving = [c for c in material.fcurves(action) if len({round(p.co.y, 6) for p in c.keyframe_points}) > 1]
    assert len(moving) == 14  # ten of limbs, two of the trunk, two of the hips' places
    for k, curve in enumerate(moving, start=1):
        curve.modifiers.remove(curve.modifiers[0])
        source = read(bridge, rig, action)
        assert not source.clip.cyclic
        do = "does" if k == 1 else "do"
        note = f"walk: {k} of its moving curves {do} not repeat"
        assert source.notes == ((note,) if k <= 7 else ())


def test_an_action_is_a_cycle_if_the_artist_says_so(bridge):
    rig = material.armature()
    action = material.key_by_hand(rig, "by hand", seed=1)
    action.frame_start, action.frame_end = 1.0, 21.0
    for ranged, cyclic in ((False, False), (True, False), (False, True), (True, True)):
        action.use_frame_range, action.use_cyclic = ranged, cyclic
        source = read(bridge, rig, action)
        assert source.clip.cyclic == (ranged and cyclic)
        assert len(source.clip) == (21 if ranged else 33)
        assert not source.notes


@pytest.mark.parametrize("declared", [False, True])
def test_a_range_that_is_no_whole_number_of_cycles_is_said(bridge, declared):
    rig = material.biped()
    action = material.key_walk(rig, "walk", frames=24)
    action.use_frame_range, action.use_cyclic, action.frame_start = True, declared, 1.0
    for end, whole in ((25.0, True), (24.0, False), (25.5, False), (37.0, False), (49.0, True)):
        action.frame_end = end
        source = read(bridge, rig, action)
        assert source.clip.cyclic == whole
        note = f"walk: frames 1 to {end:g} are no whole number of its cycles"
        assert source.notes == (() if whole else (note,))


@pytest.mark.parametrize("span", [None, (1.0, 25.0), (1.0, 24.0)])
@pytest.mark.parametrize("declared", [False, True])
@pytest.mark.parametrize("repeats", [False, True])
def test_a_range_of_one_frame_is_one_frame_and_no_cycle(bridge, span, declared, repeats):
    rig = material.biped()
    action = material.key_walk(rig, "walk", frames=24)
    if not repeats:
        action = retimed(action, 1.0, 1.0)
    action.use_frame_range, action.use_cyclic, action.frame_start, action.frame_end = True, declared, 5.0, 5.0
    source = bridge.clip.read(rig, action, bridge.rig.read(rig), material.scene_rate(), span=span)
    assert len(source.clip) == (1 if span is None else span[1] - span[0] + 1)
    assert source.first_frame == (5.0 if span is None else span[0])
    assert source.clip.cyclic == (repeats and span == (1.0, 25.0))
    note = "walk: frames 1 to 24 are no whole number of its cycles"
    assert source.notes == ((note,) if repeats and span == (1.0, 24.0) else ())


def retimed(action, factor, offset):
    """Scale and shift the keys of an action in time, as if made at another frame rate."""
    for curve in material.fcurves(action):
        for point in curve.keyframe_points:
            for co in (point.co, point.handle_left, point.handle_right):
                co.x = (co.x - 1.0) * factor + offset
        while len(curve.modifiers):
            curve.modifiers.remove(curve.modifiers[0])
        curve.update()
    return action


@pytest.mark.parametrize("visual", [False, True])
@pytest.mark.parametrize(("frames", "rate", "count"), [(24, 24.8 / 24, 25), (24, 24.4 / 24, 24), (36, 10.4 / 36, 10)])
def test_a_cycle_that_ends_between_frames_is_read_whole(bridge, visual, frames, rate, count):
    rig = material.biped()
    action = retimed(material.key_walk(rig, "walk", frames=frames), rate, 0.8)
    body = bridge.rig.read(rig)
    if visual:
        source = bridge.evaluated_action.read(bpy.context.scene, rig, action, body, 24.0)
    else:
        source = read(bridge, rig, action)
    assert len(source.clip) == count + 1
    length = action.frame_range[1] - action.frame_range[0]
    assert_allclose(source.frames, np.linspace(*action.frame_range, count + 1))
    ends = bridge.kinematics.points(source.clip)[[0, -1]]
    travelled = ends[:, 0, :2]
    ends[..., :2] -= travelled[:, None]
    assert np.abs(ends[1] - ends[0]).max() < 1e-4 * body.skeleton.height
    change = abs(count / length - 1.0)
    message = [note for note in source.notes if "are played in" in note]
    assert message == (
        [f"walk: its {length:.4g} frames are played in {count}, {change:.1%} faster"] if change > 0.02 else []
    )


@pytest.mark.parametrize("fps", [24, 25, 60])
def test_blends_of_cycles_made_at_another_rate_close(bridge, fps):
    """Cycles made at 24 fps have keys between frames in a scene of another rate, and their blends close."""
    rig = material.biped()
    bpy.context.scene.render.fps = fps
    for name, frames in (("slow", 36), ("quick", 25)):
        retimed(material.key_walk(rig, name, frames=frames), fps / 24.0 * 0.997, 0.4)
    sources = [{"name": "slow", "weight": 1.0}, {"name": "quick", "weight": 1.0}]
    bpy.ops.action_loom.blend(sources=sources, result_name="Mixed")
    mixed = bpy.data.actions["Mixed"]
    assert [round(f, 4) for f in mixed.frame_range] == [float(round(f)) for f in mixed.frame_range]
    assert mixed.use_cyclic
    assert all(len(curve.modifiers) for curve in material.fcurves(mixed))
    first, last = mixed.frame_range
    height = bridge.rig.read(rig).skeleton.height
    names = [bone.name for bone in rig.pose.bones]
    ends = [material.pose_positions(rig, names, frame) for frame in (first, last)]
    apart = (ends[1] - ends[1][0]) - (ends[0] - ends[0][0])
    assert np.abs(apart).max() < 1e-4 * height


def test_what_is_no_cycle_and_ends_between_frames_has_its_last_pose_too(bridge):
    rig = material.biped()
    action = retimed(material.key_walk(rig, "step", frames=24), 0.7, 1.0)
    for curve in material.fcurves(action):
        curve.keyframe_points[-1].co.y += 0.3
        curve.update()
    source = read(bridge, rig, action)
    assert_allclose(source.frames, [*range(1, 18), 17.8], atol=1e-5)
    assert not source.clip.cyclic


def test_a_cycle_is_one_as_seen_too(bridge):
    rig = material.biped()
    action = material.key_walk(rig, "walk", frames=24)
    body = bridge.rig.read(rig)
    assert bridge.evaluated_action.read(bpy.context.scene, rig, action, body, 24.0).clip.cyclic
    material.fcurves(action)[0].modifiers[0].mute = True
    seen = bridge.evaluated_action.read(bpy.context.scene, rig, action, body, 24.0)
    assert not seen.clip.cyclic
    assert seen.notes == ("walk: 1 of its moving curves does not repeat",)


@pytest.mark.parametrize(("mode", "first"), [("REPEAT", 1.0), ("REPEAT", -3.7), ("REPEAT_OFFSET", 1000.3)])
def test_the_last_key_is_read_as_keyed_and_not_as_the_first_again(bridge, mode, first):
    rig = material.biped()
    rig.animation_data_create()
    hips = rig.pose.bones["hips"]
    for frame, place in ((first, 0.0), (first + 10.0, 3.0), (first + 24.0, 5.0)):
        hips.location = (place, 0.0, 0.0)
        hips.keyframe_insert("location", frame=frame)
    action = rig.animation_data.action
    for curve in material.fcurves(action):
        cycles = curve.modifiers.new("CYCLES")
        cycles.mode_before = cycles.mode_after = mode
    clip = read(bridge, rig, action).clip
    assert len(clip) == 25
    assert clip.cyclic
    assert_allclose(clip.translations[[0, 10, 24], 0, 0], [0.0, 3.0, 5.0], rtol=0.0, atol=1e-6)


KINDS = ("plain", "in centimetres", "moving object", "quaternions", "in place")


def walking(kind):
    """A biped and its hand-keyed walk, of some kind."""
    units = 100.0 if kind == "in centimetres" else 1.0
    rig = material.biped(mode="QUATERNION" if kind == "quaternions" else "XYZ", units=units)
    if kind == "in centimetres":
        rig.scale, rig.rotation_euler = (0.01,) * 3, (0.0, 0.0, 0.5)
        bpy.context.view_layer.update()
    travel = {"stride": 0.0} if kind == "in place" else {"object_travels": kind == "moving object"}
    return rig, material.key_walk(rig, "walk", frames=24, first=3, **travel)


def rewritten(bridge, kind, interpolation):
    """Return the biped, its body, the read source of its walk, and the action written from it."""
    rig, action = walking(kind)
    body = bridge.rig.read(rig, moving_object=kind == "moving object")
    source = bridge.clip.read(rig, action, body, 24.0)
    options = {"targets": source.targets, "start": source.start, "interpolation": interpolation}
    return rig, body, source, bridge.clip.write(rig, source.clip, body, first_frame=source.first_frame, **options)


@pytest.mark.parametrize(("kind", "interpolation"), [*((kind, "LINEAR") for kind in KINDS), ("plain", "BEZIER")])
def test_a_written_cycle_is_read_back_as_the_same_cycle(bridge, kind, interpolation):
    rig, body, source, written = rewritten(bridge, kind, interpolation)
    assert written.use_frame_range
    assert written.use_cyclic
    assert tuple(written.frame_range) == tuple(written.curve_frame_range) == (3.0, 27.0)
    again = bridge.clip.read(rig, written, body, 24.0)
    assert again.clip.cyclic
    assert again.first_frame == source.first_frame
    assert not again.notes
    points = bridge.kinematics.points
    assert_allclose(points(again.clip), points(source.clip), rtol=0.0, atol=1e-6 * body.skeleton.height)
    written.use_cyclic = False
    assert bridge.clip.read(rig, written, body, 24.0).clip.cyclic  # by its modifiers alone


TRAVELLING = {"moving object": [("location", 1)], "in place": []}


@pytest.mark.parametrize(("kind", "interpolation"), [*((kind, "BEZIER") for kind in KINDS), ("plain", "LINEAR")])
def test_a_written_cycle_goes_on_for_ever_without_a_seam(bridge, play, kind, interpolation):
    rig, body, source, written = rewritten(bridge, kind, interpolation)
    assert all([m.type for m in curve.modifiers] == ["CYCLES"] for curve in material.fcurves(written))
    modes = {(c.data_path, c.array_index): c.modifiers[0] for c in material.fcurves(written)}
    assert all(cycles.mode_before == cycles.mode_after for cycles in modes.values())
    travelling = [path for path, cycles in modes.items() if cycles.mode_after == "REPEAT_OFFSET"]
    assert travelling == TRAVELLING.get(kind, [('pose.bones["hips"].location', 2)])
    play(rig, written)
    at = played(rig, body.bones, 3, 24) * body.world_metres
    _, hint = bridge.kinematics.world(source.clip)
    hint = hint[:, 1:] if body.moving_object else hint
    travel = hint[-1, 0] - hint[0, 0]
    assert abs(np.linalg.norm(travel) - (0.0 if kind == "in place" else 1.2)) < 1e-5
    for cycle in range(-1, 5):
        ours = at[24 * (cycle + 1) : 24 * (cycle + 2) + 1]
        assert_allclose(ours, hint + cycle * travel, rtol=0.0, atol=1e-5 * body.skeleton.height)
    no_seam(at, 24)


def played(rig, names, first, frames):
    """World positions (6 F + 1, J, 3) of bone heads, from one cycle before frame `first` to five cycles after it."""
    return np.array([material.pose_positions(rig, names, first + k) for k in range(-frames, 5 * frames + 1)])


def no_seam(at, frames):
    """Assert that neither places nor velocities jump more where a cycle ends than inside it."""
    for order in (1, 2):
        steps = np.abs(np.diff(at, n=order, axis=0)).max(axis=(1, 2))
        # A difference of order n belongs to a seam if one of its n + 1 frames is beyond it.
        seams = np.zeros(len(steps), dtype=bool)
        for seam in range(frames, len(at) - 1, frames):
            seams[seam - order + 1 : seam + 1] = True
        assert steps[seams].max() <= 1.001 * steps[~seams].max(), order


@pytest.mark.parametrize("kind", ["plain", "quaternions"])
def test_handles_meet_where_a_cycle_ends(bridge, kind):
    rig, action = walking(kind)
    body = bridge.rig.read(rig)
    source = bridge.clip.read(rig, action, body, 24.0)
    times = np.array([0.0, 5.0, 9.0, 14.0, 20.0, 24.0])
    for keys in (None, times, times[1:-1]):  # both ends of a cycle are keyed in any case
        written = bridge.clip.write(
            rig, source.clip, body, first_frame=3.0, targets=source.targets, interpolation="BEZIER", key_frames=keys
        )
        for curve in material.fcurves(written):
            points = curve.keyframe_points
            assert (points[0].co.x, points[-1].co.x) == (3.0, 27.0)
            before = (points[-1].co - points[-1].handle_left).to_tuple()
            after = (points[0].handle_right - points[0].co).to_tuple()
            assert abs(before[1] / before[0] - after[1] / after[0]) < 1e-5


def test_what_goes_less_than_a_tenth_of_a_millimetre_does_not_travel(bridge):
    rig, action = walking("in centimetres")
    body = bridge.rig.read(rig)
    clip = bridge.clip.read(rig, action, body, 24.0).clip
    places = clip.translations.copy()
    places[:, 0] = np.linspace(0.0, 1.0, len(clip))[:, None] * (0.5e-4, 2e-4, -2e-4)
    written = bridge.clip.write(rig, replace(clip, translations=places), body, first_frame=1.0)
    modes = [c.modifiers[0].mode_after for c in material.fcurves(written) if c.data_path.endswith("location")]
    assert modes == ["REPEAT", "REPEAT_OFFSET", "REPEAT_OFFSET"]


def test_other_curves_repeat_as_well(bridge):
    rig, action = walking("plain")
    rig["stretch"] = 0.0
    body = bridge.rig.read(rig)
    clip = bridge.clip.read(rig, action, body, 24.0).clip
    steps = (np.arange(25) % 24 >= 10).astype(float)
    channels = {'["stretch"][0]': bridge.Channel(np.sin(np.arange(25) * np.pi / 12.0))}
    channels['pose.bones["head"].lock_scale[1]'] = bridge.Channel(steps, discrete=True)
    written = bridge.clip.write(rig, replace(clip, channels=channels), body, first_frame=3.0)
    by_path = {c.data_path: c for c in material.fcurves(written)}
    for frame in range(-21, 100):
        since = (frame - 3) % 24
        assert by_path['pose.bones["head"].lock_scale'].evaluate(frame) == steps[since]
        assert abs(by_path['["stretch"]'].evaluate(frame) - np.sin(since * np.pi / 12.0)) < 1e-6


def test_what_is_no_cycle_is_written_without_modifiers(bridge):
    rig, action = walking("plain")
    body = bridge.rig.read(rig)
    clip = replace(bridge.clip.read(rig, action, body, 24.0).clip, cyclic=False)
    written = bridge.clip.write(rig, clip, body, first_frame=3.0)
    assert not cycles_of(written)
    assert not written.use_frame_range
    assert not written.use_cyclic
    assert bridge.clip.turn_a_cycle(clip) is None


def turning(bridge, clip, degrees):
    """Return the clip with its hips turned left by an angle that grows to `degrees`, about the biped's Y axis."""
    angles = np.radians(degrees) * np.linspace(0.0, 1.0, len(clip))
    turns = bridge.quat.about_axis("Y", angles)
    rotations = clip.rotations.copy()
    rotations[:, 0] = bridge.quat.mul(turns, rotations[:, 0])
    return replace(clip, rotations=rotations)


@pytest.mark.parametrize("kind", ["plain", "in place"])
@pytest.mark.parametrize("degrees", [23.0, -0.6])
def test_a_cycle_that_turns_is_not_made_to_repeat(bridge, kind, degrees):
    rig, action = walking(kind)
    body = bridge.rig.read(rig)
    clip = turning(bridge, bridge.clip.read(rig, action, body, 24.0).clip, degrees)
    written = bridge.clip.write(rig, clip, body, first_frame=3.0)
    assert not cycles_of(written)
    assert not written.use_frame_range
    assert not written.use_cyclic
    assert bridge.clip.turn_a_cycle(clip) == pytest.approx(abs(degrees), abs=1e-3)


@pytest.mark.parametrize(
    ("mode", "degrees"),
    [("QUATERNION", 360.0), ("XYZ", 0.4), ("XYZ", -720.0), ("AXIS_ANGLE", 360.0)],
)
def test_whole_turns_repeat(bridge, play, mode, degrees):
    rig, action = walking("plain")
    clip = turning(bridge, read(bridge, rig, action).clip, degrees)
    rig.pose.bones["hips"].rotation_mode = mode
    body = bridge.rig.read(rig)
    assert bridge.clip.turn_a_cycle(clip) is None
    written = bridge.clip.write(rig, clip, body, first_frame=3.0, interpolation="BEZIER")
    play(rig, written)
    at = played(rig, body.bones, 3, 24)
    travel = at[24:] - at[:-24]
    # Travel differs by the fraction of a turn only, which jumps at each end of the cycle.
    assert np.abs(travel - (0.0, -1.2, 0.0)).max() < 1e-5 + np.radians(abs(degrees) % 360.0)


def in_world(rig, action, names):
    """Return `played` for the current action of a rig, and the number of frames in its cycle."""
    first, last = action.frame_range
    return played(rig, names, first, round(last - first)), round(last - first)


def swing(at, names, frames):
    """Return the range (m) of the left foot's lead over the right one in a cycle of a body that faces −Y."""
    left, right = (at[frames : 2 * frames, names.index(f"foot.{side}"), 1] for side in "LR")
    return np.ptp(right - left)


@pytest.mark.parametrize(("mode", "stride"), [("XYZ", 1.2), ("QUATERNION", 0.0)])
def test_two_hand_keyed_cycles_blend_into_one_that_repeats_without_a_seam(loom, bridge, play, mode, stride):
    rig = material.biped(mode=mode)
    bones = [bone.name for bone in rig.pose.bones]
    quick = material.key_walk(rig, "quick", frames=24, leads="L", stride=stride)
    slow = material.key_walk(rig, "slow", frames=30, leads="R", stride=0.8 * stride, reach=0.8)
    sources = [{"name": name, "weight": 1.0} for name in ("quick", "slow")]
    assert bpy.ops.action_loom.blend(sources=sources, ends="auto", interpolation="BEZIER") == {"FINISHED"}
    result = rig.animation_data.action
    assert read(bridge, rig, result).clip.cyclic
    assert len(cycles_of(result)) == len(material.fcurves(result))
    at, frames = in_world(rig, result, bones)
    assert frames == 27
    travel = at[frames:] - at[:-frames]
    assert np.abs(travel - travel[0, 0]).max() < 2e-5
    assert abs(travel[0, 0, 1] + 0.9 * stride) < 0.02
    assert abs(travel[0, 0, 0]) < 0.01 * stride + 1e-5
    assert abs(travel[0, 0, 2]) < 1e-5
    no_seam(at, frames)
    # Sources in step keep their swing; out of step they would almost cancel it.
    reaches = []
    for action in (quick, slow):
        play(rig, action)
        theirs, period = in_world(rig, action, bones)
        reaches.append(swing(theirs, bones, period))
    assert min(reaches) < swing(at, bones, frames) < max(reaches)
    clips = [read(bridge, rig, action).clip for action in (quick, slow)]
    woven = loom("core.verbs").apply(loom("core.verbs").Blend(ends="auto"), clips)
    assert woven.clip.cyclic
    assert [pair["ends"] for pair in woven.report["registration"]] == ["cyclic"]


def test_a_blend_that_turns_is_not_made_to_repeat_and_the_user_is_told(bridge, capfd):
    rig = material.biped()
    body = bridge.rig.read(rig)
    for name, frames, degrees in (("left", 24, 30.0), ("slightly left", 30, 16.0)):
        action = material.key_walk(rig, "keyed", frames=frames, stride=0.0)
        clip = turning(bridge, bridge.clip.read(rig, action, body, 24.0).clip, degrees)
        bpy.data.actions.remove(action)
        written = bridge.clip.write(rig, replace(clip, name=name), body, first_frame=1.0)
        written.use_frame_range = written.use_cyclic = True
        written.frame_start, written.frame_end = written.curve_frame_range
    sources = [{"name": name, "weight": 1.0} for name in ("left", "slightly left")]
    capfd.readouterr()
    bpy.ops.action_loom.blend(sources=sources, ends="auto", result_name="Round")
    result = rig.animation_data.action
    assert not cycles_of(result)
    assert not result.use_cyclic
    message = "Warning: Round: it closes, but Blender can't repeat its turn of 23° a cycle"
    assert message in capfd.readouterr().out
