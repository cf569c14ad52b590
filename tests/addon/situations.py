"""Situations of a scene in which the keys of an action alone do not decide how it looks, each made on a walker.

The walker has two actions of 24 frames, "one" and "two"; it plays "one". A situation changes both if possible. It
returns the expected motion of "one" if that cannot be recorded afterwards.
"""

import bpy
import judge
import material
import numpy as np

ARM, HAND, SWORD = "upper_arm.L", "hand.R", "sword"
HAS_SLOTS = bpy.app.version >= (4, 4)
_QUARTERS = (1, 7, 13, 19, 25)


def walker(mode="XYZ"):
    rig = material.biped(mode=mode, root=True)
    for name, stride in (("one", 1.2), ("two", 1.6)):
        material.key_walk(rig, name, frames=24, stride=stride, reach=0.75 * stride)
    material.show(rig, bpy.data.actions["one"])
    at_rest(rig)
    return rig


def at_rest(rig):
    """Put all bones at rest and evaluate frame 1."""
    for bone in rig.pose.bones:
        bone.matrix_basis.identity()
    bpy.context.scene.frame_set(1)


def actions():
    return [bpy.data.actions["one"], bpy.data.actions["two"]]


def without_curves(rig, *fitting, index=None):
    """Remove the curves of both actions whose path contains one of some words."""
    for action in actions():
        for curves in _holders(action):
            for curve in list(curves):
                if any(word in curve.data_path for word in fitting) and index in (None, curve.array_index):
                    curves.remove(curve)
    at_rest(rig)


def _holders(action):
    if not hasattr(action, "slots"):
        return [action.fcurves]
    return [bag.fcurves for layer in action.layers for strip in layer.strips for bag in strip.channelbags]


def add_bones(rig, *bones):
    """Add bones, each given as (name, parent or "", head, tail)."""
    bpy.ops.object.mode_set(mode="EDIT")
    for name, parent, head, tail in bones:
        bone = rig.data.edit_bones.new(name)
        bone.head, bone.tail, bone.parent = head, tail, rig.data.edit_bones.get(parent)
        bone.align_roll((0.0, -1.0, 0.0))
    bpy.ops.object.mode_set(mode="OBJECT")
    for name, *_ in bones:
        rig.pose.bones[name].rotation_mode = "XYZ"


def key(rig, owner, path, values, frames=_QUARTERS):
    """Key a property in both actions, with values scaled by 0.75 in the second."""
    for action, share in zip(actions(), (1.0, 0.75), strict=True):
        material.show(rig, action)
        for frame, value in zip(frames, values, strict=True):
            if path.startswith('["'):
                owner[path[2:-2]] = share * value
            else:
                setattr(owner, path, tuple(share * part for part in value) if np.ndim(value) else share * value)
            owner.keyframe_insert(path, frame=frame)
    material.show(rig, actions()[0])


# --- poses without keys ---------------------------------------------------------------------------------------------


def arm_posed(rig):
    without_curves(rig, f'"{ARM}"')
    rig.pose.bones[ARM].rotation_euler = (0.4, 0.1, -0.8)


def thighs_scaled(rig):
    for side in "LR":
        rig.pose.bones[f"thigh.{side}"].scale = (1.25, 1.25, 1.25)


def arm_moved(rig):
    rig.pose.bones[ARM].location = (0.05, 0.1, -0.02)


def axis_without_keys(rig):
    without_curves(rig, '"hips"].location', index=0)
    rig.pose.bones["hips"].location.x = 0.5


def root_posed(rig):
    rig.pose.bones["root"].location = (0.4, 0.3, 0.1)


def leftover(rig):
    """Another action was played, and its pose stays on an arm that "one" does not key."""
    without_curves(rig, f'"{ARM}"')
    wanted = judge.record(rig, actions()[0])
    rig.animation_data.action = None
    for frame, turn in ((1, 0.0), (12, 1.2), (24, 0.7)):
        rig.pose.bones[ARM].rotation_euler = (turn, 0.0, 0.0)
        rig.pose.bones[ARM].keyframe_insert("rotation_euler", frame=frame)
    rig.animation_data.action.name = "wave"
    rig.animation_data.action.use_fake_user = True
    left_over(rig)
    return wanted


def left_over(rig):
    """Play the wave, so that its pose stays on the arm, and give the walker its action back."""
    had = rig.animation_data.action
    material.show(rig, bpy.data.actions["wave"])
    bpy.context.scene.frame_set(12)
    judge.play(rig, actions()[0] if had.name == "wave" else had)


def property_left(rig):
    """Another action was played, and its values stay on a property and an influence that "one" does not key."""
    rig["smile"] = 0.0
    constraint = rig.pose.bones["head"].constraints.new("LIMIT_SCALE")
    wanted = judge.record(rig, actions()[0])
    rig.animation_data.action = None
    for frame, value in ((1, 0.0), (12, 0.7), (24, 0.3)):
        rig["smile"], constraint.influence = value, value
        rig.keyframe_insert('["smile"]', frame=frame)
        constraint.keyframe_insert("influence", frame=frame)
        rig.pose.bones["chest"].keyframe_insert("rotation_euler", frame=frame)
    rig.animation_data.action.name = "wave"
    bpy.data.actions["wave"].use_fake_user = True
    left_over(rig)
    return wanted


