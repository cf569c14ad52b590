"""One job of a command line or a job file: clips, a recipe, and the files to make."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .. import files, jit, verbs
from ..errors import ClipError, OptionError
from ..formats import motion_file, registry
from ..options import declared_options
from ..progress import SILENT, Progress
from ..recipes.base import Recipe
from ..recipes.graph import GraphWalk
from ..recipes.result import ResultOptions
from . import artefacts, outputs, summary, timewarps
from .artefacts import Kind
from .host import Host, Settings, Sources

ADAPTS = declared_options(ResultOptions)["adapts"]


@dataclass(frozen=True, kw_only=True)
class Job:
    """A recipe for clips, with the files to make; it can be pickled for another process.

    settings : of the host: how clips are read, and settings of the result
    artefact : the file of the motion graph or style to use, None to make it from the clips
    output, report, picture, timewarp : the files to make, None if not requested
    partners : the clip of a second figure for each clip, or none; its result goes beside the output
    adapts : whose arms keep the contacts of their hands
    kept_in : the opened file that keeps the result, or None
    folders : missing folders to create
    """

    host: Host
    recipe: Recipe
    clips: tuple[str, ...]
    settings: Settings
    output: Path | None
    report: Path | None
    folders: frozenset[Path]
    force: bool
    artefact: str | None = None
    picture: Path | None = None
    timewarp: Path | None = None
    kept_in: Path | None = None
    partners: tuple[str, ...] = ()
    adapts: str = ADAPTS.default

    @property
    def partner_output(self) -> Path | None:
        """The file of the partner's result: "Hug partner.bvh" beside "Hug.bvh"."""
        if self.output is None or not self.partners:
            return None
        return self.output.with_name(f"{self.output.stem} partner{self.output.suffix}")

    @property
    def outputs(self) -> list[Path]:
        every = (self.output, self.partner_output, self.report, self.picture, self.timewarp)
        return [path for path in every if path is not None]

    @property
    def inputs(self) -> list[str]:
        clips = (*self.clips, *self.partners)
        skeletons = dict.fromkeys(self.host.skeleton_of(clip, self.settings) for clip in clips)
        read = (*map(self.host.file_of, clips), *skeletons, self.artefact)
        return [path for path in read if path is not None]


@dataclass(frozen=True)
class Made:
    """The result of a job: its name, the contents of its files, its report, and its summary in a few lines."""

    name: str
    contents: dict[Path, bytes]
    report: dict[str, Any]
    summary: str


def plan(
    host: Host,
    recipe: Recipe,
    clips: Sequence[str],
    settings: Settings,
    *,
    title: str = "",
    artefact: str | None = None,
    output: str | None = None,
    report: str | None = None,
    picture: str | None = None,
    timewarp: str | None = None,
    kept_in: Path | None = None,
    force: bool = False,
    partners: Sequence[str] = (),
    adapts: str = ADAPTS.default,
) -> Job:
    """Return a job; files in output folders are named after the result (`title`). Raises OptionError."""
    host.check_picture(picture)
    if picture is not None and not verbs.VERBS[recipe.verb].picture:
        raise OptionError(f"{recipe.verb} draws no picture")
    walks = isinstance(recipe, GraphWalk)
    if not clips and not (walks and artefact is not None):
        raise OptionError(f"{recipe.verb} takes clips{', or a graph' if walks else ''}")
    if timewarp is not None:
        timewarps.check(recipe, len(clips))
    if partners and (artefact is not None or not recipe.takes_partner_files()):
        raise OptionError(f"{recipe.label} takes no partner")
    if partners and len(partners) != len(clips):
        raise OptionError(f"{recipe.verb} takes a partner for each clip: {len(clips)} clips, {len(partners)} partners")
    names = [Path(artefact).stem] if walks and artefact is not None else [host.title(clip) for clip in clips]
    title = title or host.wanted_name(settings) or recipe.result_name(names)
    ending = artefacts.SUFFIX if artefacts.made_by(recipe) is not None else registry.DEFAULT
    given = [(output, ending), (report, ".json"), (picture, ".png"), (timewarp, ".csv")]
    places = [None if path is None else outputs.place(path, title, suffix) for path, suffix in given]
    if places[0] is not None:
        _check_suffix(recipe, places[0])
    if places[2] is not None and places[2].suffix.lower() not in ("", ".png") and not files.takes_bytes(places[2]):
        raise OptionError(f"{places[2]} is to be a picture, and must end in .png")
    folders = frozenset(f for path, _ in given if path is not None and (f := outputs.folder(path)) is not None)
    return Job(
        host=host,
        recipe=recipe,
        clips=tuple(clips),
        settings=settings,
        artefact=artefact,
        output=places[0],
        report=places[1],
        picture=places[2],
        timewarp=places[3],
        kept_in=kept_in,
        folders=folders,
        force=force,
        partners=tuple(partners),
        adapts=adapts,
    )


