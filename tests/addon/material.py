"""Armatures and actions for the add-on's tests: captured ones from ../shared, and small made-up ones."""

import hashlib
import json
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import bpy
import numpy as np
import pytest
from mathutils import Euler

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared")
TWO_WALKS = [{"name": "slow", "weight": 1.0}, {"name": "quick", "weight": 1.0}]


def import_bvh(name, *, mode="NATIVE"):
    """Import a captured clip with Blender's own importer, set the scene to its rate, and return the armature."""
    path = SHARED / "cmu" / f"{name}.bvh"
    bpy.ops.import_anim.bvh(filepath=str(path), rotate_mode=mode, update_scene_fps=True)
    return bpy.context.object


def scene_rate():
    render = bpy.context.scene.render
    return render.fps / render.fps_base


def opened(path):
    """Open a file and return its actions by name."""
    bpy.ops.wm.open_mainfile(filepath=str(path))
    return bpy.data.actions


def read_json(path):
    return json.loads(path.read_text(encoding="utf-8"))


def fcurves(action):
    """All F-curves of an action, on any Blender, without our own code."""
    if not hasattr(action, "slots"):
        return list(action.fcurves)
    return [
        curve for layer in action.layers for strip in layer.strips for bag in strip.channelbags for curve in bag.fcurves
    ]


def fingerprint(action):
    """A hash of every curve of an action: path, index, keys, handles, interpolation, modifiers."""
    digest = hashlib.sha256()
    for curve in fcurves(action):
        digest.update(f"{curve.data_path}[{curve.array_index}] {len(curve.modifiers)} {curve.extrapolation}".encode())
        for name, size in (("co", 2), ("handle_left", 2), ("handle_right", 2)):
            values = np.empty(size * len(curve.keyframe_points), dtype=np.float32)
            curve.keyframe_points.foreach_get(name, values)
            digest.update(values.tobytes())
        digest.update("".join(point.interpolation for point in curve.keyframe_points).encode())
    return digest.hexdigest()


def pose_positions(armature, names, frame):
    """World positions (J, 3) of bone heads as Blender evaluates them."""
    bpy.context.scene.frame_set(int(np.floor(frame)), subframe=float(frame % 1.0))
    return np.array([(armature.matrix_world @ armature.pose.bones[name].matrix).translation[:] for name in names])


def begin_armature(name):
    """Make an armature without bones, selected, active and in Edit Mode."""
    data = bpy.data.armatures.new(name)
    rig = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    rig.select_set(True)
    bpy.ops.object.mode_set(mode="EDIT")
    return rig


def draw_curve(points, name="Path"):
    """Make a curve of straight lines through points (x, y) or (x, y, z), and return its object."""
    data = bpy.data.curves.new(name, "CURVE")
    data.dimensions = "3D"
    spline = data.splines.new("POLY")
    spline.points.add(len(points) - 1)
    for point, place in zip(spline.points, points, strict=True):
        point.co = (*place, *(0.0, 1.0)[len(place) - 2 :])
    curve = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(curve)
    return curve


def join_partner(rig):
    """Join a second biped, a step beside the first, to it; return its bones, to be turned in XYZ."""
    other = biped(name="Partner")
    for bone in other.data.bones:
        bone.name = f"Partner {bone.name}"
    other.location.x = 1.0
    bpy.ops.object.select_all(action="DESELECT")
    for one in (other, rig):
        one.select_set(True)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.join()
    bones = [bone for bone in rig.pose.bones if bone.name.startswith("Partner ")]
    for bone in bones:
        bone.rotation_mode = "XYZ"
    return bones


def armature(*, modes=("QUATERNION",), connected=True, name="Rig"):
    """Make an unkeyed chain of four bones with a side branch; bones take the rotation modes in turn."""
    rig = begin_armature(name)
    data = rig.data
    above = None
    for k in range(4):
        bone = data.edit_bones.new(f"bone{k}")
        bone.head, bone.tail, bone.roll = (0.1 * k, 0.0, 0.3 * k), (0.1 * (k + 1), 0.0, 0.3 * (k + 1)), 0.4 * k
        bone.parent, bone.use_connect = above, connected and above is not None
        above = bone
    side = data.edit_bones.new("side")
    side.head, side.tail, side.parent = (0.0, 0.2, 0.3), (0.0, 0.6, 0.3), data.edit_bones["bone1"]
    bpy.ops.object.mode_set(mode="OBJECT")
    for k, bone in enumerate(rig.pose.bones):
        bone.rotation_mode = modes[k % len(modes)]
    return rig


