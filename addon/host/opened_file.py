"""Give the command line the opened file to work on: clips are an armature's actions, results are new actions."""

import argparse
import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import bpy

from ...core.cli import cuts, host
from ...core.cli.host import Command, Destination, Kept, PerClip, Settings, Sources
from ...core.cli.reading import Units
from ...core.errors import LoomError, OptionError, RigError
from ...core.formats import motion_file, units
from ...core.formats.motion_file import UPS, Convention
from ...core.formats.registry import writable
from ...core.motion.clip import Clip
from ...core.options import Choice, Option, by_name, declared_options
from ...core.recipes.base import Recipe
from ...core.recipes.matching import Matching
from ...core.recipes.reading import ReadingOptions, Request, Source, SourceOptions
from ...core.recipes.result import ResultOptions
from ...core.verbs import VERBS
from ...core.weave.results import Result
from ..bridge import curves, rates, rig_check
from ..ground.blender_types import SlottedAction, by_full_name, present, scene_of
from ..model import readiness, storage
from ..services.results import rebuilding
from ..services.sources import source_list
from ..services.weaving import reading
from ..services.weaving.reading import Inputs

_MOST_NAMES = 10  # names listed in a message


class _Rates(PerClip):
    def one(self, clip: str, value: Any) -> float:
        _action(clip, self.name)
        about = dataclasses.replace(declared_options(SourceOptions)["rate"], name=f"rate of {clip}", minimum=1e-3)
        return float(about.checked(value))


class _Ranges(PerClip):
    def one(self, clip: str, value: Any) -> tuple[int, int]:
        _action(clip, self.name)
        bounds = value.split(":") if isinstance(value, str) else value
        try:
            first, last = (int(bound) for bound in bounds)
        except (TypeError, ValueError):
            raise OptionError(f"range of {clip} is {value!r}, but must be two frames, such as 1:200") from None
        if first >= last:
            raise OptionError(f"range of {clip} is {value!r}, but must end after it begins")
        return first, last


