"""Drive: keys steer the character in the view, Enter keeps an action with its recipe, Esc leaves everything."""

from types import SimpleNamespace

import bpy
import material
import numpy as np
import pytest


def event(kind, value="PRESS", *, shift=False, ctrl=False):
    return SimpleNamespace(type=kind, value=value, shift=shift, ctrl=ctrl, mouse_x=0, mouse_y=0)


def walking():
    rig = material.biped()
    material.key_walk(rig, "slow", frames=36)
    material.key_walk(rig, "quick", frames=24, stride=1.6)
    material.list_sources(rig, "slow", "quick", mode="drive")
    return rig


def pose_of(rig):
    return [
        tuple(value)
        for bone in rig.pose.bones
        for value in (bone.location, bone.rotation_quaternion, bone.rotation_euler, bone.scale)
    ]


@pytest.fixture
def steered(loom):
    """A biped with a slow and a quick walk, and what steers it."""
    rig = walking()
    steering = loom("addon.interface.operators.steer").Steering(bpy.context, rig)
    yield rig, steering
    if steering.armature is not None:
        steering.leave(bpy.context)


def go(steering, seconds):
    for _ in range(round(60 * seconds)):
        steering.tick(bpy.context, 1.0 / 60.0)


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
    again = route.driven(session.data, session.wished, session.manner, session.place, session.facing)
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


def test_one_ticked_action_is_refused_in_a_sentence(loom):
    rig = walking()
    material.list_sources(rig, "slow", mode="drive")
    with pytest.raises(Exception, match="two actions or more"):
        loom("addon.interface.operators.steer").Steering(bpy.context, rig)