def show(rig, action):
    """Assign an action to an armature, with its first suitable slot if it has slots."""
    data = rig.animation_data or rig.animation_data_create()
    data.action = action
    if hasattr(data, "action_slot"):
        data.action_slot = data.action_suitable_slots[0]


def key_by_hand(rig, name, *, seed, frames=(1, 9, 20, 33)):
    """A new action with a few Bézier keys on every bone, set with Blender's own keyframe_insert."""
    rng = np.random.default_rng(seed)
    rig.animation_data_create()
    rig.animation_data.action = None
    for frame in frames:
        for bone in rig.pose.bones:
            bone.location = rng.normal(size=3) * 0.1
            if bone.rotation_mode == "QUATERNION":
                bone.rotation_quaternion = np.array([1.0, 0.0, 0.0, 0.0]) + 0.3 * rng.normal(size=4)
                bone.keyframe_insert("rotation_quaternion", frame=frame)
            elif bone.rotation_mode == "AXIS_ANGLE":
                bone.rotation_axis_angle = [rng.normal(), *rng.normal(size=3)]
                bone.keyframe_insert("rotation_axis_angle", frame=frame)
            else:
                bone.rotation_euler = 0.7 * rng.normal(size=3)
                bone.keyframe_insert("rotation_euler", frame=frame)
            bone.keyframe_insert("location", frame=frame)
    action = rig.animation_data.action
    action.name = name
    action.use_fake_user = True
    return action


def list_sources(rig, *names, mode="blend"):
    """List these actions for an armature in this order, set the panel's mode, and return its settings."""
    settings = bpy.context.scene.action_loom
    settings.rigs.clear()
    mine = settings.rigs.add()
    mine.armature = rig
    for name in names:
        mine.sources.add().action = bpy.data.actions[name]
    settings.mode = mode
    return settings


BOTH = [{"name": "one", "weight": 1.0}, {"name": "two", "weight": 1.0}]


def two_actions():
    """Make an armature with two hand-keyed actions, one and two, of 33 and 49 frames; BOTH lists them as sources."""
    rig = armature()
    key_by_hand(rig, "one", seed=1)
    key_by_hand(rig, "two", seed=2, frames=(-7, 12, 26, 41))
    return rig


def list_all():
    """List and tick every action of the active armature, whether or not Add All Actions would tick it."""
    bpy.ops.action_loom.add_sources()
    for line in bpy.context.scene.action_loom.rigs[0].sources:
        line.use = True


def analyse(**options):
    """Analyse how two actions correspond, with pinned ends by default."""
    assert bpy.ops.action_loom.analyse(**{"sources": BOTH, "ends": "pinned", **options}) == {"FINISHED"}


_BIPED = (
    ("hips", "", (0.0, 0.0, 0.92), (0.0, 0.0, 1.05)),
    ("spine", "hips", (0.0, 0.0, 1.05), (0.0, 0.0, 1.25)),
    ("chest", "spine", (0.0, 0.0, 1.25), (0.0, 0.0, 1.48)),
    ("neck", "chest", (0.0, 0.0, 1.48), (0.0, 0.0, 1.58)),
    ("head", "neck", (0.0, 0.0, 1.58), (0.0, 0.0, 1.78)),
    ("upper_arm", "chest", (0.18, 0.0, 1.42), (0.20, 0.0, 1.14)),
    ("forearm", "upper_arm", (0.20, 0.0, 1.14), (0.21, 0.0, 0.90)),
    ("hand", "forearm", (0.21, 0.0, 0.90), (0.21, 0.0, 0.78)),
    ("thigh", "hips", (0.10, 0.0, 0.92), (0.10, -0.01, 0.50)),
    ("shin", "thigh", (0.10, -0.01, 0.50), (0.10, 0.0, 0.08)),
    ("foot", "shin", (0.10, 0.0, 0.08), (0.10, -0.16, 0.02)),
)
# Degrees about the body's left-to-right line, forward and up: at the leg's heel strike, then each quarter cycle.
_STEP = {
    "thigh": (24.0, 2.0, -22.0, 14.0),
    "shin": (-6.0, -9.0, -24.0, -58.0),
    "foot": (6.0, 4.0, -14.0, 2.0),
    "upper_arm": (-21.0, 0.0, 19.0, 1.0),
    "forearm": (14.0, 18.0, 30.0, 20.0),
}
_SWAY = {"hips": (5.0, 0.0, -5.0, 0.0), "chest": (-7.0, 0.0, 7.0, 0.0)}  # about the vertical


