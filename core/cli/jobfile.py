"""Job files: many jobs in one TOML file, checked as a whole before any of them runs."""

import glob
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import LoomError, OptionError
from ..jit import ENGINES
from ..motion import bvh, units
from ..options import Option, declared
from ..recipes import RECIPES, Recipe
from . import outputs
from .job import Job, plan


@dataclass(frozen=True)
class _Units(Option):
    def checked(self, value: Any) -> Any:
        if value != "auto":
            units.metres(value)
        return value


def _by_name(*options: Option) -> dict[str, Option]:
    return {about.name: about for about in options}


FOR_ALL = _by_name(
    _Units("units", "auto", "Of the files"),
    Option("up", "auto", "The files' upward axis", choices=bvh.UPS),
    Option("force", False, "Overwrite files that exist"),
    Option("folder", "", "Where results go that have no output of their own"),
)
FOR_THE_RUN = _by_name(
    Option("engine", "auto", "What computes the recurrences", choices=ENGINES),
    Option("quiet", False, "No progress bar, no summary"),
    Option("report", "", "Where the figures of all jobs go"),
)
FOR_ONE = _by_name(
    Option("name", "", "What messages call it"),
    Option("each", "", "A pattern; the job is done once for each file that matches, as the last of its clips"),
    Option("output", "", "Where the result goes"),
    Option("report", "", "Where the figures go"),
    Option("picture", "", "Where the picture goes"),
)
_KINDS = {bool: "true or false", str: "a text", int: "a number", float: "a number", tuple: "numbers in brackets"}


@dataclass(frozen=True)
class Entry:
    """A job, the number of its table in the file, and its name where it has one."""

    number: int
    name: str
    job: Job

    @property
    def label(self) -> str:
        return _label(self.number, self.name)


@dataclass(frozen=True)
class JobFile:
    """The jobs of a file and what holds for all of them together."""

    entries: tuple[Entry, ...]
    report: Path | None
    engine: str | None
    quiet: bool


def read(path: str, flags: Mapping[str, Any], report: str | None = None) -> JobFile:
    """Read a job file and check all that can be known before the work.

    flags : values that take the place of the file's own; report : likewise, from the current folder
    Raises OptionError for flags, LoomError with the file, the line or the job, and the key for all else.
    """
    flags = {key: _checked(FOR_ALL[key], value) for key, value in flags.items()}
    values = _parse(path)
    tables = values.pop("job", None)
    if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
        raise LoomError(f"{path}: there are no jobs; each begins with [[job]]")
    folder = os.path.dirname(path)
    try:
        for key, value in values.items():
            _check_default(key, value)
        defaults = values | flags
        if report is None:
            report = _beside(folder, defaults.get("report"))
        place = None if report is None else Path(report)
        outputs.check([place], defaults.get("force", False))
    except LoomError as error:
        raise LoomError(f"{path}: {error}") from None
    entries = []
    for number, table in enumerate(tables, 1):
        name = table.get("name")
        label = _label(number, name if isinstance(name, str) else "")
        try:
            entries += _entries(number, table, defaults, flags, folder)
        except LoomError as error:
            raise LoomError(f"{path}, {label}: {error}") from None
    _check_together(path, entries, place)
    return JobFile(tuple(entries), place, defaults.get("engine"), defaults.get("quiet", False))


def _parse(path: str) -> dict[str, Any]:
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
        return tomllib.loads(text)
    except OSError as error:
        raise LoomError(f"{path}: can't be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise LoomError(f"{path}, line {line}: this is not UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        found = re.fullmatch(r"(.*) \(at (?:line (\d+), column \d+|end of document)\)", str(error), re.DOTALL)
        problem, line_number = found.groups() if found else (str(error), None)
        raise LoomError(f"{path}, line {line_number or len(text.splitlines())}: {problem}") from None
    except RecursionError:
        raise LoomError(f"{path}: brackets within brackets within brackets, too many of them") from None


def _label(number: int, name: str) -> str:
    return f"job {number} ({name})" if name else f"job {number}"


def _check_default(key: str, value: Any) -> None:
    """Raise OptionError for a value at the top of the file that no verb accepts."""
    accepting = [options[key] for options in (FOR_ALL, FOR_THE_RUN, *map(declared, RECIPES.values())) if key in options]
    trouble = OptionError(f"there is no key {key!r}")
    for about in accepting:
        try:
            _checked(about, value)
        except OptionError as error:
            trouble = error
        else:
            return
    raise trouble


def _checked(about: Option, value: Any) -> Any:
    """Return a value in the option's own type; what is text on a command line has a type here."""
    if about.kind is str and not about.choices and isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:.12g}"  # reference = 2, units = 0.01
    if about.table:
        fits = isinstance(value, list) and all(_are_numbers(row) for row in value)
    elif about.kind is tuple:
        fits = _are_numbers(value)
    elif about.kind in (int, float):
        fits = _are_numbers([value])
    else:
        fits = isinstance(value, about.kind) and "\0" not in str(value)
    if not fits:
        kind = "rows of numbers, such as [[0, 1], [1, 0]]" if about.table else _KINDS[about.kind]
        raise OptionError(f"{about.name} is {value!r}, but must be {kind}")
    return about.checked(value)


