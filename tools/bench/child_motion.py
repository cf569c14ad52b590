"""Benchmarks inside Blender that read and write motion: actions, files and weights."""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
from table import Case, Figures, Rival, measure, time_alone

Loom = Callable[[str], Any]
BONES, FRAMES = 60, 1000
SINGLE = 1e-5  # rounding of unit quaternions in single precision
LONGEST = 8.0  # s


# --- actions --------------------------------------------------------------------------------------------------------


def time_actions(loom: Loom, runs: int, quick: str = "") -> dict[str, Figures]:
    """Read and write 60 bones × 1000 frames; `quick` limits `keyframe_insert` to a tenth of the frames."""
    armature = make_chain()
    body, clips, curves = (loom(f"addon.bridge.{name}") for name in ("rig", "clip", "curves"))
    body = body.read(armature)
    clip = make_clip(loom, body.skeleton)
    some = FRAMES // 10 if quick else FRAMES
    source = clips.write(armature, clip, body, first_frame=1.0)
    slot = assign(loom, armature, source)
    keys = [read_keys(curve) for curve in curves.curves_of(source, slot)]

    def write_anew(make: Callable[[], Any]) -> Callable[[], Any]:
        """Return a function that removes the action it made before, then makes a new one."""
        made: list[Any] = []

        def work() -> Any:
            import bpy

            if made:
                bpy.data.actions.remove(made.pop())
            made.append(make())
            return made[0]

        return work

    def compare(one: Any, other: Any) -> float:
        """Compare the rotations of two actions over the first `some` frames."""
        read = [clips.read(armature, action, body, 24.0, assign(loom, armature, action)) for action in (one, other)]
        return compare_turns(*(each.clip.rotations[:some] for each in read))

    def bake() -> Any:
        """Bake with the operator of Pose > Animation > Bake Action."""
        import bpy

        assign(loom, armature, source)
        kinds = {"bake_types": {"POSE"}, "channel_types": {"ROTATION"}}
        bpy.ops.nla.bake(frame_start=1, frame_end=FRAMES, only_selected=False, **kinds)
        return armature.animation_data.action

    def copy_keys() -> Any:
        """Make the same number of curves and set the keys of each in one call: the minimum work of any writer."""
        action, new_slot = curves.new_action("Bare", armature)
        holder = curves.empty_slot(action, new_slot)
        for k, values in enumerate(keys):
            curve = holder.fcurves.new(f'["{k}"]')
            curve.keyframe_points.add(FRAMES)
            curve.keyframe_points.foreach_set("co", values)
            curve.update()
        return action

    by_frames = Rival(partial(read_by_frames, armature), lambda a, b: compare_turns(a.clip.rotations, b), SINGLE)
    reading = Case(lambda: clips.read(armature, source, body, 24.0, slot), {"frame_set": lambda: by_frames})
    insert = write_anew(lambda: insert_keys(armature, clip, some))
    writing = Case(
        write_anew(lambda: clips.write(armature, clip, body, first_frame=1.0)),
        {
            "keyframe_insert": lambda: Rival(insert, compare, SINGLE, FRAMES / some),
            "nla.bake": lambda: Rival(write_anew(bake), compare, SINGLE),
        },
    )
    read = measure(reading, runs, LONGEST, time.thread_time)
    least = time_alone(lambda: [read_keys(curve) for curve in curves.curves_of(source, slot)], runs)
    wrote = measure(writing, runs, LONGEST, time.thread_time)
    return {"read": replace(read, floor=least), "write": replace(wrote, floor=time_alone(write_anew(copy_keys), runs))}


def assign(loom: Loom, armature: Any, action: Any) -> Any:
    """Assign an action to the armature; return its slot."""
    curves = loom("addon.bridge.curves")
    slot = curves.choose_slot(action, armature)
    curves.assign(armature, action, slot)
    return slot


def read_keys(curve: Any) -> np.ndarray:
    """Copy the keys of a curve out of Blender: the minimum work of any reader."""
    keys = np.empty(2 * FRAMES, dtype=np.float32)
    curve.keyframe_points.foreach_get("co", keys)
    return keys


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


def compare_turns(one: np.ndarray, other: np.ndarray) -> float:
    """Return the largest difference of quaternion values; q and −q are the same rotation."""
    return float(np.minimum(np.abs(one - other).max(axis=-1), np.abs(one + other).max(axis=-1)).max())


def make_chain() -> Any:
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
        bone.head, bone.tail, bone.parent = (0.0, 0.0, 0.03 * k), (0.0, 0.01, 0.03 * (k + 1)), above
        above = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    return armature


