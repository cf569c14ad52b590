"""Rotations with noise and with spikes whose frames are known."""

import numpy as np
from action_loom.core.motion import quat

DEGREES = (15.0, 60.0)
LONGEST = 3


def body(clip):
    """Joints of a clip that play a role, but toes: of others captures have spikes of their own."""
    return [joint for role, joint in clip.skeleton.roles.items() if not role.startswith("toe")]


def noisy(turns, rng, degrees=0.5):
    """Return rotations with noise of `degrees` about each axis."""
    return quat.mul(turns, quat.exp(np.radians(degrees) * rng.normal(size=(*turns.shape[:-1], 3))))


def planted(turns, rng):
    """Return rotations (F, J, 4) whose joints jump away for one to three frames now and then, and the jumps (F, J)."""
    out, truth = turns.copy(), np.zeros(turns.shape[:2], dtype=bool)
    for joint in range(turns.shape[1]):
        frame = int(rng.integers(5, 40))
        while frame < len(turns) - 6:
            frames = np.arange(frame, frame + rng.integers(1, LONGEST + 1))
            # Half of them stay where they jump to, half jump on.
            count = 1 if rng.random() < 0.5 else len(frames)
            axes = rng.normal(size=(count, 3))
            angles = np.radians(rng.uniform(*DEGREES, size=(count, 1)))
            jumps = quat.exp(angles * axes / np.linalg.norm(axes, axis=1, keepdims=True))
            out[frames, joint] = quat.mul(out[frames, joint], jumps)
            truth[frames, joint] = True
            frame += int(rng.integers(40, 160))
    return out, truth


def degrees(one, other):
    """Return the angles between rotations, degrees."""
    return np.degrees(np.linalg.norm(quat.log(quat.mul(quat.inv(other), one)), axis=-1))
