"""An example of a package that adds a verb, a metric and a file format to Action Loom (contributing: Other packages).

On the command line its entry points name `HOLD_END`, `HEIGHTS` and `TRC`; in Blender it is an add-on.
"""

import time
from dataclasses import replace
from pathlib import Path

try:
    from action_loom.core import extend
except ImportError:  # in Blender, where an extension has the name of its repository before its own
    from bl_ext.user_default.action_loom.core import extend

bl_info = {"name": "Markers for Action Loom", "blender": (4, 2, 0), "category": "Animation"}


@extend.declaration
class HoldEnd(extend.Recipe):
    """Hold the last pose of a clip."""

    verb = "hold_end"
    label = "Hold End"
    tooltip = "Make an action that holds its last pose"
    summary = "hold the last pose of a clip"
    least = most = 1
    of_action = True

    seconds: float = extend.option(0.5, "How long the pose is held", minimum=0.0, maximum=60.0, unit=" s")

    def figures(self, report):
        return [f"  the last pose is held for {report['hold_end']['frames']} frames"]


def hold_end(clips, recipe, progress):
    """Return the clip with its last frame repeated."""
    import numpy as np

    load, began = extend.load, time.perf_counter()
    if len(clips) != 1:
        raise extend.ClipError(f"One clip is held at a time; {len(clips)} given")
    (clip,) = clips
    held = round(recipe.seconds * clip.rate)
    made = replace(clip.take_frames(np.append(np.arange(len(clip)), [len(clip) - 1] * held)), name=f"{clip.name} held")
    measure = load("quality.quality:measure")
    report = {
        "dropped": [],
        "hold_end": {"frames": held},
        "quality": {"before": [measure(clip)], "after": measure(made)},
        "warnings": [],
    }
    report |= load("weave.reporting:common")(recipe.verb, clips, made, began)
    return load("weave.results:EditResult")(made, report, 0, clip)


def heights(body, matching):
    """Return a clip prepared for comparing the heights of its points, wherever they are on the ground."""
    weights = extend.load("sync.joint_weights:point_weights")(body.clip.skeleton, matching.joints, equal=True)
    return extend.load("sync.positions:PointMetric").of_cloud(body.points * (0.0, 0.0, 1.0), weights)


def read_trc(path, reading):
    """Return the markers of a TRC file (Y up, tab-separated) as a clip of one joint each."""
    import numpy as np

    lines = Path(path).read_text(encoding="utf-8").splitlines()
    try:
        about = dict(zip(lines[1].split("\t"), lines[2].split("\t"), strict=True))
        names = tuple(name for name in lines[3].split("\t")[2:] if name)
        rows = np.array([line.split("\t")[2:] for line in lines[5:] if line], dtype=np.float64)
        scale = {"m": 1.0, "mm": 0.001}[about["Units"]]
        places = rows.reshape(len(rows), len(names), 3)[..., [0, 2, 1]] * (scale, -scale, scale)
    except (IndexError, KeyError, ValueError) as error:
        raise extend.MotionFileError(path, None, f"this is no TRC file in m or mm ({error!r})") from None
    load, count = extend.load, len(names)
    still, upright = np.zeros((count, 3)), np.tile((1.0, 0.0, 0.0, 0.0), (count, 1))
    body = load("motion.skeleton:Skeleton")(names, np.full(count, -1), places[0], upright, still)
    turns = np.tile((1.0, 0.0, 0.0, 0.0), (*places.shape[:2], 1))
    rate = reading.rate or float(about["DataRate"])
    clip = load("motion.clip:Clip")(Path(path).stem, body, rate, turns, places - places[0])
    convention = load("formats.motion_file:Convention")(about["Units"], scale, "y", False)
    return load("formats.motion_file:MotionFile")(str(path), clip, convention, (False,) * count)


HOLD_END = extend.Verb(HoldEnd, hold_end)
HEIGHTS = extend.MetricRow("heights", "m", heights, "Heights of points above the ground")
TRC = extend.Format(".trc", "TRC", "Marker trajectories, tab-separated", read_trc)


def register():
    extend.add_verb(HOLD_END)
    extend.add_metric(HEIGHTS)
    extend.add_format(TRC)


def unregister():
    extend.remove_format(TRC.suffix)
    extend.remove_metric(HEIGHTS.name)
    extend.remove_verb(HoldEnd.verb)
