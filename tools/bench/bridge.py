"""Time reading and writing 60 bones × 1000 frames, and compare with Blender's own methods; prints JSON.

Runs inside Blender. Arguments: the extension's zip, the number of runs; `quick` limits `keyframe_insert` to a tenth
of the frames.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import in_blender
import line
import timing
from line import Case, Figures, Rival
from telling import tell

BONES, FRAMES = 60, 1000
SINGLE = 1e-5  # rounding of unit quaternions in single precision
LONGEST = 8.0  # s


def main(zip_path: str, runs: int, *, quick: bool) -> None:
    with in_blender.extension(zip_path) as loom:
        import bpy

        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        armature = chain()
        body = loom("addon.bridge.rig").read(armature)
        clip = wandering(loom, body.skeleton)
        some = FRAMES // 10 if quick else FRAMES
        tell(
            reading(loom, armature, clip, body, runs) | writing(loom, armature, clip, body, runs, some),
            blender=bpy.app.version_string,
        )


def reading(loom: Callable[[str], Any], armature: Any, clip: Any, body: Any, runs: int) -> dict[str, Figures]:
    clips, fingerprint = loom("addon.bridge.clip"), loom("addon.bridge.fingerprint")
    action = clips.write(armature, clip, body, first_frame=1.0)
    slot = assign(loom, armature, action)
    curves = loom("addon.bridge.curves").curves_of(action, slot)
    by_frames = Rival(partial(read_by_frames, armature), lambda a, b: apart(a.clip.rotations, b), SINGLE)
    case = Case(lambda: clips.read(armature, action, body, 24.0, slot), {"frame_set": lambda: by_frames})
    read = line.measure(case, runs, LONGEST, time.thread_time)
    return {
        "read": replace(read, floor=timing.milliseconds(lambda: bare_reading(curves), runs)),
        "read-skeleton": Figures(timing.milliseconds(lambda: loom("addon.bridge.rig").read(armature), runs)),
        "hash": Figures(timing.milliseconds(lambda: fingerprint.fingerprint(action, slot), runs)),
    }


def writing(
    loom: Callable[[str], Any], armature: Any, clip: Any, body: Any, runs: int, some: int
) -> dict[str, Figures]:
    clips, curves = loom("addon.bridge.clip"), loom("addon.bridge.curves")
    source = armature.animation_data.action

    def keys_apart(one: Any, other: Any) -> float:
        """Compare the rotations of two actions over the first `some` frames."""
        read = [clips.read(armature, action, body, 24.0, assign(loom, armature, action)) for action in (one, other)]
        return apart(*(source.clip.rotations[:some] for source in read))

    def baked() -> Any:
        assign(loom, armature, source)
        return bake(armature)

    case = Case(
        anew(lambda: clips.write(armature, clip, body, first_frame=1.0)),
        {
            "keyframe_insert": lambda: Rival(
                anew(lambda: insert_keys(armature, clip, some)), keys_apart, SINGLE, FRAMES / some
            ),
            "nla.bake": lambda: Rival(anew(baked), keys_apart, SINGLE),
        },
    )
    wrote = line.measure(case, runs, LONGEST, time.thread_time)
    keys = [np.array(_keys(curve)) for curve in curves.curves_of(source, assign(loom, armature, source))]
    bare = anew(lambda: bare_writing(curves, armature, keys))
    return {"write": replace(wrote, floor=timing.milliseconds(bare, runs))}


def anew(make: Callable[[], Any]) -> Callable[[], Any]:
    """Return a function that removes the action it made before, then makes a new one."""
    made: list[Any] = []

    def work() -> Any:
        import bpy

        if made:
            bpy.data.actions.remove(made.pop())
        made.append(make())
        return made[0]

    return work


def assign(loom: Callable[[str], Any], armature: Any, action: Any) -> Any:
    """Assign an action to the armature; return its slot."""
    curves = loom("addon.bridge.curves")
    slot = curves.choose_slot(action, armature)
    curves.assign(armature, action, slot)
    return slot


def read_by_frames(armature: Any) -> np.ndarray:
    """Read rotations (FRAMES, BONES, 4) the way most scripts do: set each frame, then read each bone."""
    import bpy

    rotations = np.empty((FRAMES, BONES, 4))
    for frame in range(FRAMES):
        bpy.context.scene.frame_set(frame + 1)
        for joint, bone in enumerate(armature.pose.bones):
            rotations[frame, joint] = bone.matrix_basis.to_quaternion()
    return rotations


def insert_keys(armature: Any, clip: Any, some: int) -> Any:
    """Write the first `some` frames the way most scripts do: insert one key at a time."""
    import bpy

    armature.animation_data.action = action = bpy.data.actions.new("Inserted")
    places, rotations = clip.translations[:some].tolist(), clip.rotations[:some].tolist()
    for frame in range(some):
        for joint, bone in enumerate(armature.pose.bones):
            bone.rotation_quaternion = rotations[frame][joint]
            bone.keyframe_insert("rotation_quaternion", frame=frame + 1)
        bone = armature.pose.bones[0]
        bone.location = places[frame][0]
        bone.keyframe_insert("location", frame=frame + 1)
    return action


def bake(armature: Any) -> Any:
    """Bake the rotations of the armature's action with the operator of Pose > Animation > Bake Action."""
    import bpy

    bpy.ops.nla.bake(
        frame_start=1, frame_end=FRAMES, only_selected=False, bake_types={"POSE"}, channel_types={"ROTATION"}
    )
    return armature.animation_data.action


