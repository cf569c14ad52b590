"""Push Down to NLA: strips show the motion of the actions in every Blender, and one Undo removes them."""

import itertools

import bpy
import material
import numpy as np
import pytest

FRAMES = 24  # length of the cycle, whose keys are at 1 … 25


def poses(rig, frames):
    """Return the matrices of the object and of all bones at frames."""
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found.append([np.array(rig.matrix_world), *(np.array(bone.matrix) for bone in rig.pose.bones)])
    return np.array(found)


def strips_of(rig):
    return [(t.name, list(t.strips)) for t in rig.animation_data.nla_tracks]


def push_down(**options):
    assert bpy.ops.action_loom.push_down("EXEC_DEFAULT", True, **options) == {"FINISHED"}


@pytest.fixture
def walker(loom):
    """A character that plays a travelling cycle."""
    rig = material.biped()
    material.show(rig, material.key_walk(rig, "walk", frames=FRAMES))
    return rig


def without_cycles(rig, name="once", frames=FRAMES, **options):
    action = material.key_walk(rig, name, frames=frames, **options)
    for curve in material.fcurves(action):
        curve.modifiers.remove(curve.modifiers[0])
        curve.update()
    material.show(rig, action)
    return action


@pytest.mark.parametrize("repeat", [1, 3])
def test_a_strip_shows_what_the_action_showed(walker, repeat):
    frames = range(1, 2 + repeat * FRAMES)
    shown = poses(walker, frames)
    push_down(repeat=repeat)
    ((track, (strip,)),) = strips_of(walker)
    assert walker.animation_data.action is None
    assert (track, strip.name, strip.action.name) == ("walk", "walk", "walk")
    assert (strip.frame_start, strip.frame_end) == (1, 1 + repeat * FRAMES)
    assert strip.repeat == 1  # the action's own Cycles repeat it
    assert np.array_equal(poses(walker, frames), shown)
    assert np.ptp(shown[:, 0, 0, 3]) == 0
    hips = [*walker.pose.bones.keys()].index("hips") + 1
    assert abs(shown[-1, hips, 1, 3] - shown[0, hips, 1, 3]) == pytest.approx(1.2 * repeat, abs=1e-4)


def test_a_lone_strip_holds_its_poses_as_an_action_does(walker):
    without_cycles(walker)
    shown = poses(walker, range(-5, 40))
    push_down()
    assert np.array_equal(poses(walker, range(-5, 40)), shown)


def test_keys_between_frames_are_shown_on_the_frames_where_they_were(walker):
    action = without_cycles(walker)
    for curve in material.fcurves(action):
        for point in curve.keyframe_points:
            for one in (point.co, point.handle_left, point.handle_right):
                one.x += 0.4
        curve.update()
    shown = poses(walker, range(0, 30))
    push_down()
    assert np.array_equal(poses(walker, range(0, 30)), shown)


def test_a_result_is_pushed_down_with_its_slot(walker):
    material.key_walk(walker, "other", frames=30)
    material.show(walker, bpy.data.actions["walk"])
    for line in ("walk", "other"):
        bpy.data.actions[line].use_fake_user = True
    bpy.ops.action_loom.blend(sources=[{"name": "walk", "weight": 1.0}, {"name": "other", "weight": 1.0}])
    made = walker.animation_data.action
    slot = getattr(walker.animation_data, "action_slot", None)
    first, last = (round(f) for f in made.frame_range)
    frames = range(first, last + 1)
    shown = poses(walker, frames)
    push_down()
    ((_, (strip,)),) = strips_of(walker)
    assert strip.action == made
    assert slot is None or strip.action_slot == slot
    assert np.array_equal(poses(walker, frames), shown)
    assert "action_loom" in made


def test_of_two_slots_the_armatures_is_played(walker):
    action = bpy.data.actions["walk"]
    if not hasattr(action, "slots"):
        without_cycles(walker)  # this Blender has none: the only motion is the action's
        shown = poses(walker, range(1, 26))
        push_down()
        assert np.array_equal(poses(walker, range(1, 26)), shown)
        return
    second = action.slots.new("OBJECT", "Second")
    bag = action.layers[0].strips[0].channelbag(second, ensure=True)
    curve = bag.fcurves.new('pose.bones["chest"].rotation_euler', index=0)
    curve.keyframe_points.insert(1, 0.5)
    walker.animation_data.action_slot = second
    shown = poses(walker, range(1, 26))
    push_down()
    ((_, (strip,)),) = strips_of(walker)
    assert strip.action_slot == second
    assert np.array_equal(poses(walker, range(1, 26)), shown)


def test_it_begins_at_the_current_frame(walker):
    shown = poses(walker, range(1, 26))
    bpy.context.scene.frame_set(101)
    push_down(start="CURRENT")
    assert np.array_equal(poses(walker, range(101, 126)), shown)


def test_what_does_not_repeat_by_itself_begins_again_and_its_jump_is_told(walker, capfd):
    without_cycles(walker)
    shown = poses(walker, range(1, 25))
    push_down(repeat=2)
    ((_, (strip,)),) = strips_of(walker)
    assert (strip.repeat, strip.frame_end) == (2, 49)
    assert np.allclose(poses(walker, range(25, 49)), shown, atol=1e-6)
    assert "once travels and does not repeat by itself" in "".join(capfd.readouterr())


def test_a_wave_on_the_spot_begins_again_without_a_word(walker, capfd):
    without_cycles(walker, stride=0.0)
    push_down(repeat=2)
    assert "travels" not in "".join(capfd.readouterr())


