"""Points as a camera or markers would give them, from captured clips: with noise, gaps, exchanged sides and tilt.

Written without the solver: forward kinematics gives the joints, and a seed every fault.
"""

import numpy as np
from action_loom.core.motion import kinematics, quat, resample, trim

RATE = 30.0
_ROLES = {
    "hip": "thigh",
    "knee": "shin",
    "ankle": "foot",
    "toe": "toe",
    "shoulder": "upper_arm",
    "elbow": "forearm",
    "wrist": "hand",
}
# Points with a fixed place in a joint's frame: in body heights to the right, to the front and up, for the left side.
_HUNG = {
    "heel": ("foot", (0.0, -0.03, -0.04)),
    "index": ("hand", (-0.05, 0.018, 0.0)),
    "pinky": ("hand", (-0.045, -0.018, 0.0)),
    "ear": ("head", (-0.045, 0.0, 0.05)),
}
LIMBS = (("shoulder", "elbow"), ("elbow", "wrist"), ("hip", "knee"), ("knee", "ankle"))
JUDGED = ("hip", "knee", "ankle", "shoulder", "elbow", "wrist")


def clean(clip, seconds=8.0):
    """Return the true points (F, 3) by label in the style of MediaPipe, from a clip at 30 frames per second, Z up."""
    clip = resample.to_rate(trim.ends(clip).clip, RATE)
    clip = clip.cut(0, min(len(clip), round(seconds * RATE)))
    return points_of(clip)


def points_of(clip):
    """Return the points of a clip (F, 3) by label."""
    skeleton = clip.skeleton
    rotations, places = kinematics.world(clip)
    rested, rest = skeleton.rest
    across = rest[skeleton.roles["thigh.R"]] - rest[skeleton.roles["thigh.L"]]
    right = across / np.linalg.norm(across)
    up = np.array([0.0, 0.0, 1.0])
    front = np.cross(up, right)
    out = {}
    for side in "LR":
        for point, role in _ROLES.items():
            joint = skeleton.roles.get(f"{role}.{side}")
            if joint is not None:
                out[f"{point}.{side}"] = places[:, joint]
        for point, (role, (x, y, z)) in _HUNG.items():
            joint = skeleton.roles[role if role == "head" else f"{role}.{side}"]
            x = x if side == "L" else -x
            offset = skeleton.height * (x * right + y * front + z * up)
            turned = quat.mul(rotations[:, joint], quat.inv(rested[joint]))
            out[f"{point}.{side}"] = places[:, joint] + quat.rotate(turned, offset)
    head = skeleton.roles["head"]
    turned = quat.mul(rotations[:, head], quat.inv(rested[head]))
    out["nose"] = places[:, head] + quat.rotate(turned, skeleton.height * (0.06 * front + 0.034 * up))
    return out


def stack(points):
    """Return the labels, as MediaPipe writes them, and the places (F, P, 3)."""
    words, sides = {"toe": "foot_index"}, {"L": "left_", "R": "right_"}
    labels = []
    for name in points:
        part, _, side = name.partition(".")
        labels.append(sides.get(side, "") + words.get(part, part))
    return labels, np.stack(list(points.values()), axis=1)


