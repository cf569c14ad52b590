"""Made bodies that walk on any number of legs, each of any number of bones, and their forward kinematics."""

from typing import NamedTuple

import numpy as np

HIP, SWING, STANCE = 1.0, 0.3, 0.6  # m; radians to both sides; share of a cycle
FRAMES = 40  # of a cycle


def leg_end(bend, bones):
    """Where legs (F,) end, ahead and down, of bones of equal lengths that together are 1.3 m, bent to and fro."""
    size, angle, end = 1.3 / bones, np.zeros_like(bend), 0j
    for bone in range(bones):
        end = end + size * np.exp(1j * angle)  # real: down, imaginary: ahead
        angle = angle + bend * (-1.0) ** bone
    return end


class Walk(NamedTuple):
    """Parents (J,) and offsets (J, 3) of joints, their turns (F, J) about X, and how far the body is (F,) along +Y.

    chains : the joints of each leg; stands (F, L) : the middles of their stances
    """

    parents: np.ndarray
    offsets: np.ndarray
    turns: np.ndarray
    way: np.ndarray
    chains: list
    stands: np.ndarray


def walk(legs, bones, *, cycles=3, slide=0.1):
    """A walk on legs in pairs that move in turn; standing feet slide by a share of the body's speed."""
    parents, offsets, chains = [-1, 0], [[0.0, 0.0, HIP], [0.0, 0.9, 0.5]], []
    for k in range(legs):
        chains.append(list(range(len(parents), len(parents) + bones + 1)))
        for bone, joint in enumerate(chains[-1]):
            parents.append(joint - 1 if bone else 0)
            offsets.append([0.0, 0.0, -1.3 / bones] if bone else [0.3 * (-1.0) ** k, 0.5 * (k // 2), 0.0])
    frames = cycles * FRAMES + 1
    table = np.linspace(0.05, 2.6, 800)
    lengths = np.abs(leg_end(table, bones))
    turns, stands = np.zeros((frames, len(parents))), np.zeros((frames, legs), dtype=bool)
    for k, chain in enumerate(chains):
        phase = (np.arange(frames) / FRAMES + (0.5 if (k + k // 2) % 2 else 0.0) + 0.07 * (k // 2)) % 1.0
        stands[:, k] = (phase > 0.3 * STANCE) & (phase < 0.7 * STANCE)
        swings = np.clip((phase - STANCE) / (1.0 - STANCE), 0.0, 1.0)
        angle = SWING * np.where(phase < STANCE, 1.0 - 2.0 * phase / STANCE, 2.0 * swings - 1.0)
        bend = np.interp((0.25 * np.sin(np.pi * swings) - HIP) / np.cos(angle), -lengths, table)
        turns[:, chain[0]] = angle - np.angle(leg_end(bend, bones))
        for bone, joint in enumerate(chain[1:-1]):
            turns[:, joint] = bend * (-1.0) ** bone
    way = (1.0 + slide) * 2.0 * HIP * np.tan(SWING) / STANCE * np.arange(frames) / FRAMES
    return Walk(np.array(parents), np.array(offsets), turns, way, chains, stands)


def walker(legs, bones, *, slide=0.1):
    """Return a clip of `walk`, the joints of each leg, and its stances; all joints are called bone and a number."""
    from action_loom.core.motion import quat
    from action_loom.core.motion.clip import Clip
    from action_loom.core.motion.skeleton import Skeleton

    made = walk(legs, bones, slide=slide)
    joints, frames = len(made.parents), len(made.way)
    names, still = tuple(f"bone{k}" for k in range(joints)), np.tile(quat.IDENTITY, (joints, 1))
    skeleton = Skeleton(names, made.parents, made.offsets, still, np.zeros((joints, 3)))
    places = np.zeros((frames, joints, 3))
    places[:, 0, 1] = made.way
    clip = Clip("walker", skeleton, 30.0, quat.about_axis("X", made.turns), places)
    return clip, made.chains, made.stands


def places_of(clip):
    """Return where joints are (F, J, 3), by products of matrices."""
    from action_loom.core.motion import quat

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
