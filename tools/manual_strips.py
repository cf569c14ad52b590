"""Draws the strips of the manual, docs/manual/images/strip_*.webp: each verb's input above its output.

They use the demo's actions, so that anybody can draw them again. Arguments: names of strips (default: all).
"""

import io
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.motion import kinematics, quat, root_motion
from action_loom.core.motion.clip import Clip
from action_loom.core.motion.quat import Array
from action_loom.core.motion.skeleton import Skeleton
from action_loom.core.plots import stick_figures
from action_loom.core.recipes.base import Recipe
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

OUT = Path(__file__).resolve().parents[1] / "docs" / "manual" / "images"
WIDTH, DPI = 7.2, 96  # inches, dots an inch: the width of a manual page
POSES, APART = 9, 1.1  # figures in a row, metres between them
TALL = 2.0  # metres that a row has room for, with a raised hand
SOURCES, RESULT, OLD = ("#d9670b", "#3c9a6d", "#7a5195"), "#1f4e79", "#999999"


@dataclass(frozen=True)
class Strip:
    """The picture of one verb.

    recipe : the verb and its options; sources : names of actions, of the demo or of MADE
    kind : how it is drawn, one of KINDS; joint : the body role whose way is drawn, where one is
    """

    recipe: Recipe
    sources: tuple[str, ...]
    kind: str = "poses"
    joint: str = ""


# Wishes of a drive: ahead, to the left, and it stands.
STEERED = ((0.0, 0.0, -1.3), (2.0, 1.3, 0.0), (4.0, 0.0, -1.3), (5.5, 0.0, 0.0), (6.5, 0.0, 0.0))


def strips() -> dict[str, Strip]:
    """Return the declared strips by the name of their picture."""

    def of(verb: str, *sources: str, kind: str = "poses", joint: str = "", **options: Any) -> Strip:
        return Strip(verbs.VERBS[verb].recipe(**options), sources, kind, joint)

    curve = tuple((1.2 * np.sin(0.9 * y), -y) for y in np.linspace(0.0, 7.0, 60))
    return {
        "blend": of("blend", "Walk", "Sneak", weights=(0.5, 0.5)),
        "connect": of("connect", "Walk", "Run", kind="way"),
        "loop": of("loop", "Sneak", kind="way"),
        "splice": of("splice", "Walk", "Wave"),
        "path": of("follow", "Walk", "Turn Left", "Turn Right", kind="above", path=curve),
        "drive": of(
            "drive", "Walk", "Turn Left", "Turn Right", kind="above", wishes=STEERED, start=((0.0, 0.0, 180.0),)
        ),
        "endless": of("walk", "Wave", seconds=9.0, seed=3, kind="height", joint="hand.R"),
        "travel": of("travel", "Walk on the spot", kind="way"),
        "take": Strip(verbs.VERBS["cut_out"].recipe(first=6, last=90, kind="walk", loop=True), ("Walk",), "way"),
        "in_place": of("in_place", "Walk", kind="way"),
        "style": of("restyle", "Carry", "Walk", "Sneak", stride=2.0, swing=2.0, lean=2.0, mirror=True),
        "parametric": of("ask", "Walk", "Run", "Sneak", speed=2.0, strides=2, kind="way"),
        "poses": of("key_poses", "Walk", "Wave", poses=((1, 3, 0.0), (2, 45, 0.8), (1, 14, 1.6))),
        "fill": of("fill", "Poses of a walk", "Walk", key_frames=((0, 20, 44, 64),)),
        "mirror": of("mirror", "Turn Left", kind="above"),
        "spread_pose": of("warp", "Walk", corrections=((40, 1, -95, 0, 0, 0, 0, 0),), bones="upper_arm.R", reach=0.5),
        "move_events": of("move_events", "Wave", events=((30, 45),), kind="height", joint="hand.R"),
        "fewer_keys": of("fewer_keys", "Sneak", within=5.0, kind="keys", joint="foot.L"),
        "reach": of("reach", "Wave", limb="left_arm", target=((0.45, -0.35, 1.25),), from_frame=30, to_frame=60),
        "filter": of("filter", "Shaky walk", kind="height", joint="hand.R"),
        "place": of("place", "Walk", where="at", x=1.5, y=0.5, face="way", facing=90.0, kind="above"),
        "root_motion": of("root", "Walk with a root", kind="sway"),
        "plant_feet": of("plant", "Sliding sneak", kind="ahead", joint="foot.L"),
        "retarget": of("retarget", "Tall body", "Walk"),
        "synchronise": of("sync", "Walk", "Sneak"),
    }


