"""Smooth random motion of a rig's controls, within a body's reach."""

import numpy as np
from mathutils import Euler, Matrix, Vector

from . import posing
from .chosen import limb_of
from .truth import parts_of

FRAMES = 20


class Smooth:
    """Numbers that change smoothly with time, equal for equal seeds."""

    def __init__(self, seed):
        self.chance = np.random.default_rng(seed)
        self.time = np.linspace(0.0, 1.0, FRAMES)

    def numbers(self, count, size=1.0):
        """Return (F, count) numbers from -size to size."""
        phase, speed = (self.chance.uniform(low, high, count) for low, high in ((0.0, 2.0 * np.pi), (0.5, 1.5)))
        return size * np.sin(2.0 * np.pi * speed * self.time[:, None] + phase)

    def turns(self, size):
        """Return F rotations about all axes."""
        return [Euler(row.tolist()).to_matrix().to_4x4() for row in self.numbers(3, size)]


def poses(rig, truth, by, *, trunk=True, seed=0):
    """Return {control: F matrices of its own transforms}, with limbs on "ik", or on "fk" if they have it.

    The rig must be at rest. Limbs bend further, never backwards; feet and hands stay in reach.

    trunk : whether the trunk bends, or only moves as a whole
    """
    smooth, small = Smooth(seed), truth.height / 1.7
    out = {truth.root: _moved(rig, truth.root, smooth.numbers(3, 0.05 * small), smooth.turns(0.1))}
    sunk = smooth.numbers(3, 0.02 * small) - [0.0, 0.0, 0.03 * small]
    out[truth.torso] = _moved(rig, truth.torso, sunk, smooth.turns(0.1))
    for part, control in truth.controls.items():
        if trunk or limb_of(part):
            out[control] = smooth.turns(0.12)
    for name, limb in truth.limbs.items():
        on_fk = by == "fk" and bool(limb.fk)
        out |= _by_fk(rig, truth, name, smooth) if on_fk else _by_ik(rig, truth, name, smooth, small)
    return out


def _moved(rig, bone, ways, turns):
    """Return transforms of a control that moves by vectors of the world (F, 3) and turns."""
    own = (rig.matrix_world @ rig.data.bones[bone].matrix_local).to_3x3().inverted()
    return [Matrix.Translation(own @ Vector(way)) @ turn for way, turn in zip(ways.tolist(), turns, strict=True)]


def _joints(rig, truth, limb):
    bones = rig.data.bones
    return [rig.matrix_world @ bones[truth.deform[part][0]].head_local for part in parts_of(limb)[:3]]


def _by_ik(rig, truth, name, smooth, small):
    """Move the end of a limb nearer and about, turn it, and move the pole."""
    limb, (first, _, end) = truth.limbs[name], _joints(rig, truth, name)
    nearer = (0.3 + smooth.numbers(1, 0.08)) * np.array((first - end)[:])
    out = {limb.ik: _moved(rig, limb.ik, nearer + smooth.numbers(3, 0.04 * small), smooth.turns(0.25))}
    if limb.pole:
        still = [Matrix()] * FRAMES
        out[limb.pole] = _moved(rig, limb.pole, smooth.numbers(3, 0.1 * small), still)
    return out | {control: smooth.turns(0.2) for control in limb.tips.values()}


def _by_fk(rig, truth, name, smooth):
    """Swing the first bone, bend the second in its joints' plane, turn the end."""
    limb, (first, middle, end) = truth.limbs[name], _joints(rig, truth, name)
    upper, lower, *ends = (limb.fk[part] for part in parts_of(name) if part in limb.fk)
    hinge = rig.matrix_world.to_3x3().inverted() @ (middle - first).cross(end - middle)
    axis = (rig.data.bones[lower].matrix_local.to_3x3().inverted() @ hinge).normalized()
    bends = 0.6 + smooth.numbers(1, 0.35)[:, 0]
    out = {upper: smooth.turns(0.35), lower: [Matrix.Rotation(bend, 4, axis) for bend in bends]}
    return out | {control: smooth.turns(0.2) for control in ends}


def play(rig, posed, names):
    """Pose the rig frame by frame; return the named bones as evaluated (F, B, 4, 4), in the armature's space."""
    into, out = rig.matrix_world.inverted(), []
    for frame in range(FRAMES):
        for bone, transforms in posed.items():
            rig.pose.bones[bone].matrix_basis = transforms[frame]
        seen = posing.evaluated(rig)
        out.append([np.array(into @ seen[name]) for name in names])
    return np.array(out)