class OpenedFile(host.Host):
    """The host of `--command action_loom`: the actions of the open file."""

    name = "action_loom"
    usage = "blender --background FILE.blend --command action_loom"
    clip = "ACTION"
    lists = True
    parallel = False
    draws = False
    several_bodies = False  # the actions of one armature
    single = frozenset({"result_name"})

    def __init__(self, commands: Mapping[str, Command] | None = None) -> None:
        """Set up the options; motion files do not have the given commands."""
        text = "Whose actions are meant; if not given, the only one's that has some, or else the active one's"
        self._commands = commands or {}
        self.armature = by_name(Option("armature", "", text))
        self.reading = self.armature | by_name(
            _Rates("rate", {}, "Frames per second that an action was made at, if not the scene's: Walk=120"),
            _Ranges("range", {}, "First and last frame of an action that are read, if not all: Walk=1:200"),
            *declared_options(ReadingOptions).values(),
        )
        self.exporting = by_name(
            Units("units", "auto", f"Of exported files: {', '.join(units.UNITS)} or metres a unit; auto is cm"),
            Option("up", "auto", "Exported files' upward axis; auto is y", choices=tuple(map(Choice, UPS))),
        )
        self.making = {**declared_options(ResultOptions), **self.exporting}

    @property
    def commands(self) -> Mapping[str, Command]:
        return self._commands

    def add_output(self, parser: argparse.ArgumentParser, verb: str) -> None:
        if verb in VERBS and VERBS[verb].makes == "graph":
            text = "the graph, with its clips; in a folder (FOLDER/), the file is named after it"
            parser.add_argument("-o", "--output", metavar="OUT.npz", required=True, help=text)
            return
        text = "save a copy of the file with the result as OUT.blend"
        if verb != "run":
            text += f", or export the result ({', '.join(writable())}); in a folder (FOLDER/), that is named after it"
        parser.add_argument("-o", "--output", metavar="OUT", help=text)
        parser.add_argument("--save", action="store_true", help="save the opened file, with the result")

    def destination(self, arguments: argparse.Namespace) -> Destination:
        output, recipe = arguments.output, getattr(arguments, "recipe", None)
        copy = Path(output) if output is not None and output.lower().endswith(".blend") else None
        if recipe is not None and VERBS[recipe.verb].makes == "graph":
            if copy is not None:
                raise OptionError(f"-o is {output!r}, but graphs are kept as .npz")
            return Destination(output)
        many = recipe is None and arguments.verb == "run"
        if many and output is not None and copy is None:
            raise OptionError(f"-o is {output!r}, but must be a .blend; where motion files go is said in the job file")
        reported = arguments.report is not None or getattr(arguments, "timewarp", None) is not None
        figures = recipe is not None and issubclass(recipe, Matching) and reported
        if not many and output is None and not arguments.save and not figures:
            raise OptionError("nothing would come of it: --save saves the opened file, -o makes a .blend or a .bvh")
        if arguments.save and not bpy.data.filepath:
            raise LoomError("the opened file has no name to be saved under: give it one with -o FILE.blend")
        return Destination(output if copy is None else None, arguments.save, copy)

    def read(self, clips: Sequence[str], settings: Settings, recipe: Recipe | None = None) -> Sources:
        armature = self._armature(settings)
        sources = tuple(_source(name, settings) for name in clips)
        request = Request(
            sources=sources,
            reading=ReadingOptions(**_read_settings(ReadingOptions, settings)),
            result=ResultOptions(**_read_settings(ResultOptions, settings)),
        )
        read = reading.read(bpy.context, armature, request, recipe)
        return _Actions(armature.name, request, read, _convention(settings))

    def result(self, name: str, settings: Settings, *, overwrite_edits: bool) -> Sources:
        """Read the current sources of a result, to make it again in place."""
        action = _action(name)
        again = rebuilding.inputs_of(action, overwrite_edits=overwrite_edits)
        armature = again.armature or self._armature(settings)
        _refuse_unready(armature)
        read = rebuilding.read_again(scene_of(bpy.context), armature, again).read
        return _Actions(armature.name, again.request, read, _convention(settings), again.into)

    def recipe(self, name: str) -> Recipe:
        """Return the recipe that made an action."""
        recipe = storage.recipe_of(_action(name))
        if recipe is None:
            raise LoomError(f"{name} was not made by Action Loom")
        return recipe

    def matching(self, key: str, pattern: str, folder: str, settings: Settings) -> list[str]:
        """Return the action of that name, or the armature's actions that match the pattern, sorted."""
        name = cuts.split(pattern).clip
        part, pattern = pattern[len(name) :], name
        if pattern in bpy.data.actions:
            return [pattern + part]
        if not set(pattern) & set("*?["):
            _action(pattern, key)
        found = [name + part for name in self.every(settings) if fnmatchcase(name, pattern)]
        if not found:
            raise OptionError(f"{key}: no action matches {pattern!r}")
        return found

    def checked(self, name: str, settings: Settings) -> rig_check.Checked:
        """Compare an action with Blender's evaluation; raises LoomError kinds."""
        armature, action, scene = self._armature(settings), _action(name), scene_of(bpy.context)
        slot = curves.choose_slot(action, armature)
        return rig_check.check(scene, armature, action, slot, list(scene.objects))

    def every(self, settings: Settings) -> list[str]:
        armature = self._armature(settings)
        found = sorted(action.name for action in bpy.data.actions if source_list.moves(action, armature).bones)
        if not found:
            raise LoomError(f"{armature.name} has no actions")
        return found

    def title(self, clip: str) -> str:
        cut = cuts.split(clip)
        return f"{cut.clip} {cut.part}".strip()

    def wanted_name(self, settings: Settings) -> str:
        return str(settings.get("result_name", ""))

    def file_of(self, clip: str) -> str | None:
        return None

    def skeleton_of(self, clip: str, settings: Settings) -> str | None:
        return None

    def about_file(self, facts: Mapping[str, Any]) -> str:
        return f"on {facts['armature']}, from frame {facts['first_frame']:g}"

    def place(self, destination: Destination) -> Path | None:
        return Path(bpy.data.filepath) if destination.save else destination.copy

    def save(self, destination: Destination) -> None:
        if destination.copy is not None:
            path = str(destination.copy.absolute())
            _save_file(path, bpy.ops.wm.save_as_mainfile, filepath=path, copy=True, check_existing=False)
        if destination.save:
            _save_file(bpy.data.filepath, bpy.ops.wm.save_mainfile, check_existing=False)

    def _armature(self, settings: Settings) -> bpy.types.Object:
        """Return the target armature; raises RigError if it is ambiguous or can't be used."""
        scene, name = scene_of(bpy.context), settings["armature"]
        there = [item for item in scene.objects if item.type == "ARMATURE"]
        if not there:
            raise RigError(f"there is no armature in the scene {scene.name!r}")
        names = _join_names(item.name for item in there)
        if name:
            found = [item for item in there if item.name == name]
            if not found:
                raise RigError(f"there is no armature {name!r} in the scene {scene.name!r}; the armatures are {names}")
        else:
            moved = [
                item for item in there if any(source_list.moves(action, item).bones for action in bpy.data.actions)
            ]
            found = moved or there
            if len(found) > 1:
                active = present(bpy.context.view_layer).objects.active
                found = [item for item in there if item == active]
            if not found:
                raise RigError(f"which armature is meant? --armature names one of {names}")
        _refuse_unready(found[0])
        return found[0]


