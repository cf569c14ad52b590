"""Finished English sentences in Blender's language: the one edge between what we say and who reads it.

Labels, tooltips and other constants Blender translates by itself. A sentence with names and figures in it comes through
here when it is drawn or reported, wherever it was made: `translated(text)`.
"""

from typing import Any

import bpy

from ..blender_types import present
from . import language, phrasebook


def translated(text: str) -> str:
    """Return a sentence of the interface in Blender's language, itself where that is English or does not know it."""
    name = language()
    return phrasebook(name).translated(text) if name and _wanted("use_translate_interface") else text


def translated_report(text: str) -> str:
    """Return a sentence of a report in Blender's language, where reports are to be translated."""
    name = language()
    return phrasebook(name).translated(text) if name and _wanted("use_translate_reports") else text


def _wanted(option: str) -> bool:
    """Say whether Blender is to translate something, by its preferences."""
    return bool(getattr(present(bpy.context.preferences).view, option))


def operators() -> list[type[bpy.types.Operator]]:
    """Return the operator classes of the extension."""
    ours = __package__.removesuffix("ground.translations")
    return [one for one in bpy.types.Operator.__subclasses__() if one.__module__.startswith(ours)]


def let_speak() -> None:
    """Let all operators report, and say why they can't run, in Blender's language.

    They are given this here, once: an operator that is added later needs to know nothing of languages.
    """
    for one in operators():
        one.__getattribute__ = _attribute  # type: ignore[method-assign,assignment]
        one.poll_message_set = classmethod(_poll_message_set)  # type: ignore[assignment]


def _attribute(operator: bpy.types.Operator, name: str) -> Any:
    """Blender finds its own `report` before one of a class, so ours is given where it is asked for."""
    found = bpy.types.Operator.__getattribute__(operator, name)
    if name != "report":
        return found

    def report(type: set[str], message: str) -> None:  # noqa: A002  (Blender's own name of it)
        found(type, translated_report(message))

    return report


def _poll_message_set(_operator: type[bpy.types.Operator], message: Any, *given: Any) -> None:
    bpy.types.Operator.poll_message_set(translated(message) if isinstance(message, str) else message, *given)
