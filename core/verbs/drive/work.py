"""Drive a body to a control signal over time, and bake the result as a clip (methods: Drive)."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...drive import controller, crowd, database, footing, ground, idle_plans, keep, route, variety, wishes
from ...drive.controller import Manner
from ...drive.database import Database, Rows
from ...drive.route import Route
from ...drive.springs import wrap_angle
from ...edit.feet import spans
from ...errors import OptionError, both_given, some, wrong_count, wrong_rows
from ...motion import frame_map, kinematics, limits
from ...motion.clip import Clip
from ...progress import SILENT, Progress
from ...quality import quality
from ...recipes import base
from ...recipes.drive import DriveOptions
from ...weave import planting, reporting
from ...weave.results import Result
from ..follow.result import FollowResult
from . import Drive, along, library, over

MOST = 50  # bodies of a crowd


@dataclass(frozen=True, eq=False)
class DriveResult(Result):
    """A driven clip.

    route : the played rows at each step; data : the searched database
    played (F,) : the rows with the largest weight in each frame, after jumps were moved
    settled : the walk as which the clip was replanned along its line, else None
    over : whether only the upper body plays the rows
    """

    route: Route
    data: Database
    played: Rows
    settled: FollowResult | None = None
    over: bool = False


def rows(
    clips: Sequence[Clip], options: DriveOptions, progress: Progress = SILENT, known: Database | None = None
) -> Database:
    """Return the motion-matching database of clips, including the library named in the options.

    known : an earlier result, returned again unless the library has changed. Raises ClipError for fewer than two clips,
    LibraryError as `library.clips_of` does, and the errors of `database.build`.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.recipes.drive import DriveOptions
        >>> from action_loom.core.verbs.drive import work
        >>> len(work.rows([actions.walk(cycles=1), actions.wave()], DriveOptions(mirror=False)).sources)
        2
    """
    stamp = library.stamp(options.library)
    if known is not None and known.library == stamp:
        return known
    left = ""
    if stamp is not None and clips:
        names = [clip.name for clip in clips]
        found, left = library.clips_of(options.library, clips[0], names, progress.part(0.0, 0.4))
        clips, progress = [*clips, *found], progress.part(0.4, 1.0)
    base.check_count("Drive", len(clips), 2, None)
    data = database.build(clips, mirror=options.mirror, travel=options, progress=progress)
    data = idle_plans.with_idling(data)
    return replace(data, library=stamp, sentences=(*data.sentences, left) if left else data.sentences)


def drive(
    clips: Sequence[Clip], recipe: Drive, progress: Progress = SILENT, data: Database | None = None
) -> DriveResult:
    """Return a clip of a body driven to the recipe's control signal, at the first clip's rate, with planted feet.

    The same clips and control signal give a bit-identical clip. Raises OptionError for an invalid control signal,
    and the errors of `rows`.

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> recipe = verbs.Drive(wishes=((0, 0, 1.3), (2, 0, 0), (3, 0, 0)))
        >>> result = verbs.apply(recipe, [actions.walk(cycles=1), actions.wave()])
        >>> result.clip.seconds, result.report["drive"]["length"] > 1.5
        (3.0, True)
    """
    began = time.perf_counter()
    wished = read_wishes(recipe)  # before the work, so that impossible ones are reported at once
    place, facing = begins(recipe)
    under = ground.of_rows(recipe.ground)
    _check_crowd(recipe)
    if recipe.upper_body_only and (len(under) or recipe.crowd):
        raise OptionError("upper_body_only keeps legs and way of an action, so it takes no ground and no crowd")
    legs = over.legs(clips, len(wished) / database.RATE) if recipe.upper_body_only else None
    data = rows(recipe.prepared_of(clips), recipe, progress.part(0.0, 0.3), data)
    name = recipe.result_name([clip.name for clip in clips])
    limits.check_size(name, len(wished), len(data.skeleton))
    part = progress.part(0.3, 0.8)

    def at(step: int) -> None:
        if step % 60 == 0:
            part.at(step / len(wished), "Driving")

    if recipe.crowd:
        bodies = [(data, place, facing), *((data, *begin_of(row)) for row in recipe.crowd)]
        each_wished = [crowd.later(wished, variety.later(data, k, recipe.variety)) for k in range(len(bodies))]
        each, _ = crowd.drive_crowd(bodies, each_wished, manner_of(recipe), at, leads=True, alike=not recipe.variety)
        states = each[recipe.which]
    else:
        states = route.drive_route(
            data, wished, manner_of(recipe), place, facing, at, recipe.which if recipe.variety else 0
        )
    driven = route.of_states(states)
    progress.at(0.8, "Making the result")
    data, figures, told = _vary_body(data, driven, recipe)
    made = keep.weave_route(data, driven, name)
    clip, standing = keep.at_rate(made, clips[0].rate)
    standing = keep.split_spans(clip, standing)
    figures |= _figures(data, driven, made)
    if legs is not None:
        clip, standing = over.splice_upper_body(legs, clip, name), []
    clip, planted = planting.of_result(clip, recipe, one_source=legs is not None, found=standing, travel=keep.TRAVELS)
    feet = planted.report
    if len(under):
        found = spans.of_rows(recipe.spans, len(clip)) if recipe.spans else standing
        clip, figures["ground"] = footing.place_on_ground(clip, found, under)
    settled: FollowResult | None = None
    if recipe.along_line:
        settled, why = along.replan_as_walk(data, driven, recipe, progress.part(0.8, 1.0))
        off, now = 0.0 if settled is None else settled.report["follow"]["rms"], figures["rms"]
        if settled is not None and off >= now:
            settled, why = (
                None,
                [
                    f"settled it would be {100.0 * off:.1f} cm off its line, and driven it is {100.0 * now:.1f} cm:"
                    " it is as it was driven"
                ],
            )
        told += why
        if settled is not None:
            clip, figures["along"] = replace(settled.clip, name=name), settled.report["follow"]
            feet = {key: settled.report[key] for key in feet}
    report: dict[str, Any] = {
        "dropped": frame_map.as_report(data.left_out),
        "drive": figures,
        "warnings": [],
        "quality": {"before": [quality.measure(one) for one in clips], "after": quality.measure(clip)},
        **feet,
        **reporting.common(
            recipe.verb, clips, clip, began, (*data.sentences, *data.lacks, *told, *_note_channels(clips))
        ),
    }
    return DriveResult(clip, report, 0, driven, data, made.rows, settled, legs is not None)


def manner_of(recipe: Drive) -> Manner:
    """Return the response of the body to its wishes; timed places do not wait for a body that lags.

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.verbs.drive import work
        >>> work.manner_of(verbs.Drive(places=((0, 0, 0), (0, 2, 2)))).waits
        False
    """
    return Manner(recipe.moves_well, waits=not recipe.places)


def read_wishes(recipe: Drive) -> list[controller.Wish]:
    """Return the control signal, one `Wish` per step; raises OptionError."""
    if recipe.wishes and recipe.places:
        raise both_given("wishes", "places")
    if not recipe.wishes and not recipe.places:
        raise OptionError("Nothing is wished yet: drive first, or give rows of time, vx and vy as wishes")
    return wishes.of_rows(recipe.wishes) if recipe.wishes else wishes.of_places(recipe.places)


def begins(recipe: Drive) -> tuple[complex, float]:
    """Return the start position x + iy and the start heading in radians; raises OptionError."""
    if not recipe.start:
        place = complex(*recipe.places[0][:2]) if recipe.places else 0j
        return place, 0.0
    if len(recipe.start) != 1 or len(recipe.start[0]) != 3:
        raise wrong_rows("start", "x", "y", "degrees")
    return begin_of(recipe.start[0])


def begin_of(row: Sequence[float]) -> tuple[complex, float]:
    """Return a position x + iy and a heading in radians from a row of x, y and degrees."""
    x, y, facing = row
    return complex(x, y), float(np.radians(facing))


def _check_crowd(recipe: Drive) -> None:
    if any(len(row) != 3 for row in recipe.crowd):
        raise wrong_rows("crowd", "x", "y", "degrees")
    if len(recipe.crowd) > MOST:
        raise wrong_count("crowd", len(recipe.crowd), MOST)
    if recipe.crowd and recipe.which > len(recipe.crowd):
        raise OptionError(f"which is {recipe.which}, but crowd has {len(recipe.crowd)} rows")


def _vary_body(data: Database, driven: Route, recipe: Drive) -> tuple[Database, dict[str, Any], list[str]]:
    """Return the database with the variation of a crowd body, its size in metres, and a sentence if there is none."""
    if not recipe.which or not recipe.variety:
        return data, {}, []
    own = variety.vary_person(data, recipe.which, recipe.variety)
    if own is None:
        return data, {}, ["none of its actions walks on two feet, so it moves as the first body does"]
    rows = np.unique(driven.row)
    apart = np.linalg.norm(kinematics.points(own.poses(rows)) - kinematics.points(data.poses(rows)), axis=2)
    weights = data.skeleton.point_weights
    return own, {"variety": round(float((apart @ weights).mean() / weights.sum()), 4)}, []


def _figures(data: Database, driven: Route, made: keep.Woven) -> dict[str, Any]:
    apart = np.abs(driven.place - driven.wished)
    turned = np.abs([wrap_angle(float(angle)) for angle in driven.facing - driven.wished_facing])
    used = np.bincount(data.clip[driven.row] % data.given, minlength=data.given)
    played: dict[str, float] = {}
    for k, count in enumerate(used):  # bent variants count under their own clip's name
        if count:
            name = data.clips[k].name
            played[name] = round(played.get(name, 0.0) + float(count / len(driven)), 4)
    return {
        "length": round(float(np.abs(np.diff(driven.place)).sum()), 3),
        "jumps": len(made.jumps),
        "rms": round(float(np.sqrt((apart**2).mean())), 4),
        "facing_95": round(float(np.degrees(np.percentile(turned, 95.0))), 2),
        "foot_moved_live": round(float(driven.moved.max(initial=0.0)), 4),
        "lacks": list(data.lacks),
        "played": played,
    }


def _note_channels(clips: Sequence[Clip]) -> list[str]:
    names = sorted({name for clip in clips for name in clip.channels})
    return [f"other curves are not driven ({some(names)})"] if names else []