def biped(*, mode="XYZ", name="Biped", units=1.0, root=False):
    """A small person of 17 bones that faces −Y, keyed by nobody yet; limbs in a rotation mode, the trunk in XYZ.

    units : of the bones' own space in a metre; root : with a bone on the ground above the hips
    """
    rig = begin_armature(name)
    data = rig.data
    if root:
        ground = data.edit_bones.new("root")
        ground.head, ground.tail = (0.0, 0.0, 0.0), (0.0, -0.3 * units, 0.0)
    for bone, parent, head, tail in _BIPED:
        for side, suffix in ((1.0, ".L"), (-1.0, ".R")) if head[0] else ((1.0, ""),):
            made = data.edit_bones.new(bone + suffix)
            made.head, made.tail = ((side * units * x, units * y, units * z) for x, y, z in (head, tail))
            made.align_roll((0.0, 0.0, 1.0) if bone == "foot" else (0.0, -1.0, 0.0))
            made.parent = data.edit_bones.get(parent + suffix) or data.edit_bones.get(parent or "root")
    bpy.ops.object.mode_set(mode="OBJECT")
    for bone in rig.pose.bones:
        bone.rotation_mode = mode if bone.name[-2:] in (".L", ".R") else "XYZ"
    return rig


def key_walk(rig, name, *, frames, leads="L", stride=1.2, reach=1.0, first=1, object_travels=False):
    """Make a walk cycle as an animator keys it: four poses and the closing one, Bézier, and Cycles modifiers.

    frames : of the cycle; leads : side of the first heel strike; stride : metres a cycle, 0 for a walk in place
    reach : swing of the limbs, 1 for an ordinary walk
    """
    rig.animation_data_create()
    rig.animation_data.action = None
    hips = rig.pose.bones["hips"]
    units = hips.bone.head_local.z / _BIPED[0][2][2]
    for quarter in range(5):
        frame = first + round(quarter * frames / 4)
        for side in "LR":
            phase = (quarter + (0 if side == leads else 2)) % 4
            for bone, degrees in _STEP.items():
                _key_turn(rig, f"{bone}.{side}", 0, reach * degrees[phase], frame)
        for bone, degrees in _SWAY.items():
            phase = (quarter + (0 if leads == "L" else 2)) % 4
            _key_turn(rig, bone, 1, -reach * degrees[phase], frame)
        # The hips' own y axis is the vertical, and z points where the body faces.
        gone = stride * (frame - first) / frames
        hips.location = (0.0, -0.03 * units * reach * (1 - quarter % 2), 0.0 if object_travels else units * gone)
        hips.keyframe_insert("location", frame=frame)
        if object_travels:
            rig.location = (0.0, -gone, 0.0)
            rig.keyframe_insert("location", frame=frame)
    action = rig.animation_data.action
    action.name = name
    action.use_fake_user = True
    for curve in fcurves(action):
        cycles = curve.modifiers.new("CYCLES")
        if curve.data_path.endswith("location"):
            cycles.mode_before = cycles.mode_after = "REPEAT_OFFSET"
    return action


def two_walks(**how):
    """Make a biped with the actions of TWO_WALKS: a slow walk and a quick one that leads with the other foot."""
    rig = biped(**how)
    key_walk(rig, "slow", frames=36)
    key_walk(rig, "quick", frames=24, leads="R")
    return rig


def add_face(rig, *names):
    """Give an armature a mesh on its head with shape keys, each higher than the one before; return the mesh."""
    data = bpy.data.meshes.new("Face")
    data.from_pydata([(0, 0, 1.6), (0.1, 0, 1.6), (0, 0.1, 1.7)], [], [(0, 1, 2)])
    face = bpy.data.objects.new("Face", data)
    bpy.context.scene.collection.objects.link(face)
    face.parent = rig
    face.vertex_groups.new(name="head").add([0, 1, 2], 1.0, "REPLACE")
    face.modifiers.new("Armature", "ARMATURE").object = rig
    for k, name in enumerate(("Basis", *names)):
        made = face.shape_key_add(name=name)
        made.value, made.data[0].co.z = 0.0, 1.6 + 0.01 * k
    return data


def _key_turn(rig, name, axis, degrees, frame):
    """Key a bone turned about one of its own axes, forward or to its left."""
    bone = rig.pose.bones[name]
    angles = [0.0, 0.0, 0.0]
    angles[axis] = np.radians(degrees)
    if bone.rotation_mode == "QUATERNION":
        bone.rotation_quaternion = Euler(angles).to_quaternion()
        bone.keyframe_insert("rotation_quaternion", frame=frame)
    else:
        bone.rotation_euler = angles
        bone.keyframe_insert("rotation_euler", frame=frame)


