"""Calls of the verbs that change one clip, for the battery, and checks of each verb alone; see `right_recipes`."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import right_measures as see
from action_loom.core.motion import kinematics, quat
from action_loom.core.motion.clip import Clip
from right_calls import SAME, Call, hinge, made, middle, same, seen, unless_closed
from right_invariants import Wrong, exceeds


def mirror(clip: Clip, others: Sequence[Clip], rng: np.random.Generator) -> Call:  # noqa: ARG001
    def check(result: Any) -> Wrong | None:
        twice = made("mirror", [made("mirror", [clip], keep_start=False).clip], keep_start=False)
        wrong = same("mirrored twice", twice.clip, clip)
        one, other = seen(clip), seen(result.clip)
        before, after = see.facing(one), see.facing(other)
        if wrong is None and before is not None and after is not None:
            hips = clip.skeleton.roles.get("hips", 0)
            off = float(np.linalg.norm(one.places[0, hips, :2] - other.places[0, hips, :2])) / clip.skeleton.height
            turn = abs((np.degrees(after[0] - before[0]) + 180.0) % 360.0 - 180.0)
            if off > 1e-4 or turn > 20.0:  # facing is smoothed there, and a stride is turned one way or the other
                text = f"{turn:.0f}° and {off:.4f} H off"
                wrong = Wrong("begins where it did", turn, max(off / 1e-4, turn / 20.0), text)
        return wrong

    return Call({}, [clip], check)


def warp(clip: Clip, others: Sequence[Clip], rng: np.random.Generator) -> Call:  # noqa: ARG001
    at, joint = middle(clip, rng), hinge(clip, "upper_arm.L")
    turn = (rng.normal(size=3) * 25.0).round(2).tolist()

    def check(result: Any) -> Wrong | None:
        back = made("warp", [result.clip], corrections=((at, joint + 1, *(-angle for angle in turn), 0, 0, 0),))
        wrong = unless_closed(result, same("undone: warp and back", back.clip, clip))
        wanted = quat.mul(clip.rotations[at, joint], quat.exp(np.radians(turn)))
        cosine = min(1.0, abs(float((wanted * result.clip.rotations[at, joint]).sum())))
        off = float(np.degrees(2.0 * np.arccos(cosine)))
        if wrong is None and not result.report["notes"]:  # closing the ends of a cycle turns joints, too
            wrong = exceeds("goes through the pose", off, 0.01, f"{off:.2f}° off the pose")
        return wrong

    return Call({"corrections": ((at, joint + 1, *turn, 0.0, 0.0, 0.0),)}, [clip], check, free=True)


def fewer_keys(clip: Clip, others: Sequence[Clip], rng: np.random.Generator) -> Call:  # noqa: ARG001
    within = [1.0, 2.0, 5.0][rng.integers(3)]

    def check(result: Any) -> Wrong | None:
        off = 1000.0 * see.apart(kinematics.points(result.clip), kinematics.points(clip))
        return exceeds("within the bound", off, 1.001 * within, f"{off:.2f} mm off, {within:g} asked")

    return Call({"within": within}, [clip], check)


def move_events(clip: Clip, others: Sequence[Clip], rng: np.random.Generator) -> Call:  # noqa: ARG001
    at = middle(clip, rng)
    to = at + max(1, round(0.1 * clip.rate))

    def check(result: Any) -> Wrong | None:
        wrong = same("identity: moved nowhere", made("move_events", [clip], events=((at, at),)).clip, clip)
        if wrong is None:
            poses = kinematics.world(result.clip)[1][to], kinematics.world(clip)[1][at]
            off = see.apart_on_ground(*poses) / clip.skeleton.height
            wrong = exceeds("event comes", off, 1e-3, f"{off:.3f} H from its pose")
        return wrong

    return Call({"events": ((at, to),)}, [clip], check)


def reach(clip: Clip, others: Sequence[Clip], rng: np.random.Generator) -> Call:  # noqa: ARG001
    limb, role = [("right_arm", "hand.R"), ("left_arm", "hand.L"), ("left_leg", "foot.L")][rng.integers(3)]
    at, end = middle(clip, rng), hinge(clip, role)
    off = rng.normal(size=3) * 0.03 * clip.skeleton.height
    target = kinematics.world(clip)[1][at, end] + off

    def check(result: Any) -> Wrong | None:
        places, before = kinematics.world(result.clip)[1], kinematics.world(clip)[1]
        missed = float(np.linalg.norm(places[at, end] - target)) / clip.skeleton.height
        if missed > 1e-3 / see.TALL and not result.report["warnings"]:
            text = f"{1000 * missed * see.TALL:.1f} mm off its target"
            return Wrong("target reached", missed, missed * see.TALL / 1e-3, text)
        far = np.abs(np.arange(len(clip)) - at) > 0.3 * clip.rate + 1
        if clip.cyclic or not far.any() or len(result.clip) != len(clip):
            return None
        moved = see.apart(places[far], before[far]) / clip.skeleton.height
        return exceeds("else unchanged", moved, SAME, f"moved by {1000 * moved:.2g} mm a metre elsewhere")

    return Call({"limb": limb, "target": (tuple(target.tolist()),), "from_frame": at}, [clip], check, free=True)


def filtered(clip: Clip, others: Sequence[Clip], rng: np.random.Generator) -> Call:  # noqa: ARG001
    turns = rng.normal(size=(*clip.rotations.shape[:2], 3)) * np.radians(0.7) / np.sqrt(3.0)
    shifts = rng.normal(size=(len(clip), 3)) * 0.001 * clip.skeleton.height / see.TALL

    def check(result: Any) -> Wrong | None:  # noqa: ARG001
        off = made("filter", [clip], spikes=False, cutoff=0.0)
        wrong = unless_closed(off, same("identity: nothing filtered", off.clip, clip))
        if wrong is None and clip.rate > 40.0:
            translations = clip.translations.copy()
            translations[:, 0] += shifts
            noisy = replace(clip, rotations=quat.mul(clip.rotations, quat.exp(turns)), translations=translations)
            truth, bad = kinematics.world(clip)[1], kinematics.world(noisy)[1]
            good = kinematics.world(made("filter", [noisy], spikes=False).clip)[1]  # captures have spikes of their own
            left = float(np.sqrt(((good - truth) ** 2).mean() / ((bad - truth) ** 2).mean()))
            wrong = exceeds("nearer to the truth", left, 0.8, f"leaves {left:.2f} x of noise of 0.7°")
        return wrong

    # Whether a frame near the threshold is a spike depends on axes: running medians are by component.
    return Call({"spikes": False}, [clip], check)


def place(clip: Clip, others: Sequence[Clip], rng: np.random.Generator) -> Call:  # noqa: ARG001
    x, y, way = (round(float(value), 2) for value in rng.uniform(-5.0, 5.0, 3) * [1.0, 1.0, 30.0])

    def check(result: Any) -> Wrong | None:
        wrong = same("identity: where it is", made("place", [clip], where="own").clip, clip)
        shown = seen(result.clip)
        at, facing = shown.places[0, result.clip.skeleton.roles.get("hips", 0), :2], see.facing(shown)
        off = float(np.linalg.norm(at - [x, y])) / clip.skeleton.height
        wrong = wrong or exceeds("at its place", off, 1e-6, f"{off:.4f} H from it")
        if wrong is None and facing is not None:
            turn = abs((np.degrees(facing[0]) - 90.0 - way + 180.0) % 360.0 - 180.0)
            wrong = exceeds("faces the way", turn, 20.0, f"faces {turn:.0f}° from it")
        return wrong

    return Call({"where": "at", "x": x, "y": y, "face": "way", "facing": way}, [clip], check)


def bake(clip: Clip, others: Sequence[Clip], rng: np.random.Generator) -> Call:  # noqa: ARG001
    return Call({}, [clip], lambda result: same("moves as before", result.clip, clip))


def root(clip: Clip, others: Sequence[Clip], rng: np.random.Generator) -> Call:  # noqa: ARG001
    onto = ["hips", "root"][rng.integers(2)]

    def check(result: Any) -> Wrong | None:
        chosen = clip.skeleton.body
        one, other = (kinematics.world(one)[1][:, chosen] for one in (result.clip, clip))
        off = see.apart(one, other) / clip.skeleton.height
        return exceeds("body stays", off, SAME, f"the body moved by {off:.2g} H")

    return Call({"onto": onto}, [clip], check)


def plant(clip: Clip, others: Sequence[Clip], rng: np.random.Generator) -> Call:  # noqa: ARG001
    def check(result: Any) -> Wrong | None:
        before, after = see.slide(seen(clip)), see.slide(seen(result.clip))
        if result.report["warnings"]:
            return None
        return exceeds("plants feet", after, 1.1 * before + 2.0, f"slides {after:.1f} cm/s, before {before:.1f}")

    return Call({}, [clip], check)
