"""Further situations of a scene: other content of actions, the place and the player of a character, earlier work.

Each is made on the walker of `situations`, as there.
"""

from pathlib import Path

import bpy
import judge
import material
from situations import ARM, actions, at_rest, key

# --- other content of an action -------------------------------------------------------------------------------------


def face_slot(rig, last=25):
    data = material.add_face(rig, "smile", "wink.L", "wink.R", "frown")
    for action, most in zip(actions(), (0.4, 0.8), strict=True):
        keys = data.shape_keys
        animation = keys.animation_data or keys.animation_data_create()
        animation.action, animation.action_slot = action, action.slots.new("KEY", keys.name)
        for frame, value in ((1, 0.0), (13, most), (last, 0.0)):
            for name, share in (("smile", 1.0), ("wink.L", 0.5), ("wink.R", 0.1)):
                keys.key_blocks[name].value = share * value
                keys.key_blocks[name].keyframe_insert("value", frame=frame)
    judge.play(rig, actions()[0])


def other_smiled(rig):
    """Play the second action, whose face smiles more, and give the walker its action back."""
    had = rig.animation_data.action
    judge.play(rig, actions()[1])
    bpy.context.scene.frame_set(13)
    judge.play(rig, had)


def long_face(rig):
    face_slot(rig, last=60)


def two_bone_slots(rig):
    """Let the action move another armature, too, by a second slot."""
    other = material.biped(name="Other", root=True)
    other.location.x = 2.0
    action = actions()[0]
    data = other.animation_data_create()
    data.action, data.action_slot = action, action.slots.new("OBJECT", "Other")
    for frame, turn in ((1, 0.0), (13, 0.5), (25, 0.0)):
        other.pose.bones["head"].rotation_euler = (turn, 0.0, 0.0)
        other.pose.bones["head"].keyframe_insert("rotation_euler", frame=frame)
    bpy.context.view_layer.objects.active = rig


def event_markers(_rig):
    for action in actions():
        for name, frame in (("step_L", 1), ("step_R", 13), ("breath", 9)):
            action.pose_markers.new(name).frame = frame


def arm_action(rig):
    """The second action keys one arm only."""
    bpy.data.actions.remove(bpy.data.actions["two"])
    rig.animation_data.action = None
    for frame, turn in ((1, 0.0), (12, 1.2), (25, 0.0)):
        rig.pose.bones[ARM].rotation_euler = (turn, 0.0, 0.0)
        rig.pose.bones[ARM].keyframe_insert("rotation_euler", frame=frame)
    rig.animation_data.action.name = "two"
    bpy.data.actions["two"].use_fake_user = True
    material.show(rig, bpy.data.actions["one"])
    at_rest(rig)


# --- place of the character, and its player --------------------------------------------------------------------------


def shared_action(rig):
    twin = rig.copy()
    twin.name = "Twin"
    bpy.context.scene.collection.objects.link(twin)
    twin.location.x = 2.0


def pushed_down(rig):
    """An earlier result plays in the NLA."""
    assert bpy.ops.action_loom.loop(sources=[{"name": "two", "weight": 1.0}], whole="yes") == {"FINISHED"}
    assert bpy.ops.action_loom.push_down("EXEC_DEFAULT", True) == {"FINISHED"}
    material.show(rig, actions()[0])


def strip(rig, action):
    made = rig.animation_data.nla_tracks.new().strips.new(action.name, 1, action)
    if hasattr(made, "action_slot"):
        made.action_slot = action.slots[0]
    return made


def tweak_mode(rig):
    rig.animation_data.action = None
    strip(rig, actions()[0]).select = True
    rig.animation_data.nla_tracks[0].select = True
    rig.animation_data.nla_tracks.active = rig.animation_data.nla_tracks[0]
    rig.animation_data.use_tweak_mode = True
    assert rig.animation_data.use_tweak_mode


def additive_layer(rig):
    key(rig, rig.pose.bones["head"], "rotation_euler", [(0.5, 0.1, 0.0)] * 5)
    strip(rig, actions()[1])
    rig.animation_data.action_blend_type = "ADD"


def solo_track(rig):
    strip(rig, actions()[1])
    rig.animation_data.nla_tracks[0].is_solo = True


def _library(tmp_path):
    path = str(Path(tmp_path) / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(path, link=True) as (_, here):
        here.objects, here.actions = ["Biped"], ["one", "two"]
    return here.objects[0]


def linked(tmp_path):
    rig = _library(tmp_path)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig


def overridden(tmp_path):
    rig = _library(tmp_path).override_create()
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig


# --- earlier work ---------------------------------------------------------------------------------------------------


def ten_jobs(rig):
    for k in range(10):
        verb = ("loop", "mirror", "in_place")[k % 3]
        assert getattr(bpy.ops.action_loom, verb)(sources=[{"name": "two", "weight": 1.0}]) == {"FINISHED"}
    material.show(rig, actions()[0])


def undone(rig):
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.action_loom.mirror("EXEC_DEFAULT", True, sources=[{"name": rig.animation_data.action.name, "weight": 1.0}])
    bpy.ops.ed.undo()
    assert len(bpy.data.actions) == 2


def many_actions(rig):
    for k in range(300):
        copy = actions()[k % 2].copy()
        copy.name = f"take {k}"
        copy.use_fake_user = True
    material.show(rig, actions()[0])