# Joints with positions of their own, one that only turns, one that does nothing, and a leaf without an end.
SMALL_BVH = """HIERARCHY
ROOT Hips
{
  OFFSET 0 90 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Spine
  {
    OFFSET 0 30 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT Head
    {
      OFFSET 0 40 0
      CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
    }
    JOINT Tag
    {
      OFFSET 10 0 0
      CHANNELS 3 Zrotation Xrotation Yrotation
      End Site
      {
        OFFSET 20 0 0
      }
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.025
0 90 0 10 20 30 5 -5 15 0 40 0 0 0 0 0 0 0
5 91 2 12 25 35 9 -9 11 1 42 0 3 0 0 0 0 0
10 92 4 14 30 40 13 -13 7 2 44 0 6 0 0 0 0 0
"""


def import_motion(*paths, **options):
    """Import motion files with Action Loom, as a script does."""
    return bpy.ops.action_loom.import_motion(files=[{"name": str(path)} for path in paths], **options)


def take():
    """Import a captured walk with turns to both sides, also backwards; set the mode *Take* and return the armature."""
    assert import_motion(SHARED / "amc" / "09_12.amc", match_rate=True, fit_range=True) == {"FINISHED"}
    bpy.context.scene.action_loom.mode = "cut_out"
    return bpy.context.object


def pressed(rig, operator, **options):
    """Press a button of the tab and return the new actions by name."""
    before = set(bpy.data.actions)
    assert press(rig, operator, **options) == {"FINISHED"}
    return {action.name: action for action in set(bpy.data.actions) - before}


def press(rig, operator, **options):
    """Press a button of the tab of an armature."""
    with bpy.context.temp_override(action_loom_armature=rig):
        return getattr(bpy.ops.action_loom, operator)("INVOKE_DEFAULT", **options)


def new_action(call):
    """Return the one action that a call of an operator makes."""
    before = set(bpy.data.actions)
    assert call() == {"FINISHED"}
    (made,) = set(bpy.data.actions) - before
    return made


def weave(verb, *names, **options):
    """Run a verb on some actions and return the action it makes."""
    sources = [{"name": name, "weight": 1.0} for name in names]
    return new_action(lambda: getattr(bpy.ops.action_loom, verb)(sources=sources, **options))


def saved(path):
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def armature_of(path):
    """Open a file, and return its armature."""
    bpy.ops.wm.open_mainfile(filepath=str(path))
    return armatures()[0]


def armatures():
    return [o for o in bpy.data.objects if o.type == "ARMATURE"]


def places(bridge, path, **convention):
    """Return the clip of a file, and the places of its joints (F, J, 3)."""
    clip, _ = bridge.bvh.to_clip(bridge.bvh.read(path), **convention)
    return clip, bridge.kinematics.world(clip)[1]


def two_walkers():
    """A biped with two walks, "slow" and "quick", of different sides; somewhere, turned, larger than usual."""
    rig = biped()
    for name, frames, leads in (("slow", 36, "L"), ("quick", 24, "R")):
        key_walk(rig, name, frames=frames, leads=leads)
    rig.location, rig.rotation_euler, rig.scale = (2.0, -1.0, 0.5), (0.0, 0.0, 0.6), (1.3, 1.3, 1.3)
    bpy.context.view_layer.update()
    return rig


def heads(rig, frame):
    """Return the world positions (B, 3) of the bones' heads."""
    bpy.context.scene.frame_set(frame)
    return np.array([(rig.matrix_world @ bone.matrix).translation for bone in rig.pose.bones])


def keys_of(action):
    """Return every key of an action, by curve."""
    found = {}
    for curve in fcurves(action):
        points = np.empty(2 * len(curve.keyframe_points))
        curve.keyframe_points.foreach_get("co", points)
        found[curve.data_path, curve.array_index] = points.tolist()
    return found


def key_count(action):
    return sum(len(curve.keyframe_points) for curve in fcurves(action))


def pose_at(rig, action, frame):
    """Return the basis matrices of all bones by name at a frame of an action, which the armature plays then."""
    rig.animation_data.action = action
    bpy.context.scene.frame_set(frame)
    return {bone.name: np.array(bone.matrix_basis) for bone in rig.pose.bones}


def edit_bones(rig, change):
    """Call `change` with the bones of an armature in Edit Mode."""
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    change(rig.data.edit_bones)
    bpy.ops.object.mode_set(mode="OBJECT")


@contextmanager
def running_job(jobs, name="Counting", **how):
    """Let a job run that ends with the block."""
    end = Event()
    job = jobs.begin(name, lambda _progress: end.wait(20), **how)
    try:
        yield job
    finally:
        end.set()
        job.wait()
        jobs.forget(job)
