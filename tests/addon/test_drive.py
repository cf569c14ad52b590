"""Drive: keys steer the character in the view, Enter keeps an action with its recipe, Esc leaves everything."""

import bpy
import file_state
import hand_rigs
import material
import numpy as np
import pytest
from steered import event, go, walking


def pose_of(rig):
    return [
        tuple(value)
        for bone in rig.pose.bones
        for value in (bone.location, bone.rotation_quaternion, bone.rotation_euler, bone.scale)
    ]


@pytest.fixture
def steered(loom):
    """Yield a biped with a slow and a quick walk, and its steering."""
    rig = walking()
    steering = loom("addon.interface.operators.steer").Steering(bpy.context, rig)
    yield rig, steering
    if steering.armature is not None:
        steering.leave(bpy.context)


def test_a_key_moves_the_character_and_leaving_puts_it_back(steered):
    rig, steering = steered
    steering.leave(bpy.context)
    before = pose_of(rig)
    steering.show(bpy.context)
    steering.handle(bpy.context, event("W"))
    go(steering, 2.0)
    assert abs(steering.session.state.place) > 0.5
    assert pose_of(rig) != before
    assert steering.handle(bpy.context, event("ESC")) == "leave"
    steering.leave(bpy.context)
    assert pose_of(rig) == before
    assert len(bpy.data.actions) == 2


def test_space_pauses_and_backspace_takes_back_a_second(steered):
    _, steering = steered
    steering.handle(bpy.context, event("W"))
    go(steering, 1.5)
    then = steering.session.states[30].place if steering.session.states[30].row >= 0 else None
    steering.handle(bpy.context, event("SPACE"))
    go(steering, 1.0)
    assert len(steering.session.wished) == 90
    steering.handle(bpy.context, event("BACK_SPACE"))
    assert len(steering.session.wished) == 30
    assert then is None or steering.session.state.place == then
    steering.handle(bpy.context, event("SPACE"))
    go(steering, 0.5)
    assert len(steering.session.wished) == 60


def test_a_second_that_was_taken_back_is_driven_alike(steered, loom):
    _, steering = steered
    route = loom("core.drive.route")
    steering.handle(bpy.context, event("W", shift=True))
    go(steering, 2.0)
    steering.handle(bpy.context, event("BACK_SPACE"))
    steering.handle(bpy.context, event("A"))
    go(steering, 1.0)
    session = steering.session
    again = route.drive_route(session.data, session.wished, session.manner, session.place, session.facing)
    assert again[-1].place == session.state.place
    assert (again[-1].shown[0] == session.state.shown[0]).all()


def test_a_slow_computer_loses_time_and_says_so(steered):
    _, steering = steered
    steering.tick(bpy.context, 1.0)
    assert len(steering.session.wished) == 4
    assert steering.session.late > 0.9


def test_a_window_without_focus_pauses(steered):
    _, steering = steered
    steering.handle(bpy.context, event("W"))
    steering.handle(bpy.context, event("WINDOW_DEACTIVATE", "NOTHING"))
    assert steering.session.paused
    assert not steering.session.held


def test_what_was_driven_is_kept_as_an_action_with_its_recipe(steered, loom):
    rig, steering = steered
    steering.handle(bpy.context, event("W"))
    go(steering, 2.0)
    steering.handle(bpy.context, event("W", "RELEASE"))
    go(steering, 1.0)
    driven = steering.session.state.place
    assert steering.handle(bpy.context, event("RET")) == "keep"
    steering.leave(bpy.context)
    steering.put_wishes(bpy.context.scene.action_loom)
    assert bpy.ops.action_loom.drive() == {"FINISHED"}
    action = rig.animation_data.action
    assert "driven" in action.name
    stored = loom("addon.model.storage").recipe_of(action)
    assert stored.wishes
    last = int(action.frame_range[1])
    bpy.context.scene.frame_set(last)
    hips = rig.matrix_world @ rig.pose.bones["hips"].head
    assert np.hypot(hips.x - driven.real, hips.y - driven.imag) < 0.3
    strips = loom("addon.services.preview.strips")
    bars = strips.of(bpy.context).strip.rows[0].spans
    assert (bars[0].start, bars[-1].end) == (1.0, last)
    assert {bar.name.removesuffix(" mirrored") for bar in bars} <= {"slow", "quick"}


