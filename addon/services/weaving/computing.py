"""Compute: do what a recipe says with clips that were read.

It touches nothing of Blender's, so it may run in a thread.
"""

from typing import Any

from ....core import verbs
from ....core.progress import Progress
from ....core.recipes.base import Recipe
from . import prepared
from .reading import Read


def compute(read: Read, recipe: Recipe, progress: Progress) -> Any:
    """Do what a recipe says with what was read; touches nothing of Blender's, so it can run in a thread.

    A registration or a graph that is known for the same clips and options is used again. Returns what `verbs.apply`
    does.
    """
    ready = prepared.prepared(recipe, read.clips, progress.part(0.0, 0.7))
    return verbs.apply(recipe, read.clips, progress.part(0.7, 1.0), ready)