def degrade(labels, places, seed, *, white=0.0, correlated=0.0, depth=1.0, missing=0.0, swaps=False, spikes=0.0,
            centred=False, tilt=0.0):  # fmt: skip
    """Return degraded places (F, P, 3), NaN where missing, and the frames (first, last) of exchanged sides.

    white, correlated : standard deviations in metres, the second with a time of 0.15 s; depth : factor along an axis
    missing : share; spikes : share of points thrown 0.3 m aside; centred : hips in the origin; tilt : degrees
    """
    random = np.random.default_rng(seed)
    out = places.copy()
    frames, count, _ = out.shape
    angle = random.uniform(0, 2 * np.pi)
    view = np.array([np.cos(angle), np.sin(angle), 0.0])
    noise = white * random.normal(size=out.shape)
    if correlated:
        keep = np.exp(-1.0 / (0.15 * RATE))
        slow = np.zeros_like(out)
        slow[0] = random.normal(size=(count, 3))
        for frame in range(1, frames):
            slow[frame] = keep * slow[frame - 1] + np.sqrt(1 - keep**2) * random.normal(size=(count, 3))
        noise = noise + correlated * slow
    noise = noise + (depth - 1.0) * (noise @ view)[..., None] * view
    out = out + noise
    spans = []
    if swaps:
        left = [k for k, label in enumerate(labels) if label.startswith("left_")]
        right = [labels.index("right_" + labels[k][5:]) for k in left]
        low = [
            k
            for k, (a, b) in enumerate(zip(left, right, strict=True))
            if any(w in labels[a] for w in ("hip", "knee", "ankle", "heel", "foot"))
        ]
        for _ in range(max(1, frames // 90)):
            first, length = int(random.integers(2, max(3, frames - 12))), int(random.integers(2, 9))
            last = min(first + length, frames - 2)
            chosen = low if random.random() < 0.6 else list(range(len(left)))
            for k in chosen:
                a, b = left[k], right[k]
                out[first : last + 1, [a, b]] = out[first : last + 1, [b, a]]
            spans.append((first, last))
    if spikes:
        hit = random.random((frames, count)) < spikes
        out[hit] += 0.3 * random.normal(size=(int(hit.sum()), 3))
    if missing:
        gone = np.zeros((frames, count), dtype=bool)
        while gone.mean() < missing:
            first, length = int(random.integers(0, frames)), int(random.integers(1, 12))
            gone[first : first + length, int(random.integers(0, count))] = True
        out[gone] = np.nan
    if centred:
        hips = 0.5 * (out[:, labels.index("left_hip")] + out[:, labels.index("right_hip")])
        known = np.isfinite(hips).all(axis=1)
        hips = np.stack([np.interp(np.arange(frames), np.flatnonzero(known), hips[known, k]) for k in range(3)], axis=1)
        out = out - hips[:, None]
    if tilt:
        axis = random.normal(size=3)
        axis[2] = 0.0
        axis /= np.linalg.norm(axis)
        out = quat.rotate(quat.exp(0.5 * np.radians(tilt) * axis), out)
    return out, spans


VIDEO = {
    "white": 0.010,
    "correlated": 0.015,
    "depth": 2.0,
    "missing": 0.08,
    "swaps": True,
    "centred": True,
    "tilt": 12.0,
}
KINDS = {
    "clean": {},
    "5 mm": {"white": 0.005},
    "15 mm": {"white": 0.015},
    "correlated 15": {"correlated": 0.015},
    "15, depth x3": {"white": 0.015, "depth": 3.0},
    "15, 20 % missing": {"white": 0.015, "missing": 0.2},
    "15, swaps, spikes": {"white": 0.015, "swaps": True, "spikes": 0.01},
    "15, hips centred": {"white": 0.015, "centred": True},
    "video-like": VIDEO,
}


def filled(places):
    """Return places (F, P, 3) with gaps filled linearly."""
    frames = np.arange(len(places))
    out = places.copy()
    for point in range(places.shape[1]):
        known = np.isfinite(places[:, point]).all(axis=1)
        for axis in range(3):
            out[:, point, axis] = np.interp(frames, frames[known], places[known, point, axis])
    return out


def judge(true, made):
    """Return the errors of points (F, 3) by name against the true ones.

    mm (also from the hips, and after the best turn), degrees of up and of limbs, cm/s of standing feet, shares
    """
    names = [f"{part}.{side}" for part in JUDGED for side in "LR"]
    one, other = (np.stack([points[name] for name in names], axis=1) for points in (true, made))
    toes = [
        (true[f"toe.{side}"], made[f"toe.{side}"]) for side in "LR" if f"toe.{side}" in true and f"toe.{side}" in made
    ]
    turn = _best_yaw(one, other)
    other = quat.rotate(turn, other)
    moved = other - (other - one).mean(axis=(0, 1))
    near = [points - points[:, :2].mean(axis=1, keepdims=True) for points in (one, other)]
    turn = _best_turn(*near)
    swings = []
    for first, second in LIMBS:
        for side in "LR":
            a, b = names.index(f"{first}.{side}"), names.index(f"{second}.{side}")
            u, v = one[:, b] - one[:, a], other[:, b] - other[:, a]
            cosine = np.sum(u * v, axis=1) / np.linalg.norm(u, axis=1) / np.linalg.norm(v, axis=1)
            swings.append(np.degrees(np.arccos(np.clip(cosine, -1, 1))).mean())
    slides = []
    for real, toe in toes:
        speed = np.linalg.norm(np.gradient(real, axis=0), axis=1) * RATE
        low = real[:, 2] < np.quantile(real[:, 2], 0.1) + 0.04
        stands = (speed < 0.25) & low
        if stands.sum() > 3:
            slides.append((np.linalg.norm(np.gradient(toe[:, :2], axis=0), axis=1) * RATE * 100)[stands].mean())
    jerk = (
        np.linalg.norm(np.diff(other, 3, axis=0), axis=-1).mean()
        / np.linalg.norm(np.diff(one, 3, axis=0), axis=-1).mean()
    )
    return {
        "mm": 1000 * np.linalg.norm(moved - one, axis=-1).mean(),
        "hip mm": 1000 * np.linalg.norm(near[1] - near[0], axis=-1).mean(),
        "turned mm": 1000 * np.linalg.norm(near[1] @ turn.T - near[0], axis=-1).mean(),
        "up": float(np.degrees(np.arccos(np.clip(turn[2, 2], -1, 1)))),
        "swing": float(np.mean(swings)),
        "slide": float(np.mean(slides)) if slides else np.nan,
        "jerk": float(jerk),
        "path": float(_path(other) / max(_path(one), 1e-9)),
        "true path": float(_path(one)),
    }


def _best_turn(one, other):
    """Return the rotation (3, 3) that brings places (F, P, 3) nearest to others."""
    u, _, v = np.linalg.svd(np.einsum("fpi,fpj->ij", one, other))
    return u @ np.diag([1, 1, np.sign(np.linalg.det(u @ v))]) @ v


def _path(places):
    ground = places[:, :2].mean(axis=1)[:, :2]
    return np.linalg.norm(np.diff(ground[::6], axis=0), axis=1).sum()


def _best_yaw(one, other):
    p = (one - one[:, :2].mean(axis=1, keepdims=True))[..., :2].reshape(-1, 2) @ np.array([1.0, 1j])
    q = (other - other[:, :2].mean(axis=1, keepdims=True))[..., :2].reshape(-1, 2) @ np.array([1.0, 1j])
    return quat.about_axis("Z", np.angle(np.sum(p * np.conj(q))))