def test_ticked_actions_follow_each_other_on_one_track(walker):
    without_cycles(walker, "turn", frames=10)
    without_cycles(walker, "stop", frames=12)
    bpy.ops.action_loom.add_sources()
    lines = bpy.context.scene.action_loom.rigs[0].sources
    order = [line.action.name for line in lines]
    shown = {}
    for line in lines:
        line.use = True
        material.show(walker, line.action)
        shown[line.action.name] = poses(walker, range(1, int(line.action.frame_range[1]) + 1))
    lines[order.index("stop")].use_range = True
    lines[order.index("stop")].first, lines[order.index("stop")].last = 3, 9
    shown["stop"] = shown["stop"][2:9]
    material.show(walker, bpy.data.actions["turn"])
    push_down(which="TICKED")
    ((_, strips),) = strips_of(walker)
    assert [strip.action.name for strip in strips] == order
    assert all(one.frame_end <= other.frame_start for one, other in itertools.pairwise(strips))
    for strip in strips:
        start, name = int(strip.frame_start), strip.action.name
        here = poses(walker, range(start, start + len(shown[name])))
        skip = 1 if any(other.frame_end == start for other in strips) else 0  # a cycle's last pose is its first
        assert np.array_equal(here[skip:], shown[name][skip:])


def test_other_strips_are_not_hidden_and_tracks_that_hide_it_are_told(walker, capfd):
    data = walker.animation_data
    later = without_cycles(walker, "later")
    data.action = None
    track = data.nla_tracks.new()
    track.strips.new("later", 100, later)
    late = poses(walker, range(100, 120))
    material.show(walker, bpy.data.actions["walk"])
    push_down()
    assert [track.name for track in data.nla_tracks] == ["NlaTrack", "walk"]  # the new track is on top
    assert np.array_equal(poses(walker, range(100, 120)), late)
    assert "plays alone" not in "".join(capfd.readouterr())
    material.show(walker, bpy.data.actions["walk"])
    track.is_solo = True
    push_down(start="CURRENT")
    assert "plays alone (its star is on), so walk" in "".join(capfd.readouterr())
    track.is_solo = False
    data.use_nla = False
    material.show(walker, bpy.data.actions["walk"])
    push_down()
    assert "The NLA of Biped is switched off" in "".join(capfd.readouterr())


def test_an_action_that_was_mixed_in_is_mixed_in_the_same_way(walker):
    data = walker.animation_data
    below = without_cycles(walker, "below")
    data.action = None
    data.nla_tracks.new().strips.new("below", 1, below)
    for blend, influence in (("ADD", 1.0), ("REPLACE", 0.25)):
        material.show(walker, bpy.data.actions["walk"])
        data.action_blend_type, data.action_influence = blend, influence
        shown = poses(walker, range(1, 26))
        push_down()
        assert np.allclose(poses(walker, range(1, 26)), shown, atol=1e-6)
        strip = data.nla_tracks[-1].strips[0]
        assert [tuple(key.co) for curve in strip.fcurves for key in curve.keyframe_points] == (
            [] if influence == 1.0 else [(1.0, influence)]
        )
        data.nla_tracks.remove(data.nla_tracks[-1])


def refused(call):
    with pytest.raises(RuntimeError) as reported:
        call()
    assert "Traceback" not in str(reported.value)
    return str(reported.value)


def test_it_says_why_it_cannot(walker):
    walker.animation_data.action = None
    assert "Biped has no action: play one, or tick" in refused(bpy.ops.action_loom.push_down)
    bpy.ops.action_loom.add_sources()
    before = [track.name for track in walker.animation_data.nla_tracks]
    assert "Biped has no action: play one, or tick actions in the list" in refused(bpy.ops.action_loom.push_down)
    assert [track.name for track in walker.animation_data.nla_tracks] == before
    push_down(which="TICKED")
    material.show(walker, bpy.data.actions["walk"])
    for line in bpy.context.scene.action_loom.rigs[0].sources:
        line.use = False
    assert "No action of Biped is ticked" in refused(lambda: push_down(which="TICKED"))
    empty = bpy.data.actions.new("empty")
    walker.animation_data.action = empty
    assert "empty" in refused(bpy.ops.action_loom.push_down)
    assert len(walker.animation_data.nla_tracks) == 1


def test_in_tweak_mode_it_says_so(walker):
    push_down()
    data = walker.animation_data
    data.nla_tracks[0].strips[0].select = True
    data.use_tweak_mode = True
    if not data.use_tweak_mode:  # tweak mode needs an active strip
        data.nla_tracks.active = data.nla_tracks[0]
        data.use_tweak_mode = True
    assert data.use_tweak_mode
    assert "Leave the NLA's tweak mode first" in refused(bpy.ops.action_loom.push_down)
    data.use_tweak_mode = False


def test_a_linked_action_is_pushed_down(walker, tmp_path):
    path = tmp_path / "library.blend"
    bpy.data.libraries.write(str(path), {bpy.data.actions["walk"]})
    with bpy.data.libraries.load(str(path), link=True) as (_, wanted):
        wanted.actions = ["walk"]
    linked = wanted.actions[0]
    material.show(walker, linked)
    shown = poses(walker, range(1, 26))
    push_down()
    assert strips_of(walker)[0][1][0].action == linked
    assert np.array_equal(poses(walker, range(1, 26)), shown)
