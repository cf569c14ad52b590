"""Import files of 3D points, as from video or markers, as actions of a character or of new armatures.

All files are read and solved before anything is written, so a broken file leaves the scene unchanged.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

import bpy

from ....core.errors import LoomError
from ....core.motion import resample
from ....core.points import read, solve
from ....core.points.solve import Solved
from ....core.progress import Progress
from ....core.recipes.points import FromPoints
from ...ground import steps
from . import import_motion, onto_armature
from .import_motion import Brought, FileReading
from .onto_armature import File, Moved


@dataclass(frozen=True, eq=False)
class Given:
    """The scene's data for an import (see `import_motion.Given`), and the options of points."""

    scene: import_motion.Given
    options: FromPoints


@dataclass(frozen=True, eq=False)
class Made(Brought):
    """The result of reading (see `import_motion.Brought`), and the points of its actions on old and new armatures."""

    onto: tuple[Solved, ...] = ()
    alone: tuple[Solved, ...] = ()


def given_in_steps(
    context: bpy.types.Context, paths: Sequence[str], options: FromPoints, onto: str, limbs: str, *, here: bool
) -> steps.Steps[Given]:
    """Collect the data of the scene; raises LoomError kinds."""
    reading = FileReading(
        to_scene_rate=True, onto=onto, plant_feet=options.plant_feet, trim=False, limbs=limbs, here=here
    )
    scene = yield from import_motion.given_in_steps(context, paths, reading)
    return Given(scene, options)


def fit_points(given: Given, progress: Progress) -> Made:
    """Read and solve the points of all files; touches no Blender data. Raises LoomError kinds.

    The first person goes onto the armature if it is a character or if requested, all others onto new armatures.
    """
    scene, notes = given.scene, list[str]()
    found = []
    for path in scene.paths:
        people = read.people(path, given.options.order)
        stem = os.path.splitext(os.path.basename(path))[0]
        found += [(f"{stem} {one.person}" if len(people) > 1 else stem, one) for one in people]
    moved: list[Moved] = []
    groups: list[tuple[File, ...]] = []
    refused: list[str] = []
    points: tuple[list[Solved], list[Solved]] = [], []
    for done, (name, recording) in enumerate(found):
        part = progress.part(0.1 + 0.9 * done / len(found), 0.1 + 0.9 * (done + 1) / len(found))
        solved = solve.solve(recording, given.options, name, progress=part)
        file = File(resample.to_rate(solved.clip, scene.rate), (True,) * len(solved.skeleton), solved.clip.rate)
        if scene.to is None or not scene.carry or moved or refused:
            groups.append((file,))
            points[1].append(solved)
            notes += solved.sentences
            continue
        notes += solved.sentences[: len(solved.sentences) - len(solved.of_planting)]  # the character's feet have theirs
        try:
            moved.append(_onto(scene, file, solved))
            points[0].append(solved)
        except LoomError as error:
            refused.append(f"{error}; set Onto to New Armature to import it as it is")
    onto, alone = map(tuple, points)
    return Made(tuple(moved), tuple(groups), tuple(notes), tuple(refused), (), onto=onto, alone=alone)


def _onto(scene: import_motion.Given, file: File, solved: Solved) -> Moved:
    assert scene.to is not None
    reading = scene.reading
    one = onto_armature.posed_onto(file, solved, scene.to, plant_feet=reading.plant_feet, limbs=reading.limbs)
    return import_motion.move_here(replace(one, clip=resample.to_rate(one.clip, scene.rate)), scene.stand)