# --- parents and constraints of the object --------------------------------------------------------------------------


def moving_parent(rig):
    parent = bpy.data.objects.new("Cart", None)
    bpy.context.scene.collection.objects.link(parent)
    for frame, x, turn in ((1, 0.0, 0.0), (60, 3.0, 0.8)):
        parent.location, parent.rotation_euler = (x, 1.0, 0.2), (0.0, 0.0, turn)
        parent.keyframe_insert("location", frame=frame)
        parent.keyframe_insert("rotation_euler", frame=frame)
    rig.parent = parent


def following_a_path(rig):
    track = material.draw_curve([(0, 0), (2, 0), (4, 1), (5, 3)], "Track")
    data = track.data
    data.use_path, data.path_duration = True, 60
    for frame in (1, 60):
        data.eval_time = frame - 1.0
        data.keyframe_insert("eval_time", frame=frame)
    constraint = rig.constraints.new("FOLLOW_PATH")
    constraint.target, constraint.use_curve_follow = track, True


def uneven_scale(rig):
    rig.scale = (1.0, 1.3, 0.8)


def negative_scale(rig):
    rig.scale = (-1.0, 1.0, 1.0)


def time_stretched(_rig):
    render = bpy.context.scene.render
    render.frame_map_old, render.frame_map_new = 100, 200


# --- turns over half a circle ---------------------------------------------------------------------------------------


def circling_arm(rig):
    without_curves(rig, '"upper_arm.R"')
    arm = rig.pose.bones["upper_arm.R"]
    key(rig, arm, "rotation_euler", [(0.5 * np.pi * k, 0.0, 0.0) for k in range(5)])


def head_turned(rig):
    key(rig, rig.pose.bones["head"], "rotation_euler", [(0.0, np.radians(a), 0.0) for a in (0, 130, 200, 90, 0)])


def pirouette(rig):
    key(rig, rig.pose.bones["hips"], "rotation_euler", [(0.0, np.pi * k, 0.0) for k in range(5)])


def wheel(rig):
    add_bones(rig, ("wheel", "root", (0.0, 0.0, 0.3), (0.0, 0.0, 0.6)))
    key(rig, rig.pose.bones["wheel"], "rotation_euler", [(3.0 * np.pi * k, 0.0, 0.0) for k in range(5)])


# --- curves ---------------------------------------------------------------------------------------------------------


def scaled_in_time(rig):
    """Scale both actions in time: imported at 120 frames per second, then scaled to 30 in the Dope Sheet."""
    bpy.context.scene.render.fps = 30
    for action in actions():
        _stretch_keys(action, 4.0)
        action["action_loom_rate"] = 120.0
    bpy.ops.action_loom.add_sources()
    for action in actions():
        _stretch_keys(action, 0.25)
    at_rest(rig)


def _stretch_keys(action, factor):
    for curve in material.fcurves(action):
        for point in curve.keyframe_points:
            for place in (point.co, point.handle_left, point.handle_right):
                place.x = 1.0 + factor * (place.x - 1.0)
        curve.update()


def modifiers(rig):
    """Add a sine of one period in the cycle, and steps of two frames."""
    for action in actions():
        for curve in material.fcurves(action):
            if '"chest"' in curve.data_path:
                sine = curve.modifiers.new("FNGENERATOR")
                sine.amplitude, sine.phase_multiplier, sine.use_additive = 0.2, 2.0 * np.pi / 24.0, True
            if '"head"' in curve.data_path or '"upper_arm.R"' in curve.data_path:
                steps = curve.modifiers.new("STEPPED")
                steps.frame_step, steps.frame_offset = 2.0, 1.0
    at_rest(rig)


def muted_and_locked(rig):
    for action in actions():
        for curve in material.fcurves(action):
            curve.mute = '"upper_arm.R"' in curve.data_path
            curve.lock = '"shin' in curve.data_path
    at_rest(rig)


def single_frames(rig):
    for action in actions():
        for curve in material.fcurves(action):
            while len(curve.keyframe_points) > 1:
                curve.keyframe_points.remove(curve.keyframe_points[-1])
    at_rest(rig)


def sign_flips(rig):
    for action in actions():
        for curve in material.fcurves(action):
            if curve.data_path.endswith("rotation_quaternion"):
                _every_frame(curve)
                for point in list(curve.keyframe_points)[1::2]:
                    point.co.y *= -1.0
    at_rest(rig)


def _every_frame(curve):
    values = [curve.evaluate(frame) for frame in range(1, 26)]
    for frame, value in enumerate(values, start=1):
        curve.keyframe_points.insert(frame, value)


# --- bones ----------------------------------------------------------------------------------------------------------


