"""Made bodies that walk on any number of legs, each of any number of bones, and their forward kinematics."""

import numpy as np
from action_loom.core.motion import quat
from action_loom.core.motion.clip import Clip
from action_loom.core.motion.skeleton import Skeleton

HIP, SWING, STANCE = 1.0, 0.3, 0.6  # m; radians to both sides; share of a cycle
FRAMES = 40  # of a cycle


def leg_end(bend, bones):
    """Where legs (F,) end, ahead and down, of bones of equal lengths that together are 1.3 m, bent to and fro."""
    size, angle, end = 1.3 / bones, np.zeros_like(bend), 0j
    for bone in range(bones):
        end = end + size * np.exp(1j * angle)  # real: down, imaginary: ahead
        angle = angle + bend * (-1.0) ** bone
    return end


def walker(legs, bones, *, cycles=3, slide=0.1, names="bone"):
    """A body that walks along +Y on legs in pairs; its standing feet slide by a share of its speed.

    All joints have the same name and a number, and legs move in turn. Returns a clip, the joints of each leg, and the
    middles (F, L) of its stances.
    """
    joints, parents, offsets = 2, [-1, 0], [[0.0, 0.0, HIP], [0.0, 0.9, 0.5]]
    chains = []
    for k in range(legs):
        chains.append(list(range(joints, joints + bones + 1)))
        for bone in range(bones + 1):
            parents.append(0 if bone == 0 else joints + bone - 1)
            offsets.append([0.3 * (-1.0) ** k, 0.5 * (k // 2), 0.0] if bone == 0 else [0.0, 0.0, -1.3 / bones])
        joints += bones + 1
    still = np.tile(quat.IDENTITY, (joints, 1))
    called = tuple(f"{names}{k}" for k in range(joints))
    skeleton = Skeleton(called, np.array(parents), np.array(offsets), still, np.zeros((joints, 3)))
    frames = cycles * FRAMES + 1
    table = np.linspace(0.05, 2.6, 800)
    lengths = np.abs(leg_end(table, bones))
    rotations = np.tile(quat.IDENTITY, (frames, joints, 1))
    stands = np.zeros((frames, legs), dtype=bool)
    for k, chain in enumerate(chains):
        phase = (np.arange(frames) / FRAMES + (0.5 if (k + k // 2) % 2 else 0.0) + 0.07 * (k // 2)) % 1.0
        stands[:, k] = (phase > 0.3 * STANCE) & (phase < 0.7 * STANCE)
        swings = np.clip((phase - STANCE) / (1.0 - STANCE), 0.0, 1.0)
        angle = SWING * np.where(phase < STANCE, 1.0 - 2.0 * phase / STANCE, 2.0 * swings - 1.0)
        wanted = (HIP - 0.25 * np.sin(np.pi * swings)) / np.cos(angle)
        bend = np.interp(-wanted, -lengths, table)
        turns = [angle - np.angle(leg_end(bend, bones)), *(bend * (-1.0) ** bone for bone in range(bones - 1))]
        for joint, turn in zip(chain, turns, strict=False):
            rotations[:, joint] = quat.about_axis("X", turn)
    places = np.zeros((frames, joints, 3))
    stride = 2.0 * HIP * np.tan(SWING) / STANCE
    places[:, 0, 1] = (1.0 + slide) * stride * np.arange(frames) / FRAMES
    return Clip("walker", skeleton, 30.0, rotations, places), chains, stands


def places_of(clip):
    """Return where joints are (F, J, 3), by products of matrices."""
    skeleton, made = clip.skeleton, []
    for joint, parent in enumerate(skeleton.parents.tolist()):
        own = np.tile(np.eye(4), (len(clip), 1, 1))
        own[:, :3, :3] = quat.to_matrix(quat.mul(skeleton.orients[joint], clip.rotations[:, joint]))
        moved = np.einsum("ij,fj->fi", quat.to_matrix(skeleton.orients[joint]), clip.translations[:, joint])
        own[:, :3, 3] = skeleton.offsets[joint] + moved
        made.append(own if parent < 0 else made[parent] @ own)
    return np.stack(made, axis=1)[:, :, :3, 3]


def slide_of(clip, chains, stands):
    """Return how fast the ends of legs (joints) move over the ground, m/s in the mean, where they stand (F, L)."""
    places = places_of(clip)[:, [chain[-1] for chain in chains], :2]
    speeds = np.linalg.norm(np.diff(places, axis=0), axis=2) * clip.rate
    return float(speeds[stands[1:] & stands[:-1]].mean())
