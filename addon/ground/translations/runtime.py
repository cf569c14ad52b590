"""Translate complete English sentences for the user; the only place where this happens.

Blender itself translates labels, tooltips and other constants. A sentence with names and figures passes through here
when it is drawn or reported: `translated(text)`.
"""

from typing import Any

import bpy

from ..blender_types import present
from . import language, phrasebook


def translate_text(text: str) -> str:
    """Return a sentence of the interface in Blender's language; unchanged in English or if it is unknown."""
    name = language()
    return phrasebook(name).translated(text) if name and _is_wanted("use_translate_interface") else text


def translated_report(text: str) -> str:
    """Return a sentence of a report in Blender's language, if reports are to be translated."""
    name = language()
    return phrasebook(name).translated(text) if name and _is_wanted("use_translate_reports") else text


def _is_wanted(option: str) -> bool:
    """Return whether Blender's preferences request a kind of translation."""
    return bool(getattr(present(bpy.context.preferences).view, option))


def operators() -> list[type[bpy.types.Operator]]:
    """Return the operator classes of the extension."""
    ours = __package__.removesuffix("ground.translations")
    return [one for one in bpy.types.Operator.__subclasses__() if one.__module__.startswith(ours)]


def let_speak() -> None:
    """Let all operators report, and set poll messages, in Blender's language.

    This is patched once here: an operator added later does not have to care about languages.
    """
    for one in operators():
        one.__getattribute__ = _attribute  # type: ignore[method-assign,assignment]
        one.poll_message_set = classmethod(_poll_message_set)  # type: ignore[assignment]


def _attribute(operator: bpy.types.Operator, name: str) -> Any:
    """Blender finds its own `report` before a class's one, so ours is returned on attribute access."""
    found = bpy.types.Operator.__getattribute__(operator, name)
    if name != "report":
        return found

    def report(type: set[str], message: str) -> None:  # noqa: A002  (Blender's own name of it)
        found(type, translated_report(message))

    return report


def _poll_message_set(_operator: type[bpy.types.Operator], message: Any, *given: Any) -> None:
    bpy.types.Operator.poll_message_set(translate_text(message) if isinstance(message, str) else message, *given)