def test_leaving_leaves_the_file_as_it_was(loom):
    rig = walking()
    bpy.context.scene.render.fps = 24
    bpy.context.scene.frame_set(7)
    before = file_state.state(), bpy.data.is_dirty
    steering = loom("addon.interface.operators.steer").Steering(bpy.context, rig)
    for kind in ("W", "LEFT_SHIFT"):
        steering.handle(bpy.context, event(kind, shift=True))
    go(steering, 1.0)
    steering.handle(bpy.context, event("WINDOW_DEACTIVATE", "NOTHING"))
    steering.handle(bpy.context, event("SPACE"))
    steering.handle(bpy.context, event("A"))
    go(steering, 0.5)
    assert file_state.differing(before[0], file_state.state()) == {"pose"}
    assert steering.handle(bpy.context, event("ESC")) == "leave"
    steering.leave(bpy.context)
    after = file_state.state(), bpy.data.is_dirty
    assert file_state.differing(before[0], after[0]) == set()
    assert after[1] == before[1]


def test_the_ghost_is_hidden_while_a_character_is_driven(loom):
    rig, settings = walking(), bpy.context.scene.action_loom
    bpy.ops.action_loom.drive(wishes="0 0 1; 1 0 0", preview=True)
    overlay = loom("addon.interface.pictures.ghost_overlay")
    assert overlay.ghost_in(bpy.context) is not None, settings.mode
    steering = loom("addon.interface.operators.steer").Steering(bpy.context, rig)
    assert overlay.ghost_in(bpy.context) is None
    steering.leave(bpy.context)
    assert overlay.ghost_in(bpy.context) is not None


def test_a_job_that_begins_pauses_the_drive_and_nothing_is_lost(steered, loom):
    _, steering = steered
    steering.handle(bpy.context, event("W"))
    go(steering, 1.0)
    with material.running_job(loom("addon.ground.jobs")):
        for kind in ("TIMER", "RET", "W", "LEFTMOUSE"):
            assert steering.handle(bpy.context, event(kind)) == "pass"
        assert steering.session.paused
        assert len(steering.session.wished) == 60
        assert steering.handle(bpy.context, event("ESC")) == "leave"
    steering.handle(bpy.context, event("SPACE"))
    assert not steering.session.held
    go(steering, 0.5)
    assert steering.handle(bpy.context, event("RET")) == "keep"


def test_a_window_that_sent_no_events_for_long_goes_on_where_it_was(steered):
    _, steering = steered
    steering.handle(bpy.context, event("W"))
    go(steering, 1.0)
    before = steering.session.state.place
    steering.tick(bpy.context, 600.0)
    assert len(steering.session.wished) == 64
    assert abs(steering.session.state.place - before) < 0.2
    steering.handle(bpy.context, event("WINDOW_DEACTIVATE", "NOTHING"))
    steering.tick(bpy.context, 600.0)
    assert len(steering.session.wished) == 64
    steering.handle(bpy.context, event("SPACE"))
    go(steering, 0.5)
    assert len(steering.session.wished) == 94


def test_playback_beside_it_does_not_take_over_the_pose(steered):
    rig, steering = steered
    rig.animation_data.action = bpy.data.actions["quick"]
    steering.handle(bpy.context, event("W"))
    for frame in range(1, 25):
        bpy.context.scene.frame_set(frame)
        go(steering, 1.0 / 60.0)
    bpy.context.view_layer.update()
    hips = rig.matrix_world @ rig.pose.bones["hips"].head
    assert abs(complex(hips.x, hips.y) - steering.session.state.place) < 0.15


def test_no_actions_and_no_feet_are_refused_in_a_sentence(loom):
    steer = loom("addon.interface.operators.steer")
    rig = walking()
    for line in bpy.context.scene.action_loom.rigs[0].sources:
        line.use = False
        with pytest.raises(Exception, match="two actions or more"):  # with one, and with none
            steer.Steering(bpy.context, rig)
    chain = material.two_actions()
    material.list_sources(chain, "one", "two", mode="drive")
    with pytest.raises(Exception, match="its feet are not known"):
        steer.Steering(bpy.context, chain)
    assert loom("addon.services.driving.driven").current() is None


def test_a_scene_at_24_a_second_keeps_as_many_seconds(loom):
    bpy.context.scene.render.fps = 24
    rig = walking()
    steering = loom("addon.interface.operators.steer").Steering(bpy.context, rig)
    steering.handle(bpy.context, event("W"))
    go(steering, 2.0)
    end = steering.session.state.place
    steering.leave(bpy.context)
    steering.put_wishes(bpy.context.scene.action_loom)
    assert bpy.ops.action_loom.drive() == {"FINISHED"}
    first, last = rig.animation_data.action.frame_range
    assert last - first == 48
    bpy.context.scene.frame_set(int(last))
    hips = rig.matrix_world @ rig.pose.bones["hips"].head
    assert abs(complex(hips.x, hips.y) - end) < 0.3


