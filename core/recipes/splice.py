"""Options of splicing: an action's upper body on a locomotion (methods: Splicing upper body onto locomotion)."""

from ..options import JOINTS, RARE, Choice, Declared, constant, declaration, option


@declaration
class PointOptions(Declared):
    """When an action is entered at splice points, and whether it is re-timed between them."""

    splice_threshold: float = option(
        0.13,
        "How near legs and trunk must be at a splice point, metres a point; over 0.13 they hardly fit",
        bounds=(0.001, 1000.0),
        usual=(0.03, 0.3),
        label="Points Within",  # short enough for the sidebar
        shown=RARE,
    )
    splice_interval: float = constant(1.0)
    retime: bool = option(
        False,
        "Between splice points, time the action with the legs where they are near enough",
        shown=RARE,
    )


@declaration
class SpliceOptions(PointOptions):
    """How an action is spliced onto a locomotion, as a whole or on a stretch of a path."""

    method: str = option(
        "gaussian",
        "How the trunk goes with the legs",
        choices=(
            Choice("gaussian", "Natural", "The trunk sways with the steps: good for most"),
            Choice(
                "heck",
                "Keep Posture",
                "Like Natural, in the action's own posture: a stoop stays a stoop",
            ),
            Choice("copy", "As Keyed", "The action's own rotations: for robots"),
            Choice("additive", "Add Swing", "The sway is added to the action's own: livelier"),
        ),
    )
    posture: float = option(
        0.0,
        "How much of the action's lean and turn is kept",
        bounds=(0.0, 1.0),
        only_for=("method", ("gaussian",)),
    )
    smoothing: float = option(
        0.0417,
        "Window for averaging the trunk's correction; more keeps more of the action's turning",
        bounds=(0.0, 0.125),
        unit=" s",
        shown=RARE,
        only_for=("method", ("gaussian",)),
    )
    strength: float = option(1.0, "Amount of the action; 0 is the locomotion as it was", bounds=(0.0, 1.0))
    upper: str = option(
        "",
        "Joints where the upper body begins, comma-separated, a minus leaves one out; the lowest joint of"
        " the spine if empty",
        shown=RARE,
        pick=JOINTS,
    )
    action_graph: bool = option(
        False,
        "Connect the action with itself so that it goes on for ever; several actions always are",
        shown=RARE,
    )
    action_threshold: float = option(
        0.1,
        "Connect frames nearer than this, metres a point; feet do not count",
        bounds=(0.005, 1.0),
        usual=(0.03, 0.3),
        label="Connect Within",  # short enough for the sidebar
        shown=RARE,
    )
    action_mirror: bool = constant(False)