@cache
def clip(name: str) -> Clip:
    """Return an action by its name: of the demo, or one that is made wrong on purpose."""
    made: dict[str, Callable[[], Clip]] = {
        "Walk": actions.walk,
        "Run": actions.run,
        "Sneak": actions.sneak,
        "Carry": actions.carry,
        "Turn Left": actions.turn_left,
        "Turn Right": actions.turn_right,
        "Wave": actions.wave,
        "Walk on the spot": lambda: verbs.apply(verbs.VERBS["in_place"].recipe(), [actions.walk()]).clip,
        "Sliding sneak": lambda: _carried(actions.sneak(cycles=1), 0.75),
        "Poses of a walk": lambda: _posed(actions.walk()),
        "Shaky walk": lambda: _shaken(actions.walk()),
        "Tall body": _tall,
        "Walk with a root": lambda: _with_root(actions.walk()),
    }
    return replace(made[name](), name=name)


def _carried(walk: Clip, share: float) -> Clip:
    """Return the walk with its horizontal and vertical travel scaled by a factor, so that its feet slide."""
    moved = walk.translations.copy()
    hips = root_motion.travelling_joint(walk.skeleton)
    moved[:, hips, :] = moved[:1, hips, :] + (moved[:, hips, :] - moved[:1, hips, :]) * share
    return replace(walk, translations=moved, cyclic=False)


def _posed(walk: Clip) -> Clip:
    """Return a clip of four poses of a walk, with eased motion between them."""
    rows = tuple((1.0, float(frame), frame / walk.rate) for frame in (0, 20, 44, 64))
    made: Clip = verbs.apply(verbs.KeyPoses(poses=rows), [walk]).clip
    return made


def _shaken(walk: Clip) -> Clip:
    """The walk with noise and two spikes on its right arm."""
    chance = np.random.default_rng(1)
    turns = np.zeros((len(walk), 3))
    turns += np.radians(2.5) * chance.normal(size=turns.shape)
    turns[[20, 55]] += np.radians(35.0)
    rotations, arm = walk.rotations.copy(), walk.skeleton.roles["upper_arm.R"]
    rotations[:, arm] = quat.mul(rotations[:, arm], quat.exp(turns))
    return replace(walk, rotations=rotations, cyclic=False)


def _tall() -> Clip:
    """A body a quarter taller, in its rest pose."""
    body = actions.skeleton()
    tall = replace(body, offsets=1.25 * body.offsets, tips=1.25 * body.tips)
    rest = np.zeros((2, len(tall), 4))
    rest[..., 0] = 1.0
    return Clip("Tall body", tall, 30.0, rest, np.zeros((2, len(tall), 3)))


def _with_root(walk: Clip) -> Clip:
    """The walk on a body with a bone on the ground above the hips, which stands still."""
    body, frames = walk.skeleton, len(walk)
    still, nowhere = np.array([[1.0, 0.0, 0.0, 0.0]]), np.zeros((1, 3))
    rooted = Skeleton(
        ("root", *body.names),
        np.concatenate([[-1], body.parents + 1]),
        np.concatenate([nowhere, body.offsets]),
        np.concatenate([still, body.orients]),
        np.concatenate([nowhere, body.tips]),
    )
    rotations = np.concatenate([np.broadcast_to(still, (frames, 1, 4)), walk.rotations], axis=1)
    translations = np.concatenate([np.zeros((frames, 1, 3)), walk.translations], axis=1)
    return replace(walk, skeleton=rooted, rotations=rotations, translations=translations)


