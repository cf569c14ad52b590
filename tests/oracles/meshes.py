"""Meshes for clips, as files, and the true places of their vertices: source 002's formula, independent of the core."""

import numpy as np

SIDES = 8


def about(axis, angle):
    """The matrix (3, 3) of a turn about X, Y or Z."""
    one = "XYZ".index(axis)
    two, three = (one + 1) % 3, (one + 2) % 3
    turn = np.eye(3)
    turn[two, two] = turn[three, three] = np.cos(angle)
    turn[three, two], turn[two, three] = np.sin(angle), -np.sin(angle)
    return turn


def joint_matrices(motion, frame=None):
    """World matrices (J, 4, 4) of a BVH file in one of its frames, or of its rest pose; in its own axes and unit."""
    found, column = [], 0
    for joint, (parent, channels) in enumerate(zip(motion.parents, motion.channels, strict=True)):
        local = np.eye(4)
        local[:3, 3] = motion.offsets[joint]
        if frame is not None:
            values = motion.values[frame, column : column + len(channels)]
            for channel, value in zip(channels, values, strict=True):
                if channel.endswith("position"):
                    local[:3, 3]["XYZ".index(channel[0])] = value
                else:
                    local[:3, :3] = local[:3, :3] @ about(channel[0], np.radians(value))
        column += len(channels)
        found.append(local if parent < 0 else found[parent] @ local)
    return np.array(found)


def skinned(vertices, weights, bind, posed):
    """p = Σ w M M₀⁻¹ p₀ of vertices (V, 3) with weights (V, J); bind and posed (J, 4, 4)."""
    moved = posed @ np.linalg.inv(bind)
    straight = np.concatenate([vertices, np.ones((len(vertices), 1))], axis=1)
    return np.einsum("vj,jab,vb->va", weights, moved, straight)[:, :3]


def obj_text(vertices, faces):
    lines = [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in vertices]
    return "\n".join([*lines, *(f"f {' '.join(str(v + 1) for v in face)}" for face in faces)]) + "\n"


def weights_text(weights, names):
    rows = np.argwhere(weights > 0.0)
    return "".join(f"{v + 1} {names[j]} {weights[v, j]:.9g}\n" for v, j in rows)


def vertices_of(path):
    """Return the vertices of an OBJ file (V, 3), by the simplest reader."""
    rows = [line.split()[1:4] for line in path.read_text(encoding="latin-1").splitlines() if line.startswith("v ")]
    return np.array(rows, float)