def _are_numbers(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)


def _entries(
    number: int, table: Mapping[str, Any], defaults: Mapping[str, Any], flags: Mapping[str, Any], folder: str
) -> list[Entry]:
    """Return the job of a table, or a job for each of its files; raises LoomError kinds."""
    verb, recipe = _verb(table)
    options = declared(recipe)
    known = FOR_ALL | FOR_ONE | options
    own = {key: value for key, value in table.items() if key not in ("verb", "clips")}
    for key in own:
        if key not in known:
            raise OptionError(f"there is no key {key!r} for {verb}")
    inherited = {key: value for key, value in defaults.items() if key in FOR_ALL | options}
    given = {key: _checked(known[key], value) for key, value in (inherited | own | dict(flags)).items()}
    output = given.get("output") or (f"{given['folder']}/" if given.get("folder") else "")
    if not output:
        raise OptionError("output is missing, and there is no folder for it either")
    made = recipe(**{key: given[key] for key in options if key in given})
    name, each = given.get("name", ""), given.get("each", "")
    return [
        Entry(
            number,
            f"{name} {Path(files[-1]).stem}".strip() if each else name,
            plan(
                made,
                files,
                output=_beside(folder, output),
                report=_beside(folder, given.get("report")),
                picture=_beside(folder, given.get("picture")),
                units=given.get("units", "auto"),
                up=given.get("up", "auto"),
                force=given.get("force", False),
            ),
        )
        for files in _clips(table, folder, each)
    ]


def _verb(table: Mapping[str, Any]) -> tuple[str, type[Recipe]]:
    verb = table.get("verb")
    if not isinstance(verb, str) or verb not in RECIPES:
        problem = "is missing" if verb is None else f"is {verb!r}"
        raise OptionError(f"verb {problem}, but must be one of {', '.join(RECIPES)}")
    return verb, RECIPES[verb]


def _clips(table: Mapping[str, Any], folder: str, each: str) -> list[list[str]]:
    """Return the clips of each job that a table stands for."""
    patterns = table.get("clips", [])
    if not isinstance(patterns, list) or not all(isinstance(p, str) and "\0" not in p for p in patterns):
        raise OptionError(f'clips is {patterns!r}, but must be names of files, such as ["walk.bvh", "run*.bvh"]')
    clips = [file for pattern in patterns for file in _matching("clips", pattern, folder)]
    if each:
        return [[*clips, file] for file in _matching("each", each, folder)]
    if not clips:
        raise OptionError("clips is missing: no file is named")
    return [clips]


def _matching(key: str, pattern: str, folder: str) -> list[str]:
    """Return the file of that name, or else the files that match, in alphabetical order."""
    pattern = os.path.expanduser(pattern)
    named = os.path.join(folder, pattern)
    if os.path.isfile(named):
        return [named]
    if not set(pattern) & set("*?["):
        raise OptionError(f"{key}: there is no file {named}")
    # The folder is no pattern, whatever letters it has.
    found = glob.glob(os.path.join(glob.escape(folder), pattern), recursive=True)
    files = sorted(file for file in found if os.path.isfile(file))
    if not files:
        raise OptionError(f"{key}: no file matches {named}")
    return files


def _beside(folder: str, path: str | None) -> str | None:
    """Return a path that the job file names, relative to its folder; None for none."""
    return os.path.join(folder, os.path.expanduser(path)) if path else None


def _check_together(path: str, entries: list[Entry], report: Path | None) -> None:
    """Raise LoomError for files that can't be written, or that two jobs write, or that one reads and another writes."""
    writers = {} if report is None else {outputs.identity(report): (-1, "the report of all jobs")}
    for place, entry in enumerate(entries):
        for key in ("output", "report", "picture"):
            output: Path | None = getattr(entry.job, key)
            if output is None:
                continue
            try:
                outputs.check([output], entry.job.force, entry.job.folders)
            except LoomError as error:
                raise LoomError(f"{path}, {entry.label}: {key}: {error}") from None
            same = outputs.identity(output)
            if same in writers:
                raise LoomError(f"{path}, {entry.label}: {key}: {output} is already written by {writers[same][1]}")
            writers[same] = place, f"{entry.label}, {key}"
    for place, entry in enumerate(entries):
        for clip in entry.job.clips:
            writing, other = writers.get(outputs.identity(clip), (place, ""))
            if writing != place:
                raise LoomError(f"{path}, {entry.label}: clips: {clip} is written by {other}")