def make_clip(loom: Loom, skeleton: Any) -> Any:
    """Return a clip in which every bone rotates and the first bone also moves."""
    rng = np.random.default_rng(0)
    vectors = 0.3 * np.cumsum(rng.normal(size=(FRAMES, BONES, 3)), axis=0) / np.sqrt(FRAMES)
    translations = np.zeros((FRAMES, BONES, 3))
    translations[:, 0] = 0.01 * np.arange(FRAMES)[:, None]
    rotations = loom("core.motion.quat").exp(vectors)
    return loom("core.motion.clip").Clip("wandering", skeleton, 24.0, rotations, translations)


# --- files ----------------------------------------------------------------------------------------------------------


def time_import(loom: Loom, runs: int, path: str) -> dict[str, Figures]:
    """Read a BVH file and import it; Blender's reader must find the same values."""
    import bpy

    theirs, bvh = import_module("io_anim_bvh.import_bvh"), loom("core.formats.bvh")

    def empty_before(work: Callable[[], object]) -> Callable[[], None]:
        def work_in_empty_file() -> None:
            bpy.data.batch_remove([*bpy.data.objects, *bpy.data.armatures, *bpy.data.actions])
            work()

        return work_in_empty_file

    whole = Rival(empty_before(lambda: bpy.ops.import_anim.bvh(filepath=path)))
    alone = Rival(lambda: theirs.read_bvh(bpy.context, path)[0], compare_values, SINGLE)
    reading = Case(lambda: bvh.read(path), {"Blender, reading": lambda: alone, "Blender, import": lambda: whole})
    ours = empty_before(lambda: bpy.ops.action_loom.import_motion(files=[{"name": path}]))
    cases = {"bvh-blender": reading, "import": Case(ours, {"Blender, import": lambda: whole})}
    return {key: measure(case, runs, LONGEST, time.thread_time) for key, case in cases.items()}


def compare_values(ours: Any, theirs: dict[str, Any]) -> float:
    """Return the largest difference of values; Blender's angles are in radians, and its first row is an extra frame."""
    order, worst, first = [f"{axis}{kind}" for kind in ("position", "rotation") for axis in "XYZ"], 0.0, 0
    for name, channels in zip(ours.names, ours.channels, strict=True):
        kept = np.array(theirs[name].anim_data[1:])
        kept[:, 3:] = np.degrees(kept[:, 3:])
        values = ours.values[:, first : first + len(channels)]
        worst = max(worst, float(np.abs(values - kept[:, [order.index(one) for one in channels]]).max()))
        first += len(channels)
    return worst


# --- weights --------------------------------------------------------------------------------------------------------

INFLUENCES = 4
SIZES = {"20k": 20_000, "100k": 100_000}


def time_weights(loom: Loom, runs: int) -> dict[str, Figures]:
    """Read the weights of meshes around a chain of bones."""
    import bpy

    figures = {}
    for name, vertices in SIZES.items():
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        armature = make_chain()
        drawn = make_mesh(armature, vertices)
        read, bones = loom("addon.bridge.vertex_weights").read, [bone.name for bone in armature.data.bones]
        ours = partial(read, drawn, drawn.data, bones, stored_order=False)
        loop = Rival(partial(read, drawn, drawn.data, bones, stored_order=True), compare_sums)
        figures[f"weights-{name}"] = measure(
            Case(ours, {"vertex by vertex": lambda loop=loop: loop}), runs, LONGEST, time.process_time
        )
    return figures


def compare_sums(one: Any, other: Any) -> float:
    """Return the largest difference of the total weight per bone, which does not depend on the storage order."""
    sums = [np.bincount(bones, values, BONES) for _, bones, values in (one, other)]
    return float(np.abs(sums[0] - sums[1]).max())


def make_mesh(armature: Any, vertices: int) -> Any:
    """Make a mesh of quads; each vertex has weights for INFLUENCES neighbouring bones."""
    import bpy

    rng = np.random.default_rng(0)
    near = np.sort(rng.integers(0, BONES - INFLUENCES, vertices))
    places = rng.normal(scale=0.1, size=(vertices, 3)) + np.stack([0 * near, 0 * near, 0.03 * near], axis=1)
    mesh = bpy.data.meshes.new("Body")
    mesh.from_pydata(places.tolist(), [], np.arange(vertices).reshape(-1, 4).tolist())
    drawn = bpy.data.objects.new("Body", mesh)
    bpy.context.scene.collection.objects.link(drawn)
    groups = [drawn.vertex_groups.new(name=bone.name) for bone in armature.data.bones]
    shares = rng.integers(1, 9, (vertices, INFLUENCES))
    for k in range(INFLUENCES):
        for bone, share in np.unique(np.stack([near + k, shares[:, k]], axis=1), axis=0).tolist():
            rows = np.flatnonzero((near + k == bone) & (shares[:, k] == share))
            groups[bone].add(rows.tolist(), share / 8.0, "REPLACE")
    return drawn
