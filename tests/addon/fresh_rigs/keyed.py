"""Key a solved motion on a fresh rig, evaluate it frame by frame, and compare it with the wanted motion."""

import bpy
import numpy as np
from mathutils import Matrix

ENDS = ("pelvis", "hand_l", "hand_r", "foot_l", "foot_r")
MIDDLES = ("forearm_l", "forearm_r", "shin_l", "shin_r")


def put(rig, path, value):
    """Set a property of the armature object by its path."""
    holder, _, key = path.rpartition("[" if path.endswith('"]') else ".")
    owner = rig.path_resolve(holder) if holder else rig
    if path.endswith('"]'):
        key = key[1:-2]
        owner[key] = type(owner[key])(value)
    else:
        setattr(owner, key, value)


def key(rig, solved):
    """Set the solved properties on a rig, and key the solved transforms on every frame."""
    for path, value in solved.settings.items():
        put(rig, path, value)
    for name, basis in solved.basis.items():
        bone = rig.pose.bones[name]
        turns = "rotation_quaternion" if bone.rotation_mode == "QUATERNION" else "rotation_euler"
        for frame, one in enumerate(basis):
            bone.matrix_basis = Matrix(one.tolist())
            bone.keyframe_insert(turns, frame=frame)
            if name in solved.located:
                bone.keyframe_insert("location", frame=frame)
        if name not in solved.located:
            bone.location = (0.0, 0.0, 0.0)


def show(rig, frames, names):
    """Return the evaluated matrices of the named bones in each frame (F, B, 4, 4), in the armature's space."""
    out = []
    for frame in range(frames):
        bpy.context.scene.frame_set(frame)
        shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        out.append([np.array(shown.pose.bones[name].matrix) for name in names])
    return np.array(out)


def misses(truth, scale, names, wanted, shown):
    """Return {part: (mm (F,), degrees (F,) between Y axes)} of the first deform bone of each part."""
    far = 1000.0 * scale * np.linalg.norm(shown[:, :, :3, 3] - wanted[:, :, :3, 3], axis=2)
    one, other = (each[:, :, :3, 1] for each in (shown, wanted))
    one, other = (each / np.linalg.norm(each, axis=2, keepdims=True) for each in (one, other))
    off = np.degrees(2.0 * np.arcsin(np.clip(0.5 * np.linalg.norm(one - other, axis=2), 0.0, 1.0)))
    index = {part: names.index(bones[0]) for part, bones in truth.deform.items()}
    return {part: (far[:, k], off[:, k]) for part, k in index.items()}


def figures(truth, missed, said):
    """Return {figure: (worst part, value)}: largest errors of ends, directions, report; 95th percentile of middles."""
    found = [part for part in truth.deform if not part.startswith("tail")]
    most = {
        "ends": {part: missed[part][0].max() for part in ENDS},
        "middles": {part: np.percentile(missed[part][0], 95) for part in MIDDLES},
        "directions": {part: missed[part][1].max() for part in found},
        "said": {
            part: np.abs(said[bones[0]] - missed[part][0]).max()
            for part, bones in truth.deform.items()
            if bones[0] in said
        },
    }
    return {what: max(each.items(), key=lambda one: one[1]) for what, each in most.items()}
