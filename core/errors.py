"""Errors in the user's material or settings; the message of each is the sentence that the user reads."""

import unicodedata
from collections.abc import Sequence

LONGEST = 300  # letters of a message: the capacity of a header in Blender, and four lines of a terminal
OUT_OF_MEMORY = "there is not enough memory for this; take shorter clips or fewer of them"


class LoomError(Exception):
    """The material or a setting can't be used; the message names it and the remedy."""

    def __init__(self, message: str = "") -> None:
        super().__init__(one_line(message))


def one_line(message: str) -> str:
    """Return a message without line ends and control characters, shortened in the middle if very long.

    Names and values from files can hold anything, and a terminal obeys control characters.

    Example:
        >>> from action_loom.core import errors
        >>> print(errors.one_line(f"walk{chr(10)}.bvh has no frames"))
        walk\\n.bvh has no frames
    """
    if len(message) > LONGEST:
        half = (LONGEST - 3) // 2
        message = f"{message[:half]} … {message[-half:]}"
    return "".join(
        repr(letter)[1:-1] if unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp") else letter
        for letter in message
    )


def some(names: Sequence[str], *, quoted: bool = True) -> str:
    """Return names for a message: the first four, and the number of the others; phrases are not quoted.

    Example:
        >>> from action_loom.core import errors
        >>> errors.some(["hips", "spine", "chest", "neck", "head", "hand.L"])
        "'hips', 'spine', 'chest', 'neck' and 2 more"
    """
    shown = ", ".join(repr(name) if quoted else name for name in names[:4])
    return shown if len(names) <= 4 else f"{shown} and {len(names) - 4} more"


class MotionFileError(LoomError):
    """A motion file can't be read; the message starts with the file and, if known, the line."""

    def __init__(self, path: object, line: int | None, problem: str) -> None:
        self.path, self.line = str(path), line
        where = self.path if line is None else f"{self.path}, line {line}"
        super().__init__(f"{where}: {problem}")


class SeveralBodiesError(MotionFileError):
    """A motion file has several bodies and none was chosen; `bodies` are their root joints."""

    def __init__(self, path: object, bodies: Sequence[str]) -> None:
        self.bodies = tuple(bodies)
        super().__init__(path, None, f"name one of its bodies, {some(bodies)} (option body)")


class SkeletonError(LoomError):
    """A skeleton is not a tree or lacks required joints, or two skeletons do not match."""


class ClipError(LoomError):
    """A clip is too short, contains NaN or infinite values, or does not match its skeleton."""


class RigError(LoomError):
    """An armature or action uses an unsupported feature."""


class RegistrationError(LoomError):
    """Two clips can't be synchronised under the given limits."""


class GraphError(LoomError):
    """Clips do not connect to a motion graph, or a graph does not contain the requested walk."""


class PathError(GraphError):
    """A walk can't follow its path; `place` (x, y on the ground, metres) is the last point reached."""

    def __init__(self, message: str, place: tuple[float, float]) -> None:
        super().__init__(message)
        self.place = place


class LibraryError(LoomError):
    """A library of clips is damaged, missing or being written, or a clip can't be compared with its rows."""


class OptionError(LoomError):
    """An option's value is not one it accepts."""


class Cancelled(LoomError):  # noqa: N818  (it is not an error)
    """The user stopped the work."""

    def __init__(self) -> None:
        super().__init__("Cancelled")


# --- errors that several modules raise ------------------------------------------------------------------------------


def no_frame(name: str, frame: float, first: float, last: float) -> OptionError:
    """Return the error for a frame outside a clip.

    Example:
        >>> from action_loom.core import errors
        >>> print(errors.no_frame("walk", 40, 0, 33))
        walk has no frame 40: its frames are 0 to 33
    """
    return OptionError(f"{name} has no frame {frame:g}: its frames are {first:g} to {last:g}")


def wrong_rows(option: str, *columns: str) -> OptionError:
    """Return the error for a table whose rows do not have these columns.

    Example:
        >>> from action_loom.core import errors
        >>> print(errors.wrong_rows("start", "x", "y", "degrees"))
        start takes rows of x, y, degrees
    """
    return OptionError(f"{option} takes rows of {', '.join(columns)}")


def wrong_count(option: str, given: int, wanted: int) -> OptionError:
    """Return the error for an option with too many or too few values.

    Example:
        >>> from action_loom.core import errors
        >>> print(errors.wrong_count("weights", 2, 3))
        weights has 2 values, but takes 3
    """
    return OptionError(f"{option} has {given} values, but takes {wanted}")


def out_of_range(name: str, given: object, low: float, high: float, unit: str = "") -> OptionError:
    """Return the error for a number outside its range.

    Example:
        >>> from action_loom.core import errors
        >>> print(errors.out_of_range("window", 3.0, 0, 1, " s"))
        window is 3.0, but must lie between 0 and 1 s
    """
    return OptionError(f"{name} is {given}, but must lie between {low:g} and {high:g}{unit}")


def no_clip(option: str, number: float, count: int) -> OptionError:
    """Return the error for a row that names a missing clip.

    Example:
        >>> from action_loom.core import errors
        >>> print(errors.no_clip("poses", 3, 2))
        poses: there is no clip 3: clips are 1 to 2
    """
    return OptionError(f"{option}: there is no clip {number:g}: clips are 1 to {count}")


def not_one_of(name: str, value: str, known: Sequence[str]) -> OptionError:
    """Return the error for a value outside an option's choices.

    Example:
        >>> from action_loom.core import errors
        >>> print(errors.not_one_of("engine", "steam", ["numba", "numpy"]))
        engine is 'steam', but must be one of numba, numpy
    """
    return OptionError(f"{name} is {value!r}, but must be one of {', '.join(known)}")


def no_label(label: str, labels: Sequence[str]) -> OptionError:
    """Return the error for a label that no clip has.

    Example:
        >>> from action_loom.core import errors
        >>> print(errors.no_label("run", ["go", "go", "wave"]))
        no walk is among clips of the label 'run'; the labels of this graph are: go, wave
    """
    known = ", ".join(sorted(set(labels))) or "none"
    return OptionError(f"no walk is among clips of the label {label!r}; the labels of this graph are: {known}")


def given_twice(option: str, what: str) -> OptionError:
    """Return the error for two values of the same thing.

    Example:
        >>> from action_loom.core import errors
        >>> print(errors.given_twice("poses", "frame 7"))
        poses has frame 7 twice: keep one
    """
    return OptionError(f"{option} has {what} twice: keep one")


def both_given(one: str, other: str) -> OptionError:
    """Return the error for two options of which one only can be given.

    Example:
        >>> from action_loom.core import errors
        >>> print(errors.both_given("wishes", "places"))
        wishes and places were both given: give one of them
    """
    return OptionError(f"{one} and {other} were both given: give one of them")


def not_rising(option: str, column: str) -> OptionError:
    """Return the error for rows not sorted by a column.

    Example:
        >>> from action_loom.core import errors
        >>> print(errors.not_rising("wishes", "time"))
        wishes: each row must have a later time than the row before
    """
    return OptionError(f"{option}: each row must have a later {column} than the row before")