# --- drawing --------------------------------------------------------------------------------------------------------


def draw(strip: Strip) -> Figure:
    """Return the strip: sources above, in their colours, the result below."""
    clips = [clip(name) for name in strip.sources]
    made = verbs.apply(strip.recipe, clips)
    return KINDS[strip.kind](strip, clips, made)


def in_rows(_strip: Strip, clips: Sequence[Clip], made: Any) -> Figure:
    """Figures at even times, a row for each clip."""
    rows = [*zip(clips, SOURCES, strict=False), (made.clip, RESULT)]
    figure = Figure(figsize=(WIDTH, 1.25 * len(rows)), layout="constrained")
    axes = figure.subplots(len(rows), 1, sharex=True)
    for axis, (one, colour) in zip(axes, rows, strict=True):
        poses = one.take_frames(np.round(np.linspace(0, len(one) - 1, POSES)).astype(np.int64))
        stick_figures.draw(axis, poses, APART * np.arange(POSES), colour, width=1.6)
        _label(axis, one, one is made.clip, colour)
        axis.set(xlim=(-1.9, APART * POSES - 0.4), ylim=(-0.05, TALL))
    return figure


def on_the_way(_strip: Strip, clips: Sequence[Clip], made: Any) -> Figure:
    """Figures where they are on their way, every third of a second, a row for each clip."""
    rows = [*zip(clips, SOURCES, strict=False), (made.clip, RESULT)]
    ways = [_way(one) for one, _ in rows]
    longest = max(2.0, *(float(way.max()) for way in ways))
    figure = Figure(
        figsize=(WIDTH, len(rows) * min(1.25, (TALL + 0.2) * WIDTH / (longest + 2.5))), layout="constrained"
    )
    axes = figure.subplots(len(rows), 1, sharex=True)
    for axis, (one, colour), way in zip(axes, rows, ways, strict=True):
        frames = np.arange(0, len(one), max(round(one.rate / 3.0), 1))
        stick_figures.draw(axis, one.take_frames(frames), way[frames], colour, width=1.3)
        _label(axis, one, one is made.clip, colour)
        axis.set(xlim=(-1.9, longest + 0.6), ylim=(-0.05, TALL))
    return figure


def from_above(strip: Strip, clips: Sequence[Clip], made: Any) -> Figure:
    """Hips and feet on the ground, before beside after."""
    figure = Figure(figsize=(WIDTH, 2.6), layout="constrained")
    before, after = figure.subplots(1, 2, sharex=True, sharey=True)
    for place, one in enumerate(clips):
        _tracks(before, one, SOURCES[place])
    _tracks(after, made.clip, RESULT)
    path = np.array(getattr(strip.recipe, "path", ()) or np.zeros((0, 2)))
    if len(path):
        after.plot(-path[:, 1], path[:, 0], color="black", lw=4.0, alpha=0.2, label="curve")
    for axis, title in ((before, "Before, from above"), (after, "After")):
        axis.set_title(title, fontsize=8, loc="left")
        axis.set_aspect("equal")
        axis.legend(fontsize=7, frameon=False)
        axis.tick_params(labelsize=6)
    return figure