def bare_reading(curves: list[Any]) -> None:
    """Copy the keys of each curve out of Blender: the minimum work of any reader."""
    keys = np.empty(2 * FRAMES, dtype=np.float32)
    for curve in curves:
        curve.keyframe_points.foreach_get("co", keys)


def bare_writing(curves: Any, armature: Any, keys: list[np.ndarray]) -> Any:
    """Make the same number of curves and set the keys of each in one call: the minimum work of any writer."""
    action, slot = curves.new_action("Bare", armature)
    holder = curves.emptied(action, slot)
    for k, values in enumerate(keys):
        curve = holder.fcurves.new(f'["{k}"]')
        curve.keyframe_points.add(FRAMES)
        curve.keyframe_points.foreach_set("co", values)
        curve.update()
    return action


def _keys(curve: Any) -> np.ndarray:
    keys = np.empty(2 * FRAMES, dtype=np.float32)
    curve.keyframe_points.foreach_get("co", keys)
    return keys


def apart(one: np.ndarray, other: np.ndarray) -> float:
    """Return the largest difference of quaternion values; q and −q are the same rotation."""
    return float(np.minimum(np.abs(one - other).max(axis=-1), np.abs(one + other).max(axis=-1)).max())


def chain() -> Any:
    """Make an armature with a chain of BONES bones."""
    import bpy

    data = bpy.data.armatures.new("Chain")
    armature = bpy.data.objects.new("Chain", data)
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    armature.select_set(True)  # the bake operator needs a selected object
    bpy.ops.object.mode_set(mode="EDIT")
    above = None
    for k in range(BONES):
        bone = data.edit_bones.new(f"bone{k}")
        bone.head, bone.tail = (0.0, 0.0, 0.03 * k), (0.0, 0.01, 0.03 * (k + 1))
        bone.parent = above
        above = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    return armature


def wandering(loom: Callable[[str], Any], skeleton: Any) -> Any:
    """Return a clip in which every bone rotates and the first bone also moves."""
    rng = np.random.default_rng(0)
    vectors = 0.3 * np.cumsum(rng.normal(size=(FRAMES, BONES, 3)), axis=0) / np.sqrt(FRAMES)
    translations = np.zeros((FRAMES, BONES, 3))
    translations[:, 0] = 0.01 * np.arange(FRAMES)[:, None]
    rotations = loom("core.motion.quat").exp(vectors)
    return loom("core.motion.clip").Clip("wandering", skeleton, 24.0, rotations, translations)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), quick="quick" in sys.argv)