def mixed_orders(rig):
    """Give each bone another rotation order, and key all axes."""
    orders = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
    for k, bone in enumerate(rig.pose.bones):
        bone.rotation_mode = orders[k % len(orders)]
    for k, name in enumerate(("chest", "upper_arm.L", "upper_arm.R", "thigh.L", "head")):
        rows = 0.5 * np.random.default_rng(k).normal(size=(5, 3))
        rows[4] = rows[0]
        key(rig, rig.pose.bones[name], "rotation_euler", rows.tolist())


def axis_angle(rig):
    without_curves(rig, '"chest"')
    chest = rig.pose.bones["chest"]
    chest.rotation_mode = "AXIS_ANGLE"
    rows = [
        (0.2, 0.0, 1.0, 0.0),
        (0.5, 1.0, 0.2, 0.0),
        (-0.3, 0.0, 1.0, 0.4),
        (0.1, 0.3, 0.0, 1.0),
        (0.2, 0.0, 1.0, 0.0),
    ]
    key(rig, chest, "rotation_axis_angle", rows)


def inherit_flags(rig):
    rig.data.bones["head"].use_inherit_rotation = False
    for side in "LR":
        rig.data.bones[f"forearm.{side}"].inherit_scale = "AVERAGE"
        rig.data.bones[f"upper_arm.{side}"].inherit_scale = "NONE"
    squash(rig)


def squash(rig):
    rows = [(1.0, 1.0, 1.0), (1.2, 0.7, 1.2), (1.0, 1.0, 1.0), (0.9, 1.3, 0.9), (1.0, 1.0, 1.0)]
    key(rig, rig.pose.bones["chest"], "scale", rows)
    at_rest(rig)


def negative_bone(rig):
    rig.pose.bones["hand.L"].scale = (-1.0, 1.0, 1.0)


def bendy(rig):
    rng = np.random.default_rng(3)
    for name in ("forearm.L", "spine"):
        rig.data.bones[name].bbone_segments = 6
        for what in ("curveinx", "curveoutx", "curveinz", "curveoutz", "rollin", "rollout"):
            values = rng.uniform(-0.2, 0.2, size=5)
            values[4] = values[0]
            key(rig, rig.pose.bones[name], f"bbone_{what}", values.tolist())
            setattr(rig.pose.bones["forearm.R"], f"bbone_{what}", 0.0)
    rig.data.bones["forearm.R"].bbone_segments = 6


def properties(rig):
    for name in ("smile_L", "smile_R", "Mund links", "Mund rechts"):
        rig[name] = 0.25
    key(rig, rig, '["smile_L"]', (0.0, 1.0, 0.5, 0.7, 0.0))
    key(rig, rig, '["Mund rechts"]', (0.0, 0.2, 0.8, 0.1, 0.0))


def ears(rig):
    names = ("Ohr links", "Ohr rechts", "耳.左", "耳.右")
    add_bones(
        rig,
        *[
            (name, "head", (side, 0.0, z), (side, 0.0, z + 0.1))
            for name, side, z in zip(names, (0.08, -0.08) * 2, (1.6, 1.6, 1.7, 1.7), strict=True)
        ],
    )
    for k, name in enumerate(names):
        rows = [(0.3 * np.sin(k + q), 0.1 * k, 0.2 * np.cos(k * q)) for q in (0, 1, 2, 3, 0)]
        key(rig, rig.pose.bones[name], "rotation_euler", rows)


def sword_on_root(rig):
    _hold(rig, "root")


def sword_alone(rig):
    _hold(rig, "")


def _hold(rig, parent):
    """Key a sword on every frame to stay in the right hand."""
    hand = rig.data.bones[HAND]
    add_bones(rig, (SWORD, parent, hand.tail_local, hand.tail_local + hand.vector))
    for action in actions():
        material.show(rig, action)
        for frame in range(1, 26):
            bpy.context.scene.frame_set(frame)
            held, own = rig.pose.bones[HAND], rig.pose.bones[SWORD]
            own.matrix = held.matrix @ held.bone.matrix_local.inverted() @ own.bone.matrix_local
            own.keyframe_insert("location", frame=frame)
            own.keyframe_insert("rotation_euler", frame=frame)
    material.show(rig, actions()[0])


def sword_child_of(rig):
    hand = rig.data.bones[HAND]
    add_bones(rig, (SWORD, "", hand.tail_local, hand.tail_local + hand.vector))
    own = rig.pose.bones[SWORD]
    constraint = own.constraints.new("CHILD_OF")
    constraint.target, constraint.subtarget = rig, HAND
    # Blender has replaced the bones since.
    constraint.inverse_matrix = (rig.matrix_world @ rig.data.bones[HAND].matrix_local).inverted()
    key(rig, own, "location", [(0.0, 0.0, 0.0)] * 5)


def second_body(rig):
    for bone in material.join_partner(rig):
        key(rig, bone, "rotation_euler", [(0.3 * np.sin(0.5 * np.pi * k), 0.0, 0.0) for k in range(5)])
