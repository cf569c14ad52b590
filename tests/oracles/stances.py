"""Movement of standing feet: the places of the ball in stances detected in the source clips."""

import numpy as np
from action_loom.core.motion import resample, retarget, trim
from action_loom.core.quality import contacts, world_pose

STILL = 0.3  # m/s; a ball that is slower in its clip does not roll: captured stances move by 1.8 to 2.8 cm like this
NEAR = 1.0 / 6.0  # s each side of a seam
SHORTEST = 0.05  # s of a stance


def near_seam(made, one, other):
    """Return both clips of a connection as it uses them, and its stances near the seam.

    The clips need bodies of one size. Each stance has the largest distance between places of its ball (cm), and its
    slide near the seam (cm/s).
    """
    reported = made.report["connect"]
    before, after = trim.if_wanted(one, True), trim.if_wanted(other, True)
    entered = resample.to_rate(retarget.onto(after.clip, one.skeleton), one.rate)
    seam, to_frame = reported["seam_frame"], reported["to_frame"] - after.first
    reach = round(NEAR * one.rate)
    near = slice(max(seam - 1 - reach, 0), seam + reach)
    feet = [contacts.standing_feet(world_pose.pose(clip)) for clip in (before.clip, entered, made.clip)]
    found = []
    for name, foot in feet[2].items():
        flags = np.zeros(len(made.clip), dtype=bool)
        flags[:seam] = stands_still(feet[0][name], one.rate)[:seam]
        rest = stands_still(feet[1][name], one.rate)[to_frame + 1 :][: len(flags) - seam]
        flags[seam : seam + len(rest)] = rest
        for start, end in stances(flags, one.rate):
            if start < near.stop and end > near.start:
                inside = slice(max(start, near.start), min(end, near.stop))
                found.append((moved(foot, start, end), 100.0 * float(foot.ball_speed(one.rate)[inside].mean())))
    return before.clip, entered, found


def along_walk(made):
    """Return for every stance of a walk through a graph whether a transition takes part in it, and its drift (cm)."""
    origin, clips = made.origin, made.graph.clips
    still = [
        {name: stands_still(foot, clip.rate) for name, foot in contacts.standing_feet(world_pose.pose(clip)).items()}
        for clip in clips
    ]

    def flags(name, of, frames):
        return np.array([still[clip][name][frame] for clip, frame in zip(of, frames, strict=True)])

    found = []
    for name, foot in contacts.standing_feet(world_pose.pose(made.clip)).items():
        one = flags(name, origin.clip, origin.frame)
        other = flags(name, np.maximum(origin.other, 0), origin.other_frame)
        later = (origin.other >= 0) & (origin.share >= 0.5)
        for start, end in stances(np.where(later, other, one), made.clip.rate):
            over = bool((origin.other[start:end] >= 0).any())
            found.append((float(over), moved(foot, start, end)))
    return found


def stands_still(foot, rate):
    return foot.ball_stands & (foot.ball_speed(rate) < STILL)


def stances(flags, rate):
    return [(start, end) for start, end in contacts.runs(flags) if end - start >= SHORTEST * rate]


def moved(foot, start, end):
    """Return the largest distance between places of the ball in a stance, cm."""
    places = foot.ball[start:end, :2]
    return 100.0 * float(np.linalg.norm(places[:, None] - places[None], axis=2).max())