def test_a_character_comes_after_an_animated_object():
    rig, scene = walking(), bpy.context.scene
    leader = bpy.data.objects.new("Leader", None)
    scene.collection.objects.link(leader)
    scene.frame_start, scene.frame_end = 1, 49
    scene.frame_set(7)
    rig.pose.bones["hips"].location.x = 0.2  # not keyed
    before = file_state.state()
    with pytest.raises(RuntimeError, match="stays in place"):
        bpy.ops.action_loom.steer(leader="Leader")
    assert file_state.differing(before, file_state.state()) == set()
    for at, y in ((1, 0.0), (49, -2.0)):
        leader.location = (1.0, y, 0.0)
        leader.keyframe_insert("location", frame=at)
    assert bpy.ops.action_loom.steer(leader="Leader") == {"FINISHED"}
    action = rig.animation_data.action
    scene.frame_set(int(action.frame_range[1]))
    hips = rig.matrix_world @ rig.pose.bones["hips"].head
    assert np.hypot(hips.x - 1.0, hips.y + 2.0) < 0.5
    assert len(bpy.data.scenes) == 1


def test_a_curve_whose_evaluation_time_is_animated_leads_along_itself(loom):
    drawn = material.draw_curve([(0.0, 0.0), (0.0, 4.0)], "Line")
    data = drawn.data
    data.use_path = True
    drawn.location.x = 2.0
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 25
    for frame, time in ((1, 0.0), (25, 50.0)):
        data.eval_time = time
        data.keyframe_insert("eval_time", frame=frame)
    rows = loom("addon.bridge.leader").places(bpy.context.scene, drawn, 1.0)
    assert rows[0] == pytest.approx((2.0, 0.0, 0.0), abs=1e-4)
    assert rows[-1][:2] == pytest.approx((2.0, 2.0), abs=0.2)


def test_the_preferences_keys_steer(loom):
    rig, preferences = walking(), loom("addon.model.preferences")
    kept = preferences.read_preferences(bpy.context)
    kept.ahead = "I"
    try:
        steering = loom("addon.interface.operators.steer").Steering(bpy.context, rig)
        steering.handle(bpy.context, event("I"))
        assert steering.session.wish(0.0).velocity.imag > 0.0
        steering.handle(bpy.context, event("I", "RELEASE"))
        steering.handle(bpy.context, event("W"))
        assert steering.session.wish(0.0).velocity == 0j
        steering.leave(bpy.context)
    finally:
        kept.property_unset("ahead")


def walks_on_controls(rig):
    """Key two walks on a rig's foot targets and hips, and list them for Drive."""
    rig.animation_data_create()
    for name, stride in (("slow", 0.5), ("quick", 0.9)):
        action = bpy.data.actions.new(name)
        rig.animation_data.action = action
        for frame in range(1, 50, 2):
            phase = (frame - 1) / 24.0
            hips = rig.pose.bones["hips"]
            hips.location = (0.0, -0.06, stride * 2.0 * phase)
            hips.keyframe_insert("location", frame=frame)
            for side, late in (("L", 0.0), ("R", 0.5)):
                steps, part = divmod(phase + late, 1.0)
                swing = max(0.0, 2.0 * part - 1.0)
                foot = rig.pose.bones[f"goal.{side}"]
                foot.location = (0.0, 2.0 * stride * (steps + swing - late), 0.1 * np.sin(np.pi * swing))
                foot.keyframe_insert("location", frame=frame)
    material.list_sources(rig, "slow", "quick", mode="drive")


def test_a_rig_with_controls_is_driven_as_lines_and_keyed_on_its_controls(loom):
    rig = hand_rigs.with_legs_on_ik()
    walks_on_controls(rig)
    before = file_state.state()
    steering = loom("addon.interface.operators.steer").Steering(bpy.context, rig)
    assert any("Enter keys its controls" in text for text in steering.initial_messages())
    steering.handle(bpy.context, event("W"))
    go(steering, 2.0)
    shown = loom("addon.interface.pictures.drive_overlay")._shown
    assert len(shown.bones) > 15
    assert max(np.linalg.norm(one) for one, _ in shown.bones) > 0.5
    driven = steering.session.state.place
    assert abs(driven) > 0.5
    steering.leave(bpy.context)
    assert file_state.differing(before, file_state.state()) == set()
    steering.put_wishes(bpy.context.scene.action_loom)
    assert bpy.ops.action_loom.drive() == {"FINISHED"}
    action = rig.animation_data.action
    keyed = {curve.data_path for curve in material.fcurves(action)}
    assert 'pose.bones["goal.L"].location' in keyed
    bpy.context.scene.frame_set(int(action.frame_range[1]))
    hips = rig.matrix_world @ rig.pose.bones["hips"].head
    assert np.hypot(hips.x - driven.real, hips.y - driven.imag) < 0.3