@dataclass(frozen=True, eq=False)
class _Actions(Sources):
    """Actions that were read; `into` is the result to replace, None for a new one."""

    armature: str
    request: Request
    read: reading.Read
    convention: Convention
    into: SlottedAction | None = None

    @property
    def clips(self) -> list[Clip]:
        return self.read.clips

    @property
    def partner(self) -> Sources | None:
        theirs = self.read.partner
        return None if theirs is None else dataclasses.replace(self, request=theirs.request, read=theirs.read)

    @property
    def notes(self) -> list[str]:
        return self.read.notes

    def report(self) -> dict[str, Any]:
        return {"inputs": [source.name for source in self.request.sources], "armature": self.armature}

    def facts(self) -> dict[str, Any]:
        source = self.read.sources[0]
        return {"clip": source.clip.name, "armature": self.armature, "first_frame": source.first_frame}

    def compose(self, woven: Result, path: Path) -> bytes:
        return motion_file.compose(woven.clip, path, None, self.convention)

    def keep(self, recipe: Recipe, woven: Result) -> Kept:
        written = rebuilding.write(bpy.context, Inputs(self.request, self.read, recipe), woven, self.into)
        return Kept(written.action.name, written.notes)


def _action(name: str, key: str = "") -> bpy.types.Action:
    action = by_full_name(bpy.data.actions, name)
    if action is None:
        where = f"{key}: " if key else ""
        raise LoomError(f"{where}there is no action {name!r}; the actions are {_join_names(bpy.data.actions.keys())}")
    return action


def _source(text: str, settings: Settings) -> Source:
    """Return an action as a source, or the named part of it, in scene frames or in seconds."""
    cut = cuts.split(text)
    action = _action(cut.clip)
    first, last = settings["range"].get(cut.clip) or (0, 0)
    rate = settings["rate"].get(cut.clip, 0.0)
    if cut.part:
        begin, end = (round(frame) for frame in action.frame_range[:])
        own = rate or rates.rate_of(action) or rates.of_scene(scene_of(bpy.context))
        first = cuts.frame(cut.first, begin, own) if cut.first else begin
        last = cuts.frame(cut.last, begin, own) if cut.last else end
        if not begin <= first < last <= end:
            raise OptionError(f"{text}: {action.name} has frames {begin} to {end}; name a first and a later last one")
    return Source(name=action.name_full, rate=rate, first=first, last=last)


def _read_settings(declaration: type, settings: Settings) -> dict[str, Any]:
    """Return the settings that are options of a declaration."""
    return {name: settings[name] for name in declared_options(declaration) if name in settings}


def _join_names(names: Iterable[str]) -> str:
    known = sorted(names)
    more = f" and {len(known) - _MOST_NAMES} more" if len(known) > _MOST_NAMES else ""
    return (", ".join(known[:_MOST_NAMES]) or "none") + more


def _convention(settings: Settings) -> Convention:
    """Return the unit and upward axis of exported files, with the defaults of the `action-loom` command."""
    unit, up = (settings.get(name, "auto") for name in ("units", "up"))
    unit = "cm" if unit == "auto" else unit
    return Convention(unit, units.metres(unit), "y" if up == "auto" else up, False)


def _refuse_unready(armature: bpy.types.Object) -> None:
    """Raise RigError for an armature that the operators also refuse."""
    why = readiness.why_not(armature)
    if why:
        raise RigError(why)


def _save_file(path: str, save: Callable[..., object], **how: Any) -> None:
    try:
        save(**how)
    except RuntimeError as error:
        why = " ".join(str(error).removeprefix("Error: ").split())
        raise LoomError(f"{path} can't be saved ({why})") from None
