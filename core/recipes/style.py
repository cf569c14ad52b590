"""Options of style: how people differ in an action that they all do, and tables of their labels (methods: Style)."""

import io
from collections.abc import Mapping, Sequence

from ..options import HIDDEN, RARE, Choice, Declared, declaration, option

# The measures of a stride that have a slider, in order (see `style.measures`).
SLIDERS = ("stride", "cadence", "speed", "bounce", "swing", "lean", "elbows", "width", "lift")
# Named styles as amounts of the sliders: rules of thumb, no recordings.
NAMED: Mapping[str, Mapping[str, float]] = {
    "tired": {"stride": -0.7, "cadence": -1.2, "swing": -1.2, "lean": 2.5},
    "happy": {"stride": 0.4, "cadence": 0.8, "bounce": 2.0, "swing": 2.0, "lean": -1.0, "lift": 0.8},
    "old": {"stride": -1.0, "cadence": -0.8, "lean": 3.0, "elbows": 1.5, "width": 1.5},
    "proud": {"stride": 0.8, "cadence": -0.6, "bounce": 0.7, "swing": 1.2, "lean": -2.5, "elbows": -0.5},
    "sneaky": {"cadence": -1.5, "lean": 1.5, "elbows": 1.0, "lift": 1.0},
}
RECORDED = {"sneaky": "sneaking"}  # a manner of the included walks, used with them as examples
FACTORS = 6  # number of the largest components that have a factor

_OWN = ("basis", ("auto", "clips"))  # options for the clips' own strides; the bundled walks are fixed


@declaration
class BasisOptions(Declared):
    """Whose strides teach how people differ."""

    basis: str = option(
        "auto",
        "Which walks teach how people differ",
        choices=(
            Choice("auto", "", "The clips' own strides; those that Action Loom brings along where there are too few"),
            Choice("clips", "", "The clips' own strides alone"),
            Choice("walks", "Walks Brought Along", "The walks that Action Loom brings along, added to the clip's own"),
        ),
        shown=RARE,
    )


@declaration
class StyleOptions(BasisOptions):
    """From what a style is learnt."""

    cycles: str = option(
        "auto",
        "What counts as one example",
        choices=(
            Choice("auto", "", "Strides if at least half of the clips have some, else repetitions"),
            Choice("strides", "", "For walks, runs, dances"),
            Choice("repeats", "", "For waving, punching, exercises"),
        ),
        only_for=_OWN,
        shown=RARE,
    )
    mirror: bool = option(False, "Use the clips' mirror images, too", shown=RARE, only_for=_OWN)
    labels: str = option(
        "",
        "A comma-separated table with the columns clip, person and others (age, mood, …); without it every"
        " clip is another person",
        from_file=True,
        shown=HIDDEN,  # a text of the file
        only_for=_OWN,
    )
    kept: str = option(
        "",
        "The name of a style that is kept, inside Blender as a text of the file, instead of one learnt from the clips",
        shown=HIDDEN,  # chosen from the texts
    )
    turns: float = option(
        25.0,
        "Leave out strides that turn more",
        minimum=0.0,
        maximum=360.0,
        unit="°",
        usual=(5.0, 90.0),
        shown=RARE,
        only_for=("cycles", ("auto", "strides")),
    )


def table_of(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of labels as text.

    Example:
        >>> from action_loom.core.recipes import style
        >>> style.table_of(["clip", "person"], [["walk 1", "anna"], ["walk 2", "ben"]])
        'clip,person\\nwalk 1,anna\\nwalk 2,ben\\n'
    """
    import csv  # at use: Blender loads this module at its start

    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    return text.getvalue()


def renamed_in(labels: str, names: Mapping[str, str]) -> str:
    """Return a table of labels with clip names replaced; names : new names by those in the table.

    Example:
        >>> from action_loom.core.recipes import style
        >>> style.renamed_in("clip,person\\nwalk,anna", {"walk": "Anna walks"})
        'clip,person\\nAnna walks,anna\\n'
    """
    import csv

    try:
        header, *rows = list(csv.reader(io.StringIO(labels.strip(), newline=""))) or [[]]
    except csv.Error:
        return labels  # `labels.of_clips` refuses it
    if "clip" not in header:
        return labels
    column = header.index("clip")
    renamed = [[names.get(cell, cell) if k == column else cell for k, cell in enumerate(row)] for row in rows]
    return table_of(header, renamed)