def test_a_leg_whose_controls_are_not_known_is_said_before_it_starts(loom):
    rig = hand_rigs.with_legs_on_ik()
    walks_on_controls(rig)
    hand_rigs.lost_target(rig)
    with pytest.raises(Exception, match="lost its target"):
        loom("addon.interface.operators.steer").Steering(bpy.context, rig)


def test_selected_armatures_come_along_and_get_actions_of_their_own(loom):
    rig = walking()
    others = []
    for x, name in ((1.5, "Alike"), (-1.5, "Own")):
        other = rig.copy()
        other.name, other.data = name, rig.data.copy()
        other.animation_data_clear()
        other.location.x = x
        bpy.context.scene.collection.objects.link(other)
        others.append(other)
    material.key_walk(others[1], "hers", frames=30)
    material.key_walk(others[1], "hers quick", frames=20, stride=1.6)
    mine = bpy.context.scene.action_loom.rigs.add()
    mine.armature = others[1]
    for name in ("hers", "hers quick"):
        mine.sources.add().action = bpy.data.actions[name]
    bpy.context.view_layer.objects.active = rig
    for one in (rig, *others):
        one.select_set(True)
    bpy.context.scene.frame_set(1)
    before = file_state.state()
    steering = loom("addon.interface.operators.steer").Steering(bpy.context, rig)
    assert any("'Alike', 'Own' come along" in text for text in steering.initial_messages()), steering.initial_messages()
    mine, alike = steering.session.data, steering.session.others[0].data
    assert alike.features == pytest.approx(mine.features, abs=1e-3)
    assert np.abs(alike.rotations - mine.rotations).max() > 0.01
    steering.handle(bpy.context, event("W"))
    go(steering, 1.5)
    steering.handle(bpy.context, event("BACK_SPACE"))
    go(steering, 1.5)
    assert [len(one.wished) for one in (steering.session, *steering.session.others)] == [120] * 3
    ends = [one.state.place for one in steering.session.others]
    for one, end in zip(steering.session.others, ends, strict=True):
        assert (end - one.place).imag > 0.5
    assert ends[0].real - ends[1].real > 2.0
    steering.leave(bpy.context)
    assert file_state.differing(before, file_state.state()) == set()
    steering.put_wishes(bpy.context.scene.action_loom)
    assert bpy.ops.action_loom.drive(others=steering.others()) == {"FINISHED"}
    names = [one.animation_data.action.name for one in (rig, *others)]
    assert len(set(names)) == 3
    stored = loom("addon.model.storage").recipe_of(others[1].animation_data.action)
    assert (stored.start[0][0], stored.which) == (pytest.approx(-1.5, abs=0.2), 0)
    stored = loom("addon.model.storage").recipe_of(others[0].animation_data.action)
    assert (stored.which, stored.variety) == (1, 1.0)
    bpy.context.scene.frame_set(int(others[0].animation_data.action.frame_range[1]))
    for other, end in zip(others, ends, strict=True):
        hips = other.matrix_world @ other.pose.bones["hips"].head
        assert np.hypot(hips.x - end.real, hips.y - end.imag) < 0.3


def test_an_armature_that_cannot_come_along_is_said(loom):
    rig = walking()
    other = bpy.data.objects.new("Box", bpy.data.armatures.new("Box"))
    bpy.context.scene.collection.objects.link(other)
    other.select_set(True)
    steering = loom("addon.interface.operators.steer").Steering(bpy.context, rig)
    assert steering.initial_messages()[0].startswith("Box: Tick two actions")
    steering.handle(bpy.context, event("W"))
    go(steering, 0.2)
    assert steering.session.others == []


def test_a_line_is_walked_while_it_is_drawn(steered):
    _, steering = steered
    session = steering.session
    start = session.state.place
    line = [start + 0.2j * k for k in range(1, 11)] + [start + 2j + 0.2 * k for k in range(1, 11)]
    session.go_to(line[0])
    for k, place in enumerate(line[1:]):
        session.draw(place)
        session.draw(place + 0.01)  # too near to be a point
        session.draw(None)  # the sky
        if k % 3 == 0:
            go(steering, 0.1)
    assert abs(session.state.place - start) > 0.2  # it did not wait for the end
    gone = []
    for _ in range(100):
        go(steering, 0.1)
        gone.append(session.state.place)
    off = [min(abs(place - point) for point in line) for place in gone]
    assert max(off) < 0.5
    assert abs(gone[-1] - line[-1]) < 0.3
    assert not session.line
    session.draw(start)
    steering.handle(bpy.context, event("W"))
    assert not session.line
    assert session.goal is None
