"""Options of splicing: an action's upper body on a locomotion (methods: Splicing upper body onto locomotion)."""

from ..options import JOINTS, RARE, Choice, Declared, declaration, option


@declaration
class PointOptions(Declared):
    """When an action is entered at splice points, and whether it is re-timed between them."""

    splice_threshold: float = option(
        0.13,
        "Up to which distance an action is entered at a splice point: metres a point, of legs and trunk; over 0.13"
        " legs and arms hardly belong together",
        minimum=0.001,
        maximum=1000.0,
        usual=(0.03, 0.3),
        label="Points Within",  # what the sidebar has room for
        shown=RARE,
    )
    splice_interval: float = option(
        1.0,
        "After how long a splice point is looked up again",
        minimum=0.05,
        maximum=1000.0,
        unit=" s",
        usual=(0.2, 5.0),
        label="Points Every",  # what the sidebar has room for
        shown=RARE,
    )
    retime: bool = option(
        False,
        "Between splice points, slow and hurry the action with the legs where these are near enough",
        shown=RARE,
    )


@declaration
class SpliceOptions(PointOptions):
    """How an action is spliced onto a locomotion, as a whole or on a stretch of a path."""

    method: str = option(
        "gaussian",
        "How the trunk goes with the locomotion: as its own does, as its own does about the action's posture,"
        " as the channels say, or with its swing added",
        choices=(
            Choice("gaussian", "Natural", "The trunk sways with the steps below it, as a body does: good for most"),
            Choice(
                "heck",
                "Keep Posture",
                "The same, about the posture that the action has on the mean: a stoop stays a stoop",
            ),
            Choice("copy", "As Keyed", "The action's own rotations, untouched: for robots, and to compare"),
            Choice("additive", "Add Swing", "The locomotion's sway is added to the action's own: livelier"),
        ),
    )
    posture: float = option(
        0.0,
        "How much of the action's posture is kept, its lean and its turn",
        minimum=0.0,
        maximum=1.0,
        only_for=("method", ("gaussian",)),
    )
    smoothing: float = option(
        0.0417,
        "Spread of the window over which the trunk's correction is averaged; more keeps more of the action's own"
        " turning",
        minimum=0.0,
        maximum=0.125,
        unit=" s",
        shown=RARE,
        only_for=("method", ("gaussian",)),
    )
    strength: float = option(
        1.0, "How much of the action there is: 0 is the locomotion as it was", minimum=0.0, maximum=1.0
    )
    upper: str = option(
        "",
        "Comma-separated names of the joints where the upper body begins, each with all that hangs below it; with a"
        " minus before it, without. None is the lowest joint of the spine",
        shown=RARE,
        pick=JOINTS,
    )
    action_graph: bool = option(
        False,
        "Connect the action to a motion graph of its own and walk that, so that it goes on for ever; several actions"
        " are always connected",
        shown=RARE,
    )
    action_threshold: float = option(
        0.1,
        "Frames of actions nearer than this are connected: metres a point; wider than for walks, since feet do not"
        " count",
        minimum=0.005,
        maximum=1.0,
        usual=(0.03, 0.3),
        label="Connect Within",  # what the sidebar has room for
        shown=RARE,
    )
    action_mirror: bool = option(
        False,
        "Let the actions' mirror images take part, too: left and right are then alike",
        shown=RARE,
    )
