"""Calls of each verb for the battery, and checks of that verb alone: undone, doubled or known answers.

Each function takes the varied clip, its partners (varied by the same rule), and the cell's generator. It returns the
call, with a check that returns the invariant broken by the result.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import right_edits as edits
import right_measures as see
from action_loom.core.motion import kinematics, quat, trim
from action_loom.core.motion.clip import Clip
from right_calls import Call, made, middle, same, seen, unless_closed
from right_invariants import Wrong, exceeds
from right_rules import resting_with_arms


def blend(clip: Clip, others: Sequence[Clip], rng: np.random.Generator) -> Call:
    weights = [(1.0, 1.0), (3.0, 1.0), (1.0, 3.0)][rng.integers(3)]
    pair = [clip, others[0]]

    def check(result: Any) -> Wrong | None:  # noqa: ARG001
        first = made("blend", pair, weights=(1.0, 0.0), ends="pinned")
        return same("identity: weights 1:0", first.clip, trim.ends(clip).clip)

    return Call({"weights": weights}, pair, check)


def sync(clip: Clip, others: Sequence[Clip], rng: np.random.Generator) -> Call:  # noqa: ARG001
    def check(result: Any) -> Wrong | None:  # noqa: ARG001
        again = made("sync", [clip, clip], ends="pinned")
        return same("identity: with itself", again.clip, trim.ends(clip).clip, 1e-4)

    return Call({}, [clip, others[0]], check)


def connect(clip: Clip, others: Sequence[Clip], rng: np.random.Generator) -> Call:
    return Call({"method": ["ease", "inertial", "auto"][rng.integers(3)]}, [clip, others[0]])


def loop(clip: Clip, others: Sequence[Clip], rng: np.random.Generator) -> Call:  # noqa: ARG001
    half = len(clip) / clip.rate < 0.9 and see.closure(seen(clip), range(len(clip.skeleton))) > 0.05
    return Call({"half": bool(half)}, [clip])


def splice(clip: Clip, others: Sequence[Clip], rng: np.random.Generator) -> Call:
    method = ["gaussian", "heck", "additive"][rng.integers(3)]
    pair = [clip, others[0]]

    def check(result: Any) -> Wrong | None:  # noqa: ARG001
        none = made("splice", pair, method=method, strength=0.0)
        return unless_closed(none, same("identity: strength 0", none.clip, trim.ends(clip).clip))

    return Call({"method": method}, pair, check)


def follow(clip: Clip, others: Sequence[Clip], rng: np.random.Generator) -> Call:
    height, bend = clip.skeleton.height, rng.uniform(-0.5, 0.5)
    share = np.linspace(0.0, 1.0, 20)
    path = height * np.column_stack([bend * np.sin(2.0 * share), 3.0 * share])

    def check(result: Any) -> Wrong | None:
        """The root mean square distance of the hips from the path, as reported."""
        hips = kinematics.world(result.clip)[1][:, result.clip.skeleton.roles.get("hips", 0), :2]
        fine = np.stack([np.interp(np.linspace(0, 1, 2000), share, path[:, k]) for k in (0, 1)], axis=1)
        off = np.linalg.norm(hips[:, None] - fine[None], axis=2).min(axis=1)
        told = result.report["follow"]["rms"]
        wrong = abs(float(np.sqrt((off**2).mean())) - told)
        if result.report["warnings"]:
            return None
        return exceeds("path as reported", wrong, 0.05 * height, f"reports {told:.2f} m off, {wrong:.2f} m else")

    return Call({"path": tuple(map(tuple, path.tolist()))}, [clip, *others[:2]], check)


def walk(clip: Clip, others: Sequence[Clip], rng: np.random.Generator) -> Call:
    return Call({"seconds": 4.0, "seed": int(rng.integers(1, 1000))}, [clip, *others[:2]])


def shortest(clip: Clip, others: Sequence[Clip], rng: np.random.Generator) -> Call:
    leave, reach = int(len(clip) * rng.uniform(0.1, 0.3)), int(len(others[0]) * rng.uniform(0.6, 0.85))
    places = {"leave": f"{clip.name}:{leave}", "reach": f"{others[0].name}:{reach}"}
    return Call({"threshold": 0.07, **places}, [clip, others[0]])


def travel(clip: Clip, others: Sequence[Clip], rng: np.random.Generator) -> Call:  # noqa: ARG001
    """The clip on a treadmill of its own mean speed; the verb must find that speed from the feet."""
    hips = kinematics.world(clip)[1][:, clip.skeleton.roles.get("hips", 0)]
    velocity = (hips[-1] - hips[0]) * [1.0, 1.0, 0.0] / max(clip.seconds, 1e-6)
    spot = _drifting(clip, -velocity)
    speed, height = float(np.linalg.norm(velocity)), clip.skeleton.height
    straight = speed * clip.seconds > 0.93 * see.way(hips) and speed > 0.35 * height and not _turning_cycle(clip)

    def check(result: Any) -> Wrong | None:
        own = result.report["travel"]
        off = abs(own["speed_m_s"] - speed)
        if not straight or off <= 0.15 * speed + 0.05 * height or result.report["warnings"]:
            return None
        text = f"{own['speed_m_s']:.2f} m/s, was {speed:.2f}"
        return Wrong("speed by the feet", off / speed, off / (0.15 * speed + 0.05), text)

    return Call({}, [spot], check, free=not straight, sources=[clip])


def _turning_cycle(clip: Clip) -> bool:
    """Return whether a clip is a cycle that turns by 5° or more: a straight treadmill can't give the velocity of an
    arc.
    """
    facing = see.facing(seen(clip))
    turns = facing is not None and abs(float(np.degrees(facing[-1] - facing[0]))) >= 5.0
    return turns and see.closure(seen(clip), range(len(clip.skeleton))) < 0.03


def _drifting(clip: Clip, velocity: Any) -> Clip:
    """Return a clip carried at a velocity (3,) from its first frame on."""
    body, translations = clip.skeleton, clip.translations.copy()
    shift = np.arange(len(clip))[:, None] / clip.rate * velocity
    for root in np.flatnonzero(body.parents < 0):
        translations[:, root] += quat.rotate(quat.inv(body.orients[root]), shift)
    return replace(clip, translations=translations)


def in_place(clip: Clip, others: Sequence[Clip], rng: np.random.Generator) -> Call:  # noqa: ARG001
    def check(result: Any) -> Wrong | None:
        back = made("travel", [result.clip], trim=False)
        return same("there and back: travel", back.clip, result.before, 1e-3 / see.TALL)

    return Call({}, [clip], check)


def restyle(clip: Clip, others: Sequence[Clip], rng: np.random.Generator) -> Call:
    slider = ["stride", "cadence", "bounce", "swing", "lean", "width", "lift"][rng.integers(7)]
    clips = [clip, *others]

    def check(result: Any) -> Wrong | None:
        own = result.report["style"]["sliders"][slider]
        off = abs(own["after"] - own["before"] - own["asked"])
        if result.report["warnings"]:
            return None
        text = f"{slider} asked {own['asked']:+.1f}, came {own['after'] - own['before']:+.2f}"
        return exceeds("slider as asked", off, 0.5, text)

    return Call({slider: [-2.0, -1.0, 1.0, 2.0][rng.integers(4)], "mirror": True}, clips, check)


def ask(clip: Clip, others: Sequence[Clip], rng: np.random.Generator) -> Call:
    hips = kinematics.world(clip)[1][:, clip.skeleton.roles.get("hips", 0)]
    speed = round(max(0.2, float(np.linalg.norm(hips[-1, :2] - hips[0, :2])) / clip.seconds * rng.uniform(0.9, 1.1)), 2)

    def check(result: Any) -> Wrong | None:
        places = kinematics.world(result.clip)[1][:, result.clip.skeleton.roles["hips"]]
        is_so = float(np.linalg.norm(places[-1, :2] - places[0, :2])) / result.clip.seconds
        if result.report["warnings"]:
            return None
        told = result.report["ask"]["got"].get("speed", is_so / clip.skeleton.leg_length) * clip.skeleton.leg_length
        off = abs(is_so - told)
        return exceeds("speed as reported", off, 0.1 + 0.05 * told, f"reports {told:.2f} m/s, is {is_so:.2f}")

    return Call({"speed": speed}, [clip, *others[:3]], check)


def key_poses(clip: Clip, others: Sequence[Clip], rng: np.random.Generator) -> Call:
    frames = [middle(clip, rng), int(rng.integers(len(others[0]))), len(clip) - 1]
    rows = ((1, frames[0], 0.0, 0.1), (2, frames[1], 0.8, 0.0), (1, frames[2], 1.6, 0.0))

    def check(result: Any) -> Wrong | None:
        """Check that the poses of the first clip are met exactly."""
        shown, given = kinematics.world(result.clip)[1], kinematics.world(clip)[1]
        at = [round(time * result.clip.rate) for time in (0.0, 1.6)]
        off = max(see.apart(shown[k], given[f]) for k, f in zip(at, (frames[0], frames[2]), strict=True))
        off /= clip.skeleton.height
        return exceeds("poses met", off, 1e-4, f"a pose is missed by {1000 * off * see.TALL:.1f} mm")

    return Call({"poses": rows}, [clip, others[0]], check)


LIMBS = (("thigh", "shin"), ("shin", "foot"), ("upper_arm", "forearm"), ("forearm", "hand"))


def retarget(clip: Clip, others: Sequence[Clip], rng: np.random.Generator) -> Call:
    raised, folded = float(rng.uniform(-50.0, 50.0)), float(rng.uniform(0.0, 60.0))
    known = "upper_arm.L" in others[0].skeleton.roles and "upper_arm.L" in clip.skeleton.roles
    like = resting_with_arms(others[0], raised, folded) if known else others[0]

    def check(result: Any) -> Wrong | None:
        if not known:
            return None
        alone = made("retarget", [clip, clip], plant_feet=False)
        wrong = same("identity: onto itself", alone.clip, trim.ends(clip).clip)
        if wrong is None:
            posed = resting_with_arms(clip, 40.0, 30.0)
            there = made("retarget", [posed, clip], plant_feet=False, trim=False).clip
            back = made("retarget", [clip, there], plant_feet=False, trim=False).clip
            wrong = same("there and back: other rest", back, clip, 1e-3 / see.TALL)
        if wrong is None and "hands" in result.report:
            plain = made("retarget", [like, clip], keep_hands="off")
            return _limbs_point_alike(clip, plain) or _only_contacts_move_arms(plain, result)
        return wrong or _limbs_point_alike(clip, result)

    return Call({}, [like, clip], check, sources=[clip])


def _limbs_point_alike(clip: Clip, result: Any) -> Wrong | None:
    """Whether limbs point as in the source (its first frames may be left out), and shoulders are as wide."""
    ours, theirs = seen(result.clip), seen(trim.ends(clip).clip)
    if len(ours.places) != len(theirs.places) or result.report["warnings"]:
        return None
    led = result.report["retarget"]["arms_turned"]
    for side in "LR":
        for upper, lower in LIMBS:
            ends = [(one.at(f"{upper}.{side}"), one.at(f"{lower}.{side}")) for one in (ours, theirs)]
            if any(end is None for pair in ends for end in pair):
                continue
            one, other = ((b - a) / np.linalg.norm(b - a, axis=1, keepdims=True) for a, b in ends)
            off = float(np.degrees(np.arccos(np.clip((one * other).sum(axis=1), -1.0, 1.0))).max())
            # Planting turns legs of other proportions; clearance turns arms by the reported angle.
            most = 25.0 if upper in ("thigh", "shin") else 10.0 + led
            if off > most:
                return Wrong("limbs point alike", off, off / most, f"{upper}.{side} points {off:.0f}° else")
    wide = [
        np.linalg.norm(one.at("upper_arm.L") - one.at("upper_arm.R"), axis=1).mean() / one.height
        for one in (ours, theirs)
        if one.at("upper_arm.L") is not None
    ]
    if len(wide) == 2 and not 0.6 < wide[0] / wide[1] < 1.7:
        ratio = wide[0] / wide[1]
        return Wrong("shoulders", ratio, 2.0, f"shoulders {ratio:.2f} x as wide as in the source")
    return None


NEAR = 0.7  # s around a contact in which arms may move: its ease, and where they are softened


def _only_contacts_move_arms(plain: Any, result: Any) -> Wrong | None:
    """Whether arms point as without contacts except near these, and hands are at least as near to them."""
    ours, theirs, rate = seen(result.clip), seen(plain.clip), result.clip.rate
    rows = result.report["hands"]["contacts"]
    for row in rows:
        before, after = row["off_cm"]
        if after > before + 0.05:
            return Wrong("contacts of hands", after, after / (before + 0.05), f"{row['contact']} is {after:.1f} cm off")
    free = np.ones(len(result.clip), dtype=bool)
    for row in rows:
        free[max(row["first"] - round(NEAR * rate), 0) : row["last"] + 1 + round(NEAR * rate)] = False
    for side in "LR":
        for upper, lower in LIMBS[2:]:
            ends = [(one.at(f"{upper}.{side}"), one.at(f"{lower}.{side}")) for one in (ours, theirs)]
            if any(end is None for pair in ends for end in pair) or not free.any():
                continue
            one, other = ((b - a) / np.linalg.norm(b - a, axis=1, keepdims=True) for a, b in ends)
            off = float(np.degrees(np.arccos(np.clip((one * other).sum(axis=1), -1.0, 1.0)))[free].max())
            if off > 1.0:
                return Wrong(
                    "arms without contacts", off, off, f"{upper}.{side} points {off:.0f}° else, without a contact"
                )
    return None


CALLS: dict[str, Callable[[Clip, Sequence[Clip], np.random.Generator], Call]] = {
    "blend": blend, "sync": sync, "connect": connect, "loop": loop, "splice": splice, "follow": follow, "walk": walk,
    "shortest": shortest, "travel": travel, "in_place": in_place, "restyle": restyle, "ask": ask,
    "key_poses": key_poses, "mirror": edits.mirror, "warp": edits.warp, "fewer_keys": edits.fewer_keys,
    "move_events": edits.move_events,
    "reach": edits.reach, "filter": edits.filtered, "place": edits.place, "root": edits.root, "bake": edits.bake,
    "plant": edits.plant,
    "retarget": retarget,
}  # fmt: skip
