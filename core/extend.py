"""Add verbs, metrics and file formats from another package, without editing this one (contributing: Other packages).

On the command line a package names its rows as entry points. In Blender an add-on adds them in its `register`, and
removes them in its `unregister`. Everything that a row needs is here; `load` returns whatever else of core it uses,
such as `load("motion.clip:Clip")`, when it runs. Standard library only.
"""

from .entry_points import load
from .errors import ClipError, MotionFileError, OptionError
from .formats.registry import FORMATS, Format
from .options import Choice, Declared, declaration, option
from .points.registry import POINT_FORMATS, PointFormat
from .recipes.base import Recipe
from .recipes.metrics import METRICS, MetricRow
from .verbs import VERBS, Verb

__all__ = [
    "Choice",
    "ClipError",
    "Declared",
    "Format",
    "MetricRow",
    "MotionFileError",
    "OptionError",
    "PointFormat",
    "Recipe",
    "Verb",
    "add_format",
    "add_metric",
    "add_point_format",
    "add_verb",
    "declaration",
    "load",
    "load_installed",
    "option",
    "remove_format",
    "remove_metric",
    "remove_point_format",
    "remove_verb",
]


def add_format(row: Format) -> None:
    """Add a file format; raises OptionError if its suffix exists.

    Example:
        >>> from action_loom.core import extend
        >>> from action_loom.core.formats import registry
        >>> def read_file(path, reading): ...
        >>> extend.add_format(extend.Format(".trc", "TRC", "Marker trajectories", read_file))
        >>> registry.read_by("walk.trc").label
        'TRC'
        >>> extend.remove_format(".trc")
    """
    FORMATS.add(row)


def add_verb(row: Verb) -> None:
    """Add a verb that makes a clip: a command, a job key, and in Blender an operator; raises OptionError.

    Example:
        >>> from action_loom.core import extend, verbs
        >>> from action_loom.core.demo_character import actions
        >>> @extend.declaration
        ... class Still(extend.Recipe):
        ...     verb, label, tooltip, summary = "still", "Still", "Repeat the first frame", "repeat the first frame"
        ...     least = most = 1
        >>> def hold(clips, recipe, progress):
        ...     result = extend.load("weave.results:Result")
        ...     return result(clips[0].cut(0, 1), {"dropped": [], "still": {}}, 0)
        >>> extend.add_verb(extend.Verb(Still, hold))
        >>> verbs.verb_of("still").recipe.label
        'Still'
        >>> extend.remove_verb("still")
    """
    if row.makes != "clip" or (row.recipe.mode and row.recipe.verb not in VERBS):
        raise OptionError(f"{row.recipe.verb}: a verb of another package makes a clip, and is no mode of Weave")
    VERBS.add(row)


def add_metric(row: MetricRow) -> None:
    """Add a pose distance, a value of the option `metric`; raises OptionError if its name exists.

    Example:
        >>> from action_loom.core import extend, verbs
        >>> extend.add_metric(extend.MetricRow("mine", "m", "sync.positions:PointMetric", "As points"))
        >>> verbs.Blend(metric="mine").metric
        'mine'
        >>> extend.remove_metric("mine")
    """
    METRICS.add(row)


def add_point_format(row: PointFormat) -> None:
    """Add a kind of points file (see `points.registry`); raises OptionError if its suffix exists.

    Example:
        >>> from action_loom.core import extend
        >>> from action_loom.core.points import registry
        >>> def read(path, order): ...
        >>> extend.add_point_format(extend.PointFormat(".tsv", read))
        >>> registry.read_by("take.tsv").suffix
        '.tsv'
        >>> extend.remove_point_format(".tsv")
    """
    POINT_FORMATS.add(row)


def remove_point_format(suffix: str) -> None:
    """Remove a kind of points file that another package has added; raises OptionError for any other."""
    POINT_FORMATS.remove(suffix)


def remove_format(suffix: str) -> None:
    """Remove an added format; raises OptionError if there is none."""
    FORMATS.remove(suffix)


def remove_verb(verb: str) -> None:
    """Remove an added verb; raises OptionError if there is none."""
    VERBS.remove(verb)


def remove_metric(name: str) -> None:
    """Remove an added metric; raises OptionError if there is none."""
    METRICS.remove(name)


def load_installed() -> None:
    """Add the rows of all installed packages, as every command does before it reads its arguments.

    Example:
        >>> from action_loom.core import extend
        >>> extend.load_installed()  # at most one warning for each package that fails
    """
    for registry in (FORMATS, METRICS, VERBS):
        registry.load_installed()
