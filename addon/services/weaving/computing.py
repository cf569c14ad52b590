"""Compute the result of a recipe from clips that were read.

It does not access Blender data, so it may run in a thread.
"""

from collections.abc import Callable, Sequence
from typing import Any

from ....core import verbs
from ....core.errors import Cancelled, LoomError
from ....core.motion.clip import Clip
from ....core.progress import Progress
from . import prepared
from .reading import Inputs


def compute(inputs: Inputs, progress: Progress) -> Any:
    """Return the result of `verbs.apply` for inputs.

    A registration or graph already known for the same clips and options is used again.
    """
    recipe, given = inputs.recipe, inputs.read.clips
    recipe = recipe if inputs.read.partner is None else verbs.for_partners(recipe)[0]
    # Other inputs, such as the poses around gaps to fill, may be edited at any time.
    of = recipe.prepared_of(given)
    kept = {id(one): known for one, known in zip(of, prepared.same(of), strict=True)}
    clips = [kept.get(id(one), one) for one in given]
    ready = prepared.read_prepared(recipe, clips, progress.part(0.0, 0.7))
    return apply_recipe(inputs, clips, progress.part(0.7, 1.0), ready)


def apply_recipe(inputs: Inputs, clips: Sequence[Clip], progress: Progress, ready: Any) -> Any:
    """Return the result of the recipe of inputs for clips, with the partner's if there is one.

    ready : of `prepared.read_prepared`
    """
    if inputs.read.partner is None:
        return verbs.apply(inputs.recipe, clips, progress, ready)
    adapts = inputs.request.result.adapts
    return verbs.apply_with_partner(inputs.recipe, clips, inputs.partner_clips, adapts, progress, ready)


def compute_each(
    several: Sequence[Inputs], progress: Progress, make: Callable[[Inputs, Progress], Any] = compute
) -> list[Any]:
    """Return the result of each of several inputs, or the LoomError that prevented it.

    Raises Cancelled.
    """
    results: list[Any] = []
    for k, inputs in enumerate(several):
        try:
            results.append(make(inputs, progress.part(k / len(several), (k + 1) / len(several))))
        except Cancelled:
            raise
        except LoomError as error:
            results.append(error)
    return results
