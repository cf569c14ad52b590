"""Options of motion from points (methods: Points)."""

from ..options import HIDDEN, Choice, declaration, option
from .base import Recipe

AUTO = "auto"


@declaration
class FromPoints(Recipe):
    """Make a clip of the 3D points of a file, as from video or markers."""

    verb = "points"
    label = "Points"
    tooltip = summary = "make a clip of 3D points, as from video or markers: bones of constant length, standing feet"
    least = most = 1

    order: str = option(AUTO, "Names of points without names: auto, mediapipe, h36m, coco, body_25, smpl, … or a file")
    rate: float = option(0.0, "Frames per second of the file", bounds=(0.0, 1000.0), zero="its own, else 30")
    up: str = option(
        AUTO,
        "The file's upward axis; auto finds it, estimate ignores axes",
        choices=tuple(map(Choice, (AUTO, "x", "y", "z", "estimate"))),
    )
    smoothing: float = option(1.0, "Factor of the time over which points are smoothed", bounds=(0.0, 10.0), zero="none")
    swap_repair: bool = option(True, "Exchange left and right where a tracker has mistaken them")
    travel: str = option(
        AUTO,
        "Measure the travel from standing feet where hips stay in one place",
        choices=tuple(map(Choice, (AUTO, "off"))),
    )
    plant_feet: bool = option(True, "Keep standing feet in place")
    character: str = option(
        "", "A motion file whose body gets the motion, instead of a new one of the person's size", shown=HIDDEN
    )
