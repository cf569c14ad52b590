"""Play other actions on the upper body along stretches of a curve: one action, or all listed ones of a label."""

from collections.abc import Sequence
from typing import Any

from ....core.options import declared_options
from ....core.recipes.reading import Source
from ....core.recipes.splice import SpliceOptions
from ....core.verbs import Follow
from ....core.verbs.follow import stretch_text
from ...ground import option_properties
from ...ground.blender_types import SlottedAction
from ...model import lists
from ..sources import source_list


def lines_of(rig: Any, stretch: Any) -> list[Any]:
    """Return the lines of a list that have a stretch's label; none for a stretch that names an action."""
    if rig is None or not stretch.label:
        return []
    return [line for line in rig.sources if line.label == stretch.label and line.action is not None]


def why_not(rig: Any, settings: Any) -> str:
    """Return why the stretches of a path and its end can't be played, "" if they can."""
    if settings.follow.ending == "action" and settings.ending_action is None:
        return "Choose an action first"
    for stretch in settings.stretches:
        if stretch.label and not lines_of(rig, stretch):
            return f"No listed action has the label {stretch.label!r}: give it to some in Name, Color, Range…"
        if not stretch.label and stretch.action is None:
            return "Choose an action for each stretch of the curve, or remove the stretch"
    return ""


def give(operator: Any, rig: Any, settings: Any) -> None:
    """Pass stretches to an operator that walks along a curve: their actions as sources, and their rows.

    Actions with a stretch's label are not on_curve; the operator's labels cover the remaining ones. The action at the
    end of the curve is the last source.
    """
    stretches = settings.stretches
    ticked = lists.in_order(rig, Follow)
    labels = {stretch.label for stretch in stretches if stretch.label}
    number = {line.as_pointer(): place for place, line in enumerate(ticked, 1) if line.label in labels}
    on_curve = [line for line in ticked if line.label not in labels]
    if labels and any(line.label for line in ticked):
        kept = any(line.label for line in on_curve)
        operator.labels = " ".join("_".join(line.label.split()) or "-" for line in on_curve) if kept else ""
    listed = {line.action: line.armature for line in reversed(rig.sources if rig is not None else ())}
    rows: list[tuple[float, ...]] = []
    how: list[str] = []
    for stretch in stretches:
        if not stretch.label and stretch.action is None:
            continue
        numbers = []
        for line in lines_of(rig, stretch):
            if line.as_pointer() not in number:
                operator.add_line(line)
                number[line.as_pointer()] = len(operator.sources)
            numbers.append(number[line.as_pointer()])
        if not stretch.label:
            operator.add_source(stretch.action.name_full, armature=listed.get(stretch.action, ""))
            numbers = [len(operator.sources)]
        rows.append((0.01 * stretch.start, 0.01 * stretch.end, *numbers))
        how.append(stretch_text(option_properties.values_of(stretch, SpliceOptions)))
    operator.stretches = declared_options(Follow)["stretches"].as_text(tuple(rows))
    operator.stretch_options = "; ".join(how) if any(how) else ""
    if operator.ending == "action" and settings.ending_action is not None:
        operator.add_source(settings.ending_action.name_full, armature=listed.get(settings.ending_action, ""))


def load(settings: Any, rig: Any, recipe: Follow, found: Sequence[SlottedAction], asked: Sequence[Source]) -> None:
    """Fill the panel's stretches and the action at the end from a recipe whose actions were found again.

    asked : how each action was read
    """
    settings.stretches.clear()
    settings.ending_action = found[-1][0] if recipe.ending == "action" else None
    options = option_properties.options_of(SpliceOptions)
    for (start, end, numbers), how in zip(recipe.stretch_rows(len(found)), recipe.stretch_splices(), strict=True):
        stretch = settings.stretches.add()
        stretch.start, stretch.end = 100.0 * start, 100.0 * end
        for name, about in options.items():
            option_properties.set_value(stretch, about, getattr(how, name))
        if len(numbers) == 1:
            stretch.action = found[numbers[0] - 1][0]
            if asked[numbers[0] - 1].armature:
                _find_line(rig, found[numbers[0] - 1], asked[numbers[0] - 1])
            continue
        lines = [_find_line(rig, found[number - 1], asked[number - 1]) for number in numbers]
        stretch.label = lines[0].label or _free_label(rig)
        for line in lines:
            line.label, line.use = stretch.label, False


def _find_line(rig: Any, found: SlottedAction, source: Source) -> Any:
    """Return the line of an action, adding one if it is not listed yet."""
    for line in rig.sources:
        if (line.action, line.armature) == (found[0], source.armature):
            return line
    line = source_list.add(rig, found[0], use=False)
    source_list.load(line, source, found[1])
    return line


def _free_label(rig: Any) -> str:
    taken = {line.label for line in rig.sources}
    return next(name for name in (f"stretch {k}" for k in range(1, len(taken) + 2)) if name not in taken)
