"""Steps of a walk, found where feet turn back against the hips, without contacts, floors or our own registration.

Zeni, Richards & Higginson 2008: heel strike is where the foot is farthest ahead of the hips, toe-off where it is
farthest behind.
"""

import numpy as np
from action_loom.core.motion import kinematics
from scipy import ndimage, signal


def events(clip, sigma=0.5):
    """Frames (float) of each kind of event: {"strike.L": [...], "off.L": [...], ...}."""
    roles = clip.skeleton.roles
    _, positions = kinematics.forward(clip.skeleton, clip.rotations, clip.translations)
    hips, left, right = (positions[:, roles[r]] for r in ("hips", "thigh.L", "thigh.R"))
    across = (right - left)[:, :2]
    yaw = ndimage.gaussian_filter1d(np.unwrap(np.arctan2(across[:, 1], across[:, 0])), sigma * clip.rate)
    ahead = np.stack([-np.sin(yaw), np.cos(yaw)], axis=1)
    found = {}
    for side in "LR":
        for kind, role, sign in (("strike", "foot", 1.0), ("off", "toe", -1.0)):
            offset = ((positions[:, roles[f"{role}.{side}"]] - hips)[:, :2] * ahead).sum(axis=1)
            offset = sign * ndimage.gaussian_filter1d(offset, 0.02 * clip.rate)
            peaks, _ = signal.find_peaks(offset, prominence=0.08, distance=0.25 * clip.rate)
            inner = peaks[(peaks > 2) & (peaks < len(clip) - 3)]
            found[f"{kind}.{side}"] = inner.astype(float)
    return found


def event_errors(curve, reference, clip, only=""):
    """Milliseconds between each event of the reference, mapped by a curve, and the clip's nearest one.

    only : start of the names of the events: "strike", "off", or with a side
    """
    mine, theirs = events(reference), events(clip)
    errors = []
    for kind, frames in mine.items():
        if not kind.startswith(only):
            continue
        for frame in frames:
            if curve.first <= frame <= curve.last and len(theirs[kind]):
                mapped = curve.at(np.array([frame]))[0]
                errors.append(np.abs(theirs[kind] - mapped).min() / clip.rate * 1000.0)
    return np.array(errors)


def stances(clip):
    """Each whole stance as (side, frame of the heel strike, frame of the toe-off of the same foot)."""
    found = events(clip)
    out = []
    for side in "LR":
        strikes, offs = found[f"strike.{side}"], found[f"off.{side}"]
        for strike, following in zip(strikes, [*strikes[1:], np.inf], strict=True):
            off = offs[(offs > strike) & (offs < following)]
            out += [(side, int(strike), int(off[0]))] if len(off) else []
    return out