def over_time(strip: Strip, clips: Sequence[Clip], made: Any) -> Figure:
    """One number of a joint over time, before in grey, after in blue: its height, or how far ahead it is."""
    figure = Figure(figsize=(WIDTH, 1.9), layout="constrained")
    axis = figure.subplots()
    joint = clips[0].skeleton.roles[strip.joint]
    for one, colour, title in ((clips[0], OLD, strip.sources[0]), (made.clip, RESULT, "After")):
        places = kinematics.world(one)[1][:, joint]
        values = places[:, 2] if strip.kind != "ahead" else -places[:, 1]
        axis.plot(np.arange(len(one)) / one.rate, values, color=colour, lw=1.8, label=title)
    if strip.kind == "keys":
        keys = made.keyed.rotations[joint].frames / made.clip.rate
        axis.plot(keys, np.interp(keys, np.arange(len(places)) / made.clip.rate, values), "o", color=RESULT, ms=5.0)
    what = "height" if strip.kind != "ahead" else "place on the way"
    axis.set_ylabel(f"{strip.joint.replace('.L', ', left').replace('.R', ', right')}:\n{what} (m)", fontsize=7)
    axis.set_xlabel("seconds", fontsize=7)
    axis.tick_params(labelsize=6)
    axis.legend(fontsize=7, frameon=False)
    return figure


def from_side_to_side(_strip: Strip, clips: Sequence[Clip], made: Any) -> Figure:
    """How far the hips are to the left over time, in grey, and the root bone that carries them afterwards, in blue."""
    figure = Figure(figsize=(WIDTH, 1.9), layout="constrained")
    axis = figure.subplots()
    hips = clips[0].skeleton.roles["hips"]
    for one, joint, colour, title in ((clips[0], hips, OLD, "hips"), (made.clip, 0, RESULT, "root bone, after")):
        places = 100.0 * kinematics.world(one)[1][:, joint, 0]
        axis.plot(np.arange(len(one)) / one.rate, places, color=colour, lw=1.8, label=title)
    axis.set_ylabel("to the left (cm)", fontsize=7)
    axis.set_xlabel("seconds", fontsize=7)
    axis.tick_params(labelsize=6)
    axis.legend(fontsize=7, frameon=False)
    return figure


KINDS: dict[str, Callable[[Strip, Sequence[Clip], Any], Figure]] = {
    "poses": in_rows,
    "way": on_the_way,
    "above": from_above,
    "height": over_time,
    "ahead": over_time,
    "keys": over_time,
    "sway": from_side_to_side,
}


def _label(axis: Axes, one: Clip, is_result: bool, colour: str) -> None:
    axis.set_axis_off()
    text = "After" if is_result else one.name
    axis.text(0.0, 0.55, text, transform=axis.transAxes, color=colour, fontsize=8, weight="bold", va="center")


def _way(one: Clip) -> Array:
    """How far a clip has gone (F,) by each frame, metres."""
    ground, _ = root_motion.ground_frames(one)
    return np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(ground, axis=0), axis=1))])


def _tracks(axis: Axes, one: Clip, colour: str) -> None:
    """Draw the way of the hips, thick, and of both feet, thin; a dot where it begins. Ahead (−y) is to the right."""
    places = kinematics.world(one)[1]
    for role, width in (("hips", 2.2), ("foot.L", 0.7), ("foot.R", 0.7)):
        way = places[:, one.skeleton.roles[role], :2]
        label = one.name if role == "hips" else None
        axis.plot(-way[:, 1], way[:, 0], color=colour, lw=width, label=label)
    start = places[0, one.skeleton.roles["hips"]]
    axis.plot(-start[1], start[0], "o", color=colour, ms=5.0)


def save(figure: Figure, path: Path) -> None:
    """Write a figure as a small picture: of few colours, as lines need."""
    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=DPI, format="png", facecolor="white")
    few = Image.open(drawn).convert("RGB").quantize(20, dither=Image.Dither.NONE)
    few.convert("RGB").save(path, lossless=True, quality=100, method=6)


def main(names: Sequence[str]) -> None:
    for name, strip in strips().items():
        if not names or name in names:
            path = OUT / f"strip_{name}.webp"
            save(draw(strip), path)
            print(f"{path.name}: {path.stat().st_size // 1024} KB")


if __name__ == "__main__":
    main(sys.argv[1:])