def _check_suffix(recipe: Recipe, output: Path) -> None:
    """Raise OptionError for a file name that does not suit the result of a recipe."""
    kind = artefacts.made_by(recipe)
    if kind is None:
        motion_file.format_of(output)
    elif output.suffix.lower() != artefacts.SUFFIX and not files.takes_bytes(output):
        raise OptionError(f"{output} is to be {kind.title}, and must end in {artefacts.SUFFIX}")


def make(job: Job, progress: Progress = SILENT, *, alone: bool = False) -> Made:
    """Return the result of a job: clips are read, but no file is written yet. Raises LoomError kinds.

    alone : whether this is the only work of the process
    """
    kind = artefacts.used_by(job.recipe)
    if job.artefact is None or kind is None:
        sources = job.host.read(job.clips, job.settings, job.recipe)
        with jit.only_work(sum(map(len, sources.clips)) if alone else sys.maxsize):
            return make_of(sources, job, progress)
    used = kind.load(job.artefact)
    if job.kept_in is not None:
        # The opened file must contain all sources of its result.
        if not isinstance(job.recipe, GraphWalk):
            raise OptionError(
                f"{kind.title} from a file is not used inside Blender: name the actions it is learnt from"
            )
        walked, recipe = used.report["names"], job.recipe
        if "mirror" in declared_options(type(recipe)):  # so that a rebuild has the same mirror images
            recipe = replace(recipe, mirror=used.inputs.given < len(used.inputs.clips))  # type: ignore[call-arg]
        job = replace(job, recipe=recipe.after(len(walked)), clips=(*walked, *job.clips))
    return make_of(job.host.read(job.clips, job.settings, job.recipe), job, progress, used)


def make_of(sources: Sources, job: Job, progress: Progress = SILENT, prepared: Any = None) -> Made:
    """Return the result of a job with clips already read; `prepared` as in `verbs.apply`."""
    alone = {**job.settings, "contacts": ""}  # they are the first figure's
    others = job.host.read(job.partners, alone, job.recipe) if job.partners else sources.partner
    if others is not None:
        _check_frames(*(job.recipe.with_motion(one.clips) for one in (sources, others)))
        given = job.recipe, sources.clips, others.clips, job.settings.get("adapts", job.adapts), progress, prepared
        made = verbs.apply_with_partner(*given)
    else:
        made = verbs.apply(job.recipe, sources.clips, progress, prepared)
    kind = artefacts.made_by(job.recipe)
    if kind is not None:
        return _artefact_made(sources, job, made, kind)
    contents = {}
    if job.output is not None:
        contents[job.output] = sources.compose(made, job.output)
    if job.partner_output is not None and others is not None:
        contents[job.partner_output] = others.compose(made.partner, job.partner_output)
    if job.picture is not None:
        contents[job.picture] = verbs.picture(job.recipe, made)
    if job.timewarp is not None:
        contents[job.timewarp] = timewarps.compose(made, sources.clips)
    name, notes = job.host.wanted_name(job.settings) or made.clip.name, tuple(sources.notes)
    output = job.output or job.kept_in
    # The sources of a graph walk are the graph's clips.
    of_sources = {} if job.artefact and isinstance(job.recipe, GraphWalk) else sources.report()
    report = made.report | of_sources | {"output": None if output is None else str(output)}
    if job.kept_in is not None:
        kept = sources.keep(job.recipe, made)
        name, notes, report = kept.name, notes + kept.notes, report | {"action": kept.name}
    report["warnings"] = [*notes, *made.report["warnings"]]
    if job.report is not None:
        contents[job.report] = outputs.as_json(report)
    return Made(name, contents, report, "\n".join(summary.lines(name, report, job.recipe)))


def _check_frames(clips: Sequence[Any], partners: Sequence[Any]) -> None:
    """Raise ClipError unless the partner's clips have the frames of the others."""
    for clip, partner in zip(clips, partners, strict=True):
        if len(clip) != len(partner) or abs(clip.rate - partner.rate) > 1e-6:
            raise ClipError(
                f"{clip.name} has {len(clip)} frames at {clip.rate:g} a second and its partner {partner.name}"
                f" {len(partner)} at {partner.rate:g}: cut or re-time one of them"
            )


def _artefact_made(sources: Sources, job: Job, made: Any, kind: Kind) -> Made:
    """Return the result of a job that makes a motion graph or a style, named after its file."""
    report = made.report | sources.report() | {"output": None if job.output is None else str(job.output)}
    report["warnings"] = [*sources.notes, *made.report["warnings"]]
    made = replace(made, name=made.name if job.output is None else job.output.stem, report=report)
    contents = {}
    if job.output is not None:
        contents[job.output] = kind.compose(made)
    if job.picture is not None:
        contents[job.picture] = verbs.picture(job.recipe, made)
    if job.report is not None:
        contents[job.report] = outputs.as_json(report)
    return Made(made.name, contents, report, "\n".join(kind.lines(made)))
